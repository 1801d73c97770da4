"""What real files tell is read as it stands: memory of a card, versions in use, dumps with a title; what is no value, no GPU and no trouble stays none."""

import json

import pytest
from click.testing import CliRunner

from rocmdoctor.commands import explain
from rocmdoctor.texts import documents, kinds
from tests.texts.test_read_rightly import GiB, MiB, facts_of, holds

ROCMINFO = """\
ROCk module is loaded
=====================
HSA Agents
==========
*******
Agent 2
*******
  Name:                    {target}
  Marketing Name:          {name}
  Device Type:             GPU
  Chip ID:                 {chip}
  BDFID:                   768
  Pool Info:
    Pool 1
      Segment:                 GLOBAL; FLAGS: COARSE GRAINED
      Size:                    16760832(0xffc000) KB
"""
HEAPS = """\
Vulkan Instance Version: 1.3.296
GPU0:
	apiVersion         = 1.4.305
	vendorID           = 0x1002
	deviceID           = {device}
	deviceType         = PHYSICAL_DEVICE_TYPE_{kind}_GPU
	deviceName         = {name}
	driverName         = radv
	driverInfo         = Mesa 25.1.3
VkPhysicalDeviceMemoryProperties:
=================================
memoryHeaps: count = 3
	memoryHeaps[0]:
		size   = 8304721920 (0x1ef000000) (7.73 GiB)
		flags: count = 1
			MEMORY_HEAP_DEVICE_LOCAL_BIT
	memoryHeaps[1]:
		size   = 16852713472 (0x3ec800000) (15.70 GiB)
		flags: count = 0
			None
	memoryHeaps[2]:
		size   = 268435456 (0x10000000) (256.00 MiB)
		flags: count = 1
			MEMORY_HEAP_DEVICE_LOCAL_BIT
memoryTypes: count = 1
"""
TEXTS = [
    ("the pool of a card is its VRAM", ROCMINFO.format(target="gfx906", name="AMD Instinct MI50/MI60", chip="26273(0x66a1)"),
     {"gpus": 1, "gpu.vram_bytes[0]": 16760832 << 10}),
    ("the pool of an APU is a share of the RAM", ROCMINFO.format(target="gfx1151", name="AMD Radeon Graphics", chip="5510(0x1586)"),
     {"gpus": 1, "no gpu.vram_bytes": None}),
    ("an overridden target makes no card of an APU", ROCMINFO.format(target="gfx1030", name="AMD Radeon Graphics", chip="5761(0x1681)"),
     {"gpus": 1, "no gpu.vram_bytes": None}),
    ("heaps of a card", HEAPS.format(device="0x73ff", kind="DISCRETE", name="AMD Radeon RX 6600 (RADV NAVI23)"),
     {"gpus": 1, "gpu.vram_bytes[0]": 8304721920 + 268435456}),
    ("heaps of an APU", HEAPS.format(device="0x1586", kind="INTEGRATED", name="Radeon 8060S Graphics (RADV GFX1151)"), {"gpus": 1, "no gpu.vram_bytes": None}),
    ("devices of llama.cpp with their memory", """\
ggml_cuda_init: found 2 ROCm devices (Total VRAM: 41000 MiB):
  Device 0: AMD Radeon RX 7900 XTX, gfx1100 (0x1100), VMM: no, Wave Size: 32, VRAM: 24560 MiB
  Device 1: AMD Radeon(TM) 860M Graphics, gfx1152 (0x1152), VMM: no, Wave Size: 32, VRAM: 16245 MiB
""", {"gpus": 2, "gpu.vram_bytes[0]": 24560 * MiB, "no gpu.vram_bytes[1]": None}),
    ("a list of devices of llama.cpp", "Available devices:\n  ROCm0: AMD Radeon RX 7800 XT (16368 MiB, 16130 MiB free)\n",
     {"gpus": 1, "gpu.vram_bytes[0]": 16368 * MiB}),
    ("Ollama's discrete card", 'time=2026-11-30T10:00:00.000Z level=INFO source=types.go:42 msg="inference compute" id=0 library=ROCm compute=gfx1100 name=ROCm0 '
     'description="AMD Radeon RX 7900 XTX" libdirs=ollama driver=70151.80 pci_id=0000:03:00.0 type=discrete total="24.0 GiB" available="23.8 GiB"\n',
     {"gpus": 1, "gpu.vram_bytes[0]": 24 * GiB}),
    ("Ollama's integrated one", 'time=2026-11-30T10:00:00.000Z level=INFO source=types.go:42 msg="inference compute" id=0 library=ROCm compute=gfx1151 name=ROCm0 '
     'description="AMD Radeon Graphics" libdirs=ollama driver=70151.80 pci_id=0000:c7:00.0 type=iGPU total="96.0 GiB" available="94.1 GiB"\n',
     {"gpus": 1, "no gpu.vram_bytes": None}),
    ("alternatives of one chip in a string", json.dumps({"kernel": "6.16.0-1-mainline", "cpu": "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", "inxi":
     "Graphics:\n  Device-1: Advanced Micro Devices [AMD/ATI] Strix Halo [Radeon Graphics / Radeon 8050S 8060S\n    Graphics] driver: amdgpu"}, indent=1),
     {"gpus": 1, "gpu.name[0]": "AMD Radeon 8060S"}),
    ("a processor and its graphics", "Ubuntu 25.10, Ryzen AI Max+ 395 / 8060S: the GPU is not used any more.\n", {"gpus": 1, "gpu.gfx_target[0]": "gfx1151"}),
    ("two cards side by side stay two", "My RX 7900 XTX and RX 7900 XTX do not see each other, nor does the RX 7900 XT, RX 7800 XT see them.\n", {"gpus": 3}),
    ("a processor is no GPU's name", "It worked for half an hour on my Ryzen 7 5800H, then it died and never came back.\n",
     {"gpus": 1, "gpu.gfx_target[0]": "gfx90c", "gpu.name[0]": "graphics of the 5800H"}),
    ("vLLM tells the memory of a GPU that nobody names", """\
INFO 08-07 17:13:40 [__init__.py:244] Automatically detected platform rocm.
INFO 08-07 17:14:33 [worker.py:294] the current vLLM instance can use total_gpu_memory (191.98GiB) x gpu_memory_utilization (0.90) = 172.79GiB for vLLM
""", {"gpus": 1, "gpu.vram_bytes[0]": int(191.98 * GiB)}),
    ("and of CUDA none", """INFO 08-07 17:13:40 [__init__.py:244] Automatically detected platform cuda.
INFO 08-07 17:14:33 [worker.py:294] the current vLLM instance can use total_gpu_memory (79.15GiB) x gpu_memory_utilization (0.90) = 71.2GiB for vLLM
""", {"gpus": 0}),
    ("of several GPUs it adds none", """INFO 08-07 17:13:40 [__init__.py:244] Automatically detected platform rocm.
INFO 08-07 17:14:33 [worker.py:294] the current vLLM instance can use total_gpu_memory (191.98GiB) x gpu_memory_utilization (0.90) = 172.79GiB for vLLM
03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [Radeon RX 9070/9070 XT/9070 GRE] [1002:7550] (rev c0)
09:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Raphael [1002:164e] (rev c1)
""", {"gpus": 2, "no gpu.vram_bytes": None}),
    ("hwinfo shows udev's database", """============ start debug info ============
libhd version 21.51 (x86-64) [7688]
  P: /devices/pci0000:00/0000:00:01.1/0000:01:00.0
  E: DRIVER=nouveau
  E: PCI_CLASS=30000
  E: PCI_ID=10DE:1F91
  E: PCI_SLOT_NAME=0000:01:00.0

  P: /devices/pci0000:00/0000:00:08.1/0000:05:00.0
  E: PCI_CLASS=30000
  E: PCI_ID=1002:15D8
  E: PCI_SLOT_NAME=0000:05:00.0
  E: PCI_SUBSYS_ID=103C:86D5
""", {"gpus": 1, "gpu.pci_id[0]": "1002:15d8", "gpu.pci_address[0]": "0000:05:00.0", "gpu.gfx_target[0]": "gfx902"}),
    ("how many there are stands before the name", "My 4\u00d7 MI50 (32 GB) do not see each other.\n", {"gpus": 4, "gpu.vram_bytes[3]": 32 * GiB, "gpu.gfx_target[3]": "gfx906"}),
    ("two of them", "Two Radeon RX 7900 XTX hang with tensor parallel.\n", {"gpus": 2, "gpu.gfx_target[1]": "gfx1100"}),
    ("a tool that lists them adds none", "My two RX 7900 XTX hang.\n\n```\n03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [1002:744c]\n"
     "0c:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [1002:744c]\n```\n", {"gpus": 2, "gpu.pci_address[1]": "0000:0c:00.0"}),
    ("Dual is a series of ASUS", "My ASUS Dual Radeon RX 580 OC 8 GB hangs.\n", {"gpus": 1}),
    ("an index is no number of cards", "GPU 2 Radeon RX 6800 hangs, slot 3x Radeon is empty, 16x Radeon\n", {"gpus": 1}),
    ("the size of a card behind its name", "My RX 7900 XTX (24 GB) hangs, the machine has 64 GB of RAM.\n", {"gpus": 1, "gpu.vram_bytes[0]": 24 * GiB}),
    ("memory of the machine behind it is not its", "RX 6800, 32 GB RAM, it hangs.\n", {"gpus": 1, "no gpu.vram_bytes": None}),
    ("a variable is no value", "#!/bin/bash\nfor i in $(seq 0 23); do\n  HIP_VISIBLE_DEVICES=$i ./stream &\n  export ROCR_VISIBLE_DEVICES=$((i / 2))\ndone\n",
     {"no env.HIP_VISIBLE_DEVICES": None, "no env.ROCR_VISIBLE_DEVICES": None}),
    ("nor is a template", "services:\n  a:\n    image: rocm/vllm:latest\n    environment:\n      - HIP_VISIBLE_DEVICES={{ gpu }}\n      - HSA_ENABLE_SDMA=0\n",
     {"no env.HIP_VISIBLE_DEVICES": None, "env.HSA_ENABLE_SDMA": "0"}),
    ("a path beside one is", "export LD_LIBRARY_PATH=/opt/rocm/lib:$LD_LIBRARY_PATH\n", {"env.LD_LIBRARY_PATH": "/opt/rocm/lib:$LD_LIBRARY_PATH"}),
    ("the Ollama that is installed", "Ollama 0.12.3 was right on my RX 6800, 0.12.6 is installed and falls back to the CPU.\n", {"ollama.version": "0.12.6"}),
    ("the kernel that runs now", "On kernel 6.12.48 all is fine, the machine now runs 6.18.40 and amdgpu hangs with my RX 7800 XT.\n",
     {"kernel.release": "6.18.40", "report.last_good": "6.12.48"}),
    ("what runs now is not called right by it", "My RX 6600 freezes. Kernel 6.6.91 is what runs now; 6.1 was fine.\n",
     {"kernel.release": "6.6.91", "report.last_good": "6.1"}),
    ("a field is no line of a log", "kernel: 6.18.40 (also tried 6.17.9, the same). My RX 9070 hangs.\n", {"kernel.release": "6.18.40"}),
    ("Mesa is at", "Games crash on my RX 9070 XT. Mesa is at 25.3.5, the Flatpak runtime too.\n", {"vulkan.mesa_version": "25.3.5"}),
    ("a release of Adrenalin and its number", "Windows 11, RX 7800 XT, Adrenalin 24.9.1 (driver 32.0.11038.4001): black screen.\n",
     {"windows.adrenalin": "24.9.1", "windows.driver_version": "32.0.11038.4001"}),
    ("the number before the release", "Driver 32.0.11038.4001 (Adrenalin 24.9.1) on Windows 11 with my RX 6700 XT times out.\n",
     {"windows.adrenalin": "24.9.1", "windows.driver_version": "32.0.11038.4001"}),
    ("AMD Software", "RX 7800 XT on Windows 11 with AMD Software 24.9.1 (32.0.11038.4001) crashes.\n",
     {"windows.adrenalin": "24.9.1", "windows.driver_version": "32.0.11038.4001"}),
    ("a sentence ends behind a pin", "My RX 9070 XT hangs with torch==2.10.0a0+rocm7.10.0a20251103. With the CPU it does not.\n",
     {"torch.version[0]": "2.10.0a0+rocm7.10.0a20251103", "runtime.rocm_version": "7.10.0a20251103"}),
]


