"""Texts that speak of no machine, or of one without an AMD GPU: nothing of them becomes a GPU, a version or a finding."""

import json

import pytest
from click.testing import CliRunner

from rocmdoctor.commands import explain
from rocmdoctor.texts import documents, kinds

README = """\
# Local models on an Instinct MI50

Turn a cheap card into a server. It does not work with every board.

## Prerequisites

- Ubuntu 22.04 with kernel 6.8.0-45-generic
- ROCm 6.3.3

## Installation

```bash
export HSA_OVERRIDE_GFX_VERSION=9.0.6
sudo apt install rocm
```

## Troubleshooting

### rocm-smi does not detect the GPU

```
RuntimeError: HIP out of memory
[   12.345678] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout
```

The driver hangs when the board has no large BAR: the RX 7900 XTX crashes at start.
"""
SCRIPT = """\
#!/bin/bash
# for the MI300X nodes
#SBATCH --gpus-per-node=8
module load craype-accel-amd-gfx90a
export PYTORCH_ROCM_ARCH="gfx90a;gfx942"
log() { echo "ERROR: $1 does not exist"; }
"""
DOCKERFILE = """\
# syntax=docker/dockerfile:1
ARG BASE=rocm/pytorch
FROM rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1
# known to fail on the Radeon RX 7900 XTX
ENV AMDGPU_TARGETS=gfx1151
RUN pip install nothing || echo "fatal error: it does not build"
"""
COMPOSE = """\
services:
  ollama:
    image: ollama/ollama:rocm
    environment:
      - HSA_OVERRIDE_GFX_VERSION=10.3.0  # RX 6700 XT
    devices: [/dev/kfd, /dev/dri]
"""
LOCK = """\
# This file is generated. It is not intended for manual editing, which fails.
version = 3

[[package]]
name = "mi300x-benchmarks"
version = "0.1.0"
"""
WORKFLOW = """\
name: Build for gfx1151
on:
  push:
jobs:
  build:
    runs-on: windows-latest
    steps:
      - uses: actions/upload-artifact@v3
"""
CODE = """\
#include <linux/module.h>
static int start(void) {
    printk(KERN_ALERT "Error: could not initialize the Radeon RX 580");
}
"""
TABLE = "gfx,cu_num,M,N,K\ngfx942,304,1664,1536,4096\ngfx942,304,1664,4096,12288\n"
VFIO = "options vfio-pci ids=1002:164c,1002:1637 disable_vga=1\n"
GRUB = """\
# If you change this file, run 'update-grub' afterwards, or it does not work.
GRUB_DEFAULT=0
GRUB_TIMEOUT=5
# Uncomment to disable the graphical terminal, which hangs on some cards
GRUB_CMDLINE_LINUX_DEFAULT="quiet splash"
"""
HISTORY = """\
VERSION HISTORY
 v2.1: fixed a hang of the RX 480 at start.
 v2.0: the Radeon VII crashes no more.
"""
PINNED = """\
# Pinned for the MI50 environment. It is not a full list.
torch==2.7.0+rocm6.3
transformers==5.8.0
numpy==2.1.0
"""
UNDERLINED = """\
Miner Pro 5.1c
--------------
  - Fixed a crash of the Radeon RX 5500 at start

Miner Pro 5.1b
--------------
  - Works around a hang of the RX 580

Miner Pro 5.0
-------------
  - Radeon VII: slow kernels are no longer chosen
"""
VOICELESS = "# Validation of the RX 9060 XT\n\n" + "\n\n".join(
    f"## {name}\n\n" + "The recorded scope is exact, and another product must bring evidence of its own before it is taken. " * 7
    for name in ("Scope", "Local gate", "Authority")) + "\n\nA run fails when the target is not gfx1200.\n"
OVERLAY = ("This is an ebuild overlay for the RX 5600 XT and perhaps the RX 560. " + "The packages are taken apart and put together anew. " * 40
           + "\nThe driver hangs with older kernels.\n")
