"""An explanation of one finding for a terminal."""

from __future__ import annotations

from rocmdoctor.knowledge.explained import Explanation
from rocmdoctor.render.page import Text
from rocmdoctor.render.report import terminal
from rocmdoctor.share.wash import wash, wash_prose


def render(found: Explanation, width: int, colour: bool) -> str:
    """What it is, how to recognise it, what looks alike, what to do, where it is known from."""
    console = terminal.console_for(width, colour)
    terminal.say(console, Text(wash_prose(found.title), style="bold"))
    terminal.say(console, Text(f"{found.kind} · {wash(found.id)}", style="dim"))

    def part(title: str, lines: list[str]) -> None:
        lines = [line for line in lines if line]
        if lines:
            console.print()
            terminal.say(console, Text(title, style="bold"))
            for line in lines:
                terminal.say(console, Text(wash_prose(line)), 2)

    part("What it is", [text for text in dict.fromkeys((found.says, found.why)) if text and text.rstrip(".") != found.title.rstrip(".")])
    part("How to recognise it", [f"It shows as: {'; '.join(found.shows_as)}." if found.shows_as else "",
                                 f"It depends on: {'; '.join(found.conditions)}." if found.conditions else ""])
    if found.lines:
        part("Lines it was seen in", list(found.lines))
    part("What looks alike", [f"{name}: {title}" for name, title in found.alike])
    if found.fixes:
        console.print()
        terminal.say(console, Text("What to do", style="bold"))
        for number, fix in enumerate(found.fixes, 1):
            terminal.print_fix(console, fix, number, "Way")
    part("What does not help", list(found.not_a_fix))
    part("Known from", list(found.sources))
    return console.text()
