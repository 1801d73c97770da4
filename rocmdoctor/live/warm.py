"""The engine's side of the warm parent of probes (:mod:`rocmdoctor.live.nursery`); only Linux has one."""

from __future__ import annotations

import contextlib
import json
import os
import select
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.live import processes, trusted

# No site packages, no PYTHON* variables, no .pyc files written: starts in half the time and leaves nothing behind.
# Not -I: it would hide the folder of the probe and with it probe_protocol.
FLAGS = ("-S", "-E", "-s", "-B")
_PATIENCE = 3.0  # seconds for the parent to fork; after that it is ended and probes are started as programs


class Forked:
    """A probe as a process that somebody else is the parent of: what :class:`processes.Child` needs of it."""

    def __init__(self, parent: Warm, pid: int) -> None:
        self._parent, self.pid = parent, pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        if self.returncode is None:
            self.returncode = self._parent.status(self.pid)
        return self.returncode

    def kill(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, 9)


class Warm:
    """One warm parent, with the pipe on which it answers and the one on which it is asked, which does not block.

    Once it fails, :meth:`start` raises OSError, and what it had forked is looked after here.
    """

    def __init__(self, child: processes.Child, hears: int, says: int) -> None:
        self._child, self._hears, self._says = child, hears, says
        self._lock = threading.Lock()  # of who hears
        self._asking = threading.Lock()
        self._said = b""
        self._asked = 0
        self._pids: dict[int, int] = {}  # by request
        self._ended: dict[int, int] = {}  # exit status by process
        self.broken = False

    def start(self, argv: Sequence[str], noise: Path, variables: Mapping[str, str] | None = None, folders: Sequence[str] = ()) -> processes.Child:
        """A child that runs the probe ``argv[0]`` and prints into the file. Raises OSError.

        ``variables`` are its own where they are not those that the parent was started with; ``folders`` hold what it imports besides.
        """
        processes.admitted()
        forked = self._fork(argv, noise, variables, folders)  # by several threads at once: one fork after the other takes a tenth of a second
        try:
            return processes.begin(lambda: forked)
        except OSError:
            forked.kill()
            raise

    def _fork(self, argv: Sequence[str], noise: Path, variables: Mapping[str, str] | None = None, folders: Sequence[str] = ()) -> Forked:
        ends = time.monotonic() + _PATIENCE
        with self._asking:
            self._asked += 1
            number = self._asked
            self._ask(json.dumps([number, list(argv), str(noise), variables and dict(variables), list(folders)]).encode() + b"\n", ends)
        while True:
            with self._lock:
                if number in self._pids:
                    return Forked(self, self._pids.pop(number))
                if self.broken:
                    break
                if time.monotonic() > ends or processes.stopping():
                    self._break()
                self._hear(0.0 if self.broken else 0.01)
        if processes.stopping():
            raise InterruptedError("this program was told to end")
        raise ConnectionError("the parent of the probes does not answer")

    def _ask(self, left: bytes, ends: float) -> None:
        while left and not self.broken:
            try:
                left = left[os.write(self._says, left):]
            except BlockingIOError:  # it does not read, or not as fast as is asked
                if time.monotonic() > ends or processes.stopping():
                    self._break()
                else:
                    time.sleep(0.005)
            except OSError:
                self._break()

    def _break(self) -> None:
        """It is of no use any more; what it forks from now on nobody would watch."""
        self.broken = True
        self._child.kill()

    def close(self) -> None:
        """End the parent, and with it what it has forked."""
        self._child.kill()
        self._child.wait(0.5)
        self._child.forget()
        with self._lock:
            self.broken = True
            os.close(self._hears)
            os.close(self._says)

    def _hear(self, seconds: float) -> None:
        """Take what the parent says, for which this waits so long."""
        if sys.platform == "win32":
            raise NotImplementedError
        look = select.poll()
        look.register(self._hears, select.POLLIN)
        if not look.poll(seconds * 1000):
            return
        came = os.read(self._hears, 1 << 16)
        if not came:
            self._break()
        *whole, self._said = (self._said + came).split(b"\n")
        for each in whole:
            number, pid, status = json.loads(each)
            if status is None:
                self._pids[number] = pid
            else:
                self._ended[pid] = status

    def status(self, pid: int) -> int | None:
        """How a child ended, None while it runs."""
        if self._lock.acquire(blocking=False):  # whoever has it hears for all
            try:
                if not self.broken:
                    self._hear(0.0)
            finally:
                self._lock.release()
        if pid in self._ended:
            return self._ended.pop(pid)
        return _orphan(pid) if self.broken else None


def _orphan(pid: int) -> int | None:
    """The status of a child whose parent is gone: by now it is ours, or somebody's who has collected it."""
    if sys.platform == "win32":
        return None
    try:
        found, status = os.waitpid(pid, os.WNOHANG)
        return os.waitstatus_to_exitcode(status) if found else None
    except ChildProcessError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return -9
    except PermissionError:
        pass
    return None


_ahead: list[tuple[Mapping[str, str] | None, Warm]] = []  # one at most, and its variables


def begin() -> None:
    """Start the parent that the first :func:`parent` asks for: it loads what it needs while this program does."""
    environment = trusted.environment(os.environ)[0]
    if not _ahead and (made := _started(FLAGS, environment)):
        _ahead.append((environment, made))


@contextlib.contextmanager
def parent(flags: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[Warm | None]:
    """A warm parent while this holds; None where processes do not fork or it cannot be started. Its variables are those given, or our own."""
    begun, made = _ahead.pop() if _ahead else (None, None)
    if made and (tuple(flags), environment) != (FLAGS, begun):
        made.close()
        made = None
    made = made or _started(flags, environment)
    try:
        yield made
    finally:
        if made:
            made.close()


def _started(flags: Sequence[str], environment: Mapping[str, str] | None) -> Warm | None:
    if sys.platform == "win32" or sys.platform != "linux":  # named apart for who checks types
        return None
    hears, answers = os.pipe()
    asked, says = os.pipe()
    try:
        with open(os.devnull, "wb") as sink:
            command = [sys.executable, *flags, str(Path(__file__).with_name("nursery.py")), str(asked), str(answers), str(data_dir("probes"))]
            child = processes.start(command, sink, processes.surroundings(environment), keep=(asked, answers))
    except OSError:
        os.close(hears)
        os.close(says)
        return None
    finally:
        os.close(asked)
        os.close(answers)
    os.set_blocking(says, False)
    return Warm(child, hears, says)
