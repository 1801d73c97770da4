"""The machine on a card: GPU, memory, system, software, each row with the rung it stands on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from rocmdoctor.facts.items import items_of, values
from rocmdoctor.facts.model import LOUD, Fact, Known, Report
from rocmdoctor.facts.partitions import partitions
from rocmdoctor.facts.sections import Layer
from rocmdoctor.facts.sizes import words as size
from rocmdoctor.knowledge import applications, products, tables
from rocmdoctor.records import dataclass
from rocmdoctor.render.report.wording import value_words
from rocmdoctor.share.wash import wash

MOST_GPUS = 4


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what it is about, the parts in words, and the rung."""

    label: str
    parts: tuple[str, ...]
    layer: Layer

    @property
    def words(self) -> str:
        """The parts in one line."""
        return " · ".join(self.parts)


@dataclass(frozen=True, slots=True)
class Box:
    """One box of the stack. ``state`` is bad where a finding rests on it, unchecked where nobody looked, else plain."""

    label: str
    words: str
    state: Literal["bad", "unchecked", "plain"]


_BOXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("board", ("machine.product", "machine.board")), ("system", ("os.name", "report.os_said")), ("kernel", ("kernel.release",)),
    ("firmware", ("firmware.package_version",)),
    ("driver", ("windows.adrenalin", "windows.driver_version", "gpu.driver_version", "amdgpu.version")), ("Mesa", ("vulkan.mesa_version",)),
    ("ROCm", ("runtime.rocm_version", "rocm.version", "runtime.hip_version")), ("torch", ("torch.version",)),
)
_EXPECTED = ("kernel", "Mesa", "ROCm", "torch")  # what a machine that was examined is asked for


def stack(report: Report) -> list[Box]:
    """The machine as boxes with versions, hardware first and applications last."""
    facts = report.snapshot.facts
    blamed = {item.fact.split("[")[0] for finding in report.findings if finding.standing != "possible" and finding.severity in LOUD
              for item in finding.evidence if item.fact}
    boxes = [Box("GPU", words, "bad" if blamed & {"gpu.link_width", "gpu.bad_pages", "gpu.ras_ue_count", "gpu.problem_code"} else "plain")
             for words in _gpus(report)]
    memory = blamed & {"gpu.vram_bytes", "gpu.gtt_bytes", "gpu.kfd_pool_bytes", "memory.ram_bytes", "memory.ttm_limit_bytes", "gpu.shared_bytes"}
    boxes += [Box("memory", "; ".join(words), "bad" if memory else "plain") for words in [_memory(facts)] if words]
    windows = bool(_text(facts, "windows.driver_version") or "windows" in _text(facts, "os.family"))
    for label, names in _BOXES:
        words = next((text for name in names if (text := _text(facts, name))), "")
        if words:
            boxes.append(Box(label, words, "bad" if blamed & set(names) else "plain"))
        elif label in _EXPECTED and report.origin == "live" and report.verdict != "no_amd_gpu" and not (windows and label in ("kernel", "Mesa")):
            boxes.append(Box(label, "not checked", "unchecked"))
    apps = blamed & {"app.version", "ollama.version", "llama.build", "llama.tag", "ollama.library", "llama.backend"}
    return boxes + [Box("application", words, "bad" if apps else "plain") for words in _apps(report)]


def card(report: Report) -> list[Row]:
    """The rows of which anything is known, the hardware first."""
    facts = report.snapshot.facts
    rows: list[tuple[str, Iterable[str], Layer]] = [
        ("GPU", _gpus(report), "platform"),
        ("memory", _memory(facts), "platform"),
        ("system", _system(facts), "driver"),
        ("software", _software(report), "runtime"),
        ("apps", _apps(report), "app"),
    ]
    return [Row(label, parts, layer) for label, said, layer in rows if (parts := tuple(filter(None, said)))]


