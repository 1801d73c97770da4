"""Vulkan and OpenCL of a Windows machine, from the registry and from files: loader, drivers, implicit layers."""

import json
import ntpath

from probe_protocol import main
from windows_machine import DISPLAY_CLASS, Machine, number

SAYS = "Vulkan drivers"
PROVIDES = ("vulkan.loader", "vulkan.icds", "vulkan.broken_icds", "windows.vulkan_loader_version", "windows.vulkan_layers", "opencl.platforms")
LANE = "quiet"
DEADLINE = 6
NEEDS = ()
PYTHON = "own"
SYSTEM = "windows"

SYSTEM32 = r"%SYSTEMROOT%\System32"
COMPONENTS = r"HKLM\SYSTEM\CurrentControlSet\Control\Class\{5c4c3332-344d-483c-8739-259e934c9cc8}"
KHRONOS = r"SOFTWARE\Khronos"
PLATFORMS = (("amdocl", "AMD Accelerated Parallel Processing"), ("igdrcl", "Intel(R) OpenCL Graphics"), ("intelocl", "Intel(R) OpenCL"),
             ("nvopencl", "NVIDIA CUDA"), ("openclon12", "OpenCLOn12"))


def paths(value):
    """A path or several, as a driver wrote them."""
    return [str(one) for one in (value if isinstance(value, list) else [value]) if one]


def of_adapters(machine, name):
    """What the display drivers and their components name."""
    for top in (DISPLAY_CLASS, COMPONENTS):
        for key in machine.registry.keys(top):
            if key.isdigit():
                yield from paths(machine.registry.values(top + "\\" + key).get(name))


def listed(machine, kind):
    """(path, on) of a list of the Khronos loaders: what is not 0 is off."""
    for root in ("HKLM", "HKCU"):
        for path, off in machine.registry.values("\\".join((root, KHRONOS, kind))).items():
            yield path, number(off) == 0


def works(machine, manifest):
    """Whether a manifest can be read and its library is there."""
    try:
        data = json.loads(machine.text(manifest) or "{}")
        library = str((data.get("ICD") or {}).get("library_path") or "")
    except (ValueError, AttributeError, RecursionError):
        return False
    if not library:
        return not machine.live and machine.text(manifest) == "" and machine.file(manifest) is not None  # its content was not recorded
    if "\\" not in library and "/" not in library:
        return any(machine.file(folder + "\\" + library) for folder in (SYSTEM32, ntpath.dirname(manifest)))
    return machine.file(ntpath.normpath(ntpath.join(ntpath.dirname(manifest), library))) is not None


def layer(machine, manifest):
    """Name of a layer and the variable that takes it out."""
    try:
        data = json.loads(machine.text(manifest) or "{}").get("layer") or {}
        off = next(iter(data.get("disable_environment") or {}), "")
        return {"name": str(data.get("name") or ntpath.basename(manifest)), "path": manifest, "disable": str(off)}
    except (ValueError, AttributeError, TypeError, RecursionError):
        return {"name": ntpath.basename(manifest), "path": manifest, "disable": ""}


def manifests(machine):
    """Driver manifests as the loader finds them: of the adapters, then those that are listed."""
    return list(dict.fromkeys([*of_adapters(machine, "VulkanDriverName"), *(path for path, on in listed(machine, r"Vulkan\Drivers") if on)]))


def probe(emit, tree):
    machine = Machine(tree)
    loader = SYSTEM32 + r"\vulkan-1.dll"
    emit.known("vulkan.loader", machine.file(loader) is not None, machine.path(loader))
    version = machine.version(loader)
    if version:
        emit.known("windows.vulkan_loader_version", version, machine.path(loader))
    else:
        emit.absent("windows.vulkan_loader_version", machine.path(loader))
    icds = manifests(machine)
    emit.known("vulkan.icds", icds, "VulkanDriverName")
    emit.known("vulkan.broken_icds", [path for path in icds if not works(machine, path)], "VulkanDriverName")
    found = [layer(machine, path) for path, on in listed(machine, r"Vulkan\ImplicitLayers") if on]
    emit.known("windows.vulkan_layers", found, "HKLM\\" + KHRONOS + r"\Vulkan\ImplicitLayers")
    libraries = [*of_adapters(machine, "OpenCLDriverName"), *(path for path, on in listed(machine, r"OpenCL\Vendors") if on)]
    names = [next((name for part, name in PLATFORMS if part in ntpath.basename(path).lower()), ntpath.basename(path)) for path in libraries]
    emit.known("opencl.platforms", list(dict.fromkeys(names)), "OpenCLDriverName")


if __name__ == "__main__":
    main(probe)
