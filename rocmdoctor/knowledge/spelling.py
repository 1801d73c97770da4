"""Names that are nearly right."""

from __future__ import annotations

from collections.abc import Iterable
from os.path import commonprefix


def distance(a: str, b: str, most: int = 3) -> int:
    """Letters to insert, delete, replace or swap with the neighbour; ``most`` + 1 when there are more.

    >>> distance("HSA_OVERIDE", "HSA_OVERRIDE"), distance("gtt_size", "gttsize"), distance("ab", "ba"), distance("abcdef", "x")
    (1, 1, 1, 4)
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, right in enumerate(b, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def nearest(name: str, known: Iterable[str], most: int = 2) -> str:
    """The known name that this one is a misspelling of, "" when none is near; short names must be nearer, and the family in front counts for nothing.

    >>> nearest("HIP_VISIBLE_DEVICE", ["HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"]), nearest("dc", ["dpm", "msi"])
    ('HIP_VISIBLE_DEVICES', '')
    >>> nearest("OLLAMA_VULKN", ["OLLAMA_VULKAN"]), nearest("OLLAMA_WEBUI", ["OLLAMA_DEBUG"])
    ('OLLAMA_VULKAN', '')
    """
    most = min(most, len(name) // 5)
    found = min(((distance(name, each, most), each) for each in known), default=(most + 1, ""))
    own = len(name) - (commonprefix([name, found[1]]).rfind("_") + 1)
    return found[1] if 0 < found[0] <= min(most, max(own // 5, 1)) else ""
