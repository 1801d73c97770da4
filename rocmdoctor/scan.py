"""Many patterns over big texts: their literals are found all at once, and only where one stands is its pattern tried.

One automaton of some thousand patterns with bounded gaps outgrows any memory. Each pattern therefore waits for a text that
every match of it contains (:mod:`literals`), the rarest one in the text at hand; patterns without such a text, as ``RX \\d{4}``,
share a small automaton of their own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import ahocorasick_rs
import re2

from rocmdoctor import literals
from rocmdoctor.model import Hit
from rocmdoctor.rules import Rule

KEEP_FIRST = 50
KEEP_LAST = 50
STORM = 1000  # a pattern that matched so often in one text is not looked for again before the text's last block
_BIG = 1 << 20  # from this size on a text is worth a look at which literals are rare in it
_SLICES, _SLICE = 8, 32 << 10
_MOST_PLANS = 8
_LONGEST_LINE = 8192
_MOST_SHAPES = 50_000
_OFTEN, _MOST_SETS = 20, 4000
_ANY_DIGIT = bytes(48 if 48 <= byte <= 57 else byte for byte in range(256))
_NAMED = re.compile(r"\(\?P<[^>]+>")


@dataclass(slots=True)
class _Tally:
    """What one text has given so far: hits of each rule's group, matches of each pattern, the latest hits."""

    groups: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    patterns: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    last: dict[tuple[str, str], deque[Hit]] = field(default_factory=lambda: defaultdict(lambda: deque(maxlen=KEEP_LAST)))
    vain: dict[bytes, set[int]] = field(default_factory=dict)  # by line without its digits: patterns that were tried in vain
    big: bool = False  # worth remembering them

    def in_vain(self, line: bytes) -> set[int]:
        if not self.big:
            return set()
        shape = line.translate(_ANY_DIGIT)
        if len(self.vain) >= _MOST_SHAPES and shape not in self.vain:
            self.vain.clear()
        return self.vain.setdefault(shape, set())


@dataclass(slots=True)
class _Plan:
    """Which literal each pattern waits for: the automaton of the literals, and the patterns behind each."""

    literals: Any
    waiting: list[list[int]]


