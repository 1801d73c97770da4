"""Run one probe program under a deadline that holds even when the probe cannot be killed.

``subprocess.run(timeout=)`` waits for ever for a child in uninterruptible sleep. Here the child gets its own session and
writes to files; at the deadline its group is killed, waited for shortly, and then left behind with its state on record.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

from rocmdoctor.facts.model import Absent, Fact, Known, ProbeRun, Reason, Unknown
from rocmdoctor.facts.vocabulary import declared, entity, key, split_key
from rocmdoctor.live import processes, trusted
from rocmdoctor.live.warm import Warm
from rocmdoctor.texts import door

READ_CAP = 4 << 20
NOISE_KEPT = 4096
_NOISE_CAP = 8 << 20
_OUT_CAP = 64 << 20
_KILL_WAIT = 0.5
_REASONS: dict[str, Reason] = {"failed": "crashed", "crashed": "crashed", "timed_out": "timed_out", "stuck": "stuck"}


class Outcome(NamedTuple):
    """What one probe left. ``texts`` are (name, text) pairs for the readers, ``notes`` are sentences for a person."""

    run: ProbeRun
    facts: dict[str, Fact]
    texts: list[tuple[str, str]]
    notes: list[str]


class Go:
    """The leave to go on that a program waits for which was started ahead: a file for each stage, below ``path``. Its deadline runs from the last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.at: float | None = None
        self.off = False  # it is not wanted any more

    def give(self, stage: str, last: bool = False) -> None:
        """Let it go on to a stage; with the last one its time begins."""
        Path(self.path, stage).touch()
        if last:
            self.at = time.monotonic()

    def over(self, deadline: float) -> float:
        """When its time is over."""
        return 0.0 if self.off else float("inf") if self.at is None else self.at + deadline


def run_probe(
    path: Path,
    *,
    provides: Sequence[str] = (),
    deadline: float = 5.0,
    interpreter: str = sys.executable,
    flags: Sequence[str] = (),
    root: str = "/",
    extra: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    warm: Warm | None = None,
    folders: Sequence[str] = (),
    go: Go | None = None,
) -> Outcome:
    """Run ``interpreter probe --out FILE [--root DIR]``; never raises, never lasts longer than the deadline and a second.

    ``environment`` are its variables, this program's own without. ``warm`` forks it where it can; ``folders`` then hold what it imports besides.
    With ``go`` the deadline counts from when it was let go on.
    """
    began = time.monotonic()
    run = ProbeRun(path.stem, interpreter, 0.0, "failed")
    lines, detail = b"", ""
    folder = tempfile.mkdtemp(prefix="rocmdoctor-")
    try:
        out, noise = Path(folder, "out"), Path(folder, "noise")
        command = [interpreter, *flags, str(path), "--out", str(out), *extra]
        if root != "/":
            command += ["--root", root]
        detail = _run(command, out, noise, run, partial(go.over, deadline) if go else lambda: began + deadline, environment, warm=warm,
                      named=1 + len(flags), folders=folders)
        lines = _head(out, READ_CAP)
        # Up to the last truncation, and since.
        run.noise = (run.noise + _tail(noise)).strip()[-NOISE_KEPT:]
        if run.ended == "stuck":
            run.noise = (run.noise + "\n" + detail).strip()
    except OSError as error:
        detail = f"{type(error).__name__}: {error}"
        run.noise = detail
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    facts, texts, notes, ended = read_lines(lines, path.stem)
    if run.ended == "ok" and not ended:
        run.ended, detail = "failed", "the probe ended before its last line"
    run.seconds = round(time.monotonic() - (go and go.at or began), 3)
    fill_missing(facts, provides, run.ended, detail or _last_line(run.noise))
    return Outcome(run, facts, texts, notes)


def run_tool(command: Sequence[str], deadline: float, cap: int = READ_CAP) -> tuple[ProbeRun, str]:
    """Run a program as it is; how it ended, and the first ``cap`` bytes of what it printed, after which it is ended.

    One that is named with its folder is what somebody asked for; any other is run from the first trusted folder of PATH. Never raises,
    never outlasts the deadline.
    """
    began = time.monotonic()
    run = ProbeRun(command[0], "", 0.0, "failed")
    program = os.path.abspath(command[0]) if os.path.dirname(command[0]) else trusted.program(command[0])
    if program is None:
        run.noise = "FileNotFoundError: No such file or directory"
        return run, ""
    folder = tempfile.mkdtemp(prefix="rocmdoctor-")
    said = ""
    try:
        noise = Path(folder, "noise")
        detail = _run([program, *command[1:]], Path(folder, "out"), noise, run, lambda: began + deadline, trusted.environment(os.environ)[0], cap)
        said = _head(noise, cap).decode("utf-8", "replace")
        run.noise = detail
    except OSError as error:
        run.noise = f"{type(error).__name__}: {error.strerror}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    run.seconds = round(time.monotonic() - began, 3)
    return run, said


