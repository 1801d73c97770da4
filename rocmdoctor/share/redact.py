"""What leaves the machine: every private value becomes a token, the same value the same token, and a list says what went.

Two passes: first all texts are read for values that their place gives away (a user's name in a home path), then every
occurrence of each value goes, also where it stands bare.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Container, Iterable, Iterator
from itertools import chain, count
from typing import Any, cast

import ahocorasick_rs

from rocmdoctor import later
from rocmdoctor.facts import placeholders
from rocmdoctor.facts.model import Hit, ProbeRun, Removed, Snapshot, fact_from_json, fact_to_json
from rocmdoctor.facts.vocabulary import split_key
from rocmdoctor.records import asdict
from rocmdoctor.share import private
from rocmdoctor.share.private import Block, Span
from rocmdoctor.texts.attach import Attached, clean, decode
from rocmdoctor.texts.files import opened

# Kinds whose values are replaced wherever they stand, not only where their place gave them away.
_EVERYWHERE = ("key", "user", "host", "serial", "wifi", "domain", "id", "name", "email", "uuid", "mac", "phone", "label", "number", "ip")
_GRAVEST = ("key", "number", "email", "phone", "serial", "id", "uuid", "mac", "ip", "wifi", "name", "domain", "host", "user", "label", "place")
SHORTEST_BARE = 3
MOST_OF_FILE, MOST_BYTES = 32 << 20, 64 << 20  # of texts too big to hold: all that is redacted is in memory
_SHORTEST_IN_ANY_CASE = 4
_SHORTEST_BROKEN = 8  # letters of a known value that is put together across a line's end
_MOST_KEPT = 100_000  # spans, and texts
_SHORT = 400  # characters of a text that is remembered
_WORD = later.pattern(r"[^\W\d_]{3,60}")
_NUMBERS = later.pattern(r"\d{1,5}(?:\.\d{1,6}){1,3}")


def _low(text: str) -> str:
    """Lower case, letter for letter: places stay the same."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


