"""Many patterns over big texts: their literals are found all at once, and only where one stands is its pattern tried.

One automaton of some thousand patterns with bounded gaps outgrows any memory. Each pattern therefore waits for a text that
every match of it contains (:mod:`literals`), the rarest one in the text at hand; patterns without such a text, as ``RX \\d{4}``,
share a small automaton of their own. Of a big text only the shapes of its lines are searched (:mod:`shapes`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any

import ahocorasick_rs
import re2

from rocmdoctor import later
from rocmdoctor.facts.model import Hit
from rocmdoctor.knowledge.signals import NEGATION, Signal
from rocmdoctor.records import dataclass, field
from rocmdoctor.scan import literals, shapes

KEEP_FIRST = 50
KEEP_LAST = 50
STORM = 1000  # a pattern that matched so often in one text is not looked for again before the text's last block
_BIG = 1 << 20  # from this size on a text is read by the shapes of its lines, and by the literals that are rare in it
_SLICES, _SLICE = 8, 32 << 10
_PIECE = 16 << 10  # bytes in which literals are looked for at once
_SHORT, _FEW_TEXTS = 64 << 10, 4  # bytes of a text in which literals are looked for one by one, in the first few such texts
_LONGEST_LINE = 8192
_MOST_SHAPES, _COST = 32 << 20, 150  # bytes of remembered shapes, and what remembering one costs beside its text
_MOST_REMEMBERED, _EACH = 16 << 20, 60  # bytes of lines that patterns were tried on, and what each pattern's answer costs
_OFTEN, _MOST_SETS = 20, 4000
_TOGETHER = 6  # patterns in one automaton: it stays small where all lines differ, and what it does not match is ruled out at once
_PLANNED = 64 << 10  # from this size on finding the literals that are rare in a text costs less than it saves
_FEW = 1000  # lines of a block that say nothing of the rest
_VAIN = 500  # tries without a match for one that matches, from which on a search of the whole block is cheaper
_REFUSED: dict[str, str] = {}  # a match that the signal must not take; told apart by its identity
_NEVER = r"[^\x00-\xff]"
_FIRST = itemgetter(0)
_NAMED = later.pattern(r"\(\?P<[^>]+>")


@dataclass(slots=True)
class _Tally:
    """What one text has given so far: hits of each rule's group, matches of each pattern, the latest hits."""

    groups: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    patterns: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    vain: dict[int, int] = field(default_factory=lambda: defaultdict(int))  # tries of each pattern without a match
    last: dict[tuple[str, str], deque[Hit]] = field(default_factory=lambda: defaultdict(lambda: deque(maxlen=KEEP_LAST)))


