"""What each Vulkan device says about itself. Opens the drivers, so it runs alone and may crash or hang."""

from __future__ import annotations

import os
import re
import tempfile

from probe_protocol import main, system_library

SAYS = "Vulkan devices"
PROVIDES = [
    "vulkan.instance_version", "vulkan.mesa_version", "vulkan.amdvlk_version",
    "vk.name", "vk.type", "vk.driver", "vk.driver_info", "vk.pci_id", "vk.pci_address", "vk.heaps",
    "vk.device_local_bytes", "vk.max_allocation_bytes",
    "vk.max_buffer_bytes", "vk.fp16", "vk.bf16", "vk.int_dot", "vk.coopmat", "vk.subgroup_size",
]
LANE = "loud"
DEADLINE = 20
NEEDS = ["module:vulkan"]
PYTHON = "own"
SYSTEM = "any"

SOURCE = "vulkan_caps"
COMMAND = "vulkaninfo --summary"
TYPES = {0: "other", 1: "integrated", 2: "discrete", 3: "virtual", 4: "cpu"}
DRIVERS = {1: "amd-proprietary", 2: "amdvlk", 3: "radv", 13: "llvmpipe"}


def version_text(number):
    """1.4.321 out of a packed Vulkan version."""
    return f"{number >> 22 & 0x7F}.{number >> 12 & 0x3FF}.{number & 0xFFF}"


def text(value):
    """The binding gives str or bytes or a C array, depending on the field."""
    if isinstance(value, bytes):
        return value.split(b"\0", 1)[0].decode("utf-8", "replace")
    return str(value)


def heaps_of(vk, device, budgeted):
    """Size and kind of each heap; with VK_EXT_memory_budget also what this process may use of it, and uses."""
    budget = vk.VkPhysicalDeviceMemoryBudgetPropertiesEXT()
    wrapped = vk.VkPhysicalDeviceMemoryProperties2(pNext=budget)
    if budgeted:
        vk.vkGetPhysicalDeviceMemoryProperties2(device, wrapped)
        memory = wrapped.memoryProperties
    else:
        memory = vk.vkGetPhysicalDeviceMemoryProperties(device)
    heaps = []
    for place in range(memory.memoryHeapCount):
        heap = {"size": int(memory.memoryHeaps[place].size), "device_local": bool(memory.memoryHeaps[place].flags & 1)}
        if budgeted:
            heap["budget"], heap["usage"] = int(budget.heapBudget[place]), int(budget.heapUsage[place])
        heaps.append(heap)
    return heaps


