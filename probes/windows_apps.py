"""AI applications of a Windows machine: where, which version, LM Studio's engines, and the ends of their logs."""

import json
import ntpath
import re

from probe_protocol import main
from windows_machine import Machine

SAYS = "applications"
PROVIDES = ("app.name", "app.version", "app.path", "ollama.version", "llama.build", "windows.lmstudio_engines", "windows.lmstudio_engine",
            "windows.lmstudio_engine_version", "windows.lmstudio_targets",            "windows.capture_programs")
LANE = "quiet"
DEADLINE = 10
NEEDS = ()
PYTHON = "own"
SYSTEM = "windows"

UNINSTALL = (r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall", r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Uninstall",
             r"HKLM\SOFTWARE\WOW6432Node\Microsoft\Windows\CurrentVersion\Uninstall")
# Start of the name in the list of installed programs.
NAMES = (("ollama", r"Ollama\b"), ("lmstudio", r"LM[ -]Studio\b"), ("lemonade", r"Lemonade\b"), ("comfyui", r"ComfyUI\b"), ("jan", r"Jan\b"),
         ("koboldcpp", r"KoboldCpp\b"), ("gpt4all", r"GPT4All\b"), ("amuse", r"Amuse\b"), ("stability-matrix", r"Stability ?Matrix\b"))
CAPTURE = re.compile(r"(OBS Studio|MSI Afterburner|RivaTuner|ReShade|Overwolf|Mirillis|Bandicam|Fraps)", re.I)
# What lies in folders without being installed: application, program, the folder that the version is of.
PORTABLE = (("ollama", r"%LOCALAPPDATA%\Programs\Ollama\ollama.exe"), ("lmstudio", r"%LOCALAPPDATA%\Programs\LM Studio\LM Studio.exe"),
            ("lemonade", r"%LOCALAPPDATA%\lemonade_server\bin\LemonadeServer.exe"), ("lemonade", r"%LOCALAPPDATA%\lemonade_server\bin\lemonade-server.exe"),
            ("koboldcpp", r"%USERPROFILE%\Downloads\koboldcpp*.exe"), ("koboldcpp", r"%USERPROFILE%\Desktop\koboldcpp*.exe"),
            ("koboldcpp", r"C:\koboldcpp\koboldcpp*.exe"), ("comfyui", r"C:\ComfyUI_windows_portable\ComfyUI\main.py"),
            ("comfyui", r"%USERPROFILE%\*\ComfyUI\main.py"), ("comfyui", r"%USERPROFILE%\*\*\ComfyUI\main.py"), ("comfyui", r"%USERPROFILE%\ComfyUI\main.py"),
            ("comfyui", r"D:\*\ComfyUI\main.py"), ("llama.cpp", r"%USERPROFILE%\*\llama-server.exe"),
            ("llama.cpp", r"%USERPROFILE%\Downloads\llama-b*\llama-server.exe"),
            ("llama.cpp", r"C:\llama*\llama-server.exe"), ("llama.cpp", r"%LOCALAPPDATA%\Microsoft\WinGet\Packages\ggml.llamacpp_*\llama-server.exe"))
ENGINES = r"%USERPROFILE%\.lmstudio\extensions\backends"
CHOSEN = r"%USERPROFILE%\.lmstudio\.internal\backend-preferences-v1.json"
# Name for the reader, pattern, how many of the newest.
LOGS = (("ollama server.log", r"%LOCALAPPDATA%\Ollama\server.log", 1), ("LM Studio server log", r"%USERPROFILE%\.lmstudio\server-logs\*\*.log", 1),
        ("LM Studio main.log", r"%APPDATA%\LM Studio\logs\main.log", 1), ("lemonade log", r"%USERPROFILE%\.cache\lemonade\*.log", 1),
        ("lemonade log", r"%LOCALAPPDATA%\lemonade_server\*.log", 1), ("lemonade log", r"%LOCALAPPDATA%\Temp\lemonade*.log", 1))
LOG_CAP = 1 << 19
WIDEST = 600
MOST_LINES = 3000


def installed(machine):
    """(name, version, folder) of the list of installed programs."""
    for top in UNINSTALL:
        for key in machine.registry.keys(top):
            row = machine.registry.values(top + "\\" + key)
            if row.get("DisplayName"):
                yield str(row["DisplayName"]), str(row.get("DisplayVersion") or ""), str(row.get("InstallLocation") or "").rstrip("\\").strip('"')


def version_of(machine, name, path):
    """Version of a program from cheap reads, "" where none says it."""
    folder = ntpath.dirname(path)
    if name == "comfyui":
        found = re.search(r"__version__\s*=\s*[\"']([^\"']+)", machine.text(folder + r"\comfyui_version.py", 1 << 14))
        return found[1] if found else ""
    if name == "llama.cpp":
        found = re.search(r"\bb(\d{4,5})\b", path)
        return "b" + found[1] if found else ""
    stated = machine.version(path)
    if name == "koboldcpp":
        found = re.search(r"(\d+\.\d+(?:\.\d+)?)", ntpath.basename(path))
        return found[1] if found else re.sub(r"\.0+$", "", stated)
    return re.sub(r"(\d+\.\d+\.\d+)\.0$", r"\1", stated) if stated != "0.0.0.0" else ""


