"""Overviews of a system: inxi, fastfetch, neofetch, hostnamectl, lsb_release, lscpu, free, /proc/meminfo.

>>> sample = '''Graphics:
...   Device-1: Advanced Micro Devices [AMD/ATI] Navi 23 [Radeon RX 6600] vendor: Sapphire
...     driver: amdgpu v: kernel bus-ID: 03:00.0 chip-ID: 1002:73ff
...   API: OpenGL v: 4.6 vendor: amd mesa v: 25.2.3-arch1.2
... Machine:
...   Mobo: MSI model: B550-A PRO v: 2.0 UEFI: American Megatrends v: A.70 date: 06/24/2024
... '''
>>> for r in read(sample):
...     print(r.name, r.value, r.line)
gpu.name Navi 23 [Radeon RX 6600] 2
gpu.driver amdgpu 2
gpu.pci_id 1002:73ff 2
gpu.pci_address 0000:03:00.0 2
vulkan.mesa_version 25.2.3 4
machine.board MSI B550-A PRO 6
machine.bios_version A.70 6
machine.bios_date 06/24/2024 6
>>> for r in read("OS: Arch Linux x86_64\\nKernel: Linux 6.17.1-arch1-1\\nGPU 1: AMD Radeon RX 7900 XTX [Discrete]\\n"
...     "Memory: 5.60 GiB / 62.00 GiB (9%)\\n"):
...     print(r.name, r.value, r.line)
os.name Arch Linux 1
os.distribution arch 1
os.family linux 1
kernel.release 6.17.1-arch1-1 2
gpu.name AMD Radeon RX 7900 XTX 3
gpu.gfx_reported gfx1100 3
memory.ram_bytes 66571993088 4
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.texts import renderers
from rocmdoctor.texts.lines import Lines, clean, lazy, lines, size

TRUST = 2

MARKS = ("Device-1:", "Card-1:", "Distro:", "Mobo:", "Kernel: ", "GPU: ", "GPU 1: ", "Model name:", "Distributor ID:", "Operating System:", "model name\t:",
         "buff/cache", "SwapTotal:", "MemAvailable:", "Hardware Model:")
_FETCH = lazy(r"(?:^|\s)(OS|Host|Kernel|CPU|GPU(?: ?\d)?|Memory|Distro): (\S.{1,160})$")
_FETCH_KEYS = lazy(r"(?:^|\s)(?:OS|Host|Kernel|Uptime|Shell|CPU|GPU(?: ?\d)?|Memory|Packages|Terminal|DE|WM)(?: \([^)\n]{1,30}\))?: \S", re.MULTILINE)
_INXI = lazy(r"^[ \t]*(?:\w+:\s+)?(?:Device|Card)-\d: |^[ \t]*(?:System|Machine|Graphics|CPU|Info):\s*$|^[ \t]*(?:\S+\s+)?Mobo: ", re.MULTILINE)
_SECTION = lazy(r"^[ \t]*Graphics:(.{0,6000}?)(?=^[ \t]*(?:Audio|Network|System|Machine|CPU|Drives|Info|Sensors|Battery|Bluetooth|RAID|Memory):\s|\Z)",
                re.DOTALL | re.MULTILINE)
_DEVICE = lazy(r"(?:Device|Card)(?:-\d)?: (.{3,200}?)\s(?:vendor:|driver:|bus[- ]ID:)((?:(?!(?:Device|Card)-\d:|Display:|API:|OpenGL:).){0,400})", re.DOTALL)
_RENDERER = lazy(r"(?:renderer|device): (AMD [^\n]{3,160}|Radeon [^\n]{3,160}|[^\n]{3,120}radeonsi[^\n]{3,80})")
_RELEASE = r"([2-7]\.\d{1,3}(?:\.\d{1,3})?[\w.+~-]{0,60})"
_KERNEL = lazy(r"\bKernel: (?:Linux )?" + _RELEASE)
_DISTRO = lazy(r"\bDistro: ([\w!. -]{2,60}?)(?:\s(?:base:|\w+:)|\s*$)", re.MULTILINE)
_BOARD = lazy(r"\bMobo: (\S.{1,60}?) model: (.{1,60}?)(?: v: | serial| UEFI| BIOS| part-nu|\s*$)")
_BIOS = lazy(r"\b(?:UEFI|BIOS)(?:-\[Legacy\])?: .{1,60}? v: (\S{1,40})\s+date: ([\d/]{8,10})", re.DOTALL)
_MESA = lazy(r"\b(?:mesa v:|Version: [\d.]{1,6} Mesa|v: [\d.]{1,6} Mesa) (\d\d\.\d{1,2}(?:\.\d{1,2})?)")
_TOTAL = lazy(r"\bMemory: (?:total: \S+ \w+ )?(?:available: (\d{1,5}(?:\.\d+)?) ([KMGT]i?B)|.{0,30}?/ ?(\d{1,7}(?:\.\d+)?) ?([KMGT]i?B))")
_VENDOR = lazy(r"^(?:Advanced Micro Devices(?:, Inc\.)?\s*)?(?:\[AMD(?:/ATI)?\]|AMD/ATI)?\s*")
_FREE = lazy(r"^[ \t]*(Mem|Swap):\s+(\d{1,12}(?:\.\d)?)([KMGT]?)i?B?\s")
_MEMINFO = lazy(r"^(MemAvailable|SwapTotal):\s+(\d{1,12}) kB")
_CPUINFO = lazy(r"^model name\s{0,8}: (\S.{2,100}?)\s*$")
_HOST = lazy(r"^[ \t]*(Operating System|Hardware Model|Firmware Version|Virtualization|Description|Model name):\s+(\S.{0,120})$")
_IDS = (("arch", "arch"), ("ubuntu", "ubuntu"), ("fedora", "fedora"), ("debian", "debian"), ("opensuse", "opensuse"), ("nixos", "nixos"),
        ("cachyos", "cachyos"), ("endeavouros", "endeavouros"), ("manjaro", "manjaro"), ("bazzite", "bazzite"), ("nobara", "nobara"),
        ("linux mint", "linuxmint"), ("pop!_os", "pop"), ("gentoo", "gentoo"), ("rocky", "rocky"), ("red hat", "rhel"), ("steamos", "steamos"),
        ("deepin", "deepin"), ("zorin", "zorin"), ("elementary", "elementary"), ("kde neon", "neon"), ("garuda", "garuda"), ("void", "void"),
        ("solus", "solus"), ("slackware", "slackware"))


def recognises(text: str) -> bool:
    """Keys of one of these tools, in sufficient number.

    >>> recognises("OS: Arch Linux x86_64\\nKernel: 6.1\\nGPU: AMD"), recognises("GPU: AMD")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and (
        later.search(_INXI, text) is not None or _fetched(text) or "buff/cache" in text or "Distributor ID:" in text or "Hardware Model:" in text
        or "Operating System: " in text or "SwapTotal:" in text or ("Model name:" in text and "CPU(s):" in text)
        or "model name\t:" in text)


