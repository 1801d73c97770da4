"""What the compute driver says of each GPU: target, compute units, memory banks. User space cannot override it."""

from probe_protocol import main

SAYS = "compute driver"
PROVIDES = ("kfd.available", "kfd.gpu_nodes", "gpu.pci_address", "gpu.gfx_target", "gpu.cu_count", "gpu.cwsr_size",
            "gpu.kfd_pool_bytes", "gpu.kfd_banks", "gpu.kfd_node", "gpu.atomics", "gpu.is_apu", "gpu.xgmi_links",
            "gpu.xgmi_peers")
LANE = "quiet"
DEADLINE = 4
NEEDS = ()
PYTHON = "own"

KFD = "/sys/class/kfd"
NODES = KFD + "/kfd/topology/nodes"
# include/uapi and amdkfd/kfd_crat.h: CRAT_IOLINK_FLAGS_NO_ATOMICS_32_BIT and _64_BIT
NO_ATOMICS = 0b1100
PCI_EXPRESS = 2
XGMI = 11
# HSA_HEAPTYPE of hsakmttypes.h
HEAPS = {0: "system", 1: "public", 2: "private", 3: "gds", 4: "lds", 5: "scratch"}
FACTS_OF_A_GPU = ("gpu.pci_address", "gpu.gfx_target", "gpu.cu_count", "gpu.cwsr_size", "gpu.kfd_pool_bytes",
                  "gpu.kfd_node", "gpu.atomics", "gpu.xgmi_links")


def table(text):
    """``key value`` lines as a dict of integers."""
    found = {}
    for line in text.splitlines():
        name, _, value = line.strip().partition(" ")
        try:
            found[name] = int(value)
        except ValueError:
            continue
    return found


def gfx_name(version):
    """110501 -> gfx1151, 90010 -> gfx90a: the minor and the stepping are one hexadecimal digit each."""
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def pci_address(node):
    place = node.get("location_id", 0)
    return f"{node.get('domain', 0):04x}:{place >> 8 & 0xFF:02x}:{place >> 3 & 0x1F:02x}.{place & 7}"


def rows(tree, folder):
    for name in sorted(tree.names(folder)):
        text = tree.try_read(folder + "/" + name + "/properties")
        if text is not None:
            yield table(text)


def xgmi_peers(links, nodes, own):
    """Other GPUs at the far ends of XGMI links. The partitions of one card are one GPU; a CPU (MI300A) is none."""
    ends = (nodes.get(str(link.get("node_to"))) for link in links if link.get("type") == XGMI)
    return sorted({pci_address(node) for node in ends if node and node.get("simd_count")} - {own})


def emit_gpu(emit, tree, number, node, nodes):
    folder, item = NODES + "/" + number, pci_address(node)
    source = folder + "/properties"
    emit.known("gpu.pci_address", item, source, item)
    emit.known("gpu.kfd_node", int(number), source, item)
    emit.known("gpu.gfx_target", gfx_name(node["gfx_target_version"]), source, item)
    if node.get("cpu_cores_count"):
        emit.known("gpu.is_apu", True, source, item)
    if node.get("simd_per_cu"):
        emit.known("gpu.cu_count", node["simd_count"] // node["simd_per_cu"], source, item)
    if "cwsr_size" in node:
        emit.known("gpu.cwsr_size", node["cwsr_size"], source, item)
    else:
        emit.absent("gpu.cwsr_size", source, item)
    found = [(bank.get("heap_type", 0), bank.get("size_in_bytes", 0)) for bank in rows(tree, folder + "/mem_banks")]
    emit.known("gpu.kfd_banks", [{"heap": HEAPS.get(kind, str(kind)), "size": size} for kind, size in found], folder + "/mem_banks", item)
    banks = [size for kind, size in found if kind in (1, 2)]
    if banks:
        emit.known("gpu.kfd_pool_bytes", max(banks), folder + "/mem_banks", item)
    else:
        emit.absent("gpu.kfd_pool_bytes", folder + "/mem_banks", item)
    links = list(rows(tree, folder + "/io_links"))
    if links:
        peers = xgmi_peers(links, nodes, item)
        emit.known("gpu.xgmi_links", len(peers), folder + "/io_links", item)
        emit.known("gpu.xgmi_peers", peers, folder + "/io_links", item)
    links = [link for link in links if link.get("type") == PCI_EXPRESS]
    if links:
        emit.known("gpu.atomics", not any(link.get("flags", 0) & NO_ATOMICS for link in links), folder + "/io_links", item)


def probe(emit, tree):
    if not tree.exists("/sys"):
        for fact in PROVIDES[:2]:
            emit.unknown(fact, "not_collected", "/sys was not recorded", "ls " + NODES)
        return
    here = tree.exists(KFD)
    emit.known("kfd.available", here, KFD)
    if not here:
        emit.absent("kfd.gpu_nodes", KFD)
        for fact in FACTS_OF_A_GPU[1:]:
            emit.unknown(fact, "not_applicable", KFD + " is not there")
        return
    found, seen = 0, set()
    numbers = sorted((name for name in tree.names(NODES) if name.isdigit()), key=int)
    nodes = {number: table(tree.try_read(NODES + "/" + number + "/properties") or "") for number in numbers}
    for number, node in nodes.items():
        if not node.get("simd_count") or not node.get("gfx_target_version"):
            continue
        found += 1
        # Partitions of one card share its address; the first stands for it.
        if pci_address(node) not in seen:
            seen.add(pci_address(node))
            emit_gpu(emit, tree, number, node, nodes)
    emit.known("kfd.gpu_nodes", found, NODES)


if __name__ == "__main__":
    main(probe)
