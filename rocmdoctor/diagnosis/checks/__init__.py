"""Causes that compute: each module of this folder judges every row of a table against the evidence.

A module has ``judge(seen, book)``, which yields what it found; the folder is walked.
"""

from __future__ import annotations

import functools
import importlib
import pathlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rocmdoctor.knowledge.rules import Rulebook

if TYPE_CHECKING:
    from rocmdoctor.diagnosis.diagnose import Judged
    from rocmdoctor.diagnosis.evidence import Evidence

Check = Callable[["Evidence", Rulebook], Iterator["Judged"]]


@functools.cache
def _walked() -> tuple[Check, ...]:
    names = sorted(file.stem for file in pathlib.Path(__path__[0]).glob("[!_]*.py"))
    return tuple(importlib.import_module(f"{__name__}.{name}").judge for name in names)


def checks(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """What the checks over tables find, decided or not."""
    for judge in _walked():
        yield from judge(seen, book)
