"""Each GPU against each list of targets that was read, and against the lists of its system and of the libraries in use."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _gpus, _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Hit, Known
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import applications, tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

Found = Iterator[tuple[str, dict[str, Any], tuple[str, ...], tuple[str, ...], list[Hit]]]  # finding, values, facts used, facts that decide and are not known
_ROCM_OF_TORCH = later.pattern(r"\+(rocm\d{1,2}\.\d{1,2})")
_LISTS = (("torch.arch_list", "this torch"), ("rocm.tensile_targets", "this rocBLAS"), ("ollama.supported_types", "this Ollama"))
# With an override the list of another target counts.
_OVERRIDDEN = ("gpu-not-in-target-list", "library-file-lacks-gpu", "wheel-index-lacks-gpu", "build-leaves-out-gpu")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first GPU that is left out by a list, a library or a release: a cause where its symptom was seen, else nothing is said."""
    gpus = _gpus.fitted(seen)
    overridden = isinstance(seen.facts.get("env.HSA_OVERRIDE_GFX_VERSION"), Known)
    for read in (_lists, _read_lists, _torch_builds, _libraries, _windows, _windows_undated, _windows_never):
        for name, values, used, asked, hits in read(seen, gpus):
            by_version = any(fact.startswith("torch.version") for fact in used)  # nobody printed that list: it stands behind what says more
            over: dict[str, Any] = {"general": True, "instead_of": []} if by_version else {}
            if any(hit.group == "configured" for hit in hits):  # the build says so itself: it is what runs here, whatever the trouble looks like
                over = {"explains": ["kernel-missing", "crash", "trouble-told"], "instead_of": ["kernels-missing-for-gpu", "other-gpu-is-right"]}
            rule = _words.rule("coverage", name, values, **over)
            explained = seen.explained(rule)
            if explained and not (overridden and name in _OVERRIDDEN):
                named = [key(fact, item) for item in items_of(seen.facts) for fact in ("gpu.gfx_reported", "gpu.name")] if asked else []
                yield Judged(rule, Answer(None if asked else True, used, asked), explained=explained, hits=hits or _words.hits_of(seen.facts, named, name)[:1])
                break


def _all(seen: Evidence, name: str) -> Iterator[list[str]]:
    for stored in _stored(seen, name):
        value = seen.value(stored)
        if isinstance(value, list) and value:
            yield [str(one) for one in value]


def _stored(seen: Evidence, name: str) -> list[str]:
    """A fact of an entity without an item, and of each item."""
    return [name, *(key(name, item) for item in items_of(seen.facts, name.split(".")[0]))]


def _left_out(gpus: dict[str, str], targets: list[str]) -> list[str]:
    """The GPUs that a list does not serve; integrated graphics beside a card is seldom meant to compute."""
    return [gfx for gfx in gpus if not tables.covers(targets, gfx) and (len(gpus) == 1 or tables.kind(gfx) != "apu")]


def _kin(seen: Evidence, gfx: str, targets: list[str]) -> tuple[str, str]:
    """(what is said of the kernels of a sibling, the value of the override), where the list has that sibling and the system an override."""
    if seen.value("about.os") == "windows":
        return "", ""
    known = tables.override_for(gfx)
    if known and (not targets or tables.covers(targets, tables.gfx_of_override(known))):
        return f" A sibling's kernels fit it: HSA_OVERRIDE_GFX_VERSION={known}.", known
    value = tables.sibling_for(gfx)
    if value and tables.covers(targets, tables.gfx_of_override(value)):
        return f" It has {tables.gfx_of_override(value)}, which has the same instruction set: HSA_OVERRIDE_GFX_VERSION={value} is an experiment.", value
    return "", ""


def _left(seen: Evidence, gpus: dict[str, str], title: str, targets: list[str]) -> dict[str, Any]:
    """The words for the first GPU that a list leaves out, {} where it leaves out none."""
    left = _left_out(gpus, targets)
    if not left:
        return {}
    others = [_gpus.shown(other, name) for other, name in gpus.items() if other not in left]
    kin, value = _kin(seen, left[0], targets)
    return {"list": title, "gpu": _gpus.shown(left[0], gpus[left[0]]), "gfx": left[0], "targets": ", ".join(targets), "kin": kin,
            "override": f"Or as an experiment let {left[0]} take the kernels of its sibling" if value else "",
            "override_command": f"HSA_OVERRIDE_GFX_VERSION={value} PROGRAM" if value else "",
            "others": f" It has {', '.join(others)}." if others else "",
            "hide": "HIP_VISIBLE_DEVICES with the number of the other card keeps programs away from it." if others else ""}


