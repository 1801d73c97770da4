"""A Report for a terminal: the verdict in words, the ladder of layers, the findings, what could not be examined."""

from __future__ import annotations

from rocmdoctor.diagnosis.outcome import outcome
from rocmdoctor.facts.model import Evidence, Finding, Report
from rocmdoctor.facts.sections import Fix
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report import brief, unexamined
from rocmdoctor.render.report.card import card
from rocmdoctor.render.report.wording import (
    MAX_EVIDENCE,
    PROMPTS,
    evidence_place,
    evidence_text,
    explains_words,
    fix_rows,
    layer_words,
    read_words,
    standing_words,
    verdict_words,
)
from rocmdoctor.share.wash import wash, wash_command, wash_prose

_SEVERITY_STYLE = {"critical": "bold red", "error": "red", "warning": "yellow", "info": "cyan"}
_STATUS_STYLE = {"ok": "green", "warning": "yellow", "error": "bold red", "not checked": "dim"}


def console_for(width: int, colour: bool) -> Console:
    """A console that writes into a text; only the arguments decide what it looks like."""
    return Console(max(width, 24), colour)


def render(report: Report, width: int, colour: bool, verbose: bool = False, last: bool = False) -> str:
    """The short answer, or with ``verbose`` everything; ``last``: the verdict at the end, too. Only commands and addresses may be wider
    than ``width``: they must copy whole."""
    console = console_for(width, colour)
    if not verbose:
        brief.render(console, report, last)
        _opinion(console, report)
        return console.text()
    from rocmdoctor.render.report import kernels_text, llm_text  # the short answer has them where there is something to say

    found = outcome(report)
    sign, style = brief.MARKS[found.level]
    say(console, Text(f"{sign} {verdict_words(report)}", style=style))
    console.print()
    for row in card(report):
        say(console, Text.assemble((f"{row.label:<10}", "bold"), row.words), 2)
    _print_ladder(console, report)
    for label, words in read_words(report):
        say(console, Text.assemble((f"{label:<10}", "bold"), wash(words)), 2)
    llm_text.section(console, report)
    for place, finding in enumerate(report.findings, 1):
        console.print()
        print_finding(console, finding, finding.rank or place)
    _print_links(console, report)
    if report.timeline:
        from rocmdoctor.render.report import timeline_text  # few reports have one

        timeline_text.section(console, report.timeline)
    _print_logs(console, report)
    kernels_text.render(console, report)
    _print_unknown(console, report)
    print_notes(console, report)
    _opinion(console, report)
    if last:
        console.print()
        say(console, Text(f"{sign} {brief.summary(report, found)}", style=style))
    return console.text()


def _opinion(console: Console, report: Report) -> None:
    if report.opinion:
        from rocmdoctor.render.report import opinion_text

        opinion_text.section(console, report.opinion)


def quiet(report: Report) -> str:
    """The answer in one line."""
    return f"{brief.MARKS[outcome(report).level][0]} {verdict_words(report)}\n"


def render_kernels(report: Report, width: int, colour: bool, lead: str = "", verbose: bool = False, last: bool = False) -> str:
    """The answer (``lead`` where no GPU was tested), the devices, the findings; with ``verbose`` every computation, with ``last`` the answer twice."""
    from rocmdoctor.render.report import kernels_text

    console = console_for(width, colour)
    sign, style = brief.MARKS["none" if lead else outcome(report).level]
    answer = Text(f"{sign} {lead or verdict_words(report)}", style=style)
    say(console, answer)
    kernels_text.render(console, report, full=verbose)
    for place, finding in enumerate(report.findings, 1):
        if verbose or finding.id != "no-amd-gpu":
            console.print()
            print_finding(console, finding, place)
    if verbose:
        print_notes(console, report)
    if last and console.text().count("\n") > brief.SCREEN:
        say(console, answer)
    return console.text()


def say(console: Console, text: Text, indent: int = 0) -> None:
    """One paragraph."""
    console.print(text, indent)


def _say_whole(console: Console, text: str, indent: int, style: str = "") -> None:
    console.print_whole(Text(" " * indent + text, style=style))


def _labelled(console: Console, label: str, words: str, indent: int) -> None:
    if words:
        say(console, Text.assemble((f"{label}: ", "bold"), words), indent)


def _print_ladder(console: Console, report: Report) -> None:
    """Every rung with what shows its state."""
    for name, status, why in layer_words(report):
        line = Text.assemble((f"{name:<10}", "bold"), (status, _STATUS_STYLE[status]), f": {why}" if why else "")
        say(console, line, 2)


