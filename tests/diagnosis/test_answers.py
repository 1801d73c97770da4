"""One truth in one report, and fixes that are the machine's own: over every recorded machine and a sample of the cases.

ROCMDOCTOR_ALL=1 walks every case, ROCMDOCTOR_CASES=DIR further ones.
"""

from __future__ import annotations

import functools
import io
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from rocmdoctor.commands._console import Output, rendered
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.diagnosis.fitted import _foreign, _translated, manager
from rocmdoctor.diagnosis.outcome import asked, outcome, status
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import GRAVE, LOUD, Known, Report, Snapshot, snapshot_from_json, snapshot_to_json
from rocmdoctor.knowledge import rules
from rocmdoctor.render.report import html, markdown, terminal
from rocmdoctor.render.report.card import card
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.share.wash import wash
from rocmdoctor.texts import attach, interpret

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"
MACHINES = sorted(path for path in (FIXTURES / "machines").iterdir() if path.is_dir())
FOLDERS = [FIXTURES / "cases", *map(pathlib.Path, filter(None, os.environ.get("ROCMDOCTOR_CASES", "").split(os.pathsep)))]
EVERY = sorted(path.parent / "inputs" for folder in FOLDERS for path in folder.glob("*/case.yaml"))
CASES = EVERY if os.environ.get("ROCMDOCTOR_ALL") else EVERY[::25]
ALL = [*MACHINES, *CASES]


@functools.cache
def report_of(place: pathlib.Path) -> Report:
    if place in MACHINES:
        snapshot, book, _ = examine((), True, str(place), (), ())
        return make_report(snapshot, book)
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(place)], io.BytesIO()).texts, Scanner(rules.load().patterns()))
    return make_report(snapshot, rules.load())


def named(place: pathlib.Path) -> str:
    return place.parent.name if place.name == "inputs" else place.name


@pytest.fixture(params=ALL, ids=named, scope="module")
def report(request: pytest.FixtureRequest) -> Report:
    return report_of(request.param)


def test_headline_findings_and_exit_status_agree(report: Report) -> None:
    found, loud = outcome(report), [finding for finding in report.findings if finding.severity in LOUD]
    serious = any(finding.severity in GRAVE for finding in report.findings)
    assert status(report, "error") == (1 if serious else 3 if found.level == "open" else 0)
    assert (status(report, "warning") == 1) == bool(loud)
    if loud:
        first = report.findings[0]
        named = first if first.standing == "possible" and first.explains else loud[0]  # the question goes first, as loud as what it may explain
        assert found.level in ("error", "warning") and asked(named)[1].strip().rstrip(".") in found.sentence, found
        assert "Nothing wrong" not in found.sentence and found.action
    else:
        assert found.level in ("info", "ok", "open", "none")
    for layer in report.layers:
        assert layer.status != "ok" or layer.shown, layer


def test_every_form_says_the_same_headline(report: Report) -> None:
    found = outcome(report)
    plain = re.sub(r"\W+", " ", wash(found.sentence, 2000).replace("\\", "")).strip()
    data = json.loads(rendered(report, "json", "error"))
    assert (data["headline"], data["first_action"], data["exit_status"]) == (found.sentence, found.action, status(report, "error"))
    for made in (terminal.quiet(report), terminal.render(report, 1000, False), terminal.render(report, 1000, False, verbose=True),
                 markdown.render(report), re.sub(r"<[^>]*>", "", html.render(report)).replace("&#39;", "'").replace("&#34;", '"').replace("&gt;", ">")):
        assert plain in re.sub(r"\W+", " ", made.replace("\u2060", "").replace("\\", ""))
    assert Output().wanted == [("text", "")]


def test_a_kept_snapshot_reads_back_to_the_same_answer(report: Report) -> None:
    """What `explain` makes of a bundle or of `--save`."""
    kept = snapshot_from_json(json.loads(json.dumps(snapshot_to_json(report.snapshot), default=str)))
    again = make_report(kept, rules.load())
    assert [(f.id, f.standing, f.title) for f in again.findings] == [(f.id, f.standing, f.title) for f in report.findings]
    assert outcome(again) == outcome(report) and status(again, "error") == status(report, "error")


def test_the_answer_is_short(report: Report) -> None:
    assert len(terminal.render(report, 80, False, last=True).splitlines()) <= 28


def test_nine_answers_in_ten_fit_a_terminal() -> None:
    lines = [len(terminal.render(report_of(place), 80, False, last=True).splitlines()) for place in ALL]
    assert sum(count <= 24 for count in lines) >= 0.9 * len(lines), sorted(lines)


def test_no_line_stops_in_the_middle_of_a_command_or_a_reason(report: Report) -> None:
    """What is too long for its row is left out: half a command is another command, half a sentence another reason."""
    for line in terminal.render(report, 80, False, last=True).splitlines():
        assert not (re.match(r"  (why|check|undo) ", line) and line.rstrip().endswith("…")), line
    for made in (terminal.render(report, 80, False), terminal.render(report, 1000, False, verbose=True)):
        assert "(unknown)" not in made and not re.search(r"^[^$]* = [{\[]['\"{]", made, re.MULTILINE), made


