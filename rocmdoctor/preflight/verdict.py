"""The answer of a preflight: one outcome per expectation, one verdict, and whether hardware or software is at fault."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from rocmdoctor.facts.model import ProbeRun, Snapshot, snapshot_to_json
from rocmdoctor.records import asdict, dataclass, field, replace

if TYPE_CHECKING:
    from rocmdoctor.share.redact import Redactor

SCHEMA = "rocmdoctor.preflight/1"
Verdict = Literal["PASS", "WARN", "FAIL", "UNKNOWN", "SKIPPED"]
Action = Literal["", "CONFIG", "RESET", "ISOLATE", "MONITOR"]
# Worst first. What was left out by the level takes no part in the verdict.
ORDER: tuple[Verdict, ...] = ("FAIL", "UNKNOWN", "WARN", "PASS", "SKIPPED")
_IDENTITY = {"gpus.gfx", "gpus.pci_id", "gpus.product"}
# Of an outcome: what a policy or a machine may have put any words into.
_FREE_TEXTS = ("subject", "expected", "actual", "source", "says", "command", "fix")
ACTIONS: tuple[Action, ...] = ("ISOLATE", "RESET", "CONFIG", "MONITOR", "")


@dataclass(slots=True)
class Outcome:
    """What became of one expectation for one subject. ``line`` is that of the policy; ``command`` would show what is unknown."""

    expectation: str
    subject: str
    verdict: Verdict
    expected: str
    actual: str
    source: str = ""
    says: str = ""
    command: str = ""
    action: Action = ""
    kind: str = ""  # of the fault: configuration, software, hardware, watch, undecided
    fix: str = ""
    fix_commands: list[str] = field(default_factory=list)
    line: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """Where the fault most likely lies: none, configuration, software, hardware_suspected or undecided, in a sentence."""

    kind: Literal["none", "configuration", "software", "hardware_suspected", "undecided"]
    says: str


@dataclass(slots=True)
class Preflight:
    """One gate on one machine: what every renderer of it gets. ``action`` is the gravest of the outcomes."""

    version: str
    node: str
    policy: str
    policy_file: str
    level: int
    verdict: Verdict
    exit_status: int
    action: Action
    fault: Fault
    outcomes: list[Outcome]
    notes: list[str]
    seconds: float
    taken: str
    findings: list[FoundFinding]
    probes: list[ProbeRun]
    snapshot: Snapshot
    schema: str = SCHEMA


@dataclass(frozen=True, slots=True)
class FoundFinding:
    """A finding of the rules, in short."""

    id: str
    severity: str
    standing: str
    title: str


_NAMED = 4


def overall(outcomes: Sequence[Outcome]) -> Verdict:
    """The worst verdict of all; UNKNOWN when nothing at all was asked."""
    asked = [outcome.verdict for outcome in outcomes if outcome.verdict != "SKIPPED"]
    return min(asked, key=ORDER.index) if asked else "UNKNOWN"


def gravest(outcomes: Sequence[Outcome]) -> Action:
    """The gravest action that any outcome that is not right asks for."""
    return min((outcome.action for outcome in outcomes if outcome.verdict not in ("PASS", "SKIPPED")), key=ACTIONS.index, default="")


def counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many outcomes of each verdict there are, worst first; those with none are left out."""
    found = {verdict: sum(outcome.verdict == verdict for outcome in outcomes) for verdict in ORDER}
    return {verdict: count for verdict, count in found.items() if count}


def fault(outcomes: Sequence[Outcome]) -> Fault:
    """Where the fault lies, and where the gate is UNKNOWN, for want of what."""
    found = _fault(outcomes)
    missing = sorted({outcome.expectation for outcome in outcomes if outcome.verdict == "UNKNOWN"})
    if not missing or overall(outcomes) != "UNKNOWN" or found.kind == "undecided":
        return found
    more = f" and {len(missing) - _NAMED} more" if len(missing) > _NAMED else ""
    return Fault(found.kind, f"{found.says} Not passed, because {', '.join(missing[:_NAMED])}{more} could not be examined.")


