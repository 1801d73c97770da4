"""The Vulkan probe on real drivers: Mesa's lavapipe, and RADV on an emulated AMD GPU where Mesa's shim is installed."""

import ctypes.util
import os
import pathlib
import subprocess
import sys

import pytest

from rocmdoctor.live.runner import run_probe
from rocmdoctor.memory.machine import Gpu, Host
from rocmdoctor.memory.place import predicted_heaps

PROBE = pathlib.Path(__file__).resolve().parents[2] / "probes/vulkan_caps.py"
# Mesa unpacked into a folder serves as well as an installed one: MESA_ROOT=FOLDER.
MESA = pathlib.Path(os.environ.get("MESA_ROOT", "/"))
SHIM = MESA / "usr/lib/x86_64-linux-gnu/libamdgpu_noop_drm_shim.so"
ICDS = [str(p) for p in (MESA / "usr/share/vulkan/icd.d").glob("*.json")]
RADV = {"VK_ICD_FILENAMES": next((p for p in ICDS if "radeon" in p), ""), "LD_PRELOAD": os.fspath(SHIM),
        "LD_LIBRARY_PATH": os.fspath(SHIM.parent)}

needs_lavapipe = pytest.mark.skipif(
    not ctypes.util.find_library("vulkan") or not any("lvp" in p for p in ICDS),
    reason="no Vulkan loader with lavapipe (Debian: libvulkan1 mesa-vulkan-drivers)")


def caps(monkeypatch, tmp_path, **environment):
    for name, value in {"XDG_RUNTIME_DIR": str(tmp_path), **environment}.items():
        monkeypatch.setenv(name, value)
    outcome = run_probe(PROBE, provides=("vk.name", "vk.type", "vk.heaps"), deadline=30, interpreter=sys.executable)
    return outcome.run, {key: getattr(fact, "value", fact) for key, fact in outcome.facts.items()}


@needs_lavapipe
def test_lavapipe_is_reported_as_a_cpu(monkeypatch, tmp_path):
    run, facts = caps(monkeypatch, tmp_path, VK_ICD_FILENAMES=next(p for p in ICDS if "lvp" in p))
    assert run.ended == "ok", run.noise
    assert "llvmpipe" in facts["vk.name[0]"] and facts["vk.type[0]"] == "cpu"


needs_radv = pytest.mark.skipif(not SHIM.is_file() or not RADV["VK_ICD_FILENAMES"],
                                reason="no mesa-drm-shim with RADV on this machine (MESA_ROOT may name a folder with both)")


@needs_radv
@pytest.mark.parametrize(("gpu", "name"), [("navi31", "NAVI31"), ("gfx1150", "GFX1150"), ("renoir", "RENOIR")])
def test_radv_answers_for_an_emulated_gpu(monkeypatch, tmp_path, gpu, name):
    run, facts = caps(monkeypatch, tmp_path, **RADV, AMDGPU_GPU_ID=gpu)
    assert run.ended == "ok", run.noise
    assert name in facts["vk.name[0]"] and facts["vk.heaps[0]"]
    assert all(heap["budget"] <= heap["size"] and heap["usage"] == 0 for heap in facts["vk.heaps[0]"])
    assert facts["vk.pci_address[0]"].startswith("0000:")


@needs_radv
@pytest.mark.parametrize(("gpu", "count"), [("navi31", 2), ("gfx1150", 2), ("navi21", 3)])
def test_predicted_heaps_are_those_of_radv(monkeypatch, tmp_path, gpu, count):
    """A card, an APU with two thirds and one third, a card without Resizable BAR."""
    _, facts = caps(monkeypatch, tmp_path, **RADV, AMDGPU_GPU_ID=gpu)
    heaps = facts["vk.heaps[0]"]
    local, host = ([heap["size"] for heap in heaps if heap["device_local"] is kind] for kind in (True, False))
    if facts["vk.type[0]"] == "integrated":
        mine = Gpu("0", apu=True, vram=1 << 30, gtt=sum(local) + sum(host) - (1 << 30))
    else:
        mine = Gpu("0", apu=False, vram=sum(local), visible=sum(local) if len(local) == 1 else local[-1], gtt=host[0])
    assert len(heaps) == count
    wanted = [(heap["size"], heap["device_local"]) for heap in heaps]
    assert all(kind == other and abs(size - exact) <= 4096 for (size, kind), (exact, other) in zip(
        predicted_heaps(mine, Host("linux")), wanted, strict=True))


ALLOCATE = """
import sys
import vulkan as vk
application = vk.VkApplicationInfo(pApplicationName="t", applicationVersion=1, pEngineName="n", engineVersion=1, apiVersion=vk.VK_MAKE_VERSION(1, 3, 0))
create = vk.VkInstanceCreateInfo(pApplicationInfo=application, enabledLayerCount=0, ppEnabledLayerNames=None, enabledExtensionCount=0,
                                 ppEnabledExtensionNames=None)
instance = vk.vkCreateInstance(create, None)
physical = vk.vkEnumeratePhysicalDevices(instance)[0]
priorities = [1.0]
queues = [vk.VkDeviceQueueCreateInfo(queueFamilyIndex=0, queueCount=1, pQueuePriorities=priorities)]
made = vk.VkDeviceCreateInfo(queueCreateInfoCount=1, pQueueCreateInfos=queues, enabledLayerCount=0, ppEnabledLayerNames=None, enabledExtensionCount=0,
                             ppEnabledExtensionNames=None, pEnabledFeatures=None)
device = vk.vkCreateDevice(physical, made, None)
budget = vk.VkPhysicalDeviceMemoryBudgetPropertiesEXT()
both = vk.VkPhysicalDeviceMemoryProperties2(pNext=budget)
for mib in map(int, sys.argv[1:]):
    wanted = vk.VkMemoryAllocateInfo(allocationSize=mib << 20, memoryTypeIndex=0)
    try:
        memory = vk.vkAllocateMemory(device, wanted, None)
    except Exception as error:
        print(mib, type(error).__name__)
        continue
    vk.vkGetPhysicalDeviceMemoryProperties2(physical, both)
    heap = both.memoryProperties.memoryTypes[0].heapIndex
    print(mib, "ok", budget.heapUsage[heap] >> 20, bool(both.memoryProperties.memoryHeaps[heap].flags & 1))
    vk.vkFreeMemory(device, memory, None)
"""


@needs_radv
@pytest.mark.parametrize("gpu", ["gfx1150", "navi21"])
def test_one_allocation_above_the_limit_fails_with_memory_free(tmp_path, gpu):
    """The wall that the fit names: the heap has room, but a single buffer stops near 4 GiB."""
    done = subprocess.run([sys.executable, "-c", ALLOCATE, "1024", "6144", "512"], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **RADV, "AMDGPU_GPU_ID": gpu, "XDG_RUNTIME_DIR": os.fspath(tmp_path)})
    assert done.stdout.splitlines() == ["1024 ok 1024 True", "6144 VkErrorOutOfDeviceMemory", "512 ok 512 True"], done.stderr[-500:]
