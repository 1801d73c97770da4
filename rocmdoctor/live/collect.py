"""Find the probes, run them in their lanes, and put what they say into one snapshot."""

from __future__ import annotations

import ast
import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from rocmdoctor.facts.model import Absent, Fact, Known, ProbeRun, Reason, Snapshot, Unknown
from rocmdoctor.facts.vocabulary import entity, key, split_key
from rocmdoctor.knowledge import cache, syntax
from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.live import trusted, warm
from rocmdoctor.live.runner import Outcome, fill_missing, run_probe, run_tool
from rocmdoctor.records import astuple, dataclass

SIDE_BY_SIDE = 4, 8  # at least, and at most where there are as many processors
_HEAD = ("PROVIDES", "LANE", "DEADLINE", "NEEDS", "PYTHON", "SYSTEM", "SAYS", "FIRST")
# What a recorded Windows machine consists of (see probes/windows_machine.py).
_WINDOWS_EXPORTS = ("registry.reg", "windows.json")
_HEAD_CAP = 1 << 20
_USUAL_START = 0.1  # seconds that an idle machine takes to start an interpreter
Progress = Callable[[str, str], None]
Text = tuple[str, str]
Reached = Callable[[str, dict[str, Fact], list[Text]], None]


@dataclass(frozen=True, slots=True)
class Probe:
    """The head of a probe file. ``needs`` are programs on PATH, or ``module:NAME``; ``system`` is linux (WSL as well), windows or any; ``says`` is
    what it looks at, in words; what ``first`` ones read is changed by work on a GPU, or speaks against it."""

    path: Path
    provides: tuple[str, ...]
    lane: str
    deadline: float
    needs: tuple[str, ...]
    python: str
    system: str = "linux"
    says: str = ""
    first: bool = False


def read_head(path: Path) -> Probe | None:
    """The literals at the top of a probe, read without importing it; None when the file is not a probe."""
    try:
        with open(path, "rb") as file:
            tree = syntax.program(file.read(_HEAD_CAP))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    head: dict[str, Any] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            if name in _HEAD:
                try:
                    head[name] = ast.literal_eval(value)
                except (ValueError, TypeError, SyntaxError, RecursionError):
                    return None
    if head.get("LANE") not in ("quiet", "loud"):
        return None
    try:
        return Probe(path, tuple(str(name) for name in head.get("PROVIDES", ())), head["LANE"],
                     float(head.get("DEADLINE", 5)), tuple(str(need) for need in head.get("NEEDS", ())),
                     str(head.get("PYTHON", "own")), str(head.get("SYSTEM", "linux")), str(head.get("SAYS", path.stem)), head.get("FIRST") is True)
    except (TypeError, ValueError):
        return None


def find_probes(folders: Iterable[Path]) -> list[Probe]:
    """Every probe of the folders and of the folders in them, in the order of their names."""
    paths: list[Path] = []
    for folder in folders:
        paths += sorted(path for pattern in ("*.py", "*/*.py") for path in folder.glob(pattern) if path.is_file())
    return [probe for probe in map(read_head, paths) if probe is not None]


def _house_probes() -> list[Probe]:
    """Those of this package, whose heads are kept: to parse them takes longer than to run some of them."""
    folder = data_dir("probes")
    heads = cache.stamped("probes.json", [*sorted(folder.glob("*.py")), *sorted(folder.glob("*/*.py")), Path(__file__)],
                          lambda: [[str(probe.path), *astuple(probe)[1:]] for probe in find_probes([folder])])
    return [Probe(Path(path), tuple(provides), lane, deadline, tuple(needs), python, system, says, first)
            for path, provides, lane, deadline, needs, python, system, says, first in heads]


