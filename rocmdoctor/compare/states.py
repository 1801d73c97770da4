"""The states that are kept: one file per run, whose name says all that a list or a choice needs, in a private folder of bounded size."""

from __future__ import annotations

import errno
import io
import json
import os
import pathlib
import re
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from rocmdoctor import later
from rocmdoctor.facts import limits
from rocmdoctor.facts.model import GRAVE, Report, Snapshot, snapshot_to_json
from rocmdoctor.knowledge import trusted_file
from rocmdoctor.texts import door

if TYPE_CHECKING:
    import gzip
else:
    gzip = later.module("gzip")


MOST_STATES = 10_000
MOST_BYTES = 200 << 20
MOST_OF_ONE = 64 << 20
# 20261128T123055Z.clean.3f9a12c4.good.json.gz
_NAME = later.pattern(r"\d{8}T\d{6}Z\.(clean|warnings|errors|undecided|no-gpu)\.[0-9a-f]{8}(\.good)?\.json\.gz")
_WRITING = ".writing-"
_WORKS = ("clean", "warnings", "undecided")


class Unreadable(Exception):
    """A state that cannot be used, with the reason for a person."""


class State(NamedTuple):
    """One kept state as its name tells it; ``found`` is clean, warnings, errors, undecided or no-gpu."""

    place: pathlib.Path
    name: str
    found: str
    good: bool

    @property
    def path(self) -> pathlib.Path:
        """The file."""
        return self.place / self.name

    @property
    def taken(self) -> str:
        """When it was taken, ISO 8601 in UTC."""
        t = self.name
        return f"{t[:4]}-{t[4:6]}-{t[6:8]}T{t[9:11]}:{t[11:13]}:{t[13:15]}+00:00"


def folder(top: pathlib.Path, machine: str) -> pathlib.Path:
    """Where the states of this machine are below ``top``: a home that several machines share must not mix them."""
    return top / "states" / (re.sub(r"[^\w-]", "", machine)[:8] or "this")


def verdict(report: Report) -> str:
    """The word for a state's name."""
    if report.verdict == "no_amd_gpu":
        return "no-gpu"
    if any(finding.severity in GRAVE for finding in report.findings):
        return "errors"
    return {"problems": "warnings", "healthy": "clean"}.get(report.verdict, "undecided")


def listed(place: pathlib.Path) -> tuple[list[State], list[str]]:
    """Every state, newest first, and the names of files that are none. No file is opened."""
    found, foreign = [], []
    try:
        trusted_file.check(str(place))
        with os.scandir(place) as entries:
            names = [entry.name for entry in entries]
    except (FileNotFoundError, NotADirectoryError):
        return [], []
    except OSError as error:
        raise Unreadable(f"{place}: {error.strerror}") from None
    for name in sorted(names, reverse=True):
        match = _NAME.fullmatch(name)
        if match:
            found.append(State(place, name, match[1], match[2] is not None))
        elif not name.startswith(_WRITING):
            foreign.append(name)
    return found, foreign


def baseline(states: Iterable[State]) -> list[State]:
    """What to compare with, best first: the newest marked good, then the newest without errors."""
    held = list(states)
    return [s for s in held if s.good] + [s for s in held if not s.good and s.found in _WORKS]


def before(states: Iterable[State], moment: str) -> list[State]:
    """The states that were taken at or before a moment (ISO 8601, UTC), newest first."""
    return [s for s in states if s.taken <= moment]


def load(state: State) -> Snapshot:
    """The snapshot of a state. Raises Unreadable with one line for a truncated, foreign or oversized file."""
    try:
        with gzip.open(io.BytesIO(trusted_file.read(str(state.path), MOST_OF_ONE)), "rb") as packed:
            raw = packed.read(MOST_OF_ONE + 1)
        if len(raw) > MOST_OF_ONE:
            raise ValueError("too big for a state")
        return limits.admitted(door.json_value(raw))
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(f"{state.path.name}: a kept state that cannot be read, left out ({reason or type(error).__name__})") from None


def keep(place: pathlib.Path, snapshot: Snapshot, found: str, good: bool = False) -> State:
    """Write a state whole or not at all, and drop the oldest unmarked ones beyond the bound. Raises OSError (a full disk)."""
    trusted_file.folder(str(place))
    if place.is_symlink():  # whoever laid the link would choose where root writes and what it makes private
        raise OSError(errno.ELOOP, "a link, not a folder")
    os.chmod(place, 0o700)
    stamp = re.sub(r"[-:]", "", snapshot.taken[:19]) + "Z"
    name = f"{stamp}.{found}.{os.urandom(4).hex()}{'.good' if good else ''}.json.gz"
    writing = place / f"{_WRITING}{os.urandom(8).hex()}"
    data: dict[str, Any] = snapshot_to_json(snapshot)
    packed = gzip.compress(json.dumps(data, default=str).encode("utf-8", "replace"), 6, mtime=0)
    try:
        handle = os.open(writing, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(packed)
            file.flush()
            os.fsync(file.fileno())
        os.replace(writing, place / name)
    except BaseException:
        writing.unlink(missing_ok=True)
        raise
    _prune(place)
    return State(place, name, found, good)


def _sweep(place: pathlib.Path, names: list[str]) -> None:
    """Unfinished files of runs that were killed, a day later; another run may finish or remove its own meanwhile."""
    for name in names:
        try:
            if (place / name).stat().st_mtime < place.stat().st_mtime - 86_400:
                (place / name).unlink()
        except OSError:
            continue


def _prune(place: pathlib.Path) -> None:
    """Marked states stay; another run may have removed a file first."""
    found, _ = listed(place)
    sizes = {}
    for state in found:
        try:
            sizes[state.path] = state.path.stat().st_size
        except OSError:
            sizes[state.path] = 0
    _sweep(place, [name for name in os.listdir(place) if name.startswith(_WRITING)])
    count, total = len(found), sum(sizes.values())
    for state in [s for s in reversed(found) if not s.good][:-1]:  # never the newest
        if count <= MOST_STATES and total <= MOST_BYTES:
            return
        state.path.unlink(missing_ok=True)
        count, total = count - 1, total - sizes[state.path]
