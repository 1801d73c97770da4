"""Many patterns over big texts: their literals are found all at once, and only the lines in which one stands are searched for its patterns.

One automaton of some thousand patterns with bounded gaps outgrows any memory. Each pattern therefore waits for a text that
every match of it contains (:mod:`literals`), the rarest one in the text at hand, and the lines that have it are searched together. Of a text
that repeats itself only the shapes of its lines are searched (:mod:`shapes`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, compress
from operator import itemgetter
from typing import Any

import ahocorasick_rs
import re2

from rocmdoctor.facts.model import Hit
from rocmdoctor.knowledge.signals import NEGATION, Signal
from rocmdoctor.records import dataclass, field
from rocmdoctor.scan import literals, plan, reach, shapes
from rocmdoctor.texts.kinds import Part

KEEP_FIRST = 50
KEEP_LAST = 50
ENOUGH = KEEP_FIRST + KEEP_LAST  # hits of a signal in one text, after which it is looked for only in the text's end
END = 1 << 20  # bytes of the end of a text
_PIECE, _MOST = 64 << 10, 2 << 20  # bytes of a text that are searched at once, first and later: soon it is known what storms in it
_BACK = 64 << 10  # bytes that are searched at once from the end back, at first: what storms is found there
_SHAPED = 1 << 20  # from this size on a piece is read by the shapes of its lines; for less the automata of shapes are made in vain
_SAMPLE, _UNLIKE = 128 << 10, 0.95
_SLICES = 8
_SLICE = 8 << 10
_FOUND = 16 << 10  # bytes in which literals are looked for at once
_WORTH, _LARGE = 6 << 20, 48_000  # bytes of text from which on a faster automaton is worth its making, and bytes of what it looks for at most
_CUT = 12  # bytes of a text that is looked for in a big one: what is longer is hardly rarer
_SHORT = 48 << 10  # bytes of texts in which literals are looked for by how they begin: to make their automaton takes as long
_LONGEST_LINE, _QUOTED = 8192, 2000  # bytes of a line that are searched, and that a hit has
_MOST_SHAPES, _COST = 32 << 20, 150  # bytes of remembered shapes, and what remembering one costs beside its text
_STALE = 1.2  # a search is planned anew where it was made for so many times the patterns that are left
_HARDLY_MORE = 1.05
_RARE = 8  # a text that stands in more than each eighth line rules out too little
_FEW_LINES = 64  # of which each is asked for a text by itself
_LINE_COSTS = 64  # bytes that a pattern is looked for in while one line is told by its first letter
_FEW_WAYS = 8  # texts that are looked for in a line before a pattern is tried on it
_MEMORY, _MEMORY_OF_BIG, _BIG = 1 << 20, 4 << 20, 800  # bytes of one automaton, and of one whose program has so many steps
_WIDE = 500  # bytes of a text's lines in the mean from which on they are searched around their literals only
_USUAL_LINE = 128
_APART = 256  # bytes between two literals of one place
_FARTHEST = 1000  # bytes of a match that is looked for in such a place
_FIRST = itemgetter(0)
_AT = itemgetter(1)
_WITH_END = (1).__add__
_PLACE = itemgetter(0, 1)

Name = tuple[str, str]  # of a signal: who owns it, and its own
# A pattern, the line's row, the line, the match and where in the line it begins; whether more of this pattern are wanted.
Take = Callable[[int, int, bytes, Any, int], bool]


class _Literals:
    """Where texts stand in another, overlapping."""

    def __init__(self, texts: list[bytes], heads: Mapping[bytes, list[int]]) -> None:
        self._held, self._heads = texts, heads
        self._finder: Any = None
        self._longest = max(map(len, self._held))
        self._asked = 0  # bytes
        self._fast = False

    def only(self, chosen: Sequence[bool]) -> _Literals:
        """Those of them that are chosen; the automaton is made in a hundredth of a second."""
        left = list(compress(self._held, chosen))
        if len(left) == len(self._held):
            return self
        those = _Literals(left, plan.heads(left))
        those._asked = self._asked
        return those

    def places(self, text: bytes) -> Iterator[tuple[int, list[tuple[int, int, int]]]]:
        """(where a piece begins, [(number of a text, where it begins and ends in the piece)]). Piece by piece: all places in a line of one digit a
        million times are a list of hundreds of megabytes. What begins behind a piece of :data:`_FOUND` bytes is in the next one, too."""
        self._asked += len(text)
        if self._finder is None and self._asked < _SHORT:
            found = [(index, at, at + len(self._held[index])) for index in self._in(text) for at in _everywhere(self._held[index], text)]
            for first in range(0, len(text), _FOUND):
                here = [(index, at - first, end - first) for index, at, end in found if first <= at < first + _FOUND]
                yield first, sorted(here, key=_AT)
            return
        for first in range(0, len(text), _FOUND):
            yield first, self._found(text[first:first + _FOUND + self._longest - 1])

    def _in(self, text: bytes) -> Iterator[int]:
        """The texts that stand in a short one: only those whose beginning does are looked for."""
        heads = {text[at:at + plan.HEAD] for at in range(len(text))}
        for head, those in self._heads.items():
            if head in heads or len(head) < plan.HEAD and head in text:
                yield from (index for index in those if self._held[index] in text)

    def counted(self, text: bytes) -> Counter[int]:
        """How often each stands in the text; what lies over the end of a piece is not counted."""
        seen: Counter[int] = Counter()
        for first in range(0, len(text), _FOUND):
            seen.update(map(_FIRST, self._found(text[first:first + _FOUND])))
        return seen

    def _found(self, piece: bytes) -> list[tuple[int, int, int]]:
        if self._finder is None:
            self._finder = ahocorasick_rs.BytesAhoCorasick(self._held)
        elif self._asked > _WORTH and not self._fast and sum(map(len, self._held)) < _LARGE:
            self._fast = True
            self._finder = ahocorasick_rs.BytesAhoCorasick(self._held, implementation=ahocorasick_rs.Implementation.DFA)
        found: list[tuple[int, int, int]] = self._finder.find_matches_as_indexes(piece, overlapping=True)
        return found



class Scanner:
    """Compiled patterns of many rules; ``known`` is their plan, where it was made before."""

    def __init__(self, signals: Iterable[Signal], known: plan.Plan | None = None) -> None:
        self.signals: list[Signal] = []
        self.choices: list[tuple[str, ...]] = []
        self._patterns: list[str] = []
        for signal in signals:
            self.signals += [signal] * len(signal.patterns)
            self._patterns += signal.patterns
            self.choices += signal.literals or map(literals.written, signal.patterns)
        self.named = {i for i, pattern in enumerate(self._patterns) if "(?P<" in pattern}
        options = re2.Options()
        options.log_errors = False
        options.max_mem = _MEMORY
        options.encoding = re2.Options.Encoding.LATIN1
        self._options = options
        self._each: dict[int, Any] = {}
        self._reaches: dict[int, int] = {}
        self._begins: dict[int, list[bytes]] = {}
        self._unless: dict[str, Any] = {}
        self._chosen: dict[frozenset[str], frozenset[int]] = {}
        self._usual: Search | None = None
        self._known = known

    def scan(self, source: str, blocks: Iterable[bytes], parts: Sequence[Part] = ()) -> Iterator[Hit]:
        """Hits of one text given as blocks of whole lines; per signal the first 50 and the last 50, of one seen more than 100 times the last 50 of
        the text's last megabyte.

        ``parts`` say of which kind its lines are: a signal is read only in its kinds, in all where there are none.
        """
        run = Run(self, source, parts)
        for piece in pieces(blocks):
            yield from run.forward(piece)
        yield from run.back()

    def for_kinds(self, kinds: frozenset[str]) -> frozenset[int]:
        """The patterns that texts of these kinds are searched for, all that there are where none are named."""
        if kinds not in self._chosen:
            self._chosen[kinds] = frozenset(i for i, signal in enumerate(self.signals) if not kinds or not signal.kinds or not kinds.isdisjoint(signal.kinds))
        return self._chosen[kinds]

    @property
    def usual(self) -> Search:
        """All patterns, as short texts are searched for them."""
        if self._usual is None:
            self._usual = Search(self, range(len(self.signals)), None, known=self._known)
        return self._usual

    def compiled(self, index: int) -> Any:
        """A pattern, or (by ``~index``) what it says of a line's shape; None when that cannot be said."""
        if index not in self._each:
            pattern = self._patterns[index] if index >= 0 else shapes.relaxed(self._patterns[~index])
            self._each[index] = self._compile(f"(?im){pattern}".encode(), index in self.named) if pattern is not None else None
        return self._each[index]

    def _compile(self, pattern: bytes, named: bool) -> Any:
        """One whose states do not fit its memory is tried letter by letter, which takes ten times as long; so are groups, which only names need."""
        self._options.never_capture = not named
        made = re2.compile(pattern, self._options)
        if made.programsize >= _BIG:
            self._options.max_mem = _MEMORY_OF_BIG
            made = re2.compile(pattern, self._options)
            self._options.max_mem = _MEMORY
        return made

    def begins(self, index: int) -> list[bytes]:
        """With which letters, small and capital, a line of a match begins; none where that is not known."""
        if index not in self._begins:
            letters = literals.begins(self._patterns[index])
            self._begins[index] = [each.encode() for letter in letters for each in {letter, letter.upper()}] if all(map(str.isascii, letters)) else []
        return self._begins[index]

    def reach(self, index: int) -> int:
        """How many bytes before and behind a text that each match contains are searched in an even line; 0: all of it."""
        if index not in self._reaches:
            most = reach.reach(self._patterns[index])
            self._reaches[index] = most + 1 if most is not None and most < _FARTHEST else 0  # one more, as a match may look at what stands beside it
        return self._reaches[index]

    def forget(self, patterns: Iterable[int] | None = None) -> None:
        """Their automata (all of them where none are named), which grow with what they read, are made anew when they are needed again."""
        for i in list(self._each) if patterns is None else patterns:
            self._each.pop(i, None)
        re2.purge()  # it keeps the latest

    def refused(self, signal: Signal, line: bytes, start: int) -> bool:
        """Whether the line is one that the signal must not take, or its words are taken back by a negation before them."""
        if signal.negatable and start and self._search(NEGATION, line[max(0, start - 40):start]):
            return True
        return any(self._search(pattern, line) for pattern in signal.unless)

    def _search(self, pattern: str, line: bytes) -> bool:
        if pattern not in self._unless:
            self._unless[pattern] = re2.compile(f"(?i){pattern}".encode(), self._options)
        return self._unless[pattern].search(line) is not None


