"""What a writer tells of a change: from which version of what to which, in which older release it was right, and whether the card is new.

>>> sample = "Since the update (Hyprland v0.56.0 with aquamarine 0.15.0; before that aquamarine 0.14.0) monitors disappear."
>>> [(row["name"], row["good"], row["bad"]) for one in read(sample) for row in one.value]
[('aquamarine', '0.14.0', '0.15.0')]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import components
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean
from rocmdoctor.texts.prose import component_names, contrasts, judged_versions
from rocmdoctor.texts.prose.verdicts import verdict

TRUST = 0
KINDS = kinds.GROUPS["told"]

_LIMIT = 60_000
_MOST = 8
_SHOWN = 300
_I = re.IGNORECASE
_UNITS = (r"(?:x|GB|GiB|MB|MiB|TB|tokens|t/s|s|ms|W|V|Hz|MHz|GHz|fps|K|C|inch|minutes|seconds|hours|times)\b")
_V = (r"(?<![\w.+:/=~-])v?(?P<{0}>b\d{{4,6}}|\d{{1,4}}(?:\.\d{{1,5}}){{1,4}}(?:(?:[-+.~]?(?:rc|post|dev|git|a|beta|alpha)|[-+])[\w.+~]{{0,40}}\w)?"
      r"|20\d{{6}}|20\d\d-\d\d-\d\d)(?![\w%/]|:\d|\.\d| ?" + _UNITS + ")")
_NAME = r"(?:the |my )?(?P<{0}>[A-Za-z][\w.+/-]{{1,40}}(?: [A-Z][\w.+-]{{1,30}}){{0,2}}) (?:version |release |build |driver )?"
_NAMED = f"(?:{_NAME})?"
_FROM_TO = later.pattern(
    r"\bfrom " + _NAMED.format("old") + r"\(?" + _V.format("good") + r"\)?(?: (?P<after>driver|kernel|firmware|images?|BIOS|wheels?|packages?))?"
    r"(?: \([^()\n]{1,60}\))?,? (?:up |on |over )?to (?:the |an? )?(?:(?:new|newest|newer|latest|daily|nightly|current|recent) )?"
    + _NAMED.format("new") + r"\(?(?:" + _V.format("bad") + r"|(?<=ROCm )(?P<whole>\d{1,2})(?![\w.%]))", _I)
_NAME_TO = later.pattern(
    r"\b(?P<name>[A-Za-z][\w.+/-]{1,40}) (?:from )?\(?" + _V.format("good") + r"\)? ?(?:->|=>|\u2192|to) ?(?:v|version )?" + _V.format("bad"), _I)
_ARROW_LINE = later.pattern(r"^[ \t]*" + _V.format("good") + r" ?(?:->|=>|\u2192) ?" + _V.format("bad"), _I | re.MULTILINE)
_WORD = later.pattern(r"[A-Za-z][\w.+-]{2,50}")
_BEFORE_THAT = later.pattern(
    r"\b(?:before(?: (?:that|it|this|then|the update)\b|(?=[:,] | (?:(?:it|I|we|there) )?(?:was|were|had|ran|used)\b))"
    r"|previously|formerly|until then|up to then|earlier|instead of|the one before|the last good one)\b"
    r"[ ,:]{0,2}(?:(?:it|that|this|I|we|there|which) )?(?:(?:was|were|had|ran|used|is|came with) )?" + _NAMED.format("old") + r"\(?" + _V.format("good"), _I)
_WAS = later.pattern(
    r"\b(?:was|were|had|ran|used) (?:on |at )?" + _NAMED.format("old") + _V.format("good") + r" (?:before|until then|previously|earlier|then)\b", _I)
_VERSION = later.pattern(_V.format("v"), _I)
_SINCE = later.pattern(
    r"\b(?:(?:ever )?since|after|starting with|(?:began|begins|started|starts|appeared|appears|came|comes) with|broken (?:in|since|by|with)"
    r"|introduced (?:in|by|with))(?: (?:the|my|an?|I|we))?(?: (?:last|latest|recent|new|newest))?"
    r"(?: (?:updat\w+|upgrad\w+|switch\w*|mov(?:e|ed|ing)|jump\w*|install\w+|going))?(?: (?:of|to|on)){0,2} "
    + _NAME.format("name") + r"(?:to )?\(?" + _V.format("bad"), _I)
_BACK = later.pattern(r"\b(?:downgrad\w*|roll(?:ed|ing|s)? ?back|revert\w*|back)\b[^.;]{0,60}$", _I)
# An older one that is not named by a number.
_THING = (r"(?:releases?|versions?|builds?|drivers?|kernels?|images?|nightl(?:y|ies)|packages?|snapshots?|wheels?|containers?|firmware|updates?"
          r"|generations?|deployments?)")
_OLDER = later.pattern(
    r"\b(?:older|earlier|previous|former|preceding|last (?:month|week|year)'s|yesterday's)"
    rf"(?: (?P<name>[A-Za-z][\w.+-]{{1,40}}(?: [A-Za-z][\w.+-]{{1,30}}){{0,2}}?))? {_THING}\b(?: of (?:the )?(?P<of>[A-Za-z][\w.+-]{{1,40}}))?"
    rf"|\b(?:the |my )?(?P<name2>[A-Za-z][\w.+-]{{1,40}}(?: [a-z]{{1,30}})?)? ?{_THING} (?:of|from) (?:the |a |some )?"
    r"(?:(?:day|week|month|year)s? (?:before|ago|earlier)|last (?:week|month|year)|yesterday"
    r"|(?:early |mid |late )?(?:January|February|March|April|June|July|August|September|October|November|December|spring|summer|autumn|winter))\b"
    rf"|\b(?:the |my )?(?P<name3>[A-Za-z][\w.+-]{{1,40}})? ?{_THING} before(?: (?:it|that|this|the (?:update|upgrade|last one)))?\b", _I)
_CARD = r"(?:cards?|GPU|[RG]TX ?\d{3,4}|Arc \w\d{3}|RX ?\d{4}|Radeon|R9700|W\d{4})\b(?! driver)"
_NEW_CARD = later.pattern(
    r"\b(?:since|after|when|once|now that) (?:I|we) (?:\w{1,20} ){0,2}?(?:bought|got|installed|built in|put in|fitted|swapped|replaced|changed|upgraded"
    r"|switched|exchanged|added|plugged in)"
    r"(?: (?:in|to|from|this|that|the|an?|my|our|new|used|second|other|AMD|Radeon|graphics|video|with|old|nvidia)){0,4} " + _CARD +
    r"|\b(?:new|fresh|brand[- ]new) (?:graphics |video |AMD |Radeon )?(?:card|GPU)\b(?! driver)"
    r"|\b(?:card|GPU|XTX?|RX \d{4}(?: XTX?| GRE)?)\b[^.;\n]{0,24}?\b(?:just |newly )?(?:bought|installed|fitted|built in|arrived)"
    r" (?:this|last|yesterday|today|new|a few|some|two)\b"
    r"|\b(?:an? |the |my )?(?:older|old|previous|former) (?:\w{1,20} ){0,3}(?:card|GPU)\b[^.;\n]{0,40}?"
    r"\b(?:works?|worked|was fine|ran|had no|did not|never)\b", _I)


def recognises(text: str) -> bool:
    """Any words: what tells of a change has no mark of its own.

    >>> recognises("from 1.2 to 1.3"), recognises("\\n")
    (True, False)
    """
    return bool(text.strip())


def read(text: str) -> Iterator[Reading]:
    """``report.changes`` and ``report.new_card``."""
    text = clean(text[:_LIMIT])
    lines = Lines(text)
    said = judged_versions.judged(text)
    rows = [_row(one.name, one.good, one.bad, lines.at(one.at), one.text) for one in said.pairs]
    for at, sentence in contrasts.sentences(text):
        if not contrasts.told(sentence):
            continue
        rows += [_row(name, good, bad, lines.at(at), sentence.strip(" ,;:")) for name, good, bad in _changes(sentence)
                 if not said.speaks_against(name, good, bad)]
    rows += [_row(name, good, bad, lines.at(at), text[at:end]) for name, good, bad, at, end in _listed(text)]
    rows.sort(key=lambda row: not (row["good"] and row["bad"]))
    rows = [row for number, row in enumerate(rows) if all((row["name"], row["good"]) != (other["name"], other["good"]) for other in rows[:number])]
    if rows:
        yield Reading("report.changes", rows[:_MOST], line=int(str(rows[0]["line"])))
    card = next(((at, sentence) for at, sentence in contrasts.sentences(text) if contrasts.told(sentence) and _NEW_CARD.search(sentence)), None)
    if card:
        yield Reading("report.new_card", " ".join(card[1].split())[:_SHOWN], line=lines.at(card[0]))


def _row(name: str, good: str, bad: str, line: int, said: str) -> dict[str, object]:
    return {"name": name, "good": good, "bad": bad, "line": line, "text": " ".join(said.split()).strip(" ,;:")[:_SHOWN]}


def _listed(text: str) -> Iterator[tuple[str, str, str, int, int]]:
    """Packages on one line, and on the next from which version to which they went."""
    for found in _ARROW_LINE.finditer(text):
        start = text.rfind("\n", 0, max(0, found.start() - 1)) + 1
        words = _WORD.findall(text[max(start, found.start() - _SHOWN):found.start()])
        name = next((word for word in words if components.of_package(word.lower())), "")
        if name and found["good"] != found["bad"]:
            yield name, found["good"], found["bad"], start, found.end()


def _changes(sentence: str) -> Iterator[tuple[str, str, str]]:
    """(component as named, version that was right, version that is wrong) of a sentence; an older release without a number is ""."""
    found = [*moved(sentence), *_was_before(sentence)]
    found = [one for number, one in enumerate(found) if all(one[1:] != other[1:] for other in found[:number])]
    yield from found or [*_since(sentence), *_older(sentence)]


def moved(sentence: str) -> Iterator[tuple[str, str, str]]:
    """(component as named, version that was right, version that is wrong) of each move that a sentence tells."""
    for pattern in (_FROM_TO, _NAME_TO):
        for found in pattern.finditer(sentence):
            good, bad = found["good"], found["bad"] or found["whole"]
            if _BACK.search(sentence[:found.start()]):
                if verdict(sentence) is not True:  # going back did not help, or nothing is said of it
                    continue
                good, bad = bad, good
            name = _moved_name(sentence, found)
            if name and good != bad:
                yield name, good, bad


def _moved_name(sentence: str, found: re.Match[str]) -> str:
    """What was moved: as it stands before one of the versions, behind the first, or before the whole."""
    names = found.groupdict()
    if "name" in names:
        return component_names.cleaned(found["name"])
    told = component_names.cleaned(names["new"] or "") or names["after"] or component_names.cleaned(names["old"] or "")
    return told or component_names.before(sentence, found.start())


def _was_before(sentence: str) -> Iterator[tuple[str, str, str]]:
    for found in itertools.chain(_BEFORE_THAT.finditer(sentence), _WAS.finditer(sentence)):
        told = [(component_names.before(sentence, one.start()), one["v"]) for one in _VERSION.finditer(sentence)
                if one.start() < found.start() or one.start() > found.end()]
        old = component_names.cleaned(found["old"] or "")
        same = [one for one in told if one[0] and (not old or one[0].lower() == old.lower())]
        if same and same[0][1] != found["good"]:
            yield old or same[0][0], found["good"], same[0][1]


def _since(sentence: str) -> Iterator[tuple[str, str, str]]:
    """With which version it began, where the one before has no number."""
    for found in _SINCE.finditer(sentence):
        if name := component_names.cleaned(found["name"]):
            yield name, "", found["bad"]


def _older(sentence: str) -> Iterator[tuple[str, str, str]]:
    """What was right in an older release that has no number."""
    for found in _OLDER.finditer(sentence):
        around = next((piece for piece in _pieces(sentence) if found[0] in piece), "")
        if verdict(around) is True:
            name = next((name for group in ("name", "of", "name2", "name3") if (name := component_names.cleaned(found[group] or ""))), "")
            yield name, "", ""


def _pieces(sentence: str) -> list[str]:
    return re.split(r", (?:and|but) |; | but | while | whereas ", sentence)
