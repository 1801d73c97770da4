"""Where a program stopped and what its message means: the part of the stack that a traceback or a line names, against the table of parts."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import Hit
from rocmdoctor.knowledge import compiled, tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "failing_part"
_FACTS = ("python.exception", "python.failing_file", "python.failing_function")
_OF_ROW = ("around", "around_commands", "rebuild", "rebuild_commands", "update", "update_commands")
_SHOWN = 150
_MODULE = later.pattern(r"(?:module|from) '([A-Za-z_][\w.]{0,60})'|No module named '([A-Za-z_][\w.]{0,60})'")
_ASSERTION = later.pattern(r"^Assertion\b")
_NEED = later.pattern(r"(\d{4,7})\D{1,40}(\d{4,7})")
# Of what only passes a call on nothing is said while somebody else is in the stack.
_PASSES_ON = frozenset({"torch"})


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The exception of the traceback, else of a line that stands alone, with the part it came from."""
    table = compiled.part(f"checks/{_CHECK}.yaml")
    for message, row, hits, used in itertools.chain(_traceback(seen), _lines(seen)):
        if re.search(table["leave"], message):
            continue
        form = next(form["id"] for form in table["forms"] if re.search(form["pattern"], message))
        if row.get("cuda") and form in ("part-refuses-value", "part-stops", "part-does-not-know"):
            form = "part-is-made-for-cuda"
        if row.get("graphics") and _ASSERTION.search(message):
            form = "part-gives-up"
        rule = _words.rule(_CHECK, form, _values(seen, message, row, bool(used)), layer=row["layer"], observes=True, general=True)
        yield Judged(rule, Answer(True, used, ()), explained=seen.explained(rule), hits=hits)
        return


def _parts() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tables.load("parts")["parts"]
    return rows


def of_file(path: str) -> dict[str, Any]:
    """The part that a file belongs to, {} when it is of none."""
    return next((row for row in _parts() if re.search(row["files"], path)), {})


def of_line(text: str) -> dict[str, Any]:
    """The part that a program's own line speaks of, {} when it names none."""
    return next((row for row in _parts() if "lines" in row and re.search(row["lines"], text)), {})


def of_id(name: str) -> dict[str, Any]:
    """The part of that id, {} when there is none."""
    return next((row for row in _parts() if row["id"] == name), {})


def _traceback(seen: Evidence) -> Iterator[tuple[str, dict[str, Any], list[Hit], tuple[str, ...]]]:
    message, path = seen.text("python.exception"), seen.text("python.failing_file")
    if not path:
        return
    message = message or f"in {seen.text('python.failing_function') or path}, the last line of the traceback is not there"
    importing = seen.text("python.importing")
    row = (of_file(f"{importing}/") if importing else {}) or of_file(path)
    if not row or row["id"] in _PASSES_ON:
        row = next((found for caller in seen.texts("python.calling_files") if (found := of_file(caller)) and found["id"] not in _PASSES_ON), row)
    if row:
        used = tuple(name for name in _FACTS if seen.text(name))
        yield message, row, _words.hits_of(seen.facts, used[:2], _CHECK), used


def _lines(seen: Evidence) -> Iterator[tuple[str, dict[str, Any], list[Hit], tuple[str, ...]]]:
    for name in ("native", "assertion", "error"):
        for hit in seen.hits_of(f"seen.failing.{name}"):
            row = of_line(hit.text) or next((row for app in seen.texts("about.app") if (row := of_id(app))), {})
            if row:
                yield hit.captures["what"], row, [hit], ()


def _values(seen: Evidence, message: str, row: dict[str, Any], traced: bool) -> dict[str, Any]:
    path, function = (seen.text("python.failing_file"), seen.text("python.failing_function")) if traced else ("", "")
    place = f" ({path}{f', {function}' if function else ''})" if path else ""
    importing = seen.text("python.importing") if traced else ""
    module, need = _MODULE.search(message), _NEED.search(message)
    title = str(row["title"])
    return {
        "part": title if title.startswith("vLLM") else title[0].upper() + title[1:], "message": message[:_SHOWN].rstrip(), "place": place,
        "module": (module[1] or module[2]) if module else path.split("/")[0] if path else row["id"],
        "need": f"{need[1]} against {need[2]} bytes" if need else "64 KiB a workgroup on most",
        **{name: row.get(name) or "" for name in _OF_ROW},
        **({"around": f"Uninstall {importing} where it is optional, or pin another (older, else newer) release of it"}
           if importing and not row.get("around") else {}),
        "stale": " Kernels that were compiled before from other sources give such messages, too." if row.get("rebuild") else ""}
