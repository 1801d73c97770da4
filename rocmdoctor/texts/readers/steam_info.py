"""Steam's system information (Help > System Information): the video card and its driver.

>>> sample = '''Operating System Version:
...     Linux Mint 21.3
...     Kernel Version:  6.12.10-generic
... Video Card:
...     Driver:  AMD AMD Radeon RX 6600 (radeonsi, navi23, LLVM 19.1.0, DRM 3.59, 6.12.10-generic)
...     Driver Version:  4.6 (Compatibility Profile) Mesa 24.3.2
...     VendorID:  0x1002
...     DeviceID:  0x73ff
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.value)
3 kernel.release 6.12.10-generic
3 os.family linux
5 gpu.gfx_reported gfx1032
5 gpu.name AMD Radeon RX 6600
6 vulkan.mesa_version 24.3.2
8 gpu.pci_id 1002:73ff
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds, renderers
from rocmdoctor.texts.lines import lazy, lines, unquoted

TRUST = 2
KINDS = kinds.QUOTED

_DRIVER = lazy(r"^Driver:\s{1,4}(?:AMD |X\.Org )?((?:AMD|Radeon) .{3,160})$")
_VERSION = lazy(r"^(?:Driver(?: Version)?|OpenGL Version):\s{1,4}\d\.\d .{0,40}\bMesa \d")
_KERNEL = lazy(r"^Kernel Version:\s{1,4}([2-7]\.\d{1,3}\.\d{1,3}[\w.+~-]{0,60})$")
_VENDOR = lazy(r"^VendorID:\s{1,4}0x1002$")
_DEVICE = lazy(r"^DeviceID:\s{1,4}0x([0-9a-f]{4})$")
_ITEM = "steam:0"


def recognises(text: str) -> bool:
    """Its labels.

    >>> recognises("Driver Version:  4.6 (Compatibility Profile) Mesa 24.3.2"), recognises("Driver Version: 32.0.21020")
    (True, False)
    """
    return ("Driver" in text and "Mesa" in text or "VendorID:" in text) and next(read(text), None) is not None


def read(text: str) -> Iterator[Reading]:
    """The AMD card and Mesa; the kernel where it is on Linux."""
    ours = False
    for number, raw in lines(text):
        line = unquoted(raw).strip()[:300]
        if ":" not in line[:24]:
            continue
        kernel = _KERNEL.match(line)
        if kernel:
            yield Reading("kernel.release", kernel[1], line=number)
            yield Reading("os.family", "linux", line=number)
        driver = _DRIVER.match(line)
        if driver:
            gfx, name = renderers.gfx(driver[1]), renderers.name(driver[1])
            if gfx:
                yield Reading("gpu.gfx_reported", gfx, _ITEM, number)
            if name:
                yield Reading("gpu.name", name, _ITEM, number)
        if _VERSION.match(line):
            yield Reading("vulkan.mesa_version", renderers.mesa(line), line=number)
        ours = ours or _VENDOR.match(line) is not None
        device = _DEVICE.match(line) if ours else None
        if device:
            yield Reading("gpu.pci_id", f"1002:{device[1]}", _ITEM, number)
            return
