"""Every attached format through the door a user takes: the sample of ``fixtures/formats``, also when it is messed up."""

from __future__ import annotations

import doctest
import gzip
import html
import importlib
import io
import pkgutil
import random
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import Absent, Known, Snapshot
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret, readers

FORMATS = Path(__file__).resolve().parents[2] / "fixtures" / "formats"
MODULES: dict[str, Any] = {name: importlib.import_module(f"rocmdoctor.texts.readers.{name}")
                           for name in sorted(module.name for module in pkgutil.iter_modules(readers.__path__))}
GiB, MiB = 1 << 30, 1 << 20

EXPECTED: dict[str, dict[str, Any]] = {
    "udevadm.txt": {"gpu.pci_id[0]": "1002:7550", "gpu.pci_address[0]": "0000:03:00.0", "gpu.driver[0]": "amdgpu", "gpu.subsystem_id[0]": "1849:5414",
                    "gpu.vram_bytes[0]": 17095983104, "gpu.revision[0]": "c0", "gpu.pci_id[1]": "1002:13c0", "gpu.pci_id[2]": "none"},
    "interrupts.txt": {"gpu.pci_address[0]": "0000:c3:00.0", "gpu.driver[0]": "amdgpu", "gpu.pci_address[1]": "none"},
    "memtest-vulkan.txt": {"gpu.pci_id[0]": "1002:73bf", "gpu.pci_address[0]": "0000:2d:00.0", "gpu.gfx_target[0]": "gfx1030", "gpu.name[1]": "none",
                           "pci.other_gpus": ["NVIDIA GeForce GT 1030"]},
    "bandwidth-test.txt": {"gpu.name[0]": "AMD Instinct MI210", "gpu.pci_address[0]": "0000:43:00.0", "gpu.pci_address[1]": "0000:c3:00.0", "gpu.name[2]": "none"},
    "phoenixminer.log": {"gpu.name[0]": "Radeon RX 570 Series", "gpu.vram_bytes[1]": 4 * GiB, "gpu.cu_count[1]": 32, "gpu.name[2]": "none",
                         "opencl.driver_version": "20.40-1147286"},
    "steam-info.txt": {"vulkan.mesa_version": "23.2.1", "kernel.release": "6.8.0-52-generic", "gpu.name[0]": "AMD Radeon RX 7800 XT",
                       "gpu.pci_id[0]": "1002:747e", "gpu.gfx_target[0]": "gfx1101"},
    "rpm-ostree.txt": {"os.immutable": True, "os.distribution": "bazzite", "boot.loader": "rpm-ostree"},
    "vainfo.txt": {"vulkan.mesa_version": "25.2.8", "kernel.release": "6.14.0-37-generic", "gpu.name[0]": "AMD Radeon RX 7800 XT"},
    "cim-video-controller.csv": {"gpu.name[0]": "AMD Radeon RX 7900 XTX", "gpu.pci_id[0]": "1002:744c", "gpu.revision[0]": "c8",
                                 "windows.driver_version": "32.0.21030.2001"},
    "cim-video-controller.json": {"gpu.name[0]": "AMD Radeon RX 9070 XT", "gpu.pci_id[0]": "1002:7550", "gpu.subsystem_id[0]": "1849:5414",
                                  "pci.other_gpus": ["Intel(R) UHD Graphics 770"]},
    "other-gpus.txt": {"pci.other_gpus": ["NVIDIA A100-SXM4-80GB", "GeForce RTX 2060"]},
    "rocprof-agent-info.csv": {"gpu.gfx_target[0]": "gfx942", "gpu.pci_id[0]": "1002:74a0", "gpu.pci_address[0]": "0000:01:00.0", "gpu.cu_count[1]": 228,
                               "gpu.pci_address[1]": "0001:01:00.0", "gpu.name[2]": "none"},
    "rocprof-compute-sysinfo.csv": {"kernel.release": "5.15.0-105-generic", "runtime.rocm_version": "6.2.0", "gpu.name[0]": "AMD Instinct MI300X",
                                    "gpu.gfx_target[0]": "gfx942", "gpu.cu_count[0]": 304, "os.version": "22.04", "gpu.name[1]": "none"},
    "llama-bench.csv": {"llama.build": 9049, "llama.backend": "vulkan", "llama.tokens_per_second": 61.65, "gpu.gfx_target[0]": "gfx1151",
                        "gpu.gfx_target[1]": "none"},
    "dmidecode.txt": {"machine.product": "LENOVO 83E1", "machine.board": "LNVNB161216", "machine.bios_version": "F40", "machine.cpu": "AMD Ryzen Z1 Extreme",
                      "memory.installed_bytes": 16 * GiB},
    "ollama-ps.txt": {"app.name[ollama]": "ollama", "app.backend[ollama]": "cpu"},
    "hipinfo.txt": {"gpu.gfx_target[0]": "gfx1036", "gpu.is_apu[0]": True, "gpu.gfx_target[1]": "gfx1100", "gpu.pci_address[1]": "0000:03:00.0",
                    "gpu.name[1]": "AMD Radeon RX 7900 XTX", "gpu.kfd_pool_bytes[1]": round(23.98 * GiB), "gpu.name[2]": "none"},
    "msinfo32.txt": {"os.version": "10.0.26100", "machine.product": "ASUS ROG STRIX B650E-E", "gpu.pci_id[0]": "1002:744c",
                     "windows.driver_version": "32.0.21025.1024", "gpu.name[1]": "none", "machine.cpu": "AMD Ryzen 7 7800X3D 8-Core Processor"},
    "dxdiag-devices.txt": {"gpu.pci_id[0]": "1002:731f", "gpu.vram_bytes[0]": 8151 * MiB, "gpu.name[1]": "none", "machine.product": "none",
                           "machine.bios_version": "05.0000E", "windows.driver_version": "26.20.15019.19000"},
    "pip-grep.txt": {"torch.version[0]": "2.9.1+rocm7.11.0", "runtime.rocm_version": "7.11.0",
                     "pip.packages": {"amd-torch-device-gfx1151": "2.9.1+rocm7.11.0", "bitsandbytes": "0.49.1", "pytorch-triton-rocm": "3.5.1",
                                      "rocm": "7.11.0", "torch": "2.9.1+rocm7.11.0", "torchvision": "0.24.1+rocm7.11.0"}},
    "rocminfo-wsl.txt": {"os.family": "wsl", "gpu.gfx_target[0]": "gfx1100", "gpu.pci_id[0]": "1002:744c"},
    "stability-matrix.log": {"app.version[comfyui]": "0.3.68", "app.backend[comfyui]": "rocm", "gpu.gfx_target[0]": "gfx1101", "os.family": "windows",
                             "gpu.name[1]": "none"},
    "lmstudio-live.log": {"gpu.name[0]": "AMD Radeon RX 7900 XTX", "gpu.gfx_target[0]": "gfx1100", "gpu.vram_bytes[0]": 25_750_000_000},
    "rocm-agent-enumerator.txt": {"gpu.gfx_reported[0]": "gfx1100", "gpu.gfx_reported[1]": "gfx1036"},
    "rocm-sdk.txt": {"runtime.rocm_version": "7.10.0a20251120", "runtime.rocm_targets": ["gfx1150", "gfx1151", "gfx1152"]},
    "rocm-smi-2019.txt": {},
    "rocm-smi-allinfo.txt": {"gpu.pci_id[0]": "1002:744c", "gpu.gfx_target[0]": "gfx1100", "gpu.vram_bytes[0]": 25753026560},
    "amd-smi-monitor.txt": {"gpu.vram_bytes[0]": round(191.7 * GiB), "gpu.vram_used_bytes[1]": round(150.1 * GiB)},
    "amd-smi-metric.txt": {"gpu.link_width[0]": 8, "gpu.link_speed_gts[0]": 16.0, "gpu.ras_ue_count[0]": 1, "gpu.vram_bytes[0]": 24560 * MiB,
                           "gpu.visible_vram_bytes[0]": 256 * MiB, "gpu.gtt_bytes[0]": 31927 * MiB},
    "amd-smi-bad-pages.txt": {"gpu.bad_pages[0]": 2, "gpu.bad_pages[1]": 0},
    "amd-smi-metric.json": {"gpu.link_width[0]": 16, "gpu.link_speed_gts[0]": 32.0, "gpu.vram_bytes[0]": 196592 * MiB, "gpu.ras_ue_count[0]": 0},
    "amd-smi-static.csv": {"gpu.name[0]": "AMD Instinct MI300X, OAM", "gpu.pci_address[1]": "0000:15:00.0", "gpu.cu_count[1]": 304},
    "amdgpu-top.txt": {"runtime.rocm_version": "7.0.2", "gpu.pci_id[0]": "1002:1586", "gpu.gtt_bytes[0]": 122880 * MiB, "gpu.is_apu[0]": True},
    "clinfo-list.txt": {"gpu.gfx_target[0]": "gfx1100", "kernel.release": "6.14.0-37-generic"},
    "clinfo-raw.txt": {"gpu.cu_count[0]": 36, "gpu.pci_address[0]": "0000:0b:00.0", "opencl.driver_version": "3635.0 (HSA1.1,LC)"},
    "collect-env-flat.txt": {"torch.version[0]": "2.8.0+rocm6.4", "kernel.release": "6.8.0-64-generic", "gpu.gfx_target[0]": "gfx942",
                             "app.version[vllm]": "0.9.2rc2.dev58"},
    "pip-show.txt": {"pip.packages": {"torch": "2.9.1+rocm7.1"}, "runtime.rocm_version": "7.1"},
    "conda-list.txt": {"torch.version[0]": "2.7.1+rocm6.3", "runtime.rocm_version": "6.3"},
    "uv-pip-list.txt": {"runtime.rocm_version": "7.12.0a20260211", "torch.version[0]": "2.10.0+rocm7.12.0a20260211"},
    "journal.json": {"kernel.release": "6.17.0-8-generic", "gpu.pci_address[0]": "0000:c6:00.0", "gpu.vram_bytes[0]": GiB},
    "dmesg-syslog.txt": {"kernel.release": "6.12.9-arch1-1", "gpu.vram_bytes[0]": 16368 * MiB},
    "ollama-docker.txt": {"ollama.version": "0.15.4", "ollama.library": "rocm", "gpu.gfx_target[0]": "gfx1100"},
    "llama-list-devices.txt": {"gpu.gfx_target[0]": "gfx1151", "gpu.gfx_target[1]": "none"},
    "lms-survey.txt": {"app.name[lmstudio]": "lmstudio", "gpu.gfx_target[0]": "gfx1201", "gpu.vram_bytes[0]": round(15.92 * GiB)},
    "sd-cpp.txt": {"app.backend[sd]": "vulkan", "gpu.gfx_target[0]": "gfx1032"},
    "whisper.txt": {"app.backend[whisper]": "cpu"},
    "vllm.txt": {"app.version[vllm]": "0.9.2", "app.backend[vllm]": "none detected", "python.failing_package": "vllm"},
    "jax.txt": {"python.exception": "JaxRuntimeError: UNKNOWN: no ROCm-capable device is detected", "python.failing_package": "jax"},
    "hip-trace.txt": {"hip.failed_call": "hipModuleLoadData", "hip.error": "hipErrorNoBinaryForGpu"},
    "gdb.txt": {"crash.library": "libhsa-runtime64.so.1", "crash.function": "rocr::core::Runtime::VMFaultHandler", "crash.signal": "SIGABRT"},
    "coredumpctl.txt": {"crash.library": "libvulkan_radeon.so", "crash.program": "llama-server", "crash.signal": "SIGSEGV"},
    "windows-event.txt": {"crash.library": "amdhip64_7.dll", "crash.signal": "0xc0000005", "windows.driver_version": "none"},
    "windows-event-german.txt": {"crash.library": "amdvlk64.dll", "windows.driver_version": "32.0.21025.1024"},
    "apt-history.txt": {"vulkan.mesa_version": "25.0.7", "firmware.package_version": "20240318.git3b128b60-0ubuntu2.19"},
    "dnf-history.txt": {"packages.changed": {"mesa-vulkan-drivers": ["25.1.9-1.fc43", "25.2.7-1.fc43"],
                                             "linux-firmware": ["20250808-1.fc43", "20251111-1.fc43"]}},
    "zypper-history.txt": {"firmware.package_version": "20251203-1.1", "vulkan.mesa_version": "25.3.1"},
    "docker-run.txt": {"container.devices": ["/dev/kfd", "/dev/dri"], "container.groups": ["video", "992"], "container.kind": "docker",
                       "container.image": "ollama/ollama:0.12.6-rocm", "env.HSA_OVERRIDE_GFX_VERSION": "11.0.0"},
    "compose.txt": {"container.devices": ["/dev/kfd", "/dev/dri/renderD128"], "container.privileged": True, "container.shm_bytes": 8 * GiB},
    "kubernetes.txt": {"kubernetes.gpu_requested": 2, "kubernetes.reason": "FailedScheduling", "container.kind": "kubernetes"},
    "lspci-vv.txt": {"gpu.link_width[0]": 4, "gpu.link_max_width[0]": 16, "gpu.bar_bytes[0]": 16 * GiB, "gpu.driver[0]": "vfio-pci",
                     "gpu.name[1]": "none"},
    "modprobe.txt": {"amdgpu.modprobe_options": ["options amdgpu ppfeaturemask=0xffffffff", "options ttm pages_limit=29491200"]},
    "fastfetch.txt": {"kernel.release": "6.17.7-3-cachyos", "gpu.gfx_target[0]": "gfx1100", "gpu.name[1]": "AMD Raphael",
                      "os.distribution": "cachyos", "memory.ram_bytes": round(62.48 * GiB)},
    "free.txt": {"memory.ram_bytes": 62 * GiB, "memory.swap_bytes": 8 * GiB},
    "lsb-release.txt": {"os.name": "Ubuntu 24.04.3 LTS", "os.version": "24.04"},
    "video-controller.txt": {"gpu.pci_id[0]": "1002:747e", "windows.driver_version": "32.0.21025.1024", "gpu.vram_bytes[0]": "none"},
    "node-scraper.json": {"kernel.release": "5.15.0-88-generic", "runtime.rocm_version": "6.4.0", "gpu.vram_bytes[0]": 196592 * MiB},
    "rccl.txt": {"rccl.version": "2.21.5", "runtime.rocm_version": "6.2.4", "kernel.release": "6.6.64-1"},
    "make.log.txt": {"dkms.failed_kernel": "6.14.0-24-generic", "dkms.failed_version": "6.12.12-2164967.24.04"},
    "systeminfo.txt": {"os.version": "10.0.26100", "os.name": "Windows 11 Pro", "machine.product": "ASUS ROG Flow Z13"},
    "sglang.txt": {"app.version[sglang]": "0.5.6.post1", "runtime.rocm_version": "7.0.0"},
    "lemonade.log": {"app.version[lemonade]": "10.5.1", "windows.driver_version": "32.0.31035.1003", "gpu.gfx_target[0]": "gfx1151"},
    "neofetch.txt": {"kernel.release": "6.14.0-37-generic", "gpu.gfx_target[0]": "gfx1101", "memory.ram_bytes": 64000 * MiB},
    "shell.txt": {"user.groups": ["user", "adm", "sudo"], "dev.kfd_mode": "0660", "memory.ttm_module": "amdttm", "amdgpu.loaded": True,
                  "amdgpu.modprobe_options": ["ttm.pages_limit=29491200"], "memory.swap_bytes": 8388604 << 10},
    "kubernetes-node.txt": {"kubernetes.gpu_allocatable": 8, "kernel.release": "5.15.0-88-generic"},
    "amdgpu-firmware-info.txt": {"gpu.fw.smc[0]": "0x001c2800", "gpu.fw.mec[0]": "0x00000160", "gpu.fw.mc[0]": "none"},
    "installers.txt": {"pip.packages": {"tensorflow-rocm": "2.16.1"}},
    "shell-settings.txt": {"env.HSA_OVERRIDE_GFX_VERSION": "10.3.0", "env.ROCR_VISIBLE_DEVICES": "0"},
    "techsupport.txt": {"gpu.pci_id[0]": "1002:740c", "runtime.rocm_version": "6.0.2", "amdgpu.modprobe_options": ["amdgpu.gttsize=8192"]},
}


