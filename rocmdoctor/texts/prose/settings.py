"""Settings that a person says were made: variables and kernel parameters named with their value inside a sentence.

>>> said = '''I start it with `HSA_OVERRIDE_GFX_VERSION=10.3.0` in the unit. ROCR_VISIBLE_DEVICES is not set.
... HIP_VISIBLE_DEVICES was set to "1" once. The kernel has amdgpu.runpm=0.
... Without GGML_VK_DISABLE_COOPMAT=1 it crashes. Should I try AMD_LOG_LEVEL=3? With OLLAMA_VULKAN=1 it works.
... HSA_ENABLE_SDMA was set to several values, MESA_LOADER_DRIVER_OVERRIDE to the usual one. /sys/module/amdgpu/parameters/ppfeaturemask
... prints 0xfff7bfff, pp_od_clk_voltage does not exist in /sys/class/drm/card1/device.'''
>>> for r in read(said):
...     print(r.name, repr(r.value), r.line)
env.HSA_OVERRIDE_GFX_VERSION '10.3.0' 1
env.ROCR_VISIBLE_DEVICES None 1
env.HIP_VISIBLE_DEVICES '1' 2
amdgpu.modprobe_options ['amdgpu.runpm=0'] 2
amdgpu.parameters {'ppfeaturemask': '0xfff7bfff'} 4
amdgpu.without_overdrive ['card1'] 5
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import tables
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean, lazy
from rocmdoctor.texts.readers.environment import wanted

TRUST = 0
KINDS = kinds.GROUPS["told"]
_LIMIT = 120_000
_NAME = r"(?<![\w./{$-])(?P<name>[A-Z][A-Z0-9]{1,20}_[A-Z0-9_]{2,60})"
_SET = lazy(_NAME + r"[`\"']?(?: ?= ?| ?: ?[`\"'](?=[\w-])| (?:is |was |being )?(?:set )?(?:to|at) )[`\"']{0,2}(?P<value>[\w./:,;!~+-]{1,300})")
_EMPTY = lazy(_NAME + r"=(?:\"\"|'')?(?=\s|$)", re.MULTILINE)
_UNSET = lazy(r"(?:\b(?:no|unset) )?" + _NAME + r"[`\"']? (?:is|was|are) (?:not set|unset|not defined|undefined)\b")
_PARAMETER = lazy(r"(?<![\w./-])(?P<name>(?:amdgpu|ttm|amdttm)\.[a-z][\w-]{1,40})=(?P<value>[\w.,:-]{1,100})")
# What the module has in effect, and the file through which clocks are set.
_IN_EFFECT = lazy(r"/sys/module/amdgpu/parameters/(?P<name>\w{2,40})[`'\")]{0,2}(?::|=|\s{1,3}(?:now )?(?:is|prints|shows|says|reads|gives|contains|has))"
                  r"\s{1,3}[`'\"]{0,2}(?P<value>-?\w{1,20})")
_NO_OVERDRIVE = lazy(r"\b(?:pp_od_clk_voltage[`'\"]{0,2},? (?:(?:does not|doesn't|did not) exist|(?:is|was) (?:missing|absent|not there|not present))"
                     r"|(?:no|without(?: a)?|not have(?: a)?|lacks?(?: the)?) [`'\"]{0,2}pp_od_clk_voltage)\b(?P<after>[^.!?\n]{0,60})")
_CARD = lazy(r"/sys/class/drm/(card\d{1,2})\b")
# Words of a sentence that stand where a value would: "was set to several values", "to the right one".
_NO_VALUE = frozenset("""a an the this that these those any each every all both its my our your their his her several various many some few different other
another multiple whatever something anything nothing what which whichever one two three it be use make get run work avoid fix match see""".split())
_SWITCHES = frozenset("true false on off yes no none auto enabled disabled".split())
# Before it in the same sentence: not said of how things are.
_NOT_SO = lazy(r"\b(?:without|no|not|never|unset|unsetting|remov\w+|delet\w+|dropp\w+|clear\w*"
               r"|instead of|unless|should|could|would|may|might|need|needs|tr(?:y|ied|ies|ying)|suggest\w*"
               r"|recommend\w*|advis\w+|if|consider(?:ing)?|compile with|guide\w*|example|e\.g\.|works? with|only with"
               r"|fixed (?:by|with)|helps?|solv\w+|workaround)\b"
               r"|n't\b|[Cc]an I", re.IGNORECASE)
# After it: what it changed, so that the trouble told of is the one without it.
_CURES = lazy(r"^[`\"']{0,2},? ?(?:(?:it|that|this|everything|all|the (?:model|gpu|card|program|server)) )?(?:now |then |all )?"
              r"(?:works?|worked|fix(?:es|ed)|helps?|helped|solves?|solved|is fine|runs fine|cures?|makes? no difference|changes? nothing|had no effect"
              r"|did not help|made no difference|no change)\b", re.IGNORECASE)
# Not cured by it: it held for a time.
_HELD = lazy(r"^[`\"']{0,2} worked (?:fine |well )?(?:for|until|till|before|since|with)\b", re.IGNORECASE)


def recognises(text: str) -> bool:
    """Any text: what is named has no mark of its own."""
    return "_" in text or "amdgpu" in text or "ttm." in text


def _sentence(text: str, at: int) -> str:
    """The part of the sentence that stands before an offset."""
    before = text[max(0, at - 160):at]
    return re.split(r"[.!?;](?=\s)|\n\s*\n|\n\s*[-*] ", before)[-1]


def _holds(text: str, found: re.Match[str]) -> bool:
    line = text[text.rfind("\n", 0, found.start()) + 1:found.start()].lstrip()
    if line.startswith(("#", "//")) and re.fullmatch(r"(?:#|//)+ *(?:export |set |ENV |Environment=\"?)?", line):
        return False  # taken out of use
    return not _NOT_SO.search(_sentence(text, found.start())) and (
        not _CURES.search(text[found.end():found.end() + 120]) or _HELD.search(text[found.end():found.end() + 120]) is not None)


@functools.cache
def _forms() -> dict[str, str]:
    return {str(row["name"]): str(row["form"]) for row in tables.load("env_vars")["vars"] if "form" in row}


def _is_value(found: re.Match[str]) -> bool:
    """Whether what follows "set to" is a value: a bare word of letters is one where the variable takes such a word."""
    value, between = found["value"].rstrip(".,;:"), found[0][len(found["name"]):-len(found["value"])]
    if "=" in between or ":" in between or between[-1] in "`\"'" or not value.isalpha() or not value.islower():
        return True
    if value in _SWITCHES:
        return True
    form = _forms().get(found["name"])
    return value not in _NO_VALUE if form is None else re.fullmatch(form, value) is not None


def read(text: str) -> Iterator[Reading]:
    """Variables with their values, those that are said to be unset, and parameters of the driver."""
    text = clean(text[:_LIMIT])
    lines = Lines(text)
    found: list[tuple[int, str, str | None]] = []
    for match in _SET.finditer(text):
        value = match["value"].rstrip(".,;:`'\"")
        if wanted(match["name"]) and value and _is_value(match) and _holds(text, match):
            found.append((match.start(), match["name"], value))
    for match in _EMPTY.finditer(text):
        if wanted(match["name"]) and _holds(text, match):
            found.append((match.start(), match["name"], ""))
    for match in _UNSET.finditer(text):
        if wanted(match["name"]):
            found.append((match.start(), match["name"], None))
    for start, name, value_ in sorted(found, key=lambda each: each[0]):
        yield Reading("env." + name, value_, "", lines.at(start))
    parameters: dict[str, int] = {}
    for match in _PARAMETER.finditer(text):
        if _holds(text, match):
            parameters.setdefault(f"{match['name']}={match['value'].rstrip('.,:')}", lines.at(match.start()))
    if parameters:
        yield Reading("amdgpu.modprobe_options", list(parameters), "", min(parameters.values()))
    yield from _of_module(text, lines)


def _of_module(text: str, lines: Lines) -> Iterator[Reading]:
    """Parameters that the loaded module has, and a card without the file of OverDrive."""
    effective = {match["name"]: (match["value"], match.start()) for match in _IN_EFFECT.finditer(text)}
    if effective:
        yield Reading("amdgpu.parameters", {name: value for name, (value, _) in effective.items()}, "", lines.at(min(at for _, at in effective.values())))
    lacking = _NO_OVERDRIVE.search(text)
    if lacking:
        card = _CARD.search(lacking["after"]) or _CARD.search(text)
        yield Reading("amdgpu.without_overdrive", [card[1] if card else "the card"], "", lines.at(lacking.start()))
