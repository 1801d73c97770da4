"""Many patterns over big texts: one RE2 alternation finds the lines, a Set says which rules they belong to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

import re2

from rocmdoctor.model import Hit
from rocmdoctor.rules import Rule

KEEP_FIRST = 50
_LONGEST_LINE = 8192
_NAMED = re.compile(r"\(\?P<[^>]+>")


class Scanner:
    """Compiled patterns of many rules."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._owners: list[tuple[str, str, str]] = [
            (rule.id, group, pattern)
            for rule in rules for group, patterns in rule.patterns.items() for pattern in patterns]
        options = re2.Options()
        options.log_errors = False
        options.max_mem = 256 << 20
        options.encoding = re2.Options.Encoding.LATIN1
        self._set = re2.Set.SearchSet(options)
        for _, _, pattern in self._owners:
            self._set.Add(f"(?i){pattern}".encode())
        if self._owners:
            self._set.Compile()
        never = r"[^\x00-\xff]"
        joined = "|".join(f"(?:{_NAMED.sub('(?:', p)})" for _, _, p in self._owners)
        self._any = re2.compile(f"(?im:{joined or never})".encode(), options)
        self._each: dict[int, Any] = {}
        self._options = options

    def scan(self, source: str, blocks: Iterable[bytes]) -> Iterator[Hit]:
        """Hits of one text given as blocks of whole lines; per rule and group the first 50."""
        counts: dict[tuple[str, str], int] = defaultdict(int)
        line_number = 1
        for block in blocks:
            at, counted = 0, 0
            while found := self._any.search(block, at):
                start = block.rfind(b"\n", 0, found.start()) + 1
                end = block.find(b"\n", found.start())
                end = len(block) if end < 0 else end
                line_number += block.count(b"\n", counted, start)
                counted = start
                yield from self._line(source, line_number, block[start:end][:_LONGEST_LINE], counts)
                at = end + 1
                if at >= len(block):
                    break
            line_number += block.count(b"\n", counted)

    def _line(self, source: str, number: int, line: bytes, counts: dict[tuple[str, str], int]) -> Iterator[Hit]:
        for index in self._set.Match(line) or ():  # None when the alternation matched only across the line break
            rule, group, pattern = self._owners[index]
            counts[rule, group] += 1
            if counts[rule, group] > KEEP_FIRST:
                continue
            if index not in self._each:
                self._each[index] = re2.compile(f"(?i){pattern}".encode(), self._options)
            found = self._each[index].search(line)
            captures = _captured(found.groupdict()) if found else {}
            yield Hit(rule, group, source, number, line.decode("utf-8", "replace").strip(), captures)


def _captured(groups: dict[Any, bytes | None]) -> dict[str, str]:
    named = ((name.decode() if isinstance(name, bytes) else str(name), value) for name, value in groups.items())
    return {name: value.decode("utf-8", "replace") for name, value in named if value}


def blocks_of(text: str) -> Iterator[bytes]:
    """A text as one block."""
    yield text.encode("utf-8", "replace")
