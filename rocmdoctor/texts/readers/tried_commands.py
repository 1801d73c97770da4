"""The same program run twice in a shell, with one setting changed and another outcome: what the setting decides.

>>> sample = '''$ rocminfo
... hsa_init Failed, possibly no supported GPU devices
... $ HSA_ENABLE_DXG_DETECTION=1 rocminfo | grep -A2 Agent
...   Name:            gfx1201
... '''
>>> for reading in read(sample):
...     print([(row["axis"], row["value"], row["right"], row["line"]) for row in reading.value])
[('option', 'HSA_ENABLE_DXG_DETECTION=1', True, 3)]
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.records import dataclass
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 1
KINDS = kinds.OF_MACHINES  # the output of a program is of many kinds

MARKS = ("$ ", "# ", "> ")
_MOST = 60  # commands
_OUTPUT = 80  # lines of output of one
_SHOWN = 300
_SIGN = lazy(r"[$#%>\u276f\u279c+]\s?(?=[\w./~(])")
_SET = lazy(r"(?:[A-Za-z_]\w{1,60})=\S{0,200}")
_FLAG = lazy(r"--?[A-Za-z]")
_VALUE = lazy(r"[\w.:,/]{1,24}")
_WRONG = lazy(r"\b(?:fail(?:ed|ure|s)?|errors?|abort(?:ed)?|segmentation|core dumped|not found"
              r"|no (?:\w+ ){0,2}(?:devices?|gpus?|adapters?|agents?)|cannot|unable"
              r"|False|Traceback|unsupported|timed? ?out|exit(?:ed)?(?: code| status|=|:)+ ?[1-9])\b|(?-i:Error\b)", re.IGNORECASE)
_RIGHT = lazy(r"\bgfx[0-9]|Marketing Name|\bTrue\b|tokens? per second|\bt/s\b|\b(?:ok|passed|succe\w+)\b|deviceName|\|\s+[\d.]+ \u00b1")
_BEFORE = frozenset({"sudo", "time", "env", "nohup", "command", "exec"})


@dataclass(frozen=True, slots=True)
class _Run:
    """One command: its program, what was set for it, and how it ended."""

    program: str
    settings: frozenset[str]
    right: bool
    line: int
    typed: str


def recognises(text: str) -> bool:
    """Whether more than one command was typed.

    >>> recognises("$ rocminfo\\nx\\n$ clinfo"), recognises("$ rocminfo")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and sum(1 for _ in itertools.islice(_commands(text), 2)) == 2


def _commands(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """(line, command, its output)."""
    number, typed, output = 0, "", list[str]()
    for at, line in lines(text):
        if (sign := _SIGN.search(line[:200])) and kinds.kind_of(line) == "shell":
            if typed:
                yield number, typed, output
            number, typed, output = at, line[sign.end():].strip()[:1000], []
        elif typed and len(output) < _OUTPUT:
            output.append(line)
    if typed:
        yield number, typed, output


def _words(typed: str) -> list[str]:
    """The words of the first command of a pipe, [] where they cannot be told apart."""
    import shlex

    try:
        found = shlex.split(re.split(r"\s(?:\||2>&1|>|&&|;)(?:\s|$)", typed)[0])
    except ValueError:
        return []
    return found


def _parts(words: list[str], around: dict[str, str]) -> tuple[str, frozenset[str]]:
    """The program, and all that was set for it: variables, options with their values, other words."""
    set_here = dict(around)
    while words and (words[0] in _BEFORE or _SET.fullmatch(words[0])):
        if "=" in words[0]:
            name, _, value = words[0].partition("=")
            set_here[name] = value
        words = words[1:]
    if not words:
        return "", frozenset()
    settings = {f"{name}={value}" for name, value in set_here.items()}
    program, rest = words[0].replace("\\", "/").rsplit("/", 1)[-1], words[1:]
    while rest:
        takes = len(rest) > 1 and _FLAG.match(rest[0]) and "=" not in rest[0] and not _FLAG.match(rest[1]) and _VALUE.fullmatch(rest[1])
        settings.add(" ".join(rest[:2]) if takes else rest[0])
        rest = rest[2 if takes else 1:]
    return program, frozenset(settings)


def _runs(text: str) -> Iterator[_Run]:
    around: dict[str, str] = {}
    for line, typed, output in itertools.islice(_commands(text), _MOST):
        words = _words(typed)
        if words[:1] == ["export"] or words[:1] == ["unset"]:
            for word in words[1:]:
                name, given, value = word.partition("=")
                around.pop(name, None)
                if given:
                    around[name] = value
            continue
        said = "\n".join(output)
        right = False if _WRONG.search(said) else True if _RIGHT.search(said) else None
        program, settings = _parts(words, around)
        if program and right is not None:
            yield _Run(program, settings, right, line, typed)


def _name(setting: str) -> str:
    return re.split(r"[ =]", setting, maxsplit=1)[0]


def _row(run: _Run, axis: str, value: str) -> dict[str, object]:
    return {"axis": axis, "value": value, "title": value, "right": run.right, "line": run.line, "text": run.typed[:_SHOWN]}


def _compared(right: _Run, wrong: _Run) -> list[dict[str, object]]:
    """The rows of two runs, none where more than one setting differs."""
    more, less = right.settings - wrong.settings, wrong.settings - right.settings
    if len(more) == 1 and not less and _is_setting(*more):
        return [_row(right, "option", *more)]
    if len(less) == 1 and not more and _is_setting(*less):
        return [_row(right, "left-out", *less)]
    if len(more) == len(less) == 1 and _name(*more) == _name(*less) and _is_setting(*more):
        return [_row(right, "option", *more), _row(wrong, "option", *less)]
    return []


def _is_setting(word: str) -> bool:
    return bool(_FLAG.match(word) or _SET.fullmatch(word))


def read(text: str) -> Iterator[Reading]:
    """``report.contrasts`` of the runs."""
    runs = list(_runs(text))
    rows: list[dict[str, object]] = []
    for right, wrong in itertools.product([run for run in runs if run.right], [run for run in runs if not run.right]):
        if right.program == wrong.program:
            rows += [row for row in _compared(right, wrong) if row not in rows]
    if rows:
        yield Reading("report.contrasts", rows, line=int(str(rows[0]["line"])))
