"""Load and check rules: every YAML file below ``symptoms`` and ``causes/<layer>``; a bad one costs only itself."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rocmdoctor.facts.model import LAYERS, SEVERITIES
from rocmdoctor.facts.vocabulary import ENTITIES
from rocmdoctor.knowledge import cache, compiled, foreign, known, signals, trusted_file
from rocmdoctor.knowledge.conditions import Condition, ConditionError, Scope, parse, unparsed
from rocmdoctor.knowledge.signals import Signal
from rocmdoctor.knowledge.words import words
from rocmdoctor.records import dataclass, field
from rocmdoctor.scan.plan import Plan

FOLDERS = ("symptoms", *(f"causes/{layer}" for layer in LAYERS))
SIGNALS = "signals"
NEAR = ("line", "block", "file", "report")  # how close the signals of one rule must stand
_FIELDS = {"id", "kind", "title", "severity", "status", "stage", "platforms", "for_each", "signals", "near", "when", "explains",
           "instead_of", "general", "specific", "observes", "unseen", "asks", "says", "why", "fixes", "sources", "examples", "formerly"}
# Of a rule what is looked at in every run, beside its signals and its condition, and what only where its signals were seen.
_ALWAYS = ("id", "kind", "status")
_INDEX = ("severity", "stage", "platforms", "for_each", "near", "explains", "instead_of", "general", "observes", "specific", "unseen", "formerly")
# The rest is needed only where a rule is shown or checked.
_REST = ("title", "asks", "says", "why", "fixes", "references", "examples")
MOST_BYTES = 1 << 20  # of one file
_FIX_FIELDS = {"do", "detail", "commands", "language", "only_if", "risk", "needs", "side_effects", "verify", "undo"}


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
    signals: dict[str, Signal] = field(default_factory=dict)
    near: str = "file"
    explains: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    general: bool = False
    observes: bool = False  # it says where something goes wrong, not why
    specific: bool = False
    unseen: Any = ""  # the severity while it holds and nothing is seen of it, where that is another one
    asks: str = ""
    says: str = ""
    why: str = ""
    fixes: tuple[RuleFix, ...] = ()
    references: tuple[str, ...] = ()
    formerly: tuple[str, ...] = ()  # ids of rules that this one has taken in
    examples: dict[str, Any] = field(default_factory=dict)
    rest: Callable[[str], dict[str, Any]] | None = field(default=None, repr=False, compare=False)  # gives what was not loaded with the rule

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Called for what was not loaded: most rules of a run are only asked."""
            if name not in _INDEX and name not in _REST:
                raise AttributeError(name)
            for each, value in self.rest(name).items():
                object.__setattr__(self, each, value)
            return object.__getattribute__(self, name)

    @property
    def scope(self) -> Scope:
        """What the words and conditions of the rule may name without an id."""
        return _scope(self.id, self.signals)


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules and shared signals by id, and one line for each file that could not be used."""

    rules: dict[str, Rule]
    problems: tuple[str, ...]
    signals: dict[str, Signal] = field(default_factory=dict)
    of_house: bool = False  # without further folders

    def patterns(self) -> list[Signal]:
        """Every signal: shared, private to a rule, or of a known defect."""
        return [*self.signals.values(), *(signal for rule in self.rules.values() for signal in rule.signals.values()), *known.signals()]

    def plan(self) -> Plan | None:
        """How these are looked for, None where that was not made before."""
        return Plan._make(compiled.part("plan")) if self.of_house else None


def _need(condition: bool, message: str) -> None:
    if not condition:
        raise ValueError(message)


def build(data: Any, name: str) -> Rule:
    """A Rule from plain data whose patterns compile; raises ValueError with the reason."""
    _need(isinstance(data, dict), "a rule is a mapping")
    extra = set(data) - _FIELDS
    _need(not extra, f"unknown field {', '.join(sorted(extra))}")
    _need(data.get("id") == name, f"id {data.get('id')!r} is not the file name")
    _need(data.get("kind") in ("symptom", "cause"), "kind is symptom or cause")
    _need(data.get("severity") in SEVERITIES, f"severity is one of {', '.join(SEVERITIES)}")
    _need(data.get("unseen", data["severity"]) in SEVERITIES, f"unseen is one of {', '.join(SEVERITIES)}")
    _need(data.get("stage") in LAYERS, f"stage is one of {', '.join(LAYERS)}")
    _need(bool(data.get("title")) and bool(data.get("sources")), "title and sources are needed")
    foreign.check_form(data)
    _need(data.get("for_each", "gpu") in ENTITIES, "for_each names an entity")
    own = {str(local): signals.build(name, local, each) for local, each in (data.get(SIGNALS) or {}).items()}
    scope = _scope(name, own)
    _need(data.get("near", "file") in NEAR, f"near is one of {', '.join(NEAR)}")
    _need("known(" not in str(data.get("when", "")), "known() turns unread facts into answers; it may not stand in `when`")
    _need(bool(own) or "when" in data, "a rule needs signals or when")
    _need(len(own) < 2 or "when" in data, "several signals need a when that says how they count together")
    fixes = []
    for fix in data.get("fixes") or []:
        _need(isinstance(fix, dict) and "do" in fix and not set(fix) - _FIX_FIELDS, f"fix {fix!r} is not of the fix's form")
        fixes.append(RuleFix(fix, parse(str(fix["only_if"]), scope) if "only_if" in fix else None))
    return Rule(
        id=name, kind=data["kind"], title=str(data["title"]), severity=data["severity"],
        status=str(data.get("status", "experimental")), stage=data["stage"], when=parse(str(data.get("when") or f"saw({next(iter(own))})"), scope),
        platforms=tuple(data.get("platforms") or ()), for_each=data.get("for_each", ""), signals=own, near=str(data.get("near", "file")),
        explains=tuple(data.get("explains") or ()), instead_of=tuple(data.get("instead_of") or ()),
        general=data.get("general") is True, specific=data.get("specific") is True, observes=data.get("observes") is True,
        unseen=data.get("unseen") or "", asks=str(data.get("asks") or "").strip(),
        says=str(data.get("says") or data["title"]).strip(), why=str(data.get("why") or "").strip(), fixes=tuple(fixes),
        references=tuple(str(s["url"]) for s in data["sources"]), formerly=tuple(data.get("formerly") or ()), examples=data.get("examples") or {})


def _raw_signals(data: Any) -> list[Any]:
    """The signals of a file as plain data: those of a rule, or a file of shared ones."""
    if isinstance(data, list):
        return data
    own = data.get(SIGNALS) if isinstance(data, dict) else None
    return list(own.values()) if isinstance(own, dict) else []


def _read_all(root: pathlib.Path, files: list[pathlib.Path], read: Callable[[pathlib.Path], Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for file in files:
        try:
            data = read(file)
            for each in _raw_signals(data):
                signals.prepare(each)
            found[str(file.relative_to(root))] = data
        except Exception as error:  # a broken file is that file's problem only
            mark = getattr(error, "problem_mark", None)
            where = f":{mark.line + 1}" if mark else ""
            why = getattr(error, "problem", None) or getattr(error, "strerror", None) or str(error).strip()
            found[str(file.relative_to(root))] = {"__error__": f"{where} {why}"}
    return found


def _share(shared: dict[str, Signal], topic: str, data: Any) -> None:
    """The signals of one topic, added to those there are; raises ValueError with the reason."""
    _need(isinstance(data, list), "a file of signals is a list")
    for each in data:
        owner, _, name = str(each.get("id") if isinstance(each, dict) else each).partition(".")
        _need(owner == topic, f"{owner}.{name}: the signals of this file are named {topic}.*")
        signal = signals.build(topic, name, {key: value for key, value in each.items() if key != "id"})
        _need(signal.id not in shared, f"there is a signal {signal.id} already")
        shared[signal.id] = signal


def load(roots: tuple[pathlib.Path, ...] = ()) -> Rulebook:
    """The rules of the house and of further folders; later ones may not replace earlier ones."""
    return _load(roots)


def _collect(root: pathlib.Path, raw: dict[str, Any], rules: dict[str, Rule], shared: dict[str, Signal], problems: list[str]) -> None:
    """Build what the files of one folder hold, beside what there is."""
    for relative, data in raw.items():
        name = pathlib.PurePath(relative).stem
        try:
            if isinstance(data, dict) and "__error__" in data:
                raise ValueError(data["__error__"])
            if pathlib.PurePath(relative).parent.name == SIGNALS:
                _share(shared, name, data)
                continue
            _need(name not in rules, "there is a rule of this id already")
            rules[name] = build(data, name)
        except (ValueError, ConditionError, TypeError, KeyError, AttributeError) as error:
            problems.append(f"{root / relative}: {error}")


def _files(root: pathlib.Path) -> list[pathlib.Path]:
    return sorted(f for d in (SIGNALS, *FOLDERS) for f in (root / d).glob("*.yaml"))


def laid_out(root: pathlib.Path) -> tuple[dict[str, bytes], list[tuple[str, ...]]]:
    """The checked rules and signals of the house as the parts that :func:`_house` turns into objects without a further look. Then the literals of each
    pattern."""
    rules: dict[str, Rule] = {}
    shared: dict[str, Signal] = {}
    problems: list[str] = []
    _collect(root, _read_all(root, _files(root), lambda file: cache.parse_yaml(file.read_text("utf-8"))), rules, shared, problems)
    every = [*shared.values(), *(signal for rule in rules.values() for signal in rule.signals.values())]
    index = list(map(_row, rules.values())), list(map(signals.row_of, shared.values())), problems
    said = words([*(pattern for signal in every for pattern in signal.patterns), *(f"{rule.title} {rule.says} {rule.id}" for rule in rules.values())])
    parts = {"rules": compiled.dumped(index), "rules rest": compiled.rows(map(_rest, rules.values())),
             "signals rest": compiled.rows(map(signals.rest_of, every)), "rules words": compiled.dumped(said)}
    return parts, [sets for signal in every for sets in signal.literals]


def _saved(condition: Condition) -> tuple[Any, ...]:
    return condition.text, condition.names, condition.musts, condition.needs


def _row(rule: Rule) -> tuple[Any, ...]:
    return (tuple(getattr(rule, name) for name in _ALWAYS), {name: getattr(rule, name) for name in _INDEX}, _saved(rule.when),
            list(map(signals.row_of, rule.signals.values())))


def _rest(rule: Rule) -> dict[str, Any]:
    return {name: getattr(rule, name) for name in _REST} | {
        "fixes": [(fix.data, _saved(fix.only_if) if fix.only_if else None) for fix in rule.fixes]}


def _house() -> tuple[dict[str, Rule], dict[str, Signal], list[str]]:
    rows, signals_, problems = compiled.part("rules")
    rest, of_signals = compiled.Rows("rules rest"), compiled.Rows("signals rest")
    shared = [signals.of_row(row, at, of_signals) for at, row in enumerate(signals_)]
    rules = {}
    place = len(shared)
    for at, row in enumerate(rows):
        rule = _of_row(row, at, rest, place, of_signals)
        rules[rule.id] = rule
        place += len(rule.signals)
    return rules, {signal.id: signal for signal in shared}, list(problems)


def _of_row(row: tuple[Any, ...], at: int, rest: compiled.Rows, place: int, of_signals: compiled.Rows) -> Rule:
    always, index, when, own_rows = row
    own = {signal.name: signal for signal in (signals.of_row(each, place + number, of_signals) for number, each in enumerate(own_rows))}

    def scope() -> Scope:
        return _scope(always[0], own)

    def condition(said: Any) -> Condition:
        text, names, musts, needs = said
        return unparsed(text, names, musts, needs, scope)

    def more(name: str) -> dict[str, Any]:
        found: dict[str, Any] = index if name in _INDEX else rest[at]
        return found if found is index else found | {
            "fixes": tuple(RuleFix(data, condition(only_if) if only_if else None) for data, only_if in found["fixes"])}

    made = object.__new__(Rule)
    set_ = object.__setattr__
    for name, value in zip(_ALWAYS, always, strict=True):
        set_(made, name, value)
    set_(made, "when", condition(when))
    set_(made, SIGNALS, own)
    set_(made, "rest", more)
    return made


def _scope(name: str, own: dict[str, Signal]) -> Scope:
    return Scope(name, {signal.name: signal.captures for signal in own.values()})


@functools.lru_cache(maxsize=4)
def _load(roots: tuple[pathlib.Path, ...]) -> Rulebook:
    rules, shared, problems = _house()
    for root in roots:
        files = _files(root) or sorted(root.glob("*.yaml"))
        if len(files) > foreign.MOST_FILES:
            problems.append(f"{root}: {len(files)} files, all after the first {foreign.MOST_FILES}")
        raw = _read_all(root, files[:foreign.MOST_FILES], lambda file: foreign.parse(trusted_file.read(str(file), MOST_BYTES, named=True)))
        _collect(root, raw, rules, shared, problems)
    return Rulebook(rules, tuple(problems), shared, not roots)