def _lists(seen: Evidence, gpus: dict[str, str]) -> Found:
    for fact, title in _LISTS:
        for targets in _all(seen, fact):
            values = _left(seen, gpus, title, targets)
            if values:
                files = (f"Put the rocBLAS files that are made for {values['gfx']} (rocblas.dll or librocblas.so, and the folder rocblas/library) "
                         "beside the program in place of the wrong set")
                yield "gpu-not-in-target-list", {**values, "files": "" if fact == "torch.arch_list" else files}, (fact,), (), []


def _read_lists(seen: Evidence, gpus: dict[str, str]) -> Found:
    """Lists that the texts show: of a library, of a build, of an index of wheels."""
    for row in seen.value("report.target_lists") or []:
        index = str(row["of"]) if row["kind"] == "index" else ""
        targets = [gfx for gfx in _of_index(index) if _served(index, gfx)] if index else list(map(str, row["targets"]))
        values = _left(seen, gpus, str(row["of"]), targets) if targets else {}
        if not values:
            continue
        hits = [Hit("coverage", str(row["kind"]), str(row.get("in", "")), int(row["line"]), str(row["text"]), {})]
        name = {"index": "wheel-index-lacks-gpu", "build": "build-leaves-out-gpu", "configured": "build-leaves-out-gpu",
                "library": "library-file-lacks-gpu"}[str(row["kind"])]
        newer, since = _better(str(values["gfx"]))
        named = tables.covers(_of_index(index), str(values["gfx"]))
        values |= {"lack": "are older than AMD's support for" if named else "have nothing for",
                   "own": f"They name {values['gfx']}, which that ROCm does not support yet. " if named else ""}
        yield name, {**values, "index": index, "newer": newer, "since": since if index else ""}, ("report.target_lists",), (), hits


def _better(gfx: str) -> tuple[str, str]:
    """(an index whose wheels have the target, what is said of the first of pytorch.org)."""
    better = next((other for other in tables.load("pytorch_wheels")["targets_by_suffix"] if _served(str(other), gfx)), "")
    newer = f"https://download.pytorch.org/whl/{better}" if better else f"https://rocm.nightlies.amd.com/v2/{_family(gfx) or 'TARGET'}/"
    return newer, f"; the first with it is {better}" if better else "; no index of pytorch.org has it"


def _family(gfx: str) -> str:
    """The name of TheRock's index for a target, "" where it has none."""
    return next((str(family) for family, ones in tables.load("package_names")["therock"].items() if gfx in ones), "")


def _torch_builds(seen: Evidence, gpus: dict[str, str]) -> Found:
    """The ROCm that the version of torch names, against the GPUs: wheels of that release have no kernels for what came later, or was dropped."""
    if seen.value("about.os") == "windows":
        return  # AMD's own wheels, of other lists
    for stored in _stored(seen, "torch.version"):
        version = str(seen.value(stored) or "")
        release = _ROCM_OF_TORCH.search(version)
        targets = [gfx for gfx in _of_wheel(version) if _served(release[1], gfx)] if release else []
        values = _left(seen, gpus, f"torch {version}", targets) if targets else {}
        if release and values:
            newer, since = _better(str(values["gfx"]))
            values |= {"index": release[1], "newer": newer, "since": since, "lack": "have nothing for", "own": ""}
            yield "wheel-index-lacks-gpu", values, (stored,), (), []


def _of_wheel(version: str) -> list[str]:
    """The targets of the wheel of pytorch.org with exactly this version; none where the table has no such wheel."""
    with contextlib.suppress(ValueError):
        return tables.wheel_targets(version)
    return []


def _of_index(index: str) -> list[str]:
    return list(tables.load("pytorch_wheels")["targets_by_suffix"].get(".".join(index.split(".")[:2]), []))


def _served(index: str, gfx: str) -> bool:
    """Whether the wheels of an index have the target, and AMD supports it with their ROCm."""
    need = next((str(row["rocm"]) for row in tables.load("needs")["gpus"] if gfx in row["gfx"] and "rocm" in row), "0")
    return tables.covers(_of_index(index), gfx) and versions.at_least(index.removeprefix("rocm"), need, "rocm") is not False


