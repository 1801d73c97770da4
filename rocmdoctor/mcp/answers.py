"""What a tool answers: a head and rows in the order in which they are to be read, each small, washed and without private values."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

from rocmdoctor.agents.package import telling
from rocmdoctor.agents.quotes import Line, marked
from rocmdoctor.diagnosis.outcome import asked, outcome
from rocmdoctor.diagnosis.subjects import subjects
from rocmdoctor.facts.model import Absent, Evidence, Fact, Finding, Known, Report
from rocmdoctor.facts.sections import Fix
from rocmdoctor.mcp.pages import size
from rocmdoctor.records import dataclass, field
from rocmdoctor.render.report.wording import evidence_place, evidence_text, fact_value
from rocmdoctor.share.wash import wash, wash_command, wash_prose

MOST_ROW = 2200  # bytes of one row as JSON, so that a page holds it
FIRST_FINDINGS, FIRST_FACTS, FIRST_UNKNOWN = 3, 12, 4  # what comes before the rest
MOST_FACTS, MOST_UNKNOWN, MOST_NOTES = 60, 40, 10
MOST_COMMANDS = 6  # lines of one fix
MOST_VALUE = 1000  # characters of a fact that is asked for by name
MOST_KEPT = 4000  # facts
Row = tuple[str, Any]


class Refused(Exception):
    """A question that cannot be answered as it was asked; one line for whoever asked."""


@dataclass(frozen=True, slots=True)
class Answer:
    """``rows`` are (field, entry); ``facts`` are kept for later questions by name, and are of what ``of`` says."""

    head: dict[str, Any]
    rows: list[Row]
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    of: str = ""


def full(entry: dict[str, Any]) -> dict[str, Any]:
    """The entry without what says nothing."""
    return {name: value for name, value in entry.items() if value not in ("", None, [], {})}


def of_fix(fix: Fix) -> dict[str, Any]:
    """What to do, and its commands, all or none: half of them would be another fix."""
    commands = [line for command in fix.commands for line in wash_command(command)]
    whole = len(commands) <= MOST_COMMANDS and sum(map(len, commands)) <= 900
    return full({"do": wash_prose(fix.title, 300), "commands": commands if whole else [], "language": fix.language if commands and whole else "",
                 "commands_left_out": len(commands) if not whole else 0 or None,
                 "needs": [wash(one, 60) for one in fix.needs], "undo": wash_prose(fix.undo, 200)})


def _quote(item: Evidence) -> dict[str, Any]:
    return full({"place": evidence_place(item)[:160], "fact": wash(item.fact, 80), "text": marked(evidence_text(item)[:240])})


def of_finding(finding: Finding) -> dict[str, Any]:
    """One finding; of one that is too big for a row the evidence and the fixes behind the first are left out."""
    question, title = asked(finding)
    title = wash_prose(f"{question} {title}".strip(), 300)
    says = wash_prose(finding.summary or finding.cause, 360)
    rests = [_quote(item) for item in finding.evidence[:4]]
    fixes = [of_fix(fix) for fix in finding.fixes[:2]]
    while True:
        made = full({"id": wash(finding.id, 80), "standing": finding.standing, "severity": finding.severity, "title": title,
                     "says": says if says.rstrip(".") != title.rstrip(".") else "", "rests_on": rests,
                     "to_decide": [wash(step, 200) for step in finding.to_decide[:3]], "fixes": fixes})
        if size(made) <= MOST_ROW or len(rests) + len(fixes) < 3:
            return made
        (fixes if len(fixes) > 1 else rests).pop()


def findings(report: Report) -> list[dict[str, Any]]:
    """All findings, best first."""
    return [of_finding(finding) for finding in report.findings]


def unknown(report: Report) -> list[dict[str, Any]]:
    """What matters and is not known, with what shows it."""
    return [full({"fact": wash(missing.fact, 80), "reason": wash(missing.reason, 160), "command": wash(missing.command, 200)})
            for missing in report.unknown[:MOST_UNKNOWN]]


def head(report: Report) -> dict[str, Any]:
    """The answer in a sentence, what to do first, the verdict."""
    found = outcome(report)
    return {"answer": wash_prose(found.sentence, 500), "first": wash_prose(found.action, 400), "verdict": report.verdict}


def of_report(report: Report) -> Iterator[Row]:
    """The rows of an examination: what was found first, then what is not known and the facts, then the rest."""
    found, missing = findings(report), unknown(report)
    facts = [full({"name": name, "value": marked(value), "source": place}) for name, value, place in telling(report)[:MOST_FACTS]]
    for name, rows, first in (("findings", found, FIRST_FINDINGS), ("not_known", missing, FIRST_UNKNOWN), ("facts", facts, FIRST_FACTS)):
        yield from ((name, row) for row in rows[:first])
    for name, rows, first in (("findings", found, FIRST_FINDINGS), ("facts", facts, FIRST_FACTS), ("not_known", missing, FIRST_UNKNOWN)):
        yield from ((name, row) for row in rows[first:])
    yield from (("notes", wash_prose(note, 300)) for note in report.notes[:MOST_NOTES])


def of_lines(lines: Iterable[Line]) -> Iterator[Row]:
    """Lines of files, as they may be told."""
    return (("lines", {"place": f"{wash(line.source, 100)}:{line.line}", "text": marked(line.text)}) for line in lines)


def kept(report: Report) -> dict[str, dict[str, Any]]:
    """Every fact by its name, for questions by name."""
    facts: dict[str, Fact] = {**report.snapshot.facts, **subjects(report.snapshot.facts)}
    return {wash(name, 160): _fact(name, fact) for name, fact in itertools.islice(facts.items(), MOST_KEPT)}


def _fact(name: str, fact: Fact) -> dict[str, Any]:
    if isinstance(fact, Known):
        told = fact_value(name, fact.value)
        return full({"state": "known", "value": marked(told[:MOST_VALUE]), "source": wash(fact.source, 160)})
    if isinstance(fact, Absent):
        return full({"state": "absent", "source": wash(fact.source, 160)})
    return full({"state": "not known", "reason": wash(f"{fact.reason}: {fact.detail}" if fact.detail else fact.reason, 300),
                 "command": wash(fact.command, 300)})
