"""Commands for this machine: rules write a kernel parameter as a grubby call, and here it becomes the boot loader's own."""

from __future__ import annotations

from rocmdoctor import later
from rocmdoctor.facts.items import text
from rocmdoctor.facts.model import Fact
from rocmdoctor.knowledge import tables

_GRUBBY = later.pattern(r"^(?:sudo )?grubby --update-kernel=ALL(?P<rest>.*?)(?:\s+#.*)?$")
_OPTION = later.pattern(r"--(?P<kind>remove-args|args)=(?:'(?P<quoted>[^']*)'|\"(?P<double>[^\"]*)\"|(?P<bare>\S+))")
_DEBIAN = ("ubuntu", "debian", "linuxmint", "pop", "proxmox", "pve")
_FEDORA = ("fedora", "rhel", "centos", "rocky", "almalinux", "nobara", "ol")


def boot_loader(facts: dict[str, Fact]) -> str:
    """The row of the table ``boot_parameters`` that fits, "" when the facts do not say."""
    loader, distribution = text(facts, "boot.loader"), text(facts, "os.distribution")
    if loader in ("rpm-ostree", "nixos", "kernelstub", "refind", "systemd-boot"):
        return loader
    if distribution == "nixos":
        return "nixos"
    if distribution in _FEDORA:
        return "grubby"
    if loader == "grub" or (not loader and distribution):
        return "grub-debian" if distribution in _DEBIAN else "grub-arch" if loader else ""
    return ""


def _write(loader: str, action: str, arguments: str) -> list[str]:
    parts = arguments.split()
    values = {
        "args": arguments, "append": " ".join(f"--append-if-missing={p}" for p in parts),
        "delete": " ".join(f"--delete-if-present={p}" for p in parts), "quoted": " ".join(f'"{p}"' for p in parts),
    }
    lines: list[str] = []
    for template in tables.load("boot_parameters")["loaders"][loader][action]:
        for part in parts if "{arg}" in template else [""]:
            line = template.replace("{arg}", part)
            for name, value in values.items():
                line = line.replace("{" + name + "}", value)
            lines.append(line)
    return list(dict.fromkeys(lines))


def for_machine(command: str, facts: dict[str, Fact]) -> list[str]:
    """The command as this machine's boot loader wants it; with an unknown loader the two common ones, named."""
    found = _GRUBBY.match(command)
    if not found:
        return [command]
    wanted = [("remove" if o["kind"] == "remove-args" else "add", o["quoted"] or o["double"] or o["bare"] or "")
              for o in _OPTION.finditer(found["rest"])]
    loader = boot_loader(facts)
    if loader:
        return [line for action, arguments in wanted for line in _write(loader, action, arguments)]
    lines = []
    for action, arguments in wanted:
        lines += [f"{line}   # Fedora and kin" for line in _write("grubby", action, arguments)]
        lines += [f"{line}   # Debian, Ubuntu" for line in _write("grub-debian", action, arguments)]
    return lines
