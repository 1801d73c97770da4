"""Pairs of one recorded machine before and after one real change, with the drift that every machine has in between.

The machines are recorded ones (fixtures/machines); versions before and after are those of real releases, most of them from
rules/data/known. Drift: memory in use, clocks, holders, an idle link, RAM as another boot reserves it, other software.
"""

import copy
import functools
import pathlib
import re

import pytest

from rocmdoctor.compare import changes
from rocmdoctor.diagnosis import join
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import Absent, Known, Unknown, snapshot_from_json, snapshot_to_json
from rocmdoctor.live.collect import collect

ROOT = pathlib.Path(__file__).resolve().parents[2]
THEN, NOW = "2026-11-24T18:02:00+00:00", "2026-11-28T09:00:00+00:00"
PACKAGES = {"mesa-vulkan-drivers": "25.0.7-2", "linux-firmware": "20251111-1", "rocm-core": "7.1.0", "libvulkan1": "1.4.309.0-1"}
WHEELS = {"torch": "2.9.1+rocm6.4", "numpy": "2.3.1", "vllm": "0.11.0", "tqdm": "4.67.1"}


@functools.cache
def recorded(machine):
    snapshot, _ = collect(THEN, root=str(ROOT / "fixtures/machines" / machine))
    facts = snapshot.facts
    join.join(facts)
    facts["vulkan.amdvlk_version"] = Absent("test")
    for name, value in {"packages.installed": PACKAGES, "vulkan.mesa_version": "25.0.7", "firmware.package_version": "20251111-1",
                        "runtime.rocm_version": "7.1.0", "rocm.path[/opt/rocm]": "/opt/rocm", "rocm.version[/opt/rocm]": "7.1.0",
                        "ollama.version": "0.12.5", "llama.build": 6800, "torch.version[/home/me/venv/bin/python]": "2.9.1+rocm6.4",
                        "torch.hip[/home/me/venv/bin/python]": "6.4.43484", "pip.packages": WHEELS, "machine.bios_version": "1.09",
                        "machine.board": "ACME X1", "machine.iommu": "passthrough", "user.groups": ["me", "render", "video"],
                        "dev.render_openable": True, "app.name[lmstudio]": "lmstudio", "app.version[lmstudio]": "0.3.30",
                        "llama.tokens_per_second": 50.0, "vk.name[0]": "AMD Radeon (RADV)", "vk.max_buffer_bytes[0]": 4 << 30, "gpu.vbios[0]": "113-D7020100",
                        "gpu.fw.mes[0]": "0x00000080", "test.verdict[vulkan-0]": "right", "test.copy_bytes_per_s[vulkan-0]": 800e9,
                        "llm.verdict[http://127.0.0.1:11434]": "right", "llm.generation_tokens_per_s[http://127.0.0.1:11434]": 50.0,
                        "llm.says_device[http://127.0.0.1:11434]": "gpu", "llm.shown[http://127.0.0.1:11434]": "Paris",
                        "llm.model[http://127.0.0.1:11434]": "gemma3", "memory.swap_bytes": 8 << 30}.items():
        facts[name] = Known(value, "test")
    for name in ("OLLAMA_IGPU_ENABLE", "HSA_OVERRIDE_GFX_VERSION", "HIP_VISIBLE_DEVICES", "GGML_VK_DISABLE_COOPMAT"):
        facts[f"env.{name}"] = Absent("environment")
    return snapshot_to_json(snapshot)


