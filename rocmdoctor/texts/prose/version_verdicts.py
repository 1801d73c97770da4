"""What the words around a version say of it: right, wrong, the last that was right.

>>> [said(text, 0, text.index("6"), text.index("6") + 4, len(text), 1) for text in ("with 6.15 it hangs", "last good kernel: 6.14", "fine until 6.14")]
[(False, False), (True, True), (True, True)]
"""

from __future__ import annotations

import re

from rocmdoctor import later
from rocmdoctor.texts.prose.verdicts import verdict

_I = re.IGNORECASE
_BEFORE = 110  # characters before a version that say something of it
_LISTED = 48  # characters of a line about one version, without it
_NAME = r"(?:[A-Za-z][\w.+/-]{0,40}[ (]){0,5}[\"'`(]?v?$"
_HELPED = later.pattern(
    r"\b(?:cure[sd]?|fix(?:es|ed)?|solve[sd]?|help(?:s|ed)?|went away|goe?s? away|(?:is|are|was|were) gone|works?|worked|fine|stable"
    r"|no more|again)\b", _I)
_BACK_TO = later.pattern(
    r"\b(?:downgrad\w*|roll(?:ed|ing|s)? ?back|revert\w*|(?:go|goes|going|went|gone|switch\w*|chang\w*|mov\w*|get\w*) back|back)\b"
    r"(?: \w+){0,2}? (?:from [^;\n]{1,60}? )?(?:to|on) " + _NAME, _I)
_BACK_FROM = later.pattern(r"\b(?:downgrad\w*|revert\w*|back)(?: \w+){0,2}? from " + _NAME, _I)
_LAST_RIGHT = later.pattern(
    r"\blast (?:known )?(?:good|working|fine|stable|ok|right|usable)\b[^.;\n]{0,40}$"
    r"|\blast (?:\w[\w.+-]{0,30} ){1,3}?(?:that|which|where|without|with which|on which|to|I know)\b[^.;\n]{0,50}$", _I)
_UNTIL = later.pattern(r"\b(?:until|till) " + _NAME, _I)
_UP_TO = later.pattern(r"\b(?:up to|through|as late as)(?: and including)? " + _NAME, _I)
_WAS = later.pattern(
    r"\b(?:before (?:(?:it|that|this|then) )?(?:was|were|had|I had|it was|ran|used|I ran|I used)|before:|before that|previously|formerly|earlier:?|until then"
    r"|coming from|came from)(?: (?:it|I|was|were|had|on|ran|used|with)){0,2} " + _NAME, _I)
_SINCE = later.pattern(
    r"\b(?:(?:ever )?since|starting (?:with|from|at|in)|beginning with|as of|above|newer than|later than|broke\w* (?:in|with|by|since)"
    r"|introduced (?:in|by|with)|first (?:bad|broken|wrong)\b[^.;\n]{0,24}?"
    r"|(?:began|begins|begun|started|starts|appeared|appears|came|comes|arrived) (?:with|in|on|when|as|after)"
    r"|(?:after|since|when|once)(?: the| my| an?| I| we| it| Steam| Windows){0,3}(?: last| latest| recent)?"
    r" (?:updat\w*|upgrad\w*|switch\w*|mov\w*|install\w*|jump\w*|chang\w*|took|got|received|going)(?: \w+){0,3}? (?:to|of|on|with|took))"
    r"(?: \w+){0,2}? " + _NAME, _I)
_FROM = later.pattern(r"\bfrom (?:[A-Za-z][\w-]{0,30} ){0,2}[\"'(]?v?$", _I)
_GOES_TO = later.pattern(r"\)?,? (?:up |on |over )?to\b", _I)
_ARROW = later.pattern(r"\)? ?(?:->|=>|\u2192) ?v?\d")
_TOO = later.pattern(r"\b(?:too|also|as well|same|already|likewise|even)\b", _I)
_ON = later.pattern(
    r"^\W{0,2}(?:and (?:later|newer|up|above|upwards?|all)|on(?:wards?)?\b(?! (?:an?|the|my|this|that)\b)|or (?:later|newer)|upwards?\b|\+)", _I)
_AFTER_RIGHT = later.pattern(
    r"^[\"'`)\s]{0,3}(?:before|previously|earlier|formerly|until then|back then|at (?:that|the) time)\b(?! (?:it|that|this|the)\b)", _I)
