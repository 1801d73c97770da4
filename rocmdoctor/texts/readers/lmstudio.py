"""LM Studio: the hardware survey (JSON of the app and of ``lms runtime survey``), its text, ``lms runtime ls``, the server log.

>>> sample = '''[{"modelCompatibilityType": "gguf", "runtime": {"hardwareSurveyResult": {
...  "compatibility": {"status": "Compatible"},
...  "memoryInfo": {"ramCapacity": 33555337216, "vramCapacity": 17179869184},
...  "gpuSurveyResult": {"result": {"code": "Success"}, "gpuInfo": [
...   {"name": "AMD Radeon RX 6800 XT", "detectionPlatform": "Vulkan", "integrationType": "Discrete",
...    "dedicatedMemoryCapacityBytes": 17179869184}]}}}}]'''
>>> for r in read(sample):
...     print(r.name, r.value, r.item, r.line)
app.name lmstudio lmstudio 1
memory.ram_bytes 33555337216  3
gpu.name AMD Radeon RX 6800 XT lmstudio:0 5
gpu.gfx_reported gfx1030 lmstudio:0 5
gpu.vram_bytes 17179869184 lmstudio:0 6
gpu.is_apu False lmstudio:0 5
app.backends {'Vulkan': 'Success'} lmstudio 4
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products, tables
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import KeyLines, documents, lazy, lines, size

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

MARKS = ("hardwareSurvey", "vramCapacity", "[LM Studio]", "LM Studio", "LMSInternal", "Survey by ", "llama.cpp-win-x86_64", "llama.cpp-linux-x86_64",
         "lmstudio")
# A model that lies in ~/.lmstudio/models is used by other programs, too.
_OWN = ("LM Studio", "hardwareSurvey", "vramCapacity", "Survey by ", ".lmstudio/extensions", ".lmstudio\\extensions", "LMSInternal")
_VERSION = lazy(r"\bLM ?Studio (?:version |v)?(\d\.\d{1,2}\.\d{1,2}(?:[ +-]\(?(?:[Bb]uild )?\d{1,3}\)?)?)")
_ENGINE = lazy(r"\bllama\.cpp-(?:win|linux|mac)[\w-]{0,20}?-(?:(amd-rocm|rocm|vulkan|nvidia-cuda\d*|cuda\d*)-)?(?:avx2)[@-]v?(\d\.\d{1,3}\.\d{1,3})")
_SURVEYED = lazy(r"^[ \t]*(.{3,120}?) \((ROCm|Vulkan|CUDA|OpenCl|Shell|Unknown), (Integrated|Discrete|Unknown)\)\s{2,}(\d{1,5}(?:\.\d+)?) ([KMGT]i?B)")
_OTHERS = lazy(r"NVIDIA|Intel|Apple")
_LIVE = lazy(r"^[ \t]*GPU (\d{1,2}): (.{3,100}?) \(Used: [\d.]{1,9} [KMGT]?B, Total: (\d{1,5}(?:\.\d{1,3})?) GB,")
_CAPACITY = lazy(r'"(ramCapacity|vramCapacity)" ?: ?(\d{6,15})')
_SELECTED = {"amd-rocm": "rocm", "rocm": "rocm", "vulkan": "vulkan"}


def recognises(text: str) -> bool:
    """Words of LM Studio that stand in its own output.

    >>> recognises('"hardwareSurveyResult": {}'), recognises("a GPU survey")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def _surveys(node: Any) -> Iterator[dict[str, Any]]:
    """Every object of a document that has a gpuSurveyResult, with memoryInfo moved beside it."""
    stack = [node]
    while stack:
        entry = stack.pop()
        if isinstance(entry, dict):
            if isinstance(entry.get("gpuSurveyResult"), dict):
                yield entry
            elif isinstance(entry.get("hardwareSurvey"), dict) and isinstance(entry["hardwareSurvey"].get("gpuSurveyResult"), dict):
                yield {**entry, **entry["hardwareSurvey"]}
                continue
            stack.extend(reversed(list(entry.values())))
        elif isinstance(entry, list):
            stack.extend(reversed(entry))


