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
_DEFAULT = 0xfff7bfff  # of the module, where nobody sets one
_SET = ("kernel.cmdline", "amdgpu.modprobe_options")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """Asked where a card was read to lack the file, and the mask in effect is known, or a command line on which nobody sets one."""
    cards = [str(card) for card in seen.value("amdgpu.without_overdrive") or []]
    mask = number(str((seen.value("amdgpu.parameters") or {}).get("ppfeaturemask", "")))
    unset = mask is None and not any("ppfeaturemask" in seen.text(name) for name in _SET) and bool(seen.text("kernel.cmdline"))
    if unset:
        mask = _DEFAULT
    if not cards or mask is None:
        return
    words = {"cards": ", ".join(cards), "mask": f"{mask:#x}", "on": f"{mask | _BIT:#x}"}
    name = "overdrive-not-offered" if mask & _BIT else "overdrive-switched-off"
    if mask & _BIT and tried.pair_told(seen.facts):  # with another version it was there: no limit of the GPU
        return
    used = ("amdgpu.without_overdrive", "kernel.cmdline" if unset else "amdgpu.parameters")
    yield _words.judged(_CHECK, name, seen, words, used)
