"""Files and folders of somebody else: only regular files are opened, no link is followed, nothing waits."""

from __future__ import annotations

import os
import pathlib
import stat
from collections.abc import Callable, Iterator
from typing import IO

from rocmdoctor.records import dataclass

DEEPEST = 64
MOST_ENTRIES = 200_000
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOCTTY", 0)
_BY_FOLDER = os.open in os.supports_dir_fd and os.scandir in os.supports_fd  # not on Windows


class NotAFile(OSError):
    """A device, a pipe, a socket, a link or a folder: not opened."""


def opened(path: str | pathlib.Path, folder: int | None = None) -> IO[bytes]:
    """A regular file, unbuffered; ``folder`` is the open folder that ``path`` is a name in. Raises NotAFile, OSError.

    What it is, is asked before it is opened, since opening is enough to start a tape or a watchdog, and once more after.
    """
    if not stat.S_ISREG(os.stat(path, dir_fd=folder, follow_symlinks=False).st_mode):
        raise NotAFile("not a regular file")
    handle = os.open(path, _FLAGS, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise NotAFile("not a regular file")
    return os.fdopen(handle, "rb", buffering=0)


def whole(path: pathlib.Path, most: int) -> bytes:
    """A regular file that the caller named, all of it; a link is followed. Raises NotAFile, OSError, ValueError for one of more bytes."""
    with opened(path.resolve(strict=True)) as file:
        held = b""
        while len(held) <= most and (part := file.read(most + 1 - len(held))):
            held += part
    if len(held) > most:
        raise ValueError(f"bigger than {most >> 20} MiB")
    return held


@dataclass(frozen=True, slots=True)
class Entry:
    """A file, or a link (``link`` is where it leads), below the folder that is walked; ``name`` is relative to it."""

    name: str
    link: str
    mode: int
    folder: int | None
    path: pathlib.Path

    def open(self) -> IO[bytes]:
        """Its bytes. Raises as :func:`opened`."""
        return opened(self.path.name if self.folder is not None else self.path, self.folder)


def entries(top: pathlib.Path, problem: Callable[[str], None], enter: Callable[[pathlib.Path, list[str]], list[str]] | None = None) -> Iterator[Entry]:
    """Everything below ``top`` that is a regular file or a link, in the order of names. An entry is opened before the next is asked for.

    ``problem`` gets one line for each thing left out; ``enter`` is asked with a folder and the folders in it which of these to go into.
    """
    left = [MOST_ENTRIES]
    yield from _below(top, "", os.open(top, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)) if _BY_FOLDER else None, problem, enter, left, 0)


def _below(place: pathlib.Path, prefix: str, handle: int | None, problem: Callable[[str], None],
           enter: Callable[[pathlib.Path, list[str]], list[str]] | None, left: list[int], depth: int) -> Iterator[Entry]:
    folders: list[str] = []
    others: list[tuple[str, int]] = []
    try:
        with os.scandir(handle if handle is not None else place) as found:
            for entry in found:
                left[0] -= 1
                if left[0] < 0:
                    problem(f"{prefix or place.name}: more than {MOST_ENTRIES} entries, the rest is left out")
                    break
                mode = entry.stat(follow_symlinks=False).st_mode
                if stat.S_ISDIR(mode):
                    folders.append(entry.name)
                else:
                    others.append((entry.name, mode))
        folders.sort()
        if enter:
            folders = enter(place, folders)
        for name, mode in sorted(others):
            if stat.S_ISLNK(mode):
                yield Entry(prefix + name, os.readlink(name if handle is not None else place / name, dir_fd=handle), mode, handle, place / name)
            elif stat.S_ISREG(mode):
                yield Entry(prefix + name, "", mode, handle, place / name)
            else:
                problem(f"{prefix}{name}: not a regular file, left out")
        for name in folders:
            if depth + 1 >= DEEPEST:
                problem(f"{prefix}{name}: deeper than {DEEPEST} folders, left out")
                continue
            try:
                inner = os.open(name, _FLAGS | getattr(os, "O_DIRECTORY", 0), dir_fd=handle) if handle is not None else None
            except OSError as error:
                problem(f"{prefix}{name}: {error.strerror}, left out")
                continue
            yield from _below(place / name, f"{prefix}{name}/", inner, problem, enter, left, depth + 1)
    except OSError as error:
        problem(f"{prefix or place.name}: {error.strerror}, left out")
    finally:
        if handle is not None:
            os.close(handle)


def leads_out(top: pathlib.Path, entry: Entry) -> bool:
    """Whether a link leads to something that is not below ``top``."""
    real, inside = os.path.realpath(entry.path), os.path.realpath(top)
    return not real.startswith(inside.rstrip("/") + "/")
