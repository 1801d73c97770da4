"""What a file's name and markup tell: programs, settings, guides and lists are about no machine, a report is."""

import json

import pytest

from rocmdoctor.texts import kinds

SENTENCE = "The GPU hangs with this driver and the model is wrong, so that we never load it on the card."


def kinds_of(text, name):
    return {kind for _, _, kind in kinds.parts_of(text, name)}


@pytest.mark.parametrize(("name", "text"), [
    ("run.sh", f"#!/bin/sh\n# {SENTENCE}\nexport A=1\n"),
    ("config.plist", f"<?xml version=\"1.0\"?>\n<!DOCTYPE plist PUBLIC \"x\">\n<plist>\n<!-- {SENTENCE} -->\n</plist>\n"),
    ("driver.plg", f"<?xml version='1.0' standalone='yes'?>\n<!DOCTYPE PLUGIN [\n]>\n<PLUGIN>\n{SENTENCE}\n</PLUGIN>\n"),
    ("enable.txt", f"To see the voltage a parameter must be added, please do one of the following:\n\n* {SENTENCE}\n"),
    ("Resources.md", f"# Resources:\n\n- [A post](https://example.org) clued me into it. {SENTENCE}\n"),
    ("values.yaml", f"gpu:\n  # {SENTENCE}\n  enabled: true\n  note: \"{SENTENCE}\"\n"),
    ("unit.service", f"[Service]\n# {SENTENCE}\nExecStart=/usr/bin/ollama serve\n"),
    ("default.nix", f"let\n  a = 1;\nin\n  # {SENTENCE}\n  a\n"),
    ("recipe.toml", f"name = \"vllm\"\nnotes = \"{SENTENCE}\"\n"),
    ("recipe.json", json.dumps({"name": "vllm", "notes": SENTENCE}, indent=1)),
    ("model.py", f"x = 1\n# {SENTENCE}\ny = 2\n"),
    ("CLAUDE.md", f"Rules of this repository.\n\n- {SENTENCE}\n"),
    ("setup.md", f"# Setup\n\n## Overview\n\n{SENTENCE}\n\n## Commands\n\nRun it.\n\n## Models\n\nAll of them.\n" + "More words follow here. " * 80),
    ("index.md", f"---\ntitle: What my card does\ndate: 2025-01-02\n---\n\nI wrote this for the site. {SENTENCE}\n"),
    ("29-the-firmware-is-the-bug.md", f"# 29 \u2014 The firmware is the bug\n\n{SENTENCE}\n\n## The measurement\n\n{SENTENCE}\n"),
    ("debugging.md", f"# Chapter 58 \u2014 Debugging: gdb and crash\n\nI use these. {SENTENCE}\n\n## Reproducing\n\n{SENTENCE}\n"),
    ("hook.md", f"# Eviction hook (fix for the hang at resume)\n\n## 1. The problem\n\n{SENTENCE}\n\n## 2. The solution\n\nA script.\n"),
    ("solved.md", f"# Two cards\n\n## Problem\n\n{SENTENCE}\n\n## Solution\n\nAnother slot.\n"),
    ("sweep.md", f"# Cache sizes on the RX 9070\n\n## Recommendations\n\n{SENTENCE}\n\n## Reproduction recipe\n\nRun it.\n"),
    ("backends.md", f"# Pictures on Linux\n\n## PyTorch\n\nI did not get far. {SENTENCE}\n\n## Vulkan\n\nSlow.\n\n## OpenCL\n\nOld.\n"),
    ("pinned.md", f"# Pin the tag: a regression rides the floating one\n\nThis page records what we learned. {SENTENCE}\n"),
    ("stable.md", f"# RX 9070 install / setup / config\n\n# Ubuntu 24.04\n\n## Notes\n\nI wrote my steps down. {SENTENCE}\n"),
    ("validation-log.md", f"# toolbox \u2014 validation log\n\n## Build\n\n{SENTENCE}\n"),
    ("sizes.md", f"# Problem sizes of real models\n\n## Rows\n\n{SENTENCE}\n"),
    ("tested.md", f"# Tested hardware\n\n## CPUs\n\n- a\n\n## GPUs\n\n- My RX 9070\n    - {SENTENCE}\n"),
    ("decoding.md", f"# Decoding is slower\n\n## 1. Measured\n\nI ran it. {SENTENCE}\n\n## 2. The cause\n\n## 3. The mean\n\n## 4. Not known\n\nMore.\n"),
    ("diagnosis.md", f"# Is this your bug?\n\n## Step 0: the failure\n\nI tried. {SENTENCE}\n\n## Step 1: the slot\n\n## Step 2: the probe\n\nRun it.\n"),
    ("stacks.md", "# Stacks\n\nI push. " + "".join(f"\n## {i} of it\n\n{SENTENCE}\n" for i in "abcdefghijkl") + "\n## A crash\n\nIt ends.\n"),
    ("vllm.container", f"[Container]\n# {SENTENCE}\nImage=docker.io/rocm/vllm\n"),
    ("LICENSE", f"Apache License\n\nMy terms. {SENTENCE}\n"),
    ("paper.tex", f"\\\\documentclass{{article}}\nI show it. {SENTENCE}\n"),
    ("cases.toml", f"[[scenario]]\nid = \"a\"\nvalue = \"{SENTENCE}\"\n\n[[scenario]]\nvalue = \"unknown type name 'mfma_adaptor'\"\n"),
    ("rebuild.txt", f"Guide to rebuilding whisper.cpp with Vulkan\n\n{SENTENCE}\n"),
    ("Build Instructions.txt", f"whisper.cpp with Vulkan\n\n{SENTENCE}\n"),
    ("howto-driver.txt", f"# the driver\napt update\n\n{SENTENCE}\n"),
    ("useful.txt", f"=========\n  USEFUL COMMANDS\n=========\n\nollama list\n\n-----------\n  NO GPU\n-----------\n\n{SENTENCE}\n".replace("=========", "=" * 20)),
    ("hardware.txt", "".join(f"{word} -a   # what {word} says\n" for word in "lspci lsusb df du free ps ip cat".split() * 2) + f"\n# {SENTENCE}\n{SENTENCE}\n"),
    ("symbols.txt", f"# {SENTENCE}\n" + "".join(f"ncclComm{i}\n" for i in range(12))),
    ("profile", f"#{SENTENCE}\nexport CC=gcc\n"),
    ("check.t", f"local a = 1\n-- {SENTENCE}\nlocal b = 2\n"),
    ("setup.sh", f"#!/bin/bash\nerr \"{SENTENCE}\"\nexport A=1\n"),
    ("ask.sh", f"#!/bin/bash\n[[ $a = y ]] || {{ echo \"{SENTENCE}\" >&2; exit 1; }}\nset -e # {SENTENCE}\n"),
    ("files.txt", "".join(f"opt/rocm/include/rocprim/block/crash_{i}.hpp\n" for i in range(20))),
])
def test_nobody_tells_of_trouble_there(name, text):
    assert not kinds_of(text, name) & {"prose", "form", "output"}


