"""Of a finding's evidence the line that decides, short and in words."""

from __future__ import annotations

from rocmdoctor import later
from rocmdoctor.diagnosis.fill import NOT_SET
from rocmdoctor.facts.model import Evidence, Finding
from rocmdoctor.render.report.wording import fact_name, fact_value
from rocmdoctor.share.wash import wash

_TOKEN = later.pattern(r"[A-Za-z0-9_./-]{3,}")
_STAMP = later.pattern(
    r"^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*\s+)?(?:\[?[A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}\]\s*)?"
    r"(?:time=\S+\s+)?(?:level=\S+\s+)?(?:source=\S+\s+)?(?:\[\s*\d+\.\d+\]\s*)?(?:[A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \S+ )?")
_KERNEL = later.pattern(r"^(?:\S+ )?kernel: (?:\[ *\d+\.\d+\] )?")
_DEVICE = later.pattern(r"^(?:amdgpu|kfd kfd|\[drm\]|drm|radeon|pcieport)(?: [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d:| |:)\s*(?:amdgpu: )?")
_GENERAL = frozenset("the and for not that this with from has are was which amdgpu amd gpu error failed cause kernel linux driver device".split())
MOST_FACTS = 3


def _tokens(text: str) -> set[str]:
    return {word.strip(".-/").lower() for word in _TOKEN.findall(text)} - _GENERAL


def unstamped(line: str) -> str:
    """A line without its time."""
    return _STAMP.sub("", line) or line


def undressed(line: str) -> str:
    """A line without its time, and without the names of machine and device that a kernel log puts before its words.

    >>> undressed("2026-11-27T14:31:00+00:00 box kernel: amdgpu 0000:c5:00.0: amdgpu: MES failed"), undressed("[ 3.1] [drm] ring gfx timeout")
    ('MES failed', 'ring gfx timeout')
    """
    return _DEVICE.sub("", _KERNEL.sub("", unstamped(line)))


def excerpt(text: str, finding: Finding, room: int) -> str:
    """A line without its time stamp, at most ``room`` characters, around the words that the finding speaks of."""
    plain = unstamped(wash(text, 2000))
    if len(plain) <= room:
        return plain
    wanted = _tokens(" ".join((finding.title, finding.summary)))
    places = [found.start() for found in _TOKEN.finditer(plain) if found[0].strip(".-/").lower() in wanted]
    if not places:
        return plain[:room - 1] + "…"
    start = max(range(0, max(1, len(plain) - room + 1), 10), key=lambda at: (sum(at <= place < at + room - 10 for place in places), -at))
    end = start + room - 2
    return ("…" if start else "") + plain[start:end].strip() + ("…" if end < len(plain) else "")


def decisive(finding: Finding) -> list[tuple[str, str]]:
    """(place, what it says) of the line that shares most with the finding's words; of a finding without lines a few facts."""
    lines = [item for item in finding.evidence if item.text]
    if lines:
        wanted = _tokens(" ".join((finding.title, finding.summary, finding.cause)))
        best = max(lines, key=lambda item: len(_tokens(item.text) & wanted))  # among equals the first
        source = wash(best.source)
        return [(f"{source}:{best.line}" if best.line else source, best.text)]
    return [("", fact_words(item)) for item in _facts(finding.evidence)][:MOST_FACTS]


def fact_words(item: Evidence) -> str:
    """A fact as a sentence part."""
    if item.value != NOT_SET:
        return f"{fact_name(item.fact)} = {fact_value(item.fact, item.value)}"
    return f"{fact_name(item.fact)} is not set" if item.fact.startswith("env.") else f"{fact_name(item.fact)}: none"


def _facts(evidence: list[Evidence]) -> list[Evidence]:
    """The facts that say something: not whose GPU it is, and what was read before what was looked up."""
    telling = [item for item in evidence if item.fact and not item.fact.startswith(("about.", "gpu.is_apu", "seen.", "os.family"))]
    return telling or [item for item in evidence if item.fact]
