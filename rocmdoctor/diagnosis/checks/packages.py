"""Package sets that must fit: torch with its companions, AMD's wheels with their device parts, copies that shadow each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Hit, Known
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

Found = Iterator[tuple[str, dict[str, Any], tuple[str, ...], list[Hit], dict[str, Any]]]
_LOCAL = later.pattern(r"\+(?:amd\.)?(rocm|cu|cpu|xpu)(?:sdk)?(\d+(?:\.\d+)?)?")
_WINDOWS_INDEX = "On Windows pytorch.org has no ROCm wheels: use AMD's index (repo.amd.com, rocm.nightlies.amd.com)."
_COMPANIONS = ("torchvision", "torchaudio", "pytorch-triton-rocm", "triton-rocm")
_BUILT_FOR = later.pattern(r"\d+\.\d+\.\d+\.(\d{1,2})(\d\d)(\d\d)[-~]")  # 1.0.0.70201-81~24.04: of ROCm 7.2.1
_OF_ROCM = later.pattern(r"^(rocm-core|hip-runtime-amd|hsa-rocr|hipblas|hipblaslt|rocsolver|rocsparse|miopen-hip|rccl|comgr|rocminfo|hipcc|rocm-smi-lib|"
                          r"rocblas|amd-smi-lib|libamdhip64-(?:\d|dev)|libhsa-runtime64-(?:1|dev)|librocblas\d|libhipblas\d)$")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """What does not fit together; a cause where its symptom was seen, else a risk."""
    for read in (_replaced, _companions, _not_for_amd, _device_part, _user_site, _amdsmi, _triton, _jax, _system):
        for name, values, used, hits, fields in read(seen):
            rule = _words.rule("packages", name, values, **fields)
            yield Judged(rule, Answer(True, used, ()), explained=seen.explained(rule), hits=hits[:3])


def _dict(seen: Evidence, name: str) -> dict[str, str]:
    value = seen.value(name)
    return {str(key): str(each) for key, each in value.items()} if isinstance(value, dict) else {}


def _build(version: str) -> tuple[str, str]:
    """(rocm, cu or cpu; the release in numbers) of a local version.

    >>> _build("2.9.1+rocm7.2.0.lw.git7e19"), _build("2.9.1+cu128"), _build("0.24.0"), _build("2.9.0+rocmsdk20251116")
    (('rocm', '7.2'), ('cu', '128'), ('', ''), ('rocm', ''))
    """
    found = _LOCAL.search(version)
    if not found:
        return "", ""
    return found[1], "" if (found[2] or "").startswith("20") else found[2] or ""


def _series(version: str) -> str:
    found = re.match(r"\d+\.\d+", version)
    return found[0] if found else ""


def _replaced(seen: Evidence) -> Found:
    """A ROCm build that an installer itself has taken out again."""
    rows = seen.value("pip.replaced") or []
    for row in rows:
        old, new = str(row["old"]), str(row["new"])
        if _build(old)[0] == "rocm" and _build(new)[0] != "rocm":
            values = {"name": row["name"], "old": old, "new": new, "windows": _WINDOWS_INDEX if seen.text("about.os") == "windows" else ""}
            yield "rocm-build-replaced", values, ("pip.replaced",), [], {}
            return


def _companions(seen: Evidence) -> Found:
    packages = _dict(seen, "pip.packages")
    torch = packages.get("torch", "")
    if not torch:
        return
    mine, pairs = _build(torch), {str(key): value for key, value in tables.load("package_sets")["torch"].items()}.get(_series(torch), {})
    for name in _COMPANIONS:
        other = packages.get(name, "")
        build = _build(other)
        wanted = str(pairs.get(name, ""))
        values = {"torch": f"torch {torch}", "other": f"{name} {other}"}
        if other and mine[0] and build[0] and (mine[0] != build[0] or (mine[1] and build[1] and mine[1] != build[1])):
            yield "torch-packages-of-different-builds", {**values, "why": ": the part behind the plus sign differs"}, ("pip.packages",), [], {}
            return
        plain = "+" not in other and name in ("torchvision", "torchaudio")
        if mine[0] == "rocm" and other and plain and any(key.startswith("nvidia-") for key in packages):
            yield "torch-packages-of-different-builds", {**values, "why": f": {name} without a suffix is PyPI's CUDA build"}, ("pip.packages",), [], {}
            return
        early = re.search(r"dev|a0|rc|\+git|\+[0-9a-f]{7}", torch + other)  # nightlies and builds of a state pair with the release before or after theirs
        if other and wanted and name == "torchvision" and not early and _series(other) != wanted:
            yield "torch-packages-of-different-builds", {**values, "why": f": torch {_series(torch)} goes with {name} {wanted}"}, ("pip.packages",), [], {}
            return


def _not_for_amd(seen: Evidence) -> Found:
    packages = _dict(seen, "pip.packages")
    torch = packages.get("torch", "")
    build = _build(torch)[0]
    nvidia = next((f"{key} {value}" for key, value in packages.items() if key.startswith("nvidia-cu")), "")
    directml = any("directml" in key or "zluda" in key for key in packages) or {"zluda", "directml"} & set(seen.texts("about.app"))
    if not torch or not isinstance(seen.facts.get("about.amd"), Known) or directml or build in ("rocm", "xpu") or not (build or nvidia):
        return
    row = next((row for row in tables.load("package_sets")["rocm_elsewhere"] if row["package"] in packages), None)
    own = packages[row["package"]] if row else ""
    if row and "rocm" not in own and build != "cpu":
        values = {"title": row["title"], "package": f"{row['package']} {own}", "torch": torch, "where": row["where"], "command": row["command"]}
        yield "package-build-not-for-amd", values, ("pip.packages", "about.amd"), [], {}
        return
    what = "the CPU" if build == "cpu" else "the NVIDIA (CUDA)"
    windows = _WINDOWS_INDEX if seen.text("about.os") == "windows" else ""
    yield "torch-build-not-for-amd", {"version": torch, "what": what, "sign": f" ({nvidia} beside it shows PyPI's CUDA build)" if nvidia and not build else "",
                                      "windows": windows}, ("pip.packages", "about.amd"), [], {"general": True}


def serves(part: str, gfx: str) -> bool:
    """Whether a device package is made for a target.

    >>> serves("amd-torch-device-gfx115x", "gfx1151"), serves("rocm-sdk-device-all", "gfx1201"), serves("rocm-sdk-device-gfx1100", "gfx1101")
    (True, True, False)
    """
    name = part.rpartition("device-")[2].replace("-", "_").split("_")[0]
    return name == "all" or re.fullmatch(name.replace("x", "[0-9a-f]").replace("gf[0-9a-f]", "gfx"), gfx, re.I) is not None


def _device_part(seen: Evidence) -> Found:
    packages = _dict(seen, "pip.packages")
    parts = tables.load("package_sets")["device_parts"]
    torch, sdk = packages.get("torch", ""), packages.get("rocm-sdk-core", "") or packages.get("rocm", "")
    gpus = [word for word in seen.texts("about.gpu") if word.startswith("gfx")]
    if not sdk or len(gpus) != 1 or any(re.match(r"rocm-sdk-libraries-gfx", name) for name in packages):
        return
    multi = any(name.startswith(tuple(parts.values())) for name in packages) or versions.at_least(sdk, "10.0", "rocm") is True
    if not multi:
        return
    wanted = [*([parts["torch"]] if _build(torch)[0] == "rocm" else []), parts["libraries"]]
    missing = [f"{prefix}-{gpus[0]}" for prefix in wanted if not any(name.startswith(prefix) and serves(name, gpus[0]) for name in packages)]
    if missing:
        yield "torch-device-part-missing", {"gfx": gpus[0], "missing": " and ".join(missing), "version": torch or sdk}, ("pip.packages", "about.gpu"), [], {}


def _user_site(seen: Evidence) -> Found:
    of_gpu = ("torch", "triton", "rocm", "bitsandbytes", "pytorch")
    hits = [hit for hit in seen.hits_of("seen.pip.in_user_site") if hit.captures.get("package", "").startswith(of_gpu)]
    if not hits or not seen.hits_of("seen.pip.elsewhere") or "rocm" in hits[0].captures.get("version", ""):
        return
    told = hits[0].captures
    if isinstance(seen.facts.get("about.amd"), Known):
        yield "python-user-site-shadows-environment", {"package": told["package"], "path": told["path"], "version": told.get("version", "")}, (), hits, {}


def _amdsmi(seen: Evidence) -> Found:
    packages = _dict(seen, "pip.packages")
    rocm = packages.get("rocm-sdk-core", "")
    if packages.get("amdsmi") and rocm and packages.get("torch"):
        yield "amdsmi-installed-twice", {"version": packages["amdsmi"], "rocm": rocm}, ("pip.packages",), [], {}


def _triton(seen: Evidence) -> Found:
    packages = _dict(seen, "pip.packages")
    names = [name for name in tables.load("package_sets")["triton_names"] if name in packages]
    if len(names) > 1 and isinstance(seen.facts.get("about.amd"), Known) and {"crash", "load-failure"} & seen.symptoms:
        shown = ", ".join(f"{name} {packages[name]}" for name in names)
        yield "triton-installed-twice", {"packages": shown, "names": " ".join(names)}, ("pip.packages",), [], {}


def _jax(seen: Evidence) -> Found:
    packages = _dict(seen, "pip.packages")
    plugin = next((f"{name} {version}" for name, version in packages.items() if re.fullmatch(r"jax-rocm\d+-(plugin|pjrt)", name)), "")
    jaxlib = packages.get("jaxlib", "")
    if plugin and jaxlib and versions.compare(_series(plugin.split()[1]), _series(jaxlib)) == 1:
        yield "jax-packages-differ", {"plugin": plugin, "jaxlib": jaxlib, "want": plugin.split()[1]}, ("pip.packages",), [], {}


def _system(seen: Evidence) -> Found:
    """Packages of AMD carry the release in their version; those of a distribution do not, and outrank them all the same."""
    found: dict[str, str] = {}
    for name, version in _dict(seen, "packages.installed").items():
        if not _OF_ROCM.match(name):
            continue
        code = _BUILT_FOR.search(version)
        release = f"{int(code[1])}.{int(code[2])}.{int(code[3])}" if code else "distribution" if re.search(r"-\d+(ubuntu|build|\+deb|$)", version) else ""
        if release:
            found.setdefault(release, f"{name} {version}")
    if len(found) > 1:
        shown = [f"{package} ({release if release == 'distribution' else 'ROCm ' + release})" for release, package in found.items()]
        values = {"packages": ", ".join(shown), "first": next(iter(found.values())).split()[0]}
        yield "rocm-packages-of-several-releases", values, ("packages.installed",), [], {}
