"""Display adapters of a Windows machine: which, where, with which driver, with how much memory, and whether they work."""

import re

from probe_protocol import main
from windows_machine import DISPLAY_CLASS, Machine, number

SAYS = "display adapters"
PROVIDES = ("pci.amd_gpu_count", "pci.other_gpus", "gpu.pci_address", "gpu.pci_id", "gpu.subsystem_id", "gpu.revision", "gpu.name", "gpu.driver",
            "gpu.vram_bytes", "gpu.visible_vram_bytes", "gpu.bar_bytes", "gpu.driver_version", "gpu.driver_date", "gpu.driver_inf",
            "gpu.problem_code", "gpu.shared_bytes", "gpu.vram_budget_bytes", "gpu.vram_used_bytes", "gpu.shared_used_bytes", "gpu.adapter_order",
            "gpu.holders", "gpu.held_bytes",
            "windows.driver_version", "windows.driver_date", "windows.driver_inf", "windows.driver_internal", "windows.adrenalin",
            "windows.dedicated_bytes", "windows.shared_bytes", "windows.basic_display")
LANE = "quiet"
DEADLINE = 8
NEEDS = ()
PYTHON = "own"
SYSTEM = "windows"

BUS = r"HKLM\SYSTEM\CurrentControlSet\Enum\PCI"
CLASS = DISPLAY_CLASS.rpartition("\\")[2]
VENDORS = {"1002": "AMD", "10DE": "NVIDIA", "8086": "Intel"}
IDENTITY = re.compile(r"VEN_([0-9A-F]{4})&DEV_([0-9A-F]{4})(?:&SUBSYS_([0-9A-F]{4})([0-9A-F]{4}))?(?:&REV_([0-9A-F]{2}))?", re.I)


def devices(machine):
    """Display devices on the PCI bus that are present, as dictionaries."""
    for identity in machine.registry.keys(BUS):
        found = IDENTITY.match(identity)
        for instance in machine.registry.keys(BUS + "\\" + identity) if found else ():
            values = machine.registry.values(BUS + "\\" + identity + "\\" + instance)
            # A device without a driver has no class yet; the bus tells what it is.
            kinds = values.get("CompatibleIDs") or []
            if str(values.get("ClassGUID", "")).lower() != CLASS and not any("CC_03" in str(kind) for kind in kinds):
                continue
            held = machine.device("PCI\\" + identity + "\\" + instance)
            if held is None:  # fitted once: its keys stay
                continue
            place = re.search(r"\((\d+),(\d+),(\d+)\)$", str(values.get("LocationInformation", "")))
            yield {
                "vendor": found[1].upper(), "device": found[2].lower(), "subsystem": (found[4] + ":" + found[3]).lower() if found[3] else "",
                "revision": (found[5] or "").lower(), "name": str(values.get("DeviceDesc", "")).rpartition(";")[2],
                "service": str(values.get("Service") or ""), "class": machine.registry.values(DISPLAY_CLASS + "\\" + str(
                    values.get("Driver", "")).rpartition("\\")[2]) if values.get("Driver") else {},
                "address": "0000:%02x:%02x.%x" % tuple(map(int, place.groups())) if place else "", "instance": "PCI\\" + identity + "\\" + instance,
                **held}


def joined(rows, found):
    """Each device with its row of DXGI and the place of that row, by address, else by what both say of it."""
    left = list(enumerate(rows))

    def takes(test):
        for device in found:
            match = next((pair for pair in left if "row" not in device and test(device, pair[1])), None)
            if match:
                left.remove(match)
                device["order"], device["row"] = match

    takes(lambda device, row: row.get("address") and row["address"] == device["address"])
    takes(lambda device, row: row.get("vendor") == int(device["vendor"], 16) and row.get("device") == int(device["device"], 16)
          and device["revision"] in ("", "%02x" % (row.get("revision") or 0)))
    takes(lambda device, row: row.get("vendor") == int(device["vendor"], 16) and row.get("device") == int(device["device"], 16))


def memory_of(device):
    """Dedicated bytes: DXGI's, else what the driver wrote into the registry; AdapterRAM is capped at 4 GiB and not read."""
    size = device.get("row", {}).get("dedicated")
    source = "DXGI"
    if not isinstance(size, int):
        size, source = number(device["class"].get("HardwareInformation.qwMemorySize")), "HardwareInformation.qwMemorySize"
    return size, source


