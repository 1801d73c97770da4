"""Which OpenCL platforms are installed, from their ICD files."""

from __future__ import annotations

import re

from probe_protocol import main

SAYS = "OpenCL"
PROVIDES = ["opencl.platforms"]
LANE = "quiet"
DEADLINE = 5
NEEDS = ()
PYTHON = "own"

SOURCE = "opencl"
FOLDERS = ("etc/OpenCL/vendors", "run/opengl-driver/etc/OpenCL/vendors", "usr/share/OpenCL/vendors")
PLATFORMS = (
    ("amdocl", "AMD Accelerated Parallel Processing"), ("RusticlOpenCL", "rusticl"), ("MesaOpenCL", "Clover"),
    ("pocl", "Portable Computing Language"), ("nvidia-opencl", "NVIDIA CUDA"), ("igdrcl", "Intel(R) OpenCL Graphics"),
    ("intelocl", "Intel(R) OpenCL"),
)


def probe(emit, tree):
    root = tree.place("/")
    names = []
    unread = []
    for file in (file for folder in FOLDERS for file in (root / folder).glob("*.icd")):
        try:
            library = file.raw().decode("utf-8", "replace").strip()
        except OSError as error:
            unread.append(f"{file.name}: {error.strerror}")
            continue
        name = next((name for part, name in PLATFORMS if re.search(part, library, re.I)), file.stem)
        if name not in names:
            names.append(name)
    if unread and not names:
        emit.unknown("opencl.platforms", "no_permission", "; ".join(unread), "clinfo -l")
    else:
        emit.known("opencl.platforms", names, SOURCE)


if __name__ == "__main__":
    main(probe)
