"""Traces of the runtime: ``AMD_LOG_LEVEL``, RCCL with ``NCCL_DEBUG=INFO``, MIOpen's log.

>>> for r in read(":3:hip_device_runtime.cpp :650 : 221750 us: [pid:1 tid:0x7f] hipSetDevice: Returned hipErrorInvalidDevice : \\n"
...     "RCCL version : 2.27.7-HEAD:4a4abb1\\nHIP version  : 7.2.26015-fc0010cf6a\\nROCm version : 7.2.1.0-43-8f7d4a\\n"
...     "box:1:1 [0] NCCL INFO Kernel version: 6.8.0-51-generic\\n"
...     "#   Rank  0 Pid   2421 on  box device  0 [0000:83:00.0] AMD Instinct MI100\\n"):
...     print(r.name, r.value, r.item, r.line)
hip.failed_call hipSetDevice  1
hip.error hipErrorInvalidDevice  1
rccl.version 2.27.7  2
runtime.hip_version 7.2.26015-fc0010cf6a  3
runtime.rocm_version 7.2.1  4
kernel.release 6.8.0-51-generic  5
gpu.name AMD Instinct MI100 0000:83:00.0 6
gpu.pci_address 0000:83:00.0 0000:83:00.0 6
gpu.gfx_reported gfx908 0000:83:00.0 6
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts.lines import gfx, lazy, lines, pci_address

TRUST = 2

MARKS = ("NCCL INFO", "NCCL WARN", "RCCL version", "Returned hipError", "us: [pid:", ":hip_", "rocdevice.cpp", "MIOpen(HIP)", "MIOpen Error")
_RETURNED = lazy(r"\b((?:__)?hip[A-Z]\w{2,60}): Returned (hipError\w{3,60})")
# Asked for to see whether something is there; these answers are normal.
_HARMLESS = ("hipErrorNotReady", "hipErrorPeerAccessAlreadyEnabled", "hipErrorPeerAccessNotEnabled")
_RCCL = lazy(r"(?:RCCL version ?:? ?|NCCL version )(\d\.\d{1,2}\.\d{1,2})")
_HIP = lazy(r"^HIP version {0,3}: (\d\.\d[\w.-]{2,40})|\+hip(\d\.\d{1,2})\b")
_ROCM = lazy(r"^ROCm version {0,3}: (\d{1,2}\.\d{1,2}\.\d{1,2})")
_KERNEL = lazy(r"NCCL INFO Kernel version: ([2-7]\.\d[\w.+~-]{2,60})")
_RANK = lazy(r"^#\s+Rank\s+\d+ .{0,80}?device\s+\d+ \[([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2})(\.[0-7])?\] (.{3,80}?)\s*$")
_ARCH = lazy(r"Initializing runtime stack|(?:Gfx Major/Minor/Stepping: (\d{1,2})/(\d{1,2})/(\d{1,2}))")


def recognises(text: str) -> bool:
    """Prefixes that only these traces have.

    >>> recognises("box:1:1 [0] NCCL INFO Bootstrap"), recognises("NCCL")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def read(text: str) -> Iterator[Reading]:
    """The first failed HIP call, versions, and GPUs that rccl-tests lists."""
    failed = False
    for number, line in lines(text):
        if not failed and "Returned hipError" in line:
            returned = _RETURNED.search(line[:600])
            if returned and returned[2] not in _HARMLESS:
                failed = True
                yield Reading("hip.failed_call", returned[1], "", number)
                yield Reading("hip.error", returned[2], "", number)
        if "ersion" in line:
            rccl, hip, rocm, kernel = (pattern.search(line[:300]) for pattern in (_RCCL, _HIP, _ROCM, _KERNEL))
            if rccl and ("RCCL" in line or "+hip" in line):
                yield Reading("rccl.version", rccl[1], "", number)
            if hip:
                yield Reading("runtime.hip_version", (hip[1] or hip[2]).rstrip("-"), "", number)
            if rocm:
                yield Reading("runtime.rocm_version", rocm[1], "", number)
            if kernel:
                yield Reading("kernel.release", kernel[1], "", number)
        rank = _RANK.match(line[:260]) if line[:1] == "#" and "Rank" in line else None
        if rank:
            item = rank[1] + (rank[2] or ".0")
            yield Reading("gpu.name", rank[3], item, number)
            yield Reading("gpu.pci_address", pci_address(item), item, number)
            target = products.gfx_of_name(rank[3])
            if target:
                yield Reading("gpu.gfx_reported", target, item, number)
        stepping = _ARCH.search(line[:400]) if "Gfx Major" in line else None
        if stepping and stepping[1]:
            name = gfx(f"gfx{int(stepping[1])}{int(stepping[2]):x}{int(stepping[3]):x}")
            if name:
                yield Reading("gpu.gfx_reported", name, "hip:0", number)
