"""Fixes made for this machine: its package manager, the module that is loaded, the page count that was computed, its index of wheels."""

from __future__ import annotations

import re

from rocmdoctor import later
from rocmdoctor.compare import way_back
from rocmdoctor.diagnosis import windows_fix
from rocmdoctor.diagnosis.subjects import subjects
from rocmdoctor.facts.items import items_of, text, texts
from rocmdoctor.facts.model import Fact, Finding, Known
from rocmdoctor.facts.sections import Fix, MemoryPicture
from rocmdoctor.knowledge import applications, tables
from rocmdoctor.memory.split import reserve
from rocmdoctor.records import replace

GIB = 1 << 30
PAGE = 4096
_TOOLS = {"amdgpu-install": "apt dnf zypper", "apt": "apt", "apt-get": "apt", "apt-cache": "apt", "apt-mark": "apt", "dpkg": "apt",
          "add-apt-repository": "apt", "update-initramfs": "apt",
          "update-grub": "apt", "dnf": "dnf", "yum": "dnf", "grubby": "dnf", "pacman": "pacman", "yay": "pacman", "mkinitcpio": "pacman", "zypper": "zypper"}
_TOOL = later.pattern(r"(?:^|&&|\|\||;|\|)\s*(?:sudo\s+(?:-\S+\s+)*)?(" + "|".join(sorted(_TOOLS, key=len, reverse=True)) + r")(?=\s|$)")
_COMMENT = later.pattern(r"\s+#\s*(?P<words>.*)$")
_INSTALL = later.pattern(r"^sudo apt(?:-get)? install (?P<upgrade>--only-upgrade )?(?:-y )?(?P<names>[a-z0-9.+ -]+)$")
_LIMIT = later.pattern(r"\b(?:amd)?ttm(?=[. ](?:pages_limit|page_pool_size))")
_FILE = later.pattern(r"(?<=modprobe\.d/)(?:amd)?ttm(?=\.conf)")
_PAGES = later.pattern(r"\b(pages_limit|page_pool_size)=(?:27262976|PAGES)\b")
_ASKED_PAGES = later.pattern(r"\b(?:amd)?ttm[. ]pages_limit=(\d{3,12})\b")
_ASKED_MIB = later.pattern(r"\bgtt_?size=(\d{3,8})\b")
_INDEX = later.pattern(r"(rocm\.nightlies\.amd\.com/v2(?:-staging)?/)gfx[0-9A-Za-z-]+(/?)")
_IMAGE = later.pattern(r"\bIMAGE(?=$|[\s'\"]|:PREVIOUS_TAG)")
_OWN_IMAGE = later.pattern(r"\b(?:another|newer|fixed|own) image\b|\bimage (?:made for|of|with|built)\b")  # of another image only the user knows which
_IMAGE_NAME = later.pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]*(?:[/:][A-Za-z0-9_.-]+)*")
_PLACE_NOTE = later.pattern(r"\s+# your family's name in place of gfx[\w-]+$")
_OTHER_BACKEND = later.pattern(r"\b(?:use|try|choose|switch to) (?:the |a |an )?(vulkan|rocm|hip)(?: \(hip\))? (?:backend|build|runtime)", re.IGNORECASE)
_OLDER = later.pattern(r"\bboot the kernel (?:that|from|before)|\b(?:boot (?:the|an?) (?:older|previous|former|last)|roll back|downgrade|go back)\b"
                       r".{0,40}\b(?:kernel|firmware|mesa|image)", re.IGNORECASE)
_GRUB = later.pattern(r"/etc/default/grub|\bupdate-grub\b")


def manager(facts: dict[str, Fact]) -> str:
    """apt, dnf, pacman, zypper, or that of another kind of system; "" where the distribution is not known."""
    if found := way_back.manager(facts):
        return found
    name = text(facts, "os.distribution").lower()
    said = f"{name} {text(facts, 'os.name')} {text(facts, 'report.os_said')}".lower()
    return next(iter(_named(said)), "other" if name else "")


def _named(comment: str) -> set[str]:
    """The managers that the words of a comment are for."""
    words = tables.load("package_names")["words"]
    return {kind for kind, names in words.items() for name in names if re.search(rf"\b{re.escape(name)}\b", comment.lower())}


def _of_apps(fix: Fix, apps: set[str]) -> Fix:
    """Of commands for several applications those for the ones at hand."""
    typed = applications.programs()
    of = [{typed[word] for word in re.findall(r"[\w.-]+", command) if word in typed} for command in fix.commands]
    if len(set().union(*of)) < 2 or not any(names & apps for names in of):
        return fix
    return replace(fix, commands=tuple(command for command, names in zip(fix.commands, of, strict=True) if not names or names & apps))


