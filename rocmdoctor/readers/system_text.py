"""Short outputs of a Linux shell: uname, os-release, lspci, lsmod, /proc/cmdline, ls -l, id, groups, dkms status.

>>> sample = '''Linux box 6.8.0-138-generic #138-Ubuntu SMP x86_64 GNU/Linux
... 01:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 31 [Radeon RX 7900 XTX] [1002:744c] (rev c8)
...         Kernel driver in use: amdgpu
... crw-rw---- 1 root render 236, 0 Aug 29 12:54 /dev/kfd
... amdgpu/6.19.14-2377056.24.04, 6.8.0-138-generic, x86_64: installed
... '''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.item, reading.value)
1 kernel.release  6.8.0-138-generic
1 os.family  linux
2 gpu.pci_address 0000:01:00.0 0000:01:00.0
2 gpu.name 0000:01:00.0 Navi 31 [Radeon RX 7900 XTX]
2 gpu.pci_id 0000:01:00.0 1002:744c
2 gpu.revision 0000:01:00.0 c8
2 gpu.gfx_reported 0000:01:00.0 gfx1100
3 gpu.driver 0000:01:00.0 amdgpu
4 dev.kfd_exists  True
4 dev.kfd_group  render
4 dev.kfd_mode  0660
5 amdgpu.dkms  True
5 amdgpu.version  6.19.14-2377056.24.04
2 pci.amd_gpu_count  1
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import products
from rocmdoctor.model import Reading
from rocmdoctor.textlines import lazy, lines, unquoted

TRUST = 3

_RELEASE = r"([2-7]\.\d{1,3}\.\d{1,3}[\w.+~-]{0,60})"
_UNAME = lazy(rf"^(?:[$#] )?Linux [\w.-]{{1,64}} {_RELEASE} #")
_BARE = lazy(rf"^{_RELEASE}\s*$")
_BARE_TAIL = lazy(r"-(?:\d+-)?(?:generic|oem|pve|amd64|arch\S*|mainline|lowlatency|default|cachyos\S*|zen\S*)|\.fc\d|\.el\d|WSL2|-\d")
_OS_RELEASE = lazy(r"^(ID|VERSION_ID|PRETTY_NAME)=\"?([^\"\n]{1,120}?)\"?\s*$")
_PCI = lazy(
    r"^(?:([0-9a-f]{4}):)?([0-9a-f]{2}):([0-9a-f]{2})\.([0-7]) (?:\"?)(VGA compatible controller|Display controller|3D controller"
    r"|Processing accelerators)(?: \[(03[0-9a-f]{2}|1200)\])?: (.{1,300})$")
_IDS = lazy(r"\[([0-9a-f]{4}):([0-9a-f]{4})\](?: \(rev ([0-9a-f]{2})\))?", re.IGNORECASE)
_VENDOR = lazy(r"^(?:Advanced Micro Devices, Inc\.\s*)?(?:\[AMD(?:/ATI)?\]|AMD/ATI|AMD)?\s*")
_LS = lazy(r"^c([rwx-]{9})[.+]?\s+\d+\s+(\S{1,40})\s+(\S{1,40})\s+\d+,\s*\d+\s.{0,60}?(/dev/kfd|"
                 r"(?:/dev/dri/)?(?:renderD|card)\d{1,4}|kfd)\s*$")
_NO_KFD = lazy(r"ls: cannot access '?/dev/kfd'?: No such file")
_ID = lazy(r"^uid=(\d+)(?:\([^)\s]*\))? gid=\S+ groups=(\S{1,2000})")
_DKMS = lazy(r"^amdgpu[/,]\s?([\d.]{3,20}[\w.-]{0,40})(?:, ([\w.+-]{3,80}), \w+)?: (installed|built|added)")
_CMDLINE = lazy(r"(?:^|Command line: |cmdline: ?)((?:BOOT_IMAGE=|initrd=|root=)\S.{0,4000}|.{0,300}\broot=\S.{0,4000})$")
_LSMOD = lazy(r"^(amdgpu|radeon|amdttm|amdkcl)\s+\d{4,}\s+\d+(?:\s+\S*)?\s*$")
_MARK = lazy(
    r"^[>| \t]*(?:[$#] )?(?:Linux \S+ \d|(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] |(?:ID|VERSION_ID|PRETTY_NAME)=|uid=\d"
    r"|c[rwx-]{9}|amdgpu[/,] ?\d|amdgpu +\d|BOOT_IMAGE=|initrd=|\d\.\d+\.\d+\S*[ \t]*$|[a-z_][\w-]{0,31} : .*\b(?:video|render)\b)"
    r"|cannot access '?/dev/kfd|Command line: ", re.MULTILINE)


def recognises(text: str) -> bool:
    """A line of any of these tools.

    >>> recognises("uid=1000(a) gid=1000(a) groups=1000(a)"), recognises("I am in the render group")
    (True, False)
    """
    return bool(_MARK.search(text))


def mode_of(letters: str) -> str:
    """Octal digits of the nine letters of ``ls -l``.

    >>> mode_of("rw-rw----")
    '0660'
    """
    value = 0
    for letter in letters:
        value = value * 2 + (letter != "-")
    return f"0{value:03o}"


def _pci(found: re.Match[str], line: int) -> Iterator[Reading]:
    item = f"{found[1] or '0000'}:{found[2]}:{found[3]}.{found[4]}"
    text = found[7].strip()
    ids = _IDS.search(text)
    name = _VENDOR.sub("", text[:ids.start()] if ids else re.sub(r" \(rev [0-9a-f]{2}\).*$", "", text)).strip()
    yield Reading("gpu.pci_address", item, item, line)
    if name:
        yield Reading("gpu.name", name, item, line)
    revision = ids[3] if ids else (tail[1] if (tail := re.search(r"\(rev ([0-9a-f]{2})\)", text)) else None)
    pci_id = f"{ids[1]}:{ids[2]}".lower() if ids else ""
    if pci_id:
        yield Reading("gpu.pci_id", pci_id, item, line)
    if revision:
        yield Reading("gpu.revision", revision.lower(), item, line)
    gfx = products.gfx_of_pci_id(pci_id) if pci_id else products.gfx_of_name(name)
    if gfx:
        yield Reading("gpu.gfx_reported", gfx, item, line)


def _device_node(found: re.Match[str], line: int) -> Iterator[Reading]:
    node = found[4]
    if node.endswith("kfd"):
        yield Reading("dev.kfd_exists", True, line=line)
        yield Reading("dev.kfd_group", found[3], line=line)
        if found[3].isdigit():
            yield Reading("dev.kfd_gid", int(found[3][:9]), line=line)
        yield Reading("dev.kfd_mode", mode_of(found[1]), line=line)
    elif "renderD" in node:
        yield Reading("dev.render_group", found[3], line=line)


def _user(line: str, number: int) -> Iterator[Reading]:
    who = _ID.match(line)
    if who:
        groups = [re.sub(r"^\d+\((.*)\)$", r"\1", group) for group in who[2].split(",")]
        yield Reading("user.groups", groups, line=number)
        yield Reading("user.root", who[1] == "0", line=number)
        return
    words = re.match(r"^([a-z_][\w-]{0,31}) : ((?:[a-z_][\w-]{0,31} ?){1,60})$", line)
    if words:
        yield Reading("user.groups", words[2].split(), line=number)
    elif re.match(r"^(?:[a-z_][\w-]{0,31} ){1,40}[a-z_][\w-]{0,31}$", line[:800]) and {"render", "video"} & set(line.split()) and {
            "adm", "sudo", "wheel", "dialout", "docker", "plugdev", "cdrom", "users"} & set(line.split()):
        yield Reading("user.groups", line.split(), line=number)


def _module(line: str, number: int) -> Iterator[Reading]:
    dkms = _DKMS.match(line)
    if dkms:
        if dkms[3] == "installed":
            yield Reading("amdgpu.dkms", True, line=number)
        yield Reading("amdgpu.version", dkms[1], line=number)
    loaded = _LSMOD.match(line)
    if loaded and loaded[1] == "amdgpu":
        yield Reading("amdgpu.loaded", True, line=number)
    elif loaded and loaded[1] == "amdttm":
        yield Reading("memory.ttm_module", "amdttm", line=number)


def _kernel(line: str, number: int) -> Iterator[Reading]:
    uname = _UNAME.match(line)
    bare = None if uname else _BARE.match(line)
    release = uname[1] if uname else bare[1] if bare and _BARE_TAIL.search(bare[1]) else ""
    if release:
        yield Reading("kernel.release", release, line=number)
        yield Reading("os.family", "wsl" if "microsoft" in release.lower() else "linux", line=number)


def read(text: str) -> Iterator[Reading]:
    """Facts of every line that one of the tools could have printed."""
    gpu = ""
    amd: dict[str, int] = {}
    others: list[tuple[str, int]] = []
    nodes: list[tuple[str, int]] = []
    names = {"ID": "os.distribution", "VERSION_ID": "os.version", "PRETTY_NAME": "os.name"}
    for number, raw in lines(text):
        line = unquoted(raw).rstrip()
        if not line:
            continue
        pci = _PCI.match(line[:600])
        if pci:
            foreign = "[1002:" not in pci[7].lower() and not re.search(r"AMD|ATI\b|Advanced Micro", pci[7])
            gpu = "" if foreign else f"{pci[1] or '0000'}:{pci[2]}:{pci[3]}.{pci[4]}"
            if foreign:
                others.append((pci[7][:120], number))
            else:
                amd.setdefault(gpu, number)
                yield from _pci(pci, number)
            continue
        if re.match(r"^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ", line):
            gpu = ""
        elif gpu:
            driver = re.match(r"^Kernel driver in use: (\S{1,40})", line)
            subsystem = re.match(r"^(?:DeviceName|Subsystem): .{0,200}\[([0-9a-f]{4}:[0-9a-f]{4})\]", line, re.IGNORECASE)
            if driver:
                yield Reading("gpu.driver", driver[1], gpu, number)
            elif subsystem:
                yield Reading("gpu.subsystem_id", subsystem[1].lower(), gpu, number)
        node = _LS.match(line[:300])
        if node:
            yield from _device_node(node, number)
            if "renderD" in node[4]:
                nodes.append(("/dev/dri/" + node[4].rpartition("/")[2], number))
        elif _NO_KFD.search(line[:300]):
            yield Reading("dev.kfd_exists", False, line=number)
        release = _OS_RELEASE.match(line[:200])
        if release:
            yield Reading(names[release[1]], release[2], line=number)
        yield from _kernel(line[:200], number)
        yield from _module(line[:300], number)
        yield from _user(line[:2100], number)
        cmdline = _CMDLINE.search(line[:5000]) if "root=" in line or "BOOT_IMAGE=" in line else None
        if cmdline and not re.search(r"docker |podman |--|=\S*\"", cmdline[1][:60]):
            yield Reading("kernel.cmdline", cmdline[1], line=number)
    if amd:
        yield Reading("pci.amd_gpu_count", len(amd), line=min(amd.values()))
    if others:
        yield Reading("pci.other_gpus", [name for name, _ in others], line=others[0][1])
    if nodes:
        yield Reading("dev.render_nodes", list(dict.fromkeys(name for name, _ in nodes)), line=nodes[0][1])
