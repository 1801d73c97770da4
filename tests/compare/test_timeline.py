"""When it broke: what stands on the time line, and the question about the update that came before the first sign."""

import dataclasses
import io
import json
import pathlib
import re
import subprocess
import sys

import pytest

from rocmdoctor.compare.timeline import timeline
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Evidence, Finding, Known, Snapshot, report_to_json
from rocmdoctor.knowledge import rules
from rocmdoctor.render.report import html, markdown, terminal
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
DNF = """2026-11-20T10:00:00+0000 SUBDEBUG Upgrade: mesa-vulkan-drivers-25.2.5-1.fc43.x86_64
2026-11-20T10:00:00+0000 SUBDEBUG Upgraded: mesa-vulkan-drivers-25.2.4-1.fc43.x86_64
2026-11-27T14:02:10+0000 SUBDEBUG Upgrade: linux-firmware-20251125-1.fc43.noarch
2026-11-27T14:02:11+0000 SUBDEBUG Upgraded: linux-firmware-20251111-1.fc43.noarch
"""
LOG = "[    0.000000] Linux version 6.17.7-200.fc43.x86_64 (x@y) (gcc)\n[    3.1] amdgpu 0000:c5:00.0: amdgpu: VRAM: 98304M\n"
FAULT = "[ 1560.12] amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n"
BOOTED = "2026-11-27T14:05:00+00:00"


def machine(log=LOG + FAULT, history=DNF, booted=BOOTED, checks=(), taken="2026-11-28T14:40:00+00:00"):
    """A machine that was examined, as its probes tell of it."""
    snapshot = Snapshot(taken, "live")
    boots = "boot\t2026-11-25T07:00:00+00:00\t6.17.7\nboot\t" + booted + "\t6.17.7\n" if booted else ""
    texts = [interpret.gathered("kernel log", log), interpret.gathered("update_history", history + boots)]
    interpret.fill(snapshot, texts, SCANNER)
    snapshot.facts |= {"os.distribution": Known("fedora", "x"), "pci.amd_gpu_count": Known(1, "x"), "gpu.pci_address[0000:c5:00.0]": Known("0000:c5:00.0", "x")}
    if checks:
        snapshot.facts["checks.history"] = Known([{"at": at, "found": found} for at, found in checks], "x")
    return snapshot


def kinds(snapshot):
    return [(moment.kind, moment.at[5:16]) for moment in make_report(snapshot, BOOK).timeline or []]


def asked(snapshot):
    return {finding.id: finding for finding in make_report(snapshot, BOOK).findings}.get("updated-before-first-sign")


def test_what_stands_on_the_line():
    assert kinds(machine()) == [("update", "11-20T10:00"), ("boot", "11-25T07:00"), ("update", "11-27T14:02"), ("boot", "11-27T14:05"),
                                ("fault", "11-27T14:31"), ("now", "11-28T14:40")]
    report = make_report(machine(), BOOK)
    assert [moment.suspect for moment in report.timeline] == [False, False, True, False, False, False]
    assert report.timeline[2].words == "linux-firmware 20251111-1.fc43 → 20251125-1.fc43"
    assert json.loads(json.dumps(report_to_json(report)))["timeline"][4]["kind"] == "fault"


def test_a_good_check_bounds_it_and_a_bad_one_is_named_once():
    checks = [("2026-11-26T20:10:00+00:00", "clean"), ("2026-11-27T15:00:00+00:00", "errors"), ("2026-11-27T16:00:00+00:00", "errors")]
    assert kinds(machine(checks=checks)) == [("good", "11-26T20:10"), ("update", "11-27T14:02"), ("boot", "11-27T14:05"), ("fault", "11-27T14:31"),
                                             ("bad", "11-27T15:00"), ("now", "11-28T14:40")]


def test_a_machine_without_trouble_has_none():
    assert make_report(machine(log=LOG), BOOK).timeline is None and asked(machine(log=LOG)) is None


def test_the_update_before_the_first_sign_is_asked_about_with_the_way_back():
    found = asked(machine())
    assert found.standing == "possible" and "29 minutes before the first sign" in found.title and "2026-11-27T14:02:10" in found.title
    assert "linux-firmware-20251111-1.fc43" in found.fixes[0].commands[0] and found.fixes[0].commands[0].startswith("sudo dnf downgrade")
    assert any(item.text == FAULT.strip() for item in found.evidence)


@pytest.mark.parametrize("change", [
    {"booted": ""},  # nobody knows when the kernel's clock began
    {"booted": "2026-11-27T10:00:00+00:00"},  # the sign is older than the update, the one before it too old
    {"history": "".join(DNF.splitlines(True)[2:]).replace("2026-11-27", "2026-10-02")},  # too long before
    {"taken": "2026-11-27T14:20:00+00:00"},  # the log is of another boot: it would be in the future
])
def test_nothing_is_asked_where_the_order_in_time_is_not_known(change):
    history = "".join(DNF.splitlines(True)[2:])
    assert asked(machine(**{"history": history, **change})) is None