CHINESE = "# ROCm 指南\n\n## 环境要求\n\n- ROCm 6.0, RX 7900 XTX\n\n## 快速安装\n\n运行脚本。\n\n## 常见问题\n\n### GPU 崩溃 error\n\nRuntimeError: HIP out of memory\n"
PATCH = """\
From 2ab9a197500a87e409ccf27d3ffdc9c5fd560f8b Mon Sep 17 00:00:00 2001
Subject: [PATCH] drm/ttm: mappings

Cached mappings read stale data, so that the ring test of the RX 580 failed (-110).
---
 a.c | 2 +-
"""
DOCSTRING = '''"""GPU back end.

It fails where rocm-smi does not find the RX 7900 XTX.
"""
import os


def free() -> int:
    try:
        return int(os.environ["X"])
    except ValueError:
        return 0
'''
TERRAFORM = """\
# The container of the RX 7900 XTX, which is ignored on the first run because of a bug.
resource "proxmox_container" "ai" {
  started = false
  node    = var.node
  memory {
    dedicated = 8192
  }
}
"""
EBUILD = """\
# Copyright 2020
EAPI=7
DESCRIPTION="OpenCL for Polaris 10"
src_install() {
    echo "$1" > "${T}/x.icd" || die "Failed to generate ICD file"
}
"""
SAYS = """\
#!/bin/bash
if [ -e /dev/kfd ]; then
    echo "[PASS] /dev/kfd"
else
    echo "[FAIL] /dev/kfd not found"
fi
"""
DASHBOARD = json.dumps({"__inputs": [], "title": "vLLM on AMD MI300X", "panels": [{"type": "stat", "description": "GPU: MI300X, crashes"}], "schemaVersion": 39})
QUESTIONS = json.dumps([{"question": "What causes hipErrorNoBinaryForGpu on the RX 7900 XTX?", "expected_answer": "The wheel lacks gfx1100.\nIt crashes."},
                        {"question": "How is ROCm 6.0 installed on the MI210?", "expected_answer": "With apt.\nThen restart."}])
LISTED = json.dumps({"gpus": {f"gfx{number}": {"name": f"RX {number}"} for number in (900, 906, 1030, 1100, 1200)}})
TREE = "GlobalParameters:\n  KernelTime: true\n  PinClocks: false\n  Sizes: [1, 2]\nLibrary:\n  - Vega 20\n  Name: vega20\n  Target: gfx906\nLast:\n  - a\n"
COMPILER = "/src/rocfft/a.h:145:5: warning: no return statement [-Wreturn-type]\n43 warnings generated when compiling for gfx906.\n"
MORE = {"underlined": UNDERLINED, "voiceless": VOICELESS, "overlay": OVERLAY, "chinese": CHINESE, "patch": PATCH, "docstring": DOCSTRING,
        "terraform": TERRAFORM, "ebuild": EBUILD, "says": SAYS, "dashboard": DASHBOARD, "questions": QUESTIONS, "listed": LISTED, "tree": TREE,
        "compiler": COMPILER}
NAMELESS = {**MORE, "readme": README, "script": SCRIPT, "dockerfile": DOCKERFILE, "compose": COMPOSE, "lock": LOCK, "workflow": WORKFLOW, "code": CODE, "table": TABLE,
            "vfio": VFIO, "grub": GRUB, "history": HISTORY, "pinned": PINNED}


def report_of(tmp_path, text):
    path = tmp_path / "input.txt"
    path.write_text(text)
    return json.loads(CliRunner().invoke(explain.command, ["--json", str(path)]).stdout)


def facts_of(report):
    return {name: fact.get("value") for name, fact in report["snapshot"]["facts"].items() if fact["state"] == "known"}


def loud(report):
    return [finding["id"] for finding in report["findings"] if finding["severity"] in ("critical", "error", "warning")]


@pytest.mark.parametrize("name", NAMELESS)
def test_it_names_no_gpu_and_shows_no_trouble(tmp_path, name):
    report = report_of(tmp_path, NAMELESS[name])
    assert not [fact for fact in facts_of(report) if fact.startswith("gpu.")]
    assert loud(report) == []


@pytest.mark.parametrize(("name", "kind"), [("readme", "document"), ("script", "config"), ("dockerfile", "config"), ("lock", "code"), ("workflow", "code"), ("code", "code"),
                                            ("table", "table"), ("grub", "config"), ("history", "document"), ("pinned", "package_list"),
                                            ("underlined", "document"), ("voiceless", "document"), ("overlay", "document"), ("chinese", "document"),
                                            ("patch", "code"), ("docstring", "code"), ("terraform", "code"), ("ebuild", "config"), ("says", "config"),
                                            ("tree", "config")])
def test_the_kind_of_the_whole(name, kind):
    assert documents.kind_of_whole(NAMELESS[name]) == kind


