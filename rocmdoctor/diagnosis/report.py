"""Findings to a Report: verdict, ladder of layers, the flat digest, what could not be examined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rocmdoctor import __version__
from rocmdoctor.diagnosis import kernel_table, subjects
from rocmdoctor.diagnosis.checks import known_defects
from rocmdoctor.diagnosis.diagnose import diagnose
from rocmdoctor.diagnosis.fitted import fitted
from rocmdoctor.diagnosis.rungs import rungs
from rocmdoctor.facts.items import items_of, values
from rocmdoctor.facts.model import LOUD, Finding, Known, Missing, Report, Snapshot, Unknown
from rocmdoctor.facts.sections import Comparison, Moment
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.llm import picture as llm_picture
from rocmdoctor.memory.need import Setting
from rocmdoctor.memory.picture import Asked, picture, verdicts
from rocmdoctor.records import replace

if TYPE_CHECKING:
    from rocmdoctor.compare.changes import Before

_DIGEST = {
    "gfx_target": "gpu.gfx_target", "kernel": "kernel.release", "rocm_version": "runtime.rocm_version",
    "ollama_version": "ollama.version", "llama_cpp_build": "llama.build", "torch_version": "torch.version",
    "mesa_version": "vulkan.mesa_version", "driver_version": "windows.driver_version",
    "hsa_override": "env.HSA_OVERRIDE_GFX_VERSION", "pci_id": "gpu.pci_id",
}
def _values(snapshot: Snapshot, name: str) -> list[Any]:
    return list(dict.fromkeys(value for value in values(snapshot.facts, name) if not isinstance(value, (list, dict))))


def digest(snapshot: Snapshot) -> dict[str, Any]:
    """The flat facts that people and scripts ask for first; a list where there are several."""
    found = {short: _values(snapshot, name) for short, name in _DIGEST.items()}
    found["driver_version"] = found["driver_version"] or _values(snapshot, "amdgpu.version") or _values(snapshot, "opencl.driver_version")
    found["pci_id"] = found["pci_id"] or _values(snapshot, "gpu.pci_address")  # what the text names the device by
    tag, build = snapshot.facts.get("llama.tag"), snapshot.facts.get("llama.build")
    if isinstance(tag, Known) and isinstance(build, Known) and tag.source == build.source:
        found["llama_cpp_build"] = [tag.value]  # as the text writes it
    mentioned = snapshot.facts.get("report.gfx_mentioned")
    if not found["gfx_target"] and isinstance(mentioned, Known):
        found["gfx_target"] = mentioned.value[:1]
    return {k: v if k == "gfx_target" else v[0] if len(v) == 1 else v for k, v in found.items() if v}


def _no_gpu(snapshot: Snapshot) -> Finding:
    others = snapshot.facts.get("pci.other_gpus")
    names = ", ".join(map(str, others.value)) if isinstance(others, Known) and others.value else ""
    if snapshot.origin == "read":
        return Finding(
            "no-amd-gpu", "cause", "info", "platform", "", "No AMD GPU in what was read",
            "These files show a machine without an AMD GPU" + (f": they name {names}, which rocmdoctor does not diagnose." if names else "."),
            "If a card is fitted, it is not listed there: say so in a line of text beside the files, or add the output of `lspci -nn`.", rank=1)
    return Finding(
        "no-amd-gpu", "cause", "info", "platform", "", "No AMD GPU on the PCI bus",
        "This machine has no AMD GPU that the kernel can see"
        + (f"; it has {names}, which rocmdoctor does not diagnose." if names else "."),
        "If a card is fitted, it is not enumerated: check the slot, the power cables and the BIOS.", rank=1)


SINCE_UPDATE = 'Began with an update? `rocmdoctor compare --since "last week"` names suspects.'
MEMORY = ("wrong-memory-size", "out-of-memory", "memory-leak")


def _without_gpu(snapshot: Snapshot) -> bool:
    """Whether it is known that no AMD GPU is there, or that the files are about another maker's."""
    if snapshot.origin == "read":
        return subjects.of_other_makers(snapshot.facts)
    count, dxg, family = (snapshot.facts.get(name) for name in ("pci.amd_gpu_count", "wsl.dxg", "os.family"))
    if isinstance(family, Known) and family.value == "wsl" or isinstance(dxg, Known) and dxg.value:  # the GPU is not on the bus there
        return False
    answers = any(str(value).startswith("1002:") for value in _values(snapshot, "vk.pci_id"))  # a driver speaks for an AMD GPU
    return not answers and snapshot.origin == "live" and isinstance(count, Known) and count.value == 0 and not items_of(snapshot.facts) and all(
        hit.source == "kernel log" for hit in snapshot.hits)


