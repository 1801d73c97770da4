"""GPU related packages of the distribution: lists (dpkg, rpm, pacman, apt) and histories (apt, dpkg, dnf, pacman, zypper).

>>> for r in read("[2026-01-02T10:00:00+0000] [ALPM] upgraded linux-firmware-amdgpu (20250808-1 -> 20251111-1)\\n"
...     "[2026-01-02T10:00:01+0000] [ALPM] upgraded vulkan-radeon (1:25.2.3-1 -> 1:25.3.0-1)\\n"):
...     print(r.name, r.value, r.line)
packages.changed {'linux-firmware-amdgpu': ['20250808-1', '20251111-1'], 'vulkan-radeon': ['1:25.2.3-1', '1:25.3.0-1']} 1
packages.installed {'linux-firmware-amdgpu': '20251111-1', 'vulkan-radeon': '1:25.3.0-1'} 1
firmware.package_version 20251111-1 1
vulkan.mesa_version 25.3.0 2
>>> for r in read("ii  amdgpu-dkms  1:6.14.14.30100000-2193512.24.04  all  amdgpu driver in DKMS format.\\n"
...     "ii  rocm-core  7.0.0.70000-38~24.04  amd64  ROCm core\\n"):
...     print(r.name, r.value, r.line)
packages.installed {'amdgpu-dkms': '1:6.14.14.30100000-2193512.24.04', 'rocm-core': '7.0.0.70000-38~24.04'} 1
runtime.rocm_version 7.0.0 2
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import lazy, lines

TRUST = 2

_N = r"([A-Za-z][\w.+-]{1,60}?)"
_V = r"(\d[\w.:~+^-]{0,80})"
_GPU = lazy(r"(?:linux-firmware(?:-amdgpu|-amdgpu-firmware)?|amd-gpu-firmware|firmware-amd-graphics|kernel-firmware-amdgpu|firmware-amdgpu"
            r"|(?:lib32-)?mesa(?:-vulkan-drivers|-vulkan-radeon|-dri-drivers|-libgallium|-va-drivers)?|libgl1-mesa-dri|libGL1|Mesa(?:-\w+)*|libvulkan_radeon"
            r"|(?:lib32-)?vulkan-radeon|amdvlk|(?:lib32-)?vulkan-(?:icd-)?loader|libvulkan1|libdrm(?:-amdgpu1)?|amdgpu-[\w-]+|rocm[\w-]*|hip[\w-]*"
            r"|libamdhip64-(?:\d|dev)|hsa-[\w-]+|libhsa-runtime64-(?:1|dev)|roc(?:blas|fft|sparse|solver|random|minfo)\w*|miopen[\w-]*|migraphx[\w-]*|rccl|comgr|amd-smi-lib"
            r"|linux(?:-lts|-zen|-hardened|-cachyos[\w-]*)?|linux-image-[\w.+-]+|kernel(?:-core|-default|-modules)?|proxmox-kernel-[\w.-]+"
            r"|pve-(?:kernel|firmware)[\w.-]*|ollama[\w-]*|llama[.-]?cpp[\w-]*|python3?-pytorch[\w-]*|python3-torch|xserver-xorg-video-amdgpu)$")
_HISTORY = (
    (lazy(r"\[ALPM\] (?:upgraded|downgraded) " + _N + r" \(" + _V + r" -> " + _V + r"\)"), (1, 2, 3)),
    (lazy(r"\[ALPM\] (?:installed|reinstalled) " + _N + r" \(" + _V + r"\)"), (1, 0, 2)),
    (lazy(r"^[\d-]{10} [\d:]{8} upgrade " + _N + r":\w+ " + _V + r" " + _V), (1, 2, 3)),
    (lazy(r"^[\d-]{10} [\d:]{8} install " + _N + r":\w+ (?:<none>|<\w+>) " + _V), (1, 0, 2)),
    (lazy(r"^[\d-]{10} [\d:]{8}\|install\|" + _N + r"\|" + _V + r"\|"), (1, 0, 2)),
    (lazy(r"^[ \t]*" + _N + r"(?:\.\w+)? " + _V + r" -> " + _V + r"\s*$"), (1, 2, 3)),
)
_APT = lazy(r"^[ \t]*(?:Upgrade|Install|Downgrade|Reinstall): ")
_APT_ONE = lazy(_N + r":\w+ \(" + _V + r"(?:, (?:" + _V + r"|automatic))?\)")
_RPM = _N + r"-((?:\d{1,3}:)?\d[\w.~+^]{0,60}-\d[\w.~+^]{0,40})\.(?:x86_64|noarch|i686|aarch64)"
_DNF = lazy(r"^[ \t]*(Upgraded?|Downgraded?|Installed?|Replaced|Reinstalled?)\s*:?\s+" + _RPM)
_LIST = (
    lazy(r"^[ihur][ifcn]R?\s+" + _N + r"(?::\w+)?\s+" + _V + r"\s"), lazy(r"^" + _N + r"/[\w.,-]{2,60} " + _V + r" \w{3,8}(?: \[|$)"),
    lazy(r"^[ \t]*" + _RPM + r"\s*$"), lazy(r"^[ \t]*" + _N + r"\.(?:x86_64|noarch|i686)\s+" + _V + r"\s+@?\S{1,40}\s*$"),
    lazy(r"^" + _N + r"(?::amd64|:all)?\t" + _V + r"(?:\s*$|\t)"),
    lazy(r"^(?:local/|\w+/)?" + _N + r" ((?:\d{1,2}:)?\d[\w.+:~]{0,50}-\d{1,3}(?:\.\d)?)\s*(?:\[|$)"),
    lazy(r"^[ \t]*" + _N + r" {2,}" + _V + r"\s*$"),
    lazy(r"^[ \t]*\"" + _N + r"(?::amd64)?\": \"" + _V + r"\",?\s*$"),
)
_NARROW = lazy(r":i386\b|\.i[3-6]86\b|(?:^|[\s/])lib32-|-32bit\b")
MARKS = ("[ALPM]", "ii  ", " upgrade ", "Upgrade: ", "|install|", "Upgrade", ".x86_64", ".noarch", "linux-firmware", "mesa-vulkan", "vulkan-radeon",
         "rocm-core", "amdgpu-dkms", "[installed", "Replaced", "\tinstall ok installed", "rocminfo\t", "amd-smi-lib\t")
_RELEASE = lazy(r"(?:\d{1,2}:)?(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?)")
_MESA = ("mesa-vulkan-drivers", "vulkan-radeon", "libvulkan_radeon", "mesa-vulkan-radeon", "mesa", "Mesa", "mesa-libgallium")
_FIRMWARE = ("linux-firmware-amdgpu", "amd-gpu-firmware", "kernel-firmware-amdgpu", "firmware-amd-graphics", "linux-firmware", "pve-firmware",
             "firmware-amdgpu")
_BUILT_FOR = lazy(r"\d+\.\d+\.\d+\.(\d)(\d\d)(\d\d)[-~]")  # 1.0.0.70201-81~24.04: of ROCm 7.2.1
_ROCM = ("rocm-core", "rocm", "rocm-hip-runtime", "rocm-runtime", "rocm-hip-sdk")


def recognises(text: str) -> bool:
    """A list or a history that names a package of the GPU stack.

    >>> recognises("ii  rocm-core  7.0.0.70000-38  amd64  x"), recognises("upgrade mesa please")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and next(read(text), None) is not None


