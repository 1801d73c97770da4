"""What a report is made of beside its findings: fixes, the memory picture, what changed, the test kernels, model servers, a model's opinion."""

from __future__ import annotations

from typing import Literal

from rocmdoctor.records import dataclass, field

EffectWords = Literal["only reads", "changes something", ""]
Layer = Literal["platform", "driver", "runtime", "framework", "app"]


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
    language: str = "shell"  # of the commands: shell, powershell, cmd, python, kernel-parameter, yaml, url


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
    """Whether one model fits with one backend: yes, only_with, no or unknown; ``changes`` are the ways that make it fit.

    ``longest_context`` is the longest that fits as the rest is set, 0 where none does or nobody can know.
    """

    model: str
    backend: str
    verdict: Literal["yes", "only_with", "no", "unknown"]
    says: str
    parts: list[Part]
    walls: list[Wall]
    fails_at: str
    changes: list[str]
    settings: str = ""
    longest_context: int = 0


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


@dataclass(frozen=True, slots=True)
class Moment:
    """One point of the time line. ``at`` is UTC; of a line that names no zone it may be off by hours (``sure`` False).

    ``kind`` update, boot, good and bad (checks that were kept), fault (the first line of a finding), then (the state compared with) or now.
    ``suspect`` is the last update before the first fault.
    """

    at: str
    kind: Literal["update", "boot", "good", "bad", "fault", "then", "now"]
    words: str
    note: str = ""
    sure: bool = True
    suspect: bool = False


@dataclass(frozen=True, slots=True)
class KernelCheck:
    """One kernel with a known answer on one device. ``verdict`` is right, wrong, unwritten, failed, hung, crashed, device_lost, untestable or skipped."""

    check: str
    verdict: str
    detail: str
    seconds: float
    catches: str
    source: str


@dataclass(frozen=True, slots=True)
class KernelDevice:
    """What the test kernels showed of one device through one backend."""

    item: str
    backend: str
    device: str
    device_type: str
    gfx: str
    verdict: str
    reason: str
    copy_bytes_per_s: float | None
    expected_bytes_per_s: float | None
    checks: list[KernelCheck]


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
class Quoted:
    """A piece of evidence that a model cited, as it stands in the file: never the model's words. ``line`` is 0 for a fact."""

    number: int
    source: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Advised:
    """One thing that a model would do or look at. ``given`` is the id of the finding or defect whose fix it is, "" for the model's own."""

    what: str
    given: str = ""
    commands: tuple[str, ...] = ()
    effect: EffectWords = ""  # of the commands; "" where they are none of a shell
    language: str = "shell"
    unfounded: tuple[str, ...] = ()  # terms of it that stand neither in the evidence nor in a table


@dataclass(slots=True)
class Opinion:
    """What a language model said of the report. No rule checked it, and no verdict counts it. ``problem`` says why there is none."""

    server: str
    place: str
    model: str
    seconds: float
    problem: str = ""
    cause: str = ""
    contradicts: str = ""
    evidence: list[Quoted] = field(default_factory=list)
    decide: list[Advised] = field(default_factory=list)
    fixes: list[Advised] = field(default_factory=list)
    unfounded: list[str] = field(default_factory=list)
    invented: int = 0  # numbers of evidence or fixes that there are not
    withheld: int = 0  # dangerous commands and sentences that were left out