def test_a_state_that_is_compared_with_says_it_itself():
    snapshot = machine()
    snapshot.facts["changed.components"] = Known([], "comparison")
    assert asked(snapshot) is None


@pytest.mark.parametrize(("line", "shown"), [
    ("2026-11-27T14:31:00+00:00 box kernel: amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE", True),
    ("[Fri Nov 27 14:31:00 2026] amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE", False),  # whose zone may be that of the update
    ("[Sat Nov 28 14:31:00 2026] amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE", True),
    ("[ 1560.12] amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE", False),
])
def test_files_tell_it_where_their_lines_have_times(tmp_path, line, shown):
    (tmp_path / "dmesg.txt").write_text(line + "\n")
    (tmp_path / "dnf.rpm.log").write_text(DNF.splitlines(True)[2] + DNF.splitlines(True)[3])
    snapshot = Snapshot("2026-12-24T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(tmp_path)], io.BytesIO()).texts, SCANNER)
    assert (asked(snapshot) is not None) is shown
    assert all(moment.kind != "now" for moment in make_report(snapshot, BOOK).timeline or [])


def test_every_form_shows_it():
    report = make_report(machine(), BOOK)
    full, page, ticket = terminal.render(report, 80, False, verbose=True), html.render(report), markdown.render(report)
    rows = full.partition("When it broke")[2].partition("\n\n")[0].splitlines()[1:]
    assert [row[2] for row in rows if row[2] != " "] == ["■", "│", "■", "│", "✗", "○"] and all(len(row) <= 80 for row in rows)
    assert "✗ 2026-11-27 14:31  fault MES failed to respond to msg=REMOVE_QUEUE" in full
    assert re.findall(r'<li class="(\w+)', page.partition('<ol class="line')[2].partition("</ol>")[0]) == ["update", "boot", "update", "boot", "fault", "now"]
    assert "29 minutes" not in ticket.partition("**When it broke**")[0][:1] and "26 minutes later" in page
    assert "2026-11-27 14:31 UTC: fault MES failed" in ticket.replace("\\", "")
    mes = next(finding for finding in report.findings if finding.id == "mes-scheduler-stopped")
    first = dataclasses.replace(report, findings=[mes])
    assert "since    linux-firmware 20251111-1.fc43 → 20251125-1.fc43, 2026-11-27 14:02 UTC (dnf)" in re.sub(r"\n +", " ", terminal.render(first, 100, False))


def test_hostile_times_and_names_end_nowhere_but_in_words():
    finding = Finding("x", "cause", "error", "driver", "", "t", "s", "c", [Evidence("log", 1, "2026-11-27T14:31:00Z \x1b[31m<script>x</script>\u202e")])
    snapshot = machine(history=DNF.replace("linux-firmware-20251125", "linux-firmware-2025<b>"))
    for at in ("9999-12-31T23:59:59+00:00", "nonsense", "2026-11-26T00:00:00"):
        snapshot.facts["checks.history"] = Known([{"at": at, "found": "clean"}, 7], "x")
        assert timeline(snapshot, [finding])
    report = dataclasses.replace(make_report(machine(), BOOK), timeline=timeline(snapshot, [finding]))
    assert "<script>x" not in html.render(report) and "\x1b" not in terminal.render(report, 80, False, verbose=True)


def test_checks_that_were_kept_are_facts_of_the_machine(tmp_path):
    place = pathlib.Path(__file__).resolve().parents[2]
    environment = {"XDG_STATE_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(place)}
    for _ in range(2):
        done = subprocess.run([sys.executable, "-m", "rocmdoctor", "check", "--no-kernels", "--json"], capture_output=True, text=True, timeout=120,
                              env=environment)
    rows = json.loads(done.stdout)["snapshot"]["facts"]["checks.history"]["value"]
    assert len(rows) == 1 and set(rows[0]) == {"at", "found"}


@pytest.mark.parametrize(("log", "told"), [("", True), (DNF, False)])
def test_who_tells_of_an_update_without_a_history_is_told_how_to_get_one(tmp_path, log, told):
    (tmp_path / "ticket.md").write_text("After the last update my RX 7900 XTX hangs with llama-server.\n\nring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n")
    if log:
        (tmp_path / "dnf.rpm.log").write_text(log)
    snapshot = Snapshot("2026-12-24T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(tmp_path)], io.BytesIO()).texts, SCANNER)
    report = make_report(snapshot, BOOK)
    assert ("rocmdoctor compare --since" in " ".join(terminal.render(report, 80, False).split())) is told
    assert len(terminal.render(report, 80, False).splitlines()) <= 28


def test_what_nobody_knows_is_not_said_in_brackets():
    from rocmdoctor.diagnosis.fill import fill_in
    from rocmdoctor.facts.model import Unknown

    known = {"amdgpu.version": Unknown(), "kernel.release": Known("6.8", "x")}
    assert fill_in("The module comes from amdgpu-dkms ({amdgpu.version}).", known.__getitem__) == "The module comes from amdgpu-dkms."
    assert fill_in("Linux ({kernel.release}), {amdgpu.version}", known.__getitem__) == "Linux (6.8), (unknown)"