def drifted(snapshot):
    """What differs between any two runs without anybody having changed anything."""
    facts = snapshot.facts
    for key, fact in list(facts.items()):
        name, _ = vocabulary.split_key(key)
        if isinstance(fact, Known) and name in ("gpu.vram_used_bytes", "gpu.gtt_used_bytes", "memory.available_bytes"):
            facts[key] = Known(int(fact.value * 1.7) + 12345, fact.source)
        elif isinstance(fact, Known) and name in ("memory.ram_bytes", "gpu.gtt_bytes", "memory.ttm_limit_bytes"):
            facts[key] = Known(int(fact.value * 0.996), fact.source)
        elif isinstance(fact, Known) and name == "gpu.link_speed_gts":
            facts[key] = Known(2.5, fact.source)
    facts["gpu.busy_percent[0]"] = Known(7, "sysfs")
    facts["gpu.holders[0]"] = Known([{"pid": 4242, "name": "ollama", "vram_bytes": 1, "gtt_bytes": 2, "kfd_bytes": 3}], "proc")
    facts["gpu.power_state[0]"] = Known("active", "sysfs")
    facts["kernel.stuck_processes"] = Known([], "/proc")
    facts["llama.tokens_per_second"] = Known(47.1, "log")
    facts["test.copy_bytes_per_s[vulkan-0]"] = Known(751e9, "test")
    facts["llm.generation_tokens_per_s[http://127.0.0.1:11434]"] = Known(53.0, "server")
    facts["llm.shown[http://127.0.0.1:11434]"] = Known("It is Paris.", "server")
    facts["packages.installed"] = Known({**facts["packages.installed"].value, "xserver-xorg-video-amdgpu": "23.0.0-1"}, "dpkg")
    facts["pip.packages"] = Known({**facts["pip.packages"].value, "tqdm": "4.67.2", "pillow": "12.0.0"}, "pip")
    facts["updates.unrelated"] = Known({"2026-11-26T08:00": 41}, "dpkg.log")
    facts["kernel.cmdline"] = Known(str(getattr(facts.get("kernel.cmdline"), "value", "")) + " ", "/proc/cmdline")
    facts["user.root"] = Unknown("unreadable")
    snapshot.taken = NOW
    return snapshot


def pair(machine, edit):
    old = snapshot_from_json(copy.deepcopy(recorded(machine)))
    new = drifted(snapshot_from_json(copy.deepcopy(recorded(machine))))
    edit(new.facts)
    return changes.compare(old, new, "then", "now")


def put(**values):
    def edit(facts):
        for name, value in values.items():
            key = re.sub(r"__0$", "[0]", name).replace("__", ".")
            facts[key] = Absent("x") if value is None else Known(value, "x")
    return edit


def package(name, version, **more):
    def edit(facts):
        facts["packages.installed"] = Known({**facts["packages.installed"].value, name: version}, "dpkg")
        put(**more)(facts)
    return edit


def wheel(name, version):
    def edit(facts):
        facts["pip.packages"] = Known({**facts["pip.packages"].value, name: version}, "pip")
    return edit


def of(key, value):
    def edit(facts):
        facts[key] = Absent("x") if value is None else Known(value, "x")
    return edit


def cmdline(word):
    def edit(facts):
        facts["kernel.cmdline"] = Known(f"{facts['kernel.cmdline'].value.strip()} {word}", "/proc/cmdline")
    return edit


def gone(entity, item):
    def edit(facts):
        for key in [k for k in facts if k.startswith(entity + ".") and k.endswith(f"[{item}]")]:
            del facts[key]
    return edit


