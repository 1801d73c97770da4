"""The device that a log says it uses, against the GPUs that are there: the integrated one beside a card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _gpus, _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import Hit
from rocmdoctor.knowledge import products, tables
from rocmdoctor.knowledge.rules import Rulebook

_UNNAMED = later.pattern(r"AMD Radeon ?(?:\(TM\)|™)? Graphics\b")  # what drivers call integrated graphics; cards have a model
_TARGET = later.pattern(r"\bgfx[1-9][0-9a-f]{2,3}\b")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """A cause where every device that is named as used is integrated, and a card is there."""
    used = [(hit, _device(hit)) for hit in seen.hits_of("seen.devices.chosen")]
    integrated = [(hit, name) for hit, (name, kind) in used if kind == "apu"]
    cards = {gfx: name for gfx, name in _gpus.fitted(seen).items() if tables.kind(gfx) == "dgpu"}
    if not integrated or not cards or any(kind == "dgpu" for _, (_, kind) in used):
        return
    hit, igpu = integrated[0]
    gfx, name = next(iter(cards.items()))
    number = _number(seen, gfx)
    row = _row(seen, hit)
    values: dict[str, Any] = {"igpu": igpu, "card": _gpus.shown(gfx, name), "n": number, "choose": str(row["do"]).replace("{n}", number),
                              "commands": [line.replace("{n}", number) for line in row["commands"]]}
    one = _words.judged("chosen_device", "integrated-gpu-chosen-beside-card", seen, values, ("about.gpu",), hits=[one for one, _ in integrated][:2])
    if one.explained:
        yield one


def _device(hit: Hit) -> tuple[str, str]:
    """(how the line names the device, apu or dgpu as far as that says it)."""
    name = (hit.captures.get("name") or "").strip()
    gfx = hit.captures.get("gfx") or products.gfx_of_name(name)
    if gfx:
        return (f"{name}, {gfx}" if name and gfx not in name.lower() else name or gfx), tables.kind(gfx)
    return name, "apu" if _UNNAMED.match(name) else ""


def _number(seen: Evidence, card: str) -> str:
    """The place of the card in a line that lists the agents; else N."""
    for hit in seen.hits_of("seen.devices.listed"):
        targets = _TARGET.findall(hit.text)
        if card in targets:
            return str(targets.index(card))
    return "N"


def _row(seen: Evidence, hit: Hit) -> dict[str, Any]:
    """How the program at hand is told, the application's own way first."""
    vulkan = re.search(r"vulkan|RADV|DXVK", " ".join((hit.text, *hit.around)), re.I) is not None
    backend = "vulkan" if vulkan else "hip"
    apps = [*seen.texts("about.app"), ""]
    rows = [row for app in apps for row in tables.load("device_choice")["rows"] if row["app"] == app and row.get("backend", backend) == backend]
    return dict(rows[0])
