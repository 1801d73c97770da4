"""How to take a change back on this distribution: the table ``way_back`` filled in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rocmdoctor import later
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.facts.sections import Change, ChangedPart, Fix
from rocmdoctor.knowledge import components, tables

if TYPE_CHECKING:
    import shlex
else:
    shlex = later.module("shlex")


# A version or a name that could end a shell word is not put into a command.
_PLAIN = later.pattern(r"[A-Za-z0-9][\w.+:~^@/-]*")
MOST_PACKAGES = 12
_OF_LOG = {"dpkg": "apt", "apt": "apt", "dnf": "dnf", "rpm": "dnf", "pacman": "pacman", "zypper": "zypper", "rpm-ostree": "rpm-ostree", "nix": "nix"}
_FIRMWARE = ("linux_firmware", "gpu_firmware", "amdgpu_dkms")


def steps(change: Change, facts: dict[str, Fact], by: str = "") -> list[Fix]:
    """The ways back, best first; none for what was only added by hand or is a device. ``by`` is who recorded the change."""
    if change.how == "added" and change.component not in ("kernel_cmdline", "module_parameters", "environment"):
        return []
    table = tables.load("way_back")
    found = []
    row = components.load().get(change.component)
    own = table["components"].get(change.component)
    packages = [part for part in change.parts if row and row.packages.fullmatch(part.name) and _usable(part)]
    wheels = [part for part in change.parts if row and row.wheels.fullmatch(part.name.lower()) and _usable(part)]
    name = manager(facts) or _OF_LOG.get(by, "")
    if own and (change.old or change.component not in ("kernel", "ollama", "torch", "bios")):
        index = re.search(r"\+(rocm[\d.]+)", change.old)
        if change.component != "torch" or index:
            found.append(_fix(own, change, packages, index[1] if index else ""))
    if not own and wheels:
        found.append(_fix(table["components"]["pip"], change, wheels, pair="{name}=={old}"))
    if name and (whole := table["managers"][name].get("whole")):
        if row and row.kind == "update" and (packages or change.component in ("mesa", "kernel", "linux_firmware")):
            found.append(_fix({"title": whole, "needs": ["root", "reboot"], "risk": "reboot", **table["managers"][name]}, change, packages))
    elif name and packages and change.component != "kernel":
        data = {"title": "Go back to the former packages and keep them", "needs": ["root"], **table["managers"][name]}
        if change.component in _FIRMWARE:
            data |= {"needs": ["root", "reboot"], "risk": "reboot"}
        found.append(_fix(data, change, packages, pair=str(data["pair"])))
    return found


def _usable(part: ChangedPart) -> bool:
    return bool(part.old and part.new and _PLAIN.fullmatch(part.name) and _PLAIN.fullmatch(part.old))


def _of_distribution(name: str) -> str:
    """The package manager of a distribution, "" when the table does not name it."""
    managers = tables.load("way_back")["managers"]
    return next((manager for manager, row in managers.items() if name in row["distributions"]), "")


def manager(facts: dict[str, Fact]) -> str:
    """The package manager of this distribution, "" when nothing says."""
    immutable, distribution = facts.get("os.immutable"), facts.get("os.distribution")
    named = str(distribution.value) if isinstance(distribution, Known) else ""
    found = _of_distribution(named)
    ostree = facts.get("boot.loader")
    images = tables.load("way_back")["managers"]["rpm-ostree"]["images"]
    if (isinstance(ostree, Known) and ostree.value == "rpm-ostree") or named in images or (found == "dnf" and isinstance(immutable, Known) and immutable.value):
        return "rpm-ostree"
    return found


def _fix(data: dict[str, Any], change: Change, parts: list[ChangedPart], index: str = "", pair: str = "") -> Fix:
    kept = parts[:MOST_PACKAGES]
    pairs = [pair.replace("{name}", part.name).replace("{old}", part.old) for part in kept]
    values = {"packages": " ".join(one if "*" in one else shlex.quote(one) for one in pairs), "names": " ".join(part.name for part in kept),
              "index": index, "old": change.old, "new": change.new, "old_or_nothing": change.old or "not set", "new_or_nothing": change.new or "not set"}

    def filled(text: Any) -> str:
        return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), str(text or ""))

    commands = tuple(map(filled, data.get("commands") or ())) if not any("{old}" in c for c in data.get("commands") or ()) or _PLAIN.fullmatch(
        change.old) else ()
    return Fix(filled(data["title"]), filled(data.get("detail")), commands, str(data.get("risk", "none")), tuple(data.get("needs") or ()),
               filled(data.get("side_effects")), filled(data.get("verify") or "rocmdoctor compare good shows that it is as it was."), filled(data.get("undo")))
