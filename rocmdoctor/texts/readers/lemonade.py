"""Lemonade: ``system-info`` (JSON of every generation), ``lemonade backends``/``recipes``, the server log.

>>> sample = '''{"OS Version": "Linux-7.0.11-arch1-1 (EndeavourOS)", "Physical Memory": "125.08 GB",
...  "devices": {"amd_gpu": [{"available": true, "family": "gfx1151", "name": "AMD Radeon 8060S",
...   "virtual_mem_gb": 117.2, "vram_gb": 0.5}]},
...  "recipes": {"llamacpp": {"backends": {"rocm": {"state": "unsupported", "message": "Unsupported GPU"}}}}}'''
>>> for r in read(sample):
...     print(r.name, r.value, r.item, r.line)
kernel.release 7.0.11-arch1-1  1
os.family linux  1
memory.ram_bytes 134303627346  1
gpu.name AMD Radeon 8060S lemonade:0 2
gpu.gfx_reported gfx1151 lemonade:0 2
gpu.vram_bytes 536870912 lemonade:0 3
gpu.gtt_bytes 125842541773 lemonade:0 3
app.name lemonade lemonade 2
app.backends {'llamacpp:rocm': 'unsupported: Unsupported GPU'} lemonade 4
>>> for r in read("Recipe              Backend     Status          Message/Version\\n"
...     "llamacpp            rocm        unsupported     Unsupported GPU: gfx1152        -\\n"
...     "                    vulkan      installed       b9585                           -\\n"):
...     print(r.name, r.value, r.line)
app.name lemonade 1
app.backends {'llamacpp:rocm': 'unsupported: Unsupported GPU: gfx1152', 'llamacpp:vulkan': 'installed: b9585'} 2
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import KeyLines, documents, gfx, lazy, lines, size

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

MARKS = ("Lemonade Server", "lemonade", "amd_igpu", "amd_dgpu", "amd_gpu", "Recipe  ", "(ModelManager)", "[LlamaCpp]")
_VERSION = lazy(r"\bLemonade Server v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)|^[ \t]*Version {2,30}(\d{1,2}\.\d{1,2}\.\d{1,2})\s*$")
_HEAD = lazy(r"^Recipe {2,30}Backend {2,30}Status")
_ROW = lazy(r"^(\S[\w.-]{0,30})? {2,40}(\S[\w.+-]{0,20}) {2,30}(\S{3,20}) {1,30}(.{0,160})$")
_GPU = lazy(r"AMD GPU: (.{3,100}?) \((integrated|discrete)(?:, Adrenalin Edition ([\d.]{5,12}))?(?:, driver ([\d.]{7,30}))?\)")
_ADVICE = lazy(r"\s{2,}-?\s*$")
_KERNEL = lazy(r"Linux-([2-7]\.\d{1,3}[\w.+~-]{0,60}?)(?:-x86_64.*| \(.*)?$")
_GB = lazy(r"(\d{1,5}(?:\.\d{1,3})?) ?GB")


def recognises(text: str) -> bool:
    """Words of Lemonade's own output.

    >>> recognises("Lemonade Server v10.5.1 started on port 8000"), recognises("a lemon")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def _gigabytes(value: Any) -> int | None:
    return round(value * 2**30) if isinstance(value, (int, float)) and 0 < value < 1e5 else None


def _gpu(info: dict[str, Any], index: int, kind: str, line_of: KeyLines) -> Iterator[Reading]:
    name = str(info.get("name") or "")
    family = gfx(str(info.get("family"))) or products.gfx_of_name(name)
    if not info.get("available") or not (name or family):
        return
    item = f"lemonade:{index}"
    line = line_of("name") if not gfx(str(info.get("family"))) else line_of("family")
    if name and not name.isdigit():
        yield Reading("gpu.name", name[:120], item, line)
    if family:
        yield Reading("gpu.gfx_reported", family, item, line)
    for key, fact in (("vram_gb", "gpu.vram_bytes"), ("virtual_mem_gb", "gpu.gtt_bytes")):
        if _gigabytes(info.get(key)):
            yield Reading(fact, _gigabytes(info.get(key)), item, line_of(key))
    if kind in ("amd_igpu", "amd_dgpu"):
        yield Reading("gpu.is_apu", kind == "amd_igpu", item, line)
    if isinstance(info.get("driver_version"), str) and info["driver_version"][:2] in ("31", "32", "33"):
        yield Reading("windows.driver_version", info["driver_version"], "", line_of("driver_version"))


