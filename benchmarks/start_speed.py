"""Processor time of commands, beside a former checkout of this program, in turn: on a busy machine it says more than the clock does.

    python benchmarks/start_speed.py --former FOLDER [--runs 9]

Prints the median of user and system time of each command with all its processes, here and there.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
CASE = sorted((TOP / "fixtures/cases").iterdir())[0] / "inputs"
COMMANDS = {
    "--version": ["--version"],
    "explain of a case": ["explain", str(CASE)],
    "check --no-kernels --root": ["check", "--no-kernels", "--root", str(TOP / "fixtures/machines/strix-halo-96-32")],
    "check --no-kernels": ["check", "--no-kernels", "--no-keep"],
    "memory": ["memory"],
}


def seconds(folder: Path, arguments: list[str], cache: str) -> float:
    """User and system time of one run and of all that it waited for."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "XDG_CACHE_HOME": cache, "PYTHONPYCACHEPREFIX": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    child = subprocess.Popen([sys.executable, "-m", "rocmdoctor", *arguments], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    usage = os.wait4(child.pid, 0)[2]
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--former", type=Path, required=True)
    parser.add_argument("--runs", type=int, default=9)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as here, tempfile.TemporaryDirectory() as there:
        for name, command in COMMANDS.items():
            sides = {TOP: here, arguments.former.resolve(): there}
            times: dict[Path, list[float]] = {side: [] for side in sides}
            for _ in range(arguments.runs + 1):
                for side, cache in sides.items():
                    times[side].append(seconds(side, command, cache))
            now, former = (statistics.median(values[1:]) for values in times.values())  # the first run fills the cache
            print(f"{name:28} {former:6.3f} s before, {now:6.3f} s now", flush=True)


if __name__ == "__main__":
    main()
