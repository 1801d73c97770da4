"""What each level examines. Level 1 reads files and opens the device nodes; level 2 lets drivers and torch speak and runs kernels with
known answers, on idle GPUs only; level 3 runs the long ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rocmdoctor.facts.model import Fact, Known, Snapshot, Unknown
from rocmdoctor.facts.vocabulary import split_key
from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.live.collect import Probe, Progress, collect, find_probes, merge

if TYPE_CHECKING:
    from rocmdoctor.scan.scanner import Scanner

# A desktop's compositor keeps a GPU a little busy and holds VRAM of it; neither is a job.
BUSY_PERCENT = 20
# Opening and closing the nodes disturbs nobody, and only this tells what a container's device rules allow.
_AT_EVERY_LEVEL = ("device_open",)
# Histories of package managers take seconds, and a gate asks what is, not how it came about.
_AT_NO_LEVEL = ("updates",)


def _quiet(probe: Probe) -> bool:
    return (probe.lane == "quiet" or probe.path.stem in _AT_EVERY_LEVEL) and probe.path.stem not in _AT_NO_LEVEL


def _loud(probe: Probe) -> bool:
    return not _quiet(probe) and probe.path.stem not in _AT_NO_LEVEL


def examination(taken: str, root: str, level: int, pythons: Sequence[str], scanner: Callable[[], Scanner], patience: float = 1.0,
                progress: Progress | None = None) -> Snapshot:
    """The snapshot of this machine, or of a recorded one, as far as the level goes; a busy GPU is seen and left alone."""
    snapshot, texts = collect(taken, root=root, progress=progress, only=_quiet, patience=patience)
    if level >= 2:
        reason = busy(snapshot.facts)
        if reason:
            left = {name for probe in filter(_loud, find_probes([data_dir("probes")])) for name in probe.provides}
            facts: dict[str, Fact] = dict.fromkeys((*sorted(left), "test.verdict"), Unknown("skipped", reason))
            merge(snapshot, facts)
            snapshot.notes.append(f"{reason}: drivers and torch were not asked, so that no job is disturbed")
        else:
            heard, more = collect(taken, root=root, pythons=pythons, progress=progress, only=_loud, patience=patience)
            merge(snapshot, heard.facts)
            snapshot.runs += heard.runs
            snapshot.notes += heard.notes
            texts += more
            if root == "/":
                from rocmdoctor.live import kernel_tests

                backends = kernel_tests.BACKENDS if pythons else tuple(name for name in kernel_tests.BACKENDS if name != "torch")
                kernel_tests.run(snapshot, texts, kernel_tests.Plan(level, backends, tuple(pythons)), progress and (lambda words: progress(words, "started")))
    from rocmdoctor.texts import interpret  # big, and not needed while the probes run

    interpret.fill(snapshot, [interpret.gathered(name, text) for name, text in texts], scanner())
    return snapshot


def busy(facts: dict[str, Fact]) -> str:
    """Why a GPU may not be touched now, "" when all are idle: work on it, or a process with a compute queue that holds its memory."""
    for key, fact in facts.items():
        name, item = split_key(key)
        if not isinstance(fact, Known):
            continue
        if name == "gpu.busy_percent" and fact.value >= BUSY_PERCENT:
            return f"GPU {item} is busy ({fact.value} %)"
        if name == "gpu.holders":
            jobs = [row for row in fact.value if row.get("kfd_bytes")]
            if jobs:
                return f"GPU {item} is busy ({jobs[0].get('name')}, process {jobs[0].get('pid')}, computes on it)"
    return ""
