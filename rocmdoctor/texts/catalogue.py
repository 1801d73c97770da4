"""The readers, each imported when it is asked to read: a text of one kind needs few of the many.

Nothing is registered: their folders are walked, and what a reader says of itself (TRUST, KINDS, MARKS, LAST) is kept until a
file of them changes.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import ahocorasick_rs

from rocmdoctor.knowledge import cache
from rocmdoctor.texts import kinds, prose, readers

_LONG = 64 << 10  # characters from which on looking for mark after mark takes longer
PRINTED = kinds.QUOTED - {"prose", "system_log"}  # what a reader gets that does not say otherwise by KINDS


class Marked:
    """A text that every reader is asked about; the marks of all in a long one are found at once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._found: set[str] | None = None

    def may_be_of(self, reader: Reader) -> bool:
        """Whether a mark of the reader stands in it, where it has some."""
        if not reader.MARKS or len(self.text) < _LONG:
            return not reader.MARKS or any(mark in self.text for mark in reader.MARKS)
        if self._found is None:
            every, finder = _finder()
            over = max(map(len, every))
            self._found = set()
            for first in range(0, len(self.text), _LONG):  # a list of all places in megabytes would be long
                found = finder.find_matches_as_indexes(self.text[first:first + _LONG + over], overlapping=True)
                self._found.update(every[index] for index in {index for index, _, _ in found})
        return not self._found.isdisjoint(reader.MARKS)


@functools.cache
def _finder() -> tuple[list[str], ahocorasick_rs.AhoCorasick]:
    every = list({mark for reader in catalogue() for mark in reader.MARKS})
    return every, ahocorasick_rs.AhoCorasick(every)


class Reader:
    """One reader: what it says of itself, and, once it is used, all that its module has."""

    def __init__(self, name: str, trust: int, of: frozenset[str], last: bool, marks: Sequence[str]) -> None:
        self.__name__, self.TRUST, self.KINDS, self.LAST, self.MARKS = name, trust, of, last, marks

    def __getattr__(self, name: str) -> Any:
        """Called for what is not known without the module."""
        return getattr(importlib.import_module(self.__name__), name)


@functools.cache
def catalogue() -> tuple[Reader, ...]:
    """Every reader, the most trusted first."""
    folders = [Path(folder) for package in (readers, prose) for folder in package.__path__]
    files = [*(file for folder in folders for file in sorted(folder.glob("*.py"))), Path(__file__), Path(str(kinds.__file__))]
    sets, rows = cache.stamped("readers.json", files, _walked)
    shared = [frozenset(each) for each in sets]
    return tuple(Reader(name, trust, shared[of], last, marks) for name, trust, of, last, marks in rows)


def _walked() -> tuple[list[list[str]], list[tuple[str, int, int, bool, Sequence[str]]]]:
    import pkgutil

    found = [importlib.import_module(f"{package.__name__}.{module.name}") for package in (readers, prose)
             for module in pkgutil.iter_modules(package.__path__)]
    found.sort(key=lambda module: module.__name__.rpartition(".")[2])
    ours = sorted((module for module in found if hasattr(module, "read")), key=lambda module: -module.TRUST)
    sets: list[list[str]] = []
    for module in ours:
        if _kinds(module) not in sets:
            sets.append(_kinds(module))
    return sets, [(module.__name__, module.TRUST, sets.index(_kinds(module)), bool(getattr(module, "LAST", False)), getattr(module, "MARKS", ()))
                  for module in ours]


def _kinds(module: ModuleType) -> list[str]:
    return sorted(getattr(module, "KINDS", PRINTED))