def _fault(outcomes: Sequence[Outcome]) -> Fault:
    """Hardware and software told apart by independent signs; one reading never condemns a part.

    Counters that the hardware keeps (RAS, retired pages), a device that is missing, and kernels wrong through more than one
    backend speak for hardware; versions outside the policy, and kernels wrong through one backend while another is right, for
    software.
    """
    bad = [o for o in outcomes if o.verdict == "FAIL"] or [o for o in outcomes if o.verdict == "WARN"]
    names = {kind: sorted({o.expectation for o in bad if o.kind == kind}) for kind in ("hardware", "software", "configuration")}
    hard, soft, config = names["hardware"], names["software"], names["configuration"]
    others = sorted({o.expectation for o in bad} & _IDENTITY)
    if others:
        return Fault("configuration", f"These are not the GPUs that the policy is about ({', '.join(others)}): another machine, or another policy, "
                     "so nothing is said of a fault.")
    again = "One reading is not enough to replace anything: reset or cold-boot, run this again, and compare both reports."
    if hard and soft:
        return Fault("undecided", f"Hardware signs ({', '.join(hard)}) and software outside the policy ({', '.join(soft)}) at once: put the "
                     f"software right first, then repeat; if the hardware signs stay, isolate the node. {again}")
    if hard:
        return Fault("hardware_suspected", f"Signs of hardware ({', '.join(hard)}), and no software outside the policy. {again}")
    watched = sorted({o.expectation for o in bad if o.kind == "watch"})
    if soft and watched:
        return Fault("software", f"The software differs from the policy ({', '.join(soft)}), which a regression or a wrong version explains; of the hardware "
                     f"{', '.join(watched)} is to be watched.")
    if soft:
        return Fault("software", f"The software differs from the policy ({', '.join(soft)}), and nothing that was examined speaks for hardware: "
                     "a regression or a wrong version, not a broken part.")
    if config:
        return Fault("configuration", f"Settings differ from the policy ({', '.join(config)}).")
    if any(outcome.kind == "undecided" for outcome in bad):
        return Fault("undecided", f"One reading that could be either ({', '.join(sorted({o.expectation for o in bad}))}): repeat it after a reset and "
                     "through another backend.")
    if bad:
        return Fault("none", f"Nothing is broken; to be watched: {', '.join(sorted({o.expectation for o in bad}))}.")
    if any(outcome.verdict == "UNKNOWN" for outcome in outcomes):
        some = any(outcome.verdict == "PASS" for outcome in outcomes)
        return Fault("undecided", "What was examined is right; what could not be examined is named below." if some else
                     "Nothing could be examined; why is named below.")
    return Fault("none", "Everything that was examined is as the policy expects.")


def exit_status(verdict: Verdict, warnings_fail: bool) -> int:
    """0 passed, 1 failed (with ``warnings_fail`` a warning too), 3 unknown."""
    return {"PASS": 0, "WARN": 1 if warnings_fail else 0, "FAIL": 1}.get(verdict, 3)


def redacted(gate: Preflight, private: Redactor, with_snapshot: bool) -> Preflight:
    """As it may leave the machine: the texts of the outcomes and of the policy and, where it is wanted, the snapshot carry no
    private words.

    The name of the node stays: reports of a fleet are told apart by it.
    """
    from rocmdoctor.share.redact import snapshot as redact_snapshot

    for out in gate.outcomes:
        for text in (*(getattr(out, name) for name in _FREE_TEXTS), *out.fix_commands):
            private.learn(text)
    for text in (gate.policy, gate.policy_file, *gate.notes, *(found.title for found in gate.findings)):
        private.learn(text)
    snapshot = redact_snapshot(gate.snapshot, private) if with_snapshot else gate.snapshot
    outcomes = []
    for out in gate.outcomes:
        clean: dict[str, Any] = {name: private.text(getattr(out, name), "outcomes") for name in _FREE_TEXTS}
        outcomes.append(replace(out, fix_commands=[private.text(line, "outcomes") for line in out.fix_commands], **clean))
    findings = [replace(found, title=private.text(found.title, "findings")) for found in gate.findings]
    return replace(gate, policy=private.text(gate.policy, "policy"), policy_file=private.text(gate.policy_file, "policy"), outcomes=outcomes, findings=findings,
                   notes=[private.text(note, "notes") for note in gate.notes],
                   probes=list(snapshot.runs), snapshot=snapshot)


def to_json(gate: Preflight) -> dict[str, Any]:
    """The object of ``--format json``."""
    plain = {name: getattr(gate, name) for name in Preflight.__dataclass_fields__}
    for name in ("outcomes", "findings", "probes"):
        plain[name] = [asdict(entry) for entry in plain[name]]
    whole: dict[str, Any] = _without_nan({**plain, "fault": asdict(gate.fault), "snapshot": snapshot_to_json(gate.snapshot)})
    return whole


def _without_nan(value: Any) -> Any:
    """JSON has no word for what is not a number, or for the infinite: null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _without_nan(inner) for name, inner in value.items()}
    return [_without_nan(inner) for inner in value] if isinstance(value, (list, tuple)) else value
