"""What a writer compared: where one thing was varied and the outcome changed, that thing says where the fault is."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.knowledge import applications, compiled, tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.records import dataclass

_CHECK = "contrast"
_MOST_NAMED = 2
_SHOWN = 160
_HERE = {"hip": "rocm"}  # what about.backend calls otherwise
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Contrast:
    """One axis on which the outcome differs: the rows that are right only, those that are wrong only, and how the wrong ones are called."""

    form: str
    right: list[Row]
    wrong: list[Row]
    other: list[str]


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first axis that differs, as what was observed."""
    told = _words.compared(seen, _CHECK)
    rows = [row for row, _ in told]
    one = next((found for axis in tables.load("contrasts")["axes"] if (found := _contrast(axis, rows, seen))), None)
    if one:
        rule = _words.rule(_CHECK, one.form, _filled(one, seen), observes=True, general=True)
        if explained := seen.explained(rule):
            hits = [line for quoted in _quoted(one) for row, line in told if row is quoted]
            yield Judged(rule, Answer(True, (), ()), explained=explained, hits=hits, row=True)


def _contrast(axis: Row, rows: list[Row], seen: Evidence) -> _Contrast | None:
    mine = [row for row in rows if row["axis"] == axis["id"]]
    values = {outcome: {row["value"] for row in mine if row["right"] is outcome} for outcome in (True, False)}
    right = [row for row in mine if row["right"] and row["value"] not in values[False]]
    wrong = [row for row in mine if not row["right"] and row["value"] not in values[True]]
    if not right:
        return None
    other = {str(row["value"]): str(row["title"]) for row in wrong} or _here(axis, {row["value"] for row in mine}, seen)
    if not other and not axis.get("alone"):
        return None
    rights = {str(row["value"]) for row in right}
    form = next((form for form in compiled.part(f"checks/{_CHECK}.yaml")["forms"] if form["axis"] == axis["id"] and _fits(form, rights, other)
                 and _words.holds(str(form.get("when") or ""), seen)), None)
    return _Contrast(form["id"], right, wrong, list(other.values())) if form else None


def _fits(form: Row, right: Collection[str], wrong: Collection[str]) -> bool:
    return form.get("right", "") in ("", *right) and form.get("wrong", "") in ("", *wrong)


def _here(axis: Row, told: set[str], seen: Evidence) -> dict[str, str]:
    """What this machine has on the axis by its title, for a writer who names only the one that is right."""
    if not axis.get("fact"):
        return {}
    values = [_HERE.get(value, value) for value in seen.texts(axis["fact"]) if value != "cpu"]  # where it is right, the GPU is wrong
    if axis["id"] == "gpu":
        values = [value for value in values if value.startswith("gfx")]
    return next(({value: _title(value)} for value in values if value not in told), {})


def _title(value: str) -> str:
    """How a value of an axis is written."""
    rows = (row for axis in tables.load("contrasts")["axes"] for row in axis.get("values") or ())
    return next((str(row["title"]) for row in rows if row["id"] == value), applications.title(value))


def _titles(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(str(row["title"]) for row in rows))


def _quoted(one: _Contrast) -> list[Row]:
    return [*one.right[:2], *one.wrong[:2]]


def _filled(one: _Contrast, seen: Evidence) -> dict[str, Any]:
    right = _titles(one.right)[:_MOST_NAMED]
    told = dict.fromkeys(f'"{str(row["text"])[:_SHOWN]}"' for row in _quoted(one))
    app = next(iter(seen.texts("about.app")), "")
    return {"right": " and ".join(right), "wrong": " and ".join(one.other[:_MOST_NAMED]) or "what was used before", "told": "; ".join(told),
            "word": right[0].split("=")[0].lstrip("-"), "app": _title(app) if app else "the program",
            "gpu": next((word for word in seen.texts("about.gpu") if word.startswith("gfx")), "this GPU")}
