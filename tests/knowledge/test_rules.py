"""Every rule of the house: it loads, its examples answer as they say, and hiding a fact only ever makes unknown."""

import pathlib

import pytest

from rocmdoctor.diagnosis import diagnose
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import Absent, Known, Snapshot, Unknown
from rocmdoctor.knowledge import rules
from rocmdoctor.scan.scanner import Scanner, blocks_of
from rocmdoctor.texts import interpret
from rocmdoctor.texts.attach import Text, clean

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared"
EXAMPLES = [(rule, kind, number, example) for rule in BOOK.rules.values()
            for kind, examples in rule.examples.items() for number, example in enumerate(examples)]


def snapshot_of(example):
    """A Snapshot with just what the example states."""
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
    for name, value in (example.get("facts") or {}).items():
        item = "0" if vocabulary.entity(name) else ""
        snapshot.facts[vocabulary.key(name, item)] = Absent("example") if value is None else Known(value, "example")
    if example.get("text"):
        snapshot.hits = list(SCANNER.scan("example", blocks_of(clean(example["text"]))))
        snapshot.texts_read = 1
    return snapshot


def answer(rule, snapshot, hidden=""):
    facts = diagnose.Facts(snapshot, BOOK.rules.values())
    look = facts.lookup("0", rule.for_each)
    return rule.when.ask(lambda name: Unknown() if name == hidden else look(name))


def test_a_match_over_the_end_of_a_line_is_no_hit_and_no_crash():
    scanner = Scanner([BOOK.rules["wrong-memory-size"]])
    assert list(scanner.scan("t", blocks_of("the tool shows\n12 GB although there is more\n"))) == []
    assert [h.line for h in scanner.scan("t", blocks_of("it shows\nit shows 12 GB although there is more\n"))] == [2]


def test_the_rules_load():
    assert BOOK.problems == ()
    assert len(BOOK.rules) >= 40


@pytest.mark.parametrize("rule", BOOK.rules.values(), ids=lambda r: r.id)
def test_a_rule_is_complete(rule):
    assert "fires" in rule.examples and "quiet" in rule.examples
    for other in rule.explains:
        assert other in BOOK.rules and BOOK.rules[other].kind == "symptom", other
    for other in rule.instead_of:
        assert other in BOOK.rules, other
    if rule.kind == "cause":
        assert rule.fixes


@pytest.mark.parametrize(("rule", "kind", "number", "example"), EXAMPLES, ids=[f"{r.id}-{k}-{n}" for r, k, n, _ in EXAMPLES])
def test_an_example_answers_as_it_says_and_hiding_makes_only_unknown(rule, kind, number, example):
    snapshot = snapshot_of(example)
    got = answer(rule, snapshot)
    expected = {"fires": (True,), "quiet": (False, None), "unknown": (None,)}[kind]
    assert got.value in expected, got
    for name in rule.when.names:
        hidden = answer(rule, snapshot, name).value
        assert hidden is None or hidden == got.value, f"hiding {name} turned {got.value} into {hidden}"


@pytest.mark.skipif(not SHARED.is_dir(), reason="the recorded healthy dumps are not beside this checkout")
def test_no_pattern_of_a_loud_symptom_matches_a_healthy_dump():
    import yaml

    loud = []
    for meta in sorted(SHARED.glob("healthy/*/meta.yaml")):
        if yaml.safe_load(meta.read_text())["healthy"] is not True:
            continue
        for file in (meta.parent / "inputs").glob("*"):
            if file.is_file():
                text = Text(file.name, clean(file.read_text("utf-8", "replace")))
                snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
                interpret.fill(snapshot, [text], SCANNER)
                loud += [(meta.parent.name, f.id) for f in diagnose.diagnose(snapshot, BOOK) if f.severity in ("critical", "error")]
    assert loud == []
