"""What a rule sees: the facts, what they are about, and the signals near one place of one text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rocmdoctor.diagnosis.subjects import subjects
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Absent, Fact, Hit, Known, Snapshot, Unknown
from rocmdoctor.knowledge.conditions import ANYWHERE, Answer, Lookup
from rocmdoctor.knowledge.rules import Rule, Rulebook
from rocmdoctor.records import dataclass
from rocmdoctor.texts import kinds

BLOCK = 15  # lines between two signals of one block
_SEEN = "seen."
_TOLD = kinds.GROUPS["told"]


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of one source; every line of every source when ``source`` is empty. ``told``: what a person says of the case stands near them, too."""

    source: str = ""
    first: int = 0
    last: int = 1 << 60
    told: bool = False

    def holds(self, hit: Hit) -> bool:
        """Whether the hit stands there."""
        return not self.source or (hit.source == self.source and self.first <= hit.line <= self.last) or (self.told and hit.kind in _TOLD)


class Evidence:
    """Look-up over a snapshot."""

    def __init__(self, snapshot: Snapshot, book: Rulebook) -> None:
        self.snapshot = snapshot
        self.facts: dict[str, Fact] = {**snapshot.facts, **subjects(snapshot.facts)}
        self._read = snapshot.texts_read > 0
        self._hits: dict[tuple[str, str], list[Hit]] = {}
        for hit in snapshot.hits:
            self._hits.setdefault((hit.rule, hit.group), []).append(hit)
        self._symptoms: dict[str, Fact] = {}
        self._silent: dict[str, bool] = {}
        self._known: dict[str, bool] = {}
        self._book = book
        self.symptoms = self._decide_symptoms()

    def _decide_symptoms(self) -> set[str]:
        """The symptoms that were seen; a symptom may rest on signals and facts, not on another symptom."""
        found = set()
        for rule in self._book.rules.values():
            if rule.kind != "symptom":
                continue
            value = False if rule.status == "retired" or self.silent(rule) else self.ask(rule)[0][1].value
            self._symptoms[rule.id] = Unknown("not_collected", "not decided") if value is None else Known(value, "signals")
            if value:
                found.add(rule.id)
        return found

    def silent(self, rule: Rule) -> bool:
        """Whether the answer is no wherever the rule is asked: of signals or symptoms of which it needs one none was seen. So it is of most rules."""
        return any(all(map(self._unseen, must)) for must in rule.when.musts)

    def _unseen(self, name: str) -> bool:
        if name not in self._silent:
            fact = self._signal(name.removeprefix(ANYWHERE), Place())
            self._silent[name] = isinstance(fact, Known) and fact.value is False
        return self._silent[name]

    def out_of_reach(self, rule: Rule) -> bool:
        """Whether a rule can be neither a cause nor a possible one: nothing of its own was seen, and each way to a yes needs what was not read."""
        return rule.for_each != "llm" and not any(all(map(self._there, way)) for way in rule.when.needs) and not any(map(self.hits_of, rule.when.names))

    def _there(self, name: str) -> bool:
        if name.startswith(_SEEN):
            return not self._unseen(name)
        if name not in self._known:
            found = self.lookup()(name)
            self._known[name] = not all(isinstance(fact, Unknown) for fact in (found if isinstance(found, list) else [found]))
        return self._known[name]

    def ask(self, rule: Rule, item: str = "", hidden: str = "") -> list[tuple[Place, Answer]]:
        """What the rule answers at each place where its signals stand close enough together, the best answer first.

        ``hidden`` is a fact that is taken as if nobody had read it.
        """
        answers = [(place, rule.when.ask(self.lookup(item, rule.for_each, place, hidden))) for place in self.places(rule)]
        return sorted(answers, key=lambda pair: {True: 0, None: 1, False: 2}[pair[1].value])

    def fits(self, rule: Rule) -> bool:
        """Whether the rule is of this system; true where the system is not known. WSL has a Linux, and any system may have containers."""
        system = self.text("about.os")
        if not rule.platforms or not system:
            return True
        names = {system, *(["linux"] if system == "wsl" else []), *([] if self.value("about.container") is False else ["container"])}
        return not names.isdisjoint(rule.platforms)

    def places(self, rule: Rule) -> list[Place]:
        """Where the rule may be asked: around each of its signals, as near as the rule wants them."""
        owned = [name for name in rule.when.names if name.startswith(_SEEN) and name.count(".") >= 2]
        hits = [hit for name in dict.fromkeys(owned) for hit in self.hits_of(name)]
        if rule.near == "report" or len(hits) < 2:
            return [Place()]
        if rule.near == "file":
            return [Place(source, told=True) for source in dict.fromkeys(hit.source for hit in hits)]
        reach = 0 if rule.near == "line" else BLOCK
        found: list[Place] = []
        for hit in sorted(hits, key=lambda hit: (hit.source, hit.line)):
            if found and found[-1].source == hit.source and hit.line - found[-1].last <= reach:
                found[-1] = Place(hit.source, found[-1].first, max(hit.line, found[-1].last))
            else:
                found.append(Place(hit.source, hit.line, hit.line))
        return found

    def signals_of(self, owner: str) -> list[str]:
        """The signals of one owner that were seen."""
        return [name for of, name in self._hits if of == owner]

    def hits_of(self, name: str) -> list[Hit]:
        """The hits behind ``seen.owner.signal`` or one of its captures."""
        parts = name.removeprefix(ANYWHERE).split(".")
        if len(parts) < 3:
            return []
        if parts[2]:
            return self._hits.get((parts[1], parts[2]), [])
        return [hit for (owner, _), hits in self._hits.items() if owner == parts[1] for hit in hits]

    def lookup(self, item: str = "", each: str = "", place: Place = Place(), hidden: str = "") -> Lookup:
        """The facts as one rule sees them: inside ``for_each`` the entity's facts are this item's, signals are those of the place."""
        def look(name: str) -> Fact | list[Fact]:
            if hidden and name.removeprefix(ANYWHERE) == hidden:
                return Unknown()
            if name.startswith(ANYWHERE):
                return self._signal(name[len(ANYWHERE):], Place())
            if name.startswith(_SEEN):
                return self._signal(name, place)
            entity = vocabulary.entity(name)
            if entity and entity == each:
                return self.facts.get(vocabulary.key(name, item), Unknown())
            if entity:
                return [self.facts.get(vocabulary.key(name, i), Unknown()) for i in items_of(self.facts, entity)]
            return self.facts.get(name, Unknown())
        return look

    def _signal(self, name: str, place: Place) -> Fact:
        parts = name.split(".")
        if len(parts) == 2:
            return self._symptoms.get(parts[1], Unknown("not_collected", "no such symptom"))
        nothing = Unknown("not_collected", "no log was read")
        hits = [hit for hit in self.hits_of(name) if place.holds(hit)]
        if len(parts) == 3:
            return Known(True, hits[0].source) if hits else Known(False, "texts") if self._read else nothing
        values = list(dict.fromkeys(hit.captures[parts[3]] for hit in hits if parts[3] in hit.captures))
        return Known(values, hits[0].source) if values else Absent("texts") if self._read else nothing

    def value(self, name: str) -> Any:
        """The value of a fact of the machine, None when it is not known."""
        fact = self.facts.get(name)
        return fact.value if isinstance(fact, Known) else None

    def text(self, name: str) -> str:
        """The value as text, "" when it is not known."""
        value = self.value(name)
        return "" if value is None else str(value)

    def texts(self, name: str) -> list[str]:
        """The value as a list of texts, empty when it is not known."""
        value = self.value(name)
        return [] if value is None else list(map(str, value)) if isinstance(value, list) else [str(value)]

    def explained(self, rule: Rule) -> list[str]:
        """The symptoms that were seen of those that a rule explains."""
        return [symptom for symptom in rule.explains if symptom in self.symptoms]

    def own(self, rule: Rule, place: Place) -> Iterator[Hit]:
        """The hits of the signals that the rule asks for, at a place; those that only name a topic left out."""
        return self.own_of(rule, rule.when.names, place)

    def own_of(self, rule: Rule, names: Iterable[str], place: Place) -> Iterator[Hit]:
        """The same for some of the rule's names."""
        for name in names:
            if name.startswith(_SEEN) and not self._topic(rule, name):
                yield from (hit for hit in self.hits_of(name) if place.holds(hit))

    def _topic(self, rule: Rule, name: str) -> bool:
        _, owner, own, *_ = [*name.split("."), "", ""]
        signal = rule.signals.get(own) if owner == rule.id else self._book.signals.get(f"{owner}.{own}")
        return signal is not None and signal.topic

    def of_symptoms(self, symptoms: Iterable[str]) -> Iterator[Hit]:
        """The hits of the signals of these symptoms."""
        for symptom in symptoms:
            if symptom in self._book.rules:
                yield from self.own(self._book.rules[symptom], Place())
