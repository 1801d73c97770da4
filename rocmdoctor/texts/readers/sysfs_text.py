"""Copied files of sysfs and procfs, uname, dkms status and ls -l of the device nodes.

>>> for r in read("simd_count 80\\nsimd_per_cu 2\\ngfx_target_version 110501\\nvendor_id 4098\\ndevice_id 5510\\n"
...     "location_id 50432\\ndomain 0\\n"):
...     print(r.name, r.value, r.item, r.line)
gpu.gfx_target gfx1151 kfd:1 3
gpu.pci_id 1002:1586 kfd:1 5
gpu.pci_address 0000:c5:00.0 kfd:1 6
gpu.cu_count 40 kfd:1 1
>>> [(r.name, r.value) for r in read("$ cat /sys/class/drm/card1/device/power/runtime_status\\nerror\\n")]
[('gpu.power_state', 'error')]
>>> [(r.name, r.value, r.item) for r in read("$ cat /sys/bus/pci/devices/0000:03:00.0/mem_info_vram_total\\n17163091968\\n")]
[('gpu.vram_bytes', 17163091968, '0000:03:00.0')]
>>> [(r.name, r.value) for r in read("$ cat /sys/module/amdgpu/parameters/ppfeaturemask\\n0xfff7bfff\\n"
...     "ls: cannot access '/sys/class/drm/card1/device/pp_od_clk_voltage': No such file or directory\\n")]
[('amdgpu.parameters', {'ppfeaturemask': '0xfff7bfff'}), ('amdgpu.without_overdrive', ['card1'])]
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import tables
from rocmdoctor.texts.lines import integer, lazy, lines, pci_address

TRUST = 3

MARKS = ("gfx_target_version", "simd_count", "PCI_ID=", "PCI_SLOT_NAME=", "Linux ", "UNAME=", "mem_info_", "firmware version: 0x", "amdgpu/",
         "/dev/kfd", "renderD", "MemTotal:", "-generic", "-oem", "arch", ".fc", ".el", "-amd64", "-WSL2", "-pve",
         "BOOT_IMAGE=", "uname", "power1_cap", "/parameters/", "pp_od_clk_voltage",
         "KERNEL=", "runtime_status", "Kernel: ", '"kernel"', "+deb")
_UNAME = lazy(r"\bLinux \S{1,64} ([0-9]{1,2}\.[0-9]{1,3}[\w.+~-]{0,80}) #")
_BARE = lazy(r"^(?:\$ ?uname -r +|UNAME=|uname -r: +)?([0-9]{1,2}\.[0-9]{1,3}\.[0-9]{1,4}[-.+][\w.+~-]{0,60})$")
_NAMED = lazy(r"(?:^[ \t]*KERNEL=|\bKernel: ?|\"kernel\": ?\"|\bkernel-release: )([0-9]{1,2}\.[0-9]{1,3}\.[0-9]{1,4}[\w.+~-]{0,60})")
_TAIL = lazy(r"generic|oem|arch|\.fc[0-9]|\.el[0-9]|amd64|pve|WSL2|lowlatency|cachy|zen|lts|default|MANJARO|aws|"
                   r"azure|x86_64|mainline|nobara|xanmod|liquorix")
_DKMS = lazy(r"\bamdgpu/([0-9][\w.~-]{0,60}), ([0-9]+\.[0-9]+[\w.+~-]{0,80}), \w{1,12}: (installed|built|added)")
_NODE = lazy(r"^([bc][rwxsStT-]{9})[.+]? +[0-9]+ +(\S{1,40}) +(\S{1,40}) .{0,60}(/dev/\S{1,60}|renderD[0-9]{1,3}|kfd)$")
_FIRMWARE = lazy(r"^(?:\S{0,80}: ?)?([A-Z][A-Z0-9_]{1,15}) feature version: \d{1,10}, firmware version: (0x[0-9a-f]{8})")
_MEM_INFO = {"mem_info_vram_total": "gpu.vram_bytes", "mem_info_vram_used": "gpu.vram_used_bytes",
             "mem_info_vis_vram_total": "gpu.visible_vram_bytes", "mem_info_gtt_total": "gpu.gtt_bytes",
             "mem_info_gtt_used": "gpu.gtt_used_bytes"}
_VALUE = lazy(r"(mem_info_[a-z_]{3,24})\b[:=\s]{1,4}([0-9]{1,18})\s*$")
# Whose content is the next line.
_FILE = lazy(r"(?:^|\s)(\S{0,150}/(?:mem_info_[a-z_]{3,24}|power1_cap\w{0,8}|power/runtime_status|amdgpu/parameters/\w{2,40}))[:=]?\s*$")
_POWER_CAP = lazy(r"\bpower1_cap(_max|_default|_min)?[:=\s]{1,4}([0-9]{6,12})\s*$")  # microwatts
_CAPS = {"": "gpu.power_cap_watts", "_max": "gpu.power_cap_max_watts", "_default": "gpu.power_cap_default_watts", "_min": "gpu.power_cap_min_watts"}
_STATUS = lazy(r"/power/runtime_status[:=]\s*(error|suspended|active)\s*$")
_SHOWN = ("mem_info_", "power1_cap", "runtime_status", "/parameters/")
_PARAMETER = lazy(r"/amdgpu/parameters/(\w{2,40})[:=]\s*(\S{1,80})\s*$")
_CARD = lazy(r"/sys/class/drm/(card\d{1,2})/device/(pp_od_clk_voltage)?")
_KFD = ("simd_count", "simd_per_cu", "gfx_target_version", "vendor_id", "device_id", "location_id", "domain", "cwsr_size",
        "cpu_cores_count")


def recognises(text: str) -> bool:
    """Whether anything is found: these files have few words of their own."""
    return any(mark in text for mark in MARKS) and next(read(text), None) is not None


def _kfd_node(node: dict[str, tuple[int, int]], item: str) -> Iterator[Reading]:
    simd, line = node.get("simd_count", (0, 0))
    target, target_line = node.get("gfx_target_version", (0, 0))
    if not simd or node.get("vendor_id", (4098, 0))[0] != 4098:
        return
    if 60000 <= target < 1000000:
        yield Reading("gpu.gfx_target", tables.gfx_name(target), item, target_line)
    device, device_line = node.get("device_id", (0, 0))
    if 0 < device < 0x10000:
        yield Reading("gpu.pci_id", f"1002:{device:04x}", item, device_line)
    place, place_line = node.get("location_id", (0, 0))
    if 0 < place < 0x10000 and node.get("domain", (0, 0))[0] < 0x10000:
        address = f"{node.get('domain', (0, 0))[0]:04x}:{place >> 8:02x}:{place >> 3 & 31:02x}.{place & 7}"
        yield Reading("gpu.pci_address", address, item, place_line)
    per_cu = node.get("simd_per_cu", (0, 0))[0]
    if per_cu:
        yield Reading("gpu.cu_count", simd // per_cu, item, line)
    if "cwsr_size" in node:
        yield Reading("gpu.cwsr_size", *node["cwsr_size"][:1], item, node["cwsr_size"][1])


def _uevent(number: int, line: str, item: str) -> Iterator[Reading]:
    key, _, value = line.strip().partition("=")
    value = value.strip().lower()
    if key == "PCI_ID" and value.startswith("1002:") and len(value) == 9:
        yield Reading("gpu.pci_id", value, item, number)
    elif key == "PCI_SUBSYS_ID" and len(value) == 9:
        yield Reading("gpu.subsystem_id", value, item, number)
    elif key == "PCI_SLOT_NAME" and pci_address(value):
        yield Reading("gpu.pci_address", pci_address(value), item, number)


def _machine(number: int, line: str) -> Iterator[Reading]:
    found = _UNAME.search(line[:400]) if "Linux " in line else None
    if not found and "ernel" in line or "KERNEL=" in line:
        found = _NAMED.search(line[:2000])
    if not found:
        found = _BARE.match(line.strip()) if len(line) < 120 and "." in line else None
        found = found if found and (line.startswith(("UNAME", "$", "uname")) or _TAIL.search(line)) else None
    if found:
        yield Reading("kernel.release", found.group(1), "", number)
    found = _DKMS.search(line) if "amdgpu/" in line else None
    if found:
        yield Reading("amdgpu.version", found.group(1), "", number)
        yield Reading("amdgpu.dkms", found.group(3) == "installed", "", number)
    found = _NODE.match(line.strip()[:300]) if "kfd" in line or "renderD" in line else None
    if found and found.group(4).endswith("kfd"):
        yield Reading("dev.kfd_exists", True, "", number)
        yield Reading("dev.kfd_group", found.group(3), "", number)
        yield Reading("dev.kfd_mode", _octal(found.group(1)), "", number)
    elif found:
        yield Reading("dev.render_group", found.group(3), "", number)
    if line.startswith("MemTotal:"):
        amount = integer(line[9:].split()[0]) if line[9:].split() else None
        if amount:
            yield Reading("memory.ram_bytes", amount << 10, "", number)


def _overdrive(text: str) -> Iterator[Reading]:
    """Cards without the file that clocks are set through: named as absent, or left out where all were listed."""
    if "pp_od_clk_voltage" not in text:
        return
    there: set[str] = set()
    named: dict[str, int] = {}
    absent: dict[str, int] = {}
    listed = False
    for number, line in lines(text):
        listed = listed or "card*/device/pp_od_clk_voltage" in line
        for found in _CARD.finditer(line[:400]):
            if not found[2]:
                named.setdefault(found[1], number)
            elif "No such file" in line:
                absent.setdefault(found[1], number)
            else:
                there.add(found[1])
    lacking = absent or {card: number for card, number in named.items() if listed and there and card not in there}
    if lacking:
        yield Reading("amdgpu.without_overdrive", sorted(lacking), line=min(lacking.values()))


def _octal(mode: str) -> str:
    bits = [str(sum(bit for bit, letter in zip((4, 2, 1), mode[i:i + 3], strict=False) if letter not in "-ST")) for i in (1, 4, 7)]
    return "0" + "".join(bits)


def read(text: str) -> Iterator[Reading]:
    """KFD nodes are ``kfd:N`` and uevent files ``uevent:N`` in the order of the text."""
    node: dict[str, tuple[int, int]] = {}
    nodes, cards = 0, 0
    amd = False
    file = ""
    parameters: dict[str, tuple[str, int]] = {}
    for number, line in lines(text):
        words = line.split()
        if file and len(words) == 1:
            line = f"{file}={words[0]}"
        named = _FILE.search(line[-200:]) if any(name in line for name in _SHOWN) else None
        file = named[1] if named else ""
        if "runtime_status" in line and (found := _STATUS.search(line[-200:])):
            yield Reading("gpu.power_state", found[1], pci_address(line) or "sysfs:0", number)
        if len(words) == 2 and words[0] in _KFD and (value := integer(words[1])) is not None:
            if words[0] in node:
                nodes += 1
                yield from _kfd_node(node, f"kfd:{nodes}")
                node = {}
            node[words[0]] = (value, number)
            continue
        if "PCI_" in line and "=" in line:
            if line.strip().startswith("PCI_ID="):
                amd = line.strip().startswith("PCI_ID=1002:")
                cards += amd
            if amd:
                yield from _uevent(number, line, f"uevent:{cards}")
            continue
        if "/parameters/" in line and (found := _PARAMETER.search(line[-200:])):
            parameters.setdefault(found[1], (found[2], number))
        if "power1_cap" in line and (found := _POWER_CAP.search(line[-200:])):
            yield Reading(_CAPS[found[1] or ""], int(found[2]) / 1e6, pci_address(line) or "sysfs:0", number)
        if "mem_info_" in line:
            found = _VALUE.search(line[-200:])
            if found and found.group(1) in _MEM_INFO:
                yield Reading(_MEM_INFO[found.group(1)], int(found.group(2)), pci_address(line) or "sysfs:0", number)
        if "firmware version: 0x" in line:
            firmware = _FIRMWARE.match(line.strip()[:200])
            if firmware and firmware.group(2) != "0x00000000":
                yield Reading("gpu.fw." + firmware.group(1).lower(), firmware.group(2), "debugfs:0", number)
        yield from _machine(number, line)
    if node:
        yield from _kfd_node(node, f"kfd:{nodes + 1}")
    if parameters:
        yield Reading("amdgpu.parameters", {name: value for name, (value, _) in parameters.items()}, line=min(number for _, number in parameters.values()))
    yield from _overdrive(text)
