"""What the logs of a Windows machine say of the last 14 days: resets of the display driver, faulting modules, changes of the driver.

Resets: event 4101 of Display, and the reports LiveKernelEvent 141, 117, 1a1, 1a8, 193. Faults: Application Error 1000. Drivers: UserPnp 20001
for the changes, the INF files of the driver store for what can be gone back to.
"""

import ntpath
import re

from probe_protocol import main
from windows_machine import Machine

SAYS = "event logs"
PROVIDES = ("windows.display_resets", "windows.faults", "windows.stop_errors", "windows.driver_history", "windows.previous_driver",
            "windows.driver_changed", "windows.trouble_before_driver", "windows.trouble_since_driver", "windows.driver_store", "windows.updates")
LANE = "quiet"
DEADLINE = 12
NEEDS = ()
PYTHON = "own"
SYSTEM = "windows"

SYSTEM_EVENTS = {4101: "Display", 1001: "SystemErrorReporting", 20001: "UserPnp", 19: "WindowsUpdateClient"}
APPLICATION_EVENTS = {1000: "Application Error", 1001: "Windows Error Reporting"}
KERNEL_EVENTS = {"141": "GPU engine timeout", "117": "display driver timeout", "1a1": "reset of the display driver", "1a8": "display driver",
                 "193": "display driver reset by user or system", "1b8": "display driver"}
STOPS = {"0x00000116": "VIDEO_TDR_FAILURE", "0x00000117": "VIDEO_TDR_TIMEOUT_DETECTED", "0x00000119": "VIDEO_SCHEDULER_INTERNAL_ERROR",
         "0x000000ea": "THREAD_STUCK_IN_DEVICE_DRIVER", "0x00000113": "VIDEO_DXGKRNL_FATAL_ERROR"}
# Modules and programs whose faults are about the GPU.
MODULES = re.compile(r"(?:amdvlk64|amdhip64\w*|amdxx64|amdxc64|atidxx64|aticfx64|amdocl64|amd_comgr\w*|hiprtc\w*|rocblas|hipblas\w*|libhipblas\w*|rocsolver|"
                     r"MIOpen|torch_hip|c10_hip|ggml\w*|llama\w*|vulkan-1|amdkmdag|amdwddmg|atio6axx)(?:\.dll|\.sys)?$", re.I)
PROGRAMS = re.compile(r"(?:ollama\w*|llama-\w+|LM Studio|lms|lemonade[\w-]*|LemonadeServer|koboldcpp\w*|sd-server|sd-cli|whisper-\w+|"
                      r"jan|python|comfyui)(?:[ .-].*)?\.exe$|"
                      r"(?:ollama|llama-server|LM Studio|koboldcpp)\.exe$", re.I)
INFS = r"%SYSTEMROOT%\INF\oem*.inf"
MOST_KEPT = 100


def resets(system, application):
    """Times at which Windows reset the display driver, and why."""
    found = [{"at": event.at, "code": "4101", "driver": event.data.get("1", "")} for event in system if event.number == 4101]
    for event in application:
        if event.number == 1001 and event.data.get("EventName", event.data.get("3", "")) == "LiveKernelEvent":
            code = str(event.data.get("P1", event.data.get("6", ""))).lower()
            if code in KERNEL_EVENTS:
                found.append({"at": event.at, "code": code, "driver": KERNEL_EVENTS[code]})
    return sorted(found, key=lambda row: row["at"])[-MOST_KEPT:]


def faults(application):
    """Programs that ended with an exception in a module of the GPU stack, or that compute on GPUs."""
    for event in application:
        if event.number != 1000:
            continue
        said = event.data
        row = {"at": event.at, "program": said.get("AppName", said.get("1", "")), "module": said.get("ModuleName", said.get("4", "")),
               "version": said.get("ModuleVersion", said.get("5", "")), "code": said.get("ExceptionCode", said.get("7", "")).lower(),
               "offset": said.get("FaultingOffset", said.get("8", ""))}
        row["code"] = row["code"] if row["code"].startswith("0x") or not row["code"] else "0x" + row["code"]
        if MODULES.match(row["module"]) or PROGRAMS.match(row["program"]):
            yield row


def worded(row):
    """A fault as Event Viewer writes it, for the reader of crashes."""
    return ["Faulting application name: %s" % row["program"], "Faulting module name: %s, version: %s" % (row["module"], row["version"]),
            "Exception code: %s" % row["code"], "Fault offset: %s" % row["offset"]]


