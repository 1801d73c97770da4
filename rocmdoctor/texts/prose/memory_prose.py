"""Sizes in the words of a report: RAM that is fitted, what the system has of it, the size of the model.

>>> for reading in read("Ryzen AI Max+ 395 with 64 GB: 48 GB carve-out, 16 GB RAM left for Windows. A Q6_K model of 26.8 GB fails."):
...     print(reading.name, reading.value)
memory.installed_bytes 68719476736
memory.ram_bytes 17179869184
llama.model_bytes 26800000000
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean

TRUST = 0
KINDS = kinds.GROUPS["told"]
_LIMIT = 120_000
_SIZE = r"(?P<n>\d{1,4}(?:\.\d{1,3})?) ?(?P<unit>GB|GiB)"
# RAM is always counted in powers of two, whatever the unit is called; files are counted in 10^9 where they say GB.
_FITTED = (
    later.pattern(r"\b(?:Ryzen AI|Strix Halo|Ryzen \d|\d{3}M\b|APU|machine|laptop|mini.?PC|board)[^\n.;:]{0,40}?"
                  r"(?: with |, (?=(?:8|16|24|32|48|64|96|128|192|256) ?G))"
               + _SIZE + r"\b(?! (?:of )?(?:VRAM|carve))", re.I),
    later.pattern(_SIZE + r" (?:of )?(?:unified|installed|LPDDR5X?|DDR[45]|total RAM|physical)", re.I),
    # The sizes that machines have, and no verb before it of what a program takes.
    later.pattern(r"(?<!uses )(?<!used )(?<!needs )(?<!takes )(?<!only )(?<!than )(?<!least )(?<![\d./-])"
                  r"(?P<n>8|16|24|32|48|64|96|128|192|256|384|512|768|1024) ?(?P<unit>GB|GiB)(?: of)? RAM\b"
                  r"(?! (?:is |are )?(?:left|free|used|usage|available|needed|or more))", re.I),
)
_SYSTEM = (
    later.pattern(_SIZE + r" (?:of )?(?:RAM|memory)?,? ?(?:are |is )?(?:left|remain\w*)? ?for (?:the system|the OS|Windows|Linux)", re.I),
    later.pattern(_SIZE + r" (?:of )?(?:system|main) (?:RAM|memory)\b", re.I),
    later.pattern(_SIZE + r" (?:of )?RAM (?:are |is )?left\b", re.I),
)
_MODEL = (
    later.pattern(r"\b(?:model|GGUF|I?Q\d_\w{1,4}|BF16|F16)\b[^\n.;]{0,40}?(?:of|is|has|with|\() ?" + _SIZE + r"\b(?! (?:of )?(?:VRAM|RAM|memory))", re.I),
    later.pattern(_SIZE + r" (?:large |big )?(?:model|GGUF)\b", re.I),
    later.pattern(r"[\w.]-\d{1,3}b\b[^\n.;]{0,60}?[(,:] ?(?:\w{2,12}[, ]{1,2}){0,3}(?:about |around |ca\.? |~ ?)?" + _SIZE
                  + r"(?: on disk| file| download|\))", re.I),
)
_FILE = later.pattern(r"\b(?:file size|model size) {0,8}= {0,4}" + _SIZE.replace(r"(?P<unit>GB|GiB)", r"(?P<unit>GiB)") + r"\b")


def recognises(text: str) -> bool:
    """Never alone: these sizes stand in texts that other readers take."""
    return next(read(text), None) is not None


def _first(patterns: tuple[re.Pattern[str], ...], text: str) -> re.Match[str] | None:
    return next((found for pattern in patterns if (found := later.search(pattern, text))), None)


def file_size(text: str, lines: Lines) -> Iterator[Reading]:
    """The size of the model's file as a loader prints it, in powers of two."""
    found = later.search(_FILE, text)
    if found:
        yield Reading("llama.model_bytes", int(float(found["n"]) * (1 << 30)), line=lines.at(found.start()))


def read(text: str) -> Iterator[Reading]:
    """The first statement of each size."""
    text = clean(text[:_LIMIT])
    lines = Lines(text)
    for name, patterns, ram in (("memory.installed_bytes", _FITTED, True), ("memory.ram_bytes", _SYSTEM, True),
                                ("llama.model_bytes", (_FILE, *_MODEL), False)):
        found = _first(patterns, text)
        if found:
            unit = 1 << 30 if ram or found["unit"] == "GiB" else 10**9
            yield Reading(name, int(float(found["n"]) * unit), line=lines.at(found.start()))
