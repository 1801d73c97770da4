"""``python -m torch.utils.collect_env`` and vLLM's collect_env, also when a thread folded them onto one line.

>>> sample = '''PyTorch version: 2.9.1+rocm7.2.0.git7e1940d4
... ROCM used to build PyTorch: 7.2.26015-fc0010cf6a
... OS: Ubuntu 24.04.3 LTS (x86_64)
... Python platform: Linux-6.17.0-1012-oem-x86_64-with-glibc2.39
... Is CUDA available: True
... GPU models and configuration: AMD Radeon Graphics (gfx1150)
... '''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.item, reading.value)
1 torch.version 0 2.9.1+rocm7.2.0.git7e1940d4
2 torch.hip 0 7.2.26015-fc0010cf6a
2 runtime.hip_version  7.2.26015-fc0010cf6a
2 runtime.rocm_version  7.2.26015-fc0010cf6a
3 os.name  Ubuntu 24.04.3 LTS
3 os.distribution  ubuntu
3 os.version  24.04
4 kernel.release  6.17.0-1012-oem
4 os.family  linux
5 torch.available 0 True
6 torch.devices 0 ['AMD Radeon Graphics']
6 gpu.name torch:0 AMD Radeon Graphics
6 gpu.gfx_reported torch:0 gfx1150
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts.lines import Lines, clean, lazy
from rocmdoctor.texts.readers.pip_list import rocm_of

TRUST = 1

_KEYS = (
    "PyTorch version", "Is debug build", "CUDA used to build PyTorch", "ROCM used to build PyTorch", "OS", "GCC version",
    "Clang version", "CMake version", "Libc version", "Python version", "Python platform", "Is CUDA available",
    "CUDA runtime version", "CUDA_MODULE_LOADING set to", "GPU models and configuration", "Nvidia driver version",
    "cuDNN version", "Is XPU available", "HIP runtime version", "MIOpen runtime version", "Is XNNPACK available",
    "Caching allocator config", "CPU", "Versions of relevant libraries", "Model name", "Name", "Architecture", "Vendor ID",
    "ROCM Version", "vLLM Version", "vLLM Build Flags", "GPU Topology", "Manufacturer",
)
_KEY = lazy(r"(?:(?<=\s)|^)(" + "|".join(re.escape(key) for key in sorted(_KEYS, key=len, reverse=True)) + r")\s*:", re.MULTILINE)
_NOTHING = ("", "n/a", "none", "could not collect", "no cuda", "not collected")
_PLATFORM = lazy(r"Linux-(.+?)-(?:x86_64|aarch64|amd64)\b")
_GPU = lazy(r"(?:GPU \d+:\s*)?([^\n(]{1,100}(?:\(TM\)[^\n(]{0,60})?(?:\((?!gfx)[^)\n]{1,40}\)[^\n(]{0,40})?)"
                  r"\(?(gfx[0-9a-f]{3,4})?[^\n)]{0,60}\)?")


def recognises(text: str) -> bool:
    """Two keys that only collect_env prints.

    >>> recognises("PyTorch version: 2.9.1\\nROCM used to build PyTorch: N/A"), recognises("PyTorch version: ?")
    (True, False)
    """
    return sum(mark in text for mark in (
        "PyTorch version:", "ROCM used to build PyTorch:", "GPU models and configuration:", "Is CUDA available:",
        "HIP runtime version:", "Python platform:", "ROCM Version", "vLLM Version")) >= 2


def _values(text: str) -> dict[str, tuple[str, int]]:
    """Key to value and offset; a value ends where the next known key starts, or at its own line's end."""
    marks = list(_KEY.finditer(text))
    values: dict[str, tuple[str, int]] = {}
    for index, mark in enumerate(marks):
        end = marks[index + 1].start() if index + 1 < len(marks) else len(text)
        value = text[mark.end():min(end, mark.end() + 2000)]
        several = mark[1] in ("GPU models and configuration", "CPU")
        value = value.strip() if several else value.lstrip(" \t").split("\n", 1)[0].strip()
        values.setdefault(mark[1], (value, mark.start()))
    return values


