"""Words for a moment: a date, "yesterday", "last week", "3 days ago"."""

from __future__ import annotations

import datetime
import re

_SPANS = {"hour": 1 / 24, "day": 1, "week": 7, "month": 30, "year": 365}
_WORDS = {"today": 0, "yesterday": 1}


def parse(text: str, now: str, end: bool = False) -> str | None:
    """ISO 8601 in UTC, or None when the text names no moment. A day is its start, with ``end`` its last second.

    >>> parse("2026-11-20", "2026-11-28T12:00:00+00:00"), parse("last week", "2026-11-28T12:00:00+00:00")
    ('2026-11-20T00:00:00+00:00', '2026-11-21T12:00:00+00:00')
    >>> parse("yesterday", "2026-11-28T12:00:00+00:00", end=True), parse("3 days ago", "2026-11-28T12:00:00+00:00")
    ('2026-11-27T23:59:59+00:00', '2026-11-25T12:00:00+00:00')
    >>> parse("good", "2026-11-28T12:00:00+00:00") is parse("2026-13-45", "2026-11-28T12:00:00+00:00") is None
    True
    """
    words = " ".join(text.lower().split())
    here = datetime.datetime.fromisoformat(now)
    day: datetime.datetime | None = None
    if words in _WORDS:
        day = (here - datetime.timedelta(days=_WORDS[words])).replace(hour=0, minute=0, second=0)
    elif re.fullmatch(r"\d{4}-\d\d-\d\d", words):
        try:
            day = datetime.datetime.fromisoformat(words).replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            return None
    if day is not None:
        return (day + datetime.timedelta(days=1, seconds=-1) if end else day).isoformat(timespec="seconds")
    found = re.fullmatch(r"last (hour|day|week|month|year)|(\d{1,4}) (hour|day|week|month|year)s? ago", words)
    if found:
        back = (int(found[2]) if found[2] else 1) * _SPANS[found[1] or found[3]]
        try:
            return (here - datetime.timedelta(days=back)).isoformat(timespec="seconds")
        except OverflowError:
            return None
    try:
        exact = datetime.datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    except ValueError:
        return None
    exact = exact if exact.tzinfo else exact.replace(tzinfo=datetime.timezone.utc)
    return exact.astimezone(datetime.timezone.utc).isoformat(timespec="seconds")
