"""Operating system, kernel, firmware of the board, and the amdgpu module: all from files."""

import os
import re
import sys

from probe_protocol import emit_file, main

SAYS = "system, kernel and driver module"
PROVIDES = (
    "os.family", "os.distribution", "os.version", "os.name", "os.immutable", "boot.loader", "kernel.release",
    "kernel.cmdline", "kernel.lockdown", "kernel.numa_balancing", "kernel.stuck_processes", "machine.board", "machine.product",
    "machine.bios_version", "machine.bios_date", "machine.cpu", "machine.secure_boot", "machine.iommu",
    "amdgpu.loaded", "amdgpu.built", "amdgpu.blacklisted", "amdgpu.dkms", "amdgpu.version", "amdgpu.parameters",
    "amdgpu.modprobe_options",
)
LANE = "quiet"
FIRST = True
DEADLINE = 5
NEEDS = ()
PYTHON = "own"

DMI = "/sys/class/dmi/id"
EFI = "/sys/firmware/efi"
MODULE = "/sys/module/amdgpu"
MODPROBE = ("/etc/modprobe.d", "/run/modprobe.d", "/usr/local/lib/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d")
OURS = ("amdgpu", "ttm", "amdttm")
UNSET = ("-1", "0", "N", "(null)", "", "4294967295")
# Values that these parameters have when nobody set them.
DEFAULTS = {"ppfeaturemask": ("4294426623", "0xfff7bfff"), "cwsr_enable": ("1",), "uni_mes": ("1",), "pcie_p2p": ("Y",),
            "queue_preemption_timeout_ms": ("9000",), "use_xgmi_p2p": ("1",), "vm_block_size": ("-1",),
            "hws_max_conc_proc": ("-1", "8"), "max_num_of_queues_per_device": ("4096",), "sched_jobs": ("32",),
            "sched_hw_submission": ("2",), "ras_mask": ("4294967295",), "hws_gws_support": ("N",), "vcnfw_log": ("0",),
            "send_sigterm": ("0",), "lbpw": ("-1",), "backlight": ("-1",), "damageclips": ("-1",), "audio": ("-1",),
            "smu_pptable_id": ("-1",), "umsch_mm_fwlog": ("0",), "debug_largebar": ("0",), "ignore_crat": ("0",),
            "mes_log_enable": ("0",), "timeout_period": ("0",), "visualconfirm": ("0",), "mtype_local": ("0", "-1"),
            "pg_mask": ("4294967295",), "cg_mask": ("4294967295", "18446744073709551615"), "seamless": ("-1",),
            "svm_default_granularity": ("9",), "rebar": ("-1",)}
# Image-based systems that do not boot through ostree.
IMAGES = ("steamos", "opensuse-microos", "aeon", "kalpa", "flatcar")
LOADERS = (("systemd-boot", ("/boot/loader/loader.conf", "/boot/efi/loader/loader.conf", "/efi/loader/loader.conf")),
           ("refind", ("/boot/refind_linux.conf", "/boot/efi/EFI/refind", "/efi/EFI/refind")),
           ("grub", ("/etc/default/grub", "/boot/grub/grub.cfg", "/boot/grub2/grub.cfg")))


def os_release(tree):
    text = tree.try_read("/etc/os-release") or tree.try_read("/usr/lib/os-release")
    if text is None:
        return None
    pairs = re.findall(r"^([A-Z_]+)=(.*)$", text, re.M)
    return {name: value.strip().strip("\"'") for name, value in pairs}


def emit_os(emit, tree, release):
    system = os_release(tree)
    if sys.platform in ("win32", "darwin") and tree.live:
        emit.known("os.family", "windows" if sys.platform == "win32" else "macos", "sys.platform")
    else:
        emit.known("os.family", "wsl" if "microsoft" in (release or "").lower() else "linux", "/proc/sys/kernel/osrelease")
    for fact, name in (("os.distribution", "ID"), ("os.version", "VERSION_ID"), ("os.name", "PRETTY_NAME")):
        if system is None:
            emit.unknown(fact, "unreadable", "no os-release file", "cat /etc/os-release")
        elif system.get(name):
            emit.known(fact, system[name], "/etc/os-release")
        else:
            emit.absent(fact, "/etc/os-release")
    name = (system or {}).get("ID", "")
    ostree = tree.exists("/run/ostree-booted")
    emit.known("os.immutable", ostree or name in IMAGES, "/run/ostree-booted")
    emit_loader(emit, tree, name, ostree)


