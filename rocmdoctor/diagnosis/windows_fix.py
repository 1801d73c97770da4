"""Whether a fix can be carried out on Windows, and the fix as it is said there; asked by the report and by ``rules lint``."""

from __future__ import annotations

import re

from rocmdoctor import later
from rocmdoctor.diagnosis import powershell
from rocmdoctor.facts.sections import Fix
from rocmdoctor.records import replace

# Commands that only look at something: a fix without them is still the fix.
_LOOKS = later.pattern(
    r"^(?:sudo )?(?:(?:ls|cat|grep|find|ldd|uname|id|getent|stat|du|df|strings|nm|readelf|objdump|lspci|dmesg|journalctl|lsmod|modinfo|pgrep|ps|printenv"
    r"|rocminfo|amdgpu_top|nvtop|apt-cache|dpkg -[lS]|pacman -Q\w*|rpm -q\w*|dkms status|ldconfig -p|systemctl (?:cat|show|status)"
    r"|rocm-smi --show\w+|amd-smi (?:static|metric|process|list|version)|ip -br)\b|env(?: \||$)|echo \"?\$|\w+=\w+ rocminfo\b)")
_WRITES = later.pattern(r"\btee\b|>\s*[^&\s/]|>\s*/(?!dev/null)|-delete\b|-exec\b|\bxargs\b|\bsed -i")
# What a text names that is about Linux only.
_LINUX = later.pattern(
    r"\bsudo\b|(?<![\w.])/(?:etc|sys|dev|proc|opt|usr|lib|boot|var)/|\b(?:modprobe|initramfs|apt|dnf|pacman|zypper|systemd|systemctl|grub|dmesg|journalctl"
    r"|linux-firmware|DKMS|(?<!-)amdgpu|RADV|Mesa|TTM|GTT|pages_limit|KFD|ROCr|LD_LIBRARY_PATH|LD_PRELOAD|flatpak|snap|Ubuntu|Debian|Fedora|Arch Linux)\b"
    r"|^On Linux\b|\bHSA_\w+|\bkernel (?:parameter|module|command line|\d)|\b(?:newer|older|other) kernel\b|\brender group\b"
    r"|\b(?:the|your) distribution\b", re.IGNORECASE)
_WINDOWS = later.pattern(r"\bWindows\b|\bPowerShell\b|\bAdrenalin\b", re.IGNORECASE)


def _marked(system: str, line: str) -> bool:
    return re.search(rf"\s#.*\b{system}\b", line) is not None


def for_windows(fix: Fix) -> Fix:
    """The fix in PowerShell where all commands that do something can be said so; where some are marked as those of Windows, these alone.

    >>> for_windows(Fix("End it", commands=("taskkill /IM ollama.exe /F", "sudo systemctl restart ollama   # Linux"))).commands
    ('taskkill /IM ollama.exe /F',)
    """
    if fix.language != "shell":
        return fix
    given = [line for command in fix.commands for line in command.splitlines()]
    meant = [line for line in given if _marked("Windows", line)] or [line for line in given if not _marked("Linux", line)]
    pairs = [(line, powershell.translated(line)) for line in meant]
    said = tuple(made for _, made in pairs if made)
    left = [line for line, made in pairs if not made and (not _LOOKS.match(line) or _WRITES.search(line))]
    return replace(fix, commands=said, language="powershell") if said and not left else fix


def for_linux(fix: Fix) -> Fix:
    """The fix without the lines that are marked as those of Windows.

    >>> for_linux(Fix("Set it", commands=("setx A 1   # Windows", "export A=1"))).commands
    ('export A=1',)
    """
    commands = tuple("\n".join(line for line in command.splitlines() if not _marked("Windows", line)) for command in fix.commands)
    left = tuple(filter(None, commands))
    return replace(fix, commands=left) if left and fix.language == "shell" else fix


def usable(fix: Fix) -> bool:
    """Whether somebody on Windows can do what the fix says, which :func:`for_windows` has made.

    >>> usable(Fix("Rebuild the initramfs")), usable(Fix("Set it", commands=("sudo reboot",))), usable(Fix("Update the program"))
    (False, False, True)
    """
    if fix.commands and fix.language == "shell":
        return False
    text = f"{fix.title} {fix.detail}"
    return bool(fix.commands and fix.language in ("powershell", "cmd")) or not _LINUX.search(text) or bool(_WINDOWS.search(text))
