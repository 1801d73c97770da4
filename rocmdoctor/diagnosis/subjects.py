"""What the evidence is about: GPU, application, backend, system, computed once for machine and text alike."""

from __future__ import annotations

from rocmdoctor import later
from rocmdoctor.facts.items import items_of, text, texts
from rocmdoctor.facts.model import Fact, Known, Unknown
from rocmdoctor.knowledge import products, tables

_SOURCE = "computed"
# A fact that only this application can have given.
_APPS = {"ollama.version": "ollama", "ollama.library": "ollama", "llama.build": "llama.cpp", "llama.backend": "llama.cpp", "torch.version": "pytorch"}
# What only a machine with AMD hardware, or meant for it, has.
_OF_AMD = ("runtime.rocm_version", "runtime.hip_version", "rocm.version", "torch.hip", "amdgpu.version", "vk.radv", "windows.adrenalin")
_OLD_WHEEL = later.pattern(r"\+rocm[3-6]\.\d")
_BACKENDS = {"rocm": "hip", "cuda": "cuda", "metal": "metal"}


def gpu_words(gfx: str) -> list[str]:
    """A target with its family and kind, as rules ask for them.

    >>> gpu_words("gfx1151"), gpu_words("gfx1030"), gpu_words("gfx942:sramecc+")
    (['gfx1151', 'rdna3.5', 'apu', 'amd'], ['gfx1030', 'rdna2', 'dgpu', 'amd'], ['gfx942', 'cdna3', 'amd'])
    """
    gfx = gfx.split(":")[0]
    return [word for word in (gfx, tables.generation(gfx), tables.kind(gfx), "amd") if word]


def _gpus(facts: dict[str, Fact]) -> list[str]:
    targets = [gfx for name in ("gpu.gfx_target", "gpu.gfx_reported", "report.gfx_mentioned") for gfx in texts(facts, name)]
    targets += [gfx for name in ("gpu.name", "vk.name", "test.device_name") for said in texts(facts, name) if (gfx := products.gfx_of_name(said))]
    words = [word for gfx in targets if gfx.startswith("gfx") for word in gpu_words(gfx)]
    if "True" in texts(facts, "gpu.is_apu"):
        words.append("apu")
    if "False" in texts(facts, "gpu.is_apu"):
        words.append("dgpu")
    if any(value.startswith("1002:") for name in ("gpu.pci_id", "vk.pci_id") for value in texts(facts, name)):
        words.append("amd")
    if any("radeon" in value.lower() or "amd " in value.lower() for value in texts(facts, "gpu.name")):
        words.append("amd")
    return list(dict.fromkeys(words))


def _system(facts: dict[str, Fact]) -> str:
    family = text(facts, "os.family")
    if family:
        return family
    if any(isinstance(fact, Known) and name.startswith("windows.") for name, fact in facts.items()):
        return "windows"
    # Wheels of ROCm 6 and older are for Linux alone.
    return "linux" if isinstance(facts.get("kernel.release"), Known) or any(_OLD_WHEEL.search(value) for value in texts(facts, "torch.version")) else ""


def of_other_makers(facts: dict[str, Fact]) -> bool:
    """Whether what was read shows the machine's GPUs, or its whole bus, and nothing of it is AMD's or meant for AMD.

    >>> of_other_makers({"pci.other_gpus": Known(["NVIDIA GeForce GTX 1080"], "lspci.txt:3")}), of_other_makers({})
    (True, False)
    >>> of_other_makers({"pci.other_gpus": Known(["Intel UHD"], "x:1"), "runtime.rocm_version": Known("7.2.0", "x:2")})
    False
    """
    said = subjects(facts)
    if items_of(facts) or any(isinstance(said[name], Known) for name in ("about.amd", "about.gpu")):
        return False
    ids = texts(facts, "vk.pci_id")
    return any(texts(facts, "pci.other_gpus")) or "0" in texts(facts, "pci.amd_gpu_count") or bool(ids)


def subjects(facts: dict[str, Fact]) -> dict[str, Fact]:
    """The ``about.*`` facts, and what follows from the distribution; what nothing says anything of is unknown.

    >>> subjects({"os.distribution": Known("arch", "x")})["amdgpu.dkms"].value
    False
    """
    gpus = _gpus(facts)
    apps = [value.lower() for name in ("report.apps", "app.name") for value in texts(facts, name)]
    apps += [app for name, app in _APPS.items() if any(texts(facts, name))]
    backends = [value.lower() for name in ("llama.backend", "ollama.library", "llm.backend", "report.backends") for value in texts(facts, name)]
    kinds = texts(facts, "container.kind")
    said: dict[str, object] = {
        "about.gpu": gpus, "about.app": list(dict.fromkeys(apps)), "about.os": _system(facts),
        "about.backend": list(dict.fromkeys(_BACKENDS.get(name, name) for name in backends))}
    silent = Unknown("not_collected", "nothing that was read says it")
    found: dict[str, Fact] = {name: Known(value, _SOURCE) if value else silent for name, value in said.items()}
    meant = "amd" in gpus or "hip" in {_BACKENDS.get(name, name) for name in backends} or any(any(texts(facts, name)) for name in _OF_AMD) or any(
        "rocm" in value for value in texts(facts, "torch.version"))
    found["about.amd"] = Known(True, _SOURCE) if meant else Unknown("not_collected", "nothing that was read says whose GPU it is")
    known_kind = "apu" in gpus or "dgpu" in gpus
    found["about.apu"] = Known("apu" in gpus, _SOURCE) if known_kind else Unknown("not_collected", "no GPU whose kind is known was read")
    container = facts.get("container.kind")
    found["about.container"] = Known(bool(kinds), _SOURCE) if kinds or (container is not None and not isinstance(container, Unknown)) \
        else Unknown("not_collected", "nothing that was read says it")
    module, distribution = facts.get("amdgpu.dkms"), text(facts, "os.distribution")
    if not isinstance(module, Known) and distribution in tables.load("package_names")["no_dkms"]:
        found["amdgpu.dkms"] = Known(False, f"no amdgpu-dkms is made for {distribution}")
    return found