class _Literals:
    """Where texts stand in another, overlapping."""

    def __init__(self, texts: Iterable[bytes]) -> None:
        self._held = list(texts)
        self._finder: Any = None
        self._longest = max(map(len, self._held))
        self._asked = 0

    def places(self, text: bytes) -> Iterator[tuple[int, int]]:
        """(number of the text, where it begins). Piece by piece: all places in a line of one digit a million times are a list of hundreds of megabytes."""
        self._asked += 1
        if self._finder is None and len(text) < _SHORT and self._asked < _FEW_TEXTS:  # an automaton for two or three pages is made in vain
            yield from ((index, at) for index, literal in enumerate(self._held) if literal in text for at in _everywhere(literal, text))
            return
        for first in range(0, len(text), _PIECE):
            for index, at, _ in self._found(text[first:first + _PIECE + self._longest - 1]):
                if at < _PIECE:
                    yield index, first + at

    def counted(self, text: bytes) -> Counter[int]:
        """How often each stands in the text; what lies over the end of a piece is not counted."""
        seen: Counter[int] = Counter()
        for first in range(0, len(text), _PIECE):
            seen.update(map(_FIRST, self._found(text[first:first + _PIECE])))
        return seen

    def _found(self, piece: bytes) -> list[tuple[int, int, int]]:
        if self._finder is None:
            self._finder = ahocorasick_rs.BytesAhoCorasick(self._held)
        found: list[tuple[int, int, int]] = self._finder.find_matches_as_indexes(piece, overlapping=True)
        return found


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The patterns that some kinds of text are searched for: those with literals, and those without."""

    kinds: frozenset[str]
    waiting: tuple[int, ...]
    open: tuple[int, ...]


@dataclass(slots=True)
class _Plan:
    """Which literal each pattern waits for: the automaton of the literals, and the patterns behind each."""

    literals: _Literals | None
    waiting: list[list[int]]


class Scanner:
    """Compiled patterns of many rules."""

    def __init__(self, signals: Iterable[Signal]) -> None:
        self._signals: list[Signal] = []
        self._patterns: list[str] = []
        self._choices: list[list[list[str]]] = []
        for signal in signals:
            self._signals += [signal] * len(signal.patterns)
            self._patterns += signal.patterns
            self._choices += signal.literals or map(literals.required, signal.patterns)
        self._unless: dict[str, Any] = {}
        options = re2.Options()
        options.log_errors = False
        options.max_mem = 64 << 20
        options.encoding = re2.Options.Encoding.LATIN1
        self._options = options
        self._each: dict[int, Any] = {}
        self._needs: dict[int, list[list[bytes]]] = {}
        self._tried: dict[bytes, dict[int, dict[str, str] | None]] = {}  # by line and pattern: the captures, None for no match
        self._remembered = 0
        self._relaxed: dict[int, str | None] = {}
        self._sets: dict[frozenset[int], Any] = {}
        self._groups: dict[tuple[int, ...], Any] = {}
        self._chosen: dict[frozenset[str], tuple[_Chosen, _Plan]] = {}

    def _for(self, kinds: frozenset[str]) -> tuple[_Chosen, _Plan]:
        """What texts of these kinds are searched for, all that there is where none are named; and their usual plan."""
        if kinds not in self._chosen:
            of = [i for i, signal in enumerate(self._signals) if not kinds or not signal.kinds or not kinds.isdisjoint(signal.kinds)]
            chosen = _Chosen(kinds, tuple(i for i in of if self._choices[i]), tuple(i for i in of if not self._choices[i]))
            self._chosen[kinds] = chosen, self.plan(chosen, None)
        return self._chosen[kinds]

    def any_of(self, patterns: Iterable[int], text: Callable[[int], str]) -> Any:
        """One pattern for all of these, each as ``text`` gives it; over lines, in any case."""
        joined = "|".join(f"(?:{text(i)})" for i in patterns)
        return re2.compile(f"(?im:{joined or _NEVER})".encode(), self._options)

    def unnamed(self, index: int) -> str:
        """A pattern without names for its groups, so that it can stand beside others; for texts in small letters, so none means its case."""
        return _NAMED.sub("(?:", self._patterns[index]).replace("(?-i:", "(?:")

    def plan(self, chosen: _Chosen, sample: bytes | None, spelt: Callable[[bytes], bytes] = bytes) -> _Plan:
        """The usual literals; with a sample of a text, or of its shapes, those that are rare in it."""
        waiting: dict[bytes, list[int]] = {}
        if sample is None:
            for i in chosen.waiting:
                for literal in self._choices[i][0]:
                    waiting.setdefault(literal.encode(), []).append(i)
            return _Plan(_Literals(waiting) if waiting else None, list(waiting.values()))
        every: dict[bytes, int] = {}
        for i in chosen.waiting:
            for choice in self._choices[i]:
                for literal in choice:
                    every.setdefault(spelt(literal.encode()), len(every))
        seen = _Literals(every).counted(sample) if every else Counter[int]()
        for i in chosen.waiting:
            texts = [[spelt(literal.encode()) for literal in choice] for choice in self._choices[i]]
            for text in min(texts, key=lambda choice: sum(seen[every[text]] for text in choice)):
                waiting.setdefault(text, []).append(i)
        return _Plan(_Literals(waiting) if waiting else None, list(waiting.values()))

    def scan(self, source: str, blocks: Iterable[bytes], kind_at: Callable[[int], str] | None = None,
             kinds: frozenset[str] = frozenset()) -> Iterator[Hit]:
        """Hits of one text given as blocks of whole lines; per signal the first 50 and the last 50.

        ``kind_at`` tells the kind of text of a line (1-based): a signal is read only in its kinds. ``kinds`` are all that it can tell: what is
        read in none of them is not looked for.

        In a storm (one message a million times) the patterns that caused it are left out until the last block, so the
        last 50 are the last of that block then.
        """
        tally = _Tally()
        chosen, usual = self._for(kinds)
        done = 0
        known: _Shapes | None = None
        coming = iter(blocks)
        block = next(coming, None)
        while block is not None:
            following = next(coming, None)
            if known is None and len(block) > _BIG:
                known = _Shapes(self, chosen, self.plan(chosen, _sample(block), shapes.shape))
            most = STORM if following is not None else block.count(b"\n") + STORM
            if known:
                rare = frozenset(i for i, n in tally.vain.items() if n > _VAIN * (1 + tally.patterns[i]))
                known.leave_out(rare, frozenset(i for i, n in tally.patterns.items() if n >= most))
            worth = known.worth(block) if known else self.usual(block, chosen, usual)
            lines = block.split(b"\n") if worth else []
            for row, patterns in worth:
                yield from self._line(source, done + row + 1, lines[row][:_LONGEST_LINE], patterns, tally, most, kind_at)
            done += block.count(b"\n")
            block = following
        for hits in tally.last.values():
            yield from hits

    def usual(self, block: bytes, chosen: _Chosen, plan: _Plan) -> list[tuple[int, frozenset[int]]]:
        """(index, patterns worth trying) of the lines of a block, without their shapes."""
        text = block.lower()
        if len(text) >= _PLANNED and plan is self._chosen.get(chosen.kinds, (None, None))[1]:
            plan = self.plan(chosen, _slices(text, _SLICE // 4))
        found: dict[int, set[int]] = defaultdict(set)
        starts = _starts(text.split(b"\n"))
        for row, index in self._met(starts, text, plan):
            found[row].update(plan.waiting[index])
        for group in _grouped(chosen.open):
            for row in _rows(self._group(group), block, starts):  # a pattern may mean its case
                found[row].update(group)
        return [(row, frozenset(found[row])) for row in sorted(found)]

    def _group(self, patterns: tuple[int, ...]) -> Any:
        if patterns not in self._groups:
            self._groups[patterns] = self.any_of(patterns, self.unnamed)
        return self._groups[patterns]

    def worth(self, lines: list[bytes], text: bytes, plan: _Plan, chosen: _Chosen, rest: Any) -> Iterator[tuple[int, frozenset[int]]]:
        """(index, patterns worth trying) of the lines of a text where a literal stands, in their order."""
        found: dict[int, set[int]] = defaultdict(set)
        starts = _starts(lines)
        for row, index in self._met(starts, text, plan):
            found[row].update(plan.waiting[index])
        for row in _rows(rest, text, starts):
            found[row].update(chosen.open)
        for row in sorted(found):
            yield row, frozenset(found[row])

    def _met(self, starts: list[int], text: bytes, plan: _Plan) -> Iterator[tuple[int, int]]:
        """(index of a line, index of a literal that stands in it), in the order of the text."""
        row = 0
        for index, at in plan.literals.places(text) if plan.literals else ():
            if not starts[row] <= at < starts[row + 1]:
                row = bisect_right(starts, at) - 1
            yield row, index

    def relaxed(self, index: int) -> str | None:
        """What a pattern says of a line's shape; None when that cannot be said."""
        if index not in self._relaxed:
            self._relaxed[index] = shapes.relaxed(self._patterns[index])
        return self._relaxed[index]

    def of_shape(self, patterns: frozenset[int], line: bytes) -> tuple[int, ...]:
        """Those of the patterns that may match a line of this shape."""
        seen = self._sets.get(patterns, 0)
        if isinstance(seen, int):
            if seen < _OFTEN:  # one search for all of them pays only for the few sets that many shapes have
                if len(self._sets) < _MOST_SETS:
                    self._sets[patterns] = seen + 1
                seen = None
            else:
                seen = self._sets[patterns] = self.any_of(patterns, lambda i: self.relaxed(i) or "")
        if seen is not None and seen.search(line) is None:
            return ()
        return tuple(i for i in sorted(patterns) if self.relaxed(i) is None or self._compiled(~i).search(line))

    def _line(self, source: str, number: int, line: bytes, patterns: Iterable[int], tally: _Tally, most: int,
              kind_at: Callable[[int], str] | None) -> Iterator[Hit]:
        kind = ""
        low = b""
        order = sorted(patterns)
        tried = self._tried_on(line, len(order))
        for index in order:
            if tally.patterns[index] >= most:
                continue
            signal = self._signals[index]
            if kind_at is not None and signal.kinds:
                kind = kind or kind_at(number)
                if kind not in signal.kinds:
                    continue
            if index not in tried:
                low = low or line.lower()
                if not self._may_match(index, low):
                    tried[index] = None
                    continue
                match = self._compiled(index).search(line)
                tried[index] = None if not match else _REFUSED if self._refused(signal, line, match.start()) else _captured(match.groupdict())
            captures = tried[index]
            if captures is None:
                tally.vain[index] += 1
            if captures is None or captures is _REFUSED:
                continue
            rule, group = signal.owner, signal.name
            tally.patterns[index] += 1
            tally.groups[rule, group] += 1
            kind = kind or (kind_at(number) if kind_at is not None else "")
            hit = Hit(rule, group, source, number, line.decode("utf-8", "replace").strip(), dict(captures), kind=kind)
            if tally.groups[rule, group] <= KEEP_FIRST:
                yield hit
            else:
                tally.last[rule, group].append(hit)

    def _may_match(self, index: int, low: bytes) -> bool:
        """Whether a line in small letters has what every match of a pattern contains; most patterns of a run are never compiled."""
        needs = self._needs.get(index)
        if needs is None:
            needs = self._needs[index] = [[literal.encode() for literal in choice] for choice in self._choices[index]]
        for choice in needs:
            for literal in choice:
                if literal in low:
                    break
            else:
                return False
        return True

    def _tried_on(self, line: bytes, count: int) -> dict[int, dict[str, str] | None]:
        """What the patterns said of a line that stood before: logs repeat themselves."""
        tried = self._tried.get(line)
        if tried is None:
            self._remembered += len(line) + _COST + _EACH * count
            if self._remembered > _MOST_REMEMBERED:
                self._tried.clear()
                self._remembered = 0
            tried = self._tried[line] = {}
        return tried

    def _refused(self, signal: Signal, line: bytes, start: int) -> bool:
        """Whether the line is one that the signal must not take, or its words are taken back by a negation before them."""
        if signal.negatable and self._search(NEGATION, line[max(0, start - 40):start]):
            return True
        return any(self._search(pattern, line) for pattern in signal.unless)

    def _search(self, pattern: str, line: bytes) -> bool:
        if pattern not in self._unless:
            self._unless[pattern] = re2.compile(f"(?i){pattern}".encode(), self._options)
        return self._unless[pattern].search(line) is not None

    def _compiled(self, index: int) -> Any:
        """A pattern, or (by ``~index``) what it says of a line's shape."""
        if index not in self._each:
            pattern = self._patterns[index] if index >= 0 else self.relaxed(~index)
            self._each[index] = re2.compile(f"(?i){pattern}".encode(), self._options)
        return self._each[index]


