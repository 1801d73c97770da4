"""The laws of the known defects: what ``rocmdoctor rules lint`` says of the rows of ``rules/data/known``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

import re2

from rocmdoctor.facts import versions
from rocmdoctor.knowledge import compiled, component_versions
from rocmdoctor.knowledge.known import Row

CONFIRMED = ("maintainer", "release-note", "several", "reporter")
SYSTEMS = ("linux", "windows", "wsl", "container")
BACKENDS = ("hip", "vulkan", "opencl", "cpu", "cuda", "directml")
FAMILIES = ("rdna1", "rdna2", "rdna3", "rdna3.5", "rdna4", "gcn4", "gcn5", "cdna1", "cdna2", "cdna3", "cdna4", "apu", "dgpu")
_RANGE = frozenset({"from", "through", "before", "exact"})
# Lines that mark a failure of any cause: no signature of one defect may hit them.
GENERIC = (
    "RuntimeError: HIP error: invalid device function", "Memory access fault by GPU node-1 (Agent handle: 0x55) on address 0x7f. Reason: Unknown.",
    "hipErrorInvalidImage", "vk::Device::waitForFences: ErrorDeviceLost", "[WinError 126] The specified module could not be found", "exit status 0xc0000005",
    "amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3", "HIP error: out of memory", "Segmentation fault (core dumped)", "GPU reset begin!",
    "torch.cuda.is_available() False", "HSA_STATUS_ERROR_OUT_OF_RESOURCES", "no ROCm-capable device is detected")


def problems(rows: Iterable[Row]) -> list[str]:
    """One line for each row that breaks a law."""
    every = list(rows)
    symptoms = tuple(compiled.part("checks/known-defects.yaml")["symptoms"])
    found = [f"{row.id}: {problem}" for row in every for problem in _of(row, symptoms)]
    return found + [f"{name}: {count} rows have this id" for name, count in Counter(row.id for row in every).items() if count > 1]


def _of(row: Row, symptoms: tuple[str, ...]) -> Iterator[str]:
    yield from _form(row, symptoms)
    yield from _bounds(row)
    for pattern in row.signature:
        yield from _signature(pattern)


def _form(row: Row, symptoms: tuple[str, ...]) -> Iterator[str]:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{3,69}", row.id):
        yield "an id has small letters, digits and hyphens, 4 to 70 of them"
    if row.component not in component_versions.places():
        yield f"the table components does not say where the version of {row.component} is read"
    for what, words, allowed in (("symptom", row.symptom, symptoms), ("os", row.os, SYSTEMS), ("backend", row.backend, BACKENDS)):
        yield from (f"{what} {word!r} is none of {', '.join(allowed)}" for word in words if word not in allowed)
    yield from (f"gfx {word!r} is neither a target nor a family" for word in row.gfx if word not in FAMILIES and not re.fullmatch(r"gfx[0-9a-f]{3,4}", word))
    if row.confirmed not in CONFIRMED:
        yield f"confirmed is one of {', '.join(CONFIRMED)}"
    if not row.symptom:
        yield "no symptom"
    if not row.source or not all(url.startswith(("http://", "https://")) for url in row.source):
        yield "a row needs the address of a source"
    if not row.says or len(row.says) > 600:
        yield "says is one or two sentences"
    if row.weak and not (row.gfx and row.fix):
        yield "without bounds, with and signature a row needs a GPU and a fix"


def _bounds(row: Row) -> Iterator[str]:
    scheme = row.scheme or versions.scheme_of(row.component)
    if row.scheme not in versions.SCHEMES:
        yield f"scheme is one of {', '.join(versions.SCHEMES)}"
    for bounds in row.bad:
        if not bounds or set(bounds) - _RANGE or len(set(bounds) & {"through", "before", "exact"}) > 1:
            yield f"{bounds} is no range of from, through, before or exact"
        for text in bounds.values():
            if versions.parse(text, scheme) is None:
                yield f"{text!r} is no version of {row.component}"
        if "from" in bounds and "before" in bounds and versions.in_range(bounds["from"], bounds, scheme) is False:
            yield f"{bounds} holds no version"
        if "from" in bounds and "through" in bounds and versions.in_range(bounds["through"], {"from": bounds["from"]}, scheme) is False:
            yield f"{bounds} holds no version"
        for good in row.good:
            parsed = versions.parse(good, scheme)
            if parsed and not parsed.loose and versions.in_range(good, bounds, scheme) is True:
                yield f"good {good} is inside bad {bounds}"


def _signature(pattern: str) -> Iterator[str]:
    options = re2.Options()
    options.log_errors = False
    try:
        searched = re2.compile("(?i)" + pattern, options)
    except re2.error as error:
        yield f"signature {pattern!r}: {error.args[0]!r}"
        return
    yield from (f"signature {pattern!r} hits {line!r}, which other faults print as well" for line in GENERIC if searched.search(line))
