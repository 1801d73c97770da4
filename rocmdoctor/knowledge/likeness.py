"""How much of what a row says is also said in a report: the rarer the words that both use, the more.

>>> rows = [words("prompt processing aborts in mul_mat_vec"), words("the picture flickers after suspend"), words("flickers while scrolling")]
>>> weights = Weights(rows)
>>> said = words("the external picture flickers since yesterday")
>>> [weights.common(row, said) > 0 for row in rows], weights.common(rows[1], said) > weights.common(rows[2], said)
([False, True, True], True)
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

from rocmdoctor import later

_WORD = later.pattern(r"[a-z][a-z0-9_+.-]{2,}")
_PART = later.pattern(r"[_.-]+")
_USUAL = frozenset("""the and for with that this from not are was has have been into when which only after before than then also but its can cannot does did use
used using version versions older newer since will all any one two more most some such other they there their it's because without while where what would could
should until again still even very much many every each both same first last next new old error errors fails failed fail""".split())


def words(text: str) -> frozenset[str]:
    """The telling words of a text in small letters; a name of several parts counts whole and by its parts."""
    found = set()
    for word in set(_WORD.findall(text.lower())):
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
