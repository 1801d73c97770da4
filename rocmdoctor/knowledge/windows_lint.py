"""The law of fixes on Windows: what ``rocmdoctor rules lint`` says of causes that can occur there and show nobody there what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis import windows_fix
from rocmdoctor.facts.model import Fact, Known, Unknown
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge.conditions import Condition, of_table
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.rules import Rule

_PLACE = later.pattern(r"\{\w+\}")  # a command that a check fills from its tables
_OF_WINDOWS = later.pattern(r"\breg (?:add|delete)\b|^where |\bfindstr\b|%\w+%|\b[A-Z]:\\|^(?:Get|Set|Add|New|Remove|Enable|Disable|Move|Copy)-\w+ ")
_NONE = "can occur on Windows and has no fix that is usable there; add one, or say the platforms"


def _look(name: str) -> Fact:
    """What is known on any Windows machine."""
    return Known("windows", "lint") if name in ("about.os", "os.family") else Unknown()


def _closed(condition: Condition | None) -> bool:
    return condition is not None and condition.ask(_look).value is False


def of_rule(rule: Rule) -> Iterator[str]:
    """What is wrong with the fixes of a cause, for somebody on Windows. Of a cause of Windows alone every fix has to be one."""
    if rule.kind != "cause" or rule.status == "retired" or rule.platforms and "windows" not in rule.platforms or _closed(rule.when):
        return
    shown = [fix.data for fix in rule.fixes if not _closed(fix.only_if)]
    yield from _mistaken(shown)
    left = [fix for fix in shown if not _usable(fix)]
    if len(left) == len(shown):
        yield _NONE
    elif rule.platforms == ("windows",):
        yield from (f"the fix {fix['do']!r} is not usable on Windows, the only system of this cause" for fix in left)


def of_finding(row: Mapping[str, Any]) -> Iterator[str]:
    """The same of the words of a check, whose fixes may be several lists to choose from."""
    fixes = row.get("fixes") or []
    if row.get("platforms") and "windows" not in row["platforms"]:
        return
    for listed in fixes.values() if isinstance(fixes, dict) else [fixes]:
        if listed and not any(_usable(fix) for fix in listed if not _closed(of_table(fix["only_if"]) if fix.get("only_if") else None)):
            yield _NONE


def of_defects(rows: Iterable[Row]) -> Iterator[str]:
    """The same of known defects, whose fixes are words."""
    for row in rows:
        if row.fix and (not row.os or "windows" in row.os) and not any(_usable({"do": text}) for text in row.fix):
            yield f"{row.id}: {_NONE}"


def _mistaken(fixes: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Commands of Windows that are said to be those of a shell, so that nobody is shown them first."""
    for fix in fixes:
        if fix.get("language", "shell") == "shell" and not _usable(fix):
            yield from (f"{command!r} is written for Windows; say so with language: powershell" for command in _commands(fix) if _OF_WINDOWS.search(command))


def _commands(fix: Mapping[str, Any]) -> list[str]:
    listed = fix.get("commands") or ()
    return list(map(str, listed)) if isinstance(listed, list) else [str(listed)] if listed else []


def _usable(fix: Mapping[str, Any]) -> bool:
    commands = tuple(_PLACE.sub("X", command) for command in _commands(fix) if not _PLACE.fullmatch(command))
    made = Fix(str(fix["do"]), str(fix.get("detail") or ""), commands, language=str(fix.get("language", "shell")))
    return windows_fix.usable(windows_fix.for_windows(made))
