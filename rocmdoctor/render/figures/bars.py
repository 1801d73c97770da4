"""The geometry of a memory picture, which the terminal and the SVG share: bars, what is used, what is needed, the wall."""

from __future__ import annotations

from rocmdoctor.facts.sections import Fit, GpuMemory, MemoryPicture, Pool
from rocmdoctor.facts.sizes import words
from rocmdoctor.records import dataclass
from rocmdoctor.share.wash import wash


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar. Fractions are of the widest bar; ``wall`` is where a need meets its limit, None without one."""

    label: str
    length: float
    used: float
    text: str
    kind: str
    wall: float | None = None


def _bar(pool: Pool, widest: int) -> Bar:
    total = pool.total_bytes or 0
    used = min(max(pool.used_bytes or 0, 0), total)
    text = words(pool.total_bytes)
    if pool.used_bytes is not None:
        text += f", {words(pool.used_bytes)} used"
    if pool.note:
        text += f" ({wash(pool.note)})"
    return Bar(wash(pool.name), total / widest, used / widest, text, pool.kind)


def of_gpu(memory: MemoryPicture, gpu: GpuMemory) -> list[Bar]:
    """The pools of the host and of one GPU, on one scale."""
    pools = [pool for pool in [*memory.system, *gpu.pools] if pool.total_bytes]
    if gpu.is_apu is False:
        # On the scale of a server's RAM a card could not be seen.
        pools = [pool for pool in gpu.pools if pool.total_bytes]
    widest = max((pool.total_bytes or 0 for pool in pools), default=1) or 1
    return [_bar(pool, widest) for pool in pools]


def of_fit(fit: Fit) -> list[Bar]:
    """What the model needs of GPU memory, part by part, against what is there; and the wall that it hits."""
    limit = next((wall.limit_bytes for wall in reversed(fit.walls) if wall.name.startswith("runtime in ")), None)
    parts = [part for part in fit.parts if part.where == "gpu"]
    needed = sum(part.bytes for part in parts)
    hit = next((wall for wall in fit.walls if wall.name == fit.fails_at), None)
    widest = max(needed, limit or 0, hit.needed_bytes if hit else 0, (hit.limit_bytes or 0) if hit else 0, 1)
    found, start = [], 0
    over = limit / widest if limit is not None and needed > limit else None
    for part in parts:
        found.append(Bar(part.name, (start + part.bytes) / widest, start / widest, words(part.bytes), "need", over))
        start += part.bytes
    if limit is not None:
        found.append(Bar("free", limit / widest, 0.0, words(limit), "free", over))
    if hit and hit.limit_bytes is not None and not hit.name.startswith(tuple(f"{part.name} in " for part in parts)):
        found.append(Bar(hit.name, hit.needed_bytes / widest, 0.0, f"{words(hit.needed_bytes)} needed, {words(hit.limit_bytes)} there", "wall",
                         hit.limit_bytes / widest))
    return found


def title(gpu: GpuMemory) -> str:
    """``GPU 0: Radeon 8060S (gfx1151), integrated``."""
    kind = "" if gpu.is_apu is None else ", integrated" if gpu.is_apu else ", discrete"
    about = f" ({wash(gpu.gfx)})" if gpu.gfx else ""
    return f"GPU {wash(gpu.item)}: {wash(gpu.name) or 'AMD GPU'}{about}{kind}"
