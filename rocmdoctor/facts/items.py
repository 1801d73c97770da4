"""The items of an entity: one of several GPUs, Vulkan devices, environments."""

from __future__ import annotations

from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import Fact


def items_of(facts: dict[str, Fact], entity: str = "gpu") -> list[str]:
    """The items of an entity, in order of appearance."""
    found = (vocabulary.split_key(key) for key in facts if key.startswith(entity + "."))
    return list(dict.fromkeys(item for name, item in found if item))