def _libraries(seen: Evidence, gpus: dict[str, str]) -> Found:
    apps, packages = seen.value("about.app") or [], seen.value("pip.packages") or {}
    for row in tables.load("library_targets")["libraries"]:
        if row["app"] in apps or row["package"] in packages:
            left = [gfx for gfx in gpus if not tables.covers(row["targets"], gfx)]
            if left and len(left) == len(gpus):
                yield "library-not-made-for-gpu", {"library": row["title"], "gpu": _gpus.shown(left[0], gpus[left[0]]), "targets": ", ".join(row["targets"]),
                                                   "instead": row["instead"]}, ("about.gpu", "about.app"), (), []


def _windows(seen: Evidence, gpus: dict[str, str]) -> Found:
    release = str(seen.value("runtime.rocm_version") or _of_windows_wheel(seen))
    if seen.value("about.os") != "windows" or not release or len(gpus) != 1:
        return
    gfx, name = next(iter(gpus.items()))
    rows = tables.load("library_targets")["windows"]
    row = next((row for row in rows if versions.in_range(release, {bound: row[bound] for bound in ("from", "through") if bound in row}, "rocm")), None)
    if row and gfx not in row["targets"]:
        later = next((other["title"] for other in rows if gfx in other["targets"]), "")
        newer = f"Or update: {later} lists {gfx}" if later else f"No release for Windows lists {gfx} up to now"
        yield "windows-release-does-not-list-gpu", {"release": row["title"], "gpu": _gpus.shown(gfx, name), "gfx": gfx, "targets": ", ".join(row["targets"]),
                                                    "newer": newer}, ("runtime.rocm_version", "about.gpu"), (), []


def _of_windows_wheel(seen: Evidence) -> str:
    """The release of ROCm that AMD's released wheels for Windows (+rocmsdkDATE) say by their HIP; nightlies are made for more targets."""
    for item in items_of(seen.facts, "torch"):
        if "+rocmsdk" in str(seen.value(key("torch.version", item)) or ""):
            return ".".join(str(seen.value(key("torch.hip", item)) or "").split(".")[:2])
    return ""


def _windows_never(seen: Evidence, gpus: dict[str, str]) -> Found:
    """A GPU in no release of ROCm for Windows, where a program that computes with torch, or HIP, is in use."""
    rows = tables.load("library_targets")["windows"]
    if seen.value("about.os") != "windows" or len(gpus) != 1 or not {"torch", "diffusion"} & applications.kinds(seen.texts("about.app")):
        return
    if {"zluda", "directml", "vulkan"} & {*seen.texts("about.backend"), *seen.texts("about.app")} or seen.hits_of("seen.topics.zluda"):
        return
    gfx, name = next(iter(gpus.items()))
    if not any(gfx in row["targets"] for row in rows):
        family = _family(gfx)
        words = {"gpu": _gpus.shown(gfx, name), "gfx": gfx, "targets": ", ".join(rows[-1]["targets"]), "newest": rows[-1]["title"],
                 "nightly": "", "nightly_command": ""}
        if family:
            words |= {"nightly": f"Try the nightly wheels of TheRock for this family ({family}), which AMD builds without promising anything",
                      "nightly_command": f"pip install --force-reinstall torch torchvision torchaudio --index-url https://rocm.nightlies.amd.com/v2/{family}/"}
        yield "no-windows-release-lists-gpu", words, ("about.gpu",), () if {"rocm", "hip"} & set(seen.texts("about.backend")) else ("about.backend",), []


def _windows_undated(seen: Evidence, gpus: dict[str, str]) -> Found:
    """A GPU that came into AMD's list late, where HIP is in use and nobody says of which release."""
    rows = tables.load("library_targets")["windows"]
    if seen.value("about.os") != "windows" or seen.value("runtime.rocm_version") or len(gpus) != 1 or not {"rocm", "hip"} & set(seen.texts("about.backend")):
        return
    if "rocm" in seen.texts("ollama.library") and not {"crash", "kernel-missing", "load-failure"} & seen.symptoms:
        return  # that runtime has the GPU in its list of devices, and nothing says that its code is refused
    gfx, name = next(iter(gpus.items()))
    first = next((number for number, row in enumerate(rows) if gfx in row["targets"]), 0)
    if first:
        yield "windows-release-may-not-list-gpu", {"gpu": _gpus.shown(gfx, name), "gfx": gfx, "since": rows[first]["title"],
                                                   "targets": ", ".join(rows[first - 1]["targets"]), "before": rows[first - 1]["title"]}, (
            "about.gpu", "about.backend"), ("runtime.rocm_version",), []
