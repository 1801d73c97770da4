"""The rungs of the ladder, hardware to application: broken by a finding, shown to work by an observation, or not checked."""

from __future__ import annotations

from collections.abc import Callable

from rocmdoctor.facts.items import every, values
from rocmdoctor.facts.model import GRAVE, LAYERS, Fact, Finding, LayerState, Unknown

_OFFLOADED = {"rocm": "ROCm", "hip": "ROCm", "vulkan": "Vulkan"}
_MATTERS: dict[str, tuple[str, ...]] = {"platform": ("pci.amd_gpu_count", "memory.ram_bytes"), "driver": ("amdgpu.loaded", "dev.kfd_openable")}
_MATTERS_ON_WINDOWS = {**_MATTERS, "driver": ("windows.driver_version", "gpu.problem_code")}


def _platform(facts: dict[str, Fact]) -> str:
    found = next(iter(values(facts, "pci.amd_gpu_count")), 0) or sum(str(value).startswith("1002:") for value in values(facts, "gpu.pci_id"))
    return f"{found} AMD GPU{'s' * (found != 1)} found" if found else ""


def _driver(facts: dict[str, Fact]) -> str:
    codes = values(facts, "gpu.problem_code")
    versions = values(facts, "gpu.driver_version") or values(facts, "windows.driver_version")
    if versions and codes and not any(codes):
        return f"display driver {versions[0]}, no problem reported"
    if True in values(facts, "amdgpu.loaded"):
        return "amdgpu is loaded" + (", /dev/kfd opens" if True in values(facts, "dev.kfd_openable") else "")
    return ""


def _runtime(facts: dict[str, Fact]) -> str:
    said = []
    drivers = sum(str(value).startswith("1002:") for value in values(facts, "vk.pci_id"))
    if drivers:
        said.append(f"Vulkan lists {drivers} AMD GPU{'s' * (drivers != 1)}")
    devices = len(values(facts, "gpu.hip_total_bytes"))
    if devices:
        said.append(f"HIP lists {devices}")
    return ", ".join(said)


def _framework(facts: dict[str, Fact]) -> str:
    if True not in values(facts, "torch.available"):
        return ""
    return f"torch {next(iter(values(facts, 'torch.version')), '')} sees the GPU".replace("  ", " ")


def _app(facts: dict[str, Fact]) -> str:
    for name, fact in (("Ollama", "ollama.library"), ("llama.cpp", "llama.backend")):
        for value in values(facts, fact):
            if backend := _OFFLOADED.get(str(value).lower()):
                return f"{name} computes with {backend}"
    return ""


_SHOWN: dict[str, Callable[[dict[str, Fact]], str]] = {
    "platform": _platform, "driver": _driver, "runtime": _runtime, "framework": _framework, "app": _app}


def rungs(facts: dict[str, Fact], findings: list[Finding]) -> list[LayerState]:
    """Every rung, the lowest first. A rung is ok only where something was seen to work; else nobody checked it."""
    matters = _MATTERS_ON_WINDOWS if "windows" in values(facts, "os.family") else _MATTERS
    states = []
    for layer in LAYERS:
        broken = [f for f in findings if f.layer == layer and f.severity != "info" and f.standing != "possible"]
        worst = next((f for f in broken if f.severity in GRAVE), broken[0] if broken else None)
        if worst:
            states.append(LayerState(layer, "warning" if worst.severity == "warning" else "error", worst.id))
            continue
        shown = _SHOWN[layer](facts)
        whole = all(any(not isinstance(fact, Unknown) or fact.reason == "not_applicable" for fact in every(facts, name)) for name in matters.get(layer, ()))
        states.append(LayerState(layer, "ok" if shown and whole else "unknown", shown=shown))
    return states
