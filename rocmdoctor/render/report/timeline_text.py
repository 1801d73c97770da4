"""When it broke, in words: the points of the time line for terminal and Markdown, and what the page's picture says."""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.compare.timeline import gap
from rocmdoctor.facts.sections import Moment
from rocmdoctor.records import dataclass
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report.decisive import undressed
from rocmdoctor.share.wash import wash

MOST_LETTERS = 90
_NAMES = {"update": "updated", "boot": "", "good": "", "bad": "", "fault": "fault", "then": "", "now": ""}
_MARKS = {"update": ("■", "yellow"), "boot": ("│", "dim"), "good": ("●", "green"), "bad": ("✗", "red"), "fault": ("✗", "bold red"), "then": ("○", ""),
          "now": ("○", "")}


@dataclass(frozen=True, slots=True)
class Point:
    """One point as it is shown; ``after`` is how long after the one before it."""

    kind: str
    when: str
    words: str
    note: str
    after: str
    suspect: bool


def title(moments: list[Moment]) -> str:
    """What the line shows: trouble, or changes alone."""
    return "When it broke" if any(moment.kind in ("fault", "bad") for moment in moments) else "When it changed"


def points(moments: list[Moment]) -> Iterator[Point]:
    """The points in words, the oldest first."""
    before = ""
    for moment in moments:
        words = wash(moment.words, 400)
        if moment.kind == "fault":
            words = undressed(words)
        words = words if len(words) <= MOST_LETTERS else words[:MOST_LETTERS - 1] + "…"
        notes = [wash(moment.note, 80)] * bool(moment.note) + ["in the time zone of the log"] * (not moment.sure) \
            + ["the last update before it began"] * moment.suspect
        yield Point(moment.kind, wash(moment.at)[:16].replace("T", " "), f"{_NAMES[moment.kind]} {words}".strip(), "; ".join(notes),
                    gap(before, moment.at) if before else "", moment.suspect)
        before = moment.at


def update(moment: Moment) -> str:
    """An update in a line."""
    return f"{wash(moment.words)}, {wash(moment.at)[:16].replace('T', ' ')} UTC" + (f" ({wash(moment.note)})" if moment.note else "")


def section(console: Console, moments: list[Moment] | None) -> None:
    """The line downwards, a point a row."""
    if not moments:
        return
    console.print()
    console.print(Text.assemble((title(moments), "bold"), (" (times are UTC)", "dim")))
    for point in points(moments):
        mark, style = _MARKS[point.kind]
        head = Text.assemble("  ", (mark, style), f" {point.when}  ")
        wrapped = Text(point.words + (f" ({point.note})" if point.note else "")).wrap(max(console.width - 22, 20))
        for number, line in enumerate(wrapped):
            console.print_whole(Text.assemble(head if not number else " " * 22, line))


def lines(moments: list[Moment]) -> list[str]:
    """The same, a sentence a point."""
    return [f"{point.when} UTC: {point.words}" + (f" ({point.note})" if point.note else "") for point in points(moments)]
