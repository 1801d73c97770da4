"""The condition language: a subset of Python's expressions over facts, with three-valued (Kleene) answers.

``parse(text)`` compiles once, ``unparsed`` when it is asked; the Condition is then asked with a look-up function. Unknown facts make unknown answers,
so hiding a fact can turn an answer only into unknown. Nothing here can call, import or assign.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import re2

from rocmdoctor import later
from rocmdoctor.facts import versions, vocabulary
from rocmdoctor.facts.model import Absent, Fact, Known, Unknown
from rocmdoctor.knowledge import syntax, tables, windows_drivers
from rocmdoctor.records import dataclass, field

_CALL = later.pattern(r"\b(saw|symptom)\(\s*([A-Za-z][A-Za-z0-9_.-]*)\s*\)")
_NAME = later.pattern(r"'[^'\n]*'|\"[^\"\n]*\"|(?<![A-Za-z0-9_])[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_-]*[A-Za-z0-9_])+")


_LONGEST = 20_000  # characters of a condition
_DEEPEST = 60
_BIGGEST = 1e30
ANYWHERE = "anywhere."  # before the name of a signal that must be missing in all that was read, not only near the others


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that one rule may use without saying whose they are: its own signals and their captures."""

    rule: str = ""
    captures: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def signal(self, name: str) -> str:
        """The fact behind ``saw(name)``: the rule's own signal, or ``topic.name``."""
        if name in self.captures:
            return f"seen.{self.rule}.{name}"
        if name.count(".") != 1:
            raise ConditionError(f"saw({name}): this rule has no signal {name!r}, and a shared one is written topic.name")
        return f"seen.{name}"

    def capture(self, name: str) -> str:
        """The fact behind ``signal.capture`` or ``topic.signal.capture``, "" when it is none."""
        first, _, rest = name.partition(".")
        if first == "any" and any(rest in captures for captures in self.captures.values()):
            return f"seen.{self.rule}..{rest}"
        if rest in self.captures.get(first, ()):
            return f"seen.{self.rule}.{first}.{rest}"
        return f"seen.{name}" if name.count(".") == 2 and first not in self.captures and not vocabulary.declared(name) else ""


class ConditionError(ValueError):
    """The text is not a condition; the message says why and where."""


class _UnknownValue(Exception):
    """An operand is unknown: the innermost comparison answers unknown."""


class _Nothing:
    """The value of a fact that is known to be absent: equal to nothing, contained in nothing."""

    def __repr__(self) -> str:
        return "absent"


NOTHING = _Nothing()
Lookup = Callable[[str], "Fact | list[Fact]"]
_Eval = Callable[["_Ask"], Any]


@dataclass(slots=True)
class _Ask:
    lookup: Lookup
    used: dict[str, None]
    missing: dict[str, None]


@dataclass(frozen=True, slots=True)
class Answer:
    """``value`` is True, False or None (unknown); ``used`` and ``missing`` name the facts that were asked."""

    value: bool | None
    used: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(slots=True)
class Condition:
    """A condition, compiled when it is first asked; ``names`` are the facts it may ask for.

    ``musts`` are sets of signals and symptoms: where none of a set was seen the answer is no. Most rules are answered by that alone.
    ``needs`` are of each way to a yes the facts that must be known and the signals and symptoms that must have been seen.
    """

    text: str
    names: tuple[str, ...]
    _compile: Callable[[], tuple[_Eval, Callable[[], list[list[_Eval]]]]]
    musts: tuple[tuple[str, ...], ...] = ()
    needs: tuple[tuple[str, ...], ...] = ()
    _made: tuple[_Eval, Callable[[], list[list[_Eval]]]] | None = None

    def _compiled(self) -> tuple[_Eval, Callable[[], list[list[_Eval]]]]:
        if self._made is None:
            self._made = self._compile()
        return self._made

    def ask(self, lookup: Lookup) -> Answer:
        """Evaluate against facts; never raises on odd values (they make the answer unknown)."""
        for must in self.musts:
            if all(isinstance(fact := lookup(name), Known) and fact.value is False for name in must):
                return Answer(False, must, ())
        state = _Ask(lookup, {}, {})
        value = _truth(self._compiled()[0], state)
        return Answer(value, tuple(state.used), tuple(state.missing))

    def open_ways(self, lookup: Lookup) -> list[Answer]:
        """Each way to a yes (``a and b`` of ``a and b or c``) that is neither taken nor closed, with what it used and misses."""
        found = []
        for way in self._compiled()[1]():
            state = _Ask(lookup, {}, {})
            values = [_truth(part, state) for part in way]
            if False not in values and None in values:
                found.append(Answer(None, tuple(state.used), tuple(state.missing)))
        return found


