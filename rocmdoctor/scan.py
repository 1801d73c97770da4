"""Many patterns over big texts: one RE2 alternation finds the lines, a Set says which rules they belong to."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import re2

from rocmdoctor.model import Hit
from rocmdoctor.rules import Rule

KEEP_FIRST = 50
KEEP_LAST = 50
STORM = 1000  # a pattern that matched so often in one text is not looked for again before the text's last block
_LONGEST_LINE = 8192
_NAMED = re.compile(r"\(\?P<[^>]+>")


@dataclass(slots=True)
class _Tally:
    """What one text has given so far: hits of each rule's group, matches of each pattern, the latest hits."""

    groups: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    patterns: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    last: dict[tuple[str, str], deque[Hit]] = field(default_factory=lambda: defaultdict(lambda: deque(maxlen=KEEP_LAST)))


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
        self._options = options
        self._set = re2.Set.SearchSet(options)
        for _, _, pattern in self._owners:
            self._set.Add(f"(?i){pattern}".encode())
        if self._owners:
            self._set.Compile()
        self._any = self._alternation(frozenset())
        self._each: dict[int, Any] = {}

    def _alternation(self, without: frozenset[int]) -> Any:
        never = r"[^\x00-\xff]"
        joined = "|".join(f"(?:{_NAMED.sub('(?:', p)})" for i, (_, _, p) in enumerate(self._owners) if i not in without)
        return re2.compile(f"(?im:{joined or never})".encode(), self._options)

    def scan(self, source: str, blocks: Iterable[bytes]) -> Iterator[Hit]:
        """Hits of one text given as blocks of whole lines; per rule and group the first 50 and the last 50.

        In a storm (one message a million times) the patterns that caused it are left out until the last block, so the
        last 50 are the last of that block then.
        """
        tally = _Tally()
        line_number = 1
        any_, stormy = self._any, frozenset[int]()
        coming = iter(blocks)
        block = next(coming, None)
        while block is not None:
            following = next(coming, None)
            now = frozenset(i for i, n in tally.patterns.items() if n >= STORM) if following is not None else frozenset[int]()
            if now != stormy:
                any_, stormy = self._alternation(now) if now else self._any, now
            at, counted = 0, 0
            while found := any_.search(block, at):
                start = block.rfind(b"\n", 0, found.start()) + 1
                end = block.find(b"\n", found.start())
                end = len(block) if end < 0 else end
                line_number += block.count(b"\n", counted, start)
                counted = start
                yield from self._line(source, line_number, block[start:end][:_LONGEST_LINE], tally)
                at = end + 1
                if at >= len(block):
                    break
            line_number += block.count(b"\n", counted)
            block = following
        for hits in tally.last.values():
            yield from hits

    def _line(self, source: str, number: int, line: bytes, tally: _Tally) -> Iterator[Hit]:
        # None when the alternation, which sees whole blocks, matched only across a line's end.
        for index in self._set.Match(line) or ():
            rule, group, pattern = self._owners[index]
            tally.patterns[index] += 1
            tally.groups[rule, group] += 1
            if index not in self._each:
                self._each[index] = re2.compile(f"(?i){pattern}".encode(), self._options)
            found = self._each[index].search(line)
            captures = _captured(found.groupdict()) if found else {}
            hit = Hit(rule, group, source, number, line.decode("utf-8", "replace").strip(), captures)
            if tally.groups[rule, group] <= KEEP_FIRST:
                yield hit
            else:
                tally.last[rule, group].append(hit)


def _captured(groups: dict[Any, bytes | None]) -> dict[str, str]:
    named = ((name.decode() if isinstance(name, bytes) else str(name), value) for name, value in groups.items())
    return {name: value.decode("utf-8", "replace") for name, value in named if value}


def blocks_of(text: str) -> Iterator[bytes]:
    """A text as one block."""
    yield text.encode("utf-8", "replace")
