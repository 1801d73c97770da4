"""Start-up lines of ComfyUI, koboldcpp, stable-diffusion.cpp, whisper.cpp, SD.Next and Forge.

>>> for r in read("** Platform: Linux\\nTotal VRAM 24560 MB, total RAM 64228 MB\\npytorch version: 2.9.1+rocm7.1\\n"
...     "AMD arch: gfx1100\\nROCm version: (7, 1)\\nSet vram state to: NORMAL_VRAM\\nDevice: cuda:0 AMD Radeon RX 7900 XTX : native\\n"
...     "ComfyUI version: 0.3.75\\n"):
...     print(r.name, r.value, r.line)
app.name comfyui 2
torch.version 2.9.1+rocm7.1 3
gpu.gfx_reported gfx1100 4
runtime.rocm_version 7.1 5
gpu.name AMD Radeon RX 7900 XTX 7
app.backend rocm 7
app.version 0.3.75 8
gpu.kfd_pool_bytes 25753026560 2
memory.ram_bytes 67347939328 2
>>> for r in read("Welcome to KoboldCpp - Version 1.104.yr0-ROCm\\nSystem: Windows 10.0.26100 AMD64 AMD64 Family 26\\n"
...     "Initializing dynamic library: koboldcpp_hipblas.dll\\nNamespace(flashattention=True, gpulayers=43, contextsize=8192, quantkv=0)\\n"):
...     print(r.name, r.value, r.line)
app.name koboldcpp 1
app.version 1.104.yr0-ROCm 1
os.family windows 2
app.backend rocm 3
llama.flash_attention True 4
llama.gpu_layers_asked 43 4
llama.context_tokens 8192 4
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import gfx, lazy, lines

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

MARKS = ("Welcome to KoboldCpp", "koboldcpp_", "Total VRAM", "Set vram state", "ComfyUI", "AMD arch: gfx", "whisper_", "stable-diffusion.cpp",
         "ggml_extend.hpp", "sd.exe", "sd-cli", "Using directml", "Using device: ", "sd-server")
_VRAM = lazy(r"Total VRAM (\d{1,7}) MB, total RAM (\d{1,8}) MB")
_TORCH = lazy(r"^\W*(?:\[INFO\] )?(?:pytorch version|Torch version|torch version): ?([12]\.\d{1,2}[\w.+]{1,60})")
_ROCM = lazy(r"ROCm version: ?\(?(\d{1,2})(?:, ?|\.)(\d{1,2})")
_DEVICE = lazy(r"Device: (cuda:\d|cpu|privateuseone|xpu|directml)(?: (.{3,100}?))?(?: : .{0,40})?$")
_COMFY = lazy(r"ComfyUI [vV]ersion: ?v?(\d\.\d{1,3}\.\d{1,3})|ComfyUI v(\d\.\d{1,3}\.\d{1,3})\b")
_KOBOLD = lazy(r"Welcome to KoboldCpp - Version (\d\.\d{1,3}[\w.-]{0,20})")
_LIBRARY = lazy(r"koboldcpp_(hipblas|vulkan(?:_noavx2|_failsafe)?|cublas|default|noavx2|failsafe)\.(?:so|dll)")
_LIBRARIES = {"hipblas": "rocm", "cublas": "cuda"}
_ARGUMENT = lazy(r"\b(flashattention|gpulayers|contextsize|quantkv)=(-?\d{1,7}|True|False)")
_SYSTEM = lazy(r"^System: (Windows|Linux|Darwin) ")
_WHISPER = lazy(r"whisper_(?:backend_init_gpu|init_with_params_no_state|init_state).{0,20}?(?:using|use gpu {0,5}=) ?(\S{1,30})")


def recognises(text: str) -> bool:
    """A start-up line of one of these programs.

    >>> recognises("Total VRAM 16368 MB, total RAM 32000 MB"), recognises("out of VRAM")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def _comfy(number: int, line: str, hip: bool) -> Iterator[Reading]:
    device = _DEVICE.search(line[:260]) if "Device: " in line else None
    version = _COMFY.search(line[:200])
    if device:
        name = device[2] or ""
        if name and not name.startswith("NVIDIA"):
            yield Reading("gpu.name", name, "comfy:0", number)
            target = products.gfx_of_name(name)
            if target and not hip:
                yield Reading("gpu.gfx_reported", target, "comfy:0", number)
        kind = {"cpu": "cpu", "privateuseone": "directml", "directml": "directml"}.get(device[1], "")
        kind = kind or ("rocm" if hip else "cuda" if name.startswith("NVIDIA") else "")
        if kind:
            yield Reading("app.backend", kind, "comfyui", number)
    if version:
        yield Reading("app.version", version[1] or version[2], "comfyui", number)