def _fetched(text: str) -> bool:
    return len(_FETCH_KEYS.findall(text[:60_000])) >= 3


def system(name: str, number: int) -> Iterator[Reading]:
    name = re.sub(r"\s+(?:x86_64|aarch64)\b.*$", "", name).strip()
    lower = name.lower()
    known = next((short for start, short in _IDS if lower.startswith(start)), "")
    if not known and "linux" not in lower:
        return
    yield Reading("os.name", name, line=number)
    if known:
        yield Reading("os.distribution", known, line=number)
    version = re.search(r"\b(\d{1,2}(?:\.\d{1,2})?)\b", name)
    if version:
        yield Reading("os.version", version[1], line=number)
    yield Reading("os.family", "linux", line=number)


def _inxi(text: str) -> Iterator[Reading]:
    at = Lines(text)
    section = _SECTION.search(text)
    begun, graphics = (section.start(1), section[1]) if section else (0, text)
    others: dict[str, int] = {}
    for index, device in enumerate(_DEVICE.finditer(graphics)):
        name, rest = " ".join(device[1].split()), device[2]
        item, number = f"inxi:{index}", at.at(begun + device.start())
        if not section and re.search(r"Audio|HDMI|Controller|Ethernet|Wi-?Fi|Wireless", name) or index > 15:
            continue
        if not re.search(r"AMD|Advanced Micro|Radeon", name):
            if section and re.match(r"NVIDIA|Intel", name):
                others.setdefault(name, number)
            continue
        driver = re.search(r"(?:driver: |^[ \t]*)(amdgpu|radeon|vfio-pci|N/A)", device[0][-len(rest) - 8:])
        if not driver and "chip" not in rest:
            continue
        yield Reading("gpu.name", _VENDOR.sub("", name), item, number)
        if driver:
            yield Reading("gpu.driver", None if driver[1] == "N/A" else driver[1], item, number)
        chip = re.search(r"chip[- ]ID: (1002:[0-9a-f]{4})", rest)
        bus = re.search(r"bus[- ]ID: ([0-9a-f]{2,4}:[0-9a-f]{2}\.[0-7])", rest)
        if chip:
            yield Reading("gpu.pci_id", chip[1], item, number)
        if bus:
            yield Reading("gpu.pci_address", f"0000:{bus[1]}", item, number)
        gfx = "" if chip else products.gfx_of_name(name)
        if gfx:
            yield Reading("gpu.gfx_reported", gfx, item, number)
    if others:
        yield Reading("pci.other_gpus", list(others), line=min(others.values()))
    rendered = _RENDERER.search(graphics)
    if rendered:
        number = at.at(begun + rendered.start())
        if renderers.kernel(rendered[1]):
            yield Reading("kernel.release", renderers.kernel(rendered[1]), line=number)
        if renderers.mesa(rendered[1]) or renderers.mesa(graphics[rendered.end():rendered.end() + 160]):
            yield Reading("vulkan.mesa_version", renderers.mesa(rendered[1]) or renderers.mesa(graphics[rendered.end():rendered.end() + 160]), line=number)
    for pattern, names in ((_KERNEL, ("kernel.release",)), (_MESA, ("vulkan.mesa_version",)), (_BOARD, ("machine.board",)),
                           (_BIOS, ("machine.bios_version", "machine.bios_date"))):
        found = pattern.search(text)
        if found and names == ("machine.board",):
            yield Reading("machine.board", f"{found[1]} {found[2]}", line=at.at(found.start()))
        elif found:
            for name, value in zip(names, found.groups(), strict=False):
                yield Reading(name, value, line=at.at(found.start()))
    distro = _DISTRO.search(text)
    if distro:
        yield from system(distro[1], at.at(distro.start()))
    yield from _memory(text, at)


