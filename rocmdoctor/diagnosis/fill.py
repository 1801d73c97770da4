"""``{facts}`` in the words of a rule, replaced by what was read."""

from __future__ import annotations

import re
from typing import Any

from rocmdoctor import later
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Lookup, Scope

_PLACE = later.pattern(r"\{(?:(override_for)\((?:first\()?)?([a-z_]+\.[A-Za-z0-9_.-]+)\)*\}")
_NOBODY_KNOWS = later.pattern(r" \(\(unknown\)(?:, \(unknown\))*\)")  # in brackets it would add nothing

NOWHERE = Scope()


def shown(fact: Fact | list[Fact]) -> str:
    """The value, or the values, as text; ``(unknown)`` without one."""
    values: list[Any] = [f.value for f in (fact if isinstance(fact, list) else [fact]) if isinstance(f, Known)]
    flat = [v for value in values for v in (value if isinstance(value, list) else [value])]
    return ", ".join(dict.fromkeys(str(v) for v in flat)) or "(unknown)"


def shown_value(name: str, fact: Fact | list[Fact]) -> str:
    """The value in the unit of its name: bytes as GiB, bytes a second as GB/s."""
    if isinstance(fact, Known) and isinstance(fact.value, (int, float)) and not isinstance(fact.value, bool):
        if name.endswith("_bytes"):
            return f"{fact.value / 2**30:.1f} GiB"
        if name.endswith("_bytes_per_s"):
            return f"{fact.value / 1e9:.0f} GB/s"
    return shown(fact)


def fill_in(text: Any, lookup: Lookup, scope: Scope = NOWHERE) -> str:
    """The text with its places filled; what is no fact and no capture of the rule stays as it is."""
    def replace(found: re.Match[str]) -> str:
        call, name = found.groups()
        known = name if vocabulary.declared(name) else scope.capture(name)
        if not known:
            return found.group()
        value = shown_value(known, lookup(known))
        return tables.override_for(value.split(",")[0]) or "(none known)" if call else value
    return _NOBODY_KNOWS.sub("", _PLACE.sub(replace, str(text or ""))).strip()
