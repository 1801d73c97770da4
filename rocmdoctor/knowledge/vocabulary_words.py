"""The question that a fact nobody read answers, in plain words."""

from __future__ import annotations

from rocmdoctor.facts import vocabulary

_VERSIONS = {
    "kernel.release": "Which Linux kernel runs?", "vulkan.mesa_version": "Which Mesa version is installed?",
    "runtime.rocm_version": "Which ROCm release is installed?", "firmware.package_version": "Which linux-firmware is installed?",
    "windows.adrenalin": "Which Adrenalin release is installed?", "windows.driver_version": "Which display driver is installed?",
    "torch.version": "Which PyTorch build is installed?", "ollama.version": "Which Ollama version is it?",
    "llama.build": "Which llama.cpp build is it?", "os.family": "Is this Linux, Windows or WSL?", "about.os": "Is this Linux, Windows or WSL?",
    "gpu.gfx_target": "Which GPU is it?", "about.gpu": "Which GPU is it?", "about.apu": "Is the GPU part of the processor?",
    "about.app": "Which program is it?", "about.backend": "Which backend runs, HIP or Vulkan?", "about.container": "Does it run in a container?",
    "container.kind": "Does it run in a container?", "memory.ram_bytes": "How much memory has the machine?",
    "gpu.vram_bytes": "How much memory has the GPU?", "gpu.gtt_bytes": "How large is GTT?", "gpu.is_apu": "Is the GPU part of the processor?",
}


def question(name: str) -> str:
    """One question for a fact.

    >>> question("env.HSA_OVERRIDE_GFX_VERSION"), question("kernel.release"), question("dev.kfd_group"), question("amdgpu.dkms")
    ('Is HSA_OVERRIDE_GFX_VERSION set?', 'Which Linux kernel runs?', 'Is it this?', 'Is this so: the loaded module comes from amdgpu-dkms?')
    """
    if name.startswith("env."):
        return f"Is {name[4:]} set?"
    declared = vocabulary.FACTS.get(name)
    return _VERSIONS.get(name) or (f"Is this so: {_short(declared.meaning)}?" if declared and declared.type == "bool" else "Is it this?")


def sought(name: str) -> str:
    """What is not known, in words, for a list of what would decide.

    >>> sought("dev.kfd_group"), sought("env.HSA_XNACK")
    ('group that owns /dev/kfd (name or number)', 'the variable HSA_XNACK')
    """
    declared = vocabulary.FACTS.get(name)
    return _short(declared.meaning) if declared else f"the variable {name[4:]}" if name.startswith("env.") else name


def _short(meaning: str) -> str:
    """Without its form, which follows a colon."""
    return meaning.split(": ")[0]
