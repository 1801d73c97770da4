"""Every row of the known defects: is this version, on this GPU, known to be faulty, and does what was seen look like it?"""

from __future__ import annotations

import datetime
import functools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.diagnosis.row import as_rule
from rocmdoctor.facts.model import SEVERITIES, Hit, Severity
from rocmdoctor.knowledge import compiled, component_versions, cures, known, likeness
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.known_fit import Fit, Machine, both
from rocmdoctor.knowledge.rules import Rule, Rulebook
from rocmdoctor.records import dataclass, field

_SETTING = later.pattern(r"\b[A-Z][A-Z0-9]+_[A-Z0-9_]{3,}\b|\b\w+\.\w+=")  # a variable, a parameter
_TOLD = "trouble-told"  # that something is wrong, whatever it is


@dataclass(slots=True)
class Candidate:
    """A row that may be at work. ``answer`` as of a rule; a signature that was seen makes ``hits``."""

    row: Row
    fit: Fit
    answer: bool | None
    hits: list[Hit] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)
    like: float = 0.0  # of a hint: how much of what it says was also told
    near: float = 0.0  # of a hint: the part of its telling words that was told, without the names of its component
    tight: bool = False  # a severe and sure defect of this very version on this very target
    close: bool = False  # this version of it, this GPU and what it needs were told, in words that the row has as well

    @property
    def alone(self) -> bool:
        """Whether only a symptom ties it to what was seen: other rows may explain it as well."""
        return not self.hits and bool(self.explained)

    @property
    def met(self) -> bool:
        """Whether a line that it alone writes was seen on a GPU that it names: only the version is not known."""
        return bool(self.hits and self.row.gfx) and self.fit.gpu is True

    @property
    def hint(self) -> bool:
        """Whether it could be, as other rows could: alone, not decided, and of many versions or GPUs."""
        return self.alone and self.answer is not True and not self.tight

    @property
    def general(self) -> bool:
        """Whether it stands behind what names a defect."""
        return self.alone and not (self.tight or self.close)

    @property
    def rank(self) -> tuple[Any, ...]:
        """The most specific first."""
        row = self.row
        named = any("exact" in one for one in row.bad)  # this very version, not a range that may have no end
        return (not self.hits, self.answer is not True, not self.close, -round(self.like), self.fit.needs is not True, not row.gfx,
                len(row.gfx), not named, not row.sure, row.id)


@functools.cache
def _table() -> Any:
    return compiled.part("checks/known-defects.yaml")


def candidate(row: Row, machine: Machine, hits: list[Hit], symptoms: set[str], specific: Collection[str] = ()) -> Candidate | None:
    """What is to be thought of a row, None when nothing; ``specific`` are symptoms that say more than that something is wrong."""
    shows = known.shows_as(row.symptom)
    explained = [one for one in shows if one in symptoms]
    mute = not (shows or row.signature)  # shows as nothing that is looked for
    if not (hits or explained or row.severe or (mute and row.needs)) or machine.gpu(row) is False:
        return None
    if not hits and machine.version(row)[0] is not True:  # nothing is said of a row that was not seen and may not be here
        return None
    fit = machine.fit(row)
    spoken = machine.spoken(row)
    if fit.excluded or spoken is None or (not hits and fit.backend is False):  # what was seen ran on another backend
        return None
    placed = both((fit.version, fit.others))
    if hits:
        elsewhere = bool(row.os) and not {"linux", "container"} & set(row.os)  # that it is no Linux must have been read
        # a setting that nobody told of; or, where neither version nor GPU ties the row to the machine, a program that nobody named
        asks = _SETTING.search(row.needs) or not (row.bad or row.with_ or row.gfx) and machine.demands(row)
        needed = None if fit.needs is not True and asks else True
        return Candidate(row, fit, both((placed, fit.gpu, fit.os if elsewhere else True, needed)), hits, explained)
    told = bool(machine.demands(row)) and fit.needs is True  # the situation it needs is spoken of, not only its symptom
    bound = bool(row.bad) or bool(row.with_)
    if explained and placed is True and fit.gpu is True and (bound or (row.gfx and row.fix and told)):
        return _shown(row, fit, machine, explained, told, specific)
    # Nothing is wrong yet. Worth a warning is a severe row that speaks of this very target and that more than one person stands behind,
    # or one that can show as nothing else and whose needs were read: the option is set, the program runs.
    here = bool(row.bad) and placed is True and fit.os is True and not explained
    severe = row.severe and row.sure and not machine.demands(row) and bool(set(row.gfx) & set(machine.targets))
    return Candidate(row, fit, True) if here and (severe or (mute and fit.gpu is True and told)) else None


