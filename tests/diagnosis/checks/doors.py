"""The two doors of a check: a recorded machine with other variables or another command line, and a text."""

from __future__ import annotations

import copy
import functools
import io
import pathlib
import shutil
import sys

from rocmdoctor.diagnosis import join
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Known, Snapshot
from rocmdoctor.knowledge import rules
from rocmdoctor.live.collect import collect
from rocmdoctor.live.runner import run_probe
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

TOP = pathlib.Path(__file__).resolve().parents[3]
MACHINES = TOP / "fixtures/machines"
AT = "2026-11-28T00:00:00+00:00"


@functools.cache
def knowledge():
    book = rules.load()
    return book, Scanner(book.patterns())


@functools.cache
def _recorded(name):
    return collect(AT, root=str(MACHINES / name))[0]


def of_text(text, facts=None):
    """The findings by id that ``explain`` has for a text."""
    book, scanner = knowledge()
    snapshot = Snapshot(AT, "read")
    interpret.fill(snapshot, [attach.Text("report.txt", attach.clean(text))], scanner)
    for name, value in (facts or {}).items():
        snapshot.facts[name] = Known(value, "probe")
    return {finding.id: finding for finding in make_report(snapshot, book).findings}


def of_files(folder):
    """The findings by id that ``explain`` has for a folder."""
    book, scanner = knowledge()
    snapshot = Snapshot(AT, "read")
    interpret.fill(snapshot, attach.gather([str(folder)], io.BytesIO()).texts, scanner)
    return {finding.id: finding for finding in make_report(snapshot, book).findings}


def of_machine(tmp_path, name="rx7900xtx", environment=None, cmdline=None, files=None, told="", facts=None):
    """The findings by id that ``check --root`` has for a recorded machine in which something was changed; ``told`` is a log beside it."""
    book, scanner = knowledge()
    root = shutil.copytree(MACHINES / name, tmp_path / "machine", symlinks=True)
    if environment is not None:
        place = root / "proc/self/environ"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("\0".join(f"{key}={value}" for key, value in environment.items()) + "\0")
    if cmdline is not None:
        (root / "proc/cmdline").write_text(cmdline + "\n")
    for path, text in (files or {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    snapshot = copy.deepcopy(_recorded(name))
    for probe in (["environment"] if environment is not None else []) + (["kernel"] if cmdline is not None or files and environment is None else []):
        for key in [key for key in snapshot.facts if key.startswith("environment.")]:
            del snapshot.facts[key]
        snapshot.facts.update(run_probe(TOP / f"probes/{probe}.py", deadline=60, interpreter=sys.executable, root=str(root)).facts)
    if told:
        interpret.fill(snapshot, [attach.Text("told.txt", told)], scanner)
    join.join(snapshot.facts)
    for key, value in (facts or {}).items():
        snapshot.facts[key] = Known(value, "probe")
    return {finding.id: finding for finding in make_report(snapshot, book).findings}