@pytest.mark.parametrize(("text", "wanted"), [(text, wanted) for _, text, wanted in TEXTS], ids=[name for name, _, _ in TEXTS])
def test_is_read(tmp_path, text, wanted):
    (tmp_path / "input.txt").write_text(text)
    holds(facts_of([tmp_path / "input.txt"])[0], wanted)


DUMP = "# PCI\n\n```zsh\n" + "".join(
    f"0{i}:00.0 PCI bridge: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 XL Upstream Port of PCI Express Switch (rev c5)\n\tKernel driver in use: pcieport\n" for i in range(1, 10)) + """\
0a:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Navi 14 [Radeon RX 5500/5500M / Pro 5500M] (rev c5)
	Kernel driver in use: amdgpu
	Kernel modules: amdgpu
""" + "".join(f"1{i}:00.0 PCI bridge: Intel Corporation 400 Series Chipset Family PCI Express Root Port (rev f0)\n\tKernel driver in use: pcieport\n" for i in range(10)) + "```\n"


def test_a_dump_with_a_title_is_its_output(tmp_path):
    (tmp_path / "pci.md").write_text(DUMP)
    holds(facts_of([tmp_path / "pci.md"])[0], {"gpus": 1, "gpu.driver[0]": "amdgpu", "gpu.pci_address[0]": "0000:0a:00.0"})