def _changes(line: str, before: list[str]) -> Iterator[tuple[str, str, str]]:
    """Name, old and new version of what a history line changed; ``before`` keeps dnf's name until the old version comes."""
    if _APT.match(line[:40]):
        for name, old, new in _APT_ONE.findall(line):
            yield (name, old, new) if new else (name, "", old)
        return
    dnf = _DNF.match(line[:200])
    if dnf:
        if dnf[1] == "Replaced" and before and before[0] == dnf[2]:
            yield dnf[2], dnf[3], before[1]
        elif dnf[1] in ("Upgraded", "Downgraded") and before and before[0] == dnf[2] and before[1] != dnf[3]:
            yield dnf[2], dnf[3], before[1]
        else:
            yield dnf[2], "", dnf[3]
        before[:] = [dnf[2], dnf[3]]
        return
    for history, (name, old, new) in _HISTORY:
        found = history.search(line[:300])
        if found:
            yield found[name], found[old] if old else "", found[new]
            return


def read(text: str) -> Iterator[Reading]:
    """What is installed (the last word of a history counts) and what changed."""
    installed: dict[str, tuple[str, int]] = {}
    changed: dict[str, list[str]] = {}
    bits: tuple[dict[str, int], dict[str, int]] = ({}, {})  # of a list: packages of 64 bits, of 32 bits
    first = 0
    before: list[str] = []
    for number, line in lines(text):
        if len(line) < 8 or not ("-" in line or "." in line):
            continue
        hits = list(_changes(line, before))
        for name, old, new in hits:
            if _GPU.match(name):
                installed[name] = (new, number)
                if old:
                    first = first or number
                    changed.pop(name, None)
                    changed[name] = [old, new]
        for listed in () if hits else _LIST:
            found = listed.match(line[:300])
            if found:
                if _GPU.match(found[1]):
                    installed.setdefault(found[1], (found[2], number))
                    bits[bool(_NARROW.search(line[:120]))].setdefault(found[1].removeprefix("lib32-"), number)
                break
    if changed:
        yield Reading("packages.changed", changed, "", first)
    if not installed:
        return
    yield Reading("packages.installed", {name: version for name, (version, _) in installed.items()}, "", min(n for _, n in installed.values()))
    if any(name in bits[0] for name in _MESA):  # beside its own driver a list shows those of 32 bits, too
        yield Reading("packages.bits32", list(bits[1]), "", min(bits[0].values()))
    for names, fact, bare in ((_FIRMWARE, "firmware.package_version", False), (_MESA, "vulkan.mesa_version", True),
                              (_ROCM, "runtime.rocm_version", True)):
        version, number = next((installed[name] for name in names if name in installed), ("", 0))
        release = _RELEASE.match(version)
        if version and not bare:
            yield Reading(fact, version, "", number)
        elif release:
            yield Reading(fact, release[1], "", number)
    if not any(name in installed for name in _ROCM):
        for version, number in installed.values():
            built = _BUILT_FOR.match(version)
            if built:
                yield Reading("runtime.rocm_version", ".".join(str(int(part)) for part in built.groups()), "", number)
                break
