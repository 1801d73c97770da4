"""Fixes for Windows are said in PowerShell, on a recorded machine by the command that a user types."""

from __future__ import annotations

import json
import pathlib

from click.testing import CliRunner

from rocmdoctor.cli import cli as main

MACHINE = pathlib.Path(__file__).resolve().parents[2] / "fixtures/machines/windows-hybrid-laptop"


def test_variables_of_a_windows_machine_are_set_in_powershell():
    findings = json.loads(CliRunner().invoke(main, ["check", "--root", str(MACHINE), "--json"]).stdout)["findings"]
    fixes = [fix for finding in findings for fix in finding["fixes"] if fix["commands"]]
    assert any(command.startswith("$env:") and fix["language"] == "powershell" for fix in fixes for command in fix["commands"])
    assert not any(command.startswith(("export ", "unset ", "set ")) for fix in fixes for command in fix["commands"])