def test_an_example_in_a_guide_is_none(tmp_path):
    (tmp_path / "pci.md").write_text(DUMP + "\nThe list names each device and the driver that holds it, and what to do about it.\n" * 40)
    holds(facts_of([tmp_path / "pci.md"])[0], {"gpus": 0})


BENCHMARK = """\
# Benchmarks of llama.cpp

## Installation

Build it.

## {}

| Component | Details |
|---|---|
| **OS** | Arch Linux, kernel 6.12.61-1-lts |
| **GPU** | AMD Radeon RX 580 8GB (Polaris) |
| **Vulkan Driver** | RADV (Mesa 25.3.1) |

## Usage

It does not start without a model, and fails with the RX 7900 XTX.
"""


@pytest.mark.parametrize("heading", ["System Configuration", "Environment", "Hardware used", "Ambiente testado"])
def test_the_machine_of_a_benchmark(tmp_path, heading):
    (tmp_path / "README.md").write_text(BENCHMARK.format(heading))
    facts, _ = facts_of([tmp_path / "README.md"])
    holds(facts, {"gpus": 1, "gpu.name[0]": "AMD Radeon RX 580", "gpu.vram_bytes[0]": 8 * GiB, "vulkan.mesa_version": "25.3.1", "kernel.release": "6.12.61-1-lts"})


