"""What a writer tells of versions, and the update that came before the trouble."""

import io
import re

import pytest

from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import compiled, rules
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
LOG = ("[2026-08-15T10:02:11+0000] [ALPM] upgraded linux-firmware-amdgpu (1:20260622-1 -> 1:20260810-1)\n"
       "[2026-08-15T10:02:11+0000] [ALPM] upgraded mesa (1:26.1.1-1 -> 1:26.1.2-1)\n")


def found(tmp_path, told, **logs):
    (tmp_path / "report.txt").write_text(told)
    for name, text in logs.items():
        (tmp_path / f"{name}.log").write_text(text)
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(tmp_path)], io.BytesIO()).texts, SCANNER)
    return {finding.id: finding for finding in make_report(snapshot, BOOK).findings}


@pytest.mark.parametrize(("told", "title"), [
    ("RX 7900 XT. The picture freezes under load. It says linux-firmware-20251125, before it was 20251111.",
     "linux-firmware 20251125 is the first suspect: 20251111"),
    ("RX 7900 XT. I upgraded Mesa from 25.0.7 to 26.1.0 and every game crashes at once.", "Mesa 26.1.0 is the first suspect: 25.0.7"),
    ("RX 7900 XT. The GPU hangs with kernel 6.18.1. Going back to kernel 6.17.9 helps.", "Linux kernel 6.18.1 is the first suspect: 6.17.9"),
])
def test_a_good_and_a_bad_version_of_one_component(tmp_path, told, title):
    one = found(tmp_path, told)["worked-before-this-version"]
    assert one.standing == "symptom" and one.severity == "warning" and one.title.startswith(title)


@pytest.mark.parametrize("told", [
    "RX 7900 XT. Mesa 25.0.7 and kernel 6.17.9 are installed; the GPU hangs.",
    "RX 7900 XT. I upgraded Mesa from 25.0.7 to 26.1.0 and all is well.",
    "RX 7900 XT. The GPU hangs with kernel 6.18.1. Going back to Mesa 25.0.7 helps.",
])
def test_no_pair_is_made_of_other_things(tmp_path, told):
    assert "worked-before-this-version" not in found(tmp_path, told)


def test_the_update_before_it_began_asks_and_names_the_way_back(tmp_path):
    one = found(tmp_path, "Radeon 680M, Arch Linux. After a pacman -Syu the screen stays black.", pacman=LOG)["updated-before-it-began"]
    assert one.standing == "possible" and one.title.startswith("Does it go away with linux-firmware 1:20260622-1")
    assert "Mesa 1:26.1.1-1 -> 1:26.1.2-1" in one.summary and "linux-firmware-amdgpu-1:20260622-1" in one.fixes[0].commands[0]


def test_an_update_that_nobody_speaks_of_is_no_lead(tmp_path):
    assert "updated-before-it-began" not in found(tmp_path, "Radeon 680M, Arch Linux. The screen stays black.", pacman=LOG)


@pytest.mark.parametrize(("told", "component", "logs"), [
    ("Radeon 680M. The screen is frozen after boot. The image before it boots normally.", "linux-firmware 20260810-1.fc44.noarch",
     {"rpm": "-amd-gpu-firmware-20260810-1.fc44.noarch\n+amd-gpu-firmware-20260910-1.fc44.noarch\n-gnome-software-50.3-1.fc44\n+gnome-software-50.4-1.fc44\n"}),
    ("Steam Deck. Since the update of 21 August (mesa, vulkan-radeon, lib32-* 26.1.6 -> 26.2.1) games crash at once.", "Mesa 26.1.6", {}),
    ("RX 6600, CachyOS. After pacman -Syu (linux-cachyos-deckify 7.0.12-1 -> 7.2.3-3) the screen stays black.", "Linux kernel 7.0.12-1", {}),
])
def test_packages_listed_before_and_after(tmp_path, told, component, logs):
    one = found(tmp_path, told, **logs)["updated-before-it-began"]
    assert one.standing == "possible" and one.title.startswith(f"Does it go away with {component}")


def test_a_list_alone_accuses_nobody(tmp_path):
    assert "updated-before-it-began" not in found(tmp_path, "RX 6600. The screen stays black.", rpm="-mesa-26.1.6-1\n+mesa-26.2.0-1\n")


@pytest.mark.parametrize(("told", "title"), [
    ("RX 9070 XT. Since the system moved to Linux 6.18 image generation hangs the GPU. On 6.17 it ran for months.", "Linux kernel 6.18 is the first suspect: 6.17"),
    ("RX 6800, Ollama 0.12.6. Every release from 0.12.6 on crashes, the release before did not.", "Ollama 0.12.6 is the first suspect: the release before 0.12.6"),
])
def test_the_clauses_of_a_writer_give_the_pair(tmp_path, told, title):
    assert found(tmp_path, told)["worked-before-this-version"].title.startswith(title)


def test_two_versions_that_were_right_are_no_pair(tmp_path):
    every = found(tmp_path, "Radeon 8060S. Every ROCm program crashes. With the state before (6.17.7 / 6.17.8) it worked.")
    assert not {"worked-before-this-version", "release-regressed"} & set(every)


