"""A fleet for a terminal: the headline, what the differing machines have in common, then each of them, worst first."""

from __future__ import annotations

import string

from rocmdoctor.fleet.answer import Cause, Fleet, headline
from rocmdoctor.records import replace
from rocmdoctor.render.figures import heat
from rocmdoctor.render.figures.heat import Heat
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report.terminal import console_for, say
from rocmdoctor.share.wash import wash

MOST_OUTLIERS = 50
MOST_NAMES = 12
MOST_ROWS = 20
HEADLINE = 1000
_LETTERS = string.ascii_letters
_LETTER_STYLE = {"F": "bold red", "U": "bold yellow", "!": "cyan", "D": "bold"}
_STYLE = {"FAIL": "bold red", "UNKNOWN": "bold yellow", "WARN": "yellow", "PASS": "green"}


def names(nodes: list[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(nodes) - MOST_NAMES} more" if len(nodes) > MOST_NAMES else ""
    return ", ".join(wash(node) for node in nodes[:MOST_NAMES]) + more


def cause_words(cause: Cause) -> str:
    """``kernel.release: 6.8.0-58 instead of 6.8.0-60``."""
    return wash(cause.fact + f": {cause.value}" + (f" instead of {cause.usual}" if cause.usual else ""))


def merged(causes: list[Cause]) -> list[Cause]:
    """Expectations that came out alike on the same machines are one thing to look into, not forty."""
    alike: dict[tuple[str, str, tuple[str, ...]], list[Cause]] = {}
    for cause in causes:
        key = (cause.kind, cause.value, tuple(cause.nodes)) if cause.fact.startswith("expectation ") else (cause.kind, cause.fact, (cause.value, cause.usual))
        alike.setdefault(key, []).append(cause)
    found = []
    for same in alike.values():
        if len(same) < 3:
            found += same
            continue
        listed = [cause.fact.removeprefix("expectation ") for cause in same]
        more = f" and {len(same) - 4} more" if len(same) > 4 else ""
        found.append(replace(same[0], fact=f"{len(same)} expectations ({', '.join(listed[:4])}{more})"))
    return sorted(found, key=lambda cause: -len(cause.nodes))


def _map(console: Console, drawn: Heat, equal: int) -> None:
    """Machines downwards, a letter a column; the columns are named below."""
    console.print()
    say(console, Text("Machines and what is not right with them", style="bold"))
    room = max(min(console.width - 22, len(drawn.columns), len(_LETTERS)), 1)
    console.print_whole(Text(" " * 20 + _LETTERS[:room], style="dim"))
    for node, letters in drawn.rows[:MOST_ROWS]:
        name = node if len(node) <= 17 else node[:16] + "…"
        cells = [(letter or "·", _LETTER_STYLE.get(letter, "dim")) for letter in letters[:room]]
        console.print_whole(Text.assemble(f"  {wash(name):<18}", *cells))
    if len(drawn.rows) > MOST_ROWS:
        say(console, Text(f"… {len(drawn.rows) - MOST_ROWS} more", style="dim"), 2)
    if equal:
        console.print_whole(Text(f"  {f'{equal} equal':<18}" + "·" * room, style="dim"))
    say(console, Text(heat.key(drawn)), 2)
    say(console, Text("   ".join(f"{_LETTERS[place]}={wash(name)}" for place, name in enumerate(drawn.columns[:room])), style="dim"), 2)


def render(fleet: Fleet, width: int, colour: bool) -> str:
    """The whole answer; of many outliers the worst."""
    console = console_for(width, colour)
    say(console, Text(wash(headline(fleet), HEADLINE), style="bold green" if not fleet.outliers else "bold red"))
    if fleet.verdicts:
        say(console, Text("preflight: " + ", ".join(f"{count} {wash(verdict)}" for verdict, count in fleet.verdicts.items())), 2)
    for kind in fleet.kinds:
        few = "" if kind.nodes >= 3 else " (too few to compare)"
        say(console, Text(f"{kind.nodes} machine{'s' * (kind.nodes != 1)}, {wash(kind.name)}: {kind.equal} equal{few}"), 2)
    if drawn := heat.heat(fleet):
        _map(console, drawn, fleet.equal)
    causes = merged(fleet.causes)
    if causes:
        console.print()
        say(console, Text("In common", style="bold"))
    for cause in causes[:30]:
        say(console, Text(f"{len(cause.nodes):>5}  {cause_words(cause)}"), 2)
        say(console, Text(names(cause.nodes), style="dim"), 9)
    if len(causes) > 30:
        say(console, Text(f"… {len(causes) - 30} more; --json, --html and --csv have all", style="dim"), 2)
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
