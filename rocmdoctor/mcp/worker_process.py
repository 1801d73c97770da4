"""The process of a question, from the server's side; what it runs is :mod:`rocmdoctor.mcp.worker`."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from rocmdoctor.live import processes

_MOST_LINE = 64 << 20
# By its folder, not by its name: a folder somebody works in may hold a module of the same name.
_PROGRAM = "import sys; sys.path[0] = sys.argv[1]; from rocmdoctor.mcp.worker import main; main()"


class Worker:
    """A process that waits for one question."""

    def __init__(self) -> None:
        """Raises OSError."""
        top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self._child, self._process = processes.talk([sys.executable, "-c", _PROGRAM, top])

    def ask(self, question: bytes) -> None:
        """Raises OSError."""
        assert self._process.stdin
        self._process.stdin.write(question)
        self._process.stdin.flush()

    def line(self) -> bytes:
        """The next line, b"" at its end."""
        assert self._process.stdout
        return self._process.stdout.readline(_MOST_LINE)

    def release(self) -> None:
        """Nobody waits for it any more: it ends with all that it started."""
        assert self._process.stdin
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def end(self, until: float) -> None:
        """Wait for the end, up to a moment of the monotonic clock, then make an end."""
        self.release()
        self._child.wait(max(0.0, until - time.monotonic()))
        self._child.kill()
        self._child.wait(0.1)
        self._child.forget()
        for _ in range(20):  # what it could not end itself comes here piece by piece, as its parents go
            if not processes.sweep():
                return
            time.sleep(0.01)
