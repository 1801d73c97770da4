"""What changed, for a terminal: the suspects first, each with what is known of it and the way back."""

from __future__ import annotations

from rocmdoctor.facts.model import Report
from rocmdoctor.facts.sections import Change, Comparison
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report import terminal, timeline_text
from rocmdoctor.share.wash import wash, wash_prose

MOST_PARTS = 6
MOST_HIDDEN = 8
_STYLE = {"bad": "bold red", "possible": "yellow", "": ""}
_HEADS = {"suspect": "What may be at fault, the most suspect first", "result": "What came of it", "other": "What else changed"}


def heading(comparison: Comparison) -> str:
    """What is compared with what, in one sentence."""
    if comparison.two_machines:
        return f"How {wash(comparison.new)} differs from {wash(comparison.old)}: two machines."
    if comparison.basis == "states" and not comparison.compared:
        return f"Nothing could be compared: {wash(comparison.old)} or {wash(comparison.new)} holds no fact that the other has, too."
    count = sum(change.standing == "suspect" for change in comparison.changes)
    what = "Nothing that could be at fault changed" if not count else f"{count} thing{'s' if count != 1 else ''} that may be at fault changed"
    basis = " by what package managers and boots recorded" if comparison.basis == "history" else ""
    return f"{what} between {wash(comparison.old)} and {wash(comparison.new)}{basis}."


def in_line(change: Change) -> str:
    """``25.0.7 -> 26.1.0``, washed."""
    if change.old and change.new:
        return f"{wash(change.old)} -> {wash(change.new)}"
    return wash(change.old or change.new)


def footing(comparison: Comparison) -> list[str]:
    """What is not among the changes, so that nobody takes silence for an answer."""
    lines = []
    if comparison.unrelated:
        lines.append(f"{comparison.unrelated} packages of other software changed as well; no component of the GPU stack is among them.")
    if comparison.basis == "history":
        lines.append("Histories know packages and boots only: settings, devices and what was installed by hand are not in them.")
    if comparison.hidden:
        names = ", ".join(wash(name) for name in comparison.hidden[:MOST_HIDDEN])
        more = f" and {len(comparison.hidden) - MOST_HIDDEN} more" if len(comparison.hidden) > MOST_HIDDEN else ""
        lines.append(f"Known on one side only, so not compared: {names}{more}.")
    return lines


def render(report: Report, width: int, colour: bool) -> str:
    """The comparison alone."""
    console = terminal.console_for(width, colour)
    comparison = report.changes
    if comparison is None:
        return ""
    terminal.say(console, Text(heading(comparison), style="bold"))
    timeline_text.section(console, report.timeline)
    number = 0
    for standing, head in _HEADS.items():
        rows = [change for change in comparison.changes if change.standing == standing]
        if rows:
            console.print()
            terminal.say(console, Text("What differs" if comparison.two_machines and standing == "suspect" else head, style="bold"))
        for change in rows:
            number += 1
            _change(console, change, number)
    if lines := footing(comparison):
        console.print()
        for line in lines:
            terminal.say(console, Text(line, style="dim"))
    terminal.print_notes(console, report)
    return console.text()


def _change(console: Console, change: Change, number: int) -> None:
    line = in_line(change)
    terminal.say(console, Text.assemble((f"{number}. ", "bold"), (wash(change.title), "bold"), f" {change.how}", f": {line}" if line else ""), 2)
    about = change.layer + (f" · {wash(change.at)[:16].replace('T', ' ')} UTC" if change.at else "")
    terminal.say(console, Text(about, style="dim"), 5)
    if change.says:
        terminal.say(console, Text(wash_prose(change.says), style=_STYLE[change.verdict]), 5)
    parts = change.parts if len(change.parts) > 1 or (change.parts and change.standing != "suspect") else []
    for part in parts[:MOST_PARTS]:
        terminal.say(console, Text(f"{wash(part.name)}: {wash(part.old) or '(none)'} -> {wash(part.new) or '(none)'}", style="dim"), 7)
    if len(parts) > MOST_PARTS:
        terminal.say(console, Text(f"… {len(parts) - MOST_PARTS} more", style="dim"), 7)
    for place, fix in enumerate(change.way_back, 1):
        terminal.print_fix(console, fix, place, "Way back")
    for url in change.references[:3]:
        terminal.say(console, Text(wash(url, 2000), style="dim"), 5)
