"""Versions that a writer calls right or wrong, in many wordings; and texts that tell of no pair."""

import pytest

from rocmdoctor.texts.prose import changes_told, judged_versions


def told(text):
    return [(one.name, one.good, one.bad) for one in judged_versions.judged(text).pairs]


FORMS = (
    "{name} {good} works, {bad} does not.", "With {name} {good} it works. With {bad} it crashes.", "Last {name} that worked: {good}. {name} {bad} crashes.",
    "It is fine until {name} {good}; {bad} hangs.", "{name} {good}: works\n{name} {bad}: black screen\n", "{name} {bad} (broken), {name} {good} (works)",
    "Since the update to {name} {bad} the screen stays black. With {good} it woke up.", "{name} {bad} freezes, {good} never did that.",
    "I went back from {name} {bad} to {good}, and that cured the freezes.", "After updating to {name} {bad} games crash. Before it was {good}.",
    "I cannot reproduce it with {name} {good}; with {bad} it happens every time.", "The problem is present on {name} {bad} but absent on {good}.",
    "Up to {name} {good} there was no flicker, from {bad} on there is.", "Last good {name}: {good}. Installed now is {name} {bad}.",
    "{name} {bad} is wrong, and {good} was OK on the same machine.", "{name} {good} good, {bad} bad.")
PARTS = (("Mesa", "25.2.6", "25.2.7"), ("kernel", "6.16.8", "6.17.1"), ("linux-firmware", "20250808", "20250917"), ("LACT", "0.8.1", "0.8.2"),
         ("Ryujinx", "1.2.86", "1.3.2"), ("KWin", "6.4.1", "6.4.2"))


def test_what_was_left_is_not_what_is_wrong():
    text = "We moved from the ROCm 7.0 image (rocm700) to a daily ROCm 10 image, and now every job crashes."
    assert [(row["name"], row["good"], row["bad"]) for one in changes_told.read(text) for row in one.value] == [("ROCm", "7.0", "10")]
    months = "Since the nightly from 3 March the tests fail. The nightlies of February were green."
    assert [(row["good"], row["bad"]) for one in changes_told.read(months) for row in one.value] == [("", "")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("part", PARTS, ids=lambda part: part[0])
def test_each_wording_tells_the_pair(form, part):
    name, good, bad = part
    assert told(form.format(name=name, good=good, bad=bad)) == [part]


@pytest.mark.parametrize(("text", "wanted"), [
    ("After switching to GE-Proton10-9 games stay black.\nLast GE-Proton that worked here: 10-8.", [("GE-Proton", "10-8", "10-9")]),
    ("It began when Steam took proton-cachyos-10.0-20250702-slr; before it was 20250621-slr.", [("proton-cachyos", "20250621-slr", "10.0-20250702")]),
    ("Tested kernels: 6.12 ok, 6.15 ok, 6.16 hang, 6.17 hang.", [("kernel", "6.15", "6.16")]),
    ("Windows 11.\n25.1.1 - OK\n25.2.1 - crash\n25.3.1 - crash", [("driver", "25.1.1", "25.2.1")]),
    ("Windows. Tried drivers: 24.9.1, 24.10.1 - all the same. With 24.5.1 everything is as it should be.", [("driver", "24.5.1", "24.9.1")]),
    ("Windows. Driver 24.7.1: works\nEvery driver after 24.7.1, up to and including 25.2.1: crash", [("Driver", "24.7.1", "25.2.1")]),
    ("Windows. Last good driver: 25.9.1. Every newer one flickers.", [("driver", "25.9.1", "")]),
    ("Recalbox was upgraded from v9 to v10, the screen is black. v9 was fine.", [("Recalbox", "v9", "v10")]),
    ("Exports of Godot 4.3 to 4.6 start, Godot 4.7 does not.", [("Godot", "4.6", "4.7")]),
    ("OBS 31.0 records black; with 30.2.3 the recording was right.", [("OBS", "30.2.3", "31.0")]),
    ("mesa 1:25.1.3-1 (works), mesa 1:25.1.4-1 (broken).", [("mesa", "1:25.1.3-1", "1:25.1.4-1")]),
    ("Kernel 7.0.3 runs here. With kernel 6.19 the file was there. LACT went from 0.9.0 to 0.9.1; LACT 0.9.0 shows the same.", [("kernel", "6.19", "7.0.3")]),
])
def test_pairs_of_other_shapes(text, wanted):
    assert told(text) == wanted


@pytest.mark.parametrize("text", [
    "Mesa 25.1.3 crashes, 25.2.0 is fine.",  # a newer one mends it: no way back
    "It crashes on ROCm 6.4.1 and 7.0. On the CPU it works.", "Mesa 25.1.3 crashes. Somebody with Mesa 24.3.1 has the same.",
    "Going back from kernel 6.17.2 to 6.16.12 did not help.", "Fixed for me in 25.2.8; 25.2.7 crashed.",
    "OpenGL 4.6 and Vulkan 1.3 work, HDMI 2.1 does not.", "On Windows driver 25.1.1 it runs fine, on Linux with Mesa 25.2.3 it crashes.",
    "[    3.402731] amdgpu: SMU is initialized\n[    3.407031] amdgpu: failed", "| Ollama 0.21.2 | warm | 19 | 156.05 t/s | 50.49 t/s | stable baseline |",
    "Kernel 6.12 does not help, Mesa 25.1 neither.", ""])
def test_no_pair(text):
    assert told(text) == []


def test_what_is_called_wrong_is_no_way_back():
    text = "In the same run LACT itself went from 0.9.0 to 0.9.1; LACT 0.9.0 on the new kernel shows the same."
    assert not [row for one in changes_told.read(text) if one.name == "report.changes" for row in one.value]


def test_packages_on_one_line_and_their_versions_on_the_next():
    text = "From the history: mesa-dri-drivers, mesa-vulkan-drivers and friends\n  25.2.6-1.fc43 -> 25.2.7-2.fc43 (x86_64 and i686)\n"
    rows = [row for one in changes_told.read(text) for row in one.value]
    assert [(row["name"], row["good"], row["bad"]) for row in rows] == [("mesa-dri-drivers", "25.2.6-1.fc43", "25.2.7-2.fc43")]