_AFTER_WRONG = later.pattern(r"^[\"'`)\s]{0,3}(?:now|today|currently|at present|here now)\b", _I)
_IN_BRACKETS = later.pattern(r"^ ?\(([^()\n]{1,60})\)")
_ASIDE = later.pattern(r"\([^()\n]{1,160}\)")
_HEAD = later.pattern(r"^\W{0,6}((?:[A-Za-z'-]{2,20} ?){1,5}):\s")
_NEVER_DID = later.pattern(
    r"\bnever (?:did|does|had|has|happen\w*|saw|showed|occur\w*|was)\b|\b(?:did|does)(?: not|n't) (?:do|have|show|happen|occur|crash|hang|freeze|flicker)\b"
    r"|\bwithout (?:it|this|that|the|any|a)\b|\bno such\b|\babsent\b|\bnot (?:present|affected|reproducible|there)\b"
    r"|\b(?:can ?not|can't|could not|couldn't|unable to|never) reproduce\b"
    r"|\b(?:fixed|solved|gone|resolved)\b[^.;\n]{0,16} (?:in|with|by|since)\b", _I)
_MORE_RIGHT = later.pattern(
    r"\b(?:was|were|is|are) (?:still )?(?:there|offered|present|possible|shown)\b|\bwoke|\bwakes|\bgood\b|\bsmooth"
    r"|\bstarts?\b(?! (?:with|from|at|to)\b)|\bstarted\b|\byes\b|\u2713|\u2705|\u2714|\bOK\b|\bran\b|\bhad (?:it|them|both|all)\b", _I)
_MORE_WRONG = later.pattern(
    r"\bbad\b|\bblack\b|\bblank\b|\bdark\b|\bstutter|\btear|\bwhite screen|\bnever \w+s?\b|\bregress|^\W*no\W*$|\bbugs?\b|\bignore[sd]?\b"
    r"|\u2717|\u2718|\u274c|\bhas it\b|\baffected\b|\bcannot\b|\bsame\b", _I)
_ELLIPSIS = later.pattern(
    r"\b(?:do|does|did|is|are|was|were)(?: not|n't) (?:with|on|in|under|for)\b"
    r"|\b(?:do|does|did|is|are|was|were|will|has|have)(?: not|n't)\W*$", _I)
_EVERY_NEWER = later.pattern(
    r"\b(?:every|all|any|each|the) (?:(?:one|\w{3,12})s? )?(?:newer|later|subsequent|following)\b"
    r"|\b(?:newer|later) (?:ones|versions|drivers|kernels|releases|builds)\b"
    r"|\b(?:every|all|any|each) \w{3,12}s? (?:after|since|above)\b|\b(?:anything|everything) (?:newer|later|after|above)\b", _I)


def said(sentence: str, left: int, start: int, end: int, right: int, count: int) -> tuple[bool | None, bool]:
    """(whether the version at ``start`` to ``end`` is right or wrong, whether it is told to be the last right one).

    ``left`` and ``right`` are the ends of its clause, ``count`` the versions of the sentence.
    """
    before, after = sentence[max(0, start - _BEFORE):start], sentence[end:]
    brackets = _IN_BRACKETS.match(after)
    if brackets and (inside := _verdict(brackets[1])) is not None:
        return inside, False
    if (older := _BACK_TO.search(before)) or _BACK_FROM.search(before):
        return _went_back(sentence, bool(older)), False
    if _FROM.search(before) and _GOES_TO.match(after) or _ARROW.match(after):  # a move: what is said is said of where it went
        return None, False
    if _AFTER_WRONG.match(after):
        return False, False
    clause = _ASIDE.sub(" ", sentence[left:start] + " " + sentence[end:right])
    own = _verdict(clause)
    if not (own is False and _TOO.search(clause)) and (_AFTER_RIGHT.match(after) or _WAS.search(before)):
        return True, False
    if _LAST_RIGHT.search(before):
        return True, True
    if own is None and sentence[end:right].rstrip().endswith((":", "-", "\u2013", "\u2014", ",")):
        own = _verdict(re.split(r"[,;](?=\s)", sentence[right:right + 120])[0])
    if _EVERY_NEWER.search(sentence[left:start]) and own is not True:
        return None, False
    if _FROM.search(before) and _ON.match(after) or _SINCE.search(before) and (own is not True or _ON.match(after)):
        return own is True, False
    if own is not False and _UNTIL.search(before) or own and _UP_TO.search(before):
        return True, True
    if own is None and (head := _HEAD.match(sentence[:start])):
        own = _verdict(head[1])
    if own is None and count == 1 and end - start + _LISTED > len(sentence.strip()):
        own = _verdict(sentence[:start] + " " + after)
    return own, bool(own and _EVERY_NEWER.search(after))


def _went_back(sentence: str, older: bool) -> bool | None:
    """Of the version that somebody went back to (``older``) or from: both are wrong where it did not help."""
    whole = verdict(sentence)
    if whole is False:
        return False
    return older if whole or _HELPED.search(sentence) else None


def _verdict(words: str) -> bool | None:
    """The verdict of a clause about a version, with what is only said of versions."""
    if _NEVER_DID.search(words):
        return True
    told = verdict(words)
    if told is not None:
        return told
    if _ELLIPSIS.search(words):
        return False
    fine, bad = _MORE_RIGHT.search(words) is not None, _MORE_WRONG.search(words) is not None
    return fine if fine != bad else None
