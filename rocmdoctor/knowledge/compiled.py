"""All knowledge in one file: the tables as plain data, the house's rules and signals checked and laid out so that they load at once.

A wheel carries the file (``hatch_build.py``). In a checkout it lies in the user's cache and is made anew when any source file, or the code
that makes it, changed.
"""

from __future__ import annotations

import functools
import marshal
import os
import pathlib
from collections.abc import Callable
from typing import Any

from rocmdoctor.knowledge import cache
from rocmdoctor.knowledge.paths import data_dir

NAME = "compiled.bin"
_CODE = ("knowledge", "scan/literals.py", "texts/kinds.py", "facts/vocabulary.py", "facts/model.py")


def make(rules: Callable[[pathlib.Path], Any]) -> bytes:
    """The file's content; ``rules`` gives the rules and signals of the house as plain data."""
    root = data_dir("rules")
    parts = {"rules": marshal.dumps(rules(root))}
    for file in sorted((root / "data").rglob("*.yaml")):
        try:
            parts[file.relative_to(root).as_posix()] = marshal.dumps(cache.parse_yaml(file.read_text("utf-8")))
        except Exception:  # noqa: BLE001 - whoever asks for this table gets the reason
            continue
    return marshal.dumps(parts)


def _signs(folder: str) -> list[str]:
    """Name, time and size of every file below a folder, which change with its content."""
    found = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.is_dir():
                found += [] if entry.name == "__pycache__" else _signs(entry.path)
            elif entry.name.endswith((".yaml", ".py")):
                stat = entry.stat()
                found.append(f"{entry.path}:{stat.st_mtime_ns}:{stat.st_size}")
    return found


def _sources() -> list[str]:
    package = pathlib.Path(__file__).resolve().parents[1]
    signs = _signs(str(data_dir("rules")))
    for name in _CODE:
        path = package / name
        signs += _signs(str(path)) if path.is_dir() else [f"{path}:{(stat := path.stat()).st_mtime_ns}:{stat.st_size}"]
    return signs


@functools.cache
def _parts() -> dict[str, bytes]:
    packed = data_dir("rules") / NAME
    try:
        raw = packed.read_bytes()
    except OSError:
        from rocmdoctor.knowledge import rules

        raw = cache.kept(NAME, _sources(), lambda: make(rules.plain))
    parts: dict[str, bytes] = marshal.loads(raw)
    return parts


def part(name: str) -> Any:
    """The rules (``rules``), or one file of ``rules/`` by its path there, as plain data. Raises what reading a broken file raises."""
    raw = _parts().get(name)
    return cache.parse_yaml((data_dir("rules") / name).read_text("utf-8")) if raw is None else marshal.loads(raw)


def names(folder: str) -> list[str]:
    """The files of a folder of tables, as :func:`part` takes them."""
    return sorted(name for name in _parts() if name.startswith(folder + "/"))
