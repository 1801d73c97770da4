"""What every match of a pattern must contain: plain texts that one fast search finds, before the pattern itself is tried.

Thousands of patterns with bounded gaps (``.{0,60}``) make an automaton that outgrows any memory; their literals make a
small one. The idea is that of RE2's FilteredRE2, whose Python form answers only a line at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from rocmdoctor.records import dataclass

try:
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_constants as sre
    import sre_parse as parser

__all__ = ["begins", "parser", "required", "sre", "written"]

SHORTEST = 2
MOST_ALTERNATIVES = 40
MOST_CHOICES = 8
_FEW = 8  # letters of a class that are written out, and sets of a branch that are tried
_ANYTHING = frozenset(("",))


def required(pattern: str) -> list[list[str]]:
    """Up to eight sets of lower-case texts, the likely rarest first. A line that ``pattern`` matches, in any case, has one text of
    each set. Empty when nothing of at least two characters is needed for a match.

    >>> required(r"ring (comp|gfx)\\S* (?P<what>timeout|reset)")
    [['ring comp', 'ring gfx'], [' reset', ' timeout']]
    >>> required(r"gfx\\d+"), required(r"rocm-?7\\.[12]")
    ([['gfx']], [['rocm-7.1', 'rocm-7.2', 'rocm7.1', 'rocm7.2']])
    >>> required(r"\\d+ \\w+")
    []
    """
    try:
        part = _sequence(parser.parse(pattern))
    except Exception:  # RE2 takes a few forms that Python does not
        return []
    found = {choice for choice in part.sets() if _good(choice)}
    ranked = sorted(found, key=lambda c: (-min(_shortest(c), 10), len(c), sorted(c)))
    return [sorted(choice) for choice in ranked[:MOST_CHOICES]]


def written(pattern: str) -> tuple[str, ...]:
    """As :func:`required`, each set as lines: what thousands of patterns need is read in a tenth of the time.

    >>> written("ring (comp|gfx)")
    ('ring comp\\nring gfx',)
    """
    return tuple("\n".join(texts) for texts in required(pattern))


def begins(pattern: str) -> frozenset[str]:
    """Letters, small ones, of which each line that ``pattern`` matches begins with one; empty where that is not known.

    >>> sorted(begins(r"^[+>] ?\\w+")), sorted(begins(r"^(\\()?d[rwx-]{9}")), begins(r"^\\s*x"), begins("x|^y")
    (['+', '>'], ['(', 'd'], frozenset(), frozenset())
    """
    try:
        first, *rest = parser.parse(pattern) if pattern.startswith("^") else [None]
        return _first(rest) or frozenset() if first and first[0] is sre.AT else frozenset()
    except Exception:  # RE2 takes a few forms that Python does not
        return frozenset()


def _first(tokens: Iterable[Any]) -> frozenset[str] | None:
    """Letters of which one begins whatever these match; None where that is not known, or where they may match nothing."""
    found: frozenset[str] = frozenset()
    for operation, argument in tokens:
        optional = False
        if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            optional = argument[0] == 0
            letters = _first(argument[2])
        elif operation is sre.SUBPATTERN:
            letters = _first(argument[-1])
        else:
            letters = _one(operation, argument)[0].exact if operation in (sre.LITERAL, sre.IN) else None
        if letters is None:
            return None
        found |= letters
        if not optional:
            return found
    return None


@dataclass(frozen=True, slots=True)
class _Part:
    """What a part of a pattern matches: one of ``exact`` and nothing else, or what begins with one of ``first``, ends with one of ``last`` and
    holds one text of each of ``needs``."""

    exact: frozenset[str] | None = None
    first: frozenset[str] = _ANYTHING
    last: frozenset[str] = _ANYTHING
    needs: tuple[frozenset[str], ...] = ()

    def sets(self) -> tuple[frozenset[str], ...]:
        """Of each a match holds one text."""
        return self.needs if self.exact is None else (self.exact,)


_UNKNOWN = _Part()
_NOTHING = _Part(exact=_ANYTHING)


def _shortest(texts: frozenset[str]) -> int:
    return min(len(text.encode()) for text in texts)


def _good(choice: frozenset[str]) -> bool:
    return len(choice) <= MOST_ALTERNATIVES and _shortest(choice) >= SHORTEST


def _least(texts: Iterable[str]) -> frozenset[str]:
    """Without those that hold another of them."""
    kept: list[str] = []
    for text in sorted(texts, key=len):
        if not any(one in text for one in kept):
            kept.append(text)
    return frozenset(kept)


def _sequence(tokens: Iterable[Any]) -> _Part:
    """One after the other: neighbours are one text, each way to write it."""
    first: frozenset[str] | None = None
    needs: list[frozenset[str]] = []
    open_, ended = _ANYTHING, frozenset[str]()  # texts that go on with the next part, and those that end before it

    def end(last: frozenset[str]) -> None:
        nonlocal first, open_, ended
        whole = open_ | ended
        first = whole if first is None else first
        needs.append(_least(whole))
        open_, ended = last, frozenset()

    for part, optional in (_one(*token) for token in tokens):
        begins = part.first if part.exact is None else part.exact
        if len(open_) * len(begins) + len(open_) + len(ended) > MOST_ALTERNATIVES:
            end(_ANYTHING)
        longer = frozenset(a + b for a in open_ for b in begins)
        if part.exact is not None:
            open_ = longer | open_ if optional else longer
        elif optional:  # where hardly a text was met, both ways go on from it
            if _shortest(open_) >= SHORTEST or _shortest(longer) < SHORTEST:
                end(_ANYTHING)
            else:
                ended |= longer
        else:
            needs += part.needs
            open_ = longer
            end(part.last)
    if first is None and not ended:
        return _Part(exact=open_)
    last = open_ if first is not None and not ended else _ANYTHING
    end(_ANYTHING)
    return _Part(first=first or _ANYTHING, last=last, needs=tuple(needs))


def _one(operation: Any, argument: Any) -> tuple[_Part, bool]:
    """One token, and whether it may be left out."""
    if operation is sre.LITERAL and argument != 10:
        return _Part(exact=frozenset((chr(argument).lower() if argument < 128 else chr(argument),))), False
    if operation is sre.AT:
        return _NOTHING, False
    if operation is sre.IN:
        return _letters(argument), False
    if operation is sre.SUBPATTERN:
        return _sequence(argument[-1]), False
    if operation is sre.BRANCH:
        return _branches([_sequence(branch) for branch in argument[1]]), False
    if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT):
        least, most, inner = argument
        if len(inner) == 1 and inner[0][0] is sre.LITERAL and inner[0][1] > 127:  # RE2 reads bytes: it repeats the last one only
            return _UNKNOWN, False
        part = _sequence(inner)
        if (least, most) in ((0, 1), (1, 1)):
            return part, least == 0
        if part.exact is not None:  # the same text any number of times
            part = _Part(first=part.exact, last=part.exact, needs=(part.exact,))
        return part, least == 0
    return _UNKNOWN, False


def _letters(items: Any) -> _Part:
    """A class of a few letters."""
    found: set[str] = set()
    for operation, argument in items:
        low, high = (argument, argument) if operation is sre.LITERAL else argument if operation is sre.RANGE else (0, 255)
        if high - low > 2 * _FEW or high > 127 or low <= 10 <= high:
            return _UNKNOWN
        found |= {chr(code).lower() for code in range(low, high + 1)}
    return _Part(exact=frozenset(found)) if 0 < len(found) <= _FEW else _UNKNOWN


def _branches(parts: list[_Part]) -> _Part:
    if all(part.exact is not None for part in parts):
        return _Part(exact=frozenset[str]().union(*(part.exact or () for part in parts)))
    ends = [(part.first, part.last) if part.exact is None else (part.exact, part.exact) for part in parts]
    ways = [sorted(filter(_good, part.sets()), key=lambda c: (-_shortest(c), len(c)))[:_FEW] for part in parts]
    needs: set[frozenset[str]] = set()
    if all(ways):
        most = itertools.product(*ways) if len(ways) == 2 else ([way[min(at, len(way) - 1)] for way in ways] for at in range(_FEW))
        needs = {_least(frozenset[str]().union(*chosen)) for chosen in most}
    return _Part(first=frozenset[str]().union(*(first for first, _ in ends)), last=frozenset[str]().union(*(last for _, last in ends)),
                 needs=tuple(sorted(filter(_good, needs), key=sorted)))
