"""A preflight as workflow commands of GitHub Actions: one annotation per outcome that is not right, on the policy's line."""

from __future__ import annotations

from rocmdoctor.preflight.verdict import Preflight
from rocmdoctor.render.gate.text import named, sentence, summary
from rocmdoctor.share.wash import wash, wash_prose

_LEVEL = {"FAIL": "error", "UNKNOWN": "error", "WARN": "warning"}


def _message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _message(text).replace(":", "%3A").replace(",", "%2C")


def render(gate: Preflight) -> str:
    """Errors, warnings, and a notice with the verdict."""
    lines = []
    for outcome in gate.outcomes:
        if outcome.verdict in _LEVEL:
            fix = f"\n{outcome.action}: {wash_prose(outcome.fix)}" if outcome.fix else ""
            lines.append(f"::{_LEVEL[outcome.verdict]} file={_property(wash_prose(gate.policy_file))},line={outcome.line},"
                         f"title={_property(f'{outcome.verdict} {named(outcome)}')}::{_message(sentence(outcome) + fix)}")
    lines.append(f"::notice title={_property(f'rocmdoctor preflight {wash(gate.policy)}')}::{_message(summary(gate))}")
    return "\n".join(lines) + "\n"
