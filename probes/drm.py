"""Every AMD GPU on the PCI bus, bound to a driver or not, with all that sysfs says of it."""

import os
import re

from probe_protocol import emit_file, main

SAYS = "GPUs on the PCI bus"
PROVIDES = (
    "pci.amd_gpu_count", "pci.other_gpus", "gpu.pci_address", "gpu.pci_id", "gpu.subsystem_id", "gpu.revision",
    "gpu.name", "gpu.driver", "gpu.is_apu", "gpu.vram_bytes", "gpu.vram_used_bytes", "gpu.visible_vram_bytes",
    "gpu.gtt_bytes", "gpu.gtt_used_bytes", "gpu.bar_bytes", "gpu.link_speed_gts", "gpu.link_max_speed_gts",
    "gpu.link_width", "gpu.link_max_width", "gpu.vbios", "gpu.numa_node", "gpu.render_node", "gpu.busy_percent",
    "gpu.ip.*", "gpu.fw.*", "gpu.compute_partition", "gpu.memory_partition", "gpu.ras_ue_count",
    "gpu.ras_ce_count", "gpu.bad_pages", "gpu.power_state", "gpu.power_cap_watts", "gpu.power_cap_max_watts",
    "gpu.power_cap_default_watts", "gpu.uma_options", "gpu.uma_selected",
)
LANE = "quiet"
FIRST = True
DEADLINE = 6
NEEDS = ()
PYTHON = "own"

BUS = "/sys/bus/pci/devices"
AMD = "0x1002"
VENDORS = {"0x10de": "NVIDIA", "0x8086": "Intel", "0x1a03": "ASPEED", "0x1af4": "virtio", "0x1234": "QEMU",
           "0x15ad": "VMware"}
# The ports of the switch on a Navi card: the link to the slot is above them, the GPU's own link is inside the card.
SWITCH_PORTS = ("0x1478", "0x1479")
PREFETCHABLE = 0x2000
FILES = (
    ("gpu.revision", "revision", lambda text: text[2:] if text.startswith("0x") else text),
    ("gpu.numa_node", "numa_node", int),
    ("gpu.power_state", "power/runtime_status", str),
    ("gpu.vbios", "vbios_version", str),
    ("gpu.vram_bytes", "mem_info_vram_total", int),
    ("gpu.visible_vram_bytes", "mem_info_vis_vram_total", int),
    ("gpu.gtt_bytes", "mem_info_gtt_total", int),
    ("gpu.vram_used_bytes", "mem_info_vram_used", int),
    ("gpu.gtt_used_bytes", "mem_info_gtt_used", int),
    ("gpu.compute_partition", "current_compute_partition", str),
    ("gpu.memory_partition", "current_memory_partition", str),
)
LINKS = (
    ("gpu.link_speed_gts", "current_link_speed", lambda text: float(text.split()[0])),
    ("gpu.link_width", "current_link_width", int),
    ("gpu.link_max_speed_gts", "max_link_speed", lambda text: float(text.split()[0])),
    ("gpu.link_max_width", "max_link_width", int),
)


def emit_power_caps(emit, tree, device, item):
    """The limits of power in the hwmon folder of the GPU, which are in microwatts; an APU has none."""
    for name in tree.names(device + "/hwmon"):
        for fact, file in (("gpu.power_cap_watts", "power1_cap"), ("gpu.power_cap_max_watts", "power1_cap_max"),
                           ("gpu.power_cap_default_watts", "power1_cap_default")):
            text = tree.try_read(f"{device}/hwmon/{name}/{file}") or ""
            if text.strip().isdigit():
                emit.value(fact, int(text) / 1e6, item=item)


def bare(text):
    return text[2:] if text.startswith("0x") else text


def is_gpu(tree, device):
    kind = tree.try_read(device + "/class") or ""
    return kind.startswith(("0x03", "0x12"))


