"""What the trouble comes with, as `explain` answers it: the writer's clause stands in the title, and its taking back is the first step."""

import io

import pytest

from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import compiled, rules, side_programs, tables
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
FORMS = compiled.part("checks/trigger.yaml")["forms"]


def findings(tmp_path, told):
    (tmp_path / "report.txt").write_text(told + "\n")
    snapshot = Snapshot("2026-11-30T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(tmp_path)], io.BytesIO()).texts, SCANNER)
    return make_report(snapshot, BOOK).findings


TOLD = {
    "came-with-this-change": "Since I moved the card to the other slot the screen stays black.",
    "came-with-an-update": "After the last system update the screen stays black.",
    "comes-with-this-program": "Whenever FanControl changes the fan percentage the switches for voltage tuning go off by themselves.",
    "comes-with-this-device": "As soon as the second monitor is plugged in, the memory clock stays at its maximum.",
    "comes-with-this-setting": "The screen goes black only when HDR is on.",
}


@pytest.mark.parametrize("name", sorted(FORMS.values()))
def test_each_form_is_first_and_quotes_the_writer(tmp_path, name):
    first = findings(tmp_path, f"Radeon RX 7600, Linux. {TOLD[name]}")[0]
    assert first.id == name and first.standing == "symptom"
    clause = first.title.partition('"')[2].rstrip('"')
    assert clause and clause in TOLD[name]
    assert first.fixes and "{" not in "".join(fix.title + fix.detail for fix in first.fixes)


def test_values_that_stand_beside_it_are_named_in_a_step(tmp_path):
    told = ('Radeon RX 7600, Windows 11. The games flicker. It began after I had applied the overlay tweak of WinUtil.\n\nIn the registry there is now\n\n'
            '[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers]\n"DisableOverlays"=dword:00000001\n')
    first = findings(tmp_path, told)[0]
    assert first.id == "comes-with-this-program"
    assert any("DisableOverlays" in fix.title for fix in first.fixes)


def test_a_pair_of_versions_goes_before_the_update_that_brought_it(tmp_path):
    found = findings(tmp_path, "Radeon RX 7600, Fedora 43. HDR is no longer shown since the last dnf update (gamescope 3.16.15-1 -> 3.16.17-2 was part of it).")
    assert found[0].id == "worked-before-this-version"
    assert all(finding.id != "came-with-an-update" for finding in found)


def test_a_program_beside_others_is_the_one_of_the_experiments_where_no_other_is_named(tmp_path):
    found = findings(tmp_path, "Radeon RX 7600, Arch Linux, Wayland. Whatever I start in gamescope ends at once.")
    assert any("Update gamescope" in fix.title for finding in found for fix in finding.fixes)


def test_every_program_has_a_kind_and_a_form_every_kind_of_clause():
    table = tables.load("side_programs")
    assert {row["kind"] for row in table["programs"]} == set(table["kinds"])
    assert all(side_programs.find(row["title"]) for row in table["programs"])
