"""A fleet as a table: one line per difference, finding and failed expectation."""

from __future__ import annotations

import csv
import io

from rocmdoctor.fleet.answer import Fleet
from rocmdoctor.share.wash import wash

HEAD = ("node", "kind", "verdict", "action", "what", "name", "value", "usual", "share")


def _cell(text: object) -> str:
    """A spreadsheet would run a text that begins like a formula."""
    plain = wash(text)
    return "'" + plain if plain[:1] in ("=", "+", "-", "@") else plain


def render(fleet: Fleet) -> str:
    """Comma-separated, with a head, worst nodes first; nodes that are equal have no line."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(HEAD)
    for o in fleet.outliers:
        about = (o.node, o.kind, o.verdict, o.action)
        rows = [(*about, "expectation", *line.partition(": ")[::2], "", "") for line in o.failures]
        rows += [(*about, "finding", *line.partition(": ")[::2], "", "") for line in o.findings]
        rows += [(*about, "difference", d.fact, d.value, d.usual, f"{d.share:.4f}") for d in o.differences]
        table.writerows([_cell(value) for value in row] for row in rows)
    return out.getvalue()