HALO, NAVI, PHOENIX, INSTINCT = "strix-halo-96-32", "rx7900xtx", "phoenix-780m", "mi300a-dkms"
TORCH = "torch.version[/home/me/venv/bin/python]"
PAIRS = [
    ("kernel 6.18.4", HALO, of("kernel.release", "6.18.4-200.fc43.x86_64"), "kernel", "bad"),
    ("kernel known bad for Navi 31", NAVI, of("kernel.release", "7.0.11-arch1-1"), "kernel", "possible"),
    ("kernel of the 6.18 series", NAVI, of("kernel.release", "6.18.2"), "kernel", "bad"),
    ("linux-firmware with MES 0x83", HALO, package("linux-firmware", "20251125-1", firmware__package_version="20251125-1", gpu__fw__mes__0="0x00000083"),
     "linux_firmware", "bad"),
    ("linux-firmware fixed", HALO, package("linux-firmware", "20260110-1", firmware__package_version="20260110-1"), "linux_firmware", ""),
    ("firmware by hand, no package", HALO, of("gpu.fw.mes[0]", "0x00000083"), "gpu_firmware", ""),
    ("Mesa 26.1.0", NAVI, package("mesa-vulkan-drivers", "26.1.0-1", vulkan__mesa_version="26.1.0"), "mesa", "bad"),
    ("Mesa with other limits", PHOENIX, package("mesa-vulkan-drivers", "25.2.1-1", vulkan__mesa_version="25.2.1", vk__max_buffer_bytes__0=2 << 30), "mesa", ""),
    ("Mesa from elsewhere, no package", NAVI, of("vulkan.mesa_version", "25.3.0"), "mesa", "possible"),
    ("AMDVLK added", NAVI, of("vulkan.amdvlk_version", "2025.Q2.1"), "amdvlk", "possible"),
    ("amdgpu-dkms updated", INSTINCT, of("amdgpu.version", "6.16.13"), "amdgpu_dkms", "bad"),
    ("amdgpu-dkms on an APU", HALO, of("amdgpu.version", "6.16.6"), "amdgpu_dkms", "bad"),
    ("ROCm 7.14", NAVI, package("rocm-core", "7.14.0", runtime__rocm_version="7.14.0"), "rocm", "bad"),
    ("ROCm removed", NAVI, gone("rocm", "/opt/rocm"), "rocm", ""),
    ("torch 2.11", NAVI, of(TORCH, "2.11.0+rocm7.2"), "torch", ""),
    ("torch became a CPU build", NAVI, lambda f: (of(TORCH, "2.11.0+cpu")(f), of("torch.hip[/home/me/venv/bin/python]", None)(f)), "torch", ""),
    ("triton wheel", NAVI, wheel("triton", "3.5.0"), "torch", "bad"),
    ("bitsandbytes added", NAVI, wheel("bitsandbytes", "0.49.2"), "wheels", "possible"),
    ("vLLM 0.19", NAVI, wheel("vllm", "0.19.0"), "vllm", ""),
    ("numpy updated", NAVI, wheel("numpy", "2.4.0"), "wheels", ""),
    ("Ollama 0.33.0 on an APU", HALO, of("ollama.version", "0.33.0"), "ollama", "bad"),
    ("Ollama 0.33.0 on a card", NAVI, of("ollama.version", "0.33.0"), "ollama", ""),
    ("llama.cpp b7000", NAVI, of("llama.build", 7000), "llama_cpp", ""),
    ("LM Studio updated", NAVI, of("app.version[lmstudio]", "0.4.1"), "app", ""),
    ("BIOS updated", HALO, of("machine.bios_version", "1.12"), "bios", ""),
    ("VBIOS flashed", NAVI, of("gpu.vbios[0]", "113-D7020200"), "vbios", ""),
    ("parameter on the command line", HALO, cmdline("amdgpu.cwsr_enable=0"), "kernel_cmdline", ""),
    ("module parameter", NAVI, of("amdgpu.parameters", {"gttsize": "110000"}), "module_parameters", ""),
    ("module option file", NAVI, of("amdgpu.modprobe_options", ["options amdgpu ppfeaturemask=0xffffffff"]), "module_parameters", ""),
    ("HSA_OVERRIDE_GFX_VERSION set", PHOENIX, of("env.HSA_OVERRIDE_GFX_VERSION", "11.0.0"), "environment", ""),
    ("GGML_VK_DISABLE_COOPMAT set", NAVI, of("env.GGML_VK_DISABLE_COOPMAT", "1"), "environment", ""),
    ("BIOS split 96 to 48 GiB", HALO, lambda f: (of("gpu.vram_bytes[0]", 48 << 30)(f), of("memory.ram_bytes", 80 << 30)(f)), "memory_split", ""),
    ("RAM module gone", NAVI, of("memory.ram_bytes", 8 << 30), "memory_split", ""),
    ("TTM limit", HALO, of("memory.ttm_limit_bytes", 100 << 30), "memory_limits", ""),
    ("Resizable BAR off", NAVI, of("gpu.bar_bytes[0]", 256 << 20), "resizable_bar", ""),
    ("link at half its width", NAVI, of("gpu.link_width[0]", 4), "pcie_link", ""),
    ("IOMMU on", NAVI, of("machine.iommu", "on"), "firmware_settings", ""),
    ("GPU gone", NAVI, lambda f: (gone("gpu", "0")(f), of("pci.amd_gpu_count", 0)(f)), "devices", ""),
    ("render group lost", NAVI, lambda f: (of("user.groups", ["me", "video"])(f), of("dev.render_openable", False)(f)), "permissions", ""),
    ("uncorrectable errors", INSTINCT, of("gpu.ras_ue_count[0]", 3), "gpu_state", ""),
    ("kernel test computes wrongly", NAVI, of("test.verdict[vulkan-0]", "wrong"), "test_result", ""),
    ("copies at half the bandwidth", NAVI, of("test.copy_bytes_per_s[vulkan-0]", 400e9), "test_result", ""),
    ("garbage from the server", NAVI, of("llm.verdict[http://127.0.0.1:11434]", "garbage"), "answers", ""),
    ("generation lost two thirds", NAVI, of("llm.generation_tokens_per_s[http://127.0.0.1:11434]", 15.0), "speed", ""),
    ("the model moved to the CPU", NAVI, of("llm.says_device[http://127.0.0.1:11434]", "cpu"), "backend", ""),
    ("tokens a second lost", NAVI, of("llama.tokens_per_second", 21.0), "speed", ""),
]


