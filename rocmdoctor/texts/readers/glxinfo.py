"""glxinfo, eglinfo and vainfo: renderer, memory, Mesa; the kernel that the renderer names.

>>> sample = '''Extended renderer info (GLX_MESA_query_renderer):
...     Vendor: AMD (0x1002)
...     Device: AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.7, DRM 3.54, 6.6.1-arch1-1) (0x73bf)
...     Version: 23.2.1
...     Video memory: 16384MB
...     Unified memory: no
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.value)
3 gpu.pci_id 1002:73bf
3 gpu.gfx_reported gfx1030
3 gpu.name AMD Radeon RX 6800
3 kernel.release 6.6.1-arch1-1
3 os.family linux
4 vulkan.mesa_version 23.2.1
5 gpu.vram_bytes 17179869184
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import renderers
from rocmdoctor.texts.lines import integer, lazy, lines, unquoted

TRUST = 2

MARKS = ("OpenGL renderer string", "OpenGL version string", "Extended renderer info", "GLX_MESA_query_renderer", "EGL driver name", "vainfo: ")
_VENDOR = lazy(r"^Vendor: .{1,60} \(0x([0-9a-f]{4})\)$")
_DEVICE = lazy(r"^Device: (.{3,200}?)(?: \(0x([0-9a-f]{4})\))?$")
_RENDERER = lazy(r"^OpenGL (?:\w+ profile )?renderer(?: string)?: (.{3,200})$")
_OURS = lazy(r"AMD|Radeon|\bATI\b")
_OTHERS = lazy(r"NVIDIA|GeForce|Quadro|Intel|\bNV[0-9A-F]{2,3}\b")
_VIDEO = lazy(r"^vainfo: Driver version: Mesa Gallium driver (\d\d\.\d{1,2}(?:\.\d{1,2})?)\S{0,60} for (AMD .{3,160}|Radeon .{3,160})$")
_VIDEO_OF_OTHERS = lazy(r"^vainfo: Driver version: ((?:Intel|VA-API NVDEC|NVIDIA|nouveau)\S* .{2,100}|Mesa Gallium driver \S{1,60} for NV[0-9A-F]{2,3})$")
_VERSION = lazy(r"^Version: (\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)$")
_MEMORY = lazy(r"^Video memory: (\d{2,7}) ?MB$")


def recognises(text: str) -> bool:
    """Labels of glxinfo."""
    return any(mark in text for mark in MARKS)


def _renderer(found: str, pci_id: str, item: str, number: int) -> Iterator[Reading]:
    if pci_id:
        yield Reading("gpu.pci_id", pci_id, item, number)
    gfx = renderers.gfx(found)
    if gfx:
        yield Reading("gpu.gfx_reported", gfx, item, number)
    name = renderers.name(found) or renderers.chip(found) * (not gfx and not pci_id)  # what the tables know has a better one there
    if name:
        yield Reading("gpu.name", name, item, number)
    if renderers.kernel(found):
        yield Reading("kernel.release", renderers.kernel(found), line=number)
        yield Reading("os.family", "linux", line=number)


def read(text: str) -> Iterator[Reading]:
    """The AMD renderer, once; another vendor's is none of ours."""
    ours, told = False, False
    memory: tuple[int, int] | None = None
    others: dict[str, int] = {}
    for number, raw in lines(text):
        line = unquoted(raw).strip()
        vendor = _VENDOR.match(line)
        if vendor:
            ours = vendor[1] == "1002"
        device = _DEVICE.match(line) if ours and line.startswith("Device: ") else None
        renderer = _RENDERER.match(line) if line.startswith("OpenGL") else None
        if device and not told:
            told = True
            yield from _renderer(device[1], f"1002:{device[2]}" if device[2] else "", "glx:0", number)
        elif renderer and not told and _OURS.search(renderer[1]):
            told = True
            yield from _renderer(renderer[1], "", "glx:0", number)
        elif renderer and _OTHERS.search(renderer[1]):
            others.setdefault(renderer[1].strip()[:120], number)
        video = _VIDEO.match(line) if line.startswith("vainfo: ") else None
        if video and not told:
            told = True
            yield from _renderer(video[2], "", "glx:0", number)
            yield Reading("vulkan.mesa_version", video[1], line=number)
        other = _VIDEO_OF_OTHERS.match(line) if line.startswith("vainfo: ") else None
        if other:
            others.setdefault(other[1], number)
        version = _VERSION.match(line) if ours else None
        if version:
            yield Reading("vulkan.mesa_version", version[1], line=number)
        elif line.startswith("OpenGL") and " version" in line and renderers.mesa(line):
            yield Reading("vulkan.mesa_version", renderers.mesa(line), line=number)
        size = _MEMORY.match(line) if ours else None
        if size:
            memory = (integer(size[1]) or 0, number)
        if line.startswith("Unified memory: ") and memory and ours:
            if line.endswith("no"):
                yield Reading("gpu.vram_bytes", memory[0] << 20, "glx:0", memory[1])
            memory = None
    if others:
        yield Reading("pci.other_gpus", list(others), line=min(others.values()))
    if memory and told:
        yield Reading("gpu.vram_bytes", memory[0] << 20, "glx:0", memory[1])
