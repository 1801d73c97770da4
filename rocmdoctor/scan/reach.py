"""How far a match of a pattern can go: in a long line only what stands around a text that each match contains is searched."""

from __future__ import annotations

from typing import Any

from rocmdoctor.scan.literals import parser, sre

RUN = 64  # bytes of the longest word, and of the longest gap, of a line in which this holds
_SPACED = bytes.maketrans(b"\t\f\r", b"   ")  # spaces as RE2 has them
_LONG_GAP = b" " * (RUN + 1)
_SPACES = frozenset(b"\t\n\f\r ")
_CATEGORIES = {"CATEGORY_DIGIT": "word", "CATEGORY_WORD": "word", "CATEGORY_NOT_SPACE": "word", "CATEGORY_SPACE": "gap"}


class _Unbounded(Exception):
    """Some part may go on over words and gaps."""


def reach(pattern: str) -> int | None:
    """The most bytes that a match can have in a line without a word or a gap of more than :data:`RUN` bytes; None where that is not known.

    >>> reach(r"ring \\w+ .{0,20}timeout$"), reach("a.*b"), reach(r"[^\\s:]+: (\\d+\\.)*x")
    (97, None, 131)
    """
    try:
        return _all(parser.parse(pattern.encode().decode("latin-1")))
    except Exception:  # what Python does not parse, it cannot vouch for
        return None


def even(line: bytes) -> bool:
    """Whether a line has neither a word nor a gap of more than :data:`RUN` bytes."""
    spaced = line.translate(_SPACED)
    return _LONG_GAP not in spaced and max(map(len, spaced.split(b" "))) <= RUN


def _all(tokens: Any) -> int:
    return sum(_one(str(operation), argument) for operation, argument in tokens)


def _one(operation: str, argument: Any) -> int:
    if operation in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
        return 1
    if operation == "AT":
        return 0
    if operation == "SUBPATTERN":
        return _all(argument[-1])
    if operation == "BRANCH":
        return max(map(_all, argument[1]))
    if operation in ("MAX_REPEAT", "MIN_REPEAT"):
        _, most, inner = argument
        if most is not sre.MAXREPEAT:
            return int(most) * _all(inner)
        if {_made_of(str(each), of) for each, of in inner} in ({"word"}, {"gap"}):
            return RUN
    raise _Unbounded(operation)


def _made_of(operation: str, argument: Any) -> str:
    """Whether a token matches only in a word, or only in a gap; "" when neither is sure."""
    if operation == "LITERAL":
        return "gap" if argument in _SPACES else "word"
    if operation == "RANGE":
        return "" if any(argument[0] <= space <= argument[1] for space in _SPACES) else "word"
    if operation == "CATEGORY":
        return _CATEGORIES.get(str(argument), "")
    if operation == "IN" and str(argument[0][0]) == "NEGATE":
        return "word" if any(str(of) == "CATEGORY_SPACE" for _, of in argument) else ""
    if operation in ("IN", "SUBPATTERN", "MAX_REPEAT", "MIN_REPEAT"):
        inner = {_made_of(str(each), of) for each, of in (argument if operation == "IN" else argument[-1])}
        return inner.pop() if len(inner) == 1 else ""
    return ""
