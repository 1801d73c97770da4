"""What a program says last before it ends, and copies of one library that stand in one backtrace.

>>> for one in read("0.05 [dt_init] OpenCL preparation\\n0.06 [opencl_init] library found and loaded\\nSegmentation fault (core dumped)\\n"):
...     print(one.name, one.value, one.line)
crash.after 0.06 [opencl_init] library found and loaded 2
crash.end Segmentation fault (core dumped) 3
>>> for one in read("$ python -c 'import torch'\\n$ python3 -c 'import torchaudio'\\nAborted (core dumped)\\n"):
...     print(one.name, one.value, one.line)
crash.end Aborted (core dumped) 3
crash.import torchaudio 2
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lines

TRUST = 0
# They end, and no program with them.
_NO_RUN = kinds.GROUPS["setting"] | {"comment", "table", "package_list", "package_history", "lspci", "hardware_list", "sysfs", "os_state"}
KINDS = kinds.OF_MACHINES - {"kernel_log", "system_log", "xorg_log"} - _NO_RUN

_FEWEST = 2  # lines of a log
_FEWEST_WORDS = 4  # before the end in its own line, where that is more than the name of the program
_SHOWN = 200
_MOST_FRAMES = 400
_ENDS = later.pattern(r"\b(?:core dumped|[Ss]egmentation fault|Aborted|Memory access fault by GPU|GPU core dump|SIG(?:SEGV|ABRT|ILL|BUS)|"
                      r"terminate called|Illegal instruction|dumped core|double free|free\(\))|^Fatal Python error")
# A line that a program writes: it begins with a time, a tag, a name or an address.
_WRITTEN = later.pattern(r"^\s*(?:[\[(<]|\d[\d:.,T/-]{2,30}\s|0x[0-9a-f]+\s|[\w.-]{1,40}(?:\[\d+\])?: \S|(?:INFO|DEBUG|WARN\w*|TRACE)\b)")
_NOTHING = later.pattern(r"[\s=*#_.~|+-]*$|\s*#\d+ |\s*\^")
_TYPED = later.pattern(r"\s*(?:\(\w[\w.-]*\) )?(?:[\w.@~:/-]{0,80}[$#]|>>>|PS [A-Z]:[^>]{0,200}>) ")
_IMPORT = later.pattern(r"\bpython[\d.]*(?:\.exe)? -c [\"']\s?import (?P<module>[A-Za-z]\w{0,40})(?:; ?print\([^)]{0,60}\)?\)?)?\s?;?[\"']\s*$")
_RULED = later.pattern(r"[-=*#_]{8,}\s*$")
_FRAME = later.pattern(r"(?:^|\s|\()(?P<path>/[^\s()\[\]]{1,300}?)(?P<name>lib[A-Za-z][\w+-]{1,40}?)\.so\.(?P<version>\d[\d.]{0,20})(?=[\s(+)]|$)")
_STACK = later.pattern(r"\[0x[0-9a-f]{6,16}\]|^\s*#\d{1,3} ")


def recognises(text: str) -> bool:
    """Two lines or more.

    >>> recognises("one\\ntwo"), recognises("one")
    (True, False)
    """
    return text.count("\n") >= 1


def read(text: str) -> Iterator[Reading]:
    """``crash.after``, the last words before the end, and ``crash.copies``."""
    numbered = lines(text)
    last = _last(numbered)
    if last and not _ENDS.search(last[1]):
        yield Reading("crash.after", last[1].strip()[:_SHOWN], line=last[0])
    ended = next(((number, line) for number, line in numbered if _ENDS.search(line[:400])), None)
    if ended:
        yield Reading("crash.end", ended[1].strip()[:_SHOWN], line=ended[0])
        typed = next(((number, line) for number, line in reversed(numbered) if number < ended[0] and _TYPED.match(line)), None)
        if typed and (found := _IMPORT.search(typed[1][:400])):
            yield Reading("crash.import", found["module"], line=typed[0])
    yield from _copies(numbered)


def _last(numbered: Sequence[tuple[int, str]]) -> tuple[int, str] | None:
    """The line before the first one that says that the program ended; where none does, the last one of a log."""
    end = next((place for place, (_, line) in enumerate(numbered) if _ENDS.search(line[:400])), None)
    if end is not None and (found := _ENDS.search(numbered[end][1][:400])) and len(found.string[:found.start()].split()) >= _FEWEST_WORDS:
        return numbered[end][0], found.string[:found.start()]  # a short log that was taken for a paragraph
    before = numbered if end is None else numbered[:end]
    for place in range(len(before) - 1, max(-1, len(before) - 20), -1):
        number, line = before[place]
        if _NOTHING.match(line) or _RULED.search(line) or _TYPED.match(line):
            continue
        written = _WRITTEN.match(line) is not None
        many = sum(1 for _, one in before[-40:] if _WRITTEN.match(one)) >= _FEWEST
        return (number, line) if (end is not None and place == end - 1) or (written and many) else None
    return None


def _copies(numbered: Sequence[tuple[int, str]]) -> Iterator[Reading]:
    """Libraries of which a backtrace has two versions."""
    held: dict[str, dict[str, tuple[str, int]]] = {}
    for number, line in [one for one in numbered if _STACK.search(one[1][:1000])][:_MOST_FRAMES]:
        for found in _FRAME.finditer(line[:1000]):
            held.setdefault(found["name"], {}).setdefault(found["version"].split(".")[0], (f"{found['path']}{found['name']}.so.{found['version']}", number))
    for name, copies in held.items():
        if len(copies) > 1:
            yield Reading("crash.copies", [name, *(path for path, _ in copies.values())], line=min(number for _, number in copies.values()))
            return
