"""How many tokens a text costs a model at most, whichever model it is."""

from __future__ import annotations

from rocmdoctor import later

_PIECE = later.pattern(r"(?P<digit>\d)|(?P<word>[A-Z]?[a-z]+)|(?P<capitals>[A-Z]+)|(?P<line>\n)|(?P<blank>[^\S\n]{2,})|(?P<other>[^\s\w]|_)|(?P<foreign>\w)")
_LONGEST = {"word": 6, "capitals": 3}  # letters of one token, at least


def tokens(text: str) -> int:
    """An upper bound for the usual vocabularies: each digit and sign is one, words are cut often.

    >>> tokens("HSA_OVERRIDE_GFX_VERSION=11.0.0 is set"), tokens("")
    (20, 0)
    """
    count = 0
    for found in _PIECE.finditer(text):
        kind = str(found.lastgroup)
        if kind in _LONGEST:
            count += 1 + (len(found[0]) - 1) // _LONGEST[kind]
        else:
            count += 1 if found[0].isascii() else len(found[0].encode("utf-8", "replace")) - 1
    return count