def _memory(text: str, at: Lines) -> Iterator[Reading]:
    total = _TOTAL.search(text)
    if total:
        amount = size(total[1] or total[3], total[2] or total[4])
        if amount and amount > 1 << 28:
            yield Reading("memory.ram_bytes", amount, line=at.at(total.start()))


def _fetch(line: str, number: int) -> Iterator[Reading]:
    found = _FETCH.search(line[:260])
    if not found:
        return
    key, value = found[1], found[2].strip()
    kernel = _KERNEL.search(line[:260])
    if key == "OS":
        yield from system(value, number)
    elif key == "Kernel" and kernel:
        yield Reading("kernel.release", kernel[1], line=number)
    elif key == "CPU":
        yield Reading("machine.cpu", re.sub(r" \(\d+\).*$| @ .*$", "", value), line=number)
    elif key == "Host" and "Kernel:" not in value:
        yield Reading("machine.product", value, line=number)
    elif key.startswith("GPU") and re.search(r"AMD|Radeon|ATI", value) and "(Used: " not in value:  # that is LM Studio's
        name = re.sub(r"\s*(?:\[(?:Discrete|Integrated)\]|@ .*|\([^()]{0,80}\bGi?B\b.*|, ?(?:gfx\w{3,4}|\d{1,3} CUs?)\b.*)$", "", value).strip()
        item = f"fetch:{name.lower().replace(' ', '-')[:60]}"
        yield Reading("gpu.name", name, item, number)
        gfx = products.gfx_of_name(value)
        if gfx:
            yield Reading("gpu.gfx_reported", gfx, item, number)
    elif key == "Memory":
        yield from (Reading(r.name, r.value, line=number) for r in _memory(line[:260], Lines("")))


_PLAIN = {"Hardware Model": "machine.product", "Firmware Version": "machine.bios_version", "Virtualization": "machine.virtual", "Model name": "machine.cpu"}


def read(text: str) -> Iterator[Reading]:
    """What the overview says of system, machine, memory and GPUs."""
    text = clean(text[:400_000])
    if _INXI.search(text):
        yield from _inxi(text)
    fetched = _fetched(text)
    powers = {"": 10, "K": 10, "M": 20, "G": 30, "T": 40}
    unit = ""
    cpu = False
    for number, line in lines(text):
        if line.startswith("model name") and not cpu:
            found = _CPUINFO.match(line)
            if found:
                cpu = True
                yield Reading("machine.cpu", " ".join(found[1].split()), line=number)
            continue
        if ": " not in line and ":\t" not in line and "total" not in line:
            continue
        if fetched and not line.startswith("Model name"):
            yield from _fetch(line, number)
        if "total" in line and "free" in line and "used" in line:
            unit = "seen"
            continue
        free = _FREE.match(line[:120]) if unit else None
        if free:
            amount = round(float(free[2]) * (1 << powers[free[3]]))
            if free[3] or amount > 1 << 29:  # a bare number below that is from free -m or -g
                yield Reading("memory.ram_bytes" if free[1] == "Mem" else "memory.swap_bytes", amount, line=number)
        info = _MEMINFO.match(line[:80])
        if info:
            name = "memory.swap_bytes" if info[1] == "SwapTotal" else "memory.available_bytes"
            yield Reading(name, int(info[2]) << 10, line=number)
        host = _HOST.match(line[:180])
        if host and host[1] == "Virtualization" and not host[2].strip().isalpha():
            continue
        if host and host[1] in _PLAIN and (host[1] != "Virtualization" or host[2].strip().islower()):
            yield Reading(_PLAIN[host[1]], host[2].strip(), line=number)
        elif host and host[1] in ("Operating System", "Description"):
            yield from system(host[2].strip(), number)
