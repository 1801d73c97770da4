"""Files below a root folder, read so that nothing waits and nothing is outside. Not a probe itself.

In a recorded machine every link is followed as if its root were the machine's: an absolute one starts there again, and ".." does
not leave it. Reads are capped; a pipe, a device or a socket is unreadable.
"""

import errno
import fnmatch
import os
import posixpath
import stat

CAP = 1 << 20
MOST_LINKS = 40
MOST_NAMES = 100_000


def _slashes(path):
    """The path with slashes between its names, as Linux writes it."""
    return path if os.sep == "/" else path.replace(os.sep, "/")


def _names(path):
    """The names on the way: Windows would take a backslash in one of them for a way out of the root."""
    return [part for part in _slashes(path).split("/") if part not in ("", ".")]


def _below(folder, name):
    """The name in the folder; not joined, since to Windows "C:" below a folder would be a drive."""
    return folder.rstrip(os.sep) + os.sep + name


class Tree:
    """The machine, or the recording of one below ``root``. Paths are those of the machine: absolute, whatever the root.

    ``style`` is how they are written. A recording is one of a machine whose paths have slashes, also where Windows reads it.
    """

    def __init__(self, root="/"):
        self.root = root or "/"
        self.live = os.path.normpath(self.root) == os.path.normpath("/")
        self.style = os.path if self.live else posixpath
        self._top = "/" if self.live else os.path.realpath(self.root)
        self._folders = {}

    def at(self, path):
        """Where the path lies in this computer's files; every link is followed within the root. Raises OSError for a loop of links."""
        return path if self.live else self._within(path, True)

    def _within(self, path, follow):
        parts = _names(path)
        if not follow and parts:
            return _below(self._within("/".join(parts[:-1]), True), parts[-1]) if parts[-1] != ".." else self._within(path, True)
        here, waiting, links = self._top, parts[::-1], 0
        while waiting:
            name = waiting.pop()
            if name == "..":
                here = here if here == self._top else os.path.dirname(here)
                continue
            below = _below(here, name)
            known = self._folders.get(below)
            if known is None:
                try:
                    target = os.readlink(below)
                except OSError:  # no link, or nothing there: whoever opens it is told
                    self._folders[below] = below
                    here = below
                    continue
                links += 1
                if links > MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                waiting += _names(target)[::-1]
                here = self._top if target.startswith(("/", os.sep)) else here
            else:
                here = known
        return here

    def raw(self, path, cap=CAP, from_end=False):
        """Bytes of a regular file: the first ``cap``, or the last. Raises OSError."""
        place = self.at(path)
        try:
            mode = os.stat(place).st_mode
        except OSError as error:  # in the machine's own words: its path, and none of the system that reads the recording
            raise OSError(error.errno, os.strerror(error.errno), path) from None
        if not stat.S_ISREG(mode):  # looked at first: to open a device can already do something
            raise OSError(errno.EINVAL, "not a regular file", path)
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(place, flags | (0 if self.live else getattr(os, "O_NOFOLLOW", 0)))
        try:
            info = os.fstat(handle)
            if not stat.S_ISREG(info.st_mode) or not self._inside(handle):
                raise OSError(errno.EINVAL, "not a regular file", path)
            if from_end and info.st_size > cap:
                os.lseek(handle, info.st_size - cap, os.SEEK_SET)
            chunks, left = [], cap
            while left > 0:
                chunk = os.read(handle, min(left, 1 << 16))
                if not chunk:
                    break
                chunks.append(chunk)
                left -= len(chunk)
            return b"".join(chunks)
        finally:
            os.close(handle)

    def _inside(self, handle):
        """Whether what was opened lies below the root: a tree may be changed while it is read."""
        if self.live:
            return True
        try:
            return (os.readlink("/proc/self/fd/%d" % handle) + "/").startswith(self._top.rstrip("/") + "/")
        except OSError:
            return True

    def read(self, path, cap=CAP):
        """Stripped text of the file. Raises OSError."""
        return self.raw(path, cap).decode("utf-8", "replace").strip("\0 \t\r\n")

    def try_read(self, path, cap=CAP):
        """Stripped text, or None when it cannot be read."""
        try:
            return self.read(path, cap)
        except OSError:
            return None

    def exists(self, path):
        return self.stat(path) is not None

    def stat(self, path):
        """What the path leads to, None when it leads nowhere."""
        try:
            return os.stat(self.at(path))
        except (OSError, ValueError):
            return None

    def recorded(self, *paths):
        """Whether this machine, or the recording of one, has any of the paths. The live machine has all it has."""
        return self.live or any(self.exists(path) for path in paths)

    def listed(self, path):
        """Sorted names in a folder, not more than a machine has. Raises OSError."""
        names = []
        with os.scandir(self.at(path)) as entries:
            for entry in entries:
                names.append(entry.name)
                if len(names) >= MOST_NAMES:
                    break
        return sorted(names)

    def names(self, path):
        """Sorted names in a folder; empty when it cannot be listed."""
        try:
            return self.listed(path)
        except OSError:
            return []

    def target(self, path):
        """A symbolic link's target. Raises OSError when there is none."""
        return os.readlink(path) if self.live else _slashes(os.readlink(self._within(path, False)))

    def link(self, path):
        """Last part of a symbolic link's target, None when there is none."""
        try:
            return self.style.basename(self.target(path))
        except OSError:
            return None

    def real(self, path):
        """The machine's own path without links; as it is where the links go in circles."""
        try:
            if self.live:
                return os.path.realpath(path)
            return _slashes(self._within(path, True)[len(self._top.rstrip(os.sep)):]) or "/"
        except OSError:
            return path

    def place(self, path):
        return Place(self, path if path.startswith("/") or self.live and os.path.isabs(path) else "/" + path)


