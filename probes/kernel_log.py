"""The kernel log's lines about the GPU, as a text for the reader of kernel logs. Gives no facts itself."""

import re
import subprocess

from probe_protocol import main

PROVIDES = ()
LANE = "quiet"
DEADLINE = 6
NEEDS = ()
PYTHON = "own"

OURS = re.compile(r"amdgpu|kfd|\[drm|drm:|\bdrm\b|radeon|amdttm|\bttm\b|AMD-Vi|Linux version|Command line:|Out of memory|"
                  r"oom-kill|BAR \d|pcieport|simple-framebuffer", re.I)
FILE = "/var/log/dmesg"
COMMANDS = (("dmesg",), ("journalctl", "-k", "-b", "-n", "5000", "--no-pager", "-o", "short-monotonic"))
CAP = 16 << 20
KEPT = 5000
WIDEST = 600


def run(command):
    """What a command prints, None when it is missing or may not tell."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=2.5)
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = done.stdout[-CAP:].decode("utf-8", "replace")
    return text if done.returncode == 0 and text.strip() else None


def chosen(text):
    """Our lines, the first and the last when there are too many, within what the runner reads."""
    lines = [line[:WIDEST] for line in text.splitlines() if OURS.search(line)]
    return lines if len(lines) <= KEPT else lines[:KEPT // 2] + lines[-KEPT // 2:]


def probe(emit, tree):
    if tree.live:
        for command in COMMANDS:
            text = run(command)
            if text is not None:
                emit.text("kernel log", chosen(text))
                return
    text = tree.try_read(FILE, CAP)
    if text is not None:
        emit.text("kernel log", chosen(text))
        return
    emit.note("The kernel log could not be read. To have it judged: sudo dmesg > dmesg.txt, and name that file.")


if __name__ == "__main__":
    main(probe)
