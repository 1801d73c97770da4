"""Rows of the table ``libraries``, for the checks that explain what a loader says."""

from __future__ import annotations

import re
from typing import Any

from rocmdoctor.knowledge import tables

_TOOLS = {"debian": "apt install", "fedora": "dnf install", "arch": "pacman -S"}


def row_of(library: str) -> dict[str, Any]:
    """The row of a library by the name of its file, {} where none has it."""
    return next((row for row in tables.load("libraries")["libraries"] if re.match(row["file"], library, re.I)), {})


def release_of(row: dict[str, Any], number: str) -> str:
    """The releases that a library has with this number behind .so; "" where the table does not say."""
    return str({str(key): value for key, value in (row.get("numbers") or {}).items()}.get(number, ""))


def installs(row: dict[str, Any]) -> str:
    """The commands of the distributions that have the package of a row, in one line."""
    return "   # or: ".join(f"sudo {tool} {row[family]}" for family, tool in _TOOLS.items() if row.get(family))
