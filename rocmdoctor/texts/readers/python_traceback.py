"""Python tracebacks of any program: the exception it began with, the code that raised it, and who called that.

>>> sample = '''Traceback (most recent call last):
...   File "/app/run.py", line 3, in <module>
...     x.cuda()
...   File "/venv/lib/python3.12/site-packages/torch/cuda/__init__.py", line 412, in _lazy_init
...     torch._C._cuda_init()
... RuntimeError: No HIP GPUs are available
... '''
>>> for r in read(sample):
...     print(r.name, r.value, r.line)
python.exception RuntimeError: No HIP GPUs are available 6
python.failing_file torch/cuda/__init__.py 4
python.failing_function _lazy_init 4
python.failing_package torch 4
python.calling_files ['app/run.py'] 2
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.records import dataclass, field
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

MARKS = ("Traceback (most recent call last)", 'File "')
_MOST_FRAMES = 200
_MOST_BLOCKS = 100
_KEPT = 6  # callers, and the last parts of a path: a home folder is no evidence
_FRAME = lazy(r"File \"(.{1,400}?)\", line \d{1,7}(?:, in (\S{1,80})|\s*$)")
_PACKAGE = lazy(r".*(?:site-packages|dist-packages)[/\\]+(?=([A-Za-z_][\w]{0,60}))")
# What programs put before a line: a process and its number, a level with a time, a rank, a bar.
_BEFORE = (r"^(?:\([^)]{1,60}\) ?)?(?:[A-Z]{4,8} )?(?:\d\d-\d\d [\d:]{8} )?(?:\[[\w/.: -]{1,80}\] ?){0,3}(?:\[rank\d+\]: ?)?[|\s]{0,8}")
_RAISED = lazy(_BEFORE + r"((?:[A-Za-z_][\w]{0,60}\.){0,8}[A-Z]\w{2,60}(?:Error|Exception|Interrupt|Exit|Warning|Found|Failed|Timeout))(?::\s?(.{0,400}))?$")
_IMPORTS = lazy(r"(?:^|[\s|])(?:from|import) ([A-Za-z_]\w{1,60})(?:[.\w]*)(?: import\b| as\b|\s*$)")
# What only repeats that another process or the code below failed.
_REPEATS = lazy(r"(?i)see root cause|failed core proc|initiali[sz]ation failed|capture cuda graph failed|worker \w+ (died|failed)|process(es)? (exited|died)"
                r"|exited with|exit code|returned non-zero|EngineDeadError|RayTaskError|ChildFailedError|CalledProcessError|BrokenPipe|KeyboardInterrupt"
                r"|SystemExit|raised while|unexpectedly")


@dataclass(slots=True)
class _Raised:
    """One exception with the frames above it, the innermost last: (file, function, line number)."""

    said: str
    line: int
    frames: list[tuple[str, str, int]] = field(default_factory=list)
    follows: bool = False  # while another was handled, or because of another
    imports: str = ""  # the package that the innermost line imports

    @property
    def repeats(self) -> bool:
        return bool(_REPEATS.search(self.said))


def recognises(text: str) -> bool:
    """The first line of a traceback, or a frame of one whose beginning was cut off.

    >>> recognises("Traceback (most recent call last)"), recognises('  File "a.py", line 3, in f'), recognises("an exception")
    (True, True, False)
    """
    return MARKS[0] in text or (MARKS[1] in text and '", line ' in text)


def _place(path: str) -> str:
    """The part of a path that names the package: below site-packages, else its last folders, without whose home it is.

    >>> _place("/venv/lib/python3.12/site-packages/torch/cuda/__init__.py"), _place("C:\\\\Users\\\\jane\\\\comfy\\\\ops.py")
    ('torch/cuda/__init__.py', 'comfy/ops.py')
    """
    inside = _PACKAGE.match(path)
    parts = [part for part in (path[inside.end():] if inside else path).replace("\\", "/").split("/") if part and not part.endswith(":")]
    home = next((at + 2 for at, part in enumerate(parts) if part in ("home", "Users")), 0)
    return "/".join(parts[home:][-_KEPT:])


def _blocks(text: str) -> Iterator[_Raised]:
    frames: list[tuple[str, str, int]] = []
    follows, imports = False, ""
    for number, line in lines(text):
        if "Traceback (most recent call last)" in line:
            frames = []
        elif "During handling of the above" in line or "direct cause of the following" in line:
            follows = True
        elif "File " in line and (frame := _FRAME.search(line[:600])):
            if len(frames) < _MOST_FRAMES:
                frames.append((frame[1], frame[2] or "", number))
                imports = ""
        elif frames and number == frames[-1][2] + 1 and (importing := _IMPORTS.search(line[:200])):
            imports = importing[1]
        elif frames and number > frames[-1][2] + (0 if frames[-1][1] else 1) and (raised := _RAISED.match(line[:700])):
            name = raised[1].rsplit(".", 1)[-1]
            yield _Raised(f"{name}: {raised[2].strip()}"[:300] if raised[2] else name, number, frames, follows, imports)
            frames, follows, imports = [], False, ""
    if len(frames) > 1:  # the end was cut off
        yield _Raised("", frames[-1][2], frames, True, imports)


def read(text: str) -> Iterator[Reading]:
    """The last traceback that says more than that another failed; of a chain the exception it began with."""
    found: _Raised | None = None
    for one in itertools.islice(_blocks(text), _MOST_BLOCKS):
        if found is None or (not one.repeats and not one.follows) or (found.repeats and not one.repeats):
            found = one
    if found is None:
        return
    if found.said:
        yield Reading("python.exception", found.said, line=found.line)
    path, function, line = found.frames[-1]
    yield Reading("python.failing_file", _place(path), line=line)
    if function and function != "<module>":
        yield Reading("python.failing_function", function, line=line)
    if found.imports:
        yield Reading("python.importing", found.imports, line=line + 1)
    installed = [(package[1], at) for file, _, at in found.frames if (package := _PACKAGE.match(file))]
    if installed:
        yield Reading("python.failing_package", installed[-1][0], line=installed[-1][1])
    callers = list(dict.fromkeys(_place(file) for file, _, _ in reversed(found.frames[:-1])))[:_KEPT]
    if callers:
        yield Reading("python.calling_files", callers, line=found.frames[-2][2])
