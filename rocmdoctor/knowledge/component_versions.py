"""The version of a component as the facts have it: which facts name it stands in the table ``components``, section ``versions``."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from rocmdoctor.facts import versions
from rocmdoctor.facts.items import every, items_of
from rocmdoctor.facts.model import Absent, Fact, Known
from rocmdoctor.facts.sections import Layer
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import tables, windows_drivers
from rocmdoctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Where the version of a component is read; ``component`` is its row of the table ``components``, ``named`` what else speaks of it,
    ``called`` by which names its version is told, too, ``backends`` those that run on it.
    """

    name: str
    title: str
    layer: Layer
    component: str
    read: tuple[str, ...]
    named: tuple[str, ...] = ()
    backends: tuple[str, ...] = ()
    called: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts behind it, the leading one first."""
        return tuple(dict.fromkeys(map(_fact_behind, self.read)))


def _fact_behind(way: str) -> str:
    behind = {"pip": "pip.packages", "package": "packages.installed", "app": "app.version"}
    return behind.get(way.partition(":")[0], way.removeprefix("local:"))


@dataclass(frozen=True, slots=True)
class Here:
    """Versions of one component; ``absent`` when somebody looked and it is not there; ``fact`` names where the first one stands."""

    values: tuple[str, ...] = ()
    fact: str = ""
    absent: bool = False


@functools.cache
def places() -> dict[str, Place]:
    """Every component that has known defects, by its name."""
    rows = tables.load("components")["versions"]
    return {row["component"]: Place(row["component"], row["title"], row["layer"], row["of"], tuple(row["read"]), tuple(row.get("named", ())),
                                    tuple(row.get("backends", ())), tuple(row.get("called", ()))) for row in rows}


def _named(facts: Mapping[str, Fact], name: str, pattern: str) -> Iterator[str]:
    """Versions of the packages of a fact whose whole name fits."""
    for fact in every(facts, name):
        if isinstance(fact, Known) and isinstance(fact.value, dict):
            yield from (str(version) for package, version in fact.value.items() if version and re.fullmatch(pattern, str(package), re.I))


def _of_app(facts: Mapping[str, Fact], name: str) -> Iterator[str]:
    for item in items_of(facts, "app"):
        told, version = facts.get(key("app.name", item)), facts.get(key("app.version", item))
        named = str(told.value) if isinstance(told, Known) else item.split("@")[0]
        if named.lower().replace(" ", "") == name and isinstance(version, Known):
            yield str(version.value)


def _values(facts: Mapping[str, Fact], way: str) -> Iterator[str]:
    kind, _, rest = way.partition(":")
    if kind == "pip":
        yield from _named(facts, "pip.packages", rest)
    elif kind == "package":
        yield from _named(facts, "packages.installed", rest)
    elif kind == "app":
        yield from _of_app(facts, rest)
    elif kind == "local":
        for fact in every(facts, rest):
            found = re.search(r"\+rocm(\d[\w.]*)", str(fact.value)) if isinstance(fact, Known) else None
            if found:
                yield found[1]
    else:
        yield from (str(fact.value) for fact in every(facts, way) if isinstance(fact, Known) and fact.value not in (None, ""))


def here(facts: Mapping[str, Fact], component: str) -> Here:
    """The versions of a component that the facts name."""
    place = places().get(component)
    if place is None:
        return Here()
    if component.startswith("distro-"):
        said = facts.get("os.distribution")
        if not isinstance(said, Known):
            return Here()
        if component not in ("distro-ogc", f"distro-{str(said.value).split('-')[0]}"):
            return Here(absent=True)
        values = tuple(value for way in place.read for value in _values(facts, way))
        return Here(values, place.read[0] if values else "")
    for way in place.read:
        values = tuple(dict.fromkeys(_values(facts, way)))
        if component == "proxmox":
            values = tuple(value for value in values if value.endswith("pve"))
        elif component == "therock" and values:
            values = tuple(value for value in values if _of_therock(facts, value))
            if not values:
                return Here(absent=True)
        if values:
            return Here(tuple(as_release(component, value) for value in values), _fact_behind(way))
    known = [fact for name in place.read if ":" not in name for fact in every(facts, name)]
    dkms = component == "amdgpu-dkms" and facts.get("amdgpu.dkms")
    gone = bool(known) and all(isinstance(fact, Absent) for fact in known) or (isinstance(dkms, Known) and dkms.value is False)
    return Here(absent=gone)


def _of_therock(facts: Mapping[str, Fact], release: str) -> bool:
    """Whether a ROCm release was built by TheRock: all from 7.9 on, before that the wheels of rocm-sdk and numbers of a day.

    >>> _of_therock({}, "7.2.1"), _of_therock({}, "7.10.0"), _of_therock({}, "7.0.0rc20250917")
    (False, True, True)
    """
    packages = facts.get("pip.packages")
    wheels = isinstance(packages, Known) and isinstance(packages.value, dict) and "rocm-sdk-core" in packages.value
    # ROCm went from 6.4 to 7.0: what lies between is TheRock's own.
    return wheels or re.search(r"^6\.[5-9]\b|(?:a|rc|dev)\d", release) is not None or versions.at_least(release, "7.9", "rocm") is True


def as_release(component: str, value: str) -> str:
    """What the rows name it by: the Adrenalin release of a number of Windows, the driver release of an amdgpu module.

    >>> as_release("adrenalin", "32.0.23033.1002"), as_release("amdgpu-dkms", "6.16.13"), as_release("mesa", "26.1.2")
    ('26.3.1', '30.30', '26.1.2')
    """
    if component == "adrenalin":
        return windows_drivers.adrenalin_of(value) or value
    if component == "amdgpu-dkms":
        parsed = versions.parse(value)
        bare = ".".join(map(str, parsed.numbers)) if parsed else value
        return str(tables.load("dkms_releases")["releases"].get(bare, value))
    return value


def raw(facts: Mapping[str, Fact], component: str) -> tuple[str, ...]:
    """The versions as they were read, for bounds that are stated so (``scheme: driver`` or ``module``)."""
    place = places().get(component)
    return tuple(dict.fromkeys(value for way in place.read for value in _values(facts, way))) if place else ()
