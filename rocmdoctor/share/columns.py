"""Names in the columns of a table: what ps, top, lsof, squeue, lsblk, kubectl and their like print below a word such as USER."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.share.judge import JUDGES, evidence_words

# What a column is called, what stands in it, and how it is judged
_COLUMNS = {"USER": ("user", "account"), "OWNER": ("user", "account"), "LOGIN": ("user", "account"), "USERNAME": ("user", "account"),
            "HOST": ("host", "hostname"), "HOSTNAME": ("host", "hostname"), "NODE": ("host", "hostname"), "NODENAME": ("host", "hostname"),
            "NODELIST": ("host", "hostname"), "NODELIST(REASON)": ("host", "hostname"), "SERIAL": ("serial", "serial"), "SN": ("serial", "serial")}
_HINTS = (*_COLUMNS, "ROLES")
_HEAD = later.pattern(r"(?m)^(?=.*\b(?:USER|OWNER|LOGIN|USERNAME|HOST|HOSTNAME|NODE|NODENAME|NODELIST|SERIAL|SN|ROLES)\b)[^a-z\n]{0,300}$")
_FIELD = later.pattern(r"[^\s|│]+")
MOST_OF_ROW = 2000  # characters

Column = tuple[int, int, int, str, str]  # number, start and end of its word in the head, kind, judge


def found(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of the names below each head, which is written in capitals; a table ends at an empty line."""
    if not any(hint in text for hint in _HINTS):
        return
    at = 0
    columns: list[Column] = []
    while at < len(text):
        if not columns:
            head = _HEAD.search(text, at)
            if not head:
                return
            at = head.start()
        stop = text.find("\n", at)
        line = text[at:stop if stop >= 0 else len(text)]
        if not line.strip():
            columns = []
        elif _HEAD.match(line):
            columns = _columns(line)
        else:
            yield from _row(text, at, line, columns)
        at += len(line) + 1


def _columns(head: str) -> list[Column]:
    words = [(word.group(), word.start(), word.end()) for word in _FIELD.finditer(head)]
    named = {name for name, _, _ in words}
    return [(number, start, end, *_COLUMNS.get(name, ("host", "hostname"))) for number, (name, start, end) in enumerate(words)
            if len(words) > 2 and (name in _COLUMNS or name == "NAME" and {"STATUS", "ROLES"} <= named)]


def _row(text: str, at: int, line: str, columns: list[Column]) -> Iterator[tuple[int, int, str]]:
    fields = list(_FIELD.finditer(line[:MOST_OF_ROW]))
    for number, start, end, kind, judge in columns:
        field = _field(fields, number, start, end)
        place = JUDGES[judge](text, at + field.start(), at + field.end()) if field else None
        if place and text[place[0]:place[1]].lower() not in evidence_words():
            yield *place, kind


def _field(fields: list[re.Match[str]], number: int, start: int, end: int) -> re.Match[str] | None:
    """What stands below a word of the head: it begins or ends with it, or is the field of the same number."""
    for field in fields:
        if field.start() == start or field.end() == end:
            return field
    return fields[number] if number < len(fields) else None
