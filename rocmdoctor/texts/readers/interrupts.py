"""``/proc/interrupts``: which GPU driver serves which PCI device. The number of an MSI has the device's place in it.

>>> for r in read("136:   14   1466   PCI-MSI 1048576-edge      amdgpu\\n 90:  0  3  IR-PCI-MSI-0000:65:00.0    0-edge      amdgpu\\n"):
...     print(r.line, r.name, r.item, r.value)
1 gpu.pci_address 0000:02:00.0 0000:02:00.0
1 gpu.driver 0000:02:00.0 amdgpu
2 gpu.pci_address 0000:65:00.0 0000:65:00.0
2 gpu.driver 0000:65:00.0 amdgpu
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import lazy, lines

TRUST = 3
KINDS = frozenset({"sysfs", "shell", "output", "os_state"})

_LINE = lazy(r"^\s*\d{1,4}:(?:\s+\d{1,12}){1,1024}\s+(?:IR-)?PCI-MSIX?(?:-([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]))?\s+(\d{1,10})-edge\s+(amdgpu|radeon)$")
_DOMAIN, _DEVICE = 27, 11  # bits below the domain and below bus, device and function


def recognises(text: str) -> bool:
    """A line of a GPU driver with an MSI.

    >>> recognises("amdgpu"), recognises(" 90:  0  3  PCI-MSI 1048576-edge      amdgpu")
    (False, True)
    """
    return "PCI-MSI" in text and ("amdgpu" in text or "radeon" in text)


def read(text: str) -> Iterator[Reading]:
    """Each device once; numbers below those of the first bus come of a kernel that counts otherwise."""
    seen = set()
    for number, line in lines(text):
        found = _LINE.match(line) if "PCI-MSI" in line else None
        if not found:
            continue
        place = int(found[2]) >> _DEVICE
        address = found[1] or (f"{int(found[2]) >> _DOMAIN:04x}:{place >> 8 & 0xff:02x}:{place >> 3 & 0x1f:02x}.{place & 7}" if place else "")
        if address and address not in seen:
            seen.add(address)
            yield Reading("gpu.pci_address", address, address, number)
            yield Reading("gpu.driver", found[3], address, number)
