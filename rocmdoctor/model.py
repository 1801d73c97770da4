"""The types that every stage shares. A fact is known, known to be absent, or unknown for a stated reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Union

SNAPSHOT_SCHEMA = "rocmdoctor.snapshot/1"
REPORT_SCHEMA = "rocmdoctor.report/1"

Reason = Literal[
    "not_collected", "not_applicable", "no_permission", "no_tool", "timed_out",
    "stuck", "crashed", "unreadable", "skipped",
]
Severity = Literal["critical", "error", "warning", "info"]
Standing = Literal["cause", "possible", "symptom", "risk"]
Layer = Literal["platform", "driver", "runtime", "framework", "app"]
LAYERS: tuple[Layer, ...] = ("platform", "driver", "runtime", "framework", "app")
SEVERITIES: tuple[Severity, ...] = ("critical", "error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Known:
    """A value somebody reported. ``source`` is a probe name, or ``file:line``."""

    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class Absent:
    """Looked for and not there (an unset variable, a missing node): not the same as unread."""

    source: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Not learnt. ``command`` is what a person could run to learn it."""

    reason: Reason = "not_collected"
    detail: str = ""
    command: str = ""


Fact = Union[Known, Absent, Unknown]


@dataclass(frozen=True, slots=True)
class Reading:
    """One fact out of a text; value None is "known to be absent". ``item`` names the device or installation ("": the machine)."""

    name: str
    value: Any
    item: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """Lines of a text that matched a rule's pattern group."""

    rule: str
    group: str
    source: str
    line: int
    text: str
    captures: dict[str, str]
    around: tuple[str, ...] = ()  # the line with its neighbours, for the first hits of a rule


@dataclass(slots=True)
class ProbeRun:
    """How one probe ended: ok, failed, timed_out, stuck, crashed."""

    probe: str
    interpreter: str
    seconds: float
    ended: str
    signal: str = ""
    noise: str = ""


@dataclass(slots=True)
class Snapshot:
    """Everything known about one machine. Keys of ``facts`` are ``name`` or ``name[item]``."""

    taken: str
    origin: Literal["live", "read"]
    facts: dict[str, Fact] = field(default_factory=dict)
    hits: list[Hit] = field(default_factory=list)
    runs: list[ProbeRun] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    texts_read: int = 0
    schema: str = SNAPSHOT_SCHEMA


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quoted line of a text (source, line, text) or a fact (fact, value, source)."""

    source: str = ""
    line: int = 0
    text: str = ""
    fact: str = ""
    value: Any = None
    around: tuple[str, ...] = field(default=(), compare=False)  # the same line is the same evidence, whatever stands beside it


@dataclass(frozen=True, slots=True)
class Fix:
    """One thing to do, with what it costs and how to take it back."""

    title: str
    detail: str = ""
    commands: tuple[str, ...] = ()
    risk: str = "none"
    needs: tuple[str, ...] = ()
    side_effects: str = ""
    verify: str = ""
    undo: str = ""


@dataclass(slots=True)
class Finding:
    """One answer, best first in a report."""

    id: str
    standing: Standing
    severity: Severity
    layer: Layer
    subject: str
    title: str
    summary: str
    cause: str
    evidence: list[Evidence] = field(default_factory=list)
    explains: list[str] = field(default_factory=list)
    to_decide: list[str] = field(default_factory=list)
    fixes: list[Fix] = field(default_factory=list)
    references: list[str] = field(default_factory=list)
    rank: int = 0


@dataclass(frozen=True, slots=True)
class LayerState:
    """One rung of the ladder. ``because`` is the id of the finding that broke it."""

    name: Layer
    status: Literal["ok", "warning", "error", "unknown"]
    because: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """A fact that matters and is not known, with the command that would show it."""

    fact: str
    reason: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class Pool:
    """One place where memory is, in bytes. ``kind`` is vram, visible, gtt, limit, ram, kfd, hip, vulkan, dedicated, shared or app."""

    name: str
    kind: str
    total_bytes: int | None
    used_bytes: int | None = None
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that holds memory of the GPU now."""

    pid: int
    name: str
    vram_bytes: int
    gtt_bytes: int
    kfd_bytes: int