_MOST_WAYS = 64


def _ways(node: ast.expr) -> list[list[ast.expr]]:
    """The ways to make an expression true, each a list of parts that must all hold; the expression itself where there are too many."""
    if isinstance(node, ast.BoolOp):
        parts = [_ways(part) for part in node.values]
        if isinstance(node.op, ast.Or):
            return [way for part in parts for way in part]
        made: list[list[ast.expr]] = [[]]
        for part in parts:
            made = [way + more for way in made for more in part]
            if len(made) > _MOST_WAYS:
                return [[node]]
        return made
    return [[node]]


def _truth(run: _Eval, state: _Ask) -> bool | None:
    try:
        value = run(state)
    except (_UnknownValue, TypeError, ValueError, ArithmeticError, IndexError):
        return None
    if value is NOTHING:
        return False
    return None if value is None else bool(value)


def _one(fact: Fact, name: str, state: _Ask) -> Any:
    if isinstance(fact, Unknown):
        state.missing[name] = None
        raise _UnknownValue(name)
    state.used[name] = None
    return NOTHING if isinstance(fact, Absent) else fact.value


class _Partial(list[Any]):
    """Values of an entity fact over all items, when some of them are unknown."""


def _value(name: str) -> _Eval:
    def run(state: _Ask) -> Any:
        got = state.lookup(name)
        if not isinstance(got, list):
            return _one(got, name, state)
        values: list[Any] = []
        for fact in got:
            if isinstance(fact, Known):
                values += fact.value if isinstance(fact.value, list) else [fact.value]
        if not got or any(isinstance(fact, Unknown) for fact in got):
            if not values:
                state.missing[name] = None
                raise _UnknownValue(name)
            state.used[name] = None
            return _Partial(values)
        state.used[name] = None
        return values
    return run


def _version(value: Any) -> tuple[int, ...]:
    found = versions.parse(_scalar(value))
    if found is None:
        raise _UnknownValue
    return found.release


def _listed(value: Any) -> list[Any]:
    if isinstance(value, _Partial):
        raise _UnknownValue
    if value is NOTHING:
        return []
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


@functools.lru_cache(maxsize=1000)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.log_errors = False
    return re2.compile("(?i)" + pattern, options)


def _search(value: Any, pattern: str) -> bool:
    texts = [value] if not isinstance(value, list) else value
    if value is NOTHING:
        return False
    try:
        compiled = _compiled(pattern)
        found = any(compiled.search(str(text)) for text in texts)
    except re2.error:  # the pattern of a fact's value
        raise _UnknownValue from None
    if not found and isinstance(value, _Partial):
        raise _UnknownValue
    return found


def _any_of(a: Any, b: Any) -> bool:
    left, right = (v if isinstance(v, list) else _listed(v) for v in (a, b))
    if any(x in right for x in left):
        return True
    if isinstance(a, _Partial) or isinstance(b, _Partial):
        raise _UnknownValue
    return False


FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "version": (1, _version),
    "matches": (2, _search),
    "any_of": (2, _any_of),
    "covers": (2, lambda targets, gfx: tables.covers(_listed(targets), str(_scalar(gfx)))),
    "family": (1, lambda gfx: tables.family(str(_scalar(gfx)))),
    "override_for": (1, lambda gfx: tables.override_for(str(_scalar(gfx)))),
    "adrenalin_for": (1, lambda rocm: windows_drivers.adrenalin_for(str(_scalar(rocm)))),
    "sibling_for": (1, lambda gfx: tables.sibling_for(str(_scalar(gfx)))),
    "wheel_targets": (1, lambda version: tables.wheel_targets(str(_scalar(version)))),
    "official": (1, lambda gfx: tables.official(str(_scalar(gfx)))),
    "first": (1, lambda v: _listed(v)[0]),
    "count": (1, lambda v: len(_listed(v))),
    "number": (1, lambda v: float(re.sub(r"[^0-9.]", "", str(_scalar(v))))),
    "lower": (1, lambda v: str(_scalar(v)).lower()),
    "largest": (1, lambda v: max(_listed(v))),
    "smallest": (1, lambda v: min(_listed(v))),
    "total": (1, lambda v: sum(_listed(v))),
}


def _scalar(value: Any) -> Any:
    if value is NOTHING:
        raise _UnknownValue
    if isinstance(value, list):
        if len(value) != 1 or isinstance(value, _Partial):
            raise _UnknownValue
        return value[0]
    return value


def _contains(item: Any, holder: Any) -> bool:
    if holder is NOTHING or item is NOTHING:
        return False
    if isinstance(holder, str):
        return str(item).lower() in holder.lower()
    if item in holder:
        return True
    if isinstance(holder, _Partial):
        raise _UnknownValue
    return False


