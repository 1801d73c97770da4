"""Counting as the reports come: for every fact of every kind of machine, which nodes have which value. Grows with what differs."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from rocmdoctor import __version__
from rocmdoctor.compare.differences import IDLE_LINK, RATE_NOISE, SIZE_NOISE, is_rate, unit
from rocmdoctor.facts import sizes, vocabulary
from rocmdoctor.facts.model import SEVERITIES
from rocmdoctor.fleet.answer import Cause, Difference, Fleet, KindOfMachine, Outlier, Split
from rocmdoctor.fleet.reports import Broken, Key, Node, Unread
from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass, field

MAJORITY = 2 / 3
FEWEST = 3
# A set of GPUs that lacks some of the usual ones is a fault until this share of the machines has it.
_OWN_KIND_FEWER, _OWN_KIND_OTHER = 0.2, 0.05
_LARGEST = 1e18  # of a size or rate; beyond it is no measurement
_VERDICTS = ("FAIL", "UNKNOWN", "WARN", "PASS", "")


@dataclass(slots=True)
class _Cell:
    """Machines of one product with the same GPUs."""

    product: str
    gpus: tuple[str, ...]
    nodes: array[int] = field(default_factory=lambda: array("I"))
    facts: dict[Key, dict[Any, array[int]]] = field(default_factory=dict)
    findings: dict[str, array[int]] = field(default_factory=dict)

    def take(self, other: _Cell) -> None:
        self.nodes += other.nodes
        for key, values in other.facts.items():
            mine = self.facts.setdefault(key, {})
            for value, nodes in values.items():
                mine[value] = mine[value] + nodes if value in mine else nodes
        for name, nodes in other.findings.items():
            self.findings[name] = self.findings[name] + nodes if name in self.findings else nodes


@dataclass(frozen=True, slots=True)
class _Said:
    name: str
    verdict: str
    action: str
    failures: tuple[str, ...]


class Merge:
    """Give every report to :meth:`add`, then ask for :meth:`answer`."""

    def __init__(self) -> None:
        self._cells: dict[tuple[str, tuple[str, ...]], _Cell] = {}
        self._nodes: list[_Said] = []
        self._titles: dict[str, tuple[str, str]] = {}
        self._names: Counter[str] = Counter()
        self.broken: list[str] = []

    def add(self, report: Node | Broken) -> None:
        """Count one report."""
        if isinstance(report, Broken):
            self.broken.append(report.says)
            return
        number = len(self._nodes)
        self._names[report.name] += 1
        again = self._names[report.name]
        self._nodes.append(_Said(report.name if again == 1 else f"{report.name} ({again})", report.verdict, report.action, tuple(report.failures)))
        cell = self._cells.setdefault((report.product, report.gpus), _Cell(report.product, report.gpus))
        cell.nodes.append(number)
        for key, value in report.facts.items():
            values = cell.facts.setdefault(key, {})
            # True and 1 are one key of a dictionary, and two values.
            kept = value if not isinstance(value, bool) else ("no", "yes")[value]
            if kept in values:
                values[kept].append(number)
            else:
                values[kept] = array("I", (number,))
        for name, about in report.findings.items():
            self._titles.setdefault(name, about)
            cell.findings.setdefault(name, array("I")).append(number)

    def answer(self) -> Fleet:
        """Everything that was counted, compared."""
        found: dict[int, Outlier] = {}
        kinds: list[KindOfMachine] = []
        splits: list[Split] = []
        everywhere: list[str] = []
        for cell in self._kinds():
            name = _name(cell)
            for number in cell.nodes:
                if self._nodes[number].verdict in ("FAIL", "UNKNOWN") or self._nodes[number].failures:
                    found[number] = self._outlier(number, name)
            if len(cell.nodes) >= FEWEST:
                self._compare(cell, name, found, splits, everywhere)
            kinds.append(KindOfMachine(name, len(cell.nodes), sum(number not in found for number in cell.nodes)))
        outliers = sorted(found.values(), key=_worst_first)
        verdicts = Counter(said.verdict for said in self._nodes if said.verdict)
        return Fleet(__version__, len(self._nodes), len(self._nodes) - len(found), len(found), dict(sorted(verdicts.items())), kinds,
                     _causes(outliers), outliers, splits, everywhere, self.broken)

    def _kinds(self) -> list[_Cell]:
        """Cells become kinds of machines: a product's cell with too few machines joins the largest of that product."""
        products: dict[str, list[_Cell]] = {}
        for cell in self._cells.values():
            products.setdefault(cell.product, []).append(cell)
        kinds = []
        for cells in products.values():
            cells.sort(key=lambda cell: -len(cell.nodes))
            total = sum(len(cell.nodes) for cell in cells)
            main = cells[0]
            for cell in cells[1:]:
                fewer = not Counter(cell.gpus) - Counter(main.gpus)
                share = len(cell.nodes) / total
                # Without a product other GPUs are another machine; of one product they are a fault.
                foreign = not cell.product and cell.gpus and not set(cell.gpus) & set(main.gpus)
                own = share >= _OWN_KIND_FEWER if fewer else len(cell.nodes) >= FEWEST and share >= _OWN_KIND_OTHER
                if foreign or own:
                    kinds.append(cell)
                else:
                    main.take(cell)
            kinds.append(main)
        return sorted(kinds, key=lambda cell: -len(cell.nodes))

    def _outlier(self, number: int, kind: str) -> Outlier:
        said = self._nodes[number]
        return Outlier(said.name, kind, said.verdict, said.action, "", list(said.failures))

    def _compare(self, cell: _Cell, kind: str, found: dict[int, Outlier], splits: list[Split], everywhere: list[str]) -> None:
        total = len(cell.nodes)
        differing: dict[int, list[tuple[Key, Difference]]] = {}
        for key in sorted(cell.facts):
            values = cell.facts[key]
            if len(values) == 1 and len(next(iter(values.values()))) == total:
                continue
            self._one_fact(cell, key, values, kind, differing, splits)
        for name, nodes in cell.findings.items():
            if len(nodes) >= MAJORITY * total:
                everywhere.append(f"{kind}: {name} on {len(nodes)} of {total}: {self._titles[name][1]}")
                continue
            severity, title = self._titles[name]
            if 1 - len(nodes) / total < MAJORITY or severity == "info":
                continue
            for number in nodes:
                outlier = found.setdefault(number, self._outlier(number, kind))
                outlier.findings.append(f"{severity} {name}: {title}")
                outlier.severity = min(outlier.severity or "info", severity, key=SEVERITIES.index)
        for number, entries in differing.items():
            outlier = found.setdefault(number, self._outlier(number, kind))
            # A GPU that is missing is one difference, not one for each of its facts.
            gone = {key[1] for key, difference in entries if key[0] == "gpu.pci_address" and difference.value == "missing"}
            outlier.differences += [difference for key, difference in entries
                                    if key[0] == "gpu.pci_address" or not (key[1] in gone and vocabulary.entity(key[0]) == "gpu")]

    def _one_fact(self, cell: _Cell, key: Key, values: dict[Any, array[int]], kind: str,
                  differing: dict[int, list[tuple[Key, Difference]]], splits: list[Split]) -> None:
        total = len(cell.nodes)
        known = {value: nodes for value, nodes in values.items() if not isinstance(value, Unread)}
        count = sum(map(len, known.values()))
        usual, alike = _usual(key[0], known)
        having = sum(len(known[value]) for value in alike)
        if having < MAJORITY * total:
            several = sorted(((len(nodes), value) for value, nodes in known.items()), key=lambda pair: (-pair[0], str(pair[1])))
            if count >= MAJORITY * total and len(several) <= 5 and several[-1][0] >= 0.1 * total:
                splits.append(Split(kind, _shown_key(key), [(_shown(key[0], value), number) for number, value in several]))
            return
        share = round(having / total, 4)
        spoken = 0
        for value, nodes in values.items():
            spoken += len(nodes)
            if value in alike or (key[0] == "gpu.link_speed_gts" and value in IDLE_LINK):
                continue
            said = f"could not be read ({value.reason.replace('_', ' ')})" if isinstance(value, Unread) else _shown(key[0], value)
            for number in nodes:
                differing.setdefault(number, []).append((key, Difference(_shown_key(key), said, _shown(key[0], usual), share)))
        if spoken < total and usual is not None:
            silent = set(cell.nodes).difference(*values.values())
            # Not the installations that one machine has and another has not: only devices and what every machine states.
            if vocabulary.entity(key[0]) in ("", "gpu"):
                for number in silent:
                    differing.setdefault(number, []).append((key, Difference(_shown_key(key), "missing", _shown(key[0], usual), share)))


