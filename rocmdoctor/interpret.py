"""Texts to facts: every reader that recognises a text is asked; the most trusted source of a fact wins."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType

from rocmdoctor import gpus, readers, vocabulary
from rocmdoctor.attach import Text, blocks
from rocmdoctor.model import Absent, Fact, Known, Snapshot
from rocmdoctor.scan import Scanner, blocks_of
from rocmdoctor.textlines import targets

_NAMED = 12


@functools.cache
def _modules() -> tuple[ModuleType, ...]:
    names = sorted(module.name for module in pkgutil.iter_modules(readers.__path__))
    found = [importlib.import_module(f"rocmdoctor.readers.{name}") for name in names]
    return tuple(sorted((m for m in found if hasattr(m, "read")), key=lambda m: -m.TRUST))


def fill(snapshot: Snapshot, texts: list[Text], scanner: Scanner) -> None:
    """Read every text into the snapshot, in place: facts, hits, and a note for each text nobody recognised."""
    said: dict[str, tuple[int, Fact]] = {}
    mentioned: dict[str, None] = {}
    lost: list[str] = []
    for number, text in enumerate(texts):
        snapshot.hits += scanner.scan(text.name, blocks(text.path) if text.path else blocks_of(text.text))
        snapshot.texts_read += 1
        mentioned.update(dict.fromkeys(name for name, _ in targets(text.text)))
        understood = False
        for reader in _modules():
            format_ = reader.__name__.rsplit(".", 1)[1]
            try:
                if not reader.recognises(text.text):
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
        if not understood and not text.part and not any(hit.source == text.name for hit in snapshot.hits):
            lost.append(text.name)
    if lost:
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        snapshot.notes.append(f"not understood: {', '.join(lost[:_NAMED])}{more}; no reader knows the format and no rule matches it")
    for key, (_, fact) in said.items():
        if not isinstance(snapshot.facts.get(key), Known):
            snapshot.facts[key] = fact
    if mentioned:
        snapshot.facts["report.gfx_mentioned"] = Known(list(mentioned)[:50], "texts")
    gpus.join(snapshot.facts)
