"""What rocBLAS and hipBLASLt say when a kernel library lacks the GPU.

>>> for r in read("rocBLAS error: Cannot read /opt/rocm-6.4.0/lib/rocblas/library/TensileLibrary.dat: No such file or "
...     "directory for GPU arch : gfx906\\n\\"/opt/rocm-6.4.0/lib/rocblas/library/TensileLibrary_lazy_gfx1101.dat\\"\\n"):
...     print(r.name, r.value, r.item, r.line)
gpu.gfx_reported gfx906 rocblas:0 1
runtime.rocm_version 6.4.0  1
runtime.rocm_targets ['gfx1101']  2
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import gfx, lazy, lines

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

MARKS = ("TensileLibrary",)
_PATH = lazy(r"/opt/rocm-([0-9]+\.[0-9]+(?:\.[0-9]+)?)/")
_LIBRARY = lazy(r"TensileLibrary_lazy_(gfx[0-9]{1,4}[0-9a-f]{0,2})\.dat")


def recognises(text: str) -> bool:
    """Whether a Tensile library is named."""
    return any(mark in text for mark in MARKS)


def read(text: str) -> Iterator[Reading]:
    """The GPU that was looked for, the ROCm of the path, and the targets of the list that follows."""
    targets: dict[str, int] = {}
    missing = False
    for number, line in lines(text):
        if "TensileLibrary" not in line:
            continue
        error = "annot read" in line or "ould not load" in line
        if error:
            _, mark, rest = line.partition("GPU arch")
            named = _LIBRARY.search(line)
            target = gfx(rest) if mark else named.group(1) if named else ""
            if target and not missing:
                missing = True
                yield Reading("gpu.gfx_reported", target, "rocblas:0", number)
            path = _PATH.search(line)
            if path:
                yield Reading("runtime.rocm_version", path.group(1), "", number)
        else:
            for found in _LIBRARY.finditer(line):
                targets.setdefault(found.group(1), number)
    if targets:
        yield Reading("runtime.rocm_targets", sorted(targets), "", min(targets.values()))
