"""The numbers of one GPU and its host, gathered from the facts, with what follows from the kernel where nobody said it."""

from __future__ import annotations

from typing import Any

from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.facts.sizes import GIB
from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass, field

MOST = 1 << 56
# Instinct APUs have one memory for CPU and GPU and nothing to divide in the BIOS.
NO_CARVE_OUT = ("gfx942", "gfx950")


@dataclass(slots=True)
class Host:
    """Sizes in bytes; None is unknown. ``fitted`` is the RAM in the machine, ``ram`` what the system has of it, ``said`` what
    applications logged (name, total, used, source).
    """

    family: str = ""
    kernel: str = ""
    ram: int | None = None
    available: int | None = None
    fitted: int | None = None
    fitted_is_said: bool = False
    limit: int | None = None
    pool: int | None = None
    ttm: str = ""
    model_bytes: int | None = None
    said: list[tuple[str, int, int | None, str]] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Gpu:
    """Sizes in bytes; None is unknown. ``vram`` of an APU is its carve-out."""

    item: str
    name: str = ""
    gfx: str = ""
    apu: bool | None = None
    vram: int | None = None
    vram_used: int | None = None
    visible: int | None = None
    gtt: int | None = None
    gtt_used: int | None = None
    kfd: int | None = None
    banks: list[dict[str, Any]] = field(default_factory=list)
    hip_total: int | None = None
    hip_free: int | None = None
    shared: int | None = None
    shared_used: int | None = None
    heaps: list[dict[str, Any]] = field(default_factory=list)
    vk_driver: str = ""
    vk_buffer: int | None = None
    holders: list[dict[str, Any]] = field(default_factory=list)
    holders_unknown: str = ""
    uma_options: list[dict[str, Any]] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)

    @property
    def sliced(self) -> int | None:
        """Of a card that is cut into partitions (CPX): what one of them has, as KFD says; None of a whole one."""
        return self.kfd if self.apu is False and self.kfd is not None and self.vram is not None and self.kfd < self.vram * 0.9 else None


class Facts:
    """Typed look-up; a value of another type than the vocabulary declares is as good as unknown."""

    def __init__(self, facts: dict[str, Fact]) -> None:
        self.all = facts

    def known(self, name: str, item: str = "") -> Known | None:
        """The fact, where it is known."""
        fact = self.all.get(vocabulary.key(name, item))
        return fact if isinstance(fact, Known) else None

    def size(self, name: str, item: str = "") -> int | None:
        """A number of bytes that makes sense."""
        fact = self.known(name, item)
        if fact is None or isinstance(fact.value, bool) or not isinstance(fact.value, (int, float)) or not 0 <= fact.value <= MOST:
            return None
        return int(fact.value)

    def text(self, name: str, item: str = "") -> str:
        """A text, "" when unknown."""
        fact = self.known(name, item)
        return str(fact.value) if fact else ""

    def rows(self, name: str, item: str = "") -> list[dict[str, Any]]:
        """A list of mappings."""
        fact = self.known(name, item)
        return [row for row in fact.value if isinstance(row, dict)][:64] if fact and isinstance(fact.value, list) else []

    def source(self, name: str, item: str = "") -> str:
        """Where a fact comes from."""
        fact = self.known(name, item)
        return fact.source if fact else ""


def fitted_size(ram: int) -> int:
    """The usual memory size that this much RAM (with the carve-out) is what is left of."""
    for gib in tables.load("memory_limits")["fitted_gib"]:
        if ram <= gib * GIB:
            return int(gib) * GIB
    return ram


def host_of(facts: dict[str, Fact]) -> Host:
    """What all GPUs share."""
    seen = Facts(facts)
    host = Host(seen.text("os.family"), seen.text("kernel.release"), seen.size("memory.ram_bytes"), seen.size("memory.available_bytes"),
                seen.size("memory.installed_bytes"), False, seen.size("memory.ttm_limit_bytes"), seen.size("memory.ttm_pool_bytes"),
                seen.text("memory.ttm_module"), seen.size("llama.model_bytes"))
    host.fitted_is_said = host.fitted is not None
    for name, total, free in (("Ollama says", "ollama.total_bytes", "ollama.available_bytes"), ("free, llama.cpp says", "llama.free_bytes", "")):
        size, left = seen.size(total), seen.size(free) if free else None
        if size:
            host.said.append((name, size, None if left is None else max(size - left, 0), seen.source(total)))
    for name in ("memory.ram_bytes", "memory.available_bytes", "memory.installed_bytes", "memory.ttm_limit_bytes", "memory.ttm_pool_bytes"):
        host.sources[name.split(".")[1]] = seen.source(name)
    return host


