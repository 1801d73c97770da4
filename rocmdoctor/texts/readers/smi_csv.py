"""``amd-smi ... --csv`` and ``rocm-smi --csv``: columns by the name in the header, which differs between releases.

>>> for r in read("gpu,gpu_bdf,market_name,vram_used,vram_total\\n0,0000:03:00.0,AMD Radeon RX 7900 XTX,283,24560\\n"
...     "device,GFX Version,Device ID\\ncard0,gfx1100,0x744c\\n"):
...     print(r.name, r.value, r.item, r.line)
gpu.pci_address 0000:03:00.0 amd-smi:0 2
gpu.name AMD Radeon RX 7900 XTX amd-smi:0 2
gpu.vram_used_bytes 296747008 amd-smi:0 2
gpu.vram_bytes 25753026560 amd-smi:0 2
gpu.gfx_reported gfx1100 rocm-smi:0 4
gpu.pci_id 1002:744c rocm-smi:0 4
"""

from __future__ import annotations

import csv
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import lazy, lines
from rocmdoctor.texts.readers import amd_smi, rocm_smi

TRUST = 2

MARKS = ("gpu,", "device,")
_HEAD = lazy(r"^(?:timestamp,)?(gpu|device),[\w (),%#./:-]{3,4000}$")
_ROW = lazy(r"^(?:\d{9,12},)?(?:card)?(\d{1,3}),")
_RENAMED = {"gpu_bdf": "bdf", "compute_unit": "num_compute_units", "size": "vram_size", "part_number": "part_number", "vbios_part_number": "part_number"}


def recognises(text: str) -> bool:
    """A header that starts with the GPU.

    >>> recognises("gpu,gpu_bdf,gpu_uuid\\n0,0000:03:00.0,x"), recognises("gpu, cpu and disk")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and next(read(text), None) is not None


def _cells(line: str) -> list[str]:
    return next(csv.reader([line[:8000]]), [])


def read(text: str) -> Iterator[Reading]:
    """Items are those of amd-smi's and rocm-smi's other outputs."""
    header: list[str] = []
    for number, line in lines(text):
        if "," not in line:
            header = []
            continue
        if _HEAD.match(line[:4100]) and not line[:1].isdigit():
            header = _cells(line)
            continue
        row = _ROW.match(line[:40]) if header else None
        if not row:
            continue
        amd = "gpu" in header[:2]
        for key, value in zip(header, _cells(line), strict=False):
            if key in ("gpu", "device", "timestamp"):
                continue
            if amd:
                plain = key.strip().lower()
                yield from amd_smi.fact(_RENAMED.get(plain, plain), value, "amd-smi:" + row[1], number)
            else:
                yield from rocm_smi.fact(key, value, "rocm-smi:" + row[1], number)
