"""Cards that are cut into partitions: each is a GPU to the kernel, at a function of the card's PCI device."""

from __future__ import annotations

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known


def _text(facts: dict[str, Fact], name: str, item: str) -> str:
    fact = facts.get(f"{name}[{item}]")
    return str(fact.value) if isinstance(fact, Known) else ""


def partitions(facts: dict[str, Fact]) -> dict[str, str]:
    """The items that are a partition of a card which is an item itself, to that card's item. The card stands for its first one.

    >>> known = {"gpu.pci_address[0]": "0000:05:00.0", "gpu.pci_address[1]": "0000:05:00.1", "gpu.pci_address[2]": "0000:27:00.0"}
    >>> facts = {name: Known(value, "x") for name, value in known.items()}
    >>> partitions(facts), partitions({**facts, "gpu.compute_partition[0]": Known("CPX", "x")})
    ({}, {'1': '0'})
    """
    addresses = {item: _text(facts, "gpu.pci_address", item) for item in items_of(facts)}
    cards = {address[:-2]: item for item, address in addresses.items() if address.endswith(".0")
             and _text(facts, "gpu.compute_partition", item) not in ("", "SPX")}
    return {item: cards[address[:-2]] for item, address in addresses.items() if address[:-2] in cards and not address.endswith(".0")}
