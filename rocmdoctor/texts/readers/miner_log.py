"""Logs of PhoenixMiner and its kind: the cards that are at hand and the OpenCL driver.

>>> sample = '''2020.10.18:02:15:20.828: main OpenCL driver version: 20.40-1147286
... 2020.10.18:02:15:20.830: main GPU1: Radeon RX 570 Series (pcie 3), OpenCL 2.0, 4 GB VRAM, 32 CUs
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.item, r.value)
1 opencl.driver_version  20.40-1147286
2 gpu.name miner:GPU1 Radeon RX 570 Series
2 gpu.gfx_reported miner:GPU1 gfx803
2 gpu.vram_bytes miner:GPU1 4294967296
2 gpu.cu_count miner:GPU1 32
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 1
KINDS = kinds.GROUPS["app"] | {"output"}

_DRIVER = lazy(r"\bOpenCL driver version: (\d\S{2,40})$")
_GPU = lazy(r"\b(GPU\d{1,2}): (\S.{2,80}?) \(pcie \d{1,3}\), OpenCL [\d.]{1,6}, (\d{1,3}) GB VRAM, (\d{1,3}) CUs$")


def recognises(text: str) -> bool:
    """A card with its memory and units, as these programs print it."""
    return "(pcie " in text and "GB VRAM" in text


def read(text: str) -> Iterator[Reading]:
    """The first list; what is listed again are the same cards."""
    seen = set()
    for number, line in lines(text):
        driver = _DRIVER.search(line) if "OpenCL driver" in line else None
        if driver:
            yield Reading("opencl.driver_version", driver[1], line=number)
        found = _GPU.search(line) if "(pcie " in line else None
        if not found or found[1] in seen or "NVIDIA" in found[2] or "GeForce" in found[2]:
            continue
        seen.add(found[1])
        item = f"miner:{found[1]}"
        yield Reading("gpu.name", found[2], item, number)
        gfx = products.gfx_of_name(found[2])
        if gfx:
            yield Reading("gpu.gfx_reported", gfx, item, number)
        yield Reading("gpu.vram_bytes", int(found[3]) << 30, item, number)
        yield Reading("gpu.cu_count", int(found[4]), item, number)
