"""What differs between two snapshots, fact by fact, without what always differs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Absent, Fact, Known, Snapshot
from rocmdoctor.records import dataclass

# Sizes of one pool differ by what a kernel reserves at boot (measured on recorded machines: below 1 %).
SIZE_NOISE = 0.02
# Repeated runs of one GPU on one model or copy differ by up to about a tenth with clocks and temperature; a lost driver path costs more.
RATE_NOISE = 0.15
RATES = ("B/s", "bytes/s", "tokens/s", "t/s")
# A PCIe link slows down while the GPU is idle, so these speeds say nothing (GT/s).
IDLE_LINK = (2.5, 5.0)
# What a boot loader or a network boot adds by itself: it names the kernel, which is a fact of its own, a disk or the machine.
_LOADERS_OWN = later.pattern(r"^(?:BOOT_IMAGE|initrd|root|rootflags|resume|ostree|systemd\.machine_id|ip|BOOTIF|hostname)=")
# What stands for a whole device or installation that came or went.
_NAMES = {"gpu": ("gpu.name", "gpu.pci_id"), "vk": ("vk.name",), "torch": ("torch.version", "torch.python"), "rocm": ("rocm.version", "rocm.path"),
          "app": ("app.version", "app.name")}
_IDENTITY = {"gpu": ("gpu.pci_address", "gpu.pci_id", "gpu.name"), "vk": ("vk.pci_address", "vk.name"),
             "test": ("test.pci_address", "test.device")}


@dataclass(frozen=True, slots=True)
class Difference:
    """One fact, or one key of a dictionary (``part``), that was ``old`` and is ``new``; None is "not there"."""

    name: str
    item: str
    part: str
    old: Any
    new: Any


def differences(old: Snapshot, new: Snapshot) -> tuple[list[Difference], list[str], set[str]]:
    """What differs, the facts that only one side could learn, and the names of those that could be compared."""
    found: list[Difference] = []
    hidden: list[str] = []
    compared: set[str] = set()
    alike = any(map(_of_service, old.facts.values())) == any(map(_of_service, new.facts.values()))
    for before, after, name, item in _pairs(old.facts, new.facts):
        if vocabulary.volatile(name):
            continue
        if not isinstance(before, (Known, Absent)) or not isinstance(after, (Known, Absent)):
            if isinstance(before, Known) or isinstance(after, Known):
                hidden.append(vocabulary.key(name, item))
            continue
        if name.startswith("env.") and not alike and (_of_service(before) or _of_service(after)):
            hidden.append(name)  # a service's variables are seen only while it runs
            continue
        compared.add(name)
        found += _of(name, item, before.value if isinstance(before, Known) else None, after.value if isinstance(after, Known) else None)
    return found, hidden, compared


def _pairs(old: dict[str, Fact], new: dict[str, Fact]) -> Iterator[tuple[Fact | None, Fact | None, str, str]]:
    """(before, after, name, item) of every fact of either side; of a device that came or went only what names it."""
    partners = {entity: _partners(old, new, entity) for entity in vocabulary.ENTITIES}
    taken = set()
    for key, fact in old.items():
        name, item = vocabulary.split_key(key)
        entity = vocabulary.entity(name)
        if item and entity and item not in partners[entity]:
            if _names_it(old, entity, item) == name and _examined(new, entity):
                yield fact, Absent("gone"), name, item
            continue
        partner = vocabulary.key(name, partners[entity][item]) if item and entity else key
        taken.add(partner)
        yield fact, new.get(partner) or _unset(new, name), name, item
    for key, fact in new.items():
        name, item = vocabulary.split_key(key)
        entity = vocabulary.entity(name)
        if key in taken:
            continue
        if item and entity and item not in partners[entity].values():
            if _names_it(new, entity, item) == name and _examined(old, entity):
                yield Absent("new"), fact, name, item
        else:
            yield _unset(old, name), fact, name, item


def _of_service(fact: Fact) -> bool:
    """Whether a variable was read from a running application and not from the shell that asked."""
    return isinstance(fact, Known) and fact.source.startswith("/proc/") and "/environ (" in fact.source


def _unset(facts: dict[str, Fact], name: str) -> Fact | None:
    """A variable of which nothing was said is absent where variables were read."""
    read = name.startswith("env.") and any(key.startswith("env.") and key != "env.*" for key in facts)
    return Absent("environment") if read else None


def _names_it(facts: dict[str, Fact], entity: str, item: str) -> str:
    return next((name for name in _NAMES.get(entity, ()) if isinstance(facts.get(vocabulary.key(name, item)), Known)), "")


def _examined(facts: dict[str, Fact], entity: str) -> bool:
    """Whether this side looked for devices or installations of the kind at all."""
    if entity == "gpu" and isinstance(facts.get("pci.amd_gpu_count"), Known):
        return True
    return any(key.startswith(entity + ".") and isinstance(fact, (Known, Absent)) for key, fact in facts.items())


def _partners(old: dict[str, Fact], new: dict[str, Fact], entity: str) -> dict[str, str]:
    """Items of one entity in both snapshots: the same device or installation, by what identifies it, else by its item."""
    before, after = items_of(old, entity), items_of(new, entity)
    found: dict[str, str] = {}

    def value(facts: dict[str, Fact], name: str, item: str) -> str:
        fact = facts.get(vocabulary.key(name, item))
        return str(fact.value).split(" (")[0] if isinstance(fact, Known) else ""  # in brackets stands what drives it, and its version

    for name in _IDENTITY.get(entity, ()):
        for item in before:
            for other in after:
                same = value(old, name, item) and value(old, name, item) == value(new, name, other)
                if item not in found and other not in found.values() and same:
                    # Another card in the same slot is another device.
                    if name == "gpu.pci_address" and value(old, "gpu.pci_id", item) != value(new, "gpu.pci_id", other):
                        continue
                    found[item] = other
    for item in before:
        names = [{value(old, name, item), value(new, name, item)} - {""} for name in _IDENTITY.get(entity, ())]
        known_other = any(len(said) == 2 for said in names)  # a number is no device
        if item not in found and item in after and item not in found.values() and entity != "gpu" and not known_other:
            found[item] = item
    return found


def _of(name: str, item: str, old: Any, new: Any) -> Iterator[Difference]:
    if name == "kernel.cmdline" and (old is not None or new is not None):
        old, new = cmdline_words(old), cmdline_words(new)
    if isinstance(old, dict) and isinstance(new, dict):
        for key in dict.fromkeys([*old, *new]):
            if not same(name, old.get(key), new.get(key)):
                yield Difference(name, item, str(key), old.get(key), new.get(key))
    elif isinstance(old, list) and isinstance(new, list) and all(isinstance(v, str) for v in [*old, *new]):
        gone, come = [v for v in old if v not in new], [v for v in new if v not in old]
        if gone or come:
            yield Difference(name, item, "", ", ".join(gone) or None, ", ".join(come) or None)
        elif old != new and name in ("torch.devices", "llama.devices"):
            yield Difference(name, item, "", ", ".join(old), ", ".join(new))
    elif not same(name, old, new):
        yield Difference(name, item, "", old, new)


def cmdline_words(cmdline: Any) -> list[str]:
    """The words of a kernel command line that somebody chose, sorted."""
    return sorted(word for word in str(cmdline or "").split() if not _LOADERS_OWN.match(word))


def same(name: str, old: Any, new: Any) -> bool:
    """Whether two values of a fact are the same but for noise.

    >>> same("gpu.vram_bytes", 17095983104, 17163091968), same("gpu.vram_bytes", 17095983104, 8589934592)
    (True, False)
    >>> same("gpu.link_speed_gts", 16.0, 2.5), same("gpu.link_speed_gts", 16.0, 8.0)
    (True, False)
    """
    if isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        return len(old) == len(new) and all(same(name, a, b) for a, b in zip(old, new, strict=True))
    if isinstance(old, dict) and isinstance(new, dict):
        # What a process may use, and uses, of a heap is of the moment.
        keys = (set(old) | set(new)) - {"budget", "usage"}
        return all(same(name, old.get(key), new.get(key)) for key in keys)
    if _number(old) and _number(new):
        if name == "gpu.link_speed_gts" and min(old, new) in IDLE_LINK:
            return True
        noise = RATE_NOISE if is_rate(name) else SIZE_NOISE if unit(name) == "bytes" else 0.0
        return bool(abs(new - old) <= noise * max(abs(old), abs(new)))
    return bool(old == new)


def unit(name: str) -> str:
    """The unit of a fact, "" when it has none or is not declared by its own name."""
    declared = vocabulary.FACTS.get(name)
    return declared.unit if declared else ""


def is_rate(name: str) -> bool:
    """Whether a fact is a speed, which differs from run to run."""
    return unit(name) in RATES or name.endswith(("_per_s", "_per_second"))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
