"""Which OpenCL platforms are installed, from their ICD files."""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

PROVIDES = ["opencl.platforms"]
LANE = "quiet"
DEADLINE = 5
NEEDS = []
PYTHON = "own"

FOLDERS = ("etc/OpenCL/vendors", "run/opengl-driver/etc/OpenCL/vendors", "usr/share/OpenCL/vendors")
PLATFORMS = (
    ("amdocl", "AMD Accelerated Parallel Processing"), ("RusticlOpenCL", "rusticl"), ("MesaOpenCL", "Clover"),
    ("pocl", "Portable Computing Language"), ("nvidia-opencl", "NVIDIA CUDA"), ("igdrcl", "Intel(R) OpenCL Graphics"),
    ("intelocl", "Intel(R) OpenCL"),
)


def _arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, help="file that gets the facts, one JSON object a line")
    parser.add_argument("--root", default="", help="folder that stands for / (a recorded machine)")
    return parser.parse_args()


class Out:
    """Writes each fact as soon as it is known."""

    def __init__(self, path, source):
        self.file = open(path, "w", encoding="utf-8")  # noqa: SIM115
        self.source = source

    def _line(self, **data):
        self.file.write(json.dumps(data, ensure_ascii=False, default=str) + "\n")
        self.file.flush()

    def known(self, fact, value, item="", source=""):
        self._line(fact=fact, item=item, value=value, source=source or self.source)

    def absent(self, fact, item="", source=""):
        self._line(fact=fact, item=item, absent=True, source=source or self.source)

    def unknown(self, fact, reason, detail="", command="", item=""):
        self._line(fact=fact, item=item, unknown=reason, detail=detail, command=command)

    def end(self):
        self._line(end=True)
        self.file.close()


def main():
    arguments = _arguments()
    out = Out(arguments.out, "opencl")
    root = Path(arguments.root or "/")
    names = []
    unread = []
    for file in (file for folder in FOLDERS for file in sorted((root / folder).glob("*.icd"))):
        try:
            library = file.read_text(errors="replace").strip()
        except OSError as error:
            unread.append(f"{file.name}: {error.strerror}")
            continue
        name = next((name for part, name in PLATFORMS if re.search(part, library, re.I)), file.stem)
        if name not in names:
            names.append(name)
    if unread and not names:
        out.unknown("opencl.platforms", "no_permission", "; ".join(unread), "clinfo -l")
    else:
        out.known("opencl.platforms", names)
    out.end()


if __name__ == "__main__":
    main()