def test_the_signals_of_stories_know_every_name_of_the_table():
    """A name that a writer may use stands in the table once; the patterns of the signals must not lag behind it."""
    names = compiled.part("checks/version_story.yaml")["names"]
    for signal in ("pair", "good", "bad"):
        for pattern in rules.load().signals[f"story.{signal}"].patterns:
            listed = re.search(r"\(\?P<name>((?:[^()]|\([^()]*\))*)\)", pattern)
            assert [name for name in names if not re.fullmatch(listed[1], name, re.I)] == [], signal


@pytest.mark.parametrize(("told", "title"), [
    ("RX 7900 XTX, Debian 13. Shotcut stopped starting after I moved from ROCm 7.0 to ROCm 7.1: it dies at once.", "ROCm 7.1 is the first suspect: 7.0"),
    ("RX 9070 XT. Since the last update (Hyprland v0.56.0 with aquamarine 0.15.0; before that aquamarine 0.14.0) the screens flicker.",
     "aquamarine 0.15.0 is the first suspect: 0.14.0"),
    ("Radeon 780M. After upgrading KWin from 6.4.3 to 6.4.4 the second screen stays black.", "KWin 6.4.4 is the first suspect: 6.4.3"),
    ("RX 6800. It crashes with gamescope 3.16.4. Downgrading gamescope from 3.16.4 to 3.16.2 makes it fine again.", "gamescope 3.16.4 is the first suspect: 3.16.2"),
    ("RX 7600. I switched from the 25.9.1 driver to 25.10.2 and every game crashes at start.", "AMD Windows driver 25.10.2 is the first suspect: 25.9.1"),
    ("RX 6600, Linux. The game closes at once. It began with Proton 10.0-2.", "Proton 10.0-2 is the first suspect: the release before 10.0-2"),
])
def test_any_component_that_a_writer_names(tmp_path, told, title):
    one = found(tmp_path, told)["worked-before-this-version"]
    assert one.standing == "symptom" and one.title.startswith(title)


@pytest.mark.parametrize("told", [
    "RX 6800. It crashes with gamescope 3.16.4. Downgrading gamescope from 3.16.4 to 3.16.2 does not help.",
    "RX 6800. The program crashes. The speed dropped from 57.2 to 26.1 before.",
    "RX 6800. It crashes. Changing HSA_OVERRIDE_GFX_VERSION from 10.3.0 to 11.0.0 does nothing.",
    "RX 6800. It crashes. I moved from Ubuntu 22.04 to 24.04 a year ago.",
    "RX 6800. It crashes after 2.5 hours, since version 3.1 of my script.",
])
def test_what_is_no_component_is_not_accused(tmp_path, told):
    assert "worked-before-this-version" not in found(tmp_path, told)


def test_a_component_that_was_tried_both_ways_is_ruled_out(tmp_path):
    told = "RX 7900 XTX. The screens go dark. After the update of the kernel from 7.2.2 to 7.2.4 nothing changed. Kernel 7.2.2 fails. Kernel 7.2.4 fails, too."
    assert "worked-before-this-version" not in found(tmp_path, told)


@pytest.mark.parametrize(("told", "title"), [
    ("RX 7600, Sunshine. Streams stutter. Older Sunshine releases streamed well on this computer.", "Sunshine: an older release was right"),
    ("MI300X. import torch fails with a missing library. The same job passed with the rocm packages of the days before.", "ROCm: an older release was right"),
    ("RX 6800, koboldcpp. It crashes at once. An earlier build of koboldcpp had no crash.", "koboldcpp: an older release was right"),
    ("RX 6800, Blender. Rendering crashes. The release before that worked.", "Blender: an older release was right"),
])
def test_an_older_release_without_a_number(tmp_path, told, title):
    assert found(tmp_path, told)["older-release-was-right"].title.startswith(title)


@pytest.mark.parametrize(("told", "title", "command"), [
    ("Fedora 43, RX 7800 XT. Games flicker since Mesa went from 25.1.4 to 25.2.0.", "Mesa 25.2.0 is the first suspect: 25.1.4 was right", ""),
    ("Ubuntu 24.04, RX 7900 XT. Since the update of ollama from 0.12.3 to 0.12.6 it runs on the CPU.", "Ollama 0.12.6 is the first suspect: 0.12.3 was right",
     "OLLAMA_VERSION=0.12.3"),
    ("Ubuntu 24.04, RX 7900 XTX. ComfyUI crashes since I updated torch from 2.9.1+rocm6.4 to 2.10.0+rocm7.1.",
     "PyTorch 2.10.0+rocm7.1 is the first suspect: 2.9.1+rocm6.4 was right", "torch==2.9.1+rocm6.4"),
    ("Arch Linux, RX 7900 XT. After pacman moved ollama-rocm from 0.12.3-1 to 0.12.6-2 the card is no longer used.",
     "Ollama 0.12.6-2 is the first suspect: 0.12.3-1 was right", "/var/cache/pacman/pkg/ollama-rocm-0.12.3-1-")])
def test_a_move_is_read_in_its_direction_and_goes_back_by_the_commands_of_the_system(tmp_path, told, title, command):
    first = found(tmp_path, told)["worked-before-this-version"]
    assert first.title == title and command in "\n".join(first.fixes[0].commands)
