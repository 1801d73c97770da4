"""Log of the X server: display devices of the bus, the driver that took them, kernel and command line.

>>> sample = '''[    26.100] Current Operating System: Linux box 5.4.0-42-generic #46-Ubuntu SMP x86_64
... [    26.144] (--) PCI:*(10@0:0:0) 1002:67df:1043:0519 rev 231, Mem @ 0xe0000000/268435456, BIOS @ 0x????????/131072
... [    26.900] (--) AMDGPU(0): Chipset: "AMD Radeon (TM) RX 480 Graphics" (ChipID = 0x67df)
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.value)
1 kernel.release 5.4.0-42-generic
1 os.family linux
1 os.distribution ubuntu
2 gpu.pci_address 0000:0a:00.0
2 gpu.pci_id 1002:67df
2 gpu.subsystem_id 1043:0519
2 gpu.revision e7
3 gpu.name AMD Radeon (TM) RX 480 Graphics
3 gpu.driver amdgpu
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import distribution_of_build, lazy, lines

TRUST = 2
KINDS = frozenset({"xorg_log", "system_log", "output"})

MARKS = ("(--) PCI:", "X.Org X Server", "(II) AMDGPU(", "(II) RADEON(", "Current Operating System: ")
_SYSTEM = lazy(r"Current Operating System: Linux \S{1,64} ([2-7]\.\d{1,3}[\w.+~-]{0,60})")
_COMMAND = lazy(r"Kernel command line: (\S.{0,2000})$")
_DEVICE = lazy(r"PCI:\s?\*?\((?:(\d{1,3})@)?(\d{1,5}):(\d{1,2}):(\d)(?::(\d))?\) ([0-9a-f]{4}):([0-9a-f]{4}):([0-9a-f]{4}):([0-9a-f]{4}) rev (\d{1,3})")
_CHIPSET = lazy(r"(AMDGPU|RADEON)\((\d{1,2}|G\d{1,2})\): Chipset: \"([^\"]{3,120})\" \(ChipID = 0x([0-9a-f]{4})\)")
_DRIVER = {"AMDGPU": "amdgpu", "RADEON": "radeon"}
_OTHERS = {"10de": "NVIDIA", "8086": "Intel"}


def recognises(text: str) -> bool:
    """Lines that only the X server writes."""
    return any(mark in text for mark in MARKS)


def _place(bus: str | None, first: str, second: str, third: str, fourth: str | None) -> str:
    """PCI:*(10@0:0:0) is bus@domain:device:function, PCI:*(0:1:0:0) domain:bus:device:function; decimal."""
    domain, number, device, function = (first, bus, second, third) if bus else (first, second, third, fourth or "0")
    return f"{int(domain):04x}:{int(number):02x}:{int(device):02x}.{int(function)}"


def read(text: str) -> Iterator[Reading]:
    """AMD display devices; a driver's chipset belongs to the device of its id."""
    places: dict[str, str] = {}
    others: dict[str, int] = {}
    for number, line in lines(text):
        system = _SYSTEM.search(line[:300]) if "Operating System" in line else None
        if system:
            yield Reading("kernel.release", system[1], line=number)
            yield Reading("os.family", "linux", line=number)
            built_for = distribution_of_build(line)
            if built_for:
                yield Reading("os.distribution", built_for, line=number)
        command = _COMMAND.search(line[:2100]) if "ommand line" in line else None
        if command:
            yield Reading("kernel.cmdline", command[1], line=number)
        device = _DEVICE.search(line[:300]) if "PCI:" in line else None
        if device and device[6] == "1002":
            place = _place(*device.groups()[:5])
            places.setdefault(device[7], place)
            yield Reading("gpu.pci_address", place, place, number)
            yield Reading("gpu.pci_id", f"1002:{device[7]}", place, number)
            yield Reading("gpu.subsystem_id", f"{device[8]}:{device[9]}", place, number)
            yield Reading("gpu.revision", f"{int(device[10]):02x}", place, number)
        elif device and device[6] in _OTHERS:
            others.setdefault(f"{_OTHERS[device[6]]} [{device[6]}:{device[7]}]", number)
        chipset = _CHIPSET.search(line[:300]) if "Chipset" in line else None
        if chipset:
            place = places.get(chipset[4], f"xorg:{chipset[4]}")
            if place.startswith("xorg"):
                yield Reading("gpu.pci_id", f"1002:{chipset[4]}", place, number)
            yield Reading("gpu.name", chipset[3], place, number)
            yield Reading("gpu.driver", _DRIVER[chipset[1]], place, number)
    if others:
        yield Reading("pci.other_gpus", list(others), line=min(others.values()))
