"""Words in what rules say and look for."""

from __future__ import annotations

from collections.abc import Iterable

from rocmdoctor import later

_WORD = later.pattern(r"[A-Za-z][A-Za-z0-9]{1,60}")


def words(texts: Iterable[str]) -> list[str]:
    """Each word once, in small letters.

    >>> words(["ring (gfx|comp)_\\\\d timeout", "Ring"])
    ['comp', 'gfx', 'ring', 'timeout']
    """
    return sorted({word.lower() for text in texts for word in _WORD.findall(text)})
