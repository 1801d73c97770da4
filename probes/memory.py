"""RAM, swap, and the limit of the TTM module, which bounds what the GPU may take of system memory."""

import os
import re

from probe_protocol import emit_file, main

SAYS = "RAM and its limits"
PROVIDES = ("memory.ram_bytes", "memory.available_bytes", "memory.swap_bytes", "memory.installed_bytes",
            "memory.ttm_limit_bytes", "memory.ttm_pool_bytes", "memory.ttm_module")
LANE = "quiet"
FIRST = True
DEADLINE = 3
NEEDS = ()
PYTHON = "own"

MEMINFO = (("memory.ram_bytes", "MemTotal"), ("memory.available_bytes", "MemAvailable"),
           ("memory.swap_bytes", "SwapTotal"))
UDEV_DMI = "/run/udev/data/+dmi:id"
DMI = "/sys/firmware/dmi/tables/DMI"


def emit_meminfo(emit, tree):
    for fact, label in MEMINFO:
        def of(text, label=label):
            found = re.search(rf"^{label}:\s+(\d+) kB", text, re.M)
            return int(found.group(1)) * 1024 if found else None
        emit_file(emit, tree, fact, "/proc/meminfo", of)


def dmi_memory(data):
    """Sum of the fitted modules: SMBIOS structures of type 17, size at offset 12, extended size at 28."""
    at, total = 0, 0
    while at + 4 <= len(data):
        kind, length = data[at], data[at + 1]
        if length < 4 or kind == 127:
            break
        body = data[at:at + length]
        if kind == 17 and length >= 14:
            size = int.from_bytes(body[12:14], "little")
            if size == 0x7FFF and length >= 32:
                total += (int.from_bytes(body[28:32], "little") & 0x7FFFFFFF) << 20
            elif size not in (0, 0xFFFF):
                total += (size & 0x7FFF) << (10 if size & 0x8000 else 20)
        end = data.find(b"\0\0", at + length)
        if end < 0:
            break
        at = end + 2
    return total


def emit_installed(emit, tree):
    text = tree.try_read(UDEV_DMI) or ""
    sizes = [int(size) for size in re.findall(r"^E:MEMORY_DEVICE_\d+_SIZE=(\d+)", text, re.M)]
    if sum(sizes):
        emit.known("memory.installed_bytes", sum(sizes), UDEV_DMI)
        return
    try:
        total = dmi_memory(tree.raw(DMI))
    except PermissionError as error:
        emit.unknown("memory.installed_bytes", "no_permission", str(error), "sudo dmidecode -t memory")
    except OSError as error:
        emit.unknown("memory.installed_bytes", "unreadable", str(error), "sudo dmidecode -t memory")
    else:
        if total:
            emit.known("memory.installed_bytes", total, DMI)
        else:
            emit.unknown("memory.installed_bytes", "unreadable", "the firmware names no memory modules")


def emit_ttm(emit, tree):
    # With amdgpu-dkms both modules may be loaded; amdgpu then allocates from amdttm.
    module = next((name for name in ("amdttm", "ttm") if tree.exists(f"/sys/module/{name}/parameters/pages_limit")), None)
    if module is None and not tree.exists("/sys"):
        for fact in ("memory.ttm_module", "memory.ttm_limit_bytes", "memory.ttm_pool_bytes"):
            emit.unknown(fact, "not_collected", "/sys was not recorded", "cat /sys/module/ttm/parameters/pages_limit")
        return
    if module is None:
        for fact in ("memory.ttm_module", "memory.ttm_limit_bytes", "memory.ttm_pool_bytes"):
            emit.absent(fact, "/sys/module/ttm/parameters/pages_limit")
        return
    path = f"/sys/module/{module}/parameters/pages_limit"
    emit.known("memory.ttm_module", module, path)
    page = os.sysconf("SC_PAGE_SIZE") if tree.live else 4096
    emit_file(emit, tree, "memory.ttm_limit_bytes", path, lambda text: int(text) * page)
    emit_file(emit, tree, "memory.ttm_pool_bytes", path.replace("pages_limit", "page_pool_size"), lambda text: int(text) * page)


def probe(emit, tree):
    emit_meminfo(emit, tree)
    emit_ttm(emit, tree)
    emit_installed(emit, tree)


if __name__ == "__main__":
    main(probe)