def _gpu(info: dict[str, Any], index: int, line_of: KeyLines) -> Iterator[Reading]:
    name = info.get("name")
    if not isinstance(name, str) or not name:
        return
    item = f"lmstudio:{index}"
    line = line_of("name")
    if "NVIDIA" in name or "Intel" in name:
        return
    yield Reading("gpu.name", name[:120], item, line)
    gfx = products.gfx_of_name(name)
    if gfx:
        yield Reading("gpu.gfx_reported", gfx, item, line)
    amount = info.get("dedicatedMemoryCapacityBytes")
    if isinstance(amount, int) and amount > 0:
        yield Reading("gpu.vram_bytes", amount, item, line_of("dedicatedMemoryCapacityBytes"))
    kind = str(info.get("integrationType")).lower()
    if kind in ("integrated", "discrete"):
        yield Reading("gpu.is_apu", kind == "integrated", item, line)


def _json(text: str) -> Iterator[Reading]:
    line_of = KeyLines(text)
    states: dict[str, str] = {}
    seen: set[str] = set()
    at = 0
    for _, document in documents(text):
        for survey in _surveys(document):
            result = survey["gpuSurveyResult"]
            memory = survey.get("memoryInfo")
            compatibility = survey.get("compatibility")
            at = at or line_of("compatibility")
            ram = memory.get("ramCapacity") if isinstance(memory, dict) else None
            if isinstance(ram, int) and ram > 0:
                yield Reading("memory.ram_bytes", ram, "", line_of("ramCapacity"))
            at = line_of("gpuSurveyResult")
            outcome = result.get("result") if isinstance(result.get("result"), dict) else {}
            gpus = result.get("gpuInfo") if isinstance(result.get("gpuInfo"), list) else []
            for info in (gpu for gpu in gpus or () if isinstance(gpu, dict)):
                if str(info.get("name")) not in seen:
                    seen.add(str(info.get("name")))
                    yield from _gpu(info, len(seen) - 1, line_of)
            name = str(survey.get("name") or (gpus[0].get("detectionPlatform") if gpus and isinstance(gpus[0], dict) else "") or "gpu survey")
            state = str((compatibility or {}).get("status") if isinstance(compatibility, dict) else "")
            code = str((outcome or {}).get("code") or "")
            message = str((outcome or {}).get("message") or "")
            states[name[:80]] = (message or code)[:200] if code.lower() != "success" else code if state.lower() in ("compatible", "") else state
    if states:
        yield Reading("app.backends", states, "lmstudio", at)


def read(text: str) -> Iterator[Reading]:
    """Version, engine, GPUs that the survey found and how each survey ended."""
    named, survey = False, "urveyResult" in text
    for number, line in lines(text):
        if not named and any(mark in line for mark in _OWN):
            named = True
            yield Reading("app.name", "lmstudio", "lmstudio", number)
        version = _VERSION.search(line[:400]) if "LM" in line else None
        if version:
            yield Reading("app.version", version[1], "lmstudio", number)
        engine = _ENGINE.search(line[:600]) if "llama.cpp-" in line else None
        if engine and ("✓" in line or "elected" in line or "oading" in line or "engine" in line.lower()):
            yield Reading("app.backend", _SELECTED.get(engine[1] or "", "cpu" if not engine[1] else "cuda"), "lmstudio", number)
        live = _LIVE.match(line[:260]) if ", Total: " in line else None
        if live and not _OTHERS.search(live[2]):
            gfx = products.gfx_of_name(live[2])
            yield Reading("gpu.name", live[2], f"lmstudio:{live[1]}", number)
            if gfx:
                yield Reading("gpu.gfx_reported", gfx, f"lmstudio:{live[1]}", number)
            if tables.kind(gfx) == "dgpu":  # of an APU it is a share of the RAM; GB are decimal here
                yield Reading("gpu.vram_bytes", round(float(live[3]) * 1e9), f"lmstudio:{live[1]}", number)
        row = _SURVEYED.match(line[:260]) if "B" in line[-4:] else None
        if row and "NVIDIA" not in row[1]:
            item = f"lmstudio:{row[1].lower().replace(' ', '-')[:60]}"
            yield Reading("gpu.name", row[1], item, number)
            gfx = products.gfx_of_name(row[1])
            if gfx:
                yield Reading("gpu.gfx_reported", gfx, item, number)
            yield Reading("gpu.vram_bytes", size(row[4], row[5]), item, number)
            if row[3] != "Unknown":
                yield Reading("gpu.is_apu", row[3] == "Integrated", item, number)
        part = _CAPACITY.search(line[:200]) if "amCapacity" in line and not survey else None  # a survey that was pasted in part
        if part:
            ram = part[1] == "ramCapacity"
            yield Reading("memory.ram_bytes" if ram else "gpu.vram_bytes", int(part[2]), "" if ram else "lmstudio:0", number)
    if survey:
        yield from _json(text)
