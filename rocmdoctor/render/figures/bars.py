"""Every place where memory is as a bar, with what is used of it."""

from __future__ import annotations

from rocmdoctor.facts.sections import GpuMemory, MemoryPicture, Pool
from rocmdoctor.facts.sizes import words
from rocmdoctor.records import dataclass, replace
from rocmdoctor.share.wash import wash


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar. Fractions are of the widest bar."""

    label: str
    length: float
    used: float
    text: str


def _bar(pool: Pool, widest: int) -> Bar:
    total = pool.total_bytes or 0
    used = min(max(pool.used_bytes or 0, 0), total)
    text = words(pool.total_bytes)
    if pool.used_bytes is not None:
        text += f", {words(pool.used_bytes)} used"
    if pool.note:
        text += f" ({wash(pool.note)})"
    return Bar(wash(pool.name), total / widest, used / widest, text)


def of_gpu(memory: MemoryPicture, gpu: GpuMemory) -> list[Bar]:
    """The pools of the host and of one GPU, on one scale."""
    pools = [pool for pool in [*memory.system, *gpu.pools] if pool.total_bytes]
    if gpu.is_apu is not True and any(pool.total_bytes for pool in gpu.pools):
        # On the scale of a server's RAM a card could not be seen.
        pools = [pool for pool in gpu.pools if pool.total_bytes]
    widest = max((pool.total_bytes or 0 for pool in pools), default=1) or 1
    return [_bar(pool, widest) for pool in pools]


def alike(memory: MemoryPicture) -> list[list[GpuMemory]]:
    """The GPUs, those that differ in nothing but their number and where it was read together."""
    groups: list[tuple[GpuMemory, list[GpuMemory]]] = []
    for gpu in memory.gpus:
        bare = replace(gpu, item="", pools=[replace(pool, source="") for pool in gpu.pools])
        like = next((group for first, group in groups if first == bare), None)
        if like is None:
            groups.append((bare, [gpu]))
        else:
            like.append(gpu)
    return [group for _, group in groups]


def title(gpus: list[GpuMemory]) -> str:
    """``GPU 0: Radeon 8060S (gfx1151), integrated``; of several that are alike their numbers."""
    gpu = gpus[0]
    kind = "" if gpu.is_apu is None else ", integrated" if gpu.is_apu else ", discrete"
    about = f" ({wash(gpu.gfx)})" if gpu.gfx else ""
    numbers = ", ".join(wash(each.item) for each in gpus)
    return f"GPU {numbers}: {wash(gpu.name) or 'AMD GPU'}{about}{kind}"
