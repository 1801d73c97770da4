"""A mode that somebody misses on HDMI: whether its pixel clock is beyond what amdgpu drives HDMI with."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.knowledge import compiled
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "display_rates"
_MODE = later.pattern(
    r"\b(?:(?P<name>[458]K|1080p|1440p|2160p|WQHD|UHD)|(?P<width>\d{4}) ?[x*\u00d7] ?(?P<height>\d{4})p?)"
    r" ?(?:@|at|with|,|/|in|p)? ?(?P<rate>\d{2,3})(?!\d)", re.IGNORECASE)
_OTHER = later.pattern(r"\b(?:DP|DisplayPort|eDP|USB-?C|DVI)\b")  # a line about another monitor
_KERNEL = "kernel.release"
_TELEVISION = 2160  # lines from which on the timings are those of televisions
_BLANKING = ((560, 90), (160, 0.05))  # columns and lines (a share of them) that are not shown: of televisions, of monitors (reduced)


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The fastest mode that is told of, where HDMI is named, something is missing and no adapter is between."""
    if seen.hits_of("seen.display.adapter") or not (seen.hits_of("seen.display.hdmi") and seen.hits_of("seen.display.limited")):
        return
    table = compiled.part(f"checks/{_CHECK}.yaml")
    of_hdmi = [hit for hit in seen.hits_of("seen.display.mode") if "hdmi" in hit.text.lower() or not _OTHER.search(hit.text)]
    modes = [(clock, words, hit) for hit in of_hdmi for clock, words in _modes(hit.text, table["names"])]
    clock, mode, hit = max(modes, key=lambda one: one[0], default=(0, "", None))
    if hit is None or clock <= table["tmds_mhz"]:
        return
    have, want = seen.text(_KERNEL), str(table["frl_from"])
    words = {"mode": mode, "clock": clock, "limit": table["tmds_mhz"], "want": want, "have": have}
    if have and versions.at_least(have, want, "kernel") is False:
        yield _words.judged(_CHECK, "hdmi-mode-needs-frl", seen, words, (_KERNEL,), hits=[hit])
    elif seen.text("about.os") != "windows":
        yield _words.judged(_CHECK, "hdmi-mode-may-need-frl", seen, words, (), value=None, missing=(_KERNEL,), hits=[hit])


def _modes(text: str, names: dict[str, list[int]]) -> Iterator[tuple[int, str]]:
    """(pixel clock in MHz, how the mode is written) of the modes that a line tells of."""
    sizes = {name.lower(): (width, height) for name, (width, height) in names.items()}
    for found in _MODE.finditer(text):
        width, height = sizes[found["name"].lower()] if found["name"] else (int(found["width"]), int(found["height"]))
        rate = int(found["rate"])
        columns, lines = _BLANKING[0] if height >= _TELEVISION else (_BLANKING[1][0], height * _BLANKING[1][1])
        yield round((width + columns) * (height + lines) * rate / 1e6), f"{width}x{height} at {rate} Hz"
