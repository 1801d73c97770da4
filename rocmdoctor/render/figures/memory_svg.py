"""The memory picture as one SVG inside the HTML report: no script, no style attribute, colours by the page's classes."""

from __future__ import annotations

import textwrap

from markupsafe import Markup, escape

from rocmdoctor.facts.sections import MemoryPicture
from rocmdoctor.facts.sizes import words
from rocmdoctor.render.figures import bars, stack
from rocmdoctor.render.figures.bars import Bar
from rocmdoctor.render.figures.stack import Stack
from rocmdoctor.share.wash import wash

LABEL, WIDTH, ROW, HEIGHT = 150, 480, 40, 16
MOST_LETTERS = 17

# Classes, because the page's policy forbids style attributes; the page puts this into its one style sheet.
STYLE = """
svg.memory { width: 100%; height: auto; font: 16px system-ui, sans-serif; max-width: 46rem; }
svg.memory text { fill: var(--fg); } svg.memory text.dim { fill: var(--dim); font-size: 15px; } svg.memory text.head { font-weight: 600; }
svg.memory .room { fill: var(--soft); stroke: var(--line); } svg.memory .used { fill: var(--dim); } svg.memory .need { fill: var(--info); }
svg.memory .carve { fill: var(--info); } svg.memory rect.reach { fill: var(--ok); }
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
    parts.append(f'<text class="dim" x="{LABEL}" y="{top + HEIGHT + 15}">{escape(bar.text)}</text>')
    return "".join(parts)


def _stack(one: Stack, widest: int, top: int) -> tuple[str, int]:
    """All RAM as one bar with its parts in words below; (the drawing, the next free line)."""
    parts, x = [f'<text x="0" y="{top + 17}">{escape(one.name)}</text>'], 50.0
    span = WIDTH - 60
    for segment in one.segments:
        length = max(segment.bytes / widest * span, 2)
        parts.append(f'<rect class="{segment.kind}" x="{x:.1f}" y="{top}" width="{length:.1f}" height="24"/>')
        x += length
    if one.reach:
        start = x - one.reach / widest * span
        parts.append(f'<rect class="reach" x="{start:.1f}" y="{top + 27}" width="{x - start:.1f}" height="5"/>')
    if one.needed:
        at = 50 + min(one.needed / widest, 1) * span
        parts.append(f'<line class="wall" x1="{at:.1f}" x2="{at:.1f}" y1="{top - 3}" y2="{top + 34}"/>')
    said = [segment.text for segment in one.segments] + ([f"GPU may take {words(one.reach)} (line below)"] if one.reach else [])
    said += [f"the model needs {words(one.needed)} (red)"] if one.needed else []
    top += 52
    for line in textwrap.wrap(" · ".join(said), 46):
        parts.append(f'<text x="50" y="{top}">{escape(line)}</text>')
        top += 22
    return "".join(parts), top + 8


def render(memory: MemoryPicture) -> Markup:
    """One SVG for all GPUs; "" when there is nothing to draw."""
    rows: list[str] = []
    said: list[str] = []
    top = 4
    for gpu in memory.gpus[:8]:
        groups = [(bars.title(gpu), bars.of_gpu(memory, gpu))]
        groups += [(wash(f"{fit.model} with {fit.backend}: {fit.verdict.replace('_', ' ')}"), bars.of_fit(fit)) for fit in gpu.fits]
        stacks = stack.of_apu(memory, gpu)
        if stacks:
            groups.pop(0)
            rows.append(f'<text class="head" x="0" y="{top + 12}">{escape(bars.title(gpu))}</text>')
            top += 26
        for one in stacks:
            drawn, top = _stack(one, max(each.total for each in stacks), top)
            rows.append(drawn)
            said.append(one.words)
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
    label = escape(". ".join(["Memory of the GPU", *said]))
    return Markup(f'<svg class="memory" role="img" aria-label="{label}" viewBox="0 0 {WIDTH} {top}">{"".join(rows)}</svg>')
