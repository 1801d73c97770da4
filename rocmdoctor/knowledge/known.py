"""Known defects, one row each in ``rules/data/known/<component>.yaml``: what is bad, on what, how it shows, what helps."""

from __future__ import annotations

import datetime
import functools
import itertools
import pathlib
from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any, NamedTuple

from rocmdoctor import later
from rocmdoctor.knowledge import cache, compiled, likeness
from rocmdoctor.knowledge.signals import Signal
from rocmdoctor.knowledge.words import words
from rocmdoctor.scan.literals import written
from rocmdoctor.texts.kinds import GROUPS

OWNER = "known"  # of the signals that stand in the rows
LIKENESS = "known likeness"  # the index of their words
STALE_DAYS = 120
_SURE = ("maintainer", "release-note", "several")
_SENTENCE = later.pattern(r"(?<=[a-z0-9)\]'\"])[.;] (?=[A-Z\"'(])")


class Row(NamedTuple):
    """One defect. ``bad`` are ranges of versions, ``with_`` what else must be installed, empty lists stand for any."""

    id: str
    component: str
    bad: tuple[dict[str, str], ...] = ()
    good: tuple[str, ...] = ()
    scheme: str = ""
    note: str = ""
    with_: dict[str, str] = {}
    gfx: tuple[str, ...] = ()
    os: tuple[str, ...] = ()
    backend: tuple[str, ...] = ()
    needs: str = ""
    symptom: tuple[str, ...] = ()
    signature: tuple[str, ...] = ()
    severe: bool = False
    says: str = ""
    fix: tuple[str, ...] = ()
    not_a_fix: tuple[str, ...] = ()
    confirmed: str = ""
    source: tuple[str, ...] = ()
    read: str = ""

    @property
    def signal(self) -> str:
        """The name of its signal."""
        return self.id.replace("-", "_")

    @property
    def sure(self) -> bool:
        """Whether more than one reporter stands behind it."""
        return self.confirmed in _SURE

    @property
    def weak(self) -> bool:
        """Whether nothing in it ties the defect to a version or a line."""
        return not (self.bad or self.with_ or self.signature)

    @property
    def first_sentence(self) -> str:
        """What goes wrong, in one sentence."""
        return _SENTENCE.split(self.says, maxsplit=1)[0].rstrip(".")

    @property
    def told(self) -> str:
        """What it says of the trouble, by which reports are compared with it."""
        return f"{self.says} {self.needs} {self.note}"

    @property
    def bounds(self) -> str:
        """The bad versions in words, "" without bounds."""
        return ", ".join(map(_words, self.bad))


class Table:
    """All rows by component, the date they were gathered, and what could not be read. A row is loaded when it is asked for."""

    def __init__(self, data: Any, rows: compiled.Rows) -> None:
        self.as_of: str
        self.problems: tuple[str, ...]
        self._components: list[tuple[str, int]]
        self._components, self.as_of, self.problems, self._signals, self._by_symptom, self._severe, self._needy, self._bound = data
        self._rows = rows

    def row(self, at: int) -> Row:
        """The row at a place in the table."""
        return Row._make(self._rows[at])

    @functools.cached_property
    def rows(self) -> dict[str, tuple[Row, ...]]:
        """Every row, by component."""
        every = map(self.row, range(len(self._rows)))
        return {component: tuple(itertools.islice(every, count)) for component, count in self._components}

    def of(self, component: str) -> Iterator[Row]:
        """The rows of one component."""
        start = 0
        for name, count in self._components:
            if name == component:
                yield from map(self.row, range(start, start + count))
            start += count

    def all(self) -> list[Row]:
        """Every row."""
        return [row for rows in self.rows.values() for row in rows]

    def by_id(self) -> dict[str, Row]:
        """Every row by its id."""
        return {row.id: row for row in self.all()}

    def worth(self, signals: Iterable[str], symptoms: Container[str], here: Callable[[str], bool]) -> Iterator[Row]:
        """The rows that can say anything where these signals and symptoms were seen, in their order: the others show as something else, or are about
        versions of what has none ``here``."""
        found = set(self._severe)
        found.update(at for names, places in self._needy.items() if not shows_as(names) for at in places)
        for name, places in self._by_symptom.items():
            if any(one in symptoms for one in shows_as((name,))):
                found.update(places)
        for component, places in self._bound.items():
            if not found.isdisjoint(places) and not here(component):
                found.difference_update(places)
        found.update(self._signals[name][0] for name in signals if name in self._signals)
        return map(self.row, sorted(found))

    def signals(self) -> list[Signal]:
        """The signatures of all rows, as signals that belong to ``known``; programs print them, people quote them."""
        kinds = GROUPS["program"] | GROUPS["told"]
        return [Signal(OWNER, name, patterns, kinds, negatable=True, literals=literals) for name, (_, patterns, literals) in self._signals.items()]


