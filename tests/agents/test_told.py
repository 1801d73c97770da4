"""What a model is told: the lines that decide, within the context that is usual, smaller where the server says so."""

import functools
import pathlib
import re

import pytest
import yaml
from click.testing import CliRunner

from rocmdoctor.agents import question
from rocmdoctor.agents.package import MOST, gathered
from rocmdoctor.agents.tokens import tokens
from rocmdoctor.cli import cli
from rocmdoctor.commands._console import redacted, redactor
from rocmdoctor.diagnosis.examine import read
from rocmdoctor.diagnosis.report import make_report

TOP = pathlib.Path(__file__).resolve().parents[2]
DECISIVE = yaml.safe_load((TOP / "tests/agents/decisive_lines.yaml").read_text("utf-8"))


@functools.cache
def material(name):
    snapshot, book, texts = read((str(TOP / "fixtures/cases" / name / "inputs"),), ())
    report = make_report(snapshot, book)
    return gathered(snapshot, report.findings, texts, book, redactor(False), lambda each: redacted(snapshot, book, each))


def test_there_are_many_cases():
    assert len(DECISIVE) >= 60


@pytest.mark.parametrize("name", DECISIVE)
def test_every_line_that_decides_is_told(name):
    package = material(name).package(min(question.room(question.CONTEXT)[0], MOST))
    assert tokens(question.question(package.text)) < 8000
    told = {(pathlib.PurePath(item.source).name, item.line): item.text for item in package.evidence.values() if item.line}
    for place, words in DECISIVE[name].items():
        file, _, line = place.rpartition(":")
        assert words in told.get((file, int(line)), ""), (place, told.get((file, int(line))))
        number = next(number for number, item in package.evidence.items() if item.line == int(line) and item.source.endswith(file))
        assert f"[{number}] {line}: " in package.text


@pytest.mark.parametrize("context", [2048, 3000, 4096, 6000, 8192, 32768])
def test_question_and_answer_fit_the_context_and_the_first_lines_stay(context):
    name = "fw-rdna4-dmcub-rejected-202506"
    most, answer = question.room(context)
    package = material(name).package(min(most, MOST))
    assert tokens(question.question(package.text)) + answer <= context
    assert any("failed to load ucode DMCUB" in item.text for item in package.evidence.values())
    assert not context >= 8192 or answer >= question.ANSWER


def test_a_saved_snapshot_tells_each_line_once(tmp_path):
    kept = tmp_path / "kept.json"
    done = CliRunner().invoke(cli, ["explain", str(TOP / "fixtures/cases/fw-rdna4-dmcub-rejected-202506/inputs"), "--save", str(kept), "-q"])
    assert done.exit_code == 1
    told = CliRunner().invoke(cli, ["explain", str(kept), "--ask-show"]).stdout
    lines = re.findall(r"^\[\d+\] (\d+: \[.*)$", told, re.M)
    assert len(lines) >= 3 and len(lines) == len(set(lines)) and any("failed to load ucode DMCUB" in line for line in lines)


def test_numbers_and_names_stand_for_what_is_told():
    package = material("apu-with-amdgpu-dkms-3020").package()
    assert sorted(package.evidence) == [int(number) for number in re.findall(r"^\[(\d+)\] ", package.text, re.M)]
    assert list(package.fixes) == re.findall(r"^   (F\d+): ", package.text, re.M)
    assert list(package.candidates) == re.findall(r"^(K\d+) `", package.text, re.M)
    for name, fix in package.fixes.items():
        assert f"{name}: {fix.title}" in package.text and all(command in package.text for command in fix.commands)


@pytest.mark.parametrize("context", [4096, 8192])
def test_of_a_long_log_the_telling_lines_fit(tmp_path, context):
    rows = [f"step {number}: layer {number % 97} took {number * 7 % 1000} ms, error rate {number % 13} of 4096, no fault" for number in range(20_000)]
    rows[17_000] = "[  100.123456] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2"
    (tmp_path / "long.log").write_text("RX 7900 XTX\n" + "\n".join(rows))
    snapshot, book, texts = read((str(tmp_path / "long.log"),), ())
    report = make_report(snapshot, book)
    told = gathered(snapshot, report.findings, texts, book, redactor(False), lambda each: redacted(snapshot, book, each))
    most, answer = question.room(context)
    package = told.package(min(most, MOST))
    assert tokens(question.question(package.text)) + answer <= context and len(package.evidence) > 20
    assert any("ring gfx_0.0.0 timeout" in item.text and item.line == 17_002 for item in package.evidence.values())