def _foreign(line: str, kind: str) -> bool:
    """Whether a line calls a tool that systems with this manager do not have."""
    return any(kind not in _TOOLS[found].split() for found in _TOOL.findall(line))


def _translated(line: str, kind: str) -> str:
    """A line for apt as another manager's; "" where no one knows how."""
    table, parts = tables.load("package_names"), []
    for part in re.split(r"\s*&&\s*", line):
        found = _INSTALL.match(part.strip())
        if re.fullmatch(r"sudo apt(?:-get)? update", part.strip()):
            continue
        if found and kind in table["install"]:
            of = table["install"][kind].get("names", kind)
            names = [table["packages"].get(name, {}).get(of) for name in found["names"].split()]
            if not all(names):
                return ""
            parts.append(table["install"][kind]["upgrade" if found["upgrade"] else "install"].replace("{names}", " ".join(dict.fromkeys(map(str, names)))))
        elif re.match(r"sudo update-initramfs\b", part) and kind in table["initramfs"]:
            parts.append(table["initramfs"][kind])
        elif re.fullmatch(r"sudo update-grub", part.strip()) and kind in table["boot_menu"]:
            parts.append(table["boot_menu"][kind])
        elif _foreign(part, kind):
            return ""
        else:
            parts.append(part)
    return " && ".join(parts)


def _line(line: str, kind: str, kin: str) -> str:
    """A command as this machine's manager wants it; "" for one of another distribution. ``kin``: ubuntu or debian, of those with apt."""
    comment = _COMMENT.search(line)
    named = _named(comment["words"]) if comment else set()
    bare = line[:comment.start()] if comment and named else line
    if named and kind not in named:
        if kind not in ("pacman", "zypper") or not _GRUB.search(bare):
            return ""
        made = _translated(bare, kind)
        return f"{made}   # with GRUB" if made else ""
    elif comment and kin and kin not in comment["words"].lower() and {"ubuntu": "debian", "debian": "ubuntu"}[kin] in comment["words"].lower():
        return ""
    ways = bare.split(" || ")
    if len(ways) > 1 and any(not _foreign(way, kind) for way in ways):
        bare = " || ".join(way for way in ways if not _foreign(way, kind))
    return _translated(bare, kind) if _foreign(bare, kind) else bare


def _as_a_whole(fix: Fix, kind: str) -> Fix:
    """Where the system goes back as a whole, an older kernel, firmware or Mesa comes with its former state."""
    row = tables.load("way_back")["managers"].get(kind, {})
    if "whole" not in row or not _OLDER.search(fix.title):
        return fix
    return replace(fix, title=f"{row['whole']}. {fix.title}", detail=f"{row['detail']} {fix.detail}".strip(),
                   commands=(*row["commands"], *fix.commands), undo=row["undo"])


def _kin(facts: dict[str, Fact]) -> str:
    """Of the distributions with apt: whose packages these are."""
    name = text(facts, "os.distribution").lower()
    return "debian" if name in ("debian", "proxmox", "pve", "raspbian") else "ubuntu" if name in ("ubuntu", "linuxmint", "pop", "neon", "zorin") else ""


def _for_manager(fix: Fix, kind: str, kin: str) -> Fix:
    """The fix with this machine's commands; those of other distributions that nobody can translate are gone."""
    if not kind or fix.language != "shell":
        return fix
    lines = ["\n".join(filter(None, (_line(line, kind, kin) for line in command.splitlines()))) for command in fix.commands]
    return replace(fix, commands=tuple(dict.fromkeys(filter(None, lines))))


