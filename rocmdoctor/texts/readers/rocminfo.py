"""rocminfo (whole, filtered by grep or folded onto one line) and hipInfo.

>>> for r in read("  Name:                    gfx1151\\n  Marketing Name:          AMD Radeon Graphics\\n"
...     "  Device Type:             GPU\\n  Chip ID:                 5510(0x1586)\\n  BDFID:   50432\\n"):
...     print(r.name, r.value, r.item, r.line)
gpu.gfx_reported gfx1151 rocminfo:1 1
gpu.name AMD Radeon Graphics rocminfo:1 2
gpu.pci_id 1002:1586 rocminfo:1 4
gpu.pci_address 0000:c5:00.0 rocminfo:1 5
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import gfx, integer, lazy, lines, size

TRUST = 2

KINDS = kinds.OF_MACHINES - {"json", "prose", "system_log", "xorg_log"}  # strings of a JSON document are texts of their own
_MARKS = ("HSA Agents", "ROCk module", "amdgcn-amd-amdhsa--gfx", "Marketing Name:", "gcnArchName")
MARKS = (*_MARKS, "Name:")
_KEY = lazy(
    r"(?<![\w:])(Marketing Name|Vendor Name|Name|Device Type|Chip ID|BDFID|Compute Unit|Memory Properties|"
    r"Runtime Version|Uuid|Segment|Size|gcnArchName|Node|Internal Node ID):(?=\s|$)")
_HIPINFO = lazy(r"^(pciBusID|pciDeviceID|pciDomainID|totalGlobalMem|isIntegrated):\s{1,60}(\d{1,9}(?:\.\d{1,3})?)(?: ([KMGT]B))?\s*$")
_ROCK = lazy(r"ROCk module version ([0-9][\w.+-]{0,40}) is loaded")


_BEGINS = ("ROCk module", "HSA System", "HSA Agents", "Agent ", "=====", "device#", "WSL environment")


def recognises(text: str) -> bool:
    """Whether rocminfo or hipInfo printed something here."""
    return any(mark in text for mark in _MARKS) or "Name:" in text and "gfx" in text


def _hip(said: dict[str, str], item: str, number: int) -> Iterator[Reading]:
    """What hipInfo prints above the name of the target."""
    if "pciBusID" in said:
        domain, bus, device = (int(said.get(key, "0")) for key in ("pciDomainID", "pciBusID", "pciDeviceID"))
        if bus < 256 and device < 32 and domain < 0x10000:
            yield Reading("gpu.pci_address", f"{domain:04x}:{bus:02x}:{device:02x}.0", item, number)
    if said.get("isIntegrated") in ("0", "1"):
        yield Reading("gpu.is_apu", said["isIntegrated"] == "1", item, number)
    amount, _, unit = said.get("totalGlobalMem", "").partition(" ")
    if unit and size(amount, unit):
        yield Reading("gpu.kfd_pool_bytes", size(amount, unit), item, number)


def _first(value: str) -> str:
    return value.replace("(", " ").split(" ", 1)[0] if value else ""


def _fact(key: str, value: str, item: str, number: int) -> Iterator[Reading]:
    """Facts of a key that follows the Name of a GPU agent."""
    count = integer(_first(value))
    if key == "Marketing Name" and value and value != "N/A":
        yield Reading("gpu.name", value, item, number)
    elif key == "Chip ID" and count is not None and 0 < count < 0x10000:
        yield Reading("gpu.pci_id", f"1002:{count:04x}", item, number)
    elif key == "BDFID" and count is not None and 0 < count < 0x10000:
        yield Reading("gpu.pci_address", f"0000:{count >> 8:02x}:{count >> 3 & 31:02x}.{count & 7}", item, number)
    elif key == "Compute Unit" and count:
        yield Reading("gpu.cu_count", count, item, number)
    elif key == "Memory Properties":
        yield Reading("gpu.is_apu", "APU" in value, item, number)


def read(text: str) -> Iterator[Reading]:
    """One item per agent whose Name is a gfx target, numbered in the order of the text."""
    item, gpus = "", 0
    named: tuple[str, int] | None = None
    segment = ""
    told = ("", "")  # marketing name and id of the agent
    said: dict[str, str] = {}
    over = False  # what comes below is another program's, clinfo's mostly, which has a Name, too
    for number, line in lines(text):
        over = "Number of platforms" in line or "*** Done ***" in line or over and not line.startswith(_BEGINS)
        if over:
            continue
        hip = _HIPINFO.match(line[:200]) if line[:3] in ("pci", "tot", "isI") else None
        if hip:
            said.setdefault(hip[1], f"{hip[2]} {hip[3]}" if hip[3] else hip[2])
        if line.startswith("device#"):
            said = {}
        if line.startswith("WSL environment detected"):
            yield Reading("os.family", "wsl", "", number)
        if "ROCk module" in line:
            rock = _ROCK.search(line)
            if rock:
                yield Reading("amdgpu.version", rock.group(1), "", number)
                yield Reading("amdgpu.dkms", True, "", number)
            if "is loaded" in line and "NOT" not in line:
                yield Reading("amdgpu.loaded", True, "", number)
        if ":" not in line:
            continue
        parts = _KEY.split(line)
        for key, raw in zip(parts[1::2], parts[2::2], strict=False):
            value = raw.split("\\n", 1)[0].strip()  # in a string of JSON inside a string
            if key == "gcnArchName" and gfx(value):
                gpus += 1
                item = f"rocminfo:{gpus}"
                yield Reading("gpu.gfx_reported", gfx(value), item, number)
                yield from _hip(said, item, number)
                said = {}
                if named:
                    yield Reading("gpu.name", named[0], item, named[1])
                    named = None
                item = ""
            elif key == "Name" and not value.startswith("amdgcn"):
                item, named, segment, told = "", (value, number), "", ("", "")
                if value.lower().startswith("gfx") and gfx(value):
                    gpus += 1
                    item, named = f"rocminfo:{gpus}", None
                    yield Reading("gpu.gfx_reported", gfx(value), item, number)
            elif key == "Segment":
                segment = segment or value
            elif key == "Size" and item and segment.startswith("GLOBAL") and value.endswith("KB"):
                pool = integer(_first(value))
                if pool and pool < 1 << 42:
                    yield Reading("gpu.kfd_pool_bytes", pool << 10, item, number)
                    if products.has_own_memory(*told):
                        yield Reading("gpu.vram_bytes", pool << 10, item, number)
                segment = "done"
            elif item:
                for reading in _fact(key, value, item, number):
                    told = (str(reading.value), told[1]) if reading.name == "gpu.name" else told
                    told = (told[0], str(reading.value)) if reading.name == "gpu.pci_id" else told
                    yield reading