@pytest.mark.parametrize("name", ["report.md", "issue-12.md", "bug.txt", "notes.md", "stdin"])
def test_a_report_is_told(name):
    assert "prose" in kinds_of(f"# RX 7900 XTX\n\n{SENTENCE} My machine has a second card, and I see it with every kernel.\n", name)


@pytest.mark.parametrize(("name", "text"), [
    ("hang.md", f"# RX 9070 hangs\n\n## Hardware\n\nRX 9070\n\n## To reproduce\n\n{SENTENCE}\n"),
    ("card.md", f"# My second card\n\n## Setup\n\nI have two. {SENTENCE}\n\n## Then\n\nMore.\n\n## Vulkan\n\nThe same.\n"),
    ("12.md", f"---\ntitle: RX 9070 hangs\nstate: open\nlabels: bug\ndate: 2025-01-02\n---\n\nI have two cards. {SENTENCE}\n"),
    ("resets.md", "# Resets\n\nI tried them. " + "".join(f"\n## {i} of it\n\n[ 1283.7040{n:02}] vfio-pci 0000:06:00.0: failed\n" for n, i in enumerate("abcdefghijkl"))
     + f"\n## Symptoms\n\n{SENTENCE}\n"),
    ("what-i-ran.txt", f"cat /proc/cmdline\n\nI have two cards. {SENTENCE}\n"),
])
def test_what_happened_to_somebody_is_told(name, text):
    assert "prose" in kinds_of(text, name)


@pytest.mark.parametrize(("line", "kind"), [
    ("msg = \"the GPU is not available, so the model is run on the CPU\"", "comment"), ("echo \"the GPU is not there\" >> notes.txt", "config"),
    ("[ -e /dev/kfd ] || { fail \"the GPU is not there\"; exit 1; }", "code"), ("set -e # so that a script which fails is ended with it", "comment"),
    ("HSA_OVERRIDE_GFX_VERSION=10.3.0 # so that the card is used as the others are", "config")])
def test_what_a_script_would_say(line, kind):
    assert kinds.parts_of(f"#!/bin/bash\n\n{line}", "run.sh")[-1][2] == kind


@pytest.mark.parametrize(("name", "kind"), [("stress.log", "output"), ("stress.log.1", "output"), ("stress.txt", "prose")])
def test_nobody_writes_in_a_log(name, kind):
    assert kinds_of("The server is ready and all of the models are loaded.\n", name) == {kind}


def test_a_sentence_in_a_log_is_of_the_program_before_it():
    text = "llama_context: n_ctx = 4096\nThe cache of this model is not used with the card.\n"
    assert kinds_of(text, "server.log") == {"llama_log"}
    assert "prose" in kinds_of(f"{text}\nI have two cards and my model does not load.\n", "server.log")


def test_what_a_bsd_says_as_it_starts_is_its_kernels():
    devices = "".join(f"uhub{i} at usb{i} configuration 1 interface {i} \"AMD root hub\" rev 2.00 that is not used by this\n" for i in range(30))
    parts = kinds.parts_of(f"I sent this from my box.\n\nOpenBSD 7.5 (GENERIC.MP) #82: Wed Mar 20 2024\n{devices}\nThanks for the work on it.\n", "mail.txt")
    assert (3, 34, "kernel_log") in parts and "prose" in {kind for _, _, kind in parts}


@pytest.mark.parametrize(("key", "said"), [("error", True), ("message", True), ("notes", False), ("description", False)])
def test_in_json_a_key_says_who_speaks(key, said):
    text = json.dumps({"a": 1, key: SENTENCE}, indent=1)
    assert ("document" not in kinds_of(text, "x.json")) is said


def test_a_kernel_log_without_times_is_one():
    text = "Linux version 6.14.0 (builder@box) (gcc 14)\n" + "".join(f"systemd[1]: Reached target number {i}.\n" for i in range(60)) + "lp: driver loaded but no devices found\n"
    assert kinds_of(text, "dmesg.txt") == {"kernel_log"}
