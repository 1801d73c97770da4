"""The words all renderings share, and the washing of text that came from somebody else's log."""

from __future__ import annotations

import json
import re
from typing import Any

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Evidence, Finding, Known, Report
from rocmdoctor.share.wash import wash, wash_command

MAX_EVIDENCE = 6

VERDICT_HEAD = {
    "healthy": "Nothing wrong found",
    "problems": "Problems found",
    "unknown": "Not decided",
    "no_amd_gpu": "No AMD GPU found",
}


def value_words(value: Any) -> str:
    """A fact's value as people read it."""
    if isinstance(value, str):
        return wash(value)
    # Washed before json.dumps: that would spell an escape sequence out instead of removing it.
    return wash(json.dumps(_washed_inside(value), ensure_ascii=False))


def _washed_inside(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, dict):
        return {wash(key): _washed_inside(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_washed_inside(inner) for inner in value]
    return wash(value)


def evidence_place(evidence: Evidence) -> str:
    """``file:line``, or the fact's name and where it was learnt."""
    source = wash(evidence.source)
    if evidence.fact:
        return f"{wash(evidence.fact)} ({source})" if source else wash(evidence.fact)
    return f"{source}:{evidence.line}" if evidence.line else source


def evidence_text(evidence: Evidence) -> str:
    """The quoted line, or the fact's value."""
    if evidence.fact and not evidence.text:
        return value_words(evidence.value)
    return wash(evidence.text)


def standing_words(finding: Finding) -> str:
    """How sure this answer is."""
    return {
        "cause": "cause",
        "possible": "possible, not yet decided",
        "symptom": "seen, no known cause explains it",
        "risk": "risk, nothing has failed yet",
    }[finding.standing]


def layer_words(report: Report) -> list[tuple[str, str, str]]:
    """(layer, status, why) of every rung, bottom first."""
    titles = {finding.id: wash(finding.title) for finding in report.findings}
    return [
        (rung.name, rung.status, titles.get(rung.because, wash(rung.because))) for rung in report.layers
    ]


def unknown_groups(report: Report) -> list[tuple[str, str, list[str]]]:
    """(facts, reason, command lines): what is missing for the same reason, and is learnt the same way, is said once."""
    groups: dict[tuple[str, str], list[str]] = {}
    for missing in report.unknown:
        facts = groups.setdefault((missing.reason, missing.command), [])
        if (name := wash(missing.fact)) not in facts:
            facts.append(name)
    return [
        (", ".join(facts), wash(reason).replace("_", " "), wash_command(command))
        for (reason, command), facts in groups.items()
    ]


def verdict_words(report: Report) -> str:
    """The answer in one or two sentences."""
    where = "on this machine" if report.origin == "live" else "in these files"
    missing = len(report.unknown)
    if report.verdict == "no_amd_gpu":
        return f"No AMD GPU found {where}, so there is nothing else to examine."
    if report.verdict == "healthy":
        return f"Nothing wrong found {where}."
    if report.verdict == "unknown":
        count = f"{missing} thing{'s' if missing != 1 else ''} that matter{'s' if missing == 1 else ''}"
        if not missing and report.origin == "read":
            return f"Nothing known to be wrong was found {where}. They do not show the whole machine: `rocmdoctor check` examines it."
        if not missing:
            return f"Nothing wrong found {where}, but there was too little to examine."
        return f"Nothing wrong found {where}, but {count} could not be examined."
    if not report.findings:
        return f"Something is wrong {where}."
    first = report.findings[0]
    lead = {
        "cause": "Most likely cause",
        "possible": "Possible cause, not yet decided",
        "symptom": "Something went wrong that no known cause explains",
        "risk": "Nothing has failed, but there is a risk",
    }[first.standing]
    words = f"{lead}: {wash(first.title).rstrip('.')}."
    more = len(report.findings) - 1
    if more:
        words += f" {more} more finding{'s' if more != 1 else ''} below."
    return words


def safe_link(url: str) -> str:
    """The address when it is plain http(s), else nothing."""
    washed = wash(url, 2000)
    return washed if re.fullmatch(r"https?://[^\s<>\"'`\\]+", washed) else ""


def removed_words(report: Report) -> str:
    """``3 users, 1 key``: what was taken out, by kind."""
    counts: dict[str, int] = {}
    for entry in report.removed:
        counts[entry.kind] = counts.get(entry.kind, 0) + 1
    return ", ".join(f"{count} {kind}{'s' if count > 1 and kind not in ('wifi', 'ip') else ''}" for kind, count in sorted(counts.items()))


def version_rows(report: Report) -> list[tuple[str, str]]:
    """(name, value) of the facts that people ask for first."""
    rows = ((name, value if isinstance(value, list) else [value]) for name, value in report.facts.items())
    return [(wash(name.replace("_", " ")), ", ".join(value_words(v) for v in values)) for name, values in rows]


def read_words(report: Report) -> list[tuple[str, str]]:
    """What was recognised in somebody's texts, in three lines: the GPUs, the versions, and as what each text was read; none for a live machine."""
    texts = report.snapshot.facts.get("report.texts")
    if report.origin != "read" or not isinstance(texts, Known):
        return []
    facts = report.snapshot.facts

    def of(name: str, item: str) -> str:
        fact = facts.get(f"{name}[{item}]")
        if not isinstance(fact, Known):
            return ""
        return f"{fact.value / 2**30:.1f} GiB" if name.endswith("_bytes") else value_words(fact.value)

    names = ("gpu.name", "gpu.gfx_target", "gpu.driver", "gpu.vram_bytes")
    gpus = [", ".join(filter(None, (of(name, item) for name in names))) or of("gpu.pci_address", item) for item in items_of(facts)]
    versions = [f"{name} {value}" for name, value in version_rows(report) if name not in ("gfx target", "pci id")]
    kinds: dict[str, None] = {}
    for row in texts.value:
        listed = row.get("kinds") if isinstance(row, dict) else None  # a saved report may say anything
        kinds.update(dict.fromkeys(str(kind).replace("_", " ") for kind in (listed if isinstance(listed, list) else ())))
    said = f"{len(texts.value)} text{'s' * (len(texts.value) != 1)}: {', '.join(list(kinds)[:12])}{' ...' * (len(kinds) > 12)}"
    return [(label, words) for label, words in (("GPU", "; ".join(gpus[:8])), ("versions", ", ".join(versions)), ("read", said)) if words]
