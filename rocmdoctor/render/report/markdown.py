"""A Report as a GitHub comment: it mentions nobody, refers to no issue and carries nobody else's HTML."""

from __future__ import annotations

import re

from rocmdoctor.facts.model import Finding, Known, Report
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import tables
from rocmdoctor.render.report import changes_text, kernels_text, llm_text, opinion_text, unexamined
from rocmdoctor.render.report.card import card
from rocmdoctor.render.report.wording import (
    MAX_EVIDENCE,
    evidence_place,
    evidence_text,
    explains_words,
    fix_rows,
    layer_words,
    removed_words,
    safe_link,
    standing_words,
    value_words,
    verdict_words,
    version_rows,
)
from rocmdoctor.share.wash import wash, wash_command, wash_prose

# GitHub refuses a comment of more than 65,536 characters.
LIMIT = 65_000
_TAIL_RESERVE = 200
IN_FULL = 3
_YOURSELF = "<!-- please write this yourself -->"
MOST_WORDS = 6  # paragraphs of the writer that a form takes


def render(report: Report) -> str:
    """The most useful first; whole blocks are left out from the end, and counted, when the comment would grow over the limit."""
    ranked = [_finding(f, f.rank or n) for n, f in enumerate(report.findings, 1)]
    rest = [_timeline(report), _changes(report), *ranked[:IN_FULL], _folded("Further findings", ranked[IN_FULL:])]
    rest.append(_opinion(report))
    rest.append(_folded("Test kernels", _kernels(report)))
    rest += [_folded("Not examined", [_unknown(report)]),
             _folded("Versions", [_versions(report)]), _folded("Notes", [_notes(report)]), _folded("Every fact", [_facts(report)])]
    removed = removed_words(report)
    rest.append(f"<sub>rocmdoctor {_plain(wash(report.version, 40))}{'; taken out: ' + removed if removed else ''}</sub>")
    return _fitted([f"### {_plain(verdict_words(report))}", _machine(report), *_servers(report)], rest)


def render_form(report: Report, form: str) -> str:
    """The report under the headings of an upstream bug form (``ticket_forms``). Raises KeyError for a form that is not there."""
    blocks = []
    for heading in tables.load("ticket_forms")["forms"][form]["headings"]:
        filled = _filling(report, heading["fill"]) or _YOURSELF
        blocks.append(f"### {heading['title']}\n\n{filled}")
    return _fitted([], [*blocks, _folded("Report of rocmdoctor", [render(report)])])


def _fitted(blocks: list[str], rest: list[str]) -> str:
    blocks = [block for block in blocks if block]
    room = LIMIT - _TAIL_RESERVE - sum(len(block) + 2 for block in blocks)
    dropped = 0
    for block in filter(None, rest):
        if len(block) + 2 <= room:
            blocks.append(block)
            room -= len(block) + 2
        else:
            dropped += 1
    if dropped:
        blocks.append(f"_{dropped} section(s) left out, a comment has a size limit; `--json` has everything._")
    return "\n\n".join(blocks) + "\n"


def _folded(title: str, blocks: list[str]) -> str:
    """Blocks behind a fold, as many as fit into a third of a comment."""
    kept, room = [], LIMIT // 3
    for block in filter(None, blocks):
        room -= len(block) + 2
        if room < 0:
            kept.append("_more left out_")
            break
        kept.append(block)
    return f"<details><summary>{title}</summary>\n\n" + "\n\n".join(kept) + "\n\n</details>" if kept else ""


def _machine(report: Report) -> str:
    """The machine card as a table, and the rungs that something is known of."""
    rows = [f"| {row.label} | {_plain(row.words)} |" for row in card(report)]
    known = [f"{name}: {status}" + (f" ({_plain(why)})" if why and status == "ok" else "")
             for name, status, why in layer_words(report) if status != "not checked"]
    rows += [f"| checked | {'; '.join(known)} |"] if known else []
    return "\n".join(["| machine | |", "| --- | --- |", *rows]) if rows else ""


def _servers(report: Report) -> list[str]:
    return [f"**{_plain(llm_text.title(server))}**\n\n"
            + "\n".join(f"- {label}: {_plain(words)}" for label, words in llm_text.lines(server)) for server in report.llm or []]


