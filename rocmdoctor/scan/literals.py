"""What every match of a pattern must contain: plain texts that one fast search finds, before the pattern itself is tried.

Thousands of patterns with bounded gaps (``.{0,60}``) make an automaton that outgrows any memory; their literals make a
small one. The idea is that of RE2's FilteredRE2, whose Python form answers only a line at a time.
"""

from __future__ import annotations

from typing import Any

try:
    from re import _constants as sre  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_constants as sre
    import sre_parse as parser

__all__ = ["parser", "required", "sre"]

SHORTEST = 3
MOST_ALTERNATIVES = 40
MOST_CHOICES = 8


def required(pattern: str) -> list[list[str]]:
    """Up to eight sets of lower-case texts, the likely rarest first. A line that ``pattern`` matches, in any case, has one text of
    each set. Empty when nothing of at least three characters is needed for a match.

    >>> required(r"ring (comp|gfx)\\S* (?P<what>timeout|reset)")
    [['ring '], ['reset', 'timeout'], ['comp', 'gfx']]
    >>> required(r"gfx\\d+")
    [['gfx']]
    >>> required(r"\\d+ \\w+")
    []
    """
    try:
        tokens = list(parser.parse(pattern))
    except Exception:  # RE2 takes a few forms that Python does not
        return []
    found = {choice for choice in _choices(tokens) if _shortest(choice) >= SHORTEST and len(choice) <= MOST_ALTERNATIVES}
    ranked = sorted(found, key=lambda c: (-min(_shortest(c), 10), len(c), sorted(c)))
    return [sorted(choice) for choice in ranked[:MOST_CHOICES]]


def _shortest(texts: frozenset[str]) -> int:
    return min(map(len, texts))


def _choices(tokens: list[Any]) -> list[frozenset[str]]:
    """Of each part of a sequence what it requires; neighbouring letters are one text."""
    found: list[frozenset[str]] = []
    run = ""
    for operation, argument in [*tokens, (None, None)]:
        if operation is sre.LITERAL and argument < 128 and argument != 10:
            run += chr(argument).lower()
            continue
        if run:
            found.append(frozenset((run,)))
            run = ""
        found += _of_one(operation, argument)
    return found


def _of_one(operation: Any, argument: Any) -> list[frozenset[str]]:
    if operation is sre.SUBPATTERN:
        return _choices(list(argument[-1]))
    if operation in (sre.MAX_REPEAT, sre.MIN_REPEAT) and argument[0] >= 1:
        return _choices(list(argument[2]))
    if operation is sre.BRANCH:
        best = [max(_choices(list(branch)), key=lambda c: (_shortest(c), -len(c)), default=None) for branch in argument[1]]
        if all(best):
            return [frozenset().union(*(part for part in best if part))]
    return []
