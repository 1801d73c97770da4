"""A preflight as one line of a monitoring plugin: state, what is wrong, and performance data behind the bar."""

from __future__ import annotations

from rocmdoctor.preflight.verdict import ORDER, Preflight
from rocmdoctor.render.gate.text import named, sentence

STATE = {"PASS": "OK", "WARN": "WARNING", "FAIL": "CRITICAL", "UNKNOWN": "UNKNOWN", "SKIPPED": "UNKNOWN"}
_LONGEST = 1000


def _plain(text: str) -> str:
    """The bar separates the performance data."""
    return text.replace("|", "/")


def render(gate: Preflight) -> str:
    """``ROCMDOCTOR CRITICAL - pcie.width, gpu 0: expected 16, found x8 [ISOLATE] | pass=12 warn=0 fail=1 unknown=0``."""
    wrong = sorted((o for o in gate.outcomes if o.verdict not in ("PASS", "SKIPPED")), key=lambda o: ORDER.index(o.verdict))
    said = "; ".join(f"{named(o)}: {sentence(o)}" for o in wrong) or f"{sum(o.verdict == 'PASS' for o in gate.outcomes)} expectations hold"
    said = _plain(said if len(said) <= _LONGEST else said[:_LONGEST - 1] + "…")
    data = " ".join(f"{verdict.lower()}={sum(o.verdict == verdict for o in gate.outcomes)}" for verdict in ("PASS", "WARN", "FAIL", "UNKNOWN"))
    action = f" [{gate.action}]" if gate.action else ""
    return f"ROCMDOCTOR {STATE[gate.verdict]} - {said}{action} | {data} time={gate.seconds:.3f}s\n"
