"""What the trouble comes with, as the writer says: a change, an update, a program beside others, a setting, a device. That is undone first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.diagnosis import tried
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.knowledge import compiled, side_programs
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "trigger"
_MOST_QUOTED = 2


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first thing that the trouble is tied to. Where a pair of versions is told it is the update that was meant."""
    versions = {(row.get("in"), row["line"]) for row, _ in _words.changes(seen, "version_story")}
    told = [(row, line) for row, line in _words.triggers(seen, _CHECK)
            if row["kind"] not in ("update", "change") or (row.get("in"), row["line"]) not in versions]
    if not told or told[0][0]["kind"] == "update" and tried.pair_told(seen.facts):
        return
    row = told[0][0]
    rule = _words.rule(_CHECK, _form(row), _filled(row, [one for one, _ in told], seen), observes=True)
    if explained := seen.explained(rule):
        yield Judged(rule, Answer(True, (), ()), explained=explained, hits=[line for _, line in told[:_MOST_QUOTED]], row=row["how"] != "began")


def _form(row: dict[str, Any]) -> str:
    forms: dict[str, str] = compiled.part(f"checks/{_CHECK}.yaml")["forms"]
    return forms[row["kind"]]


def _filled(row: dict[str, Any], rows: list[dict[str, Any]], seen: Evidence) -> dict[str, Any]:
    from rocmdoctor.compare import way_back  # few reports tell of an update

    table = compiled.part(f"checks/{_CHECK}.yaml")
    program = side_programs.of(row["what"])
    named = {"name": row["what"]}
    quoted = list(dict.fromkeys(each for one in rows for each in one["quoted"]))
    first = _suspect(row)
    return {
        "ties": table["ties"][row["how"]], "clause": row["clause"], "what": row["what"] or row["clause"],
        "told": "; ".join(f'"{one["text"]}"' for one in rows[:_MOST_QUOTED]),
        "values": f"Set back what stands beside it in the report: {', '.join(quoted)}" if quoted else "",
        "sets": program.get("sets", ""), "leave": str(program.get("leave", "")).format_map(named), "keep": str(program.get("keep", "")).format_map(named),
        "off": program.get("off", {}).get("shell", ""), "changed": table["updates"].get(way_back.manager(seen.facts), ""),
        "first": f"{first} first" if first else table["suspects"]}


def _suspect(row: dict[str, Any]) -> str:
    """Of an update the program that its sentence names."""
    return next((str(one["title"]) for one in side_programs.find(row["text"]) if one["kind"] != "browser"), "")
