"""A Report as one self-contained HTML page: no script, no request, readable on a phone, dark or light."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rocmdoctor.memory import sizes
from rocmdoctor.model import Report
from rocmdoctor.render import memory_svg
from rocmdoctor.render.wording import (
    VERDICT_HEAD,
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

_HERE = Path(__file__).resolve().parent

_STYLE = """
:root { color-scheme: light dark; --fg: #1c1e21; --bg: #ffffff; --soft: #f2f3f5; --line: #d5d8dc; --dim: #5b626b;
  --ok: #1a7f37; --warning: #8a5a00; --error: #b3261e; --info: #0b63a5; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6e8ea; --bg: #14171a; --soft: #1f2428; --line: #3a4148;
  --dim: #a0a8b0; --ok: #57c776; --warning: #e5b454; --error: #ff8a80; --info: #79bdf2; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 56rem; font: 1rem/1.5 system-ui, sans-serif; color: var(--fg);
  background: var(--bg); overflow-wrap: anywhere; }
h1 { font-size: 1.35rem; } h2 { font-size: 1.15rem; } h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .4rem 0; } ul { margin: .25rem 0; padding-left: 1.2rem; }
pre, code { font: .875rem/1.45 ui-monospace, monospace; }
pre { margin: .4rem 0; padding: .6rem; background: var(--soft); border: 1px solid var(--line); border-radius: .3rem;
  overflow-x: auto; white-space: pre-wrap; }
article { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-left-width: .35rem;
  border-radius: .3rem; }
article.critical, article.error { border-left-color: var(--error); }
article.warning { border-left-color: var(--warning); } article.info { border-left-color: var(--info); }
.dim { color: var(--dim); font-size: .875rem; }
.ok, .healthy { color: var(--ok); } b.warning { color: var(--warning); } b.critical, b.error { color: var(--error); }
b.unknown { color: var(--dim); } b.info { color: var(--info); }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .25rem .5rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
a { color: var(--info); } summary { cursor: pointer; font-weight: 600; }
dl { margin: .3rem 0; } dt { font-weight: 600; float: left; padding-right: .4rem; } dd { margin: 0; }
"""


def render(report: Report) -> str:
    """One file. The policy allows this style sheet by its hash and nothing else."""
    environment = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        wash=wash,
        prose=wash_prose,
        command=lambda text: "\n".join(wash_command(text)),
        place=evidence_place,
        quoted=evidence_text,
        value=value_words,
        standing=standing_words,
        link=safe_link,
    )
    style = _STYLE + (memory_svg.STYLE if report.memory else "")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return environment.get_template("report.html.j2").render(
        report=report,
        head=VERDICT_HEAD[report.verdict],
        verdict=verdict_words(report),
        ladder=layer_words(report),
        unknown=unknown_groups(report),
        size=sizes.words,
        memory_svg=memory_svg.render(report.memory) if report.memory else "",
        style=Markup(style),
        policy=Markup(policy),
    )
