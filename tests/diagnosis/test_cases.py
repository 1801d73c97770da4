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

from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Snapshot, report_to_json
from rocmdoctor.knowledge import rules
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

CASES = sorted((pathlib.Path(__file__).resolve().parents[2] / "fixtures/cases").glob("*/case.yaml"))


@functools.cache
def scanner():
    return Scanner(rules.load().patterns())


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
    findings = report_of(case.parent / "inputs")["findings"]
    for pattern in wanted.get("must_not") or []:
        assert not findings or not re.search(pattern, text_of(findings[0]), re.I | re.S), pattern
    assert findings and findings[0]["id"] == wanted["finding"]


def test_the_command_says_the_same():
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "explain", "--json", "--no-redact", CASES[0].parent / "inputs"],
                          capture_output=True, timeout=60)
    there, here = json.loads(done.stdout), report_of(CASES[0].parent / "inputs")
    assert there.pop("exit_status") == done.returncode and there.pop("headline") and there.pop("first_action")
    for report in there, here:
        report["snapshot"]["taken"] = ""
    assert json.loads(json.dumps(here, default=str)) == there


NOISE = """\
level=WARN source=amd_linux.go:61 msg="ollama recommends running the https://www.amd.com/en/support/linux-drivers" \
error="amdgpu version file missing: /sys/module/amdgpu/version stat /sys/module/amdgpu/version: no such file or directory"
level=INFO msg="inference compute" id=0 library=rocm compute=gfx1100 driver=0.0 name=1002:744c total="24.0 GiB" available="23.4 GiB"
rocblaslt info: falling back to tensile
warning: failed to mlock 1555828736-byte buffer (after previously locking 0 bytes): Cannot allocate memory
Try increasing RLIMIT_MEMLOCK ('ulimit -l' as root).
load_tensors: offloaded 33/33 layers to GPU
level=WARN source=sched.go:646 msg="gpu VRAM usage didn't recover within timeout" seconds=5.25
"""


def test_lines_that_are_never_the_cause_blame_nothing(tmp_path):
    log = tmp_path / "server.log"
    log.write_text(NOISE)
    findings = report_of(tmp_path)["findings"]
    assert [f["id"] for f in findings if f["severity"] != "info"] == []


def test_an_exit_code_alone_names_no_cause(tmp_path):
    log = tmp_path / "report.txt"
    log.write_text("LM Studio: Error loading model. (Exit code: 18446744072635812000). Unknown error.\n")
    findings = report_of(tmp_path)["findings"]
    assert findings and all(f["standing"] in ("symptom", "possible") and f["severity"] in ("info", "warning") for f in findings)
