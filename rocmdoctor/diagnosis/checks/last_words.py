"""Where a log ends early: what the program said last, and which stage comes next; two copies of a library in one backtrace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.knowledge import applications, compiled
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "last_words"
_SHOWN = 120


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The stage in which a program ends, where it does not say why."""
    told = [(fact, line) for fact in ("crash.after", "crash.end") if (line := seen.text(fact))] if "crash" in seen.symptoms else []
    fact, line, row = next(((fact, line, row) for fact, line in told if (row := _stage(line))), ("", "", {}))
    if row:
        app = next(iter(seen.texts("about.app")), "")
        program = applications.title(app) if app else seen.text("report.program") or "The program"
        words = {"program": program, "line": line[:_SHOWN], **row}
        yield _found(seen, "stops-after", words, fact)
    module = seen.text("crash.import")
    if module:
        yield _found(seen, "dies-at-import", {"module": module, "end": seen.text("crash.end")[:_SHOWN]}, "crash.import", general=False)


def _found(seen: Evidence, name: str, words: dict[str, Any], fact: str, **fields: Any) -> Judged:
    rule = _words.rule(_CHECK, name, words, observes=True, **fields)
    return Judged(rule, Answer(True, (fact,), ()), explained=seen.explained(rule), hits=_words.hits_of(seen.facts, [fact], rule.id))


def _stage(line: str) -> dict[str, str]:
    """What comes next by the table, {} where the line tells no stage; ``{op}`` is filled with the operation that it names."""
    for row in compiled.part(f"checks/{_CHECK}.yaml")["stages"]:
        found = re.search(row["pattern"], line)
        if found:
            op = next((value for value in found.groupdict().values() if value), "")
            return {key: str(row[key]).replace("{op}", op) for key in ("stage", "what", "around", "update")}
    return {}
