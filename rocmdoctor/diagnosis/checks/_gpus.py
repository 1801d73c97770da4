"""The AMD GPUs at hand by target, for the checks that judge each of them."""

from __future__ import annotations

from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import products, tables


def fitted(seen: Evidence) -> dict[str, str]:
    """Target to name of each AMD GPU that is fitted or named as such."""
    found: dict[str, str] = {}
    for item in items_of(seen.facts):
        name = str(seen.value(key("gpu.name", item)) or "")
        gfx = str(seen.value(key("gpu.gfx_target", item)) or seen.value(key("gpu.gfx_reported", item)) or products.gfx_of_name(name)).split(":")[0]
        if tables.generation(gfx):
            found.setdefault(gfx, name)
    return found


def shown(gfx: str, name: str) -> str:
    """The GPU as a title names it: "AMD Radeon RX 6600 (gfx1032)"."""
    return f"{name} ({gfx})" if name and gfx not in name else gfx
