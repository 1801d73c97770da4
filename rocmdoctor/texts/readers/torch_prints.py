"""What ``python -c "import torch; print(...)"`` printed, each value by the expression it is of.

>>> sample = '''$ python -c "import torch; print(torch.version.hip, torch.cuda.is_available())"
... None False
... '''
>>> [(reading.name, reading.value, reading.line) for reading in read(sample)]
[('torch.hip', None, 2), ('torch.available', False, 2)]
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 2
KINDS = kinds.OF_MACHINES

_PRINT = lazy(r"\bprint\(([^()]{0,200}(?:\([^()]{0,60}\)[^()]{0,200}){0,6})\)[;'\"\s]*$")
_FACTS = {"torch.__version__": "torch.version", "torch.version.hip": "torch.hip", "torch.version.cuda": "torch.cuda",
          "torch.cuda.is_available()": "torch.available"}
_VALUE = lazy(r"[\w.+-]{1,60}")


def recognises(text: str) -> bool:
    """A print of torch on a command line.

    >>> recognises('$ python -c "import torch; print(torch.__version__)"'), recognises("print(x)")
    (True, False)
    """
    return "print(torch." in text


def _value(name: str, word: str) -> str | bool | None:
    return None if word == "None" else word == "True" if name == "torch.available" else word


def read(text: str) -> Iterator[Reading]:
    """The values of the line after the command, where there are as many as expressions."""
    asked: list[str] = []
    for number, line in lines(text):
        words = line.split()
        if asked and len(words) == len(asked) and all(_VALUE.fullmatch(word) for word in words):
            for expression, word in zip(asked, words, strict=True):
                name = _FACTS.get(expression, "")
                if name:
                    yield Reading(name, _value(name, word), "0", number)
        found = _PRINT.search(line[-600:]) if "print(torch." in line else None
        asked = [part.strip() for part in found[1].split(",")] if found else []
