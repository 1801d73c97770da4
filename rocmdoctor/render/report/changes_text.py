"""What changed, for a terminal: the suspects first, each with what is known of it and the way back."""

from __future__ import annotations

from rocmdoctor.facts.model import Report
from rocmdoctor.facts.sections import Change, Comparison
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report import brief, terminal, timeline_text, unexamined
from rocmdoctor.render.report.brief import SCREEN
from rocmdoctor.render.report.wording import PROMPTS
from rocmdoctor.share.wash import wash, wash_command, wash_prose

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
        names = list(dict.fromkeys(unexamined.topic(name) for name in comparison.hidden))
        more = f" and {len(names) - MOST_HIDDEN} more" if len(names) > MOST_HIDDEN else ""
        lines.append(f"Known on one side only, so not compared: {', '.join(names[:MOST_HIDDEN])}{more}.")
    return lines


def render(report: Report, width: int, colour: bool, verbose: bool = False, last: bool = False) -> str:
    """The comparison alone: the time line, each suspect with the first way back; with ``verbose`` all that is known of every change, with ``last``
    the first thing to do at the end, too."""
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
            (_change if verbose else _short)(console, change, number)
    console.print()
    for line in footing(comparison):
        terminal.say(console, Text(line, style="dim"))
    if not verbose and comparison.changes:
        terminal.say(console, Text("-v shows what is known of each change, every way back and its price.", style="dim"))
    if verbose:
        terminal.print_notes(console, report)
    if last and console.text().count("\n") > SCREEN and (first := _first(comparison)):
        terminal.say(console, Text(first, style="bold"))
    return console.text()


def _first(comparison: Comparison) -> str:
    """The most suspect change and what to do about it."""
    suspect = next((change for change in comparison.changes if change.standing == "suspect"), None)
    if suspect is None or comparison.two_machines:
        return ""
    back = f" First: {wash_prose(_lowered(suspect.way_back[0].title))}." if suspect.way_back else ""
    return f"Most suspect: {wash(suspect.title)} {in_line(suspect)}.{back}"


def _lowered(title: str) -> str:
    return title[:1].lower() + title[1:]


def _head(console: Console, change: Change, number: int) -> None:
    line = in_line(change)
    terminal.say(console, Text.assemble((f"{number}. ", "bold"), (wash(change.title), "bold"), f" {change.how}", f": {line}" if line else ""), 2)


def _short(console: Console, change: Change, number: int) -> None:
    """What changed, whether it is known to be bad, and the first way back."""
    _head(console, change, number)
    if change.says:
        terminal.say(console, Text(brief.sentences(wash_prose(change.says), console.width - 5, 3) or wash_prose(change.says), style=_STYLE[change.verdict]), 5)
    for fix in change.way_back[:1]:
        terminal.say(console, Text.assemble(("back  ", "bold green"), wash_prose(fix.title)), 5)
        for command in fix.commands:
            for line in wash_command(command):
                console.print_whole(Text(" " * 11 + PROMPTS.get(fix.language, "") + line, style="cyan"))


def _change(console: Console, change: Change, number: int) -> None:
    _head(console, change, number)
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
