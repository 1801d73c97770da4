"""How fast generation can be at all: bandwidth over the bytes that one token reads; and what the measured speed looks like."""

from __future__ import annotations

import re

from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass

# Below this the launches of kernels cost more than reading the weights, and bandwidth says nothing.
LEAST_BYTES = 10**9
GPU_SHARE = 0.4
CPU_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Ceiling:
    """Tokens per second that cannot be passed, and the row of the table it comes from."""

    tokens_per_s: float
    of: str


def active_bytes(model_bytes: int, name: str, expert_share: float | None) -> tuple[int, str]:
    """Bytes that one token reads, and how that is known: of a mixture of experts only the active part.

    >>> active_bytes(18_000_000_000, "qwen3-30b-a3b-q4_k_m", None)[0]
    1800000000
    >>> active_bytes(4_900_000_000, "llama3:8b", None)[0]
    4900000000
    """
    found = re.search(r"(\d{1,4}(?:\.\d+)?)b[-_ ]?a(\d{1,3}(?:\.\d+)?)b", name.lower())
    if found and float(found[2]) < float(found[1]):
        return round(model_bytes * float(found[2]) / float(found[1])), f"a mixture of experts, {found[2]} of {found[1]} billion weights active"
    if expert_share and 0 < expert_share < 1:
        return round(model_bytes * expert_share), "a mixture of experts, by the share of experts in use (attention not counted)"
    return model_bytes, "all weights once per token"


def _row(gfx: str, name: str, apu: bool) -> dict[str, object] | None:
    """The row of the table for this GPU: by its name where several share a target, else the fastest of them."""
    rows = [row for row in tables.load("bandwidth")["apu" if apu else "dgpu"] if row["gfx"] == gfx.split(":")[0]]
    plain = re.sub(r"[^a-z0-9]+", " ", name.lower()).split()
    named = [row for row in rows if all(word in plain for word in re.sub(r"[^a-z0-9]+", " ", re.sub(r"\(.*", "", str(row["product"])).lower()).split()
                                        if word not in ("amd", "radeon", "instinct"))]
    return max(named or rows, key=lambda row: (len(str(row["product"])) if named else 0, float(row["bw"])), default=None)


def gpu_ceiling(size: int, gfx: str, name: str, apu: bool) -> Ceiling | None:
    """For this GPU; None when the table does not know it."""
    row = _row(gfx, name, apu)
    return Ceiling(float(str(row["bw"])) * 1e9 / size, f"{row['product']}, {row['bw']} GB/s") if row and size > 0 else None


def cpu_ceiling(size: int, gfx: str, apu: bool, cores: int) -> Ceiling | None:
    """For the fastest memory that a machine of this kind can have, as the fitted one is not known without root."""
    if size <= 0 or cores > 48:
        return None  # a server with many channels: the span of possible memories is too wide to judge by
    if apu:
        row = _row(gfx, "", True)
        if not row:
            return None
        measured = row.get("measured_cpu")
        top = max(float(value) for value in measured) if isinstance(measured, list) else float(str(row["bw"]))
        return Ceiling(top * 1e9 / size, f"the CPU of {row['product']}, {top:g} GB/s")
    rows = [row for row in tables.load("bandwidth")["system_memory"] if str(row["config"]).endswith("dual")]
    best = max(rows, key=lambda row: float(row["bw"]))
    return Ceiling(float(best["bw"]) * 1e9 / size, f"at best {best['config']}, {best['bw']} GB/s")


def verdict(measured: float, size: int, gpu: Ceiling | None, cpu: Ceiling | None) -> tuple[str, str]:
    """gpu_like, cpu_like, mixed or unknown, and one sentence why.

    >>> verdict(100.0, 4_900_000_000, Ceiling(196.0, "g"), Ceiling(20.9, "c"))[0]
    'gpu_like'
    >>> verdict(9.0, 4_900_000_000, Ceiling(196.0, "g"), Ceiling(20.9, "c"))[0]
    'cpu_like'
    >>> verdict(35.0, 4_900_000_000, Ceiling(196.0, "g"), Ceiling(20.9, "c"))[0]
    'mixed'
    """
    if size < LEAST_BYTES:
        return "unknown", "the model is too small: starting the kernels costs more than reading the weights"
    if gpu is None:
        return "unknown", "no bandwidth is known for this GPU"
    share = measured / gpu.tokens_per_s
    if share > 1.15:
        return "unknown", f"{measured:.1f} tokens/s is above the ceiling: fewer weights are read per token than assumed, or several tokens at once"
    if share >= GPU_SHARE and (cpu is None or measured > cpu.tokens_per_s):
        return "gpu_like", f"{share:.0%} of the GPU's ceiling"
    if cpu is None:
        return "unknown", f"{share:.0%} of the GPU's ceiling; no bandwidth is known for this CPU"
    if cpu.tokens_per_s >= GPU_SHARE * gpu.tokens_per_s:
        return "unknown", f"{share:.0%} of the GPU's ceiling; CPU and GPU read the same memory, so bandwidth cannot tell them apart"
    if share < CPU_SHARE and measured <= cpu.tokens_per_s:
        return "cpu_like", f"{share:.0%} of the GPU's ceiling, {measured / cpu.tokens_per_s:.0%} of the CPU's"
    return "mixed", f"{share:.0%} of the GPU's ceiling: part of the model on the CPU, memory over PCIe, or low clocks"
