"""Standard input and the outputs, whatever state the caller left them in: closed, full, a pipe whose reader has gone."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class Unwritable(OSError):
    """An output that was asked for and cannot be written; ``strerror`` says why."""


class _Out(io.RawIOBase):
    """A file descriptor to write to.

    A reader that has gone (`| head`) has what it wanted: what follows is dropped, and the run ends with its own status.
    Anything else is said once, as Unwritable; after that nothing fails again while the interpreter ends.
    """

    def __init__(self, number: int, needed: bool) -> None:
        self._number, self._needed, self._gone = number, needed, False

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def isatty(self) -> bool:
        return os.isatty(self._number)

    def write(self, data: object) -> int:
        raw = memoryview(data)  # type: ignore[arg-type]
        if self._gone:
            return len(raw)
        try:
            return os.write(self._number, raw)
        except BrokenPipeError:
            self._gone = True
        except BlockingIOError:
            if sys.platform == "win32":  # a console there never answers so
                raise
            os.set_blocking(self._number, True)
            return self.write(raw)
        except OSError as error:
            self._gone = True
            if self._needed:
                raise Unwritable(error.errno, error.strerror) from None
        return len(raw)


def _text(number: int, needed: bool, encoding: str) -> TextIO:
    buffer = io.BufferedWriter(_Out(number, needed))
    return io.TextIOWrapper(buffer, encoding=encoding, errors="replace" if needed else "backslashreplace",
                            line_buffering=not needed or os.isatty(number), write_through=not needed)


def _encoding(stream: TextIO | None, number: int) -> str:
    """As the interpreter chose, but UTF-8 in files and pipes of Windows too: its code page lacks letters that are printed, and JSON is UTF-8."""
    if sys.platform == "win32" and not os.isatty(number) and not os.environ.get("PYTHONIOENCODING"):
        return "utf-8"
    return getattr(stream, "encoding", None) or "utf-8"


def ready() -> None:
    """Make the three streams of the process usable.

    A closed one is occupied, since the next file that is opened would become it, and hear what is printed.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # so that writing to it fails, as it should
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)
    if sys.stdout is sys.__stdout__:  # a caller in this process may have put something else in their place
        sys.stdout = _text(1, True, _encoding(sys.stdout, 1))
    if sys.stderr is sys.__stderr__:
        sys.stderr = _text(2, False, _encoding(sys.stderr, 2))