@pytest.mark.parametrize("heading", ["Hardware requirements", "Supported hardware", "Recommended system", "Prerequisites\n\n### Hardware", "Results"])
def test_what_readers_need_is_no_machine(tmp_path, heading):
    (tmp_path / "README.md").write_text(BENCHMARK.format(heading))
    holds(facts_of([tmp_path / "README.md"])[0], {"gpus": 0, "no kernel.release": None})


def test_a_choice_of_cards_is_no_machine(tmp_path):
    (tmp_path / "README.md").write_text(BENCHMARK.format("Hardware").replace("8GB (Polaris)", "or RX 590"))
    holds(facts_of([tmp_path / "README.md"])[0], {"gpus": 0})


PLAN = "I've put the notes together for a Radeon.\n\n" + "\n".join(
    f"## Phase {i}: Project Plan\n\n### Goals\n\n- Prevent misuse or corruption unless it violates law {i}.\n" for i in range(8)) + "More words. " * 100
PAGE = """<!DOCTYPE html>
<html><head><title>{}</title></head><body><h1>Radeon</h1>
<p>On the RX 7900 XTX the driver does not start when the option is off, and my screen stays black.</p></body></html>
"""
MANUAL = '.\\" man page\n.TH AMDGPU_TOP 1\n.SH OPTIONS\nThe application does not read the counters of the GPU if this flag is set, and fails on a Radeon.\n'
TEMPLATE = "---\nname: Feature request\nabout: Suggest an idea\n---\n\nWhich problem of the Radeon does it solve? Include error messages that you see when it hangs.\n"
WATCHES = "#!/bin/sh\nfor i in 1 2; do\n  grep -qiE \"OutOfMemory|core dumped|RuntimeError\" \"$OUT/rocm.log\" && break\ndone\n"
MARKED = "TestParameters:\n  marks: [skip-gfx906, skip-gfx1030, skip-gfx1150, skip-gfx1151] # not supported by arch\nGlobalParameters:\n  PrintLevel: 1\n"
PINNED = "# PyTorch for ROCm is heavier, but it works on our Radeon; JAX fails there.\n# Uncomment one.\n# torch\ncupy-rocm-5-0\n"
CLUSTER = "#!/bin/bash\n# for the MI300X nodes\nsrun --gpus=1 --ntasks=1 python train.py --device hip\n"
DESIGN = "# Installer state design\n\n## Goal\n\nKeep it.\n\n## Rules\n\n- Let existing corruption handling stop the run on the Radeon. Do not bypass it.\n\n## Files\n\nNone.\n"
SCRIPT = "#!/bin/sh\nfailed() {\n  grep -Eq \\\n    'Script file .+ not found|open error: Permission denied|the GPU does not start' \\\n    \"$LOG\"\n}\n"


