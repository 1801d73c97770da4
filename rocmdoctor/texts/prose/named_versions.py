"""Versions of the programs and libraries that have known defects, where a text names them with their names.

>>> text = "Jellyfin 10.8.1 worked, since the update to Jellyfin 10.8.4 it is black. bitsandbytes==0.45.2, **LM Studio version:** v0.3.20"
>>> sorted((reading.item, reading.value) for reading in versions(text, Lines(text)))
[('bitsandbytes', '0.45.2'), ('jellyfin', '10.8.4'), ('lmstudio', '0.3.20')]
>>> text = "[ALPM] upgraded ddcutil (2.2.7-1 -> 3.0.0-1)"
>>> [reading.value for reading in versions(text, Lines(text))]
['3.0.0']
>>> text = "Fixed in vLLM 0.12.0; needs Triton >= 3.3.0. ComfyUI used 12.5 GB"
>>> list(versions(text, Lines(text)))
[]
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import component_versions
from rocmdoctor.texts.lines import Lines

_MOST = 40  # places where one name is looked at
_VERSION = later.pattern(
    r"(?:[-_ ](?:version|ver\.?|release|image|app))?[*`\"']{0,3}(?: is|(?: from [\d.-]{3,12})? to| {0,2}(?:->|=>|\u2192)|[:=@|(]{1,2})?[*`\"']{0,3}[ \t|]{0,30}"
    r"[`\"'(]?(?:version:? )?[-_]?v?(?P<v>\d{1,4}(?:\.\d{1,6}){1,3}(?:[.-]?(?:rc|post|beta|alpha|dev|a|b|yr)\.?\d+)?)"
    r"(?:-\d{1,3}(?:\.\d{1,3})? {0,2}(?:->|=>|\u2192) {0,2}(?:\d:)?(?P<new>\d{1,4}(?:\.\d{1,6}){1,3}))?"
    r"(?![\w%]|\.\d| ?(?:x|[GM]i?B|tokens|t/s|it/s|m?s|fps|seconds|minutes|hours)\b)", re.IGNORECASE)
# Named as right, as what comes or as what is wanted: not the one that is here.
_ELSEWHERE = later.pattern(
    r"(?:\b(?:before|until|till|up to|than|requires?|needs?|fixed (?:in|by|with)|resolved in|released?|back to|downgrad\w+ to|"
    r"(?:works?|worked|fine) (?:with|on|in)|good:?|last working:?|from)(?: the)?|[<>]=?) ?$", re.IGNORECASE)
_RIGHT = later.pattern(r"^[^.;,\n]{0,16}\b(?:works|worked|is (?:fine|ok|good)|was (?:fine|ok|good)|ran fine)\b", re.IGNORECASE)


@functools.cache
def _names() -> tuple[tuple[str, str], ...]:
    """(what it is called in small letters, its name in ``app:NAME``), the longest first."""
    found = {}
    for place in component_versions.places().values():
        for way in place.read:
            if way.startswith("app:") and f"{place.name}.version" not in place.read:  # what prose is read for already is left to that
                found.update({called.lower(): way.removeprefix("app:") for called in (place.name, place.title, *place.called)})
    return tuple(sorted(found.items(), key=lambda pair: (-len(pair[0]), pair)))


def versions(text: str, lines: Lines) -> Iterator[Reading]:
    """``app.version`` of each: of several the first that is not named as right or as another's."""
    lowered = text.lower()
    said: set[str] = set()
    for called, name in _names():
        if name not in said and (found := _first(text, lowered, called)):
            said.add(name)
            yield Reading("app.version", found["new"] or found["v"], name, lines.at(found.start("v")))


def _first(text: str, lowered: str, called: str) -> re.Match[str] | None:
    at = -1
    for _ in range(_MOST):
        at = lowered.find(called, at + 1)
        if at < 0:
            return None
        if lowered[at - 1:at].isalnum() or lowered[at - 1:at] in ("_", "-", "/", "."):
            continue
        found = _VERSION.match(text, at + len(called))
        if found and not _ELSEWHERE.search(text[max(0, at - 40):at]) and not _RIGHT.match(text[found.end():found.end() + 40]):
            return found
    return None
