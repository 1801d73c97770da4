"""The short answer for a terminal: verdict, machine, the first finding with its line and its fix, the others by name. The rest is -v."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

from rocmdoctor.diagnosis.outcome import Level, Outcome, asked, outcome
from rocmdoctor.diagnosis.report import SINCE_UPDATE
from rocmdoctor.facts.model import LOUD, Finding, Known, Report
from rocmdoctor.facts.sections import Fix
from rocmdoctor.render.page import Console, Text
from rocmdoctor.render.report import card, unexamined
from rocmdoctor.render.report.decisive import decisive, excerpt
from rocmdoctor.render.report.wording import PROMPTS, fix_rows
from rocmdoctor.share.wash import wash, wash_command, wash_prose

MARKS: dict[Level, tuple[str, str]] = {"error": ("✗", "bold red"), "warning": ("!", "bold yellow"), "info": ("i", "bold cyan"), "ok": ("✓", "bold green"),
                                       "open": ("?", "bold yellow"), "none": ("–", "bold cyan")}
_SEVERITY: dict[str, Level] = {"critical": "error", "error": "error", "warning": "warning", "info": "info"}
LABEL = 9
MOST_LINES = 24  # of the whole answer, where the first finding leaves room
MOST_COMMANDS = 6  # lines; of a fix with more all are shown by -v, none by halves
SCREEN = 18  # lines above which the verdict stands at the end, too


class _Page:
    """Lines of a width, counted. ``trim``: 0 says all, 1 leaves out the second way and says less of why, 2 the way back too, 3 how to check it."""

    def __init__(self, width: int, trim: int) -> None:
        self.width = width
        self.trim = trim
        self.lines: list[Text | Callable[[], None]] = []
        self.silent = False  # another finding that is as loud as an error or a warning has no line

    @property
    def count(self) -> int:
        return len(self.lines)

    def line(self, text: Text) -> None:
        self.lines.append(text)

    def section(self, show: Callable[[], None]) -> None:
        """What writes its own lines to the console."""
        self.lines.append(show)

    def blank(self) -> None:
        self.line(Text(""))

    def prose(self, text: str, mark: str = "", style: str = "", body: str = "", most: int = 0) -> None:
        """A paragraph behind a mark; ``most`` lines of it."""
        lines = _wrapped(text, max(self.width - len(mark), 12), most)
        for number, line in enumerate(lines):
            self.line(Text.assemble((mark, style) if not number else " " * len(mark), (line, body)))

    @property
    def room(self) -> int:
        """Characters of a row."""
        return max(self.width - LABEL - 2, 12)

    def row(self, label: str, text: str, most: int = 0, style: str = "") -> None:
        """A labelled row with its lines below each other."""
        for number, line in enumerate(_wrapped(text, self.room, most)):
            self.line(Text.assemble("  ", (f"{label if not number else '':<{LABEL}}", "bold"), (line, style)))

    def whole_row(self, label: str, text: str, most: int) -> None:
        """A labelled row of as many whole sentences as fit into ``most`` lines; none where not even one does: half of it may say another thing."""
        if (kept := sentences(text, self.room, most)):
            self.row(label, kept)

    def whole(self, text: str) -> None:
        """A command: it must copy whole, so it is not wrapped."""
        self.line(Text(" " * (LABEL + 2) + text, style="cyan"))


def _wrapped(text: str, room: int, most: int) -> list[str]:
    lines = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
    if most and len(lines) > most:
        lines = lines[:most]
        last = lines[-1] if len(lines[-1]) <= room - 2 else lines[-1].rpartition(" ")[0] or lines[-1][:room - 2]  # no word by halves
        lines[-1] = last.rstrip(" ,;:(") + " …"
    return lines


def render(console: Console, report: Report, last: bool = False) -> None:
    """The whole short answer; with ``last`` the verdict stands at the end, too, where a terminal stops scrolling."""
    fitting: _Page | None = None
    for trim in range(4):
        page = _page(console, report, last, trim)
        if page.count <= MOST_LINES:
            fitting = page if not page.silent else fitting or page
            if not page.silent:
                break
    page = fitting or page
    for line in page.lines:
        if isinstance(line, Text):
            console.print_whole(line)
        else:
            line()


def _page(console: Console, report: Report, last: bool, trim: int) -> _Page:
    page, found = _Page(console.width, trim), outcome(report)
    sign, style = MARKS[found.level]
    page.prose(wash_prose(found.words), f"{sign} ", style, style)
    _machine(page, report)
    first = _leading(report)
    if first:
        page.blank()
        _in_full(page, first, _since(report, first))
    if report.llm:
        from rocmdoctor.render.report import llm_text  # as with the kernels: few reports have them

        page.section(lambda: llm_text.section(console, report))
    _kernels(page, report)
    _others(page, report, first)
    _closing(page, report, first)
    if last and page.count > SCREEN:
        page.prose(summary(report, found), f"{sign} ", style, style)
    return page


def summary(report: Report, found: Outcome) -> str:
    """The last line: how many of what, and what to do first."""
    counts = [(word, sum(_SEVERITY[f.severity] == level and f.standing != "possible" for f in report.findings))
              for word, level in (("error", "error"), ("warning", "warning"))]
    said = ", ".join(f"{count} {word}{'s' * (count != 1)}" for word, count in counts if count)
    first = _leading(report)
    lead = "Not decided." if first and first.standing == "possible" else f"{said}." if said else ""
    return wash_prose(f"{lead} {found.first}" if lead and found.first else found.words)


def _leading(report: Report) -> Finding | None:
    """The finding that the verdict speaks of."""
    found = report.findings
    if not found or found[0].id == "no-amd-gpu":
        return None
    if report.verdict == "problems":
        return next(each for each in found if each is found[0] and each.severity in LOUD or each.severity in LOUD)
    return found[0] if found[0].standing == "cause" else None


def _machine(page: _Page, report: Report) -> None:
    rows = card.card(report)
    texts = report.snapshot.facts.get("report.texts")
    if not rows and not isinstance(texts, Known):
        return
    page.blank()
    for row in rows:
        page.row(row.label, row.words, most=1 if page.trim > 1 else 2, style="" if row.label == "GPU" else "dim")
    if report.origin == "read" and isinstance(texts, Known):
        page.row("read", read_words(texts.value), most=1, style="dim")


def mark(finding: Finding) -> tuple[str, str]:
    """The sign of a finding, and its style."""
    return MARKS[_SEVERITY[finding.severity]] if finding.standing != "possible" else MARKS["open"]


def read_words(texts: list[dict[str, object]]) -> str:
    """The texts by name and kind, the first few."""
    said = []
    for row in texts[:4]:
        kinds = row.get("kinds")
        of = ", ".join(str(kind).replace("_", " ") for kind in kinds[:2]) if isinstance(kinds, list) else ""
        said.append(f"{wash(row.get('text'), 40)}" + (f" ({wash(of)})" if of else ""))
    more = f" and {len(texts) - 4} more" if len(texts) > 4 else ""
    return ", ".join(said) + more


def deciding(steps: list[str]) -> list[str]:
    """The commands that decide, those of one command in one line."""
    shows: dict[str, list[str]] = {}
    for step in steps[:4]:
        for line in wash_command(step):
            command, _, what = line.partition("   # shows ")
            shows.setdefault(command.strip(), []).extend([what] if what else [])
    return [f"{command}   # shows {'; '.join(what)}" if what else command for command, what in shows.items()][:2]


def sentences(text: str, room: int, most: int) -> str:
    """As many whole sentences as fit into so many lines."""
    kept = ""
    for sentence in re.split(r"(?<=[.?!]) (?=[A-Z0-9])", text):
        longer = f"{kept} {sentence}".strip()
        if len(textwrap.wrap(longer, room, break_on_hyphens=False)) > most:
            break
        kept = longer
    return kept


def _since(report: Report, first: Finding) -> str:
    """The last update before the first fault, where the finding tells of something that happened."""
    update = next((moment for moment in report.timeline or () if moment.suspect), None)
    if update is None or first.standing == "risk" or update.at[:16] in " ".join((first.title, first.summary, first.cause)):  # nothing twice
        return ""
    from rocmdoctor.render.report import timeline_text  # few reports have one

    return timeline_text.update(update)


def _in_full(page: _Page, finding: Finding, since: str = "") -> None:
    title = asked(finding)[1]
    says = _news(finding.summary, title) or _news(finding.cause, title)
    if says:
        page.whole_row("why", says, (3, 2, 1, 1)[page.trim])
    room = (page.width - LABEL - 2) * 2
    for number, (place, text) in enumerate(decisive(finding)):
        head = f"{place}  " if place else ""
        page.row("" if number else "seen", head + excerpt(text, finding, max(room - len(head), 40)), most=3)
    if since:
        page.row("since", since, most=max(3 - page.trim, 1))
    if finding.to_decide:
        page.row("decide", "this would show it:")
        for line in deciding(finding.to_decide):
            page.whole(line)
    if finding.fixes:
        _fix(page, finding.fixes[0], "if so" if finding.standing == "possible" else "do")
    others = finding.fixes[1:3 if finding.standing == "symptom" else 2] if not page.trim else []  # of experiments one alone seldom decides
    for fix in others:
        page.row("or", wash_prose(_other(fix.title)), most=1)


def _other(title: str) -> str:
    return re.sub(r"^(?:Or|Try:) ", "", title)


def _news(text: str, title: str) -> str:
    """A paragraph without the sentences at its start that the title says already."""
    sentences = re.split(r"(?<=[.;?!]) (?=[A-Z0-9])", wash_prose(text))
    while sentences and sentences[0].strip().rstrip(".").lower() in title.lower():
        sentences.pop(0)
    return " ".join(sentences)


def _fix(page: _Page, fix: Fix, label: str) -> None:
    needs = [need for need in fix.needs if need]
    page.row(label, wash_prose(fix.title) + (f" (needs {', '.join(map(wash, needs))})" if needs else ""), most=2)
    lines = [line for command in fix.commands for line in wash_command(command)]
    if len(lines) <= MOST_COMMANDS:
        for line in lines:
            page.whole(PROMPTS.get(fix.language, "") + line)
    else:
        page.row("", f"{len(lines)} lines of commands: -v")
    said = dict(fix_rows(fix))
    for name, words in (("check", said.get("Verify")), ("undo", said.get("Undo"))):
        if words and page.trim < (2 if name == "undo" else 3):
            page.whole_row(name, words, 1 if page.trim else 2)


def _kernels(page: _Page, report: Report) -> None:
    if not report.kernels:
        return
    from rocmdoctor.render.report import kernels_text

    page.blank()
    for device in report.kernels[:8]:
        page.row("tested", kernels_text.headline(device), most=2)


def _others(page: _Page, report: Report, first: Finding | None) -> None:
    """Each other finding that is decided in a line or two while there is room; what is only possible below a decided one is a number."""
    decided = first is not None and first.standing == "cause"
    named: list[Finding] = []
    possible = left = 0
    for finding in report.findings:
        if finding is first or finding.id == "no-amd-gpu":
            continue
        if finding.standing == "possible" and (decided or len(named) >= 3):
            possible += 1
        else:
            named.append(finding)
    if named:
        page.blank()
    room = MOST_LINES - page.count - 3 - bool(report.unknown) - (SINCE_UPDATE in report.notes)
    for finding in named:
        sign, style = mark(finding)
        question, title = asked(finding)
        lines = _wrapped(wash_prose(f"{question} {title}".strip()), page.width - 2, 2)
        fix = finding.fixes[0].title if finding.fixes and finding.severity in LOUD and finding.standing != "possible" else ""
        if len(lines) + bool(fix) > room:
            left += 1
            continue
        room -= len(lines) + bool(fix)
        page.prose(wash_prose(f"{question} {title}".strip()), f"{sign} ", style, most=2)
        if fix:
            page.row("do", wash_prose(fix), most=1)
    loud = [finding for finding in named if finding.severity in LOUD and finding.standing != "possible"]
    page.silent = bool(loud) and left == len(named)
    said = [f"{left} more finding{'s' * (left != 1)}"] * bool(left) + [f"{possible} more possibilit{'ies' if possible != 1 else 'y'}"] * bool(possible)
    if said:
        page.prose(f"{' and '.join(said)}: -v", most=1, body="dim")


def _closing(page: _Page, report: Report, first: Finding | None) -> None:
    said = unexamined.line(report, page.width * (1 if page.trim else 2) - 1)
    more = f"-v shows everything, `rocmdoctor why {wash(first.id)}` explains it." if first else "-v shows everything."
    page.blank()
    if said:
        page.prose(f"{said}.", body="dim")
    if SINCE_UPDATE in report.notes and not (first and any("compare --since" in command for fix in first.fixes[:1] for command in fix.commands)):
        page.prose(SINCE_UPDATE, body="dim")
    page.prose(more, body="dim")
