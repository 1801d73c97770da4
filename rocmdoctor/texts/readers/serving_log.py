"""Logs of vLLM and SGLang: version, platform that was chosen, torch, arguments that matter.

>>> for r in read("INFO 11-20 10:00:00 [__init__.py:243] Automatically detected platform rocm.\\n"
...     "(APIServer pid=1) INFO 11-20 10:00:05 [api_server.py:1772] vLLM API server version 0.11.1rc6\\n"
...     "INFO 11-20 10:00:09 [gpu_worker.py:1] Available KV cache memory: 12.5 GiB\\n"):
...     print(r.name, r.value, r.item, r.line)
app.backend rocm vllm 1
app.name vllm vllm 2
app.version 0.11.1rc6 vllm 2
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

MARKS = ("vLLM", "vllm", "sglang", "SGLang", "server_args=ServerArgs(")
_VLLM = lazy(r"vLLM API server version v?(\d\.\d{1,2}[\w.+-]{0,40})|Initializing an? (?:V1 )?LLM engine \(v(\d\.\d{1,2}[\w.+-]{0,40})\)"
             r"|^vllm(?:==| version:? | {2,40})(\d\.\d{1,2}[\w.+-]{0,40})")
_PLATFORM = lazy(r"Automatically detected platform (rocm|cuda|cpu|xpu|tpu)|(No platform detected)|Using device: (rocm|cuda|cpu)")
_TOTAL = lazy(r"\btotal_gpu_memory \(([0-9]{1,4}\.[0-9]{1,3})Gi?B\)")
_SGLANG = lazy(r"\b[Ss][Gg][Ll]ang(?: version)?(?:==|[: ]){0,2} ?v?(\d\.\d{1,2}\.\d[\w.+-]{0,30})|lmsysorg/sglang:v?(\d\.\d{1,2}\.\d(?:\.\w{1,8})?)")
_SGLANG_ROCM = lazy(r"lmsysorg/sglang:\S{0,40}-rocm(\d)(\d)(\d)\b")
_IMAGE = lazy(r"\b(?:rocm/vllm(?:-dev)?|vllm/vllm-openai-rocm):(\S{3,100})")
_ROCM_TAG = lazy(r"rocm(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)")


def recognises(text: str) -> bool:
    """The name of one of the servers.

    >>> recognises("vLLM API server version 0.9.2"), recognises("a server log")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def read(text: str) -> Iterator[Reading]:
    """Version and platform; the ROCm release of an image tag."""
    rocm = sized = False
    for number, line in lines(text):
        lower = "vllm" in line or "vLLM" in line or "LLM engine" in line
        version = _VLLM.search(line[:400]) if lower else None
        if version:
            yield Reading("app.name", "vllm", "vllm", number)
            yield Reading("app.version", version[1] or version[2] or version[3], "vllm", number)
        platform = _PLATFORM.search(line[:300]) if "platform" in line or "Using device" in line else None
        if platform and ("vLLM" in text or "vllm" in text):
            yield Reading("app.backend", platform[1] or platform[3] or "none detected", "vllm", number)
        rocm = rocm or platform is not None and "rocm" in (platform[1], platform[3]) or "[rocm.py:" in line
        total = _TOTAL.search(line[:400]) if rocm and "total_gpu_memory" in line else None
        if total and not sized:
            sized = True  # each rank says it, of its own GPU
            yield Reading("gpu.vram_bytes", int(float(total[1]) * (1 << 30)), "vllm:0", number)
        image = _IMAGE.search(line[:500]) if "/vllm" in line else None
        tag = _ROCM_TAG.search(image[1]) if image else None
        if tag:
            yield Reading("runtime.rocm_version", tag[1], "", number)
        if "glang" in line or "GLang" in line:
            sglang = _SGLANG.search(line[:400])
            if sglang:
                yield Reading("app.name", "sglang", "sglang", number)
                yield Reading("app.version", sglang[1] or sglang[2], "sglang", number)
            release = _SGLANG_ROCM.search(line[:400])
            if release:
                yield Reading("runtime.rocm_version", ".".join(release.groups()), "", number)
