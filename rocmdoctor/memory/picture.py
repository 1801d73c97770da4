"""The reconciled picture: every pool of every GPU with its source, who holds it, what fits, what to set."""

from __future__ import annotations

from collections.abc import Sequence

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Finding
from rocmdoctor.facts.partitions import partitions
from rocmdoctor.facts.sections import Fit, GpuMemory, Holder, MemoryPicture, Plan, Pool
from rocmdoctor.facts.sizes import words
from rocmdoctor.memory import apps, fit, need, split
from rocmdoctor.memory.machine import Gpu, Host, gpu_of, host_of
from rocmdoctor.memory.need import Setting
from rocmdoctor.memory.place import Place, gtt_total, places, predicted_heaps
from rocmdoctor.memory.shape import Shape, of_size
from rocmdoctor.records import dataclass, replace

MOST_GPUS = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """Models to judge, and how each is started."""

    shape: Shape
    setting: Setting


def _heap_pools(gpu: Gpu, host: Host) -> list[Pool]:
    found = []
    for number, heap in enumerate(gpu.heaps):
        kind = "device-local" if heap.get("device_local") else "host"
        budget, usage = heap.get("budget"), heap.get("usage")
        note = f"budget {words(budget)}" if isinstance(budget, int) else ""
        found.append(Pool(f"Vulkan heap {number} ({kind})", "vulkan", int(heap["size"]), usage if isinstance(usage, int) else None,
                          gpu.sources.get("heaps", ""), note))
    if not gpu.heaps:
        for number, (size, local) in enumerate(predicted_heaps(gpu, host)):
            found.append(Pool(f"Vulkan heap {number} ({'device-local' if local else 'host'})", "vulkan", size, None, "as RADV would show it",
                              "predicted"))
    if gpu.apu and len(found) == 2 and found[0].total_bytes and found[1].total_bytes:
        share = found[0].total_bytes / (found[0].total_bytes + found[1].total_bytes)
        if 0.64 < share < 0.69:
            note = "RADV calls two thirds of carve-out and GTT so"
            found[0] = Pool(found[0].name, "vulkan", found[0].total_bytes, found[0].used_bytes, found[0].source, note)
    return found


def _pools(gpu: Gpu, host: Host, alone: bool) -> list[Pool]:
    said, found = gpu.sources, []
    windows = host.family == "windows"
    if gpu.vram:
        name = ("carve-out (dedicated, VGM)" if windows else "carve-out (VRAM)") if gpu.apu else "dedicated (VRAM)" if windows else "VRAM"
        found.append(Pool(name, "dedicated" if windows else "vram", gpu.vram, gpu.vram_used, said["vram"],
                          "of the RAM, by the BIOS" if gpu.apu else ""))
    if gpu.visible is not None and gpu.visible != gpu.vram:
        found.append(Pool("visible VRAM (BAR)", "visible", gpu.visible, None, said["visible"], "Resizable BAR is off" if not gpu.apu else ""))
    if gpu.gtt is not None:
        total, capped = gtt_total(gpu, host), host.limit is not None and gpu.gtt > host.limit * 1.01
        note = f"set to {words(gpu.gtt)}, but TTM allows {words(total)}" if capped else "at most, of system RAM" if gpu.apu else "system RAM behind PCIe"
        found.append(Pool("GTT", "gtt", gpu.gtt, gpu.gtt_used, said["gtt"], note))
    if windows and gpu.shared is not None:
        found.append(Pool("shared", "shared", gpu.shared, gpu.shared_used, said["shared"], "system RAM"))
    if gpu.banks:
        found += [Pool("one partition (KFD)" if gpu.sliced else f"KFD bank ({bank.get('heap')})", "kfd", int(bank["size"]), None, said["banks"])
                  for bank in gpu.banks
                  if bank.get("heap") in ("public", "private", "system") and isinstance(bank.get("size"), int) and 0 < bank["size"] < 1 << 56]
    elif gpu.kfd is not None:
        found.append(Pool("KFD pool", "kfd", gpu.kfd, None, said["kfd"]))
    if gpu.hip_total is not None:
        found.append(Pool("HIP", "hip", gpu.hip_total, None if gpu.hip_free is None else max(gpu.hip_total - gpu.hip_free, 0), said["hip_total"]))
    found += _heap_pools(gpu, host)
    return found + ([Pool(name, "app", total, used, source) for name, total, used, source in host.said] if alone else [])


