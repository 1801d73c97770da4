"""What is told of versions: a good and a bad one of a component, or an update before the trouble and what it changed.

Of an update a writer tells, or the histories do: where lines of trouble carry a time, what changed before the first of them is asked about.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator

from rocmdoctor.diagnosis import tried
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Hit
from rocmdoctor.facts.sections import Change, ChangedPart
from rocmdoctor.knowledge import applications, components
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.records import replace

_CHECK = "version_story"
_BATCH = datetime.timedelta(days=1)  # one update, also when it was done in two goes
_MOST = 6
_INSTALLED = frozenset({"rocm", "torch", "wheels"})
_LIBRARY_MISSING = ["windows-hip-runtime-dll-absent", "shared-library-missing", "program-needs-other-rocm-major", "dll-missing"]


def _hits(seen: Evidence, name: str) -> list[Hit]:
    return seen.hits_of(f"seen.story.{name}")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The pair that was told, else what the last update before the trouble changed."""
    pair = _pair(seen)
    if pair and versions.compare(pair[0], pair[1]) != 1:  # what came later cannot be what it worked with before
        good, bad, name, hits = pair
        component = components.load().get(tried.component_of(name))
        words = {"good": good, "bad": bad, "component": component.title if component else name, "back": _way_back(seen, name, good, bad),
                 "told": "; ".join(dict.fromkeys(hit.text for hit in hits[:2]))}
        rule = _words.rule(_CHECK, "worked-before-this-version", words, layer=component.layer if component else "app", observes=True)
        if explained := seen.explained(rule):
            yield Judged(rule, Answer(True, (), ()), explained=explained, hits=hits[:3])
        return
    older = _older(seen)
    if older:
        yield older
    if _hits(seen, "since_update"):
        yield from _updated(seen)
    elif "updates.history" in seen.facts and "changed.components" not in seen.facts:  # of two states the comparison says it
        yield from _before_first_sign(seen)


def _called(hit: Hit) -> str:
    return " ".join(hit.captures["name"].lower().split())


def _older(seen: Evidence) -> Judged | None:
    """Where an older release without a number was right: the program that is named, else the one that the report is about."""
    for row, line in _words.changes(seen, _CHECK):
        if row["good"] or row["bad"]:
            continue
        component = components.load().get(tried.component_of(row["name"]))
        app = applications.title(next(iter(seen.texts("about.app")), ""))
        title = component.title if component else row["name"] or app or "what was updated"
        packages = component is not None and component.id in _INSTALLED  # a library that the older packages had is no fault of the machine
        rule = _words.rule(_CHECK, "older-release-was-right", {"component": title, "told": row["text"]}, observes=True,
                           layer=component.layer if component else "app", instead_of=_LIBRARY_MISSING if packages else [])
        if explained := seen.explained(rule):
            return Judged(rule, Answer(True, (), ()), explained=explained, hits=[line])
    return None


def _pair(seen: Evidence) -> tuple[str, str, str, list[Hit]] | None:
    out = tried.both_ways(seen.facts)
    told = _told(seen)
    for row, place in _words.changes(seen, _CHECK):
        before, after, of = str(row["good"]), str(row["bad"]), tried.component_of(row["name"])
        listed = components.of_package(row["name"]) and any(hit.captures["name"] == row["name"] for hit in _hits(seen, "changed"))  # one of several: _listed
        in_vain = any(version == before and hit.text not in row["text"] for version, _, hit in told[False])  # it was wrong with the old one, too
        after = after or before and _newer_here(seen, of, before)
        if after and not listed and not in_vain and of not in out:
            before = before or next((version for version, name, _ in told[True] if version != after and (not name or tried.component_of(name) == of)), "")
            return before or f"the release before {after}", after, str(row["name"]), [place]
    for hit in _hits(seen, "pair"):
        if hit.captures["good"] != hit.captures["bad"]:
            return hit.captures["good"], hit.captures["bad"], _called(hit), [hit]
    bad = [(hit.captures["bad"], _called(hit), hit) for hit in _hits(seen, "bad")] + [one for one in told[False] if one[1]]
    right = [(hit.captures["good"], _called(hit), hit) for hit in _hits(seen, "good")] + told[True]
    rights, wrongs = {one[0] for one in right}, {one[0] for one in bad}
    for good, name, hit in right:
        of = tried.named().get(name, name)
        for version, other, line in bad:
            same = (tried.named().get(other, other) == of or not other and _runs(seen, of, version)) if name else _alike(good, version)
            if same and version != good and not (version in rights and good in wrongs):
                return good, version, other, [hit, line]
        version = _here(seen, of) if hit.group == "good" else ""
        if version and good not in version and version not in good:
            return good, version, name, [hit]
    for hit in _hits(seen, "first"):
        bad_one = hit.captures["bad"]
        name = next((app for app in seen.texts("about.app") if app in tried.named()), "")
        component = components.load().get(tried.named().get(name, ""))
        if component and component.key and seen.text(component.key).lstrip("b") == bad_one.lstrip("vb"):
            number = int(bad_one[1:]) if bad_one[1:].isdigit() and bad_one[0] == "b" else 0
            return f"b{number - 1} or the last build before it" if number else f"the release before {bad_one}", bad_one, name, [hit]
    return None


def _way_back(seen: Evidence, name: str, good: str, bad: str) -> list[str] | str:
    """The commands of this system for the older one, "" where the table has none. What carries the revision of a package goes back as one."""
    from rocmdoctor.compare import way_back

    of, called = tried.component_of(name), name.lower().replace(" ", "-")
    change = Change(of, name, "app", "suspect", "changed", good, bad, [ChangedPart(called, good, bad)])
    fixes = way_back.steps(change, seen.facts)
    chosen = (fixes[-1] if "-" in good else fixes[0]) if fixes and good[:1].isdigit() else None
    return list(chosen.commands) if chosen and chosen.commands else ""


