"""What to set on an APU: the BIOS split, and on Linux the limit of TTM, as exact steps for this machine."""

from __future__ import annotations

from rocmdoctor.diagnosis import boot_commands
from rocmdoctor.facts.model import Fact
from rocmdoctor.facts.sections import Fix, Plan
from rocmdoctor.facts.sizes import GIB, words
from rocmdoctor.facts.versions import in_range
from rocmdoctor.knowledge import tables
from rocmdoctor.memory.machine import Facts, Gpu, Host
from rocmdoctor.memory.place import Place
from rocmdoctor.records import dataclass, replace

PAGE = 4096
BIOS = ("The entry is called UMA Frame Buffer Size, iGPU Memory, Dedicated Graphics Memory, GPU Memory Size or GFX Configuration, "
        "depending on the board.")


@dataclass(frozen=True, slots=True)
class Split:
    """A way to divide the RAM: bytes for the carve-out, for the system, and (Linux) the limit of TTM."""

    carve_out: int
    system: int
    limit: int | None = None


def reserve(fitted: int) -> int:
    """Bytes that stay for the system on Linux."""
    rows = tables.load("memory_limits")["reserve_linux"]
    return next(int(row["gib"]) for row in rows if fitted <= row["up_to_gib"] * GIB) * GIB


def _smallest(gpu: Gpu) -> int:
    """The smallest carve-out that this firmware offers, as far as anybody said; never more than there is now."""
    offered = [int(row["bytes"]) for row in gpu.uma_options if row["bytes"] > 0]
    usual = int(tables.load("memory_limits")["carve_out_gib"]["linux_smallest"] * GIB)
    least = min(offered) if offered else usual
    return least if gpu.vram is None else min(least, gpu.vram)


def for_linux(gpu: Gpu, host: Host) -> Split | None:
    """Small carve-out, and all RAM but a reserve for GTT; None where the sizes are not known."""
    if gpu.vram is None or host.ram is None or host.fitted is None:
        return None
    carve_out = _smallest(gpu)
    system = host.ram + gpu.vram - carve_out
    limit = (system - reserve(host.fitted)) // GIB * GIB
    return Split(carve_out, system, limit) if limit >= GIB else None


