"""What changed over time as one SVG inside the HTML report: a lane per component, boots on top, the two states at the ends."""

from __future__ import annotations

import datetime
from collections.abc import Callable

from markupsafe import Markup, escape

from rocmdoctor.facts.sections import Change, Comparison, Event
from rocmdoctor.share.wash import wash

LABEL, WIDTH, ROW, HEAD = 150, 620, 34, 34
MOST_LANES = 14
MOST_LETTERS = 22
STYLE = """
svg.changes { width: 100%; min-width: 30rem; height: auto; font: 12px system-ui, sans-serif; }
svg.changes text { fill: var(--fg); } svg.changes text.dim { fill: var(--dim); font-size: 11px; }
svg.changes .axis { stroke: var(--line); } svg.changes .end { stroke: var(--dim); stroke-width: 2; }
svg.changes .span { fill: var(--line); opacity: .6; } svg.changes .mark { fill: var(--info); } svg.changes .bad { fill: var(--error); }
svg.changes .possible { fill: var(--warning); } svg.changes .boot { stroke: var(--ok); stroke-width: 2; }
table.changes tbody th { width: 30%; }
"""


def _seconds(moment: str) -> float | None:
    try:
        parsed = datetime.datetime.fromisoformat(moment)
    except ValueError:
        return None
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=datetime.timezone.utc)).timestamp()


def render(comparison: Comparison) -> Markup:
    """The picture; "" where there is no time between the two sides or nothing to draw."""
    start, end = _seconds(comparison.since), _seconds(comparison.until)
    lanes = [c for c in comparison.changes if c.standing != "other"][:MOST_LANES]
    if start is None or end is None or end <= start or comparison.two_machines or not lanes:
        return Markup("")
    span = end - start

    def x(moment: str) -> float | None:
        seconds = _seconds(moment)
        return None if seconds is None else LABEL + min(max((seconds - start) / span, 0.0), 1.0) * (WIDTH - LABEL - 8)

    boots = [event for event in comparison.events if event.kind == "boot"]
    rows = _lane("Boots", HEAD) + [f'<line class="boot" x1="{at:.1f}" x2="{at:.1f}" y1="{HEAD - 2}" y2="{HEAD + 14}"/>'
                                   for event in boots[-200:] if (at := x(event.at)) is not None] if boots else []
    top = HEAD + (ROW if boots else 0)
    for change in lanes:
        rows += _lane(wash(change.title), top)
        events = [event for event in comparison.events if event.kind == "package" and event.component == change.component]
        rows += _marks(change, events, top, x)
        top += ROW
    rows += [f'<line class="end" x1="{place}" x2="{place}" y1="{HEAD - 12}" y2="{top - 8}"/>' for place in (LABEL, WIDTH - 8)]
    rows += [f'<text class="dim" x="{LABEL}" y="14">{escape(_day(comparison.since))}</text>',
             f'<text class="dim" x="{WIDTH - 8}" y="14" text-anchor="end">{escape(_day(comparison.until))}</text>']
    return Markup(f'<svg class="changes" role="img" aria-label="When it changed" viewBox="0 0 {WIDTH} {top}">{"".join(rows)}</svg>')


def _day(moment: str) -> str:
    return wash(moment)[:16].replace("T", " ") + " UTC"


def _lane(label: str, top: int) -> list[str]:
    name = label if len(label) <= MOST_LETTERS else label[:MOST_LETTERS - 1] + "…"
    return [f'<text x="0" y="{top + 11}">{escape(name)}</text>', f'<line class="axis" x1="{LABEL}" x2="{WIDTH - 8}" y1="{top + 7}" y2="{top + 7}"/>']


def _marks(change: Change, events: list[Event], top: int, place: Callable[[str], float | None]) -> list[str]:
    """A mark at each time that is on record; else a bar over the whole time, for it was some time between."""
    kind = change.verdict or "mark"
    # One mark a minute is enough: an update replaces many packages of a component at once.
    times = list(dict.fromkeys(event.at[:16] for event in events)) or ([change.at] if change.at else [])
    found = [at for moment in times[-40:] if (at := place(moment)) is not None]
    words = f"{wash(change.old)} → {wash(change.new)}" if change.old and change.new else wash(change.new or change.old) or change.how
    words = words if len(words) <= 60 else words[:59] + "…"
    rows = [f'<circle class="{kind}" cx="{at:.1f}" cy="{top + 7}" r="5"/>' for at in found]
    if not found:
        rows.append(f'<rect class="span" x="{LABEL}" y="{top + 4}" width="{WIDTH - LABEL - 8}" height="6"/>')
    rows.append(f'<text class="dim" x="{LABEL + 4}" y="{top + 23}">{escape(words)}</text>')
    return rows
