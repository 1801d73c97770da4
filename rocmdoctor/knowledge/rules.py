"""Load and check rules: every YAML file below ``symptoms`` and ``causes/<layer>``; a bad one costs only itself."""

from __future__ import annotations

import functools
import pathlib
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import re2

from rocmdoctor.facts.model import LAYERS, SEVERITIES
from rocmdoctor.facts.vocabulary import ENTITIES
from rocmdoctor.knowledge import cache, trusted_file
from rocmdoctor.knowledge.conditions import Condition, ConditionError, parse
from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.scan.literals import required

FOLDERS = ("symptoms", *(f"causes/{layer}" for layer in LAYERS))
MOST_BYTES = 1 << 20  # of one file
_LITERALS = "literals of the patterns"  # computed, and kept with the parsed file
_FIELDS = {"id", "kind", "title", "severity", "status", "stage", "platforms", "for_each", "patterns", "when", "explains",
           "instead_of", "general", _LITERALS, "says", "why", "fixes", "sources", "examples", "formerly"}
_FIX_FIELDS = {"do", "detail", "commands", "only_if", "risk", "needs", "side_effects", "verify", "undo"}


@dataclass(frozen=True, slots=True)
class RuleFix:
    """One fix as the rule writes it, with its compiled condition."""

    data: dict[str, Any]
    only_if: Condition | None


