"""A soak: the machine is read again and again for a given time, and what grows, goes or is newly logged meanwhile is an outcome."""

from __future__ import annotations

import re
from collections.abc import Callable

from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known, Snapshot
from rocmdoctor.preflight.verdict import Action, Outcome
from rocmdoctor.records import dataclass

# (fact, in words, action, kind of the fault when it grows)
_COUNTERS: tuple[tuple[str, str, Action, str], ...] = (
    ("gpu.ras_ue_count", "uncorrectable errors", "ISOLATE", "hardware"),
    ("gpu.bad_pages", "retired pages", "ISOLATE", "hardware"),
    ("gpu.ras_ce_count", "correctable errors", "MONITOR", "watch"),
)
_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}
LONGEST = 7 * 24 * 3600


def seconds(text: str) -> int:
    """``600``, ``10m`` or ``2h`` in seconds. Raises ValueError.

    >>> seconds("90"), seconds("10m"), seconds("2h")
    (90, 600, 7200)
    """
    found = re.fullmatch(r"(\d{1,6})([smh]?)", text.strip())
    if not found or not 1 <= int(found[1]) * _UNITS[found[2]] <= LONGEST:
        raise ValueError(f"{text!r} is not a time between a second and a week; write 90, 10m or 2h")
    return int(found[1]) * _UNITS[found[2]]


@dataclass(frozen=True, slots=True)
class Clock:
    """Time as the caller has it."""

    now: Callable[[], float]
    sleep: Callable[[float], None]


def pause(length: int) -> float:
    """Seconds between two readings: about forty readings, none more often than every two seconds or less than every minute."""
    return min(60.0, max(2.0, length / 40))


def soak(first: Snapshot, look: Callable[[], Snapshot], length: int, clock: Clock, told: Callable[[int], None]) -> list[Outcome]:
    """Read until ``length`` seconds are over; ``told`` gets the seconds gone. One outcome for each change, or one that all stayed."""
    began, readings = clock.now(), 0
    latest = first
    new: dict[tuple[str, str], None] = {}
    had = {(hit.rule, hit.text) for hit in first.hits}
    lost: dict[str, int] = {}
    while (gone := clock.now() - began) < length:
        told(int(gone))
        clock.sleep(min(pause(length), max(0.0, length - gone)))
        latest = look()
        readings += 1
        new.update(dict.fromkeys((hit.rule, hit.text) for hit in latest.hits if (hit.rule, hit.text) not in had))
        for address in _addresses(first.facts).keys() - _addresses(latest.facts).keys():
            lost.setdefault(address, int(clock.now() - began))
    wish = f"no change in {length} s"
    outcomes = [Outcome("soak.gpus", address, "FAIL", wish, f"gone after {after} s", "/sys/bus/pci/devices", action="RESET", kind="hardware",
                        fix="The GPU left the bus while it was watched: read the kernel log, cold-boot, repeat",
                        fix_commands=["sudo dmesg | grep -iE 'amdgpu|pcieport'"]) for address, after in sorted(lost.items())]
    outcomes += _grown(first.facts, latest.facts, wish)
    outcomes += [Outcome("soak.log", rule, "FAIL", wish, text, "kernel log", action="RESET", kind="watch",
                         fix=f"`rocmdoctor rules show {rule}` says what this line means and what to do") for rule, text in new]
    known = any(isinstance(fact, Known) for key, fact in latest.facts.items() if vocabulary.split_key(key)[0] in {row[0] for row in _COUNTERS})
    if not outcomes and known:
        outcomes.append(Outcome("soak.counters", "", "PASS", wish, f"{readings} readings, nothing grew"))
    elif not outcomes:
        outcomes.append(Outcome("soak.counters", "", "UNKNOWN", wish, f"{readings} readings", says="no GPU here has error counters to read",
                                action="MONITOR", command="sudo amd-smi metric --ecc"))
    return outcomes


def _addresses(facts: dict[str, Fact]) -> dict[str, str]:
    """PCI address to item; the items of two readings need not have the same numbers."""
    return {str(fact.value): item for item in items_of(facts) if isinstance(fact := facts.get(vocabulary.key("gpu.pci_address", item)), Known)}


def _grown(before: dict[str, Fact], after: dict[str, Fact], wish: str) -> list[Outcome]:
    now = _addresses(after)
    found = []
    for address, item in _addresses(before).items():
        for name, words, action, kind in _COUNTERS:
            old, new = before.get(vocabulary.key(name, item)), after.get(vocabulary.key(name, now.get(address, "")))
            if isinstance(old, Known) and isinstance(new, Known) and new.value > old.value:
                found.append(Outcome("soak.counters", address, "WARN" if kind == "watch" else "FAIL", wish, f"{words}: {old.value}, then {new.value}",
                                     new.source, action=action, kind=kind, fix="Reset the GPU and soak again: what grows twice decides"))
    return found