def _missing(snapshot: Snapshot) -> list[Missing]:
    """What could not be read, and why."""
    return [Missing(key, fact.reason + (f": {fact.detail}" if fact.detail else ""), fact.command) for key, fact in snapshot.facts.items()
            if isinstance(fact, Unknown) and fact.reason not in ("not_applicable", "not_collected")]


def make_report(snapshot: Snapshot, book: Rulebook, asked: Sequence[Asked] = (), default_setting: Setting | None = None,
                only: Sequence[str] = (), before: Before | None = None) -> Report:
    """The one object that every renderer gets. ``asked`` are models to judge; ``only`` keeps the findings about some symptoms;
    ``before`` is what the snapshot is compared with."""
    changed = before.comparison(snapshot) if before else None
    if changed:
        from rocmdoctor.compare import changes as compared  # few reports compare
        from rocmdoctor.compare import finding as comparison

        snapshot = replace(snapshot, facts={**snapshot.facts, **compared.changed_facts(changed)})
    none = _without_gpu(snapshot)
    setting = default_setting or Setting(int(tables.load("memory_limits")["default_context"]["value"]))
    llm = llm_picture.pictures(snapshot.facts)
    memory = None if none else picture(snapshot.facts, asked, setting)
    findings = diagnose(snapshot, book, only) if not none or llm else []
    if none:  # without a GPU of its own the machine can still run a server that was asked
        findings = [*(f for f in findings if llm_picture.concerns(f, book.rules)), _no_gpu(snapshot)]
    if changed and (not none or snapshot.facts.get("changed.devices") == Known(True, "comparison")):
        findings = comparison.placed(changed, findings)
    told = any((hit.rule, hit.group) == ("story", "since_update") for hit in snapshot.hits) and "updates.history" not in snapshot.facts
    fitted(findings, snapshot.facts, memory, told)
    findings = [*verdicts(memory, asked), *findings]
    for rank, finding in enumerate(findings, 1):
        finding.rank = rank
    missing = _missing(snapshot)
    loud = [f for f in findings if f.severity in LOUD]
    layers = rungs(snapshot.facts, findings)
    examined = all(layer.status == "ok" for layer in layers if layer.name in ("platform", "driver"))
    cut_off = any(m.reason.startswith(("timed_out", "stuck", "crashed")) for m in missing)
    verdict: Any = "problems" if loud else "no_amd_gpu" if none else "healthy" if examined and not cut_off else "unknown"
    return Report(__version__, snapshot.origin, verdict, layers, findings, digest(snapshot), snapshot,
                  missing, [*[SINCE_UPDATE] * (told and bool(loud)), *snapshot.notes, *book.problems, *known_defects.notes(snapshot.taken)],
                  memory=memory, changes=changed, kernels=kernel_table.of(snapshot.facts) or None, llm=llm or None,
                  timeline=_timeline(snapshot, findings, changed))


def _timeline(snapshot: Snapshot, findings: list[Finding], changed: Comparison | None) -> list[Moment] | None:
    if not changed and not any(name in snapshot.facts for name in ("updates.history", "checks.history")):
        return None
    from rocmdoctor.compare import timeline  # of trouble with a history only

    return timeline.timeline(snapshot, findings, changed) or None
