"""The one comparison of versions: packages of distributions, kernels, drivers, libraries and applications.

``parse`` makes a Version, or None of a text that is none; ``in_range`` asks whether a version lies in the bounds of a row, with
True, False or None where the texts do not decide it. Epochs and packagers' revisions do not count unless a bound states them, and
a part of a version stands for all of it: ``through: '6.18'`` covers 6.18.9.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any

from rocmdoctor import later
from rocmdoctor.records import dataclass

MOST_TEXT = 200
FINAL = (1,)
# Ranks of what comes before a release; unknown words of a pre-release count as the earliest.
_STAGES = {"dev": -5, "devel": -5, "git": -5, "nightly": -5, "next": -5, "a": -4, "alpha": -4, "pre": -3, "preview": -3, "b": -3, "beta": -3, "rc": -2}
_WORDS = r"(?:[A-Za-z][\w.+/()-]{0,40}[\s:]+){0,4}"
_NUMBER = later.pattern(
    rf"\s*{_WORDS}(?:\d{{1,3}}[:!])?(?:v|b|release-|master-)?(?P<numbers>\d{{1,18}}(?:\.Q?\d{{1,18}})+|\d{{1,18}}(?![0-9a-z]))(?P<rest>.*)", re.I | re.S)
_STAGE = later.pattern(r"[-._~]?(?P<word>alpha|beta|devel|dev|rc|preview|pre|nightly|git|next|a|b)(?![a-z])[-._]?(?P<number>\d{0,9})", re.I)
_FEDORA_RC = later.pattern(r"-0\.(?:[\w.]{0,40}?\.)?rc(\d{1,3})")
_REVISION = later.pattern(r"[-.+~]?(?P<word>[a-z]{0,12}?)(?P<numbers>\d{1,9}(?:[.-]\d{1,9})*)", re.I)
_DATE = later.pattern(r"(?<!\d)(20[1-3]\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])(?!\d)")
_FLAVOUR = later.pattern(
    r"(?<![A-Za-z0-9])(generic|oem|lowlatency|hwe|aws|azure|gcp|oracle|nvidia|raspi|pve|amd64|default|arch|zen|cachyos|ogc|lts|fc|el|microsoft)", re.I)
_UBUNTU_POINT = later.pattern(r"-\d+ubuntu\d+\.(\d+)")
SCHEMES = ("", "kernel", "abi", "date", "firmware", "mesa", "rocm", "dkms", "module", "driver", "adrenalin", "build", "tag", "python", "package",
           "app", "engine", "bios")
# What names the versions of a component; every other component has dotted numbers and needs no scheme.
_OF_COMPONENT = {
    "kernel": "kernel", "proxmox": "kernel", "distro-arch": "kernel", "distro-cachyos": "kernel", "distro-ogc": "kernel",
    "linux-firmware": "firmware", "mesa": "mesa", "rocm": "rocm", "therock": "rocm", "hip-windows": "rocm", "amdgpu-dkms": "dkms",
    "adrenalin": "adrenalin", "bios": "bios", "llama.cpp": "build", "stable-diffusion.cpp": "build", "lmstudio": "app",
    **dict.fromkeys(("pytorch", "torchvision", "torchaudio", "triton", "aiter", "vllm", "sglang", "jax", "tensorflow", "onnxruntime",
                     "bitsandbytes", "flash-attention", "xformers", "deepspeed", "unsloth"), "python"),
}


@functools.total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """``numbers`` as written; ``stage`` is FINAL or what comes before (or after) the release; ``revision`` and ``flavour`` are the
    packager's; ``local`` is the version that a Python package was built for; ``loose`` says that later changes may be inside.
    """

    numbers: tuple[int, ...]
    stage: tuple[int, ...] = FINAL
    revision: tuple[int, ...] = ()
    flavour: str = ""
    local: Version | None = None
    loose: bool = False
    line: str = ""  # numbers of two lines do not compare

    @property
    def release(self) -> tuple[int, ...]:
        """The numbers alone, without ending zeros: 6.8rc1 and 6.8.0 are (6, 8)."""
        numbers = self.numbers
        while numbers and numbers[-1] == 0:
            numbers = numbers[:-1]
        return numbers

    @property
    def _order(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return self.release, self.stage

    def _comparable(self, other: object) -> Version:
        if not isinstance(other, Version) or _apart(self, other):
            raise TypeError("versions of two lines have no order")
        return other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._order == other._order and self.line == other.line

    def __hash__(self) -> int:
        return hash(self._order)

    def __lt__(self, other: object) -> bool:
        return self._order < self._comparable(other)._order


def _apart(a: Version, b: Version) -> bool:
    """Whether the numbers of two versions say nothing of which is the later one.

    TheRock's previews 7.9 to 7.15 were made beside ROCm 7.1 and 7.2.
    """
    if a.line == b.line:
        return False
    if {a.line, b.line} == {"rocm", "preview"}:
        release = a if a.line == "rocm" else b
        return release.numbers[0] == 7 and (len(release.numbers) < 2 or release.numbers[1] >= 1)
    return True


def scheme_of(component: str) -> str:
    """How the versions of a component are written, "" for plain dotted numbers."""
    return _OF_COMPONENT.get(component, "")


def parse(text: Any, scheme: str = "") -> Version | None:
    """The version that a text is, None where it is none. Never raises.

    >>> [parse(text).numbers for text in ("1:25.0.7-2", "b9213", "v0.12.6", "Mesa 26.1.2-arch1", "20251125.git1a2b-0ubuntu1")]
    [(25, 0, 7), (9213,), (0, 12, 6), (26, 1, 2), (20251125,)]
    >>> parse("gfx1151"), parse("9f3a1c"), parse("")
    (None, None, None)
    """
    return _parsed(str(text), scheme)


@functools.lru_cache(maxsize=4096)
def _parsed(plain: str, scheme: str) -> Version | None:
    if not plain or len(plain) > MOST_TEXT or not plain.isascii():
        return None
    found = _BY_SCHEME.get(scheme, _plain)(plain.strip().strip("'\""))
    return found if found and len(found.numbers) <= 8 else None


def _plain(text: str) -> Version | None:
    found = _NUMBER.fullmatch(text)
    if not found:
        return None
    numbers = tuple(int(number) for number in found["numbers"].upper().replace("Q", "").split("."))
    rest = found["rest"]
    early = _STAGE.match(rest)
    if early and numbers[0] < 19_000_000:  # 20251125.git1a2b is the package of a date
        return Version(numbers, (_STAGES[early["word"].lower()], int(early["number"] or 0)))
    if fedora := _FEDORA_RC.match(rest):
        return Version(numbers, (_STAGES["rc"], int(fedora[1])))
    revision, flavour = _packaged(rest)
    return Version(numbers, FINAL, revision, flavour)


def _packaged(rest: str) -> tuple[tuple[int, ...], str]:
    """Revision and flavour behind the numbers: ``-1018-oem``, ``-arch1-1``, ``-200.fc44.x86_64``, ``.yr1``."""
    found = _REVISION.match(rest)
    numbers = tuple(int(number) for number in re.split(r"[.-]", found["numbers"])) if found else ()
    flavour = _FLAVOUR.search(rest)
    return numbers, flavour[1].lower() if flavour else ""


def _kernel(text: str) -> Version | None:
    """A release of a distribution that names only the series (6.8.0-135-generic) has fixes of later point releases inside."""
    found = _plain(text)
    if found is None or found.stage != FINAL:
        return found
    series = len(found.numbers) == 3 and found.numbers[2] == 0 and bool(found.revision) and found.flavour not in ("arch", "fc", "zen", "cachyos", "ogc")
    return Version(found.numbers, FINAL, found.revision, found.flavour, loose=series)


def _date(text: str) -> Version | None:
    found = _DATE.search(text)
    return Version((int("".join(found.groups())),)) if found else None


def _firmware(text: str) -> Version | None:
    """The date; Ubuntu's point updates of a dated package carry files of later dates."""
    bare = re.sub(r"^\d{1,3}:", "", text)
    found = _date(bare[:10])
    if found is None:
        return None
    rest = bare[8:] if bare[:8].isdigit() else bare[10:]
    revision = re.fullmatch(r"-(\d{1,4})(?:\.\w+)*", rest)
    return Version(found.numbers, FINAL, (int(revision[1]),) if revision else (), loose=bool(_UBUNTU_POINT.search(rest)))


