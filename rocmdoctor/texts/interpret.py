"""Texts to facts: every reader that recognises a text is asked; the most trusted source of a fact wins."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis import join
from rocmdoctor.facts import limits, vocabulary
from rocmdoctor.facts.model import Absent, Fact, Hit, Known, Snapshot
from rocmdoctor.facts.model import Reading as Said
from rocmdoctor.records import replace
from rocmdoctor.scan.scanner import Scanner, blocks_of
from rocmdoctor.texts import documents, door, files, kinds, paragraphs, telling
from rocmdoctor.texts.attach import Text, blocks, clean
from rocmdoctor.texts.catalogue import Marked, catalogue
from rocmdoctor.texts.key_lines import key_lines
from rocmdoctor.texts.lines import targets

OVER = "the time for reading is over"  # in the note of a text that was not read whole
NEIGHBOURS = 2
SHOWN_HITS = 3
LONGEST_SHOWN = 300
LONGEST_HIT = 400
MOST_READ, MOST_LINES = 1 << 20, 40_000  # characters, and lines, of its kinds that a reader gets of one text; lines of other kinds are empty there
MOST_ALIKE = 10  # hits of one pattern group with the same captures that a report keeps of one document
LEAST_ALIKE, MANY = 2, 800  # ... of one in which more than so many lines matched
MOST_AROUND = 48_000  # characters of neighbouring lines that it keeps of one document
_NAMED = 12
_LISTED = 200
# They read any text, so they recognise none.
_WORDS = ("report_prose", "memory_prose", "named", "settings", "configured", "game_layers", "target_lists", "changes_told", "switched_on", "trigger")
_UNITED = ("report.apps", "report.backends", "report.contrasts", "report.target_lists", "report.changes", "report.triggers",
           "report.side_programs", "install.refused")  # what any text names counts
# What another driver of the kernel says of its own GPU.
_OF_ANOTHER_DRIVER = later.pattern(
    r"^.{0,80}?\b(?:exynos-drm|i915|xe|nouveau|nvidia(?:-\w{1,20})?|NVRM|msm_dpu|mediatek-drm|vc4|vc4-drm|panfrost|lima|etnaviv|virtio_gpu|vmwgfx|tegra-drm"
    r"|rockchip-drm|sun4i-drm|imx-drm|mgag200)(?: [\w:.-]{1,40})?: |\bGPU HANG: ecode \d")
_PRESENT = kinds.OF_MACHINES - {"config", "comment", "compose", "kubernetes", "table"}
_NO_MACHINE = frozenset(kinds.KINDS) - kinds.OF_MACHINES


def gathered(name: str, text: str) -> Text:
    """A text of a probe: one named like a reader is that reader's alone, any other is a log."""
    own = name if any(module.__name__.rsplit(".", 1)[1] == name for module in catalogue()) else ""
    return Text(name, door.printable(text) if own else clean(text), reader=own)


_Said = tuple[str, str, tuple[tuple[str, str], ...]]


