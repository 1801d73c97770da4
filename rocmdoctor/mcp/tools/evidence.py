"""Lines around a place of a file, and facts of the latest examination by name."""

from __future__ import annotations

import difflib
import fnmatch
import re
import sys
from collections.abc import Iterator
from typing import Any

from rocmdoctor.agents import quotes
from rocmdoctor.commands._console import redactor
from rocmdoctor.commands._progress import Progress
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.vocabulary import split_key
from rocmdoctor.mcp import answers
from rocmdoctor.mcp.answers import Answer, Refused, Row
from rocmdoctor.records import replace
from rocmdoctor.share.wash import wash
from rocmdoctor.texts import attach

_MOST_FACTS = 200
_BEFORE = 2000  # lines of a big file that may say whose name stands in a line
_MOST_LEARNT = 1 << 20  # characters of each text of several
_MOST_BIG = 8 << 20  # bytes of them


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``path``, ``source``, ``line`` and ``around``; ``facts``, and in ``held`` those of the latest examination, which ``of`` names."""
    if not given["path"] and not given["facts"]:
        raise Refused("name a file and a line (path, line), or facts; the places and names stand in the answers of check and explain")
    head: dict[str, Any] = {}
    rows: list[Row] = []
    if given["path"]:
        head["of_file"], lines = _lines(given["path"], given["source"], given["line"], given["around"])
        rows += lines
        if not lines:
            head["lines_not_known"] = "there is no text at that line"
    if given["facts"]:
        head["of_facts"] = given["of"] or "nothing was examined in this session yet: call check or explain first"
        rows += _facts(given["facts"], given["held"])
    return Answer(head, rows)


def _lines(path: str, source: str, line: int, around: int) -> tuple[str, list[Row]]:
    found = attach.gather([path], sys.stdin.buffer)
    cleaner = redactor(False)
    texts = [text for text in found.texts if not text.reader]
    for text in texts if len(texts) > 1 else ():  # whose name stands in a file's name its text may say
        cleaner.learn(text.text[:_MOST_LEARNT])
    for problem in found.problems:
        cleaner.learn(problem)
    names = [wash(cleaner.text(text.name), 120) for text in texts]
    chosen = [text for text, name in zip(texts, names, strict=True) if not source or source == text.name or _plain(source) == _plain(name)]
    if len(chosen) != 1:
        raise Refused(f"source: which text of it? There are {len(texts)}: {', '.join(names[:20])}" if texts else
                      "; ".join(wash(cleaner.text(problem), 200) for problem in found.problems[:3]) or "there is no text in it")
    text = chosen[0]
    first = 1
    if text.path is not None:
        first, text = _part(text, max(1, line - around - _BEFORE), line + around + 30)
    lines = [replace(each, line=each.line + first - 1) for each in quotes.around(text, line - first + 1, around, cleaner)]
    return wash(cleaner.text(text.name), 120), list(answers.of_lines(lines))


def _plain(name: str) -> str:
    """A name without the numbers of its tokens, which differ from answer to answer."""
    return re.sub(r"<([a-z]+)-\d+", r"<\1", name)


def _part(text: attach.Text, first: int, last: int) -> tuple[int, attach.Text]:
    """Of a big file the lines from ``first`` to ``last`` as a text of its own, and the number of its first line."""
    assert text.path is not None
    kept: list[str] = []
    number, room = 0, _MOST_BIG
    for block in attach.blocks(text.path):
        count = block.count(b"\n")
        if number + count + 1 >= first:
            rows = attach.decode(block).split("\n")[:-1 if block.endswith(b"\n") else None]
            taken = [row[:4000] for at, row in enumerate(rows, number + 1) if first <= at <= last]
            kept += taken
            room -= sum(map(len, taken))
        number += count
        if number >= last or room < 0:
            break
    return first, replace(text, text=attach.clean("\n".join(kept)), path=None)


def _facts(wanted: list[str], held: dict[str, dict[str, Any]]) -> Iterator[Row]:
    left = _MOST_FACTS
    for name in wanted:
        keys = [key for key in held if key == name or split_key(key)[0] == name or fnmatch.fnmatchcase(key, name)]
        for key in keys[:left]:
            yield "facts", {"name": key, **held[key]}
        left -= len(keys)
        if left <= 0:
            yield "notes", f"more than {_MOST_FACTS} facts, the rest is left out"
            return
        if not keys:
            yield "facts", {"name": wash(name, 80), "state": "not known", "reason": _why(name, held)}


def _why(name: str, held: dict[str, dict[str, Any]]) -> str:
    if name in vocabulary.FACTS or any(fnmatch.fnmatchcase(each, name) for each in vocabulary.FACTS):
        return "not learnt in the latest examination" if held else "nothing was examined yet"
    near = difflib.get_close_matches(name, [*held, *vocabulary.FACTS], 3, 0.6)
    return "there is no such fact" + (f"; did you mean {', '.join(near)}?" if near else "")