@dataclass(frozen=True, slots=True)
class Rule:
    """A checked rule."""

    id: str
    kind: str
    title: str
    severity: Any
    status: str
    stage: Any
    when: Condition
    platforms: tuple[str, ...] = ()
    for_each: str = ""
    patterns: dict[str, list[str]] = field(default_factory=dict)
    literals: dict[str, list[list[list[str]]]] = field(default_factory=dict)
    explains: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    general: bool = False
    says: str = ""
    why: str = ""
    fixes: tuple[RuleFix, ...] = ()
    references: tuple[str, ...] = ()
    examples: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules by id, and one line for each file that could not be used."""

    rules: dict[str, Rule]
    problems: tuple[str, ...]


def _need(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def _patterns(data: dict[str, Any]) -> dict[str, list[str]]:
    patterns = data.get("patterns") or {}
    grouped = {"line": patterns} if isinstance(patterns, list) else patterns
    _need(isinstance(grouped, dict) and all(
        isinstance(group, list) and all(isinstance(p, str) for p in group) for group in grouped.values()),
        "patterns is a list of texts, or a mapping of group names to such lists")
    for name, group in grouped.items():
        _need(bool(re.fullmatch(r"[a-z][a-z0-9_]*", str(name))),
              f"a group is named in small letters, not {name!r} (YAML reads on, off, yes and no as booleans)")
        for pattern in group:
            _need(f"(?P<{name}>" not in pattern, f"the capture {name!r} has the name of its group; seen.*.{name} would mean both")
    return grouped


def _check_patterns(data: Any) -> None:
    """Compiling the patterns and finding their literals takes longer than all conditions, so it is done where the result is kept."""
    options = re2.Options()
    options.log_errors = False  # the reason is in the exception; RE2 would print its own line as well
    for group in _patterns(data).values() if isinstance(data, dict) else ():
        for pattern in group:
            try:
                re2.compile("(?i)" + pattern, options)
            except re2.error as error:
                why = error.args[0]
                raise ValueError(f" pattern {pattern!r}: {why.decode('utf-8', 'replace') if isinstance(why, bytes) else why}") from None
    if isinstance(data, dict):
        data[_LITERALS] = {name: [required(pattern) for pattern in group] for name, group in _patterns(data).items()}


def build(data: Any, name: str) -> Rule:
    """A Rule from plain data whose patterns compile; raises ValueError with the reason."""
    _need(isinstance(data, dict), "a rule is a mapping")
    extra = set(data) - _FIELDS
    _need(not extra, f"unknown field {', '.join(sorted(extra))}")
    _need(data.get("id") == name, f"id {data.get('id')!r} is not the file name")
    _need(data.get("kind") in ("symptom", "cause"), "kind is symptom or cause")
    _need(data.get("severity") in SEVERITIES, f"severity is one of {', '.join(SEVERITIES)}")
    _need(data.get("stage") in LAYERS, f"stage is one of {', '.join(LAYERS)}")
    _need(bool(data.get("title")) and bool(data.get("sources")), "title and sources are needed")
    _need(data.get("for_each", "gpu") in ENTITIES, "for_each names an entity")
    patterns = _patterns(data)
    _need("known(" not in str(data.get("when", "")), "known() turns unread facts into answers; it may not stand in `when`")
    _need(bool(patterns) or "when" in data, "a rule needs patterns or when")
    _need(len(patterns) < 2 or "when" in data, "several groups need a when that says how they count together")
    fixes = []
    for fix in data.get("fixes") or []:
        _need(isinstance(fix, dict) and "do" in fix and not set(fix) - _FIX_FIELDS, f"fix {fix!r} is not of the fix's form")
        fixes.append(RuleFix(fix, parse(str(fix["only_if"])) if "only_if" in fix else None))
    return Rule(
        id=name, kind=data["kind"], title=str(data["title"]), severity=data["severity"],
        status=str(data.get("status", "experimental")), stage=data["stage"], when=parse(str(data.get("when") or f"seen.{name}")),
        platforms=tuple(data.get("platforms") or ()), for_each=data.get("for_each", ""), patterns=patterns, literals=data.get(_LITERALS) or {},
        explains=tuple(data.get("explains") or ()), instead_of=tuple(data.get("instead_of") or ()),
        general=data.get("general") is True,
        says=str(data.get("says") or data["title"]).strip(), why=str(data.get("why") or "").strip(), fixes=tuple(fixes),
        references=tuple(str(s["url"]) for s in data["sources"]), examples=data.get("examples") or {})


def _read_all(root: pathlib.Path, files: list[pathlib.Path], read: Callable[[pathlib.Path], bytes]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in files:
        try:
            data = cache.parse_yaml(read(file).decode("utf-8"))
            _check_patterns(data)
            found[str(file.relative_to(root))] = data
        except Exception as error:  # a broken file is that file's problem only
            mark = getattr(error, "problem_mark", None)
            where = f":{mark.line + 1}" if mark else ""
            found[str(file.relative_to(root))] = {"__error__": f"{where} {getattr(error, 'problem', None) or str(error).strip()}"}
    return found


def load(roots: tuple[pathlib.Path, ...] = ()) -> Rulebook:
    """The rules of the house and of further folders; later ones may not replace earlier ones."""
    return _load((data_dir("rules"), *roots))


@functools.lru_cache(maxsize=4)
def _load(roots: tuple[pathlib.Path, ...]) -> Rulebook:
    rules: dict[str, Rule] = {}
    problems: list[str] = []
    for number, root in enumerate(roots):
        files = sorted(f for d in FOLDERS for f in (root / d).glob("*.yaml"))
        if number:
            files = files or sorted(root.glob("*.yaml"))
            raw = _read_all(root, files, lambda file: trusted_file.read(str(file), MOST_BYTES, named=True))
        else:
            raw = cache.stamped("rules.json", files, functools.partial(_read_all, root, files, pathlib.Path.read_bytes))
        for relative, data in raw.items():
            name = pathlib.PurePath(relative).stem
            try:
                if isinstance(data, dict) and "__error__" in data:
                    raise ValueError(data["__error__"])
                _need(name not in rules, "there is a rule of this id already")
                rules[name] = build(data, name)
            except (ValueError, ConditionError, TypeError, KeyError, AttributeError) as error:
                problems.append(f"{root / relative}: {error}")
    return Rulebook(rules, tuple(problems))
