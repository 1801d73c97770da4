"""All knowledge in one file: the tables as plain data, the house's rules and signals checked and laid out so that they load at once.

It is kept in the user's cache and made anew when any source file, or the code that makes it, changed. A wheel carries one
(``hatch_build.py``), which is taken over as long as the sources beside it are those it was made of.
"""

from __future__ import annotations

import functools
import hashlib
import marshal
import os
import pathlib
from typing import Any

from rocmdoctor.knowledge import cache
from rocmdoctor.knowledge.paths import data_dir

NAME = "compiled.bin"
_CODE = ("knowledge", "scan/literals.py", "texts/kinds.py", "facts/vocabulary.py", "facts/model.py")
_TABLES = ("checks", "data")
_MADE_OF = "made of"
_FORMAT = 4  # of marshal: every supported Python reads it


def make() -> bytes:
    """The file's content: rules, signals and known defects, checked, and each table."""
    from rocmdoctor.knowledge import known, rules

    root = data_dir("rules")
    parts: dict[str, Any] = {_MADE_OF: _sum(_sources()), "rules": marshal.dumps(rules.plain(root), _FORMAT),
                             "known": marshal.dumps(known.plain(root), _FORMAT)}
    for file in sorted(file for folder in _TABLES for file in (root / folder).rglob("*.yaml") if file.parent.name != "known"):
        try:
            parts[file.relative_to(root).as_posix()] = marshal.dumps(cache.parse_yaml(file.read_text("utf-8")), _FORMAT)
        except Exception:  # noqa: BLE001 - whoever asks for this table gets the reason
            continue
    return marshal.dumps(parts, _FORMAT)


def _files(folder: str) -> list[tuple[str, os.stat_result]]:
    """Every source file below a folder."""
    found = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda each: each.name):
            if entry.is_dir():
                found += [] if entry.name == "__pycache__" else _files(entry.path)
            elif entry.name.endswith((".yaml", ".py")):
                found.append((entry.path, os.stat(entry.path)))
    return found


def _sources() -> list[tuple[str, os.stat_result]]:
    package = pathlib.Path(__file__).resolve().parents[1]
    found = _files(str(data_dir("rules")))
    for name in _CODE:
        path = package / name
        found += _files(str(path)) if path.is_dir() else [(str(path), path.stat())]
    return found


def _sum(sources: list[tuple[str, os.stat_result]]) -> str:
    """What stands in the sources, wherever they lie."""
    top = hashlib.sha256()
    roots = str(data_dir("rules")), str(pathlib.Path(__file__).resolve().parents[1])
    for path, _ in sources:
        root = next(each for each in roots if path.startswith(each + os.sep))
        raw = pathlib.Path(path).read_bytes()
        top.update(f"{path[len(root):].replace(os.sep, '/')} {len(raw)}\n".encode() + raw)
    return top.hexdigest()


def _made(sources: list[tuple[str, os.stat_result]]) -> bytes:
    """What the wheel carries, if it fits the sources, else made here."""
    try:
        raw = (data_dir("rules") / NAME).read_bytes()
        if marshal.loads(raw)[_MADE_OF] == _sum(sources):
            return raw
    except (OSError, ValueError, EOFError, TypeError, KeyError):
        pass
    return make()


@functools.cache
def _parts() -> dict[str, bytes]:
    sources = _sources()
    parts: dict[str, bytes] = marshal.loads(cache.kept(NAME, sources, lambda: _made(sources)))
    return parts


def part(name: str) -> Any:
    """``rules``, ``known`` (the known defects), or one file of ``rules/`` by its path there, as plain data. Raises what reading a broken file raises."""
    raw = _parts().get(name)
    return cache.parse_yaml((data_dir("rules") / name).read_text("utf-8")) if raw is None else marshal.loads(raw)


def names(folder: str) -> list[str]:
    """The files of a folder of tables, as :func:`part` takes them."""
    return sorted(name for name in _parts() if name.startswith(folder + "/"))
