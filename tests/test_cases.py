"""Every case of our own: the wanted cause and cure come first, through the command a user types."""

import json
import pathlib
import re
import subprocess
import sys

import pytest
import yaml

CASES = sorted((pathlib.Path(__file__).resolve().parents[1] / "fixtures/cases").glob("*/case.yaml"))


def text_of(finding):
    parts = [finding[k] for k in ("id", "title", "summary", "cause")]
    for fix in finding["fixes"]:
        parts += [fix["title"], fix["detail"], *fix["commands"]]
    return "\n".join(parts)[:4000]


def explain(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "rocmdoctor", "explain", *map(str, arguments)],
                          capture_output=True, timeout=60, **options)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.parent.name)
def test_the_wanted_cause_is_first(case):
    wanted = yaml.safe_load(case.read_text())
    done = explain("--json", case.parent / "inputs")
    report = json.loads(done.stdout)
    assert report["findings"], done.stderr
    text = text_of(report["findings"][0])
    for pattern in wanted["must_mention"]:
        assert re.search(pattern, text, re.I | re.S), (pattern, report["findings"][0]["id"])
    for pattern in wanted.get("must_not") or []:
        assert not re.search(pattern, text, re.I | re.S), pattern
