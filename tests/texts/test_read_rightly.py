"""What stands in small real-life inputs is read as what it is: no second GPU, no version out of a number, no person's word out of a program."""

import io
import json
import pathlib
import subprocess
import sys

import pytest
from click.testing import CliRunner

from rocmdoctor.commands import explain
from rocmdoctor.facts.model import Absent, Known, Snapshot
from rocmdoctor.texts import attach, interpret

ROOT = pathlib.Path(__file__).resolve().parents[2]
GiB, MiB = 1 << 30, 1 << 20


class _Nothing:
    def scan(self, *_, **__):
        return ()


def facts_of(paths):
    found = attach.gather([str(path) for path in paths], io.BytesIO())
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
    interpret.fill(snapshot, found.texts, _Nothing())
    return {name: fact.value if isinstance(fact, Known) else None for name, fact in snapshot.facts.items() if isinstance(fact, (Known, Absent))}, snapshot


def holds(facts, wanted):
    """``wanted``: values by fact; "gpus" is the number of GPUs; a name behind "no " may not be known."""
    for name, value in wanted.items():
        if name == "gpus":
            assert len({key.partition("[")[2] for key in facts if key.startswith("gpu.")}) == value, facts
        elif name.startswith("no "):
            assert not [key for key in facts if key.partition("[")[0] == name[3:]], (name, facts)
        else:
            assert name in facts and facts[name] == value, (name, facts.get(name, "not known"), facts)


