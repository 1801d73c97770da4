"""What a writer tells of versions: a good and a bad one of a component, or an update before the trouble and what it changed."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

from rocmdoctor.compare import way_back
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import Hit
from rocmdoctor.facts.sections import Change, ChangedPart
from rocmdoctor.knowledge import compiled, components
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "version_story"
_BATCH = datetime.timedelta(days=1)  # one update, also when it was done in two goes
_MOST = 6


def _hits(seen: Evidence, name: str) -> list[Hit]:
    return seen.hits_of(f"seen.story.{name}")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The pair that was told, else what the last update before the trouble changed."""
    pair = _pair(seen)
    if pair:
        good, bad, name, hits = pair
        component = components.load().get(_names().get(name, ""))
        words = {"good": good, "bad": bad, "component": component.title if component else name}
        rule = _words.rule(_CHECK, "worked-before-this-version", words, layer=component.layer if component else "app")
        if explained := seen.explained(rule):
            yield Judged(rule, Answer(True, (), ()), explained=explained, hits=hits[:3])
    elif _hits(seen, "since_update"):
        yield from _updated(seen)


def _names() -> dict[str, str]:
    names: dict[str, str] = compiled.part(f"checks/{_CHECK}.yaml")["names"]
    return names


def _called(hit: Hit) -> str:
    return " ".join(hit.captures["name"].lower().split())


def _pair(seen: Evidence) -> tuple[str, str, str, list[Hit]] | None:
    for hit in _hits(seen, "pair"):
        if hit.captures["good"] != hit.captures["bad"]:
            return hit.captures["good"], hit.captures["bad"], _called(hit), [hit]
    bad = [(hit.captures["bad"], _called(hit), hit) for hit in _hits(seen, "bad")]
    for hit in _hits(seen, "good"):
        good, name = hit.captures["good"], _called(hit)
        of = _names().get(name, name)
        for version, other, line in bad:
            if _names().get(other, other) == of and version != good:
                return good, version, name, [hit, line]
        component = components.load().get(of)
        version = seen.text(component.key) if component and component.key else ""
        if version and good not in version and version not in good:
            return good, version, name, [hit]
    return None


def _updated(seen: Evidence) -> Iterator[Judged]:
    """What of the GPU stack the last recorded update changed, the most suspect first."""
    history: list[dict[str, Any]] = seen.value("updates.history") or []
    dated = [(at, one) for one in history if (at := _time(one.get("at"))) and one.get("old") and one.get("new")]
    if not dated:
        return
    last = max(at for at, _ in dated)
    changed: dict[str, list[ChangedPart]] = {}
    for at, one in dated:
        of = components.of_package(str(one["name"])) or components.of_wheel(str(one["name"]))
        if of and last - at <= _BATCH:
            changed.setdefault(of, []).append(ChangedPart(str(one["name"]), str(one["old"]), str(one["new"])))
    rows = sorted((components.load()[of] for of in changed), key=lambda row: row.suspicion)
    if not rows:
        return
    first, parts = rows[0], changed[rows[0].id]
    listed = "; ".join(f"{row.title} {changed[row.id][0].old} -> {changed[row.id][0].new}" for row in rows[:_MOST])
    words = {"component": first.title, "good": parts[0].old, "bad": parts[0].new, "all": listed}
    rule = _words.rule(_CHECK, "updated-before-it-began", words, layer=first.layer)
    change = Change(first.id, first.title, first.layer, "suspect", "changed", parts[0].old, parts[0].new, parts)
    commands = [command for fix in way_back.steps(change, seen.facts, str(history[-1].get("by") or ""))[:1] for command in fix.commands]
    if commands:
        rule.fixes[0].data["commands"] = commands
    yield Judged(rule, Answer(None, ("updates.history",), ()), explained=seen.explained(rule), hits=_hits(seen, "since_update")[:2])


def _time(text: object) -> datetime.datetime | None:
    try:
        found = datetime.datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=datetime.timezone.utc)
