"""Fixes for Windows are said in PowerShell, on a recorded machine by the command that a user types."""

from __future__ import annotations

import json
import pathlib

from click.testing import CliRunner

from rocmdoctor.cli import cli as main
from rocmdoctor.diagnosis.fitted import fitted
from rocmdoctor.facts.model import Finding, Known
from rocmdoctor.facts.sections import Fix

MACHINE = pathlib.Path(__file__).resolve().parents[2] / "fixtures/machines/windows-hybrid-laptop"


def test_variables_of_a_windows_machine_are_set_in_powershell():
    findings = json.loads(CliRunner().invoke(main, ["check", "--root", str(MACHINE), "--json"]).stdout)["findings"]
    fixes = [fix for finding in findings for fix in finding["fixes"] if fix["commands"]]
    assert any(command.startswith("$env:") and fix["language"] == "powershell" for fix in fixes for command in fix["commands"])
    assert not any(command.startswith(("export ", "unset ", "set ")) for fix in fixes for command in fix["commands"])


def test_of_commands_for_several_systems_those_of_windows_are_left():
    finding = Finding.__new__(Finding)
    finding.fixes = [Fix(title="Set it", commands=("sudo systemctl edit ollama", "setx OLLAMA_IGPU_ENABLE 1   # Windows"))]
    fitted([finding], {"os.family": Known("windows", "test")}, None)
    assert finding.fixes[0].commands == ("setx OLLAMA_IGPU_ENABLE 1   # Windows",)
    assert finding.fixes[0].language == "powershell"