def _way(bad: Iterable[Mapping[str, str]]) -> str:
    """In which direction the defect is left, by its bounds; "" where they do not tell.

    >>> _way([{"before": "2"}]), _way([{"from": "1", "before": "2"}]), _way([{"from": "1"}]), _way([{"exact": "1"}])
    ('way_newer', 'way_both', 'way_older', '')
    """
    ends, begins = any("before" in one for one in bad), any("from" in one for one in bad)
    return "way_both" if ends and begins else "way_newer" if ends else "way_older" if begins and not any("through" in one for one in bad) else ""


def _closed(bound: Mapping[str, str]) -> bool:
    """Whether a range is one version, or ends on both sides."""
    return "exact" in bound or "from" in bound and ("through" in bound or "before" in bound)


def _shown(row: Row, fit: Fit, machine: Machine, explained: list[str], told: bool, specific: Collection[str]) -> Candidate | None:
    """A row whose symptom was seen on this version and GPU, without a line that it alone writes."""
    tied = bool(row.gfx) or machine.names_all(row)
    known_here = (row.bad or row.with_) and tied and row.sure and told and fit.backend is True and fit.os is True
    if told and tied:
        return Candidate(row, fit, True if known_here and set(explained).intersection(specific) else None, [], explained)
    if row.severe and row.sure and any(_closed(one) for one in row.bad) and set(row.gfx) & set(machine.targets) and fit.backend is not False:
        return Candidate(row, fit, None, [], explained, tight=True)
    # A symptom and a version alone are no lead: nearly every release has a defect that shows so. It is a hint at most.
    return Candidate(row, fit, None, [], explained) if told or not machine.demands(row) else None


def _told(row: Row, machine: Machine) -> Candidate | None:
    """A row that shows as nothing that was recognised, where all that it asks was told: a version that lies in its range, the GPU, and what it needs."""
    fit = machine.fit(row)
    if not _placed(row, fit, machine) or machine.spoken(row) is None:
        return None
    return Candidate(row, fit, None, [], [_TOLD])


def _placed(row: Row, fit: Fit, machine: Machine) -> bool:
    """Whether the version was read, it lies in a range with an end, and the GPU (or a program that names itself) and the needs were told as well.

    Older than a repair is much: there the program must be named, and what it needs. A row of what every machine has, with lines of its own, needs these.
    """
    asks = _asks(row, machine)
    everywhere = machine.everywhere(row)
    if everywhere and row.signature:
        return False  # it would have printed a line of its own
    here = set(row.gfx) & set(machine.gpus) if row.gfx else not everywhere
    needed = any(map(machine.names, asks)) if asks else True
    closed = any(map(_closed, row.bad)) or (asks and not everywhere and any("before" in one or "through" in one for one in row.bad))
    return bool(closed and fit.version is True and fit.others is not False and here and not fit.excluded and needed)


def _asks(row: Row, machine: Machine) -> list[str]:
    return [word for word in machine.demands(row) if word not in _names(row)]