TEXTS = [
    ("a bus scan names GPUs by class", """\
[    0.519001] pci 0000:01:00.0: [1002:1478] type 01 class 0x060400
[    0.519003] pci 0000:03:00.0: [1002:744c] type 00 class 0x030000
[    0.519004] pci 0000:03:00.1: [1002:ab30] type 00 class 0x040300
[    0.519005] pci 0000:00:14.0: [1002:4385] type 00 class 0x0c0500
""", {"gpus": 1, "gpu.pci_id[0]": "1002:744c", "gpu.pci_address[0]": "0000:03:00.0", "pci.amd_gpu_count": 1}),
    ("an accelerator has a class of its own", "[    1.1] pci 0000:63:00.0: [1002:74a1] type 00 class 0x120000\n", {"gpus": 1, "gpu.gfx_target[0]": "gfx942"}),
    ("a scan without an AMD display device", """\
[    0.474495] pci 0000:00:00.0: [1002:5a14] type 00 class 0x060000
[    0.475535] pci 0000:00:11.0: [1002:4390] type 00 class 0x01018f
[    0.475900] pci 0000:01:00.0: [10de:1c81] type 00 class 0x030000
""", {"gpus": 0, "pci.amd_gpu_count": 0, "pci.other_gpus": ["NVIDIA [10de:1c81]"]}),
    ("the whole list of lspci -nn", """\
00:00.0 Host bridge [0600]: Advanced Micro Devices, Inc. [AMD] Raphael/Granite Ridge Root Complex [1022:14d8]
03:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 [Radeon RX 9070/9070 XT/9070 GRE] [1002:7550] (rev c0)
03:00.1 Audio device [0403]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 48 HDMI/DP Audio Controller [1002:ab40]
09:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Raphael [1002:164e] (rev c1)
09:00.2 Encryption controller [1080]: Advanced Micro Devices, Inc. [AMD] Family 19h PSP/CCP [1022:1649]
""", {"gpus": 2, "pci.amd_gpu_count": 2, "gpu.gfx_target[0]": "gfx1201", "gpu.gfx_target[1]": "gfx1036", "gpu.revision[0]": "c0"}),
    ("lspci -n", "03:00.0 0300: 1002:744c (rev c8)\n03:00.1 0403: 1002:ab30\n", {"gpus": 1, "gpu.pci_id[0]": "1002:744c", "gpu.revision[0]": "c8"}),
    ("lspci -nnmm",
     '03:00.0 "VGA compatible controller [0300]" "Advanced Micro Devices, Inc. [AMD/ATI] [1002]" "Navi 31 [744c]" -rc8 "Sapphire [1da2]" "x [471e]"\n',
     {"gpus": 1, "gpu.pci_id[0]": "1002:744c", "gpu.name[0]": "Navi 31"}),
    ("lspci -vmmnn -k", """\
Slot:	0000:65:00.0
Class:	Display controller [0380]
Vendor:	Advanced Micro Devices, Inc. [AMD/ATI] [1002]
Device:	Strix [Radeon 880M / 890M] [150e]
Rev:	c1
Driver:	vfio-pci
Module:	amdgpu

Slot:	0000:65:00.1
Class:	Audio device [0403]
Vendor:	Advanced Micro Devices, Inc. [AMD/ATI] [1002]
Device:	Rembrandt Radeon High Definition Audio Controller [1640]
""", {"gpus": 1, "gpu.pci_id[0]": "1002:150e", "gpu.driver[0]": "vfio-pci", "gpu.pci_address[0]": "0000:65:00.0"}),
    ("the programming interface is no part of the name",
     "0a:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Ellesmere [Radeon RX 480] (rev c7) (prog-if 00 [VGA controller])\n",
     {"gpu.name[0]": "Ellesmere [Radeon RX 480]", "gpu.revision[0]": "c7"}),
    ("a journal stays lines", """\
Mar 02 08:11:31 desk kernel: amdgpu 0000:2b:00.0: amdgpu: Fetched VBIOS from ROM BAR
Mar 02 08:11:31 desk kernel: amdgpu: ATOM BIOS: 113-V395TRIO-3OC
Mar 02 08:11:31 desk kernel: [drm] UVD and UVD ENC is disabled in VM mode
Mar 02 08:11:32 desk systemd[1]: Started the service that is needed for all of this to work.
""", {"gpus": 1, "gpu.vbios[0]": "113-V395TRIO-3OC", "no report.last_good": None}),
    ("a journal in another language", """\
 6月 15 14:57:16 berry kernel: amdgpu 0000:06:00.0: amdgpu: VRAM: 3072M 0x000000F400000000 - 0x000000F4BFFFFFFF (3072M used)
févr. 15 14:57:17 berry kernel: amdgpu 0000:07:00.0: amdgpu: VRAM: 4096M 0x000000F400000000 - 0x000000F4BFFFFFFF (4096M used)
""", {"gpus": 2, "gpu.vram_bytes[0]": 3 * GiB, "gpu.vram_bytes[1]": 4 * GiB}),
    ("a root hub of the kernel's log", "[    5.477995] usb usb1: Manufacturer: Linux 4.19.28-1-MANJARO xhci-hcd\n", {"kernel.release": "4.19.28-1-MANJARO"}),
    ("rocm-smi with its columns spread", """\
GPU[0]          : Device Name:          AMD Instinct MI300X VF
GPU[0]          : Device ID:            0x74b5
GPU[0]          : VRAM Total Memory (B): 205822885888
""", {"gpus": 1, "gpu.pci_id[0]": "1002:74b5", "gpu.vram_bytes[0]": 205822885888}),
    ("a filtered clinfo names its device again", """\
  Platform Name                                   AMD Accelerated Parallel Processing
  Device Name                                     gfx1010
  Device Board Name (AMD)                         AMD Radeon RX 5600 XT
    Platform Name                                 AMD Accelerated Parallel Processing
    Device Name                                   gfx1010
""", {"gpus": 1, "gpu.gfx_target[0]": "gfx1010"}),
    ("other people's reports behind links",
     "My laptop has Barcelo graphics, and the kernel says:\n```\namdgpu 0000:04:00.0: amdgpu: MODE2 reset\n```\n"
     "- [a #1](https://example.org/1) - hangs on the Rembrandt APU too\n", {"gpus": 1, "gpu.pci_address[0]": "0000:04:00.0", "gpu.gfx_target[0]": "gfx90c"}),
    ("the tag of an image is no card", "# MI300X: the container rocm/vllm-dev:open-mi300-08052025 answers with !!!!!! the second time.\n",
     {"gpus": 1, "gpu.name[0]": "AMD Instinct MI300X"}),
    ("an old inxi", "System:    Host: a Kernel: 4.4.0-93-generic x86_64 Distro: Deepin 20 Beta base: Debian unstable \n"
     "Graphics:  Card-1: Intel Xeon E3 Integrated Graphics Controller bus-ID: 00:02.0\n"
     "           GLX Renderer: Mesa DRI Intel Haswell GLX Version: 3.0 Mesa 17.0.7 Direct Rendering: Yes\n",
     {"gpus": 0, "vulkan.mesa_version": "17.0.7", "os.distribution": "deepin"}),
    ("emerge --info", "Portage 3.0.45.3 (python 3.11.2, gcc-12, 6.2.8-gentoo x86_64)\n==============\n"
     "System uname: Linux-6.2.8-gentoo-x86_64-Intel-R-_Core-TM-_i5-7400\n", {"kernel.release": "6.2.8-gentoo"}),
    ("a month is no program",
     "Jan 12 04:01:12 localhost kernel: amdgpu 0000:03:00.0: amdgpu: PSP load tmr failed!\n", {"no report.apps": None, "gpus": 1}),
    ("a compiler's version is not the system's",
     "[    0.000000] Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, "
     "GNU ld 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)\n",
     {"kernel.release": "6.1.0-18-amd64", "os.family": "linux", "os.distribution": "debian", "no os.version": None}),
    ("windows of a host bridge",
     "[    0.3] PCI: Using host bridge windows from ACPI; if necessary, use \"pci=nocrs\"\n[    0.1] Linux version 6.8.12-4-pve (build@proxmox)\n",
     {"os.family": "linux", "os.distribution": "proxmox"}),
    ("a kernel release is whole, a root hub none", """\
  *-usbhost:1
       product: xHCI Host Controller
       vendor: Linux 5.15.0-91-lowlatency xhci-hcd
hub:
                       Linux Foundation 3.0 root hub
""", {"kernel.release": "5.15.0-91-lowlatency"}),
    ("root hubs alone", "hub:\n                       Linux Foundation 2.0 root hub\n", {"no kernel.release": None}),
    ("I/O ports are no groups",
     "  BOOT_IMAGE=/boot/vmlinuz-5.4.0-42-generic root=UUID=1 ro\n        e000-e0ff : r8169\n        fed0-fedf : pnp\n", {"no user.groups": None}),
    ("seconds since boot are no releases", """\
[    21.323] (--) PCI:*(10@0:0:0) 1002:73bf:1002:0e3a rev 193, Mem @ 0x7c00000000/17179869184, BIOS @ 0x????????/131072
[    21.323] (WW) Open ACPI failed (/var/run/acpid.socket) (No such file or directory)
[    21.401] (EE) Failed to load module "radeon" (module does not exist, 0)
""", {"gpus": 1, "gpu.pci_id[0]": "1002:73bf", "gpu.pci_address[0]": "0000:0a:00.0", "no report.last_good": None, "no report.first_bad": None}),
    ("audio of inxi is no GPU", """\
Graphics:  Device-1: AMD Navi 23 [Radeon RX 6600] vendor: Sapphire driver: amdgpu v: kernel
           bus ID: 03:00.0
           OpenGL: renderer: AMD Radeon RX 6600 (navi23 LLVM 15.0.7 DRM 3.54 6.6.8-arch1-1)
           v: 4.6 Mesa 23.3.2 direct render: Yes
Audio:     Device-1: AMD Navi 21/23 HDMI/DP Audio driver: snd_hda_intel v: kernel bus ID: 03:00.1
           Device-2: AMD Starship/Matisse HD Audio driver: N/A bus ID: 2f:00.4
""", {"gpus": 1, "gpu.driver[0]": "amdgpu", "vulkan.mesa_version": "23.3.2", "kernel.release": "6.6.8-arch1-1"}),
    ("glxinfo", """\
name of display: :1
    Vendor: AMD (0x1002)
    Device: AMD Radeon RX 6800 XT (radeonsi, navi21, LLVM 17.0.6, DRM 3.57, 6.8.7-arch1-1) (0x73bf)
    Version: 24.0.5
    Video memory: 16384MB
    Unified memory: no
Extended renderer info (GLX_MESA_query_renderer):
""", {"gpus": 1, "gpu.pci_id[0]": "1002:73bf", "vulkan.mesa_version": "24.0.5", "gpu.vram_bytes[0]": 16 * GiB, "kernel.release": "6.8.7-arch1-1"}),
    ("a translated lshw without a driver", """\
  *-display NICHT BEANSPRUCHT
  *-display UNCLAIMED
       Beschreibung: VGA compatible controller
       Produkt: Navi 10 [Radeon RX 5600 OEM/5600 XT / 5700/5700 XT]
       Hersteller: Advanced Micro Devices, Inc. [AMD/ATI]
       Physische ID: 0
       Bus-Informationen: pci@0000:0d:00.0
       Version: c1
       Konfiguration: latency=0
""", {"gpus": 1, "gpu.pci_address[0]": "0000:0d:00.0", "gpu.driver[0]": None, "gpu.revision[0]": "c1"}),
    ("hwinfo", """\
33: PCI 300.0: 0300 VGA compatible controller (VGA)
  [Created at pci.386]
  SysFS BusID: 0000:03:00.0
  Hardware Class: graphics card
  Vendor: pci 0x1002 "ATI Technologies Inc"
  Device: pci 0x73df "Navi 22 [Radeon RX 6700/6700 XT]"
  Revision: 0xc5
  Driver: "amdgpu"

34: PCI 300.1: 0403 Audio device
  SysFS BusID: 0000:03:00.1
  Vendor: pci 0x1002 "ATI Technologies Inc"
  Device: pci 0xab28
""", {"gpus": 1, "gpu.pci_id[0]": "1002:73df", "gpu.driver[0]": "amdgpu", "gpu.revision[0]": "c5", "pci.amd_gpu_count": 1}),
    ("a table of ROCm 2", """\
==================    ROCm System Management Interface    ==================
 GPU  Temp    AvgPwr   SCLK     MCLK     Fan      Perf    SCLK OD
  1   61.0c   96.0W    1268Mhz  2000Mhz  60.0%    auto      0%
  0   58.0c   93.1W    1268Mhz  2000Mhz  55.0%    auto      0%
==================           End of ROCm SMI Log          ==================
""", {"pci.amd_gpu_count": 2, "amdgpu.loaded": True}),
    ("packages with tabs", "rocm-smi-lib\t7.7.0.70100-20~22.04\tinstall ok installed\nrocminfo\t1.0.0.70100-20~22.04\tinstall ok installed\n",
     {"runtime.rocm_version": "7.1.0", "no report.last_good": None}),
    ("radeon holds the card",
     "[    3.1] [drm] radeon kernel modesetting enabled.\n[    3.2] radeon 0000:01:00.0: VRAM: 3072M 0x0 - 0xBF (3072M used)\n",
     {"gpus": 1, "gpu.driver[0]": "radeon", "gpu.pci_address[0]": "0000:01:00.0", "gpu.vram_bytes[0]": 3 * GiB}),
    ("vfio-pci holds the card and its audio", """\
[    7.10] vfio-pci 0000:0c:00.0: vgaarb: deactivate vga console
[    7.11] vfio_pci: add [1002:73df[ffffffff:ffffffff]] class 0x000000/00000000
[    7.12] vfio_pci: add [1002:ab28[ffffffff:ffffffff]] class 0x000000/00000000
""", {"gpus": 1, "gpu.driver[0]": "vfio-pci", "gpu.pci_id[0]": "1002:73df"}),
    ("several services, one with the GPU", """\
services:
  web:
    image: nginx:1.27
    restart: always
  llm:
    image: ghcr.io/ggml-org/llama.cpp:server-rocm
    devices:
      - /dev/kfd
      - /dev/dri
    group_add: ["video"]
  db:
    image: postgres:16
""", {"container.image": "ghcr.io/ggml-org/llama.cpp:server-rocm", "container.devices": ["/dev/kfd", "/dev/dri"], "container.groups": ["video"], "gpus": 0}),
    ("hipconfig", "HIP version: 7.1.25424-4179531dcd\n\n==hipconfig\nHIP_PATH           :/opt/rocm-7.1.0\nROCM_PATH          :/opt/rocm-7.1.0\n",
     {"runtime.rocm_version": "7.1.0", "runtime.hip_version": "7.1.25424-4179531dcd"}),
    ("a marketing name and an override make no second GPU", """\
ROCk module is loaded
*******
Agent 2
*******
  Name:                    gfx1030
  Uuid:                    GPU-XX
  Marketing Name:          AMD Radeon RX 6600 XT
  Device Type:             GPU
  Chip ID:                 29695(0x73ff)
  BDFID:                   768
      Name:                    amdgcn-amd-amdhsa--gfx1030
""", {"gpus": 1, "gpu.gfx_reported[0]": "gfx1030", "gpu.gfx_target[0]": "gfx1032"}),
    ("clinfo of ROCm",
     "Number of platforms:\t\t\t\t 1\n  Platform Name:\t\t\t\t AMD Accelerated Parallel Processing\nNumber of devices:\t\t\t\t 1\n"
     "  Device Type:\t\t\t\t\t CL_DEVICE_TYPE_GPU\n  Board name:\t\t\t\t\t Radeon RX Vega\n  Device Topology:\t\t\t\t PCI[ B#3, D#0, F#0 ]\n"
     "  Max compute units:\t\t\t\t 56\n  Name:\t\t\t\t\t\t gfx900\n  Driver version:\t\t\t\t 3186.0 (HSA1.1,LC)\n",
     {"gpus": 1, "gpu.gfx_target[0]": "gfx900", "gpu.pci_address[0]": "0000:03:00.0", "gpu.cu_count[0]": 56}),
    ("JSON of nobody's form", json.dumps({"system": {"kernel": "6.12.9-arch1-1"},
                                          "torch": {"version": "2.8.0+rocm6.4"},
                                          "gpus": [{"name": "AMD Radeon RX 7800 XT", "arch": "gfx1101"}]}, indent=1),
     {"gpus": 1, "gpu.gfx_target[0]": "gfx1101", "torch.version[0]": "2.8.0+rocm6.4", "kernel.release": "6.12.9-arch1-1"}),
    ("vfio-pci holds cards of any maker", """\
[    0.919900] pci 0000:01:00.0: [10de:1c02] type 00 class 0x030000
[    1.135651] vfio-pci 0000:01:00.0: vgaarb: changed VGA decodes: olddecodes=io+mem,decodes=io+mem:owns=io+mem
[    1.153410] vfio_pci: add [10de:1c02[ffff:ffff]] class 0x000000/00000000
""", {"gpus": 0, "pci.amd_gpu_count": 0, "pci.other_gpus": ["NVIDIA [10de:1c02]"]}),
    ("a kernel of a BSD is none of Linux", """\
---<<BOOT>>---
Copyright (c) 1992-2021 The FreeBSD Project.
Copyright (c) 1979, 1980, 1983, 1986, 1988, 1989, 1991, 1992, 1993, 1994
\tThe Regents of the University of California. All rights reserved.
FreeBSD 13.0-RELEASE #0 releng/13.0-n244733-ea31abc261f: Fri Apr  9 04:24:09 UTC 2021
atrtc0: Warning: Couldn't map I/O.
pcib0: could not evaluate _ADR - AE_NOT_FOUND
[drm] initializing kernel modesetting (POLARIS11 0x1002:0x67EF 0x106B:0x016B 0xC7).
[drm] amdgpu: 2048M of VRAM memory ready
""", {"os.family": "freebsd", "os.name": "FreeBSD 13.0-RELEASE", "no kernel.release": None, "gpus": 1, "gpu.pci_id[0]": "1002:67ef"}),
    ("a kernel's lines without its banner are of Linux", "[    3.1] amdgpu 0000:03:00.0: amdgpu: PSP load tmr failed!\n", {"os.family": "linux", "gpus": 1}),
    ("a card that lspci does not know", "05:00.0 VGA compatible controller: Advanced Micro Devices, Inc. [AMD/ATI] Device 15d8 (rev c1)\n",
     {"gpus": 1, "gpu.pci_id[0]": "1002:15d8", "gpu.gfx_target[0]": "gfx902"}),
    ("the programming interface of another's card",
     "01:00.0 VGA compatible controller: NVIDIA Corporation GK107M (rev a1) (prog-if 00 [VGA controller])\n",
     {"gpus": 0, "pci.other_gpus": ["NVIDIA Corporation GK107M (rev a1)"]}),
    ("Mesa of a GPU of another maker", """\
OpenGL vendor string: Intel Open Source Technology Center
OpenGL renderer string: Mesa DRI Mobile Intel GM45 Express Chipset
OpenGL version string: 2.1 Mesa 18.2.2
""", {"gpus": 0, "vulkan.mesa_version": "18.2.2", "pci.other_gpus": ["Mesa DRI Mobile Intel GM45 Express Chipset"]}),
    ("a sound device is no GPU, in JSON either", json.dumps([{"type": "Device", "info": {
        "device.product.name": "Radeon High Definition Audio Controller [Rembrandt/Strix]",
        "device.vendor.name": "Advanced Micro Devices, Inc. [AMD]"}}], indent=1), {"gpus": 0}),
    ("what a run took is no VRAM", json.dumps({"model": "gpt-oss-20b", "vram_peak_mib": 155, "vram_delta_mib": 0}), {"gpus": 0}),
    ("one GPU of which a document tells often", json.dumps({"gpu_arch": "gfx1151", "results": [
        {"details": {"arch": "gfx1151", "device": "AMD Radeon Graphics"}}, {"details": {"arch": "gfx1151"}},
        {"details": {"starts": [{"arch": "gfx1151"}, {"arch": "gfx1151"}]}}]}, indent=1), {"gpus": 1, "gpu.gfx_target[0]": "gfx1151"}),
    ("two of one kind in a list of GPUs", json.dumps({"gpus": [{"name": "AMD Radeon RX 7900 XTX", "arch": "gfx1100"}] * 2, "run": {"arch": "gfx1100"}}),
     {"gpus": 2, "gpu.gfx_target[1]": "gfx1100"}),
    ("rocminfo as a string of a document, and again in a string of that", json.dumps({"facts": {"rocminfo": (told := (
        "ROCk module is loaded\n=====\nHSA Agents\n=====\nAgent 2\n  Name:                    gfx1151\n"
        "  Marketing Name:          AMD Radeon Graphics\n  Chip ID:                 5510(0x1586)\n  BDFID:                   50688\n"))},
        "evidence": "stdout:\n" + json.dumps({"rocminfo": told})}, indent=1),
     {"gpus": 1, "gpu.name[0]": "AMD Radeon Graphics", "gpu.pci_address[0]": "0000:c6:00.0"}),
    ("the processor of /proc/cpuinfo", "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD Ryzen 7 4800U with Radeon Graphics\n",
     {"machine.cpu": "AMD Ryzen 7 4800U with Radeon Graphics", "gpus": 0}),
    ("hwinfo tells the whole release", """\
============ start debug info ============
libhd version 21.70u (x86-64) [7688]
kernel version is 5.8
    manufacturer = "Linux 5.8.0-7630-generic xhci-hcd"
""", {"kernel.release": "5.8.0-7630-generic"}),
    ("devices of llama.cpp with a time in front", """\
0.01.326.884 I   - CUDA3   : NVIDIA GeForce RTX 5070 Ti (15880 MiB, 15647 MiB free)
0.01.326.945 I   - ROCm0   : AMD Instinct MI50/MI60 (32752 MiB, 32722 MiB free)
0.01.326.958 I   - ROCm1   : AMD Radeon Graphics (32752 MiB, 32722 MiB free)
0.01.327.333 I srv         start: binding port with default address family
""", {"gpus": 2, "gpu.name[0]": "AMD Instinct MI50/MI60", "gpu.gfx_target[0]": "gfx906"}),
    ("what is asked for is not what is installed", """\
## ComfyUI-Manager: EXECUTE => ['/usr/bin/python', '-m', 'pip', 'install', 'torch==2.4.0', 'numpy==1.26.0']
[2026-05-12 20:17] Requirement already satisfied: numpy in ./venv/lib/python3.12/site-packages (2.1.3)
Successfully installed torch-2.9.1+rocm6.4
""", {"torch.version[0]": "2.9.1+rocm6.4", "pip.packages": {"torch": "2.9.1+rocm6.4", "numpy": "2.1.3"}}),
    ("ComfyUI by the words of its manager", """\
Total VRAM 16368 MB, total RAM 32694 MB
### Loading: ComfyUI-Manager (V3.37.1)
### ComfyUI Version: v0.3.68-12-g1a58087 | Released on '2025-11-05'
""", {"app.version[comfyui]": "0.3.68"}),
    ("AppArmor's line is a Linux kernel's", 'Aug 29 17:07:12 box audit[320]: AVC apparmor="DENIED" operation="open" class="file" profile="docker-default" '
     'name="/dev/kfd" pid=320 comm="python3" requested_mask="rw" denied_mask="rw" fsuid=0 ouid=0\n', {"os.family": "linux", "gpus": 0}),
    ("an event of Windows", "Log Name:      System\nSource:        Microsoft-Windows-Kernel-Power\nEvent ID:      41\nLevel:         Critical\n",
     {"os.family": "windows", "gpus": 0}),
    ("Windows 7", "------------------\nSystem Information\n------------------\n      Time of this report: 1/1/2014\n"
     "         Operating System: Windows 7 Home Premium 64-bit (6.1, Build 7601) Service Pack 1\n", {"os.family": "windows", "os.version": "6.1.7601"}),
    ("a list that went through grep stands in a report", "It crashes since I updated. My versions:\n\nflash_attn  2.8.3\nxformers    0.0.33\n",
     {"pip.packages": {"flash-attn": "2.8.3", "xformers": "0.0.33"}}),
    ("two columns of anything else are no packages", "temperature  45.2\nfan          1.5\n", {"no pip.packages": None}),
    ("a card that is only compared with",
     "Think of the Strix Halo GPU as a Radeon RX 7600 XT with more memory, it is about as fast in all that I tried.\n", {"gpus": 1}),
    ("a virtual monitor shows the ids of the card that draws for it", """\
------------------
System Information
------------------
Time of this report: 7/6/2025, 21:36:17
---------------
Display Devices
---------------
           Card name: AMD Radeon RX 7700 XT
          Device Key: Enum\\PCI\\VEN_1002&DEV_747E&SUBSYS_060D1043&REV_FF
    Dedicated Memory: 12176 MB
           Vendor ID: 0x1002
           Device ID: 0x747E

           Card name: Some Virtual Monitor
         Device Type: Display-Only Device
          Device Key: Enum\\ROOT\\DISPLAY
    Dedicated Memory: 12176 MB
           Vendor ID: 0x1002
           Device ID: 0x747E
""", {"gpus": 1, "gpu.name[0]": "AMD Radeon RX 7700 XT"}),
    ("dxdiag of Vista", """\
   Operating System: Windows Vista™ Business (6.0, Build 6002) Service Pack 2 (6002.vistasp2_gdr)
        Card name: ATI Radeon HD 4600 Series
       Device Key: Enum\\PCI\\VEN_1002&DEV_9490&SUBSYS_E115174B&REV_00
 Dedicated Memory: 505 MB
   Driver Version: 8.17.0010.1077 (English)
""", {"gpus": 1, "windows.driver_version": "8.17.0010.1077", "os.name": "Windows Vista Business"}),
    ("a processor alone is no GPU", """\
processor\t: 0
vendor_id\t: AuthenticAMD
cpu family\t: 25
model\t\t: 80
model name\t: AMD Ryzen 5 5600G with Radeon Graphics
stepping\t: 0
""", {"gpus": 0, "machine.cpu": "AMD Ryzen 5 5600G with Radeon Graphics"}),
    ("memory that a run took is no card", '{"backend": "rocm", "model": "a:7b", "tokens_per_sec": 40.1, "vram_mb": 5298, "vram_used_mb": 6115}\n', {"gpus": 0}),
    ("memory beside the card's name is its size", '{"gpu": "AMD Radeon RX 7900 XTX", "vram_gb": 24}\n', {"gpus": 1, "gpu.vram_bytes[0]": 24 * GiB}),
    ("a chip as old drivers name it", "OpenGL vendor string: X.Org\nOpenGL renderer string: Gallium 0.4 on AMD PITCAIRN\n", {"gpus": 1, "gpu.name[0]": "AMD PITCAIRN"}),
    ("the devices of a run in one value",
     '[\n  {\n    "build_commit": "47c786924",\n    "gpu_info": "AMD Radeon RX 7800 XT (RADV NAVI32), AMD Radeon RX 7600",\n    "n_gen": 128\n  }\n]\n',
     {"gpus": 2, "gpu.name[0]": "AMD Radeon RX 7800 XT", "gpu.gfx_target[1]": "gfx1102"}),
    ("devices of AMDVLK", """\
ggml_vulkan: Found 2 Vulkan devices:
ggml_vulkan: 0 = AMD Radeon RX 7900 XTX (AMD open-source driver) | uma: 0 | fp16: 1 | bf16: 0 | warp size: 64 | shared memory: 32768 | int dot: 1
ggml_vulkan: 1 = AMD Radeon RX 7900 XTX (AMD open-source driver) | uma: 0 | fp16: 1 | bf16: 0 | warp size: 64 | shared memory: 32768 | int dot: 1
""", {"gpus": 2, "gpu.gfx_target[1]": "gfx1100"}),
    ("one GPU under an override", """\
My RX 6700 XT crashes with Ollama on Ubuntu 24.04 when I load the model, I set HSA_OVERRIDE_GFX_VERSION=10.3.0 as people say.

```
ggml_cuda_init: found 1 ROCm devices:
  Device 0: AMD Radeon Graphics, gfx1030 (0x1030), VMM: no, Wave Size: 32
```
""", {"gpus": 1, "gpu.name[0]": "AMD Radeon RX 6700 XT", "gpu.gfx_target[0]": "gfx1031", "gpu.gfx_reported[0]": "gfx1030"}),
    ("another card beside one that is overridden", """\
My RX 7900 XTX stays idle, HSA_OVERRIDE_GFX_VERSION=10.3.0 is set for the other one.

```
ggml_cuda_init: found 1 ROCm devices:
  Device 0: AMD Radeon Graphics, gfx1030 (0x1030), VMM: no, Wave Size: 32
```
""", {"gpus": 2}),
    ("a form of a card", "GPU Name: AMD Radeon RX 7800 XT\nVendor: AMD\nVRAM: 16 GB GDDR6\nBandwidth: 640 GB/s\n", {"gpus": 1, "gpu.vram_bytes[0]": 16 * GiB}),
    ("whose memory it is nobody says", "GPU 1: AMD Radeon RX 7800 XT\nGPU 2: NVIDIA RTX 3060\nVRAM: 12 GB\n", {"no gpu.vram_bytes": None}),
    ("a target and units behind the name", "OS: Ubuntu 24.04\nKernel: 6.8.0-31-generic\nGPU: AMD Instinct MI60, gfx906, 64 CUs\nMemory: 64 GB\n",
     {"gpus": 1, "gpu.name[0]": "AMD Instinct MI60", "gpu.gfx_target[0]": "gfx906"}),
    ("hwinfo of another vendor's card", """\
21: PCI 100.0: 0300 VGA compatible controller (VGA)
  [Created at pci.386]
  SysFS BusID: 0000:01:00.0
  Hardware Class: graphics card
  Device Name: "NVIDIA GeForce GTX 1650"
  Model: "nVidia VGA compatible controller"
  Vendor: pci 0x10de "nVidia Corporation"
""", {"gpus": 0, "pci.other_gpus": ["NVIDIA GeForce GTX 1650"]}),
    ("the base of an image before its comments", """\
ARG BASE_IMAGE=rocm/dev-ubuntu-24.04:7.0-complete
FROM ${BASE_IMAGE} AS base
# Needed since ROCm 7.1 by the RX 7900 XTX
ENV HSA_NO_SCRATCH_RECLAIM=1
RUN pip install torch --index-url https://download.pytorch.org/whl/rocm6.4
""", {"gpus": 0, "runtime.rocm_version": "7.0"}),
    ("the repository that an image installs from", """\
FROM debian:13
RUN apt-get update && \\
    echo "deb [arch=amd64] https://repo.radeon.com/rocm/apt/7.2.2 noble main" \\
    > /etc/apt/sources.list.d/rocm.list
RUN pip install torch --index-url https://download.pytorch.org/whl/rocm7.2
""", {"runtime.rocm_version": "7.2.2"}),
    ("an image of a program is no release of ROCm", "FROM rocm/primus:v25.11\nRUN make\n", {"no runtime.rocm_version": None}),
    ("comments of a manifest are nobody's words", """\
# Kubernetes objects for the lab
---
apiVersion: v1
kind: Pod
metadata:
  name: train
spec:
  # Tested with a RX 9070 XT. Without it the machine hangs and locks up after a while, which nobody understands.
  restartPolicy: Never
---
apiVersion: v1
kind: Service
metadata:
  name: train
""", {"gpus": 0, "no report.program": None, "no crash.after": None, "report.texts": [
    {"text": "input.txt", "kinds": ["comment", "kubernetes"], "readers": [], "facts": 0, "hits": 0, "lines": 14}]}),
]


