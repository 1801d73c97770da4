"""Every row of the known defects: is this version, on this GPU, known to be faulty, and does what was seen look like it?"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import SEVERITIES, Hit
from rocmdoctor.knowledge import compiled, component_versions, known
from rocmdoctor.knowledge.conditions import Answer, parse
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.known_fit import Fit, Machine, both
from rocmdoctor.knowledge.rules import Rule, Rulebook, RuleFix


@dataclass(slots=True)
class Candidate:
    """A row that may be at work. ``answer`` as of a rule; a signature that was seen makes ``hits``."""

    row: Row
    fit: Fit
    answer: bool | None
    hits: list[Hit] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)

    @property
    def alone(self) -> bool:
        """Whether only a symptom ties it to what was seen: other rows may explain it as well."""
        return not self.hits and bool(self.explained)

    @property
    def rank(self) -> tuple[Any, ...]:
        """The most specific first."""
        return (not self.hits, self.answer is not True, self.fit.needs is not True, not self.row.gfx, len(self.row.gfx), not self.row.sure, self.row.id)


@functools.cache
def _table() -> Any:
    return compiled.part("checks/known-defects.yaml")


def symptoms_of(row: Row) -> list[str]:
    """The symptoms of this house that a row may show as."""
    return list(dict.fromkeys(one for name in row.symptom for one in _table()["symptoms"].get(name, {}).get("seen", ())))


def candidate(row: Row, machine: Machine, hits: list[Hit], symptoms: set[str]) -> Candidate | None:
    """What is to be thought of a row, None when nothing."""
    explained = [one for one in symptoms_of(row) if one in symptoms]
    if not (hits or explained or row.severe) or machine.gpu(row) is False:
        return None
    fit = machine.fit(row)
    if fit.excluded:
        return None
    placed = both((fit.version, fit.others))
    if hits:
        return Candidate(row, fit, both((placed, fit.gpu)), hits, explained)
    bound = bool(row.bad) or bool(row.with_)
    if explained and placed is True and fit.gpu is True and (bound or (row.gfx and row.fix and fit.needs is True and row.needs)):
        known_here = bound and row.gfx and row.sure and fit.needs is True and fit.backend is True and fit.os is True
        return Candidate(row, fit, True if known_here else None, [], explained)
    sure = bool(row.bad) and placed is True and fit.os is True and bool(machine.targets) and (not row.gfx or fit.gpu is True)
    return Candidate(row, fit, True) if row.severe and sure and not explained else None


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The rows that fit, few of each component and the most specific first."""
    lines = "\n".join(line for hit in seen.snapshot.hits[:2000] for line in (hit.text, *hit.around))
    machine = Machine(seen.facts, lines)
    found = [one for row in known.load().all() if row.id not in book.rules
             and (one := candidate(row, machine, seen.hits_of(f"seen.{known.OWNER}.{row.signal}") if row.signature else [], seen.symptoms))]
    if sum(one.alone and one.answer is True for one in found) > 1:  # several explain the same: none of them is decided
        for one in found:
            one.answer = None if one.alone else one.answer
    said: dict[str, int] = defaultdict(int)
    for one in sorted(found, key=lambda one: one.rank):
        said[one.row.component] += 1
        if said[one.row.component] <= _table()["most"]:
            yield _judged(one, seen)


def _judged(one: Candidate, seen: Evidence) -> Judged:
    answer = Answer(one.answer, tuple(one.fit.used), tuple(one.fit.missing))
    hits = one.hits or ([] if one.answer is True else list(seen.of_symptoms(one.explained)))
    return Judged(rule_of(one.row, one.fit, one.alone), answer, explained=one.explained, hits=hits[:3] if one.alone else hits)


def rule_of(row: Row, fit: Fit, general: bool = False) -> Rule:
    """The row as a rule, in the words of the check."""
    table = _table()
    place = component_versions.places()[row.component]
    values = {"title": place.title, "version": fit.values[0] if fit.values else "", "defect": row.first_sentence, "bounds": row.bounds, "note": row.note,
              "good": " or ".join(row.good), "says": row.says, "needs": row.needs.rstrip("."), "not_a_fix": ", ".join(row.not_a_fix)}
    known_words = [table[name] for name, there in (("known_bad", row.bounds), ("known_good", row.good), ("needs", row.needs),
                                                ("not_a_fix", row.not_a_fix)) if there]
    title = table["title" if values["version"] and row.bad else "title_without_version"].format_map(values)
    asks = table["asks"].format_map(values) if row.bad else table["asks_otherwise"].format_map(values) if row.note and not fit.missing else ""
    says = table["says"].format_map({**values, "known": " ".join(words.format_map(values) for words in known_words)}).strip()
    severity = min((table["symptoms"].get(name, {}).get("severity", "warning") for name in row.symptom), key=SEVERITIES.index, default="warning")
    return Rule(id=row.id, kind="cause", title=title, severity=severity, status="stable", stage=place.layer, when=_always(), explains=tuple(symptoms_of(row)),
                general=general, asks=asks, says=says, why=table["why"].get(row.confirmed, ""), fixes=tuple(_fixes(row, values)), references=row.source)


def _fixes(row: Row, values: dict[str, str]) -> Iterator[RuleFix]:
    table = _table()
    for text in row.fix:
        yield RuleFix({"do": text}, None)
    if not row.fix and row.good:
        yield RuleFix({"do": table["good_fix"].format_map(values)}, None)
    elif not row.fix:
        yield RuleFix({"do": table["no_fix"], "detail": table["no_fix_detail"]}, None)


@functools.cache
def _always() -> Any:
    return parse("True")
