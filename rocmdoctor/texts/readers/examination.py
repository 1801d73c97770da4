"""``rocm examine --json`` and ``rocm diagnose --json`` of AMD's CLI, and the data models of node-scraper.

>>> sample = '''{"os_family": "linux", "distro_id": "ubuntu", "distro_version": "24.04", "kernel_release": "6.14.0-37-generic",
...  "gpus": [{"name": "Radeon 8060S", "gfx_target": "gfx1151", "pci_id": "1002:1586", "is_apu": true, "is_amd": true}],
...  "amdgpu_loaded": true, "amdgpu_blacklisted_in": [], "secure_boot": "enabled", "user_groups": ["adm", "sudo"],
...  "kfd": {"path": "/dev/kfd", "exists": true, "mode": "0660", "owner_group": "render", "user_can_read": false,
...          "user_can_write": false},
...  "rocm_version": "7.1.1", "framework": "pytorch", "framework_version": "2.9.1+rocm7.1",
...  "env": {"HSA_OVERRIDE_GFX_VERSION": "11.5.1"}}'''
>>> for r in read(sample):
...     print(r.name, r.value, r.line)
os.family linux 1
os.distribution ubuntu 1
os.version 24.04 1
kernel.release 6.14.0-37-generic 1
amdgpu.loaded True 3
user.groups ['adm', 'sudo'] 3
runtime.rocm_version 7.1.1 6
machine.secure_boot True 3
amdgpu.blacklisted None 3
gpu.name Radeon 8060S 2
gpu.gfx_reported gfx1151 2
gpu.pci_id 1002:1586 2
gpu.is_apu True 2
dev.kfd_exists True 4
dev.kfd_group render 4
dev.kfd_mode 0660 4
dev.kfd_openable False 4
torch.version 2.9.1+rocm7.1 6
env.HSA_OVERRIDE_GFX_VERSION 11.5.1 7
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import KeyLines, documents, gfx, integer

TRUST = 2

_PLAIN = (
    ("os_family", "os.family", str), ("distro_id", "os.distribution", str), ("distro_version", "os.version", str),
    ("kernel_release", "kernel.release", str), ("kernel_version", "kernel.release", str), ("kernel_cmdline", "kernel.cmdline", str),
    ("cmdline", "kernel.cmdline", str), ("cpu_model", "machine.cpu", str), ("amdgpu_loaded", "amdgpu.loaded", bool),
    ("user_groups", "user.groups", list), ("rocm_version", "runtime.rocm_version", str), ("rocm_path", "rocm.path", str),
    ("adrenalin_version", "windows.adrenalin", str), ("container_kind", "container.kind", str), ("os_name", "os.name", str),
)
MARKS = ('"route_when_no_match"',
         '"kernel_release"', '"gfx_target"', '"amdgpu_loaded"', '"kernel_info"', '"mem_total"', '"cmdline"', '"os_name"', '"rocm_version"')
_OWN = ("amdgpu_loaded", "kernel_release", "kernel_info", "lsmem_data", "cmdline", "os_name", "rocm_latest_versioned_path")


def recognises(text: str) -> bool:
    """A JSON object with keys of these tools."""
    return text[:200].lstrip()[:1] in ("{", "[") and any(mark in text for mark in MARKS)


def _gpus(listed: Any, line_of: KeyLines) -> Iterator[Reading]:
    for index, gpu in enumerate(listed[:64] if isinstance(listed, list) else ()):
        if not isinstance(gpu, dict) or gpu.get("is_amd") is False:
            continue
        item, line = f"examine:{index}", line_of("gfx_target")
        if isinstance(gpu.get("name"), str) and gpu["name"]:
            yield Reading("gpu.name", gpu["name"][:120], item, line)
        if gfx(str(gpu.get("gfx_target"))):
            yield Reading("gpu.gfx_reported", gfx(str(gpu["gfx_target"])), item, line)
        if str(gpu.get("pci_id")).lower().startswith("1002:") and len(str(gpu["pci_id"])) == 9:
            yield Reading("gpu.pci_id", str(gpu["pci_id"]).lower(), item, line)
        if isinstance(gpu.get("is_apu"), bool):
            yield Reading("gpu.is_apu", gpu["is_apu"], item, line)


def _kfd(device: Any, line_of: KeyLines) -> Iterator[Reading]:
    if not isinstance(device, dict) or not isinstance(device.get("exists"), bool):
        return
    line = line_of("kfd")
    yield Reading("dev.kfd_exists", device["exists"], "", line)
    if device["exists"]:
        if device.get("owner_group"):
            yield Reading("dev.kfd_group", str(device["owner_group"])[:40], "", line)
        if device.get("mode"):
            yield Reading("dev.kfd_mode", str(device["mode"])[:6], "", line)
        if isinstance(device.get("user_can_read"), bool) and isinstance(device.get("user_can_write"), bool):
            yield Reading("dev.kfd_openable", device["user_can_read"] and device["user_can_write"], "", line)


def _document(data: dict[str, Any], text: str) -> Iterator[Reading]:
    for key, name, kind in _PLAIN:
        value = data.get(key)
        if isinstance(value, kind) and value not in ("", "unknown", "none"):
            item = "examine" if name == "rocm.path" else ""
            yield Reading(name, value[:4000] if isinstance(value, (str, list)) else value, item, KeyLines(text)(key))
    if data.get("secure_boot") in ("enabled", "disabled"):
        yield Reading("machine.secure_boot", data["secure_boot"] == "enabled", "", KeyLines(text)("secure_boot"))
    black = data.get("amdgpu_blacklisted_in")
    if isinstance(black, list):
        yield Reading("amdgpu.blacklisted", str(black[0])[:200] if black else None, "", KeyLines(text)("amdgpu_blacklisted_in"))
    yield from _gpus(data.get("gpus"), KeyLines(text))
    yield from _kfd(data.get("kfd"), KeyLines(text))
    framework = str(data.get("framework") or "").lower()
    if framework in ("pytorch", "torch") and data.get("framework_version"):
        yield Reading("torch.version", str(data["framework_version"])[:80], "0", KeyLines(text)("framework_version"))
        if isinstance(data.get("framework_arch_list"), list) and data["framework_arch_list"]:
            yield Reading("torch.arch_list", [str(arch) for arch in data["framework_arch_list"]][:100], "0", KeyLines(text)("framework_arch_list"))
    variables = data.get("env")
    for name, value in variables.items() if isinstance(variables, dict) else ():
        if isinstance(value, str) and name.isupper() and len(name) < 60 and name != "PATH":
            yield Reading(f"env.{name}", value[:2000], "", KeyLines(text)(name))
    for key, name in (("mem_total", "memory.ram_bytes"), ("mem_available", "memory.available_bytes")):
        amount = integer(str(data.get(key) or ""))
        if amount and amount > 1 << 28:
            yield Reading(name, amount, "", KeyLines(text)(key))


def read(text: str) -> Iterator[Reading]:
    """One document, or one that is wrapped ("report", "data")."""
    for _, document in documents(text):
        entries = document if isinstance(document, list) else [document]
        for entry in entries[:200]:
            if isinstance(entry, dict):
                inner = next((entry[key] for key in ("examination", "report", "data") if isinstance(entry.get(key), dict)), entry)
                if any(key in inner for key in _OWN):
                    yield from _document(inner, text)
