"""The shape of a line, what is left of it without its digits: a log of a million lines has a few hundred shapes.

A pattern that does not match the shape, when every digit of the pattern stands for any digit, matches no line of that shape.
"""

from __future__ import annotations

import re
from typing import Any

from rocmdoctor import later
from rocmdoctor.scan.literals import parser, sre

_SHAPE = bytes(ord("0") if 48 <= byte <= 57 else byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))
_DIGIT = "[0-9]"
_CATEGORIES = {"CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D", "CATEGORY_SPACE": r"\s", "CATEGORY_NOT_SPACE": r"\S",
               "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W"}
_OF_RE2 = later.pattern(r"\[:\w+:\]|\\[pP]")  # classes by name, which Python reads otherwise
_PLACES = {"AT_BEGINNING": "^", "AT_BEGINNING_STRING": r"\A", "AT_BOUNDARY": r"\b", "AT_NON_BOUNDARY": r"\B", "AT_END": "$", "AT_END_STRING": r"\z"}


class _Foreign(Exception):
    """A form that RE2 may take otherwise than Python, or that this module does not know."""


def shape(text: bytes) -> bytes:
    """Each digit as 0, each ASCII capital as its small letter; as long as the text.

    >>> shape(b"Ring gfx_0.1.2 timeout 1234")
    b'ring gfx_0.0.0 timeout 0000'
    """
    return text.translate(_SHAPE)


def relaxed(pattern: str) -> str | None:
    """A pattern that matches, in any case, the shape of each line that ``pattern`` matches; None where that is not known.

    >>> relaxed(r"gfx11[0-3] (?P<word>error|note) -?\\d{1,3}")
    'gfx[0-9][0-9](?:[0-3]|[0-9])\\\\ (?:(?:error|note))\\\\ (?:\\\\-){0,1}(?:[\\\\d]){1,3}'
    >>> relaxed("(?-i:CPU)") is None
    True
    """
    if _OF_RE2.search(pattern):
        return None
    try:
        return _sequence(parser.parse(pattern))
    except Exception:  # what Python does not parse, it cannot vouch for
        return None


def _sequence(tokens: Any) -> str:
    return "".join(_one(str(operation), argument) for operation, argument in tokens)


def _one(operation: str, argument: Any) -> str:
    if operation == "LITERAL":
        return _DIGIT if 48 <= argument <= 57 else _letter(argument)
    if operation == "NOT_LITERAL":
        return "(?s:.)" if 48 <= argument <= 57 else f"[^{_letter(argument)}]"
    if operation == "ANY":
        return "."
    if operation == "IN":
        return _class(argument)
    if operation == "AT" and str(argument) in _PLACES:
        return _PLACES[str(argument)]
    if operation in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, inner = argument
        return f"(?:{_sequence(inner)}){{{least},{'' if most is sre.MAXREPEAT else most}}}"
    if operation == "SUBPATTERN" and not argument[2]:
        return f"(?:{_sequence(argument[3])})"
    if operation == "BRANCH":
        return "(?:" + "|".join(_sequence(branch) for branch in argument[1]) + ")"
    raise _Foreign(operation)


def _class(items: Any) -> str:
    said = "".join(_in_class(str(operation), argument) for operation, argument in items)
    some = sum(re.fullmatch(f"[{said}]", digit) is not None for digit in "0123456789")
    return f"(?:[{said}]|{_DIGIT})" if 0 < some < 10 else f"[{said}]"


def _in_class(operation: str, argument: Any) -> str:
    if operation == "NEGATE":
        return "^"
    if operation == "LITERAL":
        return _letter(argument)
    if operation == "RANGE":
        return f"{_letter(argument[0])}-{_letter(argument[1])}"
    if operation == "CATEGORY" and str(argument) in _CATEGORIES:
        return _CATEGORIES[str(argument)]
    raise _Foreign(operation)


def _letter(code: int) -> str:
    """One character outside or inside a class, never as an operator."""
    character = chr(code)
    return character if character.isalnum() or code > 127 else f"\\x{code:02x}" if code < 32 else "\\" + character
