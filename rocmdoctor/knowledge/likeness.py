"""How much of what a row says is also said in a report: the rarer the words that both use, the more.

>>> rows = [words("prompt processing aborts in mul_mat_vec"), words("the picture flickers after suspend"), words("flickers while scrolling")]
>>> weights = Weights(rows)
>>> said = words("the external picture flickers since yesterday")
>>> [weights.common(row, said) > 0 for row in rows], weights.common(rows[1], said) > weights.common(rows[2], said)
([False, True, True], True)
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping

from rocmdoctor import later
from rocmdoctor.facts import placeholders
from rocmdoctor.knowledge import compiled

_WORD = later.pattern(r"[a-z][a-z0-9_+.-]{2,}")
_PART = later.pattern(r"[_.-]+")
_USUAL = frozenset("""the and for with that this from not are was has have been into when which only after before than then also but its can cannot does did use
used using version versions older newer since will all any one two more most some such other they there their it's because without while where what would could
should until again still even very much many every each both same first last next new old error errors fails failed fail""".split())


def words(text: str) -> frozenset[str]:
    """The telling words of a text in small letters; a name of several parts counts whole and by its parts."""
    found = set()
    for word in set(_WORD.findall(placeholders.TOKEN.sub(" ", text.lower()))):
        word = word.strip("._-+")
        for each in (word, *_PART.split(word)):
            if len(each) > 2 and each not in _USUAL:
                found.add(each[:-1] if len(each) > 5 and each.endswith("s") and each.isalpha() else each)
    return frozenset(found)


class Weights:
    """What a word weighs among some texts: one that stands in few of them tells more."""

    def __init__(self, texts: Iterable[frozenset[str]]) -> None:
        texts = list(texts)
        self._many = len(texts)
        self._in = Counter(word for text in texts for word in text)

    def of(self, word: str) -> float:
        """The weight of a word, 0 for one that nearly every text has."""
        return max(0.0, math.log((self._many + 1) / (self._in[word] + 0.5)))

    def common(self, text: frozenset[str], said: frozenset[str]) -> float:
        """The weight of the words that both have, in proportion to the root of the text's length."""
        return sum(map(self.of, text & said)) / math.sqrt(len(text) + 1)


def laid_out(name: str, texts: Iterable[frozenset[str]]) -> dict[str, bytes]:
    """Parts of the compiled knowledge by which :class:`Index` finds those of many texts that share words with another, without a look at the rest."""
    texts = list(texts)
    places: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        for word in text:
            places.setdefault(word, []).append(at)
    named = sorted(places)
    return {f"{name} words": compiled.dumped({word: at for at, word in enumerate(named)}),
            f"{name} places": compiled.rows(places[word] for word in named),
            f"{name} lengths": compiled.dumped(list(map(len, texts)))}


class Index:
    """Many texts, by their words: what :func:`laid_out` made under ``name``."""

    def __init__(self, name: str) -> None:
        self.words: Mapping[str, int] = compiled.part(f"{name} words")
        self._places = compiled.Rows(f"{name} places")
        self._lengths: list[int] = compiled.part(f"{name} lengths")

    def weight(self, word: str) -> float:
        """The weight of a word that the texts have, as :class:`Weights` has it."""
        return self._weight(len(self._places[self.words[word]]))

    def _weight(self, count: int) -> float:
        return max(0.0, math.log((len(self._lengths) + 1) / (count + 0.5)))

    def common(self, said: Iterable[str]) -> dict[int, float]:
        """Of each text that shares words with ``said`` what :meth:`Weights.common` gives, by its place."""
        found: dict[int, float] = {}
        for at in (self.words[word] for word in said if word in self.words):
            places = self._places[at]
            weight = self._weight(len(places))
            for place in places:
                found[place] = found.get(place, 0.0) + weight
        return {place: weight / math.sqrt(self._lengths[place] + 1) for place, weight in found.items()}


@functools.cache
def index(name: str) -> Index:
    """The index of that name."""
    return Index(name)
