"""What was measured twice and what was typed twice counts as compared; nothing else does."""

from __future__ import annotations

import pytest

from rocmdoctor.texts.lines import Lines
from rocmdoctor.texts.prose import contrasts, measured
from rocmdoctor.texts.readers import pip_list, tried_commands


def rows(readings):
    return [(row["axis"], row["value"], row["right"]) for reading in readings for row in reading.value]


@pytest.mark.parametrize(("text", "wanted"), [
    ("With Vulkan 54 t/s, with ROCm 9.5 t/s.", [("backend", "vulkan", True), ("backend", "rocm", False)]),
    ("9.5 tokens/s with ROCm and 54 tokens/s with Vulkan", [("backend", "rocm", False), ("backend", "vulkan", True)]),
    ("display on 31.4 TFLOPS\ndisplay timed out 7.9-8.5 TFLOPS", [("display", "display-on", True), ("display", "display-off", False)]),
    ("With Vulkan 1.2 s/it, with ROCm 9 s/it.", [("backend", "vulkan", True), ("backend", "rocm", False)]),
    ("With Vulkan 54 t/s, with ROCm 48 t/s.", []),
    ("Vulkan 54 t/s. The disk reads 2000 MB/s.", []),
])
def test_numbers_far_apart_judge_the_words_beside_them(text, wanted):
    assert rows(measured.read(text)) == wanted


@pytest.mark.parametrize(("text", "wanted"), [
    ("$ rocminfo\nhsa_init Failed\n$ HSA_ENABLE_DXG_DETECTION=1 rocminfo\n  Name: gfx1201\n", [("option", "HSA_ENABLE_DXG_DETECTION=1", True)]),
    ("$ llama-bench -m a.gguf -fa 1\nSegmentation fault\n$ llama-bench -m a.gguf -fa 0\nok\n", [("option", "-fa 0", True), ("option", "-fa 1", False)]),
    ("$ run --fast\nerror: no device\n$ run\npassed\n", [("left-out", "--fast", True)]),
    ("$ export HIP_VISIBLE_DEVICES=1\n$ rocminfo\nfailed\n$ unset HIP_VISIBLE_DEVICES\n$ rocminfo\n  Name: gfx1100\n", [("left-out", "HIP_VISIBLE_DEVICES=1", True)]),
    ("$ rocminfo\nfailed\n$ clinfo\nok\n", []),
    ("$ run -a 1 -b 2\nfailed\n$ run -a 2 -b 3\nok\n", []),
])
def test_one_setting_that_was_changed_is_judged(text, wanted):
    assert rows(tried_commands.read(text)) == wanted


@pytest.mark.parametrize(("text", "wanted"), [
    ("2k context works, 16k does not: the model loads.", [("size", "small", True), ("size", "large", False)]),
    ("The model with FP8-dynamic weights crashes on two cards, and a third card with it.", None),
    ("On an RX 7900 XTX, an RX 9070 XT and an RX 7600 it is wrong; an NVIDIA card is right.", None),
])
def test_amounts_and_lists(text, wanted):
    found = rows(contrasts.contrasts(contrasts.clauses(text), Lines(text)))
    if wanted is None:
        assert not any(right for axis, _, right in found if axis in ("gpu", "precision"))
    else:
        assert found == wanted


def test_what_an_installer_takes_out_again():
    text = " + torch==2.11.0+rocm7.13.0\n + torchvision==0.26.0+rocm7.13.0\n - torch==2.11.0+rocm7.13.0\n + torch==2.10.0\n"
    facts = {reading.name: reading.value for reading in pip_list.read(text)}
    assert facts["pip.packages"]["torch"] == "2.10.0"
    assert facts["pip.replaced"] == [{"name": "torch", "old": "2.11.0+rocm7.13.0", "new": "2.10.0"}]
