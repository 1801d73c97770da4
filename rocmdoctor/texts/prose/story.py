"""What a writer tells beyond the machine: applications, backends, what worked, the BIOS split."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import Lines, lazy
from rocmdoctor.texts.prose import changes_told, contrasts

_I = re.IGNORECASE
_LONGEST_STORY = 60_000
# Label, lower-case words one of which must be there before the pattern is worth compiling, pattern.
_BACKENDS = (
    ("rocm", "rocm hip", lazy(r"\bROCm\b|\bHIP\b(?!_)|\bhipblas\w*", _I)),
    ("vulkan", "vulkan radv amdvlk", lazy(r"\bvulkan\b|\bRADV\b|\bAMDVLK\b", _I)),
    ("cpu", "cpu", lazy(r"\b(?:on|uses?|only|to|from) (?:the )?CPU\b|\bCPU[ -]only\b", _I)),
)
_V = r"v?(?P<v>b?\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+.]?(?:rc|a|dev)\d+)?(?:-\d[\w.]*)?|b\d{4,6})(?![\d.]*\d)"
_GOOD_WORDS = r"(?:works?|worked|working|is fine|was fine|are fine|runs?|ran|is fast|answers? normally|ok|okay|is good|(?:was|were) (?:picked|used))\b"
_BAD_WORDS = (r"(?:does not|doesn't|do not|fails?|failed|crash(?:es|ed)?|hangs?|hung|broken?|broke|lists no|is not|segfaults?|generates|"
              r"returns? garbage|answers with garbage|use no GPU|dies)\b")
_MID = r"[^\n.;:,]{0,40}?"
_GOOD = (
    later.pattern(r"(?<![\w.])" + _V + r"(?! kernel)" + r"(?:" + r"[^\n.;]{0,30}?" + r") ?\b" + _GOOD_WORDS, re.IGNORECASE),
    later.pattern(r"\b(?:works?|worked|fine|ran) (?:well |fine |great |again |perfectly )?(?:with|on|in|until|up to|under)\b" + _MID
               + r"(?<![\w.])" + _V, re.IGNORECASE),
    later.pattern(r"\b(?:going|went|go|downgrad\w+|revert\w*|roll\w*)(?: back)? to\b" + _MID + r"(?<![\w.])" + _V, re.IGNORECASE),
    later.pattern(r"\b(?:last (?:good|working)\b[^\n\d]{0,30}|before: )(?<![\w.])" + _V, re.IGNORECASE),
)
_BAD = (
    lazy(r"(?<![\w.])" + _V + r"[^\n.;,]{0,60}?\b" + _BAD_WORDS, re.IGNORECASE),
    lazy(r"\b(?:up to the release before|before) " + _V, re.IGNORECASE),
    lazy(r"\b" + _BAD_WORDS + r"[^\n.;,]{0,40}?\b(?:on|in|with|since)\b[^\n.;,\d]{0,20}" + _V, re.IGNORECASE),
    lazy(r"\b(?:first bad|since|after (?:the )?(?:update|upgrade)\w*(?: to)?|starting (?:with|from)|from|broken (?:in|since|with)|"
               r"(?:updat|upgrad)\w+ to|with)\b[^\n\d]{0,25}(?<![\w.])" + _V, re.IGNORECASE),
)
_OPTIONS = (
    ("flash-attention", "flash -fa", lazy(r"\bflash[ -]?att(?:ention|n)\b|(?<![\w-])-fa\b", _I)), ("mmap", "mmap", lazy(r"\bmmap\b|--no-mmap", _I)),
    ("kv-quantisation", "kv ctk cache-type", lazy(r"\b(?:quanti[sz]ed kv|kv[- ]cache quant\w*|-ctk|cache-type-k|OLLAMA_KV_CACHE_TYPE)\b", _I)),
    ("partial-offload", "offload cpu-moe -ot", lazy(r"\b(?:partial(?:ly)? offload\w*|n-cpu-moe|--cpu-moe|-ot )", _I)),
    ("tensor-parallel", "tensor -sm split-mode", lazy(r"\b(?:tensor[- ]parallel\w*|-sm row|split-mode row)\b", _I)),
    ("torch-compile", "torch.compile", lazy(r"\btorch\.compile\b", _I)), ("fp16", "fp16", lazy(r"\bfp16\b", _I)),
    ("bf16", "bf16", lazy(r"\bbf16\b", _I)), ("fp8", "fp8", lazy(r"\bfp8\b", _I)),
    ("hip-graphs", "graph", lazy(r"\b(?:hip|cuda) ?graphs?\b|GGML_CUDA_GRAPHS", _I)), ("coopmat", "coop", lazy(r"\bcoop(?:erative[ -])?mat\w*\b", _I)),
    ("unified-memory", "unified_memory", lazy(r"\bGGML_CUDA_ENABLE_UNIFIED_MEMORY\b", _I)),
    ("speculative", "speculative draft", lazy(r"\bspeculative\b|\bdraft model\b", _I)), ("rocwmma", "rocwmma", lazy(r"\brocwmma\b", _I)),
    ("hipblaslt", "hipblaslt", lazy(r"\bhipblaslt\b", _I)), ("sdma", "sdma", lazy(r"\bHSA_ENABLE_SDMA\b", _I)),
    ("aotriton", "aotriton", lazy(r"\baotriton\b", _I)),
)
_TIED = later.pattern(r"\b(?:only|unless|without|disabl\w+|enabl\w+|turn(?:ed|ing)? (?:on|off)|with|when|if|set(?:ting)?|off|on|=[01]|-fa|--no-mmap)\b|[-=]", re.IGNORECASE)
_OTHER = later.pattern(r"(?:[Bb]efore|Ubuntu|Debian|Fedora|Mint|Windows|Rocky|RHEL|Python|HSA runtime|GFX_VERSION)[ =]{1,2}v?$")
_VOLTS = later.pattern(contrasts.MEASURED)
_NOT = later.pattern(r"\b(?:not|never|no longer|n't|doesn't|slow\w*)\b", re.IGNORECASE)
_SPLIT = (
    lazy(r"\b(?P<n>\d{1,3}(?:\.\d)?) ?(?P<u>GB|GiB|G|MB|MiB)\b(?:(?!RAM\b|more\b|total\b|used\b)[^\n.;\d)]){0,40}?\b(?:VRAM set|carve-?out|carved out|given to the (?:GPU|iGPU)|"
               r"allocated to (?:the )?(?:GPU|iGPU)|dedicated (?:to|memory|VRAM)|Variable Graphics Memory|UMA|in (?:the )?BIOS)", re.IGNORECASE),
    lazy(r"\b(?:carve-?out|UMA(?: frame ?buffer)?(?: size)?|Variable Graphics Memory|BIOS VRAM|dedicated (?:VRAM|memory))\b(?:(?!stays|limit)[^\n.;\d]){0,30}?"
               r"(?P<n>\d{1,3}(?:\.\d)?) ?(?P<u>GB|GiB|G|MB|MiB)\b", re.IGNORECASE),
)


def _worth(lowered: str, words: str) -> bool:
    return any(word in lowered for word in words.split())


def _named(text: str, lines: Lines, table: tuple[tuple[str, str, re.Pattern[str]], ...], name: str) -> Iterator[Reading]:
    lowered = text.lower()
    found = [(match.start(), label) for label, words, pattern in table if _worth(lowered, words) and (match := later.search(pattern, text))]
    if found:
        found.sort()
        yield Reading(name, [label for _, label in found], line=lines.at(found[0][0]))


def _version(text: str, lines: Lines, name: str, patterns: tuple[re.Pattern[str], ...], other: str = "",
             right: Sequence[tuple[int, int]] = ()) -> Reading | None:
    """The version of the first pattern that fits: to ``other`` as well, and not where something is told to be ``right``."""
    for pattern in patterns:
        for found in pattern.finditer(text):
            value = found["v"].rstrip(".-")
            before = text[max(0, found.start("v") - 24):found.start("v")]
            if value == other or _VOLTS.fullmatch(value) or (_OTHER.search(before) and not (other and "efore" in before[-9:])) or (name.endswith("good") and _NOT.search(found[0])):
                continue
            if any(start <= found.start("v") < end for start, end in right):  # what was right cannot be the bad one
                continue
            if name.endswith("good") and text.startswith(" now", found.end()):  # "6.6.91 is what runs now"
                continue
            if not other or _alike(value, other):
                return Reading(name, value, line=lines.at(found.start("v")))
    return None


def _options(text: str) -> Iterator[Reading]:
    """Options that the story ties to the fault."""
    text = "\n".join(line if contrasts.told(line) else "" for line in text.split("\n"))
    lines = Lines(text)
    options: dict[str, int] = {}
    lowered = text.lower()
    for name, words, spelling in _OPTIONS:
        for found in spelling.finditer(text) if _worth(lowered, words) else ():
            around = text[max(0, found.start() - 25):found.end() + 12]
            if "_" not in found[0] and _TIED.search(around) or found[0].isupper():
                options.setdefault(name, lines.at(found.start()))
                break
    if options:
        yield Reading("report.options", sorted(options, key=lambda name: options[name]), line=min(options.values()))


def _alike(one: str, other: str) -> bool:
    """Whether two versions can be of one program: the same first number, or both build numbers."""
    return one[0] == other[0] == "b" or one.split(".")[0] == other.split(".")[0]


@functools.cache
def _applications() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((value.name, " ".join(value.words), value.pattern) for value in contrasts.values() if value.axis == "app")


def subjects(text: str, lines: Lines) -> Iterator[Reading]:
    """The applications and backends that are named."""
    yield from _named(text, lines, _applications(), "report.apps")
    yield from _named(text, lines, _BACKENDS, "report.backends")


def story(text: str, lines: Lines) -> Iterator[Reading]:
    """The ``report.*`` facts of one text.

    >>> sample = "With Vulkan it works. 96 GB carve-out."
    >>> for reading in story(sample, Lines(sample)):
    ...     print(reading.name, reading.value)
    report.backends ['vulkan']
    report.contrasts [{'axis': 'backend', 'value': 'vulkan', 'title': 'Vulkan', 'right': True, 'line': 1, 'text': 'With Vulkan it works'}]
    report.bios_vram_bytes 103079215104
    """
    yield from subjects(text, lines)
    text = text[:_LONGEST_STORY]
    judged = contrasts.clauses(text)
    good = _version(text, lines, "report.last_good", _GOOD)
    if good and str(good.value) not in {bad for _, sentence in contrasts.sentences(text) for _, _, bad in changes_told.moved(sentence)}:
        yield good
        right = [(at, at + len(whole)) for at, whole, _, fine in judged if fine]
        bad = _version(text, lines, "report.first_bad", _BAD, str(good.value), right)
        if bad:
            yield bad
    yield from contrasts.contrasts(judged, lines)
    yield from _options(text)
    for pattern in _SPLIT if _worth(text.lower(), "vram carve gpu dedicated uma bios variable") else ():
        split = later.search(pattern, text)
        if split:
            unit = 1 << (20 if split["u"].upper().startswith("M") else 30)
            yield Reading("report.bios_vram_bytes", int(float(split["n"]) * unit), line=lines.at(split.start()))
            break