class _Shapes:
    """The lines of a big text by their shape: each shape is looked at once, and most are of no interest."""

    def __init__(self, scanner: Scanner, chosen: _Chosen, plan: _Plan) -> None:
        self._scanner, self._chosen, self._plan = scanner, chosen, plan
        self._rest = scanner.any_of(chosen.open, lambda i: scanner.relaxed(i) or "")
        self._known: dict[bytes, tuple[int, ...]] = {}  # by shape: the patterns that may match such a line
        self._open: dict[bytes, tuple[int, ...]] = {}  # the same without those left out
        self._bytes = 0
        self._rare: tuple[int, ...] = ()
        self._rare_search: Any = None
        self._out: frozenset[int] = frozenset()
        self._stormy: frozenset[int] = frozenset()
        self._varied: _Plan | None = None  # where hardly two lines are alike

    def leave_out(self, rare: frozenset[int], stormy: frozenset[int]) -> None:
        """From now on look for the ``rare`` patterns, which most lines resemble (``9070``), in the block as a whole; for the ``stormy`` not at all."""
        self._stormy = stormy
        if self._rare != tuple(sorted(rare - stormy)):
            self._rare = tuple(sorted(rare - stormy))
            self._rare_search = self._scanner.any_of(self._rare, self._scanner.unnamed)
        if self._out != rare | stormy:
            self._out = rare | stormy
            self._open = {line: self._without(patterns) for line, patterns in self._known.items()}

    def _without(self, patterns: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(i for i in patterns if i not in self._out)

    def worth(self, block: bytes) -> list[tuple[int, tuple[int, ...]]]:
        """As :meth:`Scanner.usual`, for one block of the text."""
        text = shapes.shape(block)
        ours = text.split(b"\n")
        every = set(ours)
        if len(every) * 2 > len(ours) > _FEW:  # hashes, random numbers: every shape would be looked at and remembered for one line
            if self._varied is None:
                self._varied = self._scanner.plan(self._chosen, _slices(block.lower(), _SLICE))
            left = ((row, tuple(met - self._stormy)) for row, met in self._scanner.usual(block, self._chosen, self._varied))
            return [(row, patterns) for row, patterns in left if patterns]
        if max(map(len, every)) > _LONGEST_LINE:
            ours = [line[:_LONGEST_LINE] for line in ours]
            every = set(ours)
        if self._bytes > _MOST_SHAPES:
            self._known.clear()
            self._open.clear()
            self._bytes = 0
        new = list(every - self._known.keys())
        self._bytes += sum(map(len, new)) + _COST * len(new)
        for held in (self._known, self._open):
            held.update(dict.fromkeys(new, ()))
        for row, waiting in self._scanner.worth(new, b"\n".join(new), self._plan, self._chosen, self._rest):
            self._known[new[row]] = self._scanner.of_shape(waiting, new[row])
            self._open[new[row]] = self._without(self._known[new[row]])
        open_ = {line: patterns for line in every if (patterns := self._open[line])}  # few: what all lines go through is one look at this
        found = {row: open_[line] for row, line in enumerate(ours) if line in open_} if open_ else {}
        for row in _counted_rows(self._rare_search, block) if self._rare else ():
            found[row] = (*found.get(row, ()), *self._rare)
        return sorted(found.items())


def _starts(lines: list[bytes]) -> list[int]:
    return list(accumulate((len(line) + 1 for line in lines), initial=0))


def _rows(compiled: Any, text: bytes, starts: list[int]) -> Iterator[int]:
    """The lines in which a match of the pattern begins."""
    at = 0
    while at < len(text) and (match := compiled.search(text, at)):
        row = bisect_right(starts, match.start()) - 1
        yield row
        at = starts[row + 1]


def _counted_rows(compiled: Any, text: bytes) -> Iterator[int]:
    """As :func:`_rows` where hardly a line matches: the lines between are counted, not listed."""
    at = row = 0
    while at < len(text) and (match := compiled.search(text, at)):
        row += text.count(b"\n", at, match.start())
        yield row
        at = text.find(b"\n", match.start()) + 1
        if not at:
            return
        row += 1


def _slices(block: bytes, size: int) -> bytes:
    step = max(size, len(block) // _SLICES)
    return b"\n".join(block[at:at + size] for at in range(0, len(block), step))


def _sample(block: bytes) -> bytes:
    return shapes.shape(_slices(block, _SLICE))


def _everywhere(literal: bytes, text: bytes) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)


def _grouped(patterns: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return (tuple(patterns[at:at + _TOGETHER]) for at in range(0, len(patterns), _TOGETHER))


def _captured(groups: dict[Any, bytes | None]) -> dict[str, str]:
    named = ((name.decode() if isinstance(name, bytes) else str(name), value) for name, value in groups.items())
    return {name: value.decode("utf-8", "replace") for name, value in named if value}


def blocks_of(text: str) -> Iterator[bytes]:
    """A text as one block."""
    yield text.encode("utf-8", "replace")
