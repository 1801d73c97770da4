"""The measured speed between its ceilings, on a logarithmic line: the geometry that the terminal and the SVG share."""

from __future__ import annotations

import math

from rocmdoctor.facts.sections import LlmServer
from rocmdoctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Mark:
    """One point of the line: where (0 to 1), what it is, and how much."""

    at: float
    kind: str
    text: str


def rate(value: float) -> str:
    """Tokens per second as people write them.

    >>> rate(9.53), rate(458.7), rate(16780.2)
    ('9.53', '459', '16780')
    """
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def marks(server: LlmServer) -> list[Mark]:
    """CPU ceiling, measured, GPU ceiling, in the order of their speed; nothing without a measured speed and a ceiling."""
    found = [("cpu", "CPU ceiling", server.cpu_ceiling), ("measured", "measured", server.generation), ("gpu", "GPU ceiling", server.gpu_ceiling)]
    known = [(kind, name, value) for kind, name, value in found if value is not None and value > 0]
    if server.generation is None or len(known) < 2:
        return []
    low, high = min(value for *_, value in known) / 1.6, max(value for *_, value in known) * 1.6
    span = math.log(high / low)
    return [Mark(math.log(value / low) / span, kind, f"{name} {rate(value)}") for kind, name, value in sorted(known, key=lambda row: row[2])]
