"""Lists of gfx targets in any form: what a library holds, what a build is for, the wheels of an index.

>>> sample = '''$ strings /usr/lib64/librocblas.so.4.4 | grep -oE 'gfx1[0-9]+' | sort -u
... gfx1010
... gfx1030
... cmake -B build -DAMDGPU_TARGETS="gfx1100;gfx1101"
... -- Build GPU targets: gfx90a;gfx942
... pip install torch --index-url https://download.pytorch.org/whl/rocm6.3
... '''
>>> for row in next(read(sample)).value:
...     print(row["kind"], row["of"], row["targets"], row["line"])
library librocblas.so.4.4 ['gfx1010', 'gfx1030'] 1
build AMDGPU_TARGETS ['gfx1100', 'gfx1101'] 4
configured Build GPU targets ['gfx90a', 'gfx942'] 5
index rocm6.3 [] 6
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 1
KINDS = kinds.OF_MACHINES - {"kernel_log", "xorg_log", "system_log"}
_MOST = 16

_GFX = lazy(r"\bgfx(?:[1-9][0-9a-f]{2,3}|9-4-generic|\d{1,2}(?:-\d)?-generic)\b")
_ASKED = lazy(r"\b(?:strings|roc-obj-ls|llvm-objdump|readelf|objdump|clang-offload-bundler|ls|find|unzip|7z)\b.{0,300}\bgfx")
_FILE = lazy(r"(?:^|[\s/\\'\"])((?:lib)?[\w+-]{2,60}\.(?:so(?:\.\d{1,4}){0,4}|dll|exe|a|whl|zip)|[\w+-]{2,40}(?=\s*\|))")
_LISTED = lazy(r"^\s{0,8}(?:\d{1,6}\s+)?(?:\S{0,200}?[/_.-])?(gfx[1-9][0-9a-f]{2,3})(?:[:_.-]\S{0,80})?\s*$")
_BUILD = lazy(r"(?:\b|-D)(AMDGPU_TARGETS|GPU_TARGETS|CMAKE_HIP_ARCHITECTURES|HIP_ARCHITECTURES|PYTORCH_ROCM_ARCH|ROCM_ARCH|HCC_AMDGPU_TARGET"
              r"|THEROCK_AMDGPU_TARGETS|ROCM_TARGETS|GPU_ARCHS|AMDGPU_ARCHS?|HIP_ARCHS?|ROCM_ARCHS|SUPPORTED_GPU_TARGETS)"
              r"(?::\w{1,10})?[\"']?\s{0,2}[=:]\s{0,2}[\"']?((?:gfx[\w:+-]{3,24}[;,:| ]{0,2}){1,40})")
# What a configure step prints of itself: "-- Build GPU targets: gfx906;gfx908".
_PRINTED = lazy(r"\b((?:build(?:ing)?|configured|selected|default|final|compil(?:e|ing))?(?: for)? ?(?:AMD )?GPU (?:targets?|arch(?:itecture)?s?))\b"
                r"[^:=\n]{0,20}[:=]\s{0,3}[\"'\[]{0,2}((?:gfx[\w:+-]{3,24}[\"';,:| ]{0,4}){1,40})", re.IGNORECASE)
_OFFLOAD = lazy(r"(?:--(?:offload-arch|amdgpu-target)[= ]|-mcpu=|(?<=\s)--(?=gfx))(gfx[0-9a-f]{3,4})\b")
_INDEX = lazy(r"download\.pytorch\.org/whl/(?:nightly/|test/)?(rocm\d{1,2}\.\d{1,2}(?:\.\d)?)\b")
_PROMPT = lazy(r"^\s{0,8}(?:[$#>%]|\S{1,60}[$#>%]|PS \S{1,80}>) ")


def recognises(text: str) -> bool:
    """A list of targets, or an index of wheels.

    >>> recognises("PYTORCH_ROCM_ARCH=gfx1100"), recognises("my GPU is a gfx1100")
    (True, False)
    """
    return ("gfx" in text or "/whl/" in text) and next(read(text), None) is not None


def _of(command: str) -> str:
    """Whose targets a command lists: the last file that it names."""
    if re.search(r"rocblas[/\\]library|Tensile", command):
        return "rocBLAS"
    if re.search(r"hipblaslt[/\\]library", command):
        return "hipBLASLt"
    named = _FILE.findall(command.partition("| grep")[0] + " ")
    return str(named[-1]) if named else ""


def read(text: str) -> Iterator[Reading]:
    """Every list, once; of a command the lines that follow it."""
    rows: list[dict[str, Any]] = []
    asked: dict[str, Any] | None = None
    for number, raw in lines(text):
        line = raw[:2000]
        if asked is not None and not _PROMPT.match(line):
            listed = _LISTED.match(line)
            if listed:
                if listed[1] not in asked["targets"]:
                    asked["targets"].append(listed[1])
                continue
        asked = None
        if "gfx" not in line and "/whl/" not in line:
            continue
        if _ASKED.search(line) and _of(line):
            asked = {"kind": "library", "of": _of(line), "targets": [], "line": number, "text": line.strip()[:200]}
            rows.append(asked)
            continue
        for kind, built in (*(("build", found) for found in _BUILD.finditer(line)), *(("configured", found) for found in _PRINTED.finditer(line))):
            targets = list(dict.fromkeys(_GFX.findall(built[2])))
            rows.append({"kind": kind, "of": built[1].strip(), "targets": targets, "line": number, "text": line.strip()[:200]})
        offload = list(dict.fromkeys(_OFFLOAD.findall(line)))
        if offload:
            rows.append({"kind": "build", "of": "--offload-arch", "targets": offload, "line": number, "text": line.strip()[:200]})
        for index in _INDEX.finditer(line):
            rows.append({"kind": "index", "of": index[1], "targets": [], "line": number, "text": line.strip()[:200]})
        if len(rows) >= _MOST:
            break
    kept = list({(row["kind"], row["of"], *row["targets"]): row for row in reversed(rows) if row["targets"] or row["kind"] == "index"}.values())[::-1]
    if kept:
        yield Reading("report.target_lists", kept, line=min(row["line"] for row in kept))
