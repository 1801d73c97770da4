"""A preflight for a terminal: the verdict, what is wrong with its fix, and one line for each thing that is right."""

from __future__ import annotations

from rocmdoctor.preflight.verdict import ORDER, Outcome, Preflight, counts
from rocmdoctor.render.page import Text
from rocmdoctor.render.report.terminal import console_for, say
from rocmdoctor.share.wash import wash, wash_command, wash_prose

_STYLE = {"PASS": "green", "WARN": "yellow", "FAIL": "bold red", "UNKNOWN": "bold yellow", "SKIPPED": "dim"}


def named(outcome: Outcome) -> str:
    """``pcie.width, gpu 0 (0000:03:00.0)``: what every format calls an outcome."""
    return wash(outcome.expectation + (f", {outcome.subject}" if outcome.subject else ""))


def sentence(outcome: Outcome) -> str:
    """``expected 16, found x8``, with what is to be said besides."""
    if outcome.verdict == "SKIPPED":
        return wash(outcome.says)
    expected = f"expected {outcome.expected}, " if outcome.expected else ""
    return wash(f"{expected}found {outcome.actual}" + (f" ({outcome.says})" if outcome.says else ""))


def summary(gate: Preflight) -> str:
    """``FAIL: 2 FAIL, 12 PASS``."""
    return f"{gate.verdict}: " + ", ".join(f"{count} {verdict}" for verdict, count in counts(gate.outcomes).items())


def render(gate: Preflight, width: int, colour: bool) -> str:
    """The whole answer; what is not right comes first."""
    console = console_for(width, colour)
    say(console, Text.assemble((gate.verdict, _STYLE[gate.verdict]), f"  {wash(gate.node)}: policy {wash(gate.policy)}, level {gate.level}, "
                               f"{gate.seconds:.1f} s" + (f" · {gate.action}" if gate.action else "")))
    say(console, Text(wash_prose(gate.fault.says)), 2)
    for outcome in sorted(gate.outcomes, key=lambda o: ORDER.index(o.verdict)):
        if outcome.verdict in ("PASS", "SKIPPED"):
            continue
        console.print()
        say(console, Text.assemble((f"{outcome.verdict:<7}", _STYLE[outcome.verdict]), " ", (named(outcome), "bold"),
                                   f"  {outcome.action}" if outcome.action else ""))
        say(console, Text(sentence(outcome)), 8)
        if outcome.source:
            say(console, Text(f"source: {wash(outcome.source)}", style="dim"), 8)
        if outcome.fix:
            say(console, Text(f"fix: {wash_prose(outcome.fix)}"), 8)
        for command in [*outcome.fix_commands, *([outcome.command] if outcome.command else [])]:
            for line in wash_command(command):
                console.print_whole(Text(f"        $ {line}", style="cyan"))
    quiet = [outcome for outcome in gate.outcomes if outcome.verdict in ("PASS", "SKIPPED")]
    if quiet:
        console.print()
    for outcome in quiet:
        say(console, Text.assemble((f"{outcome.verdict:<7}", _STYLE[outcome.verdict]), " ", named(outcome), ": ",
                                   wash(outcome.actual or outcome.says),
                                   f" ({wash(outcome.says)})" if outcome.actual and outcome.says else ""))
    for note in gate.notes:
        say(console, Text(f"note: {wash_prose(note)}", style="dim"))
    return console.text()
