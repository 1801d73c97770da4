r"""Dockerfiles: the ROCm release that an image is built on or that it installs.

>>> sample = '''ARG BASE_IMAGE=rocm/dev-ubuntu-22.04:7.0-complete
... FROM ${BASE_IMAGE} AS base
... # needed since ROCm 7.1
... RUN pip install torch --index-url https://download.pytorch.org/whl/rocm6.4
... '''
>>> [(reading.name, reading.value, reading.line) for reading in read(sample)]
[('runtime.rocm_version', '7.0', 2)]
>>> [reading.value for reading in read("FROM debian:13\nRUN echo 'deb https://repo.radeon.com/rocm/apt/7.2.2 noble main' > rocm.list\n")]
['7.2.2']
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import lazy, lines

TRUST = -1  # what is to be built says less than what runs, and more than the words beside it
KINDS = frozenset({"config", "env", "code"})

_FROM = lazy(r"^FROM (?:--platform=\S{1,60} )?[\"']?([^\s\"']{3,300})[\"']?(?: AS \S{1,60})?\s*$", re.IGNORECASE | re.MULTILINE)
_ARG = lazy(r"^ARG (\w{1,60})=[\"']?([^\s\"']{1,300})", re.MULTILINE)
_USED = lazy(r"\$\{?(\w{1,60})(?:\}|:-[^}]{0,200}\}|\b)")
_NUMBER = r"(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\d)"
_TAGGED = (  # "rocm/dev-ubuntu-22.04:6.2.4-complete", "me/rocm-gfx906:7.2.1", "rocm/pytorch:rocm7.2_ubuntu24.04", "build-rocm-rel-6.4:94"
    lazy(r"(?:(?:^|/)rocm/(?:dev-|rocm-)[\w.-]{1,60}|(?:^|/)rocm(?:-(?:gfx\w{3,5}|dev|terminal|base|complete))?):v?" + _NUMBER),
    lazy(r"rocm(?:-rel)?[-_]?" + _NUMBER),
)
_SOURCE = lazy(r"repo\.radeon\.com/(?:rocm/(?:apt|yum|zyp|rhel\d{1,2}|el\d{1,2})|amdgpu-install)/" + _NUMBER)


def recognises(text: str) -> bool:
    """A line that says what an image starts from.

    >>> recognises("FROM debian:13"), recognises("Taken from debian:13")
    (True, False)
    """
    return later.search(_FROM, text) is not None


def read(text: str) -> Iterator[Reading]:
    """The release of the last image with ROCm in it, else that of the repository which packages come from."""
    given = {found[1]: found[2] for found in reversed(list(_ARG.finditer(text)))}
    source: tuple[str, int] | None = None
    base: tuple[str, int] | None = None
    for number, line in lines(text):
        image = _FROM.match(line[:400])
        if image:
            name = _USED.sub(lambda used: given.get(used[1], ""), image[1])
            release = next((found[1] for tag in _TAGGED if (found := tag.search(name))), "")
            base = (release, number) if release else base
        elif source is None and (found := _SOURCE.search(line[:1000])):
            source = found[1], number
    told = base or source
    if told:
        yield Reading("runtime.rocm_version", told[0], "", told[1])
