"""The moment that a line of a log carries, in UTC.

>>> of_line("time=2026-11-27T14:31:02.5+01:00 level=INFO").at, of_line("[Fri Nov 27 14:31:02 2026] amdgpu: x").known_zone
('2026-11-27T13:31:02+00:00', False)
>>> of_line("[   61.5] amdgpu: x", "2026-11-27T14:00:00+00:00").at, of_line("[   61.5] amdgpu: x"), of_line("version 2026-13-45")
('2026-11-27T14:01:01+00:00', None, None)
"""

from __future__ import annotations

import datetime
from typing import NamedTuple

from rocmdoctor import later

_HEAD = 120  # a stamp stands at the start of a line
_ISO = later.pattern(r"\b(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(Z|[+-]\d\d:?\d\d)?")
_WORDS = later.pattern(r"^\[?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (\w{3}) +(\d{1,2}) (\d\d):(\d\d):(\d\d) (\d{4})\]")
_SINCE_BOOT = later.pattern(r"^\[? *(\d{1,9})\.\d{1,9}\]")
_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_UTC = datetime.timezone.utc


class Stamp(NamedTuple):
    """ISO 8601 in UTC; without a zone in the line it may be off by hours (``known_zone``)."""

    at: str
    known_zone: bool


def of_line(line: str, booted: str = "") -> Stamp | None:
    """The moment of a line, None where it carries none. ``booted`` is when the machine of a kernel log started, "" where that is not known."""
    head = line[:_HEAD]
    try:
        if found := _ISO.search(head):
            zone = found[7] or ""
            year, month, day, hour, minute, second = map(int, found.group(1, 2, 3, 4, 5, 6))
            return Stamp(_iso(datetime.datetime(year, month, day, hour, minute, second, tzinfo=_zone(zone))), bool(zone))
        if found := _WORDS.search(head):
            day, hour, minute, second, year = map(int, found.group(2, 3, 4, 5, 6))
            return Stamp(_iso(datetime.datetime(year, _MONTHS.index(found[1]) + 1, day, hour, minute, second, tzinfo=_UTC)), False)
        if booted and (found := _SINCE_BOOT.search(head)):
            return Stamp(_iso(datetime.datetime.fromisoformat(booted) + datetime.timedelta(seconds=int(found[1]))), True)
    except (ValueError, OverflowError):
        return None
    return None


def _zone(text: str) -> datetime.timezone:
    if text in ("", "Z"):
        return _UTC
    hours, minutes = int(text[1:3]), int(text[-2:])
    return datetime.timezone((-1 if text[0] == "-" else 1) * datetime.timedelta(hours=hours, minutes=minutes))


def _iso(moment: datetime.datetime) -> str:
    return moment.astimezone(_UTC).isoformat(timespec="seconds")
