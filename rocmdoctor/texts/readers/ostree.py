"""``rpm-ostree status`` and ``bootc status``: an image-based system, by the name of its image.

>>> for r in read("ostree-image-signed:docker://ghcr.io/ublue-os/bazzite-deck:stable\\n   Version: 41.20250301.1\\n"):
...     print(r.name, r.value, r.line)
os.family linux 1
os.immutable True 1
boot.loader rpm-ostree 1
os.distribution bazzite 1
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import tables
from rocmdoctor.texts.lines import lazy, lines

TRUST = 2

MARKS = ("ostree", "Booted image", "fedora:fedora/")
_IMAGE = lazy(r"^\W{0,4}(?:Booted image: |image: )?(?:ostree-(?:image-signed|unverified-image|unverified-registry|remote-image):\S{0,80}?/"
              r"|(?:ghcr\.io|quay\.io)/\S{0,60}?/)([a-z][a-z0-9-]{2,40})(?:[:@]\S{1,90})?\s*$")
_REF = lazy(r"^\W{0,4}fedora:fedora/\d{2}/x86_64/(silverblue|kinoite|sericea|onyx)\s*$")


def recognises(text: str) -> bool:
    """The name of a deployment as one of them prints it.

    >>> recognises("* fedora:fedora/41/x86_64/kinoite"), recognises("docker pull ghcr.io/ublue-os/bazzite:stable")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and next(read(text), None) is not None


def read(text: str) -> Iterator[Reading]:
    """Of the first deployment, which is the one that is booted or comes next."""
    known = tables.load("way_back")["managers"]["rpm-ostree"]["images"]
    for number, line in lines(text):
        if "/" not in line:
            continue
        found = _IMAGE.match(line[:300]) or _REF.match(line[:120])
        if found:
            yield Reading("os.family", "linux", line=number)
            yield Reading("os.immutable", True, line=number)
            yield Reading("boot.loader", "rpm-ostree", line=number)
            name = next((name for name in known if found[1].startswith(name)), "")
            if name:
                yield Reading("os.distribution", name, line=number)
            return
