"""Versions that a writer calls right or wrong, each with its component: the pair between which it broke.

>>> [(one.name, one.good, one.bad) for one in pairs("Last Mesa that worked: 25.3.4. With Mesa 25.3.5 games crash.")]
[('Mesa', '25.3.4', '25.3.5')]
>>> [(one.name, one.good, one.bad) for one in pairs("Kernel 6.14: works\\nKernel 6.15: black screen\\nMesa 25.1 is installed")]
[('Kernel', '6.14', '6.15')]
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts import versions
from rocmdoctor.knowledge import applications, compiled, component_versions, components
from rocmdoctor.records import dataclass
from rocmdoctor.texts.prose import component_names, contrasts
from rocmdoctor.texts.prose.verdicts import verdict

_I = re.IGNORECASE
_MOST = 60  # versions that are looked at
_NEAR = 700  # characters between a version with a name and one without
_ROW = 80  # characters of the row of a table that can be about one version
_BESIDE = 200  # the same where the first numbers differ
_LISTED = 48  # characters of a line about one version, without it
_UNIT = r"(?:[GMK]i?B|[GM]Hz|Hz|W|V|fps|ms|s|x|%|tokens|t/s|bits?|inch|hours?|minutes?|seconds?|times)\b"
_SUFFIX = r"(?:(?:[-+.~]?(?:rc|post|dev|git|a|beta|alpha)|[-+])[\w.+~]{0,40}\w)?"
_V = (rf"(?:\d{{1,2}}:)?(?:b\d{{4,6}}|\d{{1,4}}(?:\.\d{{1,8}}){{1,4}}{_SUFFIX}|20\d{{6}}(?:-[a-z]\w{{1,8}})?|20\d\d-\d\d-\d\d)"
      rf"(?![\w%\]]|\.\d|:\d| ?{_UNIT})")
# A version, with the name that is written together with it (linux-6.12.3, proton-cachyos-10.0-20250819, GE-Proton11-6) or as v41.
_VERSION = later.pattern(
    rf"(?<![\w./=~:-])(?:(?P<glued>[A-Za-z][A-Za-z+]{{1,20}}(?:-[A-Za-z][A-Za-z+]{{1,20}}){{0,3}})-)?v?(?P<v>{_V})"
    r"|(?<![\w./-])(?P<ge>GE-Proton|Proton-GE)[- ]?(?P<gev>\d{1,2}-\d{1,3})\b"
    r"|(?<![\w./-])v(?P<whole>\d{1,3})(?![\w.%]|-\d)", _I)
_GE = later.pattern(r"(?<![\w./:-])\d{1,2}-\d{1,3}(?![\w./:-])")
_GE_NAMED = later.pattern(r"\bGE-?Proton|\bProton-?GE", _I)
# Between two versions of one list; what ends a clause.
_GLUE = later.pattern(r"(?:\W|\band\b|\bor\b|\bto\b|\bas\b|\bwell\b|\bup\b|\bthrough\b|\balso\b|\bboth\b|\bversions?\b|\bdrivers?\b|\bkernels?\b){0,12}$", _I)
_BREAK = later.pattern(r"[;:.!?\n](?=\s|$)|, | - | -- |\u2013|\u2014|\b(?:but|while|whereas|though|although|however|yet)\b|\band (?=(?:with|on|in|under|from|since)\b)", _I)
_NAME = r"(?:[A-Za-z][\w.+/-]{0,40}[ (]){0,5}[\"'`(]?v?$"
_HELPED = later.pattern(r"\b(?:cure[sd]?|fix(?:es|ed)?|solve[sd]?|help(?:s|ed)?|went away|goe?s? away|(?:is|are|was|were) gone|works?|worked|fine|stable|no more|again)\b", _I)
_BACK_TO = later.pattern(
    r"\b(?:downgrad\w*|roll(?:ed|ing|s)? ?back|revert\w*|(?:go|goes|going|went|gone|switch\w*|chang\w*|mov\w*|get\w*) back|back)\b"
    r"(?: \w+){0,2}? (?:from [^;\n]{1,60}? )?(?:to|on) " + _NAME, _I)
_BACK_FROM = later.pattern(r"\b(?:downgrad\w*|revert\w*|back)(?: \w+){0,2}? from " + _NAME, _I)
_LAST_RIGHT = later.pattern(
    r"\blast (?:known )?(?:good|working|fine|stable|ok|right|usable)\b[^.;\n]{0,40}$"
    r"|\blast (?:\w[\w.+-]{0,30} ){1,3}?(?:that|which|where|without|with which|on which|to|I know)\b[^.;\n]{0,50}$", _I)
_UNTIL = later.pattern(r"\b(?:until|till|up to|through|as late as)(?: (?:and|incl)\w* including)? " + _NAME, _I)
_WAS = later.pattern(
    r"\b(?:before (?:(?:it|that|this|then) )?(?:was|were|had|I had|it was|ran|used|I ran|I used)|before:|previously|formerly|earlier:?|until then|coming from|came from)"
    r"(?: (?:it|I|was|were|had|on|ran|used|with)){0,2} " + _NAME, _I)
_SINCE = later.pattern(
    r"\b(?:(?:ever )?since|starting (?:with|from|at|in)|beginning with|as of|above|newer than|later than|broke\w* (?:in|with|by|since)|introduced (?:in|by|with)"
    r"|first (?:bad|broken|wrong)\b[^.;\n]{0,24}?|(?:began|begins|begun|started|starts|appeared|appears|came|comes|arrived) (?:with|in|on|when|as|after)"
    r"|(?:after|since|when|once)(?: the| my| an?| I| we| it| Steam| Windows)*(?: last| latest| recent)?"
    r" (?:updat\w*|upgrad\w*|switch\w*|mov\w*|install\w*|jump\w*|chang\w*|took|got|received|going)(?: \w+){0,3}? (?:to|of|on|with|took))(?: \w+){0,2}? " + _NAME, _I)
_FROM = later.pattern(r"\bfrom (?:[A-Za-z][\w-]{0,30} ){0,2}[\"'(]?v?$", _I)
_ON = later.pattern(r"^\W{0,2}(?:and (?:later|newer|up|above|upwards?|all)|on(?:wards?)?\b(?! (?:an?|the|my|this|that)\b)|or (?:later|newer)|upwards?\b|\+)", _I)
_AFTER_RIGHT = later.pattern(r"^[\"'`)\s]{0,3}(?:before|previously|earlier|formerly|until then|back then|at (?:that|the) time)\b(?! (?:it|that|this|the)\b)", _I)
_AFTER_WRONG = later.pattern(r"^[\"'`)\s]{0,3}(?:now|today|currently|at present|here now)\b", _I)
_KERNEL = later.pattern(r"(?:linux|kernel)(?:-(?:lts|zen|hardened|latest|mainline|stable|rt|generic|(?:cachyos|neptune|image|ogc)[\w-]{0,30}))?")
# What has a version and is no release of something that was updated.
_STANDARD = later.pattern(r"(?:open(?:gl|cl|gles|xr)|gles|glsl|vulkan|spir-?v|hdmi|dp|displayport|pci-?e|usb(?:-c)?|thunderbolt|direct(?:x|3d)|dx|d3d|fsr|python|c\+\+|gfx|wifi"
                          r"|bluetooth|v\d[\w.]*|b\d+|level|profile|tier|step|chapter|page|part|day|run|test|item|no|nr|option|model|amd|nvidia|intel|radeon)", _I)
_SINCE_NAME = later.pattern(r"\b([A-Z][\w+-]{2,30}) (?:since|as of|starting with|beginning with) v?$")
_OF_NAME = later.pattern(r"^ of (?:the )?([A-Za-z][\w+-]{2,30})\b")
_KIND = later.pattern(r"\b(drivers?|kernels?|firmware)[ :(]{1,2}v?$", _I)
_BARE = later.pattern(r"[-/_]v?\d[\w.+~-]*$")
_HEAD = later.pattern(r"^\W{0,6}((?:[A-Za-z'-]{2,20} ?){1,5}):\s")
_TO = later.pattern(r"\W*(?:to|->|=>|\u2192)\W*(?:[A-Za-z]\w{1,12} ?)?v?", _I)
_TABLE = later.pattern(r"(?:[^|\n]{0,400}\|){3}")
_IN_BRACKETS = later.pattern(r"^ ?\(([^()\n]{1,60})\)")
_NEVER_DID = later.pattern(r"\bnever (?:did|does|had|has|happen\w*|saw|showed|occur\w*|was)\b|\b(?:did|does)(?: not|n't) (?:do|have|show|happen|occur|crash|hang|freeze|flicker)\b"
                           r"|\bwithout (?:it|this|that|the|any|a)\b|\bno such\b|\babsent\b|\bnot (?:present|affected|reproducible|there)\b"
                           r"|\b(?:can ?not|can't|could not|couldn't|unable to|never) reproduce\b|\b(?:fixed|solved|gone|resolved)\b[^.;\n]{0,16} (?:in|with|by|since)\b", _I)
_MORE_RIGHT = later.pattern(r"\b(?:was|were|is|are) (?:still )?(?:there|offered|present|possible|shown)\b|\bwoke|\bwakes|\bgood\b|\bsmooth|\bstarts? (?:up )?(?:normally|fine)?\b"
                            r"|\bstarted\b|\byes\b|\u2713|\u2705|\u2714|\bOK\b|\bran\b|\bhad (?:it|them|both|all)\b", _I)
_MORE_WRONG = later.pattern(r"\bbad\b|\bblack\b|\bblank\b|\bdark\b|\bstutter|\btear|\bwhite screen|\bnever \w+s?\b|\bregress|^\W*no\W*$|\bbugs?\b|\bignore[sd]?\b|\u2717|\u2718|\u274c|\bhas it\b|\baffected\b|\bcannot\b|\bsame\b", _I)
_ELLIPSIS = later.pattern(r"\b(?:do|does|did|is|are|was|were)(?: not|n't) (?:with|on|in|under|for)\b|\b(?:do|does|did|is|are|was|were|will|has|have)(?: not|n't)\W*$", _I)
_EVERY_NEWER = later.pattern(r"\b(?:every|all|any|each|the) (?:(?:one|\w{3,12})s? )?(?:newer|later|subsequent|following)\b|\b(?:newer|later) (?:ones|versions|drivers|kernels|releases|builds)\b"
                             r"|\b(?:every|all|any|each) \w{3,12}s? (?:after|since|above)\b|\b(?:anything|everything) (?:newer|later|after|above)\b", _I)


@dataclass(slots=True)
class _Told:
    """One version in a text: where, how it is written, its component ("" as long as nobody names it), what is said of it."""

    start: int
    end: int
    version: str
    name: str
    right: bool | None = None
    boundary: bool = False  # the last right one, as the writer says


@dataclass(frozen=True, slots=True)
class Pair:
    """A component with its last right and first wrong version ("" where no number is told), and where that is told."""

    name: str
    good: str
    bad: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class Judged:
    """What a text says of versions: the pairs, and each (component, version) by what is said of it."""

    pairs: tuple[Pair, ...]
    right: frozenset[tuple[str, str]]
    wrong: frozenset[tuple[str, str]]

    def speaks_against(self, name: str, good: str, bad: str) -> bool:
        """Whether the older version of a change is called wrong, or the newer one right."""
        of = same(name)
        return (of, good) in self.wrong and (of, good) not in self.right or (of, bad) in self.right and (of, bad) not in self.wrong


def judged(text: str) -> Judged:
    """Of each component at most one pair, none where what is said contradicts itself."""
    told = _told(text)
    said = {outcome: frozenset((same(one.name), one.version) for one in told if one.right is outcome and one.name) for outcome in (True, False)}
    return Judged(tuple(_pairs(text, told)), said[True], said[False])


def pairs(text: str) -> list[Pair]:
    """The pairs alone."""
    return list(judged(text).pairs)


def _pairs(text: str, told: list[_Told]) -> list[Pair]:
    found = []
    for _, group in itertools.groupby(sorted(told, key=lambda one: (same(one.name), one.start)), key=lambda one: same(one.name)):
        pair = _pair(text, list(group))
        if pair:
            found.append(pair)
    return sorted(found, key=lambda pair: pair.at)


def _pair(text: str, group: list[_Told]) -> Pair | None:
    name = group[0].name
    if not name:
        return None
    right, bad = ({one.version: one for one in reversed(group) if one.right is outcome} for outcome in (True, False))
    good = [one for one in right.values() if one.version not in bad] or _beside(text, group, list(bad.values()))
    later_ones = [one for one in bad.values() if one.version not in right]
    best = [(one, [other for other in later_ones if _before(one.version, other.version)]) for one in good]
    best = [(one, after) for one, after in best if after or not later_ones]
    if not best:
        return None
    first = best[0][0]
    for one, _ in best[1:]:
        first = one if _before(first.version, one.version) else first
    after = next(after for one, after in best if one is first)
    worst = after[0] if after else None
    for one in after[1:]:
        worst = one if worst and _before(one.version, worst.version) else worst
    unsaid = [one for one in group if one.right is None and _before(first.version, one.version) and (_known(name) or _moved(text, group, first, one))]
    if not worst and len({one.version for one in unsaid}) == 1:
        worst = unsaid[0]
    if not worst and not (first.boundary and _known(name)):
        return None
    lines = dict.fromkeys(_line(text, one.start) for one in (first, worst) if one)
    return Pair(_spelt(name), first.version, worst.version if worst else "", first.start, " / ".join(lines))


def _beside(text: str, group: list[_Told], bad: list[_Told]) -> list[_Told]:
    """The older version in the sentence of a wrong one, of which the writer says something else: "2.7 is black, 2.6 draws everything"."""
    older = [one for one in group if one.right is None and _known(one.name) for other in bad if _before(one.version, other.version) and _line(text, one.start) == _line(text, other.start)]
    return older if len({one.version for one in older}) == 1 else []


@functools.cache
def _all_names() -> frozenset[str]:
    places = component_versions.places().values()
    called = [name for place in places for name in (place.name, place.title, *place.called)]
    return frozenset(name.lower() for name in (*called, *components.load(), *applications.load(), *_names(), *_names().values()))


def _known(name: str) -> bool:
    """Whether a table has the component; Proton has many builds."""
    low = name.lower()
    return same(name) in _all_names() or low in _all_names() or "proton" in low or any(word in _all_names() for word in low.split())


def _moved(text: str, group: list[_Told], good: _Told, bad: _Told) -> bool:
    """Whether the text tells of a change from the one to the other."""
    return any(one.version == good.version and other.version == bad.version and one.end < other.start < one.end + 24 and _TO.fullmatch(text[one.end:other.start])
               for one, other in itertools.pairwise(group))


def _line(text: str, at: int) -> str:
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    return " ".join(text[max(start, at - 160):end if 0 <= end < at + 160 else at + 160].split())


def _before(one: str, other: str) -> bool:
    """Whether a version is the earlier one; a date counts before what stands around it."""
    dates = [re.search(r"20\d{6}", version) for version in (one, other)]
    if dates[0] and dates[1]:
        return dates[0][0] < dates[1][0]
    pair = [re.sub(r"^(\d{1,2})-(\d{1,3})$", r"\1.\2", version) for version in (one, other)]
    return versions.compare(*pair) == -1 or versions.compare(*pair) == 0 and _revision(one) < _revision(other)


def _revision(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d{1,9}", version.partition("-")[2])[:4])


@functools.cache
def _names() -> dict[str, str]:
    names: dict[str, str] = compiled.part("checks/version_story.yaml")["names"]
    return names


def same(name: str) -> str:
    """A name as it is compared.

    >>> same("Kernel"), same("kernel-latest"), same("drivers"), same("GE-Proton")
    ('kernel', 'kernel', 'windows_driver', 'ge-proton')
    """
    low = _spelt(name).lower()
    return _names().get(low) or components.of_package(low) or low


def _spelt(name: str) -> str:
    """The name without what is no part of it: "drivers", "kernel-lts"."""
    low = name.lower()
    if _KERNEL.fullmatch(low):
        return "kernel"
    return name[:-1] if low[-1:] == "s" and low[:-1] in _names() else name


def _told(text: str) -> list[_Told]:
    """The versions of a text with their components and what is said of them."""
    found: list[_Told] = []
    ge = _GE_NAMED.search(text) is not None
    for at, sentence in contrasts.sentences(text):
        places = [(one.start(), one.end(), one["v"] or one["gev"] or f"v{one['whole']}", one["glued"] or one["ge"] or "") for one in _VERSION.finditer(sentence)]
        if ge:
            places += [(one.start(), one.end(), one[0], "GE-Proton") for one in _GE.finditer(sentence)
                       if not any(start <= one.start() < end for start, end, _, _ in places)]
        if not places or len(sentence) > _ROW and _TABLE.match(sentence):
            continue
        mine = [_Told(at + start, at + end, version, name or _label(sentence, start, end)) for start, end, version, name in sorted(places)]
        _judge(sentence, [(one.start - at, one.end - at) for one in mine], mine)
        found += mine
        if len(found) >= _MOST:
            break
    _carry(text, found)
    return found


def _label(sentence: str, at: int, end: int) -> str:
    """The component before a version, also where a colon stands between."""
    name = _BARE.sub("", component_names.before(sentence, at))
    if not name and (found := _OF_NAME.match(sentence[end:])):
        name = component_names.cleaned(found[1])
    if not name and (found := _SINCE_NAME.search(sentence[max(0, at - 60):at])):
        name = component_names.cleaned(found[1])
    if not name and (found := _KIND.search(sentence[max(0, at - 20):at])):
        return found[1]
    if _STANDARD.fullmatch(name) or name.islower() and name.endswith(("ed", "ing")):
        return ""
    if not name and (found := re.search(r"\b([A-Za-z][\w+-]{1,30}) ?(?:was|is|were|are)? ?[:=(] ?[\"'`]?v?$", sentence[max(0, at - 50):at])):
        name = found[1] if same(found[1]) in _names().values() else ""
    return name


def _carry(text: str, told: list[_Told]) -> None:
    """A version without a name is of the component of the nearest one that is written like it."""
    named = [one for one in told if one.name]
    for one in told:
        if one.name:
            continue
        alike = [other for other in named if abs(other.start - one.start) < _NEAR and _alike(one.version, other.version, abs(other.start - one.start) < _BESIDE)]
        if alike:
            one.name = min(alike, key=lambda other: (other.start > one.start, abs(other.start - one.start))).name
        elif one.version[0] == "v" and (called := re.search(r"\b([A-Z][\w.+-]{2,30}) (?:was |is )?(?:up|down)?(?:grad|dat)", text)):
            one.name = called[1]
        elif re.fullmatch(r"2\d\.\d{1,2}\.\d{1,2}", one.version) and re.search(r"\bWindows\b|\bAdrenalin\b", text) and not re.search(r"\b(?:Mesa|RADV)\b", text):
            one.name = "driver"
        elif re.fullmatch(r"[4-7]\.\d{1,2}(?:\.\d{1,3})?(?:-\S+)?", one.version) and re.search(r"\bkernels?\b", text[max(0, one.start - _BESIDE):one.start], _I):
            one.name = "kernel"


def _alike(one: str, other: str, near: bool) -> bool:
    """Whether two versions can be of one component: the same first number, both a date; ``near``, also the next number (31.0 and 30.2)."""
    if "v" in one[0] + other[0] or "b" in one[0] + other[0]:
        return one[0] == other[0]
    dates = [re.search(r"20\d{6}", version) is not None for version in (one, other)]
    if any(dates):
        return all(dates)
    first = [re.split(r"[.-]", version)[0] for version in (one, other)]
    if first[0] == first[1] and len(first[0]) < 3:
        return True
    return all(part.isdigit() for part in first) and abs(int(first[0]) - int(first[1])) == 1 and int(first[0]) > 9 and near


def _judge(sentence: str, places: list[tuple[int, int]], told: list[_Told]) -> None:
    """What the sentence says of each of its versions."""
    breaks = [0, *(one.end() for one in _BREAK.finditer(sentence)), len(sentence)]
    open_: list[int] = []
    for number, (start, end) in enumerate(places):
        left = max((at for at in breaks if at <= start), default=0)
        if number and places[number - 1][1] > left:
            left = places[number - 1][1]
        right = min((at for at in breaks if at >= end), default=len(sentence))
        if number + 1 < len(places):
            right = min(right, places[number + 1][0])
        one = told[number]
        one.right, one.boundary = _said(sentence, left, start, end, right, len(places))
        if one.right is None:
            open_.append(number)
        else:
            while open_ and _GLUE.match(_between(sentence, places, open_[-1])) and not one.boundary:
                told[open_.pop()].right = one.right
            open_.clear()
    _of_list(sentence, places, told)


def _between(sentence: str, places: list[tuple[int, int]], number: int) -> str:
    return sentence[places[number][1]:places[number + 1][0]] if number + 1 < len(places) else "."


def _said(sentence: str, left: int, start: int, end: int, right: int, count: int) -> tuple[bool | None, bool]:
    """(what is said of the version between ``start`` and ``end``, whether it is told to be the last right one)."""
    before, after = sentence[max(0, start - 110):start], sentence[end:]
    if brackets := _IN_BRACKETS.match(after):
        said = _verdict(brackets[1])
        if said is not None:
            return said, False
    if (older := _BACK_TO.search(before)) or _BACK_FROM.search(before):
        whole = verdict(sentence)
        if whole is False:  # it did not help: both are wrong
            return False, False
        helped = whole or _HELPED.search(sentence) is not None
        return (bool(older) if helped else None), False
    if _AFTER_RIGHT.match(after) or _WAS.search(before):
        return True, False
    if _AFTER_WRONG.match(after):
        return False, False
    if _LAST_RIGHT.search(before):
        return True, True
    own = _verdict(sentence[left:start] + " " + sentence[end:right])
    if own is None and sentence[end:right].rstrip().endswith((":", "-", "\u2013", "\u2014", ",")):
        own = _verdict(re.split(r"[,;](?=\s)", sentence[right:right + 120])[0])
    if _EVERY_NEWER.search(sentence[left:start]) and own is not True:
        return None, False
    if _FROM.search(before) and _ON.match(after):
        return own is True, False
    if _SINCE.search(before) and (own is not True or _ON.match(after)):
        return (True if own is True else False), False
    if (until := _UNTIL.search(before)) and (own or own is None and until[0][:1] in "uUtT" and not until[0].lower().startswith(("up", "th"))):
        return True, True
    if own is None and (head := _HEAD.match(sentence[:start])):
        own = _verdict(head[1])
    if own is None and count == 1 and end - start + _LISTED > len(sentence.strip()):
        own = _verdict(sentence[:start] + " " + after)
    return own, bool(own and _EVERY_NEWER.search(after))


def _verdict(words: str) -> bool | None:
    if _NEVER_DID.search(words):
        return True
    said = verdict(words)
    if said is not None:
        return said
    if _ELLIPSIS.search(words):
        return False
    fine, bad = _MORE_RIGHT.search(words) is not None, _MORE_WRONG.search(words) is not None
    return fine if fine != bad else None


def _of_list(sentence: str, places: list[tuple[int, int]], told: list[_Told]) -> None:
    """Versions of one list are judged together: "with 4.3 to 4.6 it starts", "Tried: 1.2, 1.3 - all the same", "Works: 1.2, 1.3"."""
    for number in range(len(places) - 1, 0, -1):
        if told[number].right is not None and told[number - 1].right is None and _GLUE.match(_between(sentence, places, number - 1)) and not told[number].boundary:
            told[number - 1].right = told[number].right
    for number in range(1, len(places)):
        if told[number - 1].right is not None and told[number].right is None and _GLUE.match(_between(sentence, places, number - 1)):
            told[number].right = told[number - 1].right
