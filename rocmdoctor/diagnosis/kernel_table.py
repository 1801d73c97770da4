"""What the test kernels showed, as one row per device: the object that every rendering draws its table from."""

from __future__ import annotations

from typing import Any

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.facts.sections import KernelCheck, KernelDevice
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import tables

MOST_DEVICES, MOST_CHECKS = 64, 200


def catches(check: str) -> tuple[str, str]:
    """(the known fault that a check would catch, its source); the longest name of the table that begins the check's name.

    >>> catches("gemv-f32-rows")[0] != catches("gemv-f32-decode")[0], catches("no such check")
    (True, ('', ''))
    """
    rows: dict[str, Any] = tables.load("kernel_checks")["checks"]
    name = max((name for name in rows if check == name or check.startswith(name + "-")), key=len, default="")
    return (str(rows[name]["catches"]), str(rows[name]["source"])) if name else ("", "")


def of(facts: dict[str, Fact]) -> list[KernelDevice]:
    """Every device that was tested or could not be, in the order of their backends."""
    return [_device(facts, item) for item in items_of(facts, "test")[:MOST_DEVICES]]


def _device(facts: dict[str, Fact], item: str) -> KernelDevice:
    def value(name: str) -> Any:
        fact = facts.get(key("test." + name, item))
        return fact.value if isinstance(fact, Known) else None

    def rate(name: str) -> float | None:
        found = value(name)
        return float(found) if isinstance(found, (int, float)) else None

    rows = value("checks")
    checks = []
    for row in rows[:MOST_CHECKS] if isinstance(rows, list) else []:
        if isinstance(row, dict):
            name = str(row.get("check"))
            seconds = row.get("seconds")
            checks.append(KernelCheck(name, str(row.get("verdict")), str(row.get("detail") or ""),
                                      float(seconds) if isinstance(seconds, (int, float)) else 0.0, *catches(name)))
    backend, device, kind, gfx, verdict, reason = (
        str(value(name) or "") for name in ("backend", "device", "device_type", "gfx_target", "verdict", "reason"))
    return KernelDevice(item, backend, device, kind, gfx, verdict, reason, rate("copy_bytes_per_s"), rate("expected_bytes_per_s"), checks)
