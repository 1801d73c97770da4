"""What a writer measured: the same thing twice under two conditions, with numbers that lie far apart. The better one is right, the other wrong."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.records import dataclass
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean
from rocmdoctor.texts.prose import contrasts

TRUST = 0
KINDS = frozenset({"prose", "form", "output", "shell"}) & kinds.OF_MACHINES

_APART = 1.8  # between one number and the best: less is what other settings and noise make, too
_ALIKE = 1.25
_MOST = 60  # numbers that are looked at
_LIMIT = 60_000
_SHOWN = 300
_I = re.IGNORECASE
_SCALES = {"k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
# More is better, but for the time that one step takes.
_RATE = later.pattern(
    r"(?<![\w.,-])~?(?P<n>\d{1,6}(?:[.,]\d{1,3})?)(?: ?(?:-|\u2013|to) ?\d{1,6}(?:\.\d{1,3})?)? ?"
    r"(?:(?P<tokens>tok(?:en)?s?(?:/| per )s(?:ec(?:ond)?)?|t/s|tps)|(?P<flops>(?P<scale>[GT])FLOP/?S?)|(?P<steps>it/s|its/s|steps/s)"
    r"|(?P<frames>fps)|(?P<bytes>(?P<much>[MG])i?B/s)|(?P<each>s/it|sec(?:onds)?/it|s per (?:step|image|iteration)))\b(?!/)", _I)
_KINDS = ("tokens", "flops", "steps", "frames", "bytes", "each")


@dataclass(frozen=True, slots=True)
class Measured:
    """One number with the words that say what it was measured with."""

    start: int
    words: str
    unit: str
    value: float


def numbers(text: str) -> Iterator[Measured]:
    """The numbers of the text, each with the words before it, or those after it where the sentence begins with its number."""
    for at, sentence in contrasts.sentences(text):
        found = list(_RATE.finditer(sentence))
        if not found:
            continue
        before = len(sentence[:found[0].start()].split()) > 0
        cuts = [0, *(one.end() for one in found)] if before else [one.start() for one in found] + [len(sentence)]
        if before:
            cuts[-1] = len(sentence)
        for one, (first, last) in zip(found, itertools.pairwise(cuts), strict=True):
            unit = next(kind for kind in _KINDS if one[kind])
            scale = _SCALES[(one["scale"] or one["much"] or "").lower()] if one["scale"] or one["much"] else 1.0
            value = float(one["n"].replace(",", ".")) * scale
            if value > 0:
                yield Measured(at + first, sentence[first:last], unit, 1 / value if unit == "each" else value)


def compared(text: str) -> Iterator[tuple[Measured, bool]]:
    """Those that can be judged: near the best of their unit, or far below it.

    >>> [(row.words.strip(" ,"), right) for row, right in compared("Vulkan gives 54 t/s, ROCm 9.5 t/s.")]
    [('Vulkan gives 54 t/s', True), ('ROCm 9.5 t/s', False)]
    >>> list(compared("Vulkan gives 54 t/s, ROCm 48 t/s."))
    []
    """
    rows = list(itertools.islice(numbers(text), _MOST))
    for unit in dict.fromkeys(row.unit for row in rows):
        mine = [row for row in rows if row.unit == unit]
        best = max(row.value for row in mine)
        if best < _APART * min(row.value for row in mine):
            continue
        for row in mine:
            if row.value * _ALIKE >= best or row.value * _APART <= best:
                yield row, row.value * _ALIKE >= best


def recognises(text: str) -> bool:
    """Two numbers with a unit of speed.

    >>> recognises("54 t/s, then 9 t/s"), recognises("54 t/s")
    (True, False)
    """
    return sum(1 for _ in itertools.islice(_RATE.finditer(text[:_LIMIT]), 2)) == 2


def read(text: str) -> Iterator[Reading]:
    """``report.contrasts`` of what was measured.

    >>> [[(row["axis"], row["value"], row["right"]) for row in one.value] for one in read("Vulkan gives 54 t/s, ROCm 9.5 t/s.")]
    [[('backend', 'vulkan', True), ('backend', 'rocm', False)]]
    """
    text = clean(text[:_LIMIT])
    lines = Lines(text)
    rows = [{"axis": axis, "value": value, "title": title, "right": right, "line": lines.at(row.start),
             "text": " ".join(row.words.split()).strip(" ,;:|")[:_SHOWN]}
            for row, right in compared(text) for axis, value, title in contrasts.named(row.words)]
    if rows:
        yield Reading("report.contrasts", rows, line=int(str(rows[0]["line"])))
