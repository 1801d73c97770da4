"""llama.cpp (llama-server, llama-cli, llama-bench, koboldcpp and other users of ggml).

>>> for r in read("build: 8245 (d417bc43d) with GNU 11.4.0 for Linux x86_64\\n"
...     "  Device 0: AMD Radeon Graphics, gfx1151 (0x1151), VMM: no, Wave Size: 32\\n"
...     "load_tensors: offloaded 25/25 layers to GPU\\n"):
...     print(r.name, r.value, r.item, r.line)
llama.build 8245  1
gpu.gfx_reported gfx1151 ROCm0 2
gpu.name AMD Radeon Graphics ROCm0 2
llama.layers_offloaded 25  3
llama.layers_total 25  3
llama.devices ['ROCm0: AMD Radeon Graphics']  2
llama.backend rocm  2
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge.products import gfx_of_name, has_own_memory, radv_gfx
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import gfx, integer, lazy, lines, pci_address

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

_MARKS = ("ggml_cuda_init", "ggml_vulkan", "load_tensors", "llama_model_load", "llm_load", "load_backend", "llama-server",
          "llama-bench", "llama-cli", "build_number", "llama.cpp", "llama_", "system_info: n_threads", "ggml_")
_WEAK_MARKS = ("ROCm0", "Vulkan0", "using device ", "version: ", "build", "gfx", "offloaded ")
MARKS = (*_MARKS, *_WEAK_MARKS)
_BUILD = (
    lazy(r"\bbuild(?: ?[:=]|_info:) ?b?([0-9]{3,6})[ -]\(?[0-9a-f]{6,40}\b"),
    lazy(r"\bbuild: [0-9a-f]{6,40} \(([0-9]{3,6})\)"),
    lazy(r"\bversion: ([0-9]{3,6}) \([0-9a-f]{6,40}\)"),
    lazy(r"\(build ([0-9]{3,6}), commit [0-9a-f]{6,40}\)"),
    lazy(r"\"build_number\": ?([0-9]{3,6})\b"),
    lazy(r"\bbuild_info: b([0-9]{3,6})-[0-9a-f]{6,40}"),
    lazy(r"\bllama(?:[-.]cpp)?[-_/ ]b([0-9]{4,6})\b"),
    lazy(r"\b(?:llama\.cpp|llama-[a-z]{2,12}|build|release|version|tag)[ :@]{1,3}b([0-9]{4,6})\b"),
    lazy(r"llama\.cpp (?:build|release|version|tag) ?b?([0-9]{4,6})\b"),
)
_BUILD_WORDS = ("build", "ersion: ", "llama", "release", "tag")
_HIP = lazy(r"Device ([0-9]{1,2}): (.{1,120}?), (gfx[0-9a-f]{3,6})")
_VRAM = lazy(r", VRAM: ([0-9]{1,9}) MiB")
_VULKAN = lazy(r"ggml_vulkan: ([0-9]{1,2}) = ([^|]{1,160})\|?")
_USING = lazy(r"using device (ROCm|Vulkan|HIP|CUDA)([0-9]{1,2}) \((.{1,160})\) - ([0-9]{1,9}) MiB free")
_LISTED = lazy(r"(?:^|[\s-])(ROCm|Vulkan)([0-9]{1,2}) {0,9}: (.{1,120}) \(([0-9]{1,9}) MiB, ([0-9]{1,9}) MiB free\)")
_OFFLOADED = lazy(r"offloaded ([0-9]{1,5})/([0-9]{1,5}) layers")
_BUFFER = lazy(r"(ROCm|Vulkan)[0-9]{1,2} model buffer size")
_EVAL = lazy(r"^(?!.*prompt eval).*\beval time =.{1,80}?([0-9]{1,6}\.[0-9]{1,3}) tokens per second")


def recognises(text: str) -> bool:
    """Whether ggml or llama.cpp wrote any of it."""
    if any(mark in text for mark in _MARKS):
        return True
    return any(mark in text for mark in _WEAK_MARKS) and next(read(text), None) is not None


def offloaded(number: int, line: str) -> Iterator[Reading]:
    """The layers on the GPU, as llama.cpp prints them, in its own log and in those of programs around it."""
    found = _OFFLOADED.search(line)
    if found:
        yield Reading("llama.layers_offloaded", int(found[1]), "", number)
        yield Reading("llama.layers_total", int(found[2]), "", number)


def _build(line: str) -> int | None:
    # lemonade-sdk/llamacpp-rocm counts its own builds.
    if any(word in line for word in _BUILD_WORDS) and "llamacpp-rocm" not in line:
        for pattern in _BUILD:
            found = pattern.search(line)
            if found:
                return int(found.group(1))
    return None


def _vulkan_name(raw: str) -> tuple[str, str]:
    """The name and the driver of ``NAME (DRIVER)``, where NAME may have brackets itself."""
    raw = raw.strip()
    at = raw.rfind(" (")
    return (raw[:at], raw[at + 2:].rstrip(")")) if at > 0 and raw.endswith(")") else (raw, "")


def _driver(name: str, word: str) -> str:
    lower = f"{name} {word}".lower()
    for mark, driver in (("llvmpipe", "llvmpipe"), ("radv", "radv"), ("proprietary", "amd-proprietary"),
                         ("amd open-source", "amdvlk")):
        if mark in lower:
            return driver
    return "other"


def _amd(name: str) -> bool:
    return any(word in name for word in ("AMD", "Radeon", "RADV", "Instinct", "gfx"))


def _vulkan(number: int, line: str) -> Iterator[Reading]:
    found = _VULKAN.search(line)
    if not found:
        return
    item = "Vulkan" + found.group(1)
    name, driver = _vulkan_name(found.group(2))
    yield Reading("vk.name", name, item, number)
    yield Reading("vk.driver", _driver(name, driver), item, number)
    for key, fact in (("fp16", "vk.fp16"), ("bf16", "vk.bf16"), ("int dot", "vk.int_dot")):
        value = _column(line, key)
        if value in ("0", "1"):
            yield Reading(fact, value == "1", item, number)
    if _column(line, "matrix cores"):
        yield Reading("vk.coopmat", _column(line, "matrix cores") != "none", item, number)
    if integer(_column(line, "warp size")):
        yield Reading("vk.subgroup_size", integer(_column(line, "warp size")), item, number)
    if _amd(name):
        yield Reading("gpu.name", name.split(" (RADV", 1)[0], item, number)
        if _column(line, "uma") in ("0", "1"):
            yield Reading("gpu.is_apu", _column(line, "uma") == "1", item, number)
    target = gfx_of_name(name) if _amd(name) else radv_gfx(name)
    if target:
        yield Reading("gpu.gfx_reported", target, item, number)


def _column(line: str, key: str) -> str:
    at = line.find(f"| {key}: ")
    return line[at + len(key) + 4:].split("|", 1)[0].strip() if at >= 0 else ""


def _device(number: int, line: str) -> Iterator[Reading]:
    found = _USING.search(line) if "using device " in line else None
    if found:
        item = found.group(1).replace("HIP", "ROCm") + found.group(2)
        name = found.group(3).split(") (0000:", 1)[0].split(") (unknown", 1)[0]
        yield Reading("llama.free_bytes", int(found.group(4)) << 20, "", number)
        if _amd(name):
            yield Reading("gpu.name", name.split(" (RADV", 1)[0], item, number)
            if pci_address(found.group(3)):
                yield Reading("gpu.pci_address", pci_address(found.group(3)), item, number)
        if radv_gfx(name):
            yield Reading("gpu.gfx_reported", radv_gfx(name), item, number)
        return
    found = _LISTED.search(line) if "MiB free)" in line else None
    if found and _amd(found.group(3)):
        item = found.group(1) + found.group(2)
        yield Reading("gpu.name", found.group(3).split(" (RADV", 1)[0], item, number)
        target = gfx_of_name(found.group(3))
        if target:
            yield Reading("gpu.gfx_reported", target, item, number)
        yield from _vram(found.group(4), found.group(3), item, number)


def _vram(size: str, name: str, item: str, number: int) -> Iterator[Reading]:
    """The size that llama.cpp shows is that of the VRAM where the GPU has memory of its own; else a share of the RAM counts as well."""
    if size and has_own_memory(name):
        yield Reading("gpu.vram_bytes", int(size) << 20, item, number)


def read(text: str) -> Iterator[Reading]:
    """Builds and devices as they stand; the list of devices and the backend at the end."""
    devices: dict[str, int] = {}
    used: dict[str, int] = {}
    for number, line in lines(text):
        build = _build(line)
        if build is not None:
            yield Reading("llama.build", build, "", number)
            if f"b{build}" in line:
                yield Reading("llama.tag", f"b{build}", "", number)
        if "Device " in line and "gfx" in line:
            found = _HIP.search(line)
            if found:
                item = "ROCm" + found.group(1)
                devices.setdefault(f"{item}: {found.group(2)}", number)
                used.setdefault("rocm", number)
                if gfx(found.group(3)):
                    yield Reading("gpu.gfx_reported", gfx(found.group(3)), item, number)
                yield Reading("gpu.name", found.group(2), item, number)
                size = _VRAM.search(line, found.end())
                yield from _vram(size[1] if size else "", found.group(2), item, number)
        if "ggml_vulkan: " in line:
            for reading in _vulkan(number, line):
                if reading.name == "vk.name":
                    devices.setdefault(f"{reading.item}: {reading.value}", number)
                    used.setdefault("vulkan", number)
                yield reading
        if "MiB free" in line:
            yield from _device(number, line)
        if "offloaded " in line:
            yield from offloaded(number, line)
        found = _BUFFER.search(line) if "model buffer size" in line else None
        if found:
            used = {found.group(1).lower(): number}
        found = _EVAL.search(line[:400]) if "eval time =" in line else None
        if found:
            yield Reading("llama.tokens_per_second", float(found.group(1)), "", number)
    if devices:
        yield Reading("llama.devices", list(devices), "", min(devices.values()))
    if len(used) == 1:
        backend, at = next(iter(used.items()))
        yield Reading("llama.backend", backend, "", at)
