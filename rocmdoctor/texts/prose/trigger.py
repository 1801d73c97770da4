"""What a writer ties the trouble to, whatever it is: the clause behind "since", "after", "whenever", "if I remove", and what is named in it.

>>> sample = "It began after I had applied the MPO tweak of WinUtil."
>>> [(row["how"], row["kind"], row["clause"]) for row in next(read(sample)).value]
[('began', 'program', 'after I had applied the MPO tweak of WinUtil')]
>>> list(read("When I run it on the GPU it crashes after a while."))
[]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import side_programs
from rocmdoctor.records import dataclass
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean
from rocmdoctor.texts.prose import contrasts
from rocmdoctor.texts.prose.verdicts import verdict

TRUST = 0
KINDS = kinds.GROUPS["told"]

_LIMIT = 60_000
_MOST = 6
_MOST_SENTENCES = 400
_SHOWN = 160
_LONGEST_ACT = 140
_NEAR = 700  # characters behind a sentence in which values of the registry and files belong to it
_I = re.IGNORECASE
_WORDS = tuple("""since after once while with when removing disabling closing stopping unplugging uninstalling quitting until till following whenever
if afterwards""".split()) + ("now that", "as soon", "as long", "every time", "each time", "any time", "from then", "without")
# What somebody did that can be undone.
_DID = (r"(?:(?:re)?install(?!ations? (?:of Windows|guide))|uninstall|updat|upgrad|appl(?:y|ied)|re-?enabl|enabl|disabl|activat|add(?:ed|ing)"
        r"|chang|switched|switching|replac|swapp"
        r"|attach|assign|plugg|connected|connecting|hook|flash|overclock|undervolt|remov|delet|edit|merg|pull|rebas|refresh|patch|migrat|bump"
        r"|fitted|fitting|(?:going|went) from \S+ to"
        r"|import|tweak|downgrad|clean-?install|rais(?:ed|ing) the|lower(?:ed|ing) the|turned on|turning on|turned off|turning off|set the"
        r"|setting the|moved|moving|mov)\w*")
_EVENT = r"(?:updates?|upgrades?|tweaks?|change|installation|switch (?:to|from)|move (?:to|from)|migration|downgrade)\b(?! rate)"
# Acts of use, and what comes by itself: nothing to undo.
_NO_ACT = later.pattern(
    r"\b(?:TTY|workspace|window|tab|channel|level|map|scene|resolution|prompt|question|page|button|click\w*|mouse|model|models|checkpoint|seed"
    r"|batch|picture"
    r"|graphics settings?|settings? (?:menu|page)|preset|song|video|image size|(?:is|was|are) finished|log(?:ged|ging) (?:in|out)|chang(?:e|es"
    r"|ing) (?:the )?(?:size|speed|track)"
    r"|(?:turn|switch)\w*(?: \w+){0,3} (?:monitor|display|screen|TV|television|computer|PC|machine)"
    r"|(?:monitor|display|screen|TV|television|computer|PC|machine|node|server|host) (?:is |was )?(?:turned|switched)|weights?|steps?|tokens?"
    r"|guide|instructions)\b", _I)
_BEGAN = later.pattern(
    r"\b\w{1,20} (?:(?:has|had|have) (?:all )?)?"
    r"(?:began|begun|started|starts|appeared|appears|came(?: up)?|showed up|arose|happens|happened|occurs|occurred|came back)"
    r"(?: only| right| directly| shortly| just| first)?"
    r" (?P<clause>(?:after|when|once|with|since|as soon as|following) [^;\n]{3,240})", _I)
_SINCE = later.pattern(r"(?<!\bat )\b(?P<clause>(?:ever since|since|right after|directly after|shortly after|immediately after|after|once|now that"
                       r"|following) [^;\n]{3,240})", _I)
_UNTIL = later.pattern(
    r"\b(?:worked|ran|trained|was fine|were fine|was (?:right|stable|good|clean|smooth)|had no (?:problems?|trouble|issues?)|no (?:problems?"
    r"|trouble|issues?)"
    r"|all good|booted|rendered|started)(?: [\w,-]{1,20}){0,5}? (?P<clause>(?:until|till|up to when) [^;\n]{3,200})", _I)
_THEN = later.pattern(r"^\W*(?:and )?(?:since then|ever since|since that|from then on|from that (?:moment|day|point)(?: on)?|after that"
                      r"|afterwards|thereafter)\b"
                      r"|; (?:since then|ever since|after that|from then on)\b", _I)
_WHAT_CHANGED = later.pattern(
    r"\b(?:what|the only thing(?: that)?|all that)(?: has| had)? changed(?: since(?: then)?)?(?: is| was)?:? (?P<clause>[^;\n]{8,240})", _I)
_WHEN = later.pattern(
    r"(?<!\bat )\b(?P<clause>(?:only )?(?:whenever|every time|each time|any ?time|as soon as|as long as|when|while|if|once|with) [^;\n]{3,240})", _I)
_WITHOUT = later.pattern(
    r"(?<!\bat )\b(?P<clause>(?:(?:if|when|once|after|as soon as) (?:I |we |it is |they are |that is )?"
    r"(?:remov\w*|disabl\w*|clos(?:e|ed|ing)|quit\w*|stop\w*|exit\w*|kill\w*|uninstall\w*|unplug\w*|disconnect\w*|unload\w*|(?:turn"
    r"|switch)\w* off|tak\w* out)"
    r"|(?:removing|disabling|closing|quitting|stopping|exiting|killing|uninstalling|unplugging|disconnecting|unloading|turning off|switching off"
    r"|without) )"
    r"[^;\n]{2,200})", _I)
_ON = (r"(?:on|enabled|active|activated|switched on|turned on|runs?|running|open|opened|started|connected|plugged(?: in)?|attached|installed"
       r"|loaded|in use"
       r"|used|present|added|assigned|mounted|inserted|applied|set)")
_HARDWARE = (
    r"(?:(?:second|third|fourth|external|additional|another|other|new|4K|HDMI|DisplayPort|DP|USB-C|VR|both|two|three) (?:monitor|display|screen"
    r"|television|TV|projector)s?"
    r"|dock(?:ing station)?|eGPU|riser(?: cable| card)?|KVM(?: switch)?|adapter|capture card|headset|hub|(?:HDMI|DP|DisplayPort|USB-C|Thunderbolt"
    r"|extension) cable|splitter"
    r"|dongle|(?:second|other|NVIDIA|AMD|old|new|additional) (?:graphics )?(?:card|GPU)|NVMe(?: drive)?|SSD|RAM (?:kit|stick|module)s?"
    r"|memory modules?|DIMMs?|webcam"
    r"|controller|gamepad|printer|sound card|network card|receiver|soundbar)")
_FEATURE = (
    r"(?:HDR|VRR|FreeSync(?: Premium)?|Adaptive[- ]Sync|G-?Sync|Re(?:sizable )?BAR|Smart Access Memory|SAM|Above 4G(?: decoding)?|IOMMU|XMP|EXPO"
    r"|DOCP|PBO|ULPS|HAGS|MPO"
    r"|multi-?plane overlays?|(?:hardware[- ]accelerated )?GPU scheduling|fractional scaling|night (?:light|color|colour)|compositing|V-?Sync"
    r"|Anti-?Lag\w*\+?|AFMF|Fluid Motion Frames"
    r"|frame generation|ray ?tracing|Game Mode|core isolation|memory integrity|HVCI|Secure Boot|Fast ?Boot|Fast Startup|CSM|ASPM|C-states|DSC"
    r"|undervolt\w*|overclock\w*"
    r"|Radeon Chill|Enhanced Sync|Image Sharpening|Super Resolution|10[- ]?bit(?: colou?r)?|deep sleep|hardware acceleration|ad ?blocker"
    r"|antivirus|VPN|virtual display)")
_PART = r"(?:service|daemon|overlay|plug-?in|add-?on|extension|mod|tweak|tool|layer|launcher|script|profile|patch(?:es|set)?|option|parameter)s?"
_THING = later.pattern(rf"\b(?P<hardware>{_HARDWARE})\b|\b(?P<feature>{_FEATURE})(?![\w-])|\b(?P<part>(?-i:[A-Z])(?!he |his |hat |y "
                       rf"|n )[\w.+-]{{1,30}} {_PART})\b", _I)
_STATE = later.pattern(rf"\b{_ON}\b", _I)
_UPDATE = later.pattern(r"\b(?:updat|upgrad)\w*|\bnightly\b|\bpull(?:ed|ing)\b|\brebas\w+|(?<!\w)-S[yu]{1,3}\b|\bdnf\b|\bapt\b"
                        r"|\b(?:going|went|mov(?:ed|ing)) from \S{0,40}\d\S{0,40} to \S{0,40}\d", _I)
_DONE = later.pattern(rf"^.{{0,60}}?\b(?:{_DID}|{_EVENT})", _I)
_PAST = later.pattern(rf"(?<!the )\b(?:{_DID})(?<=ed)\b|\b(?:I|we) (?:\w+ )?(?:ran|set|put|changed|built) ", _I)
# "after that", "with it": what it was stands elsewhere; "after the install" has no object, "as if" no event.
_EMPTY = later.pattern(r"^(?:\w+ ){1,2}?(?:that|then|this|these|it|start(?:up)?|boot\w*|login|resum\w+|suspend\w*|wak\w+|sleep|a (?:while|few"
                       r"|reboot|restart)|some (?:time|minutes)"
                       r"|(?:the )?(?:(?:re)?install(?:ation|ing)?|setup|build)\W*$)\b", _I)
_OTHERS = later.pattern(r"^\W*(?:somebody|someone|others|other (?:people|users)|another user|a colleague|a friend)\b", _I)
_PASSIVE_END = later.pattern(r"\b(?:was|were|is|are|been|got|had been|being) (?:\w+ly )?(?:(?:turned|switched) (?:on|off)|plugged in|\w{3,16}ed"
                             r"|set|built|put)\b"
                             r"(?: (?:again|(?:in|to|by|for|from) (?:(?:the|my|an?) )?\S{2,30}))?", _I)
# A program's own line among a person's.
_PROGRAMS = later.pattern(r"\w(?:Error|Warning|Exception): |^\s*[<#$>|]|\b0x[\da-f]{4,}|^\s*\S{1,60}: \S{1,60}: |\bin sys\.modules\b")
# Where the clause ends and what it brought begins.
_STARTS = r"(?:the|my|all|every|no|none|both|I|it|they|each|nothing)"
_VERBS = (r"(?:is|are|was|were|has|have|no longer|cannot|can't|won't|stays?|shows?|goe?s?|turns?|becomes?|flickers?|crash\w*|hangs?|freez\w*"
          r"|fails?|drops?|loses?|starts?|works?|does"
          r"|do|dies|ends|stops?|keeps?|jumps?|disappears?|stutters?|runs?|comes?|offers?|says?|takes?|gets?|uses?|reports?|lists?|finds?|sees?"
          r"|gives?|refuses?|remains?|closes?|boots?"
          r"|opens?|loads?|switch(?:es)? off|powers?|needs?)")
_ENDS = later.pattern(
    rf",|\s(?:-|--|\u2013|\u2014)\s|: |(?<=[\w)\"'`]) (?={_STARTS} (?:(?! {_STARTS} )[^;\n]){{0,120}}?\b{_VERBS}\b)", _I)
_OPEN = later.pattern(r"^\w+(?: \w+)? \w+ing$|\b(?:to|of|with|and|or|in|from|for)$", _I)  # its object is still to come
_TROUBLE = later.pattern(
    r"\b(?:no longer(?! remember| know| have| own)|any ?more|does not|doesn't|do not|don't|did not|cannot|can ?not|can't|won't|will not|unable"
    r"|gone|go(?:es)? off|by (?:itself|themselves)|jump\w*|drop(?:s|ped)?"
    r"|los[et]s?|disappear\w*|vanish\w*|stays? (?:at|on|black|off|dark)|remains?|only|never|none|back (?:at|to)|resets?|restarts|reboots|black"
    r"|blank|dark|tear\w*|stutter\w*|blink\w*"
    r"|loud|too hot|overheat\w*|hot|missing|ignor\w*|refus\w*|closes|quits|ends|exits|shuts?|stop(?:s|ped)?|powers? off|spins? up|pink|red"
    r"|greenish|crackl\w*|distort\w*|lag\w*|worse|lower|half"
    r"|no (?:\w+ ){1,3}(?:starts?|works?|opens?|loads?|found|shown|offered)|nothing|instead of|error\w*|signal \d+|BSOD|blue screen|Code \d+"
    r"|wrong|strange|weird|out of sync|too (?:slow|low|high|big|small)|100 ?%)", _I)
_GONE = later.pattern(r"\b(?:is|are|was|were|has|have) (?:now |all |both )?gone\b", _I)
# What an update or a list around the clause names: values of the registry, variables, options, files of a configuration.
_QUOTED = later.pattern(
    r"\[?(?P<key>HK(?:EY_LOCAL_MACHINE|EY_CURRENT_USER|LM|CU)\\[^\]\"\n]{3,160})"
    r"|\"(?P<value>[A-Z]\w{2,40})\"=(?:dword:|hex:|\")(?P<to>[\w,]{1,40})"
    r"|(?<!-D)(?<!-D )\b(?P<set>(?:[A-Z][A-Z0-9]{1,20}_){1,5}[A-Z0-9]{1,20}=[\w.:,/-]{0,40}\w|(?:amdgpu|radeon|pcie_aspm|iommu|amd_iommu"
    r"|ttm)[.=][\w.]{1,40}(?:=\w{1,20})?)"
    r"|(?P<file>/etc/[\w./-]{3,80}\.(?:conf|rules|json|d|service|ya?ml))")


@dataclass(frozen=True, slots=True)
class _Found:
    """One clause: how it is tied to the trouble, of what kind it is, and what it names."""

    how: str
    kind: str
    clause: str
    what: str


def recognises(text: str) -> bool:
    """Any words: what is tied to something has no mark of its own.

    >>> recognises("since"), recognises("\\n")
    (True, False)
    """
    return bool(text.strip())


def read(text: str) -> Iterator[Reading]:
    """``report.triggers``: what the trouble comes with; ``report.side_programs``: programs named that run beside others."""
    text = clean(text[:_LIMIT])
    lines = Lines(text)
    told = [(at, sentence) for at, sentence in contrasts.sentences(text) if contrasts.told(sentence) and not _PROGRAMS.search(sentence)]
    rows: list[dict[str, object]] = []
    before = ""
    for at, sentence in itertools.islice(told, _MOST_SENTENCES):
        low = sentence.lower()
        found = _found(sentence, before) if any(word in low for word in _WORDS) else None
        if found:
            rows.append({"how": found.how, "kind": found.kind, "clause": found.clause, "what": found.what,
                         "quoted": _quoted(text, at, sentence), "line": lines.at(at + len(sentence) - len(sentence.lstrip())), "text": _short(sentence, 300)})
        before = sentence
    rows.sort(key=lambda row: row["how"] == "when")  # what was changed before what goes along with it
    if rows:
        yield Reading("report.triggers", rows[:_MOST], line=int(str(rows[0]["line"])))
    named = [str(row["title"]) for row in side_programs.find("\n".join(sentence for _, sentence in told))]
    if named:
        yield Reading("report.side_programs", named[:_MOST], line=1)


def _found(sentence: str, before: str) -> _Found | None:
    """The clause of a sentence that the trouble is tied to; ``before`` is the sentence that stands before it."""
    if _OTHERS.search(sentence):
        return None
    return _without(sentence) or _changed(sentence) or _named(sentence) or _then(sentence, before) or _goes_along(sentence)


def _changed(sentence: str) -> _Found | None:
    """Something was done, and the trouble came with it."""
    for pattern, sure in ((_BEGAN, True), (_UNTIL, True), (_SINCE, False)):
        for found in pattern.finditer(sentence):
            clause, rest = _cut(sentence, found)
            if _undoable(clause) and (sure or _wrong(rest)):
                return _Found("began", *_what(clause))
    return None


def _named(sentence: str) -> _Found | None:
    """What the writer himself calls the change."""
    found = _WHAT_CHANGED.search(sentence)
    return _Found("began", *_what(_short(found["clause"].strip(), _SHOWN * 2))) if found else None


def _then(sentence: str, before: str) -> _Found | None:
    """What was done stands before "since then"."""
    found = _THEN.search(sentence)
    if not found:
        return None
    clause = sentence[:found.start()].strip() or before
    done = len(clause) < _SHOWN * 2 and _PAST.search(contrasts.unquoted(clause)) and not _NO_ACT.search(clause)
    return _Found("began", *_what(_short(clause, _SHOWN * 2))) if done and _wrong(sentence[found.end():]) else None


def _goes_along(sentence: str) -> _Found | None:
    """It comes as often as something else is there that can be left out."""
    for found in _WHEN.finditer(sentence):
        clause, rest = _cut(sentence, found)
        programs = side_programs.find(clause)
        thing = _THING.search(clause)
        there = programs or thing and _STATE.search(clause, max(0, thing.start() - 30))
        if there and not _NO_ACT.search(clause) and not _EMPTY.search(clause) and _wrong(rest) and not sentence[:found.start()].lower().endswith("as "):
            return _Found("when", *_what(clause))
    return None


def _without(sentence: str) -> _Found | None:
    """It is right as soon as something is taken away."""
    for found in _WITHOUT.finditer(sentence):
        clause, rest = _cut(sentence, found)
        if (side_programs.find(clause) or _THING.search(clause)) and not _NO_ACT.search(clause) and verdict(rest) is True:
            return _Found("without", *_what(clause))
    return None


def _cut(sentence: str, found: re.Match[str]) -> tuple[str, str]:
    """(the clause, what else the sentence says)."""
    clause, start = found["clause"], found.start("clause")
    passive = _PASSIVE_END.search(clause[:_LONGEST_ACT])
    ends = (end.start() for end in _ENDS.finditer(clause, passive.end() if passive else 12) if not _OPEN.search(clause[:end.start()]))
    stop = next(ends, len(clause))
    if passive and stop > passive.end() and found.re is not _BEGAN:
        stop = passive.end()
    if not sentence[:start].strip(" ,.;:-") and stop >= len(clause.rstrip()):  # no boundary: the sentence says both
        return _short(clause, _SHOWN), sentence
    return _short(clause[:stop], _SHOWN), sentence[:start] + " " + clause[stop:]


def _undoable(clause: str) -> bool:
    """Whether the clause tells of something that was done and can be taken back."""
    return bool(_DONE.search(clause)) and not _NO_ACT.search(clause[:_LONGEST_ACT]) and not _EMPTY.search(clause)


def _wrong(rest: str) -> bool:
    """Whether the rest of the sentence tells of trouble."""
    said = verdict(rest)
    if said and _GONE.search(rest):  # something that one wants to have
        said = verdict(_GONE.sub(" ", rest))
    return said is False or said is None and _TROUBLE.search(rest) is not None


def _what(clause: str) -> tuple[str, str, str]:
    """(kind, clause, what is named in it)."""
    if _UPDATE.search(clause):
        return "update", clause, ""
    if programs := side_programs.find(clause):
        return "program", clause, str(programs[0]["title"])
    thing = _THING.search(clause)
    return ("hardware" if thing["hardware"] else "setting", clause, thing[0]) if thing else ("change", clause, "")


def _quoted(text: str, at: int, sentence: str) -> list[str]:
    """Registry values and files that stand beside the clause, variables and parameters in it."""
    near = text[at:at + len(sentence) + _NEAR]
    return list(dict.fromkeys(found["value"] or found["set"] or found["file"] or found["key"].rstrip("]\\ ") for found in _QUOTED.finditer(near)
                              if not found["set"] or found.start() < len(sentence)))[:_MOST]


def _short(words: str, most: int) -> str:
    return " ".join(words.split()).strip(" ,;:.-")[:most]
