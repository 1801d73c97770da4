"""What the kernel driver's own messages are about, where nothing says more: the part of the GPU that failed, by the table of its messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import Hit
from rocmdoctor.knowledge import compiled
from rocmdoctor.knowledge.check_words import findings
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rule, Rulebook

_CHECK = "driver_says"
_BLOCK = later.pattern(r"(?P<step>(?:early|sw|hw|late)_init|resume|suspend) of IP block <(?P<block>\w+)> failed (?P<errno>-\d{1,3})")
_PROCESS = later.pattern(r"\b[Pp]rocess (?:information: process )?(?P<name>[\w.+:-]{2,40}) pid \d+")
_CLIENT = later.pattern(r"client ID: (?P<name>\w+(?:/\w+)?)")
_DEVICE = later.pattern(r"\b(?:[\da-f]{4}:)?[\da-f]{2}:[\da-f]{2}\.\d\b")
_BEHIND = 40  # lines between the word BUG and the place in the code: lists of modules, registers
_NEAR = 12  # lines after a message in which the driver names process and client of the same event


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The part that does not start; else the first kind of message, in the order of the table."""
    hits = seen.hits_of("seen.failing.driver")
    blocks = [(hit, found) for hit in hits if (found := _BLOCK.search(hit.text))]
    if blocks:
        hit, found = blocks[0]
        yield from _judged(_words.rule(_CHECK, "ip-block-fails", _of_block(found), observes=True, general=True), seen, [hit])
        return
    for name, row in findings(_CHECK).items():
        lines = seen.hits_of(f"seen.failing.{row['of']}") if "of" in row else hits
        fitting = [(hit, found) for hit in lines if (found := re.search(row["pattern"], hit.text))] if "pattern" in row else []
        fitting = [(hit, found) for hit, found in fitting if not row.get("after") or _near(hit, seen.hits_of("seen.failing.kernel_crash"))]
        if fitting:
            rule = _words.rule(_CHECK, name, _said(*fitting[0], seen), pattern=None, after=None, of=None, observes=True, general=True)
            yield from _judged(rule, seen, [hit for hit, _ in fitting[:3]])
            return


def _near(hit: Hit, others: list[Hit]) -> bool:
    """Whether one of the others stands close before the line, or right after it (a watchdog that reports what hangs)."""
    return any(one.source == hit.source and -_NEAR <= hit.line - one.line <= _BEHIND for one in others)


def _judged(rule: Rule, seen: Evidence, hits: list[Hit]) -> Iterator[Judged]:
    if explained := seen.explained(rule):
        yield Judged(rule, Answer(True, (), ()), explained=explained, hits=hits, row=True)


def _of_block(found: re.Match[str]) -> dict[str, Any]:
    table = compiled.part(f"checks/{_CHECK}.yaml")
    row = next(row for row in table["blocks"] if re.match(row["block"], found["block"]))
    said = {name: row.get(name) or "" for name in ("part", "role", "first", "first_commands", "second", "second_commands")}
    return {**found.groupdict(), **said, "errno": _meaning(found["errno"])}


def _meaning(errno: str) -> str:
    table = compiled.part(f"checks/{_CHECK}.yaml")["errno"]
    return f"{errno}, {table[errno]}" if errno in table else errno


def _of_code(groups: dict[str, str]) -> dict[str, str]:
    """What the code is that a line names by its function, module or driver."""
    names = [groups.get("function", ""), groups.get("module", ""), groups.get("driver", "")]
    rows: list[dict[str, str]] = compiled.part(f"checks/{_CHECK}.yaml")["code"]
    row = next((row for name in names if name for row in rows if re.match(row["name"], name)), {})
    return {"where": row.get("where", "the kernel"), "role": row.get("role", "it is a part of the graphics driver")}


def _said(hit: Hit, found: re.Match[str], seen: Evidence) -> dict[str, str]:
    """The groups of the message, and what the lines after it name: device, process, unit."""
    near = [one.text for one in seen.hits_of("seen.failing.driver_names") if one.source == hit.source and 0 <= one.line - hit.line <= _NEAR]
    said = "\n".join((hit.text, *near))
    process, client, device = _PROCESS.search(said), _CLIENT.search(said), _DEVICE.search(hit.text)
    groups = {name: value or "" for name, value in found.groupdict().items()}
    groups |= {"errno": _meaning(groups["errno"])} if "errno" in groups else {}
    return {**groups, **_of_code(groups), "device": device[0] if device else "its address stands in the line",
            "process": f", submitted by {process['name']}" if process else "", "client": f", unit {client['name']}" if client else ""}