def _system(values: dict[str, tuple[str, int]], lines: Lines) -> Iterator[Reading]:
    name, at = values.get("OS", ("", 0))
    name = re.sub(r"\s*\((?:x86_64|aarch64)\).*$", "", name)[:120]
    family = ""
    if name.lower() not in _NOTHING:
        line = lines.at(at)
        yield Reading("os.name", name, line=line)
        windows = re.search(r"Windows.{0,40}?\(?(10\.0\.\d+)", name)
        if windows:
            family = "windows"
            yield Reading("os.version", windows[1], line=line)
            yield Reading("os.family", "windows", line=line)
        else:
            words = name.split()
            yield Reading("os.distribution", words[0].lower(), line=line)
            version = re.search(r"\d+(?:\.\d+)?", name)
            if version:
                yield Reading("os.version", version[0], line=line)
    platform, at = values.get("Python platform", ("", 0))
    kernel = _PLATFORM.search(platform[:300])
    if kernel:
        yield Reading("kernel.release", kernel[1], line=lines.at(at))
        family = "wsl" if "microsoft" in kernel[1].lower() else "linux"
        yield Reading("os.family", family, line=lines.at(at))
    elif platform.startswith("Windows") and family != "windows":
        yield Reading("os.family", "windows", line=lines.at(at))


def _devices(values: dict[str, tuple[str, int]], lines: Lines) -> Iterator[Reading]:
    listed, at = values.get("GPU models and configuration", ("", 0))
    if not listed:
        return
    rows = [row.strip() for row in listed.split("\n") if row.strip()]
    if len(rows) > 1 or listed.startswith("GPU 0"):
        rows = [row.strip() for part in rows for row in re.split(r"(?=\bGPU \d+: )", part) if row.startswith("GPU ")]
    rows = [row for row in rows if row.lower() not in _NOTHING][:64]
    found = [match for row in rows if (match := _GPU.match(row[:300]))]
    names = [match[1].strip() for match in found]
    yield Reading("torch.devices", names, "0", lines.at(at))
    for index, match in enumerate(found):
        yield Reading("gpu.name", names[index], f"torch:{index}", lines.at(at))
        gfx = match[2] or products.gfx_of_name(names[index])
        if gfx:
            yield Reading("gpu.gfx_reported", gfx, f"torch:{index}", lines.at(at))


def read(text: str) -> Iterator[Reading]:
    """Facts of the first collect_env run in the text."""
    text = clean(text)
    lines = Lines(text)
    values = _values(text)

    def known(key: str) -> tuple[str, int] | None:
        value = values.get(key)
        return (value[0], lines.at(value[1])) if value and value[0].lower() not in _NOTHING else None

    version = known("PyTorch version")
    if version:
        yield Reading("torch.version", version[0].split()[0], "0", version[1])
    hip = known("ROCM used to build PyTorch")
    if hip:
        yield Reading("torch.hip", hip[0].split()[0], "0", hip[1])
        yield Reading("runtime.hip_version", hip[0].split()[0], line=hip[1])
    cuda = known("CUDA used to build PyTorch")
    if cuda and cuda[0][0].isdigit():
        yield Reading("torch.cuda", cuda[0].split()[0], "0", cuda[1])
    rocm = rocm_of(version[0]) if version else ""
    if hip:
        yield Reading("runtime.rocm_version", hip[0].split()[0], line=hip[1])
    elif version and rocm:
        yield Reading("runtime.rocm_version", rocm, line=version[1])
    yield from _system(values, lines)
    available = known("Is CUDA available")
    if available and available[0][:5].strip().lower().rstrip(".") in ("true", "false"):
        yield Reading("torch.available", available[0].lower().startswith("true"), "0", available[1])
    yield from _devices(values, lines)
    for key in ("Model name", "Name"):
        cpu = known(key)
        if cpu and re.search(r"AMD|Intel|Ryzen|EPYC|Xeon", cpu[0]):
            yield Reading("machine.cpu", cpu[0][:120], line=cpu[1])
            break
    vllm = known("vLLM Version")
    if vllm:
        yield Reading("app.name", "vllm", "vllm", vllm[1])
        yield Reading("app.version", vllm[0].split()[0], "vllm", vllm[1])