def device_facts(vk, emit, device, item):
    """Facts of one physical device; every struct stays in a variable until the driver has answered."""
    base = vk.vkGetPhysicalDeviceProperties(device)
    emit.known("vk.name", text(base.deviceName), SOURCE, item)
    emit.known("vk.type", TYPES.get(base.deviceType, "other"), SOURCE, item)
    emit.known("vk.pci_id", f"{base.vendorID:04x}:{base.deviceID:04x}", SOURCE, item)

    names = {text(e.extensionName) for e in vk.vkEnumerateDeviceExtensionProperties(device, None)}
    heaps = heaps_of(vk, device, "VK_EXT_memory_budget" in names and base.apiVersion >> 12 & 0x3FF)
    emit.known("vk.heaps", sorted(heaps, key=lambda heap: (not heap["device_local"], -heap["size"])), SOURCE, item)
    emit.known("vk.device_local_bytes", sum(heap["size"] for heap in heaps if heap["device_local"]), SOURCE, item)
    if "VK_EXT_pci_bus_info" in names and base.apiVersion >> 12 & 0x3FF:
        bus = vk.VkPhysicalDevicePCIBusInfoPropertiesEXT()
        where = vk.VkPhysicalDeviceProperties2(pNext=bus)
        vk.vkGetPhysicalDeviceProperties2(device, where)
        emit.known("vk.pci_address", f"{bus.pciDomain:04x}:{bus.pciBus:02x}:{bus.pciDevice:02x}.{bus.pciFunction:x}", SOURCE, item)

    emit.known("vk.coopmat", "VK_KHR_cooperative_matrix" in names, SOURCE, item)
    emit.known("vk.bf16", "VK_KHR_shader_bfloat16" in names, SOURCE, item)

    # Chained structs of Vulkan 1.3 may only be asked of a 1.3 device; older ones keep their defaults and say nothing.
    version = (base.apiVersion >> 22 & 0x7F, base.apiVersion >> 12 & 0x3FF)
    dot = vk.VkPhysicalDeviceShaderIntegerDotProductProperties()
    limits = vk.VkPhysicalDeviceMaintenance4Properties(pNext=dot)
    driver = vk.VkPhysicalDeviceDriverProperties(pNext=limits if version >= (1, 3) else None)
    subgroup = vk.VkPhysicalDeviceSubgroupProperties(pNext=driver if version >= (1, 2) else None)
    sizes = vk.VkPhysicalDeviceMaintenance3Properties(pNext=subgroup)
    properties = vk.VkPhysicalDeviceProperties2(pNext=sizes)
    half = vk.VkPhysicalDeviceShaderFloat16Int8Features()
    features = vk.VkPhysicalDeviceFeatures2(pNext=half if version >= (1, 2) else None)
    if version < (1, 1):
        for name in ("vk.driver", "vk.driver_info", "vk.max_allocation_bytes", "vk.max_buffer_bytes", "vk.fp16",
                     "vk.int_dot", "vk.subgroup_size"):
            emit.unknown(name, "not_applicable", "the device has Vulkan 1.0 only", COMMAND, item)
        return
    vk.vkGetPhysicalDeviceProperties2(device, properties)
    vk.vkGetPhysicalDeviceFeatures2(device, features)
    emit.known("vk.max_allocation_bytes", int(sizes.maxMemoryAllocationSize), SOURCE, item)
    emit.known("vk.subgroup_size", int(subgroup.subgroupSize), SOURCE, item)
    if version >= (1, 2):
        emit.known("vk.driver", DRIVERS.get(driver.driverID, "other"), SOURCE, item)
        name = text(vk.ffi.string(driver.driverName))
        info = text(vk.ffi.string(driver.driverInfo))
        emit.known("vk.driver_info", info or name, SOURCE, item)
        emit.known("vk.fp16", bool(half.shaderFloat16), SOURCE, item)
        if found := re.search(r"Mesa (\d+\.\d+(?:\.\d+)?(?:-(?:rc\d+|devel))?)", info):
            emit.known("vulkan.mesa_version", found[1], SOURCE)
        elif driver.driverID == 2 and info:
            emit.known("vulkan.amdvlk_version", info, SOURCE)
    if version >= (1, 3):
        emit.known("vk.max_buffer_bytes", int(limits.maxBufferSize), SOURCE, item)
        emit.known("vk.int_dot", bool(dot.integerDotProduct4x8BitPackedSignedAccelerated), SOURCE, item)


def collect(vk, emit):
    """Instance, then device by device."""
    instance_version = vk.vkEnumerateInstanceVersion()
    emit.known("vulkan.instance_version", version_text(int(instance_version)), SOURCE)
    application = vk.VkApplicationInfo(
        pApplicationName="rocmdoctor", applicationVersion=1, pEngineName="none", engineVersion=1,
        apiVersion=vk.VK_MAKE_VERSION(1, 3, 0))
    create = vk.VkInstanceCreateInfo(
        pApplicationInfo=application, enabledLayerCount=0, ppEnabledLayerNames=None,
        enabledExtensionCount=0, ppEnabledExtensionNames=None)
    instance = vk.vkCreateInstance(create, None)
    devices = vk.vkEnumeratePhysicalDevices(instance)
    if not len(devices):
        emit.absent("vk.name", SOURCE)
    for number, device in enumerate(devices):
        try:
            device_facts(vk, emit, device, str(number))
        except Exception as error:  # noqa: BLE001 - one bad driver must not hide the next device
            emit.unknown("vk.driver_info", "unreadable", f"{type(error).__name__}: {error}", COMMAND, str(number))


def probe(emit, tree):
    if not tree.live:
        for name in PROVIDES:
            emit.unknown(name, "not_applicable", "a recorded machine has no driver to ask", COMMAND)
        return
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    try:
        if os.name == "nt":
            system_library("vulkan-1.dll")
        import vulkan as vk
    except (ImportError, OSError, KeyError) as error:
        for name in PROVIDES:
            emit.unknown(name, "no_tool", f"{type(error).__name__}: {error}", COMMAND)
        return
    try:
        collect(vk, emit)
    except Exception as error:  # noqa: BLE001 - the binding turns every VkResult into an exception class of its own
        if type(error).__name__ == "VkErrorIncompatibleDriver":
            emit.absent("vk.name", "vulkan_caps: VK_ERROR_INCOMPATIBLE_DRIVER")
        else:
            emit.unknown("vk.name", "unreadable", f"{type(error).__name__}: {error}", COMMAND)


if __name__ == "__main__":
    main(probe)
