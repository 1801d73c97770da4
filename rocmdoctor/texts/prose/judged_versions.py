"""Versions that a writer calls right or wrong, each with its component: the pair between which it broke.

>>> [(one.name, one.good, one.bad) for one in judged("Last Mesa that worked: 25.3.4. With Mesa 25.3.5 games crash.").pairs]
[('Mesa', '25.3.4', '25.3.5')]
>>> [(one.name, one.good, one.bad) for one in judged("Kernel 6.14: works\\nKernel 6.15: black screen\\nMesa 25.1 is installed").pairs]
[('kernel', '6.14', '6.15')]
"""

from __future__ import annotations

import functools
import itertools
import re

from rocmdoctor import later
from rocmdoctor.facts import versions
from rocmdoctor.knowledge import applications, compiled, component_versions, components
from rocmdoctor.records import dataclass
from rocmdoctor.texts.prose import component_names, contrasts, version_verdicts

_I = re.IGNORECASE
_MOST = 60  # versions that are looked at
_NEAR = 700  # characters between a version with a name and one without
_ROW = 80  # characters of the row of a table that can be about one version
_BESIDE = 200  # the same where the first numbers differ
_UNIT = r"(?:[GMK]i?B|[GM]Hz|Hz|W|V|fps|ms|s|x|%|tokens|t/s|bits?|inch|hours?|minutes?|seconds?|times)\b"
_SUFFIX = r"(?:(?:[-+.~]?(?:rc|post|dev|git|a|beta|alpha)|[-+])[\w.+~]{0,40}\w)?"
_V = (rf"(?:\d{{1,2}}:)?(?!{contrasts.MEASURED})(?:b\d{{4,6}}|\d{{1,4}}(?:\.\d{{1,8}}){{1,4}}{_SUFFIX}|20\d{{6}}(?:-[a-z]\w{{1,8}})?|20\d\d-\d\d-\d\d)"
      rf"(?![\w%\]]|\.\d|:\d| ?{_UNIT})")
# A version, with the name that is written together with it (linux-6.12.3, proton-cachyos-10.0-20250819, GE-Proton11-6) or as v41.
_VERSION = later.pattern(
    rf"(?<![\w./=~:-])(?:(?P<glued>[A-Za-z][A-Za-z+]{{1,20}}(?:-[A-Za-z][A-Za-z+]{{1,20}}){{0,3}})-)?v?(?P<v>{_V})"
    r"|(?<![\w./-])(?P<ge>GE-Proton|Proton-GE)[- ]?(?P<gev>\d{1,2}-\d{1,3})\b"
    r"|(?<![\w./-])v(?P<whole>\d{1,3})(?![\w.%]|-\d)", _I)
_GE = later.pattern(r"(?<![\w./:-])\d{1,2}-\d{1,3}(?![\w./:-])")
_GE_NAMED = later.pattern(r"\bGE-?Proton|\bProton-?GE", _I)
# Between two versions of one list; what ends a clause.
_GLUE = later.pattern(r"(?:\W|\b(?:and|or|to|as|well|up|through|also|both|versions?|drivers?|kernels?)\b){0,12}$", _I)
_WRITTEN = {"experimental": "Proton Experimental"}  # what the version file of a program calls it
_COMES_FROM = later.pattern(r"\bfrom (?:[A-Za-z][\w-]{0,30} ){0,2}v?$", _I)
_BACK = later.pattern(r"\b(?:back|downgrad\w*|revert\w*|roll(?:ed|ing)?)\b", _I)
_MOVES_TO = later.pattern(r"[^.;,]{0,80}\bto (?:the |an? )?(?:\w+ ){0,3}v?\d", _I)
_BREAK = later.pattern(
    r"[;:.!?\n](?=\s|$)|, | - | -- |\u2013|\u2014|\b(?:but|while|whereas|though|although|however|yet)\b"
    r"|\band (?=(?:with|on|in|under|from|since)\b)", _I)
