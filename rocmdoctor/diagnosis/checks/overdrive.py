"""A GPU whose clocks cannot be set: the driver offers no OverDrive interface, because it is switched off or because this GPU has none."""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.diagnosis import tried
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.checks.parameters import number
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "overdrive"
_BIT = 0x4000  # PP_OVERDRIVE_MASK


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """Asked where a card was read to lack the file, and the mask in effect is known."""
    cards = [str(card) for card in seen.value("amdgpu.without_overdrive") or []]
    mask = number(str((seen.value("amdgpu.parameters") or {}).get("ppfeaturemask", "")))
    if not cards or mask is None:
        return
    words = {"cards": ", ".join(cards), "mask": f"{mask:#x}", "on": f"{mask | _BIT:#x}"}
    name = "overdrive-not-offered" if mask & _BIT else "overdrive-switched-off"
    if mask & _BIT and tried.pair_told(seen.facts):  # with another version it was there: no limit of the GPU
        return
    yield _words.judged(_CHECK, name, seen, words, ("amdgpu.without_overdrive", "amdgpu.parameters"))
