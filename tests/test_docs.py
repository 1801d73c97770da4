"""Generated pages are fresh."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]


def test_generated_pages_are_fresh():
    done = subprocess.run([sys.executable, ROOT / "scripts/generate_docs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
