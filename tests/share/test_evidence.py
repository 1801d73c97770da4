"""What a log says about the machine stays: no version, address of a bus, hash or word of the trade is taken for a person's."""

import json
import subprocess
import sys

import pytest
from evidence_table import LINES

from rocmdoctor.share.redact import Redactor


@pytest.mark.parametrize("line", LINES)
def test_a_line_of_evidence_is_left_alone(line):
    redactor = Redactor()
    redactor.learn(line)
    assert redactor.text(line) == line
    quoted = json.dumps({"msg": line})
    assert Redactor().text(quoted) == quoted


def test_all_of_it_comes_through_the_command(tmp_path):
    assert len(set(LINES)) >= 150
    path = tmp_path / "evidence.log"
    path.write_text("\n\n".join(LINES) + "\n")
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "redact", str(path)], capture_output=True, text=True, timeout=120)
    assert [line for line in done.stdout.splitlines() if line] == LINES, done.stderr
