"""All RAM of an APU as one bar: carve-out, used, free, and how far GTT reaches; as it is now, and as it would be after the change."""

from __future__ import annotations

from typing import Literal

from rocmdoctor.facts.sections import GpuMemory, MemoryPicture, Pool
from rocmdoctor.facts.sizes import words
from rocmdoctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the bar, in bytes: set aside for the GPU, used by the system, or free."""

    kind: Literal["carve", "used", "free"]
    bytes: int
    text: str


@dataclass(frozen=True, slots=True)
class Stack:
    """One bar. ``reach`` are the bytes at its end that the GPU may take of the system's RAM; ``needed`` what the largest model asks for."""

    name: str
    segments: tuple[Segment, ...]
    reach: int
    needed: int = 0

    @property
    def total(self) -> int:
        """All RAM in bytes."""
        return sum(segment.bytes for segment in self.segments)

    @property
    def words(self) -> str:
        """The bar in words."""
        parts = ", ".join(segment.text for segment in self.segments)
        return f"{self.name}: {parts}" + (f"; the GPU may take {words(self.reach)} of the system's" if self.reach else "")


def _stack(name: str, carve: int, system: int, used: int, reach: int, needed: int) -> Stack:
    used = min(max(used, 0), system)
    segments = (Segment("carve", carve, f"GPU {words(carve)}"), Segment("used", used, f"used {words(used)}"),
                Segment("free", system - used, f"free {words(system - used)}"))
    return Stack(name, tuple(segment for segment in segments if segment.bytes > 0), min(max(reach, 0), system), needed)


def _pool(pools: list[Pool], kind: str) -> Pool | None:
    return next((pool for pool in pools if pool.kind == kind and pool.total_bytes), None)


def of_apu(memory: MemoryPicture, gpu: GpuMemory) -> list[Stack]:
    """The bars of an integrated GPU: now, and with what the plan sets; none for a card or where a size is not known."""
    system = [pool for pool in memory.system if pool.name != "RAM fitted"]
    ram, carve = _pool(system, "ram"), _pool(gpu.pools, "vram") or _pool(gpu.pools, "dedicated")
    gtt = _pool(gpu.pools, "gtt") or _pool(gpu.pools, "shared")
    if gpu.is_apu is not True or not ram or not ram.total_bytes:
        return []
    aside = carve.total_bytes or 0 if carve else 0
    used = ram.used_bytes or 0
    needed = max((sum(part.bytes for part in fit.parts if part.where == "gpu") for fit in gpu.fits), default=0)
    found = [_stack("now", aside, ram.total_bytes, used, (gtt.total_bytes or 0) if gtt else 0, needed)]
    plan = gpu.plan
    if plan and (plan.carve_out_bytes != aside or plan.limit_bytes not in (None, found[0].reach)):
        reach = plan.limit_bytes if plan.limit_bytes is not None else plan.system_bytes // 2
        found.append(_stack("then", plan.carve_out_bytes, plan.system_bytes, used, reach, needed))
    return found
