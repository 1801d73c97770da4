"""Look-alikes and known-bad versions: one symptom, different evidence, and the finding that must then come first."""

import pathlib

import pytest
import yaml

from rocmdoctor.diagnosis import diagnose
from rocmdoctor.facts.model import Absent, Snapshot
from rocmdoctor.knowledge import rules, tables
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import interpret
from rocmdoctor.texts.attach import Text, clean

ROWS = yaml.safe_load((pathlib.Path(__file__).resolve().parents[2] / "fixtures/lookalikes.yaml").read_text())
BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
# Measured once on one machine, without a public thread and without a cause: a rule would claim more than is known.
WITHOUT_RULE = {"rocm-10.0-gfx1150-perf"}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["decides"])
def test_the_evidence_decides(row):
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read", {name: Absent("example") for name in row.get("absent", ())})
    interpret.fill(snapshot, [Text("report.txt", clean(row["text"] + "\n"))], SCANNER)
    found = [f.id for f in diagnose.diagnose(snapshot, BOOK) if row["first"] or f.severity != "info"]
    assert (found[0] if found else "") == row["first"], found


def test_every_known_bad_version_has_evidence_that_finds_it():
    shown = {row.get("known_bad") for row in ROWS}
    assert {entry["id"] for entry in tables.load("known_bad")["entries"]} - shown == WITHOUT_RULE
