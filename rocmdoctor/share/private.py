"""What in a text belongs to a person or a site: where it stands and of which kind. Evidence about the machine is none of it.

A name is private where its place says so (a home folder, a shell prompt, a log prefix), a key by its form. Every text is looked at
as it is and with its escapes undone, in blocks, by RE2: time and memory grow with the length, whatever the lines hold.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

import ahocorasick_rs
import re2

from rocmdoctor.records import dataclass, field
from rocmdoctor.share import columns, keys
from rocmdoctor.share.formats import COMMON_NAMES, ROWS, for_ascii, spelt
from rocmdoctor.share.judge import JUDGES, Judge, evidence_words
from rocmdoctor.share.views import View, decoded, unwrapped

__all__ = ["Block", "COMMON_NAMES", "Span", "blocks", "evidence_words", "readings", "spans"]

BLOCK = 256 << 10  # characters looked at together
OVERLAP = 16 << 10  # and those around them: the longest key
# Kinds whose form alone tells them: only these are put together again where a line was broken in the middle of a word.
_BY_FORM = ("key", "email", "uuid", "serial", "id", "mac")
_SHORT = 600  # characters of a text whose decoded forms are kept
_MEMORY = 4 << 20  # bytes of one pattern's automaton


class Span(NamedTuple):
    """[start, end) of the text, the kind, and the value as it reads without escapes."""

    start: int
    end: int
    kind: str
    value: str


@dataclass(slots=True)
class _Format:
    kinds: tuple[str, ...]  # of its groups, the last one for all further groups
    hints: tuple[str, ...]
    pattern: str
    judge: Judge | None = None
    whole: bool = False
    made: dict[bool, Any] = field(default_factory=dict)
    groups: tuple[int, ...] = (0,)

    def compiled(self, ascii_: bool) -> Any:
        """For texts of ASCII in half the time: most are."""
        if ascii_ not in self.made:
            options = re2.Options()
            options.log_errors = False
            options.max_mem = _MEMORY
            if ascii_:
                options.encoding = re2.Options.Encoding.LATIN1
            made = self.made[ascii_] = re2.compile((for_ascii(self.pattern) if ascii_ else self.pattern).encode(), options)
            if not self.whole and made.groups:
                self.groups = tuple(range(1, made.groups + 1))
        return self.made[ascii_]


class _Hints:
    """Which formats a text may hold by their hints: the long ones are found in one pass, the short ones are mostly met at once."""

    def __init__(self, hints: list[tuple[str, ...]]) -> None:
        self._always = [number for number, each in enumerate(hints) if each == ("",)]
        of: dict[str, list[int]] = {}
        for number, each in enumerate(hints):
            for hint in filter(None, each):
                of.setdefault(hint, []).append(number)
        self._short = [(hint, numbers) for hint, numbers in of.items() if len(hint) < 3]
        long = [hint for hint in of if len(hint) >= 3]
        self._long = [of[hint] for hint in long]
        self._finder = ahocorasick_rs.AhoCorasick(long)

    def formats(self, low: str) -> list[int]:
        """Their numbers in order, for a text in lower case."""
        there = set(self._always)
        for hint, numbers in self._short:
            if hint in low:
                there.update(numbers)
        there.update(*(self._long[index] for index in {index for index, _, _ in self._finder.find_matches_as_indexes(low, overlapping=True)}))
        return sorted(there)


@functools.cache
def _formats() -> tuple[tuple[_Format, ...], _Hints]:
    made = [_Format(tuple(row[0].split("|")), tuple(row[1].split("|")) if not row[1].startswith("|") else (row[1],), spelt(row[2]), JUDGES[row[3]] if len(row) == 4 else None) for row in ROWS]
    made += [_Format(("key",), hints, pattern, whole=True) for pattern, hints in keys.formats()]
    return tuple(made), _Hints([each.hints for each in made])


class Block(NamedTuple):
    """A part of a text: its place in it, and ``piece``, the part with what is around it; [start, end) of the piece is the part."""

    at: int  # of the piece, in the text
    piece: str
    start: int
    end: int


def blocks(text: str) -> Iterator[Block]:
    """The text in parts that end at a line's end where they can."""
    start = 0
    while start < len(text):
        end = min(start + BLOCK, len(text))
        if end < len(text):
            end = text.rfind("\n", start + BLOCK // 2, end) + 1 or end
        first = max(0, start - OVERLAP)
        yield Block(first, text[first:end + OVERLAP], start - first, end - first)
        start = end


def views(text: str) -> Iterator[View]:
    """The text as it is, and decoded."""
    if len(text) <= _SHORT:
        yield from _of_short(text)
    else:
        yield View(text)
        yield from decoded(text)


@functools.lru_cache(maxsize=4096)
def _of_short(text: str) -> tuple[View, ...]:
    """Kept, as every text is read for what is private and once more for what is known."""
    return View(text), *decoded(text)


def readings(text: str) -> Iterator[tuple[View, bool]]:
    """For values that are known: the text as it is, decoded, and with breaks of wrapped lines taken out, which is what the second says."""
    for view in views(text):
        yield view, False
    if "\n" in text.strip("\n"):
        for view in unwrapped(text):
            yield view, True


def spans(block: Block) -> Iterator[Span]:
    """Everything private that begins in the block, by its place in the piece; spans may overlap."""
    return (found for found in _in_piece(block.piece) if block.start <= found.start < block.end)


def _in_piece(piece: str) -> Iterator[Span]:
    seen: set[tuple[int, int, str]] = set()
    for view in views(piece):
        for start, end, kind in chain(_find(view.text), columns.found(view.text)):
            begin, stop = view.source(start, end)
            if (begin, stop, kind) not in seen:
                seen.add((begin, stop, kind))
                yield Span(begin, stop, kind, view.text[start:end])
    if "\n" not in piece.strip("\n"):
        return
    for number, view in enumerate(unwrapped(piece, evidence_words())):
        for start, end, kind in _find(view.text, None if number else _BY_FORM):
            if view.crosses(start, end):
                yield Span(*view.source(start, end), kind, view.text[start:end])


class _Letters:
    """The place of a byte as a letter's number, for places that mostly come in order."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = self._letter = 0

    def __call__(self, at: int) -> int:
        if at < self._at:
            self._at = self._letter = 0
        self._letter += len(self._raw[self._at:at].decode("utf-8", "replace"))
        self._at = at
        return self._letter


def _find(text: str, kinds: tuple[str, ...] | None = None) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of what the formats find in a text as it stands."""
    raw = text.encode("utf-8", "replace")
    plain = len(raw) == len(text)
    formats, hints = _formats()
    for number in hints.formats(text.lower()):
        each = formats[number]
        if kinds and each.kinds[0] not in kinds:
            continue
        pattern = each.compiled(plain)
        letter = int if plain else _Letters(raw)
        for found in pattern.finditer(raw):
            for group in each.groups:
                start, end = found.span(group)
                if start >= end:
                    continue
                if each.kinds == ("key",) and raw[start - 1:start] == b"\\" and raw[start:start + 1] in b"nrtbf":
                    start += 1  # the end of an escape, as \n, or the text around would read otherwise
                place: tuple[int, int] | None = (letter(start), letter(end))
                if raw[start:start + 1] == b"<":  # a token of an earlier run, or a placeholder
                    continue
                if each.judge and place:
                    place = each.judge(text, *place)
                if place and place[0] < place[1]:
                    yield *place, each.kinds[min(max(group, 1), len(each.kinds)) - 1]
