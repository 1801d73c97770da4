"""A fleet for a terminal: the headline, what the differing machines have in common, then each of them, worst first."""

from __future__ import annotations

from rocmdoctor.fleet.answer import Cause, Fleet, headline
from rocmdoctor.render.page import Text
from rocmdoctor.render.report.terminal import console_for, say
from rocmdoctor.share.wash import wash

MOST_OUTLIERS = 50
MOST_NAMES = 12
HEADLINE = 1000
_STYLE = {"FAIL": "bold red", "UNKNOWN": "bold yellow", "WARN": "yellow", "PASS": "green"}


def names(nodes: list[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(nodes) - MOST_NAMES} more" if len(nodes) > MOST_NAMES else ""
    return ", ".join(wash(node) for node in nodes[:MOST_NAMES]) + more


def cause_words(cause: Cause) -> str:
    """``kernel.release: 6.8.0-58 instead of 6.8.0-60``."""
    return wash(cause.fact + f": {cause.value}" + (f" instead of {cause.usual}" if cause.usual else ""))


def render(fleet: Fleet, width: int, colour: bool) -> str:
    """The whole answer; of many outliers the worst."""
    console = console_for(width, colour)
    say(console, Text(wash(headline(fleet), HEADLINE), style="bold green" if not fleet.outliers else "bold red"))
    if fleet.verdicts:
        say(console, Text("preflight: " + ", ".join(f"{count} {wash(verdict)}" for verdict, count in fleet.verdicts.items())), 2)
    for kind in fleet.kinds:
        few = "" if kind.nodes >= 3 else " (too few to compare)"
        say(console, Text(f"{kind.nodes} x {wash(kind.name)}: {kind.equal} equal{few}"), 2)
    if fleet.causes:
        console.print()
        say(console, Text("In common", style="bold"))
    for cause in fleet.causes[:30]:
        say(console, Text(f"{len(cause.nodes):>5}  {cause_words(cause)}"), 2)
        say(console, Text(names(cause.nodes), style="dim"), 9)
    if len(fleet.causes) > 30:
        say(console, Text(f"… {len(fleet.causes) - 30} more; --json, --html and --csv have all", style="dim"), 2)
    if fleet.outliers:
        console.print()
        say(console, Text("Worst first", style="bold"))
    for outlier in fleet.outliers[:MOST_OUTLIERS]:
        verdict = (f" {wash(outlier.verdict)}", _STYLE.get(outlier.verdict, "")) if outlier.verdict else ""
        say(console, Text.assemble((wash(outlier.node), "bold"), verdict, f" {wash(outlier.action)}" if outlier.action else ""), 2)
        for line in [*outlier.failures, *outlier.findings]:
            say(console, Text(wash(line)), 4)
        for d in outlier.differences:
            say(console, Text(wash(f"{d.fact}: {d.value}; {d.share:.0%} have {d.usual}")), 4)
    if len(fleet.outliers) > MOST_OUTLIERS:
        say(console, Text(f"… {len(fleet.outliers) - MOST_OUTLIERS} more; --json, --html and --csv have all", style="dim"), 2)
    for split in fleet.splits:
        say(console, Text("no usual value: " + wash(split.fact) + ": " + ", ".join(f"{wash(value)} ({count})" for value, count in split.values),
                          style="dim"))
    for line in fleet.everywhere:
        say(console, Text("everywhere: " + wash(line), style="dim"))
    return console.text()