def largest_bar(text):
    """The resource file: one line per BAR, ``start end flags`` in hex; the first six are the device's own."""
    sizes = []
    for line in text.splitlines()[:6]:
        start, end, flags = (int(part, 16) for part in line.split())
        if end > start and flags & PREFETCHABLE:
            sizes.append(end - start + 1)
    return max(sizes) if sizes else None


def link_device(tree, device):
    """The device whose link goes to the slot. sysfs nests devices, so the parent folder is the port above."""
    real = tree.real(device)
    best = device
    for _ in range(2):
        real = os.path.dirname(real)
        name = os.path.basename(real)
        port = BUS + "/" + name
        if tree.try_read(port + "/vendor") != AMD or tree.try_read(port + "/device") not in SWITCH_PORTS:
            break
        best = port
    return best


def emit_identity(emit, tree, device, item):
    emit.known("gpu.pci_address", item, device, item)
    number = tree.try_read(device + "/device")
    if number:
        emit.known("gpu.pci_id", "1002:" + bare(number).lower(), device + "/device", item)
    maker, board = tree.try_read(device + "/subsystem_vendor"), tree.try_read(device + "/subsystem_device")
    if maker and board:
        emit.known("gpu.subsystem_id", (bare(maker) + ":" + bare(board)).lower(), device + "/subsystem_device", item)
    driver = tree.link(device + "/driver")
    if driver is None and not tree.live:
        # A recorded tree may keep the link as a file with the driver's name.
        driver = os.path.basename(tree.try_read(device + "/driver") or "") or None
    if driver:
        emit.known("gpu.driver", driver, device + "/driver", item)
    else:
        emit.absent("gpu.driver", device + "/driver", item)
    nodes = [name for name in tree.names(device + "/drm") if name.startswith("renderD")]
    if nodes:
        emit.known("gpu.render_node", "/dev/dri/" + nodes[0], device + "/drm", item)
    else:
        emit.absent("gpu.render_node", device + "/drm", item)
    name = tree.try_read(device + "/product_name")
    if name:
        emit.known("gpu.name", name, device + "/product_name", item)


def emit_blocks(emit, tree, device, item):
    for name in tree.names(device + "/fw_version"):
        if name.endswith("_fw_version"):
            path = device + "/fw_version/" + name
            text = tree.try_read(path)
            if text:
                emit.known("gpu.fw." + name[:-len("_fw_version")], text, path, item)
    die = device + "/ip_discovery/die/0"
    for name in tree.names(die):
        if name[:1].isalpha() and tree.names(die + "/" + name):
            first = die + "/" + name + "/" + tree.names(die + "/" + name)[0]
            parts = [tree.try_read(first + "/" + part) for part in ("major", "minor", "revision")]
            if all(parts):
                emit.known("gpu.ip." + name.lower(), ".".join(parts), first, item)


def emit_ras(emit, tree, device, item):
    totals, files = {"ue": 0, "ce": 0}, [name for name in tree.names(device + "/ras") if name.endswith("_err_count")]
    for name in files:
        for kind, count in re.findall(r"\b(ue|ce):\s*(\d+)", tree.try_read(device + "/ras/" + name) or ""):
            totals[kind] += int(count)
    for kind, total in totals.items():
        if files:
            emit.known(f"gpu.ras_{kind}_count", total, device + "/ras", item)
        else:
            emit.absent(f"gpu.ras_{kind}_count", device + "/ras", item)
    try:
        pages = bad_pages(tree.read(device + "/ras/gpu_vram_bad_pages"))
    except FileNotFoundError:
        emit.absent("gpu.bad_pages", device + "/ras/gpu_vram_bad_pages", item)
    except OSError as error:
        emit.unknown("gpu.bad_pages", "unreadable", str(error), "sudo amd-smi bad-pages", item)
    else:
        emit.known("gpu.bad_pages", pages, device + "/ras/gpu_vram_bad_pages", item)


