"""The words of a check, ``rules/checks/<name>.yaml``, as rules whose places are filled with what was read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.diagnosis.row import as_rule
from rocmdoctor.facts.model import Fact, Hit, Known
from rocmdoctor.knowledge.check_words import findings
from rocmdoctor.knowledge.conditions import Answer, of_table
from rocmdoctor.knowledge.rules import Rule

_PLACE = later.pattern(r"\{(\w+)\}")
_AT = later.pattern(r"(.+):(\d{1,9})$")
NEAR = 15  # lines between two settings of one text that may belong to one run


def _filled(value: Any, words: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        whole = _PLACE.fullmatch(value)
        if whole and isinstance(words.get(whole[1]), list):
            return words[whole[1]]
        return _PLACE.sub(lambda found: str(words.get(found[1], found[0])), value).strip()
    if isinstance(value, list):
        return [_filled(each, words) for each in value]
    if isinstance(value, dict):
        return {key: _filled(each, words) for key, each in value.items()}
    return value


def holds(text: str, seen: Evidence) -> bool | None:
    """Whether a condition of a table holds; an empty one always does."""
    return of_table(text).ask(seen.lookup()).value if text else True


def whole(pattern: str, value: str) -> bool:
    """Whether the pattern (RE2, as the tables write it) matches the whole value.

    >>> whole("[01]", "1"), whole("[01]", "10"), whole(".*", "")
    (True, False, True)
    """
    return re.fullmatch(pattern, value) is not None


def hits_of(facts: Mapping[str, Fact], names: Iterable[str], rule: str) -> list[Hit]:
    """The lines of texts that the values of these facts were read in."""
    found = []
    for name in names:
        fact = facts.get(name)
        place = _AT.match(fact.source) if isinstance(fact, Known) else None
        if place and isinstance(fact, Known):
            said = {name.removeprefix("env."): fact.value} if not isinstance(fact.value, dict) else fact.value
            found.append(Hit(rule, name, place[1], int(place[2]), " ".join(f"{part}={value}" for part, value in said.items())[:400], {}))
    return found


def compared(seen: Evidence, check: str) -> list[tuple[dict[str, Any], Hit]]:
    """What the writer compared, each row with the line it was told in."""
    return _told(seen, "report.contrasts", "axis", check)


def changes(seen: Evidence, check: str) -> list[tuple[dict[str, Any], Hit]]:
    """What the writer tells of a change of versions, each row with the line it was told in."""
    return _told(seen, "report.changes", "name", check)


def triggers(seen: Evidence, check: str) -> list[tuple[dict[str, Any], Hit]]:
    """What the writer ties the trouble to, each row with the line it was told in."""
    return _told(seen, "report.triggers", "how", check)


def _told(seen: Evidence, name: str, group: str, check: str) -> list[tuple[dict[str, Any], Hit]]:
    fact = seen.facts.get(name)
    if not isinstance(fact, Known):
        return []
    return [(row, Hit(check, str(row[group]), str(row.get("in", "")), int(row["line"]), str(row["text"]), {})) for row in fact.value]


def together(facts: Mapping[str, Fact], first: str, second: str) -> bool:
    """Whether two values can belong to one run: both of the machine, or near each other in one text."""
    places = [_AT.match(fact.source) if isinstance(fact := facts.get(name), Known) else None for name in (first, second)]
    if places[0] is None or places[1] is None:
        return places[0] is None and places[1] is None
    return places[0][1] == places[1][1] and abs(int(places[0][2]) - int(places[1][2])) <= NEAR


def rule(check: str, name: str, values: Mapping[str, Any], *, fixes: str = "", **over: Any) -> Rule:
    """The finding ``name`` of a check as a rule; ``fixes`` chooses one of several lists, ``over`` replaces fields of the table.

    Commands and details of which a value is missing ("") are left out.
    """
    row = {**findings(check)[name], **over}
    listed: Any = row.pop("fixes", None) or []
    chosen = _filled(listed[fixes] if fixes else listed, values)
    given = {("references" if key == "sources" else key): each for key, each in _filled(row, values).items()
             if key not in ("id", "formerly") and each is not None}
    title, layer, severity = given.pop("title"), given.pop("layer"), given.pop("severity")
    kept = [{key: text for key, text in fix.items() if text not in ("", [""])} for fix in chosen]
    return as_rule(name, " ".join(title.split()), layer=layer, severity=severity, fixes=[fix for fix in kept if fix.get("do")], **given)


def judged(check: str, name: str, seen: Evidence, words: Mapping[str, Any], used: Iterable[str], *, sure: bool = False, value: bool | None = True,
           missing: Iterable[str] = (), hits: Iterable[Hit] = (), item: str = "", for_each: str = "", **over: Any) -> Judged:
    """A finding of a check. ``sure``: it is trouble also where no symptom was told; ``over`` replaces fields of the row."""
    made = rule(check, name, words, for_each=for_each, **{key: each for key, each in over.items() if each is not None})
    used = tuple(used)
    explained = seen.explained(made)
    lines = list(hits)
    if (explained or sure) and not lines:
        lines = hits_of(seen.facts, used, name)
    return Judged(made, Answer(value, used, tuple(missing)), item, explained=explained, hits=lines)