def _usual(name: str, known: dict[Any, array[int]]) -> tuple[Any, set[Any]]:
    """The most frequent value, and all that count as the same: sizes and rates within their noise."""
    if not known:
        return None, set()
    noise = RATE_NOISE if is_rate(name) else SIZE_NOISE if unit(name) == "bytes" else 0.0
    numbers = sorted(value for value in known if isinstance(value, (int, float)) and 0 <= value < _LARGEST) if noise else []
    if not numbers:
        best = max(known, key=lambda value: len(known[value]))
        return best, {best}
    # The window of values within the noise of its lowest that holds most machines.
    sums = [0, *accumulate(len(known[value]) for value in numbers)]
    best_count, low, high = max((sums[end := bisect_right(numbers, value * (1 + noise))] - sums[start], start, end)
                                for start, value in enumerate(numbers))
    window = numbers[low:high]
    middle = window[bisect_left([sums[low + i + 1] - sums[low] for i in range(len(window))], best_count / 2)]
    others = max((value for value in known if value not in set(window)), key=lambda value: len(known[value]), default=None)
    if others is not None and len(known[others]) > best_count:
        return others, {others}
    return middle, {value for value in numbers if abs(value - middle) <= noise * abs(middle)}


def _shown_key(key: Key) -> str:
    name, item, part = key
    return vocabulary.key(name, item) + (f" {part}" if part else "")


