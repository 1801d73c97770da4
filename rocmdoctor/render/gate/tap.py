"""A preflight in the Test Anything Protocol, version 13. A warning is `not ok ... # TODO`, which harnesses report and do not fail."""

from __future__ import annotations

import json

from rocmdoctor.preflight.verdict import Outcome, Preflight
from rocmdoctor.render.gate.text import named, sentence
from rocmdoctor.share.wash import wash


def _safe(text: str) -> str:
    """A bare # would begin a directive."""
    return text.replace("\\", "/").replace("#", "No.")


def _line(number: int, outcome: Outcome) -> str:
    words = _safe(named(outcome))
    if outcome.verdict == "SKIPPED":
        return f"ok {number} - {words} # SKIP {_safe(outcome.says)}"
    if outcome.verdict == "WARN":
        return f"not ok {number} - {words} # TODO warning: {_safe(sentence(outcome))}"
    return f"{'ok' if outcome.verdict == 'PASS' else 'not ok'} {number} - {words}"


def render(gate: Preflight) -> str:
    """One test line per outcome, with a YAML block below what did not pass."""
    lines = ["TAP version 13", f"1..{len(gate.outcomes)}"]
    for number, outcome in enumerate(gate.outcomes, 1):
        lines.append(_line(number, outcome))
        if outcome.verdict in ("FAIL", "UNKNOWN"):
            # JSON strings are YAML strings too.
            rows = {"verdict": outcome.verdict, "expected": outcome.expected, "actual": outcome.actual, "source": outcome.source,
                    "says": outcome.says, "action": outcome.action, "fix": outcome.fix}
            lines += ["  ---", *(f"  {name}: {json.dumps(wash(value))}" for name, value in rows.items() if value), "  ..."]
    return "\n".join(lines) + "\n"
