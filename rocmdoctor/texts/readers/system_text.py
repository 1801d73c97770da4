"""Short outputs of a Linux shell: uname, os-release, lsmod, /proc/cmdline, ls -l, id, groups, dkms status.

>>> sample = '''Linux box 6.8.0-138-generic #138-Ubuntu SMP x86_64 GNU/Linux
... crw-rw---- 1 root render 236, 0 Aug 29 12:54 /dev/kfd
... amdgpu/6.19.14-2377056.24.04, 6.8.0-138-generic, x86_64: installed
... '''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.item, reading.value)
1 kernel.release  6.8.0-138-generic
1 os.family  linux
1 os.distribution  ubuntu
2 dev.kfd_exists  True
2 dev.kfd_group  render
2 dev.kfd_mode  0660
3 amdgpu.dkms  True
3 amdgpu.version  6.19.14-2377056.24.04
3 kernel.release  6.8.0-138-generic
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Anchors, distribution_of_build, lazy, unquoted

TRUST = 3
KINDS = kinds.OF_MACHINES - {"prose", "system_log", "xorg_log"}

_MODULES = ("amdgpu.", "ttm.", "amdttm.")

_RELEASE = r"([2-7]\.\d{1,3}\.\d{1,3}[\w.+~-]{0,60})"
_UNAME = lazy(rf"^(?:[$#] )?Linux [\w.-]{{1,64}} {_RELEASE} #|^System uname: Linux-{_RELEASE}?-(?:x86_64|aarch64)")
_BARE = lazy(rf"^{_RELEASE}\s*$")
_BARE_TAIL = lazy(r"-(?:\d+-)?(?:generic|oem|pve|amd64|arch\S*|mainline|lowlatency|default|cachyos\S*|zen\S*)|\.fc\d|\.el\d|WSL2|-\d")
_OS_RELEASE = lazy(r"^(ID|VERSION_ID|PRETTY_NAME)=\"?([^\"\n]{1,120}?)\"?\s*$")
_LS = lazy(r"^c([rwx-]{9})[.+]?\s+\d+\s+(\S{1,40})\s+(\S{1,40})\s+\d+,\s*\d+\s.{0,60}?(/dev/kfd|"
                 r"(?:/dev/dri/)?(?:renderD|card)\d{1,4}|kfd)\s*$")
_ACCESS_LIST = lazy(r"^c[rwx-]{9}\+\s+\d+\s+\S{1,40}\s+(\S{1,40})\s|^c[rwx-]{7}w[x-][.+]?\s+\d+\s+\S{1,40}\s+(?P<open>\S{1,40})\s", re.MULTILINE)
_DXG = lazy(r"^c[rwx-]{9}[.+]?\s+\d+\s.{10,80}\s/dev/dxg\s*$")
_NO_KFD = lazy(r"ls: cannot access '?/dev/kfd'?: No such file")
_ID = lazy(r"^uid=(\d+)(?:\([^)\s]*\))? gid=\S+ groups=(\S{1,2000})")
_GROUP = lazy(r"^render:[x!*]?:(\d{1,9}):[\w.,-]*$")  # getent group, /etc/group
_DKMS = lazy(r"^amdgpu[/,]\s?([\d.]{3,20}[\w.-]{0,40})(?:, ([\w.+-]{3,80}), \w+)?: (installed|built|added)")
_CMDLINE = lazy(r"(?:^|Command line: |cmdline: ?)((?:BOOT_IMAGE=|initrd=|root=)\S.{0,4000}|.{0,300}\broot=\S.{0,4000})$")
_GRUB = lazy(r"^(?:export )?GRUB_CMDLINE_LINUX(?:_DEFAULT)?=[\"']([^\"'\n]{1,4000})[\"']")
_OPTIONS = lazy(r"^(?:/\S{1,120}:\d{0,4}:?)?(options (?:amdgpu|ttm|amdttm)(?: +\w+(?:=\S*)?)+|blacklist amdgpu|install amdgpu \S{0,10}/(?:true|false))"
                r"(?:\s+[#(;].*)?\s*$")
_TTM = lazy(r"TTM pages limit: (\d{4,12}) pages")
_LSMOD = lazy(r"^(amdgpu|radeon|amdttm|amdkcl)\s+\d{4,}\s+\d+(?:\s+\S*)?\s*$")
_ANCHORS = Anchors(  # of which each pattern above has one, the first ones where a line is quoted
    "\n>", "\n|", "\n ", "\n\t", "| ", *(f"\n{begin}" for begin in "c234567"), "/dev/kfd", "ID=", "PRETTY_NAME=", "Linux", "amdgpu", "ttm", "TTM", "radeon",
    "amdkcl", "\nuid=", "render", "video", " : ", "root=", "BOOT_IMAGE=", "initrd=", "GRUB_")
_MARK = lazy(
    r"^[>| \t]*(?:[$#] )?(?:Linux \S+ \d|System uname: Linux-|(?:ID|VERSION_ID|PRETTY_NAME)=|uid=\d"
    r"|c[rwx-]{9}|amdgpu[/,] ?\d|amdgpu +\d|BOOT_IMAGE=|initrd=|render:x:\d|\d\.\d+\.\d+\S*[ \t]*$|[a-z_][\w-]{0,31} : .*\b(?:video|render)\b)"
    r"|cannot access '?/dev/kfd|Command line: |^[>| \t]*(?:options (?:amdgpu|ttm|amdttm) |blacklist amdgpu|GRUB_CMDLINE_LINUX)|TTM pages limit"
    r"|\broot=(?:UUID|LABEL|PARTUUID|/dev)", re.MULTILINE)


def recognises(text: str) -> bool:
    """A line of any of these tools.

    >>> recognises("uid=1000(a) gid=1000(a) groups=1000(a)"), recognises("I am in the render group")
    (True, False)
    """
    return later.search(_MARK, text) is not None


def mode_of(letters: str) -> str:
    """Octal digits of the nine letters of ``ls -l``.

    >>> mode_of("rw-rw----")
    '0660'
    """
    value = 0
    for letter in letters:
        value = value * 2 + (letter != "-")
    return f"0{value:03o}"


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


def _refused(readings: list[Reading], text: str) -> Iterator[Reading]:
    """Which nodes the account that was asked may not open, by owner and mode; of nodes with an access list, or open to all, nothing follows."""
    said = {reading.name: reading for reading in readings}
    groups, root = said.get("user.groups"), said.get("user.root")
    if groups is None or root is None or root.value or sum(reading.name == "user.groups" for reading in readings) > 1:
        return
    lists = {listed[1] or listed["open"] for listed in _ACCESS_LIST.finditer(text)}
    for node in ("kfd", "render"):
        group = said.get(f"dev.{node}_group")
        closed = said.get("dev.kfd_mode") if node == "kfd" else group
        if group and closed and group.value not in (*groups.value, "root") and group.value not in lists and (node == "render" or str(closed.value)[-1] == "0"):
            yield Reading(f"dev.{node}_openable", False, line=groups.line)


def _user(line: str, number: int) -> Iterator[Reading]:
    group = _GROUP.match(line) if line.startswith("render:") else None
    if group:
        yield Reading("user.render_gid", int(group[1]), line=number)
    who = _ID.match(line)
    if who:
        groups = [re.sub(r"^\d+\((.*)\)$", r"\1", group) for group in who[2].split(",")]
        yield Reading("user.groups", groups, line=number)
        yield Reading("user.root", who[1] == "0", line=number)
        return
    words = re.match(r"^([a-z_][\w-]{0,31}) : ((?:[a-z_][\w-]{0,31} ?){1,60})$", line)
    if words and {"render", "video", "users", "sudo", "wheel", "adm", "docker", words[1]} & set(words[2].split()):
        yield Reading("user.groups", words[2].split(), line=number)
        yield Reading("user.root", words[1] == "root", line=number)
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


def _limits(line: str, number: int, options: dict[str, int]) -> Iterator[Reading]:
    """Lines of modprobe.d, collected for the end, and what amd-ttm says."""
    option = _OPTIONS.match(line)
    if option and option[1].startswith("options"):
        options.setdefault(option[1].strip(), number)
    elif option:
        yield Reading("amdgpu.blacklisted", option[1].strip(), line=number)
    ttm = _TTM.search(line)
    if ttm:
        yield Reading("memory.ttm_limit_bytes", int(ttm[1]) * 4096, line=number)


def _kernel(line: str, number: int) -> Iterator[Reading]:
    uname = _UNAME.match(line)
    bare = None if uname else _BARE.match(line)
    release = uname[1] or uname[2] if uname else bare[1] if bare and _BARE_TAIL.search(bare[1]) else ""
    if release:
        yield Reading("kernel.release", release, line=number)
        yield Reading("os.family", "wsl" if "microsoft" in release.lower() else "linux", line=number)
        built_for = distribution_of_build(line)
        if built_for:
            yield Reading("os.distribution", built_for, line=number)


def read(text: str) -> Iterator[Reading]:
    """Facts of every line that one of the tools could have printed, and what owners and groups say together."""
    found: list[Reading] = []
    for reading in _read(text):
        found.append(reading)
        yield reading
    yield from _refused(found, text)


def _read(text: str) -> Iterator[Reading]:
    nodes: list[tuple[str, int]] = []
    options: dict[str, int] = {}
    built: dict[str, int] = {}
    wanted: dict[str, int] = {}
    names = {"ID": "os.distribution", "VERSION_ID": "os.version", "PRETTY_NAME": "os.name"}
    for number, raw in _ANCHORS.lines(text):
        line = unquoted(raw).rstrip()
        if not line:
            continue
        node = _LS.match(line[:300])
        if node:
            yield from _device_node(node, number)
            if "renderD" in node[4]:
                nodes.append(("/dev/dri/" + node[4].rpartition("/")[2], number))
        elif _DXG.match(line[:200]):
            yield Reading("os.family", "wsl", line=number)
        elif _NO_KFD.search(line[:300]):
            yield Reading("dev.kfd_exists", False, line=number)
        release = _OS_RELEASE.match(line[:200])
        if release:
            yield Reading(names[release[1]], release[2], line=number)
        yield from _kernel(line[:200], number)
        if "amdgpu" in line or "ttm" in line or "TTM" in line:
            yield from _limits(line[:400], number, options)
        yield from _module(line[:300], number)
        dkms = _DKMS.match(line[:300])
        if dkms and dkms[2] and dkms[3] == "installed":
            built.setdefault(dkms[2], number)
        yield from _user(line[:2100], number)
        cmdline = _CMDLINE.search(line[:5000]) if "root=" in line or "BOOT_IMAGE=" in line or line.startswith("initrd=") else None
        if cmdline and not re.search(r"docker |podman |--|=\S*\"", cmdline[1][:60]):
            yield Reading("kernel.cmdline", cmdline[1], line=number)
            for word in cmdline[1].split():
                if word.startswith(_MODULES):
                    options.setdefault(word, number)
                elif word.startswith(("modprobe.blacklist=", "module_blacklist=", "rd.driver.blacklist=")) and "amdgpu" in word:
                    yield Reading("amdgpu.blacklisted", word, line=number)
        grub = _GRUB.match(line[:5000]) if line.startswith(("GRUB_", "export GRUB_")) else None
        if grub:
            wanted.setdefault(grub[1], number)
            for word in grub[1].split():
                if word.startswith(_MODULES):
                    options.setdefault(word, number)
    if wanted:  # the command line that the kernel had comes first, as a reader's first word counts
        yield Reading("kernel.cmdline", " ".join(wanted), line=min(wanted.values()))
    if len(built) == 1:
        yield from (Reading("kernel.release", release, line=number) for release, number in built.items())
    if options:
        yield Reading("amdgpu.modprobe_options", list(options), line=min(options.values()))
    if nodes:
        yield Reading("dev.render_nodes", list(dict.fromkeys(name for name, _ in nodes)), line=nodes[0][1])
