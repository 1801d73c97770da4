"""Which texts are looked for in a short text, and which patterns wait for each: made once for the rules of the house, since it is the same in every run."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

HEAD = 4  # bytes of a beginning


class Plan(NamedTuple):
    """Plain data. A group is patterns, by number, that wait for the same set of texts."""

    texts: list[bytes]
    groups_of: list[list[int]]  # of each text
    groups: list[list[int]]
    free: list[int]  # patterns that wait for nothing
    heads: dict[bytes, list[int]]  # how texts begin, and which do


def planned(patterns: Iterable[tuple[int, tuple[str, ...]]]) -> Plan:
    """Each pattern, with what :func:`literals.written` says of it, behind the likely rarest of its sets.

    >>> planned([(7, ("amdgpu\\nradeon", "ring")), (8, ()), (9, ("radeon",))])[:4]
    ([b'amdgpu', b'radeon'], [[0], [0, 1]], [[7], [9]], [8])
    """
    groups: dict[bytes, list[int]] = {}
    free = []
    for number, sets in patterns:
        if sets:
            groups.setdefault(sets[0].encode(), []).append(number)
        else:
            free.append(number)
    return behind(groups, free)


def behind(groups: dict[bytes, list[int]], free: list[int]) -> Plan:
    """Patterns behind sets of texts, which are lines."""
    texts: dict[bytes, list[int]] = {}
    for number, lines in enumerate(groups):
        for text in lines.split(b"\n"):
            texts.setdefault(text, []).append(number)
    return Plan(list(texts), list(texts.values()), list(groups.values()), free, heads(texts))


def heads(texts: Iterable[bytes]) -> dict[bytes, list[int]]:
    """How texts begin, and which do."""
    found: dict[bytes, list[int]] = {}
    for number, text in enumerate(texts):
        found.setdefault(text[:HEAD], []).append(number)
    return found
