"""What a program's output names in passing, where no reader knows the format: a card, versions, the program itself.

>>> for reading in read("[INFO] GPU arch: gfx1102\\n** Python executable: F:\\\\ai\\\\comfyui-rocm\\\\python_env\\\\python.exe\\n"):
...     print(reading.line, reading.name, reading.item, reading.value)
1 report.gfx_mentioned  ['gfx1102']
1 gpu.gfx_reported prose:gfx1102 gfx1102
2 os.family  windows
2 report.apps  ['comfyui']
2 report.backends  ['rocm']
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean, lazy
from rocmdoctor.texts.prose import memory_prose, report_prose, story

TRUST = -1  # a hint: what anybody says is better
KINDS = kinds.GROUPS["app"] | {"crash", "output", "shell", "build_log", "hip_trace", "rccl_log", "json", "os_state"}
_LIMIT = 120_000
_SAID = lazy(r"^\W{0,4}(?:os|distro|distribution|operating system|platform)[\w \"']{0,12}[:=][ \t\"']*([A-Za-z][^\n]{2,120})$", re.I | re.M)
_HSA = lazy(r"\bHSA_OVERRIDE_GFX_VERSION[\"']?\s?[=:]\s?[\"'`]?(?P<v>\d{1,2}\.\d{1,2}\.\d{1,2}|gfx\w{3,4})\b")
_PREFIX = lazy(r"^(?:\[[^\]\n]{1,40}\] )?(?:\d\d:\d\d:\d\d )?([a-z][a-z0-9_.-]{1,30}): (?=\S)", re.M)
_NO_PROGRAM = frozenset("""error warning warn info note debug fatal ls cat cp mv rm grep find sh bash zsh sudo gcc clang ld make cmake ninja pip apt dpkg docker
kernel amdgpu drm pci nvidia usb systemd audit traceback hint load loading main srv slot init build version model system device using found https http file
gpu cpu memory total free used name type id path host port user time date args command options default mesa radv vulkan rocm hip hsa""".split())
_BUILD_STEP = lazy(r"^(?:#\d{1,4} (?:\d{1,6}\.\d{1,3} |\[)| ?> \[)[^\n]*", re.M)  # what an image is built for is not what builds it
_SAYS_ITS_NAME = 2  # lines
_UNIX = lazy(r"(?<![\w.])/(?:usr|opt|home|root|var|tmp|etc|lib|mnt|snap)/\w|/dev/(?:kfd|dri)\b|\.so(?:\.\d|\b)|\bmanylinux|x86_64-linux-gnu")


def recognises(text: str) -> bool:
    """Any text: what is named has no mark of its own.

    >>> recognises("\\n\\n"), recognises("x")
    (False, True)
    """
    return bool(text.strip())


def read(text: str) -> Iterator[Reading]:
    """What is named; the first of each wins."""
    text = clean(text[:_LIMIT])
    lines = Lines(text)
    yield from report_prose.gpus(_BUILD_STEP.sub(lambda step: " " * len(step[0]), text), lines)
    yield from besides_gpus(text, lines)


def besides_gpus(text: str, lines: Lines) -> Iterator[Reading]:
    """System, versions and programs."""
    yield from _system(text, lines)
    yield from report_prose.versions(text, lines)
    yield from story.subjects(text, lines)
    yield from memory_prose.file_size(text, lines)
    yield from _program(text, lines)
    override = _HSA.search(text) if "HSA_OVERRIDE" in text else None
    if override:
        yield Reading("env.HSA_OVERRIDE_GFX_VERSION", override["v"], line=lines.at(override.start("v")))


def _program(text: str, lines: Lines) -> Iterator[Reading]:
    """The name that a program puts before its lines."""
    found: dict[str, list[int]] = {}
    for prefix in itertools.islice(_PREFIX.finditer(text), 400):
        found.setdefault(prefix[1].partition("-")[0], []).append(prefix.start())
    names = [(len(starts), name) for name, starts in found.items() if name not in _NO_PROGRAM and len(starts) >= _SAYS_ITS_NAME]
    if names:
        name = max(names)[1]
        yield Reading("report.program", name, line=lines.at(found[name][0]))


def _system(text: str, lines: Lines) -> Iterator[Reading]:
    """The system by a line that is about it ("distro: Ubuntu 24.04.4 LTS"), else its family by the paths of the output."""
    said = later.search(_SAID, text)
    if said:
        told = list(report_prose.system(" " * said.start(1) + said[1], lines))
        yield from (Reading(reading.name, reading.value, reading.item, lines.at(said.start())) for reading in told if reading.name != "report.os_said")
        if told:
            return
    for family, pattern in (("wsl", report_prose.WSL), ("windows", report_prose.PLAIN_WINDOWS), ("linux", _UNIX)):
        found = later.search(pattern, text)
        if found:
            yield Reading("os.family", family, line=lines.at(found.start()))
            return
