"""Sizes as people write and read them."""

from __future__ import annotations

import re

from rocmdoctor import later

GIB = 1 << 30
MIB = 1 << 20
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 1 << 10, "mi": MIB, "gi": GIB, "ti": 1 << 40}
_SIZE = later.pattern(r"(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]i?)?b?", re.IGNORECASE)
MOST = 1 << 50


def parse(text: str) -> int:
    """Bytes of ``26.8GB`` (decimal), ``24.9GiB`` (binary) or ``16G``. Raises ValueError.

    >>> parse("26.8GB"), parse("25 GiB"), parse("512MiB")
    (26800000000, 26843545600, 536870912)
    """
    found = _SIZE.fullmatch(text.strip())
    if not found:
        raise ValueError(f"{text!r} is not a size; write it like 26.8GB or 25GiB")
    size = int(float(found[1]) * _UNITS[(found[2] or "").lower()])
    if not MIB <= size <= MOST:
        raise ValueError(f"{text!r} is not between 1 MiB and 1 PiB; give the unit, as in 26.8GB")
    return size


def words(size: int | None) -> str:
    """A size in the unit that suits it, always binary.

    >>> words(26800000000), words(536870912), words(128 * GIB), words(None)
    ('25.0 GiB', '512 MiB', '128 GiB', 'unknown')
    """
    if size is None:
        return "unknown"
    if abs(size) < GIB:
        return f"{size / MIB:.0f} MiB"
    value = size / GIB
    return f"{value:.0f} GiB" if abs(value - round(value)) < 0.005 else f"{value:.1f} GiB"
