"""The words of a text that known defects are told in, by which a report is compared with them; nothing else of what somebody wrote is kept.

>>> sorted(words("The card of Jane Doe flickers and the ring times out", [(1, 1, "prose")]))
['card', 'flicker', 'out', 'ring', 'times']
"""

from __future__ import annotations

from collections.abc import Collection

from rocmdoctor.knowledge import known, likeness
from rocmdoctor.texts import kinds, paragraphs

_KINDS = kinds.GROUPS["told"] | kinds.GROUPS["run"] | {"kernel_log", "system_log", "xorg_log"}  # no inventories: they name what is there, not what is wrong
_LONGEST = 48_000  # characters of one text; of a longer one its beginning and its end
_MOST = 500  # that are kept of all texts


def words(text: str, parts: list[kinds.Part]) -> frozenset[str]:
    """The words, in small letters."""
    own = paragraphs.only(text, parts, _KINDS)
    if len(own) > _LONGEST:
        own = own[:_LONGEST // 2] + "\n" + own[-_LONGEST // 2:]
    return likeness.words(own) & likeness.index(known.LIKENESS).words.keys()


def kept(found: Collection[str]) -> list[str]:
    """Those that tell most, where there are very many, in the order of the alphabet.

    >>> kept({"ring", "flicker"})
    ['flicker', 'ring']
    """
    index = likeness.index(known.LIKENESS)
    few = found if len(found) <= _MOST else sorted(found, key=lambda word: (-index.weight(word), word))[:_MOST]
    return sorted(few)