def _shown(name: str, value: Any) -> str:
    if value is None:
        return "not there"
    if name.endswith("_bytes") and isinstance(value, int):
        return sizes.words(value)
    return str(value)


def _name(cell: _Cell) -> str:
    cards = Counter(cell.gpus)
    gpus = ", ".join(f"{count} x {_read_name(cell, card) or _card(card)}" for card, count in cards.items()) or "no GPU"
    return f"{cell.product} with {gpus}" if cell.product else gpus


def _read_name(cell: _Cell, pci_id: str) -> str:
    """What the machines themselves call a GPU, "" where they do not agree."""
    slots = {item for (name, item, _), values in cell.facts.items() if name == "gpu.pci_id" and set(values) == {pci_id}}
    names = {value for (name, item, _), values in cell.facts.items() if name == "gpu.name" and item in slots for value in values}
    return str(names.pop()) if len(names) == 1 and all(isinstance(name, str) for name in names) else ""


def _card(pci_id: str) -> str:
    """The name of a GPU by its PCI id, that of the chip where several products share it; the id where nobody knows it."""
    row = tables.gfx_of_pci().get(pci_id, {})
    names = list(dict.fromkeys((row.get("names_by_revision") or {}).values()))
    return str(names[0]) if len(names) == 1 else str(row.get("code_name") or pci_id).split(" [")[0]


def _worst_first(outlier: Outlier) -> tuple[Any, ...]:
    severity = SEVERITIES.index(outlier.severity) if outlier.severity in SEVERITIES else len(SEVERITIES)
    lost = any(difference.fact.startswith("gpu.pci_address") for difference in outlier.differences)
    return (_VERDICTS.index(outlier.verdict) if outlier.verdict in _VERDICTS else 4, not lost, severity,
            -len(outlier.failures) - len(outlier.findings), -len(outlier.differences), outlier.node)


def _causes(outliers: Iterable[Outlier]) -> list[Cause]:
    """The same difference, finding or failed expectation on several nodes is one thing; most nodes first."""
    held: dict[tuple[str, str, str, str], list[str]] = {}
    for outlier in outliers:
        seen = dict.fromkeys((_any_gpu(d.fact), d.value if d.value != "missing" else "missing", "" if d.value == "missing" else d.usual)
                             for d in outlier.differences)
        for fact, value, usual in seen:
            held.setdefault((outlier.kind, fact, value, usual), []).append(outlier.node)
        for line in outlier.findings:
            held.setdefault((outlier.kind, "finding " + line.partition(":")[0].partition(" ")[2], line.partition(": ")[2], ""), []).append(outlier.node)
        for name in dict.fromkeys(line.partition(":")[0].partition(" (")[0] for line in outlier.failures):
            held.setdefault((outlier.kind, "expectation " + name.partition(" ")[2], name.partition(" ")[0], ""), []).append(outlier.node)
    causes = [Cause(*key, nodes) for key, nodes in held.items()]
    return sorted(causes, key=lambda cause: (-len(cause.nodes), cause.fact, cause.value))


def _any_gpu(fact: str) -> str:
    """A fact of one GPU without its address: five nodes with one slow link each have one cause, whichever slot it is."""
    name, item = vocabulary.split_key(fact)
    return name if vocabulary.entity(name) == "gpu" and item else fact
