"""The measured speed between its ceilings as an SVG inside the HTML report: no script, no style attribute."""

from __future__ import annotations

from markupsafe import Markup, escape

from rocmdoctor.facts.sections import LlmServer
from rocmdoctor.render.figures import llm_plot

WIDTH, HEIGHT, MARGIN = 620, 74, 10

# Classes, because the page's policy forbids style attributes; the page puts this into its one style sheet.
STYLE = """
svg.llm { width: 100%; height: auto; font: 12px system-ui, sans-serif; } svg.llm text { fill: var(--fg); }
svg.llm line.axis { stroke: var(--line); stroke-width: 2; } svg.llm .cpu { fill: var(--warning); } svg.llm .gpu { fill: var(--ok); }
svg.llm .measured { fill: var(--info); stroke: var(--fg); }
"""


def render(server: LlmServer) -> Markup:
    """One line with its marks; "" where there is nothing to compare."""
    found = llm_plot.marks(server)
    if not found:
        return Markup("")
    parts = [f'<line class="axis" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="14" y2="14"/>']
    for number, mark in enumerate(found):
        x = MARGIN + mark.at * (WIDTH - 2 * MARGIN)
        shape = (f'<circle class="measured" cx="{x:.1f}" cy="14" r="6"/>' if mark.kind == "measured"
                 else f'<rect class="{mark.kind}" x="{x - 2:.1f}" y="4" width="4" height="20"/>')
        anchor = "end" if mark.at > 0.6 else "start"
        parts.append(f'{shape}<text x="{x:.1f}" y="{38 + 15 * number}" text-anchor="{anchor}">{escape(mark.text)} tokens/s</text>')
    label = "; ".join(mark.text for mark in found)
    return Markup(f'<svg class="llm" role="img" aria-label="{escape(label)} tokens per second" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>')
