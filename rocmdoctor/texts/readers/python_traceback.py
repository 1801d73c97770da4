"""Python tracebacks of any program: the last exception, and the package whose code raised it.

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
python.failing_package torch 4
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 1
KINDS = frozenset(kinds.KINDS)  # people quote its words in their sentences

_FRAME = lazy(r"File \"(.{1,400}?)\", line \d{1,7}(?:, in |\s*$)")
_PACKAGE = lazy(r"(?:site-packages|dist-packages)[/\\]([A-Za-z_][\w]{0,60})")
_RAISED = lazy(r"^(?:\([^)]{1,60}\) )?(?:\S{1,20} \d\d-\d\d [\d:]{8} \[.{1,60}?\] |\[rank\d+\]: ?|[|\s]{0,8})"
               r"((?:[A-Za-z_][\w]{0,60}\.){0,8}[A-Z]\w{2,60}(?:Error|Exception|Interrupt|Exit|Warning|Found|Failed|Timeout))(?::\s?(.{0,400}))?$")


def recognises(text: str) -> bool:
    """The first line of a traceback.

    >>> recognises("Traceback (most recent call last):"), recognises("an exception")
    (True, False)
    """
    return "Traceback (most recent call last)" in text


def read(text: str) -> Iterator[Reading]:
    """The last traceback that is not cut off before its exception."""
    package, package_line = "", 0
    inside = 0
    found: list[Reading] = []
    for number, line in lines(text):
        if "Traceback (most recent call last)" in line:
            inside, package, package_line = number, "", 0
        elif inside:
            frame = _FRAME.search(line[:600]) if "File " in line else None
            if frame:
                named = _PACKAGE.search(frame[1])
                if named:
                    package, package_line = named[1], number
                continue
            raised = _RAISED.match(line[:700])
            if raised and number > inside + 1:
                message = f"{raised[1].rsplit('.', 1)[-1]}: {raised[2].strip()}" if raised[2] else raised[1].rsplit(".", 1)[-1]
                found = [Reading("python.exception", message[:300], "", number)]
                if package:
                    found.append(Reading("python.failing_package", package, "", package_line))
                inside = 0
    yield from found
