"""WSL from inside: the bridge to the GPU and its runtime here, and the Windows side as far as interop lets it be asked."""

import os
import re

from probe_protocol import Tree, main

SAYS = "WSL"
PROVIDES = ("wsl.kernel", "wsl.rocdxg", "wsl.hsa_runtimes", "wsl.bundled_runtimes", "wsl.config", "wsl.memory_limit_bytes", "wsl.interop", "wsl.docker",
            "wsl.gpus", "windows.driver_version", "windows.adrenalin", "windows.driver_date", "windows.build", "windows.release", "windows.dedicated_bytes")
LANE = "quiet"
DEADLINE = 10
NEEDS = ()
PYTHON = "own"

RELEASE = "/proc/sys/kernel/osrelease"
LIBRARIES = ("/opt/rocm/lib", "/opt/rocm-*/lib", "/opt/rocm/core*/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib", "/usr/local/lib")
SITES = ("/home/*/*/lib/python3*/site-packages/torch/lib", "/home/*/*/*/lib/python3*/site-packages/torch/lib",
         "/root/*/lib/python3*/site-packages/torch/lib", "/usr/local/lib/python3*/dist-packages/torch/lib")
UNITS = {"": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
WINDOWS = "/windows"
REG = "/mnt/c/Windows/System32/reg.exe"


def folders(tree, patterns):
    """Folders of the tree, a name for each ``*``."""
    for pattern in patterns:
        found = [""]
        for part in pattern.strip("/").split("/"):
            if "*" in part:
                fits = re.compile(re.escape(part).replace(r"\*", ".*") + r"\Z")
                found = [above + "/" + name for above in found for name in tree.names(above or "/") if fits.match(name)]
            else:
                found = [above + "/" + part for above in found if tree.exists(above + "/" + part)]
        yield from found


def libraries(tree, stem):
    """Files of one library in the usual places: path and the version that its name carries."""
    for folder in dict.fromkeys(folders(tree, (*LIBRARIES, *SITES))):
        for name in tree.names(folder):
            found = re.fullmatch(re.escape(stem) + r"\.so(?:\.([\d.]+))?", name)
            if found:
                yield {"path": folder + "/" + name, "version": found[1] or ""}


def configuration(text):
    """{section.key: value} of a .wslconfig.

    >>> configuration("[wsl2]\\nmemory=28GB # most\\n")
    {'wsl2.memory': '28GB'}
    """
    found, section = {}, ""
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line.startswith("["):
            section = line.strip("[]").lower()
        elif "=" in line:
            name, _, value = line.partition("=")
            found[section + "." + name.strip()] = value.strip().strip('"')
    return found


def size(text):
    """Bytes of ``28GB``; None for anything else."""
    found = re.fullmatch(r"(\d+)\s*([KMGT]?B?)", text.strip().upper())
    return int(found[1]) * UNITS.get(found[2], 1) if found else None


def emit_config(emit, tree):
    paths = [home + "/.wslconfig" for home in folders(tree, ("/mnt/c/Users/*",)) if tree.exists(home + "/.wslconfig")]
    if not tree.exists("/mnt/c/Users"):
        for fact in ("wsl.config", "wsl.memory_limit_bytes"):
            emit.unknown(fact, "no_tool", "drive C is not mounted here", "cmd.exe /c type %USERPROFILE%\\.wslconfig")
        return
    found = configuration(tree.try_read(paths[0]) or "") if paths else {}
    emit.known("wsl.config", found, paths[0] if paths else "/mnt/c/Users/*/.wslconfig")
    limit = size(found.get("wsl2.memory", ""))
    if limit:
        emit.known("wsl.memory_limit_bytes", limit, paths[0])
    else:
        emit.absent("wsl.memory_limit_bytes", paths[0] if paths else "/mnt/c/Users/*/.wslconfig")


def docker(tree):
    """desktop, native, or None."""
    if tree.exists("/mnt/wsl/docker-desktop") or tree.exists("/mnt/wsl/docker-desktop-bind-mounts"):
        return "desktop"
    return "native" if any(tree.exists(path) for path in ("/usr/bin/dockerd", "/usr/sbin/dockerd", "/snap/bin/dockerd")) else None


def windows_side(tree):
    """(registry of Windows, what it is called as a source), or (None, why not)."""
    from windows_machine import Interop, Machine, recorded

    if tree.live:
        # Only Windows' own program on a drive that Windows serves: what another user of this Linux laid there is not run.
        served = re.search(r"^\S+ /mnt/c (?:9p|drvfs|virtiofs) ", tree.try_read("/proc/mounts") or "", re.M)
        if not served or not os.path.exists(REG):
            return None, "reg.exe cannot be reached: interop is off or drive C is not mounted"
        return Interop(REG), "Windows, reg.exe"
    below = Tree(tree.at(WINDOWS))
    return (Machine(below).registry, "Windows") if recorded(below) else (None, "the Windows side was not recorded")


def emit_windows(emit, registry, where):
    import windows_display
    from windows_machine import DISPLAY_CLASS, number

    cards = [values for key in registry.keys(DISPLAY_CLASS) if key.isdigit()
             for values in [registry.values(DISPLAY_CLASS + "\\" + key)] if "ven_1002" in str(values.get("MatchingDeviceId", "")).lower()]
    found = []
    for values in cards:
        identity = windows_display.IDENTITY.search(str(values["MatchingDeviceId"]))
        found.append({"name": str(values.get("DriverDesc") or ""), "pci_id": "1002:" + identity[2].lower() if identity else "",
                      "driver_version": str(values.get("DriverVersion") or ""), "dedicated_bytes": number(values.get("HardwareInformation.qwMemorySize"))})
    emit.known("wsl.gpus", found, where + ": " + DISPLAY_CLASS)
    best = max(zip(found, cards), key=lambda pair: pair[0]["dedicated_bytes"] or 0, default=None)
    version = registry.values(r"HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion")
    rows = {"build": int(version["CurrentBuildNumber"]) if str(version.get("CurrentBuildNumber", "")).isdigit() else None,
            "release": str(version.get("DisplayVersion") or "")}
    if best:
        release, _ = windows_display.release_of(best[1], registry)
        rows.update(driver_version=best[0]["driver_version"], adrenalin=release, driver_date=windows_display.iso(best[1].get("DriverDate")),
                    dedicated_bytes=best[0]["dedicated_bytes"])
    for name in ("driver_version", "adrenalin", "driver_date", "dedicated_bytes", "build", "release"):
        if rows.get(name):
            emit.known("windows." + name, rows[name], where)
        else:
            emit.absent("windows." + name, where)


def probe(emit, tree):
    release = tree.try_read(RELEASE) or ""
    if "microsoft" not in release.lower():
        return
    from windows_machine import DISPLAY_CLASS  # what knows Windows is loaded under WSL alone

    emit.known("wsl.kernel", release, RELEASE)
    bridges = list(libraries(tree, "librocdxg"))
    if bridges:
        emit.known("wsl.rocdxg", bridges, "files")
    elif tree.recorded("/usr", "/opt"):
        emit.absent("wsl.rocdxg", "/opt/rocm*/lib, /usr/lib")
    runtimes = list(libraries(tree, "libhsa-runtime64"))
    emit.known("wsl.hsa_runtimes", runtimes, "files")
    emit.known("wsl.bundled_runtimes", [row["path"] for row in runtimes if "/torch/lib/" in row["path"]], "files")
    emit_config(emit, tree)
    interop = tree.try_read("/proc/sys/fs/binfmt_misc/WSLInterop") or tree.try_read("/proc/sys/fs/binfmt_misc/WSLInterop-late") or ""
    if tree.recorded("/proc/sys/fs/binfmt_misc"):
        emit.known("wsl.interop", interop.startswith("enabled"), "/proc/sys/fs/binfmt_misc/WSLInterop")
    kind = docker(tree)
    if kind:
        emit.known("wsl.docker", kind, "files")
    else:
        emit.absent("wsl.docker", "files")
    registry, where = windows_side(tree)
    if registry is None:
        emit.note("The Windows side was not read: " + where + ".")
        for fact in ("windows.driver_version", "windows.adrenalin", "wsl.gpus"):
            emit.unknown(fact, "no_tool", where, "reg.exe query \"" + DISPLAY_CLASS + "\\0000\"")
        return
    emit_windows(emit, registry, where)


if __name__ == "__main__":
    main(probe)
