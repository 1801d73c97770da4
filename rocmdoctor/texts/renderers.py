"""OpenGL renderer strings of Mesa's radeonsi, which glxinfo, inxi, Xorg and browsers print: chip, kernel, Mesa."""

from __future__ import annotations

import re

from rocmdoctor.knowledge import products
from rocmdoctor.texts.lines import gfx as written_gfx
from rocmdoctor.texts.lines import lazy

# "AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.7, DRM 3.54, 6.6.1)", "AMD RAVEN (DRM 3.33.0 5.3.0-3-amd64 LLVM 7.0.1)"
_DRM = lazy(r"\bDRM \d+\.\d+(?:\.\d+)?(?: /|,)? ?([2-7]\.\d{1,3}(?:\.\d{1,3})?[\w.+~-]{0,60})")
_CHIP = lazy(r"(?:radeonsi[, ]+|\(RADV |AMD |\()([A-Za-z][A-Za-z0-9_]{3,20})(?=[, )])")
_FRONT = lazy(r"(?:Gallium \d\.\d on )?(AMD [A-Z0-9_]{3,20})(?= \(|$)")
_MESA = lazy(r"\bMesa (\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)")


def kernel(renderer: str) -> str:
    """The running kernel, which the renderer names behind its DRM version; "" without one.

    >>> kernel("AMD RAVEN (DRM 3.33.0 5.3.0-3-amd64 LLVM 7.0.1)"), kernel("radeonsi gfx1150 LLVM 20.1.2 DRM 3.64 6.17.0-29-generic")
    ('5.3.0-3-amd64', '6.17.0-29-generic')
    >>> kernel("AMD POLARIS11 (DRM 3.27.0, 4.19.28-1-MANJARO, LLVM 7.0.1)")
    '4.19.28-1-MANJARO'
    """
    found = _DRM.search(renderer)
    return found[1].rstrip(".,") if found else ""


def mesa(text: str) -> str:
    """The Mesa release behind "Mesa "; "" without one.

    >>> mesa("4.6 (Core Profile) Mesa 25.2.8-0ubuntu0.24.04.1"), mesa("v: 4.5 Mesa 19.2.6 direct render: Yes")
    ('25.2.8', '19.2.6')
    """
    found = _MESA.search(text)
    return found[1] if found else ""


def gfx(renderer: str) -> str:
    """The gfx target that the renderer's chip tells; "" where it tells none.

    >>> gfx("AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.7, DRM 3.54, 6.6.1)"), gfx("AMD POLARIS11 (DRM 3.27.0, 4.19.28)")
    ('gfx1030', 'gfx803')
    """
    told = written_gfx(renderer)
    for chip in () if told else _CHIP.findall(renderer):
        told = told or products.radv_gfx(f"(RADV {chip})")
    return told or products.gfx_of_name(renderer.split("(")[0])


def chip(renderer: str) -> str:
    """The chip with its maker, as drivers before the products of a chip were known name the device; "" where none stands in front.

    >>> chip("Gallium 0.4 on AMD BONAIRE"), chip("AMD RAVEN (DRM 3.33.0)"), chip("AMD Radeon RX 6800 (radeonsi, navi21)")
    ('AMD BONAIRE', 'AMD RAVEN', '')
    """
    found = _FRONT.match(renderer)
    return found[1] if found else ""


def name(renderer: str) -> str:
    """The product in front of the brackets; "" where only a chip or nothing stands there.

    >>> name("AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.7)"), name("AMD RAVEN (DRM 3.33.0)")
    ('AMD Radeon RX 6800', '')
    """
    front = renderer.split(" (radeonsi")[0].split(" (DRM")[0].split(" (RADV")[0].strip()
    front = re.sub(r"^Gallium \d\.\d on ", "", front)
    front = re.sub(r" \([A-Za-z0-9_]{4,20}, (?:DRM|LLVM|ACO).*$", "", front)
    return "" if re.fullmatch(r"AMD [A-Z0-9_]+", front) or len(front) < 4 else front
