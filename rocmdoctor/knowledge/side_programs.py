"""Programs that run beside others and change what those see, ``rules/data/side_programs.yaml``: tuners, overlays, tweak tools, browsers."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any

from rocmdoctor.knowledge import tables


@functools.cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def find(text: str) -> list[dict[str, Any]]:
    """The rows of the programs that a text names, in the order in which they stand there.

    >>> [row["title"] for row in find("With MangoHud and the lactd service")]
    ['MangoHud', 'LACT']
    """
    lowered = text.lower()
    found = [(match.start(), number, row) for number, row in enumerate(tables.load("side_programs")["programs"])
             if any(word in lowered for word in row["words"]) and (match := _pattern(row["pattern"]).search(text))]
    return [row for _, _, row in sorted(found, key=lambda one: one[:2])]


def of(title: str) -> dict[str, Any]:
    """The row of this title with what is said of its kind, {} where there is none.

    >>> of("LACT")["at_hand"], of("my program")
    (True, {})
    """
    table = tables.load("side_programs")
    return next(({**table["kinds"][row["kind"]], **row} for row in table["programs"] if row["title"] == title), {})


def at_hand(titles: Iterable[str]) -> str:
    """The first of those that a text can be about, "" where none is.

    >>> at_hand(["MangoHud", "gamescope"])
    'gamescope'
    """
    return next((title for title in titles if of(title).get("at_hand")), "")