def _system(host: Host) -> list[Pool]:
    said, found = host.sources, []
    if host.fitted is not None:
        found.append(Pool("RAM fitted", "ram", host.fitted, None, said["installed_bytes"], "" if host.fitted_is_said else "estimated"))
    if host.ram is not None:
        used = None if host.available is None else max(host.ram - host.available, 0)
        found.append(Pool("RAM of the system", "ram", host.ram, used, said["ram_bytes"]))
    if host.limit is not None:
        found.append(Pool(f"{host.ttm or 'TTM'} pages_limit", "limit", host.limit, None, said["ttm_limit_bytes"], "for all GPUs together"))
    if host.pool is not None:
        found.append(Pool(f"{host.ttm or 'TTM'} page_pool_size", "limit", host.pool, None, said["ttm_pool_bytes"], "free pages TTM may keep"))
    return found


def _holders(gpu: Gpu) -> list[Holder]:
    def size(row: dict[str, object], name: str) -> int:
        value = row.get(name)
        return value if isinstance(value, int) and 0 <= value < 1 << 56 else 0

    return [Holder(size(row, "pid"), str(row.get("name", "?")), size(row, "vram_bytes"), size(row, "gtt_bytes"), size(row, "kfd_bytes"))
            for row in gpu.holders]


def _plan(gpu: Gpu, host: Host, facts: dict[str, Fact], asked: Sequence[Asked]) -> Plan | None:
    backend = "vulkan"
    sizes = [(need.on_gpu(need.parts(one.shape, one.setting, backend)), one.shape.file_bytes if one.setting.mmap else 0) for one in asked]
    needed, staging = max((size for size, _ in sizes), default=0), max((file for _, file in sizes), default=0)
    if host.family == "windows":
        return split.windows_plan(gpu, host, needed, staging)
    return split.linux_plan(gpu, host, facts, needed) if host.family == "linux" else None


def _fits(gpu: Gpu, host: Host, asked: Sequence[Asked], settable: bool) -> list[Fit]:
    found = []
    for one in asked:
        for place in places(gpu, host):

            def proposal(needed: int, place: Place = place, one: Asked = one) -> tuple[str, Place] | None:
                if not settable:
                    return None
                if host.family == "windows":
                    better = split.for_windows(host, needed, one.shape.file_bytes)
                    text = f"the split {split.pair(better)} in the BIOS or Adrenalin (VGM), see below" if better else ""
                else:
                    better = split.for_linux(gpu, host)
                    text = f"{split.words_of(better, host.ttm)}, see below" if better else ""
                return (text, split.place_of(better, place)) if better else None

            found.append(fit.judge(one.shape, one.setting, place, proposal))
    return found


def picture(facts: dict[str, Fact], asked: Sequence[Asked] = (), default_setting: Setting | None = None) -> MemoryPicture | None:
    """None when nothing is known of any GPU's memory. With ``default_setting`` a model that the texts name is judged too."""
    host = host_of(facts)
    parts = partitions(facts)
    made = [gpu_of(facts, item, host) for item in items_of(facts) if item not in parts][:MOST_GPUS]
    if not asked and default_setting and host.model_bytes:
        asked = [Asked(of_size(host.model_bytes), default_setting)]
    card = any(gpu.apu is False for gpu in made)
    found = []
    for gpu in made:
        pools = _pools(gpu, host, len(made) == 1)
        settable = gpu.apu is True and not card
        if pools or gpu.vram is not None:
            fits = _fits(gpu, host, asked, settable)
            plan = _plan(gpu, host, facts, asked) if settable else None
            if plan and plan.steps and fits and all(one.verdict == "yes" for one in fits):
                plan = replace(plan, says=f"Nothing has to be set: what was named fits. The most that can be set: {plan.says}")
            found.append(GpuMemory(gpu.item, gpu.name, gpu.gfx, gpu.apu, pools, _holders(gpu), gpu.holders_unknown,
                                   apps.readings(gpu, host, facts), fits, plan))
    return MemoryPicture(_system(host), found) if found else None


def verdicts(memory: MemoryPicture | None, asked: Sequence[Asked]) -> list[Finding]:
    """A finding for each model that does not fit as asked with any backend of any GPU."""
    found = []
    for one in asked:
        fits = [fit for gpu in (memory.gpus if memory else []) for fit in gpu.fits if fit.model == one.shape.name]
        if not fits or any(fit.verdict in ("yes", "unknown") for fit in fits):
            continue
        best = next((fit for fit in fits if fit.verdict == "only_with"), fits[0])
        cure = f" It fits with: {'; or '.join(best.changes)}." if best.changes else ""
        found.append(Finding(
            "model-does-not-fit", "cause", "warning" if best.changes else "error", "platform", "",
            f"{one.shape.name} does not fit as asked" + ("" if best.changes else ", and no change makes it fit"),
            best.says[0].upper() + best.says[1:] + "." + cure, one.shape.note))
    return found
