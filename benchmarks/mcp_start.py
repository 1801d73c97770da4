"""How long a client of `rocmdoctor mcp` waits: from the start of the process to the answer of initialize, to the list of tools, to a cheap answer.

    python benchmarks/mcp_start.py [--runs 7]

Medians of wall-clock time in seconds, and the memory of the idle processes; after a first run, which lays the knowledge out.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}


def resident(pid: int) -> float:
    """MiB that a process and its children hold, shared pages by their share."""
    pids, total = [pid], 0.0
    while pids:
        one = pids.pop()
        try:
            rows = pathlib.Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
            total += sum(int(row.split()[1]) for row in rows if row.startswith("Pss:")) / 1024
            pids += map(int, pathlib.Path(f"/proc/{one}/task/{one}/children").read_text().split())
        except OSError:
            continue
    return total


def run(cache: str) -> tuple[float, float, float, float]:
    """Seconds to the three answers, and MiB after them."""
    began = time.monotonic()
    child = subprocess.Popen([sys.executable, "-m", "rocmdoctor", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             env={**os.environ, "XDG_CACHE_HOME": cache})
    assert child.stdin and child.stdout
    took = []
    questions = (("initialize", HELLO), ("tools/list", {}), ("tools/call", {"name": "why", "arguments": {"id": "mes-scheduler-stopped"}}))
    for number, (method, params) in enumerate(questions):
        child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode() + b"\n")
        if not number:
            child.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        child.stdin.flush()
        answer = json.loads(child.stdout.readline())
        assert answer["id"] == number and "result" in answer, answer
        took.append(time.monotonic() - began)
    time.sleep(0.5)
    held = resident(child.pid)
    child.stdin.close()
    child.wait(10)
    return took[0], took[1], took[2], held


def main() -> None:
    """Print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as cache:  # of its own: another checkout's runs would lay theirs out in its place
        run(cache)
        rows = [run(cache) for _ in range(runs)]
    for name, values in zip(("initialize", "list of tools", "why", "memory, MiB"), zip(*rows, strict=True), strict=True):
        print(f"{name:14} {statistics.median(values):7.2f}   from {min(values):.2f} to {max(values):.2f}")


if __name__ == "__main__":
    main()
