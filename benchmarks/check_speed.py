"""Wall time, processor time and peak memory of `check --no-kernels` and of `check`, beside node-scraper's default run, in turn.

    python benchmarks/check_speed.py [--runs 11] [--node-scraper PATH]

Prints medians and their ratio. node-scraper is PyPI's amd-node-scraper, found on PATH or given.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def measure(command: list[str]) -> tuple[float, float, float]:
    """Seconds, peak MiB of the largest process, and seconds of processor time of all, which hardly depend on what else runs."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, _, usage = os.wait4(child.pid, 0)
    return time.perf_counter() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--node-scraper", default=shutil.which("node-scraper"))
    arguments = parser.parse_args()
    with_kernels = [sys.executable, "-m", "rocmdoctor", "check", "--json"]
    ours = [*with_kernels, "--no-kernels"]
    rows: dict[str, list[tuple[float, float, float]]] = {"rocmdoctor": [], "with kernels": []}
    with tempfile.TemporaryDirectory() as folder:
        theirs = [arguments.node_scraper, "--log-path", folder] if arguments.node_scraper else None
        measure(ours)
        for _ in range(arguments.runs):
            rows["rocmdoctor"].append(measure(ours))
            rows["with kernels"].append(measure(with_kernels))
            if theirs:
                rows.setdefault("node-scraper", []).append(measure(theirs))
    for name, values in rows.items():
        took, cost = (statistics.median(v[at] for v in values) for at in (0, 2))
        print(f"{name:14} median {took:6.3f} s, {cost:6.3f} s of processor time   peak {max(v[1] for v in values):6.1f} MiB")
    if theirs:
        ratio = statistics.median(v[0] for v in rows["node-scraper"]) / statistics.median(v[0] for v in rows["rocmdoctor"])
        print(f"node-scraper takes {ratio:.1f} times as long")


if __name__ == "__main__":
    main()
