"""clinfo: the text and ``--json``.

>>> sample = '''  Platform Name                                   AMD Accelerated Parallel Processing
...   Device Name                                     gfx1100
...   Device Vendor ID                                0x1002
...   Device Board Name (AMD)                         AMD Radeon RX 7900 XT
...   Device PCI-e ID (AMD)                           0x744c
...   Device Topology (AMD)                           PCI-E, 0000:67:00.0
...   Max compute units                               84
... '''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.item, reading.value)
1 opencl.platforms  ['AMD Accelerated Parallel Processing']
4 gpu.name 0000:67:00.0 AMD Radeon RX 7900 XT
6 gpu.pci_address 0000:67:00.0 0000:67:00.0
5 gpu.pci_id 0000:67:00.0 1002:744c
2 gpu.gfx_reported 0000:67:00.0 gfx1100
7 gpu.cu_count 0000:67:00.0 84
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts import renderers
from rocmdoctor.texts.lines import gfx as written_gfx
from rocmdoctor.texts.lines import integer, lazy, lines, unquoted

TRUST = 2

# The clinfo that comes with ROCm and the AMD APP SDK has labels of its own, and a device's name after its size.
_OWN = {"Board name": "Device Board Name (AMD)", "Device Topology": "Device Topology (AMD)", "Name": "Device Name", "Vendor ID": "Device Vendor ID",
        "Vendor": "Device Vendor", "Driver version": "Driver Version"}
_KEYS = ("Platform Name", "Device Name", "Device Vendor ID", "Device Vendor", "Driver Version", "Device Board Name (AMD)",
         "Device PCI-e ID (AMD)", "Device Topology (AMD)", "Max compute units", "Global memory size", "Device Type", *_OWN)
_ROW = lazy(r"^[ \t]*(" + "|".join(re.escape(key) for key in _KEYS) + r")(?:\s{2,}|\t|:\s*)(\S.{0,300}?)\s*$")
_RAW = lazy(r"^[ \t]*(?:\[[^\]]{1,60}\]\s+)?(CL_(?:DEVICE|PLATFORM|DRIVER)_[A-Z_]{2,40})\s{2,}(\S.{0,300}?)\s*$")
_BUS = lazy(r"(?:([0-9a-fA-F]{4}):)?([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])")
_BUS_NUMBERS = lazy(r"PCI\[ B#(\d{1,3}), D#(\d{1,2}), F#(\d) \]")
_JSON_KEYS = {
    "CL_DEVICE_NAME": "Device Name", "CL_DEVICE_VENDOR_ID": "Device Vendor ID", "CL_DEVICE_VENDOR": "Device Vendor",
    "CL_DEVICE_BOARD_NAME_AMD": "Device Board Name (AMD)", "CL_DEVICE_PCIE_ID_AMD": "Device PCI-e ID (AMD)",
    "CL_DEVICE_MAX_COMPUTE_UNITS": "Max compute units", "CL_DEVICE_GLOBAL_MEM_SIZE": "Global memory size",
    "CL_DEVICE_TOPOLOGY_AMD": "Device Topology (AMD)", "CL_DRIVER_VERSION": "Driver Version",
    "CL_PLATFORM_NAME": "Platform Name",
}
_PLATFORM = lazy(r"^Platform #\d+: (\S.{0,120})$")
_DEVICE = lazy(r"^[`+|]?-{1,2} Device #(\d+): (\S.{0,200})$")
_Device = dict[str, tuple[str, int]]


def recognises(text: str) -> bool:
    """Labels that only clinfo prints.

    >>> recognises("Number of platforms   1\\n  Platform Name    rusticl"), recognises("the platform name")
    (True, False)
    """
    return ("CL_DEVICE_NAME" in text or "Platform #0: " in text or "CL_PLATFORM_NAME" in text or bool(
        re.search(r"^[>| \t]*(?:Number of platforms|Platform Name|Device Board Name \(AMD\)|Device OpenCL C Version)(?:\s{2,}|\t|:)",
                  text, re.MULTILINE)))


def _from_text(text: str) -> tuple[list[str], int, list[_Device]]:
    platforms: list[str] = []
    first = 0
    devices: list[_Device] = []
    own = "CL_DEVICE_TYPE_GPU\n" in text and "Board name:" in text
    for number, raw in lines(text):
        line = unquoted(raw)[:500]
        row = _ROW.match(line) or (_RAW.match(line) if "CL_" in line else None)
        if not row:
            continue
        key, value = _JSON_KEYS.get(row[1], _OWN.get(row[1], row[1])), row[2]
        if row[1] in _OWN and not own:
            continue
        if key == "Platform Name":
            first = first or number
            if value not in platforms:
                platforms.append(value)
            continue
        if key == ("Device Type" if own else "Device Name") or not (own or devices) and key != "Driver Version":
            devices.append({})
        if devices:
            devices[-1].setdefault(key, (value, number))
    told = {device["Device Name"][0] for device in devices if "Device Name" in device and len(device) > 1}
    # What clinfo tries at its end names the same devices once more.
    return platforms, first, [device for device in devices if set(device) != {"Device Name"} or device["Device Name"][0] not in told]


def _from_json(text: str) -> tuple[list[str], int, list[_Device]]:
    mark = min(at for at in (text.find("CL_DEVICE_NAME"), text.find("CL_PLATFORM_NAME")) if at >= 0)
    line = text.count("\n", 0, mark) + 1
    platforms: list[str] = []
    devices: list[_Device] = []
    try:
        data: Any = json.JSONDecoder().raw_decode(text, text.find("{"))[0]
    except (ValueError, RecursionError):
        return [], line, []
    stack: list[Any] = [data]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get("CL_PLATFORM_NAME"), str):
                platforms.append(node["CL_PLATFORM_NAME"][:200])
            if isinstance(node.get("CL_DEVICE_NAME"), str):
                devices.append({name: (str(node[key])[:300], line) for key, name in _JSON_KEYS.items() if key in node})
            stack.extend(reversed(list(node.values())))
        elif isinstance(node, list):
            stack.extend(reversed(node))
    return platforms, line, devices


def _device(device: _Device, index: int) -> Iterator[Reading]:
    name, name_line = device.get("Device Name", ("", 0))
    board, board_line = device.get("Device Board Name (AMD)", ("", 0))
    vendor = device.get("Device Vendor ID", ("", 0))[0] + device.get("Device Vendor", ("", 0))[0]
    if not board and not re.search(r"1002|Advanced Micro|AMD|Mesa/X", vendor) and not re.search(r"gfx\d|AMD|Radeon", name):
        return
    if device.get("Device Type", ("GPU", 0))[0].endswith("CPU"):
        return
    bus = _BUS.search(device.get("Device Topology (AMD)", ("", 0))[0])
    address = f"{(bus[1] or '0000').lower()}:{bus[2].lower()}:{bus[3].lower()}.{bus[4]}" if bus else ""
    numbers = _BUS_NUMBERS.search(device.get("Device Topology (AMD)", ("", 0))[0])
    if numbers:
        address = f"0000:{int(numbers[1]):02x}:{int(numbers[2]):02x}.{numbers[3]}"
    item = address or f"cl:{index}"
    plain = renderers.name(name)
    if board or (plain and not plain.startswith("gfx")):
        yield Reading("gpu.name", board or plain, item, board_line or name_line)
    if address:
        yield Reading("gpu.pci_address", address, item, device["Device Topology (AMD)"][1])
    pci_text, pci_line = device.get("Device PCI-e ID (AMD)", ("", 0))
    number = integer(pci_text)
    if number is not None and 0 < number <= 0xFFFF:
        yield Reading("gpu.pci_id", f"1002:{number:04x}", item, pci_line)
    gfx = written_gfx(name) or products.gfx_of_name(board)
    if gfx:
        yield Reading("gpu.gfx_reported", gfx, item, name_line or board_line)
    units, units_line = device.get("Max compute units", ("", 0))
    count = integer(units)
    if count:
        yield Reading("gpu.cu_count", count, item, units_line)
    size, size_line = device.get("Global memory size", ("", 0))
    total = integer(size.split(" ", 1)[0]) if size else None
    if total:
        yield Reading("gpu.kfd_pool_bytes", total, item, size_line)


def _listed(text: str) -> Iterator[Reading]:
    """What ``clinfo -l`` prints: platforms and below each its devices, of which rusticl repeats those of ROCm."""
    platforms: dict[str, int] = {}
    platform = ""
    for number, raw in lines(text):
        line = unquoted(raw).strip()[:300]
        found = _PLATFORM.match(line)
        if found:
            platform = found[1]
            platforms.setdefault(platform, number)
        device = _DEVICE.match(line)
        if device and platform and ("AMD" in platform or "AMD" in device[2] or "Radeon" in device[2]):
            item = f"cl-{platform[:8]}:{device[1]}"
            gfx = renderers.gfx(device[2])
            if gfx:
                yield Reading("gpu.gfx_reported", gfx, item, number)
            if not device[2].startswith("gfx") and renderers.name(device[2]):
                yield Reading("gpu.name", renderers.name(device[2]), item, number)
            if renderers.kernel(device[2]):
                yield Reading("kernel.release", renderers.kernel(device[2]), line=number)
    if platforms:
        yield Reading("opencl.platforms", list(platforms), line=min(platforms.values()))


def read(text: str) -> Iterator[Reading]:
    """OpenCL platforms and the AMD devices."""
    platforms, line, devices = _from_text(text)
    if not devices and "CL_" in text and ("CL_DEVICE_NAME" in text or "CL_PLATFORM_NAME" in text):
        platforms, line, devices = _from_json(text)
    if not platforms and "Platform #0: " in text:
        yield from _listed(text)
        return
    if platforms:
        yield Reading("opencl.platforms", platforms, line=line)
    for index, device in enumerate(devices[:64]):
        readings = list(_device(device, index))
        yield from readings
        driver, driver_line = device.get("Driver Version", ("", 0))
        if readings and driver:
            yield Reading("opencl.driver_version", driver, line=driver_line)