def _kobold(number: int, line: str) -> Iterator[Reading]:
    version, library, system = _KOBOLD.search(line), _LIBRARY.search(line[:400]), _SYSTEM.match(line)
    if version:
        yield Reading("app.name", "koboldcpp", "koboldcpp", number)
        yield Reading("app.version", version[1], "koboldcpp", number)
    if library and "Initializing" in line:
        kind = library[1].split("_")[0]
        yield Reading("app.backend", _LIBRARIES.get(kind, "vulkan" if kind == "vulkan" else "cpu"), "koboldcpp", number)
    if system:
        yield Reading("os.family", {"Windows": "windows", "Linux": "linux", "Darwin": "macos"}[system[1]], "", number)
    for name, value in _ARGUMENT.findall(line[:8000]) if "Namespace(" in line else ():
        if name == "flashattention":
            yield Reading("llama.flash_attention", value == "True", "", number)
        elif name == "gpulayers" and value not in ("-1", "True", "False"):
            yield Reading("llama.gpu_layers_asked", int(value), "", number)
        elif name == "contextsize" and value.isdigit():
            yield Reading("llama.context_tokens", int(value), "", number)
        elif name == "quantkv" and value in ("1", "2"):
            yield Reading("llama.kv_type", {"1": "q8_0", "2": "q4_0"}[value], "", number)


def read(text: str) -> Iterator[Reading]:
    """Program, version, backend and what it says of the GPU; the memory at the end, as it is what torch offers, not VRAM."""
    hip = "AMD arch:" in text or "+rocm" in text or "ROCm version" in text
    kobold = "KoboldCpp" in text or "koboldcpp_" in text
    memory: tuple[int, int, int] | None = None
    for number, line in lines(text):
        if kobold:
            yield from _kobold(number, line)
        if "VRAM" in line or "omfyUI" in line or "Device: " in line:
            found = _VRAM.search(line[:200])
            if found and memory is None:
                memory = (int(found[1]), int(found[2]), number)
                yield Reading("app.name", "comfyui", "comfyui", number)
            yield from _comfy(number, line, hip)
        if "version: " in line:
            torch, rocm = _TORCH.search(line[:200]), _ROCM.search(line[:200])
            if torch:
                yield Reading("torch.version", torch[1], "0", number)
            if rocm:
                yield Reading("runtime.rocm_version", f"{rocm[1]}.{rocm[2]}", "", number)
        if "AMD arch: " in line and gfx(line):
            yield Reading("gpu.gfx_reported", gfx(line), "comfy:0", number)
        if "whisper_" in line:
            whisper = _WHISPER.search(line[:300])
            if whisper and whisper[1].rstrip("0123456789") in ("ROCm", "Vulkan", "CUDA"):
                yield Reading("app.name", "whisper.cpp", "whisper", number)
                yield Reading("app.backend", whisper[1].rstrip("0123456789").lower(), "whisper", number)
            elif "no GPU found" in line:
                yield Reading("app.name", "whisper.cpp", "whisper", number)
                yield Reading("app.backend", "cpu", "whisper", number)
        elif "ggml_extend.hpp" in line or "stable-diffusion.cpp:" in line:
            backend = "rocm" if "Using ROCm" in line or "Using CUDA" in line else "vulkan" if "Using Vulkan" in line else "cpu" if "Using CPU" in line else ""
            if backend:
                yield Reading("app.name", "stable-diffusion.cpp", "sd", number)
                yield Reading("app.backend", backend, "sd", number)
    if memory:
        if hip:
            yield Reading("gpu.kfd_pool_bytes", memory[0] << 20, "comfy:0", memory[2])
        yield Reading("memory.ram_bytes", memory[1] << 20, "", memory[2])
