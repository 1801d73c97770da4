"""amd-smi: the table without a command, ``static``/``list`` as text, ``--json`` of every generation, ``version``.

>>> for r in read("| AMD-SMI 26.0.0+37d158ab      amdgpu version: 6.16.13  ROCm version: 7.0.0    |\\n"
...     "| 0000:1b:00.0 ...Instinct MI300X OAM | N/A        N/A   0           N/A/750 W |\\n"
...     "|   0       0       1        SPX/NPS1 | N/A        N/A        149820/196592 MB |\\n"):
...     print(r.name, r.value, r.item, r.line)
amdgpu.version 6.16.13  1
runtime.rocm_version 7.0.0  1
gpu.pci_address 0000:1b:00.0 0000:1b:00.0 2
gpu.name ...Instinct MI300X OAM 0000:1b:00.0 2
gpu.compute_partition SPX 0000:1b:00.0 3
gpu.memory_partition NPS1 0000:1b:00.0 3
gpu.vram_used_bytes 157097656320 0000:1b:00.0 3
gpu.vram_bytes 206141652992 0000:1b:00.0 3
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import KeyLines, bare, documents, gfx, integer, lazy, lines, pci_address, size

TRUST = 2

MARKS = ("AMD-SMI", "AMDSMI", "market_name", "MARKET_NAME", "gpu_data", "KFD_ID", "TARGET_GRAPHICS_VERSION", "    BDF: ",
         "VRAM_USED", "VRAM_TOTAL", "VRAM_USAGE", "bad pages", "PAGE_ADDRESS", "GFX_ACTIVITY", "MEM_USAGE:", "_CORRECTABLE_COUNT",
         "max_pcie_", "mem_usage", "_correctable_count")
_ROCM = lazy(r"ROCm version: ?([0-9]+\.[0-9]+[\w.+-]{0,30})")
_DRIVER = lazy(r"amdgpu version: ?([0-9]+\.[0-9]+[\w.+-]{0,40})")
_PROC = lazy(r"Linux ?version ?([0-9]+\.[0-9]+[\w.+-]{0,80})")
_PARTITION = lazy(r"\b([SDTQC]PX)/(NPS[0-9])\b")
_MODE = lazy(r"^(?:[SDTQC]PX|NPS[0-9])$")
_USAGE = lazy(r"\b([0-9]{1,9})/([0-9]{1,9}) MB\b")
_TEXT = lazy(r"^[ \t]*(?:\S{1,60} +\| +)?([A-Z][A-Z0-9_]{2,40}): ?(.*)$")
_GPU = lazy(r"^[ \t]*GPU: ([0-9]{1,3})\s*$")

_COUNTS = {"max_pcie_width": "gpu.link_max_width", "width": "gpu.link_width", "total_correctable_count": "gpu.ras_ce_count",
           "total_uncorrectable_count": "gpu.ras_ue_count"}
_SPEEDS = {"max_pcie_speed": "gpu.link_max_speed_gts", "speed": "gpu.link_speed_gts"}
_AMOUNTS = {"used_vram": "gpu.vram_used_bytes", "vram_used": "gpu.vram_used_bytes", "total_gtt": "gpu.gtt_bytes", "used_gtt": "gpu.gtt_used_bytes",
            "total_visible_vram": "gpu.visible_vram_bytes"}
_SPEED = lazy(r"(\d{1,2}(?:\.\d)?)(?: GT/s)?$")
_MONITOR = lazy(r"^[ \t]*(\d{1,3})\s.{10,300}?(?:(\d{1,4}(?:\.\d)?)/ {0,9}(\d{1,4}(?:\.\d)?) (GB|MB)|"
                r"(\d{1,7}) MB\s+(\d{1,7}) MB)\s*(?:\d[\d.]* ?%\s*)?$")


def recognises(text: str) -> bool:
    """Whether amd-smi printed any of it."""
    return any(mark in text for mark in MARKS)


def _amount(value: Any, unit: str = "MB") -> int | None:
    if isinstance(value, dict):
        return _amount(value.get("value"), str(value.get("unit") or unit))
    words = str(value).split()
    return size(words[0], words[1] if len(words) > 1 else unit) if words else None


def _driver(value: str, number: int) -> Iterator[Reading]:
    """A module version, or /proc/version, or the kernel release when the driver is in the tree."""
    proc = _PROC.search(value)
    if proc:
        yield Reading("kernel.release", proc.group(1), "", number)
    elif value[:1].isdigit() and len(value) < 80:
        yield Reading("amdgpu.version", value, "", number)


def fact(key: str, value: Any, item: str, number: int) -> Iterator[Reading]:
    """One value of the asic, bus, vbios, vram, driver and partition sections, by its lower-case key."""
    word = str(value).strip()
    if word in ("", "N/A", "None"):
        return
    plain = {"market_name": "gpu.name", "part_number": "gpu.vbios"}
    number_of = integer(word)
    if key in plain:
        yield Reading(plain[key], word, item, number)
    elif key in ("compute_partition", "memory_partition"):
        if _MODE.match(word):
            yield Reading("gpu." + key, word, item, number)
    elif key == "device_id" and number_of is not None and 0 < number_of < 0x10000:
        yield Reading("gpu.pci_id", f"1002:{number_of:04x}", item, number)
    elif key == "rev_id" and number_of is not None and 0 <= number_of < 0x100:
        yield Reading("gpu.revision", f"{number_of:02x}", item, number)
    elif key == "target_graphics_version" and gfx(word):
        yield Reading("gpu.gfx_reported", gfx(word), item, number)
    elif key == "num_compute_units" and number_of:
        yield Reading("gpu.cu_count", number_of, item, number)
    elif key == "bdf" and pci_address(word):
        yield Reading("gpu.pci_address", pci_address(word), item, number)
    elif key in _COUNTS and number_of is not None:
        yield Reading(_COUNTS[key], number_of, item, number)
    elif key in _SPEEDS:
        speed = _SPEED.match(str(value.get("value")) + " GT/s" if isinstance(value, dict) else word)
        if speed:
            yield Reading(_SPEEDS[key], float(speed[1]), item, number)
    elif key in ("vram_size_mb", "vram_size", "size", "total_vram", "vram_total"):
        amount = _amount(value)
        if amount:
            yield Reading("gpu.vram_bytes", amount, item, number)
    elif key in _AMOUNTS:
        amount = _amount(value)
        if amount is not None:
            yield Reading(_AMOUNTS[key], amount, item, number)


_SECTIONS = ("asic", "bus", "vbios", "vram", "partition", "mem_usage", "ecc", "pcie", "")
_JSON_SECTIONS = (*_SECTIONS, "driver")


def _one(section: str, key: str, value: Any, item: str, number: int) -> Iterator[Reading]:
    if section == "driver" and key in ("version", "driver_version"):
        yield from _driver(str(value), number)
    elif section in _SECTIONS and (key != "size" or section == "vram"):
        yield from fact(key, value, item, number)


def _json(text: str) -> Iterator[Reading]:
    line_of = KeyLines(text)
    for _, document in documents(text):
        entries = document.get("gpu_data") if isinstance(document, dict) else document
        for entry in entries if isinstance(entries, list) else ():
            if not isinstance(entry, dict) or "gpu" not in entry:
                continue
            item = "amd-smi:" + str(entry["gpu"])[:20]
            line_of("gpu")
            for outer, inner in entry.items():
                section = outer if isinstance(inner, dict) else ""
                if section in _JSON_SECTIONS:
                    if section:
                        line_of(section)
                    for key, value in inner.items() if isinstance(inner, dict) else ((outer, inner),):
                        yield from _one(section, key.lower(), value, item, line_of(key))


def _text(text: str) -> Iterator[Reading]:
    item, section, row, watched = "", "", "", False
    pages: dict[str, list[int]] = {}
    for number, line in lines(text):
        if "VRAM_USED" in line or "VRAM_TOTAL" in line or "VRAM_USAGE" in line:
            watched = True
        elif watched and "B" in line:
            monitored = _MONITOR.match(line[:400])
            if monitored:
                used, total, unit = monitored[2] or monitored[5], monitored[3] or monitored[6], monitored[4] or "MB"
                yield Reading("gpu.vram_used_bytes", size(used, unit), "amd-smi:" + monitored[1], number)
                yield Reading("gpu.vram_bytes", size(total, unit), "amd-smi:" + monitored[1], number)
                continue
        if "ersion: " in line and ("AMD-SMI" in line or "AMDSMI" in line):
            driver, rocm = _DRIVER.search(line), _ROCM.search(line)
            if driver:
                yield Reading("amdgpu.version", driver.group(1), "", number)
            if rocm:
                yield Reading("runtime.rocm_version", rocm.group(1), "", number)
        found = _GPU.match(line) if "GPU: " in line else None
        if found:
            item, section = "amd-smi:" + found.group(1), ""
        elif "|" in line and pci_address(line[:40]) and line.count("|") >= 2:
            row = pci_address(line)
            yield Reading("gpu.pci_address", row, row, number)
            name = line.split("|")[1].strip()[len(row):].strip()
            if name and name != "N/A":
                yield Reading("gpu.name", name, row, number)
        elif row and "|" in line:
            partition, usage = _PARTITION.search(line), _USAGE.search(line)
            if partition:
                yield Reading("gpu.compute_partition", partition.group(1), row, number)
                yield Reading("gpu.memory_partition", partition.group(2), row, number)
            if usage:
                yield Reading("gpu.vram_used_bytes", int(usage.group(1)) << 20, row, number)
                yield Reading("gpu.vram_bytes", int(usage.group(2)) << 20, row, number)
            row = ""
        elif item:
            pair = _TEXT.match(line[:400])
            key, value = (pair.group(1).lower(), pair.group(2).strip()) if pair else ("", "")
            if key == "page_address" or "No bad pages found" in value:
                pages.setdefault(item, []).append(number * (key == "page_address"))
            elif key and not value:
                section = key
            elif key:
                yield from _one(section, key, value, item, number)
    for gpu, found_at in pages.items():
        yield Reading("gpu.bad_pages", sum(at > 0 for at in found_at), gpu, max(found_at) or 1)


def read(text: str) -> Iterator[Reading]:
    """Items are ``amd-smi:N``, in the table the PCI address."""
    yield from _text(text)
    if '"gpu"' in text:
        yield from _json(bare(text))
