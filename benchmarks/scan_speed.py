"""`explain` of a big kernel log beside ripgrep with the same patterns, in turn: MB/s, ratio, peak memory.

    python benchmarks/scan_speed.py [--mib 1000] [--runs 3] [--storm 0.001]

The log is made: ordinary kernel lines, with a share of lines that rules match (``--storm``; every 1,000th as it comes).
ripgrep (``rg`` on PATH) counts the matching lines: ``rg -c -i --no-unicode -f PATTERNS FILE``.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from rocmdoctor.knowledge import rules

ORDINARY = (
    "usb 1-2: new high-speed USB device number {n} using xhci_hcd",
    "audit: type=1400 audit({n}.123:45): apparmor=\"STATUS\" operation=\"profile_load\" name=\"snap-{n}\"",
    "systemd[1]: Started session-{n}.scope - Session {n} of user someone.",
    "pci 0000:00:1f.3: [8086:a0c8] type 00 class 0x040380 conventional PCI endpoint, rev {n}",
    "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 uses VM inv eng 0 on hub 0 ({n})",
    "EXT4-fs (nvme0n1p2): re-mounted {n} r/w. Quota mode: none.",
    "wlp1s0: associated with station {n}, disconnecting from previous",
    "perf: interrupt took too long ({n} > 2500), lowering kernel.perf_event_max_sample_rate to 79750",
)
MATCHED = (
    "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq={n}, emitted seq={n}",
    "amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8 pasid:{n})",
)


def make_log(path: pathlib.Path, mib: int, storm: float) -> None:
    """A kernel log of ``mib`` MiB; the same one for the same arguments."""
    chosen = random.Random(7)
    with path.open("w") as out:
        left, number = mib << 20, 0
        while left > 0:
            lines = []
            for _ in range(20_000):
                number += 1
                template = chosen.choice(MATCHED if chosen.random() < storm else ORDINARY)
                lines.append(f"[{number / 997:12.6f}] " + template.format(n=number))
            text = "\n".join(lines) + "\n"
            left -= out.write(text)


def make_varied(path: pathlib.Path, mib: int) -> None:
    """A log of ``mib`` MiB in which no two lines are alike and no word is strange to the rules; the same one for the same cases."""
    cases = pathlib.Path(__file__).resolve().parents[1] / "fixtures/cases"
    words = sorted({word for file in cases.glob("*/inputs/**/*") if file.is_file() for word in file.read_text("utf-8", "replace").split() if len(word) < 40})
    chosen = random.Random(3)
    with path.open("w") as out:
        left = mib << 20
        while left > 0:
            left -= out.write(" ".join(chosen.choices(words, k=12)) + "\n")


def measure(command: list[str]) -> tuple[float, float, float]:
    """Seconds, peak MiB, and seconds of processor time, which hardly depend on what else runs."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{command[0]} failed with {os.waitstatus_to_exitcode(status)}; run it by hand to see why")
    return time.perf_counter() - start, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mib", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--storm", type=float, default=0.001)
    parser.add_argument("--varied", action="store_true", help="lines that all differ, of words of the recorded cases at random")
    arguments = parser.parse_args()
    book = rules.load()
    # One name may stand only once in ripgrep's joined expression, and without Unicode no letter beyond ASCII.
    patterns = [re.sub(r"[^\x00-\x7f]", ".", re.sub(r"\(\?P<\w+>", "(?:", p))
                for signal in book.patterns() for p in signal.patterns]
    grep = shutil.which("rg")
    with tempfile.TemporaryDirectory() as folder:
        log, listed = pathlib.Path(folder, "kern.log"), pathlib.Path(folder, "patterns")
        if arguments.varied:
            make_varied(log, arguments.mib)
        else:
            make_log(log, arguments.mib, arguments.storm)
        listed.write_text("\n".join(patterns) + "\n")
        size = log.stat().st_size / 1e6
        print(f"{size:.0f} MB, {len(book.rules)} rules, {len(patterns)} patterns, {arguments.storm:.1%} of the lines match")
        commands = {"rocmdoctor": [sys.executable, "-m", "rocmdoctor", "explain", "--json", str(log)]}
        if grep:
            commands["ripgrep"] = [grep, "-c", "-i", "--no-unicode", "-f", str(listed), str(log)]
        rows: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
        for _ in range(arguments.runs):
            for name, command in commands.items():
                rows[name].append(measure(command))
    speed = {name: size / statistics.median(v[0] for v in values) for name, values in rows.items()}
    for name, values in rows.items():
        cost = size / statistics.median(v[2] for v in values)
        print(f"{name:12} median {speed[name]:6.1f} MB/s, {cost:6.1f} MB per second of processor time   peak {max(v[1] for v in values):6.1f} MiB")
    if grep:
        print(f"rocmdoctor runs at {speed['rocmdoctor'] / speed['ripgrep']:.2f} times ripgrep's speed")


if __name__ == "__main__":
    main()
