"""Every case of our own: the wanted cause and cure come first, and no advice that is known to be wrong."""

import functools
import io
import json
import pathlib
import re
import subprocess
import sys

import pytest
import yaml

from rocmdoctor import attach, interpret, rules
from rocmdoctor.model import Snapshot, report_to_json
from rocmdoctor.report import make_report
from rocmdoctor.scan import Scanner

CASES = sorted((pathlib.Path(__file__).resolve().parents[1] / "fixtures/cases").glob("*/case.yaml"))


@functools.cache
def scanner():
    return Scanner(rules.load().rules.values())


def report_of(folder):
    """What `explain --json FOLDER` prints, without a process for each of many cases."""
    found = attach.gather([str(folder)], io.BytesIO())
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
    interpret.fill(snapshot, found.texts, scanner())
    return report_to_json(make_report(snapshot, rules.load()))


def text_of(finding):
    parts = [finding[k] for k in ("id", "title", "summary", "cause")]
    for fix in finding["fixes"]:
        parts += [fix["title"], fix["detail"], *fix["commands"]]
    return "\n".join(parts)[:4000]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.parent.name)
def test_the_wanted_cause_is_first(case):
    wanted = yaml.safe_load(case.read_text())
    assert wanted["id"] == case.parent.name
    report = report_of(case.parent / "inputs")
    assert report["findings"]
    text = text_of(report["findings"][0])
    for pattern in wanted["must_mention"]:
        assert re.search(pattern, text, re.I | re.S), (pattern, report["findings"][0]["id"])
    for pattern in wanted.get("must_not") or []:
        assert not re.search(pattern, text, re.I | re.S), pattern


def test_the_command_says_the_same():
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "explain", "--json", CASES[0].parent / "inputs"],
                          capture_output=True, timeout=60)
    there, here = json.loads(done.stdout), report_of(CASES[0].parent / "inputs")
    for report in there, here:
        report["snapshot"]["taken"] = ""
    assert json.loads(json.dumps(here, default=str)) == there
