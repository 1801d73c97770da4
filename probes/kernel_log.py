"""The kernel log's lines about the GPU, as a text for the reader of kernel logs. Gives no facts itself."""

import re

from probe_protocol import ask, main

SAYS = "kernel log"
PROVIDES = ()
LANE = "quiet"
FIRST = True
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
MOST = 2000000


def run(command):
    """What a command prints, None when it is missing or may not tell."""
    answer = ask(command, 2.5, CAP)
    return answer.text if answer.status == 0 and answer.text.strip() else None


def chosen(text):
    """Our lines, the first and the last when there are too many, within what the runner reads."""
    lines = [line[:WIDEST] for line in text.splitlines() if OURS.search(line)]
    while len(lines) > KEPT or sum(map(len, lines)) > MOST:
        half = min(KEPT, len(lines) * 3 // 4) // 2
        lines = lines[:half] + lines[-half:]
    return lines


def probe(emit, tree):
    if tree.live:
        lines = []
        for command in COMMANDS:
            lines = max(lines, chosen(run(command) or ""), key=len)
            # The ring buffer forgets the boot; the journal may still have it.
            if any("Linux version" in line for line in lines):
                break
        if lines:
            emit.text("kernel log", lines)
            return
    text = tree.try_read(FILE, CAP)
    if text is not None:
        emit.text("kernel log", chosen(text))
        return
    emit.note("The kernel log could not be read. To have it judged: sudo dmesg > dmesg.txt, and name that file.")


if __name__ == "__main__":
    main(probe)