_KERNEL = later.pattern(r"(?:linux|kernel)(?:-(?:lts|zen|hardened|latest|mainline|stable|rt|generic|(?:cachyos|neptune|image|ogc)[\w-]{0,30}))?")
# What has a version and is no release of something that was updated.
_STANDARD = later.pattern(
    r"(?:open(?:gl|cl|gles|xr)|gles|glsl|vulkan|spir-?v|hdmi|dp|displayport|pci-?e|usb(?:-c)?|thunderbolt|direct(?:x|3d)|dx|d3d|fsr|python|c\+\+|gfx"
    r"|wifi|bluetooth|v\d[\w.]*|b\d+|level|profile|tier|step|chapter|page|part|day|run|test|item|no|nr|option|model|amd|nvidia|intel|radeon)", _I)
_UPDATED = later.pattern(r"\b([A-Z][\w.+-]{2,30}) (?:was |is )?(?:up|down)?(?:grad|dat)")
_ADRENALIN = later.pattern(r"2\d\.\d{1,2}\.\d{1,2}")
_WINDOWS = later.pattern(r"\bWindows\b|\bAdrenalin\b|\bAMD(?:'s)? (?:driver|software|update)s?\b|\bupdate from AMD\b")
_AS_BEFORE = later.pattern(r", ?(?:and )?(?:with )?(?:the )?same [\w .-]{2,30}(?=,)", _I)  # what did not change is no verdict
_MESA = later.pattern(r"\b(?:Mesa|RADV)\b", _I)
_OF_KERNEL = later.pattern(r"[4-7]\.\d{1,2}(?:\.\d{1,3})?(?:-\S+)?")
_KERNEL_WORD = later.pattern(r"\bkernels?\b", _I)
_BEFORE_COLON = later.pattern(r"\b([A-Za-z][\w+-]{1,30}) ?(?:was|is|were|are)? ?[:=(] ?[\"'`]?v?$")
_SINCE_NAME = later.pattern(r"\b([A-Z][\w+-]{2,30}) (?:since|as of|starting with|beginning with) v?$")
_OF_NAME = later.pattern(r"^ of (?:the )?([A-Za-z][\w+-]{2,30})\b")
_KIND = later.pattern(r"\b(drivers?|kernels?|firmware)[ :(]{1,2}v?$", _I)
_BARE = later.pattern(r"[-/_]v?\d[\w.+~-]*$")
_TO = later.pattern(r"\W*(?:to|->|=>|\u2192)\W*(?:[A-Za-z]\w{1,12} ?)?v?", _I)
_TABLE = later.pattern(r"(?:[^|\n]{0,400}\|){3}")


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
    text = _AS_BEFORE.sub(lambda found: " " * len(found[0]), text)
    told = _told(text)
    said = {outcome: frozenset((same(one.name), one.version) for one in told if one.right is outcome and one.name) for outcome in (True, False)}
    return Judged(tuple(_pairs(text, told)), said[True], said[False])


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
    if any(_before(one.version, first.version) for one in bad.values() if one.version not in right):  # it was wrong before, too
        return None
    unsaid = [one for one in group if one.right is None and _before(first.version, one.version)
              and (first.boundary or _known(name) or _moved(text, group, first, one))]
    if not worst and len({one.version for one in unsaid}) == 1:
        worst = unsaid[0]
    if not worst and not (first.boundary and _known(name)):
        return None
    lines = dict.fromkeys(_line(text, one.start) for one in (first, worst) if one)
    return Pair(_spelt(name), first.version, worst.version if worst else "", first.start, " / ".join(lines))


