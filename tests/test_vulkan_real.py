"""The Vulkan probe on real drivers: Mesa's lavapipe, and RADV on an emulated AMD GPU where Mesa's shim is installed."""

import ctypes.util
import os
import pathlib
import sys

import pytest

from rocmdoctor.runner import run_probe

PROBE = pathlib.Path(__file__).resolve().parents[1] / "probes/vulkan_caps.py"
SHIM = pathlib.Path("/usr/lib/x86_64-linux-gnu/libamdgpu_noop_drm_shim.so")
ICDS = [str(p) for p in pathlib.Path("/usr/share/vulkan/icd.d").glob("*.json")]

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


@pytest.mark.skipif(not SHIM.is_file() or not any("radeon" in p for p in ICDS), reason="no mesa-drm-shim with RADV on this machine")
@pytest.mark.parametrize(("gpu", "name"), [("navi31", "NAVI31"), ("gfx1150", "GFX1150"), ("renoir", "RENOIR")])
def test_radv_answers_for_an_emulated_gpu(monkeypatch, tmp_path, gpu, name):
    run, facts = caps(monkeypatch, tmp_path, VK_ICD_FILENAMES=next(p for p in ICDS if "radeon" in p),
                      LD_PRELOAD=os.fspath(SHIM), AMDGPU_GPU_ID=gpu)
    assert run.ended == "ok", run.noise
    assert name in facts["vk.name[0]"] and facts["vk.heaps[0]"]
