"""``udevadm info``: the properties of a device (``E: PCI_ID=...``) and the walk along its parents (``ATTRS{vendor}=="0x1002"``).

>>> sample = '''P: /devices/pci0000:00/0000:00:01.1/0000:03:00.0
... E: DRIVER=amdgpu
... E: PCI_CLASS=30000
... E: PCI_ID=1002:744C
... E: PCI_SUBSYS_ID=1DA2:471E
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.item, r.value)
1 gpu.pci_address 0000:03:00.0 0000:03:00.0
4 gpu.pci_id 0000:03:00.0 1002:744c
5 gpu.subsystem_id 0000:03:00.0 1da2:471e
2 gpu.driver 0000:03:00.0 amdgpu
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import integer, lazy, lines, unquoted

TRUST = 3
KINDS = frozenset({"sysfs", "shell", "output", "hardware_list"})  # hwinfo shows udev's database, indented

_MARK = lazy(r"^[ \t>|]*(?:E: [A-Z_]{3,40}=|looking at (?:parent )?device '/devices/)", re.MULTILINE)
_DEVICE = lazy(r"^(?: {0,4}P: |\s*looking at (?:parent )?device ')/devices/(\S{0,300})$")
_ADDRESS = lazy(r"/([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])'?:?$")
_PROPERTY = lazy(r"^ {0,4}E: (DRIVER|PCI_CLASS|PCI_ID|PCI_SUBSYS_ID)=(\S{1,80})$")
_ATTRIBUTE = lazy(r"^\s*(?:ATTRS?\{)?(DRIVERS?|vendor|device|class|subsystem_vendor|subsystem_device|revision|mem_info_vram_total|vbios_version)\}?"
                  r"==\"([^\"]{0,80})\"$")
_DISPLAY = later.pattern(r"(?:0x)?0?(?:3[0-9a-f]{4}|12[0-9a-f]{4})$")
_AMD = "1002"

_Found = dict[str, tuple[str, int]]


def recognises(text: str) -> bool:
    """Its properties, or the line that begins a device of the walk."""
    return ("E: " in text or "looking at " in text) and _MARK.search(text) is not None


def read(text: str) -> Iterator[Reading]:
    """The AMD display devices on the way; a device without a driver says so."""
    found: _Found = {}
    for number, raw in lines(text):
        line = unquoted(raw)
        device = _DEVICE.match(line) if "/devices/" in line[:60] else None
        if device:
            yield from _gpu(found)
            place = _ADDRESS.search("/" + device[1])
            found = {"address": (place[1], number)} if place else {}
            continue
        told = _PROPERTY.match(line) or _ATTRIBUTE.match(line)
        if told and found:
            found.setdefault(told[1].lower().removesuffix("s") if told[1].isupper() else told[1], (told[2], number))
    yield from _gpu(found)


def _gpu(found: _Found) -> Iterator[Reading]:
    def value(*names: str) -> tuple[str, int]:
        return next((found[name] for name in names if name in found), ("", 0))

    def pair(joined: str, vendor: str, device: str) -> tuple[str, int]:
        if joined in found:
            return found[joined][0].lower(), found[joined][1]
        return f"{value(vendor)[0].removeprefix('0x')}:{value(device)[0].removeprefix('0x')}", value(device)[1]

    ident, line = pair("pci_id", "vendor", "device")
    if "address" not in found or not ident.startswith(_AMD) or len(ident) != 9 or not _DISPLAY.match(value("pci_clas", "class")[0].lower()):
        return
    item, begun = found["address"]
    yield Reading("gpu.pci_address", item, item, begun)
    yield Reading("gpu.pci_id", ident, item, line)
    subsystem, at = pair("pci_subsys_id", "subsystem_vendor", "subsystem_device")
    if len(subsystem) == 9:
        yield Reading("gpu.subsystem_id", subsystem, item, at)
    driver, at = value("driver")
    if "driver" in found:
        yield Reading("gpu.driver", driver or None, item, at)
    revision, at = value("revision")
    if revision:
        yield Reading("gpu.revision", revision.removeprefix("0x"), item, at)
    vram, at = value("mem_info_vram_total")
    if integer(vram):
        yield Reading("gpu.vram_bytes", integer(vram), item, at)
    vbios, at = value("vbios_version")
    if vbios:
        yield Reading("gpu.vbios", vbios, item, at)
