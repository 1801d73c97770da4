"""The words all renderings share, and the washing of text that came from somebody else's log."""

from __future__ import annotations

import json
import re
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.outcome import asked, outcome
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Evidence, Finding, Known, Report
from rocmdoctor.facts.sections import Fix
from rocmdoctor.facts.sizes import words as size
from rocmdoctor.share.wash import wash, wash_prose

MAX_EVIDENCE = 6
PROMPTS = {"shell": "$ ", "powershell": "PS> ", "cmd": "> "}  # only what a shell takes has a prompt


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


def fact_name(name: str) -> str:
    """The name of a fact as a person says it.

    >>> fact_name("memory.ttm_module"), fact_name("env.HSA_OVERRIDE_GFX_VERSION"), fact_name("gpu.vram_bytes[0]")
    ('memory: ttm module', 'HSA_OVERRIDE_GFX_VERSION', 'GPU: vram')
    """
    base = name.split("[")[0]
    if base.startswith("env."):
        return base[4:]
    group, _, rest = base.partition(".")
    rest = re.sub(r"_bytes(_per_s)?$|_gts$", "", rest).replace("_", " ")
    return f"{'GPU' if group == 'gpu' else group}: {rest}" if rest else group


def fact_value(name: str, value: object) -> str:
    """The value in the unit of the fact's name."""
    base = name.split("[")[0]
    if isinstance(value, str) and value.isdigit() and base.endswith("_bytes"):
        value = int(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if base.endswith("_bytes"):
            return size(int(value))
        if base.endswith("_bytes_per_s"):
            return f"{value / 1e9:.0f} GB/s"
    if isinstance(value, dict):
        return wash(", ".join(f"{key} {inner}" for key, inner in value.items()))
    if isinstance(value, list) and value and all(isinstance(row, dict) for row in value):  # the newest row stands last
        return wash(("… " if len(value) > 1 else "") + " ".join(filter(None, map(str, value[-1].values()))))
    said = {"True": "yes", "False": "no", "None": "none"}
    return said.get(str(value), value_words(value))


def evidence_place(evidence: Evidence) -> str:
    """``file:line``, or the fact and where it was learnt."""
    source = wash(evidence.source)
    if evidence.fact:
        return f"{wash(fact_name(evidence.fact))} ({source})" if source else wash(fact_name(evidence.fact))
    return f"{source}:{evidence.line}" if evidence.line else source


def evidence_text(evidence: Evidence) -> str:
    """The quoted line, or the fact's value in its unit."""
    if evidence.fact and not evidence.text:
        return wash(fact_value(evidence.fact, evidence.value))
    return wash(evidence.text)


_NOTHING = later.pattern(r"^(?:none|nothing\b.*|no side effects?)\.?$", re.IGNORECASE)


def fix_rows(fix: Fix) -> list[tuple[str, str]]:
    """(label, words) of what a fix costs and how it is taken back; what says nothing is left out, and nothing is said twice."""
    risk = "" if fix.risk in ("none", *fix.needs) else fix.risk
    rows = (("Needs", ", ".join(fix.needs)), ("Risk", risk.replace("-", " ")), ("Side effects", fix.side_effects), ("Verify", fix.verify), ("Undo", fix.undo))
    return [(label, wash_prose(words)) for label, words in rows if words and not _NOTHING.match(words.strip())]


def explains_words(finding: Finding) -> str:
    """The symptoms that a finding explains, in words."""
    return ", ".join(wash(name.replace("-", " ").replace("cpu", "CPU").replace("gpu", "GPU")) for name in finding.explains)


def standing_words(finding: Finding) -> str:
    """How sure this answer is."""
    return {
        "cause": "cause",
        "possible": "possible, not yet decided",
        "symptom": "seen, no known cause explains it",
        "risk": "risk, nothing has failed yet",
    }[finding.standing]


def layer_words(report: Report) -> list[tuple[str, str, str]]:
    """(layer, state, why) of every rung, bottom first: "ok" only with what was seen to work."""
    titles = {finding.id: wash(asked(finding)[1]) for finding in report.findings}
    return [(rung.name, "not checked" if rung.status == "unknown" or rung.status == "ok" and not rung.shown else rung.status,
             titles.get(rung.because, wash(rung.because)) or wash(rung.shown)) for rung in report.layers]


def verdict_words(report: Report) -> str:
    """The answer, and the first thing to do."""
    return wash_prose(outcome(report).words)


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
