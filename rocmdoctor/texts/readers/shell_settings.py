"""Variables that a shell holds and the program does not get: set without export, before sudo, before a container.

>>> sample = '''> set -U HSA_OVERRIDE_GFX_VERSION 10.3.0
... > set -Ux ROCR_VISIBLE_DEVICES 0
... $ HIP_VISIBLE_DEVICES=1
... $ export MIOPEN_LOG_LEVEL=5
... $ sudo python3 train.py
... '''
>>> for reading in read(sample):
...     for row in reading.value if isinstance(reading.value, list) else [{"": reading.value}]:
...         print(reading.name, *row.values())
env.HSA_OVERRIDE_GFX_VERSION 10.3.0
env.ROCR_VISIBLE_DEVICES 0
environment.withheld HSA_OVERRIDE_GFX_VERSION 10.3.0 fish 1
environment.withheld HIP_VISIBLE_DEVICES 1 plain 3
environment.withheld MIOPEN_LOG_LEVEL 5 sudo 5
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Anchors, lazy, unquoted
from rocmdoctor.texts.readers.environment import is_open, wanted

TRUST = 2
KINDS = kinds.QUOTED  # people quote its words in their sentences

MARKS = ("set -", "setx ", "$ ", "% ", "export ")
_MOST = 20
_LONGEST = 40  # lines of one command
_PROMPT = r"(?:[\w.@:~/()\[\] -]{0,60})?[$%\u276f\u279c] ?"
_FISH = lazy(r"(?<![\w-])set((?: +--?[A-Za-z]{1,12}){1,4}) +([A-Z][A-Z0-9_]{2,60}) +[\"']?([^\s\"'`]{1,200})")
_PLAIN = lazy(rf"^ {{0,8}}{_PROMPT}([A-Z][A-Z0-9_]{{2,60}})=([^\s;&|]{{1,200}})\s*$")
_BASH_SET = lazy(rf"^ {{0,8}}{_PROMPT}set +([A-Z][A-Z0-9_]{{2,60}})=(\S{{1,200}})\s*$")
_SETX = lazy(r"(?<![\w-])setx +(?:/[mM] +)?\"?([A-Z][A-Z0-9_]{2,60})\"? +\"?([^\s\"]{1,200})")
_EXPORT = lazy(rf"^ {{0,8}}(?:{_PROMPT})?export +([A-Z][A-Z0-9_]{{2,60}})(?:=(\S{{1,200}}))?")
_TYPED = lazy(rf"^ {{0,8}}{_PROMPT}(\S.{{0,1000}})$|^ {{0,8}}(sudo (?!-)\S.{{0,400}}|docker run .{{0,1000}})$")
_ADMIN = lazy(r"sudo +(?:-\w+ +)*(?:\S*/)?(?:apt|apt-get|dnf|yum|zypper|pacman|snap|flatpak|systemctl|modprobe|usermod|gpasswd|dmesg|journalctl"
              r"|tee|cp|mv|rm|ln|mkdir|chmod|chown"
              r"|reboot|nano|vim?|update-\w+|mkinitcpio|dracut|grub\S*|service|lspci|lshw|cat|ls|dkms|dpkg|rpm|amdgpu-install|sh|bash|su"
              r"|pip[\d.]*|pipx|uv|curl|wget|git|make|cmake|ninja|ldconfig|install|sed|grep|find|tar|unzip|mount|umount|sysctl|udevadm|groupadd|useradd|loginctl"
              r"|add-apt-repository|gpg|docker|podman|timeshift|ufw|swapo(?:n|ff)|rmmod|insmod|depmod|mokutil|rpm-ostree|kill(?:all)?|pkill|touch|du|df|test|true)\b")
_FOR_A_GPU = lazy(r"/dev/(?:kfd|dri)|--gpus\b|--privileged\b|rocm|amd\.com/gpu")  # of a container that is to see one

_ANCHORS = Anchors("set ", "setx ", "export ", "$", "%", "\u276f", "\u279c", "sudo ", "docker run ")  # of which each pattern here has one


def _whole(rows: list[str], number: int, command: str) -> str:
    """A command with the lines on which it goes on."""
    for row in rows[number:number + _LONGEST]:
        if not command.endswith("\\"):
            break
        command = f"{command[:-1]} {row.strip()}"
    return command


def _way(command: str) -> str:
    """How a command keeps from its program what was exported: ``container``, ``sudo``, or "" where it does not, or starts none that is for a GPU.

    >>> _way("sudo python3 train.py"), _way("sudo apt install rocm"), _way("docker run --device /dev/kfd image"), _way("docker run -p 3000:8080 webui")
    ('sudo', '', 'container', '')
    """
    if re.match(r"(?:sudo )?(?:docker|podman) (?:container )?run ", command):
        return "container" if _FOR_A_GPU.search(command) else ""
    return "sudo" if command.startswith("sudo ") and not _ADMIN.match(command) and not re.match(r"sudo +(?:-E|--preserve-env)", command) else ""


def recognises(text: str) -> bool:
    """Whether a variable is set in a way of a shell.

    >>> recognises("set -gx HSA_ENABLE_SDMA 0"), recognises("set the variable")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and next(read(text), None) is not None


