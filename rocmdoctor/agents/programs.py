"""What programs do, out of the table ``command_effects``."""

from __future__ import annotations

import enum
import functools
import re
from typing import Any

import re2

from rocmdoctor import later
from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass

_ALL = "(?s)"  # an empty pattern
PLACES = later.pattern(r"(?:/usr(?:/local)?|/opt/[\w.-]+|)/s?bin/[\w.+-]+")  # of programs of the system


class Effect(enum.IntEnum):
    """The more the worse."""

    READS = 0
    CHANGES = 1
    DANGEROUS = 2


@dataclass(frozen=True, slots=True)
class Program:
    """What a program does with which arguments: patterns, None where the table has none."""

    reads: Any
    unless: Any
    dangerous: Any

    def effect(self, said: str, named: str, hidden: bool) -> Effect:
        """With the arguments ``said``, of which some are ``hidden``; what only reads with them is not dangerous because of its name."""
        always = self.dangerous is not None and self.dangerous.pattern == _ALL
        if self.reads is not None and not (self.unless and self.unless.search(said)) and (self.reads.pattern == _ALL or self.reads.fullmatch(said)):
            return Effect.DANGEROUS if self.dangerous and not always and self.dangerous.search(said) else placed(named, Effect.READS)
        return Effect.DANGEROUS if hidden or self.dangerous and self.dangerous.search(said) else Effect.CHANGES


@dataclass(frozen=True, slots=True)
class Wrapper:
    """A program that runs another one: its options that take a value, and how many words stand before the other program."""

    takes: frozenset[str]
    skip: int


def _pattern(row: dict[str, Any], name: str) -> Any:
    """The pattern of a row, None where it has none."""
    return re2.compile(_ALL + str(row[name])) if name in row else None


@functools.cache
def programs() -> dict[str, Program]:
    """The programs by name."""
    found: dict[str, Program] = {}
    for row in tables.load("command_effects")["programs"]:
        made = Program(*(_pattern(row, name) for name in ("reads", "unless", "dangerous")))
        found |= dict.fromkeys(map(str, row["names"]), made)
    return found


@functools.cache
def wrappers() -> dict[str, Wrapper]:
    """The programs that run another one, by name."""
    return {str(name): Wrapper(frozenset(map(str, row.get("takes", ()))), int(row.get("skip", 0)))
            for row in tables.load("command_effects")["wrappers"] for name in row["names"]}


@functools.cache
def names(key: str) -> frozenset[str]:
    """The names of one list of the table, in small letters."""
    return frozenset(str(name).lower() for name in tables.load("command_effects")[key])


@functools.cache
def anywhere() -> Any:
    """One pattern of what is dangerous wherever it is written."""
    return re2.compile("(?is)" + "|".join(f"(?:{each})" for each in tables.load("command_effects")["anywhere"]))


def base(text: str) -> str:
    """The name of a program without its folder and ``.exe``, in small letters."""
    return re.split(r"[/\\]", text)[-1].lower().removesuffix(".exe")


def placed(said: str, found: Effect) -> Effect:
    """A program that is named by a path is the one we know only where programs of the system lie."""
    return found if "/" not in said and "\\" not in said or PLACES.fullmatch(said) else max(found, Effect.CHANGES)
