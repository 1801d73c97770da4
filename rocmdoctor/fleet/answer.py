"""What a fleet's reports come to: kinds of machines, who differs and how, what the differing ones have in common."""

from __future__ import annotations

from typing import Any

from rocmdoctor.records import asdict, dataclass, field

SCHEMA = "rocmdoctor.fleet/1"


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact of a node that is not as most of its kind have it; ``share`` is how many of them have ``usual``, 0 to 1."""

    fact: str
    value: str
    usual: str
    share: float


@dataclass(slots=True)
class Outlier:
    """A node that differs or does not pass, with everything that is to be said of it."""

    node: str
    kind: str
    verdict: str
    action: str
    severity: str
    failures: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Cause:
    """What several outliers, or one, have alike: one thing to put right. ``fact`` may be a finding or an expectation."""

    kind: str
    fact: str
    value: str
    usual: str
    nodes: list[str]


@dataclass(frozen=True, slots=True)
class Split:
    """A fact without a usual value: the fleet has several, and none of two thirds."""

    kind: str
    fact: str
    values: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class KindOfMachine:
    """Machines that are compared with each other: one product with one set of GPUs."""

    name: str
    nodes: int
    equal: int


@dataclass(slots=True)
class Fleet:
    """The answer. ``everywhere`` are findings that at least two thirds of a kind have."""

    version: str
    nodes: int
    equal: int
    differing: int
    verdicts: dict[str, int]
    kinds: list[KindOfMachine]
    causes: list[Cause]
    outliers: list[Outlier]
    splits: list[Split]
    everywhere: list[str]
    broken: list[str]
    schema: str = SCHEMA


def to_json(fleet: Fleet) -> dict[str, Any]:
    """The object of ``--json``."""
    return asdict(fleet)


def headline(fleet: Fleet) -> str:
    """``17 equal, 3 differ: kernel.release (2), gpu.link_width (1)``: as few causes as name every differing node, facts first."""
    said = f"{fleet.equal} equal, {fleet.differing} differ"
    told: set[str] = set()
    counted: dict[str, set[str]] = {}
    for cause in sorted(fleet.causes, key=lambda c: (-len(c.nodes), c.fact.startswith(("expectation ", "finding ")))):
        if not told.issuperset(cause.nodes):
            counted.setdefault(cause.fact, set()).update(cause.nodes)
            told.update(cause.nodes)
    top = list(counted.items())
    if top:
        said += ": " + ", ".join(f"{name} ({len(nodes)})" for name, nodes in top[:8]) + (", ..." if len(top) > 8 else "")
    broken = len(fleet.broken)
    return said + (f"; {broken} report{'s' if broken > 1 else ''} could not be read" if broken else "")


def exit_status(fleet: Fleet) -> int:
    """1 when a node differs or fails, 3 when nothing does but reports were broken or too few to compare, else 0."""
    if fleet.outliers:
        return 1
    return 3 if fleet.broken or not any(kind.nodes >= 3 for kind in fleet.kinds) else 0