def _versions(report: Report) -> str:
    rows = [f"| {_plain(name)} | {_plain(value)} |" for name, value in version_rows(report)]
    return "\n".join(["| what | as found |", "| --- | --- |", *rows]) if rows else ""


def _timeline(report: Report) -> str:
    if not report.timeline:
        return ""
    from rocmdoctor.render.report import timeline_text  # few reports have one

    return f"**{timeline_text.title(report.timeline)}**\n\n" + "\n".join(f"- {_plain(line)}" for line in timeline_text.lines(report.timeline))


def _changes(report: Report) -> str:
    """What changed as a table, the suspects first."""
    if not report.changes:
        return ""
    rows = [f"| {_plain(wash(c.title))} | {_plain(wash(c.old))} | {_plain(wash(c.new))} | {_plain(wash(c.at)[:16].replace('T', ' '))} | "
            f"{_plain(wash_prose(c.says)) or c.how} |" for c in report.changes.changes[:40]]
    table = ["| what | before | now | when (UTC) | known of it |", "| --- | --- | --- | --- | --- |", *rows] if rows else []
    return "\n\n".join(["**What changed**", _plain(changes_text.heading(report.changes)), *(["\n".join(table)] if table else []),
                        *(_plain(line) for line in changes_text.footing(report.changes))])


def _kernels(report: Report) -> list[str]:
    """The devices, the table of checks, and what was wrong."""
    devices = report.kernels or []
    blocks = ["\n".join(f"- {_plain(kernels_text.headline(device))}" for device in devices)] if devices else []
    items, rows = kernels_text.grid(devices)
    if items:
        lines = [["check", *map(_plain, items)], ["---"] * (len(items) + 1), *([_plain(wash(name)), *map(kernels_text.words, found)] for name, found in rows)]
        blocks.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
    blocks += [f"- **{_plain(where)}**: {_plain(what)}" for where, what, _ in kernels_text.faults(devices)[:20]]
    return blocks


def _filling(report: Report, what: str) -> str:
    facts = report.snapshot.facts

    def said(*names: str) -> str:
        found = [f"{value_words(f.value)}" for key, f in facts.items() if key.split("[")[0] in names and isinstance(f, Known)]
        return _plain(", ".join(dict.fromkeys(found)))

    written = {(hit.source, hit.line): hit.text for hit in report.snapshot.hits if hit.kind == "prose"}
    if what == "problem":  # the writer's own words; what rocmdoctor makes of them stands in its report below
        words = [written[place] for place in sorted(written)][:MOST_WORDS] if report.origin == "read" else []
        says = [f"rocmdoctor: {verdict_words(report)}"] if report.findings else []
        return "\n\n".join([*(_plain(wash(text, 400)) for text in dict.fromkeys(words)), *([] if words else [_YOURSELF]), *map(_plain, says)])
    if what == "log":
        lines = [f"{evidence_place(e)}: {evidence_text(e)}" for f in report.findings[:IN_FULL] for e in f.evidence
                 if e.text and (e.source, e.line) not in written]
        return _fenced(list(dict.fromkeys(lines)), "text") if lines else ""
    if what == "versions":
        return _versions(report)
    if what == "regression":
        good, bad = said("report.last_good"), said("report.first_bad")
        return f"last good {good or 'not known'}, first bad {bad or 'not known'}" if good or bad else ""
    names = {"os": ("os.name", "report.os_said"), "cpu": ("machine.cpu",), "gpu": ("gpu.name", "gpu.gfx_target"), "app_version": ("app.version",)}
    return said(*names[what]) if what in names else _plain(value_words(report.facts[what])) if what in report.facts else ""


def _plain(text: str) -> str:
    """One washed line with every character escaped that Markdown or GitHub would act on."""
    escaped = re.sub(r"([\\`*_\[\]|~$<&])", r"\\\1", text)
    escaped = re.sub(r"^([-+#>=])", r"\\\1", escaped)
    escaped = re.sub(r"^(\d+)([.)])(?=\s|$)", r"\1\\\2", escaped)  # a list needs the blank
    # A word joiner keeps @name and #123 from becoming mentions; entities would be undone before GitHub looks for them.
    return re.sub(r"([@#])(?=\w)", "\\1\u2060", escaped)


