"""Garbage or only weak: over a thousand recorded outputs of real servers, and the single marks."""

import importlib.util
import pathlib

import pytest

from rocmdoctor.llm import judge, prompts

PATH = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/garbage_detection.py"
spec = importlib.util.spec_from_file_location("garbage_detection", PATH)
benchmark = importlib.util.module_from_spec(spec)
spec.loader.exec_module(benchmark)


def test_recall_and_false_alarms_over_real_outputs():
    judged = benchmark.judged()
    garbage = [kind for row, kind in judged if row["kind"].startswith("garbage") and (row["tokens"] >= benchmark.SHORT or "random" not in row["kind"])]
    sane = [(row["text"], kind) for row, kind in judged if not row["kind"].startswith("garbage")]
    assert len(garbage) >= 700 and len(sane) >= 600
    assert sum(map(bool, garbage)) / len(garbage) >= 0.99
    alarms = [pair for pair in sane if pair[1]]
    assert len(alarms) / len(sane) <= 0.005, alarms


@pytest.mark.parametrize(("text", "tokens", "kind"), [
    ("", 24, "tokens without text"), ("", 1, ""), ("\n", 1, ""), ("\n\n", 2, ""), ("[multimodal]", 21, "tokens without text"),
    ("GGGGGGGGGGGG", 12, "loop"), ("@@@@@@@@@@", 10, "loop"), ("the the the the the", 5, "loop"), ("S. S. S.S.SS.SS.S. S. S. S.S.SS.SS.", 30, "loop"),
    ("<pad><pad><pad><pad>", 4, "special tokens"), ("<unk><unk><unk>", 3, "special tokens"), ("<unused49><unused49><unused49>", 3, "special tokens"),
    ("\N{REPLACEMENT CHARACTER}" * 6, 6, "broken characters"), ("\x01\x02\x01\x02\x01", 5, "broken characters"),
    ("Приветhello словоword", 6, "mixed scripts"), ("গ্seqNum ಸಿ bila GARC", 8, "mixed scripts"),
])
def test_kinds(text, tokens, kind):
    assert judge.judge(text, tokens) == kind


@pytest.mark.parametrize("text", [
    " Paris", "Paris is the capital of France. Paris is the capital of France.",
    "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12",
    "It is the largest city of the country. It is the largest city of the country.", " ist Berlin und liegt an der Spree.",
    "私のiPhoneの中にMacBookがあります。",
    "AI(인공지능)는 IBM과 中国에서도",
    "Я купил iPhone и MacBook в Москве.", "The angle α is 30° and β is 60°.", "def f(x):\n    return x.lower() if x else None",
    "ls -la /usr/local/bin | grep -v root",
    '{"name": "Anna", "age": 31}', "What is the capital of France?<|im_end|>", "<|im_end|>\n<|im_start|>user\n<|im_end|>\n<|im_end|>",
    "😀 Great, see you then! 😀", "No.", "<think>\nThe user asks for",
    "Cоветский Союз", "Hallo, wie geht's?",
])
def test_sane_texts(text):
    assert judge.judge(text, 12) == ""


def test_logits_that_are_all_the_same_are_garbage_whatever_they_spell():
    assert judge.judge(" Paris", 4, (-12.47,) * 4) == "flat probabilities" and judge.judge(" Paris", 4, (-0.1, -2.0, -5.0, -1.0)) == ""


def answers(*texts, right=()):
    return [(text, 8, judge.judge(text, 8), index in right, True) for index, text in enumerate(texts)]


def test_verdicts_over_several_answers():
    assert judge.verdict(answers(" Paris", " six, seven", " no idea", right=(0, 1)))[0] == "right"
    assert judge.verdict(answers(" London", " the number of", " I do not know"))[0] == "weak"
    assert judge.verdict(answers("GGGGGGGGGG", "GGGGGGGGGGGG"))[:2] == ("garbage", "loop")
    # One answer of six in circles does not condemn a model that knows the rest; one of two that are wrong does.
    assert judge.verdict(answers(" Paris", " six", " the boat", "!!!!!!!!!!!!", right=(0, 1, 2)))[0] == "right"
    # Eight random tokens can look like words, all answers together do not.
    pieces = (" GARC Brisbane worldviewCREATE", " emper sailboats seqNumHei", " phenotype GARCemper shrine", " Clyde vasselHong Piala")
    assert all(judge.judge(piece, 8) == "" for piece in pieces) and judge.verdict(answers(*pieces))[0] == "garbage"
    assert judge.verdict([])[0] == "empty" and judge.verdict([("", 0, "", False, True)] * 4)[0] == "empty"


def test_the_long_prompt_is_longer_than_a_micro_batch_and_asks_for_its_start():
    long = prompts.long()
    assert len(long.prompt.split()) > 400 and long.prompt.startswith("The secret word is marigold") and long.right(" marigold.")
    assert [question.id for question in prompts.questions()] == ["fact", "count", "copy", "language", "json"]
