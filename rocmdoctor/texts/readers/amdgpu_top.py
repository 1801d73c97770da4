"""amdgpu_top: the text of ``-d`` and the JSON of ``-d --json`` and ``--json``.

>>> sample = '''#0 DevicePath { render: "/dev/dri/renderD128", card: "/dev/dri/card0", pci: "0000:03:00.0" }
... drm version: 3.54.0
... ROCm version: 6.4.1
... Device Name              : [AMD Radeon RX 6600]
... PCI (domain:bus:dev.func): 0000:03:00.0
... DeviceID.RevID           : 0x73FF.0xC7
... GPU Type  : dGPU
... Total Compute Unit         :  28
... ResizableBAR  : Disabled
... VRAM              : usage  1235 MiB, total  8176 MiB (usable  8130 MiB)
... CPU-Visible VRAM  : usage    55 MiB, total   256 MiB (usable   256 MiB)
... GTT               : usage   140 MiB, total 11950 MiB (usable 11938 MiB)
... '''
>>> for r in read(sample):
...     print(r.name, r.value, r.line)
runtime.rocm_version 6.4.1 3
gpu.name AMD Radeon RX 6600 4
gpu.pci_address 0000:03:00.0 5
gpu.pci_id 1002:73ff 6
gpu.revision c7 6
gpu.is_apu False 7
gpu.cu_count 28 8
gpu.vram_used_bytes 1294991360 10
gpu.vram_bytes 8573157376 10
gpu.visible_vram_bytes 268435456 11
gpu.gtt_used_bytes 146800640 12
gpu.gtt_bytes 12530483200 12
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import KeyLines, bare, documents, gfx, integer, lazy, lines, pci_address

TRUST = 2

MARKS = ("DevicePath", "AMDGPU info dump", "amdgpu_top", "PCI (domain:bus:dev.func)", "DeviceID.RevID")
_PAIR = lazy(r"^[ \t]*([A-Za-z][\w .()/:-]{1,40}?)\s*: (.{1,200})$")
_USAGE = lazy(r"usage\s+(\d{1,9}) MiB, total\s+(\d{1,9}) MiB")
_VERSION = lazy(r"^\d+\.\d+[\w.+-]{0,40}$")
_LINK = lazy(r"Gen(\d)x(\d{1,2})")
_GTS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}
_MEMORY = {"VRAM": ("gpu.vram_used_bytes", "gpu.vram_bytes"), "CPU-Visible VRAM": ("", "gpu.visible_vram_bytes"),
           "GTT": ("gpu.gtt_used_bytes", "gpu.gtt_bytes")}
_JSON_MEMORY = {"Total VRAM": "gpu.vram_bytes", "Total VRAM Usage": "gpu.vram_used_bytes", "Total GTT": "gpu.gtt_bytes",
                "Total GTT Usage": "gpu.gtt_used_bytes"}


def recognises(text: str) -> bool:
    """Whether amdgpu_top printed any of it."""
    return any(mark in text for mark in MARKS)


def _text(text: str) -> Iterator[Reading]:
    gpu, place = 0, ""
    for number, line in lines(text):
        if ("DevicePath {" in line or "AMDGPU info dump" in line) and place:
            gpu, place = gpu + 1, ""
        pair = _PAIR.match(line[:260])
        if not pair:
            continue
        key, value, item = pair[1], pair[2].strip(), f"amdgpu_top:{gpu}"
        if key in ("Device Name", "Marketing Name") and len(value) > 4:
            place = item
            yield Reading("gpu.name", value.strip("[]"), item, number)
        elif key.startswith("PCI (domain") and pci_address(value):
            yield Reading("gpu.pci_address", pci_address(value), item, number)
        elif key == "DeviceID.RevID":
            device, _, revision = value.partition(".")
            if integer(device) is not None and len(device) == 6:
                yield Reading("gpu.pci_id", f"1002:{device[2:].lower()}", item, number)
                yield Reading("gpu.revision", revision[2:4].lower(), item, number)
        elif key == "GPU Type" and value in ("APU", "dGPU"):
            yield Reading("gpu.is_apu", value == "APU", item, number)
        elif key == "ASIC Name" and gfx(value):
            yield Reading("gpu.gfx_reported", gfx(value), item, number)
        elif key == "gfx_target_version" and gfx(value):
            yield Reading("gpu.gfx_target", gfx(value), item, number)
        elif key == "Total Compute Unit" and integer(value):
            yield Reading("gpu.cu_count", integer(value), item, number)
        elif key == "ROCm version" and _VERSION.match(value):
            yield Reading("runtime.rocm_version", value, "", number)
        elif key == "PCIe Link Speed (Max)" or key.startswith("PCI Link"):
            link = _LINK.search(value)
            if link and int(link[1]) in _GTS:
                top = "max_" if "Max" in key else ""
                yield Reading(f"gpu.link_{top}speed_gts", _GTS[int(link[1])], item, number)
                yield Reading(f"gpu.link_{top}width", int(link[2]), item, number)
        elif key in _MEMORY:
            usage = _USAGE.search(value)
            for name, amount in zip(_MEMORY[key], usage.groups() if usage else (), strict=False):
                if name:
                    yield Reading(name, int(amount) << 20, item, number)


def _device(entry: dict[str, Any], line_of: KeyLines, index: int) -> Iterator[Reading]:
    """One GPU of a JSON dump; memory and names stand on the top level or below "Info" and "VRAM"."""
    inner = entry.get("Info")
    info: dict[str, Any] = inner if isinstance(inner, dict) else entry
    path: dict[str, Any] = next((part["DevicePath"] for part in (entry, info) if isinstance(part.get("DevicePath"), dict)), {})
    place = pci_address(str(path.get("pci") or info.get("PCI")))
    item = place or f"amdgpu_top:{index}"
    if gfx(str(info.get("ASIC Name"))):
        yield Reading("gpu.gfx_reported", gfx(str(info["ASIC Name"])), item, line_of("ASIC Name"))
    device = info.get("DeviceID")
    if isinstance(device, int) and 0 < device < 0x10000:
        yield Reading("gpu.pci_id", f"1002:{device:04x}", item, line_of("DeviceID"))
    if isinstance(info.get("DeviceName"), str):
        yield Reading("gpu.name", info["DeviceName"][:120], item, line_of("DeviceName"))
    if place:
        yield Reading("gpu.pci_address", item, item, line_of("pci"))
    kind = info.get("GPU Type")
    if kind in ("APU", "dGPU"):
        yield Reading("gpu.is_apu", kind == "APU", item, line_of("GPU Type"))
    vram = entry.get("VRAM")
    for key, name in _JSON_MEMORY.items():
        amount = vram.get(key) if isinstance(vram, dict) else None
        value = amount.get("value") if isinstance(amount, dict) else None
        if isinstance(value, int) and 0 <= value < 1 << 30:
            yield Reading(name, value << 20, item, line_of(key))


def read(text: str) -> Iterator[Reading]:
    """Items are ``amdgpu_top:N``, in the JSON the PCI address."""
    yield from _text(text)
    if "DevicePath" not in text or "{" not in text:
        return
    line_of = KeyLines(text)
    for _, document in documents(bare(text)):
        entries = document.get("devices", [document]) if isinstance(document, dict) else document
        for index, entry in enumerate(entries[:64] if isinstance(entries, list) else ()):
            if isinstance(entry, dict) and ("DevicePath" in entry or isinstance(entry.get("Info"), dict)):
                yield from _device(entry, line_of, index)
