"""Which function of the stack is named as failed, what it is for and how a program goes around it, by the table of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "failing_call"
_ONLY_WAITS = ("wait", "copy", "launch")  # another one that is named says more


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first call that the table knows, one that only waits for others last."""
    named = [(row, hit) for hit in seen.hits_of("seen.failing.call") if (row := _row(hit.captures.get("call", "")))]
    if not named:
        return
    row, hit = min(named, key=lambda one: one[0]["id"] in _ONLY_WAITS)
    call = hit.captures["call"]
    called = f'RCCL ("{call}")' if " " in call else call
    values = {"call": called, **{name: row.get(name) or "" for name in ("what", "around", "around_commands", "detail", "then")}}
    rule = _words.rule(_CHECK, "call-fails", values, layer=row["layer"], observes=True, general=True)
    if explained := seen.explained(rule):
        yield Judged(rule, Answer(True, (), ()), explained=explained, hits=[hit])


def _row(call: str) -> dict[str, Any]:
    return next((row for row in tables.load("calls")["calls"] if re.fullmatch(row["name"], call)), {})
