"""Which AI applications are installed and their versions, from files; only `ollama --version` is run, offline."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

from probe_protocol import main

PROVIDES = ["app.name", "app.version", "app.path", "ollama.version", "llama.build"]
LANE = "quiet"
DEADLINE = 10
NEEDS = []
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


def read(path):
    """Text of a small file, or ""."""
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def candidates(root, live):
    """(application, path), best first."""
    if live:
        for program, name in PROGRAMS.items():
            found = shutil.which(program)
            if found:
                yield name, Path(found)
    for folder in (folder for pattern in BINARIES for folder in sorted(root.glob(pattern))):
        for program, name in PROGRAMS.items():
            if (folder / program).is_file():
                yield name, folder / program
    for home in (home for pattern in HOMES for home in sorted(root.glob(pattern))):
        for name, patterns in TREES.items():
            for path in (path for pattern in patterns for path in sorted(home.glob(pattern))):
                if name != "comfyui" or (path / "main.py").is_file():
                    yield name, path
    if live and os.environ.get("VIRTUAL_ENV"):
        yield from wheels(Path(os.environ["VIRTUAL_ENV"]).glob("lib/python3*/site-packages"))
    yield from wheels(site for pattern in SITES for site in sorted(root.glob(pattern)))


def wheels(sites):
    """Applications that are Python packages."""
    for site in sites:
        for package, name in PACKAGES.items():
            for folder in sorted(site.glob(f"{package}-*.dist-info")):
                yield name, folder


def version_of(name, path, live):
    """Version of an installation from cheap reads, or "" """
    if path.name.endswith(".dist-info"):
        return path.name[:-len(".dist-info")].split("-", 1)[1]
    if name == "ollama":
        return ollama_version(path) if live else ""
    if name == "llama.cpp":
        configuration = read(path.parent.parent / "lib/cmake/llama/llama-config.cmake")
        found = re.search(r"LLAMA_BUILD_NUMBER\s+(\d+)", configuration) or re.search(r"/llama-b(\d+)", str(path))
        return f"b{found[1]}" if found else ""
    if name == "comfyui":
        found = re.search(r"__version__\s*=\s*[\"']([^\"']+)", read(path / "comfyui_version.py"))
        found = found or re.search(r"^version\s*=\s*\"([^\"]+)", read(path / "pyproject.toml"), re.M)
        return found[1] if found else ""
    found = re.search(r"-v?(\d+\.\d+(?:\.\d+)?(?:-\d+)?)", path.name)
    return found[1] if found else ""


def ollama_version(path):
    """Asks the client alone: the address it is given has no server, so nothing leaves the machine."""
    try:
        done = subprocess.run([str(path), "--version"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=2, check=False, env={**os.environ, "OLLAMA_HOST": "127.0.0.1:9"})
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError):
        return ""
    found = re.search(r"version is v?(\d+\.\d+\.\d+\S*)", done.stdout + done.stderr)
    return found[1] if found else ""


COMMANDS = {"ollama": "ollama --version", "llama.cpp": "llama-server --version", "vllm": "vllm --version"}


def probe(emit, tree):
    live = tree.live
    root = Path(tree.root)
    seen = {}
    for name, path in candidates(root, live):
        real = os.path.dirname(os.path.realpath(path)) if path.is_file() else os.path.realpath(path)
        if real in seen.setdefault(name, set()):
            continue
        seen[name].add(real)
        shown = "/" + str(path.relative_to(root)) if path.is_relative_to(root) else str(path)
        first = len(seen[name]) == 1
        item = name if first else f"{name}@{shown}"
        emit.known("app.name", name, SOURCE, item)
        emit.known("app.path", shown, SOURCE, item)
        version = version_of(name, path, live)
        if version:
            emit.known("app.version", version, SOURCE, item)
        else:
            emit.unknown("app.version", "unreadable", "no version in its files", COMMANDS.get(name, ""), item)
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
