"""Kernels with known answers on every Vulkan device. Not walked as a probe: ``rocmdoctor.live.kernel_tests`` starts it, check by check if need be.

``python vulkan_kernels.py --out FILE [--level N] [--done item:check,...]``; see ``docs/kernel-tests.md``.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import glob
import json
import os
import sys
import tempfile
import time

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import trusted  # noqa: E402
from outcome import DeviceLost, Failed, Hung, Item, Untestable, arguments, done_of, leave, wait_for  # noqa: E402
from probe_protocol import Emitter, system_library  # noqa: E402

TYPES = {0: "other", 1: "integrated", 2: "discrete", 3: "virtual", 4: "cpu"}
FOLDERS = ("/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d", "/usr/local/etc/vulkan/icd.d")
MOST_DEVICES = 16
CPU_SECONDS = 1.0  # that the quick checks of a driver for the CPU go on: who waits for them asks about GPUs


def windows_drivers():
    """The driver manifests that the registry of Windows names."""
    from tree import Tree
    from windows_machine import Machine
    from windows_vulkan import manifests

    return manifests(Machine(Tree("/")))


def driver_faults():
    """What is wrong with the drivers that are installed, one reason each: the loader leaves such a driver out without a word."""
    named = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
    installed = windows_drivers if os.name == "nt" else lambda: [file for folder in FOLDERS for file in sorted(glob.glob(folder + "/*.json"))]
    files = named.split(os.pathsep) if named else installed()
    if not files:
        return ["no Vulkan driver (ICD manifest) is installed"]
    reasons = []
    for file in files[:16]:
        try:
            with open(file, encoding="utf-8") as handle:
                library = json.loads(handle.read(1 << 20))["ICD"]["library_path"]
        except OSError as error:
            reasons.append(f"{file}: {error.strerror}")
            continue
        except (ValueError, KeyError, TypeError):
            reasons.append(f"{file}: not a driver manifest (broken JSON)")
            continue
        path = os.path.join(os.path.dirname(file), library) if "/" in str(library) or "\\" in str(library) else str(library)
        if os.path.isfile(path) and (reason := trusted.why_not(path)):
            reasons.append(f"{file}: not loaded: {reason}")
            continue
        try:
            ctypes.CDLL(path)
        except OSError as error:
            reasons.append(f"{file}: {error}")
    return reasons


def worded(error):
    """A driver's refusal as an exception of ours; what is no refusal stays as it is."""
    name = type(error).__name__
    if name == "VkErrorDeviceLost":
        return DeviceLost("VK_ERROR_DEVICE_LOST")
    return Failed(name) if name.startswith("VkError") or name.startswith("Vk") else error


