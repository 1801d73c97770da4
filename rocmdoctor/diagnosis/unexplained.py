"""A symptom that no known cause explains: what is known, what would narrow it down, where to report it and with what."""

from __future__ import annotations

from typing import Any

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import tables

# What answered, highest layer first: a fact that only a working layer can have given.
_ANSWERED = (
    ("the application put layers on the GPU", "llama.layers_offloaded"), ("PyTorch sees the GPU", "torch.available"),
    ("KFD offers the GPU and its memory", "gpu.kfd_pool_bytes"), ("a Vulkan driver lists a device", "vk.driver"),
    ("the amdgpu module is loaded", "amdgpu.loaded"), ("the GPU is on the PCI bus", "gpu.pci_address"))


def advice(symptom: str, layer: str, facts: dict[str, Fact]) -> tuple[str, list[str], Fix]:
    """(what is known, the commands that would narrow it down, the fix that says where to report)."""
    table = tables.load("next_steps")
    row: dict[str, Any] = table["symptoms"].get(symptom) or {}
    tracker = _tracker(table["trackers"], layer, facts)
    report = Fix(
        f"Report it to {tracker['name']}, with a report of this tool",
        f"At {tracker['url']}. Attach " + (row.get("attach") or "the program's log from its first line") + ".",
        ("rocmdoctor check --markdown --log FILE > report.md",), verify="Search there first: somebody may have found the cause.")
    return _known(facts), list(row.get("decide") or ()), report


def _tracker(trackers: list[dict[str, str]], layer: str, facts: dict[str, Fact]) -> dict[str, str]:
    said = facts.get("report.apps")
    apps = list(said.value) if isinstance(said, Known) and isinstance(said.value, list) else []
    apps += [f.value for key, f in facts.items() if key.startswith("app.name") and isinstance(f, Known)]
    apps += ["ollama"] if isinstance(facts.get("ollama.version"), Known) else []
    apps += ["llama.cpp"] if isinstance(facts.get("llama.build"), Known) else []
    upper = layer in ("app", "framework", "runtime")  # a driver's fault is not the application's
    return next((t for t in trackers if (upper and t.get("app") in apps) or t.get("layer") == layer), trackers[-1])


def _known(facts: dict[str, Fact]) -> str:
    for words, name in _ANSWERED:
        keys = [f"{name}[{item}]" for item in items_of(facts, name.split(".")[0])] or [name]
        if any(isinstance(fact := facts.get(key), Known) and fact.value not in (False, 0) for key in keys):
            return f"As far as these facts go, {words}; the fault lies above that or in it."
    return "Nothing that was read shows how far the GPU is reached."
