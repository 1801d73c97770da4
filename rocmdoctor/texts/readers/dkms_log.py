"""DKMS: make.log of the amdgpu module, and what dkms, apt and dnf say of a build that failed.

>>> for r in read("DKMS make.log for amdgpu-6.16.13-2278356.24.04 for kernel 6.18.14-061814-generic (x86_64)\\n"
...     "  CC [M]  /tmp/amd.x/amd/amdkcl/main.o\\n/tmp/amd.x/amd/amdgpu/amdgpu_drv.c:10:1: error: implicit declaration\\n"):
...     print(r.name, r.value, r.line)
dkms.failed_version 6.16.13-2278356.24.04 1
dkms.failed_kernel 6.18.14-061814-generic 1
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import lazy, lines

TRUST = 3

MARKS = ("DKMS make.log for amdgpu", "Bad return status for module build", "amdgpu-dkms", "Building initial module for", "DKMS files")
_HEAD = lazy(r"DKMS \(?[\w.-]{0,20}\)? ?make\.log for amdgpu[-/](\S{3,60}) for kernel ([\w.+~-]{3,80})")
_BAD = lazy(r"Bad return status for module build on kernel: ([\w.+~-]{3,80})")
_LOADING = lazy(r"Loading new amdgpu-(\S{3,60}) DKMS files|/dkms/amdgpu/([\w.~-]{3,60})/build/make\.log")
_FAILED = (": error: ", "make: *** ", "] Error ", "fatal error:", "Error! ", "error processing package amdgpu-dkms")


def recognises(text: str) -> bool:
    """A make.log or a message of dkms.

    >>> recognises("Error! Bad return status for module build on kernel: 6.8.0 (x86_64)"), recognises("dkms status")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def read(text: str) -> Iterator[Reading]:
    """Version and kernel of the build, once an error is seen."""
    kernel: tuple[str, int] = ("", 0)
    version: tuple[str, int] = ("", 0)
    failed = False
    for number, line in lines(text):
        if "DKMS" in line or "dkms" in line:
            head, loading = _HEAD.search(line[:400]), _LOADING.search(line[:400])
            if head:
                version, kernel = (head[1], number), (head[2], number)
            elif loading and not version[0]:
                version = (loading[1] or loading[2], number)
        bad = _BAD.search(line[:400]) if "Bad return" in line else None
        if bad:
            kernel, failed = (bad[1], number), True
        failed = failed or (bool(version[0] or kernel[0]) and any(mark in line for mark in _FAILED))
    if failed:
        for name, (value, number) in (("dkms.failed_version", version), ("dkms.failed_kernel", kernel)):
            if value:
                yield Reading(name, value, "", number)
