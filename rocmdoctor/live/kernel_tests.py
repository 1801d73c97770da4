"""Kernels with known answers, run through every backend: each program in its own process, started again behind a check that killed it."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rocmdoctor import later
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known, ProbeRun, Snapshot
from rocmdoctor.facts.vocabulary import key, split_key
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.live import processes, trusted, warm
from rocmdoctor.live.ahead import Ahead, Begun
from rocmdoctor.live.runner import Go, Outcome, run_probe, run_tool
from rocmdoctor.records import dataclass

BACKENDS = ("vulkan", "hip", "torch")
SOURCE = "test kernels"
# Seconds: for a whole program, and for one submission to the device.
DEADLINES = {1: (10.0, 4.0), 2: (90.0, 10.0), 3: (1800.0, 30.0)}
MOST_RESTARTS = 3
MOST_RUNTIMES = 8
NEW_LINES_KEPT = 50
# Worst first: what one of them is, the device is.
_ORDER = ("hung", "crashed", "device_lost", "wrong", "unwritten", "failed", "right", "untestable", "skipped")
BAD = _ORDER[:6]
_RESET = later.pattern(r"GPU reset begin|reset\(\d+\) (?P<good>succeeded)|GPU reset (?P<done>succeeded|end with ret = 0)|GPU reset (failed|end)|"
                    r"device (?:is )?lost from the bus|device wedged", re.I)
Progress = Callable[[str], None]
Text = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """What to run: the level (1 to 3), through which backends, with which Pythons; ``folder`` holds the programs."""

    level: int = 1
    backends: tuple[str, ...] = ("vulkan", "hip")
    pythons: tuple[str, ...] = ()
    folder: Path | None = None
    deadline: float = 0.0


@dataclass(slots=True)
class _Job:
    backend: str
    program: Path
    interpreter: str
    extra: tuple[str, ...] = ()
    first: int = 0


@contextlib.contextmanager
def ahead(plan: Plan) -> Iterator[Ahead]:
    """While this holds, the first program of each backend of a plan loads what it needs, for :func:`run` to let it go on."""
    firsts = {backend: job for backend in plan.backends for job in _jobs(backend, plan)[:1]}
    begun = Ahead({backend: functools.partial(_started, job, plan, ()) for backend, job in firsts.items()})
    try:
        yield begun
    finally:
        begun.end()


def reaching(begun: Ahead, plan: Plan) -> Callable[[str, dict[str, Fact], list[Text]], None]:
    """What lets the programs that wait go on as the probes do: they list the devices once those are through whose readings that might change, and
    open them beside no other. The long tests ask for all memory that is free, of which an open device takes some."""
    def reached(stage: str, facts: dict[str, Fact], texts: list[Text]) -> None:
        if plan.level == 1 and not in_trouble(facts, texts):
            begun.give("list" if stage == "first" else "open")

    return reached


def run(snapshot: Snapshot, texts: list[Text], plan: Plan, progress: Progress | None = None, begun: Ahead | None = None,
        forks: warm.Warm | None = None) -> None:
    """Test every device of every backend and put what came out into the snapshot (``test.*``, ``kernels.*``).

    ``begun`` are programs that were started ahead, ``forks`` forks the probe that reads the kernel log.
    """
    _run(snapshot, texts, plan, progress, begun, forks)
    _summarise(snapshot)


def _run(snapshot: Snapshot, texts: list[Text], plan: Plan, progress: Progress | None, begun: Ahead | None, forks: warm.Warm | None) -> None:
    said: Progress = progress or (lambda words: None)
    trouble = in_trouble(snapshot.facts, texts)
    if trouble:
        for backend in plan.backends:
            _not_tested(snapshot, f"{backend}-0", backend, "skipped", trouble)
        return
    log = next((text for name, text in texts if name == "kernel log"), "")
    untold: dict[str, list[str]] = {}  # items of each backend since the kernel log was read
    for place, backend in enumerate(plan.backends, 1):
        items: list[str] = []
        for number, job in enumerate(_jobs(backend, plan), 1):
            job.first = len(items)
            new_items = _run_job(job, plan, snapshot, said, log, begun.take(backend) if begun and number == 1 else None)
            items += new_items
            counted = snapshot.facts.get(key("test.runtimes", new_items[0])) if new_items else Known(0, SOURCE)
            if isinstance(counted, Known) and number >= int(counted.value):
                break
        if begun and any(_verdict(snapshot, item) in ("hung", "crashed", "device_lost") for item in items):
            begun.end()  # a device that they had open may be lost with the other's
        untold[backend] = items
        lost = any(_verdict(snapshot, item) in ("hung", "device_lost") for item in items)
        if lost or place == len(plan.backends) or not _idle(plan.backends[place], plan, begun):
            log += _tell_new(snapshot, texts, untold, log, forks)
            untold.clear()
        if not items and backend == "torch":
            _not_tested(snapshot, "torch-0", backend, "untestable", "no Python with a torch was found; --python PATH names one")
        if lost and in_trouble(snapshot.facts, texts):
            for later in plan.backends[place:]:
                _not_tested(snapshot, f"{later}-0", later, "skipped", "the GPU did not come back from the kernels of " + backend)
            return


def _idle(backend: str, plan: Plan, begun: Ahead | None) -> bool:
    """Whether it is known before its turn that a backend has nothing to work on: what comes into the kernel log is then not its doing."""
    return not _jobs(backend, plan) or begun is not None and begun.idle(backend)


def _tell_new(snapshot: Snapshot, texts: list[Text], tested: dict[str, list[str]], log: str, forks: warm.Warm | None) -> str:
    """Put the lines that came into the kernel log with the one of these backends that had work; the lines."""
    new = _new_lines(log, forks)
    if new is None:
        return ""
    worked = next((backend for backend, items in tested.items() if any(key("test.checks", item) in snapshot.facts for item in items)), next(iter(tested)))
    for backend, items in tested.items():
        for item in items:
            snapshot.facts[key("test.new_kernel_lines", item)] = Known(new[-NEW_LINES_KEPT:] if backend == worked else [], "kernel log")
    if new:
        texts.append((f"kernel log while {worked} was tested", "\n".join(new)))
    return "".join("\n" + line for line in new)


def not_a_python(path: str) -> str:
    """Why a named interpreter cannot be used; "" when it answers like one."""
    ended, said = run_tool([path, "-c", "import sys; print('python', sys.version_info[0])"], 10)
    if ended.ended == "ok" and said.strip() == "python 3":
        return ""
    return ended.noise.partition(": ")[2] or "not a Python 3 interpreter" if ended.ended != "timed_out" else "does not answer"


def in_trouble(facts: dict[str, Fact], texts: Iterable[Text]) -> str:
    """Why a GPU must not be given work now; "" when nothing speaks against it."""
    stuck = facts.get("kernel.stuck_processes")
    if isinstance(stuck, Known):
        held = [str(one) for one in stuck.value if re.search(r"amdgpu|kfd|drm|dma_fence|ttm|_kernels", str(one))]
        if held:
            return f"a process is stuck in the driver ({held[0][:80]}): more work would make it worse"
    for item in items_of(facts):
        power = facts.get(key("gpu.power_state", item))
        if isinstance(power, Known) and power.value == "error":
            return "the power state of the GPU is error"
    last = None
    for name, text in texts:
        if name.startswith("kernel log"):
            for found in _RESET.finditer(text):
                last = found
    if last and not (last["good"] or last["done"]):
        return f"the kernel log ends in a GPU reset that did not succeed ({last.group()})"
    return ""


def _summarise(snapshot: Snapshot) -> None:
    """Which backends are right and which are not, over all GPUs: what rules compare."""
    found: dict[str, list[str]] = {"right": [], "wrong": [], "unwritten": [], "broken": []}
    for item in items_of(snapshot.facts, "test"):
        kind, backend = (snapshot.facts.get(key(f"test.{name}", item)) for name in ("device_type", "backend"))
        verdict = {name: name for name in ("right", "wrong", "unwritten")}.get(_verdict(snapshot, item), "")
        verdict = verdict or ("broken" if _verdict(snapshot, item) in ("hung", "crashed", "device_lost") else "")
        if verdict and isinstance(backend, Known) and not (isinstance(kind, Known) and kind.value == "cpu"):
            found[verdict] = list(dict.fromkeys([*found[verdict], str(backend.value)]))
    for name, backends in found.items():
        snapshot.facts[f"kernels.{name}"] = Known(backends, SOURCE)


def _jobs(backend: str, plan: Plan) -> list[_Job]:
    folder = plan.folder or data_dir("probes") / "gpu_sanity"
    program = folder / f"{backend}_kernels.py"
    if not program.is_file():
        return []
    if backend == "torch":
        return [_Job(backend, program, python) for python in plan.pythons]
    if backend == "hip":  # one process for each runtime: two in one process get in each other's way
        return [_Job(backend, program, sys.executable, ("--number", str(number), "--pythons", os.pathsep.join(plan.pythons)))
                for number in range(MOST_RUNTIMES)]
    return [_Job(backend, program, sys.executable)]


def _run_job(job: _Job, plan: Plan, snapshot: Snapshot, said: Progress, log: str, begun: Begun | None) -> list[str]:
    """One program until all its checks were seen to; the items it named. ``log`` is the kernel log so far, ``begun`` the program that waits."""
    rows: dict[str, list[dict[str, Any]]] = {}
    facts: dict[str, Fact] = {}
    reasons: dict[str, str] = {}
    over = 0
    with tempfile.TemporaryDirectory(prefix="rocmdoctor-") as folder:
        told = Path(folder, "progress")
        while True:
            done = [f"{item}:{row['check']}" for item, found in rows.items() for row in found]
            done += [f"{item}:*" for item in reasons]
            ended, new = _one_run(job, plan, told, done, said, begun)
            begun = None
            snapshot.runs.append(ended)
            _take(new, rows, facts)
            if ended.ended == "ok":
                break
            item, check = _at_work(new)
            how = "hung" if ended.ended in ("timed_out", "stuck") else "crashed"
            why = ended.noise.strip().rpartition("\n")[2][:200]
            if how == "crashed" and ended.signal:
                why = f"ended with {ended.signal}" if ended.signal.startswith("0x") else f"killed by {ended.signal}"
            if how == "hung":
                why = "no answer before the deadline" if ended.ended == "timed_out" else f"the process cannot be killed: {why}"
            if not item:
                item = f"{job.backend}-{job.first}"
                facts[key("test.backend", item)] = Known(job.backend, SOURCE)
                rows.setdefault(item, []).append({"check": "start", "verdict": how, "detail": why, "seconds": ended.seconds})
                break
            if not any(row["check"] == check for row in rows.setdefault(item, [])):
                rows[item].append({"check": check, "verdict": how, "detail": why, "seconds": ended.seconds})
            over += 1
            if processes.stopping():
                break
            worse = in_trouble({}, [("kernel log", "\n".join(_new_lines(log) or []))])
            if worse:
                reasons[item] = f"the remaining checks were not run: {worse}"
                break
            if ended.ended == "stuck" or over >= MOST_RESTARTS:
                reasons[item] = "the remaining checks were not run: " + (
                    "a process is stuck in the driver" if ended.ended == "stuck" else f"{over} checks killed their process")
                break
    named = {split_key(stored)[1] for stored in facts} | set(rows)
    for stored, fact in facts.items():
        if split_key(stored)[0] != "test.current":
            snapshot.facts[stored] = fact
    for item in sorted(named):
        _conclude(snapshot, item, plan.level, rows.get(item, []), reasons.get(item, ""))
    return sorted(named)


def _one_run(job: _Job, plan: Plan, told: Path, done: Sequence[str], said: Progress, begun: Begun | None) -> tuple[ProbeRun, dict[str, Fact]]:
    """The program once, with what it says of its progress passed on."""
    stop = threading.Event()

    def watch() -> None:
        last, place = "", begun.told if begun else told
        while not stop.wait(0.3):
            words = place.read_text("utf-8", "replace")[:200] if place.exists() else ""
            if words and words != last:
                last = words
                said(words)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        outcome = begun.outcome() if begun else _started(job, plan, done, told)
    finally:
        stop.set()
        watcher.join()
        if begun:
            begun.end()
    return outcome.run, {stored: fact for stored, fact in outcome.facts.items() if stored.startswith("test.")}


def _started(job: _Job, plan: Plan, done: Sequence[str], told: Path, go: Go | None = None) -> Outcome:
    """The program from its start to its end."""
    deadline, limit = DEADLINES[plan.level]
    return run_probe(
        job.program, deadline=plan.deadline or deadline, interpreter=job.interpreter, flags=("-B",),
        extra=("--level", str(plan.level), "--limit", str(limit), "--done", ",".join(done), "--progress", str(told),
               "--first", str(job.first), *(("--go", str(go.path)) if go else ()), *job.extra),
        environment=trusted.environment(os.environ)[0], go=go)


def _take(new: dict[str, Fact], rows: dict[str, list[dict[str, Any]]], facts: dict[str, Fact]) -> None:
    """Checks are added to those of earlier runs, other facts replaced."""
    for stored, fact in new.items():
        name, item = split_key(stored)
        if name != "test.checks":
            facts[stored] = fact
        elif isinstance(fact, Known) and isinstance(fact.value, list):
            had = {row["check"] for row in rows.setdefault(item, [])}
            rows[item] += [row for row in fact.value if isinstance(row, dict) and isinstance(row.get("check"), str)
                           and row.get("verdict") in _ORDER and row["check"] not in had]


def _at_work(new: dict[str, Fact]) -> tuple[str, str]:
    """(item, check) that was begun last and is not known to be through."""
    begun = [(split_key(stored)[1], str(fact.value)) for stored, fact in new.items()
             if stored.startswith("test.current") and isinstance(fact, Known)]
    return begun[-1] if begun else ("", "")


def _conclude(snapshot: Snapshot, item: str, level: int, rows: list[dict[str, Any]], reason: str) -> None:
    """Verdict of a device and the lists that rules ask for."""
    def put(name: str, value: Any) -> None:
        snapshot.facts[key("test." + name, item)] = Known(value, SOURCE)

    put("level", level)
    if rows:
        put("checks", rows)
        for name, verdicts in (("wrong_checks", ("wrong",)), ("unwritten_checks", ("unwritten",)),
                               ("failed_checks", ("failed", "hung", "crashed", "device_lost"))):
            put(name, [row["check"] for row in rows if row["verdict"] in verdicts])
        put("verdict", min((row["verdict"] for row in rows), key=_ORDER.index))
    elif not isinstance(snapshot.facts.get(key("test.verdict", item)), Known):
        put("verdict", "untestable")
    if reason:
        put("reason", reason)
    _join(snapshot.facts, item)


def _join(facts: dict[str, Fact], item: str) -> None:
    """The GPU that was tested, by its PCI address or by being the only one; its target and the bandwidth of its memory."""
    kind = facts.get(key("test.device_type", item))
    if isinstance(kind, Known) and kind.value == "cpu":
        return
    address = facts.get(key("test.pci_address", item))
    own = items_of(facts)
    if isinstance(address, Known):
        own = [gpu for gpu in own if isinstance(fact := facts.get(key("gpu.pci_address", gpu)), Known) and fact.value == address.value]
    if len(own) != 1:
        return
    mine = own[0]
    target = facts.get(key("gpu.gfx_target", mine))
    if isinstance(target, Known):
        facts[key("test.gfx_target", item)] = target
    named = facts.get(key("gpu.name", mine)) or Known("", "")
    gfx = facts.get(key("test.gfx_target", item))
    rate = tables.bandwidth(str(named.value) if isinstance(named, Known) else "", str(gfx.value) if isinstance(gfx, Known) else "")
    if rate:
        facts[key("test.expected_bytes_per_s", item)] = Known(rate, "table bandwidth")


def _not_tested(snapshot: Snapshot, item: str, backend: str, verdict: str, reason: str) -> None:
    for name, value in (("backend", backend), ("verdict", verdict), ("reason", reason)):
        snapshot.facts[key("test." + name, item)] = Known(value, SOURCE)


def _verdict(snapshot: Snapshot, item: str) -> str:
    fact = snapshot.facts.get(key("test.verdict", item))
    return str(fact.value) if isinstance(fact, Known) else ""


def _new_lines(before: str, forks: warm.Warm | None = None) -> list[str] | None:
    """Kernel log lines that were not there before; None when the log cannot be read."""
    outcome = run_probe(data_dir("probes") / "kernel_log.py", deadline=6, flags=warm.FLAGS, warm=forks)
    had = set(before.splitlines())
    for name, text in outcome.texts:
        if name == "kernel log":
            return [line for line in text.splitlines() if line not in had]
    return None
