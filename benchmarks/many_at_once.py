"""Many checks at once on a cold cache, some of them told to end: what each answered, how long the ends took, what was left behind.

    python benchmarks/many_at_once.py [--runs 50] [--every 10] [--command "rocmdoctor check --no-kernels --json"]

Each run has slow tools on its PATH that leave its group. Exit status 1 when a process, a temporary file or half a cache is left, or an answer differs.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[1]
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
# Told apart from all other processes by how long it sleeps.
SLEEPS = f"{random.randrange(10_000, 90_000)}.5"
TOOL = f"#!/bin/sh\nsetsid sleep {SLEEPS} &\nsleep 0.{random.randrange(3, 9)}\necho 'amdgpu 0000:03:00.0: amdgpu: Fetched VBIOS from VFCT'\n"


def left_processes() -> list[str]:
    """Command lines of tools that still run."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if SLEEPS.encode() in line.split(b"\0"):
            found.append(line.replace(b"\0", b" ").decode("utf-8", "replace").strip())
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--every", type=int, default=10, help="one in so many gets a signal")
    parser.add_argument("--command", default=f"{sys.executable} -m rocmdoctor check --no-kernels --json")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="many-") as top:
        return measure(pathlib.Path(top), given.runs, given.every, shlex.split(given.command))


def measure(top: pathlib.Path, runs: int, every: int, command: list[str]) -> int:
    tools = top / "tools"
    tools.mkdir()
    for name in ("dmesg", "ollama", "rpm"):
        (tools / name).write_text(TOOL)
        (tools / name).chmod(0o755)
    (top / "tmp").mkdir()
    variables = {**os.environ, "PYTHONPATH": str(TOP), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "TMPDIR": str(top / "tmp"),
                 "XDG_CACHE_HOME": str(top / "cache"), "XDG_STATE_HOME": str(top / "state")}
    ends: list[float] = []
    answers: list[tuple[int, str, str]] = []
    wrong: list[str] = []

    def one(number: int) -> None:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=variables, cwd=top)
        if number % every:
            out, err = child.communicate()
            answers.append((child.returncode, out, err))
            return
        told = SIGNALS[number // every % len(SIGNALS)]
        waited = time.monotonic() + random.uniform(0.3, 0.1 * runs)
        while child.poll() is None and time.monotonic() < waited:
            time.sleep(0.02)
        began = time.monotonic()
        child.send_signal(told)
        out, err = child.communicate()
        took = time.monotonic() - began
        if child.returncode in (128 + told, -told):
            ends.append(took)
            if took > 1.5:  # a second, and what a loaded machine needs to wake the program
                wrong.append(f"{told.name} was answered after {took:.1f} s")
        elif child.returncode not in (0, 1, 3):
            wrong.append(f"exit status {child.returncode} after {told.name}: {err.strip()[-200:]}")

    threads = [threading.Thread(target=one, args=(number,)) for number in range(runs)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - began
    found = set()
    for status, out, err in answers:
        try:
            report = json.loads(out)
            found.add((status, tuple(finding["id"] for finding in report["findings"] if "changed" not in finding["id"])))
            wrong += [f"{run['probe']} {run['ended']} after {run['seconds']} s" for run in report["probes"] if run["ended"] != "ok"]
        except ValueError:
            wrong.append(f"exit status {status} without a report: {err.strip()[-200:]}")
    if len(found) > 1:
        wrong.append(f"{len(found)} different answers: {sorted(found)}")
    wrong += [f"a process is left: {line}" for line in left_processes()]
    wrong += [f"a temporary file is left: {path.name}" for path in (top / "tmp").iterdir()]
    wrong += [f"half a file is left: {path.name}" for path in (top / "cache").rglob("tmp*")]
    wrong += [f"half a state is left: {path.name}" for path in (top / "state").rglob(".writing-*")]
    print(f"{runs} runs in {seconds:.1f} s, {len(answers)} answers, {len(ends)} ended by a signal in at most {max(ends, default=0):.2f} s; {len(wrong)} wrong")
    for line in wrong:
        print("  " + line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
