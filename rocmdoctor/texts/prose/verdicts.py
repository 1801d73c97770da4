"""Whether a clause of somebody's words says that something is right or wrong."""

from __future__ import annotations

import re

from rocmdoctor import later

_I = re.IGNORECASE
_SEEN = r"(?:sounds?|audio|pictures?|image|signal|values?|readings?)(?! (?:\d|loss|noise|corruption|defects?|errors?)\b)"  # what one has where it is right
_RIGHT = "|".join((
    r"works?|worked|working(?! (?:on|towards?)\b)|ok(?:ay)?|correct(?:ly)?|good|normal(?:ly)?|perfect(?:ly)?|succe\w+",
    r"(?<!latest )(?<!newest )(?<!current )(?<!debian )stable"
    r"(?![- ]?(?:diffusion|audio|video|cascade|swarm|matrix|baselines|forge)"  # names, and what is released
    r"|[- ](?:release|version|channel|branch|kernel|build|tree|image|package|driver|torch|pytorch|rocm|mesa|wheel)s?\b)",
    r"(?:jobs?|tests?|runs?|builds?|checks?|suites?|CI|pipelines?) passed|pass(?:es|ed(?! (?:in|into|through|to|on|with|by)\b))|valid|smooth\w*",
    r"clean(?![- ]?(?:install|boot|build|checkout|clone|venv|environment|system|up|ed)\w*)",
    r"rock[- ]solid|generates(?= *$)",
    r"green(?= *$)|immune|unaffected|proper(?:ly)?|reliabl[ey]|intact|coherent|sensible|flawless(?:ly)?|serves|boots|renders|trains|equals? the CPU|usable",
    r"(?<!not )fine(?![- ]?tun)", r"right(?! (?:after|away|before|now|at|side|click))", r"(?<!as )well", r"helps|helped|solve[sd]?|cure[sd]?",
    r"fix(?:es|ed) (?:it|this|that|the)",
    r"go(?:es)? away|went away|gone", r"(?:is|are|was|were|gets?|got) (?:found|seen|listed|detected|fast|loaded|used|picked)",
    r"runs?(?= *$| through| again)|ran(?= (?:with|on|fine|well|for|normally|through|until)\b)",
    r"(?:fully|completely|entirely|runs?|loads?) (?:\w+ ){0,4}on the GPU", r"recogni[sz]ed|as expected|as (?:it|they) should|full speed",
    r"could still(?= \w)|still could|agrees?(?= with)|match(?:es)? the CPU",
    r"without a hitch|lists (?:the|my|it|both|all|every|gfx\w+)|(?:games|programs|apps) (?:start|run)(?= *$)",
    rf"(?:has|have|had|there (?:is|was)|gives?|gets?|got|shows?) (?:an? |the |full |its )?{_SEEN}|comes? through(?! the\b)",
    r"(?:removes?|avoids?|ends?|stops?|prevents?) (?:it|this|that|the (?:crash|error|hang|problem|issue|fault)\w*)"))
_WRONG = "|".join((
    r"fail\w*|crash\w*|hang[s]?|hung|freez\w+|frozen?|broke\w*|wrong\w*|abort\w*|dies|died|killed|resets?|stuck|stall\w*|unusable|unstable|slow\w*",
    r"garbage|gibberish|nonsense|rubbish|garbled|corrupt\w*|art[ei]fact\w*|glitch\w*|flicker\w*|noise|nans?|repeats?|repeated|slashes|endless\w*|infinite",
    r"(?:goe?s?|went|turns?|turned|stays?|stayed|remains?|comes? out|uniformly|completely|all|only) (?:black|dark|blank|green|gr[ae]y|noisy)"
    r"|gr[ae]y (?:picture|image|output)s?"
    r"|black (?:picture|screen|image|output)s?|(?:all|only|stays?|just|pure|gives?|are) (?:all )?zeros",
    r"errors?|errored|\w+_ERROR\w*|(?:hip|rocblas_status_|CL_)\w*(?:Error|INVALID)\w*|only \d+ ?(?:tok\w*/s|t/s|it/s|fps)",
    r"(?:far|way|completely) off|exceptions?|faults?|segfault\w*|segmentation|problems?|issues?|out of memory|oom",
    r"time-?outs?|timed out|unsupported|refuse[sd]?|lost|loses|missing",
    r"(?:is|are|was|were|stays?|stayed|remains?|remained) empty|(?:lists?|shows?|finds?|sees?) (?:only|just|nothing but) (?:the |my |a )?CPU",
    r"happens?|happened|occurs?|occurred|ends(?= *(?:$|[,;]|with|at|by itself))|exits|quits|terminates|disappears?|vanish(?:es)?"
    r"|closes(?= *(?:$|[,;]|at|by itself|immediately))|(?:ends|kills|closes) \w+ (?:at once|immediately)|no longer (?:stays?|comes?|opens?)"))