@dataclass(frozen=True, slots=True)
class AppReading:
    """Which number an application takes for the size of the GPU. ``bytes`` is None when that number is not known here."""

    app: str
    backend: str
    versions: str
    reads: str
    bytes: int | None
    note: str
    source: str
    installed: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One part of what a model needs. ``where`` is gpu, host, or load (only while it is being loaded)."""

    name: str
    where: Literal["gpu", "host", "load"]
    bytes: int


@dataclass(frozen=True, slots=True)
class Wall:
    """One limit that a model meets, in the order of loading. ``holds`` is None when the limit is not known."""

    name: str
    needed_bytes: int
    limit_bytes: int | None
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether one model fits with one backend: yes, only_with, no or unknown; ``changes`` are the ways that make it fit."""

    model: str
    backend: str
    verdict: Literal["yes", "only_with", "no", "unknown"]
    says: str
    parts: list[Part]
    walls: list[Wall]
    fails_at: str
    changes: list[str]
    settings: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to set on an APU. ``limit_bytes`` is the TTM limit on Linux, None where there is none to set."""

    says: str
    carve_out_bytes: int
    system_bytes: int
    limit_bytes: int | None
    steps: list[Fix]


@dataclass(slots=True)
class GpuMemory:
    """Where the memory of one GPU is, who holds it, what each application takes it for, and what fits."""

    item: str
    name: str
    gfx: str
    is_apu: bool | None
    pools: list[Pool]
    holders: list[Holder]
    holders_unknown: str
    apps: list[AppReading]
    fits: list[Fit] = field(default_factory=list)
    plan: Plan | None = None


@dataclass(slots=True)
class MemoryPicture:
    """The memory of a machine: what all GPUs share, and each GPU."""

    system: list[Pool]
    gpus: list[GpuMemory]


@dataclass(frozen=True, slots=True)
class LlmServer:
    """What a running language model server did when it was asked. Speeds and ceilings are tokens per second, None where unknown."""

    place: str
    server: str
    model: str
    verdict: str
    shown: str
    right: int | None
    asked: int | None
    device: str
    seen: list[str]
    generation: float | None
    prompt: float | None
    gpu_ceiling: float | None
    cpu_ceiling: float | None
    ceilings_of: str
    speed: str
    speed_why: str


@dataclass(frozen=True, slots=True)
class ChangedPart:
    """One fact or package that changed, as it is shown; "" stands for "not there"."""

    name: str
    old: str
    new: str


@dataclass(slots=True)
class Change:
    """One component that changed. ``verdict`` is bad (the new version is known to be), possible, or "" (nothing known)."""

    component: str
    title: str
    layer: Layer
    standing: Literal["suspect", "result", "other"]
    how: str
    old: str
    new: str
    parts: list[ChangedPart] = field(default_factory=list)
    at: str = ""
    verdict: Literal["bad", "possible", ""] = ""
    says: str = ""
    way_back: list[Fix] = field(default_factory=list)
    references: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Event:
    """A package changed, or the machine booted, at a time; ``component`` is "" for a package of none."""

    at: str
    kind: Literal["package", "boot"]
    name: str
    old: str
    new: str
    component: str = ""
    by: str = ""


@dataclass(slots=True)
class Comparison:
    """What changed between two states, the suspects first. ``basis`` history: only what package managers recorded."""

    old: str
    new: str
    since: str
    until: str
    basis: Literal["states", "history"]
    two_machines: bool
    changes: list[Change] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    unrelated: int = 0
    hidden: list[str] = field(default_factory=list)
    compared: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Removed:
    """One private value that was taken out: the token in its place, its kind, how often, and the first places."""

    token: str
    kind: str
    count: int = 0
    where: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Report:
    """What every renderer gets."""

    version: str
    origin: Literal["live", "read"]
    verdict: Literal["healthy", "problems", "unknown", "no_amd_gpu"]
    layers: list[LayerState]
    findings: list[Finding]
    facts: dict[str, Any]
    snapshot: Snapshot
    unknown: list[Missing]
    notes: list[str] = field(default_factory=list)
    removed: list[Removed] = field(default_factory=list)
    schema: str = REPORT_SCHEMA
    memory: MemoryPicture | None = None
    llm: list[LlmServer] | None = None
    changes: Comparison | None = None


def fact_to_json(fact: Fact) -> dict[str, Any]:
    """``{"state": "known"|"absent"|"unknown", ...}``."""
    state = type(fact).__name__.lower()
    return {"state": state, **asdict(fact)}


def fact_from_json(data: dict[str, Any]) -> Fact:
    """The inverse of :func:`fact_to_json`. Raises KeyError or TypeError on foreign data."""
    rest = {k: v if k == "value" else str(v) for k, v in data.items() if k != "state"}
    kinds: dict[str, Any] = {"known": Known, "absent": Absent, "unknown": Unknown}
    made: Fact = kinds[data["state"]](**rest)
    return made


def snapshot_to_json(snapshot: Snapshot) -> dict[str, Any]:
    """Plain data; :func:`snapshot_from_json` gives back an equal Snapshot."""
    return {
        "schema": snapshot.schema,
        "taken": snapshot.taken,
        "origin": snapshot.origin,
        "facts": {name: fact_to_json(fact) for name, fact in snapshot.facts.items()},
        "hits": [asdict(hit) for hit in snapshot.hits],
        "runs": [asdict(run) for run in snapshot.runs],
        "notes": list(snapshot.notes),
        "texts_read": snapshot.texts_read,
    }


def snapshot_from_json(data: dict[str, Any]) -> Snapshot:
    """Raises KeyError, TypeError or ValueError when the data is not a snapshot of a known schema."""
    if data["schema"] != SNAPSHOT_SCHEMA:
        raise ValueError(f"snapshot schema {data['schema']!r}, this version reads {SNAPSHOT_SCHEMA!r}")
    if data["origin"] not in ("live", "read"):
        raise ValueError(f"origin {data['origin']!r} is neither live nor read")
    hits = [Hit(str(h["rule"]), str(h["group"]), str(h["source"]), int(h["line"]), str(h["text"]),
                {str(k): str(v) for k, v in h["captures"].items()}, tuple(map(str, h.get("around") or ()))) for h in data["hits"]]
    runs = [ProbeRun(str(r["probe"]), str(r["interpreter"]), float(r["seconds"]), str(r["ended"]),
                     str(r.get("signal", "")), str(r.get("noise", ""))) for r in data["runs"]]
    return Snapshot(
        taken=str(data["taken"]),
        origin=data["origin"],
        facts={str(name): fact_from_json(fact) for name, fact in data["facts"].items()},
        hits=hits,
        runs=runs,
        notes=[str(note) for note in data["notes"]],
        texts_read=int(data["texts_read"]),
    )


def report_to_json(report: Report) -> dict[str, Any]:
    """The object of ``--json``; every renderer uses the same one."""
    return {
        "schema": report.schema,
        "version": report.version,
        "origin": report.origin,
        "verdict": report.verdict,
        "layers": [asdict(layer) for layer in report.layers],
        "findings": [asdict(finding) for finding in report.findings],
        "facts": report.facts,
        "snapshot": snapshot_to_json(report.snapshot),
        "unknown": [asdict(missing) for missing in report.unknown],
        "probes": [asdict(run) for run in report.snapshot.runs],
        "notes": list(report.notes),
        "removed": [asdict(entry) for entry in report.removed],
        **({"memory": asdict(report.memory)} if report.memory else {}),
        **({"llm": [asdict(server) for server in report.llm]} if report.llm else {}),
        **({"changes": asdict(report.changes)} if report.changes else {}),
    }
