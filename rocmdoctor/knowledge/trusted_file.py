"""The one way to read what is believed: caches, kept states, rules and policies.

Root or the caller owns the file and every folder and link on the way to it, and nobody else may write there; it is a regular file
of a bounded size, and opening it never waits. Rules and policies that were named may also belong to whoever called ``sudo``.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile

from rocmdoctor.live import trusted

_left_out: dict[str, str] = {}


class Refused(OSError):
    """A file that is not used; ``strerror`` says why."""


class NotRegular(Refused):
    """A pipe, a device, a folder."""


class TooBig(Refused):
    """More than a file of its kind may hold."""


def _believed(named: bool) -> set[int]:
    """The users whose files are used."""
    owners = trusted.owners()
    caller = os.environ.get("SUDO_UID", "")
    return owners | {int(caller)} if named and owners == {0} and caller.isdecimal() else owners


def check(path: str, named: bool = False) -> str:
    """The path without links. Raises Refused when others have a hand in it, OSError when it is not there."""
    try:
        return trusted.resolve(path, _believed(named), beside=True)
    except PermissionError as error:
        if error.errno != errno.EPERM:  # the kernel's own word
            raise
        raise Refused(errno.EPERM, error.strerror, path) from None


def read(path: str, cap: int, named: bool = False) -> bytes:
    """All of the file. Raises Refused, or OSError when it is not there or cannot be read. ``named``: the caller asked for this file."""
    real = check(path, named)
    if not stat.S_ISREG(os.stat(real).st_mode):  # looked at first: to open a device can already do something
        raise NotRegular(errno.EINVAL, "not a regular file", path)
    handle = os.open(real, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
                     | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise NotRegular(errno.EINVAL, "not a regular file", path)
        raw = file.read(min(cap, found.st_size) + 1)  # room for all of the cap costs more than a short file
    if len(raw) > cap:
        raise TooBig(errno.EFBIG, f"larger than {cap >> 20} MiB", path)
    return raw


def folder(path: str) -> None:
    """Make a folder that only the caller enters, where there is none. Raises Refused when others have a hand in it, OSError."""
    missing = []
    while not os.path.lexists(path):
        missing.append(path)
        path = os.path.dirname(path)
    if missing and not _sticky(path):
        check(path)  # before anything is made: a link of somebody else would say where
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:  # another run was first
            pass
        path = each
    check(path)
    if not os.path.isdir(path):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)


def _sticky(path: str) -> bool:
    """Whether this is a folder for all, such as /tmp itself."""
    return not os.path.islink(path) and bool(os.stat(path).st_mode & stat.S_ISVTX) and os.stat(path).st_uid == 0


def replace(path: str, raw: bytes) -> None:
    """Write a file whole or not at all, for the caller only. Raises OSError."""
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            file.write(raw)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def leave_out(error: OSError, what: str) -> None:
    """Keep in mind what was not used, once for each thing, for :func:`left_out`."""
    _left_out.setdefault(what, f"{what} is not used: {error.strerror}")


def left_out() -> list[str]:
    """What was not used since this was last asked, a sentence each."""
    said = list(_left_out.values())
    _left_out.clear()
    return said
