"""How long `compare --list` and `compare good` take with 10,000 kept states.

    python benchmarks/compare_speed.py [--states 10000]

The states are real ones: this machine's own, kept under as many times. Each command runs as a user types it, in a process of
its own, five times; the median is printed. `compare good FILE` compares with a saved state; `compare good` examines this
machine first, so what the probes take is measured beside it.
"""

from __future__ import annotations

import argparse
import datetime
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def timed(*arguments: str) -> tuple[float, float]:
    """Seconds on the clock, and of the processor: on a machine that does something else besides, the second tells more."""
    began, before = time.perf_counter(), os.times()
    subprocess.run([sys.executable, "-m", "rocmdoctor", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    return time.perf_counter() - began, sum(after[2:4]) - sum(before[2:4])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=10_000)
    wanted = parser.parse_args().states
    with tempfile.TemporaryDirectory() as home:
        os.environ["XDG_STATE_HOME"] = home
        saved = os.path.join(home, "now.json")
        subprocess.run([sys.executable, "-m", "rocmdoctor", "snapshot", "--mark-good"], check=True, stderr=subprocess.DEVNULL)
        subprocess.run([sys.executable, "-m", "rocmdoctor", "snapshot", "-o", saved], check=True, stderr=subprocess.DEVNULL)
        first = next(pathlib.Path(home, "rocmdoctor/states").rglob("*.json.gz"))
        start = datetime.datetime(2026, 1, 1)
        for number in range(wanted - 1):
            stamp = (start + datetime.timedelta(minutes=7 * number)).strftime("%Y%m%dT%H%M%SZ")
            shutil.copy(first, first.with_name(f"{stamp}.clean.{number:08x}.json.gz"))
        size = sum(file.stat().st_size for file in first.parent.iterdir())
        print(f"{wanted} states, {size / 2**20:.1f} MiB, {first.stat().st_size} bytes each")
        for arguments in (("--version",), ("compare", "--list"), ("compare", "good", saved), ("compare", "good"), ("check", "--no-keep"), ("check",)):
            clock, processor = zip(*(timed(*arguments) for _ in range(5)), strict=True)
            command = " ".join(argument.replace(saved, "FILE") for argument in arguments)
            print(f"{statistics.median(clock):6.2f} s, processor {statistics.median(processor):5.2f} s  rocmdoctor {command}")


if __name__ == "__main__":
    main()
