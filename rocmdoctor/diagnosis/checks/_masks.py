"""Device masks as HIP and ROCr apply them: ROCR_VISIBLE_DEVICES filters and renumbers, HIP_VISIBLE_DEVICES filters what is left.

HIP takes CUDA_VISIBLE_DEVICES where HIP_VISIBLE_DEVICES is unset or empty, and discards a list from its first entry on that is no device
(clr, rocdevice.cpp). ROCr hides everything with an empty list, as it asks only whether the variable is defined.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.diagnosis.checks._words import judged, together
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Known

_CHECK = "environment"
_HIP = ("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")
_ROCR = "ROCR_VISIBLE_DEVICES"
_VULKAN = "GGML_VK_VISIBLE_DEVICES"


def left(value: str, available: int) -> int:
    """How many of the devices a list lets through.

    >>> left("0,1", 4), left("2", 2), left("-1", 4), left("NoDevFiles", 4), left("GPU-1f,1", 4), left("0,7,1", 4), left("", 4)
    (2, 0, 0, 0, 2, 1, 0)
    """
    found: set[str] = set()
    for word in value.split(","):
        word = word.strip()
        if not word.startswith("GPU-") and not (re.fullmatch(r"\d{1,4}", word) and int(word) < available):
            break
        found.add(word)
    return len(found)


def _count(seen: Evidence) -> int:
    """AMD GPUs of the machine, 0 when not known."""
    fact = seen.facts.get("pci.amd_gpu_count")
    if isinstance(fact, Known):
        return int(fact.value)
    return 1 if seen.hits_of("seen.masks.single_gpu") and len(items_of(seen.facts)) <= 1 else 0


def masks(seen: Evidence, values: dict[str, str]) -> Iterator[Judged]:
    """Masks that leave no device."""
    yield from _vulkan(seen, values)
    system, backend = seen.facts.get("about.os"), seen.facts.get("about.backend")
    native = isinstance(system, Known) and system.value == "windows"
    if isinstance(backend, Known) and "hip" not in backend.value and "vulkan" in backend.value and "no-device-found" not in seen.symptoms:
        return  # nothing that a HIP mask could hide is asked for, or HIP is kept out on purpose
    hip = next((name for name in _HIP if values.get(name)), "")
    rocr = _ROCR if _ROCR in values and not native else ""
    count = _count(seen)
    none = [name for name in (hip, rocr) if name and left(values[name], 1 << 10) == 0]
    if not hip and rocr != _ROCR and _torch(seen):
        none += [name for name in _HIP if values.get(name) == ""]  # HIP takes it for unset, torch for a list without devices
    if none:
        name = none[0]
        negative = re.fullmatch(r"\s*-\d{1,4}\s*", values[name]) is not None
        if negative and seen.hits_of("seen.masks.aborted") and not {"runs-on-cpu", "no-device-found"} & seen.symptoms:
            yield judged(_CHECK, "negative-index-in-mask", seen, {"name": name, "value": values[name]}, ["env." + name],
                         hits=seen.hits_of("seen.masks.aborted")[:2])
            return
        yield judged(_CHECK, "device-mask-of-minus-one-hides-gpus", seen, {"name": name, "value": values[name] or "(empty)"}, ["env." + name])
        return
    if hip and rocr and together(seen.facts, "env." + hip, "env." + rocr):
        through = left(values[rocr], count or 1 << 10)
        if through and left(values[hip], through) == 0:
            yield judged(_CHECK, "hip-and-rocr-masks-stack", seen, {"hip": hip, "value": values[hip], "rocr": values[rocr], "left": str(through)},
                         ["env." + hip, "env." + rocr], sure=True)
            return
    for name in (rocr, hip):
        if name and count and left(values[name], count) == 0:
            used = ["env." + name, *(["pci.amd_gpu_count"] if isinstance(seen.facts.get("pci.amd_gpu_count"), Known) else [])]
            yield judged(_CHECK, "visible-device-index-out-of-range", seen, {"name": name, "value": values[name], "count": str(count),
                                                                              "last": str(count - 1)}, used, sure=True)


def _torch(seen: Evidence) -> bool:
    apps = seen.facts.get("about.app")
    return isinstance(apps, Known) and bool({"pytorch", "vllm", "comfyui", "sglang"} & set(map(str, apps.value))) and "no-device-found" in seen.symptoms


def _vulkan(seen: Evidence, values: dict[str, str]) -> Iterator[Judged]:
    """The mask of the Vulkan backend, against the devices that Vulkan lists."""
    value = values.get(_VULKAN)
    devices = len(items_of(seen.facts, "vk"))
    if value is not None and left(value, devices or 1 << 10) == 0 and (value or devices):
        name = "visible-device-index-out-of-range" if re.match(r"\d", value) else "device-mask-of-minus-one-hides-gpus"
        yield judged(_CHECK, name, seen, {"name": _VULKAN, "value": value or "(empty)", "count": str(devices), "last": str(devices - 1)}, ["env." + _VULKAN])