def read(text: str) -> Iterator[Reading]:
    """What fish exports as ``env.X``, and ``environment.withheld``."""
    withheld: dict[str, dict[str, object]] = {}
    exported: dict[str, str] = {}
    plain: dict[str, tuple[str, int]] = {}
    every = text.split("\n")
    for number, quoted in _ANCHORS.lines(text):
        line = unquoted(quoted) if quoted[:1] in ">|" else quoted
        fish = _FISH.search(line[:1000])
        if fish and wanted(fish[2]):
            if not is_open(fish[3]):
                yield Reading("env." + fish[2], fish[3], "", number)
            if "--export" in fish[1] or re.search(r" -\w*x", fish[1]):
                withheld.pop(fish[2], None)
            elif "erase" not in fish[1] and not re.search(r" -\w*[eq]", fish[1]):
                withheld.setdefault(fish[2], {"name": fish[2], "value": fish[3], "how": "fish", "line": number})
            continue
        setx = _SETX.search(line[:1000])
        if setx and wanted(setx[1]):
            if not is_open(setx[2]):
                yield Reading("env." + setx[1], setx[2], "", number)
            withheld.setdefault(setx[1], {"name": setx[1], "value": setx[2], "how": "setx", "line": number})
            continue
        export = _EXPORT.match(line[:1000])
        if export and wanted(export[1]):
            exported[export[1]] = (export[2] or plain.get(export[1], ("", 0))[0]).strip("\"'")
            plain.pop(export[1], None)
            continue
        bare, old = _PLAIN.match(line[:400]), _BASH_SET.match(line[:400])
        if bare and wanted(bare[1]):
            plain.setdefault(bare[1], (bare[2].strip("\"'"), number))
        elif old and wanted(old[1]):
            withheld.setdefault(old[1], {"name": old[1], "value": old[2].strip("\"'"), "how": "set", "line": number})
        typed = _TYPED.match(line[:1200]) if exported and ("sudo" in line or " run " in line) else None
        command = (typed[1] or typed[2]) if typed else ""
        if command:
            command = _whole(every, number, command)
            how = _way(command)
            for name, value in exported.items() if how else ():
                if name not in command:
                    withheld.setdefault(name, {"name": name, "value": value, "how": how, "line": number})
        if len(withheld) >= _MOST:
            break
    for name, (value, number) in plain.items():
        withheld.setdefault(name, {"name": name, "value": value, "how": "plain", "line": number})
    if withheld:
        rows = sorted(withheld.values(), key=lambda row: int(str(row["line"])))
        yield Reading("environment.withheld", rows[:_MOST], line=int(str(rows[0]["line"])))
