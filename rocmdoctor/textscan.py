"""Small helpers for readers: offsets to line numbers, texts without terminal noise, plain key sequences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

_NOISE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x00")
_PREFIX = re.compile(r"^[>|\s]*(?:[\w.-]+-\d+\s*\|\s)?")
LONGEST_LINE = 20_000


def clean(text: str) -> str:
    """The text without colours, NULs and carriage returns; line numbers stay.

    >>> clean("\\x1b[37mROCk\\x1b[0m\\r\\n")
    'ROCk\\n'
    """
    return _NOISE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


class Lines:
    """Line numbers (1-based) of offsets.

    >>> Lines("a\\nb\\n").at(2)
    2
    """

    def __init__(self, text: str) -> None:
        self._starts = [0]
        self._starts.extend(found.end() for found in re.finditer("\n", text))

    def at(self, offset: int) -> int:
        """The line that holds ``offset``."""
        return bisect_right(self._starts, offset)


def numbered(text: str) -> Iterator[tuple[int, str]]:
    """``(line, text)`` of a cleaned text; overlong lines are cut."""
    for number, line in enumerate(clean(text).split("\n"), 1):
        yield number, line[:LONGEST_LINE]


def unquoted(line: str) -> str:
    """A line without quote marks, list bars and compose prefixes in front.

    >>> unquoted("> | name-1  | key = value")
    'key = value'
    """
    return _PREFIX.sub("", line)


def whole(value: str) -> int | None:
    """A decimal or 0x integer of sane length, or None.

    >>> whole("0x80000000"), whole("ten")
    (2147483648, None)
    """
    value = value.strip().replace(",", "")
    if not re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20}", value):
        return None
    return int(value, 16) if value[:2].lower() == "0x" else int(value)