@pytest.mark.parametrize(("text", "wanted"), [(text, wanted) for _, text, wanted in TEXTS], ids=[name for name, _, _ in TEXTS])
def test_is_read_as_what_it_is(tmp_path, text, wanted):
    (tmp_path / "input.txt").write_text(text)
    facts, _ = facts_of([tmp_path / "input.txt"])
    holds(facts, wanted)


def test_the_command_says_what_it_took(tmp_path):
    (tmp_path / "dmesg.txt").write_text(TEXTS[0][1])
    (tmp_path / "other.json").write_text('{"colour": "red"}')
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "explain", "--json", "--no-redact", str(tmp_path)], capture_output=True, timeout=60)
    report = json.loads(done.stdout)
    rows = {row["text"]: row for row in report["snapshot"]["facts"]["report.texts"]["value"]}
    assert rows["dmesg.txt"]["kinds"] == ["kernel_log"] and rows["dmesg.txt"]["readers"] == ["kernel_log"] and rows["dmesg.txt"]["facts"] >= 3
    assert rows["other.json"]["facts"] == 0
    assert any("other.json" in note for note in report["notes"])


POISON = "works with 1.2.3 but fails with 1.3.0 on my Windows 11 with an RX 580, Ollama 0.12.6, torch 2.9.1 and Mesa 25.2.1; ROCm 6.4.1 is fine"
LINES = {
    "kernel_log": "[    5.000001] some_driver: {}", "system_log": "Mar 02 08:11:31 desk agent[77]: {}", "xorg_log": "[    21.323] (II) NOTE: {}",
    "lspci": "05:00.0 Ethernet controller: {}", "sysfs": "PCI_ID=10EC:8168 {}", "hardware_list": "       description: {}",
    "rocminfo": "  Vendor Name: {}", "clinfo": "  Platform Profile   {}", "vulkaninfo": "\tdriverName = {}",
    "package_list": "ii  zlib1g  1:1.2.13  amd64  {}", "package_history": "2026-01-02 10:00:00 status installed {}",
}


