"""A fleet as one self-contained HTML page: no script, no request of any kind."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rocmdoctor.fleet.answer import Fleet, headline
from rocmdoctor.render.figures import heat
from rocmdoctor.render.fleet.text import HEADLINE, cause_words, merged, names
from rocmdoctor.share.wash import wash

_HERE = Path(__file__).resolve().parent
MOST = 500
_TABLES = "thead th { white-space: nowrap; } tbody th { width: auto; }"


def render(fleet: Fleet) -> str:
    """One file; of many outliers the worst."""
    environment = Environment(loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(wash=wash, cause=cause_words, names=names)
    style = (_HERE.parent / "report" / "report.css").read_text("utf-8") + _TABLES + heat.STYLE
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    drawn = heat.heat(fleet)
    head = wash(headline(fleet), HEADLINE)
    return environment.get_template("fleet.html.j2").render(
        fleet=fleet, head=head, most=MOST, causes=merged(fleet.causes), heat=heat.render(drawn, fleet.equal) if drawn else "",
        heat_key=heat.key(drawn) if drawn else "", style=Markup(style), policy=Markup(policy))
