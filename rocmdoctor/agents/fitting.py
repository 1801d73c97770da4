"""Of all that is known the causes and defects that fit best what was read, beside what the findings name already."""

from __future__ import annotations

from collections.abc import Iterable

from rocmdoctor.diagnosis import leads
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import component_versions, explained, likeness
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.rules import Rule, Rulebook
from rocmdoctor.records import dataclass, field

MOST = 10
_OWN_SIGN = 3.0  # what a sign of its own in the texts counts, in words that both use
_SYMPTOM = 1.0
_LEAST, _OF_THE_BEST = 2.5, 0.5  # what shares less with the texts is not worth its room


@dataclass(frozen=True, slots=True)
class Candidate:
    """A cause or a known defect that may fit: ``kind`` is cause or known defect, ``needs`` what else must hold."""

    id: str
    kind: str
    says: str
    needs: str = ""
    fixes: tuple[tuple[str, tuple[str, ...]], ...] = ()
    not_a_fix: tuple[str, ...] = ()
    score: float = field(default=0.0, compare=False)


def fitting(snapshot: Snapshot, book: Rulebook, told: Iterable[str], without: Iterable[str]) -> list[Candidate]:
    """The best fitting, best first. What a fact speaks against is left out; ``told`` are the lines that were read."""
    seen = Evidence(snapshot, book)
    said = list(told)
    words = likeness.words("\n".join(said))
    left = set(without)
    rules = [rule for rule in book.rules.values() if rule.kind == "cause" and rule.status != "retired" and rule.id not in left]
    texts = [likeness.words(f"{rule.title} {rule.says} {rule.why}") for rule in rules]
    weights = likeness.Weights(texts)
    scored: list[tuple[float, Rule | Row]] = []
    for rule, text in zip(rules, texts, strict=True):
        like = weights.common(text, words)
        place, answer = seen.ask(rule)[0] if like and seen.fits(rule) else (None, None)
        if place is None or answer is None or answer.value is False:
            continue
        own, shows = any(True for _ in seen.own(rule, place)), bool(seen.explained(rule))
        if own or shows:
            scored.append((like + _OWN_SIGN * own + _SYMPTOM * shows, rule))
    scored += [(lead.likeness, lead.row) for lead in leads.alike(seen, words, {*left, *book.rules})]
    best = max((score for score, _ in scored), default=0.0)
    scored = [(score, one) for score, one in scored if score >= max(_LEAST, best * _OF_THE_BEST)]
    scored.sort(key=lambda pair: (-pair[0], pair[1].id))
    return [_of_rule(one, score) if isinstance(one, Rule) else _of_row(one, score) for score, one in scored[:MOST]]


def _of_rule(rule: Rule, score: float) -> Candidate:
    text = explained.general(rule.says or rule.title)
    fixes = tuple((explained.general(fix.data.get("do")), tuple(explained.general(line) for command in fix.data.get("commands") or ()
                                                               for line in str(command).splitlines())) for fix in rule.fixes[:2])
    return Candidate(rule.id, "cause", f"{explained.general(rule.title)}. {text}", explained.general(rule.asks), fixes, score=score)


def _of_row(row: Row, score: float) -> Candidate:
    place = component_versions.places().get(row.component)
    where = "; ".join(filter(None, (f"{place.title if place else row.component} {row.bounds or row.note}".strip(), " ".join(row.gfx), " ".join(row.os),
                                    " ".join(row.backend), row.needs, " ".join(f"{name} {bound}" for name, bound in row.with_.items()))))
    fixes = [*row.fix[:2], *([f"Use {row.component} {' or '.join(row.good)}"] if row.good and not row.fix else [])]
    return Candidate(row.id, "known defect", row.says, where, tuple((text, ()) for text in fixes), row.not_a_fix[:2], score)