def collect(
    taken: str,
    root: str = "/",
    pythons: Sequence[str] = (),
    progress: Progress | None = None,
    probe_dirs: Sequence[Path | str] = (),
    only: Callable[[Probe], bool] | None = None,
    patience: float = 1.0,
    forks: warm.Warm | None = None,
    reached: Reached | None = None,
) -> tuple[Snapshot, list[Text]]:
    """Run every probe, or those that ``only`` chooses. Returns the snapshot and texts to be read.

    ``progress`` gets (what a probe looks at, "waiting" | "started" | how it ended); ``patience`` stretches the deadlines on a machine that is loaded.
    ``forks`` is the warm parent, where the caller has one. ``reached`` is called, with what is known by then, as soon as the probes that
    come first are through ("first"), and when no probe opens a driver any more, either ("alone").
    """
    told: Progress = progress or (lambda probe, state: None)
    if root != "/":  # probes run elsewhere; "/" stays this machine, which has a place of that name on Linux only
        root = str(Path(root).resolve())
    system = system_of(root)
    snapshot = Snapshot(taken=taken, origin="live")
    jobs: list[tuple[Probe, str]] = []
    environment, left_out = trusted.environment(os.environ)
    for probe in find_probes(map(Path, probe_dirs)) if probe_dirs else _house_probes():
        if only and not only(probe) or probe.system not in ("any", system):
            continue
        if probe_dirs and (reason := trusted.why_not(str(probe.path))):
            snapshot.notes.append(f"The probe {probe.path} was not run: {reason}.")
            continue
        refused = _refusal(probe, root, pythons)
        if refused is not None:
            facts: dict[str, Fact] = dict.fromkeys(probe.provides, refused)
            _merge(snapshot, facts)
        elif probe.python == "user":
            jobs += [(probe, python) for python in pythons]
        else:
            jobs.append((probe, sys.executable))

    for probe, _ in jobs:
        told(probe.says, "waiting")

    def work(job: tuple[Probe, str]) -> Outcome:
        told(job[0].says, "started")
        outcome = _run_one(*job, root, patience, environment, parent)
        told(job[0].says, outcome.run.ended)
        return outcome

    quiet = [job for job in jobs if job[0].lane == "quiet"]
    # What a child of the parent loads is found by the parent's variables: those without folders that are not trusted.
    forking = warm.parent(warm.FLAGS, environment) if not forks and not probe_dirs and len(quiet) > 1 else contextlib.nullcontext(forks)
    with forking as parent, ThreadPoolExecutor(max(SIDE_BY_SIDE[0], min(SIDE_BY_SIDE[1], os.cpu_count() or 1))) as pool:
        reading = {job: pool.submit(work, job) for job in sorted(quiet, key=lambda job: not job[0].first)}
        first = [future for job, future in reading.items() if job[0].first]

        def tell(stage: str, *more: Outcome) -> None:
            if reached:
                so_far = Snapshot(taken, "live")
                reached(stage, so_far.facts, _add(so_far, [*(future.result() for future in first), *more]))

        for each in first:
            each.add_done_callback(lambda _: tell("first") if all(future.done() for future in first) else None)
        loud = [work(job) for job in jobs if job[0].lane == "loud"]
        tell("alone", *loud)
        outcomes = [*(reading[job].result() for job in quiet), *loud]
    if root == "/":
        snapshot.notes += [f"Nothing was loaded from {reason}." for reason in left_out]
    return snapshot, _add(snapshot, outcomes)


def _add(snapshot: Snapshot, outcomes: Iterable[Outcome]) -> list[Text]:
    """Put what probes found into the snapshot; their texts."""
    texts: list[Text] = []
    for outcome in outcomes:
        snapshot.runs.append(outcome.run)
        _merge(snapshot, outcome.facts)
        texts += outcome.texts
        snapshot.notes += outcome.notes
    _spread(snapshot)
    _record_stuck(snapshot)
    return texts


def system_of(root: str) -> str:
    """``windows`` or ``linux`` (WSL as well): this machine's, or that of a recorded one.

    >>> system_of("/nowhere")
    'linux'
    """
    if root == "/":
        return "windows" if sys.platform == "win32" else "linux"
    return "windows" if any(Path(root, name).is_file() for name in _WINDOWS_EXPORTS) else "linux"


def find_pythons(environ: Mapping[str, str], home: Path, told: Callable[[str], None] | None = None) -> tuple[str, ...]:
    """Interpreters at hand whose site-packages hold a torch: the active environments first, then the usual places.

    One in which another user has a hand is not among them; ``told`` gets a sentence about it.
    """
    active = [environ[name] for name in ("VIRTUAL_ENV", "CONDA_PREFIX") if environ.get(name)]
    usual = [home / "venv", home / ".venv", home / "ComfyUI/venv", home / "ComfyUI/.venv", Path("/opt/venv"), Path("/opt/conda")]
    found: list[str] = []
    if sys.platform == "win32":
        drive = Path("C:/")
        usual += [home / "AppData/Local/Programs/ComfyUI/.venv", *home.glob("*/python_embed*"), *drive.glob("*/python_embed*"), *drive.glob("*/venv")]
        for folder in dict.fromkeys([*map(Path, active), *usual]):
            python = next((path for path in (folder / "Scripts/python.exe", folder / "python.exe") if path.exists()), None)
            if python and (folder / "Lib/site-packages/torch/version.py").exists():
                _take(python, [folder / "Lib/site-packages/torch/version.py"], found, told)
        return tuple(found[:4])
    for folder in dict.fromkeys([*map(Path, active), *usual]):
        versions = list(folder.glob("lib/python3*/site-packages/torch/version.py"))
        python = folder / "bin/python"
        if not versions or not python.exists():
            continue
        settings = [folder / "pyvenv.cfg"] if (folder / "pyvenv.cfg").exists() else []
        _take(python, [*settings, *versions], found, told)
    return tuple(found[:4])


def _take(python: Path, more: list[Path], found: list[str], told: Callable[[str], None] | None) -> None:
    """Add an interpreter unless another user has a hand in it or in ``more``."""
    reason = next((why for each in (python, *more) if (why := trusted.why_not(str(each)))), "")
    if not reason:
        found.append(str(python))
    elif told:
        told(f"The torch of {python} was not examined: {reason}; --python {python} runs it all the same.")