def _one(facts: dict[str, Fact], name: str, item: str = "") -> Any:
    fact = facts.get(f"{name}[{item}]" if item else name)
    return fact.value if isinstance(fact, Known) and fact.value not in ("", [], {}) else None


def _all(facts: dict[str, Fact], name: str) -> list[Any]:
    return list(dict.fromkeys(value for value in values(facts, name) if isinstance(value, (str, int, float)) and value != ""))


def _text(facts: dict[str, Fact], name: str) -> str:
    return wash(next(iter(_all(facts, name)), ""), 60)


def product(facts: dict[str, Fact], item: str) -> str:
    """The name of a GPU, of its PCI id or target where nobody says it; "" when not even these are known."""
    name = _one(facts, "gpu.name", item) or _one(facts, "vk.name", item)
    if name and str(name).strip().lower() not in ("amd radeon graphics", "amd radeon(tm) graphics", "radeon graphics", "amd gpu"):
        return wash(re.sub(r"\s*\(RADV [^)]*\)|\((?:TM|R)\)", "", str(name)).strip(), 60)
    row = tables.gfx_of_pci().get(str(_one(facts, "gpu.pci_id", item) or ""), {})
    revision = str(_one(facts, "gpu.revision", item) or "").removeprefix("0x").upper()
    named = (row.get("names_by_revision") or {}).get(revision) or str(row.get("code_name") or "").split(" [")[0]
    return wash(named or name or "", 60)


def _gpus(report: Report) -> list[str]:
    facts = report.snapshot.facts
    parts = partitions(facts)
    items = [item for item in items_of(facts) if item not in parts]
    named = [item for item in items if product(facts, item) or _one(facts, "gpu.gfx_target", item)]
    shown = [words for item in named or items if (words := _gpu(facts, item))]  # an address beside names is one of these
    if not shown:
        targets = [f"{gfx} ({about})" if (about := _of_target(str(gfx))) else str(gfx) for gfx in report.facts.get("gfx_target") or ()]
        names = _all(facts, "report.gpu_said") or []
        shown = [wash(word, 60) for word in (*names, *targets)][:MOST_GPUS]
    counted = Counter(shown)
    lines = [f"{count} x {words}" if count > 1 else words for words, count in counted.items()]
    return lines[:MOST_GPUS] + ([f"{len(lines) - MOST_GPUS} more"] if len(lines) > MOST_GPUS else [])


def _of_target(gfx: str) -> str:
    """``RDNA3.5 APU``."""
    kind = {"apu": "APU", "dgpu": "card"}.get(tables.kind(gfx), "")
    return " ".join(filter(None, (tables.generation(gfx).upper(), kind)))


def _gpu(facts: dict[str, Fact], item: str) -> str:
    name, gfx = product(facts, item), _one(facts, "gpu.gfx_target", item)
    if not name and not gfx:
        address = _one(facts, "gpu.pci_id", item) or _one(facts, "gpu.pci_address", item)
        return f"AMD GPU {wash(address, 40)}" if address else ""
    gfx = gfx or products.gfx_of_name(name)
    inside = [wash(gfx, 20)] if gfx else []
    vram, apu = _one(facts, "gpu.vram_bytes", item), _one(facts, "gpu.is_apu", item)
    if vram and not apu:
        inside.append(size(vram))
    width, most = _one(facts, "gpu.link_width", item), _one(facts, "gpu.link_max_width", item)
    speed = _one(facts, "gpu.link_max_speed_gts", item) or _one(facts, "gpu.link_speed_gts", item)
    if width and not apu:
        generation = {2.5: " 1.0", 5.0: " 2.0", 8.0: " 3.0", 16.0: " 4.0", 32.0: " 5.0", 64.0: " 6.0"}.get(float(speed or 0), "")
        inside.append(f"PCIe{generation} x{width}" + (f" of x{most}" if most and width < most else ""))
    partition = _one(facts, "gpu.compute_partition", item)
    if partition and partition != "SPX":
        inside.append(f"partitions {wash(partition, 10)}")
    name = name or f"AMD {tables.kind(gfx) == 'apu' and tables.code_name(gfx) or _of_target(gfx) or 'GPU'}"
    return f"{name} ({', '.join(inside)})" if inside else name


