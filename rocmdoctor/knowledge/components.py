"""Components: which facts and packages change together, in the order of suspicion of the table ``components``."""

from __future__ import annotations

import functools
import re
from typing import Literal

from rocmdoctor import later
from rocmdoctor.facts.sections import Layer
from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass

Kind = Literal["update", "setting", "device", "result", "other"]


@dataclass(frozen=True, slots=True)
class Component:
    """One row. ``suspicion`` counts from 0, the most suspect; ``key`` is the fact that names its version."""

    id: str
    title: str
    layer: Layer
    kind: Kind
    suspicion: int
    key: str
    facts: tuple[str, ...]
    follows: tuple[str, ...]
    packages: re.Pattern[str]
    wheels: re.Pattern[str]


def _any(names: list[str]) -> re.Pattern[str]:
    return later.pattern("|".join(f"(?:{name})" for name in names) if names else r"(?!)")


@functools.cache
def load() -> dict[str, Component]:
    """Every component by its id, the most suspect first."""
    rows = tables.load("components")["components"]
    return {row["id"]: Component(row["id"], row["title"], row["layer"], row["kind"], place, row.get("key") or "", tuple(row.get("facts") or ()),
                                 tuple(row.get("follows") or ()), _any(row.get("packages") or []), _any(row.get("wheels") or []))
            for place, row in enumerate(rows)}


@functools.cache
def _first(names: Literal["packages", "wheels"]) -> re.Pattern[str]:
    """The names of all components at once, a group for each: a machine has thousands of packages, and most belong to none."""
    rows = tables.load("components")["components"]
    return later.pattern("|".join(f"(?P<{row['id']}>{'|'.join(row[names])})" for row in rows if row.get(names)))


def names(patterns: tuple[str, ...], fact: str) -> bool:
    """Whether a fact is one of a list in which ``x.*`` stands for a family."""
    return any(fact == one or (one.endswith(".*") and fact.startswith(one[:-1])) for one in patterns)


@functools.cache
def of_fact(fact: str) -> str:
    """The component that a fact belongs to, "" when none.

    >>> of_fact("vulkan.mesa_version"), of_fact("env.HSA_OVERRIDE_GFX_VERSION"), of_fact("gpu.fw.mes")
    ('mesa', 'environment', 'gpu_firmware')
    """
    return next((c.id for c in load().values() if names(c.facts, fact)), "")


@functools.cache
def leaders(fact: str) -> tuple[str, ...]:
    """The components whose change explains a change of this fact.

    >>> leaders("gpu.fw.mes"), leaders("vk.heaps")
    (('linux_firmware',), ('mesa', 'memory_split'))
    """
    return tuple(c.id for c in load().values() if names(c.follows, fact))


@functools.cache
def of_package(name: str) -> str:
    """The component that a package of the distribution belongs to, "" when none.

    >>> of_package("mesa-vulkan-drivers"), of_package("linux-image-6.12.48+deb13-amd64"), of_package("firefox")
    ('mesa', 'kernel', '')
    """
    found = _first("packages").fullmatch(name)
    return (found.lastgroup or "") if found else ""


@functools.cache
def of_wheel(name: str) -> str:
    """The component that a Python package belongs to, "" when none."""
    found = _first("wheels").fullmatch(name.lower())
    return (found.lastgroup or "") if found else ""