@pytest.mark.parametrize("kind", sorted(LINES))
def test_a_program_tells_no_story(tmp_path, kind):
    """A text of one kind gives facts of that kind only: what a person would be believed is not read out of a program's lines."""
    (tmp_path / "input.txt").write_text((LINES[kind].format(POISON) + "\n") * 3)
    facts, snapshot = facts_of([tmp_path / "input.txt"])
    assert facts.get("report.texts", [{"kinds": [kind]}])[0]["kinds"] == [kind]
    allowed = {"report.texts", "report.words", "report.gfx_mentioned", "packages.installed"}
    known = {name.partition("[")[0] for name in facts}
    assert not {name for name in known if name.startswith("report.")} - allowed
    assert not known & {"ollama.version", "torch.version", "runtime.rocm_version", "os.version", "gpu.name", "gpu.gfx_reported", "llama.build"}
    assert facts.get("os.family") != "windows"


MINIMAL = {
    "chipset-of-vendor-1002-is-no-gpu": {"gpus": 0}, "clinfo-apple": {"gpus": 0},
    "clinfo-tail-no-devices-in-platform": {"gpus": 1, "gpu.gfx_target[0]": "gfx1100"},
    "compose-two-services": {"container.image": "rebots/ollama-rocm-dockem-multi-GPU:latest", "container.devices": ["/dev/kfd", "/madev/dri"]},
    "dpkg-query-tsv": {"runtime.rocm_version": "7.2.1", "no report.last_good": None},
    "glxinfo-renderer": {"gpus": 1, "gpu.pci_id[0]": "1002:67ef", "vulkan.mesa_version": "18.3.4", "gpu.vram_bytes[0]": 4 * GiB,
                         "kernel.release": "4.19.28-1-MANJARO"},
    "hipconfig-llc-not-found": {"runtime.rocm_version": "7.12"}, "host-bridge-windows-is-no-windows": {"os.family": "linux"},
    "inxi-audio-device-is-no-gpu": {"gpus": 1, "gpu.driver[0]": "amdgpu", "vulkan.mesa_version": "19.2.6"}, "ioports-are-no-groups": {"no user.groups": None},
    "journal-lines-glued": {"gpu.vbios[0]": "115-D512BS0-100"},
    "kernel-banner-gcc-version-is-no-os-version": {"os.distribution": "ubuntu", "no os.version": None, "no report.apps": None},
    "kernel-release-cut-in-front": {"kernel.release": "4.15.0-30deepin-generic"},
    "lshw-display-unclaimed": {"gpus": 1, "gpu.pci_address[0]": "0000:05:00.0", "gpu.driver[0]": None},
    "lspci-nn-whole-list": {"gpus": 1, "gpu.pci_id[0]": "1002:164c", "pci.amd_gpu_count": 1},
    "lspci-prog-if-in-name": {"gpu.name[0]": "Tahiti PRO [Radeon HD 7950/8950 OEM / R9 280]"}, "old-rocm-smi-table": {"pci.amd_gpu_count": 3},
    "pci-bridges-and-audio-are-no-gpus": {"gpus": 1, "gpu.pci_id[0]": "1002:73df"},
    "radeon-in-dmesg": {"gpus": 1, "gpu.driver[0]": "radeon", "gpu.pci_address[0]": "0000:0a:00.0", "gpu.vram_bytes[0]": 2048 * MiB},
    "rocminfo-override": {"gpus": 1, "gpu.gfx_reported[0]": "gfx1030", "gpu.gfx_target[0]": "gfx1031"},
    "three-gpus-become-six": {"gpus": 3, "gpu.gfx_target[0]": "gfx1100", "gpu.gfx_target[1]": "gfx1201", "gpu.gfx_target[2]": "gfx1036"},
    "usb-root-hub-is-no-kernel": {"no kernel.release": None},
    "vfio-bound": {"gpus": 1, "gpu.driver[0]": "vfio-pci", "gpu.pci_id[0]": "1002:164c"},
    "xorg-question-marks-are-no-garbage-output": {"gpus": 1, "gpu.pci_id[0]": "1002:71c4"},
    "xorg-seconds-are-no-releases": {"no report.last_good": None, "no report.first_bad": None},
}
SHARED = next((place for up in ROOT.parents for place in (up / "shared/minimal",) if place.is_dir()), None)


