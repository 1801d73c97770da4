"""A policy from a good machine: what it has now, with room where values move by themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from rocmdoctor import gpus, vocabulary
from rocmdoctor.differences import IDLE_LINK
from rocmdoctor.model import Fact, Known

GIB = 1 << 30
_MODES = ("iommu=pt", "amd_iommu=on", "pci=realloc", "pci=bfsort")


def draft(facts: dict[str, Fact], name: str, taken: str) -> str | None:
    """The text of a policy that this machine passes, None when it has no AMD GPU. Facts that are not known are left out."""
    items = gpus.items(facts)
    count = _known(facts, "pci.amd_gpu_count")
    if not items or not count:
        return None

    def every(fact: str) -> list[Any]:
        """The distinct values over all GPUs; nothing unless every GPU has one."""
        values = [_known(facts, vocabulary.key(fact, item)) for item in items]
        return [] if None in values else sorted(set(values), key=str)

    sections: dict[str, list[tuple[str, str]]] = {}

    def put(path: str, text: str) -> None:
        section, _, leaf = path.partition(".")
        sections.setdefault(section, []).append((leaf, text))

    def same(path: str, fact: str, shown: Callable[[Any], str] = str) -> None:
        values = every(fact)
        if values:
            shown_values = [shown(value) for value in values]
            put(path, shown_values[0] if len(values) == 1 else "[" + ", ".join(shown_values) + "]")

    def least(path: str, fact: str, shown: Callable[[Any], str] = str) -> None:
        values = every(fact)
        if values:
            put(path, _quoted(">=" + shown(min(values))))

    put("gpus.count", str(count))
    same("gpus.gfx", "gpu.gfx_target", _quoted)
    same("gpus.pci_id", "gpu.pci_id", _quoted)
    same("gpus.driver", "gpu.driver", _quoted)
    same("gpus.vbios", "gpu.vbios", _quoted)
    nodes = _known(facts, "kfd.gpu_nodes")
    if nodes is not None:
        put("gpus.all_in_kfd", "true" if nodes >= count else "false")
    for path, fact in (("versions.kernel", "kernel.release"), ("versions.driver", "amdgpu.version"), ("versions.mesa", "vulkan.mesa_version")):
        value = _known(facts, fact)
        if value is not None and any(char.isdigit() for char in str(value)):
            put(path, _quoted(f">={_plain_version(str(value))}"))
    rocm = _known(facts, "runtime.rocm_version")
    if rocm is not None:
        put("versions.rocm", _quoted(f">={_plain_version(str(rocm))}"))
    same("partitions.compute", "gpu.compute_partition", _quoted)
    same("partitions.memory", "gpu.memory_partition", _quoted)
    least("memory.vram", "gpu.vram_bytes", lambda size: f"{size / GIB * 0.99:.2f}GiB")
    ram = _known(facts, "memory.ram_bytes")
    if ram:
        put("memory.ram", _quoted(f">={ram / GIB * 0.97:.2f}GiB"))
    least("pcie.width", "gpu.link_width")
    if not set(every("gpu.link_speed_gts")) & set(IDLE_LINK):
        least("pcie.speed", "gpu.link_speed_gts")
    if every("gpu.atomics") == [True]:
        put("pcie.atomics", "true")
    if any(every("gpu.xgmi_links")):
        least("xgmi.links", "gpu.xgmi_links")
    for path, fact in (("ras.uncorrectable", "gpu.ras_ue_count"), ("ras.bad_pages", "gpu.bad_pages")):
        if every(fact):
            put(path, str(max(every(fact))) if max(every(fact)) == 0 else _quoted(f"<={max(every(fact))}"))
    iommu = _known(facts, "machine.iommu")
    if iommu is not None:
        put("system.iommu", _quoted(iommu))
    balancing = _known(facts, "kernel.numa_balancing")
    if balancing is not None and len(items) > 1:
        put("system.numa_balancing", "true" if balancing else "false")
    words = str(_known(facts, "kernel.cmdline") or "").split()
    chosen = [word for word in words if word in _MODES or word.startswith(("amdgpu.", "ttm.", "amdttm."))]
    if chosen:
        put("system.parameters", "[" + ", ".join(map(_quoted, chosen)) + "]")
    for path, fact in (("access.kfd", "dev.kfd_openable"), ("access.render", "dev.render_openable")):
        if _known(facts, fact) is True:
            put(path, "true")
    put("findings.severity", "critical")
    lines = [f"# Made from one machine on {taken[:10]}. Loosen what may differ, tighten what may not; `rocmdoctor preflight lint` checks it.",
             f"name: {_quoted(name)}", "expect:"]
    for section, leaves in sections.items():
        lines += [f"  {section}:", *(f"    {leaf}: {text}" for leaf, text in leaves)]
    return "\n".join(lines) + "\n"


def _known(facts: dict[str, Fact], key: str) -> Any:
    fact = facts.get(key)
    return fact.value if isinstance(fact, Known) else None


def _quoted(text: Any) -> str:
    """A JSON text is a YAML text, whatever is in it."""
    return json.dumps(str(text))


def _plain_version(text: str) -> str:
    """The dotted number alone: what stands behind it differs between builds of one version.

    >>> _plain_version("6.17.7-200.fc43.x86_64")
    '6.17.7'
    """
    import re

    found = re.search(r"\d+(?:\.\d+)*", text)
    return found.group() if found else text
