"""The log of the Ollama server, 0.1 to the llama-server generation.

>>> for r in read('time=2026-02-05T19:41:15.595+08:00 level=INFO source=types.go:42 msg="inference compute" id=0 '
...     'filter_id=0 library=ROCm compute=gfx1151 name=ROCm0 description="AMD Radeon(TM) 8060S Graphics" '
...     'libdirs=ollama driver=70151.80 pci_id=0000:c7:00.0 type=iGPU total="96.0 GiB" available="94.1 GiB"'):
...     print(r.name, r.value, r.item or '-')
ollama.library rocm -
ollama.total_bytes 103079215104 -
ollama.available_bytes 101039105638 -
gpu.gfx_reported gfx1151 0000:c7:00.0
gpu.name AMD Radeon(TM) 8060S Graphics 0000:c7:00.0
gpu.pci_address 0000:c7:00.0 0000:c7:00.0
gpu.is_apu True 0000:c7:00.0
>>> [(r.name, r.value) for r in read('level=WARN source=amd_linux.go:61 msg="x"')]
[('os.family', 'linux')]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge.products import has_own_memory, radv_gfx
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import gfx, lazy, lines, pci_address, size
from rocmdoctor.texts.readers.llama_cpp_log import offloaded

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

_MARKS = ("inference compute", "level=INFO source=", "level=WARN source=", "supported_types=", "msg=\"")
_WEAK_MARKS = ("ollama", "Ollama", "(version ", "offloaded ", "PROCESSOR ")
MARKS = (*_MARKS, *_WEAK_MARKS)
_LOADED = lazy(r"^\S{1,120} +[0-9a-f]{12} +[\d.]{1,6} [KMGT]B +(?:100% (CPU|GPU)|(\d{1,2})%/(\d{1,2})% CPU/GPU) ")
_VERSION = lazy(r"\(version v?([0-9]+\.[0-9]+[\w.+-]{0,40})\)")
_IS = lazy(r"ollama (?:client |server )?version(?: is|:|=) ?v?([0-9]+\.[0-9]+[\w.+-]{0,40})", re.IGNORECASE)
_IMAGE = lazy(r"ollama/ollama:v?([0-9]+\.[0-9]+\.[0-9]+)")
_SIZE = lazy(r"([0-9]{1,12}(?:\.[0-9]{1,6})?) ?([KMGT]?i?B)")
_LISTED = lazy(r"supported[_ ]types[=:]\W{0,3}([^\])]{0,400})")
_TYPES = lazy(r"gfx[0-9]{3,4}[0-9a-f]?")
_FILE = lazy(r"source=amd_(linux|windows)\.go")
_KEY = lazy(r"[A-Za-z_][\w.]{0,60}=")


def recognises(text: str) -> bool:
    """Whether Ollama wrote any line of the text."""
    if any(mark in text for mark in _MARKS):
        return True
    return any(mark in text for mark in _WEAK_MARKS) and next(read(text), None) is not None


def fields(line: str) -> dict[str, str]:
    """The key=value pairs of a logfmt line; a quote that is cut off ends with the line.

    >>> fields('level=INFO msg="a \\\\"b\\\\" c" total="16.0 GiB" id=0 cut="off')
    {'level': 'INFO', 'msg': 'a "b" c', 'total': '16.0 GiB', 'id': '0', 'cut': 'off'}
    """
    found: dict[str, str] = {}
    at = 0
    while match := _KEY.search(line, at):
        at = match.end()
        if line[at:at + 1] == '"':
            at += 1
            start = at
            while at < len(line) and line[at] != '"':
                at += 2 if line[at] == "\\" else 1
            value = line[start:at].replace('\\"', '"')
            at += 1
        else:
            end = line.find(" ", at)
            end = len(line) if end < 0 else end
            value, at = line[at:end], end
        found[match.group(0)[:-1]] = value
    return found


def _bytes(word: str) -> int | None:
    found = _SIZE.search(word)
    return size(found.group(1), found.group(2)) if found else None


def _compute(number: int, pairs: dict[str, str]) -> Iterator[Reading]:
    library = pairs.get("library", "").lower()
    if library:
        yield Reading("ollama.library", library, "", number)
    if library in ("", "cpu"):
        return
    for key in ("total", "available"):
        amount = _bytes(pairs.get(key, ""))
        if amount is not None:
            yield Reading(f"ollama.{key}_bytes", amount, "", number)
    if library not in ("rocm", "vulkan"):
        return
    address = pci_address(pairs.get("pci_id", ""))
    item = address or f"ollama:{pairs.get('id', '0')[:40]}"
    name = pairs.get("description", "")
    target = gfx(pairs.get("compute", "")) or radv_gfx(name)
    if target:
        yield Reading("gpu.gfx_reported", target, item, number)
    if pairs.get("name", "").lower().startswith("1002:"):
        yield Reading("gpu.pci_id", pairs["name"].lower(), item, number)
        name = ""
    elif not name and len(pairs.get("name", "")) > 8:
        name = pairs["name"]
    if name:
        yield Reading("gpu.name", name, item, number)
    if address:
        yield Reading("gpu.pci_address", address, item, number)
    if pairs.get("type"):
        yield Reading("gpu.is_apu", pairs["type"].lower() == "igpu", item, number)
    amount = _bytes(pairs.get("total", ""))
    known_as = pairs["name"].lower() if pairs.get("name", "").startswith("1002:") else ""
    if amount and (pairs["type"].lower() == "discrete" if pairs.get("type") else has_own_memory(name, known_as)):
        yield Reading("gpu.vram_bytes", amount, item, number)
    # Up to 0.11 driver= is the version of the amdgpu module; later it is a HIP build number.
    if library == "rocm" and pairs.get("driver") and "libdirs" not in pairs and "pci_id" not in pairs:
        yield Reading("amdgpu.version", pairs["driver"], "", number)


def read(text: str) -> Iterator[Reading]:
    """Version, what the server found, and what it offloaded."""
    entry: tuple[int, str] | None = None
    for number, line in lines(text):
        if entry and (line[:1] in (" ", "\t") and "=" in line) and number - entry[0] < 6:
            entry = (entry[0], f"{entry[1]} {line.strip()}")
            continue
        if entry:
            yield from _compute(entry[0], fields(entry[1]))
            entry = None
        if "inference compute" in line:
            entry = (number, line[line.find("inference compute"):])
            continue
        found = _VERSION.search(line) if "Listening on" in line else None
        found = found or (_IS.search(line) if "ersion" in line and "llama" in line else None)
        found = found or (_IMAGE.search(line) if "ollama/ollama:" in line else None)
        if found:
            yield Reading("ollama.version", found.group(1), "", number)
        if "source=amd_" in line and (file := _FILE.search(line)):  # its discovery is a file for each system
            yield Reading("os.family", file.group(1), "", number)
        listed = _LISTED.search(line) if "supported" in line else None
        if listed:
            yield Reading("ollama.supported_types", _TYPES.findall(listed[1]), "", number)
        if "gpu_type=gfx" in line and gfx(line.split("gpu_type=", 1)[1]):
            item = f"ollama:{fields(line).get('gpu', '0')[:40]}"
            yield Reading("gpu.gfx_reported", gfx(line.split("gpu_type=", 1)[1]), item, number)
        if "HSA_OVERRIDE_GFX_VERSION=" in line and "level=" in line:
            value = fields(line).get("HSA_OVERRIDE_GFX_VERSION", "")
            if value:
                yield Reading("env.HSA_OVERRIDE_GFX_VERSION", value, "", number)
        if "% CPU" in line or "% GPU" in line:
            loaded = _LOADED.match(line[:400])
            if loaded:
                yield Reading("app.name", "ollama", "ollama", number)
                if loaded.group(1) == "CPU":
                    yield Reading("app.backend", "cpu", "ollama", number)
        if "offloaded " in line:
            yield from offloaded(number, line)
    if entry:
        yield from _compute(entry[0], fields(entry[1]))
