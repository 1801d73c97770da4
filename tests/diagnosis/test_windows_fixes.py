"""On every recorded Windows machine, and in every case that is about Windows, no finding begins with a fix that only Linux can carry out."""

from __future__ import annotations

import functools
import io
import json
import pathlib
from typing import Any

import pytest
from click.testing import CliRunner

from rocmdoctor.cli import cli as main
from rocmdoctor.diagnosis import windows_fix
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.diagnosis.fitted import fitted
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.diagnosis.row import as_rule
from rocmdoctor.diagnosis.subjects import subjects
from rocmdoctor.facts.model import Absent, Fact, Finding, Known, Snapshot
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import rules
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

TOP = pathlib.Path(__file__).resolve().parents[2]
MACHINES = sorted((TOP / "fixtures/machines").glob("windows-*/machine.yaml"))
CASES = [*sorted((TOP / "fixtures/cases").glob("*/inputs")), *sorted((TOP.parent / "shared/cases").glob("*/inputs"))]
OF_SHELL = ("sudo ", "apt ", "export ", "unset ", "modprobe ", "systemctl ", "journalctl ", "dmesg", "ldd ", "grep ", "ls ", "cat ", "echo ", "env ")


@functools.cache
def scanner() -> Scanner:
    return Scanner(rules.load().patterns())


def wrong(fix: Fix) -> bool:
    """Whether a fix as it was printed is one of Linux, by its language and by the words of its commands."""
    return not windows_fix.usable(fix) or any(line.startswith(OF_SHELL) for line in fix.commands)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda file: file.parent.name)
def test_first_fixes_of_a_recorded_machine(machine: pathlib.Path) -> None:
    findings: list[dict[str, Any]] = json.loads(
        CliRunner().invoke(main, ["check", "--root", str(machine.parent), "--json", "--no-keep"]).stdout)["findings"]
    first = [(finding["id"], finding["fixes"][0]) for finding in findings if finding["fixes"]]
    assert [(name, fix["title"]) for name, fix in first if wrong(Fix(fix["title"], fix["detail"], tuple(fix["commands"]), language=fix["language"]))] == []


def test_first_fixes_of_every_case_of_windows() -> None:
    found: list[tuple[str, str, str]] = []
    cases = 0
    for folder in CASES:
        snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
        interpret.fill(snapshot, attach.gather([str(folder)], io.BytesIO()).texts, scanner())
        if subjects(snapshot.facts)["about.os"] != Known("windows", "computed"):
            continue
        cases += 1
        found += [(folder.parent.name, finding.id, finding.fixes[0].title) for finding in make_report(snapshot, rules.load()).findings
                  if finding.fixes and wrong(finding.fixes[0])]
    assert found == []
    assert len(MACHINES) >= 6 and cases >= 60, "the recorded machines and cases were not found"


WINDOWS: dict[str, Fact] = {"os.family": Known("windows", "t")}
LINUX: dict[str, Fact] = {"os.family": Known("linux", "t")}
FIXES = [Fix("Use the shell", commands=("sudo reboot",)), Fix("Use PowerShell", commands=("shutdown /r /t 0",), language="powershell"),
         Fix("Rebuild the initramfs")]


@pytest.mark.parametrize(("facts", "first"), [(WINDOWS, "Use PowerShell"), (LINUX, "Use the shell"), ({}, "Use the shell")])
def test_the_fixes_of_this_system_stand_first_and_none_is_lost(facts: dict[str, Fact], first: str) -> None:
    finding = Finding.__new__(Finding)
    finding.fixes = list(FIXES)
    fitted([finding], facts, None)
    assert finding.fixes[0].title == first and {fix.title for fix in finding.fixes} == {fix.title for fix in FIXES}
    if facts is LINUX:
        assert finding.fixes[-1].language == "powershell"


@pytest.mark.parametrize(("facts", "fits"), [
    ({}, True), (LINUX, True), ({"os.family": Known("wsl", "t")}, True), (WINDOWS, True),
    ({**WINDOWS, "container.kind": Absent("t")}, False), ({**WINDOWS, "container.kind": Known("docker", "t")}, True)])
def test_a_cause_of_linux_and_containers_is_asked_where_they_can_be(facts: dict[str, Fact], fits: bool) -> None:
    rule = as_rule("lab", "Lab", layer="driver", severity="error", platforms=["linux", "container"])
    assert Evidence(Snapshot("2026-11-28T00:00:00+00:00", "read", facts=dict(facts)), rules.load()).fits(rule) is fits
