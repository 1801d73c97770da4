"""Each GPU against each list of targets that was read, and against the lists of its system and of the libraries in use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.diagnosis.checks import _gpus, _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Known
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

Found = Iterator[tuple[str, dict[str, Any], tuple[str, ...], tuple[str, ...]]]  # finding, values, facts used, facts that decide and are not known
_LISTS = (("torch.arch_list", "this torch"), ("rocm.tensile_targets", "this rocBLAS"), ("ollama.supported_types", "this Ollama"))


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first GPU that is left out by a list, a library or a release: a cause where its symptom was seen, else nothing is said."""
    gpus = _gpus.fitted(seen)
    overridden = isinstance(seen.facts.get("env.HSA_OVERRIDE_GFX_VERSION"), Known)
    for read in (_lists, _libraries, _windows, _windows_undated):
        for name, values, used, asked in read(seen, gpus):
            rule = _words.rule("coverage", name, values, general=True)
            explained = seen.explained(rule)
            if explained and not (overridden and name == "gpu-not-in-target-list"):
                named = [key(fact, item) for item in items_of(seen.facts) for fact in ("gpu.gfx_reported", "gpu.name")] if asked else []
                yield Judged(rule, Answer(None if asked else True, used, asked), explained=explained, hits=_words.hits_of(seen.facts, named, name)[:1])
                break


def _all(seen: Evidence, name: str) -> Iterator[list[str]]:
    for stored in [name, *(key(name, item) for item in items_of(seen.facts, name.split(".")[0]))]:
        value = seen.value(stored)
        if isinstance(value, list) and value:
            yield [str(one) for one in value]


def _lists(seen: Evidence, gpus: dict[str, str]) -> Found:
    for fact, title in _LISTS:
        for targets in _all(seen, fact):
            left = [gfx for gfx in gpus if not tables.covers(targets, gfx)]
            # Integrated graphics beside a card is seldom meant to compute.
            left = [gfx for gfx in left if len(gpus) == 1 or tables.kind(gfx) != "apu"]
            if left:
                gfx = left[0]
                others = [_gpus.shown(other, name) for other, name in gpus.items() if other not in left]
                override = tables.override_for(gfx)
                windows = seen.value("about.os") == "windows"
                yield "gpu-not-in-target-list", {
                    "list": title, "gpu": _gpus.shown(gfx, gpus[gfx]), "gfx": gfx, "targets": ", ".join(targets), "hide": "HIP_VISIBLE_DEVICES with the "
                    "number of the other card keeps programs away from it." if others else "", "others": f" It has {', '.join(others)}." if others else "",
                    "kin": f" A sibling's kernels fit it: HSA_OVERRIDE_GFX_VERSION={override}." if override and not windows else ""}, (fact,), ()


def _libraries(seen: Evidence, gpus: dict[str, str]) -> Found:
    apps, packages = seen.value("about.app") or [], seen.value("pip.packages") or {}
    for row in tables.load("library_targets")["libraries"]:
        if row["app"] in apps or row["package"] in packages:
            left = [gfx for gfx in gpus if not tables.covers(row["targets"], gfx)]
            if left and len(left) == len(gpus):
                yield "library-not-made-for-gpu", {"library": row["title"], "gpu": _gpus.shown(left[0], gpus[left[0]]), "targets": ", ".join(row["targets"]),
                                                   "instead": row["instead"]}, ("about.gpu", "about.app"), ()


def _windows(seen: Evidence, gpus: dict[str, str]) -> Found:
    release = str(seen.value("runtime.rocm_version") or "")
    if seen.value("about.os") != "windows" or not release or len(gpus) != 1:
        return
    gfx, name = next(iter(gpus.items()))
    rows = tables.load("library_targets")["windows"]
    row = next((row for row in rows if versions.in_range(release, {bound: row[bound] for bound in ("from", "through") if bound in row}, "rocm")), None)
    if row and gfx not in row["targets"]:
        later = next((other["title"] for other in rows if gfx in other["targets"]), "")
        newer = f"Or update: {later} lists {gfx}" if later else f"No release for Windows lists {gfx} up to now"
        yield "windows-release-does-not-list-gpu", {"release": row["title"], "gpu": _gpus.shown(gfx, name), "gfx": gfx, "targets": ", ".join(row["targets"]),
                                                    "newer": newer}, ("runtime.rocm_version", "about.gpu"), ()


def _windows_undated(seen: Evidence, gpus: dict[str, str]) -> Found:
    """A GPU that came into AMD's list late, where HIP is in use and nobody says of which release."""
    rows = tables.load("library_targets")["windows"]
    if seen.value("about.os") != "windows" or seen.value("runtime.rocm_version") or len(gpus) != 1 or not {"rocm", "hip"} & set(seen.texts("about.backend")):
        return
    gfx, name = next(iter(gpus.items()))
    first = next((number for number, row in enumerate(rows) if gfx in row["targets"]), 0)
    if first:
        yield "windows-release-may-not-list-gpu", {"gpu": _gpus.shown(gfx, name), "gfx": gfx, "since": rows[first]["title"],
                                                   "targets": ", ".join(rows[first - 1]["targets"]), "before": rows[first - 1]["title"]}, (
            "about.gpu", "about.backend"), ("runtime.rocm_version",)
