"""The copy of a machine's files that the probes may read: fresh, bounded, and without a way out of it."""

from __future__ import annotations

import os
import pathlib

MOST_FILES = 20_000
MOST_BYTES = 128 << 20
LARGEST = 16 << 20
_DEEPEST = 64
_ROUNDS = 8
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Tree:
    """Files are written into a folder of its own, which holds no link until :meth:`close`; nothing is written after that.

    So there is nothing that a name could lead through while there is writing, whatever links were announced, and of the links
    only those stay that end inside.
    """

    def __init__(self, top: pathlib.Path) -> None:
        """``top`` must not exist."""
        top.mkdir(mode=0o700)
        self.top = top.resolve()
        self.files = 0
        self._bytes = 0
        self._links: list[tuple[pathlib.Path, str]] = []

    def room(self) -> bool:
        """Whether a further file may be written."""
        return self.files < MOST_FILES and self._bytes < MOST_BYTES

    def write(self, name: str, raw: bytes, mode: int = 0o600) -> bool:
        """One file; False for a name that leads elsewhere, or where there is something already."""
        place = self._place(name)
        if place is None or not self.room():
            return False
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with open(os.open(place, _WRITE, mode & 0o777), "wb") as file:
                file.write(raw)
        except OSError:  # a name too long, a file where a folder is wanted
            return False
        self.files += 1
        self._bytes += len(raw)
        return True

    def link(self, name: str, target: str) -> None:
        """Remember a link until all files are there."""
        place = self._place(name)
        if place is not None and len(self._links) < MOST_FILES and target and "\0" not in target and not os.path.isabs(target):
            self._links.append((place, target))

    def close(self) -> None:
        """Lay the links that stay inside."""
        laid: list[pathlib.Path] = []
        for place, target in self._links:
            # Its folder may be behind a link by now: it is looked at as it really is.
            if not self._inside(os.path.realpath(place.parent)) or os.path.lexists(place):
                continue
            try:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(target)
            except OSError:
                continue
            laid.append(place)
        for _ in range(_ROUNDS):  # a later link may bend an earlier one
            kept = [place for place in laid if self._inside(os.path.realpath(place))]
            if len(kept) == len(laid):
                return
            for place in set(laid) - set(kept):
                place.unlink()
            laid = kept
        for place in laid:
            place.unlink()

    def roots(self) -> list[tuple[pathlib.Path, bool]]:
        """Folders that hold a machine's ``sys``, and whether its ``proc`` is there, too."""
        found = []
        for place, folders, _ in os.walk(self.top):
            folders.sort()
            here = pathlib.Path(place)
            if any((here / "sys" / "class" / kind).is_dir() for kind in ("drm", "kfd")):
                found.append((here, (here / "proc").is_dir()))
                folders.clear()
        return found

    def _inside(self, real: str) -> bool:
        return real == str(self.top) or real.startswith(f"{self.top}/")

    def _place(self, member: str) -> pathlib.Path | None:
        """Below the top, None for a name that leads elsewhere."""
        parts = [part for part in member.split("/") if part not in ("", ".")]
        good = parts and len(parts) <= _DEEPEST and ".." not in parts and "\0" not in member and len(member) < 1000
        return self.top.joinpath(*parts) if good else None
