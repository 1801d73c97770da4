"""What the facts say of the servers that were asked: a pure function, so a saved snapshot gives the same picture."""

from __future__ import annotations

from collections.abc import Mapping

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Finding
from rocmdoctor.facts.sections import LlmServer
from rocmdoctor.facts.sizes import words
from rocmdoctor.knowledge.rules import Rule
from rocmdoctor.memory.machine import Facts

_DEVICE = {"gpu": "says: on the GPU", "cpu": "says: on the CPU", "mixed": "says: partly on the CPU"}


def pictures(facts: Mapping[str, Fact]) -> list[LlmServer]:
    """One per server."""
    held = Facts(dict(facts))
    return [_one(held, item) for item in items_of(held.all, "llm")]


def concerns(finding: Finding, rules: Mapping[str, Rule]) -> bool:
    """Whether a finding is about a server that was asked."""
    rule = rules.get(finding.id)
    return rule is not None and (rule.for_each == "llm" or any(name.startswith("llm.") for name in rule.when.names)
                                 and any(e.fact.startswith("llm.") for e in finding.evidence))


def _number(held: Facts, name: str, item: str) -> float | None:
    fact = held.known(f"llm.{name}", item)
    return float(fact.value) if fact and isinstance(fact.value, (int, float)) and not isinstance(fact.value, bool) else None


def _count(held: Facts, name: str, item: str) -> int | None:
    value = _number(held, name, item)
    return None if value is None else int(value)


def _one(held: Facts, item: str) -> LlmServer:
    def said(name: str) -> str:
        return held.text(f"llm.{name}", item)

    verdict = said("verdict")
    if verdict == "garbage" and said("garbage_kind"):
        verdict += f" ({said('garbage_kind')})"
    version = f" {said('version')}" if said("version") else ""
    backend = f", {said('backend')}" if said("backend") not in ("", "cpu") else ""
    device = _DEVICE.get(said("says_device"), "does not say where its model is") + backend
    return LlmServer(
        item, said("server") + version, said("model"), verdict, said("shown"), _count(held, "right", item), _count(held, "asked", item), device,
        _seen(held, item), _number(held, "generation_tokens_per_s", item), _number(held, "prompt_tokens_per_s", item),
        _number(held, "gpu_ceiling_tokens_per_s", item), _number(held, "cpu_ceiling_tokens_per_s", item),
        said("ceilings_of"), said("speed_verdict"), said("speed_why"))


def _seen(held: Facts, item: str) -> list[str]:
    """The kernel's view meanwhile, in words."""
    found = []
    opened, busy = held.text("llm.holds_gpu", item), _count(held, "gpu_busy_percent", item)
    if opened:
        found.append("a GPU opened by the server" if opened == "True" else "no GPU opened by the server")
    if busy is not None:
        found.append(f"GPU busy {busy}% at most")
    for name, what in (("own_vram_bytes", "VRAM of its own"), ("own_gtt_bytes", "GTT of its own"), ("vram_grew_bytes", "VRAM grew by"),
                       ("gtt_grew_bytes", "GTT grew by")):
        size = _count(held, name, item)
        if size is not None:
            found.append(f"{what} {words(max(size, 0))}")
    return found