_FENCE = {"shell": "sh", "powershell": "powershell", "cmd": "bat", "python": "python", "yaml": "yaml"}


def _fenced(lines: list[str], language: str = "") -> str:
    text = "\n".join(lines)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _finding(finding: Finding, rank: int) -> str:
    about = f"{standing_words(finding)} · {finding.layer}"
    if finding.subject:
        about += f" · {_plain(wash(finding.subject))}"
    parts = [f"#### {rank}. {finding.severity}: {_plain(wash(finding.title))}", f"{about} · {_plain(wash(finding.id))}"]
    if finding.summary:
        parts.append(_plain(wash_prose(finding.summary)))
    if finding.cause and finding.cause != finding.summary:
        parts.append(f"**Why:** {_plain(wash_prose(finding.cause))}")
    if finding.explains:
        parts.append("**Explains:** " + _plain(explains_words(finding)))
    if finding.evidence:
        quoted = [f"{evidence_place(item)}: {evidence_text(item)}" for item in finding.evidence[:MAX_EVIDENCE]]
        if len(finding.evidence) > MAX_EVIDENCE:
            quoted.append(f"… {len(finding.evidence) - MAX_EVIDENCE} more")
        parts += ["**Evidence**", _fenced(quoted, "text")]
    if finding.to_decide:
        steps = [line for step in finding.to_decide for line in wash_command(step)]
        parts += ["**This would decide it**", _fenced(steps)]
    for number, fix in enumerate(finding.fixes, 1):
        parts += _fix(fix, number)
    if finding.references:
        links = [f"- <{link}>" if (link := safe_link(url)) else f"- {_plain(wash(url))}" for url in finding.references]
        parts.append("\n".join(links))
    return "\n\n".join(parts)


def _fix(fix: Fix, number: int) -> list[str]:
    parts = [f"**Fix {number}: {_plain(wash(fix.title))}**"]
    if fix.detail:
        parts.append(_plain(wash_prose(fix.detail)))
    if fix.commands:
        parts.append(_fenced([line for command in fix.commands for line in wash_command(command)], _FENCE.get(fix.language, "")))
    said = [f"- {label}: {_plain(words)}" for label, words in fix_rows(fix)]
    return [*parts, "\n".join(said)] if said else parts


def _opinion(report: Report) -> str:
    opinion = report.opinion
    if not opinion:
        return ""
    parts = [f"#### {opinion_text.TITLE}", _plain(opinion_text.who(opinion)), *(f"**{label}:** {_plain(words)}" for label, words in opinion_text.rows(opinion))]
    if opinion.evidence:
        parts.append(_fenced([opinion_text.quote_words(quote) for quote in opinion.evidence], "text"))
    for title, found in opinion_text.groups(opinion):
        parts.append(f"**{title}**")
        for advice in found:
            parts.append(f"- {_plain(opinion_text.advice_words(advice))}")
            if advice.commands:
                parts.append(_fenced([line for command in advice.commands for line in wash_command(command)], _FENCE.get(advice.language, "")))
            if advice.unfounded:
                parts.append(f"_{_plain(opinion_text.doubts(advice.unfounded))}_")
    return "\n\n".join([*parts, *(f"_{_plain(words)}_" for words in opinion_text.footing(opinion))])


def _unknown(report: Report) -> str:
    lines = []
    for group in unexamined.groups(report):
        lines += [f"# {group.words}", *(f"#   {detail}" for detail in group.details), *group.commands]
    return _fenced(lines, "sh") if lines else ""


def _notes(report: Report) -> str:
    if not report.notes:
        return ""
    return "\n".join(f"- {_plain(wash_prose(note))}" for note in report.notes)


def _facts(report: Report) -> str:
    known = {name: fact.value for name, fact in report.snapshot.facts.items() if isinstance(fact, Known)}
    lines = [f"{wash(name)}: {value_words(value)}" for name, value in sorted(known.items())]
    return _fenced(lines[:400], "text") if lines else ""
