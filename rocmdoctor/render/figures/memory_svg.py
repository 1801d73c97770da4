"""The memory of a GPU for the page: bars that stretch with it, each with its parts as text below, so no letter shrinks on a phone."""

from __future__ import annotations

from markupsafe import Markup, escape

from rocmdoctor.facts.sections import GpuMemory, MemoryPicture
from rocmdoctor.render.figures import bars, stack

MOST_GPUS = 8
_UNITS = 1000
_MODEL = ' class="model"'

# Classes, because the page's policy forbids style attributes; the page puts this into its one style sheet.
STYLE = """
ul.bars { list-style: none; margin: .4rem 0; padding: 0; } ul.bars > li { margin: 0 0 .7rem; } ul.bars svg { display: block; width: 100%; height: 1.6rem; }
ul.bars .model svg { height: .9rem; } ul.bars b { font-size: .875rem; } ul.key { list-style: none; padding: 0; margin: .2rem 0; font-size: .875rem;
  display: flex; flex-wrap: wrap; gap: .1rem 1rem; } ul.key li::before { content: ""; display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem;
  border: 1px solid var(--dim); vertical-align: -.08rem; } ul.key li.note::before { border: 0; border-left: 3px solid var(--error); width: .2rem; }
.bars .carve { fill: var(--m-own); } .bars .reach { fill: var(--m-reach); } .bars .rest { fill: var(--m-rest); } .bars .used { fill: var(--m-used); }
.bars .weights { fill: var(--m-own); } .bars .kv { fill: var(--m-kv); } .bars .compute { fill: var(--m-used); } .bars .limit { fill: var(--error); }
.bars .track { fill: var(--soft); }
ul.key .carve::before, ul.key .weights::before { background: var(--m-own); } ul.key .reach::before { background: var(--m-reach); }
ul.key .rest::before { background: var(--m-rest); } ul.key .used::before, ul.key .compute::before { background: var(--m-used); }
ul.key .kv::before { background: var(--m-kv); }
"""


def _row(bar: stack.Bar, widest: int) -> str:
    x, parts = 0.0, [f'<rect class="track" x="0" y="0" width="{_UNITS}" height="10"/>'] if bar.limit else []
    for segment in bar.segments:
        length = segment.bytes / widest * _UNITS
        # A hair of the page's ground between two parts, so that they are told apart without colour.
        parts.append(f'<rect class="{segment.kind}" x="{x:.1f}" y="0" width="{max(length - 1.5, 1):.1f}" height="10"/>')
        x += length
    if bar.limit:
        parts.append(f'<rect class="limit" x="{min(bar.limit / widest * _UNITS, _UNITS - 3):.1f}" y="0" width="3" height="10"/>')
    key = "".join(f'<li class="{segment.kind}">{escape(segment.text)}</li>' for segment in bar.segments)
    key += f'<li class="note">{escape(bar.note)}</li>' if bar.note else ""
    svg = f'<svg viewBox="0 0 {_UNITS} 10" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'
    return f'<li{_MODEL if bar.limit else ""}><b>{escape(bar.name)}</b>{svg}<ul class="key">{key}</ul></li>'


def render(memory: MemoryPicture, gpu: GpuMemory) -> Markup:
    """The bars of one GPU; "" when there is nothing to draw."""
    found = stack.figure(memory, gpu)
    widest = max((bar.total for bar in found), default=0)
    return Markup(f'<ul class="bars">{"".join(_row(bar, widest) for bar in found)}</ul>') if widest else Markup("")


def figures(memory: MemoryPicture) -> list[tuple[str, Markup]]:
    """(title, bars) of each GPU, the first ones."""
    return [(bars.title(gpus), drawn) for gpus in bars.alike(memory)[:MOST_GPUS] if (drawn := render(memory, gpus[0]))]