def for_windows(host: Host, needed: int = 0, staging: int = 0) -> Split | None:
    """The smallest carve-out that holds the model whole and leaves RAM to stage its file; else the smallest that does so with the
    shared memory; else None. An even split where no model is named.
    """
    if host.fitted is None:
        return None
    table = tables.load("memory_limits")
    kept = int(table["reserve_windows_gib"]["value"]) * GIB
    share = float(table["windows_shared_of_ram"]["value"])
    most = host.fitted * float(table["carve_out_gib"]["most_of_ram"])
    sizes = [int(size * GIB) for size in table["carve_out_gib"]["windows"] if size * GIB <= most]
    if not needed:
        half = max((size for size in sizes if size <= host.fitted // 2), default=0)
        return Split(half, host.fitted - half) if half else None
    staged = [size for size in sizes if host.fitted - size - kept >= staging]
    whole = [size for size in staged if size >= needed]
    shared = [size for size in staged if size + (host.fitted - size) * share >= needed]
    size = next(iter(whole or shared), None)
    return None if size is None else Split(size, host.fitted - size)


def words_of(split: Split, module: str) -> str:
    """``carve-out 512 MiB and ttm.pages_limit of 54 GiB``."""
    limit = f"{module or 'ttm'}.pages_limit of {words(split.limit)}"
    return f"carve-out {words(split.carve_out)} and {limit}" if split.carve_out else limit


def place_of(split: Split, place: Place) -> Place:
    """The same backend after the split was set and the machine restarted, with nothing else running."""
    table = tables.load("memory_limits")
    if split.limit is not None:
        free = split.limit + (split.carve_out if place.backend == "vulkan" else 0)
        pool = "carve-out and GTT" if place.backend == "vulkan" else "GTT"
        return replace(place, pool=pool, free=free, total=free, of_ram=split.limit, ram=max(split.system - 2 * GIB, 0), note="")
    kept = int(table["reserve_windows_gib"]["value"]) * GIB
    shared = int(split.system * table["windows_shared_of_ram"]["value"])
    return replace(place, free=split.carve_out + shared, total=split.carve_out, of_ram=shared, staging=max(split.system - kept, 0),
                   ram=max(split.system - kept, 0), note="")


def pair(split: Split) -> str:
    """``32/32``: GiB for the GPU and for the system."""
    return f"{round(split.carve_out / GIB)}/{round(split.system / GIB)}"


def _carve_out_steps(gpu: Gpu, split: Split) -> list[Fix]:
    if gpu.vram is None or abs(gpu.vram - split.carve_out) <= GIB // 8:
        return []
    undo = f"Set the former {words(gpu.vram)} again."
    option = next((row for row in gpu.uma_options if row["bytes"] == split.carve_out), None)
    if option:
        # The file takes the index; the firmware acts on it at the next start.
        path = "/sys/bus/pci/drivers/amdgpu/*/uma/carveout"
        return [Fix(f"Set the carve-out to {words(split.carve_out)} from Linux", "This firmware lets the kernel change it.",
                    (f"echo {option['index']} | sudo tee {path}",), "reboot", ("root", "reboot"), "",
                    f"cat /sys/bus/pci/devices/*/mem_info_vram_total prints {split.carve_out}.", undo)]
    return [Fix(f"Set the carve-out in the BIOS to {words(split.carve_out)}, or the smallest it offers", BIOS, (), "reboot", ("reboot",),
                "Programs that look at VRAM only report a small GPU.",
                f"cat /sys/bus/pci/devices/*/mem_info_vram_total prints about {split.carve_out}.", undo)]


def _options(facts: dict[str, Fact]) -> list[str]:
    known = Facts(facts).known("amdgpu.modprobe_options")
    return [str(line) for line in known.value][:64] if known and isinstance(known.value, list) else []


def _limit_steps(host: Host, split: Split, facts: dict[str, Fact]) -> list[Fix]:
    if split.limit is None or (host.limit and abs(host.limit - split.limit) <= GIB // 2):
        return []
    module, pages = host.ttm or "ttm", split.limit // PAGE
    set_now = [line for line in _options(facts) if any(word in line for word in ("pages_limit", "page_pool_size", "gttsize", "gtt_size"))]
    on_line = Facts(facts).text("kernel.cmdline")
    # amdttm first: the commands look for the text, and ttm.pages_limit is the end of amdttm.pages_limit.
    names = ("amdttm.pages_limit", "amdttm.page_pool_size", "ttm.pages_limit", "ttm.page_pool_size", "amdgpu.gttsize", "amdgpu.gtt_size")
    old = [name for name in names if any(word.startswith(name + "=") for word in on_line.split())]
    remove = f" --remove-args='{' '.join(old)}'" if old else ""
    wanted = f"{module}.pages_limit={pages} {module}.page_pool_size={pages}"
    commands = boot_commands.for_machine(f"sudo grubby --update-kernel=ALL{remove} --args='{wanted}'", facts)
    undo = boot_commands.for_machine(f"sudo grubby --update-kernel=ALL --remove-args='{module}.pages_limit {module}.page_pool_size'", facts)
    detail = f"{pages} pages of 4 KiB; {words(split.system - split.limit)} of RAM stay for the system. It is a limit, not a reservation."
    files = [line for line in set_now if line.startswith("options ")]
    if files:
        detail += f" Take the line {files[0]!r} out of /etc/modprobe.d first: it sets the same."
    check = (f"After the restart cat /sys/module/{module}/parameters/pages_limit prints {pages}, and mem_info_gtt_total {split.limit}; "
             "rocmdoctor memory shows both.")
    fixes = [Fix(f"Let the GPU take up to {words(split.limit)} of RAM ({module}.pages_limit)", detail, tuple(commands), "reboot",
                 ("root", "reboot"), "What the GPU takes is missing to other programs.", check, "; ".join(undo))]
    if module == "ttm" and Facts(facts).text("boot.loader") != "nixos":
        fixes.append(Fix("Or with AMD's own tool, which writes /etc/modprobe.d/ttm.conf",
                         "Use one of the two ways, not both: the kernel command line wins.",
                         ("pipx install amd-debug-tools", f"sudo amd-ttm --set {split.limit // GIB}"), "reboot", ("root", "reboot"), "", check,
                         "sudo amd-ttm --clear"))
    return fixes


def linux_plan(gpu: Gpu, host: Host, facts: dict[str, Fact], needed: int = 0) -> Plan | None:
    """Small carve-out, raised GTT. ``needed`` is what the largest named model takes of the GPU."""
    split = for_linux(gpu, host)
    if split is None or split.limit is None:
        return None
    todo = [*_carve_out_steps(gpu, split), *_limit_steps(host, split, facts)]
    if in_range(host.kernel, {"before": "6.10"}, "kernel") and gpu.vram and host.ttm != "amdttm":
        todo.insert(0, Fix("Boot kernel 6.16 or newer", "Before 6.10 HIP takes the carve-out only, whatever GTT allows.", (), "reboot",
                           ("root", "reboot"), "Another kernel for everything.", "uname -r", "Boot the former kernel."))
    carve_out = f"Carve-out {words(split.carve_out)} and a" if split.carve_out else "A"
    says = (f"{carve_out} TTM limit of {words(split.limit)}: one pool that the GPU and the system share, "
            f"with {words(split.system - split.limit)} kept for the system.")
    if needed:
        says += f" The models named need {words(needed)}." if needed <= split.limit else (
            f" Even so the models named need {words(needed)}, which is more.")
    if not todo:
        says = f"Nothing to set: {says[0].lower()}{says[1:]} It is so already."
    return Plan(says, split.carve_out, split.system, split.limit, todo)


def windows_plan(gpu: Gpu, host: Host, needed: int = 0, staging: int = 0) -> Plan | None:
    """Enough memory for the model, and enough RAM beside it to stage the file."""
    if host.fitted is None:
        return None
    split = for_windows(host, needed, staging)
    if split is None:
        if not needed:
            return None
        return Plan(f"No split of {words(host.fitted)} gives {words(needed)} to the GPU and leaves {words(staging)} of RAM, through which the file has "
                    "to pass while it loads. Take a smaller model or fewer bits per weight.", gpu.vram or 0, host.ram or 0, None, [])
    passes = f"{words(split.system)} of system RAM are left, through which its file of {words(staging)} has to pass while it loads"
    if needed and split.carve_out >= needed:
        says = f"{pair(split)}: {words(split.carve_out)} of dedicated memory hold the {words(needed)} of the model, and {passes}."
    elif needed:
        says = (f"{pair(split)}: {words(split.carve_out)} of dedicated and {words(split.system // 2)} of shared memory hold the {words(needed)} of the "
                f"model together, and {passes}. No split holds it in dedicated memory alone.")
    else:
        says = (f"{pair(split)}: an even split. On Windows each model passes through system RAM while it loads, and the GPU may use half of "
                "that RAM as shared memory besides.")
    if gpu.vram is not None and abs(gpu.vram - split.carve_out) <= GIB // 8:
        return Plan(f"Nothing to set: {says}", split.carve_out, split.system, None, [])
    former = f" ({words(gpu.vram)})" if gpu.vram is not None else ""
    step = Fix(f"Set the dedicated memory to {words(split.carve_out)}", "AMD Software: Adrenalin > Performance > Tuning > Variable Graphics "
               f"Memory, or in the BIOS. {BIOS}", (), "reboot", ("reboot",), f"Windows has {words(split.system)} of RAM for itself.",
               f"Task Manager > Performance > GPU shows {words(split.carve_out)} of dedicated memory, and Memory shows {words(split.system)}.",
               f"Choose the former size{former} again.")
    return Plan(says, split.carve_out, split.system, None, [step])
