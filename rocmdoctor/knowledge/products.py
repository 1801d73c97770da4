"""Product names, code names and PCI ids to gfx targets, from the tables in ``rules/data`` (read on first use)."""

from __future__ import annotations

import re
from functools import lru_cache

from rocmdoctor import later
from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass
from rocmdoctor.texts.lines import gfx as written_gfx

_RADV_NAME = later.pattern(r"\(RADV ([A-Z0-9_]{3,24})\)", re.IGNORECASE)
_WORD = later.pattern(r"[a-z]+|[0-9]+")
_GAP = later.pattern(r"(?:\s*\((?:tm|r)\))?[ \t_+-]{0,2}|\+? pro ", re.IGNORECASE)
_OTHERS = later.pattern(r"\b(?:geforce|nvidia|quadro|tesla|gtx?|rtx|gts|mx)[ -]{1,2}$")  # before a number that is a card of another maker then
_LONGEST = 7
_MAXIMUM = 64


@dataclass(frozen=True, slots=True)
class Product:
    """A product named in a text. ``kind``: card, chip (a code name) or cpu (a processor that implies graphics)."""

    name: str
    gfx: str
    kind: str
    start: int
    end: int


@lru_cache(maxsize=1)
def _names() -> dict[tuple[str, ...], tuple[str, str, str]]:
    table = tables.load("products")["products"]
    return {tuple(str(words).split()): (str(row[0]), str(row[1]), str(row[2])) for words, row in table.items()}


@lru_cache(maxsize=1)
def _first_words() -> frozenset[str]:
    return frozenset(words[0] for words in _names())


@lru_cache(maxsize=1)
def _radv() -> dict[str, str]:
    return {str(name): str(gfx) for name, gfx in tables.load("products")["radv"].items()}


def gfx_of_pci_id(pci_id: str) -> str:
    """The physical target of ``1002:1586`` (or ``0x1586``, ``1586``), "" when the table lacks it.

    >>> gfx_of_pci_id("1002:1586"), gfx_of_pci_id("0x744C"), gfx_of_pci_id("10de:2488")
    ('gfx1151', 'gfx1100', '')
    """
    vendor, _, device = pci_id.lower().rpartition(":")
    if vendor not in ("", "1002", "0x1002"):
        return ""
    return str(tables.gfx_of_pci().get("1002:" + device.removeprefix("0x"), {}).get("gfx") or "")


def radv_gfx(name: str) -> str:
    """The target that the code name of a RADV device tells, "" when there is none.

    >>> radv_gfx("AMD Radeon Graphics (RADV GFX1151)"), radv_gfx("AMD Radeon (RADV NAVI31)"), radv_gfx("AMD Radeon")
    ('gfx1151', 'gfx1100', '')
    """
    found = _RADV_NAME.search(name)
    if not found:
        return ""
    return written_gfx(found[1]) or _radv().get(found[1].lower(), "")


def gfx_of_name(name: str) -> str:
    """The target that a device name implies, "" when it says nothing.

    >>> gfx_of_name("AMD Radeon Graphics (RADV GFX1151)"), gfx_of_name("AMD Radeon 890M Graphics (RADV STRIX1)")
    ('gfx1151', 'gfx1150')
    >>> gfx_of_name("AMD Radeon(TM) 8060S Graphics"), gfx_of_name("AMD Radeon Graphics")
    ('gfx1151', '')
    """
    name = name[:400]
    told = written_gfx(name) or radv_gfx(name)
    if told:
        return told
    found = find(name)
    return found[0].gfx if found else ""


def has_own_memory(name: str, pci_id: str = "") -> bool:
    """Whether a GPU has VRAM beside the RAM, by its id, else by its name. A target alone says nothing: it may be that of an override.

    >>> has_own_memory("AMD Radeon RX 7900 XTX"), has_own_memory("AMD Radeon 890M"), has_own_memory("AMD Radeon Graphics"), has_own_memory("", "1002:744c")
    (True, False, False, True)
    """
    return tables.kind(gfx_of_pci_id(pci_id) if pci_id else gfx_of_name(name)) == "dgpu"


def _glued(words: tuple[str, ...], index: int) -> bool:
    """Whether the word must touch its neighbour: the S of 8060S, the 300 of MI300X, the 6800 of W6800."""
    word, before = words[index], words[index - 1]
    return (len(word) == 1 and before.isdigit()) or before in ("mi", "w", "v") or (before == "r" and len(word) == 4)


def find(text: str) -> list[Product]:
    """Products in the order of the text, the longest name at each place.

    >>> [(p.name, p.gfx) for p in find("RX 6700 XT and RX7900XTX, an MI300X, 780MB")]
    [('AMD Radeon RX 6700 XT', 'gfx1031'), ('AMD Radeon RX 7900 XTX', 'gfx1100'), ('AMD Instinct MI300X', 'gfx942')]
    >>> [(p.name, p.kind) for p in find("Ryzen AI Max+ 395, Strix Halo")]
    [('Ryzen AI Max', 'cpu'), ('Strix Halo', 'chip')]
    >>> find("NVIDIA Corporation GK208M [GeForce GT 740M]"), find('{"w7900": []}'), find("Radeon 740M")[0].gfx
    ([], [], 'gfx1103')
    """
    table, first = _names(), _first_words()
    lowered = text.lower()
    if len(lowered) != len(text):
        lowered = "".join(char.lower() if char.isascii() else "?" for char in text)
    words = [(found[0], found.start(), found.end()) for found in _WORD.finditer(lowered)]
    products: list[Product] = []
    at = 0
    while at < len(words) and len(products) < _MAXIMUM:
        word, start, _ = words[at]
        if word not in first or (start and (lowered[start - 1].isalnum() or lowered[start - 1] in "_=:")):
            at += 1
            continue
        best, taken = None, 0
        run: tuple[str, ...] = ()
        for length in range(min(_LONGEST, len(words) - at)):
            if length:
                gap = lowered[words[at + length - 1][2]:words[at + length][1]]
                if len(gap) > 8 or not _GAP.fullmatch(gap):
                    break
                if gap and _glued((*run, words[at + length][0]), length):
                    break
            run = (*run, words[at + length][0])
            end = words[at + length][2]
            if run in table and not lowered[end:end + 1].isalnum():
                best, taken = table[run], length + 1
        end = words[at + taken - 1][2]
        if best is None or word.isdigit() and _OTHERS.search(lowered, max(0, start - 24), start) or lowered[end:end + 2] == '":':  # a key names what may be
            at += 1
            continue
        products.append(Product(best[1], best[0], best[2], start, end))
        at += taken
    return products