def test_settings_still_say_what_they_set(tmp_path):
    assert facts_of(report_of(tmp_path, DOCKERFILE))["runtime.rocm_version"] == "7.2"
    assert facts_of(report_of(tmp_path, COMPOSE))["env.HSA_OVERRIDE_GFX_VERSION"] == "10.3.0"
    assert facts_of(report_of(tmp_path, PINNED))["torch.version[0]"] == "2.7.0+rocm6.3"


@pytest.mark.parametrize("title", ["Ollama crashes on my MI50", "llama-server hangs after the update", "Bug: wrong output with gfx906"])
def test_a_report_with_headings_is_no_document(tmp_path, title):
    text = f"# {title}\n\n## Environment\n\nInstinct MI50, ROCm 6.3.3\n\n## Steps to reproduce\n\nStart it.\n\n## Logs\n\nRuntimeError: HIP out of memory\n"
    report = report_of(tmp_path, text)
    assert facts_of(report)["gpu.gfx_target[0]"] == "gfx906"
    assert "out-of-memory" in json.dumps(report["findings"])


@pytest.mark.parametrize("text", [
    "# RX 9070 in Ollama: only the processor is used\n\n## Hardware\n\nRX 9070, ROCm 7.2\n\n## Setup\n\nDocker\n\n## Result\n\n" + "The card stays idle. " * 90,
    "# RX 9070 and the new kernel\n\n## Machine\n\nRX 9070\n\n## Then\n\nMy screen goes black and it hangs.\n\n## Now\n\n" + "I wait for the next one. " * 80,
    "This guide is what I followed, and my RX 9070 hangs.\n",
    "This repo reproduces a crash of the RX 9070.\n" + "The same work with the other path does not crash. " * 40,
])
def test_a_report_with_other_headings_is_no_document(tmp_path, text):
    assert documents.kind_of_whole(text) == ""
    assert facts_of(report_of(tmp_path, text))["gpu.name[0]"] == "AMD Radeon RX 9070"


CONCISE = """\
============================ ROCm System Management Interface ============================
====================================== Concise Info ======================================
Device  Node  IDs              Temp        Power     Partitions          SCLK   MCLK     Fan
              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)
==========================================================================================
"""
SPX = CONCISE + """\
0       4     0x74a0,   47157  31.0°C      121.0W    NPS1, SPX, 0        93Mhz  1200Mhz  0%
1       5     0x74a0,   11624  32.0°C      64.0W     NPS1, SPX, 0        94Mhz  900Mhz   0%
==================================== End of ROCm SMI Log =================================
"""
CPX = CONCISE + """\
0       4     0x74a0,   44068  46.0°C      126.0W    NPS1, CPX, 0        95Mhz  1300Mhz  0%
1       5     0x74a0,   20517  46.0°C      126.0W    NPS1, CPX, 1        95Mhz  1300Mhz  0%
2       6     0x74a0,   5157   46.0°C      126.0W    NPS1, CPX, 0        95Mhz  1300Mhz  0%
3       7     0x74a0,   59428  46.0°C      126.0W    NPS1, CPX, 1        95Mhz  1300Mhz  0%
==================================== End of ROCm SMI Log =================================
"""


@pytest.mark.parametrize("text", [SPX, CPX, SPX + "\n" + CPX])
def test_a_partition_is_no_gpu_of_its_own(tmp_path, text):
    facts = facts_of(report_of(tmp_path, text))
    assert facts["pci.amd_gpu_count"] == 2
    assert len({name.partition("[")[2] for name in facts if name.startswith("gpu.")}) == 2


def test_the_examples_of_a_guide_are_no_machine(tmp_path):
    facts = facts_of(report_of(tmp_path, "# How to partition\n\n## Overview\n\n```\n" + SPX + "```\n\n## CPX\n\n```\n" + CPX + "```\n"))
    assert not [name for name in facts if name.startswith(("gpu.", "pci."))]


@pytest.mark.parametrize("line", ["01:00.0 3D controller: NVIDIA Corporation GK208M [GeForce GT 740M] (rev a1)", '    "w7900": [],', "NVIDIA GeForce MX 550"])
def test_a_number_of_another_maker_and_a_key_name_no_gpu(tmp_path, line):
    assert not [name for name in facts_of(report_of(tmp_path, line + "\n")) if name.startswith("gpu.")]


