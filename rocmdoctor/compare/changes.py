"""Two states to what changed, by component, the suspects first; and the same from package histories alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Literal

from rocmdoctor.compare import known_defects
from rocmdoctor.compare.differences import Difference, differences, is_rate, unit
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Fact, Known, Snapshot
from rocmdoctor.facts.sections import Change, ChangedPart, Comparison, Event
from rocmdoctor.facts.sizes import words
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import components
from rocmdoctor.knowledge.components import Component
from rocmdoctor.records import dataclass

# One change each: several GPUs or environments change apart from one another.
_APART = ("gpu", "torch", "app", "test", "llm", "vk")
# One change of the machine, whichever device shows it.
_TOGETHER = ("memory_split", "memory_limits", "devices")
_OTHER = {"packages.installed": "Other packages of the distribution", "pip.packages": "Other Python packages"}
# Verdicts of tests and of servers from good to bad; what is not named is bad. Where nothing was tested nothing is compared.
_GOODNESS = {"right": 0, "gpu_like": 0, "gpu": 0, "rocm": 0, "vulkan": 0, "cuda": 0, "weak": 1, "mixed": 1}
_UNTESTED = ("skipped", "untestable")
_TESTS = ("test", "llm")
_VERDICTS = ("bad", "possible", "")
MOST_PARTS = 60


@dataclass(frozen=True, slots=True)
class Before:
    """What a snapshot is compared with: a state, or without one a moment (ISO 8601, UTC) since which histories count."""

    name: str
    snapshot: Snapshot | None
    moment: str = ""
    new_name: str = "now"

    def comparison(self, new: Snapshot) -> Comparison:
        """What changed between this and ``new``."""
        if self.snapshot is None:
            return since(new, self.moment, self.name, self.new_name)
        return compare(self.snapshot, new, self.name, self.new_name)


def compare(old: Snapshot, new: Snapshot, old_name: str, new_name: str) -> Comparison:
    """What differs between two states, grouped by component."""
    found, hidden, compared = differences(old, new)
    events = [event for event in history(new) if old.taken < event.at <= new.taken]
    two = any(d.name in ("machine.board", "machine.product", "machine.cpu") and d.old and d.new for d in found)
    made = Comparison(old_name, new_name, old.taken, new.taken, "states", two, events=[] if two else events, hidden=hidden)
    made.compared = [c for c in components.load() if any(components.of_fact(name) == c for name in compared)]
    made.unrelated = 0 if two else _unrelated(new, old.taken)
    for (component, item), parts in _grouped(found).items():
        if change := _change(components.load().get(component), component, item, parts, old, new):
            made.changes.append(change)
    _finish(made, new)
    return made


def since(new: Snapshot, moment: str, old_name: str, new_name: str) -> Comparison:
    """What package managers and boots recorded after a moment (ISO 8601, UTC); the version before is the first one left."""
    events = [event for event in history(new) if moment <= event.at <= new.taken]
    made = Comparison(old_name, new_name, moment, new.taken, "history", False, events=events, unrelated=_unrelated(new, moment))
    spans: dict[str, dict[str, ChangedPart]] = {}
    for event in events:
        if event.kind == "package" and event.component:
            span = spans.setdefault(event.component, {})
            held = span.get(event.name)
            # These name only what came; the version before is the one that came before it.
            old = held.old or (event.old if event.by in ("zypper", "rpm", "pip", "flatpak") else "") if held else event.old
            span[event.name] = ChangedPart(event.name, old, event.new)
    kernels = [event.new for event in history(new) if event.kind == "boot" and event.new and event.at <= new.taken]
    before = [event.new for event in history(new) if event.kind == "boot" and event.new and event.at < moment]
    if kernels and before and kernels[-1] != before[-1]:
        spans.setdefault("kernel", {})["running kernel"] = ChangedPart("running kernel", before[-1], kernels[-1])
    for component, by_name in spans.items():
        parts = [part for part in by_name.values() if part.old != part.new]
        if parts:
            row = components.load()[component]
            first = next((part for part in parts if part.name == "running kernel"), leading(component, parts))
            made.changes.append(Change(component, row.title, row.layer, "suspect", _how(row.kind, "", first.old, first.new),
                                       first.old, first.new, parts[:MOST_PARTS]))
    made.compared = [c.id for c in components.load().values() if c.packages.pattern != r"(?!)"] if events else []
    _finish(made, new)
    return made


def _finish(made: Comparison, new: Snapshot) -> None:
    """When it happened, what is known of it, the way back, and the order."""
    for change in made.changes:
        change.at = next((event.at for event in reversed(made.events) if event.component == change.component and event.kind == "package"), "")
        if change.component == "kernel":
            change.at = next((event.at for event in made.events if event.kind == "boot" and event.new == change.new), change.at)
        if change.standing == "suspect":
            known_defects.judge(change, new.facts)
            if not made.two_machines:
                by = next((event.by for event in reversed(made.events) if event.component == change.component and event.by), "")
                from rocmdoctor.compare import way_back

                change.way_back = way_back.steps(change, new.facts, by)
    order = list(components.load())
    made.changes.sort(key=lambda c: (("suspect", "result", "other").index(c.standing), _VERDICTS.index(c.verdict),
                                     order.index(c.component) if c.component in order else len(order)))


def changed_facts(comparison: Comparison) -> dict[str, Fact]:
    """``changed.*`` for rules: true for what changed, false for what could be compared and did not, else nothing is said."""
    changed = [change.component for change in comparison.changes if change.component in components.load()]
    facts: dict[str, Fact] = {"changed.components": Known(list(dict.fromkeys(changed)), "comparison")}
    facts.update({f"changed.{c}": Known(c in changed, "comparison") for c in dict.fromkeys([*comparison.compared, *changed])})
    return facts


def history(snapshot: Snapshot) -> list[Event]:
    """Package changes and boots that the snapshot knows of, oldest first. Foreign rows are left out."""
    found: list[Event] = []
    for row in _rows(snapshot, "updates.history"):
        name = str(row.get("name", ""))
        component = components.of_wheel(name) if row.get("by") in ("pip", "conda") else components.of_package(name)
        found.append(Event(str(row.get("at", "")), "package", name, str(row.get("old") or ""), str(row.get("new") or ""), component,
                           str(row.get("by", ""))))
    for row in _rows(snapshot, "boots.history"):
        found.append(Event(str(row.get("at", "")), "boot", "boot", "", str(row.get("kernel") or ""), "kernel"))
    return sorted(found, key=lambda event: event.at)


def _rows(snapshot: Snapshot, name: str) -> list[dict[str, Any]]:
    fact = snapshot.facts.get(name)
    return [row for row in fact.value if isinstance(row, dict)] if isinstance(fact, Known) and isinstance(fact.value, list) else []


def _unrelated(snapshot: Snapshot, moment: str) -> int:
    fact = snapshot.facts.get("updates.unrelated")
    counts = fact.value if isinstance(fact, Known) and isinstance(fact.value, dict) else {}
    return sum(count for minute, count in counts.items() if isinstance(count, int) and moment[:16] < str(minute) <= snapshot.taken[:16])


def _grouped(found: list[Difference]) -> dict[tuple[str, str], list[Difference]]:
    """Differences by component and, where they change apart, by device; what follows a changed component stands with it."""
    own = [(d, component) for d in found if (component := _component(d)) or _first(d.name) not in _TESTS]
    changed = {component for d, component in own if component and not components.leaders(d.name)}
    groups: dict[tuple[str, str], list[Difference]] = {}
    for d, component in own:
        leader = next((one for one in components.leaders(d.name) if one in changed), "")
        apart = d.item if _first(d.name) in _APART and not leader and component not in _TOGETHER else ""
        groups.setdefault((leader or component or d.name, apart), []).append(d)
    return groups


def _first(name: str) -> str:
    return name.split(".", 1)[0]


def _component(d: Difference) -> str:
    if d.name == "packages.installed":
        return components.of_package(d.part)
    if d.name == "pip.packages":
        return components.of_wheel(d.part)
    return components.of_fact(d.name)


def _change(row: Component | None, component: str, item: str, found: list[Difference], old: Snapshot, new: Snapshot) -> Change | None:
    if row and row.kind == "result":
        found = [d for d in found if _comparable(d, item, old, new)]
        if not found:
            return None
    parts = [ChangedPart(_label(d), shown(d.name, d.old), shown(d.name, d.new)) for d in found]
    main = next((d for d in found if row and d.name == row.key), None)
    if main is None and row:
        main = next((d for d in found if components.names(row.facts, d.name)), None)
    first = ChangedPart("", shown(main.name, main.old), shown(main.name, main.new)) if main else leading(component, parts)
    name = main.part or main.name.removeprefix("env.") if main and (main.part or component == "environment") else ""
    if name:
        first = ChangedPart("", f"{name}={first.old}" if first.old else "", f"{name}={first.new}" if first.new else "")
    if row is None:
        first = ChangedPart("", "", "")  # a heap of unrelated things: its parts say it
    standing: Literal["suspect", "result", "other"] = "other" if row is None else "result" if row.kind == "result" else "suspect"
    title = row.title if row else _OTHER.get(component, component)
    if item:
        title += f" of GPU {item}" if component not in ("devices", "torch", "app") and item.isdigit() else f" ({item})"
    how = "changed" if row is None else _how(row.kind, main.name if main else "", main.old if main else first.old, main.new if main else first.new)
    layer = row.layer if row else "framework" if component == "pip.packages" else "platform"
    return Change(component, title, layer, standing, how, first.old, first.new, parts[:MOST_PARTS])


def _comparable(d: Difference, item: str, old: Snapshot, new: Snapshot) -> bool:
    """Of results verdicts and speeds count, and speeds only of one and the same model."""
    if not is_rate(d.name):
        return isinstance(d.old, str) and isinstance(d.new, str) and not {d.old, d.new} & set(_UNTESTED)
    models = [side.facts.get(key("llm.model", item)) for side in (old, new)]
    named = [fact.value for fact in models if isinstance(fact, Known)]
    return len(named) < 2 or named[0] == named[1]


def leading(component: str, parts: list[ChangedPart]) -> ChangedPart:
    """The part that names a change best: one with both versions, of the driver's own package, before its libraries'."""
    def rank(part: ChangedPart) -> tuple[bool, bool, int]:
        return (not (part.old and part.new), not any(word in part.name.lower() for word in ("vulkan", "firmware", "core", component)), len(part.name))
    return min(parts, key=rank)


def _label(d: Difference) -> str:
    name = d.part if d.name in ("packages.installed", "pip.packages") else f"{d.name} {d.part}".strip()
    return f"{name} ({d.item})" if d.item and _first(d.name) != "torch" else name


def shown(name: str, value: Any) -> str:
    """A value as it is shown, "" when it is not there.

    >>> shown("gpu.vram_bytes", 17179869184), shown("kfd.available", True), shown("torch.hip", None)
    ('16 GiB', 'yes', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if unit(name) == "bytes" and isinstance(value, int):
        return words(value)
    if isinstance(value, float):
        value = f"{value:.10g}"
    if is_rate(name):
        return f"{value} {unit(name)}".strip()
    if isinstance(value, (list, tuple)):
        return ", ".join(shown(name, one) for one in value)
    return str(value)


def _how(kind: str, name: str, old: Any, new: Any) -> str:
    if old in (None, ""):
        return "added"
    if new in (None, ""):
        return "removed"
    number = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in (old, new))
    if is_rate(name) and number:
        return "slower" if new < old else "faster"
    if kind == "result":
        before, after = (_GOODNESS.get(str(v), 2) for v in (old, new))
        return "worse" if after > before else "better" if after < before else "changed"
    if unit(name) == "bytes" and number:
        return "smaller" if new < old else "larger"
    if kind == "update" and all(re.match(r"v?\d", str(v)) for v in (old, new)):  # names and lists have no order
        order = versions.compare(new, old)
        return "changed" if order is None else "downgraded" if order < 0 else "updated"
    return "changed"


def suspects(comparison: Comparison) -> list[Change]:
    """The changes that may be at fault."""
    return [change for change in comparison.changes if change.standing == "suspect"]


def results(comparison: Comparison) -> Iterable[Change]:
    """What was measured or decided otherwise than before."""
    return (change for change in comparison.changes if change.standing == "result")
