"""What a file's name and markup tell: programs, settings, guides and lists are about no machine, a report is."""

import json

import pytest

from rocmdoctor.texts import kinds

SENTENCE = "The GPU hangs with this driver and the model is wrong, so that we never load it on the card."


def kinds_of(text, name):
    return {kind for _, _, kind in kinds.parts_of(text, name)}


@pytest.mark.parametrize(("name", "text"), [
    ("run.sh", f"#!/bin/sh\n# {SENTENCE}\nexport A=1\n"),
    ("values.yaml", f"gpu:\n  # {SENTENCE}\n  enabled: true\n  note: \"{SENTENCE}\"\n"),
    ("unit.service", f"[Service]\n# {SENTENCE}\nExecStart=/usr/bin/ollama serve\n"),
    ("default.nix", f"let\n  a = 1;\nin\n  # {SENTENCE}\n  a\n"),
    ("recipe.toml", f"name = \"vllm\"\nnotes = \"{SENTENCE}\"\n"),
    ("recipe.json", json.dumps({"name": "vllm", "notes": SENTENCE}, indent=1)),
    ("model.py", f"x = 1\n# {SENTENCE}\ny = 2\n"),
    ("CLAUDE.md", f"Rules of this repository.\n\n- {SENTENCE}\n"),
    ("setup.md", f"# Setup\n\n## Overview\n\n{SENTENCE}\n\n## Commands\n\nRun it.\n\n## Models\n\nAll of them.\n" + "More words follow here. " * 80),
    ("files.txt", "".join(f"opt/rocm/include/rocprim/block/crash_{i}.hpp\n" for i in range(20))),
])
def test_nobody_tells_of_trouble_there(name, text):
    assert not kinds_of(text, name) & {"prose", "form", "output"}


@pytest.mark.parametrize("name", ["report.md", "issue-12.md", "bug.txt", "notes.md", "stdin"])
def test_a_report_is_told(name):
    assert "prose" in kinds_of(f"# RX 7900 XTX\n\n{SENTENCE} My machine has a second card, and I see it with every kernel.\n", name)


@pytest.mark.parametrize(("key", "said"), [("error", True), ("message", True), ("notes", False), ("description", False)])
def test_in_json_a_key_says_who_speaks(key, said):
    text = json.dumps({"a": 1, key: SENTENCE}, indent=1)
    assert ("document" not in kinds_of(text, "x.json")) is said


def test_a_kernel_log_without_times_is_one():
    text = "Linux version 6.14.0 (builder@box) (gcc 14)\n" + "".join(f"systemd[1]: Reached target number {i}.\n" for i in range(60)) + "lp: driver loaded but no devices found\n"
    assert kinds_of(text, "dmesg.txt") == {"kernel_log"}