def _here(seen: Evidence, of: str) -> str:
    """The version of a component that is in use, "" where it was not read."""
    component = components.load().get(of)
    return seen.text(component.key) if component and component.key else ""


def _newer_here(seen: Evidence, of: str, good: str) -> str:
    """What is in use, where only the last right version was told; without a number where that was not read."""
    here = _here(seen, of)
    return here if here and versions.compare(good, here) == -1 else f"newer than {good}"


def _runs(seen: Evidence, of: str, version: str) -> bool:
    """Whether a version that was told without a name is the one that this component has here."""
    here = _here(seen, of)
    return here == version or here.startswith(f"{version}.")


def _told(seen: Evidence) -> dict[bool, list[tuple[str, str, Hit]]]:
    """(version, component as named or "", line) of what was right and of what was wrong, by the clauses of the writer."""
    found: dict[bool, list[tuple[str, str, Hit]]] = {True: [], False: []}
    for row, line in _words.compared(seen, _CHECK):
        if row["axis"] == "version":
            found[bool(row["right"])].append((str(row["value"]), str(row["title"]), line))
    return found


def _alike(one: str, other: str) -> bool:
    """Whether a number without a name can be a version of the same component: at least two parts, and the same first one."""
    parts = one.split("."), other.split(".")
    return len(parts[0]) >= 2 and parts[0][0] == parts[1][0] or one[0] == other[0] == "b"


def _updated(seen: Evidence) -> Iterator[Judged]:
    """What of the GPU stack the last recorded update changed, the most suspect first."""
    from rocmdoctor.compare import changes, moments  # few reports tell of an update

    updates = [event for event in changes.history(seen.snapshot) if event.kind == "package" and event.component and event.old and event.new]
    last = moments.parse(updates[-1].at, seen.snapshot.taken) if updates else None
    if not last:
        yield from _listed(seen)
        return
    start = (datetime.datetime.fromisoformat(last) - _BATCH).isoformat()
    found = [change for change in changes.suspects(changes.since(seen.snapshot, start, "", "")) if change.component in {event.component for event in updates}]
    if not found:
        return
    first = found[0]
    rows = [(one.title, one.old, one.new) for one in found]
    back = "\n".join(first.way_back[0].commands if first.way_back else ())
    yield _before_it_began(seen, rows, first.layer, ("updates.history",), _hits(seen, "since_update")[:2], back)


def _before_first_sign(seen: Evidence) -> Iterator[Judged]:
    """The same where nobody tells of an update: the last one before the earliest line of trouble that carries a time."""
    from rocmdoctor.compare import changes, timeline

    hits = list(seen.of_symptoms(sorted(seen.symptoms)))
    sign = timeline.sign_of(seen.snapshot, ((hit.source, hit.text) for hit in hits))
    batch = timeline.update_before(seen.snapshot, sign) if sign else []
    if not sign or not batch:
        return
    then = replace(seen.snapshot, taken=batch[-1].at)
    found = [change for change in changes.suspects(changes.since(then, batch[0].at, "", "")) if change.old and change.new]
    if found:
        first = next(hit for hit in hits if timeline.sign_of(seen.snapshot, [(hit.source, hit.text)]) == sign)
        rows = [(one.title, one.old, one.new) for one in found]
        back = "\n".join(found[0].way_back[0].commands if found[0].way_back else ())
        yield _before_it_began(seen, rows, found[0].layer, ("updates.history",), [first], back,
                               {"at": batch[-1].at, "sign": sign.at, "gap": timeline.gap(batch[-1].at, sign.at)}, "updated-before-first-sign")


def _listed(seen: Evidence) -> Iterator[Judged]:
    """The same without times: packages that a writer lists with their versions before and after."""
    order = list(components.load())
    gone = {hit.captures["name"]: hit for hit in _hits(seen, "taken_out")}
    pairs = [(hit.captures["name"], hit.captures["good"], hit.captures["bad"], [hit]) for hit in _hits(seen, "changed")]
    pairs += [(name, gone[name].captures["good"], hit.captures["bad"], [gone[name], hit]) for hit in _hits(seen, "put_in")
              if (name := hit.captures["name"]) in gone]
    found = sorted(((order.index(of), good, bad, hits) for name, good, bad, hits in pairs if good != bad and (of := components.of_package(name.lower()))),
                   key=lambda one: one[0])
    if not found:
        return
    listed = [(components.load()[order[place]], good, bad) for place, good, bad, _ in found]
    rows = list(dict.fromkeys((component.title, good, bad) for component, good, bad in listed))
    yield _before_it_began(seen, rows, listed[0][0].layer, (), [*found[0][3], *_hits(seen, "since_update")][:3])


def _before_it_began(seen: Evidence, rows: list[tuple[str, str, str]], layer: str, used: tuple[str, ...], hits: list[Hit], back: str = "",
                     times: dict[str, str] | None = None, row: str = "updated-before-it-began") -> Judged:
    """The question whether it goes away with the older one: (component, older, newer), the most suspect first; ``back`` are the commands for that."""
    title, good, bad = rows[0]
    listed = "; ".join(f"{name} {old} -> {new}" for name, old, new in rows[:_MOST])
    words = {"component": title, "good": good, "bad": bad, "all": listed, "back": back, **(times or {})}
    rule = _words.rule(_CHECK, row, words, layer=layer)
    return Judged(rule, Answer(None, used, ()), explained=seen.explained(rule), hits=hits)
