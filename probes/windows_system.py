"""A Windows machine: system, board, memory, and the settings that change what a GPU does."""

import re

from probe_protocol import main
from windows_machine import Machine, number

SAYS = "system and memory"
PROVIDES = ("os.family", "os.name", "os.version", "machine.board", "machine.product", "machine.bios_version", "machine.bios_date", "machine.cpu",
            "machine.secure_boot", "memory.ram_bytes", "memory.available_bytes", "memory.installed_bytes", "memory.swap_bytes",
            "windows.build", "windows.release", "windows.reserved_bytes", "windows.commit_limit_bytes", "windows.commit_used_bytes",
            "windows.page_files", "windows.hags", "windows.tdr_level", "windows.tdr_delay_s", "windows.tdr_ddi_delay_s", "windows.mpo",
            "windows.power_plan", "windows.fast_startup", "windows.long_paths", "windows.smart_app_control", "windows.memory_integrity",
            "windows.update_drivers")
LANE = "quiet"
DEADLINE = 6
NEEDS = ()
PYTHON = "own"
SYSTEM = "windows"

CONTROL = r"HKLM\SYSTEM\CurrentControlSet\Control"
BIOS = r"HKLM\HARDWARE\DESCRIPTION\System\BIOS"
VERSION = r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion"
GRAPHICS = CONTROL + r"\GraphicsDrivers"
PLANS = {"381b4222-f694-41f0-9685-ff5bb260df2e": "balanced", "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "high performance",
         "a1841308-3541-4fab-bc81-f71556f20b4a": "power saver", "e9a42b02-d5df-448d-aa00-03f14749eb61": "ultimate performance"}
APP_CONTROL = {0: "off", 1: "on", 2: "evaluation"}


def emit_system(emit, machine):
    version = machine.registry.values(VERSION)
    build = str(version.get("CurrentBuildNumber") or "")
    emit.known("os.family", "windows", VERSION)
    if not build.isdigit():
        for fact in ("os.name", "os.version", "windows.build"):
            emit.unknown(fact, "unreadable", VERSION + " has no build", "winver")
        return
    # ProductName still says Windows 10 on Windows 11.
    name = str(version.get("ProductName") or "Windows")
    emit.known("os.name", name.replace("Windows 10", "Windows 11") if int(build) >= 22000 else name, VERSION)
    revision = number(version.get("UBR"))
    kernel = "10.0" if int(build) >= 10240 else str(version.get("CurrentVersion") or "6.1")
    emit.known("os.version", kernel + "." + build + ("." + str(revision) if revision else ""), VERSION)
    emit.known("windows.build", int(build), VERSION)
    if version.get("DisplayVersion"):
        emit.known("windows.release", str(version["DisplayVersion"]), VERSION)
    else:
        emit.absent("windows.release", VERSION)


def emit_board(emit, machine):
    bios = machine.registry.values(BIOS)

    def words(*names):
        return " ".join(str(bios[name]).strip() for name in names if str(bios.get(name) or "").strip())

    for fact, value in (("board", words("BaseBoardManufacturer", "BaseBoardProduct")), ("product", words("SystemManufacturer", "SystemProductName")),
                        ("bios_version", words("BIOSVersion")), ("bios_date", words("BIOSReleaseDate"))):
        if value:
            emit.known("machine." + fact, value, BIOS)
        else:
            emit.unknown("machine." + fact, "unreadable", "the registry does not say", "msinfo32")
    key = r"HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0"
    cpu = str(machine.registry.values(key).get("ProcessorNameString") or "").strip()
    if cpu:
        emit.known("machine.cpu", re.sub(r"\s+", " ", cpu), key)
    secure = number(machine.registry.values(CONTROL + r"\SecureBoot\State").get("UEFISecureBootEnabled"))
    if secure is None:
        emit.absent("machine.secure_boot", CONTROL + r"\SecureBoot\State")
    else:
        emit.known("machine.secure_boot", bool(secure), CONTROL + r"\SecureBoot\State")


def emit_memory(emit, machine):
    held = machine.memory()
    source = "GlobalMemoryStatusEx"
    for fact, name in (("memory.ram_bytes", "visible"), ("memory.available_bytes", "available"), ("memory.installed_bytes", "installed"),
                       ("windows.commit_limit_bytes", "commit_limit"), ("windows.commit_used_bytes", "commit_used")):
        if name in held:
            emit.known(fact, held[name], "GetPhysicallyInstalledSystemMemory" if name == "installed" else source)
        else:
            emit.unknown(fact, "unreadable", "Windows does not say", "systeminfo")
    if "visible" in held and "installed" in held:
        emit.known("windows.reserved_bytes", max(held["installed"] - held["visible"], 0), "installed less visible")
    if "visible" in held and "commit_limit" in held:
        emit.known("memory.swap_bytes", max(held["commit_limit"] - held["visible"], 0), source)
    files = machine.registry.values(CONTROL + r"\Session Manager\Memory Management").get("PagingFiles") or []
    emit.known("windows.page_files", [str(file) for file in (files if isinstance(files, list) else [files]) if file], "PagingFiles")


def emit_settings(emit, machine):
    def tell(fact, key, name, read):
        value = number(machine.registry.values(key).get(name))
        if value is None:
            emit.absent("windows." + fact, key + "\\" + name)
        else:
            emit.known("windows." + fact, read(value), key + "\\" + name)

    mode = number(machine.registry.values(GRAPHICS).get("HwSchMode"))
    asked = [row["hags_enabled"] for row in machine.adapters() or () if row.get("vendor") == 0x1002 and "hags_enabled" in row]
    if asked:
        emit.known("windows.hags", any(asked), "D3DKMTQueryAdapterInfo")
    elif mode in (1, 2):
        emit.known("windows.hags", mode == 2, GRAPHICS + r"\HwSchMode")
    else:
        emit.absent("windows.hags", GRAPHICS + r"\HwSchMode")
    tell("tdr_level", GRAPHICS, "TdrLevel", int)
    tell("tdr_delay_s", GRAPHICS, "TdrDelay", int)
    tell("tdr_ddi_delay_s", GRAPHICS, "TdrDdiDelay", int)
    tell("mpo", r"HKLM\SOFTWARE\Microsoft\Windows\Dwm", "OverlayTestMode", lambda value: value != 5)
    tell("fast_startup", CONTROL + r"\Session Manager\Power", "HiberbootEnabled", bool)
    tell("long_paths", CONTROL + r"\FileSystem", "LongPathsEnabled", bool)
    tell("smart_app_control", CONTROL + r"\CI\Policy", "VerifiedAndReputablePolicyState", lambda value: APP_CONTROL.get(value, "other"))
    tell("memory_integrity", CONTROL + r"\DeviceGuard\Scenarios\HypervisorEnforcedCodeIntegrity", "Enabled", bool)
    tell("update_drivers", r"HKLM\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate", "ExcludeWUDriversInQualityUpdate", lambda value: value == 0)
    key = CONTROL + r"\Power\User\PowerSchemes"
    plan = str(machine.registry.values(key).get("ActivePowerScheme") or "").lower()
    if plan:
        emit.known("windows.power_plan", PLANS.get(plan, "own: " + plan), key)
    else:
        emit.absent("windows.power_plan", key)


def probe(emit, tree):
    machine = Machine(tree)
    emit_system(emit, machine)
    emit_board(emit, machine)
    emit_memory(emit, machine)
    emit_settings(emit, machine)


if __name__ == "__main__":
    main(probe)
