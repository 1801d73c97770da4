"""Environment variables: env dumps, shell, docker, systemd, compose, Windows, and the map that Ollama logs.

>>> for r in read('export HSA_OVERRIDE_GFX_VERSION=10.3.0\\ndocker run -e HIP_VISIBLE_DEVICES=0 image\\n'
...     'Environment="OLLAMA_VULKAN=1"\\n  ROCR_VISIBLE_DEVICES: "1"\\n$env:HIP_PLATFORM = "amd"\\nos.environ["GPU_MAX_HW_QUEUES"] = "2"\\n'):
...     print(r.name, r.value, r.line)
env.HSA_OVERRIDE_GFX_VERSION 10.3.0 1
env.HIP_VISIBLE_DEVICES 0 2
env.OLLAMA_VULKAN 1 3
env.ROCR_VISIBLE_DEVICES 1 4
env.HIP_PLATFORM amd 5
env.GPU_MAX_HW_QUEUES 2 6
environment.set {'HSA_OVERRIDE_GFX_VERSION': '10.3.0', 'OLLAMA_VULKAN': '1', 'HIP_PLATFORM': 'amd'} 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 2
KINDS = kinds.QUOTED  # people quote its words in their sentences

_PREFIXES = (
    "HSA_", "HIP_", "ROCR_", "ROCM_", "ROCBLAS_", "HIPBLASLT_", "HIPBLAS_", "TENSILE_", "MIOPEN_", "GPU_", "AMD_",
    "AMDGPU_", "OLLAMA_", "PYTORCH_", "TORCH_", "GGML_", "LLAMA_", "VK_", "RADV_", "MESA_", "RUSTICL_", "VLLM_",
    "TRITON_", "FLASH_ATTENTION_", "NCCL_", "RCCL_", "HCC_", "DRI_", "AMDVLK_", "XLA_", "JAX_", "COMFYUI_",
    "LEMONADE_", "BNB_", "USE_ROCM", "CUDA_VISIBLE_", "LIBGL_", "GALLIUM_", "ACO_", "HSAKMT_", "ROC_", "OCL_",
    "LD_LIBRARY_PATH", "LD_PRELOAD", "VLK_", "DISABLE_LAYER_",
)
MARKS = (*_PREFIXES, "$env:", "TORCH=", "ROCM=", "MESA=")
# Short notes of versions in the form of variables.
_VERSIONS = {"TORCH": "torch.version", "ROCM": "runtime.rocm_version", "ROCM_VERSION": "runtime.rocm_version",
             "MESA": "vulkan.mesa_version"}
# Keys that amd-smi, vulkaninfo and amdgpu dumps print before a colon.
_TOOL_KEYS = ("GPU_", "VK_", "AMD_", "AMDGPU_", "VLK_", "HIP_V", "ROCM_V")
_NAME = r"([A-Z][A-Z0-9_]{2,60})"
_VALUE = r"(\"[^\"\n]{0,800}\"|'[^'\n]{0,800}'|[^\s\"'`]*)"
_START = lazy(
    r"^(?:[$>] |PS [^>]{0,80}> ?)?(?:- +|\* +)?[\"'`]?(?:export +|set +|setx +|ENV +|declare -x +|env +|sudo +)?"
    r"(?:[Ee]nvironment=)?[\"']?" + _NAME + "=" + _VALUE)
_CHAIN = lazy(_NAME + "=" + _VALUE + r"(?:\s+|$)")
_FLAG = lazy(r"(?:-e|--env|&& export|; export|Environment=|--build-arg)[ =]?[\"']?" + _NAME + "=" + _VALUE)
_POWER = lazy(r"\$env:" + _NAME + r" ?= ?" + _VALUE, re.IGNORECASE)
_YAML = lazy(r"^(?:- +)?[\"']?" + _NAME + r"[\"']?: +" + _VALUE + r",?(?:\s+#.*)?$")
_MAP = lazy(r"(?:map\[|\s)" + _NAME + r":([^\s\]]*)")
_PYTHON = lazy(r"\bos\.environ\[[\"']" + _NAME + r"[\"']\] {0,2}= {0,2}([\"'][^\"'\n]{0,400}[\"'])")
_JSON_MAP = lazy(r"\"" + _NAME + r"\": ?\"([^\"\n]{0,800})\"")
# Where quotation marks become part of the value: the list form of a compose file, and `set` of Windows.
_LITERAL = lazy(r"^(?:(?:- +)|(?:[A-Z]:\\[^>]{0,200}> ?)?set +)" + _NAME + r"=([\"'][^\"'\n]{1,800}[\"'])\s*$")
_SHELL = lazy(r"^(?:[$>#] |PS [^>]{0,80}> ?|\S{1,60}[$#] )?(?:export +|setx +|\$env:)")
_OPEN = lazy(r"\$[A-Za-z_]|\{\{|%[A-Za-z_]\w{0,40}%|@[A-Z_]{2,40}@|^<[^<>]{1,40}>$|^\{\w{0,40}\}$")
_UNIT = lazy(r"^[\"'`]?Environment=")


def wanted(name: str) -> bool:
    """Whether a variable of this name can matter to a GPU stack."""
    return name.startswith(_PREFIXES)


def recognises(text: str) -> bool:
    """Whether a variable that matters is set anywhere."""
    return any(mark in text for mark in MARKS) and next(read(text), None) is not None


def is_open(value: str) -> bool:
    """Whether a value is written as a variable or a place to fill in, so that nobody reads what it comes to; a search path beside one is known.

    >>> is_open("$i"), is_open("0,$((i % 4))"), is_open("{{ .Values.gpu }}"), is_open("/opt/rocm/lib:$LD_LIBRARY_PATH"), is_open("0,1")
    (True, True, True, False, False)
    """
    return "${" in value or "$(" in value or "/" not in value and _OPEN.search(value) is not None


def _clean(value: str) -> str | None:
    value = value.strip().rstrip("`")
    if len(value) > 1 and value[-1] in ":;,." and value[-2].isdigit() and "/" not in value:
        value = value[:-1]
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return None if is_open(value) or len(value) > 2000 else value


def _of_line(line: str) -> Iterator[tuple[str, str]]:
    start = _START.match(line)
    if start and start.group(1):
        yield start.group(1), start.group(2)
        chain = _CHAIN.match(line, start.end() + 1) if line[start.end():start.end() + 1] == " " else None
        while chain:
            yield chain.group(1), chain.group(2)
            chain = _CHAIN.match(line, chain.end())
    else:
        yaml = _YAML.match(line)
        if yaml and not yaml.group(1).startswith(_TOOL_KEYS):
            yield yaml.group(1), yaml.group(2)
    if "=" in line and not (start and start.group(2)[:1] in "\"'"):
        for flag in _FLAG.finditer(line, start.end() if start else 0):
            yield flag.group(1), flag.group(2)
    if "os.environ[" in line:
        for code in _PYTHON.finditer(line):
            yield code.group(1), code.group(2)
    if "$env:" in line.lower():
        for power in _POWER.finditer(line):
            yield power.group(1).upper(), power.group(2)


def _of_map(line: str, number: int, server: dict[str, str]) -> Iterator[Reading]:
    """The map that Ollama logs; in it what is not set is empty, or has its default."""
    for pattern in (_MAP, _JSON_MAP):
        for found in pattern.finditer(line, line.find("map[") if pattern is _MAP else 0):
            if wanted(found.group(1)):
                server[found.group(1)] = found.group(2)
                if found.group(2):
                    yield Reading("env." + found.group(1), found.group(2), "", number)


def read(text: str) -> Iterator[Reading]:
    """env.X for every assignment that stands like one; a sentence that names a variable is not one.

    >>> log = 'msg="server config" env="map[HSA_OVERRIDE_GFX_VERSION: OLLAMA_DEBUG:false]"'
    >>> [(r.name, r.value) for r in read('Environment="HSA_OVERRIDE_GFX_VERSION=11.0.0"\\n' + log) if r.name.startswith("environment")]
    [('environment.server', {'HSA_OVERRIDE_GFX_VERSION': '', 'OLLAMA_DEBUG': 'false'}), ('environment.set', {'HSA_OVERRIDE_GFX_VERSION': '11.0.0'})]
    """
    server: dict[str, str] = {}
    outside: dict[str, str] = {}
    places: dict[str, int] = {}
    for number, line in lines(text):
        if "_" not in line and "=" not in line and "$env:" not in line:
            continue
        if "map[" in line or "server config" in line:
            places.setdefault("server", number)
            latest: dict[str, str] = {}
            yield from _of_map(line, number, latest)
            server = {**latest, **{name: value for name, value in server.items() if value and value != "false"}}
            continue
        body = line.strip()
        if body.startswith(("#", "//", "REM ", "rem ")):
            continue
        literal = _LITERAL.match(body)
        if literal and wanted(literal.group(1)):
            yield Reading("env." + literal.group(1), literal.group(2), "", number)
            continue
        for name, raw in _of_line(body):
            value = _clean(raw)
            if value and value[0].isdigit() and name in _VERSIONS:
                version = _VERSIONS[name]
                yield Reading(version, value, "0" if version == "torch.version" else "", number)
            if value is not None and wanted(name):
                yield Reading("env." + name, value, "", number)
                if _UNIT.match(body) or _SHELL.match(body):
                    outside.setdefault(name, value)
                    places.setdefault("set", number)
    if server:
        yield Reading("environment.server", server, "", places["server"])
    if outside:
        yield Reading("environment.set", outside, "", places["set"])