def _rocm(text: str) -> Version | None:
    """ROCm 5 to 10 and TheRock's nightlies; the number behind the third is AMD's build (7.2.1.70201-81)."""
    found = _plain(text)
    if found is None or found.numbers[0] > 99:
        return found
    preview = found.numbers[0] == 7 and len(found.numbers) > 1 and found.numbers[1] >= 9
    numbers = found.numbers[:3] if len(found.numbers) > 3 and found.numbers[3] >= 10000 else found.numbers
    return Version(numbers, found.stage, (), line="preview" if preview else "rocm")


def _dkms(text: str) -> Version | None:
    """A driver release (30.20.1, or 6.4.1 of a ROCm release before that), also out of a package: 1:6.16.13.30300100-2327507.24.04."""
    found = _plain(text)
    if found is None or len(found.numbers) < 4 or found.numbers[3] < 10000:
        return found
    code = found.numbers[3] // 100 if found.numbers[3] >= 1_000_000 else found.numbers[3]
    return Version((code // 10_000, code // 100 % 100, code % 100))


def _adrenalin(text: str) -> Version | None:
    """A release (26.2.2) or the number of Windows (32.0.23033.1002), which is of another line."""
    found = _plain(text)
    if found is None:
        return None
    return Version(found.numbers, found.stage, line="driver" if len(found.numbers) == 4 or found.numbers[:2] in ((31, 0), (32, 0)) else "")


def _build(text: str) -> Version | None:
    """The number of a build: b9213, 9213 (5d3c4e3), master-504-636d3cb."""
    found = re.match(rf"\s*{_WORDS}(?:b|master-|build-?)?(\d{{1,7}})(?![\w.])", text, re.I)
    return Version((int(found[1]),)) if found else None


def _python(text: str) -> Version | None:
    from packaging.version import InvalidVersion  # few runs read a version of Python's kind
    from packaging.version import Version as PythonVersion

    try:
        found = PythonVersion(text.lstrip("vV"))
    except InvalidVersion:
        return _plain(text)
    numbers = found.release if len(found.release) <= 8 else ()
    if not numbers:
        return None
    if found.dev is not None:
        stage: tuple[int, ...] = (_STAGES["dev"], found.dev)
    elif found.pre:
        stage = (_STAGES[found.pre[0]], found.pre[1])
    else:
        stage = (1, found.post) if found.post is not None else FINAL
    name = re.match(r"(?:amd\.)?(?:rocm)(\d.*?)(?:\.git\w*)?$", found.local or "")
    return Version(numbers, stage, local=parse(name[1], "rocm") if name else None)


_BY_SCHEME = {"kernel": _kernel, "abi": _kernel, "date": _date, "firmware": _firmware, "rocm": _rocm, "dkms": _dkms, "adrenalin": _adrenalin,
              "driver": _adrenalin, "build": _build, "tag": _build, "python": _python}


def compare(a: Any, b: Any, scheme: str = "") -> int | None:
    """-1, 0 or 1; None where one is no version or they have no order. Revisions of packagers do not count.

    >>> compare("6.8.0-60-generic", "6.17", "kernel"), compare("7.10.0a20251120", "7.2.0", "rocm"), compare("7.2-rc3", "7.2")
    (-1, None, -1)
    """
    left, right = parse(a, scheme), parse(b, scheme)
    if left is None or right is None or _apart(left, right):
        return None
    return (left > right) - (left < right)


def in_range(version: Any, bounds: Mapping[str, Any], scheme: str = "") -> bool | None:
    """Whether a version lies in ``{from, through, before, exact}``; None where that cannot be told from the texts.

    >>> in_range("6.18.9", {"through": "6.18"}, "kernel"), in_range("26.1.3", {"from": "26.1.1", "before": "26.1.3"}, "mesa")
    (True, False)
    >>> in_range("6.17.0-22-generic", {"from": "6.17.5", "before": "6.17.9"}, "kernel")  # fixes of later releases may be inside
    """
    mine = version if isinstance(version, Version) else parse(version, scheme)
    if mine is None or not bounds or not set(bounds) <= {"from", "through", "before", "exact"}:
        return None
    answers = []
    for kind, text in bounds.items():
        bound = parse(text, scheme)
        answers.append(_holds(mine, kind, bound) if bound else None)
    return False if False in answers else None if None in answers else True


def at_least(version: Any, bound: Any, scheme: str = "") -> bool | None:
    """Whether a version is the bound or later, as far as the bound speaks of it: a fix in one series says nothing of the others."""
    return in_range(version, {"from": bound}, scheme)


def same_series(a: Any, b: Any, scheme: str = "") -> bool:
    """Whether two versions have the same first two numbers."""
    left, right = parse(a, scheme), parse(b, scheme)
    return bool(left and right and left.numbers[:2] == right.numbers[:2])


def _holds(mine: Version, kind: str, bound: Version) -> bool | None:
    if bound.loose:
        return _of_package(mine, kind, bound)
    if _apart(mine, bound):
        return False if kind == "exact" and "driver" not in (mine.line, bound.line) else None
    side = _side(mine, bound)
    if side in ("open", "early"):
        return _unsettled(mine, kind, bound, side)
    return {"from": side in ("inside", "above"), "through": side in ("inside", "below"), "before": side == "below", "exact": side == "inside"}[kind]


def _of_package(mine: Version, kind: str, bound: Version) -> bool | None:
    """A bound such as 6.8.0-135 counts the packages of one series of one distribution, and says nothing of other kernels."""
    kin = mine.loose and mine.numbers == bound.numbers and (not bound.flavour or bound.flavour == mine.flavour) and (
        bool(bound.flavour) or (mine.revision[0] >= 1000) == (bound.revision[0] >= 1000))
    if not kin:
        return False
    here, there = mine.revision[:len(bound.revision)], bound.revision
    return {"from": here >= there, "through": here <= there, "before": here < there, "exact": here == there}[kind]


def _side(mine: Version, bound: Version) -> str:
    """below, inside or above all that the bound stands for; early: before its release; open: the texts do not say."""
    want = bound.numbers
    have = mine.numbers[:len(want)]
    if len(have) < len(want) and have == want[:len(have)] and mine.stage == FINAL:
        return "open"  # "26.1" may be any of 26.1.x
    have += (0,) * (len(want) - len(have))
    if mine.loose and (want[:2] == have[:2] and len(want) > 2 and want[2] > 0 or len(want) == 1 and want > have):
        return "open"
    if have != want:
        return "above" if have > want else "below"
    more = any(mine.numbers[len(want):])
    if bound.stage != FINAL:
        return "above" if more else _by_stage(mine.stage, bound.stage)
    if mine.stage < FINAL and not more:
        return "early"
    return _by_package(mine, bound)


def _by_stage(mine: tuple[int, ...], bound: tuple[int, ...]) -> str:
    """A bound such as 7.10.0a, without the number behind the letter, stands for all of them; a post-release follows its release."""
    if mine[0] == bound[0] and mine[0] < 0 and bound[1:] in ((), (0,)):
        return "inside"
    return "inside" if mine == bound else "above" if mine > bound else "below"


def _by_package(mine: Version, bound: Version) -> str:
    if mine.stage > bound.stage:
        return "inside"
    if bound.local:
        if mine.local is None:
            return "open"
        side = "open" if _apart(mine.local, bound.local) else _side(mine.local, bound.local)
        return "below" if side == "early" else side
    if not bound.revision:
        return "inside"
    here = mine.revision[:len(bound.revision)]
    if not here or (bound.flavour and mine.flavour != bound.flavour):
        return "open"
    return "inside" if here == bound.revision else "above" if here > bound.revision else "below"


def _unsettled(mine: Version, kind: str, bound: Version, side: str) -> bool | None:
    """What can be said all the same. A pre-release belongs to the version that a shorter bound stands for: 7.10.0a to 7.10, but not to 7.10.0."""
    if side == "early":
        return True if kind == "through" or (kind in ("from", "exact") and len(bound.numbers) <= 2) else None
    lowest = len(mine.numbers) < len(bound.numbers) and not any(bound.numbers[len(mine.numbers):]) and not bound.revision and not bound.local
    return {"from": True, "before": False}.get(kind) if lowest else None
