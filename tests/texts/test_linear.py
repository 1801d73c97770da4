"""No reader takes more than its share of time on texts that were made to make patterns try everything."""

import time

import pytest

from rocmdoctor.facts.model import Snapshot
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import catalogue, interpret, kinds
from rocmdoctor.texts.attach import Text
from rocmdoctor.texts.readers import pip_list

SIZE = 96 << 10
MOST_SECONDS = 3.0  # of CPU; the square of this size would take minutes
FILLERS = {
    "digits": "0123456789", "spaces": " ", "words": "word ", "dashes": "-", "brackets": "[", "braces": "{", "dotted": "a.", "joined": "a-", "colons": "a:", "keys": '"a": ',
    "slashes": "/a", "empty lines": "\n", "blank lines": "  \n", "rows of dashes": "-" * 79 + "\n", "tables": "torch    2.1.0   " + " " * 60 + "x\n", "indexed": "GPU[0] ",
    "kernel": "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout\n", "indented": "x\n ", "long lines": " " * 5000 + "x\n", "versions": "1.2.3-4.5 "}


@pytest.mark.parametrize("filler", FILLERS)
def test_readers_stay_linear(filler):
    text = (FILLERS[filler] * (SIZE // len(FILLERS[filler]) + 1))[:SIZE]
    slow = []
    for module in catalogue.catalogue():
        for name in ("recognises", "read"):
            began = time.process_time()
            made = getattr(module, name, str)(text)
            if name == "read":
                list(made)
            if time.process_time() - began > MOST_SECONDS:
                slow.append(f"{module.__name__}.{name}: {time.process_time() - began:.1f} s")
    assert not slow


@pytest.mark.parametrize("filler", ["password=", "=3D", "a=", "a()", "x:1", "+|"])
def test_the_kind_of_a_long_line_is_told_quickly(filler):
    began = time.process_time()
    assert kinds.parts_of(filler * 20_000)
    assert time.process_time() - began < 2


def test_four_megabytes_without_a_pin_are_passed_over_quickly():
    began = time.process_time()
    assert not pip_list.recognises("a." * (2 << 20)) and not pip_list.recognises("1 == 2 " * 1000) and pip_list.recognises("a." * 1000 + "\ntorch == 2.9.1\n")
    assert time.process_time() - began < 3


def test_a_reader_gets_the_first_megabyte_of_its_kinds_and_what_stands_behind_other_lines(monkeypatch):
    got = []
    monkeypatch.setattr(pip_list, "recognises", lambda text: got.append(text) or False)
    kernel = "".join(f"[{n:12d}.123456] usb 1-{n % 9}: new high-speed USB device number {n}\n" for n in range(30_000))
    program = "".join(f"2026-02-01 10:00:00,{n % 1000:03d} INFO worker step {n} of many took a while and was done in the end\n" for n in range(15_000))
    snapshot = Snapshot("2026-02-01T00:00:00+00:00", "read")
    interpret.fill(snapshot, [Text("big.log", kernel + program + program)], Scanner(()))
    assert len(kernel) > interpret.MOST_READ and len(program) > interpret.MOST_READ
    assert [len(text) <= interpret.MOST_READ for text in got] == [True] and "worker step 14000 " not in got[0] and "worker step 9000 " in got[0]