def _states(document: dict[str, Any]) -> dict[str, str]:
    """``engine:backend`` to its state, from "recipes" (2026) or "inference_engines" (2025)."""
    found: dict[str, str] = {}
    recipes = document.get("recipes")
    for recipe, entry in recipes.items() if isinstance(recipes, dict) else ():
        backends = entry.get("backends") if isinstance(entry, dict) else None
        for name, state in backends.items() if isinstance(backends, dict) else ():
            if isinstance(state, dict):
                words = str(state.get("state") or ("available" if state.get("available") else "unavailable"))
                note = str(state.get("message") or state.get("error") or state.get("version") or "")
                found[f"{recipe}:{name}"[:60]] = f"{words}: {note}"[:200] if note else words
    devices = document.get("devices")
    for device in devices.values() if isinstance(devices, dict) else ():
        for part in device if isinstance(device, list) else (device,):
            engines = part.get("inference_engines") if isinstance(part, dict) else None
            for name, state in engines.items() if isinstance(engines, dict) else ():
                if isinstance(state, dict):
                    note = str(state.get("version") or state.get("error") or "")
                    found.setdefault(str(name)[:60], ("installed: " if state.get("available") else "unavailable: ") + note[:160])
    return found


def _json(text: str) -> Iterator[Reading]:
    line_of = KeyLines(text)
    for _, document in documents(text):
        devices = document.get("devices") if isinstance(document, dict) else None
        if not isinstance(devices, dict) or not ("Processor" in document or "OS Version" in document or "recipes" in document):
            continue
        system = str(document.get("OS Version") or "")
        kernel = _KERNEL.search(system[:200])
        if kernel:
            yield Reading("kernel.release", kernel[1], "", line_of("OS Version"))
            yield Reading("os.family", "linux", "", line_of("OS Version"))
        elif system.startswith("Windows"):
            yield Reading("os.family", "windows", "", line_of("OS Version"))
        memory = _GB.search(str(document.get("Physical Memory") or "")[:40])
        if memory:
            yield Reading("memory.ram_bytes", size(memory[1], "GB"), "", line_of("Physical Memory"))
        index = 0
        line = line_of("devices")
        for kind in ("amd_gpu", "amd_igpu", "amd_dgpu"):
            for info in devices[kind] if isinstance(devices.get(kind), list) else (devices.get(kind),):
                if isinstance(info, dict):
                    yield from _gpu(info, index, kind, line_of)
                    index += 1
        yield Reading("app.name", "lemonade", "lemonade", line)
        states = _states(document)
        if states:
            yield Reading("app.backends", states, "lemonade", line_of("backends") if "recipes" in document else line)


def read(text: str) -> Iterator[Reading]:
    """Version, GPUs and the state of every backend."""
    table, recipe = False, ""
    states: dict[str, str] = {}
    first = 0
    for number, line in lines(text):
        version = _VERSION.search(line[:200]) if "ersion" in line or "Lemonade Server" in line else None
        if version:
            yield Reading("app.name", "lemonade", "lemonade", number)
            yield Reading("app.version", version[1] or version[2], "lemonade", number)
        if line.startswith("Recipe") and _HEAD.match(line):
            table = True
            yield Reading("app.name", "lemonade", "lemonade", number)
            continue
        row = _ROW.match(line[:300]) if table else None
        if row:
            recipe = row[1] or recipe
            note = _ADVICE.sub("", row[4]).strip()
            states[f"{recipe}:{row[2]}"] = f"{row[3]}: {note}" if note else row[3]
            first = first or number
        elif table and line.strip("- "):
            table = False
        gpu = _GPU.search(line[:400]) if "AMD GPU: " in line else None
        if gpu:
            yield Reading("gpu.name", gpu[1], "lemonade:log", number)
            target = products.gfx_of_name(gpu[1])
            if target:
                yield Reading("gpu.gfx_reported", target, "lemonade:log", number)
            yield Reading("gpu.is_apu", gpu[2] == "integrated", "lemonade:log", number)
            if gpu[3]:
                yield Reading("windows.adrenalin", gpu[3], "", number)
            if gpu[4]:
                yield Reading("windows.driver_version", gpu[4], "", number)
    if states:
        yield Reading("app.backends", states, "lemonade", first)
    if '"devices"' in text:
        yield from _json(text)