class Scanner:
    """Compiled patterns of many rules."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._owners: list[tuple[str, str, str]] = []
        self._choices: list[list[list[str]]] = []
        for rule in rules:
            for group, patterns in rule.patterns.items():
                known = getattr(rule, "literals", {}).get(group)
                for at, pattern in enumerate(patterns):
                    self._owners.append((rule.id, group, pattern))
                    self._choices.append(known[at] if known else literals.required(pattern))
        options = re2.Options()
        options.log_errors = False
        options.max_mem = 64 << 20
        options.encoding = re2.Options.Encoding.LATIN1
        self._options = options
        self._each: dict[int, Any] = {}
        self._sets: dict[frozenset[int], Any] = {}
        self._digit_blind: dict[int, bool] = {}  # patterns to which a line's digits do not matter
        self._without_literal = [i for i, choices in enumerate(self._choices) if not choices]
        never = r"[^\x00-\xff]"
        joined = "|".join(f"(?:{_NAMED.sub('(?:', self._owners[i][2])})" for i in self._without_literal)
        self._rest = re2.compile(f"(?im:{joined or never})".encode(), options)
        self._usual = self._plan(None, frozenset())

    def _plan(self, sample: bytes | None, without: frozenset[int]) -> _Plan:
        seen: Counter[int] = Counter()
        every: dict[str, int] = {}
        if sample is not None:
            for choices in self._choices:
                for choice in choices:
                    for text in choice:
                        every.setdefault(text, len(every))
            automaton = ahocorasick_rs.BytesAhoCorasick([text.encode() for text in every])
            seen = Counter(index for index, _, _ in automaton.find_matches_as_indexes(sample, overlapping=True))
        waiting: dict[str, list[int]] = {}
        for i, choices in enumerate(self._choices):
            if choices and i not in without:
                best = choices[0] if sample is None else min(choices, key=lambda choice: sum(seen[every[text]] for text in choice))
                for text in best:
                    waiting.setdefault(text, []).append(i)
        return _Plan(ahocorasick_rs.BytesAhoCorasick([text.encode() for text in waiting]) if waiting else None, list(waiting.values()))

    def scan(self, source: str, blocks: Iterable[bytes]) -> Iterator[Hit]:
        """Hits of one text given as blocks of whole lines; per rule and group the first 50 and the last 50.

        In a storm (one message a million times) the patterns that caused it are left out until the last block, so the
        last 50 are the last of that block then.
        """
        tally = _Tally()
        line_number, plans = 1, 0
        plan, stormy = self._usual, frozenset[int]()
        coming = iter(blocks)
        block = next(coming, None)
        while block is not None:
            tally.big = tally.big or len(block) > _BIG
            following = next(coming, None)
            now = frozenset(i for i, n in tally.patterns.items() if n >= STORM) if following is not None else frozenset[int]()
            if now != stormy or (not plans and len(block) > _BIG):
                if plans < _MOST_PLANS or following is None:
                    plan, plans = self._plan(_sample(block), now), plans + 1
                stormy = now
            counted = 0
            most = STORM if following is not None else len(block) + STORM
            for start, end, patterns in self._candidates(block, plan, stormy):
                line_number += block.count(b"\n", counted, start)
                counted = start
                yield from self._line(source, line_number, block[start:end][:_LONGEST_LINE], patterns, tally, most)
            line_number += block.count(b"\n", counted)
            block = following
        for hits in tally.last.values():
            yield from hits

    def _candidates(self, block: bytes, plan: _Plan, without: frozenset[int]) -> Iterator[tuple[int, int, set[int]]]:
        """(start, end, patterns worth trying) of the lines of a block, in their order."""
        found: dict[int, tuple[int, set[int]]] = {}
        start = end = -1
        patterns: set[int] = set()
        for index, at, _ in plan.literals.find_matches_as_indexes(block.lower(), overlapping=True) if plan.literals else ():
            if not start <= at < end:
                start, end = _line_at(block, at)
                _, patterns = found.setdefault(start, (end, set()))
            patterns.update(plan.waiting[index])
        rest = [i for i in self._without_literal if i not in without]
        at = 0
        while rest and at < len(block) and (match := self._rest.search(block, at)):
            start, end = _line_at(block, match.start())
            found.setdefault(start, (end, set()))[1].update(rest)
            at = max(end, match.end()) + 1
        for start in sorted(found):
            yield start, *found[start]

    def _line(self, source: str, number: int, line: bytes, patterns: set[int], tally: _Tally, most: int) -> Iterator[Hit]:
        vain = tally.in_vain(line)
        open_ = frozenset(patterns - vain)
        if not open_ or self._none_of(open_, line):
            return
        for index in sorted(open_):
            if tally.patterns[index] >= most:
                continue
            match = self._compiled(index).search(line)
            if not match:
                if tally.big and self._blind_to_digits(index):
                    vain.add(index)
                continue
            rule, group, _ = self._owners[index]
            tally.patterns[index] += 1
            tally.groups[rule, group] += 1
            hit = Hit(rule, group, source, number, line.decode("utf-8", "replace").strip(), _captured(match.groupdict()))
            if tally.groups[rule, group] <= KEEP_FIRST:
                yield hit
            else:
                tally.last[rule, group].append(hit)

    def _none_of(self, patterns: frozenset[int], line: bytes) -> bool:
        """Whether one search shows that none matches: worth it for the few sets of patterns that most lines of a log have."""
        seen = self._sets.get(patterns, 0)
        if isinstance(seen, int):
            if seen < _OFTEN:
                if len(self._sets) < _MOST_SETS:
                    self._sets[patterns] = seen + 1
                return False
            joined = "|".join(f"(?:{_NAMED.sub('(?:', self._owners[i][2])})" for i in sorted(patterns))
            seen = self._sets[patterns] = re2.compile(f"(?i:{joined})".encode(), self._options)
        return seen.search(line) is None

    def _compiled(self, index: int) -> Any:
        if index not in self._each:
            pattern = self._owners[index][2]
            self._each[index] = re2.compile(f"(?i){pattern}".encode(), self._options)
        return self._each[index]

    def _blind_to_digits(self, index: int) -> bool:
        if index not in self._digit_blind:
            self._digit_blind[index] = not literals.tells_digits_apart(self._owners[index][2])
        return self._digit_blind[index]


def _line_at(block: bytes, at: int) -> tuple[int, int]:
    end = block.find(b"\n", at)
    return block.rfind(b"\n", 0, at) + 1, len(block) if end < 0 else end


def _sample(block: bytes) -> bytes:
    step = max(_SLICE, len(block) // _SLICES)
    return b"\n".join(block[at:at + _SLICE] for at in range(0, len(block), step)).lower()


def _captured(groups: dict[Any, bytes | None]) -> dict[str, str]:
    named = ((name.decode() if isinstance(name, bytes) else str(name), value) for name, value in groups.items())
    return {name: value.decode("utf-8", "replace") for name, value in named if value}


def blocks_of(text: str) -> Iterator[bytes]:
    """A text as one block."""
    yield text.encode("utf-8", "replace")
