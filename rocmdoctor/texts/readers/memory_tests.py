"""memtest_vulkan and rocm-bandwidth-test: the devices that they list.

>>> sample = '''1: Bus=0x03:00 DevId=0x744C   24GB AMD Radeon RX 7900 XTX (RADV NAVI31)
... Device: 1,  AMD Instinct MI210,  GPU-1e2c,  43:0.0
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.item, r.value)
1 gpu.name 0000:03:00.0 AMD Radeon RX 7900 XTX
1 gpu.pci_id 0000:03:00.0 1002:744c
1 gpu.pci_address 0000:03:00.0 0000:03:00.0
2 gpu.name 0000:43:00.0 AMD Instinct MI210
2 gpu.pci_address 0000:43:00.0 0000:43:00.0
2 gpu.gfx_reported 0000:43:00.0 gfx90a
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts.lines import lazy, lines, unquoted

TRUST = 2

_VULKAN = lazy(r"^\s*\d{1,2}: Bus=0x([0-9A-Fa-f]{2}):([0-9A-Fa-f]{2}) DevId=0x([0-9A-Fa-f]{4})\s+\d{1,4}GB (\S.{2,120}?)(?: \((?:RADV|AMDVLK)[^)]{0,60}\))?$")
_BANDWIDTH = lazy(r"^\s*Device: +\d{1,3}, +(\S.{2,100}?)(?:, +GPU-[\w-]{2,40})?, +([0-9a-f]{1,2}):([0-9a-f]{1,2})\.([0-7])$")
_AMD = lazy(r"AMD|Radeon|Instinct|Vega|gfx\d")
_BEGINS = lazy(r"^Tester console logging started at ")


def recognises(text: str) -> bool:
    """A device of their lists."""
    return "DevId=0x" in text or "Device: " in text and any(_BANDWIDTH.match(unquoted(line)) for _, line in lines(text) if "Device: " in line)


def read(text: str) -> Iterator[Reading]:
    """Each AMD device once; those of other makers together. Of several runs in one text the last one's list counts."""
    seen = set()
    others: dict[str, int] = {}
    rows = [(number, unquoted(raw)) for number, raw in lines(text)]
    last = next((number for number, line in reversed(rows) if _BEGINS.match(line)), 0)
    for number, line in rows:
        if number < last:
            continue
        vulkan = _VULKAN.match(line) if "DevId=0x" in line else None
        bandwidth = _BANDWIDTH.match(line) if not vulkan and "Device: " in line else None
        if not (vulkan or bandwidth):
            continue
        if vulkan:
            name, address, device = vulkan[4], f"0000:{vulkan[1].lower()}:{vulkan[2].lower()}.0", vulkan[3].lower()
            if not _AMD.search(name):
                others.setdefault(name, number)
                continue
        elif bandwidth:
            name, address, device = bandwidth[1], f"0000:{bandwidth[2]:>02}:{bandwidth[3]:>02}.{bandwidth[4]}", ""
        if address in seen:
            continue
        seen.add(address)
        yield Reading("gpu.name", name, address, number)
        if device:
            yield Reading("gpu.pci_id", f"1002:{device}", address, number)
        yield Reading("gpu.pci_address", address, address, number)
        gfx = "" if device else products.gfx_of_name(name)
        if gfx:
            yield Reading("gpu.gfx_reported", gfx, address, number)
    if others:
        yield Reading("pci.other_gpus", list(others), line=min(others.values()))