@pytest.mark.parametrize(("name", "text"), [("plan.md", PLAN), ("guide.html", PAGE.format("Options")), ("amdgpu_top.1", MANUAL), ("start.sh", SCRIPT), ("feature_request.md", TEMPLATE), ("watch.sh", WATCHES), ("test.yaml", MARKED),
                                            ("requirements-rocm.txt", PINNED), ("train.sh", CLUSTER), ("state-design.md", DESIGN),
                                            (".dockerignore", "# This does not affect the cache of the ROCm image.\n*.log\n"),
                                            ("gui.ftl", "failed = Failed to set up a graphics context of the Radeon.\n")])
def test_nobody_tells_of_trouble(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    report = json.loads(CliRunner().invoke(explain.command, ["--json", str(tmp_path / name)]).stdout)
    assert [finding["id"] for finding in report["findings"] if finding["severity"] in ("critical", "error", "warning")] == []


@pytest.mark.parametrize(("name", "text"), [
    ("saved.html", PAGE.format("Black screen on RX 7900 XTX - Issue #12")),
    ("README.md", "# RX 6900 XT hangs while a long prompt is read\n\nThe host freezes and the card is gone.\n"),
    ("README.md", "# crasher\n\n## Reproducing the hang\n\nThe host freezes and the card is gone.\n"),
])
def test_trouble_told_there_is_read(name, text):
    assert documents.kind_of_whole(text, name) == ""
    assert {kind for _, _, kind in kinds.parts_of(text, name)} & {"prose", "form", "output"}


@pytest.mark.parametrize("text", [
    "amdgpu 0000:01:00.0: amdgpu: VRAM: 4096M\n[   14.787385] amdgpu: [powerplay] Failed to retrieve minimum clocks.\n",
    "My A6-3400M: NB P0 0.8500 is stable with prime95 on its Radeon, with NB P0 0.8375 it is not so sure.\n",
    "The bug was introduced in ROCm 5.3 and is wrong in it; ROCm 6.2.4 is right on my RX 6600.\n",
    "Rejected on the MI50: +3% PPL degradation (16.13 was fine, 16.61 is wrong).\n",
    "`llama-bench`-style prompt processing is fine on my Radeon, with kubectl -l app.kubernetes.io/name=amd-gpu it works.\n",
    "~~WORKING~~ version of Ollama for a Radeon RX 580 with ROCM=on AVX=on AVX2=on.\n\nIt worked for an hour and then died for ever.\n",
])
def test_no_trouble_of_a_version_or_an_option(tmp_path, text):
    (tmp_path / "input.txt").write_text(text)
    report = json.loads(CliRunner().invoke(explain.command, ["--json", str(tmp_path / "input.txt")]).stdout)
    wrong = {"power-controller-does-not-answer", "worked-before-this-version", "works-with-option", "gpu-hang"}
    assert not wrong & {finding["id"] for finding in report["findings"]}