@pytest.mark.parametrize(("text", "count", "name"), [
    ("brand: |\n  Navi 10 [Radeon RX 5600 OEM/5600 XT / 5700/5700 XT] (rev c1)\nids: |\n  VGA compatible controller [0300] [1002:731f] (rev c1)\n", 1, None),
    ("It runs on an RX 7900 here. The RX 7900 XTX is fast.\n", 1, "AMD Radeon RX 7900 XTX"),
    ("AMD Radeon 780M, listed as 1002:15bf.\n", 1, "AMD Radeon 780M"),
    ("Tested: RX 470, RX 6600, RX 6700 XT, RX 7900 XTX, RX 9070 XT and the MI300X.\n", 0, None),
    ("built with AMDGPU_TARGETS=gfx90a and HCC_AMDGPU_TARGET: gfx90a\n", 0, None),
])
def test_one_gpu_is_named_once(tmp_path, text, count, name):
    facts = facts_of(report_of(tmp_path, text))
    assert len({key.partition("[")[2] for key in facts if key.startswith("gpu.")}) == count, facts
    assert name is None or facts["gpu.name[0]"] == name


I915 = """\
[    0.000000] Linux version 6.4.6-76060406-generic (a@b) (x86_64-linux-gnu-gcc-12 (Ubuntu 12.3.0-1ubuntu1) 12.3.0) #202 SMP
[    0.519003] pci 0000:00:02.0: [8086:0046] type 00 class 0x030000
[42906.502496] [drm:i915_hangcheck_hung] *ERROR* Hangcheck timer elapsed... GPU hung
[42999.744013] python3[2794]: segfault at 20 ip 00007f51720aa844 sp 00007fffef2a0e58 error 4 in libcuda.so[7f51]
"""
XORG = """\
[    25.100] X.Org X Server 1.20.5
[    25.101] (--) PCI:*(1@0:0:0) 10de:1c02:1043:85b9 rev 161, Mem @ 0xde000000/16777216
[    25.253] (EE) No devices detected.
"""


@pytest.mark.parametrize("text", [I915, XORG, "| NVIDIA-SMI 580.126.09 |\nGPU 0: NVIDIA L40S (UUID: GPU-1)\nRuntimeError: CUDA error: out of memory\n"])
def test_a_machine_of_other_makers_has_one_answer(tmp_path, text):
    report = report_of(tmp_path, text)
    assert [finding["id"] for finding in report["findings"]] == ["no-amd-gpu"]
    assert report["verdict"] == "no_amd_gpu" and report["findings"][0]["severity"] == "info"


def test_another_makers_gpu_beside_an_amd_one_changes_nothing(tmp_path):
    text = I915 + "[    0.6] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=3, emitted seq=5\n"
    assert "graphics-job-hangs" in loud(report_of(tmp_path, text))


NOT_OURS = """\
[    0.000000] Linux version 6.12.1-arch1-1 (linux@archlinux) #1 SMP
[    0.519003] pci 0000:03:00.0: [1002:744c] type 00 class 0x030000
[    5.432754] go[233]: modprobe: FATAL: Module msr not found in directory /lib/modules/6.12.1-arch1-1
[   22.744013] nautilus[2794]: segfault at 20 ip 00007f51720aa844 sp 00007fffef2a0e58 error 4 in libgio-2.0.so.0[7f51]
[   23.864489] (sd-exec-[180]: /usr/lib/systemd/system-generators/systemd-fstab-generator failed with exit status 1.
[  239.039757] iwlwifi 0000:02:00.0: Microcode SW error detected, queue stuck
"""


def test_other_programs_trouble_is_not_the_gpus(tmp_path):
    assert loud(report_of(tmp_path, NOT_OURS)) == []


def test_a_kernel_segfault_in_the_graphics_stack_is(tmp_path):
    line = "[   30.744013] kwin_wayland[2794]: segfault at 20 ip 00007f51720aa844 sp 00007fffef2a0e58 error 4 in libgallium-25.2.so[7f51]\n"
    assert "crash" in json.dumps(report_of(tmp_path, NOT_OURS + line)["findings"])


@pytest.mark.parametrize(("text", "fact", "value"), [
    (I915, "os.distribution", "pop"),
    ("Compiler: gcc (Ubuntu 5.4.0-6ubuntu1~16.04.10) for the RX 580\n", "os.version", None),
    ("python-debian 0.1.27 is there, with an RX 580.\n", "os.distribution", None),
    ("The RX 580 runs pytorch-2.3.0.sif there.\n", "torch.version[0]", "2.3.0"),
    ("GPU 0: NVIDIA L40S (UUID: GPU-1)\n", "pci.other_gpus", ["NVIDIA L40S"]),
])
def test_a_number_is_what_it_is(tmp_path, text, fact, value):
    assert facts_of(report_of(tmp_path, text)).get(fact) == value