class Redactor:
    """Tokens for one report or one set of files. Give every text to :meth:`learn` before any to :meth:`text`."""

    def __init__(self, known: Iterable[tuple[str, str]] = (), off: bool = False) -> None:
        """``known``: (kind, value) pairs that the caller knows of the machine, as ("user", "max"); ``off`` leaves all as it is."""
        self._off = off
        self._tokens: dict[tuple[str, str], Removed] = {}
        self._count: dict[str, int] = {}
        self._bare: dict[str, tuple[str, str]] = {}  # what is looked for, in lower case: its kind, the value as it was met
        self._finder: ahocorasick_rs.AhoCorasick | None = None
        self._wanted: list[str] = []
        self._spaced = False
        self._kept: dict[tuple[int, int, int], tuple[Span, ...]] = {}  # by length, hash and start of a block
        self._room = _MOST_KEPT
        self._learnt: set[str] = set()  # short texts: most come more than once
        self._untouched: set[str] = set()  # ... in which nothing known stands
        for kind, value in known:
            self._note(kind, value)

    def learn(self, text: str) -> None:
        """Take note of what is private in ``text``."""
        if self._off or text in self._learnt:
            return
        if len(text) < _SHORT and len(self._learnt) < _MOST_KEPT:
            self._learnt.add(text)
        for block in private.blocks(text):
            for found in self._spans(block):
                self._note(found.kind, found.value)

    def knows(self, value: str) -> bool:
        """Whether the value was met in a place that gives it away."""
        return _low(value) in self._bare

    def _spans(self, block: Block) -> tuple[Span, ...]:
        """Kept, as every text is read twice, and names of probes and files come again and again."""
        key = len(block.piece), hash(block.piece), block.start
        kept = self._kept.get(key)
        if kept is None:
            kept = tuple(private.spans(block))
            self._room -= 1 + len(kept)
            if self._room < 0:
                self._kept.clear()
                self._room = _MOST_KEPT
            self._kept[key] = kept
        return kept

    def _note(self, kind: str, value: str) -> None:
        """Look for ``value`` everywhere, and for what it is also written as; not where that would cost the log its own words."""
        if kind not in _EVERYWHERE or len(value) > 400 or "\n" in value or placeholders.TOKEN.search(value):
            return
        low = _low(value)
        if low in self._bare or len(value) < SHORTEST_BARE or low in private.COMMON_NAMES or low in private.evidence_words() or value.isdigit() and len(value) < 9:
            return
        self._bare[low] = kind, value
        self._finder = None
        self._untouched.clear()
        if kind == "host" and "." in value:
            self._note("host", value.split(".")[0])
        if kind == "mac" and len(value) == 12:
            for interface in "enx", "wlx":
                self._note("mac", interface + value)
        if kind == "email":
            name = value.partition("@")[0]
            if "." in name or any(c.isdigit() for c in name):
                self._note("user", name)
        if kind == "name":
            words = _WORD.findall(value)
            for word in words:
                self._note("user", word)
            if len(words) > 1:
                for sign in "", ".", "_", "-":
                    self._note("user", sign.join(words))

    def text(self, text: str, where: str = "") -> str:
        """``text`` with tokens in place of what is private; each line that a private value stands on keeps its own."""
        if self._off or not text or text in self._untouched:
            return text
        parts: list[str] = []
        at = 0  # what comes before is done
        for block in private.blocks(text):
            found = sorted([*self._spans(block), *self._known(block)], key=lambda span: (span.start, -span.end))
            for span in _merged(found):
                start, end = max(span.start + block.at, at), span.end + block.at
                value = text[start:end]
                if not value:
                    continue
                if not placeholders.TOKEN.fullmatch(value):
                    token = self._token(span.kind, span.value or value, where)
                    value = "\n".join([token] * (value.count("\n") + 1))
                parts += [text[at:start], value]
                at = end
        if parts:
            return "".join(parts) + text[at:]
        if len(text) < _SHORT and len(self._untouched) < _MOST_KEPT:
            self._untouched.add(text)
        return text

    def _known(self, block: Block) -> Iterator[Span]:
        """Where values stand that were learnt, in any form, also broken at a line's end."""
        if not self._bare:
            return
        if self._finder is None:
            self._wanted = list(self._bare)
            self._spaced = any(" " in value for value in self._wanted)
            self._finder = ahocorasick_rs.AhoCorasick(self._wanted)
        for view, broken in private.readings(block.piece):
            for found, stop, value in self._occurrences(view.text):
                if not broken and self._bare[value][0] == "ip":  # elsewhere the same digits may be a version
                    continue
                if broken and (not view.crosses(found, stop) or stop - found < _SHORTEST_BROKEN and " " not in value):
                    continue
                start, end = view.source(found, stop)
                if block.start <= start < block.end:
                    yield Span(start, end, *self._bare[value])
        if self._spaced and "\n" in block.piece:  # a full name, at any line's end
            for start, end, value in self._occurrences(block.piece.replace("\n", " ")):
                if block.start <= start < block.end and "\n" in block.piece[start:end]:
                    yield Span(start, end, *self._bare[value])

    def _occurrences(self, text: str) -> Iterator[tuple[int, int, str]]:
        if self._finder is None:
            return
        for index, start, end in self._finder.find_matches_as_indexes(_low(text), overlapping=True):
            if text[start - 1:start].isalnum() and start or text[end:end + 1].isalnum():
                continue
            value = self._wanted[index]
            if len(value) < _SHORTEST_IN_ANY_CASE and text[start:end] != self._bare[value][1]:
                continue
            yield start, end, value

    def _token(self, kind: str, value: str, where: str) -> str:
        kind, value = self._bare.get(_low(value), (kind, value))
        entry = self._tokens.get((kind, value))
        if entry is None:
            number = self._count[kind] = self._count.get(kind, 0) + 1
            # That a path has letters beyond ASCII is evidence (MIOpen and others fail there), so the token keeps one.
            entry = self._tokens[kind, value] = Removed(f"<{kind}-{number}{'' if value.isascii() else 'ü'}>", kind)
        entry.count += 1
        if where and where not in entry.where and len(entry.where) < 5:
            entry.where.append(where)
        return entry.token

    def together(self, lines: Iterable[str], where: str = "") -> tuple[str, ...]:
        """Lines that follow each other: a key goes over several."""
        given = tuple(lines)
        return tuple(self.text("\n".join(given), where).split("\n")) if given else given

    @property
    def removed(self) -> list[Removed]:
        """What was taken out so far, without the values."""
        return list(self._tokens.values())

    def plain(self, value: Any, where: str = "") -> Any:
        """Plain data with every text inside, keys too, redacted."""
        if isinstance(value, str):
            return self.text(value, where)
        if isinstance(value, dict):
            return {self.text(str(k), where): self.plain(v, where) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(v, where) for v in value]
        return value


