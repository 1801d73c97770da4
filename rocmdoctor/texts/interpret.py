"""Texts to facts: every reader that recognises a text is asked; the most trusted source of a fact wins."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType

from rocmdoctor.diagnosis import join
from rocmdoctor.facts import limits, vocabulary
from rocmdoctor.facts.model import Absent, Fact, Hit, Known, Snapshot
from rocmdoctor.scan.scanner import Scanner, blocks_of
from rocmdoctor.texts import door, prose, readers
from rocmdoctor.texts.attach import Text, blocks, clean
from rocmdoctor.texts.lines import targets

NEIGHBOURS = 2
SHOWN_HITS = 3
LONGEST_SHOWN = 300
_NAMED = 12


@functools.cache
def modules() -> tuple[ModuleType, ...]:
    """Every reader, the most trusted first."""
    found = [importlib.import_module(f"{package.__name__}.{module.name}") for package in (readers, prose)
             for module in pkgutil.iter_modules(package.__path__)]
    found.sort(key=lambda module: module.__name__.rpartition(".")[2])
    return tuple(sorted((m for m in found if hasattr(m, "read")), key=lambda m: -m.TRUST))


def gathered(name: str, text: str) -> Text:
    """A text of a probe: one named like a reader is that reader's alone, any other is a log."""
    own = name if any(module.__name__.rsplit(".", 1)[1] == name for module in modules()) else ""
    return Text(name, door.printable(text) if own else clean(text), reader=own)


def _with_neighbours(hits: list[Hit], text: Text) -> list[Hit]:
    """The first hits of each rule with the lines before and after, as a person reads a log."""
    if not hits or text.path:
        return hits
    lines = text.text.split("\n")
    seen: dict[str, int] = {}
    out = []
    for hit in hits:
        seen[hit.rule] = seen.get(hit.rule, 0) + 1
        near = lines[max(0, hit.line - 1 - NEIGHBOURS):hit.line + NEIGHBOURS] if seen[hit.rule] <= SHOWN_HITS else []
        out.append(replace(hit, around=tuple(line[:LONGEST_SHOWN] for line in near)) if len(near) > 1 else hit)
    return out


def _scanned(text: Text, scanner: Scanner, over: Callable[[], bool], notes: list[str]) -> list[Hit]:
    """The hits of one text; of a big one those up to where the time was over."""
    def pieces() -> Iterator[bytes]:
        read = 0
        try:
            for block in blocks(text.path) if text.path else blocks_of(text.text):
                if over():
                    notes.append(f"{text.name}: the time for reading is over, only its first {read >> 20} MiB were searched")
                    return
                read += len(block)
                yield block
        except OSError as error:  # it was removed or replaced meanwhile
            notes.append(f"{text.name}: {error.strerror or error}; only its first {read >> 20} MiB were searched")
    return list(scanner.scan(text.name, pieces()))


def _never() -> bool:
    return False


def fill(snapshot: Snapshot, texts: list[Text], scanner: Scanner, over: Callable[[], bool] = _never) -> None:
    """Read every text into the snapshot, in place: facts, hits, and a note for each text nobody recognised. ``over``: the time is up."""
    said: dict[str, tuple[int, Fact]] = {}
    mentioned: dict[str, None] = {}
    had = {(hit.rule, hit.group, hit.text) for hit in snapshot.hits}  # a bundle's logs were read when it was made
    lost: list[str] = []
    parts: set[str] = set()
    for number, text in enumerate(texts):
        if text.part and text.text in parts:  # the same string again, of a document that repeats it
            continue
        if text.part:
            parts.add(text.text)
        if over():
            snapshot.notes.append(f"{text.name} and what comes after it, {len(texts) - number} texts, not read: the time for reading is over")
            break
        found: list[Hit] = []
        if not text.reader:
            found = _scanned(text, scanner, over, snapshot.notes)
            snapshot.hits += _with_neighbours([hit for hit in found if (hit.rule, hit.group, hit.text) not in had], text)
            snapshot.texts_read += 1
            mentioned.update(dict.fromkeys(name for name, _ in targets(text.text)))
        understood = False
        for reader in modules():
            format_ = reader.__name__.rsplit(".", 1)[1]
            try:
                if text.reader != format_ if text.reader else not reader.recognises(text.text):
                    continue
                understood = understood or reader.TRUST > 0
                for reading in reader.read(text.text):
                    if not vocabulary.declared(reading.name):
                        continue
                    understood = True
                    item = f"{number}.{format_}|{reading.item or '0'}" if vocabulary.entity(
                        reading.name) == "gpu" else reading.item
                    key = vocabulary.key(reading.name, item)
                    if key not in said or said[key][0] < reader.TRUST:
                        source = f"{text.name}:{reading.line}" if reading.line else text.name
                        said[key] = (reader.TRUST, Absent(source) if reading.value is None else Known(reading.value, source))
            except Exception as error:  # hostile text must not cost the other readers their say
                snapshot.notes.append(f"{text.name}: the {format_} reader failed ({type(error).__name__})")
        if not understood and not text.part and not text.reader and not found:
            lost.append(text.name)
    if lost:
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        snapshot.notes.append(f"not understood: {', '.join(lost[:_NAMED])}{more}; no reader knows the format and no rule matches it")
    for key, (_, fact) in said.items():
        if not isinstance(snapshot.facts.get(key), Known):
            snapshot.facts[key] = fact
    if mentioned:
        snapshot.facts["report.gfx_mentioned"] = Known(list(mentioned)[:50], "texts")
    limits.bound(snapshot)
    join.join(snapshot.facts)
