"""Every recorded machine, collected as if it were this one, gives the facts that its machine.yaml states."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from rocmdoctor.diagnosis import join
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Absent, Fact, Known, Unknown
from rocmdoctor.live.collect import collect

MACHINES = Path(__file__).parents[2] / "fixtures/machines"
NAMES = sorted(file.parent.name for file in MACHINES.glob("*/machine.yaml"))


def about(name: str) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((MACHINES / name / "machine.yaml").read_text(encoding="utf-8"))
    return data


@cache
def facts_of(name: str) -> dict[str, Fact]:
    snapshot, _ = collect("2026-01-01T00:00:00Z", root=str(MACHINES / name))
    assert not [run for run in snapshot.runs if run.ended != "ok"]
    join.join(snapshot.facts)
    return snapshot.facts


def stored_key(facts: dict[str, Fact], stated: str) -> str:
    """A stated GPU is named by its PCI address; a snapshot numbers them."""
    name, address = vocabulary.split_key(stated)
    if vocabulary.entity(name) != "gpu":
        return stated
    for item in items_of(facts):
        held = facts.get(vocabulary.key("gpu.pci_address", item))
        if isinstance(held, Known) and held.value == address:
            return vocabulary.key(name, item)
    raise AssertionError(f"no GPU at {address}")


@pytest.mark.parametrize("name", NAMES)
def test_facts_of_a_recorded_machine(name: str) -> None:
    facts = facts_of(name)
    wrong = {}
    for stated, value in about(name)["facts"].items():
        fact = facts.get(stored_key(facts, stated))
        if not isinstance(fact, Known) or fact.value != value or type(fact.value) is not type(value):
            wrong[stated] = (value, fact)
    assert not wrong


@pytest.mark.parametrize("name", NAMES)
def test_stated_facts_are_declared_and_the_origin_is_named(name: str) -> None:
    machine = about(name)
    assert machine["id"] == name
    assert machine["url"].startswith("https://")
    assert [fact for fact in machine["facts"] if not vocabulary.declared(vocabulary.split_key(fact)[0])] == []


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_this_machine_leaks_into_a_recorded_one(name: str) -> None:
    """What needs the live driver or a live interpreter is unknown, never a value of the machine that replays."""
    known = [key for key, fact in facts_of(name).items()
             if isinstance(fact, Known) and key.startswith(("vk.", "torch.", "pip.", "vulkan.instance")) and not fact.source.startswith("C:\\")]
    assert known == []


def test_a_machine_without_rocm_says_so() -> None:
    assert isinstance(facts_of("no-amd-gpu")["rocm.path"], Absent)


def test_why_vulkan_was_not_asked() -> None:
    fact = facts_of("wsl")["vulkan.instance_version"]
    assert isinstance(fact, Unknown)
    assert fact.reason == "skipped"


def test_partitions_of_one_card_are_one_pci_device() -> None:
    facts = facts_of("mi300x-cpx")
    counted = facts["pci.amd_gpu_count"]
    nodes = facts["kfd.gpu_nodes"]
    assert isinstance(counted, Known) and isinstance(nodes, Known)
    assert counted.value == 2
    assert nodes.value == 10