def wanted_pages(facts: dict[str, Fact], memory: MemoryPicture | None) -> int | None:
    """The TTM limit to set, in pages of 4 KiB: what the owner asked for where it leaves the system enough, else what was computed."""
    size = next((int(ram.value) for name in ("memory.ram_bytes", "memory.installed_bytes") if isinstance(ram := facts.get(name), Known)), 0)
    most = size - reserve(size) if size else None
    said = " ".join(word for name in ("kernel.cmdline", "amdgpu.modprobe_options", "amdgpu.parameters") for word in texts(facts, name))
    asked = [int(pages) * PAGE for pages in _ASKED_PAGES.findall(said)] + [int(mib) << 20 for mib in _ASKED_MIB.findall(said)]
    fitting = [bytes_ for bytes_ in asked if GIB <= bytes_ and (most is None or bytes_ <= most)]
    planned = next((gpu.plan.limit_bytes for gpu in memory.gpus if gpu.plan and gpu.plan.limit_bytes), None) if memory else None
    if planned and most:  # the plan may count on another carve-out, which this fix does not set
        planned = min(planned, most // GIB * GIB)
    chosen = max(fitting, default=0) or planned or (most // GIB * GIB if most and most >= GIB else 0)
    return chosen // PAGE if chosen else None


def _module(facts: dict[str, Fact]) -> str:
    """The TTM module that is loaded, "" when nobody knows."""
    return text(facts, "memory.ttm_module") or ("amdttm" if text(facts, "amdgpu.dkms") == "True" else "")


def _index(facts: dict[str, Fact]) -> str:
    """The name of AMD's wheel index for the GPU; "" where the targets are none or of several."""
    found = {text(facts, f"gpu.gfx_target[{item}]").split(":")[0] for item in items_of(facts)} - {""}
    names = {name for name, targets in tables.load("package_names")["therock"].items() for gfx in found if gfx in targets}
    return names.pop() if len(names) == 1 else ""


_BACK = Fix("Take back what the update changed", "What worked before it is known to be right; a still newer version may not be.",
            ('rocmdoctor compare --since "last week"   # names what changed and how to go back',), verify="The same work runs as it did before.")
_NEWER = later.pattern(r"^(?:Update|Install|Take) .*\b(?:kernel|linux-firmware|firmware|Mesa|driver)\b")


def _back_first(fixes: list[Fix]) -> list[Fix]:
    """Where an update brought the trouble, the way back goes before a newer version of the same."""
    at = next((number for number, fix in enumerate(fixes) if _NEWER.match(fix.title)), None)
    if at is None or any(_OLDER.search(fix.title) for fix in fixes[:at + 1]):
        return fixes
    return [*fixes[:at], _BACK, *fixes[at:]]


def fitted(findings: list[Finding], facts: dict[str, Fact], memory: MemoryPicture | None, updated: bool = False) -> None:
    """Make the fixes of findings those of this machine, in place. A fix that cannot be carried out here stands behind those that can.

    ``updated``: the trouble is told to have begun with an update, and no history says which.
    """
    kind, kin, module, pages, index = manager(facts), _kin(facts), _module(facts), wanted_pages(facts, memory), _index(facts)
    told = subjects(facts)
    about, system = told.get("about.backend"), text(told, "about.os")
    windows = system == "windows"
    backends = {str(name) for name in about.value} if isinstance(about, Known) else set()
    apps = set(texts(told, "about.app"))
    image, gid = text(facts, "container.image"), text(facts, "dev.kfd_gid")

    def here(command: str, same_image: bool = True) -> str:
        if module:
            command = _FILE.sub(module, _LIMIT.sub(module, command))
        command = _PAGES.sub(rf"\g<1>={pages or 'PAGES'}", command)  # never another machine's number
        if index:
            command = _PLACE_NOTE.sub("", _INDEX.sub(rf"\g<1>{index}\g<2>", command))
        if image and same_image and _IMAGE_NAME.fullmatch(image):
            base = image.rpartition(":")[0] if ":" in image.rpartition("/")[2] else image
            command = _IMAGE.sub(lambda found: base if command[found.end():found.end() + 1] == ":" else image, command)
        return command.replace("HOST_GID", gid) if gid.isdigit() else command

    for finding in findings:
        fits: list[Fix] = []
        others: list[Fix] = []
        for fix in finding.fixes:
            said = windows_fix.for_windows(fix) if windows else windows_fix.for_linux(fix) if system == "linux" else fix
            same = not _OWN_IMAGE.search(f"{said.title} {said.detail}") or "PREVIOUS_TAG" in " ".join(said.commands)
            said = _of_apps(said, apps)
            if windows:  # where root has another name
                said = replace(said, needs=tuple("administrator rights" if need == "root" else need for need in said.needs))
            here_said = replace(said, commands=tuple(here(command, same) for command in said.commands), verify=here(said.verify, same))
            made = _for_manager(_as_a_whole(here_said, kind), kind, kin)
            backend, named = _OTHER_BACKEND.search(fix.title), _named(fix.title)
            used = bool(backend) and backends == {{"rocm": "hip"}.get(backend[1].lower(), backend[1].lower())} if backend else False
            foreign = bool(kind and named and kind not in named and fix.commands and not made.commands)
            if windows:
                foreign = not windows_fix.usable(made)
            elif system == "linux":
                foreign = foreign or made.language in ("powershell", "cmd")
            (others if used or foreign else fits).append(made)
        finding.fixes = [*fits, *others]
        if updated and not windows and finding.standing == "symptom":  # a cause that is known names its good versions
            finding.fixes = _back_first(finding.fixes)
        if finding.fixes and finding.fixes[0].title.startswith("Or "):  # it was the second way
            finding.fixes[0] = replace(finding.fixes[0], title=finding.fixes[0].title[3:4].upper() + finding.fixes[0].title[4:])
