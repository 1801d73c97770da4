"""What stands between a Windows game and the driver: DXVK, vkd3d-proton, Proton, gamescope and their releases.

>>> text = "info:  DXVK: v2.3.1\\nIt runs with GE-Proton9-20, not with Proton Experimental and gamescope 3.14.2.\\n"
>>> [(one.name, one.value, one.line) for one in read(text)]
[('games.layers', {'dxvk': ['2.3.1'], 'proton': ['experimental'], 'ge-proton': ['9.20'], 'gamescope': ['3.14.2']}, 1)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean, lazy

TRUST = 0
KINDS = kinds.QUOTED
_LIMIT = 120_000
_GAP = r"(?:[ -]version|[ -]release)?[ :=/-]{0,4}(?:is )?"
_NAMES = (
    ("dxvk", lazy(r"\bDXVK" + _GAP + r"v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?!\d|\.\d)", re.IGNORECASE)),
    ("vkd3d-proton", lazy(r"\bvkd3d-proton" + _GAP + r"v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?!\d|\.\d)", re.IGNORECASE)),
    ("proton", lazy(r"(?<![\w-])Proton" + _GAP + r"v?(?:\d{9,10} )?(?:proton-)?(\d{1,2}\.\d{1,2}|experimental\b)", re.IGNORECASE)),
    ("ge-proton", lazy(r"\b(?:GE-Proton|Proton[ -]?GE[ -]?)v?(\d{1,2}[-.]\d{1,3})\b", re.IGNORECASE)),
    ("gamescope", lazy(r"\bgamescope" + _GAP + r"v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?!\d|\.\d)", re.IGNORECASE)),
)


def recognises(text: str) -> bool:
    """The name of one of them with its release.

    >>> recognises("DXVK: v2.4"), recognises("proton therapy")
    (True, False)
    """
    return next(read(text), None) is not None


def read(text: str) -> Iterator[Reading]:
    """Each release that is named."""
    text = clean(text[:_LIMIT])
    lowered = text.lower()
    found: dict[str, list[str]] = {}
    first = len(text)
    for name, pattern in _NAMES:
        for match in pattern.finditer(text) if name.split("-")[-1] in lowered else ():
            version = match[1].lower().replace("-", ".")
            if version not in found.setdefault(name, []) and len(found[name]) < 8:
                found[name].append(version)
                first = min(first, match.start())
    if found:
        yield Reading("games.layers", found, line=Lines(text).at(first))
