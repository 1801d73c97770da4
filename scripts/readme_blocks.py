"""Put what the commands of README.md print into README.md.

    python scripts/readme_blocks.py [--check]

A block is generated where a comment stands directly above its fence:

    <!-- run: rocmdoctor explain PATH -->             all that it prints
    <!-- run: rocmdoctor explain PATH; lines 12 -->   the first lines of it, and "..."
    <!-- run: rocmdoctor explain PATH; until Notes --> what stands above the line that begins so, and "..."

Paths are those of the checkout; {fleet} is a folder of twenty reports in which three machines differ, made for the occasion. With --check
nothing is written; the exit status is 1 when a block is stale.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
WIDTH = 92  # columns
_ELAPSED = re.compile(r"\b\d+\.\d+ s\b")
_BLOCK = re.compile(r"^(<!-- run: (?P<command>[^;\n]+?)(?:; (?P<cut>lines \d+|until [^\n]+?))? -->\n```\w*\n)(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def _fleet(folder: pathlib.Path) -> None:
    """Twenty reports: seventeen equal machines, three with a planted fault."""
    spec = importlib.util.spec_from_file_location("fleet_speed", ROOT / "benchmarks/fleet_speed.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.write(folder, 20, 3)


def _printed(command: str, folder: pathlib.Path) -> str:
    """What a command prints, whatever the machine, the time and the terminal."""
    program, *arguments = shlex.split(command.replace("{fleet}", str(folder / "reports")))
    if program != "rocmdoctor":
        raise ValueError(f"{command}: only rocmdoctor is run")
    if "{fleet}" in command and not (folder / "reports").is_dir():
        (folder / "reports").mkdir()
        _fleet(folder / "reports")
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "XDG_CACHE_HOME", "LANG")}
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", *arguments], capture_output=True, text=True, cwd=ROOT, encoding="utf-8",
                          env={**environment, "COLUMNS": str(WIDTH), "XDG_STATE_HOME": str(folder), "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"})
    if done.returncode not in (0, 1, 3) or not done.stdout.strip():
        raise ValueError(f"{command}: status {done.returncode}\n{done.stderr}")
    return _ELAPSED.sub("0.5 s", done.stdout.rstrip())


def _cut(text: str, how: str | None) -> str:
    word, _, what = (how or "").partition(" ")
    lines = text.split("\n")
    if word == "lines":
        kept = lines[:int(what)]
    elif word == "until":
        at = next((number for number, line in enumerate(lines) if line.startswith(what)), None)
        if at is None:
            raise ValueError(f"no line begins with {what!r}:\n{text}")
        kept = lines[:at]
    else:
        kept = lines
    body = "\n".join(kept).rstrip()
    return body if len(kept) == len(lines) else body + "\n..."


def fresh(page: str) -> str:
    """The page with every block as its command prints it now."""
    with tempfile.TemporaryDirectory(prefix="rocmdoctor-readme-") as name:
        folder = pathlib.Path(name)

        def block(found: re.Match[str]) -> str:
            shown = found["command"].replace("{fleet}", "reports/")
            return f"{found[1]}$ {shown}\n{_cut(_printed(found['command'], folder), found['cut'])}\n```"
        return _BLOCK.sub(block, page)


if __name__ == "__main__":
    before = README.read_text("utf-8")
    after = fresh(before)
    if "--check" in sys.argv[1:]:
        print("README.md is fresh" if before == after else "stale: README.md; run python scripts/readme_blocks.py")
        sys.exit(before != after)
    README.write_text(after, "utf-8")
