"""The section of a guide or of a benchmark that says on which machine it was done: a list or table of its parts below a heading that says so.

>>> text = '''# Benchmarks
... ## Environment
... - GPU: AMD Radeon RX 580 (8 GB)
... - Kernel: 6.12.60
... - It does not matter where the card sits.
... ## Requirements
... - GPU: AMD Radeon RX 7900 XTX
... - OS: Ubuntu 24.04'''
>>> fields(text.split("\\n"))
{2, 3}
>>> fields(["# Tested on a small laptop", "", "Tested device: AMD Radeon 890M"]), fields(["## Actual hardware", "", "- **GPU**: AMD Radeon RX 5600 XT"])
({2}, {2})
"""

from __future__ import annotations

import re

from rocmdoctor import later

_HEADING = later.pattern(r"(#{1,6}) +(\S.{0,200})$")
_OF_A_MACHINE = later.pattern(
    r"(?:\b(?:environment|hardware|system|machine|set-?up|configuration|specs?|specifications?|test ?bed|rig|workload|ids"
    r"|tested on|ambiente|sistema|equipo|umgebung)\b"
    r"|环境|硬件|環境)", re.IGNORECASE)
_OF_MANY = later.pattern(
    r"\b(?:require\w*|prerequisit\w*|recommend\w*|minimum|minimal|support\w*|compatib\w*|limit\w*|install\w*|how|guide|steps?|variables?|options?|examples?"
    r"|files?|requisitos|targets?|matrix|tested (?:on|with) other|choos\w+|buy\w*|alternatives?|config(?:ure|uring)|services?|packages?|modules?|software)\b"
    r"|要求|支持", re.IGNORECASE)
# A part of a machine as the key of a field or of a row.
_FIELD = later.pattern(
    r"\s{0,8}(?:[-*+\u2022] +|\| *)?[*_`]{0,3}(?P<key>"
    r"(?:(?:dedicated|discrete|integrated|primary|secondary|total|operating|vulkan|graphics|gpu|linux|display) ?)?"
    r"(?:i|d|e)?(?:gpus?|graphics(?: card)?|accelerators?|cpu|processor|apu|v?ram|memory|os|system|distro|kernel|drivers?|mesa|radv|rocm|hip|pytorch|torch"
    r"|ollama|llama\.cpp|test(?:ed)? (?:device|machine|system)|placa de v[ií]deo|sistema|显卡|系统|内核))"
    r"(?: \d)?(?: version)?[*_`]{0,3} {0,20}(?:[:\uff1a]|\|)[*_`]{0,3} *\S", re.IGNORECASE)
_GPU = later.pattern(r"gpu|graphics|accelerator|test|placa|显卡", re.IGNORECASE)
_CHOICE = later.pattern(r"\bor\b|\bany\b|\be\.g\.|\bsuch as\b|\bat least\b|\+ (?:series|or)|\bor (?:newer|better)\b|series\b|, (?:RX|MI) ?\d", re.IGNORECASE)
_LEAST = 2  # parts: one alone is a word about anything, unless the heading says whose machine it is
_OWN = later.pattern(r"\b(?:actual|my|our|tested on)\b", re.IGNORECASE)


def fields(lines: list[str]) -> set[int]:
    """The indices of the lines that are parts of the machine, none where the GPU is not among them or several may be meant."""
    found: set[int] = set()
    for number, titles in _sections(lines):
        if _OF_A_MACHINE.search(titles[-1]) and not any(_OF_MANY.search(title) for title in (*titles[1:-1], titles[-1])):
            found |= _parts(lines, number + 1, 1 if _OWN.search(titles[-1]) else _LEAST)
    return found


def _sections(lines: list[str]) -> list[tuple[int, list[str]]]:
    """(index, titles from the uppermost to its own) of each heading outside of fences."""
    found: list[tuple[int, list[str]]] = []
    above: list[tuple[int, str]] = []
    fenced = False
    for number, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        heading = None if fenced or line[:1] != "#" else _HEADING.match(line)
        if heading:
            level = len(heading[1])
            above = [one for one in above if one[0] < level] + [(level, heading[2])]
            found.append((number, [title for _, title in above]))
    return found


def _parts(lines: list[str], start: int, least: int) -> set[int]:
    """The fields from a line to the next heading, where there are so many."""
    kept: dict[int, str] = {}
    for number in range(start, min(len(lines), start + 60)):
        line = lines[number]
        if line[:1] == "#" and _HEADING.match(line) or line.lstrip().startswith(("```", "~~~")):
            break
        field = _FIELD.match(line[:400])
        if field:
            kept[number] = field["key"]
    gpus = [number for number, key in kept.items() if _GPU.search(key)]
    if len(kept) < least or not gpus or any(_CHOICE.search(lines[number][:400]) for number in gpus):
        return set()
    return set(kept)
