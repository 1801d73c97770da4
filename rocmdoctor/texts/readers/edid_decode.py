"""What edid-decode prints of a monitor: the modes that it takes over HDMI as YCbCr 4:2:0 only.

>>> sample = '''Video Data Block:
...     VIC  95:  3840x2160   30.000000 Hz  16:9     67.500 kHz    297.000000 MHz
... YCbCr 4:2:0 Video Data Block:
...     VIC  97:  3840x2160   60.000000 Hz  16:9    135.000 kHz    594.000000 MHz
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.value)
4 display.only_420 ['3840x2160@60']
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines, unquoted

TRUST = 2
KINDS = kinds.QUOTED

MARKS = ("YCbCr 4:2:0 Video Data Block",)
_MOST = 20
_BLOCK = lazy(r"(?:(YCbCr 4:2:0) )?Video Data Block:?$")
_MODE = lazy(r"VIC\s{1,4}\d{1,3}:?\s{1,4}(\d{3,5}x\d{3,5})i?(?:\s{1,6}|@)(\d{2,3})(?:\.(\d{1,6}))?\s?Hz\b")


def recognises(text: str) -> bool:
    """The head of the block.

    >>> recognises("YCbCr 4:2:0 Video Data Block:"), recognises("YCbCr 4:2:0 Capability Map Data Block:")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def read(text: str) -> Iterator[Reading]:
    """Modes of the 4:2:0 block that the block for every format does not have as well."""
    found: dict[str, dict[str, int]] = {"": {}, "YCbCr 4:2:0": {}}
    block: str | None = None
    for number, raw in lines(text):
        line = unquoted(raw).strip()[:200]
        head = _BLOCK.match(line)
        if head:
            block = head[1] or ""
        elif block is not None:
            mode = _MODE.match(line)
            if mode and len(found[block]) < _MOST:
                found[block].setdefault(f"{mode[1]}@{round(float(f'{mode[2]}.{mode[3] or 0}'))}", number)
            elif line and not mode:
                block = None
    only = [mode for mode in found["YCbCr 4:2:0"] if mode not in found[""]]
    if only:
        yield Reading("display.only_420", only, line=found["YCbCr 4:2:0"][only[0]])