class Search:
    """Some of the patterns, each behind the one of its literals that is rare in a sample; without a sample behind the usual one."""

    def __init__(self, scanner: Scanner, patterns: Iterable[int], sample: bytes | None, spelt: Callable[[bytes], bytes] = bytes.lower,
                 known: plan.Plan | None = None) -> None:
        self._scanner, self._spelt = scanner, spelt
        self._of_shapes = spelt is shapes.shape
        self._needs: dict[int, list[list[bytes]]] = {}
        made = known or (plan.planned((i, scanner.choices[i]) for i in patterns) if sample is None else self._fitting(patterns, sample))
        self._live, self._groups_of, self._open = made.groups, made.groups_of, made.free
        self._literals = _Literals(made.texts, made.heads) if made.texts else None
        self._out: frozenset[int] = frozenset()

    def _fitting(self, patterns: Iterable[int], sample: bytes) -> plan.Plan:
        """Each pattern behind the rarest of its sets in a sample."""
        needed = {i: self._needed(i) for i in patterns}
        short = {i: [list(dict.fromkeys(text[:_CUT] for text in choice)) for choice in choices] for i, choices in needed.items()}
        seen = self._counted(short, sample)
        rows = max(sample.count(b"\n"), len(sample) // _USUAL_LINE)
        groups: dict[bytes, list[int]] = {}
        free = []
        for i in patterns:
            often = [sum(map(seen.__getitem__, choice)) for choice in short[i]]
            best, *others = sorted(range(len(often)), key=often.__getitem__) or [-1]
            if best < 0 or often[best] * _RARE > rows:
                free.append(i)
            else:
                self._needs[i] = [needed[i][other] for other in others if len(needed[i][other]) <= _FEW_WAYS][:2]
                groups.setdefault(b"\n".join(short[i][best]), []).append(i)
        return plan.behind(groups, free)

    @staticmethod
    def _counted(needed: Mapping[int, list[list[bytes]]], sample: bytes) -> dict[bytes, int]:
        every = list(dict.fromkeys(text for choices in needed.values() for choice in choices for text in choice))
        counts = _Literals(every, {}).counted(sample) if every else Counter[int]()
        return {text: counts[number] for number, text in enumerate(every)}

    def _needed(self, index: int) -> list[list[bytes]]:
        return [self._spelt(choice.encode()).split(b"\n") for choice in self._scanner.choices[index]]

    def _others(self, index: int) -> list[list[bytes]]:
        """What is looked for in a line that has the text which the pattern waits for."""
        others = self._needs.get(index)
        if others is None:
            others = self._needs[index] = self._needed(index)[1:]
        return others

    def leave_out(self, patterns: frozenset[int]) -> None:
        """From now on they are not looked for."""
        if patterns == self._out:
            return
        self._out = patterns
        self._live = [[i for i in group if i not in patterns] for group in self._live]
        self._groups_of = [[number for number in groups if self._live[number]] for groups in self._groups_of]
        self._open = [i for i in self._open if i not in patterns]
        if self._literals:
            asked = list(map(bool, self._groups_of))  # what nobody waits for any more is what stands everywhere
            self._groups_of = list(compress(self._groups_of, asked))
            self._literals = self._literals.only(asked) if self._groups_of else None

    def each(self, lines: list[bytes], text: bytes, take: Take, of: frozenset[int] | None = None) -> None:
        """Give every match to ``take``, at most one of a pattern in a line. ``text`` is the lines as their literals are spelt, ``of`` the patterns
        that are wanted, if not all."""
        if max(map(len, lines)) > _LONGEST_LINE:
            text = b"\n".join([line[:_LONGEST_LINE] for line in text.split(b"\n")])
            lines = [line[:_LONGEST_LINE] for line in lines]
        starts = list(accumulate(map(_WITH_END, map(len, lines)), initial=0))
        if len(text) > _WIDE * len(lines):
            self._around(lines, text, starts, take, of)
        else:
            spelt = text.split(b"\n")
            for patterns, met in zip(self._live, self._rows(text, starts), strict=True):
                if met:
                    self._among(patterns if of is None else [i for i in patterns if i in of], lines, spelt, met, take)
        if self._open:
            left = self._anchored(self._open if of is None else [i for i in self._open if i in of], lines, len(text), take)
            self.whole(left, b"\n".join(lines), take, starts)

    def _anchored(self, patterns: Sequence[int], lines: list[bytes], size: int, take: Take) -> list[int]:
        """In a text of so many bytes the matches of those that wait for few of the letters that lines begin with; the other patterns."""
        of = {} if self._of_shapes else {i: letters for i in patterns if (letters := self._scanner.begins(i))}
        if len(of) * size < _LINE_COSTS * len(lines):
            return list(patterns)
        rows: dict[bytes, list[int]] = defaultdict(list)
        for row, line in enumerate(lines):
            rows[line[:1]].append(row)
        left = []
        for i in patterns:
            met = sorted(chain.from_iterable(rows.get(letter, ()) for letter in of[i])) if i in of else None
            if met is None or len(met) * _RARE > len(lines):
                left.append(i)
            elif met:
                self._lines(i, met, b"\n".join(map(lines.__getitem__, met)), take)
        return left

    def _rows(self, text: bytes, starts: list[int]) -> list[list[int]]:
        """For each group the lines in which one of its texts stands."""
        rows: list[list[int]] = [[] for _ in self._live]
        row, end = 0, starts[1]
        groups_of = self._groups_of
        for first, found in self._literals.places(text) if self._literals else ():
            for index, at, _ in found:
                if at >= _FOUND:
                    continue
                if first + at >= end:
                    row = bisect_right(starts, first + at, row) - 1
                    end = starts[row + 1]
                for group in groups_of[index]:
                    met = rows[group]
                    if not met or met[-1] != row:
                        met.append(row)
        return rows

    def _around(self, lines: list[bytes], text: bytes, starts: list[int], take: Take, of: frozenset[int] | None) -> None:
        """The matches in long lines: of an even line only what stands around a text that each match contains is searched."""
        places: list[list[tuple[int, int, int]]] = [[] for _ in self._live]  # of each group: line, first and last byte of texts that stand together
        row, end = 0, starts[1]
        for first, found in self._literals.places(text) if self._literals else ():
            for index, at, stop in found:
                if at >= _FOUND:
                    continue
                if first + at >= end:
                    row = bisect_right(starts, first + at, row) - 1
                    end = starts[row + 1]
                begin, stop = first + at - starts[row], first + stop - starts[row]
                for group in self._groups_of[index]:
                    met = places[group]
                    if met and met[-1][0] == row and begin < met[-1][2] + _APART:
                        met[-1] = row, min(met[-1][1], begin), max(met[-1][2], stop)
                    else:
                        met.append((row, begin, stop))
        even = {row: reach.even(lines[row]) for row in {row for met in places for row, _, _ in met}}
        for patterns, met in zip(self._live, places, strict=True):
            for i in patterns if met else ():
                if of is None or i in of:
                    self._near(i, met, even, lines, text, starts, take)
                    self._scanner.forget((i, ~i))  # each has met so much that all of them would take hundreds of megabytes

    def _near(self, index: int, places: list[tuple[int, int, int]], even: dict[int, bool], lines: list[bytes], text: bytes, starts: list[int],
              take: Take) -> None:
        """The matches of one pattern in long lines, around the places where a text stands that it waits for."""
        far = self._scanner.reach(index)
        windows: list[tuple[int, int, int]] = []  # apart from each other, so that a match lies in one of them
        for row, begin, stop in places:
            size = len(lines[row])
            first, last = (max(0, begin - far), min(size, stop + far)) if far and even[row] else (0, size)
            if windows and windows[-1][0] == row and first <= windows[-1][2]:
                windows[-1] = row, min(windows[-1][1], first), max(windows[-1][2], last)
            else:
                windows.append((row, first, last))
        if needs := self._others(index):
            windows = [(row, first, last) for row, first, last in windows if _may_match(needs, text[starts[row] + first:starts[row] + last])]
        if windows:
            self._in_windows(index, windows, lines, take)

    def _in_windows(self, index: int, windows: list[tuple[int, int, int]], lines: list[bytes], take: Take) -> None:
        """The matches of one pattern in parts of lines (row, first and last byte), which are searched as one text."""
        compiled = self._scanner.compiled(~index if self._of_shapes else index)
        rows = [row for row, _, _ in windows]
        if compiled is None:
            for row in dict.fromkeys(rows):
                take(index, row, lines[row], None, 0)
            return
        parts = [lines[row][first:last] for row, first, last in windows]
        text = b"\n".join(parts)
        starts = list(accumulate(map(_WITH_END, map(len, parts)), initial=0))
        met = 0
        while match := compiled.search(text, starts[met]):
            met = bisect_right(starts, match.start(), met) - 1
            row, first, _ = windows[met]
            found = compiled.search(lines[row], first + match.start() - starts[met])  # what stands beside the window may say otherwise
            if found and not take(index, row, lines[row], found, found.start()):
                return
            met = bisect_right(rows, row, met) if found else met + 1
            if met == len(windows):
                return

    def _among(self, patterns: Sequence[int], lines: list[bytes], low: list[bytes], rows: list[int], take: Take) -> None:
        """The matches in some of the lines, which are searched as one text."""
        text = spelt = None
        at: list[int] = []
        for i in patterns:
            needs = self._others(i)
            met = rows
            if needs:
                if spelt is None:
                    parts = list(map(low.__getitem__, rows))
                    spelt = b"\n".join(parts)
                    at = list(accumulate(map(_WITH_END, map(len, parts)), initial=0))
                met = [rows[number] for number in _with_all(needs, spelt, at)]
            if needs and met:
                self._lines(i, met, b"\n".join(map(lines.__getitem__, met)), take)
            elif met:
                text = b"\n".join(map(lines.__getitem__, rows)) if text is None else text
                self._lines(i, rows, text, take)

    def whole(self, patterns: Sequence[int], text: bytes, take: Take, starts: Sequence[int] = ()) -> None:
        """The matches in all lines of a text."""
        for i in patterns:
            self._lines(i, None, text, take, starts=starts)

    def sure(self, patterns: Sequence[int], lines: list[bytes], rows: list[int], take: Take) -> None:
        """The matches in lines that have the shapes of matches."""
        text = b"\n".join([lines[row][:_LONGEST_LINE] for row in rows])
        for i in patterns:
            self._lines(i, rows, text, take)

    def _lines(self, index: int, rows: list[int] | None, text: bytes, take: Take, starts: Sequence[int] = ()) -> None:
        """The matches of one pattern in the lines of a text, which have these numbers and begin at ``starts``."""
        compiled = self._scanner.compiled(~index if self._of_shapes else index)
        if compiled is None:
            for met, line in enumerate(text.split(b"\n")):
                take(index, rows[met] if rows else met, line, None, 0)
            return
        at = met = 0
        while match := compiled.search(text, at):
            start, stop = match.span()
            met = bisect_right(starts, start, met) - 1 if starts else met + text.count(b"\n", at, start)
            begin = text.rfind(b"\n", at, start) + 1 or at
            end = text.find(b"\n", start)
            line = text[begin:end if end >= 0 else len(text)][:_LONGEST_LINE]
            if stop > begin + len(line):  # over the end of its line: what the line gives by itself
                begin, match = 0, compiled.search(line)
                start = match.start() if match else 0
            if match and not take(index, rows[met] if rows else met, line, match, start - begin) or end < 0:
                return
            met += 1
            at = end + 1


@dataclass(slots=True)
class _Tally:
    """What one text has given of one signal."""

    count: int = 0
    kept: int = 0
    last: deque[Hit] = field(default_factory=lambda: deque(maxlen=KEEP_LAST))
    full: int = 0  # the line in which it was seen often enough


class Run:
    """One text, piece by piece."""

    def __init__(self, scanner: Scanner, source: str, parts: Sequence[Part]) -> None:
        self._scanner, self._source = scanner, source
        self._starts, self._kinds = [start for start, _, _ in parts], [kind for _, _, kind in parts]
        self._every_kind = frozenset(self._kinds)
        self._done = 0  # lines
        self._end: deque[tuple[int, bytes]] = deque()  # the latest pieces, with the number of lines before each
        self._tallies: dict[Name, _Tally] = defaultdict(_Tally)
        self._out: frozenset[int] = frozenset()
        self._often = 0
        self._end_bytes = 0
        self._plain: tuple[frozenset[str], int, Search] | None = None
        self._shapes: _Shapes | None = None
        self._texts: dict[int, str] = {}  # of the piece at hand, by line: one text for all hits of a line
        self._loose: set[int] = set()  # patterns that most lines resemble (``9070``): for these the text as a whole is searched

    @property
    def lines(self) -> int:
        """How many have been read."""
        return self._done

    def go_on(self) -> None:
        """What comes next lies farther behind, and is counted from its first line: all of it is of the kind of the last lines that are known."""
        self._done = 0
        self._starts, self._kinds = [1], self._kinds[-1:]
        self._end.clear()
        self._end_bytes = 0

    def apart(self) -> Run:
        """A run over the end of the text, of which this one knows nothing; what is seen often by now is looked for from the end back only."""
        end = Run(self._scanner, self._source, [(1, 1, kind) for kind in self._kinds[-1:]])
        end._every_kind, end._out, end._often, end._shapes, end._loose = self._every_kind, self._out, self._often, self._shapes, set(self._loose)
        end._tallies.update((name, _Tally(ENOUGH)) for name, tally in self._tallies.items() if tally.count >= ENOUGH)
        return end

    def _kind(self, number: int) -> str:
        return self._kinds[max(0, bisect_right(self._starts, number) - 1)] if self._starts else ""

    def _kinds_in(self, first: int, last: int) -> frozenset[str]:
        """All kinds of these lines; none where all are meant."""
        start = max(0, bisect_right(self._starts, first) - 1)
        return frozenset(self._kinds[start:bisect_right(self._starts, last)])

    def _planned(self, lines: int) -> frozenset[str]:
        """The kinds that the next lines are searched for: all of the text, where that is hardly more than theirs, so that one plan does for all pieces."""
        own = self._kinds_in(self._done + 1, self._done + lines)
        return self._every_kind if len(self._scanner.for_kinds(self._every_kind)) <= len(self._scanner.for_kinds(own)) * _HARDLY_MORE else own

    def forward(self, piece: bytes) -> Iterator[Hit]:
        """The hits of the next piece, but the latest of what was seen often."""
        for hit in self.found(piece):
            tally = self._tallies[hit.rule, hit.group]
            tally.kept += 1
            if tally.kept <= KEEP_FIRST:
                yield hit
            else:
                tally.last.append(hit)

    def found(self, piece: bytes) -> list[Hit]:
        """The hits of the next piece, of each signal no more than :data:`ENOUGH` of the whole text."""
        found: list[tuple[int, int, Hit]] = []
        left: dict[int, int] = {}  # by pattern: how many of its hits are still wanted

        def take(index: int, row: int, line: bytes, match: Any, at: int) -> bool:
            hit = self._hit(index, self._done + row + 1, line, match, at)
            if hit:
                found.append((row, index, hit))
                if index not in left:
                    tally = self._tallies.get((hit.rule, hit.group))
                    left[index] = ENOUGH - (tally.count if tally else 0)
                left[index] -= 1
            return not hit or left[index] > 0

        self._texts.clear()
        lines = self._search(piece, take)
        wanted: list[Hit] = []
        for _, _, hit in sorted(found, key=_PLACE):
            tally = self._tallies[hit.rule, hit.group]
            tally.count += 1
            if tally.count <= ENOUGH:
                tally.full = hit.line
                wanted.append(hit)
        self._end.append((self._done, piece))
        self._end_bytes += len(piece)
        while self._end_bytes - len(self._end[0][1]) >= END:
            self._end_bytes -= len(self._end.popleft()[1])
        self._done += lines
        often = {name for name, tally in self._tallies.items() if tally.count >= ENOUGH}
        if len(often) > self._often:
            self._often = len(often)
            self._out = frozenset(i for i, signal in enumerate(self._scanner.signals) if (signal.owner, signal.name) in often)
            self._scanner.forget(self._out)
        return wanted

    def _search(self, piece: bytes, take: Take) -> int:
        """Give the matches to ``take``; the number of line ends in the piece."""
        if len(piece) >= _SHAPED and self._repeats(piece):
            shaped = shapes.shape(piece).split(b"\n")
            every = set(shaped)
            if len(every) * 2 < len(shaped):
                self._by_shape(piece, shaped, every, take)
                return len(shaped) - 1
        lines = piece.split(b"\n")
        low = piece.lower()
        if len(piece) < _PIECE and not self._out:
            self._scanner.usual.each(lines, low, take, self._scanner.for_kinds(self._kinds_in(self._done + 1, self._done + len(lines))))
            return len(lines) - 1
        kinds = self._planned(len(lines))
        left = self._scanner.for_kinds(kinds) - self._out
        if self._plain is None or self._plain[0] != kinds or self._plain[1] > len(left) * _STALE:
            self._plain = kinds, len(left), Search(self._scanner, left, _slices(low))
        search = self._plain[2]
        search.leave_out(self._out)
        search.each(lines, low, take)
        return len(lines) - 1

    @staticmethod
    def _repeats(piece: bytes) -> bool:
        """Whether it may be that most lines have the shape of another: of a sample some have, then."""
        sample = shapes.shape(piece[:_SAMPLE]).split(b"\n")
        return len(set(sample)) < len(sample) * _UNLIKE

    def _by_shape(self, piece: bytes, shaped: list[bytes], every: set[bytes], take: Take) -> None:
        """Each shape is looked at once, and most are of no interest."""
        if max(map(len, every)) > _LONGEST_LINE:
            shaped = [line[:_LONGEST_LINE] for line in shaped]
            every = set(shaped)
        kinds = self._planned(len(shaped))
        if self._shapes is None or self._shapes.kinds != kinds or self._shapes.bytes > _MOST_SHAPES:
            self._shapes = _Shapes(self._scanner, kinds, shaped)
        self._shapes.learn(every)
        known = self._shapes.known
        beside = self._out | self._loose
        wanted = {line: patterns for line in every if (patterns := tuple(i for i in known[line] if i not in beside))}
        search = self._scanner.usual
        search.whole(sorted(self._loose - self._out), piece, take)
        if not wanted:
            return
        rows: dict[bytes, list[int]] = {line: [] for line in wanted}
        for row, line in enumerate(shaped):
            if line in rows:
                rows[line].append(row)
        of: dict[int, list[bytes]] = defaultdict(list)
        for line, patterns in wanted.items():
            for i in patterns:
                of[i].append(line)
        alike: dict[tuple[bytes, ...], list[int]] = defaultdict(list)
        for i, like in of.items():
            alike[tuple(like)].append(i)
        lines = piece.split(b"\n")
        for shaped_so, together in alike.items():
            met = sorted(chain.from_iterable(rows[line] for line in shaped_so))  # what is met first counts
            search.sure(together, lines, met, take)
            if len(met) * _RARE > len(lines):
                self._loose.update(together)

    def _hit(self, index: int, number: int, line: bytes, match: Any, at: int) -> Hit | None:
        signal = self._scanner.signals[index]
        kind = self._kind(number)
        if kind and signal.kinds and kind not in signal.kinds or self._scanner.refused(signal, line, at):
            return None
        captures = _captured(match) if index in self._scanner.named else {}
        text = self._texts.get(number)
        if text is None:
            text = self._texts[number] = line.lstrip()[:_QUOTED].decode("utf-8", "replace").strip()
        return Hit(signal.owner, signal.name, self._source, number, text, captures, kind=kind)

    def back(self) -> Iterator[Hit]:
        """The last hits of each signal; what was left out is looked for from the end back."""
        late = self.late()
        for name, tally in self._tallies.items():
            tally.last.extend(late.get(name, ()))
            yield from tally.last

    def late(self) -> dict[Name, list[Hit]]:
        """The last hits of each signal that was seen often enough, behind those."""
        late: dict[Name, list[Hit]] = defaultdict(list)
        missing = {name for name, tally in self._tallies.items() if tally.count >= ENOUGH}
        patterns = [i for i, signal in enumerate(self._scanner.signals) if (signal.owner, signal.name) in missing] if missing else []
        search = Search(self._scanner, patterns, None)
        if missing and self._end_bytes >= END:
            self._scanner.forget()  # what has read the text up to here has grown, and is looked for no more
        size = _BACK
        for before, piece in reversed(self._end):
            stop = len(piece)
            while stop > 0:
                start = piece.rfind(b"\n", 0, max(0, stop - size)) + 1
                size *= 4
                first = before + piece.count(b"\n", 0, start) + 1
                last = first + piece.count(b"\n", start, stop)
                missing = {name for name in missing if len(late[name]) < KEEP_LAST and self._tallies[name].full < last}
                if not missing:
                    break
                for hit in reversed(self._all(search, piece[start:stop], first, missing)):
                    if hit.line > self._tallies[hit.rule, hit.group].full:
                        late[hit.rule, hit.group].append(hit)
                stop = start
        return {name: hits[KEEP_LAST - 1::-1] for name, hits in late.items()}

    def _all(self, search: Search, text: bytes, first: int, names: set[Name]) -> list[Hit]:
        """All hits of some signals, which are among those that are searched for, in a text whose first line has this number, in their order."""
        found: list[tuple[int, int, Hit]] = []

        def take(index: int, row: int, line: bytes, match: Any, at: int) -> bool:
            hit = self._hit(index, first + row, line, match, at)
            if hit:
                found.append((row, index, hit))
            return True

        self._texts.clear()
        lines = text.split(b"\n")
        signals = self._scanner.signals
        wanted = frozenset(i for i in self._scanner.for_kinds(self._kinds_in(first, first + len(lines))) if (signals[i].owner, signals[i].name) in names)
        search.each(lines, text.lower(), take, wanted)
        return [hit for _, _, hit in sorted(found, key=_PLACE)]


class _Shapes:
    """What the lines of a text may hold by their shape."""

    def __init__(self, scanner: Scanner, kinds: frozenset[str], sample: list[bytes]) -> None:
        self.kinds = kinds
        self.known: dict[bytes, tuple[int, ...]] = {}  # by shape: the patterns that may match such a line
        self.bytes = 0
        self._search = Search(scanner, scanner.for_kinds(kinds), _slices(b"\n".join(sample)), shapes.shape)

    def learn(self, every: set[bytes]) -> None:
        """Look at those shapes that are new."""
        new = list(every - self.known.keys())
        self.bytes += sum(map(len, new)) + _COST * len(new)
        found: dict[int, list[int]] = defaultdict(list)

        def take(index: int, row: int, line: bytes, match: Any, at: int) -> bool:
            found[row].append(index)
            return True

        if new:
            self._search.each(new, b"\n".join(new), take)
        self.known.update((line, tuple(sorted(found[row])) if row in found else ()) for row, line in enumerate(new))


def pieces(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks of whole lines cut into small ones at first."""
    size = _PIECE
    for block in blocks:
        at = 0
        while at < len(block):
            end = block.find(b"\n", at + size) + 1 if len(block) - at > 2 * size else 0
            yield block[at:end or len(block)]
            at = end or len(block)
            size = min(4 * size, _MOST)


def _slices(text: bytes) -> bytes:
    step = max(_SLICE, len(text) // _SLICES)
    return b"\n".join(text[at:at + _SLICE] for at in range(0, len(text), step))


def _may_match(needs: list[list[bytes]], line: bytes) -> bool:
    """Whether a line has what every match of a pattern contains; most patterns of a run are never compiled."""
    for choice in needs:
        for literal in choice:
            if literal in line:
                break
        else:
            return False
    return True


def _with_all(needs: list[list[bytes]], text: bytes, starts: list[int]) -> Iterable[int]:
    """The lines of a text that have what every match of a pattern contains; they begin at ``starts``."""
    found: list[int] | None = None
    most = len(starts) // 4  # lines of which it is worth a search
    for choice in needs:
        if found is not None and len(found) < _FEW_LINES:
            found = [row for row in found if _may_match([choice], text[starts[row]:starts[row + 1]])]
            continue
        met: set[int] = set()
        for literal in choice:
            at = text.find(literal)
            while at >= 0 and len(met) <= most:
                row = bisect_right(starts, at) - 1
                met.add(row)
                at = text.find(literal, starts[row + 1])
        if not met:
            return ()
        if len(met) > most:
            continue
        found = sorted(met if found is None else met.intersection(found))
    return range(len(starts) - 1) if found is None else found


def _everywhere(literal: bytes, text: bytes) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)


def _captured(match: Any) -> dict[str, str]:
    named = ((name.decode() if isinstance(name, bytes) else str(name), value) for name, value in match.groupdict().items())
    return {name: value.decode("utf-8", "replace") for name, value in named if value}


def blocks_of(text: str) -> Iterator[bytes]:
    """A text as one block."""
    yield text.encode("utf-8", "replace")