def _refusal(probe: Probe, root: str, pythons: Sequence[str]) -> Unknown | None:
    """Why a probe is not run at all; None when it is."""
    if root != "/" and probe.lane == "loud":
        return Unknown("skipped", "opens the driver: not done on a recorded machine")
    if probe.python == "user" and not pythons:
        return Unknown("not_collected", "no Python of the user was named")
    for need in probe.needs:
        kind, _, name = need.rpartition(":")
        try:
            found = bool(importlib.util.find_spec(name)) if kind == "module" else trusted.program(name) is not None
        except (ImportError, ValueError):
            found = False
        if not found and probe.python != "user":
            return Unknown("no_tool", f"{name} is not installed")
    return None


def _run_one(probe: Probe, python: str, root: str, patience: float, environment: Mapping[str, str], forks: warm.Warm | None) -> Outcome:
    modules = [need.partition(":")[2] for need in probe.needs if need.startswith("module:")]
    own = probe.python == "own"
    flags = warm.FLAGS if own and not modules else ("-B",)
    # One that reads files only loads nothing and may tell all variables; the others must not load what is not trusted.
    given = None if flags is warm.FLAGS and probe.lane == "quiet" else environment
    try:
        return run_probe(probe.path, provides=probe.provides, deadline=probe.deadline * patience, interpreter=python,
                         flags=flags, root=root, environment=given, warm=forks if own else None, folders=_homes(modules))
    except Exception as error:  # noqa: BLE001 - one probe must never cost the others
        run = ProbeRun(probe.path.stem, python, 0.0, "failed", noise=f"{type(error).__name__}: {error}")
        facts: dict[str, Fact] = {}
        fill_missing(facts, probe.provides, run.ended, run.noise)
        return Outcome(run, facts, [], [])


def _homes(modules: Iterable[str]) -> list[str]:
    """The folders that these modules are imported from."""
    found = [spec.origin for name in modules if (spec := importlib.util.find_spec(name)) and spec.origin]
    return list(dict.fromkeys(str(Path(origin).parents[1] if Path(origin).name == "__init__.py" else Path(origin).parent) for origin in found))


_WEAK: tuple[Reason, ...] = ("not_collected", "not_applicable", "skipped")


def _weight(fact: Fact) -> int:
    """What was read beats what was not there, which beats a good reason, which beats none."""
    if isinstance(fact, Unknown):
        return 0 if fact.reason in _WEAK else 1
    return 2 if isinstance(fact, Absent) else 3


def _merge(snapshot: Snapshot, facts: dict[str, Fact]) -> None:
    for stored, fact in facts.items():
        held = snapshot.facts.get(stored)
        if held is None or _weight(fact) > _weight(held):
            snapshot.facts[stored] = fact


def patience() -> float:
    """How much longer than planned a probe may take: by the processes that want to run now, per processor; on Windows by how long a start takes."""
    if sys.platform == "win32":  # no load is told there, and what looks into each file that is opened slows every start
        return min(10.0, max(1.0, run_tool([sys.executable, *warm.FLAGS, "-c", ""], 5.0)[0].seconds / _USUAL_START))
    try:
        running = int(Path("/proc/loadavg").read_text("ascii").split()[3].partition("/")[0])
    except (OSError, ValueError, IndexError):
        return 1.0
    return min(10.0, max(1.0, running / (os.cpu_count() or 1)))


def merge(snapshot: Snapshot, facts: dict[str, Fact]) -> None:
    """Add facts of a further collection: what is better known wins, and a reason without an item goes to every item."""
    _merge(snapshot, facts)
    _spread(snapshot)


def _spread(snapshot: Snapshot) -> None:
    """A probe that failed before it named an item promised its facts for every item: give each of them the reason."""
    items: dict[str, set[str]] = {}
    for stored in snapshot.facts:
        name, item = split_key(stored)
        if item:
            items.setdefault(entity(name), set()).add(item)
    for stored in list(snapshot.facts):
        name, item = split_key(stored)
        fact = snapshot.facts[stored]
        if item or not entity(name) or not isinstance(fact, Unknown) or not items.get(entity(name)):
            continue
        del snapshot.facts[stored]
        for each in sorted(items[entity(name)]):
            snapshot.facts.setdefault(key(name, each), fact)


def _record_stuck(snapshot: Snapshot) -> None:
    """A probe that cannot be killed is a fact about the driver."""
    stuck = [f"{run.probe}: {run.noise.rpartition(chr(10))[2]}" for run in snapshot.runs if run.ended == "stuck"]
    if not stuck:
        return
    held = snapshot.facts.get("kernel.stuck_processes")
    before = list(held.value) if isinstance(held, Known) and isinstance(held.value, list) else []
    snapshot.facts["kernel.stuck_processes"] = Known(before + stuck, "runner")
