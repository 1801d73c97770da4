"""Facts and rules to ranked findings, without weights: what explains most of what was seen comes first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rocmdoctor.diagnosis import boot_commands, unexplained
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import LAYERS, SEVERITIES, Absent, Evidence, Fact, Finding, Known, Snapshot, Unknown
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import components, tables
from rocmdoctor.knowledge.conditions import Answer, Lookup
from rocmdoctor.knowledge.rules import Rule

_PLACE = re.compile(r"\{(?:(override_for)\((?:first\()?)?([a-z_]+\.[A-Za-z0-9_.-]+)\)*\}")
MOST_EVIDENCE = 8


@dataclass(slots=True)
class _Judged:
    rule: Rule
    item: str
    answer: Answer
    explained: list[str]


class Facts:
    """Look-up over a snapshot, with what the patterns saw as facts of their own."""

    def __init__(self, snapshot: Snapshot, rules: Iterable[Rule]) -> None:
        self._facts = snapshot.facts
        self._seen: dict[str, list[str]] = {}
        self._read = snapshot.texts_read > 0
        for hit in snapshot.hits:
            for name in (f"seen.{hit.rule}", f"seen.{hit.rule}.{hit.group}"):
                self._seen.setdefault(name, [])
            for name, text in hit.captures.items():
                values = self._seen.setdefault(f"seen.{hit.rule}.{name}", [])
                if text not in values:
                    values.append(text)
        self._groups = {f"seen.{r.id}" for r in rules} | {f"seen.{r.id}.{g}" for r in rules for g in r.patterns}

    def lookup(self, item: str = "", each: str = "") -> Lookup:
        """The facts as one rule sees them: inside ``for_each`` the entity's facts are this item's."""
        def look(name: str) -> Fact | list[Fact]:
            if name.startswith("seen."):
                return self._look_seen(name)
            entity = vocabulary.entity(name)
            if entity and entity == each:
                return self._facts.get(vocabulary.key(name, item), Unknown())
            if entity:
                return [self._facts.get(vocabulary.key(name, i), Unknown()) for i in items_of(self._facts, entity)]
            return self._facts.get(name, Unknown())
        return look

    def _look_seen(self, name: str) -> Fact:
        if name in self._groups:
            if name in self._seen:
                return Known(True, "texts")
            return Known(False, "texts") if self._read else Unknown("not_collected", "no log was read")
        if name in self._seen:
            return Known(self._seen[name], "texts")
        return Absent("texts") if self._read else Unknown("not_collected", "no log was read")


def _shown(fact: Fact | list[Fact]) -> str:
    values: list[Any] = [f.value for f in (fact if isinstance(fact, list) else [fact]) if isinstance(f, Known)]
    flat = [v for value in values for v in (value if isinstance(value, list) else [value])]
    return ", ".join(dict.fromkeys(str(v) for v in flat)) or "(unknown)"


def fill_in(text: str, lookup: Lookup) -> str:
    """``{facts}`` replaced by their values; bytes shown as GiB."""
    def replace(found: re.Match[str]) -> str:
        call, name = found.groups()
        if not vocabulary.declared(name):
            return found.group()
        fact = lookup(name)
        if name.endswith("_bytes") and isinstance(fact, Known) and isinstance(fact.value, (int, float)):
            return f"{fact.value / 2**30:.1f} GiB"
        if name.endswith("_bytes_per_s") and isinstance(fact, Known) and isinstance(fact.value, (int, float)):
            return f"{fact.value / 1e9:.0f} GB/s"
        return tables.override_for(_shown(fact).split(",")[0]) or "(none known)" if call else _shown(fact)
    return _PLACE.sub(replace, text)


def _platform_fits(rule: Rule, facts: dict[str, Fact]) -> bool:
    family = facts.get("os.family")
    if not rule.platforms or not isinstance(family, Known):
        return True
    inside = isinstance(facts.get("container.kind"), Known)
    names = {str(family.value)} | ({"container"} if inside else set()) | ({"linux"} if family.value == "wsl" else set())
    return bool(names & set(rule.platforms)) or "container" in rule.platforms


def _finding(judged: _Judged, snapshot: Snapshot, facts: Facts, standing: Any) -> Finding:
    rule = judged.rule
    look = facts.lookup(judged.item, rule.for_each)

    def shown(text: Any) -> str:
        return fill_in(str(text or ""), look).strip()

    fixes = []
    for fix in rule.fixes:
        if fix.only_if and fix.only_if.ask(look).value is False:
            continue
        d = fix.data
        commands = (line for c in d.get("commands") or () for line in boot_commands.for_machine(shown(c), snapshot.facts))
        fixes.append(Fix(shown(d["do"]), shown(d.get("detail")), tuple(commands),
                         str(d.get("risk", "none")), tuple(d.get("needs") or ()), shown(d.get("side_effects")),
                         shown(d.get("verify")), shown(d.get("undo"))))
    wanted = {rule.id, *judged.explained, *(n.split(".")[1] for n in judged.answer.used if n.startswith("seen."))}
    evidence: list[Evidence] = []
    for hit in sorted((h for h in snapshot.hits if h.rule in wanted), key=lambda h: h.rule != rule.id):
        line = Evidence(hit.source, hit.line, hit.text[:400], around=hit.around)
        if line not in evidence and len(evidence) < MOST_EVIDENCE:
            evidence.append(line)
    for name in judged.answer.used:
        if not name.startswith("seen."):
            evidence.append(Evidence(fact=name, value=_shown(look(name)), source=getattr(look(name), "source", "")))
    deciding = [fact.command or f"rocmdoctor check shows {name}" for name in judged.answer.missing
                if not isinstance(fact := look(name), list) and isinstance(fact, Unknown)]
    subject = ""
    if rule.for_each == "gpu":
        subject = fill_in("gpu " + judged.item + " ({gpu.gfx_target})", look)
    return Finding(rule.id, standing, rule.severity, rule.stage, subject, shown(rule.title), shown(rule.says), shown(rule.why),
                   evidence, judged.explained, deciding if standing == "possible" else [], fixes, list(rule.references))


def _unexplained(finding: Finding, snapshot: Snapshot) -> Finding:
    known, finding.to_decide, report = unexplained.advice(finding.id, finding.layer, snapshot.facts)
    finding.cause = known
    finding.fixes = [*finding.fixes, report]
    return finding


def diagnose(snapshot: Snapshot, rules: dict[str, Rule]) -> list[Finding]:
    """Ranked findings, best first."""
    facts = Facts(snapshot, rules.values())
    symptoms = {r.id for r in rules.values() if r.kind == "symptom" and r.status != "retired"
                and r.when.ask(facts.lookup()).value is True}
    true: list[_Judged] = []
    open_: list[_Judged] = []
    for rule in rules.values():
        if rule.kind != "cause" or rule.status == "retired" or not _platform_fits(rule, snapshot.facts):
            continue
        for item in items_of(snapshot.facts, rule.for_each) if rule.for_each else [""]:
            answer = rule.when.ask(facts.lookup(item, rule.for_each))
            judged = _Judged(rule, item, answer, [s for s in rule.explains if s in symptoms])
            if answer.value is True:
                true.append(judged)
            elif answer.value is None and judged.explained and answer.used and not rule.general:
                open_.append(judged)
    beaten = {loser for judged in true for loser in judged.rule.instead_of}
    true = [j for j in true if j.rule.id not in beaten]
    # What a server did when it was asked counts as a line of a log does: it was seen to happen.
    seen = {hit.rule for hit in snapshot.hits} | {rule.id for rule in rules.values() if rule.for_each == "llm"}

    changed = snapshot.facts.get("changed.components")
    fresh = set(changed.value) if isinstance(changed, Known) else set()

    def order(j: _Judged) -> tuple[Any, ...]:
        own = j.rule.id in seen
        # Among equals a cause that rests on what has just changed is the likelier one: it worked before.
        new = any(name.startswith("changed.") or components.of_fact(name) in fresh for name in j.answer.used) if fresh else False
        return (not (own or j.explained), j.rule.general, SEVERITIES.index(j.rule.severity) > 2, -len(j.explained), -own, not new,
                -len(j.answer.used), SEVERITIES.index(j.rule.severity), LAYERS.index(j.rule.stage), j.rule.id)

    true.sort(key=order)
    open_.sort(key=order)
    explained = {s for j in true for s in j.explained}
    strong = [j for j in true if j.explained or j.rule.id in seen]
    risks = [j for j in true if not (j.explained or j.rule.id in seen)]
    possible = [j for j in open_ if set(j.explained) - explained and any(
        # Evidence of its own: the symptom alone would make every cause of it "possible".
        n.startswith("llm.") or n.startswith("seen.") and n.split(".")[1] not in symptoms and facts.lookup()(n) == Known(True, "texts")
        for n in j.answer.used)][:5]
    accounted = explained | {s for j in possible for s in j.explained}
    open_symptoms = [_Judged(rules[s], "", Answer(True, (), ()), []) for s in sorted(symptoms - accounted)]
    findings = [_finding(j, snapshot, facts, "cause") for j in strong]
    findings += [_finding(j, snapshot, facts, "possible") for j in possible]
    findings += [_unexplained(_finding(j, snapshot, facts, "symptom"), snapshot) for j in open_symptoms]
    findings += [_finding(j, snapshot, facts, "risk") for j in risks]
    for rank, finding in enumerate(findings, 1):
        finding.rank = rank
    return findings
