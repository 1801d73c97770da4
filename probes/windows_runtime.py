"""HIP on a Windows machine: every copy of the runtime and who loads it, HIP SDKs, ROCm wheels, torch in Python environments."""

import ntpath
import re

from probe_protocol import main
from windows_machine import Machine

SAYS = "HIP and ROCm"
PROVIDES = ("windows.hip_dlls", "windows.hip_runtime", "windows.hip_runtime_version", "windows.rocm_in_system", "windows.rocm_on_path",
            "windows.visual_c_version", "rocm.path", "rocm.kind", "rocm.version", "rocm.tensile_targets", "runtime.rocm_version",
            "runtime.rocm_targets", "torch.python", "torch.version", "torch.hip", "torch.cuda")
LANE = "quiet"
DEADLINE = 10
NEEDS = ()
PYTHON = "own"
SYSTEM = "windows"

SYSTEM32 = r"%SYSTEMROOT%\System32"
RUNTIME = re.compile(r"amdhip64(?:_(\d+))?\.dll$", re.I)
COMPILER = re.compile(r"hiprtc(?:(\d\d)\d\d)?\.dll$", re.I)  # hiprtc0604.dll of HIP 6.4
# What the display driver never puts into System32.
FOREIGN = re.compile(r"(?:rocblas|hipblas\w*|libhipblas\w*|rocsolver|rocsparse|hipsparse|rocfft|hipfft|MIOpen|rocrand|hiprand|rocm_kpack)\.dll$", re.I)
SITES = (r"%USERPROFILE%\*\venv\Lib\site-packages", r"%USERPROFILE%\*\.venv\Lib\site-packages", r"%USERPROFILE%\venv\Lib\site-packages",
         r"%USERPROFILE%\.venv\Lib\site-packages", r"%USERPROFILE%\Documents\*\venv\Lib\site-packages", r"%USERPROFILE%\Documents\*\.venv\Lib\site-packages",
         r"%USERPROFILE%\*\python_embed*\Lib\site-packages", r"%USERPROFILE%\*\*\python_embed*\Lib\site-packages", r"C:\*\python_embed*\Lib\site-packages",
         r"C:\*\venv\Lib\site-packages", r"C:\*\.venv\Lib\site-packages", r"C:\*\python_env\Lib\site-packages", r"D:\*\python_embed*\Lib\site-packages",
         r"D:\*\venv\Lib\site-packages", r"%LOCALAPPDATA%\Programs\Python\Python3*\Lib\site-packages", r"%APPDATA%\Python\Python3*\site-packages",
         r"%USERPROFILE%\miniconda3\Lib\site-packages", r"%USERPROFILE%\miniconda3\envs\*\Lib\site-packages",
         r"%USERPROFILE%\miniforge3\envs\*\Lib\site-packages", r"%USERPROFILE%\anaconda3\envs\*\Lib\site-packages")
# Folders of applications that bring a runtime along.
APPLICATIONS = (("ollama", r"%LOCALAPPDATA%\Programs\Ollama\lib\ollama\rocm*"), ("ollama", r"%LOCALAPPDATA%\Programs\Ollama\lib\ollama"),
                ("lmstudio", r"%USERPROFILE%\.lmstudio\extensions\backends\vendor\win-llama-rocm-vendor-*"),
                ("lmstudio", r"%USERPROFILE%\.lmstudio\extensions\backends\vendor\win-llama-rocm-vendor-*\bin"),
                ("lemonade", r"%USERPROFILE%\.cache\lemonade\bin\llamacpp\rocm*"), ("lemonade", r"%LOCALAPPDATA%\lemonade_server\bin\llamacpp\rocm*"),
                ("lemonade", r"%PROGRAMDATA%\lemonade\bin\llamacpp\rocm*"), ("lemonade", r"%USERPROFILE%\.cache\lemonade\bin\therock\*\bin"))


