"""A policy and the facts of a machine to outcomes."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from typing import Any, cast

from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.diagnosis.fill import fill_in
from rocmdoctor.facts.model import Finding, Snapshot, Unknown
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.preflight.expectations import Judged, Machine
from rocmdoctor.preflight.policy import Expectation, Policy
from rocmdoctor.preflight.verdict import Outcome, Verdict
from rocmdoctor.records import replace


def judge(policy: Policy, snapshot: Snapshot, findings: list[Finding] | None, level: int, today: datetime.date) -> list[Outcome]:
    """One outcome per expectation and subject; subjects that pass alike share one."""
    shown = None if findings is None else [finding for finding in findings if finding.id not in policy.allowed]
    machine = Machine(snapshot.facts, shown)
    outcomes: list[Outcome] = []
    for expectation in policy.expectations:
        if expectation.level > level:
            outcomes.append(Outcome(expectation.path, "", "SKIPPED", _expected(expectation), "", says=f"asked from level {expectation.level} on",
                                    line=expectation.line))
            continue
        answers = list(_condition(expectation, snapshot) if expectation.condition else _kind(expectation, machine))
        outcomes += _together([_outcome(expectation, answer, shown) for answer in answers])
    _waive(outcomes, policy, today)
    _split_kernels(outcomes)
    return outcomes


def _expected(expectation: Expectation) -> str:
    return expectation.want.text if expectation.want else expectation.condition.text if expectation.condition else ""


def _kind(expectation: Expectation, machine: Machine) -> Iterable[Judged]:
    assert expectation.kind and expectation.want
    try:
        return list(expectation.kind.judge(machine, expectation.want, expectation.path))
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError) as error:  # a saved snapshot may hold anything
        return [Judged("", None, "unknown", "", f"what was collected cannot be judged ({type(error).__name__}: {error})")]


def _condition(expectation: Expectation, snapshot: Snapshot) -> Iterable[Judged]:
    assert expectation.condition
    machine, facts = Machine(snapshot.facts), Evidence(snapshot, Rulebook({}, ()))
    for item in machine.each(expectation.for_each) if expectation.for_each else [""]:
        look = facts.lookup(item, expectation.for_each)
        answer = expectation.condition.ask(look)
        values = ", ".join(f"{name} = {fill_in('{' + name + '}', look)}" for name in answer.used)
        subject = machine.gpu_name(item) if expectation.for_each == "gpu" else item
        missing = [(name, fact) for name in answer.missing if isinstance(fact := look(name), Unknown)]
        says = "; ".join(f"{name}: {fact.reason.replace('_', ' ')}" + (f" ({fact.detail})" if fact.detail else "") for name, fact in missing)
        command = next((fact.command for _, fact in missing if fact.command), "")
        yield Judged(subject, answer.value, values or "unknown", ", ".join(answer.used),
                     "" if answer.value is not None else says or "cannot be decided from what is known", command)


def _advice(path: str) -> dict[str, Any]:
    rows = tables.load("preflight_advice")["kinds"]
    row: dict[str, Any] = rows.get(path) or rows.get(path.partition(".")[0] + ".*") or {}
    return row


def _outcome(expectation: Expectation, answer: Judged, findings: list[Finding] | None) -> Outcome:
    verdict = cast(Verdict, expectation.on_unknown if answer.holds is None else "PASS" if answer.holds else expectation.on_fail)
    out = Outcome(expectation.path, answer.subject, verdict, _expected(expectation), answer.actual, answer.source, answer.says,
                  answer.command if answer.holds is None else "", line=expectation.line)
    if answer.holds is None:
        out.action = "" if verdict == "PASS" else "MONITOR"
        if verdict == "PASS":
            out.says = "not known, and the policy lets that pass" + (f": {out.says}" if out.says else "")
        return out
    if answer.holds:
        return out
    row = _advice(expectation.path)
    out.action = cast(Any, expectation.action or row.get("action", "CONFIG"))
    out.kind = str(row.get("fault", "configuration"))
    out.fix = expectation.fix or str(row.get("fix", ""))
    out.fix_commands = [str(line) for line in row.get("commands") or ()]
    if expectation.why:
        out.says = f"{out.says}; {expectation.why}" if out.says else expectation.why
    if expectation.path == "gpus.count" and answer.actual == "0":
        out.kind = "configuration"  # none at all: another machine, a slot switched off, or dead; nothing here tells which
    if expectation.path.startswith("findings."):
        _of_finding(out, answer, findings or [])
    return out


def _of_finding(out: Outcome, answer: Judged, findings: list[Finding]) -> None:
    """A finding brings its own fix; the table says which findings are of the hardware and which want a reset."""
    about = next((finding for finding in findings if finding.id == answer.subject.split(" on ")[0]), None)
    table = tables.load("preflight_advice")
    if about is None:
        return
    out.kind = "hardware" if about.id in table["hardware_findings"] else "watch" if about.id in table["reset_findings"] else "software" \
        if about.layer in ("runtime", "framework", "app") else "configuration"
    out.action = "ISOLATE" if out.kind == "hardware" else "RESET" if out.kind == "watch" else "CONFIG" if about.fixes else "MONITOR"
    if about.fixes:
        out.fix, out.fix_commands = about.fixes[0].title, list(about.fixes[0].commands)


def _together(outcomes: list[Outcome]) -> list[Outcome]:
    """GPUs that pass with the same value, or are unknown for the same reason, become one outcome; what is wrong stays apart."""
    groups: dict[tuple[str, ...], list[Outcome]] = {}
    for number, out in enumerate(outcomes):
        alike = out.subject.startswith("gpu ") and out.verdict in ("PASS", "UNKNOWN")
        groups.setdefault((out.verdict, out.actual, out.says) if alike else (str(number),), []).append(out)
    return [group[0] if len(group) == 1 else replace(group[0], subject=f"{len(group)} GPUs") for group in groups.values()]


def _waive(outcomes: list[Outcome], policy: Policy, today: datetime.date) -> None:
    """A waived failure is a warning until its day; past it, it fails again and says why."""
    for out in outcomes:
        waiver = next((w for w in policy.waivers if w.covers(out.expectation, out.subject)), None)
        if waiver is None or out.verdict not in ("FAIL", "UNKNOWN"):
            continue
        if waiver.expires >= today:
            out.verdict = "WARN"
            out.says = f"waived until {waiver.expires}: {waiver.reason}" + (f" ({out.says})" if out.says else "")
        else:
            out.says = f"its waiver expired on {waiver.expires}" + (f"; {out.says}" if out.says else "")


def _split_kernels(outcomes: list[Outcome]) -> None:
    """Wrong through one backend and right through another: the software between them. Wrong through all of several: the device."""
    tested = [out for out in outcomes if out.expectation == "kernels.verdict" and out.verdict != "SKIPPED"]
    wrong = [out for out in tested if out.verdict in ("FAIL", "WARN") and out.kind]
    right = [out for out in tested if out.verdict == "PASS"]
    backends = {out.subject.partition("-")[0] for out in wrong}
    for out in wrong:
        if right and len(backends) == 1:
            out.kind, out.action = "software", "CONFIG"
            out.says = (out.says + "; " if out.says else "") + f"right through {', '.join(o.subject for o in right)}: the backend's software"
        elif len(backends) > 1 and not right:
            out.kind, out.action = "hardware", "ISOLATE"
        else:
            out.kind = "undecided"
