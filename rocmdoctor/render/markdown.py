"""A Report as a GitHub comment: it mentions nobody, refers to no issue and carries nobody else's HTML."""

from __future__ import annotations

import re

from rocmdoctor.model import Finding, Fix, Report
from rocmdoctor.render.wording import (
    MAX_EVIDENCE,
    evidence_place,
    evidence_text,
    layer_words,
    safe_link,
    standing_words,
    unknown_groups,
    value_words,
    verdict_words,
    wash,
    wash_command,
    wash_prose,
)

# GitHub refuses a comment of more than 65,536 characters.
LIMIT = 65_000
_TAIL_RESERVE = 200


def render(report: Report) -> str:
    """Whole blocks are left out, and counted, when the comment would grow over the limit."""
    blocks = [f"### {_plain(verdict_words(report))}", _ladder(report)]
    room = LIMIT - _TAIL_RESERVE - sum(len(block) + 2 for block in blocks)
    dropped = 0
    rest = [*(_finding(f, f.rank or n) for n, f in enumerate(report.findings, 1)), _unknown(report), _notes(report)]
    rest += [_facts(report), f"<sub>rocmdoctor {_plain(wash(report.version, 40))}</sub>"]
    for block in filter(None, rest):
        if len(block) + 2 <= room:
            blocks.append(block)
            room -= len(block) + 2
        else:
            dropped += 1
    if dropped:
        blocks.append(f"_{dropped} section(s) left out, a comment has a size limit; `--json` has everything._")
    return "\n\n".join(blocks) + "\n"


def _plain(text: str) -> str:
    """One washed line with every character escaped that Markdown or GitHub would act on."""
    escaped = re.sub(r"([\\`*_\[\]|~$<&])", r"\\\1", text)
    escaped = re.sub(r"^([-+#>=])", r"\\\1", escaped)
    escaped = re.sub(r"^(\d+)([.)])", r"\1\\\2", escaped)
    # A word joiner keeps @name and #123 from becoming mentions; entities would be undone before GitHub looks for them.
    return re.sub(r"([@#])(?=\w)", "\\1\u2060", escaped)


def _fenced(lines: list[str], language: str = "") -> str:
    text = "\n".join(lines)
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _ladder(report: Report) -> str:
    rows = [f"| {name} | {status} | {_plain(why)} |" for name, status, why in layer_words(report)]
    return "\n".join(["| layer | status | because |", "| --- | --- | --- |", *rows])


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
        parts.append("**Explains:** " + ", ".join(_plain(wash(name)) for name in finding.explains))
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
        parts.append(_fenced([line for command in fix.commands for line in wash_command(command)], "sh"))
    rows = (
        ("Needs", ", ".join(fix.needs)),
        ("Risk", "" if fix.risk == "none" else fix.risk),
        ("Side effects", fix.side_effects),
        ("Verify", fix.verify),
        ("Undo", fix.undo),
    )
    said = [f"- {label}: {_plain(wash_prose(words))}" for label, words in rows if words]
    return [*parts, "\n".join(said)] if said else parts


def _unknown(report: Report) -> str:
    if not report.unknown:
        return ""
    lines = []
    for facts, reason, command in unknown_groups(report):
        lines += [f"# {facts}: {reason}", *command]
    return "#### Could not be examined\n\n" + _fenced(lines, "sh")


def _notes(report: Report) -> str:
    if not report.notes:
        return ""
    return "#### Notes\n\n" + "\n".join(f"- {_plain(wash_prose(note))}" for note in report.notes)


def _facts(report: Report) -> str:
    if not report.facts:
        return ""
    lines = [f"{wash(name)}: {value_words(value)}" for name, value in report.facts.items()]
    return "<details><summary>Facts</summary>\n\n" + _fenced(lines, "text") + "\n\n</details>"