def targets(machine, folders):
    """gfx targets that files of rocBLAS name; None when there is no such folder."""
    names = [name for folder in folders for name in machine.names(folder)]
    found = {match[0] for name in names for match in [re.search(r"gfx[0-9]+[a-f]?[0-9a-f]*", name)] if match}
    return sorted(found, key=lambda gfx: (len(gfx), gfx)) if names else None


def runtimes(machine, folder, who):
    """The copies of the HIP runtime in a folder."""
    for name in machine.names(folder):
        if RUNTIME.match(name):
            path = machine.path(folder) + "\\" + name
            yield {"name": name, "path": path, "version": machine.version(path), "for": who}


def search_path(machine):
    """Folders of PATH: the machine's, then the user's."""
    keys = (r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment", r"HKCU\Environment")
    texts = [str({name.lower(): value for name, value in machine.registry.values(key).items()}.get("path") or "") for key in keys]
    folders = [machine.path(part.strip().strip('"')).rstrip("\\") for text in texts for part in text.split(";") if part.strip()]
    return list(dict.fromkeys(folders))


def sites(machine):
    """site-packages folders of the user's environments, each once."""
    active = [machine.variables.get(name, "") + r"\Lib\site-packages" for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if machine.variables.get(name)]
    found = [path for pattern in [*active, *SITES] for path in machine.glob(pattern)]
    return list({path.lower(): path for path in found}.values())


def python_of(machine, site):
    """The interpreter that a site-packages folder belongs to."""
    top = ntpath.dirname(ntpath.dirname(site)) if ntpath.basename(ntpath.dirname(site)).lower() == "lib" else ntpath.dirname(site)
    return next((path for path in (top + r"\Scripts\python.exe", top + r"\python.exe") if machine.file(path)), top + r"\python.exe")


def versions(machine, site):
    """Package to version, from the names of its .dist-info folders."""
    rows = (re.match(r"(.+?)-([^-]+)\.dist-info$", name) for name in machine.names(site))
    return {row[1].lower(): row[2] for row in rows if row}


def emit_rocm(emit, item, kind, version, carried):
    emit.known("rocm.path", item, "files", item)
    emit.known("rocm.kind", kind, "files", item)
    if version:
        emit.known("rocm.version", version, "files", item)
    else:
        emit.unknown("rocm.version", "unreadable", "no name of a package says it", "pip list", item)
    if carried is None:
        emit.absent("rocm.tensile_targets", "files: no rocBLAS library folder", item)
    else:
        emit.known("rocm.tensile_targets", carried, "files", item)


def emit_torch(emit, machine, site, held):
    python = python_of(machine, site)
    emit.known("torch.python", python, site, python)
    emit.known("torch.version", held["torch"], site, python)
    said = machine.text(site + r"\torch\version.py", 1 << 14)
    for name in ("hip", "cuda"):
        found = re.search(r"^%s\b[^=\n]*=\s*(?:['\"]([^'\"]+)['\"]|None)" % name, said, re.M)
        if found and found[1]:
            emit.known("torch." + name, found[1], site + r"\torch\version.py", python)
        elif found:
            emit.absent("torch." + name, site + r"\torch\version.py", python)
        else:
            emit.unknown("torch." + name, "not_collected", "torch\\version.py was not recorded", python + " -m torch.utils.collect_env", python)


class Found:
    """The HIP of a machine: copies of the runtime, installations (path, kind, version, targets), folders of PATH, (site-packages, its versions)."""

    def __init__(self, machine):
        self.dlls, self.installed, self.on_path, self.sites = list(runtimes(machine, SYSTEM32, "any program")), [], [], []
        for who, pattern in APPLICATIONS:
            for folder in machine.glob(pattern):
                self._add(runtimes(machine, folder, who))
        for folder in machine.glob(r"%PROGRAMFILES%\AMD\ROCm\*"):
            if machine.names(folder + r"\bin"):
                carried = targets(machine, [folder + r"\bin\rocblas\library"])
                self.installed.append((folder, "hip-sdk", ntpath.basename(folder), carried))
        for folder in search_path(machine):
            if folder.lower() == machine.path(SYSTEM32).lower():
                continue
            held = list(runtimes(machine, folder, "what finds none before on PATH"))
            self._add(held)
            if held or any(FOREIGN.match(name) for name in machine.names(folder)):
                self.on_path.append(folder)
        for site in sites(machine):
            held = versions(machine, site)
            core = site + r"\_rocm_sdk_core"
            if machine.file(core):
                libraries = [path + r"\bin\rocblas\library" for path in machine.glob(site + r"\_rocm_sdk_libraries*")]
                self.installed.append((core, "therock", held.get("rocm_sdk_core", ""), targets(machine, libraries)))
                self._add(runtimes(machine, core + r"\bin", python_of(machine, site)))
            self.sites.append((site, held))

    def _add(self, rows):
        self.dlls += [row for row in list(rows) if row["path"] not in [held["path"] for held in self.dlls]]


def major(row):
    """The major version that the name of a runtime carries; the name without one is HIP 5's."""
    return int(RUNTIME.match(row["name"])[1] or 5)


def to_test(machine):
    """[(runtime, [compilers of kernels of its major version, those beside it first])], System32's newest first.

    The display driver brings the runtime and, since Adrenalin 22.10, no hiprtc: SDK and wheels do.
    """
    found = Found(machine)
    rows = sorted(found.dlls, key=lambda row: (row["for"] != "any program", -major(row)))
    folders = [ntpath.dirname(row["path"]) for row in rows] + [path + r"\bin" for path, *_ in found.installed]
    compilers = [(ntpath.dirname(path), int(match[1] or 0), path) for folder in dict.fromkeys(folders) for name in machine.names(folder)
                 for match in [COMPILER.match(name)] if match for path in [folder + "\\" + name]]
    newest = sorted(compilers, key=lambda row: row[2].lower(), reverse=True)
    return [(row["path"], [path for beside in (True, False) for folder, number, path in newest
                           if (folder == ntpath.dirname(row["path"])) is beside and number in (0, major(row))]) for row in rows]


def probe(emit, tree):
    machine = Machine(tree)
    here = Found(machine)
    dlls = here.dlls
    for site, held in here.sites:
        if "torch" in held:
            emit_torch(emit, machine, site, held)
    emit.known("windows.hip_dlls", dlls, "files")
    # The newest of System32 is what a program of today loads that brings none.
    of_system = sorted((row for row in dlls if row["for"] == "any program"), key=major)
    if of_system:
        emit.known("windows.hip_runtime", of_system[-1]["path"], "files")
    else:
        emit.absent("windows.hip_runtime", machine.path(SYSTEM32))
    if of_system and of_system[-1]["version"]:
        emit.known("windows.hip_runtime_version", of_system[-1]["version"], of_system[-1]["path"])
    else:
        emit.absent("windows.hip_runtime_version", machine.path(SYSTEM32))
    emit.known("windows.rocm_in_system", [name for name in machine.names(SYSTEM32) if FOREIGN.match(name)], machine.path(SYSTEM32))
    emit.known("windows.rocm_on_path", here.on_path, "PATH")
    library = SYSTEM32 + r"\vcruntime140_1.dll"
    runtime = machine.version(library)
    if runtime:
        emit.known("windows.visual_c_version", runtime, machine.path(library))
    elif machine.file(library):
        emit.unknown("windows.visual_c_version", "unreadable", machine.path(library) + " does not say its version")
    else:
        emit.absent("windows.visual_c_version", machine.path(library))
    for row in here.installed:
        emit_rocm(emit, *row)
    best = next((row for row in here.installed if row[1] == "therock"), here.installed[0] if here.installed else None)
    for fact, value in (("runtime.rocm_version", best and best[2]), ("runtime.rocm_targets", best and best[3])):
        if value:
            emit.known(fact, value, best[0])
        else:
            emit.absent(fact, "files")


if __name__ == "__main__":
    main(probe)
