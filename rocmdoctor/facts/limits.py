"""A snapshot that somebody else made, admitted: the types of the vocabulary, and no more of anything than a machine can have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any

from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import Fact, Hit, Known, Snapshot, Unknown, snapshot_from_json

MOST_ITEMS = 128  # GPUs, devices, environments: eight MI300X in CPX mode are 64
MOST_FACTS = 20_000
MOST_IN_FACT = 10_000  # processes, packages, boots
MOST_HITS = 10_000
MOST_OF_ONE_RULE = 1000
MOST_RUNS = 1000
MOST_NOTES = 500
LONGEST_NOTE = 2000
_PLAIN = (str, int, float, type(None))
_LISTS = frozenset({"targets", "kinds", "readers"})
_COUNTED = frozenset({"line", "bytes", "size"})
_PARTS: dict[str, type] = {"facts": dict, "hits": list, "runs": list, "notes": list}
_TYPES: dict[str, Callable[[Any], bool]] = {
    "str": lambda v: isinstance(v, str), "bool": lambda v: isinstance(v, bool), "list": lambda v: isinstance(v, list), "dict": lambda v: isinstance(v, dict),
    "int": lambda v: isinstance(v, int) and not isinstance(v, bool), "float": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool)}


def admitted(data: Any) -> Snapshot:
    """A snapshot from plain data of unknown origin; what was left out of it is among its notes. Raises ValueError with one line."""
    if not isinstance(data, dict):
        raise ValueError("not a snapshot")
    for part, kind in _PARTS.items():
        if not isinstance(data.get(part), kind):
            raise ValueError(f"{part} is missing or no {'mapping' if kind is dict else 'list'}")
    most = {"facts": MOST_FACTS, "hits": MOST_HITS, "runs": MOST_RUNS, "notes": MOST_NOTES}
    held = {**data, "facts": dict(islice(data["facts"].items(), MOST_FACTS)), **{part: data[part][:most[part]] for part in ("hits", "runs", "notes")}}
    try:
        snapshot = snapshot_from_json(held)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"damaged ({type(error).__name__}: {str(error)[:200]})") from None
    snapshot.notes = [note[:LONGEST_NOTE] for note in snapshot.notes]
    for part, count in most.items():
        if len(data[part]) > count:
            snapshot.notes.append(f"{len(data[part])} {part} in a saved snapshot, more than a machine has: the first {count} were used")
    strange = [key for key in snapshot.facts if not vocabulary.declared(vocabulary.split_key(key)[0])]
    for key in strange:
        del snapshot.facts[key]
    if strange:
        snapshot.notes.append(f"{len(strange)} facts of a saved snapshot that this version does not know were left out, {strange[0][:80]} first")
    snapshot.facts = {key: _typed(key, fact) for key, fact in snapshot.facts.items()}
    bound(snapshot)
    return snapshot


def _typed(key: str, fact: Fact) -> Fact:
    """The fact, unknown where its value is not of the declared type."""
    declared = vocabulary.FACTS.get(vocabulary.split_key(key)[0])
    if declared is None or not isinstance(fact, Known):
        return fact
    if _TYPES[declared.type](fact.value):
        fields = declared.fields()
        rows = [row for row in fact.value if _is_row(row, fields)] if fields else fact.value
        return fact if rows == fact.value else Known(rows, fact.source)
    return Unknown("unreadable", f"a value of type {type(fact.value).__name__}, {declared.type} is right")


def _is_row(row: Any, fields: tuple[str, ...]) -> bool:
    """Whether this is one row of a list of the vocabulary: all its fields, each a text or a number, or a list of them where it is one, counts as numbers."""
    if not isinstance(row, dict) or not all(field in row for field in fields):
        return False
    return all(isinstance(each, _PLAIN) for name, value in row.items() for each in (value if isinstance(value, list) and name in _LISTS else [value])) and all(
        isinstance(row[field], (int, float)) for field in fields if field in _COUNTED)


def bound(snapshot: Snapshot) -> None:
    """Leave out what is more than a machine can have, in place, with a note for each kind."""
    _bound_items(snapshot)
    for key, fact in snapshot.facts.items():
        if isinstance(fact, Known) and isinstance(fact.value, (list, dict)) and len(fact.value) > MOST_IN_FACT:
            kept = fact.value[:MOST_IN_FACT] if isinstance(fact.value, list) else dict(islice(fact.value.items(), MOST_IN_FACT))
            snapshot.facts[key] = Known(kept, fact.source)
            snapshot.notes.append(f"{key}: {len(fact.value)} values, the first {MOST_IN_FACT} were used")
    _bound_hits(snapshot)


def _bound_items(snapshot: Snapshot) -> None:
    items: dict[str, dict[str, None]] = {}
    for key in snapshot.facts:
        name, item = vocabulary.split_key(key)
        if item:
            items.setdefault(vocabulary.entity(name), {})[item] = None
    for entity, found in items.items():
        if len(found) <= MOST_ITEMS:
            continue
        kept = set(islice(found, MOST_ITEMS))
        snapshot.facts = {key: fact for key, fact in snapshot.facts.items()
                          if not (split := vocabulary.split_key(key))[1] or vocabulary.entity(split[0]) != entity or split[1] in kept}
        snapshot.notes.append(f"{len(found)} items of {entity or 'facts that have none'}, more than a machine has: the first {MOST_ITEMS} were used")


def _bound_hits(snapshot: Snapshot) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    kept: list[Hit] = []
    for hit in snapshot.hits:
        counts[hit.rule, hit.group] += 1
        if counts[hit.rule, hit.group] <= MOST_OF_ONE_RULE and len(kept) < MOST_HITS:
            kept.append(hit)
    if len(kept) < len(snapshot.hits):
        snapshot.notes.append(f"{len(snapshot.hits)} lines matched rules, {len(kept)} of them were kept")
        snapshot.hits = kept
