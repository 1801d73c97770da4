"""Asked and got: options of llama.cpp and Ollama against each other, and against what the program says it did."""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.diagnosis.checks._words import judged, whole
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "asked_and_got"
_DEVICE = later.pattern(r"(?i)^(rocm|hip|vulkan|cuda)\d")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """What the options do to each other, and what became of them."""
    options: dict[str, str] = seen.value("llama.options") or {}
    zero = False
    for row in tables.load("llama_options")["rows"]:
        if not all(name in options and whole(str(value), options[name]) for name, value in row["with"].items()):
            continue
        if "greater" in row and not int(options[row["greater"][0]]) > int(options[row["greater"][1]]):
            continue
        shown = " ".join(f"--{name} {options[name]}".strip() for name in row["with"])
        zero = zero or row["id"] == "gpu-layers-set-to-zero"
        if row["id"] == "gpu-layers-set-to-zero" and not {"runs-on-cpu", "slow"} & seen.symptoms:
            continue  # a comparison with the CPU is asked for so
        yield judged(_CHECK, row["id"], seen, {"options": shown, "given": shown, "says": str(row.get("says") or ""), "do": str(row.get("do") or "")},
                     ["llama.options"], item=shown, severity=row.get("severity"), explains=row.get("explains"))
    if not zero and seen.value("llama.gpu_layers_asked") == 0 and "runs-on-cpu" in seen.symptoms:
        yield judged(_CHECK, "gpu-layers-set-to-zero", seen, {"given": "num_gpu 0"}, ["llama.gpu_layers_asked"])
    yield from _context(seen, options)
    yield from _backend(seen, options)


def _context(seen: Evidence, options: dict[str, str]) -> Iterator[Judged]:
    asked, given = options.get("ctx-size", ""), seen.value("llama.context_given")
    slots = options.get("parallel", "1")
    if asked.isdigit() and isinstance(given, int) and 0 < given < int(asked) and slots == "1":
        yield judged(_CHECK, "context-smaller-than-asked", seen, {"asked": asked, "given": str(given)}, ["llama.options", "llama.context_given"])


def _backend(seen: Evidence, options: dict[str, str]) -> Iterator[Judged]:
    got = seen.value("llama.backend")
    wanted = _DEVICE.match(options.get("device", ""))
    asked = {"hip": "rocm", "cuda": "rocm"}.get(wanted[1].lower(), wanted[1].lower()) if wanted else ""
    if got and asked and got != asked:
        yield judged(_CHECK, "backend-other-than-asked", seen, {"asked": asked, "got": str(got), "source": f"--device {options['device']}"},
                     ["llama.options", "llama.backend"])
