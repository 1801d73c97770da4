"""Snapshots of unknown origin: rows of lists have what the vocabulary says, or are left out."""

import copy
import json

import pytest

from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.limits import admitted
from rocmdoctor.facts.model import SNAPSHOT_SCHEMA, Known

EMPTY = {"schema": SNAPSHOT_SCHEMA, "origin": "read", "taken": "2026-11-28T00:00:00+00:00", "facts": {}, "hits": [], "runs": [], "notes": [], "texts_read": 0}
ROW = {"axis": "version", "value": "7.2", "title": "rocm", "right": False, "line": 3, "text": "7.2 crashes", "in": "report.txt"}


def _kept(name: str, rows: list[object]) -> object:
    schema = json.loads(json.dumps({**EMPTY, "facts": {name: {"state": "known", "value": rows, "source": "x"}}}))
    fact = admitted(schema).facts[name]
    return fact.value if isinstance(fact, Known) else fact


@pytest.mark.parametrize("field", sorted(ROW))
def test_a_row_without_a_field_is_left_out(field: str) -> None:
    lacking = copy.deepcopy(ROW)
    del lacking[field]
    assert _kept("report.contrasts", [ROW, lacking]) == [ROW]


@pytest.mark.parametrize("odd", ["text", None, 3, [], {"axis": {}}, {**ROW, "line": "three"}, {**ROW, "title": {"a": 1}}, {**ROW, "right": [[]]}, {**ROW, "value": ["a"]}])
def test_what_is_no_row_is_left_out(odd: object) -> None:
    assert _kept("report.contrasts", [odd, ROW]) == [ROW]


def test_every_list_of_rows_names_its_fields() -> None:
    unnamed = [name for name, fact in vocabulary.FACTS.items() if "[{" in fact.meaning and not fact.fields()]
    assert not unnamed


def test_a_row_may_lack_what_only_some_have() -> None:
    rows = [{"check": "gemv-f32", "verdict": "wrong", "wrong": 3, "elements": 64}, {"check": "hang", "verdict": "failed"}]
    assert _kept("test.checks", rows) == rows
    assert _kept("test.checks", [{"check": "gemv-f32"}]) == []