class _Kept:
    """What a report keeps of the hits of one document, its parts together: cut lines, a few of those that say the same, and the first of
    each rule with the lines before and after, as a person reads a log."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.same: Counter[_Said] = Counter()
        self.room = MOST_AROUND

    def of(self, hits: list[Hit], text: Text) -> list[Hit]:
        """Those of one text."""
        said = list(map(_says, hits))
        most = self._most_alike(said)
        lines = [] if text.path or not hits else text.text.split("\n")
        for number in key_lines(lines):
            lines[number] = "[private key]"
        out = []
        for hit, says in zip(hits, said, strict=True):
            self.same[says] += 1
            if self.same[says] > most:
                continue
            self.seen[hit.rule] += 1
            shown = self.seen[hit.rule] <= SHOWN_HITS and self.room > 0
            near = lines[max(0, hit.line - 1 - NEIGHBOURS):hit.line + NEIGHBOURS] if shown else []
            around = tuple(line[:LONGEST_SHOWN] for line in near) if len(near) > 1 else ()
            self.room -= sum(map(len, around))
            # What was scanned in blocks has not been through the door.
            captures = {name: door.printable(value) for name, value in hit.captures.items()}
            out.append(replace(hit, text=door.printable(hit.text[:LONGEST_HIT]), captures=captures, around=around or hit.around))
        return out

    def _most_alike(self, said: list[_Said]) -> int:
        """How many that say the same are kept: a thousand lines of which each says another thing tell no more by their repetitions."""
        told = self.same + Counter(said) if len(said) > MANY else {}
        fitting = (most for most in range(MOST_ALIKE, LEAST_ALIKE, -1) if sum(min(count, most) for count in told.values()) <= MANY)
        return next(fitting, LEAST_ALIKE)


def _says(hit: Hit) -> _Said:
    return hit.rule, hit.group, tuple(sorted(hit.captures.items())) if hit.captures else ()


def _searching(text: Text, parts: Callable[[], list[kinds.Part]], scanner: Scanner, over: Callable[[], bool],
               notes: list[str]) -> Callable[[], tuple[list[Hit], int]]:
    """The search of one text, which begins now where other processes do it; what it finds, as :func:`_scanned` says it."""
    if not text.path:
        return lambda: _scanned(text, parts(), scanner, over, notes)
    from rocmdoctor.scan import side_by_side

    begun = None
    with contextlib.suppress(OSError, side_by_side.Unsearched):
        begun = side_by_side.Search(scanner, text.name, text.path, lambda: parts_of(text), over)

    def found() -> tuple[list[Hit], int]:
        if begun:
            with contextlib.suppress(side_by_side.Unsearched):
                hits, lines, read = begun.hits()
                if read < begun.size:
                    notes.append(f"{text.name}: {OVER}, only its first {read >> 20} MiB were searched")
                return _of_ours(hits), lines
        return _scanned(text, parts(), scanner, over, notes)

    return found


def _of_ours(hits: Iterable[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.kind != "kernel_log" or not _OF_ANOTHER_DRIVER.search(hit.text)]


def _scanned(text: Text, parts: list[kinds.Part], scanner: Scanner, over: Callable[[], bool], notes: list[str]) -> tuple[list[Hit], int]:
    """The hits of one text, and how many lines it has; of a big one those up to where the time was over."""
    lines = 0 if text.path else text.text.count("\n") + (not text.text.endswith("\n"))

    def pieces() -> Iterator[bytes]:
        nonlocal lines
        read = 0
        try:
            for block in blocks(text.path) if text.path else blocks_of(paragraphs.joined(text.text, parts)):
                if over():
                    notes.append(f"{text.name}: {OVER}, only its first {read >> 20} MiB were searched")
                    return
                read += len(block)
                lines += block.count(b"\n") if text.path else 0
                yield block
        except OSError as error:  # it was removed or replaced meanwhile
            notes.append(f"{text.name}: {error.strerror or error}; only its first {read >> 20} MiB were searched")
    told = parts_of(text, parts)
    return _of_ours(scanner.scan(text.name, pieces(), told)), lines


def _never() -> bool:
    return False


def parts_of(text: Text, parts: list[kinds.Part] | None = None) -> list[kinds.Part]:
    """The parts of a text by kind, ``parts`` where they are known. A text that is too big to hold is of the kind of its beginning."""
    if text.path:
        with files.opened(text.path) as file:
            head = file.read(kinds.SAMPLED * 2).decode("utf-8", "replace")
        parts = parts if parts and head == text.text else kinds.parts_of(head, text.name)  # cleaned, it may have other lines
    return parts or kinds.parts_of(text.text, text.name)


def _placed(reading: Said, text: str) -> Any:
    """The value; rows of what several texts tell say in which one they stand."""
    return [{**row, "in": text} if isinstance(row, dict) else row for row in reading.value] if reading.name in _UNITED else reading.value


def _narrower(key: str, before: Fact, value: object) -> bool:
    """Whether a value is a kind of what was said before: WSL is a Linux, too."""
    return key == "os.family" and value == "wsl" and isinstance(before, Known) and before.value == "linux"


def _take(said: dict[str, tuple[int, Fact]], reading: Said, trust: int, name: str, place: str) -> None:
    """Keep what a reader says of a text, unless one that is trusted as much said it before; lists of the same are one."""
    key = vocabulary.key(reading.name, f"{place}|{reading.item or '0'}" if vocabulary.entity(reading.name) == "gpu" else reading.item)
    if reading.name in _UNITED and key in said and isinstance(held := said[key][1], Known):
        said[key] = (said[key][0], Known([*held.value, *(one for one in _placed(reading, name) if one not in held.value)], held.source))
    elif key not in said or said[key][0] < trust or said[key][0] == trust and _narrower(key, said[key][1], reading.value):
        source = f"{name}:{reading.line}" if reading.line else name
        said[key] = (trust, Absent(source) if reading.value is None else Known(_placed(reading, name), source))


def _settle(snapshot: Snapshot, said: dict[str, tuple[int, Fact]], recognised: list[dict[str, object]], mentioned: dict[str, None]) -> None:
    """Put what the texts say into the snapshot; what a machine knows of itself stays."""
    for key, (_, fact) in said.items():
        if not isinstance(snapshot.facts.get(key), Known):
            snapshot.facts[key] = fact
    if recognised:
        snapshot.facts["report.texts"] = Known(recognised[:_LISTED], "texts")
        named = [str(row["text"]) for row in recognised if documents.is_named_report(str(row["text"]))]
        if named:
            snapshot.facts["report.named"] = Known(True, named[0])
    if mentioned:
        snapshot.facts["report.gfx_mentioned"] = Known(list(mentioned)[:50], "texts")
    limits.bound(snapshot)
    join.join(snapshot.facts)


def _beginning(text: str) -> str:
    """What a reader gets of the lines of its kinds: megabytes of them say nothing that the first does not."""
    if len(text) > MOST_READ:
        text = text[:text.rfind("\n", 0, MOST_READ) + 1 or MOST_READ]
    if text.count("\n") <= MOST_LINES:
        return text
    lines = text.split("\n")
    last = next(islice((row for row, line in enumerate(lines) if line), MOST_LINES, None), len(lines))
    return "\n".join(lines[:last])


def _few(names: list[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


class Reading:
    """What texts say, one after the other; ``hits`` are those that are known already: a bundle's logs were read when it was made."""

    def __init__(self, scanner: Scanner, hits: Iterable[Hit] = ()) -> None:
        self._scanner = scanner
        self._had = {(hit.rule, hit.group, hit.text[:LONGEST_HIT]) for hit in hits}
        self._said: dict[str, tuple[int, Fact]] = {}
        self._mentioned: dict[str, None] = {}
        self._hits: list[Hit] = []
        self._notes: list[str] = []
        self._lost: list[str] = []
        self._barren: list[str] = []
        self._recognised: list[dict[str, object]] = []
        self._compared: set[str] = set()
        self._said_before: set[str] = set()
        self._kept = _Kept()
        self._met = self._read = 0  # texts

    def read(self, texts: Sequence[Text], over: Callable[[], bool] = _never) -> None:
        """Read further texts. ``over``: the time is up."""
        for number, text in enumerate(texts):
            self._met += 1
            if not text.part:
                self._kept = _Kept()
            if text.part and text.text in self._said_before:  # the same string again, of a document that repeats it
                continue
            if text.part:
                self._said_before.add(text.text)
            if over():
                self._notes.append(f"{text.name} and what comes after it, {len(texts) - number} texts, not read: {OVER}")
                return
            self._one(text, over)

    def _one(self, text: Text, over: Callable[[], bool]) -> None:
        hits = lines = 0
        search = _searching(text, lambda: parts, self._scanner, over, self._notes) if not text.reader else None
        parts = [(1, text.text.count("\n") + 1, "output")] if text.reader else kinds.parts_of(text.text, text.name)
        taken, understood = self._asked(text, parts)
        if search:
            found, lines = search()
            hits = len(found)
            new = [hit for hit in found if (hit.rule, hit.group, hit.text[:LONGEST_HIT]) not in self._had] if self._had else found
            self._hits += self._kept.of(new, text)
            del found, new  # of a big text tens of thousands
            self._read += 1
            self._mentioned.update(dict.fromkeys(name for name, _ in targets(paragraphs.only(text.text, parts, _PRESENT))))
            self._compared |= telling.words(text.text, parts)
        if text.reader or text.part:
            return
        of = dict.fromkeys(kind for _, _, kind in parts)
        if not taken and not understood and not hits and not of.keys() & _NO_MACHINE:
            self._lost.append(text.name)
        elif not taken:
            self._barren.append(f"{text.name} ({', '.join(of)})")
        self._recognised.append({"text": text.name, "kinds": list(of), "readers": [name for name in taken if name not in _WORDS],
                                 "facts": sum(taken.values()), "hits": hits, "lines": lines})

    def _asked(self, text: Text, parts: list[kinds.Part]) -> tuple[Counter[str], bool]:
        """How many facts each reader took of a text, and whether one understood it."""
        present = frozenset(kind for _, _, kind in parts)
        of_kinds: dict[frozenset[str], Marked] = {}
        understood = False
        taken: Counter[str] = Counter()
        for reader in catalogue():
            format_ = reader.__name__.rsplit(".", 1)[1]
            try:
                wanted = present if text.reader else present & reader.KINDS
                if wanted not in of_kinds:
                    of_kinds[wanted] = Marked(_beginning(paragraphs.joined(paragraphs.only(text.text, parts, wanted), parts)))
                own = of_kinds[wanted].text
                if reader.LAST and taken:
                    continue
                if text.reader != format_ if text.reader else not own.strip() or not (of_kinds[wanted].may_be_of(reader) and reader.recognises(own)):
                    continue
                understood = understood or reader.TRUST > 0
                for reading in reader.read(own):
                    if vocabulary.declared(reading.name):
                        understood = True
                        taken[format_] += 1
                        _take(self._said, reading, reader.TRUST, text.name, f"{self._met - 1}.{format_}")
            except Exception as error:  # hostile text must not cost the other readers their say
                self._notes.append(f"{text.name}: the {format_} reader failed ({type(error).__name__})")
        return taken, understood

    def settle(self, snapshot: Snapshot) -> None:
        """Put all that was read into the snapshot, with a note for each text nobody recognised."""
        snapshot.hits += self._hits
        snapshot.texts_read += self._read
        snapshot.notes += self._notes
        if self._lost:
            snapshot.notes.append(f"not understood: {_few(self._lost)}; no reader knows the format and no rule matches it")
        if self._barren:
            snapshot.notes.append(f"read, and no facts taken from it: {_few(self._barren)}")
        if self._compared:
            snapshot.facts["report.words"] = Known(telling.kept(self._compared), "texts")
        _settle(snapshot, self._said, self._recognised, self._mentioned)


def fill(snapshot: Snapshot, texts: list[Text], scanner: Scanner, over: Callable[[], bool] = _never) -> None:
    """Read every text into the snapshot, in place: facts, hits, and a note for each text nobody recognised. ``over``: the time is up."""
    reading = Reading(scanner, snapshot.hits)
    reading.read(texts, over)
    reading.settle(snapshot)