def print_finding(console: Console, finding: Finding, rank: int) -> None:
    """A finding with its evidence and fixes."""
    head = Text.assemble(
        (f"{rank}. ", "bold"), (finding.severity, _SEVERITY_STYLE[finding.severity]), " ", (wash(finding.title), "bold")
    )
    say(console, head)
    about = f"{standing_words(finding)} · {finding.layer}"
    if finding.subject:
        about += f" · {wash(finding.subject)}"
    say(console, Text(f"{about} · {wash(finding.id)}", style="dim"), 3)
    if finding.summary:
        say(console, Text(wash_prose(finding.summary)), 3)
    if finding.cause and finding.cause != finding.summary:
        _labelled(console, "Why", wash_prose(finding.cause), 3)
    _labelled(console, "Explains", explains_words(finding), 3)
    _print_evidence(console, finding.evidence)
    if finding.to_decide:
        say(console, Text("This would decide it:", style="bold"), 3)
        for step in finding.to_decide:
            for line in wash_command(step):
                _say_whole(console, line, 5, "cyan")
    for number, fix in enumerate(finding.fixes, 1):
        print_fix(console, fix, number)
    if finding.references:
        say(console, Text("References:", style="bold"), 3)
        for url in finding.references:
            _say_whole(console, wash(url, 2000), 5)


def _print_evidence(console: Console, evidence: list[Evidence]) -> None:
    if not evidence:
        return
    say(console, Text("Evidence:", style="bold"), 3)
    for item in evidence[:MAX_EVIDENCE]:
        joint = " = " if item.fact and not item.text else ": "
        say(console, Text.assemble((evidence_place(item), "cyan"), joint, evidence_text(item)), 5)
    if len(evidence) > MAX_EVIDENCE:
        say(console, Text(f"… {len(evidence) - MAX_EVIDENCE} more", style="dim"), 5)



def print_fix(console: Console, fix: Fix, number: int, word: str = "Fix") -> None:
    """One thing to do, with its commands, its cost and the way back."""
    say(console, Text.assemble((f"{word} {number}: ", "bold green"), (wash(fix.title), "bold")), 3)
    if fix.detail:
        say(console, Text(wash_prose(fix.detail)), 5)
    for command in fix.commands:
        for line in wash_command(command):
            _say_whole(console, PROMPTS.get(fix.language, "") + line, 5, "cyan")
    for label, words in fix_rows(fix):
        _labelled(console, label, words, 5)


def _print_links(console: Console, report: Report) -> None:
    """How several GPUs are linked."""
    from rocmdoctor.render.figures import topology  # of -v only

    cpus = topology.topology(report.snapshot.facts)
    if not cpus:
        return
    console.print()
    say(console, Text.assemble(("How the GPUs are linked", "bold"), f": {topology.sentence(cpus)}"))
    for name, rows in topology.lines(cpus):
        say(console, Text(name, style="bold"), 2)
        for words, short in rows:
            say(console, Text(("✗ " if short else "  ") + words, "bold red" if short else ""), 2)


def _print_logs(console: Console, report: Report) -> None:
    """Where the quoted lines of long logs stand."""
    from rocmdoctor.render.figures import strip  # of -v only

    for log in strip.strips(report):
        console.print()
        say(console, Text(log.title, style="bold"))
        room = max(min(console.width, 100) - 4, 12)
        marked = {log.at(mark.line, room) for mark in log.marks}
        console.print_whole(Text.assemble("  ", *(("█", "bold red") if cell in marked else ("·", "dim") for cell in range(room))))
        for mark in log.marks:
            say(console, Text.assemble((f"line {mark.line:,}  ", "cyan"), mark.words, (f"  (finding {mark.finding})", "dim")), 2)


def _print_unknown(console: Console, report: Report) -> None:
    if not report.unknown:
        return
    console.print()
    say(console, Text("Not examined", style="bold"))
    for group in unexamined.groups(report):
        say(console, Text(group.words), 2)
        for detail in group.details:
            say(console, Text(detail, style="dim"), 4)
        for command in group.commands:
            _say_whole(console, "$ " + command, 4, "cyan")


def print_notes(console: Console, report: Report) -> None:
    """What the person should know besides."""
    if not report.notes:
        return
    console.print()
    say(console, Text("Notes", style="bold"))
    for note in report.notes:
        say(console, Text(wash_prose(note)), 2)