def explained(path: Path) -> Snapshot:
    found = attach.gather([str(path)], io.BytesIO())
    snapshot = Snapshot("now", "read")
    interpret.fill(snapshot, found.texts, Scanner([]))
    return snapshot


def values(snapshot: Snapshot) -> dict[str, Any]:
    return {key: fact.value if isinstance(fact, Known) else None if isinstance(fact, Absent) else "none" for key, fact in snapshot.facts.items()}


def test_every_sample_is_expected() -> None:
    assert sorted(EXPECTED) == sorted(path.name for path in FORMATS.iterdir())


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_reads(name: str) -> None:
    snapshot = explained(FORMATS / name)
    found = values(snapshot)
    assert {key: found.get(key, "none") for key in EXPECTED[name]} == EXPECTED[name]
    assert not snapshot.notes


# JSON, CSV and a flattened line have no lines to be prefixed; a quote mark before a heading of YAML is part of its indentation.
PLAIN = sorted(name for name in EXPECTED if not name.endswith((".json", ".csv")))
MESSES = {
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "ansi": lambda text: "".join(f"\x1b[37m{line}\x1b[0m\n" for line in text.splitlines()),
    "quoted": lambda text: "".join(f"> {line}\n" for line in text.splitlines()),
    "escaped": lambda text: html.escape(text) + "\n&lt;end&gt;\n",
    "fenced": lambda text: f"Here it is:\n\n```text\n{text}```\n",
}


