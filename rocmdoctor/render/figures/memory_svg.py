"""The memory picture as one SVG inside the HTML report: no script, no style attribute, colours by the page's classes."""

from __future__ import annotations

from markupsafe import Markup, escape

from rocmdoctor.facts.sections import MemoryPicture
from rocmdoctor.render.figures import bars
from rocmdoctor.render.figures.bars import Bar
from rocmdoctor.share.wash import wash

LABEL, WIDTH, ROW, HEIGHT = 200, 620, 32, 14
MOST_LETTERS = 29

# Classes, because the page's policy forbids style attributes; the page puts this into its one style sheet.
STYLE = """
svg.memory { width: 100%; height: auto; font: 12px system-ui, sans-serif; }
svg.memory text { fill: var(--fg); } svg.memory text.dim { fill: var(--dim); font-size: 11px; } svg.memory text.head { font-weight: 600; }
svg.memory .room { fill: var(--soft); stroke: var(--line); } svg.memory .used { fill: var(--dim); } svg.memory .need { fill: var(--info); }
svg.memory .over { fill: var(--error); } svg.memory .wall { stroke: var(--error); stroke-width: 2; } svg.memory .free { fill: var(--ok); opacity: .5; }
"""


def _row(bar: Bar, top: int) -> str:
    span = WIDTH - LABEL - 10
    name = bar.label if len(bar.label) <= MOST_LETTERS else bar.label[:MOST_LETTERS - 1] + "…"
    parts = [f'<text x="0" y="{top + 11}">{escape(name)}</text>']
    length, used = max(bar.length * span, 1), bar.used * span
    if bar.kind == "need":
        parts.append(f'<rect class="need" x="{LABEL + used:.1f}" y="{top}" width="{max(length - used, 1):.1f}" height="{HEIGHT}"/>')
    elif bar.kind == "free":
        parts.append(f'<rect class="free" x="{LABEL}" y="{top}" width="{length:.1f}" height="{HEIGHT}"/>')
    elif bar.kind == "wall":
        there = min((bar.wall or 0) * span, length)
        parts.append(f'<rect class="need" x="{LABEL}" y="{top}" width="{there:.1f}" height="{HEIGHT}"/>')
        parts.append(f'<rect class="over" x="{LABEL + there:.1f}" y="{top}" width="{max(length - there, 1):.1f}" height="{HEIGHT}"/>')
    else:
        parts.append(f'<rect class="room" x="{LABEL}" y="{top}" width="{length:.1f}" height="{HEIGHT}"/>')
        if used > 0:
            parts.append(f'<rect class="used" x="{LABEL}" y="{top}" width="{used:.1f}" height="{HEIGHT}"/>')
    if bar.wall is not None:
        x = LABEL + bar.wall * span
        parts.append(f'<line class="wall" x1="{x:.1f}" x2="{x:.1f}" y1="{top - 4}" y2="{top + HEIGHT + 4}"/>')
    parts.append(f'<text class="dim" x="{LABEL}" y="{top + HEIGHT + 12}">{escape(bar.text)}</text>')
    return "".join(parts)


def render(memory: MemoryPicture) -> Markup:
    """One SVG for all GPUs; "" when there is nothing to draw."""
    rows: list[str] = []
    top = 4
    for gpu in memory.gpus[:8]:
        groups = [(bars.title(gpu), bars.of_gpu(memory, gpu))]
        groups += [(wash(f"{fit.model} with {fit.backend}: {fit.verdict.replace('_', ' ')}"), bars.of_fit(fit)) for fit in gpu.fits]
        for head, found in groups:
            if not found:
                continue
            rows.append(f'<text class="head" x="0" y="{top + 12}">{escape(head)}</text>')
            top += 22
            for bar in found:
                rows.append(_row(bar, top))
                top += ROW
            top += 8
    if not rows:
        return Markup("")
    return Markup(f'<svg class="memory" role="img" aria-label="Memory of the GPU" viewBox="0 0 {WIDTH} {top}">{"".join(rows)}</svg>')
