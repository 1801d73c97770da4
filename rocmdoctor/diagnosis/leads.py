"""Known defects that resemble a report which nothing decides: each is something to compare with, and what helped there. None of them is a claim."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator

from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.items import texts
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import component_versions, known, likeness
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.known_fit import Machine
from rocmdoctor.records import dataclass

MOST = 3
_LOOKED_AT = 150  # of those that share most words: what speaks against one of them takes longer to find
_LEAST = 3.0  # what shares less is no lead
_NAMED = 5  # of the words that both use, the most telling
_CURES = 3
# What the words count for where the version that is here is none of the bad ones, or not known; on another backend; with the same symptom; of this GPU.
_VERSION = {True: 1.0, None: 0.8, False: 0.35}
_OTHER_BACKEND, _SAME_SYMPTOM, _THIS_GPU = 0.5, 1.2, 1.15


@dataclass(frozen=True, slots=True)
class Lead:
    """A known defect, and how much it resembles what was ``said``."""

    row: Row
    likeness: float
    said: Collection[str]

    @property
    def words(self) -> tuple[str, ...]:
        """Those that both use, the most telling first."""
        index = likeness.index(known.LIKENESS)
        both = likeness.words(self.row.told).intersection(self.said)
        return tuple(sorted(both, key=lambda word: (-index.weight(word), word))[:_NAMED])


def alike(seen: Evidence, said: Collection[str], without: Container[str] = ()) -> list[Lead]:
    """The known defects that share most of the words, best first; none that a fact speaks against, or whose program nobody named."""
    table = known.load()
    machine = Machine(seen.facts, " ".join(said))
    shared = sorted(likeness.index(known.LIKENESS).common(said).items(), key=lambda pair: (-pair[1], pair[0]))[:_LOOKED_AT]
    found = []
    for at, like in shared:
        row = table.row(at)
        if row.id not in without and machine.gpu(row) is not False and machine.system(row) is not False and machine.spoken(row):
            found.append((like * _fitting(row, machine, seen), at, row))
    found.sort(key=lambda each: (-each[0], each[1]))
    return [Lead(row, like, said) for like, _, row in found]


def _fitting(row: Row, machine: Machine, seen: Evidence) -> float:
    factor = _VERSION[machine.version(row)[0]]
    factor *= _OTHER_BACKEND if machine.backend(row) is False else 1.0
    factor *= _SAME_SYMPTOM if seen.symptoms.intersection(known.shows_as(row.symptom)) else 1.0
    return factor * (_THIS_GPU if row.gfx and machine.gpu(row) else 1.0)


def steps(seen: Evidence, without: Container[str] = ()) -> Iterator[Fix]:
    """The best leads as something to do; none where little was told."""
    said = texts(seen.facts, "report.words")
    if not said:
        return
    for lead in [one for one in alike(seen, said, without) if one.likeness >= _LEAST][:MOST]:
        row = lead.row
        place = component_versions.places()[row.component]
        cures = "; ".join(row.fix[:_CURES]) or (f"{place.title} {' or '.join(row.good)}" if row.good else "nothing yet")
        detail = f"{place.title} {row.bounds}".rstrip() + f". Both tell of {', '.join(lead.words)}. There helped: {cures}."
        detail += f" Not: {', '.join(row.not_a_fix[:_CURES])}." if row.not_a_fix else ""
        yield Fix(f"Compare with a known defect: {row.first_sentence}", detail, tuple(row.source[:1]), language="url")
