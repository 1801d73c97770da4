"""Which AI applications are installed and their versions, from files; only `ollama --version` is run, offline.

It is run where it belongs to root or the caller: in the homes of others files are read, and nothing is run.
"""

from __future__ import annotations

import os
import re

import trusted
from probe_protocol import ask, main

SAYS = "applications"
PROVIDES = ["app.name", "app.version", "app.path", "ollama.version", "llama.build"]
LANE = "quiet"
DEADLINE = 10
NEEDS = ()
PYTHON = "own"

SOURCE = "apps"
BINARIES = ("usr/local/bin", "usr/bin", "bin", "opt/*/bin", "snap/bin", "home/*/.local/bin", "home/*/bin",
            "home/linuxbrew/.linuxbrew/bin", "root/.local/bin")
PROGRAMS = {"ollama": "ollama", "llama-server": "llama.cpp", "llama-cli": "llama.cpp", "lms": "lmstudio",
            "lm-studio": "lmstudio", "lemonade-server": "lemonade", "koboldcpp": "koboldcpp", "vllm": "vllm"}
HOMES = ("home/*", "root")
TREES = {
    "llama.cpp": ("llama.cpp/build/bin/llama-server", "llama-b*/llama-server", "llama-b*/build/bin/llama-server",
                  "*/llama-b*/llama-server"),
    "lmstudio": (".lmstudio", "Applications/LM-Studio-*.AppImage", "Downloads/LM-Studio-*.AppImage",
                 "LM-Studio-*.AppImage"),
    "comfyui": ("ComfyUI", "comfyui", "*/ComfyUI"),
    "koboldcpp": ("koboldcpp*", "Downloads/koboldcpp-linux*"),
    "jan": (".config/Jan", ".local/share/Jan"),
}
SITES = ("home/*/.local/lib/python3*/site-packages", "home/*/venv/lib/python3*/site-packages",
         "home/*/.venv/lib/python3*/site-packages", "home/*/*/venv/lib/python3*/site-packages",
         "home/*/*/.venv/lib/python3*/site-packages", "usr/local/lib/python3*/dist-packages",
         "usr/local/lib/python3*/site-packages", "usr/lib/python3*/site-packages", "usr/lib/python3/dist-packages")
PACKAGES = {"vllm": "vllm", "lemonade_sdk": "lemonade", "llama_cpp_python": "llama-cpp-python"}


def candidates(root, live):
    """(application, path), best first."""
    if live:
        for program, name in PROGRAMS.items():
            found = trusted.program(program)
            if found:
                yield name, root / found
    for folder in (folder for pattern in BINARIES for folder in root.glob(pattern)):
        for program, name in PROGRAMS.items():
            if (folder / program).is_file():
                yield name, folder / program
    for home in (home for pattern in HOMES for home in root.glob(pattern)):
        for name, patterns in TREES.items():
            for path in (path for pattern in patterns for path in home.glob(pattern)):
                if name != "comfyui" or (path / "main.py").is_file():
                    yield name, path
    if live and os.environ.get("VIRTUAL_ENV"):
        yield from wheels((root / os.environ["VIRTUAL_ENV"]).glob("lib/python3*/site-packages"))
    yield from wheels(site for pattern in SITES for site in root.glob(pattern))


def wheels(sites):
    """Applications that are Python packages."""
    for site in sites:
        for package, name in PACKAGES.items():
            for folder in site.glob(f"{package}-*.dist-info"):
                yield name, folder


def version_of(name, path, live):
    """(version of an installation from cheap reads or "", why there is none)."""
    if path.name.endswith(".dist-info"):
        return path.name[:-len(".dist-info")].split("-", 1)[1], ""
    if name == "ollama":
        return ollama_version(path) if live else ("", "")
    if name == "llama.cpp":
        configuration = (path.parent.parent / "lib/cmake/llama/llama-config.cmake").text()
        found = re.search(r"LLAMA_BUILD_NUMBER\s+(\d+)", configuration) or re.search(r"/llama-b(\d+)", str(path))
        return (f"b{found[1]}" if found else ""), ""
    if name == "comfyui":
        found = re.search(r"__version__\s*=\s*[\"']([^\"']+)", (path / "comfyui_version.py").text())
        found = found or re.search(r"^version\s*=\s*\"([^\"]+)", (path / "pyproject.toml").text(), re.M)
        return (found[1] if found else ""), ""
    found = re.search(r"-v?(\d+\.\d+(?:\.\d+)?(?:-\d+)?)", path.name)
    return (found[1] if found else ""), ""


def ollama_version(path):
    """(version or "", why it was not asked). Asks the client alone: the address it is given has no server, so nothing leaves the machine."""
    answer = ask([str(path), "--version"], 2, 1 << 16, also_errors=True, OLLAMA_HOST="127.0.0.1:9")
    found = re.search(r"version is v?(\d+\.\d+\.\d+\S*)", answer.text)
    return (found[1], "") if found else ("", answer.why)


COMMANDS = {"ollama": "ollama --version", "llama.cpp": "llama-server --version", "vllm": "vllm --version"}


def probe(emit, tree):
    live = tree.live
    root = tree.place("/")
    seen = {}
    for name, path in candidates(root, live):
        real = path.real.parent if path.is_file() else path.real
        if real in seen.setdefault(name, set()):
            continue
        seen[name].add(real)
        shown = str(path)
        first = len(seen[name]) == 1
        item = name if first else f"{name}@{shown}"
        emit.known("app.name", name, SOURCE, item)
        emit.known("app.path", shown, SOURCE, item)
        version, why = version_of(name, path, live)
        if version:
            emit.known("app.version", version, SOURCE, item)
        else:
            reason = "skipped" if why.startswith("not run") else "unreadable"
            emit.unknown("app.version", reason, why or "no version in its files", COMMANDS.get(name, ""), item)
        if first and name == "ollama" and version:
            emit.known("ollama.version", version, SOURCE)
        if first and name == "llama.cpp" and version:
            emit.known("llama.build", int(version.lstrip("b")), SOURCE)
    if not seen:
        for fact in ("app.name", "app.version", "app.path"):
            emit.absent(fact, SOURCE)
    if "ollama" not in seen:
        emit.absent("ollama.version", SOURCE)
    if "llama.cpp" not in seen:
        emit.absent("llama.build", SOURCE)


if __name__ == "__main__":
    main(probe)