def emit_loader(emit, tree, distribution, ostree):
    if distribution == "nixos":
        emit.known("boot.loader", "nixos", "/etc/os-release")
        return
    if ostree:
        emit.known("boot.loader", "rpm-ostree", "/run/ostree-booted")
        return
    if tree.exists("/etc/kernelstub/configuration"):
        emit.known("boot.loader", "kernelstub", "/etc/kernelstub/configuration")
        return
    told = EFI + "/efivars/LoaderInfo-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f"
    try:
        said = tree.raw(told, 512)[4:].decode("utf-16-le", "replace").lower()
    except OSError:
        said = ""
    for name in ("systemd-boot", "refind", "grub"):
        if name in said:
            emit.known("boot.loader", name, told)
            return
    for name, paths in LOADERS:
        for path in paths:
            if tree.exists(path):
                emit.known("boot.loader", name, path)
                return
    emit.unknown("boot.loader", "unreadable", "no file of a known boot loader", "bootctl status")


def emit_kernel(emit, tree):
    release = emit_file(emit, tree, "kernel.release", "/proc/sys/kernel/osrelease")
    if release is None and tree.live:
        release = os.uname().release
        emit.known("kernel.release", release, "uname -r")
    cmdline = emit_file(emit, tree, "kernel.cmdline", "/proc/cmdline")
    def chosen(text):
        found = re.search(r"\[(\w+)\]", text)
        return found.group(1) if found else text
    emit_file(emit, tree, "kernel.lockdown", "/sys/kernel/security/lockdown", chosen)
    emit_file(emit, tree, "kernel.numa_balancing", "/proc/sys/kernel/numa_balancing", int)
    return release, cmdline or ""


def emit_stuck(emit, tree):
    if not tree.live and not any(name.isdigit() for name in tree.names("/proc")):
        emit.unknown("kernel.stuck_processes", "not_collected", "processes were not recorded", "ps -eo pid,stat,wchan:30,comm")
        return
    stuck = []
    for pid in tree.names("/proc"):
        if not pid.isdigit():
            continue
        text = tree.try_read(f"/proc/{pid}/stat", 4096)
        if text is None or text.rpartition(")")[2].split()[:1] != ["D"]:
            continue
        name = text.partition("(")[2].rpartition(")")[0]
        place = tree.try_read(f"/proc/{pid}/wchan", 256) or "?"
        stuck.append(f"{pid} {name} {place}")
    emit.known("kernel.stuck_processes", stuck[:50], "/proc")


def emit_machine(emit, tree, cmdline):
    for fact, names in (("machine.board", ("board_vendor", "board_name")), ("machine.product", ("sys_vendor", "product_name"))):
        parts = [part for part in (tree.try_read(DMI + "/" + name) for name in names) if part]
        if parts:
            emit.known(fact, " ".join(parts), DMI + "/" + names[1])
        elif tree.recorded(DMI):
            emit.absent(fact, DMI)
        else:
            emit.unknown(fact, "not_collected", DMI + " was not recorded", f"cat {DMI}/{names[1]}")
    emit_file(emit, tree, "machine.bios_version", DMI + "/bios_version")
    emit_file(emit, tree, "machine.bios_date", DMI + "/bios_date")
    def model(text):
        found = re.search(r"^model name\s*:\s*(.+)$", text, re.M)
        return found.group(1).strip() if found else None
    emit_file(emit, tree, "machine.cpu", "/proc/cpuinfo", model)
    emit_secure_boot(emit, tree)
    emit_iommu(emit, tree, cmdline)


def emit_secure_boot(emit, tree):
    path = EFI + "/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    try:
        emit.known("machine.secure_boot", tree.raw(path, 16)[-1:] == b"\x01", path)
    except PermissionError as error:
        emit.unknown("machine.secure_boot", "no_permission", str(error), "mokutil --sb-state")
    except OSError as error:
        if tree.recorded("/sys/firmware"):
            emit.absent("machine.secure_boot", path)
        else:
            emit.unknown("machine.secure_boot", "not_collected", str(error), "mokutil --sb-state")


def emit_iommu(emit, tree, cmdline):
    groups = "/sys/kernel/iommu_groups"
    if not tree.exists("/sys/class/iommu") and not tree.exists(groups):
        emit.unknown("machine.iommu", "unreadable", "no IOMMU folders in /sys", "ls /sys/class/iommu")
    elif not tree.names("/sys/class/iommu") and not tree.names(groups):
        emit.known("machine.iommu", "off", "/sys/class/iommu")
    else:
        kinds = {tree.try_read(f"{groups}/{name}/type") for name in tree.names(groups)} - {None}
        through = kinds == {"identity"} or (not kinds and bool(re.search(r"\biommu=pt\b|iommu\.passthrough=1", cmdline)))
        emit.known("machine.iommu", "passthrough" if through else "on", groups)


