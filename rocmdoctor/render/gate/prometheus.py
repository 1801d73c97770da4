"""A preflight for the textfile collector of Prometheus' node exporter."""

from __future__ import annotations

import datetime

from rocmdoctor.preflight.verdict import ACTIONS, ORDER, Preflight
from rocmdoctor.share.wash import wash

_VERDICTS = tuple(verdict for verdict in ORDER if verdict != "SKIPPED")


def _labels(**values: str) -> str:
    escaped = ((name, wash(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")) for name, value in values.items())
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped) + "}"


def render(gate: Preflight) -> str:
    """The verdict as a set of states (exactly one is 1), each expectation as 1 (holds) or 0, counts, time and duration."""
    policy = gate.policy
    lines = ["# HELP rocmdoctor_preflight_verdict Verdict of the last run; the one that is true has the value 1.",
             "# TYPE rocmdoctor_preflight_verdict gauge"]
    lines += [f"rocmdoctor_preflight_verdict{_labels(policy=policy, verdict=v.lower())} {int(v == gate.verdict)}" for v in _VERDICTS]
    lines += ["# HELP rocmdoctor_preflight_action Gravest action that the run asks for; the one that is true has the value 1.",
              "# TYPE rocmdoctor_preflight_action gauge"]
    lines += [f"rocmdoctor_preflight_action{_labels(policy=policy, action=a.lower() or 'none')} {int(a == gate.action)}" for a in ACTIONS]
    lines += ["# HELP rocmdoctor_preflight_outcomes Outcomes of the last run by verdict.", "# TYPE rocmdoctor_preflight_outcomes gauge"]
    lines += [f"rocmdoctor_preflight_outcomes{_labels(policy=policy, verdict=v.lower())} {sum(o.verdict == v for o in gate.outcomes)}"
              for v in _VERDICTS]
    lines += ["# HELP rocmdoctor_preflight_expectation 1 when the expectation holds for the subject, 0 when it fails, warns or is unknown.",
              "# TYPE rocmdoctor_preflight_expectation gauge"]
    seen: dict[str, int] = {}
    for outcome in gate.outcomes:
        if outcome.verdict != "SKIPPED":
            series = _labels(policy=policy, expectation=outcome.expectation, subject=outcome.subject, verdict=outcome.verdict.lower())
            seen[series] = int(outcome.verdict == "PASS")
    lines += [f"rocmdoctor_preflight_expectation{series} {value}" for series, value in seen.items()]
    taken = datetime.datetime.fromisoformat(gate.taken).timestamp()
    lines += ["# HELP rocmdoctor_preflight_timestamp_seconds When the last run began.", "# TYPE rocmdoctor_preflight_timestamp_seconds gauge",
              f"rocmdoctor_preflight_timestamp_seconds{_labels(policy=policy)} {taken:.0f}",
              "# HELP rocmdoctor_preflight_duration_seconds How long the last run took.", "# TYPE rocmdoctor_preflight_duration_seconds gauge",
              f"rocmdoctor_preflight_duration_seconds{_labels(policy=policy)} {gate.seconds:.3f}"]
    return "\n".join(lines) + "\n"
