"""Wall and CPU time of `preflight` at level 1 on this machine, and a hundred of them at once.

    python benchmarks/preflight_speed.py [--runs 15] [--at-once 100]

Wall time depends on what else runs, so the CPU time (user + system, children included) and the load stand beside it.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

POLICIES = {
    "facts alone": "expect:\n  gpus: {count: '>=0'}\n  versions: {kernel: '>=3'}\n  system: {distribution: '*'}\n",
    "and the rules": "expect:\n  gpus: {count: '>=0'}\n  versions: {kernel: '>=3'}\n  findings: {severity: critical}\n",
}


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command(policy: pathlib.Path) -> list[str]:
    return [sys.executable, "-m", "rocmdoctor", "preflight", "--policy", str(policy), "--format", "text"]


def at_once(policy: pathlib.Path, count: int, folder: pathlib.Path) -> None:
    """Start them together; all must pass, and nothing may be left behind."""
    runtime, temporary = folder / "run", folder / "tmp"
    runtime.mkdir()
    temporary.mkdir()
    env = {**os.environ, "XDG_RUNTIME_DIR": str(runtime), "TMPDIR": str(temporary)}
    start, before = time.perf_counter(), cpu()
    children = [subprocess.Popen(command(policy), env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(count)]
    said = [child.communicate() for child in children]
    codes = [child.returncode for child in children]
    left = [*runtime.iterdir(), *temporary.iterdir()]
    print(f"{count} at once: {codes.count(0)} passed, {time.perf_counter() - start:.1f} s wall, {cpu() - before:.1f} s CPU, left behind: {len(left)}")
    for code, (out, err) in zip(codes, said, strict=True):
        if code:
            print("  ", code, out.strip()[:300], err.strip()[:300])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--at-once", type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        for name, text in POLICIES.items():
            policy = folder / "policy.yaml"
            policy.write_text(text)
            subprocess.run(command(policy), capture_output=True)
            walls, cpus = [], []
            for _ in range(arguments.runs):
                start, before = time.perf_counter(), cpu()
                subprocess.run(command(policy), capture_output=True, check=True)
                walls.append(time.perf_counter() - start)
                cpus.append(cpu() - before)
            print(f"level 1, {name:14}: median {statistics.median(walls):.3f} s wall, {statistics.median(cpus):.3f} s CPU; "
                  f"fastest {min(walls):.3f} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
        at_once(policy, arguments.at_once, folder)


if __name__ == "__main__":
    main()
