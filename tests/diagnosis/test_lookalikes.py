"""Look-alikes and known-bad versions: one symptom, different evidence, and the finding that must then come first."""

import pathlib

import pytest
import yaml

from rocmdoctor.diagnosis import diagnose
from rocmdoctor.facts.model import Absent, Snapshot
from rocmdoctor.knowledge import known, rules
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import interpret
from rocmdoctor.texts.attach import Text, clean

ROWS = yaml.safe_load((pathlib.Path(__file__).resolve().parents[2] / "fixtures/lookalikes.yaml").read_text())
BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["decides"])
def test_the_evidence_decides(row):
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read", {name: Absent("example") for name in row.get("absent", ())})
    interpret.fill(snapshot, [Text("report.txt", clean(row["text"] + "\n"))], SCANNER)
    found = [f.id for f in diagnose.diagnose(snapshot, BOOK) if row["first"] or f.severity != "info"]
    assert (found[0] if found else "") == row["first"], found


def test_the_known_defects_that_evidence_shows_are_in_the_table():
    assert {row["known"] for row in ROWS if "known" in row} <= set(known.load().by_id())
