"""Where each backend takes its memory from on this machine, and how much it can get there now."""

from __future__ import annotations

from rocmdoctor.facts.versions import in_range
from rocmdoctor.knowledge import tables
from rocmdoctor.memory.machine import Gpu, Host
from rocmdoctor.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Place:
    """One backend's memory, in bytes; None is unknown.

    ``of_ram`` is the part of ``free`` that is system RAM (GTT, shared memory), ``ram`` what the system has available,
    ``staging`` what RAM the loader can have on Windows, ``buffer`` the largest single buffer.
    """

    backend: str
    pool: str
    free: int | None
    total: int | None
    of_ram: int = 0
    ram: int | None = None
    staging: int | None = None
    buffer: int | None = None
    spill: int = 0
    note: str = ""


def _left(total: int | None, used: int | None) -> int | None:
    return None if total is None else max(total - (used or 0), 0)


def gtt_total(gpu: Gpu, host: Host) -> int | None:
    """GTT cannot really exceed the limit of TTM."""
    if gpu.gtt is not None and host.limit:
        return min(gpu.gtt, host.limit)
    return gpu.gtt if gpu.gtt is not None else host.limit


def hip_pool(gpu: Gpu, host: Host) -> tuple[str, str]:
    """Which pool HIP takes on an APU of this kernel (carve-out or gtt), and why; KFD's own word comes first."""
    gtt = gtt_total(gpu, host)
    if gpu.vram == 0:
        return "gtt", "the one memory of this APU"
    if gpu.kfd is not None and gpu.vram and gtt is not None and gpu.vram != gtt:
        nearer = "carve-out" if abs(gpu.kfd - gpu.vram) < abs(gpu.kfd - gtt) else "gtt"
        return nearer, "as the memory bank of KFD says"
    kernel = host.kernel if host.ttm != "amdttm" else ""  # amdgpu-dkms has a driver of its own age
    for row in tables.load("memory_limits")["kfd_apu"]:
        if in_range(kernel, {"before": str(row["below"])}, "kernel"):
            if row["pool"] == "larger":
                return ("gtt" if (gtt or 0) > (gpu.vram or 0) else "carve-out"), "the larger of carve-out and GTT, as kernels from 6.16 do"
            return str(row["pool"]), f"as kernels before {row['below']} do"
    return ("gtt" if (gtt or 0) > (gpu.vram or 0) else "carve-out"), "the larger of carve-out and GTT; the age of the driver is not known"


def _buffer(gpu: Gpu, host: Host) -> int | None:
    if gpu.vk_buffer:
        return gpu.vk_buffer
    driver = gpu.vk_driver or ("amd-proprietary" if host.family == "windows" else "radv" if host.family == "linux" else "")
    row = tables.load("memory_limits")["vulkan_buffer_limit"].get(driver)
    return int(row["value"]) if row else None


def _windows(gpu: Gpu, host: Host) -> list[Place]:
    table = tables.load("memory_limits")
    reserve = int(table["reserve_windows_gib"]["value"]) << 30
    staging = max(host.ram - reserve, 0) if host.ram is not None else None
    shared = gpu.shared or 0
    free = _left(gpu.vram, gpu.vram_used)
    # An integrated GPU reads shared memory as fast as its own; for a card it is behind PCIe.
    own = free + shared if gpu.apu and free is not None else free
    pool = "dedicated and shared memory" if gpu.apu else "dedicated memory"
    common = Place("vulkan", pool, own, gpu.vram, shared if gpu.apu else 0, host.available, staging, _buffer(gpu, host), 0 if gpu.apu else shared)
    hip = replace(common, backend="hip", buffer=None)
    cap = int(table["hip_svm_windows_bytes"]["value"])
    if gpu.apu and own is not None and own > cap:
        hip = replace(hip, free=cap, note=f"HIP stops at 64 GB unless {table['hip_svm_windows_bytes']['lifted_by']} is set")
    return [common, hip]


def places(gpu: Gpu, host: Host) -> list[Place]:
    """Vulkan and HIP, each with what it can use."""
    if host.family == "windows":
        return _windows(gpu, host)
    vram = _left(gpu.vram, gpu.vram_used)
    buffer = _buffer(gpu, host)
    if not gpu.apu:
        free = gpu.hip_free if gpu.hip_free is not None else gpu.sliced if gpu.sliced is not None else vram
        return [Place("vulkan", "VRAM", vram, gpu.vram, buffer=buffer, ram=host.available),
                Place("hip", "VRAM of one partition" if gpu.sliced else "VRAM", free, gpu.hip_total or gpu.sliced or gpu.vram, ram=host.available)]
    total = gtt_total(gpu, host)
    gtt = _left(total, gpu.gtt_used)
    both = vram + gtt if vram is not None and gtt is not None else None
    whole = None if both is None else (gpu.vram or 0) + (total or 0)
    found = [Place("vulkan", "carve-out and GTT" if gpu.vram else "GTT", both, whole, gtt or 0, host.available, buffer=buffer)]
    if gpu.vram is None and gpu.kfd is not None:
        return [*found, Place("hip", "the pool that KFD shows", gpu.hip_free if gpu.hip_free is not None else gpu.kfd, gpu.hip_total or gpu.kfd,
                              ram=host.available)]
    pool, why = hip_pool(gpu, host)
    if pool == "gtt":
        found.append(Place("hip", "GTT", gtt, total, gtt or 0, host.available, note=why))
    else:
        found.append(Place("hip", "carve-out", vram, gpu.vram, 0, host.available, note=why))
    if gpu.hip_free is not None:
        found[-1] = replace(found[-1], free=gpu.hip_free, total=gpu.hip_total)
    return found


def predicted_heaps(gpu: Gpu, host: Host) -> list[tuple[int, bool]]:
    """The heaps that RADV would show (size, device-local), where no Vulkan driver was asked."""
    if host.family not in ("linux", "") or gpu.vram is None:
        return []
    total = gtt_total(gpu, host)
    if gpu.apu and total is not None:
        share = tables.load("memory_limits")["radv_apu_device_heap"]
        both = (gpu.visible or gpu.vram) + total
        local = both * int(share["numerator"]) // int(share["denominator"])
        return [(local, True), (both - local, False)]
    if gpu.apu is False:
        visible = gpu.visible if gpu.visible is not None else gpu.vram
        first = [(gpu.vram, True)] if visible >= gpu.vram else [(gpu.vram - visible, True), (visible, True)]
        return first + ([(total, False)] if total else [])
    return []