def installs(system):
    """Display drivers of AMD that Windows installed: time and version."""
    for event in system:
        said = event.data
        if event.number == 20001 and "VEN_1002" in said.get("DeviceInstanceID", "").upper() and re.fullmatch(r"[\d.]{7,30}", said.get("DriverVersion", "")):
            if "audio" not in said.get("DriverDescription", "").lower() and not said.get("DriverName", "").lower().startswith(("amdhda", "hdaudio")):
                yield {"at": event.at, "version": said["DriverVersion"], "inf": said.get("DriverName", ""), "status": said.get("InstallStatus", "")}


def store(machine):
    """Display drivers of AMD in the driver store: INF, version, date."""
    for path in machine.glob(INFS):
        head = machine.text(path, 1 << 18)
        version = re.search(r"^\s*DriverVer\s*=\s*(\d\d)/(\d\d)/(\d{4})\s*,\s*([\d.]+)", head, re.M | re.I)
        if version and re.search(r"^\s*Class\s*=\s*\"?Display", head, re.M | re.I) and re.search(r"Advanced Micro Devices|\bATI\b|VEN_1002", head):
            yield {"inf": ntpath.basename(path), "version": version[4], "date": "%s-%s-%s" % (version[3], version[1], version[2])}


def running(machine):
    """Version of the driver in use, from the first AMD adapter of the class."""
    from windows_machine import DISPLAY_CLASS

    for key in machine.registry.keys(DISPLAY_CLASS):
        values = machine.registry.values(DISPLAY_CLASS + "\\" + key)
        if key.isdigit() and "ven_1002" in str(values.get("MatchingDeviceId", "")).lower():
            return str(values.get("DriverVersion") or "")
    return ""


def probe(emit, tree):
    machine = Machine(tree)
    system, application = machine.events("System", SYSTEM_EVENTS), machine.events("Application", APPLICATION_EVENTS)
    reset, fault = resets(system, application), list(faults(application))[-MOST_KEPT:]
    emit.known("windows.display_resets", reset, "event logs")
    emit.known("windows.faults", fault, "event logs")
    stops = [{"at": event.at, "code": code, "name": STOPS[code]} for event in system if event.number == 1001
             for code in [(event.data.get("param1", event.data.get("1", "")).split(" ") or [""])[0].lower()] if code in STOPS]
    emit.known("windows.stop_errors", stops, "event logs")
    if fault:
        emit.text("windows event log", [line for row in fault[-10:] for line in worded(row)])
    driver_story(emit, machine, list(installs(system)), [row["at"] for row in (*reset, *fault, *stops)])
    updates = [{"at": event.at, "title": event.data.get("updateTitle", event.data.get("1", ""))[:200]} for event in system if event.number == 19]
    emit.known("windows.updates", updates[-MOST_KEPT:], "WindowsUpdateClient 19")


def driver_story(emit, machine, history, trouble):
    """The display driver that runs, the one before it, and the times of trouble before and after the change."""
    emit.known("windows.driver_history", history, "UserPnp 20001")
    now = running(machine)
    held = sorted(store(machine), key=lambda row: tuple(int(part) for part in row["version"].split(".") if part))
    emit.known("windows.driver_store", held, machine.path(INFS))
    changes = [row for row in history if row["version"] == now]
    before = [row for row in history if changes and row["at"] < changes[-1]["at"] and row["version"] != now]
    older = [row for row in held if row["version"] != now and row["date"] <= next((one["date"] for one in held if one["version"] == now), "")]
    previous = before[-1]["version"] if before else older[-1]["version"] if older and changes else ""
    if previous:
        emit.known("windows.previous_driver", previous, "UserPnp 20001" if before else machine.path(INFS))
    else:
        emit.absent("windows.previous_driver", "UserPnp 20001")
    if changes:
        since = next((row["at"] for row in reversed(changes) if not any(other["at"] > row["at"] for other in before)), changes[-1]["at"])
        emit.known("windows.driver_changed", since, "UserPnp 20001")
        emit.known("windows.trouble_since_driver", len([at for at in trouble if at >= since]), "event logs")
        emit.known("windows.trouble_before_driver", len([at for at in trouble if at < since]), "event logs")
        emit.text("update_history", ["zone\t+0000", *("changed\twindows\t%s\tamd-display-driver\t%s\t%s" % (row["at"], old, row["version"])
                                                       for row, old in zip(history, [previous, *(row["version"] for row in history)])
                                                       if old != row["version"])])
    else:
        for fact in ("windows.driver_changed", "windows.trouble_since_driver", "windows.trouble_before_driver"):
            emit.absent(fact, "UserPnp 20001")


if __name__ == "__main__":
    main(probe)