def notes(taken: str) -> list[str]:
    """What is to be said of the table at the time a snapshot was taken (ISO 8601): rows that could not be read, and its age."""
    try:
        days = known.age_days(datetime.date.fromisoformat(taken[:10]))
    except ValueError:
        days = 0
    return [*known.load().problems, *([_table()["stale"].format(days=days)] if days > known.STALE_DAYS else [])]


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The rows that fit, few of each component and the most specific first."""
    lines = "\n".join(line for hit in seen.snapshot.hits[:2000] for line in (hit.text, *hit.around))
    machine = Machine(seen.facts, lines)
    specific = [rule.id for rule in book.rules.values() if rule.kind == "symptom" and rule.specific]
    found = []
    for row in known.load().worth(seen.signals_of(known.OWNER), seen.symptoms, lambda component: bool(machine.here(component).values)):
        hits = seen.hits_of(f"seen.{known.OWNER}.{row.signal}") if row.signature else []
        one = candidate(row, machine, hits, seen.symptoms, specific) if row.id not in book.rules else None
        found += [one] if one else []
    if seen.symptoms and not any(one.hits or one.answer is True for one in found):
        found += _unrecognised(found, machine, book)
    if sum(one.alone and one.answer is True for one in found) > 1:  # several explain the same: none of them is decided
        for one in found:
            one.answer = None if one.alone else one.answer
    found = _like(found, machine)
    for one in found:
        plain = one.row.needs and not _asks(one.row, machine)  # a situation in plain words: more of them must have been told
        one.close = one.hint and one.near >= _table()["near"] * (2 if plain else 1) and _placed(one.row, one.fit, machine)
    found = [one for one in found if one.close or _TOLD not in one.explained]
    said: dict[str, int] = defaultdict(int)
    for one in sorted(found, key=lambda one: one.rank):
        for what in (one.row.component, *(["alone"] if one.alone else [])):
            said[what] += 1
        if said[one.row.component] <= _table()["most"] and (not one.alone or said["alone"] <= _table()["most"]):
            yield _judged(one, seen)


def _unrecognised(found: list[Candidate], machine: Machine, book: Rulebook) -> Iterator[Candidate]:
    """The rows of what has a version here, as far as the rest was told too."""
    had = {one.row.id for one in found} | set(book.rules)
    for component in component_versions.places():
        for row in known.load().of(component) if machine.here(component).values else ():
            one = _told(row, machine) if row.id not in had and machine.gpu(row) is True and machine.version(row)[0] is True else None
            if one:
                yield one


def _like(found: list[Candidate], machine: Machine) -> list[Candidate]:
    """The candidates, without the hints that share too little with what was told where others share more."""
    hints = [one for one in found if one.hint]
    if not hints:
        return found
    texts = [likeness.words(one.row.told) for one in hints]
    weights, told, lines = likeness.Weights(texts), likeness.words(machine.said()), likeness.words(machine.lines())
    for one, text in zip(hints, texts, strict=True):
        one.like = weights.common(text, told)
        one.near = len(text & lines - _names(one.row)) / (len(text - _names(one.row)) + 1)
    if max(one.like for one in hints) < _table()["least_likeness"]:
        return found  # little was told: the versions and the GPU have to do
    return [one for one in found if not one.hint or one.like >= _table()["least_likeness"]]


def _names(row: Row) -> frozenset[str]:
    place = component_versions.places()[row.component]
    return likeness.words(" ".join((place.name, place.title, *place.named, *place.called, *row.gfx, *row.os, *row.backend)))


def _judged(one: Candidate, seen: Evidence) -> Judged:
    answer = Answer(one.answer, tuple(one.fit.used), tuple(one.fit.missing))
    hits = one.hits or ([] if one.answer is True else list(seen.of_symptoms(one.explained)))
    return Judged(rule_of(one), answer, explained=[] if one.hint and not one.close else one.explained, hits=hits[:3] if one.alone else hits,
                  row=not one.tight, met=one.met)


def rule_of(one: Candidate) -> Rule:
    """The row as a rule, in the words of the check; a warning unless something of it was seen."""
    row, fit, table = one.row, one.fit, _table()
    place = component_versions.places()[row.component]
    values = {"title": place.title, "version": fit.values[0] if fit.values else "", "defect": row.first_sentence, "bounds": row.bounds, "note": row.note,
              "good": " or ".join(row.good), "says": row.says, "needs": row.needs.rstrip("."), "not_a_fix": ", ".join(row.not_a_fix)}
    way = _way(row.bad)
    parts = (("known_bad", row.bounds), ("known_good", row.good), (way, way), ("needs", row.needs), ("not_a_fix", row.not_a_fix))
    known_words = [table[name] for name, there in parts if there]
    title = table["title" if values["version"] and row.bad else "title_without_version"].format_map(values)
    asks = table["asks"].format_map(values) if row.bad else table["asks_otherwise"].format_map(values) if row.note and not fit.missing else ""
    says = table["says"].format_map({**values, "known": " ".join(words.format_map(values) for words in known_words)}).strip()
    severity: Severity = min((table["symptoms"].get(name, {}).get("severity", "warning") for name in row.symptom), key=SEVERITIES.index, default="warning")
    if not (one.hits or one.explained):
        severity = "warning" if row.severe else "info"  # a risk
    return as_rule(row.id, title, layer=place.layer, severity=severity, says=says, why=table["why"].get(row.confirmed, ""), asks=asks,
                   fixes=_fixes(row, values), explains=known.shows_as(row.symptom), references=row.source, general=one.general)


def _fixes(row: Row, values: dict[str, str]) -> Iterator[dict[str, str]]:
    table = _table()
    for text in row.fix:
        yield {"do": cures.doing(text)}
    if not row.fix and row.good:
        yield {"do": table["good_fix"].format_map(values)}
    elif not row.fix:
        yield {"do": table["no_fix"], "detail": table["no_fix_detail"]}
