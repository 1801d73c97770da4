"""Texts inside JSON: journal and kernel log entries, and outputs of programs that a tool kept as strings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rocmdoctor.texts import documents, kinds

_MOST = 300
_SHORTEST = 24
_LOOKED = 200  # lines of a string that tell whether a program wrote it
_NAMING = ("command", "cmd", "name", "file", "path")


def _said(entry: Any, line: str) -> str:
    """One line for an entry of ``journalctl -o json``: "unit: message", "kernel: message"."""
    message = entry.get("MESSAGE") if isinstance(entry, dict) else None
    if isinstance(message, list):
        message = bytes(byte for byte in message if isinstance(byte, int) and 0 <= byte < 256).decode("utf-8", "replace")
    if not isinstance(message, str):
        return line if message is None else ""
    return message.replace("\n", " ")


def plain_log(text: str) -> str:
    """The messages of ``journalctl -o json`` and ``dmesg --json``, line for line; any other text unchanged.

    >>> plain_log('{"__REALTIME_TIMESTAMP":"1","SYSLOG_IDENTIFIER":"kernel","MESSAGE":"amdgpu 0000:03:00.0: x"}')
    'amdgpu 0000:03:00.0: x'
    >>> print(plain_log('{\\n   "dmesg": [\\n      {\\n         "time": 1.0,\\n         "msg": "[drm] a"\\n      }').strip())
    [drm] a
    """
    head = text[:4000]
    if '"MESSAGE"' in head and '"__REALTIME_TIMESTAMP"' in text[:20_000] and text.lstrip()[:1] == "{":
        return "\n".join(_journal_line(line) for line in text.split("\n"))
    if '"dmesg"' in head[:200] and '"msg"' in head:
        return "\n".join(_dmesg_line(line) for line in text.split("\n"))
    return text


def _journal_line(line: str) -> str:
    try:
        return _said(json.loads(line), line)
    except (ValueError, RecursionError):
        return line


def _dmesg_line(line: str) -> str:
    key, _, value = line.strip().rstrip(",").partition(": ")
    if key != '"msg"':
        return ""
    try:
        return str(json.loads(value))
    except ValueError:
        return value


def parts(text: str) -> list[tuple[str, str]]:
    """Strings of a JSON document that are texts of their own: several lines, a document, or lists of lines.

    >>> parts('[{"command": "uname -a", "stdout": "Linux box 6.8.0-45-generic #45 SMP\\\\nnext"}]')
    [('uname -a', 'Linux box 6.8.0-45-generic #45 SMP\\nnext')]
    """
    start = text[:200].lstrip()[:1]
    if start not in ("{", "[") or documents.kind_of_json(text):
        return []
    try:
        data, _ = json.JSONDecoder().raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        return []
    return [(key, inner) for key, inner, captured in _walk(data) if captured or kinds.TELLING.fullmatch(key.rpartition(".")[2]) or _printed(inner)]


def _printed(text: str) -> bool:
    """Whether most lines are those of programs."""
    kinds_of = [bool(kinds.kind_of(line)) for line in text.split("\n", _LOOKED)[:_LOOKED] if line.strip()]
    return sum(kinds_of) * 2 > len(kinds_of)


def _walk(data: Any) -> Iterator[tuple[str, str, bool]]:
    """(key, text, whether it is the captured output of a program)."""
    stack: list[tuple[str, Any, bool]] = [("", data, False)]
    found = 0
    while stack and found < _MOST:
        name, node, output = stack.pop()
        if isinstance(node, dict):
            own = next((str(node[key])[:80] for key in _NAMING if isinstance(node.get(key), str)), "")
            captured = any(key in node for key in ("stdout", "stderr"))
            stack.extend((own if captured and own else f"{name}.{key}".lstrip("."), value, captured) for key, value in reversed(node.items()))
            continue
        if isinstance(node, list) and node and all(isinstance(line, str) for line in node) and sum(map(len, node)) > 120:
            node = "\n".join(line.rstrip("\n") for line in node)
        elif isinstance(node, list):
            stack.extend((name, value, output) for value in reversed(node))
            continue
        captured_line = isinstance(node, str) and " " in name and name[:1] not in "."
        if isinstance(node, str) and len(node) >= _SHORTEST and (
                "\n" in node.strip() or node[:1] in "{[" or (captured_line and len(node) > 40)):
            found += 1
            yield name or "text", node, output
