"""When it broke: updates, boots, checks that were kept and the first lines of the faults on one line of time."""

from __future__ import annotations

import datetime
from collections.abc import Iterable

from rocmdoctor.compare import changes, stamps
from rocmdoctor.compare.stamps import Stamp
from rocmdoctor.facts.model import LOUD, Finding, Known, Snapshot
from rocmdoctor.facts.sections import ChangedPart, Comparison, Event, Moment
from rocmdoctor.knowledge import components

LOG = "kernel log"  # of this boot; the name of the text that the probe gathers
_BATCH = datetime.timedelta(hours=1)  # one update
_ZONES = datetime.timedelta(hours=14)  # by as much a line without a zone may be off
_LATE = datetime.timedelta(minutes=5)
LONGEST = datetime.timedelta(days=14)  # what was updated longer before the first sign is no suspect by that alone
_GOOD = {"clean": "check: nothing wrong", "warnings": "check: no errors"}
_BAD = {"errors": "check: errors"}
_UPDATES, _FAULTS, _MOST = 3, 3, 10


def sign_of(snapshot: Snapshot, lines: Iterable[tuple[str, str]]) -> Stamp | None:
    """The earliest moment that one of these (source, line) carries."""
    booted = _booted(snapshot)
    last = _shift(snapshot.taken, _LATE)
    found = []
    for source, text in lines:
        stamp = stamps.of_line(text, booted if source == LOG else "")
        if stamp and stamp.at <= (last if stamp.known_zone else _shift(last, _ZONES)):
            found.append(stamp)
    return min(found, default=None)


def update_before(snapshot: Snapshot, sign: Stamp) -> list[Event]:
    """The last update of the GPU stack that surely came before a sign of trouble, and not long before; its packages."""
    latest = sign.at if sign.known_zone else _shift(sign.at, -_ZONES)
    batches = [batch for batch in _batches(changes.history(snapshot)) if batch[-1].at <= latest]
    return batches[-1] if batches and batches[-1][-1].at >= _shift(latest, -LONGEST) else []


def gap(earlier: str, later: str) -> str:
    """The time between two moments in words.

    >>> gap("2026-11-28T11:24:53+00:00", "2026-11-28T11:53:53+00:00"), gap("2026-11-28T11:24:53+00:00", "2026-11-29T13:53:53+00:00")
    ('29 minutes', '26 hours')
    """
    seconds = (datetime.datetime.fromisoformat(later) - datetime.datetime.fromisoformat(earlier)).total_seconds()
    for unit, size, least in (("day", 86400, 2), ("hour", 3600, 2), ("minute", 60, 1)):
        if seconds >= least * size:
            count = round(seconds / size)
            return f"{count} {unit}{'s' * (count != 1)}"
    return "less than a minute"


def timeline(snapshot: Snapshot, findings: list[Finding], comparison: Comparison | None = None) -> list[Moment]:
    """The points of the line, oldest first; none where nothing broke or nothing but the trouble itself has a time."""
    if comparison and comparison.two_machines:
        return []
    history = changes.history(snapshot)
    checks = _checks(snapshot)
    faults = list(_faults(snapshot, findings)) if any(finding.severity in LOUD for finding in findings) else []
    bad = [check for check in checks if check.kind == "bad"]
    if not (faults or bad or comparison):
        return []
    end = min([moment.at for moment in faults] + [moment.at for moment in bad[-1:]], default=comparison.until if comparison else snapshot.taken)
    updates = [_update(batch) for batch in _batches(history)]
    before = [moment for moment in updates if moment.at <= end][-_UPDATES:]
    after = [moment for moment in updates if moment.at > end][:_UPDATES - 1]
    good = [check for check in checks if check.kind == "good" and check.at <= end][-1:]
    if good:  # what came before a good check did not break it
        before = [moment for moment in before if moment.at > good[0].at]
    if comparison:
        before = [moment for moment in updates if comparison.since <= moment.at <= comparison.until][-2 * _UPDATES:]
        after = []
    sign = min((Stamp(fault.at, fault.sure) for fault in faults), default=None)
    suspects = {event.at for event in update_before(snapshot, sign)} if sign else set()
    shown = [Moment(m.at, m.kind, m.words, m.note, m.sure, m.at in suspects) for m in before] + after + good + _first_bad(bad, good) + faults
    if not (comparison or any(moment.kind in ("update", "good") for moment in shown)):
        return []
    if comparison and comparison.basis == "states" and not any(moment.at[:16] == comparison.since[:16] for moment in shown):
        shown.append(Moment(comparison.since, "then", comparison.old))
    start = min((moment.at for moment in shown), default=end)
    shown += _boots(history, start, end, [moment.at for moment in before])
    if snapshot.origin == "live" or comparison and comparison.basis == "states":  # a history ends with its last entry
        shown.append(Moment(comparison.until if comparison else snapshot.taken, "now", comparison.new if comparison else "this check"))
    order = ("then", "good", "update", "boot", "fault", "bad", "now")
    return sorted(shown, key=lambda moment: (moment.at, order.index(moment.kind)))[-_MOST:] if len(shown) > 1 else []


