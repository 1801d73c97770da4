"""What a writer compared, as `explain` tells it: the thing that was varied names the finding, and nothing is compared that was not."""

import io
import re

import pytest

from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import compiled, rules, tables
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
FORMS = [form["id"] for form in compiled.part("checks/contrast.yaml")["forms"]]


def found(tmp_path, told):
    (tmp_path / "report.txt").write_text(told + "\n")
    snapshot = Snapshot("2026-11-29T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(tmp_path)], io.BytesIO()).texts, SCANNER)
    return {finding.id: finding for finding in make_report(snapshot, BOOK).findings}


RIGHT = {
    "works-with-option": "RX 7600, my own program. The output is garbage. With MY_FANCY_PATH=0 exported it is right.",
    "works-without-option": "RX 7600, my own program. The output is garbage. Without MY_FANCY_PATH everything is fine.",
    "only-rocm-is-wrong": "Ryzen AI 7 350 (gfx1152), llama.cpp. With ROCm the output is garbage. With Vulkan it works.",
    "only-vulkan-is-wrong": "Ryzen AI 7 350 (gfx1152), llama.cpp. With Vulkan the output is garbage, while with ROCm it is fine.",
    "other-backend-is-right": "RX 6600, upscaler. With Vulkan every picture is black. With DirectML the pictures are right.",
    "other-renderer-is-right": "RX 7600, Windows. The game crashes with Direct3D 12, with Vulkan it works.",
    "only-32-bit-is-wrong": "RX 7600, Linux. 64-bit games work. Every 32-bit game closes at once.",
    "only-64-bit-is-wrong": "RX 7600, Linux. 32-bit programs work, every 64-bit program crashes.",
    "other-driver-build-is-right": "MI210. On this node my own program fails. On another node, where lsmod has amdttm and amdkcl, it works.",
    "other-environment-is-right": "RX 7600. My own program crashes in its venv. In a fresh venv it works.",
    "only-internal-panel-is-wrong": "Radeon 780M. The laptop screen flickers. An external monitor is perfect.",
    "only-external-display-is-wrong": "Radeon 780M. The monitor on USB-C flickers, the internal display is fine.",
    "right-without-display-setting": "RX 7600. The screen flickers. With VRR off it is fine.",
    "right-in-a-window": "RX 7600. The game flickers. In a window it is fine.",
    "greeter-is-right": "RX 7600. The desktop flickers, the login screen is fine.",
    "other-precision-is-right": "RX 7600, my own program. In bf16 the output is garbage, in fp32 it is correct.",
    "plain-allocation-is-right": "RX 9070 XT, my own HIP program. With hipMallocAsync the buffer is garbage. With hipMalloc it is right.",
    "other-attention-is-right": "RX 7600, my own program. The pictures are noise. With SDPA they are fine.",
    "eager-is-right": "MI210, my own program crashes. In eager mode it works.",
    "one-gpu-is-right": "2x RX 7900 XTX, my own program. On a single GPU it works, with both GPUs it hangs.",
    "only-container-is-wrong": "RX 7600. In the container my own program finds no GPU. On the host everything works.",
    "only-root-is-right": "RX 7600. My own program finds no GPU. As root it works.",
    "other-session-is-right": "RX 7600, GNOME on Wayland. The screen flickers under Wayland, under X11 everything is fine.",
    "other-screen-is-right": "RX 7600. The screen flickers. With one monitor there is no flicker.",
    "triton-kernels-are-wrong": "RX 7600, my own program. Triton kernels write garbage. With eager mode the results are right.",
    "other-copy-is-right": "RX 7600, my own program finds no GPU. Copying amdhip64_7.dll of the older package over the new one makes it work.",
    "only-with-display-on": "RX 7600, my own program is slow with the display off. With the display on it is fine.",
    "only-on-mains": "RX 7600, my own program is slow on battery. Plugged in it is fine.",
    "other-part-is-right": "RX 7600, my own program crashes. In another PCIe slot it works.",
    "right-without-feature": "RX 7600, my own program crashes. With Secure Boot off it works.",
    "only-this-model-is-wrong": "RX 7600, my own program writes garbage with one model. Other models are fine.",
    "small-is-right": "RX 7600, my own program crashes with long prompts. Short prompts work.",
    "one-at-a-time-is-right": "RX 7600, my own program crashes. One at a time the jobs run fine.",
    "reboot-makes-it-right": "RX 7600. My own program hangs. After a reboot it works again.",
    "other-app-is-right": "RX 7600. Ollama writes garbage. LM Studio on the same card gives correct answers.",
    "other-system-is-right": "RX 7600. My own program crashes on Linux, on Windows it works.",
    "other-gpu-is-right": "My own program crashes on gfx1151. The same build is right on gfx1201.",
    "tool-is-right": "RX 7600. My own program finds no GPU. vulkaninfo lists it correctly.",
    "only-the-gpu-is-wrong": "RX 7600. My own program writes garbage. On the CPU the answers are right.",
}


def test_every_form_has_an_example():
    assert set(RIGHT) == set(FORMS)


@pytest.mark.parametrize(("name", "told"), RIGHT.items())
def test_what_was_varied_names_the_finding_and_is_quoted(tmp_path, name, told):
    every = found(tmp_path, told)
    assert name in every, list(every)
    one = every[name]
    assert one.standing == "symptom" and one.fixes and not re.search(r"\{\w+\}", one.title + one.summary + "".join(fix.title for fix in one.fixes))
    quoted = [item.text for item in one.evidence if item.line]
    assert quoted and all(" ".join(text.split()) in " ".join(told.split()) for text in quoted)


@pytest.mark.parametrize("told", [
    "Ryzen AI 7 350 (gfx1152), llama.cpp. ROCm and Vulkan give the same garbage.",
    "RX 7600. Ollama worked fine before the update. Now every model writes garbage.",
    "RX 7600, Ollama writes garbage. I tried HSA_ENABLE_SDMA=0 without success.",
    "RX 7600, Ollama writes garbage. HSA_ENABLE_SDMA=0 makes no difference.",
    "RX 7600, my own program crashes. It fails in the same way on the host and in the container.",
    "RX 7600, my own program crashes. It should work with HSA_ENABLE_SDMA=0, says the manual.",
    "RX 7600, my own program crashes with both GPUs and with a single GPU.",
    'RX 7600, my own program crashes with "it works with FOO_BAR=1 only".',
    "RX 7600, Ollama runs. With Vulkan everything is right.",
    "RX 9070 XT and an integrated GPU (gfx1036). I copied the library files for gfx1201, but the web UI still works with another architecture.",
])
def test_nothing_is_compared_that_was_not(tmp_path, told):
    assert not set(found(tmp_path, told)) & set(FORMS)


@pytest.mark.parametrize(("told", "name"), [
    ("Radeon 680M, Fedora. On the built-in screen the picture stays on the old contents, stuck for seconds. A monitor on HDMI is perfect.",
     "only-internal-panel-is-wrong"),
    ("RX 7600, NixOS. Rendering with Cycles on HIP ends Blender at once; on CPU it works.", "only-the-gpu-is-wrong"),
    ("MI300X. The service under its service account finds no GPU. If I start it as the administrator, it lists the card as it should.", "only-root-is-right"),
    ("RX 6800, KDE. The screens flicker when a video is in fullscreen. Without an ICC profile it does not happen. HDR on or off makes no difference.",
     "right-without-display-setting"),
    ("RX 6800. With three monitors the screens go black. Any two of them are stable.", "other-screen-is-right"),
    ("RX 580, Steam. Every 32-bit game closes at once without a message. 64-bit games start.", "only-32-bit-is-wrong"),
])
def test_other_wordings_name_the_same(tmp_path, told, name):
    assert set(found(tmp_path, told)) & set(FORMS) == {name}


def test_every_axis_has_a_form():
    forms = compiled.part("checks/contrast.yaml")["forms"]
    only_left_out = {"feature"}  # that something is on says nothing; what is off is an axis of its own
    assert {axis["id"] for axis in tables.load("contrasts")["axes"]} - only_left_out == {form["axis"] for form in forms}


def test_a_flood_of_sentences_is_bounded(tmp_path):
    (tmp_path / "report.txt").write_text("With Vulkan it works, but with ROCm it crashes. " * 40_000)
    snapshot = Snapshot("2026-11-29T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(tmp_path)], io.BytesIO()).texts, SCANNER)
    assert len(snapshot.facts["report.contrasts"].value) <= 40


@pytest.mark.parametrize(("told", "fires"), [
    ("RX 5600 XT, my own program. It runs with MY_SWITCH=1, but every picture is gray.", False),
    ("RX 5600 XT, my own program crashes. It works with MY_SWITCH=1, but slowly.", True),
])
def test_what_only_moves_the_trouble_is_no_cure(tmp_path, told, fires):
    assert ("works-with-option" in found(tmp_path, told)) is fires


@pytest.mark.parametrize(("told", "fires"), [
    ("RX 7900 XTX, JAX crashes while it compiles a kernel. On a CPU with interpret=True it is fine.", False),
    ("RX 7900 XTX, JAX crashes while it compiles a kernel. With interpret=True it is fine.", True),
    ("MI300X. A job with --gpus-per-node=8 works and loads the GPUs, but the labels of the exporter are empty.", False),
])
def test_what_was_set_on_the_cpu_or_beside_the_trouble_is_no_cure(tmp_path, told, fires):
    assert ("works-with-option" in found(tmp_path, told)) is fires


def test_blocks_of_a_kernel_are_a_size(tmp_path):
    assert "small-is-right" in found(tmp_path, "RX 7900 XTX. The kernel with 64x64 blocks runs. With 256x256 blocks it crashes.")
