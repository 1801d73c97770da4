"""A small seeded run of tests/fuzz.py; the long ones are made by hand."""

import os
import pathlib
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_broken_inputs_of_every_kind_are_answered():
    done = subprocess.run([sys.executable, str(TOP / "tests/fuzz.py"), "--runs", "40", "--seed", "1"], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert "40 runs" in done.stdout
