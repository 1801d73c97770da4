"""What leaves the machine: every private value becomes a token, the same value the same token, and a list says what went.

Two passes: first all texts are read for values that their place gives away (a user's name in a home path), then every
occurrence of each value goes, also where it stands bare.
"""

from __future__ import annotations

import copy
import functools
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from rocmdoctor.facts.model import Hit, ProbeRun, Removed, Snapshot, fact_from_json, fact_to_json
from rocmdoctor.facts.vocabulary import split_key
from rocmdoctor.knowledge import rules
from rocmdoctor.share import private
from rocmdoctor.texts.attach import Attached

# Kinds whose values are replaced wherever they stand, not only where their place gave them away.
_EVERYWHERE = ("key", "user", "host", "serial", "wifi", "domain", "id")
_GRAVEST = ("key", "email", "serial", "id", "uuid", "mac", "ip", "wifi", "domain", "host", "user")
SHORTEST_BARE = 3
_TOKEN = re.compile(r"<[a-z]+-\d+ü?>")


@functools.cache
def _evidence_words() -> frozenset[str]:
    """Words that some rule looks for: a user called "max" must not cost the log its every "max"."""
    book = rules.load()
    text = " ".join(pattern for signal in book.patterns() for pattern in signal.patterns)
    text += " ".join(f"{rule.title} {rule.says} {rule.id}" for rule in book.rules.values())
    return frozenset(word.lower() for word in re.findall(r"[A-Za-z][A-Za-z0-9]+", text))


@functools.lru_cache(maxsize=8192)
def _spans(text: str) -> tuple[private.Span, ...]:
    """Kept, as every text is read twice, and names of probes and files come again and again."""
    return tuple(private.spans(text))


class Redactor:
    """Tokens for one report or one set of files. Give every text to :meth:`learn` before any to :meth:`text`."""

    def __init__(self, known: Iterable[tuple[str, str]] = (), off: bool = False) -> None:
        """``known``: (kind, value) pairs that the caller knows of the machine, as ("user", "max"); ``off`` leaves all as it is."""
        self._off = off
        self._tokens: dict[tuple[str, str], Removed] = {}
        self._bare: dict[str, str] = {}
        self._pattern: re.Pattern[str] | None = None
        for kind, value in known:
            self._note(kind, value)

    def learn(self, text: str) -> None:
        """Take note of what is private in ``text``."""
        for start, end, kind in () if self._off else _spans(text):
            self._note(kind, text[start:end])

    def lines(self, text: str, where: str = "") -> str:
        """A whole file, line by line: most patterns are meant for one line, and a big text would be held many times over."""
        return "\n".join(self.text(line, where) for line in text.split("\n"))

    def _note(self, kind: str, value: str) -> None:
        if kind in _EVERYWHERE and len(value) >= SHORTEST_BARE and value.lower() not in private.COMMON_NAMES \
                and value.lower() not in _evidence_words() and not value.isdigit():
            self._bare.setdefault(value, kind)
            if kind == "host" and "." in value:
                self._note("host", value.split(".")[0])
            self._pattern = None

    def text(self, text: str, where: str = "") -> str:
        """``text`` with tokens in place of what is private."""
        found = [] if self._off else [*_spans(text), *self._known(text)]
        if not found:
            return text
        # Spans that touch are one value, of the graver kind: a password before an @ is not half of an address.
        taken: list[private.Span] = []
        for start, end, kind in sorted(found):
            if taken and start < taken[-1][1]:
                start, before, graver = taken.pop()
                kind, end = min(kind, graver, key=_GRAVEST.index), max(before, end)
            taken.append((start, end, kind))
        parts, at = [], 0
        for start, end, kind in taken:
            value = text[start:end]
            parts += [text[at:start], value if _TOKEN.fullmatch(value) else self._token(kind, value, where)]
            at = end
        return "".join(parts) + text[at:]

    def _known(self, text: str) -> Iterator[private.Span]:
        if not self._bare:
            return
        if self._pattern is None:
            values = sorted(self._bare, key=len, reverse=True)
            self._pattern = re.compile(r"(?<![A-Za-z0-9])(?:" + "|".join(map(re.escape, values)) + r")(?![A-Za-z0-9])")
        for found in self._pattern.finditer(text):
            yield found.start(), found.end(), self._bare[found.group()]

    def _token(self, kind: str, value: str, where: str) -> str:
        kind = self._bare.get(value, kind)
        entry = self._tokens.get((kind, value))
        if entry is None:
            number = sum(k == kind for k, _ in self._tokens) + 1
            # That a path has letters beyond ASCII is evidence (MIOpen and others fail there), so the token keeps one.
            entry = self._tokens[kind, value] = Removed(f"<{kind}-{number}{'' if value.isascii() else 'ü'}>", kind)
        entry.count += 1
        if where and where not in entry.where and len(entry.where) < 5:
            entry.where.append(where)
        return entry.token

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


def snapshot(taken: Snapshot, redactor: Redactor) -> Snapshot:
    """A copy without private values: facts with their keys and sources, hits, what probes said, notes."""
    facts = {key: fact_to_json(fact) for key, fact in taken.facts.items()}
    for key, fact in facts.items():
        value = fact.get("value")
        redactor.learn(f"{split_key(key)[0].partition('.')[2]}={value}" if isinstance(value, str) else key)
        for text in _texts(fact):
            redactor.learn(text)
    for text in _texts([[asdict(hit) for hit in taken.hits], [asdict(run) for run in taken.runs], taken.notes]):
        redactor.learn(text)
    clean = copy.copy(taken)
    clean.facts = {redactor.text(key, "facts"): fact_from_json(redactor.plain(fact, key)) for key, fact in facts.items()}
    clean.hits = [Hit(h.rule, h.group, redactor.text(h.source, "file names"), h.line, redactor.text(h.text, h.source),
                      redactor.plain(h.captures, h.source), tuple(redactor.text(line, h.source) for line in h.around), h.kind) for h in taken.hits]
    clean.runs = [ProbeRun(r.probe, redactor.text(r.interpreter, r.probe), r.seconds, r.ended, r.signal,
                           redactor.text(r.noise, r.probe)) for r in taken.runs]
    clean.notes = [redactor.text(note, "notes") for note in taken.notes]
    for entry in redactor.removed:
        entry.where = [redactor.text(place) for place in entry.where]
    return clean


def redacted_files(found: Attached, redactor: Redactor) -> dict[str, str]:
    """Each attached text and saved snapshot by its name, redacted; all are read before the first is written."""
    files = {text.name: text.path.read_text("utf-8", "replace") if text.path else text.text for text in found.texts}
    for number, saved in enumerate(found.snapshots):
        for text in _texts(saved):
            redactor.learn(text)
        files[f"snapshot-{number + 1}.json"] = ""
    for text in files.values():
        for line in text.split("\n"):
            redactor.learn(line)
    clean = {redactor.text(name): redactor.lines(text, name) for name, text in files.items()}
    for number, saved in enumerate(found.snapshots):
        clean[f"snapshot-{number + 1}.json"] = json.dumps(redactor.plain(saved, "snapshot"))
    return clean
