"""The items of an entity, one of several GPUs, Vulkan devices, environments, and what is known of them by the name of a fact."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import Fact, Known


def items_of(facts: Mapping[str, Fact], entity: str = "gpu") -> list[str]:
    """The items of an entity, in order of appearance."""
    start = entity + "."
    found = (vocabulary.split_key(key) for key in facts if key.startswith(start))
    return list(dict.fromkeys(item for name, item in found if item))


def every(facts: Mapping[str, Fact], name: str) -> list[Fact]:
    """The fact of this name, and that of each item."""
    start = f"{name}["
    return [fact for key, fact in facts.items() if key == name or key.startswith(start)]


def values(facts: Mapping[str, Fact], name: str) -> list[Any]:
    """The values of :func:`every` that are known.

    >>> values({"gpu.cu_count[0]": Known(40, ""), "gpu.cu_count[1]": Known(60, ""), "gpu.cu_count_max[0]": Known(1, "")}, "gpu.cu_count")
    [40, 60]
    """
    return [fact.value for fact in every(facts, name) if isinstance(fact, Known)]


def texts(facts: Mapping[str, Fact], name: str) -> list[str]:
    """The same as texts, lists taken apart."""
    return [str(one) for value in values(facts, name) for one in (value if isinstance(value, list) else [value])]


def text(facts: Mapping[str, Fact], name: str) -> str:
    """The first of these texts, "" when there is none."""
    return next(iter(texts(facts, name)), "")