def _words(bounds: dict[str, str]) -> str:
    if "exact" in bounds:
        return bounds["exact"]
    low, high, before = (bounds.get(kind, "") for kind in ("from", "through", "before"))
    if not low:
        return f"{high} and older" if high else f"older than {before}"
    return low if low == high else f"{low} to {high}" if high else f"{low} and later, before {before}" if before else f"{low} and later"


def build(component: str, data: dict[str, Any]) -> Row:
    """A Row from plain data; raises ValueError, TypeError or KeyError for what is not of the form."""
    texts = {name: tuple(map(str, data.get(name) or ())) for name in ("good", "gfx", "os", "backend", "symptom", "signature", "fix", "not_a_fix", "source")}
    bad = tuple({str(kind): str(version) for kind, version in bounds.items()} for bounds in data.get("bad") or ())
    return Row(id=str(data["id"]), component=component, bad=bad, scheme=str(data.get("scheme") or ""), note=str(data.get("note") or ""),
               with_={str(name): str(bound) for name, bound in (data.get("with") or {}).items()}, needs=str(data.get("needs") or ""),
               severe=data.get("severe") is True, says=str(data["says"]).strip(), confirmed=str(data.get("confirmed") or ""),
               read=str(data.get("read") or ""), **texts)


def laid_out(root: pathlib.Path) -> tuple[dict[str, bytes], list[tuple[str, ...]]]:
    """The checked rows as the parts that :func:`load` reads: themselves, and which of them are of interest where what was seen. Then the literals of
    each pattern."""
    rows: dict[str, list[Row]] = {}
    problems: list[str] = []
    dates: list[str] = []
    literals: dict[str, list[tuple[str, ...]]] = {}
    for file in sorted((root / "data" / "known").glob("*.yaml")):
        try:
            data = cache.parse_yaml(file.read_text("utf-8"))
            component = str(data["component"])
            for each in data["rows"]:
                each["literals"] = [written(str(pattern)) for pattern in each.get("signature") or ()]
        except Exception as error:  # a broken file is that file's problem only
            problems.append(f"known/{file.name}: {error}")
            continue
        made = rows[component] = []
        for each in data["rows"]:
            try:
                row = build(component, each)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                problems.append(f"known/{file.name}: {each.get('id') if isinstance(each, dict) else each}: {error!r}")
                continue
            made.append(row)
            literals[row.id] = each["literals"]
        dates.append(str(data.get("as_of") or ""))
    every = [row for of in rows.values() for row in of]
    found = {row.signal: (at, row.signature, tuple(literals[row.id])) for at, row in enumerate(every) if row.signature}
    by_symptom: dict[str, list[int]] = {}
    for at, row in enumerate(every):
        for name in row.symptom:
            by_symptom.setdefault(name, []).append(at)
    severe = [at for at, row in enumerate(every) if row.severe]
    needy: dict[tuple[str, ...], list[int]] = {}  # rows without a signature that need something, by the symptoms that they may show as
    for at, row in enumerate(every):
        if row.needs and not row.signature:
            needy.setdefault(row.symptom, []).append(at)
    bound: dict[str, list[int]] = {}  # rows about versions of the usual kind
    for at, row in enumerate(every):
        if row.bad and not row.scheme:
            bound.setdefault(row.component, []).append(at)
    index = [(component, len(of)) for component, of in rows.items()], max(dates, default=""), tuple(problems), found, by_symptom, severe, needy, bound
    said = words(pattern for row in every for pattern in row.signature)
    parts = {"known": compiled.dumped(index), "known rows": compiled.rows(map(tuple, every)), "known words": compiled.dumped(said),
             **likeness.laid_out(LIKENESS, (likeness.words(row.told) for row in every))}
    return parts, [sets for _, _, of_row in found.values() for sets in of_row]


@functools.cache
def shows_as(names: tuple[str, ...]) -> tuple[str, ...]:
    """The symptoms of this house that those of a row may be seen as."""
    symptoms = compiled.part("checks/known-defects.yaml")["symptoms"]
    return tuple(dict.fromkeys(one for name in names for one in symptoms.get(name, {}).get("seen", ())))


@functools.cache
def load() -> Table:
    """The table of the house."""
    return Table(compiled.part("known"), compiled.Rows("known rows"))


def signals() -> list[Signal]:
    """The signals of the house's table."""
    return load().signals()


def age_days(today: datetime.date) -> int:
    """Days since the table was gathered; 0 where it does not say."""
    try:
        return max((today - datetime.date.fromisoformat(load().as_of)).days, 0)
    except ValueError:
        return 0