def _run(command: list[str], out: Path, noise: Path, run: ProbeRun, until: Callable[[], float], environment: Mapping[str, str] | None, cap: int = 0,
         warm: Warm | None = None, named: int = 0, folders: Sequence[str] = ()) -> str:
    """Start, wait, and at the deadline kill and leave. Sets how the run ended; returns a detail for a person.

    ``cap`` ends a program that printed more; without it the noise is cut back and the program goes on. ``warm`` is to fork the probe
    that the command names at ``named``.
    """
    child = None
    with open(noise, "ab") as sink:
        # Appending: after a truncation the child goes on at the new end and not behind a hole.
        if warm and not warm.broken:
            with contextlib.suppress(ConnectionError):
                child = warm.start(command[named:], noise, processes.marked(processes.surroundings(environment)), folders)
        child = child or processes.start(command, sink, processes.surroundings(environment))
    try:
        return _watch(child, out, noise, run, until, cap)
    finally:
        child.kill()
        child.forget()


def _watch(child: processes.Child, out: Path, noise: Path, run: ProbeRun, until: Callable[[], float], cap: int) -> str:
    pause, verdict = 0.002, ""
    while child.ended() is None:
        left = until() - time.monotonic()
        if left <= 0:
            verdict = "no answer before the deadline"
        elif _size(out) > _OUT_CAP:
            verdict = "wrote more facts than a probe may"
        elif cap and _size(noise) > cap:
            verdict = "wrote more than is read"
        elif processes.stopping():
            verdict = "rocmdoctor was told to end"
        if verdict:
            break
        if not cap and _size(noise) > _NOISE_CAP:
            run.noise = _tail(noise)
            os.truncate(noise, 0)
        child.pause(min(pause, left + 0.001))
        pause = min(pause * 1.5, 0.03)
    code, state = child.ended(), ""
    if code is None:
        state = processes.state(child.pid)
    child.kill()
    if code is not None:
        return _judge_exit(code, run)
    if not child.wait(_KILL_WAIT):
        run.ended = "stuck"
        child.leave()
        return f"process {child.pid} does not die: {processes.state(child.pid)}"
    run.ended, run.signal = ("failed", "") if verdict.startswith("wrote") else ("timed_out", "SIGKILL")
    return f"{verdict}; it was in {state}" if state else verdict


def _judge_exit(code: int, run: ProbeRun) -> str:
    if code == 0:
        run.ended = "ok"
        return ""
    if code < 0:
        run.signal = processes.signal_name(code)
        run.ended = "crashed"
        return f"killed by {run.signal}"
    fault = processes.fault(code)
    run.ended, run.signal = ("crashed", fault) if fault else ("failed", "")
    return f"ended with {fault}" if fault else f"exit status {code}"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _head(path: Path, cap: int) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(cap)
    except OSError:
        return b""


def _tail(path: Path) -> str:
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - NOISE_KEPT))
            return file.read(NOISE_KEPT).decode("utf-8", "replace")
    except OSError:
        return ""


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2][:300]


def read_lines(
    data: bytes, probe: str,
) -> tuple[dict[str, Fact], list[tuple[str, str]], list[str], bool]:
    """Facts, texts, notes and whether the last line was there. Half lines, foreign lines, undeclared facts are dropped."""
    facts: dict[str, Fact] = {}
    texts: list[tuple[str, str]] = []
    notes: list[str] = []
    ended = False
    # What follows the last line feed is half a line.
    for raw in data.split(b"\n")[:-1]:
        try:
            row = door.plain(json.loads(raw), door.Cut())
        except (ValueError, RecursionError):
            continue
        if not isinstance(row, dict):
            continue
        if row.get("end") is True:
            ended = True
        elif isinstance(row.get("text"), str):
            lines = row.get("lines")
            if isinstance(lines, list):
                texts.append((row["text"], "\n".join(str(line) for line in lines)))
        elif isinstance(row.get("note"), str):
            notes.append(row["note"][:500])
        else:
            _take(row, probe, facts)
    return facts, texts, notes, ended


def _take(row: dict[str, Any], probe: str, facts: dict[str, Fact]) -> None:
    name, item = row.get("fact"), row.get("item", "")
    if not isinstance(name, str) or not isinstance(item, str) or not declared(name):
        return
    source = str(row.get("source") or probe)
    fact: Fact
    if row.get("absent") is True:
        fact = Absent(source)
    elif "unknown" in row:
        reason = row["unknown"] if row["unknown"] in get_args(Reason) else "unreadable"
        fact = Unknown(cast(Reason, reason), str(row.get("detail", "")), str(row.get("command", "")))
    elif row.get("value") is not None:
        fact = Known(row["value"], source)
    else:
        return
    facts[key(name, item)] = fact


def fill_missing(facts: dict[str, Fact], provides: Sequence[str], ended: str, detail: str) -> None:
    """Every promised fact without a line becomes unknown: per item when the probe named items, else once."""
    reason: Reason = _REASONS.get(ended, "not_applicable")
    seen = [split_key(stored) for stored in facts]
    for name in provides:
        if name.endswith(".*") and ended == "ok":
            continue
        items = sorted({item for told, item in seen if item and entity(told) == entity(name)}) if entity(name) else []
        for item in items or [""]:
            if name.endswith(".*") and any(told.startswith(name[:-1]) and own == item for told, own in seen):
                continue
            facts.setdefault(key(name, item), Unknown(reason, detail))