def _memory(facts: dict[str, Fact]) -> list[str]:
    """RAM, and of an APU how it is divided; a card's VRAM stands beside its name."""
    ram = _one(facts, "memory.ram_bytes")
    apu = next((item for item in items_of(facts) if _one(facts, "gpu.is_apu", item)), None)
    carve = _one(facts, "gpu.vram_bytes", apu) if apu is not None else None
    if not ram:
        installed = _one(facts, "memory.installed_bytes")
        parts = [f"RAM {size(installed)}"] if installed else []
        return [*parts, f"{size(carve)} set aside for the GPU"] if carve else parts
    if apu is None:
        return [f"RAM {size(ram)}"]
    gtt, shared = _one(facts, "gpu.gtt_bytes", apu), _one(facts, "gpu.shared_bytes", apu)
    parts = [f"RAM {size(carve + ram)}: {size(carve)} set aside for the GPU, {size(ram)} system"] if carve else [f"RAM {size(ram)}"]
    reach = shared or gtt
    return [*parts, f"GPU may use {size(reach)} of the system's ({'shared' if shared else 'GTT'})"] if reach else parts


def _system(facts: dict[str, Fact]) -> list[str]:
    kernel, name = _text(facts, "kernel.release"), _text(facts, "os.name") or _text(facts, "report.os_said")
    firmware = _text(facts, "firmware.package_version")
    driver, adrenalin = _text(facts, "windows.driver_version"), _text(facts, "windows.adrenalin")
    dkms = _text(facts, "amdgpu.version")
    where = next((word for word in (_text(facts, "container.kind"),) if word), "")
    return [name, f"kernel {kernel}" if kernel else "", f"firmware {firmware}" if firmware else "", f"amdgpu {dkms} (DKMS)" if dkms.strip("0.") else "",
            f"Adrenalin {adrenalin}" if adrenalin else "", f"{_driver_of(driver)} {driver}" if driver and driver != adrenalin else "",
            f"in a container ({where})" if where else ""]


def _driver_of(version: str) -> str:
    """What AMD counts on Windows with such a number: 2.0.x is that of the Vulkan driver in the package.

    >>> _driver_of("2.0.250"), _driver_of("32.0.21020.1007")
    ('Vulkan driver', 'driver')
    """
    return "Vulkan driver" if version.startswith("2.0.") else "driver"


def _software(report: Report) -> list[str]:
    facts = report.snapshot.facts
    mesa = _text(facts, "vulkan.mesa_version")
    rocm, torch = _text(facts, "runtime.rocm_version") or _text(facts, "rocm.version"), _text(facts, "torch.version")
    hip = _text(facts, "runtime.hip_version")
    return [f"Mesa {mesa}" if mesa else "", f"ROCm {rocm}" if rocm else f"HIP {hip}" if hip else "", f"torch {torch}" if torch else ""]


def _apps(report: Report) -> list[str]:
    facts = report.snapshot.facts
    found: dict[str, str] = {}
    for key, fact in facts.items():
        if key.startswith("app.name") and isinstance(fact, Known):
            item = key.removeprefix("app.name")
            version = facts.get(f"app.version{item}")
            found[str(fact.value).lower()] = str(version.value) if isinstance(version, Known) else ""
    for app, name in (("ollama", "ollama.version"), ("llama.cpp", "llama.tag"), ("llama.cpp", "llama.build")):
        if (value := _text(facts, name)) and not found.get(app):
            found[app] = value
    return [wash(f"{applications.title(app)} {value_words(version)}".strip(), 60) for app, version in list(found.items())[:6]]
