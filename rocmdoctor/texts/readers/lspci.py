"""lspci: plain, ``-nn``, ``-k``, ``-vv`` (link, BARs, atomics, driver in use).

>>> sample = '''03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [1002:744c] (rev c8)
... \\tSubsystem: Gigabyte Technology Co., Ltd Navi 31 [1458:240e]
... \\tRegion 0: Memory at 7800000000 (64-bit, prefetchable) [size=256M]
... \\t\\tLnkCap:\\tPort #0, Speed 16GT/s, Width x16, ASPM L1
... \\t\\tLnkSta:\\tSpeed 2.5GT/s (downgraded), Width x4 (downgraded)
... \\tKernel modules: amdgpu
... '''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.value)
1 gpu.pci_address 0000:03:00.0
1 gpu.name Navi 31
1 gpu.pci_id 1002:744c
1 gpu.revision c8
1 gpu.gfx_reported gfx1100
2 gpu.subsystem_id 1458:240e
4 gpu.link_max_speed_gts 16.0
4 gpu.link_max_width 16
5 gpu.link_speed_gts 2.5
5 gpu.link_width 4
6 gpu.driver None
3 gpu.bar_bytes 268435456
1 pci.amd_gpu_count 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts.lines import lazy, lines, size, unquoted

TRUST = 3

_DISPLAY = r"VGA compatible controller|XGA compatible controller|Display controller|3D controller|Processing accelerators"
_DEVICE = lazy(
    rf"^(?:([0-9a-f]{{4}}):)?([0-9a-f]{{2}}):([0-9a-f]{{2}})\.([0-7]) ({_DISPLAY})"
    r"(?: \[(03[0-9a-f]{2}|1200)\])?: (.{1,300})$")
_NUMERIC = lazy(r"^(?:([0-9a-f]{4}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7]) (?:Class )?()\[?(03[0-9a-f]{2}|1200)\]?: (.{9,100})$")
_QUOTED = lazy(
    rf"^(?:([0-9a-f]{{4}}):)?([0-9a-f]{{2}}):([0-9a-f]{{2}})\.([0-7]) \"({_DISPLAY})(?: \[(03[0-9a-f]{{2}}|1200)\])?\" (\".{{1,300}})$")
_QUOTED_FIELDS = lazy(r"^\"([^\"]{0,120})\" \"([^\"]{0,160})\"(?: -r([0-9a-f]{2}))?")
_ANY = lazy(r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ")
_BARE_IDS = lazy(r"^(1002:[0-9a-f]{4})(?: \(rev ([0-9a-f]{2})\))?")
_BLOCK = lazy(r"^(Slot|Class|Vendor|Device|SVendor|SDevice|Rev|Driver|Module):\s+(\S.{0,200})$")
_IN_BRACKETS = lazy(r"\[([0-9a-f]{4})\]$")
_IDS = lazy(r"\[([0-9a-f]{4}):([0-9a-f]{4})\](?: \(rev ([0-9a-f]{2})\))?", re.IGNORECASE)
_REVISION = lazy(r"\(rev ([0-9a-f]{2})\)")
_TAIL = lazy(r" \((?:rev [0-9a-f]{2}|prog-if .{1,60}?)\).*$")
_PROGRAMMING = lazy(r" \(prog-if .{1,60}?\)")
_VENDOR = lazy(r"^(?:Advanced Micro Devices, Inc\.\s*)?(?:\[AMD(?:/ATI)?\]|AMD/ATI|AMD)?\s*")
_AMD = lazy(r"AMD|ATI\b|Advanced Micro")
_UNNAMED = lazy(r"Device(?: ([0-9a-f]{4}))?")  # a list of ids that is older than the card
_SUBSYSTEM = lazy(r"^(?:DeviceName|Subsystem): .{0,200}\[([0-9a-f]{4}:[0-9a-f]{4})\]", re.IGNORECASE)
_BAR = lazy(r"^Region \d: Memory at .{0,60}prefetchable\) .{0,40}\[size=(\d{1,5})([KMGT])\]")
_LINK = lazy(r"^Lnk(Cap|Sta):.{0,40}?Speed (\d{1,2}(?:\.\d)?)GT/s.{0,40}?Width x(\d{1,2})")
_MARK = lazy(r"^[>| \t]*(?:(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] (?:\"?[A-Z]|\[?[0-9a-f]{4}\]?: [0-9a-f]{4}:)|Slot:\t)", re.MULTILINE)


def recognises(text: str) -> bool:
    """A device line of lspci.

    >>> recognises("03:00.0 VGA compatible controller: AMD"), recognises("[ 3.0] amdgpu 0000:03:00.0: x")
    (True, False)
    """
    return later.search(_MARK, text) is not None


def _device(found: re.Match[str], line: int) -> Iterator[Reading]:
    item = f"{found[1] or '0000'}:{found[2]}:{found[3]}.{found[4]}"
    text = found[7].strip()
    quoted = _QUOTED_FIELDS.match(text)
    if quoted:  # -mm: vendor and device in quotes, their ids in brackets
        vendor, device = _IN_BRACKETS.search(quoted[1]), _IN_BRACKETS.search(quoted[2])
        pair = f" [{vendor[1]}:{device[1]}]" if vendor and device else ""
        text = f"{_IN_BRACKETS.sub('', quoted[1]).strip()} {_IN_BRACKETS.sub('', quoted[2]).strip()}{pair}" + (f" (rev {quoted[3]})" if quoted[3] else "")
    bare = _BARE_IDS.match(text)
    if bare:  # -n
        text = f"[{bare[1]}]" + (f" (rev {bare[2]})" if bare[2] else "")
    ids = _IDS.search(text)
    name = _VENDOR.sub("", text[:ids.start()] if ids else _TAIL.sub("", text)).strip()
    unnamed = _UNNAMED.fullmatch(name)
    name = "" if unnamed else name
    yield Reading("gpu.pci_address", item, item, line)
    if name:
        yield Reading("gpu.name", name, item, line)
    revision = ids[3] if ids else (tail[1] if (tail := _REVISION.search(text)) else None)
    pci_id = f"{ids[1]}:{ids[2]}".lower() if ids else f"1002:{unnamed[1]}" if unnamed and unnamed[1] else ""
    if pci_id:
        yield Reading("gpu.pci_id", pci_id, item, line)
    if revision:
        yield Reading("gpu.revision", revision.lower(), item, line)
    gfx = products.gfx_of_pci_id(pci_id) if pci_id else products.gfx_of_name(name)
    if gfx:
        yield Reading("gpu.gfx_reported", gfx, item, line)


def _as_lines(text: str) -> str:
    """The blocks of -vmm as the lines of -nn -k, each device on the line of its slot."""
    out = text.split("\n")
    block: dict[str, tuple[str, int]] = {}
    for number, line in enumerate([*out, ""]):
        field = _BLOCK.match(line.strip())
        if field and (field[1] != "Slot" or not block):
            block.setdefault(field[1], (field[2].strip(), number))
            continue
        if not block:
            continue
        if "Slot" in block and "Class" in block:
            vendor, device = block.get("Vendor", ("", 0))[0], block.get("Device", ("", 0))[0]
            ids = [match[1] for match in (_IN_BRACKETS.search(vendor), _IN_BRACKETS.search(device)) if match]
            tail = (f" [{':'.join(ids)}]" if len(ids) == 2 else "") + (f" (rev {block['Rev'][0]})" if "Rev" in block else "")
            for _, at in block.values():
                out[at] = ""
            out[block["Slot"][1]] = (f"{block['Slot'][0]} {block['Class'][0]}: {_IN_BRACKETS.sub('', vendor).strip()} "
                                     f"{_IN_BRACKETS.sub('', device).strip()}{tail}")
            if "Driver" in block or "Module" in block:
                key = "Driver" if "Driver" in block else "Module"
                out[block[key][1]] = f"\tKernel {'driver in use' if key == 'Driver' else 'modules'}: {block[key][0]}"
        block = {field[1]: (field[2].strip(), number)} if field else {}
    return "\n".join(out)


def _detail(line: str, gpu: str, number: int) -> Iterator[Reading]:
    """What -k and -vv print below a GPU. The link of an AMD card is that of its own bridge: read where it is said."""
    subsystem = _SUBSYSTEM.match(line)
    bar = _BAR.match(line)
    link = _LINK.match(line)
    if subsystem:
        yield Reading("gpu.subsystem_id", subsystem[1].lower(), gpu, number)
    elif bar:
        yield Reading("gpu.bar_bytes", size(bar[1], bar[2]), gpu, number)
    elif link:
        top = "max_" if link[1] == "Cap" else ""
        yield Reading(f"gpu.link_{top}speed_gts", float(link[2]), gpu, number)
        yield Reading(f"gpu.link_{top}width", int(link[3]), gpu, number)


def read(text: str) -> Iterator[Reading]:
    """AMD GPUs with what stands below each; names of GPUs of other vendors."""
    if "Slot:" in text:
        text = _as_lines(text)
    gpu, driver = "", ""
    largest: dict[str, Reading] = {}
    amd: dict[str, int] = {}
    others: list[tuple[str, int]] = []
    for number, raw in lines(text):
        if not raw:
            continue
        line = unquoted(raw)
        found = next((match for pattern in (_DEVICE, _NUMERIC, _QUOTED) if (match := pattern.match(line[:600]))), None) if line[2:3] in ":0" else None
        if found:
            foreign = "1002:" not in found[7].lower() and not _AMD.search(found[7])
            gpu, driver = "" if foreign else f"{found[1] or '0000'}:{found[2]}:{found[3]}.{found[4]}", ""
            if foreign:
                others.append((_PROGRAMMING.sub("", found[7])[:120], number))
            else:
                amd.setdefault(gpu, number)
                yield from _device(found, number)
        elif _ANY.match(line):
            gpu = ""
        elif gpu and line.startswith("Kernel driver in use: "):
            driver = line[22:62].split()[0] if line[22:].split() else ""
            yield Reading("gpu.driver", driver, gpu, number)
        elif gpu and line.startswith("Kernel modules: "):
            if not driver:
                yield Reading("gpu.driver", None, gpu, number)
        elif gpu:
            for reading in _detail(line[:400], gpu, number):
                if reading.name != "gpu.bar_bytes":
                    yield reading
                elif gpu not in largest or reading.value > largest[gpu].value:
                    largest[gpu] = reading
    yield from largest.values()
    if amd:
        yield Reading("pci.amd_gpu_count", len(amd), line=min(amd.values()))
    if others:
        yield Reading("pci.other_gpus", [name for name, _ in others], line=others[0][1])
