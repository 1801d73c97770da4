"""GPUs of other makers, their drivers and runtimes, as programs name them where nothing in the text is AMD's: nvidia-smi, NCCL's tests, gpu-burn, hashcat.

>>> for r in read("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\\n* Device #2: GeForce RTX 2060, 4992/6144 MB allocatable, 30MCU\\n"):
...     print(r.line, r.name, r.value)
1 pci.other_gpus ['NVIDIA A100-SXM4-80GB', 'GeForce RTX 2060']
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 0
KINDS = kinds.GROUPS["app"] | {"output", "form", "shell", "rccl_log", "amd_smi", "table", "traceback", "build_log"}

_AMD = lazy(r"\b(?:AMD|ATI|amdgpu|Radeon|Instinct|gfx\d{3,4}\w?|rocm|hip)\b", re.IGNORECASE)
_NAME = lazy(
    r"\bNVIDIA (?:GeForce|RTX|GTX|Quadro|Tesla|TITAN|[ABHL]\d{1,3}|GB\d{2,3}|Blackwell)[\w-]{0,20}(?: [\dA-Z][\w-]{0,12}){0,3}"
    r"|\bGeForce (?:RTX|GTX|GT) \d{3,4}(?: (?:Ti|SUPER|Ti SUPER|D))?|\b(?:Tesla|Quadro) [A-Z]{1,3}\d{1,4}\w{0,6}|\b[AH]\d00[ -](?:SXM\d?|PCIe|NVL)[\w-]{0,8}"
    r"|\bMali-[A-Z]\w{1,8}|\bApple M\d(?: (?:Pro|Max|Ultra))?|\bnvidia-installer\b|\bNVIDIA-Linux-x86_64\b"
    r"|\bOpenVINO(?:ExecutionProvider)?\b|\bintel-(?:opencl-icd|level-zero-gpu)\b"
    r"|\bIntel\(R\) (?:HD|UHD|Iris|Arc|Xe)[\w() ]{0,40}Graphics\b(?: \w{2,5})?")
_MOST = 16


def recognises(text: str) -> bool:
    """A name of another maker's GPU and none of AMD's words.

    >>> recognises("NVIDIA H100 NVL"), recognises("NVIDIA H100 NVL and a Radeon VII"), recognises("nvidia")
    (True, False, False)
    """
    return later.search(_NAME, text) is not None and _AMD.search(text) is None


def read(text: str) -> Iterator[Reading]:
    """Each name once."""
    found: dict[str, int] = {}
    for number, line in lines(text):
        for name in _NAME.findall(line[:400]):
            if len(found) < _MOST:
                found.setdefault(name.strip(), number)
    if found:
        yield Reading("pci.other_gpus", list(found), line=min(found.values()))
