"""A GPU that is new in its machine, as the writer tells, and the first releases that know its generation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "new_card"
_SHOWN = 160


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """A card that is new in its machine."""
    row, gpu = _newest(seen)
    words = {"gpu": gpu or "this GPU", "needs": _needs(row)}
    told = seen.text("report.new_card")
    if told:
        lines = _words.hits_of(seen.facts, ["report.new_card"], "new-card")
        rule = _words.rule(_CHECK, "new-card", {**words, "told": f'"{told[:_SHOWN]}"'}, references=row.get("source", ()), observes=True)
        if explained := seen.explained(rule):
            yield Judged(rule, Answer(True, (), ()), explained=explained, hits=lines)


def _newest(seen: Evidence) -> tuple[dict[str, Any], str]:
    """What the newest of the GPUs needs at least, {} where the table has none of them, and the target that it is of."""
    targets = [gfx for gfx in seen.texts("about.gpu") if gfx.startswith("gfx") and tables.kind(gfx) == "dgpu"]
    return next(((row, gfx) for row in tables.load("needs")["gpus"] for gfx in targets if gfx in row["gfx"]), ({}, targets[0] if targets else ""))


def _needs(row: dict[str, Any]) -> str:
    """The first releases that know it, as far as they are on record."""
    told = [f"{name} {row[key]}" for name, key in (("Linux", "kernel"), ("Mesa", "mesa"), ("ROCm", "rocm")) if key in row]
    firmware = f"{row['firmware']} or newer" if "firmware" in row else "linux-firmware of the same age"
    return f"{', '.join(told)} or newer, and {firmware}" if told else "new GPUs need a new kernel, firmware and Mesa or ROCm"
