"""What settings name besides themselves: versions, the program. A card in them is one that they are for, of nobody's machine.

>>> for reading in read("FROM rocm/pytorch:rocm7.2_ubuntu24.04_py3.12_pytorch_release_2.9.1\\n# for the RX 7900 XTX\\n"):
...     print(reading.line, reading.name, reading.item, reading.value)
1 runtime.rocm_version  7.2
1 report.apps  ['pytorch']
1 report.backends  ['rocm']
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import Lines, clean
from rocmdoctor.texts.prose import named

TRUST = -2  # a hint from what is not at work yet
KINDS = frozenset({"env", "config", "compose", "kubernetes", "comment"})
_LIMIT = 120_000


def recognises(text: str) -> bool:
    """Any text: what is named has no mark of its own."""
    return bool(text.strip())


def read(text: str) -> Iterator[Reading]:
    """What is named; the first of each wins."""
    text = clean(text[:_LIMIT])
    yield from (reading for reading in named.besides_gpus(text, Lines(text)) if reading.name != "report.program")  # keys are no program's lines
