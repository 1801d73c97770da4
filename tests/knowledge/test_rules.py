"""Every rule of the house: it loads, its examples answer as they say, and hiding a fact only ever makes unknown."""

import pathlib

import pytest

from rocmdoctor.diagnosis import diagnose
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import lint, rules
from rocmdoctor.scan.scanner import Scanner, blocks_of
from rocmdoctor.texts import interpret
from rocmdoctor.texts.attach import Text, clean

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared"


def test_a_match_over_the_end_of_a_line_is_no_hit_and_no_crash():
    scanner = Scanner(BOOK.rules["wrong-memory-size"].signals.values())
    assert list(scanner.scan("t", blocks_of("the tool shows\n12 GB although there is more\n"))) == []
    assert [h.line for h in scanner.scan("t", blocks_of("it shows\nit shows 12 GB although there is more\n"))] == [2]


def test_the_knowledge_has_its_form():
    assert lint.form(BOOK) == []


@pytest.mark.parametrize("rule", BOOK.rules.values(), ids=lambda r: r.id)
def test_examples_answer_as_they_say_and_hiding_makes_only_unknown(rule):
    assert list(lint.examples(rule, BOOK, SCANNER)) == []


@pytest.mark.parametrize("signal", BOOK.signals.values(), ids=lambda s: s.id)
def test_examples_of_a_signal_answer_as_they_say(signal):
    assert list(lint.signal_examples(signal)) == []


def test_conditions_do_not_repeat_the_id_of_their_rule():
    assert [rule.id for rule in BOOK.rules.values() if rule.id in rule.when.text and rule.kind == "cause"] == []


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
