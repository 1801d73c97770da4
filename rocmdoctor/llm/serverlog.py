"""The log of the server that listens on a port: of its systemd unit, or of its container."""

from __future__ import annotations

import re
from pathlib import Path

from rocmdoctor.live.runner import run_tool

LINES = "2000"
DEADLINE = 4.0


def commands(root: Path, pids: list[int], unit: str = "") -> list[tuple[str, list[str]]]:
    """What to run for the log, each with a name for it. ``unit`` is where the server usually logs."""
    groups = ""
    for pid in pids[:20]:
        try:
            groups += (root / f"proc/{pid}/cgroup").read_text("utf-8", "replace")
        except OSError:
            continue
    found: list[tuple[str, list[str]]] = []
    for box in dict.fromkeys(re.findall(r"(?:docker|libpod)[-/]([0-9a-f]{12})[0-9a-f]{52}", groups)):
        tool = "podman" if "libpod" in groups else "docker"
        found.append((f"{tool} logs {box}", [tool, "logs", "--tail", LINES, box]))
    for name in dict.fromkeys(re.findall(r"/([A-Za-z0-9@_.-]+)\.service$", groups, re.M)):
        if name in ("docker", "containerd"):
            continue
        where = ["--user"] if re.search(rf"/user@\d+\.service/.*/{re.escape(name)}\.service$", groups, re.M) else []
        if not name.startswith("user@"):
            found.append((f"journal of {name}", ["journalctl", *where, "-u", name, "-n", LINES, "--no-pager", "-o", "cat"]))
    if not found and unit:
        found.append((f"journal of {unit}", ["journalctl", "-u", unit, "-n", LINES, "--no-pager", "-o", "cat"]))
    return found[:2]


def read(root: Path, pids: list[int], unit: str = "") -> list[tuple[str, str]]:
    """The logs with their names; what cannot be read is left out."""
    texts = []
    for name, command in commands(root, pids, unit):
        run, said = run_tool(command, DEADLINE)
        if run.ended == "ok" and said.strip() and not said.startswith("-- No entries"):
            texts.append((name, said))
    return texts
