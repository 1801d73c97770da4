"""Every cause that can occur on Windows has a fix there: ``rules lint`` names those that have none, and the shipped rules are clean."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from rocmdoctor.cli import cli as main
from rocmdoctor.knowledge import check_words, known, rules, windows_lint

NONE = "can occur on Windows and has no fix that is usable there"
CAUSE: dict[str, Any] = {
    "id": "lab-cause", "kind": "cause", "title": "The lab's library is absent", "severity": "error", "stage": "runtime",
    "signals": {"absent": {"in": ["run", "told"], "patterns": ["lab library is absent"]}},
    "fixes": [{"do": "Install it", "commands": ["sudo apt install lab"]}], "sources": [{"url": "https://lab.example", "read": "2026-11-28"}],
    "examples": {"fires": [{"text": "the lab library is absent"}], "quiet": [{"text": "all is well"}]}}
IN_POWERSHELL = {"do": "Install it", "commands": ["winget install Lab.Lab"], "language": "powershell"}


def linted(folder: pathlib.Path, **fields: Any) -> tuple[int, str]:
    """The status and the output of the command a user types, for a cause with these fields."""
    (folder / "lab-cause.yaml").write_text(yaml.safe_dump({**CAUSE, **fields}))
    done = CliRunner().invoke(main, ["rules", "lint", str(folder)])
    return done.exit_code, done.output


@pytest.mark.parametrize("fields", [
    {}, {"platforms": ["linux", "windows"]},
    {"fixes": [{"do": "Rebuild the initramfs of your distribution"}]},
    {"fixes": [CAUSE["fixes"][0], {**IN_POWERSHELL, "only_if": "about.os != 'windows'"}]},
    {"fixes": [{"do": "Take the wheel", "commands": ["pip install torch --index-url https://download.pytorch.org/whl/rocm6.4"]}]},
    {"fixes": [{"do": "Set it", "commands": ["export HSA_OVERRIDE_GFX_VERSION=10.3.0"]}]},
    {"fixes": [{"do": "Start over", "commands": ["rm -rf build", "make"]}]},
], ids=lambda fields: str(fields)[:60])
def test_a_cause_without_a_fix_for_windows_is_named(tmp_path: pathlib.Path, fields: dict[str, Any]) -> None:
    status, said = linted(tmp_path, **fields)
    assert status == 1 and f"lab-cause: {NONE}" in said


@pytest.mark.parametrize("fields", [
    {"platforms": ["linux", "container"]}, {"platforms": ["wsl"]},
    {"when": "saw(absent) and os.family == 'linux'"},
    {"fixes": [CAUSE["fixes"][0], IN_POWERSHELL]},
    {"fixes": [{**IN_POWERSHELL, "only_if": "known(about.os) and about.os == 'windows'"}, CAUSE["fixes"][0]]},
    {"fixes": [{"do": "Update the program"}]},
    {"fixes": [{"do": "Set it", "commands": ["export GGML_VK_DISABLE_COOPMAT=1"]}]},
    {"fixes": [{"do": "Update", "commands": ["ls /opt/rocm", "pip install --upgrade lab"]}]},
], ids=lambda fields: str(fields)[:60])
def test_a_cause_that_has_one_or_cannot_occur_there_is_clean(tmp_path: pathlib.Path, fields: dict[str, Any]) -> None:
    status, said = linted(tmp_path, **fields)
    assert status == 0, said


def test_of_a_cause_of_windows_alone_every_fix_is_one_of_windows(tmp_path: pathlib.Path) -> None:
    status, said = linted(tmp_path, platforms=["windows"], fixes=[IN_POWERSHELL, {"do": "Or look", "commands": ["journalctl -b"]}])
    assert status == 1 and "lab-cause: the fix 'Or look' is not usable on Windows" in said


@pytest.mark.parametrize("command", [r"dir C:\Windows", "where rocblas.dll", r"reg add HKCU\Lab /v A /f", "echo %PATH%", "Get-PnpDevice -Class Display | more"])
def test_a_command_of_windows_that_is_said_to_be_a_shells_is_named(tmp_path: pathlib.Path, command: str) -> None:
    status, said = linted(tmp_path, fixes=[{"do": "Look", "commands": [command]}, IN_POWERSHELL])
    assert status == 1 and "is written for Windows; say so with language: powershell" in said


def test_the_rules_checks_and_known_defects_of_the_house_are_clean() -> None:
    book = rules.load()
    found = [f"{rule.id}: {problem}" for rule in book.rules.values() for problem in windows_lint.of_rule(rule)]
    found += [f"{name}: {problem}" for name, row in check_words.every_finding().items() for problem in windows_lint.of_finding(row)]
    assert [*found, *windows_lint.of_defects(known.load().all())] == []


def test_a_finding_of_a_check_and_a_known_defect_are_named_too() -> None:
    assert [NONE in problem for problem in windows_lint.of_finding({"fixes": {"a": [{"do": "See it", "commands": ["dmesg | tail"]}], "b": [{"do": "Update it"}]}})] == [True]
    assert list(windows_lint.of_finding({"platforms": ["linux"], "fixes": [{"do": "See it", "commands": ["dmesg | tail"]}]})) == []
    rows = known.build("rocm", {"id": "lab-row", "says": "It fails.", "fix": ["Boot kernel 6.18"]}), known.build(
        "rocm", {"id": "lab-linux-row", "says": "It fails.", "os": ["linux"], "fix": ["Boot kernel 6.18"]})
    assert [problem.split(":")[0] for problem in windows_lint.of_defects(rows)] == ["lab-row"]
