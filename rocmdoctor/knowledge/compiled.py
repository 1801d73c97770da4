"""All knowledge in one file: the tables as plain data, the house's rules and signals checked and laid out so that they load at once.

It is kept in the user's cache and made anew when any source file, or the code that makes it, changed. A wheel carries one
(``hatch_build.py``), which is taken over as long as the sources beside it are those it was made of.
"""

from __future__ import annotations

import functools
import itertools
import marshal
import os
import pathlib
from collections.abc import Iterable
from typing import Any

from rocmdoctor.knowledge import cache
from rocmdoctor.knowledge.paths import data_dir

NAME = "compiled.bin"
_CODE = ("knowledge", "scan/literals.py", "scan/plan.py", "texts/kinds.py", "facts/vocabulary.py", "facts/model.py", "facts/placeholders.py")
_TABLES = ("checks", "data")
_MADE_OF = "made of"
_LENGTH = 4  # bytes
_FORMAT = 4  # of marshal: every supported Python reads it


def make() -> bytes:
    """The file's content: rules, signals and known defects, checked, and each table."""
    from rocmdoctor.knowledge import known, rules
    from rocmdoctor.scan import plan

    root = data_dir("rules")
    (of_rules, rule_sets), (of_known, known_sets) = rules.laid_out(root), known.laid_out(root)
    parts = {_MADE_OF: _sum(_sources()).encode(), **of_rules, **of_known, "plan": dumped(tuple(plan.planned(enumerate([*rule_sets, *known_sets]))))}
    for file in sorted(file for folder in _TABLES for file in (root / folder).rglob("*.yaml") if file.parent.name != "known"):
        try:
            parts[file.relative_to(root).as_posix()] = dumped(cache.parse_yaml(file.read_text("utf-8")))
        except Exception:  # noqa: BLE001 - whoever asks for this table gets the reason
            continue
    places, at = {}, 0
    for name, raw in parts.items():
        places[name] = at, at + len(raw)
        at += len(raw)
    index = dumped(places)
    return b"".join([len(index).to_bytes(_LENGTH, "little"), index, *parts.values()])


def dumped(data: Any) -> bytes:
    """Plain data as a part holds it."""
    return marshal.dumps(data, _FORMAT)


def rows(data: Iterable[Any]) -> bytes:
    """A part of which :class:`Rows` loads one at a time."""
    each = [dumped(one) for one in data]
    ends = list(itertools.accumulate(map(len, each), initial=0))
    index = dumped(ends)
    return b"".join([len(index).to_bytes(_LENGTH, "little"), index, *each])


class Rows:
    """A part made by :func:`rows`: a long list of which a run needs little."""

    def __init__(self, name: str) -> None:
        ends, self._raw = _indexed(_parts()[name])
        self._ends: list[int] = ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, at: int) -> Any:
        """The row at this place."""
        return marshal.loads(self._raw[self._ends[at]:self._ends[at + 1]])


def _indexed(raw: memoryview) -> tuple[Any, memoryview]:
    """The index before the parts, and the parts."""
    end = _LENGTH + int.from_bytes(raw[:_LENGTH], "little")
    return marshal.loads(raw[_LENGTH:end]), raw[end:]


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
    import hashlib

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
        if _split(memoryview(raw))[_MADE_OF] == _sum(sources).encode():
            return raw
    except (OSError, ValueError, EOFError, TypeError, KeyError, AttributeError):
        pass
    return make()


def _split(raw: memoryview) -> dict[str, memoryview]:
    places, rest = _indexed(raw)
    return {name: rest[start:end] for name, (start, end) in places.items()}


@functools.cache
def _parts() -> dict[str, memoryview]:
    sources = _sources()
    return _split(cache.kept(NAME, sources, lambda: _made(sources)))


def part(name: str) -> Any:
    """``rules``, ``known`` (the known defects), or one file of ``rules/`` by its path there, as plain data. Raises what reading a broken file raises."""
    raw = _parts().get(name)
    return cache.parse_yaml((data_dir("rules") / name).read_text("utf-8")) if raw is None else marshal.loads(raw)


def names(folder: str) -> list[str]:
    """The files of a folder of tables, as :func:`part` takes them."""
    return sorted(name for name in _parts() if name.startswith(folder + "/"))
