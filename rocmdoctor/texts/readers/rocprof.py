r"""What the profilers write down of the machine: ``agent_info.csv`` of rocprofv3, ``sysinfo.csv`` of rocprof-compute (Omniperf).

>>> sample = '''"Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Gfx_Target_Version","Vendor_Id","Device_Id","Location_Id","Domain","Name","Product_Name"
... 0,0,"CPU",0,0,0,0,0,0,"AMD Ryzen 9 3900X 12-Core Processor","AMD Ryzen 9 3900X 12-Core Processor"
... 1,1,"GPU",96,110000,4098,29772,2816,0,"gfx1100","AMD Radeon RX 7900 XTX"
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.item, r.value)
2 machine.cpu  AMD Ryzen 9 3900X 12-Core Processor
3 gpu.gfx_reported rocprof:1 gfx1100
3 gpu.name rocprof:1 AMD Radeon RX 7900 XTX
3 gpu.cu_count rocprof:1 96
3 gpu.pci_id rocprof:1 1002:744c
3 gpu.pci_address rocprof:1 0000:0b:00.0
>>> for r in read("workload_name,linux_distro,linux_kernel_version,rocm_version,gpu_model,gpu_arch,cu_per_gpu\n"
...     "copy,Ubuntu 22.04.4 LTS,5.15.0-105-generic,6.2.0-13611,MI300X_A1,gfx942,304\n"):
...     print(r.line, r.name, r.item, r.value)
2 gpu.gfx_reported rocprof:0 gfx942
2 gpu.name rocprof:0 AMD Instinct MI300X
2 gpu.cu_count rocprof:0 304
2 os.name  Ubuntu 22.04.4 LTS
2 os.distribution  ubuntu
2 os.version  22.04
2 os.family  linux
2 kernel.release  5.15.0-105-generic
2 runtime.rocm_version  6.2.0
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import gfx, integer, lazy, lines
from rocmdoctor.texts.readers import system_summary

TRUST = 2

_AGENTS = lazy(r"^\"?Node_Id\"?,\"?Logical_Node_Id\"?,\"?Agent_Type\"?,")
_SYSTEM = lazy(r"^workload_name,.{0,400}(?:gpu_arch|gpu_soc|host_kernel|linux_kernel_version)")
_RELEASE = lazy(r"^(\d{1,2}\.\d{1,2}\.\d{1,2})")
_MODEL = lazy(r"^(?:AMD )?(?:Instinct )?(MI\d{2,3}[AX]?)(?:_\w{1,9})?$", re.IGNORECASE)
_NAMES = {"machine.cpu": ("cpu_model", "host_cpu"), "machine.bios_version": ("sbios",), "kernel.release": ("linux_kernel_version", "host_kernel"),
          "amdgpu.version": ("amd_gpu_kernel_version",)}


def recognises(text: str) -> bool:
    """The head of one of the tables.

    >>> recognises('"Node_Id","Logical_Node_Id","Agent_Type","Simd_Count"'), recognises("Node_Id")
    (True, False)
    """
    return "Node_Id" in text and "Agent_Type" in text or "workload_name," in text


def _agent(row: dict[str, str], number: int) -> Iterator[Reading]:
    if row.get("Agent_Type") == "CPU":
        if row.get("Name"):
            yield Reading("machine.cpu", row["Name"], line=number)
        return
    if row.get("Agent_Type") != "GPU":
        return
    item = "rocprof:" + row.get("Node_Id", "0")
    if gfx(row.get("Name", "")):
        yield Reading("gpu.gfx_reported", gfx(row["Name"]), item, number)
    if row.get("Product_Name"):
        yield Reading("gpu.name", row["Product_Name"], item, number)
    count, device, place, domain = (integer(row.get(key) or "") for key in ("Cu_Count", "Device_Id", "Location_Id", "Domain"))
    if count:
        yield Reading("gpu.cu_count", count, item, number)
    if device and device < 0x10000:
        yield Reading("gpu.pci_id", f"1002:{device:04x}", item, number)
    if place and place < 0x10000:
        yield Reading("gpu.pci_address", f"{domain or 0:04x}:{place >> 8:02x}:{place >> 3 & 31:02x}.{place & 7}", item, number)


def _machine(row: dict[str, str], number: int) -> Iterator[Reading]:
    target, model = gfx(row.get("gpu_arch") or row.get("gpu_soc") or ""), _MODEL.match(row.get("gpu_model", ""))
    if target:
        yield Reading("gpu.gfx_reported", target, "rocprof:0", number)
    if model:
        yield Reading("gpu.name", f"AMD Instinct {model[1].upper()}", "rocprof:0", number)
    count, ram = integer(row.get("cu_per_gpu") or ""), integer(row.get("cpu_memory") or "")
    if count and target:
        yield Reading("gpu.cu_count", count, "rocprof:0", number)
    for fact, key in (("gpu.vbios", "vbios"), ("gpu.compute_partition", "compute_partition"), ("gpu.memory_partition", "memory_partition")):
        if row.get(key, "NA") not in ("", "NA", "N/A") and target:
            yield Reading(fact, row[key], "rocprof:0", number)
    yield from system_summary.system(row.get("linux_distro") or row.get("host_distro") or "", number)
    for fact, keys in _NAMES.items():
        value = next((row[key] for key in keys if row.get(key)), "")
        if value:
            yield Reading(fact, value, line=number)
    release = _RELEASE.match(row.get("rocm_version") or row.get("host_rocmver") or "")
    if release:
        yield Reading("runtime.rocm_version", release[1], line=number)
    if ram:
        yield Reading("memory.ram_bytes", ram << 10, line=number)


def read(text: str) -> Iterator[Reading]:
    """One item per GPU agent; of a profile the machine it was made on."""
    header: list[str] = []
    reader = _agent
    for number, line in lines(text):
        head = _AGENTS.match(line[:400]) or _SYSTEM.match(line[:1000])
        if head:
            header, reader = next(csv.reader([line[:8000]])), _agent if "Agent_Type" in line else _machine
            continue
        row = next(csv.reader([line[:8000]]), []) if header and "," in line else []
        if len(row) == len(header) > 0:
            yield from reader(dict(zip(header, row, strict=True)), number)
        else:
            header = []
