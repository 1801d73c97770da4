"""lshw and hwinfo: the display devices with their drivers, memory and machine.

>>> sample = '''           *-display UNCLAIMED
...                 description: VGA compatible controller
...                 product: Navi 22 [Radeon RX 6700/6700 XT/6750 XT / 6800M/6850M XT] [1002:73DF]
...                 vendor: Advanced Micro Devices, Inc. [AMD/ATI] [1002]
...                 bus info: pci@0000:05:00.0
...                 version: c1
...                 configuration: latency=0
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.value)
5 gpu.pci_address 0000:05:00.0
3 gpu.pci_id 1002:73df
3 gpu.name Navi 22 [Radeon RX 6700/6700 XT/6750 XT / 6800M/6850M XT]
3 gpu.gfx_reported gfx1031
6 gpu.revision c1
1 gpu.driver None
1 pci.amd_gpu_count 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts.lines import lazy, lines, unquoted

TRUST = 2

MARKS = ("*-display", "physical id:", "bus info: ", "Hardware Class: ", "SysFS ID: ", "vendor: Linux ", "manufacturer = \"Linux ", "graphics card:\n")
_NODE = lazy(r"^[ \t]*\*-([\w-]+(?::\d+)?)(?: +(UNCLAIMED|DISABLED))?\s*$")
_FIELD = lazy(r"^[ \t]*([^:*]{3,40}): (\S.{0,300})$")  # labels are translated; their order and the form of their values are not
_ORDER = ("description", "product", "vendor")
_ENTRY = lazy(r"^[ \t]*\d{1,3}: (?:PCI|None|USB|SCSI|IDE|BIOS) [0-9a-f.]{1,12}: (\d{4})\S* +(\S.{0,80})$")
_HWINFO = lazy(r"^[ \t]*(SysFS BusID|Hardware Class|Device Name|Model|Vendor|Device|SubVendor|SubDevice|Revision|Driver(?: Status| Modules)?): (\S.{0,200})$")
_ID = lazy(r"\b(?:pci )?0x([0-9a-f]{4})\b")
_IDS = lazy(r"\[(1002):([0-9A-Fa-f]{4})\]")
_DRIVER = lazy(r"\bdriver=(\S+)")
_BUS = lazy(r"pci@([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])")
_AMD = lazy(r"AMD|ATI\b|Advanced Micro")
_RELEASE = lazy(r"^[ \t]*(?:vendor: |manufacturer = \")Linux ([2-7]\.\d{1,3}\.\d{1,3}\S{0,60}) ")

_Fields = dict[str, tuple[str, int]]


def recognises(text: str) -> bool:
    """Marks of either tool; lshw -short and -businfo are tables of their own.

    >>> recognises("  *-display UNCLAIMED"), recognises("my display")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def _label(label: str, value: str, place: int) -> str:
    """What a field of lshw is, whatever the language of its label."""
    if value.startswith("pci@"):
        return "bus info"
    if _DRIVER.search(value) or value.startswith("latency="):
        return "configuration"
    if place < len(_ORDER):
        return _ORDER[place]
    return "version" if re.fullmatch(r"[0-9a-f]{2}", value.strip()) else label


def _lshw(fields: _Fields, item: str) -> Iterator[Reading]:
    product, at = fields.get("product", ("", 0))
    bus = _BUS.search(fields.get("bus info", ("", 0))[0])
    if bus:
        yield Reading("gpu.pci_address", bus[1], item, fields["bus info"][1])
    ids = _IDS.search(product)
    name = product[:ids.start()].strip() if ids else product
    if ids:
        yield Reading("gpu.pci_id", f"1002:{ids[2].lower()}", item, at)
    if name and not name.startswith(("Advanced Micro Devices", "Device")):
        yield Reading("gpu.name", name, item, at)
        gfx = products.gfx_of_pci_id(ids[2]) if ids else products.gfx_of_name(name)
        if gfx:
            yield Reading("gpu.gfx_reported", gfx, item, at)
    revision, line = fields.get("version", ("", 0))
    if len(revision) == 2:
        yield Reading("gpu.revision", revision, item, line)
    settings, line = fields.get("configuration", ("", 0))
    driver = _DRIVER.search(settings)
    if driver:
        yield Reading("gpu.driver", driver[1], item, line)
    elif "node" in fields and (settings or fields["node"][0] == "UNCLAIMED"):
        yield Reading("gpu.driver", None, item, fields["node"][1])


