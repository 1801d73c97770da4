"""Signals: named patterns of what programs print and people write, in ``rules/signals/<topic>.yaml`` or private to one rule.

A signal says in which kinds of text it may be read (``in``), so that a word of prose is never taken for a program's line, and which
lines it must not take (``unless``). Its examples (``hits``, ``misses``) are checked by ``rocmdoctor rules test``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rocmdoctor.records import dataclass, field
from rocmdoctor.scan.literals import written
from rocmdoctor.texts.kinds import GROUPS, KINDS

if TYPE_CHECKING:
    from rocmdoctor.knowledge import compiled

_FIELDS = {"id", "in", "patterns", "unless", "hits", "misses", "literals", "negatable", "topic"}
# What is looked at of every signal of a run, and what only of one that was seen or is asked for.
_ROW = ("owner", "name", "patterns", "kinds", "literals")
_REST = ("unless", "negatable", "topic", "captures", "hits", "misses")
# What turns the words after it into their opposite, close before them and in the same clause.
NEGATION = (r"(?:\b(?:no longer|not|never|without|instead of|rather than|harmless|no|nor|neither|cannot)\b|n't\b)"
            r"[^.,;:!?]{0,24}$")


@dataclass(frozen=True, slots=True)
class Signal:
    """One named set of patterns; ``owner`` and ``name`` are topic and name, or rule and local name."""

    owner: str
    name: str
    patterns: tuple[str, ...]
    kinds: frozenset[str] = frozenset()  # kinds of text it may be read in, every kind when empty
    unless: tuple[str, ...] = ()
    negatable: bool = False  # whether a negation before the words, in the same clause, takes them back
    topic: bool = False  # it only says what the text is about: seen alone it is no sign of anything
    literals: tuple[tuple[str, ...], ...] = ()  # of each pattern, as :func:`written` gives them
    hits: tuple[str, ...] = ()
    misses: tuple[str, ...] = ()
    captures: frozenset[str] = field(default_factory=frozenset)
    rest: Callable[[], tuple[Any, ...]] | None = field(default=None, repr=False, compare=False)  # gives what was not loaded with it

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Called for what few signals of a run are asked for."""
            if name not in _REST:
                raise AttributeError(name)
            for each, value in zip(_REST, self.rest(), strict=True):
                object.__setattr__(self, each, value)
            return object.__getattribute__(self, name)

    @property
    def id(self) -> str:
        """``topic.name``."""
        return f"{self.owner}.{self.name}"


def row_of(signal: Signal) -> tuple[Any, ...]:
    """What is loaded of a signal, as plain data."""
    return tuple(getattr(signal, name) for name in _ROW)


def rest_of(signal: Signal) -> tuple[Any, ...]:
    """What is loaded where it is asked for."""
    return tuple(getattr(signal, name) for name in _REST)


def of_row(row: tuple[Any, ...], at: int, rest: compiled.Rows) -> Signal:
    """The signal of :func:`row_of`, with the rest at this place."""
    made = object.__new__(Signal)
    set_ = object.__setattr__
    for name, value in zip(_ROW, row, strict=True):
        set_(made, name, value)
    set_(made, "rest", lambda: rest[at])
    return made


def _texts(value: Any, what: str) -> tuple[str, ...]:
    if not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise ValueError(f"{what} is a list of texts")
    return tuple(value)


def kinds_of(names: Any) -> frozenset[str]:
    """The kinds of text behind ``in:``, groups written out; raises ValueError for a kind that does not exist.

    >>> sorted(kinds_of(["prose"]))
    ['prose']
    """
    return _kinds_of(_texts(names or [], "in"))


@functools.cache  # those that are written alike are one object, and laid out once
def _kinds_of(names: tuple[str, ...]) -> frozenset[str]:
    found: set[str] = set()
    for name in names:
        if name in GROUPS:
            found |= GROUPS[name]
        elif name in KINDS:
            found.add(name)
        else:
            raise ValueError(f"there is no kind of text {name!r}; there are {', '.join([*GROUPS, *KINDS])}")
    return frozenset(found)


def build(owner: str, name: str, data: Any) -> Signal:
    """A Signal from plain data whose patterns compile; raises ValueError with the reason."""
    if isinstance(data, list):
        data = {"patterns": data}
    if not isinstance(data, dict):
        raise ValueError(f"signal {name}: a signal is a mapping with patterns")
    extra = set(data) - _FIELDS
    if extra:
        raise ValueError(f"signal {name}: unknown field {', '.join(sorted(map(str, extra)))}")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(name)):
        raise ValueError(f"a signal is named in small letters, not {name!r} (YAML reads on, off, yes and no as booleans)")
    patterns = _texts(data.get("patterns"), f"patterns of {name}")
    captures = frozenset(found for pattern in patterns for found in re.findall(r"\(\?P<(\w+)>", pattern))
    return Signal(owner, str(name), patterns, kinds_of(data.get("in")), _texts(data.get("unless") or [], "unless"),
                  data.get("negatable") is True, data.get("topic") is True, tuple(map(tuple, data.get("literals") or ())),
                  _texts(data.get("hits") or [], "hits"), _texts(data.get("misses") or [], "misses"), captures)


def prepare(data: Any) -> None:
    """Check that the patterns of plain data compile and note their literals in it, since both cost more than loading. Raises ValueError."""
    import re2

    options = re2.Options()
    options.log_errors = False  # the reason is in the exception; RE2 would print its own line as well
    if not isinstance(data, dict):
        return
    for pattern in [*(data.get("patterns") or ()), *(data.get("unless") or ())]:
        try:
            re2.compile("(?i)" + str(pattern), options)
        except re2.error as error:
            why = error.args[0]
            raise ValueError(f" pattern {pattern!r}: {why.decode('utf-8', 'replace') if isinstance(why, bytes) else why}") from None
    data["literals"] = [written(str(pattern)) for pattern in data.get("patterns") or ()]
