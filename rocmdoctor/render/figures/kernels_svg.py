"""The test computations of one device as a row of squares."""

from __future__ import annotations

from markupsafe import Markup, escape

from rocmdoctor.facts.sections import KernelDevice

_SIZE, _STEP = 22, 28
_CLASS = {"right": "right", "untestable": "untested", "skipped": "untested"}


def render(device: KernelDevice) -> Markup:
    """One square a check, filled where the result is right, crossed where it is not; the label says it in words."""
    if not device.checks:
        return Markup("")
    marks = []
    for place, check in enumerate(device.checks):
        kind, x = _CLASS.get(check.verdict, "wrong"), place * _STEP
        cross = f'<path class="cross" d="M{x + 6} 10l10 10m0 -10l-10 10"/>' if kind == "wrong" else ""
        marks.append(f'<rect class="{kind}" x="{x + 1}" y="4" width="{_SIZE}" height="{_SIZE}" rx="3"/>{cross}')
    wrong = [check.check for check in device.checks if _CLASS.get(check.verdict, "wrong") == "wrong"]
    right = sum(check.verdict == "right" for check in device.checks)
    tested = sum(_CLASS.get(check.verdict) != "untested" for check in device.checks)
    label = f"{right} of {tested} right" + (f", not right: {', '.join(wrong)}" if wrong else "")
    width = len(device.checks) * _STEP
    return Markup(f'<svg class="squares" viewBox="0 0 {width} 30" role="img" aria-label="{escape(label)}">{"".join(marks)}</svg>')
