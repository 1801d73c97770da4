r"""Output of dmidecode: firmware, board and processor as the firmware tells them.

>>> sample = '''# dmidecode 3.5
... Handle 0x0000, DMI type 0, 24 bytes
... BIOS Information
... \tVendor: American Megatrends Inc.
... \tVersion: F40
... \tRelease Date: 03/22/2022
... Handle 0x0001, DMI type 1, 27 bytes
... System Information
... \tManufacturer: Framework
... \tProduct Name: Desktop
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.value)
5 machine.bios_version F40
6 machine.bios_date 03/22/2022
10 machine.product Framework Desktop
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import lazy, lines, size

TRUST = 2
KINDS = frozenset({"hardware_list", "shell", "output", "form"})

MARKS = (", DMI type ",)
_SECTIONS = frozenset({"BIOS Information", "System Information", "Base Board Information", "Processor Information", "Memory Device"})
_FIELD = lazy(r"^[ \t]+(Vendor|Version|Release Date|Manufacturer|Product Name|Size): (\S.{0,120})$")
_UNFILLED = lazy(r"To Be Filled By|System Product Name|Default string|Not Specified|^(?:System |Base Board )?(?:manufacturer|Version)$", re.IGNORECASE)
_SIZE = lazy(r"^(\d{1,7}) ([KMGT]i?B)$")


def recognises(text: str) -> bool:
    """Handles of the tables.

    >>> recognises("Handle 0x0001, DMI type 1, 27 bytes"), recognises("DMI: FOO/BAR, BIOS 1 01/01/2024")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def read(text: str) -> Iterator[Reading]:
    """Firmware, system, board, processor, and the memory modules together; what a maker left unfilled is not told."""
    section, maker, modules, first = "", "", 0, 0
    for number, line in lines(text):
        if line in _SECTIONS or line.startswith("Handle 0x"):
            section, maker = line, ""
            continue
        found = _FIELD.match(line[:200]) if line[:1] in ("\t", " ") else None
        if not found:
            continue
        key, value = found[1], found[2].strip()
        if section == "Memory Device" and key == "Size":
            amount = _SIZE.match(value)
            modules += (size(amount[1], amount[2]) or 0) if amount else 0
            first = first or number
        elif _UNFILLED.search(value):
            continue
        elif section == "BIOS Information" and key in ("Version", "Release Date"):
            yield Reading("machine.bios_version" if key == "Version" else "machine.bios_date", value, line=number)
        elif key == "Manufacturer":
            maker = value
        elif section in ("System Information", "Base Board Information") and key == "Product Name":
            yield Reading("machine.product" if section.startswith("System") else "machine.board", f"{maker} {value}".strip(), line=number)
        elif section == "Processor Information" and key == "Version":
            yield Reading("machine.cpu", " ".join(value.split()), line=number)
    if modules:
        yield Reading("memory.installed_bytes", modules, line=first)