def emit_device(emit, device):
    item = device["address"] or device["instance"]
    row, keys, key = device.get("row", {}), device["class"], DISPLAY_CLASS

    def tell(name, value, source):
        if value or value == 0 and not isinstance(value, str):
            emit.known("gpu." + name, value, source, item)

    tell("pci_address", device["address"], "LocationInformation")
    tell("pci_id", "1002:" + device["device"], "Enum\\PCI")
    tell("subsystem_id", device["subsystem"], "Enum\\PCI")
    tell("revision", device["revision"], "Enum\\PCI")
    tell("name", row.get("description") or str(keys.get("DriverDesc") or "") or device["name"], "DXGI" if row else key)
    if device["service"]:
        tell("driver", device["service"], "Enum\\PCI")
    else:
        emit.absent("gpu.driver", "Enum\\PCI", item)
    size, source = memory_of(device)
    tell("vram_bytes", size, source)
    if device["bars"]:
        tell("bar_bytes", max(device["bars"]), "configuration manager")
        if size:
            tell("visible_vram_bytes", min(size, max(device["bars"])), "configuration manager")
    tell("driver_version", str(keys.get("DriverVersion") or ""), key)
    tell("driver_date", iso(keys.get("DriverDate")), key)
    tell("driver_inf", str(keys.get("InfPath") or ""), key)
    if device["problem"] is not None:
        tell("problem_code", device["problem"], "configuration manager")
    for name, field, source in (("shared_bytes", "shared", "DXGI"), ("vram_budget_bytes", "local_budget", "DXGI"),
                                ("vram_used_bytes", "dedicated_used", "GPU Adapter Memory"), ("shared_used_bytes", "shared_used", "GPU Adapter Memory")):
        if isinstance(row.get(field), int):
            tell(name, row[field], source)
    if "order" in device:
        tell("adapter_order", device["order"], "DXGI")


def emit_holders(emit, device, processes):
    """Who holds memory of this GPU."""
    item, row = device["address"] or device["instance"], device.get("row", {})
    if processes is None or not (row.get("luid") or row.get("address")):
        return
    mine = [one for one in processes if one.get("luid") and one["luid"] == row.get("luid") or one.get("address") and one["address"] == row.get("address")]
    emit.known("gpu.holders", [{"pid": one.get("pid"), "name": one.get("name") or "?", "vram_bytes": one.get("dedicated", 0),
                                "gtt_bytes": one.get("shared", 0), "kfd_bytes": 0} for one in mine], "GPU Process Memory", item)
    emit.known("gpu.held_bytes", sum(one.get("dedicated", 0) for one in mine), "GPU Process Memory", item)


def iso(date):
    """3-9-2026 of the registry as 2026-03-09; "" for anything else."""
    found = re.fullmatch(r"(\d{1,2})-(\d{1,2})-(\d{4})", str(date or ""))
    return "%s-%02d-%02d" % (found[3], int(found[1]), int(found[2])) if found else ""


def release_of(keys, registry):
    """(Adrenalin release, where it stands); ("", "") for drivers of notebook makers, which have none."""
    for key, values in ((DISPLAY_CLASS, keys), (r"HKLM\SOFTWARE\AMD\CN", registry.values(r"HKLM\SOFTWARE\AMD\CN"))):
        found = re.match(r"\d{2}\.\d{1,2}\.\d{1,2}(?:\.\d{1,2})?", str(values.get("RadeonSoftwareVersion") or ""))
        if found:
            return found[0], key + "\\RadeonSoftwareVersion"
    return "", ""


def emit_driver(emit, machine, device):
    """The facts of the machine: those of the AMD GPU with the most memory."""
    keys, row = device["class"], device.get("row", {})
    internal = re.match(r"\d{2}\.\d{1,2}\.\d{1,2}(?:\.\d{1,2})*", str(keys.get("ReleaseVersion") or ""))
    release, source = release_of(keys, machine.registry)
    for fact, value, where in (("driver_version", str(keys.get("DriverVersion") or ""), DISPLAY_CLASS),
                               ("driver_date", iso(keys.get("DriverDate")), DISPLAY_CLASS),
                               ("driver_inf", str(keys.get("InfPath") or ""), DISPLAY_CLASS), ("driver_internal", internal and internal[0], DISPLAY_CLASS),
                               ("adrenalin", release, source)):
        if value:
            emit.known("windows." + fact, value, where)
        else:
            emit.absent("windows." + fact, DISPLAY_CLASS)
    size, source = memory_of(device)
    if size is not None:
        emit.known("windows.dedicated_bytes", size, source)
    if isinstance(row.get("shared"), int):
        emit.known("windows.shared_bytes", row["shared"], "DXGI")


def probe(emit, tree):
    machine = Machine(tree)
    found = list(devices(machine))
    rows = machine.adapters()
    used, processes = machine.usage() if rows else ({}, None)
    for row in rows or ():
        row.update({name: size for name, size in used.get(row.get("luid"), {}).items() if name.endswith("_used") and name not in row})
    joined(rows or [], found)
    amd = [device for device in found if device["vendor"] == "1002"]
    emit.known("pci.amd_gpu_count", len(amd), "Enum\\PCI")
    emit.known("pci.other_gpus", [device["name"] or VENDORS.get(device["vendor"], device["vendor"]) for device in found if device not in amd], "Enum\\PCI")
    emit.known("windows.basic_display", any(device["service"].lower() == "basicdisplay" or device["problem"] == 28 for device in amd), "Enum\\PCI")
    for device in amd:
        emit_device(emit, device)
        emit_holders(emit, device, processes)
    if amd:
        emit_driver(emit, machine, max(amd, key=lambda device: memory_of(device)[0] or 0))
    if rows is None:
        emit.note("The adapters could not be asked through DXGI: sizes are those that the driver wrote into the registry.")


if __name__ == "__main__":
    main(probe)