def _equal(a: Any, b: Any) -> bool:
    if a is NOTHING or b is NOTHING:
        return a is b
    if isinstance(a, _Partial) or isinstance(b, _Partial):
        raise _UnknownValue
    return bool(a == b)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def run(a: Any, b: Any) -> bool:
        if a is NOTHING or b is NOTHING:
            raise _UnknownValue
        return compare(_scalar(a), _scalar(b))
    return run


_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: _equal,
    ast.NotEq: lambda a, b: not _equal(a, b),
    ast.Lt: _ordered(lambda a, b: bool(a < b)),
    ast.LtE: _ordered(lambda a, b: bool(a <= b)),
    ast.Gt: _ordered(lambda a, b: bool(a > b)),
    ast.GtE: _ordered(lambda a, b: bool(a >= b)),
    ast.In: _contains,
    ast.NotIn: lambda a, b: not _contains(a, b),
}
def _number(value: Any) -> int | float:
    """A number of sane size: what is added and multiplied may come from anybody, and texts grow without end."""
    number = _scalar(value)
    if not isinstance(number, (int, float)) or abs(number) > _BIGGEST:
        raise _UnknownValue
    return number


_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b, ast.Div: lambda a, b: a / b,
}


class _Compiler:
    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        self._negated = False

    def compile(self, node: ast.expr) -> _Eval:
        make = getattr(self, "on_" + type(node).__name__, None)
        if make is None:
            raise ConditionError(f"{type(node).__name__} is not part of the condition language")
        made: _Eval = make(node)
        return made

    def on_Constant(self, node: ast.Constant) -> _Eval:
        value = node.value
        if not isinstance(value, (bool, int, float, str)):
            raise ConditionError(f"constant {value!r} is not allowed")
        return lambda state: value

    def on_Name(self, node: ast.Name) -> _Eval:
        if node.id not in self.names:
            raise ConditionError(f"{node.id!r} is not a fact (facts have a dot in their name)")
        name = self.names[node.id]
        return _value(ANYWHERE + name if self._negated and name.startswith("seen.") else name)

    def on_List(self, node: ast.List | ast.Tuple) -> _Eval:
        parts = [self.compile(part) for part in node.elts]
        return lambda state: [part(state) for part in parts]

    on_Tuple = on_List

    def on_BoolOp(self, node: ast.BoolOp) -> _Eval:
        parts = [self.compile(part) for part in node.values]
        decisive = isinstance(node.op, ast.Or)

        def run(state: _Ask) -> bool | None:
            unknown = False
            for part in parts:
                value = _truth(part, state)
                if value is decisive:
                    return decisive
                unknown = unknown or value is None
            if unknown:
                raise _UnknownValue
            return not decisive
        return run

    def on_UnaryOp(self, node: ast.UnaryOp) -> _Eval:
        refused = isinstance(node.op, ast.Not)
        self._negated ^= refused
        inner = self.compile(node.operand)
        self._negated ^= refused
        if isinstance(node.op, ast.USub):
            return lambda state: -inner(state)
        if not isinstance(node.op, ast.Not):
            raise ConditionError("only `not` and a minus sign may stand before a value")

        def run(state: _Ask) -> bool:
            value = _truth(inner, state)
            if value is None:
                raise _UnknownValue
            return not value
        return run

    def on_BinOp(self, node: ast.BinOp) -> _Eval:
        apply = _ARITHMETIC.get(type(node.op))
        if apply is None:
            raise ConditionError(f"operator {type(node.op).__name__} is not allowed")
        left, right = self.compile(node.left), self.compile(node.right)
        return lambda state: apply(_number(left(state)), _number(right(state)))

    def on_Compare(self, node: ast.Compare) -> _Eval:
        parts = [self.compile(part) for part in (node.left, *node.comparators)]
        tests = [_COMPARE.get(type(op)) for op in node.ops]
        if None in tests:
            raise ConditionError("`is` is not allowed; use ==")

        def run(state: _Ask) -> bool:
            values = [part(state) for part in parts]
            return all(test(a, b) for test, a, b in zip(tests, values, values[1:], strict=False) if test)
        return run

    def on_Call(self, node: ast.Call) -> _Eval:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise ConditionError("only the named functions may be called")
        name = node.func.id
        if name in ("unset", "has", "known"):
            return self._presence(name, node)
        if name not in FUNCTIONS:
            raise ConditionError(f"there is no function {name!r}; there are {', '.join(sorted(FUNCTIONS))}")
        arity, function = FUNCTIONS[name]
        if len(node.args) != arity:
            raise ConditionError(f"{name} takes {arity} argument(s)")
        args = [self.compile(arg) for arg in node.args]
        return lambda state: function(*(arg(state) for arg in args))

    def _presence(self, name: str, node: ast.Call) -> _Eval:
        if len(node.args) != 1 or not isinstance(node.args[0], ast.Name) or node.args[0].id not in self.names:
            raise ConditionError(f"{name} takes one fact")
        read = _value(self.names[node.args[0].id])
        if name == "known":
            return lambda state: _is_known(read, state)
        return lambda state: (read(state) is NOTHING) is (name == "unset")


