"""Which Vulkan drivers are installed, from their manifest files, and whether their libraries exist."""

from __future__ import annotations

import json
import os
import re

from probe_protocol import main

SAYS = "Vulkan drivers"
PROVIDES = ["vulkan.loader", "vulkan.icds", "vulkan.broken_icds", "vulkan.mesa_version", "vulkan.amdvlk_version"]
LANE = "quiet"
DEADLINE = 5
NEEDS = ()
PYTHON = "own"

SOURCE = "vulkan_files"
MANIFESTS = (
    "usr/share/vulkan/icd.d", "usr/local/share/vulkan/icd.d", "etc/vulkan/icd.d", "usr/local/etc/vulkan/icd.d",
    "run/opengl-driver/share/vulkan/icd.d", "usr/lib/x86_64-linux-gnu/GL/vulkan/icd.d",
    "home/*/.local/share/vulkan/icd.d", "root/.local/share/vulkan/icd.d",
)
LIBRARIES = ("usr/lib/x86_64-linux-gnu", "usr/lib64", "usr/lib", "lib/x86_64-linux-gnu", "lib64", "lib",
             "usr/local/lib", "usr/local/lib64", "usr/lib/i386-linux-gnu", "usr/lib32",
             "run/opengl-driver/lib", "run/current-system/sw/lib", "usr/lib/wsl/lib", "opt/amdgpu/lib/x86_64-linux-gnu")


def library_folders(root, live):
    """Where the dynamic linker looks, without asking it."""
    folders = [root / name for name in LIBRARIES]
    for configuration in root.glob("etc/ld.so.conf.d/*.conf"):
        folders += [root / line.strip() for line in configuration.text().splitlines() if line.strip().startswith("/")]
    if live:
        folders += [root / part for part in os.environ.get("LD_LIBRARY_PATH", "").split(":") if part]
    return folders


def manifests(root, live):
    """The manifest files the loader would read, each once."""
    if live:
        chosen = os.environ.get("VK_DRIVER_FILES") or os.environ.get("VK_ICD_FILENAMES")
        if chosen:
            return [root / part for part in chosen.split(":") if part]
    folders = [folder for pattern in MANIFESTS for folder in root.glob(pattern)]
    if live:
        shares = os.environ.get("XDG_DATA_DIRS", "").split(":")
        folders += [root / share / "vulkan/icd.d" for share in shares if share]
    found = []
    for folder in folders:
        found += [file for file in folder.glob("*.json") if file not in found]
    return found


def library_exists(manifest, root, folders):
    """Whether the library that a manifest names is there."""
    library = json.loads(manifest.raw())["ICD"]["library_path"]
    if library.startswith("/"):
        return (root / library).lexists()
    if "/" in library:
        return (manifest.parent / library).exists()
    return any((folder / library).lexists() for folder in folders)


def package_version(root, status, names):
    """Version of the first of these packages, from dpkg's status file (its text after a line feed) or pacman's own files."""
    for name in names:
        for folder in root.glob(f"var/lib/pacman/local/{name}-[0-9]*"):
            return folder.name[len(name) + 1:].split(":")[-1].rsplit("-", 1)[0]
    for name in names:
        head = f"\nPackage: {name}\n"
        _, here, rest = status.partition(head)
        found = here and re.search(r"^Version: (?:\d+:)?(\S+)", rest.partition("\n\n")[0], re.M)
        if found:
            return found[1]
    return ""


def probe(emit, tree):
    live = tree.live
    root = tree.place("/")
    folders = library_folders(root, live)
    loaders = [folder / "libvulkan.so.1" for folder in folders if (folder / "libvulkan.so.1").lexists()]
    emit.known("vulkan.loader", bool(loaders), str(loaders[0]) if loaders else SOURCE)
    files = manifests(root, live)
    emit.known("vulkan.icds", [str(file) for file in files], SOURCE)
    broken = []
    for file in files:
        try:
            good = library_exists(file, root, folders)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            good = False
        if not good:
            broken.append(str(file))
    emit.known("vulkan.broken_icds", broken, SOURCE)
    packages = {"vulkan.mesa_version": ("mesa-vulkan-drivers", "vulkan-radeon", "mesa"),
                "vulkan.amdvlk_version": ("amdvlk", "amdvlk64", "vulkan-amdgpu")}
    status = "\n" + (root / "var/lib/dpkg/status").text(32 << 20)
    for fact, names in packages.items():
        # 25.0.7 out of 25.0.7-2+deb12u1: packagers' own numbers say nothing of the driver.
        if version := package_version(root, status, names).split("-")[0].split("+")[0]:
            emit.known(fact, version, "vulkan_files: package database")
        elif (root / "var/lib/dpkg/status").exists() or (root / "var/lib/pacman/local").is_dir():
            emit.absent(fact, "vulkan_files: package database")
        else:
            emit.unknown(fact, "not_collected", "no dpkg or pacman database to read", "vulkaninfo --summary")


if __name__ == "__main__":
    main(probe)
