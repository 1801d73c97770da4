"""One finding as the knowledge has it, without a machine: of a rule, of a check's words, or of a known defect."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rocmdoctor import later
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import cache, check_words, compiled, known
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.knowledge.rules import Rule, Rulebook
from rocmdoctor.records import dataclass

_PLACE = later.pattern(r"\{(?:(\w+)\()?(?:\w+\()*([A-Za-z_][A-Za-z0-9_.-]*)(?:\|[\w.|-]+)?\)*\}")
MOST_LINES = 6
MOST_ALIKE = 8


@dataclass(frozen=True, slots=True)
class Explanation:
    """What there is to know of a finding. ``lines`` are lines it was seen in, ``conditions`` what else must hold, in words."""

    id: str
    title: str
    kind: str
    says: str
    why: str = ""
    shows_as: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    alike: tuple[tuple[str, str], ...] = ()
    not_a_fix: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    sources: tuple[str, ...] = ()


def of(name: str, book: Rulebook) -> Explanation | None:
    """The explanation of an id, None when nothing has it."""
    if name in book.rules:
        return _of_rule(book.rules[name], book)
    if name in check_words.every_finding():
        return _of_words(name, check_words.every_finding()[name], book)
    row = next((row for row in known.load().all() if row.id == name), None)
    return _of_row(row, book) if row else of(now, book) if (now := _now(name, book)) else None


def _now(name: str, book: Rulebook) -> str:
    """The id of the finding that has taken in a former one, "" where there is none."""
    of_rules = (rule.id for rule in book.rules.values() if name in rule.formerly)
    of_checks = (own for own, row in check_words.every_finding().items() if name in (row.get("formerly") or ()))
    return next(itertools.chain(of_rules, of_checks), "")


def names(book: Rulebook) -> list[str]:
    """Every id that can be explained."""
    return [*book.rules, *check_words.every_finding(), *(row.id for row in known.load().all())]


def general(text: object) -> str:
    """A text of a rule whose places nobody filled.

    >>> general("only {gpu.kfd_pool_bytes} of {override_for(gpu.gfx_target)}")
    'only <kfd pool> of <override for gfx target>'
    """
    def words(found: re.Match[str]) -> str:
        called = " ".join(filter(None, (found[1], re.sub("_bytes$", "", found[2].rpartition(".")[2]))))
        return f"<{called.replace('_', ' ')}>"
    return " ".join(_PLACE.sub(words, str(text or "")).replace("[[", "").replace("]]", "").split())


def _fix(data: Mapping[str, Any]) -> Fix:
    return Fix(general(data.get("do")), general(data.get("detail")), tuple(map(str, data.get("commands") or ())), str(data.get("risk", "none")),
               tuple(map(str, data.get("needs") or ())), general(data.get("side_effects")), general(data.get("verify")), general(data.get("undo")),
               str(data.get("language", "shell")))


def _symptoms(ids: Iterable[str], book: Rulebook) -> tuple[str, ...]:
    return tuple(book.rules[one].title.rstrip(".") for one in ids if one in book.rules)


def _alike(name: str, explains: Iterable[str], set_aside: Iterable[str], book: Rulebook) -> tuple[tuple[str, str], ...]:
    """Causes that show the same way: those it sets aside or that set it aside first, then those that share most symptoms."""
    shared = set(explains)
    first = [one for one in set_aside if one in book.rules] + [rule.id for rule in book.rules.values() if name in rule.instead_of]
    others = sorted((rule for rule in book.rules.values() if rule.kind == "cause" and len(shared & set(rule.explains)) > 1 and rule.status != "retired"),
                    key=lambda rule: (-len(shared & set(rule.explains)), len(rule.explains), rule.id))
    found = dict.fromkeys([*first, *(rule.id for rule in others)])
    return tuple((one, general(book.rules[one].title)) for one in found if one != name)[:MOST_ALIKE]


def _conditions(used: Iterable[str]) -> tuple[str, ...]:
    """The facts that are asked, in words; what lines were seen stands elsewhere."""
    asked = (name for name in dict.fromkeys(used) if name in vocabulary.FACTS)
    return tuple(vocabulary.FACTS[name].meaning for name in asked)


def _examples(rule: Rule) -> tuple[str, ...]:
    """Lines of texts in which the rule answers yes, from its file: what is loaded for a diagnosis leaves them out."""
    file = data_dir("rules") / ("symptoms" if rule.kind == "symptom" else f"causes/{rule.stage}") / f"{rule.id}.yaml"
    try:
        fires = cache.parse_yaml(file.read_text("utf-8")).get("examples", {}).get("fires") or ()
    except OSError:  # a rule of a pack
        return ()
    texts = [str(each.get("text") or "") for each in fires if isinstance(each, dict)]
    return tuple(dict.fromkeys(" ".join(line.split()) for text in texts for line in text.strip().splitlines()[:2]))[:MOST_LINES]


def _of_rule(rule: Rule, book: Rulebook) -> Explanation:
    asked = re.findall(r"[a-z_]+\.[A-Za-z0-9_.-]+", rule.when.text)
    return Explanation(rule.id, general(rule.title), rule.kind, general(rule.says), general(rule.why), _symptoms(rule.explains, book),
                       _examples(rule), _conditions(asked), _alike(rule.id, rule.explains, rule.instead_of, book), (),
                       tuple(_fix(fix.data) for fix in rule.fixes), rule.references)


def _of_words(name: str, row: Mapping[str, Any], book: Rulebook) -> Explanation:
    listed = row.get("fixes") or []
    fixes = [fix for each in listed.values() for fix in each] if isinstance(listed, dict) else listed
    sources = [one["url"] if isinstance(one, dict) else one for one in row.get("sources") or row.get("references") or ()]
    explains = row.get("explains") or ()
    return Explanation(name, general(row["title"]), "cause", general(row.get("says") or row["title"]), general(row.get("why")), _symptoms(explains, book),
                       alike=_alike(name, explains, row.get("instead_of") or (), book), fixes=tuple(map(_fix, fixes)), sources=tuple(map(str, sources)))


def _of_row(row: Row, book: Rulebook) -> Explanation:
    table = compiled.part("checks/known-defects.yaml")
    conditions = [text for text in (f"{row.component} {row.bounds}" if row.bounds else "", " ".join(row.gfx), " ".join(row.os), " ".join(row.backend),
                                    row.needs, *(f"{name} {bound}" for name, bound in row.with_.items())) if text]
    alike = [(other.id, other.first_sentence) for other in known.load().all()
             if other.id != row.id and other.component == row.component and set(other.symptom) & set(row.symptom) and (set(other.gfx) & set(row.gfx))]
    fixes = [*row.fix, *([f"Use {row.component} {' or '.join(row.good)}"] if row.good and not row.fix else [])]
    return Explanation(row.id, row.first_sentence, "known defect", row.says, table["why"].get(row.confirmed, ""),
                       _symptoms(known.shows_as(row.symptom), book), (), tuple(conditions), tuple(alike[:MOST_ALIKE]), row.not_a_fix,
                       tuple(Fix(text) for text in fixes), row.source)
