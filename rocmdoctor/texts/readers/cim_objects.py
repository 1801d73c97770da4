r"""Objects of ``Get-CimInstance``, ``Get-WmiObject`` and ``Get-PnpDevice`` as PowerShell and wmic write them: CSV and JSON.

>>> sample = '''"Name","DriverVersion","PNPDeviceID"
... "AMD Radeon RX 7900 XTX","32.0.21030.2001","PCI\\VEN_1002&DEV_744C&SUBSYS_0E3B1002&REV_C8\\6&1"
... '''
>>> for r in read(sample):
...     print(r.line, r.name, r.item, r.value)
2 gpu.name dx:0 AMD Radeon RX 7900 XTX
2 gpu.pci_id dx:0 1002:744c
2 gpu.subsystem_id dx:0 1002:0e3b
2 gpu.revision dx:0 c8
2 gpu.gfx_reported dx:0 gfx1100
2 windows.driver_version  32.0.21030.2001
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import KeyLines, bare, documents, lazy, lines
from rocmdoctor.texts.readers import windows

TRUST = 2
KINDS = kinds.GROUPS["run"] | {"table", "form", "hardware_list", "config"}

_HEAD = lazy(r"^\"?[A-Za-z_]\w{1,40}\"?(?:[,;]\"?[A-Za-z_]\w{1,40}\"?){1,80}\s*$")
_MARKS = ("PNPDeviceID", "DriverVersion", "CimClass", "BuildNumber")
_MOST = 200


def recognises(text: str) -> bool:
    """A property of these classes as the name of a column or a key.

    >>> recognises('[{"Name": "x", "DriverVersion": "32.0.1.2"}]'), recognises("Name,DriverVersion\\nx,1"), recognises("the DriverVersion")
    (True, True, False)
    """
    return any(f'"{mark}"' in text for mark in _MARKS) or any(_HEAD.match(line) for _, line in lines(text) if any(mark in line[:2000] for mark in _MARKS))


def read(text: str) -> Iterator[Reading]:
    """The display devices, and the system where its class is among them."""
    yield from windows.of_rows([*_of_csv(text), *_of_json(text)][:_MOST])


def _of_csv(text: str) -> Iterator[tuple[dict[str, str], int]]:
    header: list[str] = []
    mark = ","
    for number, line in lines(text):
        if any(word in line[:2000] for word in _MARKS) and _HEAD.match(line[:4000]):
            mark = ";" if line.count(";") > line.count(",") else ","
            header = next(csv.reader([line[:4000]], delimiter=mark), [])
        elif header and line.strip():
            row = next(csv.reader([line[:8000]], delimiter=mark), [])
            if len(row) == len(header):
                yield dict(zip(header, row, strict=True)), number
            else:
                header = []


def _of_json(text: str) -> Iterator[tuple[dict[str, str], int]]:
    if not any(f'"{mark}"' in text for mark in _MARKS):
        return
    line_of = KeyLines(text)
    for _, document in documents(bare(text)):
        for entry in _objects(document):
            yield {str(key): str(value) for key, value in entry.items() if isinstance(value, (str, int))}, line_of(next(key for key in entry if key in _MARKS))


def _objects(document: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(document, dict) and any(mark in document for mark in _MARKS):
        yield document
    elif depth < 4 and isinstance(document, (dict, list)):
        for inner in list(document.values() if isinstance(document, dict) else document)[:_MOST]:
            yield from _objects(inner, depth + 1)