class Place:
    """A path of a tree's machine, in the manner of pathlib."""

    __slots__ = ("path", "tree")

    def __init__(self, tree, path):
        self.tree, self.path = tree, path

    def __str__(self):
        return self.path

    def __eq__(self, other):
        return isinstance(other, Place) and self.path == other.path

    def __lt__(self, other):
        return self.path < other.path

    def __hash__(self):
        return hash(self.path)

    def __truediv__(self, name):
        return Place(self.tree, self.tree.style.join(self.path, name))

    @property
    def name(self):
        return self.tree.style.basename(self.path)

    @property
    def stem(self):
        return os.path.splitext(self.name)[0]

    @property
    def suffix(self):
        return os.path.splitext(self.name)[1]

    @property
    def parent(self):
        return Place(self.tree, self.tree.style.dirname(self.path))

    @property
    def real(self):
        return Place(self.tree, self.tree.real(self.path))

    def names(self):
        return self.tree.names(self.path)

    def exists(self):
        return self.tree.exists(self.path)

    def lexists(self):
        """Whether the name is there, even as a link that leads nowhere."""
        try:
            self.lstat()
        except OSError:
            return False
        return True

    def is_file(self):
        info = self.tree.stat(self.path)
        return info is not None and stat.S_ISREG(info.st_mode)

    def is_dir(self):
        info = self.tree.stat(self.path)
        return info is not None and stat.S_ISDIR(info.st_mode)

    def lstat(self):
        """Raises OSError."""
        return os.lstat(self.path if self.tree.live else self.tree._within(self.path, False))

    def stat(self):
        """Raises OSError."""
        return os.stat(self.tree.at(self.path))

    def raw(self, cap=CAP, from_end=False):
        """Raises OSError."""
        return self.tree.raw(self.path, cap, from_end)

    def text(self, cap=CAP, from_end=False):
        """Text of a file, "" when it cannot be read."""
        try:
            return self.raw(cap, from_end).decode("utf-8", "replace")
        except OSError:
            return ""

    def readlink(self):
        """Raises OSError."""
        return self.tree.target(self.path)

    def glob(self, pattern):
        """The places below that fit a pattern of names, in order."""
        found = [self]
        for part in pattern.split("/"):
            if any(letter in part for letter in "*?["):
                found = [place / name for place in found for name in place.names() if fnmatch.fnmatchcase(name, part)]
            else:
                found = [place / part for place in found if (place / part).lexists()]
        return found
