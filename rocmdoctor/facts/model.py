"""The types that every stage shares. A fact is known, known to be absent, or unknown for a stated reason."""

from __future__ import annotations

from typing import Any, Literal, Union

from rocmdoctor.facts.sections import Comparison, Fix, KernelDevice, Layer, LlmServer, MemoryPicture, Moment, Opinion
from rocmdoctor.records import asdict, dataclass, field

SNAPSHOT_SCHEMA = "rocmdoctor.snapshot/1"
REPORT_SCHEMA = "rocmdoctor.report/1"

Reason = Literal[
    "not_collected", "not_applicable", "no_permission", "no_tool", "timed_out",
    "stuck", "crashed", "unreadable", "skipped",
]
Severity = Literal["critical", "error", "warning", "info"]
Standing = Literal["cause", "possible", "symptom", "risk"]
LAYERS: tuple[Layer, ...] = ("platform", "driver", "runtime", "framework", "app")
SEVERITIES: tuple[Severity, ...] = ("critical", "error", "warning", "info")
GRAVE, LOUD = SEVERITIES[:2], SEVERITIES[:3]  # something does not work; something is to be done


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
    """A line of a text that a signal was seen in: ``rule`` and ``group`` are its topic and name, or the rule that owns it and its name there."""

    rule: str
    group: str
    source: str
    line: int
    text: str
    captures: dict[str, str]
    around: tuple[str, ...] = ()  # the line with its neighbours, for the first hits of a rule
    kind: str = ""  # the kind of text the line stands in


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
    """One rung of the ladder. ``because`` is the id of the finding that broke it, ``shown`` what was seen to work, in words."""

    name: Layer
    status: Literal["ok", "warning", "error", "unknown"]
    because: str = ""
    shown: str = ""


@dataclass(frozen=True, slots=True)
class Missing:
    """A fact that matters and is not known, with the command that would show it."""

    fact: str
    reason: str
    command: str = ""


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
    changes: Comparison | None = None
    kernels: list[KernelDevice] | None = None
    llm: list[LlmServer] | None = None
    opinion: Opinion | None = None
    timeline: list[Moment] | None = None


def fact_to_json(fact: Fact) -> dict[str, Any]:
    """``{"state": "known"|"absent"|"unknown", ...}``."""
    state = type(fact).__name__.lower()
    return {"state": state, **asdict(fact)}


def _sane(value: Any) -> Any:
    """The value, unless it holds a number that no fact has and no arithmetic survives (NaN, infinity, 400 digits): ValueError."""
    if isinstance(value, float) and not abs(value) < 1e300 or isinstance(value, int) and abs(value) >= 1 << 80:
        raise ValueError(f"a number out of range: {str(value)[:20] if isinstance(value, float) else 'an integer of many digits'}")
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _sane(inner)
    return value


def fact_from_json(data: dict[str, Any]) -> Fact:
    """The inverse of :func:`fact_to_json`; a number that no fact has makes it unknown. Raises KeyError or TypeError on foreign data."""
    try:
        _sane(data.get("value"))
    except ValueError as error:
        return Unknown("unreadable", str(error))
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
    for number in (data["texts_read"], *(h["line"] for h in data["hits"]), *(r["seconds"] for r in data["runs"])):
        _sane(number)
    hits = [Hit(str(h["rule"]), str(h["group"]), str(h["source"]), int(h["line"]), str(h["text"]),
                {str(k): str(v) for k, v in h["captures"].items()}, tuple(map(str, h.get("around") or ())), str(h.get("kind", ""))) for h in data["hits"]]
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
        **({"changes": asdict(report.changes)} if report.changes else {}),
        **({"timeline": [asdict(moment) for moment in report.timeline]} if report.timeline else {}),
        **({"kernels": [asdict(device) for device in report.kernels]} if report.kernels else {}),
        **({"llm": [asdict(server) for server in report.llm]} if report.llm else {}),
        **({"opinion": asdict(report.opinion)} if report.opinion else {}),
    }
