"""The memory of a GPU as one bar, now and after the change, and below it what a model needs, on one scale: geometry that terminal and page share.

What the GPU can take stands first, so a model that reaches beyond it does not fit.
"""

from __future__ import annotations

from rocmdoctor.facts.sections import Fit, GpuMemory, MemoryPicture, Pool
from rocmdoctor.facts.sizes import words
from rocmdoctor.records import dataclass, replace
from rocmdoctor.share.wash import wash

MOST_FITS = 4
_MODEL = {"weights": "weights", "KV cache": "kv"}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar, in bytes. ``kind``: carve (the GPU's own), reach (of the system's RAM, for the GPU to take), rest, used; or weights, kv, compute."""

    kind: str
    bytes: int
    text: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: all memory (a model's ``limit`` is 0), or what a model needs against the ``limit`` of what is free for it."""

    name: str
    segments: tuple[Segment, ...]
    limit: int = 0
    note: str = ""

    @property
    def total(self) -> int:
        """All of it in bytes."""
        return max(sum(segment.bytes for segment in self.segments), self.limit)

    @property
    def texts(self) -> list[str]:
        """What the parts are, in words."""
        return [segment.text for segment in self.segments] + ([self.note] if self.note else [])


def _bar(name: str, parts: tuple[tuple[str, int, str], ...]) -> Bar:
    return Bar(name, tuple(Segment(kind, size, f"{text} {words(size)}") for kind, size, text in parts if size > 0))


def _apu(name: str, carve: int, system: int, used: int, reach: int) -> Bar:
    """Of the system's RAM first what the GPU may take and nobody uses."""
    used = min(max(used, 0), system)
    free = min(max(reach, 0), system - used)
    over = max(min(reach, system) - free, 0)
    taken = f"in use (of it the GPU may take {words(over)})" if over >= 1 << 28 else "in use"
    return _bar(name, (("carve", carve, "the GPU's own"), ("reach", free, "GPU may take"),
                       ("rest", system - used - free, "system only"), ("used", used, taken)))


def _pool(pools: list[Pool], *kinds: str) -> Pool | None:
    return next((pool for pool in pools if pool.kind in kinds and pool.total_bytes), None)


def memory_bars(memory: MemoryPicture, gpu: GpuMemory) -> list[Bar]:
    """Of an integrated GPU all RAM, now and with what the plan sets; of a card its VRAM. None where a size is not known."""
    own = _pool(gpu.pools, "vram", "dedicated")
    if gpu.is_apu is not True:
        if not own or not own.total_bytes:
            return []
        used = min(max(own.used_bytes or 0, 0), own.total_bytes)
        part = next((pool.total_bytes for pool in gpu.pools if pool.name.startswith("one partition")), None)
        note = f"a program of ROCm gets one partition of it: {words(part)}" if part else ""
        return [replace(_bar("now", (("carve", own.total_bytes - used, "VRAM free"), ("used", used, "VRAM in use"))), note=note)]
    ram = _pool([pool for pool in memory.system if pool.name != "RAM fitted"], "ram")
    shared = _pool(gpu.pools, "gtt", "shared")
    if not ram or not ram.total_bytes:
        return []
    aside = own.total_bytes or 0 if own else 0
    used, reach = ram.used_bytes or 0, (shared.total_bytes or 0) if shared else 0
    found = [_apu("now", aside, ram.total_bytes, used, reach)]
    plan = gpu.plan
    if plan and (plan.carve_out_bytes != aside or plan.limit_bytes not in (None, min(reach, ram.total_bytes))):
        limit = plan.limit_bytes if plan.limit_bytes is not None else plan.system_bytes // 2
        found.append(_apu("after the change", plan.carve_out_bytes, plan.system_bytes, used, limit))
    return found


def model_bar(fit: Fit) -> Bar:
    """What one model needs of the GPU with one backend, and where that stops."""
    sizes: dict[str, int] = {}
    for part in fit.parts:
        if part.where == "gpu":
            kind = _MODEL.get(part.name, "compute")
            sizes[kind] = sizes.get(kind, 0) + part.bytes
    limit = next((wall.limit_bytes for wall in reversed(fit.walls) if wall.name.startswith("runtime in ")), None)
    names = {"weights": "weights", "kv": "KV cache", "compute": "computing"}
    bar = _bar(fit.backend, tuple((kind, size, names[kind]) for kind, size in sizes.items()))
    said = [f"free for it {words(limit)}"] * (limit is not None)
    if fit.longest_context:
        said.append(f"fits up to {fit.longest_context} tokens of context")
    hit = next((wall for wall in fit.walls if wall.name == fit.fails_at), None)
    if hit and hit.limit_bytes != limit:  # it stops elsewhere than in this bar
        said.append(f"it fails at the {hit.name}: {words(hit.needed_bytes)} needed, {words(hit.limit_bytes)} there")
    return Bar(wash(bar.name), bar.segments, limit or 0, ", ".join(said))


def figure(memory: MemoryPicture, gpu: GpuMemory) -> list[Bar]:
    """All bars of a GPU, from above: now, the models in it, after the change."""
    bars = memory_bars(memory, gpu)
    models = [model_bar(fit) for fit in gpu.fits[:MOST_FITS]]
    several = len({fit.model for fit in gpu.fits}) > 1
    if several:
        models = [Bar(f"{wash(fit.model, 24)}, {bar.name}", bar.segments, bar.limit, bar.note) for fit, bar in zip(gpu.fits, models, strict=False)]
    return [*bars[:1], *models, *bars[1:]]