def _shift(moment: str, by: datetime.timedelta) -> str:
    return (datetime.datetime.fromisoformat(moment) + by).isoformat(timespec="seconds")


def _booted(snapshot: Snapshot) -> str:
    """When this boot began, for a machine that was examined."""
    boots = [event.at for event in changes.history(snapshot) if event.kind == "boot" and event.at <= snapshot.taken]
    return boots[-1] if boots and snapshot.origin == "live" and _moment(boots[-1]) else ""


def _moment(text: str) -> bool:
    try:
        return datetime.datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


def _batches(history: list[Event]) -> list[list[Event]]:
    """Packages of components that were changed in one go."""
    found: list[list[Event]] = []
    for event in history:
        if event.kind != "package" or not event.component or not _moment(event.at):
            continue
        if found and event.at <= _shift(found[-1][-1].at, _BATCH):
            found[-1].append(event)
        else:
            found.append([event])
    return found


def _update(batch: list[Event]) -> Moment:
    parts: dict[str, list[ChangedPart]] = {}
    for event in batch:
        parts.setdefault(event.component, []).append(ChangedPart(event.name, event.old, event.new))
    order = list(components.load())
    said = []
    for component in sorted(parts, key=order.index):
        first = changes.leading(component, parts[component])
        to = f"{first.old} → {first.new}" if first.old and first.new else first.new or f"{first.old} removed"
        said.append(f"{components.load()[component].title} {to}")
    return Moment(batch[-1].at, "update", "; ".join(said), ", ".join(dict.fromkeys(event.by for event in batch if event.by)))


def _checks(snapshot: Snapshot) -> list[Moment]:
    fact = snapshot.facts.get("checks.history")
    rows = fact.value if isinstance(fact, Known) and isinstance(fact.value, list) else []
    found = []
    for row in rows:
        at, verdict = (str(row.get("at", "")), str(row.get("found", ""))) if isinstance(row, dict) else ("", "")
        if _moment(at) and at < snapshot.taken and verdict in {**_GOOD, **_BAD}:
            found.append(Moment(at, "good" if verdict in _GOOD else "bad", {**_GOOD, **_BAD}[verdict]))
    return sorted(found, key=lambda moment: moment.at)


def _first_bad(bad: list[Moment], good: list[Moment]) -> list[Moment]:
    return [moment for moment in bad if not good or moment.at > good[0].at][:1]


def _faults(snapshot: Snapshot, findings: list[Finding]) -> Iterable[Moment]:
    """The first line with a time of each finding that failed, one for each time."""
    times: set[str] = set()
    for finding in findings:
        if finding.severity not in LOUD or finding.standing == "risk":
            continue
        dated = [(stamp, item) for item in finding.evidence if item.text and (stamp := sign_of(snapshot, [(item.source, item.text)]))]
        if not dated or len(times) == _FAULTS:
            continue
        stamp, item = min(dated, key=lambda pair: pair[0])
        if stamp.at not in times:
            times.add(stamp.at)
            yield Moment(stamp.at, "fault", item.text, f"{item.source}:{item.line}" if item.line else item.source, stamp.known_zone)


def _boots(history: list[Event], start: str, end: str, updates: list[str]) -> list[Moment]:
    """Of the boots those that count: with another kernel, the first after each update, and the last before the trouble."""
    boots = [event for event in history if event.kind == "boot" and _moment(event.at)]
    found: dict[str, Moment] = {}
    for number, boot in enumerate(boots):
        if not start <= boot.at <= end:
            continue
        former = boots[number - 1].new if number else ""
        other = bool(boot.new and former and boot.new != former)
        first = any(at <= boot.at and not any(at <= earlier.at < boot.at for earlier in boots) for at in updates)
        last = not any(boot.at < later.at <= end for later in boots)
        if other or first or last:
            found[boot.at] = Moment(boot.at, "boot", f"reboot into kernel {boot.new}" if other else "reboot")
    return list(found.values())[-_UPDATES:]
