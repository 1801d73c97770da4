"""A Report for a terminal: the verdict in words, the ladder of layers, the findings, what could not be examined."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from rocmdoctor.model import Evidence, Finding, Fix, Report
from rocmdoctor.render.wording import (
    MAX_EVIDENCE,
    evidence_place,
    evidence_text,
    layer_words,
    standing_words,
    unknown_groups,
    verdict_words,
    wash,
    wash_command,
    wash_prose,
)

_SEVERITY_STYLE = {"critical": "bold red", "error": "red", "warning": "yellow", "info": "cyan"}
_STATUS_STYLE = {"ok": "green", "warning": "yellow", "error": "bold red", "unknown": "dim"}
_VERDICT_STYLE = {"healthy": "bold green", "problems": "bold red", "unknown": "bold yellow", "no_amd_gpu": "bold cyan"}


def render(report: Report, width: int, colour: bool) -> str:
    """The whole report. Only commands and addresses may be wider than ``width``: they must copy whole."""
    out = StringIO()
    # Text objects only, so no markup is ever parsed; an empty environment, so only the arguments decide.
    console = Console(
        file=out,
        width=max(width, 24),
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        markup=False,
        highlight=False,
        emoji=False,
        legacy_windows=False,
        _environ={},
    )
    verdict = verdict_words(report)
    if report.verdict == "problems" and report.findings and report.findings[0].severity in ("warning", "info"):
        style = "bold yellow"
    else:
        style = _VERDICT_STYLE[report.verdict]
    _say(console, Text(verdict, style=style))
    console.print()
    _print_ladder(console, report)
    for place, finding in enumerate(report.findings, 1):
        console.print()
        _print_finding(console, finding, finding.rank or place)
    _print_unknown(console, report)
    _print_notes(console, report)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _say(console: Console, text: Text, indent: int = 0) -> None:
    console.print(Padding(text, (0, 0, 0, indent), expand=False))


def _say_whole(console: Console, text: str, indent: int, style: str = "") -> None:
    console.print(Text(" " * indent + text, style=style, no_wrap=True, overflow="ignore"), soft_wrap=True)


def _labelled(console: Console, label: str, words: str, indent: int) -> None:
    if words:
        _say(console, Text.assemble((f"{label}: ", "bold"), words), indent)


def _print_ladder(console: Console, report: Report) -> None:
    for name, status, why in layer_words(report):
        line = Text.assemble(f"{name:<10}", (status, _STATUS_STYLE[status]))
        if why:
            line.append(" " * (9 - len(status)) + why)
        _say(console, line, 2)


def _print_finding(console: Console, finding: Finding, rank: int) -> None:
    head = Text.assemble(
        (f"{rank}. ", "bold"), (finding.severity, _SEVERITY_STYLE[finding.severity]), " ", (wash(finding.title), "bold")
    )
    _say(console, head)
    about = f"{standing_words(finding)} · {finding.layer}"
    if finding.subject:
        about += f" · {wash(finding.subject)}"
    _say(console, Text(f"{about} · {wash(finding.id)}", style="dim"), 3)
    if finding.summary:
        _say(console, Text(wash_prose(finding.summary)), 3)
    if finding.cause and finding.cause != finding.summary:
        _labelled(console, "Why", wash_prose(finding.cause), 3)
    _labelled(console, "Explains", ", ".join(wash(name) for name in finding.explains), 3)
    _print_evidence(console, finding.evidence)
    if finding.to_decide:
        _say(console, Text("This would decide it:", style="bold"), 3)
        for step in finding.to_decide:
            for line in wash_command(step):
                _say_whole(console, line, 5, "cyan")
    for number, fix in enumerate(finding.fixes, 1):
        _print_fix(console, fix, number)
    if finding.references:
        _say(console, Text("References:", style="bold"), 3)
        for url in finding.references:
            _say_whole(console, wash(url, 2000), 5)


def _print_evidence(console: Console, evidence: list[Evidence]) -> None:
    if not evidence:
        return
    _say(console, Text("Evidence:", style="bold"), 3)
    for item in evidence[:MAX_EVIDENCE]:
        joint = " = " if item.fact and not item.text else ": "
        _say(console, Text.assemble((evidence_place(item), "cyan"), joint, evidence_text(item)), 5)
    if len(evidence) > MAX_EVIDENCE:
        _say(console, Text(f"… {len(evidence) - MAX_EVIDENCE} more", style="dim"), 5)


def _print_fix(console: Console, fix: Fix, number: int) -> None:
    _say(console, Text.assemble((f"Fix {number}: ", "bold green"), (wash(fix.title), "bold")), 3)
    if fix.detail:
        _say(console, Text(wash_prose(fix.detail)), 5)
    for command in fix.commands:
        for line in wash_command(command):
            _say_whole(console, "$ " + line, 5, "cyan")
    _labelled(console, "Needs", ", ".join(wash(need) for need in fix.needs), 5)
    if fix.risk and fix.risk != "none":
        _labelled(console, "Risk", wash(fix.risk), 5)
    _labelled(console, "Side effects", wash_prose(fix.side_effects), 5)
    _labelled(console, "Verify", wash_prose(fix.verify), 5)
    _labelled(console, "Undo", wash_prose(fix.undo), 5)


def _print_unknown(console: Console, report: Report) -> None:
    if not report.unknown:
        return
    console.print()
    _say(console, Text("Could not be examined", style="bold"))
    for facts, reason, command in unknown_groups(report):
        _say(console, Text(f"{facts}: {reason}"), 2)
        for line in command:
            _say_whole(console, "$ " + line, 4, "cyan")


def _print_notes(console: Console, report: Report) -> None:
    if not report.notes:
        return
    console.print()
    _say(console, Text("Notes", style="bold"))
    for note in report.notes:
        _say(console, Text(wash_prose(note)), 2)
