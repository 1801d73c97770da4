"""What the table ``known_bad`` says of one change: the new version is known to be bad here, may be, or nothing."""

from __future__ import annotations

import functools
import re
from typing import Any

from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known, Unknown
from rocmdoctor.facts.sections import Change
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Lookup, parse

# A row whose cause was never established is not said to be more than possible.
_SURE = ("maintainer", "reporter", "multiple")


@functools.cache
def _rows() -> tuple[dict[str, Any], ...]:
    table = tables.load("known_bad")
    return tuple(row for row in [*table["entries"], *table["application_regressions"]] if row.get("affects"))


def judge(change: Change, facts: dict[str, Fact]) -> None:
    """Set verdict, words and sources of a change from the rows that fit: component, version, gfx target, condition; in place."""
    for row in _rows():
        affects = row["affects"]
        # What held of the version before as well is nothing that the change brought.
        if affects["component"] != change.component or not change.new or not covers(affects, change.new) or (
                change.old and covers(affects, change.old)):
            continue
        holds = [_target(row.get("targets") or ["any"], facts), _condition(str(affects.get("when") or ""), facts)]
        if False in holds:
            continue
        sure = None not in holds and not affects.get("only") and row.get("confirmed") in _SURE
        if change.verdict == "bad" or (change.verdict == "possible" and not sure):
            continue
        change.verdict = "bad" if sure else "possible"
        change.says = _words(row, sure, holds[0] is None)
        sources = row.get("source") or []
        change.references = [url for url in (sources if isinstance(sources, list) else [sources]) if str(url).startswith("http")]


def _words(row: dict[str, Any], sure: bool, target_open: bool) -> str:
    text = f"{'Known to be bad' if sure else 'Possibly bad'}: {str(row['bad']).rstrip('.')}"
    if row.get("symptom"):
        text += f"; seen as {', '.join(map(str, row['symptom'][:3]))}"
    if row["affects"].get("only"):
        text += f"; only {row['affects']['only']}"
    if target_open:
        text += f"; only on {', '.join(map(str, row['targets']))}"
    if row.get("confirmed") not in _SURE:
        text += "; the cause was not established"
    return f"{text}. Good: {row['good']}."


def covers(affects: dict[str, Any], version: str) -> bool:
    """Whether a version is one of those that a row speaks of.

    >>> covers({"versions": ["6.18.3"]}, "1:6.18.3-2"), covers({"versions": ["6.18.3"]}, "6.18.30")
    (True, False)
    >>> covers({"from": "6.18.3", "through": "7.0"}, "7.0.12-arch1"), covers({"from": "6.18.3", "through": "7.0"}, "7.1.0")
    (True, False)
    """
    if affects.get("any"):
        return True
    bare = re.sub(r"^\d+:", "", version).lstrip("bv")
    if any(re.match(re.escape(str(one)) + r"(?![0-9])", bare) for one in affects.get("versions") or ()):
        return True
    if not (affects.get("from") or affects.get("through")):
        return False
    numbers, low, high = (_numbers(text) for text in (bare, str(affects.get("from") or ""), str(affects.get("through") or "")))
    return bool(numbers) and numbers >= low and (not high or numbers[:len(high)] <= high)


def _numbers(version: str) -> tuple[int, ...]:
    """The leading dotted number; ending zeros count, since a part of a version stands for all of it."""
    found = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(number) for number in found.group().split(".")) if found else ()


def _target(targets: list[Any], facts: dict[str, Fact]) -> bool | None:
    """Whether a GPU here is one of the row's; None when no GPU's target is known."""
    wanted = [str(target) for target in targets]
    if {"any", "all"} & set(wanted):
        return True
    if "WSL" in wanted:
        return _condition("os.family == 'wsl'", facts)
    if "APU" in wanted:
        known = [fact.value for key, fact in facts.items() if key.startswith("gpu.is_apu[") and isinstance(fact, Known)]
        return any(known) if known else None
    here = [str(fact.value) for key, fact in facts.items() if key.startswith("gpu.gfx_target[") and isinstance(fact, Known)]
    shapes = [re.compile(target.replace("x", "[0-9a-f]").replace("gf[0-9a-f]", "gfx")) for target in wanted]
    count = facts.get("pci.amd_gpu_count")
    if not here and isinstance(count, Known) and count.value == 0:
        return False
    return any(shape.fullmatch(gfx) for shape in shapes for gfx in here) if here else None


def _condition(text: str, facts: dict[str, Fact]) -> bool | None:
    return parse(text).ask(_lookup(facts)).value if text else True


def _lookup(facts: dict[str, Fact]) -> Lookup:
    def look(name: str) -> Fact | list[Fact]:
        entity = vocabulary.entity(name)
        if entity:
            return [facts.get(vocabulary.key(name, item), Unknown()) for item in items_of(facts, entity)]
        return facts.get(name, Unknown())
    return look