@pytest.mark.parametrize(("machine", "edit", "component", "verdict"), [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS])
def test_the_change_is_first(machine, edit, component, verdict):
    found = pair(machine, edit)
    assert [c.component for c in found.changes if c.standing != "other"][:1] == [component], [(c.component, c.old, c.new) for c in found.changes]
    assert found.changes[0].component == component and found.changes[0].verdict == verdict, found.changes[0]
    assert sum(c.standing == "suspect" for c in found.changes) <= 2 and not found.two_machines


@pytest.mark.parametrize("machine", [HALO, NAVI, PHOENIX, INSTINCT])
def test_drift_alone_is_no_suspect(machine):
    found = pair(machine, lambda facts: None)
    assert [c for c in found.changes if c.standing != "other"] == []
    assert changes.changed_facts(found)["changed.kernel"] == Known(False, "comparison")


def test_results_are_worse_or_better_and_another_model_is_no_comparison():
    assert pair(NAVI, of("test.verdict[vulkan-0]", "wrong")).changes[0].how == "worse"
    assert pair(NAVI, of("test.verdict[vulkan-0]", "untestable")).changes[0].standing == "other"
    other = pair(NAVI, lambda f: (of("llm.model[http://127.0.0.1:11434]", "llama3")(f), of("llm.generation_tokens_per_s[http://127.0.0.1:11434]", 9.0)(f)))
    assert [c.component for c in other.changes if c.standing != "other"] == []
    back = changes.compare(drifted(snapshot_from_json(copy.deepcopy(recorded(NAVI)))), snapshot_from_json(copy.deepcopy(recorded(NAVI))), "a", "b")
    assert not [c for c in back.changes if c.standing == "result"]


def test_a_service_that_runs_on_one_side_only_is_no_change_of_the_environment():
    def served(facts):
        facts["env.OLLAMA_HOST"] = Known("0.0.0.0", "/proc/812/environ (ollama)")
    found = pair(NAVI, served)
    assert [c for c in found.changes if c.standing != "other"] == [] and "env.OLLAMA_HOST" in found.hidden
