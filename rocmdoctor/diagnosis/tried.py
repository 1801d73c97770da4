"""What a writer varied without success: components of which several versions were tried, all of them wrong."""

from __future__ import annotations

from typing import Any

from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.knowledge import compiled, components


def named() -> dict[str, str]:
    """What writers call a component, in small letters, and its row of the table components."""
    names: dict[str, str] = compiled.part("checks/version_story.yaml")["names"]
    return names


def component_of(name: str) -> str:
    """The component that a writer means, as the table components calls it; its own name where it is in no table.

    >>> component_of("RADV"), component_of("linux-firmware"), component_of("Hyprland")
    ('mesa', 'linux_firmware', 'hyprland')
    """
    low = name.lower()
    return named().get(low) or components.of_package(low) or components.of_wheel(low) or low


def both_ways(facts: dict[str, Fact]) -> set[str]:
    """Components that are ruled out: more than one version was tried, and none was right. Who tells of an update names both, too,
    and one with which the trouble began is not ruled out.
    """
    moves = [(str(row["good"]), str(row["bad"])) for row in _rows(facts, "report.changes") if row["good"] and row["bad"]]
    versions: dict[bool, dict[str, set[str]]] = {True: {}, False: {}}
    for row in _rows(facts, "report.contrasts"):
        moved = any(good in row["text"] and bad in row["text"] for good, bad in moves)
        if row["axis"] == "version" and row["title"] and not moved:
            versions[bool(row["right"])].setdefault(component_of(row["title"]), set()).add(str(row["value"]))
    began = {component_of(word) for row in _rows(facts, "report.triggers") if row["how"] == "began" and not any(old in row["clause"] for old, _ in moves)
             for word in str(row["clause"]).split()}
    return {name for name, tried in versions[False].items() if len(tried) > 1 and name not in versions[True] and name not in began}


def pair_told(facts: dict[str, Fact]) -> bool:
    """Whether a writer names a version with which it was right."""
    return any(row["good"] for row in _rows(facts, "report.changes"))


def _rows(facts: dict[str, Fact], name: str) -> list[dict[str, Any]]:
    fact = facts.get(name)
    return list(fact.value) if isinstance(fact, Known) else []