def guarded(work):
    def run():
        try:
            return work()
        except (Untestable, Hung, DeviceLost, Failed, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - the binding has an exception class for every VkResult
            raise worded(error) from None
    return run


def row(judgement):
    return {"verdict": judgement.verdict, "detail": judgement.detail, "wrong": judgement.wrong, "elements": judgement.elements}


def test(vk, instance, physical, item, level, limit, go):
    """All checks of one device."""
    import cases
    import numpy as np
    import vulkan_memory as memory
    from vulkan_device import Device

    kind = TYPES.get(vk.vkGetPhysicalDeviceProperties(physical).deviceType, "other")
    shared = kind != "discrete"
    device = guarded(lambda: Device(vk, instance, physical, limit))()
    if "VK_EXT_pci_bus_info" in device.extensions and device.version >= (1, 1):
        bus = vk.VkPhysicalDevicePCIBusInfoPropertiesEXT()
        where = vk.VkPhysicalDeviceProperties2(pNext=bus)
        vk.vkGetPhysicalDeviceProperties2(physical, where)
        item.fact("pci_address", f"{bus.pciDomain:04x}:{bus.pciBus:02x}:{bus.pciDevice:02x}.{bus.pciFunction:x}")
    rng = np.random.default_rng()
    wait_for(go, "work")
    soon = time.monotonic() + CPU_SECONDS if kind == "cpu" and level == 1 else None

    def kernel(case):
        missing = [need for need in case.needs if need not in device.features]
        if missing:
            raise Untestable("the device does not offer " + ", ".join(missing))
        return row(cases.judge(case, *device.run(case, rng)))

    def matrices():
        made = (make() for make in cases.for_matrices(rng, device.matrix_shapes(), device.subgroups))
        return row(cases.worst([(case, cases.judge(case, *device.run(case, rng))) for case in made]))

    for make in cases.for_level(rng, level, device.subgroups, slow=kind == "cpu"):
        if soon and item.checks and time.monotonic() > soon:
            return device.close()
        case = make()
        item.check(case.name, guarded(lambda case=case: kernel(case)))
    if level > 1:
        blocks = cases.int8_blocks(rng, 4099, 16)
        item.check(blocks.name, guarded(lambda: kernel(blocks)))
        item.check("coopmat-f16", guarded(matrices))
    item.check("copy-host-visible", guarded(lambda: row(memory.copies(device, rng, "host-visible", kind == "cpu"))))

    def copying():
        rate = memory.copy_rate(device, shared)
        item.fact("copy_bytes_per_s", rate)
        return {"verdict": "right", "detail": "", "bytes_per_s": rate}

    if level == 1:
        return device.close()
    item.check("copy-mapped-file", guarded(lambda: row(memory.copies(device, rng, "mapped-file", kind == "cpu"))))
    summed = cases.reduction(rng, 1 << 18)
    item.check("two-queues", guarded(lambda: row(cases.judge(summed, *memory.two_queues(device, summed, rng)))))
    if kind == "cpu":
        return device.close()  # what it calls its memory is the computer's
    if not any(check["verdict"] == "unwritten" for check in item.checks):
        item.check("copy-rate", guarded(copying))
    item.check("memory-largest", guarded(lambda: memory.largest(device, item, shared)))
    item.check("memory-total", guarded(lambda: memory.total(device, item, shared)))
    item.check("memory-cycles", guarded(lambda: memory.cycles(device, item, shared)))
    if level == 3 and not any(check["verdict"] == "unwritten" for check in item.checks):
        item.check("memory-sweep", guarded(lambda: memory.sweep(device, item, shared, item.tell)))
    device.close()


def devices(emit, given):
    """Instance, then device by device; what cannot be tested is said with its reason."""
    def nothing(reason):
        Item(emit, "vulkan-0", "vulkan", "", "", (), "").cannot(reason)

    try:
        if os.name == "nt":
            system_library("vulkan-1.dll")
        import vulkan as vk
    except OSError:
        return nothing("no Vulkan loader (" + ("vulkan-1.dll" if os.name == "nt" else "libvulkan.so.1") + ") is installed")
    except (ImportError, KeyError) as error:
        return nothing(f"the Python package vulkan does not work: {type(error).__name__}: {error}")
    try:
        import vulkan_memory  # noqa: F401 - with it numpy, the cases and the device
    except Exception as error:  # noqa: BLE001 - a broken numpy raises what its libraries raise
        return nothing(f"the Python package numpy does not work: {type(error).__name__}: {error}")
    with contextlib.suppress(Exception):  # the loader loads the drivers, which open no device before an instance is made
        vk.vkEnumerateInstanceExtensionProperties(None)
    wait_for(given.go, "list")
    application = vk.VkApplicationInfo(pApplicationName="rocmdoctor", applicationVersion=1, pEngineName="none", engineVersion=1,
                                       apiVersion=vk.VK_MAKE_VERSION(1, 3, 0))
    create = vk.VkInstanceCreateInfo(pApplicationInfo=application, enabledLayerCount=0, ppEnabledLayerNames=None,
                                     enabledExtensionCount=0, ppEnabledExtensionNames=None)
    try:
        instance = vk.vkCreateInstance(create, None)
        found = vk.vkEnumeratePhysicalDevices(instance)
    except Exception as error:  # noqa: BLE001 - the binding has an exception class for every VkResult
        faults = driver_faults()
        return nothing("; ".join(faults[:3]) if faults else f"the Vulkan loader answers {type(error).__name__}")
    if not len(found):
        return nothing("; ".join(driver_faults()[:3]) or "the Vulkan drivers list no device")
    wait_for(given.go, "open")
    for number, physical in enumerate(list(found)[:MOST_DEVICES]):
        base = vk.vkGetPhysicalDeviceProperties(physical)
        name, done = f"vulkan-{number}", done_of(given.done, f"vulkan-{number}")
        item = Item(emit, name, "vulkan", str(base.deviceName), TYPES.get(base.deviceType, "other"), done, given.progress)
        if "*" in done:
            continue
        try:
            test(vk, instance, physical, item, given.level, given.limit, given.go)
        except (Untestable, Failed) as error:
            item.cannot(error)
        except (Hung, DeviceLost):
            leave(3)
        else:
            item.finish()


def main():
    given = arguments(argparse.ArgumentParser(description=__doc__))
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())
    emit = Emitter(given.out)
    devices(emit, given)
    emit.end()
    leave(0)


if __name__ == "__main__":
    main()