_NO = r"\b(?:no|not|never|no longer|without(?: any)?|\w+n't|cannot|nothing|none|nor|neither|hardly|barely|free of)\b"
_AFTER_SAME = r"with|on|in|for|as|under|result|error|crash|fault|thing|behaviou?r|problem|happens|again|also|too|output|failure|message|symptoms?|issue"
_SAME = later.pattern("|".join((
    rf"\bthe same(?= *(?:$|[,:;)]|(?:{_AFTER_SAME})\b))", r"\bsame (?:result|error|crash|fault|thing|behaviou?r|problem|with)",
    r"\bno (?:difference|change|effect|luck|improvement)", r"\b(?:did|does|do)(?: not|n't) (?:help|change|matter)",
    r"\b(?:made|makes?|changes?) (?:nothing|no) ?(?:change|difference)?(?= *$|[,;)])", r"\b(?:without success|in vain|unchanged|to no avail)")), _I)
_TO_DO = later.pattern(r"\W*(?:verify|ensure|make sure|confirm|feel free)\b|[^.]{0,80}\bgood places? to start\b", _I)  # what is still to be found out
_EXCEPT = later.pattern(r"^\W*except\b", _I)
_ELLIPSIS = later.pattern(r"\b(?:(?:do|does|did|is|are|was)(?: not|n't)|never (?:do|does|did|is|has|had))(?:\W*$|: )", _I)
# It does something, only not with what it should.
_ELSEWHERE = later.pattern(r"\b(?:works?|runs?|starts?|uses?|picks?|takes?) (?:(?:on|with) )?(?:another|a different|the wrong|the other) "
                           r"(?:architecture|target|device|adapter|processor|agent)\b", _I)
_NOT_WRONG = later.pattern(r"\b(?:nothing|none) of (?:the (?:kind|sort)|it|that|this)\b|\bno such (?:thing|problem|trouble|effect)\b|" + _NO
                           + r"[^,.;]{0,24}?\b(?:" + _WRONG + r")\b|\b(?:is|are|was|were) (?:gone|solved|fixed)\b", _I)
_NOT_RIGHT = later.pattern(_NO + r"[^,.;]{0,24}?\b(?:" + _RIGHT + r"|work|load|start|run|boot|wake"
                           r"|resume|light(?:s)? up|come(?:s)? (?:on|up)|show|open|appear"
                           r"|(?:switch|power)(?:es|s)? off|shuts? down|restarts?|see|find|recogni[sz]e|use|list)\b"
                           r"|\b(?:stop(?:s|ped)?|quits?|ceased?) (?:\w+ )?(?:work|load|start|runn|boot|respond|detect|us)ing\b"
                           rf"|\bno (?:more )?{_SEEN}\b"
                           r"|\bno (?:usable |such |rocm |hip |amd |vulkan |opencl )?(?:devices?|gpus?|cards?)\b|\b0/\d{1,6} (?:ok|pass\w*|works?)\b", _I)
_IS_RIGHT = later.pattern(rf"\b(?:{_RIGHT})\b", _I)
_IS_WRONG = later.pattern(rf"\b(?:{_WRONG})\b", _I)


def verdict(clause: str) -> bool | None:
    """Whether the clause says that something is right; None where it says nothing, or both. "The same with X" is wrong: somebody reports trouble.

    >>> [verdict(text) for text in ("With Vulkan all is fine", "it does not work", "no crash any more",
    ...                             "no error, all zeros", "the same with ROCm", "it stopped working", "stable-diffusion on a clean install")]
    [True, False, True, False, False, False, None]
    """
    if _TO_DO.match(clause):
        return None
    if _SAME.search(clause):
        return False
    clause, elsewhere = _ELSEWHERE.subn(" ", clause)
    clause, not_wrong = _NOT_WRONG.subn(" ", clause)
    clause, not_right = _NOT_RIGHT.subn(" ", clause)
    wrong = bool(elsewhere or not_right or _IS_WRONG.search(clause))
    right = bool(_IS_RIGHT.search(clause) or not_wrong and not wrong)  # "no error, but all zeros"
    return right if right != wrong else None


def follows(clause: str, before: bool | None) -> bool | None:
    """The verdict of a clause that gives it by the one before: "except with X", "X does not".

    >>> follows("except with ROCm", True), follows("other models do not", None), follows("it fails", True)
    (False, True, None)
    """
    if before is not None and _EXCEPT.search(clause):
        return not before
    return (before is not True) if _ELLIPSIS.search(clause) else None
