"""A Report as one self-contained HTML page: no request of any kind, readable on a phone, dark or light, printed, or read out."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rocmdoctor.diagnosis.outcome import outcome
from rocmdoctor.facts import sizes
from rocmdoctor.facts.model import LOUD, Absent, Evidence, Fact, Known, Report
from rocmdoctor.render.figures import bars, kernels_svg, llm_svg, memory_svg, strip, topology
from rocmdoctor.render.report import brief, changes_text, kernels_text, llm_text, markdown, opinion_text, timeline_text, unexamined
from rocmdoctor.render.report.card import stack
from rocmdoctor.render.report.wording import (
    evidence_place,
    evidence_text,
    explains_words,
    fix_rows,
    layer_words,
    removed_words,
    safe_link,
    standing_words,
    value_words,
    version_rows,
)
from rocmdoctor.share.wash import wash, wash_command, wash_prose

_HERE = Path(__file__).resolve().parent

_STYLE = (_HERE / "report.css").read_text("utf-8")
_SCRIPT = (_HERE / "report.js").read_text("utf-8")
MOST_FACTS = 3000


def render(report: Report) -> str:
    """One file. The policy allows this style sheet and this script by their hashes, and nothing else: no request of any kind."""
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        wash=wash,
        prose=wash_prose,
        coded=_coded,
        command=lambda text: "\n".join(wash_command(text)),
        place=evidence_place,
        quoted=evidence_text,
        standing=standing_words,
        link=safe_link,
        context=_context,
        rows=fix_rows,
        explains=explains_words,
    )
    style = _STYLE + (memory_svg.STYLE if report.memory else "")
    style += llm_svg.STYLE if report.llm else ""
    cpus = topology.topology(report.snapshot.facts)
    style += topology.STYLE if cpus else ""
    logs = strip.strips(report)
    style += strip.STYLE if logs else ""
    policy = (f"default-src 'none'; style-src 'sha256-{_hash(style)}'; script-src 'sha256-{_hash(_SCRIPT)}'; "
              "base-uri 'none'; form-action 'none'")
    facts = [(wash(name), *_fact(fact)) for name, fact in sorted(report.snapshot.facts.items())]
    kernel_items, kernel_rows = kernels_text.grid(report.kernels or [])
    return environment.get_template("report.html.j2").render(
        report=report,
        ladder=[rung for rung in layer_words(report) if rung[1] != "not checked"],
        mark=brief.MARKS[outcome(report).level][0],
        level=outcome(report).level,
        sentence=wash_prose(outcome(report).sentence),
        action=wash_prose(outcome(report).first),
        versions=version_rows(report),
        unknown=unexamined.groups(report),
        boxes=stack(report),
        topology=topology.render(cpus),
        topology_says=topology.sentence(cpus) if cpus else "",
        logs=[(log.title, strip.render(log)) for log in logs],
        shown_whole=_shown_whole(report),
        squares=[(kernels_text.headline(device), kernels_svg.render(device)) for device in report.kernels or []],
        removed=removed_words(report),
        facts=facts[:MOST_FACTS],
        facts_left_out=max(0, len(facts) - MOST_FACTS),
        comment=markdown.render(report),
        size=sizes.words,
        fits_asked=bool(report.memory and any(gpu.fits for gpu in report.memory.gpus)),
        memory_gpus=[alike[0] for alike in bars.alike(report.memory)] if report.memory else [],
        memory_figures=memory_svg.figures(report.memory) if report.memory else [],
        when=timeline_text.title(report.timeline or []),
        moments=list(timeline_text.points(report.timeline or [])),
        changes_heading=changes_text.heading(report.changes) if report.changes else "",
        changes_footing=changes_text.footing(report.changes) if report.changes else [],
        verdict_word=kernels_text.words,
        kernel_items=kernel_items,
        kernel_rows=kernel_rows,
        kernel_faults=kernels_text.faults(report.kernels or []),
        servers=[(llm_text.title(server), llm_text.lines(server), llm_svg.render(server)) for server in report.llm or []],
        opinion=opinion_text,
        style=Markup(style),
        script=Markup(_SCRIPT),
        policy=Markup(policy),
    ).lstrip()


def _coded(text: str) -> Markup:
    """A sentence with what stands between backticks as code."""
    parts = text.split("`")
    return Markup("").join(Markup("<code>{}</code>").format(part) if number % 2 and number < len(parts) - 1 else Markup("{}").format(part)
                           for number, part in enumerate(parts))


def _shown_whole(report: Report) -> int:
    """How many findings stand open: those that are decided and loud, the first in any case; what is only possible below them is folded."""
    loud = [number for number, finding in enumerate(report.findings, 1) if finding.severity in LOUD and finding.standing != "possible"]
    return max(1, min(3, loud[-1] if loud else 1))


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _fact(fact: Fact) -> tuple[str, str]:
    if isinstance(fact, Known):
        return value_words(fact.value), wash(fact.source)
    if isinstance(fact, Absent):
        return "absent", wash(fact.source)
    return "unknown: " + wash(f"{fact.reason} {fact.detail}".replace("_", " ")), ""


def _context(lines: tuple[str, ...], item: Evidence) -> list[dict[str, Any]]:
    shown = wash(item.text)
    return [{"text": wash(line), "here": wash(line) == shown} for line in lines]
