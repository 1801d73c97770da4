"""A policy from a good machine: what it has now, with room where values move by themselves."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from typing import Any

from rocmdoctor.compare.differences import IDLE_LINK
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.preflight.expectations import kind_of
from rocmdoctor.preflight.wanted import plain_version
from rocmdoctor.share.wash import wash

GIB = 1 << 30
_BIGGEST = 1 << 62
_TYPES: dict[str, Any] = {"int": int, "float": (int, float), "str": str, "bool": bool}
_MODES = ("iommu=pt", "amd_iommu=on", "pci=realloc", "pci=bfsort")


def draft(facts: dict[str, Fact], name: str, taken: str) -> str | None:
    """The text of a policy that this machine passes, None when it has no AMD GPU. Facts that are not known, or of which no
    expectation can be made (a saved snapshot may be damaged), are left out."""
    items = items_of(facts)
    if not items or not getattr(facts.get("pci.amd_gpu_count"), "value", None):
        return None
    count = _known(facts, "pci.amd_gpu_count")

    def every(fact: str) -> list[Any]:
        """The distinct values over all GPUs; nothing unless every GPU has one."""
        values = [_known(facts, vocabulary.key(fact, item)) for item in items]
        return [] if None in values else sorted(set(values), key=str)

    sections: dict[str, list[tuple[str, str]]] = {}

    def put(path: str, *texts: str, quote: bool = True) -> None:
        kind = kind_of(path)
        try:
            assert kind
            kind.takes(list(texts))
        except (ValueError, ArithmeticError):
            return
        shown_texts = [_quoted(each) if quote else each for each in texts]
        text = shown_texts[0] if len(texts) == 1 else "[" + ", ".join(shown_texts) + "]"
        section, _, leaf = path.partition(".")
        sections.setdefault(section, []).append((leaf, text))

    def same(path: str, fact: str) -> None:
        values = every(fact)
        if values:
            put(path, *values)

    def least(path: str, fact: str, shown: Callable[[Any], str] = str) -> None:
        values = every(fact)
        if values:
            put(path, ">=" + shown(min(values)))

    put("gpus.count", str(count), quote=False)
    same("gpus.gfx", "gpu.gfx_target")
    same("gpus.pci_id", "gpu.pci_id")
    same("gpus.driver", "gpu.driver")
    same("gpus.vbios", "gpu.vbios")
    nodes = _known(facts, "kfd.gpu_nodes")
    if nodes is not None and count is not None:
        put("gpus.all_in_kfd", "true" if nodes >= count else "false", quote=False)
    for path, fact in (("versions.kernel", "kernel.release"), ("versions.driver", "amdgpu.version"), ("versions.mesa", "vulkan.mesa_version"),
                       ("versions.rocm", "runtime.rocm_version")):
        with contextlib.suppress(ValueError):
            put(path, f">={plain_version(_known(facts, fact))}")
    same("partitions.compute", "gpu.compute_partition")
    same("partitions.memory", "gpu.memory_partition")
    least("memory.vram", "gpu.vram_bytes", lambda size: f"{size / GIB * 0.99:.2f}GiB")
    ram = _known(facts, "memory.ram_bytes")
    if ram:
        put("memory.ram", f">={ram / GIB * 0.97:.2f}GiB")
    least("pcie.width", "gpu.link_width")
    if not set(every("gpu.link_speed_gts")) & set(IDLE_LINK):
        least("pcie.speed", "gpu.link_speed_gts")
    if every("gpu.atomics") == [True]:
        put("pcie.atomics", "true", quote=False)
    if any(every("gpu.xgmi_links")):
        least("xgmi.links", "gpu.xgmi_links")
    for path, fact in (("ras.uncorrectable", "gpu.ras_ue_count"), ("ras.bad_pages", "gpu.bad_pages")):
        if every(fact):
            most = max(every(fact))
            put(path, f"<={most}" if most else "0", quote=bool(most))
    iommu = _known(facts, "machine.iommu")
    if iommu is not None:
        put("system.iommu", iommu)
    balancing = _known(facts, "kernel.numa_balancing")
    if balancing is not None and len(items) > 1:
        put("system.numa_balancing", "true" if balancing else "false", quote=False)
    words = str(_known(facts, "kernel.cmdline") or "").split()
    chosen = [word for word in words if word in _MODES or word.startswith(("amdgpu.", "ttm.", "amdttm."))]
    if chosen:
        put("system.parameters", *chosen)
    for path, fact in (("access.kfd", "dev.kfd_openable"), ("access.render", "dev.render_openable")):
        if _known(facts, fact) is True:
            put(path, "true", quote=False)
    put("findings.severity", "critical", quote=False)
    lines = [f"# Made from one machine on {wash(taken[:10])}. Loosen what may differ, tighten what may not; `rocmdoctor preflight lint` checks it.",
             f"name: {_quoted(wash(name) or 'this-machine')}", "expect:"]
    for section, leaves in sections.items():
        lines += [f"  {section}:", *(f"    {leaf}: {text}" for leaf, text in leaves)]
    return "\n".join(lines) + "\n"


def _known(facts: dict[str, Fact], key: str) -> Any:
    """The value, where it is one that the fact can have: of its declared type, counts and sizes not negative, texts printable."""
    fact = facts.get(key)
    value: Any = fact.value if isinstance(fact, Known) else None
    declared = _TYPES[vocabulary.FACTS[vocabulary.split_key(key)[0]].type]
    if not isinstance(value, declared) or (isinstance(value, bool) and declared is not bool):
        return None
    return value if (value.isprintable() if isinstance(value, str) else 0 <= value <= _BIGGEST) else None


def _quoted(text: str) -> str:
    """A JSON text is a YAML text, whatever is in it; escapes of characters beyond 16 bits are not, so those stay as they are."""
    return json.dumps(text, ensure_ascii=False)
