"""Windows: dxdiag, ``Win32_VideoController``, and systeminfo lines.

>>> sample = '''Operating System: Windows 11 Home 64-bit (10.0, Build 26220) (26100.ge_release)
... Display Devices
...            Card name: AMD Radeon Graphics
...           Device Key: Enum\\\\PCI\\\\VEN_1002&DEV_15BF&SUBSYS_381217AA&REV_04
...     Dedicated Memory: 3072 MB
...       Driver Version: 32.0.21020.1007
... Sound Devices
...       Driver Version: 10.0.26100.1
... '''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.item, reading.value)
1 os.family  windows
1 os.name  Windows 11 Home 64-bit
1 os.version  10.0.26220
3 gpu.name dx:0 AMD Radeon Graphics
4 gpu.pci_id dx:0 1002:15bf
4 gpu.subsystem_id dx:0 17aa:3812
4 gpu.revision dx:0 04
3 gpu.gfx_reported dx:0 gfx1103
5 gpu.vram_bytes dx:0 3221225472
5 windows.dedicated_bytes  3221225472
6 windows.driver_version  32.0.21020.1007
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines, unquoted

TRUST = 2
KINDS = kinds.QUOTED  # people quote its words in their sentences

_PAIR = lazy(r"^[ \t]*([A-Za-z][\w /'-]{1,40}?)\s*[:=]\s*(\S.{0,600})?$")
_TABBED = lazy(r"^([A-Z][\w /-]{1,40})\t(\S[^\t]{0,600})?")  # msinfo32
_KEY = lazy(r"VEN_([0-9A-Fa-f]{4})&DEV_([0-9A-Fa-f]{4})(?:&SUBSYS_([0-9A-Fa-f]{4})([0-9A-Fa-f]{4}))?(?:&REV_([0-9A-Fa-f]{2}))?")
_NO_CARD = lazy(r"(?:Enum\\)?(?:ROOT|SWD|USB)\\", re.IGNORECASE)  # a virtual or USB monitor shows the ids and the memory of the card that draws for it
_SYSTEM = lazy(r"(Windows (?:1[01]|Server \d{4}|8\.1|8|7|Vista)\b[?™®]?[\w .-]{0,40}?)\s*(?:\((10\.0|6\.[0-3]),? Build (\d{4,6})\)|$)")
_OURS = lazy(r"AMD|Radeon")
_OTHERS = lazy(r"NVIDIA|GeForce|Intel|Quadro")
_BIOS = lazy(r"^BIOS Date: .{1,40} Ver: (\S.{0,40}?)(?: \(|$)")
_UNFILLED = lazy(r"To Be Filled By|System Product Name|Default string", re.IGNORECASE)
_MEGABYTES = lazy(r"(\d{1,8})\s*MB", re.IGNORECASE)
# Headings of dxdiag and of msinfo32: only devices below the first kind of them are GPUs.
_DISPLAYS = frozenset({"Display Devices", "[Display]"})
_HEADING = lazy(r"^(?:[A-Z][A-Za-z0-9&/ -]{3,60}|\[[^\]]{1,60}\])$")
_RULED = lazy(r"^-{3,100}$")
_ENDS = ("Sound Devices", "Sound Capture Devices", "Video Capture Devices", "DirectInput Devices", "System Devices", "USB Devices")  # without a rule below
_MARK = lazy(r"^[>| \t]*(?:Card name|DxDiag Version|Chip type|Time of this report) {0,40}:|^OS Name:?[ \t]{1,40}Microsoft Windows"
             r"|^Source: {1,20}Microsoft-Windows-|Problem Event Name:\s{1,9}LiveKernelEvent"
             r"|Win32_VideoController|AdapterRAM|VideoProcessor|PNPDeviceID {0,40}[:=]|"
                   r"^[>| \t]*DriverVersion {0,40}[:=] {0,9}\d+\.\d+\.\d+\.\d+", re.MULTILINE)
_WANTED = {
    "card name": "name", "name": "name", "caption": "name", "description": "name", "device key": "key", "pnpdeviceid": "key", "pnp device id": "key",
    "dedicated memory": "dedicated", "shared memory": "shared", "driver version": "driver", "driverversion": "driver",
    "hybrid graphics gpu": "hybrid", "vendor id": "vendor", "device id": "device",
}
_OF_CLASS = {"name": "name", "caption": "name", "description": "name", "devicename": "name", "pnpdeviceid": "key", "deviceid": "key", "driverversion": "driver"}
_Block = dict[str, tuple[str, int]]


def recognises(text: str) -> bool:
    """dxdiag labels or names of the WMI class.

    >>> recognises("   Card name: AMD Radeon"), recognises("Name : x\\nDriverVersion : 32.0.1.2"), recognises("driver version?")
    (True, True, False)
    """
    return later.search(_MARK, text) is not None


def _blocks(text: str) -> tuple[list[tuple[int, str]], list[_Block]]:
    """Lines of the system part, and one block for each display device."""
    system: list[tuple[int, str]] = []
    blocks: list[_Block] = []
    elsewhere = False  # below a heading of other devices
    heading = ""
    msinfo = "[System Summary]" in text
    for number, raw in lines(text):
        line = unquoted(raw)[:800]
        bare = line.strip()
        section = msinfo and bare[:1] == "[" and _HEADING.match(bare)
        if heading and _RULED.match(bare) or section or bare in _DISPLAYS or bare.startswith(_ENDS):
            elsewhere = (bare if not _RULED.match(bare) else heading) not in _DISPLAYS
            blocks.append({})
        heading = bare if _HEADING.match(bare) else ""
        pair = _PAIR.match(line) or _TABBED.match(line)
        if not pair:
            wmi = re.match(r"^(.{3,100}?)\s{2,}(\d+\.\d+\.\d+\.\d+)\s*$", line)
            if wmi and _OURS.search(wmi[1]):
                blocks.append({"name": (re.sub(r"^\d+\s+", "", wmi[1].strip()), number), "driver": (wmi[2], number)})
            continue
        label, value = pair[1].lower(), (pair[2] or "").strip()
        if label in ("operating system", "os name", "processor", "bios", "system manufacturer", "system model", "memory", "os version",
                     "version", "bios version/date", "bios version", "total physical memory", "source", "problem event name"):
            system.append((number, f"{label}: {value}"))
        key = _WANTED.get(label)
        if not key or not value or elsewhere:
            continue
        if key == "name" and (not blocks or "name" in blocks[-1]):
            if label == "card name" or not blocks or re.search(r"AMD|Radeon|NVIDIA|Intel", value):
                if not (blocks and blocks[-1].get("name", ("", 0))[0] == value):
                    blocks.append({})
        elif not blocks:
            blocks.append({})
        blocks[-1].setdefault(key, (value, number))
    return system, blocks


def _machine(system: list[tuple[int, str]]) -> Iterator[Reading]:
    maker = ""
    for number, line in system:
        label, _, value = line.partition(": ")
        windows = _SYSTEM.search(value)
        if label in ("operating system", "os name") and not windows and "Windows" in value:
            yield Reading("os.family", "windows", line=number)
        if label in ("operating system", "os name") and windows:
            yield Reading("os.family", "windows", line=number)
            yield Reading("os.name", re.sub("[?™®]", "", windows[1]).strip(), line=number)
            if windows[3]:
                yield Reading("os.version", f"{windows[2]}.{windows[3]}", line=number)
        elif label in ("os version", "version") and value.startswith("10.0."):
            yield Reading("os.version", ".".join(value.split(" ")[0].split(".")[:3]), line=number)
        elif label == "processor":
            yield Reading("machine.cpu", re.split(r"\s{2,}|\s+\(\d+ CPUs\)|, \d+ Mhz", value)[0], line=number)
        elif label == "bios" and value:
            said = _BIOS.search(value)
            yield Reading("machine.bios_version", said[1] if said else value.split(" (")[0], line=number)
        elif label == "bios version/date" and value.count(", "):
            yield Reading("machine.bios_version", value.rsplit(", ", 1)[0], line=number)
        elif label in ("source", "problem event name") and value.startswith(("Microsoft-Windows-", "LiveKernelEvent")):
            yield Reading("os.family", "windows", line=number)
        elif label == "bios version" and ", " in value:
            yield Reading("machine.bios_version", value.rsplit(", ", 1)[0], line=number)
        elif label == "total physical memory" and _MEGABYTES.match(value.replace(",", "").replace(".", "")):
            yield Reading("memory.ram_bytes", int(value.replace(",", "").replace(".", "").split()[0]) << 20, line=number)
        elif label == "system manufacturer":
            maker = value
        elif label == "system model" and not _UNFILLED.search(f"{maker} {value}"):
            yield Reading("machine.product", f"{maker} {value}".strip(), line=number)
        elif label == "memory":
            size = _MEGABYTES.search(value)
            if size:
                yield Reading("memory.installed_bytes", int(size[1]) << 20, line=number)


def _foreign(block: _Block) -> bool:
    """Whether the device is of another maker."""
    place = block.get("key", ("", 0))[0]
    key = _KEY.search(place)
    if key or _NO_CARD.match(place):
        return key is None or key[1] != "1002"
    return block.get("vendor", ("0x1002", 0))[0].lower() != "0x1002" or "vendor" not in block and not _OURS.search(block.get("name", ("", 0))[0])


def _gpu(block: _Block, index: int) -> Iterator[Reading]:
    name, line = block.get("name", ("", 0))
    key_line = block.get("key", ("", 0))[1]
    found = _KEY.search(block.get("key", ("", 0))[0])
    if not found and block.get("vendor", ("", 0))[0].lower() == "0x1002":
        key_line = block.get("device", ("", 0))[1]
        found = _KEY.search(f"VEN_1002&DEV_{block.get('device', ('', 0))[0][2:6]}")
    if _foreign(block):
        return
    item = f"dx:{index}"
    if name:
        yield Reading("gpu.name", name, item, line)
    pci_id = ""
    if found:
        pci_id = f"1002:{found[2].lower()}"
        yield Reading("gpu.pci_id", pci_id, item, key_line)
        if found[3]:
            yield Reading("gpu.subsystem_id", f"{found[4]}:{found[3]}".lower(), item, key_line)
        if found[5]:
            yield Reading("gpu.revision", found[5].lower(), item, key_line)
    gfx = products.gfx_of_pci_id(pci_id) if pci_id else products.gfx_of_name(name)
    if gfx:
        yield Reading("gpu.gfx_reported", gfx, item, line or key_line)
    for label, names in (("dedicated", ("gpu.vram_bytes", "windows.dedicated_bytes")), ("shared", ("windows.shared_bytes",))):
        size = _MEGABYTES.search(block.get(label, ("", 0))[0])
        for fact in names if size else ():
            if size:
                yield Reading(fact, int(size[1]) << 20, item if fact.startswith("gpu") else "", block[label][1])
    hybrid, hybrid_line = block.get("hybrid", ("", 0))
    if hybrid in ("Integrated", "Discrete"):
        yield Reading("gpu.is_apu", hybrid == "Integrated", item, hybrid_line)
    driver, driver_line = block.get("driver", ("", 0))
    version = re.fullmatch(r"(\d{1,3}(?:\.\d{1,6}){2,3})(?: \([A-Z][a-z]{2,20}\))?", driver)  # until Vista with the language of its file
    if version:
        yield Reading("windows.driver_version", version[1], line=driver_line)


def read(text: str) -> Iterator[Reading]:
    """System lines and the AMD display devices. AdapterRAM is never read: it saturates at 4 GiB."""
    system, blocks = _blocks(text)
    yield from _machine(system)
    yield from _devices(blocks)


def of_rows(rows: Iterable[tuple[dict[str, str], int]]) -> Iterator[Reading]:
    """The same of objects that PowerShell wrote as CSV or JSON, each with the line it begins in."""
    blocks: list[_Block] = []
    for row, line in rows:
        plain = {key.lower(): value for key, value in row.items()}
        system = plain.get("caption", ""), plain.get("version", ""), plain.get("pnpdeviceid", "")
        if "Windows" in system[0] and not system[2]:
            yield from _machine([(line, f"os name: {system[0]}"), (line, f"os version: {system[1]}")])
        block = {key: (plain[label], line) for label, key in reversed(_OF_CLASS.items()) if plain.get(label)}
        if "key" in block or "driver" in block and "name" in block and (_OURS.search(block["name"][0]) or _OTHERS.search(block["name"][0])):
            blocks.append(block)
    yield from _devices(blocks)


def _devices(blocks: list[_Block]) -> Iterator[Reading]:
    kept = [block for block in blocks if block][:64]
    for index, block in enumerate(kept):
        yield from _gpu(block, index)
    others = dict(block["name"] for block in reversed(kept) if "name" in block and _foreign(block) and _OTHERS.search(block["name"][0]))
    if others:
        yield Reading("pci.other_gpus", list(reversed(others)), line=min(others.values()))