def _depth(tree: ast.expr) -> int:
    """How deep an expression is nested."""
    depth, level = 0, [tree]
    while level:
        depth += 1
        level = [part for node in level for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    return depth


def _is_known(read: _Eval, state: _Ask) -> bool:
    try:
        return read(state) is not NOTHING
    except _UnknownValue:
        return False


def _musts(node: ast.expr, names: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Sets of signals and symptoms of which one must have been seen for the expression to be true."""
    if isinstance(node, ast.Name):
        name = names[node.id]
        return [(name,)] if name.startswith("seen.") and name.count(".") <= 2 and ".." not in name else []
    if not isinstance(node, ast.BoolOp):
        return []
    parts = [_musts(part, names) for part in node.values]
    if isinstance(node.op, ast.And):
        return [must for part in parts for must in part]
    return [tuple(dict.fromkeys(name for part in parts for name in part[0]))] if all(parts) else []


def _needs(part: ast.expr, names: Mapping[str, str]) -> Iterator[str]:
    """The facts that must be known, and the signal or symptom that must have been seen, for a part of a way to be true."""
    if isinstance(part, ast.Name):
        if names[part.id].count(".") <= 2 or not names[part.id].startswith("seen."):
            yield names[part.id]
        return
    inner = list(ast.walk(part))
    if any(isinstance(each, ast.BoolOp) or isinstance(each, ast.Name) and each.id == "known" for each in inner):
        return  # it may be decided without some of its facts
    found = (names.get(each.id, "") for each in inner if isinstance(each, ast.Name))
    yield from (name for name in found if name and not name.startswith("seen."))


def unparsed(text: str, names: tuple[str, ...], musts: tuple[tuple[str, ...], ...], needs: tuple[tuple[str, ...], ...],
             scope: Callable[[], Scope]) -> Condition:
    """A condition that was parsed before, when its depth was judged and the rest was learnt."""
    return Condition(text, names, lambda: _evaluated(*_read(text, scope())), musts, needs)


def parse(text: str, scope: Scope = Scope()) -> Condition:
    """Compile; raises ConditionError for anything outside the language, the vocabulary or the rule's own names."""
    tree, names = _read(text, scope)
    if _depth(tree) > _DEEPEST:
        raise ConditionError(f"nested deeper than {_DEEPEST}")
    made = _evaluated(tree, names)
    return Condition(text, tuple(dict.fromkeys(names.values())), lambda: made, tuple(_musts(tree, names)),
                     tuple(tuple(dict.fromkeys(name for part in way for name in _needs(part, names))) for way in _ways(tree)))


def _evaluated(tree: ast.expr, names: dict[str, str]) -> tuple[_Eval, Callable[[], list[list[_Eval]]]]:
    """What asks the whole expression, and what asks each of its ways."""
    compiler = _Compiler(names)
    return compiler.compile(tree), lambda: [[compiler.compile(part) for part in way] for way in _ways(tree)]


def _read(text: str, scope: Scope) -> tuple[ast.expr, dict[str, str]]:
    """The expression, in which facts have names of Python's, and the facts behind these. Raises ConditionError."""
    names: dict[str, str] = {}

    def named(fact: str) -> str:
        names[f"fact_{len(names)}"] = fact
        return f"fact_{len(names) - 1}"

    def seen(found: re.Match[str]) -> str:
        return named(scope.signal(found[2]) if found[1] == "saw" else f"seen.{found[2]}")

    def rename(found: re.Match[str]) -> str:
        word = found.group()
        if word[0] in "'\"":
            return "r" + word  # a pattern's backslash is a backslash
        if not vocabulary.declared(word):
            captured = scope.capture(word)
            if not captured:
                raise ConditionError(f"{word!r} is not a declared fact")
            word = captured
        return named(word)

    if len(text) > _LONGEST:
        raise ConditionError(f"longer than {_LONGEST} characters")
    renamed = _NAME.sub(rename, _CALL.sub(seen, " ".join(text.split())))
    try:
        return syntax.expression(renamed).body, names
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConditionError(f"not an expression: {error}") from None


@functools.lru_cache(maxsize=512)
def of_table(text: str) -> Condition:
    """A condition that stands in a table and belongs to no rule, compiled once; raises ConditionError."""
    return parse(text)