@pytest.mark.parametrize("mess", sorted(MESSES))
@pytest.mark.parametrize("name", PLAIN)
def test_messy_input_reads_the_same(name: str, mess: str, tmp_path: Path) -> None:
    path = tmp_path / "attached"
    path.write_bytes(MESSES[mess]((FORMATS / name).read_text("utf-8")).encode())
    found = values(explained(path))
    assert {key: found.get(key, "none") for key in EXPECTED[name]} == EXPECTED[name]


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_powershell_writes_utf16(name: str, tmp_path: Path) -> None:
    path = tmp_path / "attached"
    path.write_bytes((FORMATS / name).read_text("utf-8").encode("utf-16"))
    found = values(explained(path))
    assert {key: found.get(key, "none") for key in EXPECTED[name]} == EXPECTED[name]


def test_several_dumps_in_one_file(tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    path.write_text("\n".join((FORMATS / name).read_text("utf-8") for name in ("docker-run.txt", "lspci-vv.txt", "dnf-history.txt", "gdb.txt")), "utf-8")
    found = values(explained(path))
    assert found["container.image"] == "ollama/ollama:0.12.6-rocm"
    assert found["gpu.pci_id[0]"] == "1002:73df"
    assert found["firmware.package_version"] == "20251111-1.fc43"
    assert found["crash.library"] == "libhsa-runtime64.so.1"


def test_what_nobody_understands_is_said(tmp_path: Path) -> None:
    (tmp_path / "riddle.txt").write_text("xyzzy plugh 42\n", "utf-8")
    (tmp_path / "lspci.txt").write_text((FORMATS / "lspci-vv.txt").read_text("utf-8"), "utf-8")
    assert explained(tmp_path).notes == ["not understood: riddle.txt; no reader knows the format and no rule matches it"]


def _add(tar: tarfile.TarFile, name: str, data: bytes = b"", link: str = "") -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    if link:
        info.type, info.linkname = tarfile.SYMTYPE, link
    tar.addfile(info, io.BytesIO(data))


def test_copied_sys_in_an_archive_is_read_by_the_probes_and_stays_inside(tmp_path: Path) -> None:
    path = tmp_path / "sosreport.tar.gz"
    node = "sosreport-box/sys/class/kfd/kfd/topology/nodes/1"
    with tarfile.open(path, "w:gz") as tar:
        _add(tar, f"{node}/properties", b"simd_count 80\nsimd_per_cu 2\ngfx_target_version 110501\nvendor_id 4098\ndevice_id 5510\n")
        _add(tar, f"{node}/gpu_id", b"1234\n")
        _add(tar, "sosreport-box/sys/class/drm/card0", link="../../../../../../etc")
        _add(tar, "../sys/class/drm/escape", b"x")
        _add(tar, "sosreport-box/proc/cmdline", b"BOOT_IMAGE=/vmlinuz-6.8.0-45-generic root=/dev/sda ro\n")
    found = attach.gather([str(path)], io.BytesIO())
    assert len(found.trees) == 1
    assert (found.trees[0] / "sys/class/kfd/kfd/topology/nodes/1/gpu_id").read_text() == "1234\n"
    assert not (found.trees[0] / "sys/class/drm/card0").exists()
    assert not list(tmp_path.rglob("escape"))
    assert any(text.name.endswith("proc/cmdline") for text in found.texts)


def test_a_single_compressed_log_still_reads(tmp_path: Path) -> None:
    path = tmp_path / "dmesg.gz"
    path.write_bytes(gzip.compress((FORMATS / "dmesg-syslog.txt").read_bytes()))
    assert values(explained(path))["kernel.release"] == "6.12.9-arch1-1"


@pytest.mark.parametrize("name", sorted(MODULES))
def test_doctest_is_a_sample_and_runs(name: str) -> None:
    outcome = doctest.testmod(MODULES[name])
    assert outcome.attempted >= 1
    assert outcome.failed == 0


@pytest.mark.parametrize("name", sorted(MODULES))
def test_readings_are_declared_and_cut_texts_never_raise(name: str) -> None:
    chance = random.Random(11)
    for path in sorted(FORMATS.iterdir()):
        text = path.read_text("utf-8")
        pieces = [text] + [text[(start := chance.randrange(len(text))):start + chance.randrange(1500)] for _ in range(4)]
        for piece in pieces:
            MODULES[name].recognises(piece)
            for reading in MODULES[name].read(piece):
                assert vocabulary.declared(reading.name), reading
                assert bool(reading.item) == bool(vocabulary.entity(reading.name)), reading
                assert reading.line >= 1, reading


@pytest.mark.parametrize("seed", ["#0 (", "Device-1: AMD ", "a 1.1-1\n", "docker run -e ", "GPU: 0\n", "LM Studio ", "Faulting module name ", "Recipe  ",
                                  "0,1,", "{\"a\":[", "llama-cli -c 1 ", "Traceback (most recent call last):\n", "03:00.0 VGA compatible controller: "])
@pytest.mark.parametrize("name", sorted(MODULES))
def test_long_hostile_texts_are_quick(name: str, seed: str) -> None:
    text = seed * (200_000 // len(seed))
    start = time.process_time()
    MODULES[name].recognises(text)
    for _ in zip(range(200_000), MODULES[name].read(text), strict=False):
        pass
    assert time.process_time() - start < 8


@pytest.mark.parametrize(("groups", "listed", "refused"), [
    ("jellyfin : jellyfin video", "crw-rw---- 1 root render 226, 128 Nov 20 10:00 renderD128", True),
    ("jellyfin : jellyfin video render", "crw-rw---- 1 root render 226, 128 Nov 20 10:00 renderD128", False),
    ("jellyfin : jellyfin video", "crw-rw----+ 1 root render 226, 128 Nov 20 10:00 renderD128", False),  # an access list: nothing follows from the group
    ("jellyfin : jellyfin video", "crw-rw-rw- 1 root render 226, 128 Nov 20 10:00 renderD128", False),
    ("root : root video", "crw-rw---- 1 root render 226, 128 Nov 20 10:00 renderD128", False)])
def test_groups_and_the_owner_of_a_node_say_who_may_not_open_it(groups, listed, refused):
    from rocmdoctor.texts.readers import system_text

    read = {reading.name: reading.value for reading in system_text.read(f"$ groups jellyfin\n{groups}\n$ ls -l /dev/dri\n{listed}\n")}
    assert (read.get("dev.render_openable") is False) is refused


def test_the_device_of_wsl_and_its_name_are_more_than_linux():
    from rocmdoctor.texts.readers import ollama_log, system_text

    read = {reading.name: reading.value for reading in system_text.read("$ ls -l /dev/dxg\ncrw-rw-rw- 1 root root 10, 125 Jun  5 09:12 /dev/dxg\n")}
    assert read["os.family"] == "wsl"
    line = 'time=2026-01-01T00:00:00 level=WARN source=amd_windows.go:140 msg="amdgpu is not supported (supported types:[gfx1103 gfx1100])" gpu_type=gfx1150 gpu=0\n'
    assert next(reading.value for reading in ollama_log.read(line) if reading.name == "ollama.supported_types") == ["gfx1103", "gfx1100"]
