"""Where in a long log the quoted lines stand: a strip of all its lines with a mark for each, which terminal and page share; the lines below it in order."""

from __future__ import annotations

from markupsafe import Markup, escape

from rocmdoctor.facts.model import Known, Report
from rocmdoctor.records import dataclass
from rocmdoctor.render.report.decisive import undressed
from rocmdoctor.share.wash import wash

LONG = 100  # lines; a shorter log is read at a glance
MOST_LOGS, MOST_MARKS, MOST_LETTERS = 3, 8, 72
_UNITS = 1000
STYLE = """
.strip svg { display: block; width: 100%; height: 1.4rem; } .strip .track { fill: var(--soft); stroke: var(--line); } .strip .mark { fill: var(--error); }
.strip ol { list-style: none; margin: .3rem 0; padding: 0; } .strip ol li { line-height: 1.4; } .strip ol b { font-weight: 600; }
"""


@dataclass(frozen=True, slots=True)
class Mark:
    """One quoted line, and the number of the finding that quotes it."""

    line: int
    finding: int
    words: str


@dataclass(frozen=True, slots=True)
class Strip:
    """One log: how many lines it has, and the marks in their order."""

    name: str
    lines: int
    marks: tuple[Mark, ...]

    @property
    def title(self) -> str:
        """Its name and length."""
        return f"{self.name}, {self.lines:,} lines"

    def at(self, line: int, room: int) -> int:
        """The place of a line in so many cells."""
        return min(max((line - 1) * room // max(self.lines, 1), 0), room - 1)


def strips(report: Report) -> list[Strip]:
    """The long logs in which something that is quoted stands."""
    fact = report.snapshot.facts.get("report.texts")
    rows = fact.value if isinstance(fact, Known) and isinstance(fact.value, list) else []
    found = []
    for row in rows:
        name, lines = (row.get("text"), row.get("lines")) if isinstance(row, dict) else (None, None)  # a saved report may say anything
        if not isinstance(name, str) or not isinstance(lines, int) or isinstance(lines, bool) or lines < LONG:
            continue
        marks: dict[int, Mark] = {}
        for finding in report.findings:
            if finding.standing == "risk":
                continue
            for item in finding.evidence:
                if item.source == name and item.text and 0 < item.line <= lines and len(marks) < MOST_MARKS:
                    words = undressed(wash(item.text, 400))
                    marks.setdefault(item.line, Mark(item.line, finding.rank, words if len(words) <= MOST_LETTERS else words[:MOST_LETTERS - 1] + "…"))
        if marks:
            found.append(Strip(wash(name, 60), lines, tuple(marks[line] for line in sorted(marks))))
    return found[:MOST_LOGS]


def render(strip: Strip) -> Markup:
    """The strip, which stretches without its text, and the lines as a list."""
    ticks = "".join(f'<rect class="mark" x="{strip.at(mark.line, _UNITS - 4)}" y="0" width="4" height="10"/>' for mark in strip.marks)
    rows = "".join(f"<li><b>line {mark.line:,}</b> {escape(mark.words)} <span class=\"dim\">finding {mark.finding}</span></li>" for mark in strip.marks)
    return Markup(f'<div class="strip"><svg viewBox="0 0 {_UNITS} 10" preserveAspectRatio="none" aria-hidden="true"><rect class="track" x="0" y="0" '
                  f'width="{_UNITS}" height="10"/>{ticks}</svg><ol>{rows}</ol></div>')