def bad_pages(text):
    """Lines like ``0x00000001 : 0x00001000 : R``: reserved, pending, or not to be reserved (R, P, F)."""
    return len(re.findall(r"^\s*0x[0-9a-fA-F]+ *: *0x[0-9a-fA-F]+ *: *[RPF]\b", text, re.M))


def uma_options(text):
    """Lines like ``1: Medium (8 GB)`` as [{"index", "bytes"}]: the carve-outs that the firmware lets Linux choose."""
    unit = {"M": 1 << 20, "G": 1 << 30}
    found = re.findall(r"^(\d+):.*?(\d+) ?([MG])B", text, re.M)
    return [{"index": int(index), "bytes": int(count) * unit[letter]} for index, count, letter in found]


def emit_apu(emit, tree, device, item, awake):
    """gpu_metrics starts with size (2 bytes), format, content; formats 2 and 3 are those of APUs."""
    if tree.exists(device + "/uma"):
        emit.known("gpu.is_apu", True, device + "/uma", item)
        emit_file(emit, tree, "gpu.uma_options", device + "/uma/carveout_options", uma_options, item)
        emit_file(emit, tree, "gpu.uma_selected", device + "/uma/carveout", int, item)
        return
    try:
        head = tree.raw(device + "/gpu_metrics", 4096) if awake else b""
    except OSError:
        head = b""
    if len(head) >= 4 and head[2] in (1, 2, 3):
        emit.known("gpu.is_apu", head[2] != 1, device + "/gpu_metrics", item)
    elif tree.try_read(device + "/mem_info_vram_vendor") not in (None, "", "unknown"):
        emit.known("gpu.is_apu", False, device + "/mem_info_vram_vendor", item)


def emit_gpu(emit, tree, item):
    device = BUS + "/" + item
    emit_identity(emit, tree, device, item)
    for fact, name, convert in FILES:
        emit_file(emit, tree, fact, device + "/" + name, convert, item)
    emit_file(emit, tree, "gpu.bar_bytes", device + "/resource", largest_bar, item)
    port = link_device(tree, device)
    for fact, name, convert in LINKS:
        emit_file(emit, tree, fact, port + "/" + name, convert, item)
    emit_blocks(emit, tree, device, item)
    # What follows asks the power controller; a sleeping card would be woken for it.
    awake = tree.try_read(device + "/power/runtime_status") not in ("suspended", "suspending")
    emit_apu(emit, tree, device, item, awake)
    if awake:
        emit_ras(emit, tree, device, item)
        emit_file(emit, tree, "gpu.busy_percent", device + "/gpu_busy_percent", int, item)
        emit_power_caps(emit, tree, device, item)
    else:
        for fact in ("gpu.busy_percent", "gpu.ras_ue_count", "gpu.ras_ce_count", "gpu.bad_pages"):
            emit.unknown(fact, "not_applicable", "the GPU is suspended; reading would wake it", item=item)


def probe(emit, tree):
    names = tree.names(BUS)
    if not names and not tree.exists(BUS):
        for fact in ("pci.amd_gpu_count", "pci.other_gpus"):
            emit.unknown(fact, "unreadable", BUS + " is not there", "lspci -nn")
        return
    gpus = [name for name in names if is_gpu(tree, BUS + "/" + name)]
    vendors = {name: tree.try_read(BUS + "/" + name + "/vendor") or "" for name in gpus}
    amd = [name for name in gpus if vendors[name] == AMD]
    emit.known("pci.amd_gpu_count", len(amd), BUS)
    emit.known("pci.other_gpus", [
        (VENDORS.get(vendors[name], "") + " " + bare(vendors[name]) + ":"
         + bare(tree.try_read(BUS + "/" + name + "/device") or "?")).strip()
        for name in gpus if name not in amd and vendors[name]], BUS)
    for name in amd:
        emit_gpu(emit, tree, name)


if __name__ == "__main__":
    main(probe)