def _merged(found: list[Span]) -> Iterator[Span]:
    """Spans that touch are one value, of the graver kind: a password before an @ is not half of an address. One that grew has no value of its own."""
    now: Span | None = None
    for span in found:
        if now is None or span.start >= now.end:
            if now:
                yield now
            now = span
            continue
        kind = min(span.kind, now.kind, key=_GRAVEST.index)
        now = Span(now.start, span.end, kind, "") if span.end > now.end else Span(now.start, now.end, kind, now.value)
    if now:
        yield now


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            # A variable's name and its value are private together (HF_TOKEN=...), so they are read together.
            yield from [f"{key}={inner}"] if isinstance(inner, str) else _texts(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner)


def _version(key: str, value: Any) -> bool:
    """Whether a value is a version by the name of its fact: four numbers alone look like an address."""
    return split_key(key)[0].endswith("version") and isinstance(value, str) and _NUMBERS.fullmatch(value) is not None


def _clean(key: str, fact: dict[str, Any], redactor: Redactor) -> dict[str, Any]:
    kept = {"value": fact["value"]} if _version(key, fact.get("value")) and not redactor.knows(fact["value"]) else {}
    return cast("dict[str, Any]", redactor.plain({name: value for name, value in fact.items() if name not in kept}, key)) | kept


def learn_snapshot(taken: Snapshot, redactor: Redactor) -> None:
    """Take note of what is private in facts with their keys and sources, hits, what probes said, notes."""
    facts = {key: fact_to_json(fact) for key, fact in taken.facts.items()}
    for key, fact in facts.items():
        value = fact.get("value")
        redactor.learn(f"{split_key(key)[0].partition('.')[2]}={value}" if isinstance(value, str) else key)
        for text in _texts(fact if not _version(key, value) else fact | {"value": ""}):
            redactor.learn(text)
    for hit in taken.hits:
        redactor.learn("\n".join(hit.around))
    for text in _texts([[(hit.source, hit.text, hit.captures, hit.around) for hit in taken.hits], [asdict(run) for run in taken.runs], taken.notes]):
        redactor.learn(text)


def snapshot(taken: Snapshot, redactor: Redactor) -> Snapshot:
    """A copy without private values: facts with their keys and sources, hits, what probes said, notes."""
    learn_snapshot(taken, redactor)
    facts = {key: fact_to_json(fact) for key, fact in taken.facts.items()}
    clean = copy.copy(taken)
    clean.facts = {redactor.text(key, "facts"): fact_from_json(_clean(key, fact, redactor)) for key, fact in facts.items()}
    clean.hits = [Hit(h.rule, h.group, redactor.text(h.source, "file names"), h.line, redactor.text(h.text, h.source),
                      redactor.plain(h.captures, h.source), redactor.together(h.around, h.source), h.kind) for h in taken.hits]
    clean.runs = [ProbeRun(r.probe, redactor.text(r.interpreter, r.probe), r.seconds, r.ended, r.signal,
                           redactor.text(r.noise, r.probe)) for r in taken.runs]
    clean.notes = [redactor.text(note, "notes") for note in taken.notes]
    for entry in redactor.removed:
        entry.where = [redactor.text(place) for place in entry.where]
    return clean


def _unlike(name: str, taken: Container[str]) -> str:
    """The name, or one with a number where it is taken: an archive may hold two members of one name."""
    return next(one for one in chain([name], (f"{name}-{number}" for number in count(2))) if one not in taken)


def redacted_files(found: Attached, redactor: Redactor) -> dict[str, str]:
    """Each attached text and saved snapshot by its name, redacted; all are read before the first is written.

    What is more than :data:`MOST_BYTES` together is left out, with a line among the problems.
    """
    files: dict[str, str] = {}
    room = MOST_BYTES
    for given in found.texts:
        name = _unlike(given.name, files)
        if not given.path:
            files[name] = given.text
            continue
        with opened(given.path) as file:
            raw = file.read(min(room, MOST_OF_FILE) + 1)
        most = min(room, MOST_OF_FILE)
        if len(raw) > most:
            raw = raw[:most]
            raw = raw[:raw.rfind(b"\n") + 1]  # half a line may be half a secret
            found.problems.append(f"{given.name}: only its first {len(raw) >> 10} KiB were read, the rest is left out")
        room -= len(raw)
        files[name] = clean(decode(raw))
    for saved in found.snapshots:
        for text in _texts(saved):
            redactor.learn(text)
    for name, text in files.items():
        redactor.learn(name)
        redactor.learn(text)
    done: dict[str, str] = {}
    for name in list(files):
        done[_unlike(redactor.text(name), done)] = redactor.text(files.pop(name), name)
    for number, saved in enumerate(found.snapshots):
        done[f"snapshot-{number + 1}.json"] = json.dumps(redactor.plain(saved, "snapshot"))
    return done
