"""JSON that no other reader knows: searched for what it names, by the words of its keys.

>>> sample = '''{"env": {"torch_version": "2.9.1+rocm7.2", "hip": "7.2.26015", "kernel": "6.14.0-37-generic", "cuda_available": false},
...  "gpus": [{"name": "AMD Radeon RX 7900 XTX", "gcn_arch": "gfx1100", "vram_gb": 24}]}'''
>>> for r in read(sample):
...     print(r.line, r.name, r.item, r.value)
1 torch.version 0 2.9.1+rocm7.2
1 runtime.hip_version  7.2.26015
1 kernel.release  6.14.0-37-generic
1 torch.available 0 False
2 gpu.name gpus.0 AMD Radeon RX 7900 XTX
2 gpu.gfx_reported gpus.0 gfx1100
2 gpu.vram_bytes gpus.0 25769803776
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.records import replace
from rocmdoctor.texts.lines import KeyLines, documents, gfx, lazy

TRUST = 1
KINDS = frozenset({"json"})
LAST = True  # asked only where no other reader found anything

_MOST = 4000
_NUMBER = r"(\d{1,3}\.\d{1,3}(?:\.\d{1,6})?\S{0,60})$"
_VERSIONS = (
    ("torch.version", "0", lazy(r"(?:^|\.)(?:py)?torch(?:[._]?version)?$"), lazy(_NUMBER)),
    ("torch.hip", "0", lazy(r"torch\S*[._](?:hip|version_hip)$"), lazy(_NUMBER)),
    ("runtime.hip_version", "", lazy(r"(?:^|[._])hip(?:[._]?version)?$"), lazy(_NUMBER)),
    ("runtime.rocm_version", "", lazy(r"(?:^|[._])rocm(?:[._]?version)?$"), lazy(_NUMBER)),
    ("kernel.release", "", lazy(r"(?:^|[._])(?:linux_)?kernel(?:[._]?(?:version|release))?$"), lazy(r"(?:Linux )?([2-7]\.\d{1,3}[\w.+~-]{0,60})")),
    ("vulkan.mesa_version", "", lazy(r"(?:^|[._])mesa(?:[._]?version)?$"), lazy(r"(?:Mesa )?(\d\d\.\d{1,2}(?:\.\d{1,2})?)")),
    ("ollama.version", "", lazy(r"(?:^|[._])ollama(?:[._]?version)?$"), lazy(r"v?(0\.\d{1,3}\.\d{1,3}\S{0,20})$")),
    ("machine.cpu", "", lazy(r"(?:^|[._])cpu(?:[._]?(?:name|model))?$"), lazy(r"(\D.{3,100})$")),
)
_NAME = lazy(r"(?:^|[._])(?:name|gpu|device|gpu_name|device_name|model|product|product_name|marketing_name|card|adapter|graphics|description)(?:\.\d{1,2})?$")
_ARCH = lazy(r"(?:gfx|arch|gcn|target|isa|compute)")
_AMD = lazy(r"\bAMD\b|Radeon|Instinct|\bRX \d{3}")
_ROW = lazy(r"(?:gpu|device|card|adapter|accelerator|agent)s?\w{0,20}\.(\d{1,3})$", re.IGNORECASE)
_NO_GPU = lazy(r"\b(?:case|enclosure|cooler|heatsink|bracket|shroud)\b|"
               r"audio|sound|hdmi|speaker|Advanced Micro Devices, Inc\. \[AMD(?:/ATI)?\]$|^AMD$|\bRyzen\b(?!.*\bRadeon)|EPYC", re.IGNORECASE)
_MEMORY = lazy(r"(?:vram|total_memory|memory_total|dedicated_memory)(?!\w*(?:peak|used|free|delta|start|end|avg|mean|max|min))\w*?_(bytes|mb|mib|gb|gib)$")
_WHOLE = lazy(r"total|size|capacity|dedicated")
_UNITS = {"bytes": 0, "mb": 20, "mib": 20, "gb": 30, "gib": 30}


def recognises(text: str) -> bool:
    """A JSON document."""
    return text.lstrip()[:1] in ("{", "[")


def _leaves(data: Any) -> Iterator[tuple[str, str, Any]]:
    """Values with the path of their object and their own key, in the order of the text."""
    stack: list[tuple[str, str, Any]] = [("", "", data)]
    met = 0
    while stack and met < _MOST:
        path, key, node = stack.pop()
        met += 1
        here = f"{path}.{key}".strip(".")
        if isinstance(node, dict):
            stack.extend((here, str(inner), value) for inner, value in reversed(node.items()))
        elif isinstance(node, list):
            stack.extend((here, str(index), value) for index, value in reversed(list(enumerate(node[:200]))))
        else:
            yield path, key, node


def _reading(path: str, key: str, value: Any, line: int) -> Iterator[Reading]:
    where = f"{path}.{key}".strip(".").lower().replace("-", "_").replace(" ", "_")
    item = path if not key.isdigit() else f"{path}.{key}"
    if isinstance(value, bool):
        if where.endswith(("cuda_available", "torch_available", "gpu_available", "hip_available")):
            yield Reading("torch.available", value, "0", line)
        return
    memory = _MEMORY.search(where) if isinstance(value, (int, float)) else None
    if memory and 0 < value < 1 << 50:
        yield Reading("gpu.vram_bytes", int(value * (1 << _UNITS[memory[1]])), item, line)
    if not isinstance(value, str) or not 2 < len(value) < 300:
        return
    for name, owner, keys, values in _VERSIONS:
        found = values.match(value) if keys.search(where) else None
        if found and not _AMD.search(value if name != "machine.cpu" else ""):
            yield Reading(name, found[1], owner, line)
            break
    if _NAME.search(where) and _AMD.search(value) and not _NO_GPU.search(value) and not where.endswith(("cpu", "cpu.name", "cpu_name", "cpu.model")):
        yield Reading("gpu.name", value, item, line)
        if products.gfx_of_name(value):
            yield Reading("gpu.gfx_reported", products.gfx_of_name(value), item, line)
    elif _ARCH.search(where.rpartition(".")[2]) and gfx(value):
        yield Reading("gpu.gfx_reported", gfx(value), item, line)


def read(text: str) -> Iterator[Reading]:
    """What the keys say; a gfx target that is written beats the one a name implies."""
    line_of = KeyLines(text)
    held: dict[tuple[str, str], Reading] = {}
    written: set[str] = set()
    bare: set[str] = set()
    for _, data in documents(text):
        for path, key, value in _leaves(data):
            line = line_of(key)
            for reading in _reading(path, key, value, line):
                at = (reading.name, reading.item)
                if reading.name == "gpu.vram_bytes" and not _WHOLE.search(key.lower()):
                    bare.add(reading.item)
                explicit = reading.name == "gpu.gfx_reported" and isinstance(value, str) and gfx(value) != ""
                if at not in held or explicit and reading.item not in written:
                    held[at] = reading
                if explicit:
                    written.add(reading.item)
    for name, item in [key for key in held if key[0] == "gpu.vram_bytes" and key[1] in bare]:
        if not any(told in ("gpu.name", "gpu.gfx_reported") and item in (place, place.rpartition(".")[0]) for told, place in held):
            del held[name, item]  # memory without a card or "total": what a program took in a run
    same = _devices(held)
    told: set[tuple[str, str]] = set()
    for (name, item), reading in held.items():
        owner = same.get(item, item)
        if (name, owner) not in told:
            told.add((name, owner))
            yield replace(reading, item=owner)


def _devices(held: dict[tuple[str, str], Reading]) -> dict[str, str]:
    """Places of the document to that of the device they are about: what repeats a name and a target is one, but for the rows of a list of GPUs."""
    found: dict[tuple[str, str], str] = {}
    same: dict[str, str] = {}
    for item in dict.fromkeys(item for name, item in held if name.startswith("gpu.")):
        row = _ROW.search(item)
        what = [str(held[key].value) if (key := (name, item)) in held else "" for name in ("gpu.gfx_reported", "gpu.name")]
        row_of = row[1] if row else ""
        near = next((place for (told, number), place in found.items() if told == (what[0] or what[1]) and (row_of == number or "" in (row_of, number))), "")
        same[item] = near or item
        if not near:
            found[what[0] or what[1], row_of] = item
    return same
