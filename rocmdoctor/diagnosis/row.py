"""A row of a table as a rule, so that what a check finds is ranked and shown like any cause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rocmdoctor.facts.model import Severity
from rocmdoctor.facts.sections import Layer
from rocmdoctor.knowledge.conditions import of_table
from rocmdoctor.knowledge.rules import Rule, RuleFix


def as_rule(name: str, title: str, *, layer: Layer, severity: Severity, says: str = "", why: str = "", asks: str = "",
            fixes: Iterable[dict[str, Any]] = (), explains: Iterable[str] = (), instead_of: Iterable[str] = (),
            references: Iterable[str] = (), general: bool = False, observes: bool = False, for_each: str = "",
            platforms: Iterable[str] = ()) -> Rule:
    """A cause with its words in place: the check that made it says itself whether it holds.

    ``fixes`` are mappings as in a rule's file (do, detail, commands, only_if, risk, needs, side_effects, verify, undo).
    """
    return Rule(id=name, kind="cause", title=title, severity=severity, status="stable", stage=layer, when=of_table("1 == 1"), for_each=for_each,
                explains=tuple(explains), instead_of=tuple(instead_of), general=general, observes=observes, asks=asks, says=says or title, why=why,
                fixes=tuple(RuleFix(dict(fix), of_table(fix["only_if"]) if fix.get("only_if") else None) for fix in fixes), references=tuple(references),
                platforms=tuple(platforms))