def found_programs(machine):
    """(application, version, path), best first."""
    for title, version, folder in installed(machine):
        name = next((name for name, pattern in NAMES if re.match(pattern, title, re.I)), "")
        if name:
            said = re.search(r"\d+\.\d+(?:\.\d+)?(?:[-+]\d+)?", version) or re.search(r"\d+\.\d+(?:\.\d+)?", title)
            yield name, said[0] if said else "", folder or title
    for name, pattern in PORTABLE:
        for path in machine.glob(pattern):
            yield name, version_of(machine, name, path), path


def emit_engines(emit, machine):
    """LM Studio's runtimes: name, version, the gfx targets its manifest lists."""
    engines = []
    for folder in machine.glob(ENGINES + r"\llama.cpp-win-*"):
        try:
            data = json.loads(machine.text(folder + r"\backend-manifest.json", 1 << 18) or "{}")
        except (ValueError, RecursionError):
            data = {}
        data = data if isinstance(data, dict) else {}
        gpu = data.get("gpu") if isinstance(data.get("gpu"), dict) else {}
        split = re.match(r"(.+?)-(\d+\.\d+\.\d+.*)$", ntpath.basename(folder))
        engines.append({"name": str(data.get("name") or (split[1] if split else ntpath.basename(folder))),
                        "version": str(data.get("version") or (split[2] if split else "")),
                        "targets": [str(one) for one in gpu.get("targets") or []] if isinstance(gpu.get("targets"), list) else []})
    emit.known("windows.lmstudio_engines", engines, machine.path(ENGINES))
    try:
        rows = json.loads(machine.text(CHOSEN, 1 << 16) or "[]")
    except (ValueError, RecursionError):
        rows = []
    chosen = next((row for row in rows if isinstance(row, dict) and row.get("model_format") == "gguf"), None) if isinstance(rows, list) else None
    if chosen:
        emit.known("windows.lmstudio_engine", str(chosen.get("name")), machine.path(CHOSEN))
        emit.known("windows.lmstudio_engine_version", str(chosen.get("version")), machine.path(CHOSEN))
        held = next((one["targets"] for one in engines if one["name"] == chosen.get("name") and one["version"] == chosen.get("version")), [])
        emit.known("windows.lmstudio_targets", held, machine.path(ENGINES))
    else:
        for fact in ("windows.lmstudio_engine", "windows.lmstudio_engine_version", "windows.lmstudio_targets"):
            emit.absent(fact, machine.path(CHOSEN))


def emit_logs(emit, machine):
    for name, pattern, most in LOGS:
        files = sorted((machine.file(path) for path in machine.glob(pattern)), key=lambda file: (file.at, file.path))
        for file in files[-most:]:
            lines = [line[:WIDEST] for line in machine.text(file.path, LOG_CAP).splitlines()][-MOST_LINES:]
            if lines:
                emit.text(name, lines)


def probe(emit, tree):
    machine = Machine(tree)
    seen = {}
    for name, version, path in found_programs(machine):
        held = seen.setdefault(name, [])
        # The list of programs and the folder name one installation.
        if any(path.lower().startswith(other.lower()) or other.lower().startswith(ntpath.dirname(path).lower()) for other in held):
            continue
        if held and name != "comfyui" and name != "llama.cpp" and name != "koboldcpp":
            continue
        held.append(path)
        item = name if len(held) == 1 else name + "@" + path
        emit.known("app.name", name, "files", item)
        emit.known("app.path", path, "files", item)
        if version:
            emit.known("app.version", version, "files", item)
        else:
            emit.unknown("app.version", "unreadable", "no version in its files", {"ollama": "ollama --version"}.get(name, ""), item)
        if len(held) == 1 and name == "ollama" and version:
            emit.known("ollama.version", version, "files")
        if len(held) == 1 and name == "llama.cpp" and version:
            emit.known("llama.build", int(version.lstrip("b")), path)
    if not seen:
        for fact in ("app.name", "app.version", "app.path"):
            emit.absent(fact, "files")
    if "ollama" not in seen:
        emit.absent("ollama.version", "files")
    if "llama.cpp" not in seen:
        emit.absent("llama.build", "files")
    emit_engines(emit, machine)
    emit.known("windows.capture_programs", sorted({found[1] for title, _, _ in installed(machine) for found in [CAPTURE.match(title)] if found}), "Uninstall")
    emit_logs(emit, machine)


if __name__ == "__main__":
    main(probe)
