"""dmesg, journalctl -k and kernel oopses, from any mix of lines.

>>> for r in read("[    0.000000] Linux version 6.14.0-1014-oem (buildd@host) (gcc)\\n"
...     "[    3.6] [drm] amdgpu version: 6.14.14\\n"
...     "[    3.6] amdgpu 0000:c6:00.0: amdgpu: VRAM: 1024M 0x0000008000000000 - 0x000000803FFFFFFF (1024M used)\\n"):
...     print(r.name, r.value, r.item, r.line)
kernel.release 6.14.0-1014-oem  1
os.family linux  1
amdgpu.version 6.14.14  2
amdgpu.dkms True  2
gpu.pci_address 0000:c6:00.0 0000:c6:00.0 3
gpu.driver amdgpu 0000:c6:00.0 3
gpu.vram_bytes 1073741824 0000:c6:00.0 3
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import distribution_of_build, integer, lazy, lines, pci_address

TRUST = 3
KINDS = kinds.OF_MACHINES - {"prose", "system_log", "xorg_log"}

MARKS = ("[drm", "amdgpu ", "amdgpu:", "ttm: unknown parameter", "Linux version ", "ommand line: ", "BOOT_IMAGE=", " Comm: ", "kfd kfd", "] type 0",
         "vfio", "radeon ", "audit(", "AVC apparmor=", "pci 0000:", "Kernel command line", "ROCk module", "Tainted: ", "Not tainted ",
         "The FreeBSD Project", "drmn0: ", ": Manufacturer: Linux ")
_LINUX = ("amdgpu 0000:", "audit: type=", "type=AVC msg=audit(", "AVC apparmor=", "kfd kfd: ", "pci 0000:", "pcieport 0000:")
_RELEASE = lazy(r"Linux version ([0-9]+\.[0-9][^\s(,;]{0,80})")
_IMAGE = lazy(r"BOOT_IMAGE=\S{0,200}?(?:vmlinuz|bzImage|kernel)-([0-9]+\.[0-9]\S{0,80})")
_TAINT = lazy(r"(?:Not tainted|Tainted: [A-Z ()\[\]=_,]{1,120}?) ([0-9]+\.[0-9]+[\w.+~-]{0,80})")
_ROOT_HUB = lazy(r"usb usb\d{1,2}: Manufacturer: Linux ([0-9]+\.[0-9]\S{0,80}) \w+[-_]hcd")
_VRAM = lazy(r"VRAM: ([0-9]{1,9})M ")
_READY = lazy(r"([0-9]{1,9})M of (VRAM|GTT) memory ready")
_SET_UP = lazy(r"0x1002:0x([0-9A-Fa-f]{4})(?: 0x([0-9A-Fa-f]{4}):0x([0-9A-Fa-f]{4}))?(?: 0x([0-9A-Fa-f]{2})\b)?")
_PCI_DEVICE = lazy(r"\[([0-9a-fA-F]{4}):([0-9a-fA-F]{4})\] type [0-9]+ class 0x(?:03|1200)")
_HELD = lazy(r"\b(radeon|vfio-pci) ([0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]): ")
_GIVEN_AWAY = lazy(r"vfio_pci: add \[1002:([0-9a-fA-F]{4})\[")
_ADDED = lazy(r"(added|skipped) device 1002:([0-9a-fA-F]{4})")
_BOUND = lazy(r"amdgpu ([0-9a-fA-F]{4}:)?([0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]):")
_CUS = lazy(r"active_cu_number ([0-9]{1,4})")
_UNKNOWN = lazy(r"(amdgpu|ttm|amdttm): unknown parameter '([^']{1,80})' ignored")
_FREEBSD = lazy(r"FreeBSD (\d{1,2}\.\d{1,2}-[A-Z]\S{1,20})")
_DKMS = lazy(r"amdgpu version: ([0-9]+\.[0-9]+\.[0-9][\w.-]{0,40})")
_DMI = lazy(r"DMI: (.{1,200}), BIOS (\S{1,60}) ([0-9/]{8,10})")


def recognises(text: str) -> bool:
    """Whether any line looks like one of the kernel."""
    return any(mark in text for mark in MARKS)


def _machine(number: int, line: str) -> Iterator[Reading]:
    for mark, pattern in (("Linux version ", _RELEASE), ("BOOT_IMAGE=", _IMAGE), ("ainted", _TAINT), ("hcd", _ROOT_HUB)):
        if mark in line:
            found = pattern.search(line)
            if found:
                yield Reading("kernel.release", found.group(1), "", number)
                yield Reading("os.family", "wsl" if "microsoft" in found.group(1).lower() else "linux", "", number)
                built_for = distribution_of_build(line[found.start():])
                if built_for:
                    yield Reading("os.distribution", built_for, "", number)
                break
    if "ommand line: " in line:
        yield Reading("kernel.cmdline", line.split("ommand line: ", 1)[1].strip(), "", number)
    if line.startswith(("drmn0: ", "drmn1: ")):
        yield Reading("os.family", "freebsd", "", number)
    if line.startswith("FreeBSD "):
        found = _FREEBSD.match(line)
        if found:
            yield Reading("os.family", "freebsd", "", number)
            yield Reading("os.name", f"FreeBSD {found.group(1)}", "", number)
            yield Reading("os.version", found.group(1).partition("-")[0], "", number)
    if "amdgpu version: " in line and "ROCm" not in line:
        found = _DKMS.search(line)
        if found:
            yield Reading("amdgpu.version", found.group(1), "", number)
            yield Reading("amdgpu.dkms", True, "", number)
    if "DMI: " in line:
        found = _DMI.search(line)
        if found:
            yield Reading("machine.product", found.group(1), "", number)
            yield Reading("machine.bios_version", found.group(2), "", number)
            yield Reading("machine.bios_date", found.group(3), "", number)
    lower = line.lower() if "ecure" in line else ""
    if "secure boot enabled" in lower or "secureboot: enabled" in lower:
        yield Reading("machine.secure_boot", True, "", number)
    elif "secure boot disabled" in lower:
        yield Reading("machine.secure_boot", False, "", number)
    if "Hypervisor detected: " in line:
        yield Reading("machine.virtual", line.split("Hypervisor detected: ", 1)[1].strip().lower(), "", number)
    if "iommu: Default domain type: " in line:
        kind = line.split("domain type: ", 1)[1].strip().lower()
        yield Reading("machine.iommu", "passthrough" if kind.startswith("passthrough") else "on", "", number)


def _gpu(number: int, line: str, item: str) -> Iterator[Reading]:
    found = _VRAM.search(line) if "VRAM: " in line else None
    ready = _READY.search(line) if "memory ready" in line else None
    if found:
        yield Reading("gpu.vram_bytes", (integer(found.group(1)) or 0) << 20, item, number)
    elif ready:
        name = "gpu.vram_bytes" if ready.group(2) == "VRAM" else "gpu.gtt_bytes"
        yield Reading(name, (integer(ready.group(1)) or 0) << 20, item, number)
    if "ATOM BIOS: " in line:
        yield Reading("gpu.vbios", line.split("ATOM BIOS: ", 1)[1].strip(), item, number)
    if "active_cu_number" in line:
        found = _CUS.search(line)
        if found:
            yield Reading("gpu.cu_count", int(found.group(1)), item, number)


def _bus(displays: dict[str, tuple[str, int]]) -> Iterator[Reading]:
    """Devices of a display class as the bus was scanned; the first line of each."""
    ours = {place: found for place, found in displays.items() if found[0].startswith("1002:")}
    for place, (device, number) in ours.items():
        yield Reading("gpu.pci_address", place, place, number)
        yield Reading("gpu.pci_id", device, place, number)
    if displays:
        yield Reading("pci.amd_gpu_count", len(ours), "", min(number for _, number in displays.values()))
    others = [(device, number) for device, number in displays.values() if device.startswith(("10de:", "8086:"))]
    if others:
        yield Reading("pci.other_gpus", [f"{'NVIDIA' if device[:4] == '10de' else 'Intel'} [{device}]" for device, _ in others], "", others[0][1])


def _held(held: dict[str, tuple[str, int]], given: list[tuple[str, int]], displays: dict[str, tuple[str, int]]) -> Iterator[Reading]:
    """GPUs that another driver than amdgpu holds, and which of them vfio-pci was given by its id; vfio-pci holds cards of any maker."""
    held = {place: found for place, found in held.items()
            if found[0] == "radeon" or (displays[place][0].startswith("1002:") if place in displays else bool(given))}
    for place, (driver, number) in held.items():
        yield Reading("gpu.pci_address", place, place, number)
        yield Reading("gpu.driver", driver, place, number)
    away = [place for place, (driver, _) in held.items() if driver == "vfio-pci"]
    if len(set(device for device, _ in given)) == 1:
        device, number = given[0]
        for place in away or ["kernel:" + device]:
            yield Reading("gpu.pci_id", device, place, number)
            yield Reading("gpu.driver", "vfio-pci", place, number)


def _set_up(found: re.Match[str], number: int) -> list[tuple[str, Any, int]]:
    """The ids of a GPU that is being set up."""
    facts: list[tuple[str, Any, int]] = [("gpu.pci_id", "1002:" + found.group(1).lower(), number)]
    if found.group(2):
        facts.append(("gpu.subsystem_id", f"{found.group(2)}:{found.group(3)}".lower(), number))
    if found.group(4):
        facts.append(("gpu.revision", found.group(4).lower(), number))
    return facts


def _elsewhere(line: str, number: int, displays: dict[str, tuple[str, int]], held: dict[str, tuple[str, int]], given: list[tuple[str, int]]) -> None:
    """Note what stands on the bus, what another driver holds, and what is given to virtual machines."""
    if "] type " in line:
        found = _PCI_DEVICE.search(line)
        if found and pci_address(line):
            displays.setdefault(pci_address(line), (f"{found.group(1)}:{found.group(2)}".lower(), number))
    if "radeon " in line or "vfio" in line:
        found = _HELD.search(line)
        if found and (found.group(1) == "radeon" or "vgaarb" in line):
            held.setdefault(found.group(2).lower(), (found.group(1), number))
        found = _GIVEN_AWAY.search(line)
        if found and products.gfx_of_pci_id(found.group(1)):
            given.append(("1002:" + found.group(1).lower(), number))


def read(text: str) -> Iterator[Reading]:
    """Facts of the machine as they stand; facts of a GPU under the last PCI address seen."""
    item = ""
    linux = 0  # the first line that only a Linux kernel writes
    seen: set[str] = set()
    unknown: list[str] = []
    unknown_line = 0
    pending: list[tuple[str, Any, int]] = []
    displays: dict[str, tuple[str, int]] = {}
    held: dict[str, tuple[str, int]] = {}
    given: list[tuple[str, int]] = []
    for number, line in lines(text):
        if not linux and (line.startswith(_LINUX) or "] " in line[:30] and line.partition("] ")[2].startswith(_LINUX)):
            linux = number
        _elsewhere(line, number, displays, held, given)
        if "amdgpu" not in line and "drm" not in line and "1002:" not in line and "unknown parameter" not in line:
            yield from _machine(number, line)
            if "VRAM: " in line and held and "radeon" in line:
                yield from _gpu(number, line, next(reversed(held)))
            continue
        yield from _machine(number, line)
        found = _BOUND.search(line) if "amdgpu " in line else None
        if found:
            item = (found.group(1) or "0000:").lower() + found.group(2).lower()
            if item not in seen:
                seen.add(item)
                yield Reading("gpu.pci_address", item, item, number)
                yield Reading("gpu.driver", "amdgpu", item, number)
            for name, value, at in pending:
                yield Reading(name, value, item, at)
            pending.clear()
        found = _SET_UP.search(line) if "0x1002:0x" in line else None
        if found:
            facts = _set_up(found, number)
            if not _BOUND.search(line):
                # Old kernels print this before the first line with the address of the same GPU.
                yield from (Reading(name, value, "kernel:1002", at) for name, value, at in pending)
                pending, facts = facts, []
            yield from (Reading(name, value, item, at) for name, value, at in facts)
        found = _ADDED.search(line) if " device 1002:" in line else None
        if found:
            device = "1002:" + found.group(2).lower()
            yield Reading("kfd.available", True, "", number)
            yield Reading("gpu.pci_id", device, item or "kernel:" + device, number)
        found = _UNKNOWN.search(line) if "unknown parameter" in line else None
        if found:
            unknown_line = unknown_line or number
            name = found.group(2) if found.group(1) == "amdgpu" else f"{found.group(1)}.{found.group(2)}"
            if name not in unknown:
                unknown.append(name)
        if item:
            yield from _gpu(number, line, item)
        else:
            pending += [(r.name, r.value, r.line) for r in _gpu(number, line, "")]
    yield from (Reading(name, value, item or "kernel:1002", at) for name, value, at in pending)
    if linux and "Linux version " not in text:
        yield Reading("os.family", "linux", "", linux)
    yield from _bus(displays)
    yield from _held(held, given, displays)
    if unknown:
        yield Reading("amdgpu.unknown_parameters", unknown, "", unknown_line)
