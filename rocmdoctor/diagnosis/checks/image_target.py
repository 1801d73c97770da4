"""Images whose tag names the GPUs they are built for, against the GPUs at hand."""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.diagnosis.checks import _gpus, _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.knowledge import compiled
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "image_target"


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first image that none of the GPUs can use; a question where it may run on another GPU that was named."""
    gpus = _gpus.fitted(seen)
    tags: dict[str, list[str]] = compiled.part(f"checks/{_CHECK}.yaml")["made"]
    for hit in seen.hits_of("seen.container.image_for"):
        tag = hit.captures["made"].lower()
        targets = tags.get(tag) or ([tag] if tag.startswith("gfx") else [])
        left_out = {gfx: name for gfx, name in gpus.items() if gfx not in targets}
        if targets and left_out:
            gfx, name = next(iter(left_out.items()))
            decided = len(left_out) == len(gpus)
            of_gpu = [each for each, of in tags.items() if gfx in of and each.endswith("x") and len(each) == len("mi30x")]
            words = {"image": hit.captures["image"], "tag": tag, "made": ", ".join(targets), "gfx": gfx, "gpu": _gpus.shown(gfx, name),
                     "tags": f" (tag ...-{of_gpu[0]})" if of_gpu else ""}
            yield _words.judged(_CHECK, "image-made-for-other-gpu", seen, words, ("gpu.gfx_target",), value=decided or None,
                                missing=() if decided else ("about.gpu",), hits=[hit])
            return
