"""What ``python -c "import torch; print(...)"`` printed, each value by the expression it is of.

>>> sample = '''$ python -c "import torch; print(torch.version.hip, torch.cuda.is_available())"
... None False
... '''
>>> [(reading.name, reading.value, reading.line) for reading in read(sample)]
[('torch.hip', None, 2), ('torch.available', False, 2)]
>>> labelled = '''torch.__version__: 2.6.0+cu124
... torch.version.cuda: 12.4
... torch.version.hip: None
... CUDA available: False
... '''
>>> [(reading.name, reading.value, reading.line) for reading in read(labelled)]
[('torch.version', '2.6.0+cu124', 1), ('torch.cuda', '12.4', 2), ('torch.hip', None, 3), ('torch.available', False, 4)]
>>> several = '''> python.exe -c "import torch; print(torch.__version__); print(torch.version.hip)"
... 2.9.1+rocmsdk20260116
... 7.2.26024-f6f897bd3d
... '''
>>> [(reading.name, reading.value, reading.line) for reading in read(several)]
[('torch.version', '2.9.1+rocmsdk20260116', 2), ('torch.hip', '7.2.26024-f6f897bd3d', 3)]
>>> two = '''$ python -c "import torch; print(torch.version.hip, torch.cuda.is_available())"
... 7.2.53211 True
... $ /opt/conda/bin/python -c "import torch; print(torch.__version__, torch.version.hip)"
... 2.11.0+cu130 None
... '''
>>> [(reading.name, reading.item, reading.value) for reading in read(two)][2:]
[('torch.version', '1', '2.11.0+cu130'), ('torch.hip', '1', None)]
>>> typed = '''>>> torch.__version__
... '2.9.1+rocm6.4'
... >>> torch.cuda.is_available()
... True
... '''
>>> [(reading.name, reading.value, reading.line) for reading in read(typed)]
[('torch.version', '2.9.1+rocm6.4', 2), ('torch.available', True, 4)]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 2
KINDS = kinds.OF_MACHINES

_CALL = r"\bprint\(([^()]{0,200}(?:\([^()]{0,60}\)[^()]{0,200}){0,6})\)"
_PRINT, _PRINTS = lazy(_CALL + r"[;'\"\s]*$"), lazy(_CALL)
_FACTS = {"torch.__version__": "torch.version", "torch.version.hip": "torch.hip", "torch.version.cuda": "torch.cuda",
          "torch.cuda.is_available()": "torch.available"}
_VALUE = lazy(r"[\w.+-]{1,60}")
# The same with a label: by the expression, or as scripts call it once torch was named.
_LABEL = lazy(r"^\W{0,4}(torch\.__version__|torch\.version\.(?:hip|cuda)|torch\.cuda\.is_available\(\)|(?:py)?torch(?: version)?|hip(?: version)?"
              r"|torch (?:hip|cuda)|(?:cuda|gpu|hip|rocm|hip \(rocm\)|torch\.cuda) (?:is )?available)"
              r"[\"']?\s{0,3}[:=]{1,2}\s{0,4}[\"']?([\w.+-]{1,60})[\"']?,?\s*$", re.I)
_TYPED = lazy(r"^>>> (torch\.[\w.]{3,30}(?:\(\))?)\s*$")
_BY_LABEL = {"torch": "torch.version", "pytorch": "torch.version", "torch version": "torch.version", "pytorch version": "torch.version", "hip": "torch.hip",
             "hip version": "torch.hip", "torch hip": "torch.hip", "torch cuda": "torch.cuda", **{name.lower(): fact for name, fact in _FACTS.items()}}
_RELEASE = lazy(r"\d{1,2}\.\d{1,2}\.\d[\w.+-]{0,40}")


def recognises(text: str) -> bool:
    """A print of torch on a command line.

    >>> recognises('$ python -c "import torch; print(torch.__version__)"'), recognises("print(x)")
    (True, False)
    """
    return "print(torch." in text or "torch" in text.lower() and next(_labelled(text), None) is not None


def _value(name: str, word: str) -> str | bool | None:
    return None if word == "None" else word == "True" if name == "torch.available" else word


def _labelled(text: str) -> Iterator[Reading]:
    """Values with a label, or below an expression that was typed; those of short labels count where torch's own version stands among them."""
    rows: list[tuple[str, str, int]] = []
    typed = ""
    for number, line in lines(text):
        found = _LABEL.match(line[:200]) if ":" in line or "=" in line else None
        if typed:
            rows.append((typed, line.strip().strip("'\""), number))
        elif found:
            label = " ".join(found[1].lower().split())
            rows.append((_BY_LABEL.get(label, "torch.available"), found[2], number))
        asked = _TYPED.match(line[:80]) if line.startswith(">>> ") else None
        typed = _FACTS.get(asked[1], "") if asked else ""
    kept = [row for row in rows if row[0] != "torch.version" or _RELEASE.fullmatch(row[1])]
    if any(name == "torch.version" for name, _, _ in kept):
        for name, word, number in kept:
            if name != "torch.available" or word in ("True", "False"):
                yield Reading(name, _value(name, word), "0", number)


def read(text: str) -> Iterator[Reading]:
    """The values of the line after the command, where there are as many as expressions, and those with labels."""
    yield from _labelled(text)
    asked: list[list[str]] = []  # the expressions of each line that is still to be printed
    told: list[dict[str, str | bool | None]] = []  # what each torch said of itself
    for number, line in lines(text):
        words = line.split()
        if asked and len(words) == len(asked[0]) and all(_VALUE.fullmatch(word) for word in words):
            values = {name: _value(name, word) for expression, word in zip(asked[0], words, strict=True) if (name := _FACTS.get(expression, ""))}
            item = next((place for place, one in enumerate(told) if all(one.get(name, value) == value for name, value in values.items())), len(told))
            told[item:item + 1] = [{**(told[item] if item < len(told) else {}), **values}]
            yield from (Reading(name, value, str(item), number) for name, value in values.items())
            asked = asked[1:]
        else:
            asked = []
        found = _PRINTS.findall(line[-600:]) if "print(torch." in line and _PRINT.search(line[-600:]) else []
        asked = [[part.strip() for part in one.split(",")] for one in found] or asked
