"""Known defects, one row each in ``rules/data/known/<component>.yaml``: what is bad, on what, how it shows, what helps."""

from __future__ import annotations

import datetime
import functools
import pathlib
from typing import Any, NamedTuple

from rocmdoctor import later
from rocmdoctor.knowledge import cache, compiled
from rocmdoctor.knowledge.signals import Signal
from rocmdoctor.records import dataclass, field
from rocmdoctor.scan.literals import required
from rocmdoctor.texts.kinds import GROUPS

OWNER = "known"  # of the signals that stand in the rows
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
    def bounds(self) -> str:
        """The bad versions in words, "" without bounds."""
        return ", ".join(map(_words, self.bad))


@dataclass(frozen=True, slots=True)
class Table:
    """All rows by component, the date they were gathered, and what could not be read."""

    rows: dict[str, tuple[Row, ...]]
    as_of: str
    problems: tuple[str, ...] = ()
    literals: dict[str, list[list[list[str]]]] = field(default_factory=dict)

    def all(self) -> list[Row]:
        """Every row."""
        return [row for rows in self.rows.values() for row in rows]

    def by_id(self) -> dict[str, Row]:
        """Every row by its id."""
        return {row.id: row for row in self.all()}


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


def plain(root: pathlib.Path) -> Any:
    """The checked rows as plain data, for :func:`load`: by component, date, problems, and the literals of their signatures."""
    rows: dict[str, list[tuple[Any, ...]]] = {}
    problems: list[str] = []
    dates: list[str] = []
    literals: dict[str, list[list[list[str]]]] = {}
    for file in sorted((root / "data" / "known").glob("*.yaml")):
        try:
            data = cache.parse_yaml(file.read_text("utf-8"))
            component = str(data["component"])
            for each in data["rows"]:
                each["literals"] = [required(str(pattern)) for pattern in each.get("signature") or ()]
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
            made.append(tuple(row))
            literals[row.id] = each["literals"]
        dates.append(str(data.get("as_of") or ""))
    return rows, max(dates, default=""), tuple(problems), literals


@functools.cache
def shows_as(names: tuple[str, ...]) -> tuple[str, ...]:
    """The symptoms of this house that those of a row may be seen as."""
    symptoms = compiled.part("checks/known-defects.yaml")["symptoms"]
    return tuple(dict.fromkeys(one for name in names for one in symptoms.get(name, {}).get("seen", ())))


@functools.cache
def load() -> Table:
    """The table of the house."""
    rows, as_of, problems, literals = compiled.part("known")
    return Table({component: tuple(map(Row._make, values)) for component, values in rows.items()}, as_of, problems, literals)


def signals() -> list[Signal]:
    """The signatures of all rows, as signals that belong to ``known``; programs print them, people quote them."""
    table = load()
    return [Signal(OWNER, row.signal, row.signature, GROUPS["program"] | GROUPS["told"], negatable=True, literals=tuple(table.literals[row.id]))
            for row in table.all() if row.signature]


def age_days(today: datetime.date) -> int:
    """Days since the table was gathered; 0 where it does not say."""
    try:
        return max((today - datetime.date.fromisoformat(load().as_of)).days, 0)
    except ValueError:
        return 0
