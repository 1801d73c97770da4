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
        rule = _words.rule(_CHECK, "new-card", {**words, "told": f'"{told[:_SHOWN]}"'}, references=row.get("sources", ()), observes=True)
        if explained := seen.explained(rule):
            yield Judged(rule, Answer(True, (), ()), explained=explained, hits=lines)


def _newest(seen: Evidence) -> tuple[dict[str, Any], str]:
    """The row of the newest generation among the GPUs, {} where none has one, and the target that it is of."""
    rows = tables.load("first_support")["generations"]
    targets = [gfx for gfx in seen.texts("about.gpu") if gfx.startswith("gfx") and tables.kind(gfx) == "dgpu"]
    return next(((row, gfx) for row in rows for gfx in targets if tables.generation(gfx) == row["id"]), ({}, targets[0] if targets else ""))


def _needs(row: dict[str, Any]) -> str:
    if not row:
        return "new GPUs need a new kernel, firmware and Mesa or ROCm"
    told = (("Linux", "linux"), ("Mesa", "mesa"), ("ROCm", "rocm"))
    return ", ".join(f"{name} {row[key]}" for name, key in told if row[key]) + f" or newer, and linux-firmware {row['firmware']} or newer"
