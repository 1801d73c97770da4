"""What the readers share: clean lines, numbers, PCI addresses and JSON out of pasted text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_LINE = 20_000
_MAX_JSON_STARTS = 40
_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
# docker compose ("name-1  | ") and journald ("Feb 12 12:12:03 host unit[1]: ").
_PREFIX = re.compile(r"^(?:[\w.-]{1,60} +\| |[A-Z][a-z]{2} [ 0-9][0-9] [0-9:]{8} \S{1,60} [^\s:]{1,60}: )")
_PCI = re.compile(r"(?<![0-9a-fA-F:])([0-9a-fA-F]{4}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])(?![0-9a-fA-F])")
_GFX = re.compile(r"(?<![0-9A-Za-z])gfx([0-9]{1,4}[0-9a-f]{0,2})(?![0-9a-zA-Z-])", re.IGNORECASE)


def lines(text: str) -> Iterator[tuple[int, str]]:
    """Numbered lines without colours, NULs, carriage returns and log prefixes; very long ones are cut.

    >>> list(lines("a\\r\\n\\x1b[37mROCk module is loaded\\x1b[0m\\n"))[:2]
    [(1, 'a'), (2, 'ROCk module is loaded')]
    """
    for number, line in enumerate(text.split("\n"), 1):
        line = line[:MAX_LINE]
        if "\x1b" in line:
            line = _ANSI.sub("", line)
        yield number, _PREFIX.sub("", line.replace("\x00", "").rstrip(), count=1)


def bare(text: str) -> str:
    """The text without log prefixes, line for line.

    >>> bare("web-1  | {\\nweb-1  | }")
    '{\\n}'
    """
    return "\n".join(_PREFIX.sub("", line, count=1) for line in text.split("\n"))


def integer(word: str) -> int | None:
    """A decimal or 0x number, None for anything else."""
    word = word.strip()
    if not word.isascii() or not 0 < len(word) <= 20:
        return None
    try:
        return int(word, 16) if word[:2].lower() == "0x" else int(word)
    except ValueError:
        return None


def pci_address(text: str) -> str:
    """The first full PCI address in the text, lower case; "" when there is none."""
    found = _PCI.search(text)
    return found.group(0).lower() if found else ""


def gfx(text: str) -> str:
    """The first gfx target in the text (generic ISA names are none), lower case, without feature suffixes.

    >>> gfx("amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"), gfx("gfx11-generic"), gfx("GFX1151")
    ('gfx906', '', 'gfx1151')
    """
    found = _GFX.search(text)
    return found.group(0).lower() if found and len(found.group(1)) >= 3 else ""


def size(amount: str, unit: str) -> int | None:
    """Bytes of "12.5" "GiB"; MB is read as MiB because the tools mean that."""
    powers = {"b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
    power = powers.get(unit.strip()[:1].lower())
    if power is None or len(amount) > 24:
        return None
    try:
        value = float(amount) * 1024.0**power
    except ValueError:
        return None
    return round(value) if 0 <= value < 2.0**53 else None


def documents(text: str) -> Iterator[tuple[int, Any]]:
    """Every JSON object or list that starts a line, with that line's number."""
    decoder = json.JSONDecoder()
    offset, tries, done = 0, 0, -1
    for number, line in enumerate(text.split("\n"), 1):
        start = offset + len(line) - len(line.lstrip())
        offset += len(line) + 1
        if start <= done or text[start:start + 1] not in ("{", "["):
            continue
        tries += 1
        if tries > _MAX_JSON_STARTS:
            return
        try:
            found, done = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        yield number, found


class KeyLines:
    """The lines of JSON keys, asked for in the order of the text; every character is looked at once.

    >>> at = KeyLines('{"a": 1,\\n"b": {\\n"a": 2}}')
    >>> at("a"), at("b"), at("a"), at("not there")
    (1, 2, 3, 3)
    """

    def __init__(self, text: str) -> None:
        self._text, self._at, self._line, self._misses = text, 0, 1, 0

    def __call__(self, key: str) -> int:
        found = self._text.find(f'"{key}"', self._at) if self._misses < 50 else -1
        if found < 0:
            self._misses += 1
        else:
            self._line += self._text.count("\n", self._at, found)
            self._at = found + 1
        return self._line
