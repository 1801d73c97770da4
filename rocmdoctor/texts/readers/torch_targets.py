"""The list that ``torch.cuda.get_arch_list()`` prints: the gfx targets that this torch has kernels for.

>>> for r in read(">>> torch.cuda.get_arch_list()\\n['gfx1030', 'gfx1100', 'gfx90a']\\n"):
...     print(r.name, r.item, r.value, r.line)
torch.arch_list 0 ['gfx1030', 'gfx1100', 'gfx90a'] 2
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 2
KINDS = kinds.QUOTED  # people quote it in their sentences

MARKS = ("arch_list",)
_LIST = lazy(r"(?:arch_list[^\[\n]{0,20}|^[ \t]*)\[((?:['\"]gfx[0-9a-f]{3,5}['\"](?:, ?)?){1,60})\]")


def recognises(text: str) -> bool:
    """The name of the function, with a list of targets.

    >>> recognises("get_arch_list(): ['gfx1100']"), recognises("get_arch_list(): ['sm_80']")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and next(read(text), None) is not None


def read(text: str) -> Iterator[Reading]:
    """The first such list."""
    if "arch_list" not in text:
        return
    for number, line in lines(text):
        found = _LIST.search(line[:2000]) if "gfx" in line else None
        if found:
            yield Reading("torch.arch_list", re.findall(r"gfx[0-9a-f]+", found[1]), "0", number)
            return
