"""Look-ups in ``rules/data``: what ages lives there, with its source, and nowhere in code."""

from __future__ import annotations

import functools
import re
from typing import Any

from rocmdoctor.knowledge import compiled


@functools.cache
def load(name: str) -> Any:
    """The table ``rules/data/<name>.yaml`` as plain data."""
    return compiled.part(f"data/{name}.yaml")


@functools.cache
def _targets() -> dict[str, dict[str, Any]]:
    rows = load("gfx_targets")["targets"]
    return {str(row["gfx"]): row for row in rows}


@functools.cache
def gfx_of_pci() -> dict[str, dict[str, Any]]:
    """PCI id (``1002:1586``) to its row in ``pci_ids``."""
    rows = load("pci_ids")["devices"]
    return {"1002:" + str(row["device"]).lower().removeprefix("0x"): row for row in rows}


def gfx_name(version: int) -> str:
    """KFD's decimal gfx_target_version (MMmmss) as a name.

    >>> [gfx_name(v) for v in (90402, 90010, 110501, 110003, 120001, 80003)]
    ['gfx942', 'gfx90a', 'gfx1151', 'gfx1103', 'gfx1201', 'gfx803']
    """
    return f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"


def family(gfx: str) -> str:
    """Name of the ISA family, "" when the target is not in the table."""
    gfx = gfx.split(":")[0]
    return next((str(row["family"]) for row in load("gfx_targets")["isa_families"] if gfx in row["members"]), "")


def generation(gfx: str) -> str:
    """The generation people name a GPU by: gcn4, gcn5, rdna1 to rdna4, rdna3.5, cdna1 to cdna4; "" when the table lacks the target.

    >>> [generation(gfx) for gfx in ("gfx803", "gfx906", "gfx1031", "gfx1151", "gfx90a", "gfx1201", "gfx1")]
    ['gcn4', 'gcn5', 'rdna2', 'rdna3.5', 'cdna2', 'rdna4', '']
    """
    arch = str(_targets().get(gfx.split(":")[0], {}).get("arch") or "").lower()
    found = re.findall(r"(?:gcn|rdna|cdna)\d(?:\.5)?", arch)
    return found[-1] if found else ""


def code_name(gfx: str) -> str:
    """What AMD calls the chip; "" where several have the target or nobody knows.

    >>> code_name("gfx1151"), code_name("gfx902"), code_name("gfx1")
    ('Strix Halo', '', '')
    """
    names = _targets().get(gfx.split(":")[0], {}).get("codenames") or ()
    return str(next(iter(names))) if len(names) == 1 and not any("unannounced" in str(name) for name in names) else ""


def covers(targets: list[Any], gfx: str) -> bool:
    """Whether a list of compiled targets serves ``gfx``: itself, or a generic ISA of its line."""
    gfx = gfx.split(":")[0]
    names = {str(target).split(":")[0] for target in targets}
    row = _targets().get(gfx, {})
    return gfx in names or str(row.get("llvm_generic_target") or "-") in names


def override_for(gfx: str) -> str:
    """The HSA_OVERRIDE_GFX_VERSION that is known to work for ``gfx``, "" when none is."""
    row = _targets().get(gfx.split(":")[0], {})
    value = row.get("hsa_override") if str(row.get("override_verdict")).startswith(("known-good", "works")) else None
    found = re.search(r"\d+\.\d+\.\d+", str(value or ""))
    return found.group() if found else ""


def sibling_for(gfx: str) -> str:
    """The HSA_OVERRIDE_GFX_VERSION of a target of the same instruction set, for an experiment; "" where a known one, or none, is to be used.

    >>> sibling_for("gfx90c"), sibling_for("gfx1013"), sibling_for("gfx1010"), sibling_for("gfx1032")
    ('9.0.0', '10.1.0', '', '')
    """
    row = _targets().get(gfx.split(":")[0], {})
    value = str(row.get("hsa_override") or "")
    if override_for(gfx) or not value or row.get("override_verdict") not in ("experimental", "risky"):
        return ""
    return value if family(gfx_of_override(value)) == family(gfx) else ""


def gfx_of_override(value: str) -> str:
    """The target that a value of HSA_OVERRIDE_GFX_VERSION names, "" for one that is not well-formed.

    >>> gfx_of_override("10.3.0"), gfx_of_override("9.0.10"), gfx_of_override("gfx1100")
    ('gfx1030', 'gfx90a', '')
    """
    if not re.fullmatch(r"\d{1,2}\.\d{1,3}\.\d{1,3}", value):
        return ""
    major, minor, step = map(int, value.split("."))
    return f"gfx{major}{minor:x}{step:x}"


def wheel_targets(version: str) -> list[str]:
    """The gfx targets in the torch wheel of pytorch.org with this version; raises ValueError when the table has none.

    >>> "gfx1151" in wheel_targets("2.9.1+rocm6.4"), "gfx1151" in wheel_targets("2.11.0+rocm7.2")
    (False, True)
    """
    targets = load("pytorch_wheels")["targets_by_suffix"].get(version.partition("+")[2])
    if targets is None:
        raise ValueError(f"no list of targets for torch {version!r}")
    return list(targets)


@functools.cache
def _official() -> frozenset[str]:
    table = load("rocm_support")["official_gfx"]
    return frozenset(re.findall(r"gfx[0-9a-f]+", str(table)))


def official(gfx: str) -> bool:
    """Whether AMD's support list names the target in any current release."""
    return gfx.split(":")[0] in _official()


def kind(gfx: str) -> str:
    """``apu`` or ``dgpu`` as the table says, "" when it does not or the target is both."""
    value = str(_targets().get(gfx.split(":")[0], {}).get("kind") or "")
    return value if value in ("apu", "dgpu") else ""


def bandwidth(product: str, gfx: str) -> float:
    """Bytes a second of the memory of a GPU: of the product that ``product`` names, else the least of those with this target; 0 when not known.

    >>> bandwidth("AMD Radeon RX 7900 XT", "gfx1100"), bandwidth("", "gfx1100"), bandwidth("", "gfx1")
    (800000000000.0, 576000000000.0, 0)
    """
    table = load("bandwidth")
    rows = [row for row in (*table["dgpu"], *table["apu"]) if str(row["gfx"]) == gfx.split(":")[0]]
    named = [row for row in rows if re.search(rf"\b{re.escape(str(row['product']))}(?! ?(?:XTX?|GRE)\b)", product)]
    return min((float(row["bw"]) * 1e9 for row in named or rows), default=0)