@pytest.mark.skipif(SHARED is None, reason="the collection of small inputs is not on this machine")
@pytest.mark.parametrize("name", sorted(MINIMAL))
def test_small_inputs(name):
    facts, _ = facts_of([SHARED / name / "inputs"])
    holds(facts, MINIMAL[name])


# What the command concludes from the small inputs; of the others a rule still has to say less.
MINIMAL_FINDINGS = {
    "chipset-of-vendor-1002-is-no-gpu": [], "compose-two-services": [], "dpkg-query-tsv": [], "hipconfig-llc-not-found": [],
    "host-bridge-windows-is-no-windows": [], "inxi-audio-device-is-no-gpu": [], "ioports-are-no-groups": [], "journal-lines-glued": [],
    "kernel-banner-gcc-version-is-no-os-version": [], "kernel-release-cut-in-front": [], "lspci-nn-whole-list": [], "old-rocm-smi-table": [],
    "pci-bridges-and-audio-are-no-gpus": [], "rocminfo-override": [], "usb-root-hub-is-no-kernel": [], "vfio-bound": ["gpu-bound-to-vfio"],
    "xorg-question-marks-are-no-garbage-output": [], "xorg-seconds-are-no-releases": [],
}


@pytest.mark.skipif(SHARED is None, reason="the collection of small inputs is not on this machine")
@pytest.mark.parametrize("name", sorted(MINIMAL_FINDINGS))
def test_small_inputs_conclude_no_more(name):
    done = CliRunner().invoke(explain.command, ["--json", "--no-redact", str(SHARED / name / "inputs")])
    assert [finding["id"] for finding in json.loads(done.stdout)["findings"]] == MINIMAL_FINDINGS[name]
