"""Every rule of the house: it loads, its examples answer as they say, and hiding a fact only ever makes unknown."""

import dataclasses
import pathlib

import pytest
import yaml
from click.testing import CliRunner

from rocmdoctor.cli import cli
from rocmdoctor.diagnosis import diagnose
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import explained, lint, rules
from rocmdoctor.knowledge.signals import Signal
from rocmdoctor.scan.scanner import Scanner, blocks_of
from rocmdoctor.texts import interpret
from rocmdoctor.texts.attach import Text, clean
from rocmdoctor.texts.kinds import GROUPS

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared"


def test_a_match_over_the_end_of_a_line_is_no_hit_and_no_crash():
    scanner = Scanner(BOOK.rules["wrong-memory-size"].signals.values())
    assert list(scanner.scan("t", blocks_of("the tool shows\n12 GB although there is more\n"))) == []
    assert [h.line for h in scanner.scan("t", blocks_of("it shows\nit shows 12 GB although there is more\n"))] == [2]


def test_the_knowledge_has_its_form():
    assert lint.form(BOOK) == []


@pytest.mark.parametrize(("fields", "refused"), [({}, True), ({"in": ["any"]}, True), ({"in": ["printed", "any"]}, True),
                                                 ({"in": ["any"], "topic": True}, False), ({"in": ["run", "told"]}, False)], ids=str)
def test_a_signal_of_a_rule_names_its_kinds_of_text(tmp_path, fields, refused):
    (tmp_path / "lab-cause.yaml").write_text(yaml.safe_dump({
        "id": "lab-cause", "kind": "cause", "title": "The lab's library is absent", "severity": "error", "stage": "runtime", "platforms": ["linux"],
        "signals": {"absent": {"patterns": ["lab library is absent"], **fields}}, "fixes": [{"do": "Install it"}],
        "sources": [{"url": "https://lab.example", "read": "2026-11-28"}],
        "examples": {"fires": [{"text": "the lab library is absent"}], "quiet": [{"text": "all is well"}]}}))
    done = CliRunner().invoke(cli, ["rules", "lint", str(tmp_path)])
    assert ("lab-cause.absent: a signal names the kinds of text it may be read in" in done.output) is refused, done.output


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


def _with(**changed):
    rule = BOOK.rules["mesa-older-than-gpu"]
    return rules.Rulebook({**BOOK.rules, rule.id: dataclasses.replace(rule, **changed)}, (), BOOK.signals)


@pytest.mark.parametrize(("book", "words"), [
    (_with(signals={"x": Signal("mesa-older-than-gpu", "x", (r"\b(two R9700|cards)\b",))}), "names a card"),
    (_with(formerly=("kfd-open-invalid-argument",)), "still there"),
    (_with(says="It needs {nothing.here}."), "nothing fills it"),
    (rules.Rulebook(BOOK.rules, (), {**BOOK.signals, "x.y": Signal("x", "y", ("z",), GROUPS["any"])}), "kinds of text"),
])
def test_lint_names_what_has_crept_in(book, words):
    assert any(words in problem for problem in lint.form(book))


def test_what_a_rule_was_called_before_leads_to_it():
    taken_in = [(old, rule) for rule in BOOK.rules.values() for old in rule.formerly]
    assert len(taken_in) > 30
    assert all(explained.of(old, BOOK).id == rule.id for old, rule in taken_in)


def test_words_that_need_a_value_are_left_out_without_it():
    rule = BOOK.rules["torch-extension-built-for-cuda"]
    line = "OSError: libtorch_cuda.so: cannot open shared object file: No such file or directory\n"
    trace = '  File "/x/lib/python3.12/site-packages/vllm/platforms/cuda.py", line 16, in <module>\n' + line.replace("libtorch_cuda.so", "libcudart.so.12")
    titles = {}
    for text in (line, trace):
        found = diagnose.diagnose(lint.snapshot_of({"text": text}, SCANNER), BOOK)
        titles[text] = next(one.title for one in found if one.id == rule.id)
    assert titles == {line: "A Python package is installed as its CUDA build", trace: "A Python package is installed as its CUDA build: vllm"}


def test_a_rule_says_how_severe_it_is_while_nothing_is_seen():
    facts = {"torch.version": "2.9.0+cpu", "torch.hip": None, "torch.cuda": None}
    alone, told = (diagnose.diagnose(lint.snapshot_of({"facts": facts, "text": text}, SCANNER), BOOK) for text in ("All is well.\n", "RuntimeError: No HIP GPUs are available\n"))
    found = [next((one.standing, one.severity) for one in each if one.id == "torch-cpu-build-installed") for each in (alone, told)]
    assert found == [("risk", "info"), ("cause", "error")]