def _hwinfo(fields: _Fields, item: str) -> Iterator[Reading]:
    place, at = fields.get("SysFS BusID", ("", 0))
    if place:
        yield Reading("gpu.pci_address", place, item, at)
    device, at = fields.get("Device", ("", 0))
    number = _ID.search(device)
    if number:
        yield Reading("gpu.pci_id", f"1002:{number[1]}", item, at)
    quoted = device.split('"')[1] if device.count('"') == 2 else ""
    if quoted:
        yield Reading("gpu.name", quoted, item, at)
    revision, at = fields.get("Revision", ("", 0))
    if revision.startswith("0x"):
        yield Reading("gpu.revision", revision[2:4], item, at)
    driver, at = fields.get("Driver", ("", 0))
    if driver.count('"') == 2:
        yield Reading("gpu.driver", driver.split('"')[1], item, at)
    elif place:
        yield Reading("gpu.driver", None, item, fields["SysFS BusID"][1])


def _said(vendor: str, model: str) -> str:
    """The name of another vendor's GPU; hwinfo puts it in quotation marks, behind numbers.

    >>> _said('pci 0x10de "nVidia Corporation"', '"NVIDIA GeForce GTX 1650"'), _said("Intel Corporation", "UHD Graphics")
    ('NVIDIA GeForce GTX 1650', 'Intel Corporation UHD Graphics')
    """
    maker, name = (part.split('"')[1] if part.count('"') == 2 else part for part in (vendor, model))
    return (name if maker.split()[:1] and name.lower().startswith(maker.split()[0].lower()) else f"{maker} {name}")[:120]


def read(text: str) -> Iterator[Reading]:
    """One item per AMD display device; the names of others."""
    fields: _Fields = {}
    kind = ""
    others: dict[str, int] = {}
    places: dict[str, int] = {}

    def closed() -> Iterator[Reading]:
        vendor = fields.get("vendor", fields.get("Vendor", ("", 0)))
        model = fields.get("product", fields.get("Model", vendor))
        if not kind or not fields:
            return
        first = min(number for _, number in fields.values())
        if _AMD.search(vendor[0]) or _AMD.search(model[0]) or "0x1002" in vendor[0]:
            bus = _BUS.search(fields.get("bus info", ("", 0))[0])
            item = fields["SysFS BusID"][0] if "SysFS BusID" in fields else bus[1] if bus else f"{kind}:{first}"
            places.setdefault(item, first)
            yield from (_lshw if kind == "lshw" else _hwinfo)(fields, item)
        elif vendor[0]:
            others.setdefault(_said(vendor[0], fields.get("Device Name", model)[0]), first)

    short = False
    for number, raw in lines(text):
        line = unquoted(raw) if raw[:1] in (">", "|") else raw
        node = _NODE.match(line[:80]) if "*-" in line else None
        entry = None if node else _ENTRY.match(line[:140])
        if node or entry:
            yield from closed()
            fields, kind = {}, ""
            if node and node[1].split(":")[0] == "display":
                kind = "lshw"
                fields["node"] = (node[2] or "", number)
            elif entry and entry[1].startswith("03"):
                kind = "hwinfo"
            continue
        release = _RELEASE.match(line[:160]) if " Linux " in line[:80] or "\"Linux " in line[:80] else None
        if release:
            yield Reading("kernel.release", release[1], line=number)
            yield Reading("os.family", "linux", line=number)
        field = (_FIELD if kind == "lshw" else _HWINFO).match(line[:340]) if kind else None
        if field:
            label = field[1] if kind == "hwinfo" else _label(field[1], field[2], len(fields) - 1)
            fields.setdefault(label, (field[2].strip(), number))
        short = line.strip() == "graphics card:" or short and line[:1] in (" ", "\t") and bool(line.strip())
        if short and line[:1] in (" ", "\t"):
            if _AMD.search(line):
                item = f"hwinfo:{number}"
                places.setdefault(item, number)
                yield Reading("gpu.name", line.strip(), item, number)
                if products.gfx_of_name(line):
                    yield Reading("gpu.gfx_reported", products.gfx_of_name(line), item, number)
            else:
                others.setdefault(line.strip()[:120], number)
    yield from closed()
    if places:
        yield Reading("pci.amd_gpu_count", len(places), line=min(places.values()))
    if others:
        yield Reading("pci.other_gpus", list(others), line=min(others.values()))