def _beside(text: str, group: list[_Told], bad: list[_Told]) -> list[_Told]:
    """The older version in the sentence of a wrong one, of which the writer says something else: "2.7 is black, 2.6 draws everything"."""
    older = [one for one in group if one.right is None and _known(one.name)
             for other in bad if _before(one.version, other.version) and _line(text, one.start) == _line(text, other.start)]
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
    return any((one.version, other.version) == (good.version, bad.version) and _TO.fullmatch(text[one.end:other.start][:24])
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
        places = [(one.start(), one.end(), one["v"] or one["gev"] or f"v{one['whole']}", one["glued"] or one["ge"] or "")
                  for one in _VERSION.finditer(sentence)]
        if ge:
            places += [(one.start(), one.end(), one[0], "GE-Proton") for one in _GE.finditer(sentence)
                       if not any(start <= one.start() < end for start, end, _, _ in places)]
        if not places or len(sentence) > _ROW and _TABLE.match(sentence):
            continue
        mine = [_Told(at + start, at + end, version, _WRITTEN.get(name.lower(), name) or _label(sentence, start, end))
                for start, end, version, name in sorted(places)]
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
    if not name and (found := _BEFORE_COLON.search(sentence[max(0, at - 50):at])):
        name = found[1] if same(found[1]) in _names().values() else ""
    return name


def _carry(text: str, told: list[_Told]) -> None:
    """A version without a name is of the component of the nearest one that is written like it."""
    named = [one for one in told if one.name]
    for one in told:
        if not one.name:
            near = {other.start: abs(other.start - one.start) for other in named}
            alike = [other for other in named if near[other.start] < _NEAR and _alike(one.version, other.version, near[other.start] < _BESIDE)]
            best = min(alike, key=lambda other: (other.start > one.start, abs(other.start - one.start)), default=None)
            one.name = best.name if best else _by_form(text, one)


def _by_form(text: str, one: _Told) -> str:
    """The component that a version without a name can only be of, by how it is written and what the text is about; "" where that is open."""
    if one.version[0] == "v" and (called := _UPDATED.search(text)):
        return called[1]
    if _ADRENALIN.fullmatch(one.version + (".0" if text[one.end:one.end + 2] == ".x" else "")) and _WINDOWS.search(text) and not _MESA.search(text):
        return "driver"
    if _OF_KERNEL.fullmatch(one.version) and _KERNEL_WORD.search(text[max(0, one.start - _BESIDE):one.start]):
        return "kernel"
    return ""


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
    for number, (start, end) in enumerate(places):
        left = max((at for at in breaks if at <= start), default=0)
        if number and places[number - 1][1] > left:
            left = places[number - 1][1]
        right = min((at for at in breaks if at >= end), default=len(sentence))
        if number + 1 < len(places):
            right = min(right, places[number + 1][0])
        one = told[number]
        if _COMES_FROM.search(sentence[:start]) and _MOVES_TO.match(sentence[end:]) and not _BACK.search(sentence[:start]):
            continue  # it was left: what is said is said of the other one
        one.right, one.boundary = version_verdicts.said(sentence, left, start, end, right, len(places))
    _of_list(sentence, places, told)


def _one_list(sentence: str, places: list[tuple[int, int]], number: int) -> bool:
    """Whether a version and the next one stand in one list; "from 1.2 to 1.3" is none."""
    if number + 1 >= len(places) or _COMES_FROM.search(sentence[:places[number][0]]):
        return False
    return _GLUE.match(sentence[places[number][1]:places[number + 1][0]]) is not None


def _of_list(sentence: str, places: list[tuple[int, int]], told: list[_Told]) -> None:
    """Versions of one list are judged together: "with 4.3 to 4.6 it starts", "Tried: 1.2, 1.3 - all the same", "Works: 1.2, 1.3"."""
    for number in range(len(places) - 1, 0, -1):
        one, before = told[number], told[number - 1]
        if one.right is not None and before.right is None and not one.boundary and _one_list(sentence, places, number - 1):
            told[number - 1].right = told[number].right
    for number in range(1, len(places)):
        if told[number - 1].right is not None and told[number].right is None and _one_list(sentence, places, number - 1):
            told[number].right = told[number - 1].right
