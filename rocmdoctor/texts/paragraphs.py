"""A text by its parts: only the lines of some kinds, and wrapped sentences joined. Line numbers stay those of the file."""

from __future__ import annotations

from collections.abc import Collection

from rocmdoctor import later
from rocmdoctor.texts.kinds import Part

_LONGEST = 4000  # a paragraph ends here at the latest
_NEXT = later.pattern(r"[a-z(\"'`A-Z/0-9-]")
_ITEM = later.pattern(r"\s*(?:[-*+] |\d{1,2}[.)] |#{1,6} |```|\|)")


def only(text: str, parts: list[Part], wanted: Collection[str]) -> str:
    """The text with every line of another kind emptied.

    >>> only("I see:\\n[    1.000000] amdgpu: x\\n", [(1, 1, "prose"), (2, 3, "kernel_log")], {"prose"})
    'I see:\\n\\n'
    """
    if all(kind in wanted for _, _, kind in parts):
        return text
    lines = text.split("\n")
    for first, last, kind in parts:
        if kind not in wanted:
            lines[first - 1:last] = [""] * (last - first + 1)
    return "\n".join(lines)


def _wrapped(line: str) -> bool:
    """Whether a line of prose may go on in the next: long enough to have been wrapped, and no columns."""
    words = line.split()
    if "  " in line.strip() or " : " in line or "\t" in line.strip() or " 0x" in line or line.startswith(("=====", "|", "[", "#")):
        return False
    return len(words) >= 6 and len(line) >= 50 and sum(word.strip(".,:;()'\"").isalpha() for word in words) * 2 >= len(words)


def joined(text: str, parts: list[Part]) -> str:
    """The text with the sentences that were wrapped in its prose on one line each; the lines they stood on stay, empty.

    >>> wrapped = "It is a long sentence that somebody wrapped at a width of\\nsixty, as mail programs do.\\n"
    >>> joined(wrapped, [(1, 3, "prose")])
    'It is a long sentence that somebody wrapped at a width of sixty, as mail programs do.\\n\\n'
    """
    prose = [(first, last) for first, last, kind in parts if kind == "prose" and last > first]
    if not prose:
        return text
    lines = text.split("\n")
    for first, last in prose:
        head, before = first - 1, lines[first - 1]
        for at in range(first, last):
            line = lines[at]
            if line and _wrapped(before) and _NEXT.match(line) and not _ITEM.match(line) and len(lines[head]) < _LONGEST:
                lines[head] += " " + line.strip()
                lines[at] = ""
            else:
                head = at
            before = line
    return "\n".join(lines)
