"""One cause, one id, whichever door the evidence came through: told in a text, or read on a machine."""

from __future__ import annotations

import dataclasses
import pathlib
import sys
from typing import Any

import pytest

from rocmdoctor.diagnosis.diagnose import diagnose
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import lint, rules
from rocmdoctor.scan.scanner import Scanner

sys.path.insert(0, str(pathlib.Path(__file__).parent / "checks"))
import test_environment  # noqa: E402
import test_parameters  # noqa: E402

BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
SUBJECTS = ("os.", "about.", "gpu.gfx_target", "machine.virtual", "container.")  # said beside a text, these decide nothing by themselves


def _found(example: dict[str, Any]) -> Snapshot:
    snapshot = lint.snapshot_of(example, SCANNER)
    return dataclasses.replace(snapshot, origin="read" if "text" in example else "live")


def _texts(rule: rules.Rule) -> list[dict[str, Any]]:
    return [one for one in rule.examples["fires"] if "text" in one and all(name.startswith(SUBJECTS) for name in one.get("facts") or ())]


def _machines(rule: rules.Rule) -> list[dict[str, Any]]:
    """Examples whose text, if there is one, shows nothing that the rule asks for."""
    asked = {tuple(name.split(".")[1:3]) for name in rule.when.names if name.startswith("seen.")}
    return [one for one in rule.examples["fires"] if one.get("facts") and asked.isdisjoint((hit.rule, hit.group) for hit in _found(one).hits)]


BOTH = [rule for rule in BOOK.rules.values() if rule.kind == "cause" and _texts(rule) and _machines(rule)]


@pytest.mark.parametrize("rule", BOTH, ids=lambda rule: rule.id)
def test_a_cause_is_found_through_both_doors(rule: rules.Rule) -> None:
    """Or the more special one that sets it aside."""
    for example in (*_texts(rule), *_machines(rule)):
        found = [finding.id for finding in diagnose(_found(example), BOOK)]
        assert rule.id in found or any(rule.id in BOOK.rules[one].instead_of for one in found if one in BOOK.rules), (example, found)


def test_there_are_forty_and_more() -> None:
    """The two checks show their findings through both doors in tests of their own."""
    of_checks = {row[0] for row in (*test_environment.BOTH, *test_parameters.BOTH)}
    assert len(BOTH) + len(of_checks) >= 50 and len(BOTH) >= 36, (len(BOTH), len(of_checks))