def _vulkan_item(seen: Facts, item: str) -> str | None:
    """The Vulkan device that is this GPU: by address, else by PCI id, else the only one of AMD's."""
    devices = items_of(seen.all, "vk")
    for mine, theirs in (("gpu.pci_address", "vk.pci_address"), ("gpu.pci_id", "vk.pci_id")):
        wanted = seen.text(mine, item).lower()
        same = [device for device in devices if wanted and seen.text(theirs, device).lower() == wanted]
        if len(same) == 1:
            return same[0]
        if same:
            return None
    real = [device for device in devices if seen.text("vk.driver", device) in ("radv", "amdvlk", "amd-proprietary")]
    return real[0] if len(real) == 1 and len(items_of(seen.all)) == 1 else None


def _heaps(seen: Facts, gpu: Gpu) -> None:
    device = _vulkan_item(seen, gpu.item)
    if device is not None:
        gpu.vk_driver = seen.text("vk.driver", device)
        limits = [size for name in ("vk.max_allocation_bytes", "vk.max_buffer_bytes") if (size := seen.size(name, device))]
        gpu.vk_buffer = min(limits, default=None)
        gpu.heaps = [row for row in seen.rows("vk.heaps", device) if isinstance(row.get("size"), int) and 0 <= row["size"] <= MOST]
        gpu.sources["heaps"] = seen.source("vk.heaps", device)


def gpu_of(facts: dict[str, Fact], item: str, host: Host) -> Gpu:
    """One GPU. Completes the host by the carve-out where the GPU is an APU."""
    seen = Facts(facts)
    apu = seen.known("gpu.is_apu", item)
    gpu = Gpu(item, seen.text("gpu.name", item), seen.text("gpu.gfx_target", item), bool(apu.value) if apu else None)
    for field_name, fact in (("vram", "vram_bytes"), ("vram_used", "vram_used_bytes"), ("visible", "visible_vram_bytes"),
                             ("gtt", "gtt_bytes"), ("gtt_used", "gtt_used_bytes"), ("kfd", "kfd_pool_bytes"),
                             ("hip_total", "hip_total_bytes"), ("hip_free", "hip_free_bytes")):
        setattr(gpu, field_name, seen.size("gpu." + fact, item))
        gpu.sources[field_name] = seen.source("gpu." + fact, item)
    if len(items_of(facts)) == 1:
        for fact in ("windows.dedicated_bytes", "report.bios_vram_bytes"):
            if gpu.vram is None and (gpu.apu or fact.startswith("windows")):
                gpu.vram, gpu.sources["vram"] = seen.size(fact), seen.source(fact)
        gpu.shared = seen.size("windows.shared_bytes")
        gpu.sources["shared"] = seen.source("windows.shared_bytes")
    if seen.known("gpu.shared_bytes", item):
        gpu.shared, gpu.sources["shared"] = seen.size("gpu.shared_bytes", item), seen.source("gpu.shared_bytes", item)
    gpu.shared_used = seen.size("gpu.shared_used_bytes", item)
    gpu.banks = seen.rows("gpu.kfd_banks", item)
    gpu.sources["banks"] = seen.source("gpu.kfd_banks", item)
    gpu.holders = seen.rows("gpu.holders", item)
    hidden = seen.size("memory.hidden_processes")
    unread = facts.get(vocabulary.key("gpu.holders", item))
    if hidden:
        gpu.holders_unknown = f"{hidden} processes of other users could not be looked into: sudo rocmdoctor memory"
    elif not isinstance(unread, Known):
        gpu.holders_unknown = getattr(unread, "detail", "") or "nobody looked"
    gpu.uma_options = [row for row in seen.rows("gpu.uma_options", item) if isinstance(row.get("bytes"), int) and isinstance(row.get("index"), int)]
    _heaps(seen, gpu)
    if gpu.apu and gpu.vram is None and gpu.gfx in NO_CARVE_OUT and host.family == "linux":
        gpu.vram, gpu.sources["vram"] = 0, "this APU has no carve-out"
    if gpu.apu:
        _complete(host, gpu)
    if host.family == "windows" and gpu.shared is None and host.ram is not None:
        gpu.shared = int(host.ram * tables.load("memory_limits")["windows_shared_of_ram"]["value"])
        gpu.sources["shared"] = "half of the RAM that the system has"
    return gpu


def _complete(host: Host, gpu: Gpu) -> None:
    """RAM that is left, carve-out and RAM that is fitted: two of them give the third."""
    if host.ram is None and host.fitted is not None and gpu.vram is not None and gpu.vram < host.fitted:
        host.ram, host.sources["ram_bytes"] = host.fitted - gpu.vram, "RAM fitted minus the carve-out"
    if host.fitted is None and host.ram is not None and gpu.vram is not None:
        host.fitted, host.sources["installed_bytes"] = fitted_size(host.ram + gpu.vram), "estimated from RAM and carve-out"
    if gpu.vram is None and host.ram is not None and host.fitted_is_said and host.fitted and host.family == "windows":
        gpu.vram, gpu.sources["vram"] = max(host.fitted - host.ram, 0), "RAM fitted minus RAM of the system"
