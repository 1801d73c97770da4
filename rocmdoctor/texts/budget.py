"""What reading somebody's files may cost: bytes that come out of archives, members, files, and one clock for the command."""

from __future__ import annotations

import time
from collections.abc import Callable

from rocmdoctor.records import dataclass

MOST_UNPACKED = 512 << 20
# What is unpacked must stand in a ratio to what was attached: logs come down to a fiftieth, bombs to a millionth.
FREELY_UNPACKED = 64 << 20
MOST_RATIO = 100
MOST_MEMBERS = 20_000
MOST_FILES = 5000
MOST_SECONDS = 300.0


class Spent(Exception):
    """A bound was reached; the text says which."""


@dataclass(slots=True)
class Budget:
    """What was spent so far. ``clock`` gives seconds; the time starts with the object."""

    clock: Callable[[], float] = time.monotonic
    packed: int = 0  # bytes read from the files that were attached
    unpacked: int = 0
    members: int = 0
    files: int = 0
    began: float = -1.0

    def __post_init__(self) -> None:
        self.began = self.clock()

    def unpack(self, count: int) -> None:
        """Bytes that came out of an archive. Raises Spent."""
        self.unpacked += count
        if self.unpacked > min(MOST_UNPACKED, FREELY_UNPACKED + MOST_RATIO * self.packed):
            most = min(MOST_UNPACKED, FREELY_UNPACKED + MOST_RATIO * self.packed) >> 20
            raise Spent(f"unpacks to more than {most} MiB")
        self.look()

    def member(self) -> None:
        """One member of an archive, whatever it is. Raises Spent."""
        self.members += 1
        if self.members > MOST_MEMBERS:
            raise Spent(f"holds more than {MOST_MEMBERS} members")
        self.look()

    def file(self) -> None:
        """One file that is read. Raises Spent."""
        self.files += 1
        if self.files > MOST_FILES:
            raise Spent(f"more than {MOST_FILES} files")
        self.look()

    def look(self) -> None:
        """Raises Spent once the time is over."""
        if self.over():
            raise Spent(f"the time for reading, {MOST_SECONDS:.0f} s, is over")

    def over(self) -> bool:
        """Whether the time is over."""
        return self.clock() - self.began > MOST_SECONDS
