"""Which number each application takes for the size of a GPU, by the table ``memory_readings``."""

from __future__ import annotations

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact
from rocmdoctor.facts.sections import AppReading
from rocmdoctor.facts.sizes import GIB
from rocmdoctor.facts.versions import in_range
from rocmdoctor.knowledge import tables
from rocmdoctor.memory.machine import Facts, Gpu, Host
from rocmdoctor.memory.place import gtt_total, hip_pool, predicted_heaps

_WORDS = {
    "carve_out": "VRAM (the carve-out) only", "gtt": "GTT", "apu_rule": "GTT or carve-out, by its own rule", "hip": "what HIP says",
    "host_available": "MemAvailable of the system as free memory", "vulkan_all": "all Vulkan heaps",
    "vulkan_local": "device-local Vulkan heaps only", "dedicated": "dedicated memory",
}


def _heaps(gpu: Gpu, host: Host) -> list[tuple[int, bool]]:
    if gpu.heaps:
        return [(int(heap["size"]), bool(heap.get("device_local"))) for heap in gpu.heaps]
    return predicted_heaps(gpu, host)


def _hip(gpu: Gpu, host: Host) -> int | None:
    if gpu.hip_total is not None or host.family == "windows":
        return gpu.hip_total
    if not gpu.apu:
        return gpu.sliced or gpu.vram
    return gtt_total(gpu, host) if hip_pool(gpu, host)[0] == "gtt" else gpu.vram


def number(reads: str, gpu: Gpu, host: Host) -> int | None:
    """The number that this way of reading gives here."""
    gtt = gtt_total(gpu, host)
    heaps = _heaps(gpu, host)
    if reads == "apu_rule":
        small = gpu.vram is not None and gtt is not None and gpu.vram <= 4 * GIB and gtt >= 8 * GIB and gtt >= 4 * gpu.vram
        return gtt if small else gpu.vram
    if reads == "vulkan_all":
        return sum(size for size, _ in heaps) or None
    if reads == "vulkan_local":
        return sum(size for size, local in heaps if local) or None
    return {"carve_out": gpu.vram, "dedicated": gpu.vram, "gtt": gtt, "host_available": host.available, "hip": _hip(gpu, host)}.get(reads)


def _installed(facts: dict[str, Fact]) -> dict[str, str]:
    seen = Facts(facts)
    found = {seen.text("app.name", item).lower(): seen.text("app.version", item) for item in items_of(facts, "app")}
    if seen.text("ollama.version"):
        found["ollama"] = seen.text("ollama.version")
    if seen.text("llama.build"):
        found.setdefault("llama.cpp", seen.text("llama.build"))
    if any(seen.text("torch.version", item) for item in items_of(facts, "torch")):
        found["pytorch"] = ""
    return {name: told for name, told in found.items() if name}


def _applies(row: dict[str, object], told: str) -> bool:
    """Whether the row is right for the version; without a version every row is."""
    bounds = {kind: str(row[key]) for kind, key in (("from", "from"), ("before", "below")) if row.get(key)}
    return not bounds or in_range(told, bounds) is not False


def _span(row: dict[str, object]) -> str:
    low, high = str(row.get("from") or ""), str(row.get("below") or "")
    return f"{low} to {high}" if low and high else f"from {low}" if low else f"before {high}" if high else "all"


def readings(gpu: Gpu, host: Host, facts: dict[str, Fact]) -> list[AppReading]:
    """A row per application, backend and span of versions; those that are installed here come first."""
    here = _installed(facts)
    kind = "" if gpu.apu is None else "apu" if gpu.apu else "dgpu"
    found = []
    for row in tables.load("memory_readings")["readings"]:
        if row["gpu"] not in ("any", kind) or row["os"] not in ("any", host.family or "linux") or not _applies(row, here.get(row["app"], "")):
            continue
        size = number(row["reads"], gpu, host) or None
        found.append(AppReading(str(row["app"]), str(row["backend"]), _span(row), _WORDS[row["reads"]], size,
                                str(row["note"]), str(row["source"]), row["app"] in here))
    return sorted(found, key=lambda reading: not reading.installed)
