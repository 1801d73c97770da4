"""The servers that were asked, for a terminal and for Markdown."""

from __future__ import annotations

from rocmdoctor.facts.model import Report
from rocmdoctor.facts.sections import LlmServer
from rocmdoctor.render.figures import llm_plot
from rocmdoctor.render.page import Console, Text
from rocmdoctor.share.wash import wash

_SIGN = {"cpu": ("C", "yellow"), "gpu": ("G", "green"), "measured": ("●", "bold cyan")}
_ROOM = 56


def title(server: LlmServer) -> str:
    """Which server, and where; not every one says what it is."""
    return f"{wash(server.server) or 'A server'} at {wash(server.place)}"


def lines(server: LlmServer) -> list[tuple[str, str]]:
    """What there is to say, as label and words, without the plot."""
    counted = f", {server.right} of {server.asked} right" if server.right is not None and server.asked else ""
    shown = f"; it said: {wash(server.shown)}" if server.shown.strip() else ""
    speeds = [f"{llm_plot.rate(value)} tokens/s {what}" for value, what in ((server.generation, "generated"), (server.prompt, "of prompt read")) if value]
    rows = [("Model", wash(server.model)), ("Answers", f"{wash(server.verdict) or 'unknown'}{counted}{shown}"), ("Device", wash(server.device)),
            ("Kernel saw", ", ".join(map(wash, server.seen))), ("Speed", ", ".join(speeds)),
            ("Judged", " ".join(filter(None, (server.speed.replace("_", "-"), f"({wash(server.speed_why)})" if server.speed_why else "")))),
            ("Ceilings", wash(server.ceilings_of))]
    return [(label, words) for label, words in rows if words]


def _say(console: Console, text: Text, indent: int = 0) -> None:
    console.print(text, indent)


def section(console: Console, report: Report) -> None:
    """One block per server, with the plot of the speed between its ceilings."""
    for server in report.llm or []:
        console.print()
        _say(console, Text(title(server), style="bold"))
        for label, words in lines(server):
            _say(console, Text.assemble((f"{label:<11}", "dim"), words), 2)
        _plot(console, server)


def _plot(console: Console, server: LlmServer) -> None:
    found = llm_plot.marks(server)
    if not found:
        return
    line = Text("─" * _ROOM, style="dim")
    for mark in sorted(found, key=lambda m: m.kind == "measured"):
        sign, style = _SIGN[mark.kind]
        at = min(round(mark.at * _ROOM), _ROOM - 1)
        line = Text.assemble(line[:at], (sign, style), line[at + 1:])
    _say(console, line, 2)
    _say(console, Text.assemble(*[part for mark in found for part in ((_SIGN[mark.kind][0], _SIGN[mark.kind][1]), f" {mark.text}   ")]), 2)
