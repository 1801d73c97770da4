"""Which processes hold memory of which AMD GPU: DRM fdinfo (graphics and Vulkan) and KFD (ROCm)."""

import os
import re
import time

from probe_protocol import main

SAYS = "who holds GPU memory"
PROVIDES = ("gpu.holders", "memory.hidden_processes")
LANE = "quiet"
FIRST = True
DEADLINE = 5
NEEDS = ()
PYTHON = "own"

KFD = "/sys/class/kfd/kfd"
BUS = "/sys/bus/pci/devices"
PROCESSES_CAP = 20000
FILES_CAP = 4096
SECONDS = 3.5
# Kernels from 6.12 say drm-total-*; older ones drm-memory-*. What is resident counts, where it is said.
SIZE = re.compile(r"^drm-(resident|total|memory)-(vram|gtt):\s+(\d+) ?(KiB|MiB|GiB)?", re.M)
UNIT = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
TRUSTED = ("resident", "memory", "total")


def client(text):
    """(pci address, client id, vram bytes, gtt bytes) of one fdinfo text; None when amdgpu did not write it."""
    driver = re.search(r"^drm-driver:\s+(\S+)", text, re.M)
    where = re.search(r"^drm-pdev:\s+(\S+)", text, re.M)
    if not driver or driver.group(1) != "amdgpu" or not where:
        return None
    number = re.search(r"^drm-client-id:\s+(\d+)", text, re.M)
    sizes = {(kind, pool): int(count) * UNIT[unit or ""] for kind, pool, count, unit in SIZE.findall(text)}

    def best(pool):
        return next((sizes[kind, pool] for kind in TRUSTED if (kind, pool) in sizes), 0)

    return where.group(1), number.group(1) if number else "", best("vram"), best("gtt")


def clients(tree, pid):
    """The distinct DRM clients of a process. Raises PermissionError; a process that ended has none."""
    folder = "/proc/" + pid + "/fdinfo"
    found = {}
    try:
        names = tree.listed(folder)
    except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
        return found
    for name in names[:FILES_CAP]:
        if tree.live:
            try:
                target = os.readlink("/proc/" + pid + "/fd/" + name)
            except FileNotFoundError:
                continue
            if not target.startswith("/dev/dri/"):
                continue
        row = client(tree.try_read(folder + "/" + name, 1 << 14) or "")
        if row:
            # The same client can be open under several file descriptors: it holds its memory once.
            found[row[0], row[1] or name] = row
    return found


def node_addresses(tree):
    """KFD's gpu_id to the PCI address."""
    found = {}
    for number in tree.names(KFD + "/topology/nodes"):
        folder = KFD + "/topology/nodes/" + number
        gpu_id = tree.try_read(folder + "/gpu_id")
        properties = dict(re.findall(r"^(location_id|domain) (\d+)", tree.try_read(folder + "/properties") or "", re.M))
        place = int(properties.get("location_id", 0))
        if gpu_id and gpu_id != "0" and place:
            found[gpu_id] = f"{int(properties.get('domain', 0)):04x}:{place >> 8 & 0xFF:02x}:{place >> 3 & 0x1F:02x}.{place & 7}"
    return found


def of_kfd(tree, pid, addresses):
    """PCI address to the bytes that KFD says the process holds in VRAM."""
    found = {}
    for name in tree.names(KFD + "/proc/" + pid):
        if name.startswith("vram_") and name[5:] in addresses:
            text = tree.try_read(KFD + "/proc/" + pid + "/" + name) or ""
            if text.isdigit():
                address = addresses[name[5:]]
                found[address] = found.get(address, 0) + int(text)
    return found


def amd_gpus(tree):
    return [name for name in tree.names(BUS)
            if tree.try_read(BUS + "/" + name + "/vendor") == "0x1002"
            and (tree.try_read(BUS + "/" + name + "/class") or "").startswith(("0x03", "0x12"))]


def probe(emit, tree):
    gpus = amd_gpus(tree)
    if not gpus:
        emit.unknown("memory.hidden_processes", "not_applicable", "no AMD GPU")
        return
    computing = set(tree.names(KFD + "/proc"))
    pids = sorted({name for name in tree.names("/proc") if name.isdigit()} | computing, key=lambda name: (len(name), name))
    if not tree.live and not pids:
        emit.unknown("memory.hidden_processes", "not_collected", "no process was recorded")
        for address in gpus:
            emit.unknown("gpu.holders", "not_collected", "no process was recorded", "rocmdoctor memory", address)
        return
    addresses = node_addresses(tree)
    held, hidden, ends = {}, 0, time.monotonic() + SECONDS
    for place, pid in enumerate(pids):
        if place >= PROCESSES_CAP or time.monotonic() > ends:
            hidden += len(pids) - place
            break
        rows = {}
        try:
            for address, _, vram, gtt in clients(tree, pid).values():
                row = rows.setdefault(address, {"vram_bytes": 0, "gtt_bytes": 0, "kfd_bytes": 0})
                row["vram_bytes"] += vram
                row["gtt_bytes"] += gtt
        except PermissionError:
            hidden += 1
        for address, count in (of_kfd(tree, pid, addresses) if pid in computing else {}).items():
            rows.setdefault(address, {"vram_bytes": 0, "gtt_bytes": 0, "kfd_bytes": 0})["kfd_bytes"] += count
        for address, row in rows.items():
            if any(row.values()):
                name = (tree.try_read("/proc/" + pid + "/comm") or "?")[:64]
                held.setdefault(address, []).append({"pid": int(pid), "name": name, **row})
    emit.known("memory.hidden_processes", hidden, "/proc")
    for address in gpus:
        rows = sorted(held.get(address, []), key=lambda row: -max(row["vram_bytes"] + row["gtt_bytes"], row["kfd_bytes"]))
        if rows or not hidden:
            emit.known("gpu.holders", rows[:50], "/proc/*/fdinfo, " + KFD + "/proc", address)
        else:
            emit.unknown("gpu.holders", "no_permission", f"{hidden} processes of other users may not be read",
                         "sudo rocmdoctor memory", address)


if __name__ == "__main__":
    main(probe)
