"""rocm-smi: concise tables, ``GPU[0] : key: value`` lines and ``--json``, of every generation.

>>> for r in read("GPU[0]\\t\\t: Card Series: \\t\\tAMD Radeon RX 7900 XTX\\nGPU[0]\\t\\t: GFX Version: \\t\\tgfx1100\\n"
...     "0       1     0x7551,   35461  41.0C  44.0W  N/A, N/A, 0         1153Mhz  1258Mhz\\n"):
...     print(r.name, r.value, r.item, r.line)
gpu.name AMD Radeon RX 7900 XTX rocm-smi:0 1
gpu.gfx_reported gfx1100 rocm-smi:0 2
gpu.pci_id 1002:7551 rocm-smi:0 3
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import KeyLines, bare, documents, gfx, integer, lazy, lines, pci_address

TRUST = 2

_MARKS = ("ROCm System Management", "ROCm SMI", "GPU[", '"card', "Card Series", "Card series", "rocm-smi", "ROCm Version")
_LINE = lazy(r"GPU\[([0-9]{1,3})\]\s{0,16}:? ([^:]{2,60}):\s{0,12}(.*)$")
_ROW = lazy(r"^[ \t]*([0-9]{1,3}) +[0-9]{1,3} +0x([0-9a-fA-F]{4}), +[0-9]{1,6} ")
_MODEL_ROW = lazy(r"^[ \t]*([0-9]{1,3}) +\[0x([0-9a-fA-F]{4}) : 0x[0-9a-fA-F]{2}\] ")
_MODEL_NAME = lazy(r"^[ \t]{4,}([A-Z][\w ]{3,18})\s*$")  # the tool cuts it at 20 characters
_PART = lazy(r" (?:NPS[0-9]|N/A), {1,3}[A-Z]{3}, {1,3}[1-9][0-9]? ")  # a further partition of the device in a row above
_TABLE = lazy(r"^[ \t]*(?:GPU|Device)\s.*\b(?:Temp|SCLK)\b")
_CELLS = lazy(r"^[ \t]*([0-9]{1,2})\s{1,}(?:\S+ {1,})*(?:[0-9.]+(?:c|°C)|N/A)\s")
_CARD = lazy(r"^card([0-9]{1,3})$")
_RELEASE = lazy(r"^[0-9]+\.[0-9]+[\w.+-]{0,80}$")
_ROCM_LINE = lazy(r"^[ \t]*ROCm version: {0,8}([0-9]+\.[0-9]+[\w.+-]{0,40})$", re.IGNORECASE)
_DRIVER_LINE = lazy(r"^[ \t]*Driver version: +([0-9]+\.[0-9]+[\w.+-]{0,80})\s*$", re.IGNORECASE)

_KEYS = ("card series", "device name", "card model", "device id", "gpu id", "gfx version", "pci bus", "vbios version",
         "vram total memory (b)", "vram total used memory (b)", "gtt total memory (b)", "gtt total used memory (b)",
         "compute partition", "memory partition", "driver version")


def recognises(text: str) -> bool:
    """Whether rocm-smi printed any of it."""
    return any(mark in text for mark in _MARKS) or "0x" in text and next(_rows(text), None) is not None


def fact(key: str, value: str, item: str, number: int) -> Iterator[Reading]:
    key, value = " ".join(key.lower().split()), value.strip()
    count = integer(value.replace(",", ""))
    if value in ("", "N/A", "unknown", "unsupported"):
        return
    if key in ("card series", "device name", "card model") and not value.startswith("0x"):
        yield Reading("gpu.name", value, item, number)
    elif key in ("device id", "gpu id", "card model") and count is not None and 0 < count < 0x10000:
        yield Reading("gpu.pci_id", f"1002:{count:04x}", item, number)
    elif key == "gfx version" and gfx(value):
        yield Reading("gpu.gfx_reported", gfx(value), item, number)
    elif key == "pci bus" and pci_address(value):
        yield Reading("gpu.pci_address", pci_address(value), item, number)
    elif key == "vbios version":
        yield Reading("gpu.vbios", value, item, number)
    elif key in ("vram total memory (b)", "vram total used memory (b)") and count is not None and count < 1 << 50:
        name = "gpu.vram_used_bytes" if "used" in key else "gpu.vram_bytes"
        yield Reading(name, count, item, number)
    elif key in ("gtt total memory (b)", "gtt total used memory (b)") and count is not None and count < 1 << 50:
        name = "gpu.gtt_used_bytes" if "used" in key else "gpu.gtt_bytes"
        yield Reading(name, count, item, number)
    elif key == "compute partition":
        yield Reading("gpu.compute_partition", value, item, number)
    elif key == "memory partition":
        yield Reading("gpu.memory_partition", value, item, number)
    elif key == "driver version" and _RELEASE.match(value):
        yield Reading("amdgpu.version", value, "", number)


def _json(text: str) -> Iterator[Reading]:
    line_of = KeyLines(text)
    for _, document in documents(text):
        for entry in document if isinstance(document, list) else (document,):
            if isinstance(entry, dict):
                rocm = entry.get("ROCm Version", entry.get("ROCm version"))
                if isinstance(rocm, str) and _RELEASE.match(rocm):
                    yield Reading("runtime.rocm_version", rocm, "", line_of("ROCm Version"))
                for card, inner in entry.items():
                    match = _CARD.match(card)
                    if isinstance(inner, dict) and (match or card == "system"):
                        item = "rocm-smi:" + match.group(1) if match else ""
                        line_of(card)
                        has_id = any(key.lower() in ("device id", "gpu id") for key in inner)
                        for key, value in inner.items():
                            lower = key.lower()
                            if isinstance(value, str) and lower in _KEYS and (match or lower == "driver version"):
                                if not (has_id and lower == "card model"):
                                    yield from fact(key, value, item, line_of(key))


def read(text: str) -> Iterator[Reading]:
    """Items are ``rocm-smi:N``, N as the tool counts, which is not the PCI order."""
    yield from _rows(text)
    if '"card' in text or '"ROCm ' in text:
        yield from _json(bare(text))


def _rows(text: str) -> Iterator[Reading]:
    listed: dict[str, int] = {}
    table = False
    named = ""  # the device whose name the next line has
    for number, line in lines(text):
        rocm = _ROCM_LINE.match(line[:120]) if "ROCm" in line else None
        if rocm:
            yield Reading("runtime.rocm_version", rocm.group(1), "", number)
        title = _TABLE.match(line[:200]) is not None
        again = title and bool(listed)  # the same devices once more, or others after they were partitioned anew
        table = (table or title) and not again and not (line.startswith("==") and bool(listed))
        if table and _PART.search(line[:200]):
            continue
        cells = _CELLS.match(line[:200]) if table else None
        if cells:
            listed.setdefault(cells[1], number)
        found = _LINE.search(line[:400]) if "GPU[" in line else None
        if found:
            yield from fact(found.group(2), found.group(3), "rocm-smi:" + found.group(1), number)
            continue
        if "0x" in line:
            model = _MODEL_ROW.match(line)
            found = model or _ROW.match(line)
            if found and (table or not listed):
                yield Reading("gpu.pci_id", "1002:" + found.group(2).lower(), "rocm-smi:" + found.group(1), number)
            named = found.group(1) if found and model else ""
        elif named:
            found = _MODEL_NAME.match(line)
            if found:
                yield Reading("gpu.name", found.group(1).rstrip(), "rocm-smi:" + named, number)
            named = ""
        elif "river version: " in line and "ROCm System Management" in text:
            found = _DRIVER_LINE.match(line)
            if found:
                yield Reading("amdgpu.version", found.group(1), "", number)
    if listed:
        yield Reading("pci.amd_gpu_count", len(listed), "", min(listed.values()))
        yield Reading("amdgpu.loaded", True, "", min(listed.values()))
