"""The command line as people meet it: help, spelling, forms of output, statuses."""

from __future__ import annotations

import json
import pathlib

import click
import pytest
from click.testing import CliRunner

from rocmdoctor.cli import cli

TOP = pathlib.Path(__file__).resolve().parents[2]
CASE = str(TOP / "fixtures/cases/ollama-gfx-target-not-supported/inputs")
MACHINE = str(TOP / "fixtures/machines/rx7900xtx")
COMMANDS = cli.list_commands(click.Context(cli))


def typed(*arguments: str) -> object:
    return CliRunner().invoke(cli, list(arguments), prog_name="rocmdoctor")


@pytest.mark.parametrize("name", [*COMMANDS, "rules list", "rules show", "rules lint", "rules test", "preflight init", "preflight lint"])
def test_help_has_examples(name: str) -> None:
    done = typed(*name.split(), "--help")
    assert "..." not in done.output.partition("Commands:")[2]
    assert done.exit_code == 0 and "Examples:" in done.output and f"  rocmdoctor {name}" in done.output
    assert "Exit status: 0" in done.output


def test_the_list_of_commands_is_whole_and_starts_with_check() -> None:
    shown = typed("--help").output
    assert "..." not in shown.partition("Commands:")[2] and shown.index("  check ") < shown.index("  bundle ")
    assert typed("help", "check").output == typed("check", "--help").output
    assert typed("-V").output.startswith("rocmdoctor ")


@pytest.mark.parametrize(("wrong", "meant"), [("chekc", "check"), ("explian", "explain"), ("memroy", "memory")])
def test_a_wrong_name_gets_the_right_one(wrong: str, meant: str) -> None:
    done = typed(wrong)
    assert done.exit_code == 2 and f"did you mean {meant}?" in done.output


def test_a_wrong_name_in_a_group_gets_the_right_one() -> None:
    done = typed("rules", "lsit")
    assert done.exit_code == 2 and "did you mean list?" in done.output
    assert "did you mean junit?" in typed("preflight", "--policy", "mi300x-node", "--format", "juint").output
    assert "did you mean csv?" in typed("fleet", "--format", "csvv", MACHINE).output


def test_a_dash_is_standard_output() -> None:
    plain = CliRunner().invoke(cli, ["explain", CASE, "--json", "--save", "-"])
    assert plain.exit_code == 1 and plain.stdout.startswith('{"schema": "rocmdoctor.snapshot/1"')
    kept = CliRunner().invoke(cli, ["snapshot", "--root", MACHINE, "-o", "-"])
    assert kept.exit_code == 0 and json.loads(kept.stdout)["schema"] == "rocmdoctor.snapshot/1"
    assert CliRunner().invoke(cli, ["snapshot", "--root", MACHINE]).exit_code == 2
    archive = CliRunner().invoke(cli, ["bundle", "--root", MACHINE, "-o", "-"])
    assert archive.exit_code == 0 and archive.stdout_bytes[:2] == b"\x1f\x8b"


def test_a_recorded_machine_is_not_tested() -> None:
    done = CliRunner().invoke(cli, ["test", "--root", MACHINE])
    assert done.exit_code == 3 and done.stdout.startswith("– No GPU was tested: nothing runs on a recorded machine.")


@pytest.mark.parametrize(("typed_so_far", "word"), [("ch", "check"), ("pre", "preflight")])
def test_completion_knows_the_commands(typed_so_far: str, word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("COMP_WORDS", f"rocmdoctor {typed_so_far}"), ("COMP_CWORD", "1"), ("_ROCMDOCTOR_COMPLETE", "bash_complete")):
        monkeypatch.setenv(name, value)
    assert f"plain,{word}\n" in CliRunner().invoke(cli, [], prog_name="rocmdoctor").output


def test_a_path_is_for_explain() -> None:
    assert "rocmdoctor explain" in typed(MACHINE).output


def test_without_a_command_it_is_check() -> None:
    done = typed("--root", MACHINE, "-q")
    assert done.exit_code == 3 and done.output.count("\n") == 1 and "Nothing wrong found" in done.output


def test_several_forms_at_once_and_files_leave_one_line(tmp_path: pathlib.Path) -> None:
    page, data = tmp_path / "a.html", tmp_path / "a.json"
    done = CliRunner().invoke(cli, ["explain", CASE, "--format", f"html={page}", "--format", f"json={data}"])
    assert done.exit_code == 1 and done.stdout.count("\n") == 1 and "has no kernels for this GPU target" in done.stdout
    answer = json.loads(data.read_text())
    assert answer["exit_status"] == 1 and answer["headline"] in done.stdout and "<html" in page.read_text()


@pytest.mark.parametrize(("arguments", "words"), [
    (("--json", "--markdown"), "would mix on standard output"), (("--format", "jsn"), "did you mean json?"), (("--format", "json="), "name a file")])
def test_what_cannot_be_printed_is_said_first(arguments: tuple[str, ...], words: str) -> None:
    done = typed("explain", CASE, *arguments)
    assert done.exit_code == 2 and words in done.output


@pytest.mark.parametrize("name", ["ollama-gfx-target-not-supported", "tlb-fence-mes-hang-gfx115x-6-18", "parameter-exceeds-ram"])
def test_why_explains_rules_checks_and_known_defects(name: str) -> None:
    done = typed("why", name)
    assert done.exit_code == 0 and name in done.output
    assert all(f"\n{part}\n" in done.output for part in ("What it is", "How to recognise it", "What to do")), done.output


def test_why_of_an_unknown_id_names_a_near_one() -> None:
    done = typed("why", "ollama-gfx-target-not-suported")
    assert done.exit_code == 2 and "did you mean ollama-gfx-target-not-supported" in done.output


def test_memory_says_first_whether_it_fits() -> None:
    done = CliRunner().invoke(cli, ["memory", "--root", MACHINE, "--model-size", "60GB"])
    assert done.exit_code == 1 and done.stdout.startswith("✗ A model of 60.0 GB does not fit")
