"""``{facts}`` in the words of a rule, replaced by what was read; ``{one|other}`` by the first of them that was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.knowledge import tables, windows_drivers
from rocmdoctor.knowledge.conditions import Lookup, Scope

_PLACE = later.pattern(r"\{(?:(override_for|sibling_for|adrenalin_for)\((?:first\()?)?([a-z_]+\.[A-Za-z0-9_.|-]+)\)*\}")
_CALLS = {"override_for": tables.override_for, "sibling_for": tables.sibling_for, "adrenalin_for": windows_drivers.adrenalin_for}
_OPTIONAL = later.pattern(r"\[\[(.*?)\]\]")
_NOBODY_KNOWS = later.pattern(r" \(\(unknown\)(?:, \(unknown\))*\)")  # in brackets it would add nothing
_THIS = later.pattern(r"\b(this GPU(?: target)?|the GPU's gfx target|this gfx target)(?! (?:target|family|generation)\b|,? \(?gfx|[-'\w])")
_GAP = later.pattern(r"(?: \([^()]*|:| of| to| with| is| was|,)? ?\(unknown\)(?:\))?")

NOWHERE = Scope()
UNREAD = "(unknown)"
NOT_SET = "not set"  # of what is known to be absent


def shown(fact: Fact | list[Fact]) -> str:
    """The value, or the values, as text; ``(unknown)`` without one."""
    values: list[Any] = [f.value for f in (fact if isinstance(fact, list) else [fact]) if isinstance(f, Known)]
    return ", ".join(dict.fromkeys(part for value in values for part in in_words(value))) or UNREAD


def in_words(value: Any) -> list[str]:
    """A value in parts: the entries of a list, the names of a dictionary with theirs; of a row in a list only what it holds.

    >>> in_words({"torch": "2.9"}), in_words([{"path": "/opt", "version": "7"}]), in_words(7)
    (['torch 2.9'], ['/opt 7'], ['7'])
    """
    if isinstance(value, dict):
        return [f"{name} {inner}" for name, inner in value.items()]
    rows = value if isinstance(value, list) else [value]
    return [" ".join(map(str, row.values())) if isinstance(row, dict) else str(row) for row in rows]


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
        call, names = found.groups()
        known = [name if vocabulary.declared(name) else scope.capture(name) for name in names.split("|")]
        if not all(known):
            return found.group()
        values = [shown_value(name, lookup(name)) for name in known]
        value = next((value for value in values if value != UNREAD), values[0])
        return _CALLS[call](value.split(",")[0]) or "(none known)" if call else value
    return _NOBODY_KNOWS.sub("", _PLACE.sub(replace, str(text or ""))).strip()


def command(text: Any, lookup: Lookup, scope: Scope = NOWHERE) -> str:
    """A command with its places filled; what was not read, or is one of several targets, stands in capitals: the user puts it in."""
    def replace(found: re.Match[str]) -> str:
        filled = fill_in(found.group(), lookup, scope)
        return found[2].partition("|")[0].rpartition(".")[2].upper() if filled == UNREAD or ", gfx" in filled else filled
    return _PLACE.sub(replace, str(text or "")).strip()


def open_places(text: str, scope: Scope) -> Iterator[str]:
    """What of the places of a text is neither a fact nor a capture of the rule."""
    for found in _PLACE.finditer(text):
        yield from (name for name in found[2].split("|") if not vocabulary.declared(name) and not scope.capture(name))


def with_target(title: str, gfx: str) -> str:
    """A title that speaks of this GPU, with its target.

    >>> with_target("No kernels for this GPU", "gfx803"), with_target("No kernels for this GPU (gfx803)", "gfx803"), with_target("It is full", "gfx803")
    ('No kernels for this GPU (gfx803)', 'No kernels for this GPU (gfx803)', 'It is full')
    """
    return _THIS.sub(rf"\1 ({gfx})", title, count=1) if gfx and gfx not in title else title


def words(text: Any, lookup: Lookup, scope: Scope = NOWHERE) -> str:
    """The same for sentences: of ``[[...]]`` nothing is left where something in it was not read, nor of a sentence beside others."""
    def part(found: re.Match[str]) -> str:
        filled = fill_in(found[1], lookup, scope)
        return "" if UNREAD in filled else " " * found[1].startswith(" ") + filled.rstrip(".") + "." * found[1].endswith(".")
    filled = fill_in(_OPTIONAL.sub(part, str(text or "")), lookup, scope).strip()
    if UNREAD not in filled:
        return filled
    known = " ".join(sentence for sentence in re.split(r"(?<=[.?!]) (?=[A-Z0-9])", filled) if UNREAD not in sentence)
    return known or _GAP.sub("", filled)
