"""Join what several sources say about GPUs, and derive the physical gfx target of each."""

from __future__ import annotations

from typing import Any

from rocmdoctor import later
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.knowledge import products, tables, windows_drivers


def _value(facts: dict[str, Fact], name: str, item: str) -> str:
    fact = facts.get(vocabulary.key(name, item))
    return str(fact.value) if isinstance(fact, Known) else ""


_TOLD = later.pattern(r"\.(?:report_prose|named)\|")
_IDENTITY = ("gpu.pci_address", "gpu.pci_id", "gpu.gfx_reported", "gpu.gfx_target")


def _same(facts: dict[str, Fact], a: str, b: str) -> bool:
    """The first identity that both state decides: the address beats the PCI id, which beats the gfx target."""
    for name in _IDENTITY:
        left, right = (_value(facts, name, item).removeprefix("0000:").split(":sramecc")[0] for item in (a, b))
        if left and right:
            return left == right
    # Where one names the target as it is and the other as it is told, as in a driver's registry and a program's log.
    mine, theirs = ({_value(facts, name, item).split(":")[0] for name in ("gpu.gfx_target", "gpu.gfx_reported")} - {""} for item in (a, b))
    return bool(mine & theirs)


def _source(item: str) -> str:
    """Who names the item: the reader and, where one reader repeats what several backends list, the backend.

    >>> _source("0.llama_cpp_log|ROCm0"), _source("0.llama_cpp_log|Vulkan0"), _source("1.lspci|0000:03:00.0")
    ('0.llama_cpp_log|ROCm', '0.llama_cpp_log|Vulkan', '1.lspci|')
    """
    reader, mark, name = item.partition("|")
    return reader + mark + name[:len(name) - len(name.lstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"))]


def _grouped(facts: dict[str, Fact]) -> list[list[str]]:
    """Items of several sources that are one device; what has no identity belongs to the only GPU there is."""
    groups: list[list[str]] = []
    nameless: list[str] = []
    for item in sorted(items_of(facts), key=lambda item: ".named|" in item):  # what is named in passing adds to what is known, and comes last
        if ".named|" in item and groups and not any(_same(facts, member, item) for group in groups for member in group):
            continue
        if not any(_value(facts, name, item) for name in _IDENTITY):
            nameless.append(item)
            continue
        source = _source(item)
        for group in groups:
            # Prose repeats what a tool printed ("RX 6700/6700 XT" of lspci): it adds no second GPU.
            prose = _TOLD.search(item) is not None and not all(_TOLD.search(member) for member in group)
            other = prose or all(_source(member) != source for member in group)
            if other and any(_same(facts, member, item) for member in group):
                group.append(item)
                break
        else:
            groups.append([item])
    groups = _disguised(facts, _address_met(facts, groups))
    if len(groups) == 1:
        sources = {_source(member) for member in groups[0]}
        alone = [item for item in nameless if _source(item) not in sources]  # a source does not name one GPU twice
        return [groups[0] + alone, *([item] for item in nameless if item not in alone)]
    return groups + [[item] for item in nameless if not groups or not _has_size_only(facts, item)]


def _has_size_only(facts: dict[str, Fact], item: str) -> bool:
    """Whether nothing but the memory of a GPU is told: of several it is anyone's."""
    return not any(f"{name}[{item}]" in facts for name in ("gpu.name", "gpu.driver", "gpu.is_apu", "gpu.kfd_node", "gpu.power_state"))


def _address_met(facts: dict[str, Fact], groups: list[list[str]]) -> list[list[str]]:
    """A kernel log tells the address alone, prose the product alone: where there is one of each they are one device."""
    def known(group: list[str], *names: str) -> bool:
        return any(_value(facts, name, item) for name in names for item in group)

    placed = [group for group in groups if known(group, _IDENTITY[0]) and not known(group, *_IDENTITY[1:])]
    named = [group for group in groups if not known(group, _IDENTITY[0])]
    if len(groups) == 2 and len(placed) == len(named) == 1:
        return [placed[0] + named[0]]
    return groups


def _disguised(facts: dict[str, Fact], groups: list[list[str]]) -> list[list[str]]:
    """Under HSA_OVERRIDE_GFX_VERSION a tool tells the target that was set for a GPU that others name as it is: one device, not two."""
    set_to = tables.gfx_of_override(_value(facts, "env.HSA_OVERRIDE_GFX_VERSION", ""))

    def target(group: list[str]) -> str:
        return next((value.split(":")[0] for name in ("gpu.gfx_target", "gpu.gfx_reported") for item in group if (value := _value(facts, name, item))), "")

    if not set_to or len(groups) != 2:
        return groups
    shown = [group for group in groups if target(group) == set_to and not any(_value(facts, name, item) for name in _IDENTITY[:2] for item in group)
             and not all(_TOLD.search(item) for item in group)]
    real = [group for group in groups if group not in shown and target(group)[:-2] == set_to[:-2]]  # an override stays within a generation
    if len(shown) != 1 or len(real) != 1:
        return groups
    for item in real[0]:
        told = facts.pop(vocabulary.key("gpu.gfx_reported", item), None)
        if isinstance(told, Known):
            facts.setdefault(vocabulary.key("gpu.gfx_target", item), told)
    return [real[0] + shown[0]]


def _names_more(name: Fact, than: Fact) -> bool:
    """Whether a name is that of a card where the other is a code name or that of a processor."""
    kinds = [product[0].kind if isinstance(fact, Known) and (product := products.find(str(fact.value)[:200])) else "" for fact in (name, than)]
    return kinds[0] == "card" and kinds[1] in ("chip", "cpu")


def join(facts: dict[str, Fact]) -> None:
    """Merge GPU items of different sources that are the same device; in place, numbering them 0, 1, ..."""
    for item in items_of(facts):
        _target_of_id(facts, item)  # by the target texts are joined
    merged: dict[str, Fact] = {}
    groups = _grouped(facts)
    dropped = set(items_of(facts)) - {item for group in groups for item in group}
    for key in [key for key in facts if key.startswith("gpu.") and vocabulary.split_key(key)[1] in dropped]:
        del facts[key]
    for number, group in enumerate(groups):
        for item in group:
            for key in [k for k in facts if k.endswith(f"[{item}]") and k.startswith("gpu.")]:
                new = vocabulary.key(vocabulary.split_key(key)[0], str(number))
                fact = facts.pop(key)
                if not isinstance(merged.get(new), Known) or key.startswith("gpu.name[") and _names_more(fact, merged[new]):
                    merged[new] = fact
    facts.update(merged)
    for item in items_of(facts):
        derive(facts, item)
    windows_drivers.complete(facts)


def _target_of_id(facts: dict[str, Fact], item: str) -> dict[str, Any]:
    """Set ``gpu.gfx_target`` where the PCI id decides it; the row of the table."""
    row: dict[str, Any] = tables.gfx_of_pci().get(_value(facts, "gpu.pci_id", item), {})
    target = vocabulary.key("gpu.gfx_target", item)
    if row.get("gfx") and not isinstance(facts.get(target), Known):
        facts[target] = Known(str(row["gfx"]), "table pci_ids")
    return row


def derive(facts: dict[str, Fact], item: str) -> None:
    """``gpu.gfx_target`` from the PCI id, else from what a tool reports where no override can have changed it."""
    row = _target_of_id(facts, item)
    target = vocabulary.key("gpu.gfx_target", item)
    reported = _value(facts, "gpu.gfx_reported", item)
    if reported and not isinstance(facts.get(target), Known):
        facts[target] = Known(reported.split(":")[0], "as reported")
    name = vocabulary.key("gpu.name", item)
    if not isinstance(facts.get(name), Known) and row:
        names = row.get("names_by_revision") or {}
        revision = _value(facts, "gpu.revision", item).upper()
        facts[name] = Known(str(names.get(revision) or row.get("code_name")), "table pci_ids")
    gfx = facts.get(target)
    apu = vocabulary.key("gpu.is_apu", item)
    if isinstance(gfx, Known) and not isinstance(facts.get(apu), Known):
        kind = tables.kind(str(gfx.value))
        if kind:
            facts[apu] = Known(kind == "apu", "table gfx_targets")
