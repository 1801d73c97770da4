"""AMD's Windows display driver by its numbers: the Adrenalin release of a version in the driver store."""

from __future__ import annotations

from functools import cache

from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.knowledge import tables

_PAIRS = (("windows.driver_version", "windows.adrenalin"), ("windows.previous_driver", "windows.previous_adrenalin"))


@cache
def _releases() -> dict[str, str]:
    return {str(row[number]): str(row["adrenalin"]) for row in tables.load("windows_drivers")["releases"] for number in ("store", "internal") if number in row}


def adrenalin_of(version: str) -> str:
    """The release of a version of the store or of AMD's own count, "" for those that the table does not have (drivers of notebook makers, newer ones).

    >>> adrenalin_of("32.0.23033.1002"), adrenalin_of("25.30.33.01"), adrenalin_of("32.0.12078.30")
    ('26.3.1', '26.3.1', '')
    """
    return _releases().get(version, "")


def adrenalin_for(rocm: str) -> str:
    """The oldest release that this ROCm asks for, "" where it asks for none.

    >>> adrenalin_for("7.14"), adrenalin_for("10.1"), adrenalin_for("7.2.1")
    ('26.6.4', '26.8.1', '')
    """
    here = versions.parse(rocm)
    return next((str(row["adrenalin"]) for row in tables.load("windows_drivers")["wanted"]
                 if here and (since := versions.parse(row["rocm"])) and here >= since), "")


def complete(facts: dict[str, Fact]) -> None:
    """Name the Adrenalin release of the driver in use, and of the one before it, where only the version of the store is known."""
    for version, release in _PAIRS:
        held = facts.get(version)
        if isinstance(held, Known) and not isinstance(facts.get(release), Known):
            found = adrenalin_of(str(held.value))
            if found:
                facts[release] = Known(found, f"table windows_drivers, by {version}")
