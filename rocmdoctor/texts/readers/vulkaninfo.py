"""vulkaninfo: ``--summary``, the full text, and the JSON profile of ``-j``.

>>> sample = '''Vulkan Instance Version: 1.4.309
... GPU0:
...         vendorID           = 0x1002
...         deviceID           = 0x1586
...         deviceType         = PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU
...         deviceName         = AMD Radeon 8060S Graphics (RADV GFX1151)
...         driverName         = radv
...         driverInfo         = Mesa 25.2.3
... '''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.item, reading.value)
1 vulkan.instance_version  1.4.309
1 vulkan.loader  True
6 vk.name 0 AMD Radeon 8060S Graphics (RADV GFX1151)
5 vk.type 0 integrated
7 vk.driver 0 radv
8 vk.driver_info 0 Mesa 25.2.3
4 vk.pci_id 0 1002:1586
8 vulkan.mesa_version  25.2.3
6 gpu.name vk:0 AMD Radeon 8060S Graphics
4 gpu.pci_id vk:0 1002:1586
6 gpu.gfx_reported vk:0 gfx1151
5 gpu.is_apu vk:0 True
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.records import dataclass, field
from rocmdoctor.texts.lines import MAX_LINE, integer, lazy, lines, unquoted

TRUST = 1

_PAIR = lazy(r"^(\w{4,60})\s{0,80}[=:]\s{0,10}(\S.{0,300})?$")
_INSTANCE = lazy(r"Vulkan Instance Version:\s*(\d+\.\d+\.\d+)")
_DEVICE = lazy(r"^GPU(\d{1,3}):\s*$")
_HEAP = lazy(r"^memoryHeaps\[(\d{1,3})\]:?")
_HEAPS_END = ("memoryTypes", "VkPhysicalDevice", "GPU")
_MESA = lazy(r"Mesa (\d{2}\.\d+(?:\.\d+)?(?:-(?:devel|git|rc\d+))?)")
_JSON_MARK = '"VP_VULKANINFO_'
_PROFILE = lazy(r"VP_VULKANINFO_(.{3,80}?)_(\d{1,3})_(\d{1,3})_(\d{1,4})\b")
_DRIVERS = (("radv", "radv"), ("amd open-source", "amdvlk"), ("amd_open_source", "amdvlk"), ("amdvlk", "amdvlk"), ("llpc", "amdvlk"),
            ("proprietary driver", "amd-proprietary"), ("amd_proprietary", "amd-proprietary"), ("llvmpipe", "llvmpipe"))
_VALUES = ("vendorID", "deviceID", "deviceType", "deviceName", "driverName", "driverInfo", "driverID", "driverVersion",
           "maxMemoryAllocationSize", "maxBufferSize", "shaderFloat16", "subgroupSize", "shaderBFloat16Type",
           "integerDotProduct4x8BitPackedSignedAccelerated")


@dataclass(slots=True)
class _Device:
    values: dict[str, tuple[str, int]] = field(default_factory=dict)
    heaps: list[dict[str, Any]] = field(default_factory=list)
    heap_line: int = 0
    coopmat: int = 0

    def get(self, key: str) -> tuple[str, int]:
        return self.values.get(key, ("", 0))


def recognises(text: str) -> bool:
    """The banner, a property pair that only vulkaninfo prints, or a profile.

    >>> recognises("deviceName = AMD Radeon 890M\\ndriverInfo = Mesa 25.2.1"), recognises("a deviceName somewhere")
    (True, False)
    """
    return ("Vulkan Instance Version:" in text or _JSON_MARK in text
            or bool(re.search(r"^[>| \t]*(?:deviceName|driverInfo|maxMemoryAllocationSize|maxBufferSize)\s{0,80}=", text, re.MULTILINE)))


def _parse(text: str) -> Iterator[_Device]:
    device = _Device()
    in_heaps = False
    for number, raw in lines(text):
        line = unquoted(raw[:MAX_LINE]).strip()
        if _DEVICE.match(line):
            if device.values:
                yield device
            device, in_heaps = _Device(), False
            continue
        heap = _HEAP.match(line)
        if heap:
            in_heaps = True
            device.heap_line = device.heap_line or number
            device.heaps.append({"size": 0, "device_local": False})
            continue
        if in_heaps and line.startswith(_HEAPS_END):
            in_heaps = False
        if in_heaps and device.heaps:
            if line.startswith("size"):
                size = re.match(r"size\s*=\s*(\d{1,20})", line)
                if size and not device.heaps[-1]["size"]:
                    device.heaps[-1]["size"] = int(size[1])
            elif "DEVICE_LOCAL_BIT" in line:
                device.heaps[-1]["device_local"] = True
        if "VK_KHR_cooperative_matrix" in line:
            device.coopmat = device.coopmat or number
        pair = _PAIR.match(line[:400])
        if pair and pair[1] in _VALUES and pair[2]:
            if pair[1] == "deviceName" and "deviceName" in device.values and pair[2].strip() != device.get("deviceName")[0]:
                yield device
                device = _Device()
            device.values.setdefault(pair[1], (pair[2].strip(), number))
    if device.values:
        yield device


def _driver(device: _Device) -> str:
    said = " ".join(device.get(key)[0] for key in ("driverName", "driverID", "driverInfo", "deviceName")).lower()
    return next((name for mark, name in _DRIVERS if mark in said), "other" if said.strip() else "")


def _plain(device: _Device, item: str) -> Iterator[Reading]:
    for key, name in (("maxMemoryAllocationSize", "vk.max_allocation_bytes"), ("maxBufferSize", "vk.max_buffer_bytes"),
                      ("subgroupSize", "vk.subgroup_size")):
        value, line = device.get(key)
        number = integer(value.split(" ", 1)[0]) if value else None
        if number is not None:
            yield Reading(name, number, item, line)
    for key, name in (("shaderFloat16", "vk.fp16"), ("shaderBFloat16Type", "vk.bf16"),
                      ("integerDotProduct4x8BitPackedSignedAccelerated", "vk.int_dot")):
        value, line = device.get(key)
        if value.lower() in ("true", "false"):
            yield Reading(name, value.lower() == "true", item, line)
    if device.coopmat:
        yield Reading("vk.coopmat", True, item, device.coopmat)
    if device.heaps and any(heap["size"] for heap in device.heaps):
        heaps = sorted(device.heaps, key=lambda heap: not heap["device_local"])
        yield Reading("vk.heaps", heaps, item, device.heap_line)


def _unpacked(value: str) -> str:
    """A driverVersion as AMD's driver packs it, in dots.

    >>> _unpacked("8388858 (0x8000fa)"), _unpacked("2.0.294")
    ('2.0.250', '2.0.294')
    """
    if re.fullmatch(r"\d+(?:\.\d+){2,3}", value):
        return value
    number = integer(value.split(" ", 1)[0]) if value else None
    return f"{number >> 22}.{number >> 12 & 0x3FF}.{number & 0xFFF}" if number else ""


def _readings(device: _Device, item: str) -> Iterator[Reading]:
    name, name_line = device.get("deviceName")
    kind, kind_line = device.get("deviceType")
    kind = next((word for word in ("integrated", "discrete", "virtual", "cpu") if word in kind.lower()), "other" if kind else "")
    if name:
        yield Reading("vk.name", name, item, name_line)
    if kind:
        yield Reading("vk.type", kind, item, kind_line)
    driver = _driver(device)
    info, info_line = device.get("driverInfo")
    if driver:
        yield Reading("vk.driver", driver, item, device.get("driverName")[1] or name_line or info_line)
    if info:
        yield Reading("vk.driver_info", info, item, info_line)
    vendor, id_line = integer(device.get("vendorID")[0].split(" ")[0]), device.get("deviceID")[1]
    number = integer(device.get("deviceID")[0].split(" ")[0])
    pci_id = ""
    if vendor is not None and number is not None and vendor <= 0xFFFF and number <= 0xFFFF:
        pci_id = f"{vendor:04x}:{number:04x}"
        yield Reading("vk.pci_id", pci_id, item, id_line)
    yield from _plain(device, item)
    mesa = _MESA.search(info)
    if mesa and driver != "llvmpipe":
        yield Reading("vulkan.mesa_version", mesa[1], line=info_line)
    if driver == "amdvlk" and re.match(r"20\d\d\.Q\d", info):
        yield Reading("vulkan.amdvlk_version", info.split(" ")[0], line=info_line)
    if driver == "amd-proprietary" and re.match(r"2\d\.\d", info):
        yield Reading("windows.adrenalin", info.split(" ")[0], line=info_line)
        packed, packed_line = device.get("driverVersion")
        yield Reading("windows.driver_version", _unpacked(packed) or info.split(" ")[0], line=packed_line or info_line)
    if vendor == 0x1002 or (vendor is None and re.search(r"AMD|Radeon|RADV", name)):
        gpu = f"vk:{item}"
        if name:
            yield Reading("gpu.name", re.sub(r"\s*\(RADV [^)]*\)", "", name), gpu, name_line)
        if pci_id:
            yield Reading("gpu.pci_id", pci_id, gpu, id_line)
        gfx = products.gfx_of_name(name) or products.gfx_of_pci_id(pci_id)
        if gfx:
            yield Reading("gpu.gfx_reported", gfx, gpu, name_line or id_line)
        if kind in ("integrated", "discrete"):
            yield Reading("gpu.is_apu", kind == "integrated", gpu, kind_line)
        own = sum(heap["size"] for heap in device.heaps if heap["device_local"])
        if kind == "discrete" and own and driver != "llvmpipe":
            yield Reading("gpu.vram_bytes", own, gpu, device.heap_line)


def _search(data: Any, wanted: dict[str, Any]) -> None:
    """The first value of each wanted key, anywhere in the (finite, already parsed) data."""
    stack = [data]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            for key, value in node.items():
                if key in wanted and wanted[key] is None and not isinstance(value, (dict, list)):
                    wanted[key] = value
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def _profile(text: str) -> Iterator[Reading]:
    label = _PROFILE.search(text)
    line = text.count("\n", 0, label.start()) + 1 if label else 1
    start = text.rfind("{\n", 0, label.start() if label else 0)
    first = text.find("{")
    data: Any = None
    for at in (first, start):
        try:
            data, _ = json.JSONDecoder().raw_decode(text, at) if at >= 0 else (None, 0)
        except (ValueError, RecursionError):
            continue
        if isinstance(data, dict) and "capabilities" in data:
            break
    wanted: dict[str, Any] = dict.fromkeys(_VALUES)
    if isinstance(data, dict):
        _search(data.get("capabilities"), wanted)
    device = _Device(values={key: (str(value), line) for key, value in wanted.items() if value is not None})
    if label and "deviceName" not in device.values:
        device.values["deviceName"] = (label[1].replace("_", " ").strip(), line)
    if '"VK_KHR_cooperative_matrix"' in text:
        device.coopmat = text.count("\n", 0, text.find('"VK_KHR_cooperative_matrix"')) + 1
    yield from _readings(device, "0")
    if _driver(device) == "radv" and label and int(label[2]) >= 20:
        yield Reading("vulkan.mesa_version", f"{label[2]}.{label[3]}.{label[4]}", line=line)


def read(text: str) -> Iterator[Reading]:
    """``vk.*`` of every device, ``gpu.*`` of AMD ones, Mesa and driver versions."""
    if _JSON_MARK in text:
        yield from _profile(text)
        return
    instance = _INSTANCE.search(text)
    if instance:
        line = text.count("\n", 0, instance.start()) + 1
        yield Reading("vulkan.instance_version", instance[1], line=line)
        yield Reading("vulkan.loader", True, line=line)
    for index, device in enumerate(_parse(text)):
        if index >= 64:
            break
        yield from _readings(device, str(index))
