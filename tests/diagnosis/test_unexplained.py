"""A symptom without a known cause still gets an answer: what is known, what decides, where to report."""

import pytest

from rocmdoctor.diagnosis import unexplained
from rocmdoctor.facts.model import Known, Unknown
from rocmdoctor.knowledge import rules, tables

BOOK = rules.load()
SYMPTOMS = [rule.id for rule in BOOK.rules.values() if rule.kind == "symptom"]


@pytest.mark.parametrize("symptom", SYMPTOMS)
def test_every_symptom_says_what_would_narrow_it_down(symptom):
    row = tables.load("next_steps")["symptoms"][symptom]
    assert row["decide"] and row["attach"]


def test_the_report_goes_to_the_application_or_for_a_drivers_fault_to_the_driver():
    facts = {"report.apps": Known(["ollama"], "text")}
    assert "ollama/ollama" in unexplained.advice("slow", "app", facts)[2].detail
    assert "drm/amd" in unexplained.advice("gpu-hang", "driver", facts)[2].detail
    assert "ROCm/ROCm" in unexplained.advice("kernel-missing", "runtime", {})[2].detail


def test_a_name_in_prose_does_not_prove_that_the_gpu_is_reached():
    assert unexplained.advice("slow", "app", {"gpu.gfx_reported[0]": Known("gfx1100", "text")})[0].startswith("Nothing")
    assert "KFD" in unexplained.advice("slow", "app", {"gpu.kfd_pool_bytes[0]": Known(1 << 34, "rocminfo.txt:90")})[0]


@pytest.mark.parametrize("facts", [{"about.app": Known(["ollama"], "a"), "report.program": Known(["ds4"], "a")}, {"about.app": Known(["ollama"], "a")},
                                   {"about.app": Known(["blender"], "a")}, {"report.program": Known(["ds4"], "a")}], ids=str)
def test_another_release_of_the_program_is_tried_once(facts):
    steps = unexplained.experiments(["crash"], facts, lambda name: facts.get(name, Unknown("not_collected")))
    assert sum("newest release" in step.title for step in steps) == 1