def modprobe_lines(tree):
    """(path, line) of every line in modprobe.d; a file in /etc hides one of the same name elsewhere."""
    seen = set()
    for folder in MODPROBE:
        for name in tree.names(folder):
            if name.endswith(".conf") and name not in seen:
                seen.add(name)
                for line in (tree.try_read(folder + "/" + name) or "").splitlines():
                    if line.strip() and not line.lstrip().startswith("#"):
                        yield folder + "/" + name, " ".join(line.split())


def emit_module(emit, tree, release, cmdline):
    if not any(tree.exists(folder) for folder in ("/sys/module", "/sys/bus", "/sys/class")):
        for fact in ("amdgpu.loaded", "amdgpu.built", "amdgpu.dkms", "amdgpu.version", "amdgpu.parameters"):
            emit.unknown(fact, "not_collected", "/sys was not recorded", "lsmod")
        emit_options(emit, tree, cmdline)
        return
    loaded = tree.exists(MODULE) and tree.try_read(MODULE + "/initstate") in (None, "live")
    emit.known("amdgpu.loaded", loaded, MODULE)
    emit_built(emit, tree, release, loaded)
    version = tree.try_read(MODULE + "/version")
    if not loaded:
        for fact in ("amdgpu.dkms", "amdgpu.version", "amdgpu.parameters"):
            emit.unknown(fact, "not_applicable", "amdgpu is not loaded")
    else:
        emit.known("amdgpu.dkms", version is not None or tree.exists("/sys/module/amdttm"), MODULE + "/version")
        if version:
            emit.known("amdgpu.version", version, MODULE + "/version")
        else:
            emit.absent("amdgpu.version", MODULE + "/version")
        emit_parameters(emit, tree)
    emit_options(emit, tree, cmdline)


def emit_parameters(emit, tree):
    folder, found = MODULE + "/parameters", {}
    for name in tree.names(folder):
        value = tree.try_read(folder + "/" + name, 4096)
        if value is not None and value not in UNSET and value not in DEFAULTS.get(name, ()):
            found[name] = value
    emit.known("amdgpu.parameters", found, folder)


def emit_built(emit, tree, release, loaded):
    if loaded:
        emit.known("amdgpu.built", True, MODULE)
        return
    folders = [f"{base}/lib/modules/{release}" for base in ("", "/usr", "/run/booted-system/kernel-modules")]
    read = False
    for path in (folder + "/" + name for folder in folders for name in ("modules.builtin", "modules.dep")):
        text = tree.try_read(path, 8 << 20)
        if text is None:
            continue
        read = True
        if "/amdgpu.ko" in text:
            emit.known("amdgpu.built", True, path)
            return
    if read:
        emit.known("amdgpu.built", False, folders[0])
    else:
        # A container sees the host's kernel and its own /lib.
        emit.unknown("amdgpu.built", "unreadable", f"no module list for kernel {release}", "modinfo amdgpu")


def emit_options(emit, tree, cmdline):
    options, paths, black = [], [], None
    for path, line in modprobe_lines(tree):
        words = line.split()
        if words[0] == "options" and len(words) > 2 and words[1] in OURS:
            options.append(line)
            paths.append(path)
        elif words[:2] == ["blacklist", "amdgpu"] or (
                words[:2] == ["install", "amdgpu"] and words[-1].endswith(("/false", "/true"))):
            black = black or path
    for word in cmdline.split():
        if word.startswith(tuple(name + "." for name in OURS)):
            options.append(word)
            paths.append("/proc/cmdline")
        elif word.startswith(("modprobe.blacklist=", "module_blacklist=", "rd.driver.blacklist=")):
            if "amdgpu" in word.partition("=")[2].split(","):
                black = black or word
    if not tree.recorded("/etc", "/proc/cmdline"):
        for fact in ("amdgpu.modprobe_options", "amdgpu.blacklisted"):
            emit.unknown(fact, "not_collected", "/etc was not recorded", "modprobe -c | grep -w amdgpu")
        return
    emit.known("amdgpu.modprobe_options", options, ", ".join(sorted(set(paths))) or "/etc/modprobe.d")
    if black:
        emit.known("amdgpu.blacklisted", black, black if black.startswith("/") else "/proc/cmdline")
    else:
        emit.absent("amdgpu.blacklisted", "/etc/modprobe.d")


def probe(emit, tree):
    release, cmdline = emit_kernel(emit, tree)
    emit_os(emit, tree, release)
    emit_machine(emit, tree, cmdline)
    emit_module(emit, tree, release, cmdline)
    emit_stuck(emit, tree)


if __name__ == "__main__":
    main(probe)