def test_windows_has_no_root(report: Report) -> None:
    system = report.snapshot.facts.get("os.family")
    if isinstance(system, Known) and system.value == "windows":
        assert not [fix for finding in report.findings for fix in finding.fixes if "root" in fix.needs]


def test_every_gpu_that_has_a_name_is_called_by_it(report: Report) -> None:
    """An address beside names is one of these, and a target without a name is called by its family."""
    said = [part for row in card(report) if row.label == "GPU" for part in row.parts]
    assert not [part for part in said if part.startswith("AMD GPU (gfx")]
    bare = [part for part in said if re.match(r"AMD GPU [\da-f]{4}:", part)]
    assert not bare or bare == [part for part in said if not part.endswith(" more")], said


# What a command leaves open, and the facts that say it where they are known.
OPEN = {"PAGES": "memory.ram_bytes", "HOST_GID": "dev.kfd_gid"}


def test_nothing_is_left_open_that_is_known(report: Report) -> None:
    commands = [command for finding in report.findings for fix in finding.fixes for command in fix.commands]
    for word, fact in OPEN.items():
        if isinstance(report.snapshot.facts.get(fact), Known):
            assert not [command for command in commands if re.search(rf"(?<![A-Z_]){word}(?![A-Z_=])", command)], word
    image = report.snapshot.facts.get("container.image")
    if isinstance(image, Known):
        assert re.match(r"[A-Za-z0-9]", str(image.value)), image
        for finding in report.findings:
            for fix in finding.fixes:
                if any(re.search(r"\b(run|exec) .*\bIMAGE\b", command) for command in fix.commands):
                    assert re.search(r"\bimage (made for|of your own)", f"{fix.title} {fix.detail}"), fix.title


@pytest.mark.parametrize("place", MACHINES if os.environ.get("ROCMDOCTOR_ALL") else MACHINES[::6], ids=named)
def test_a_bundle_says_what_the_check_says(place: pathlib.Path, tmp_path: pathlib.Path) -> None:
    def run(*arguments: object) -> dict[str, object]:
        done = subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], capture_output=True, text=True, timeout=120)
        return {**json.loads(done.stdout), "ended": done.returncode} if done.stdout.startswith("{") else {"said": done.stderr}

    checked = run("check", "--no-kernels", "--root", place, "--json")
    said = str(run("bundle", "--no-kernels", "--root", place, "-o", tmp_path / "b.tar.gz")["said"])
    explained = run("explain", tmp_path / "b.tar.gz", "--json")
    for name in ("headline", "first_action", "exit_status", "ended"):
        assert explained[name] == checked[name], name
    assert str(checked["headline"]) in said and checked["ended"] == checked["exit_status"]
    assert [finding["id"] for finding in explained["findings"]] == [finding["id"] for finding in checked["findings"]]  # type: ignore[attr-defined,index]


def test_fixes_are_for_this_machine(report: Report) -> None:
    kind = manager(report.snapshot.facts)
    lines = [line for finding in report.findings for fix in finding.fixes if fix.language == "shell" for command in fix.commands
             for line in command.splitlines()]
    if kind:
        assert not [line for line in lines if _foreign(line, kind)]
    assert not [line for line in lines if re.search(r"=27262976\b", line)]  # the number of an example
    if any(isinstance(report.snapshot.facts.get(f"memory.{name}_bytes"), Known) for name in ("ram", "installed")):
        assert not [line for line in lines if re.search(r"=PAGES\b", line)]
    done = subprocess.run(["bash", "-n"], input="\n".join(lines), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("system", "first"), [
    ("Bazzite 42", "sudo rpm-ostree rollback"), ("NixOS 25.11", "nixos-rebuild list-generations"), ("Fedora 43", ""), ("Ubuntu 24.04", "")])
def test_a_system_that_goes_back_as_a_whole_does_so_for_an_older_kernel(tmp_path: pathlib.Path, system: str, first: str) -> None:
    (tmp_path / "report.txt").write_text(
        f"{system}, RX 7900 XTX. Since the update to kernel 6.18.3 my card hangs with ROCm, it was fine with 6.16.9.\n\n"
        "[  812.345678] amdgpu 0000:03:00.0: amdgpu: ring comp_1.0.0 timeout, signaled seq=5, emitted seq=7\n")
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "explain", "--json", str(tmp_path)], capture_output=True, text=True, timeout=120)
    fix = json.loads(done.stdout)["findings"][0]["fixes"][0]
    assert (fix["commands"] or [""])[0] == first
    assert ("previous image" in fix["title"] or "former generation" in fix["title"]) is bool(first)


@pytest.mark.parametrize(("facts", "line"), [
    ({"os.distribution": "fedora"}, "sudo dnf install vulkan-tools"),
    ({"os.distribution": "fedora", "os.immutable": True}, "sudo rpm-ostree install vulkan-tools"),
    ({"os.distribution": "bazzite"}, "sudo rpm-ostree install vulkan-tools"), ({"os.distribution": "nixos"}, "")])
def test_an_image_based_system_is_not_given_the_commands_of_its_kin(facts: dict[str, object], line: str) -> None:
    assert _translated("sudo apt install vulkan-tools", manager({name: Known(value, "") for name, value in facts.items()})) == line