@pytest.mark.parametrize("text", ["Model,Base,Card\nstt,Enc,there\nsst,Dec,here\n", "options bbswitch load_state=0\n", "just some words\n", README])
def test_nothing_is_passed_over_in_silence(tmp_path, text):
    assert any("not understood" in note or "no facts taken" in note for note in report_of(tmp_path, text)["notes"])


def test_nomodeset_of_a_host_that_passes_its_gpu_through_is_no_error(tmp_path):
    line = "BOOT_IMAGE=/vmlinuz-6.8.12-4-pve root=/dev/mapper/pve-root ro nomodeset"
    assert loud(report_of(tmp_path, f"{line} iommu=pt pcie_acs_override=downstream\n")) == []
    assert loud(report_of(tmp_path, f"{line}\n")) == ["nomodeset-on-command-line"]


CIM_JSON = """[
  {"Name": "AMD Radeon RX 9070 XT", "DriverVersion": "32.0.21030.2001",
   "PNPDeviceID": "PCI\\\\VEN_1002\\u0026DEV_7550\\u0026SUBSYS_54141849\\u0026REV_C0\\\\6\\u00261"},
  {"Name": "NVIDIA GeForce GT 1030", "DriverVersion": "32.0.15.6603", "PNPDeviceID": "PCI\\\\VEN_10DE\\u0026DEV_1D01"},
  {"Caption": "Microsoft Windows 11 Pro", "Version": "10.0.26100", "BuildNumber": "26100"}
]
"""
CIM_CSV = """#TYPE Selected.Microsoft.Management.Infrastructure.CimInstance
"Name","DriverVersion","PNPDeviceID"
"AMD Radeon RX 9070 XT","32.0.21030.2001","PCI\\VEN_1002&DEV_7550&SUBSYS_54141849&REV_C0\\6&1"
"NVIDIA GeForce GT 1030","32.0.15.6603","PCI\\VEN_10DE&DEV_1D01"
"""


@pytest.mark.parametrize("text", [CIM_JSON, CIM_CSV, CIM_CSV.replace('","', '";"')])
def test_objects_of_powershell(tmp_path, text):
    facts = facts_of(report_of(tmp_path, text))
    assert (facts["gpu.name[0]"], facts["gpu.pci_id[0]"], facts["gpu.revision[0]"], facts["gpu.gfx_target[0]"]) == (
        "AMD Radeon RX 9070 XT", "1002:7550", "c0", "gfx1201")
    assert facts["windows.driver_version"] == "32.0.21030.2001" and facts["pci.other_gpus"] == ["NVIDIA GeForce GT 1030"]
    assert text != CIM_JSON or facts["os.version"] == "10.0.26100"


@pytest.mark.parametrize(("code", "hung"), [("141", True), ("117", True), ("144", False)])
def test_a_live_kernel_event_of_the_display_driver(tmp_path, code, hung):
    text = f"AMD Radeon RX 9070 XT\n\nProblem signature\nProblem Event Name:\tLiveKernelEvent\nCode:\t{code}\nOS version:\t10_0_26100\n"
    assert ("gpu-hang" in loud(report_of(tmp_path, text))) == hung


def test_what_stands_behind_an_option_is_no_parameter(tmp_path):
    text = "options amdgpu sg_display=0   (APU scatter-gather flicker)\noptions amdgpu ppfeaturemask=0xffffffff runpm=0 # for the fan\n"
    facts = facts_of(report_of(tmp_path, text))
    assert facts["amdgpu.modprobe_options"] == ["options amdgpu sg_display=0", "options amdgpu ppfeaturemask=0xffffffff runpm=0"]


@pytest.mark.parametrize(("beside", "accused"), [("# AMD instead:\n#  - /dev/kfd:/dev/kfd\n", False), ("# with a Radeon\n", True)])
def test_a_compose_file_for_both_makers_is_right(tmp_path, beside, accused):
    text = f"""services:
  app:
    image: rocm/vllm
    deploy:
      resources:
        reservations:
          devices:
            - driver: nvidia
{beside}"""
    report = report_of(tmp_path, text.replace("app:", "app: # Radeon RX 7900 XTX"))
    assert ("nvidia-container-option-on-amd" in json.dumps(report["findings"])) is accused


def test_the_kinds_of_documents_are_read_by_nobody():
    assert not {"document", "code"} & (kinds.OF_MACHINES | set().union(*kinds.GROUPS.values()))
