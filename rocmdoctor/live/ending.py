"""How the program ends: a signal stops its processes, removes its temporary folder and is answered within a second."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from rocmdoctor.live import processes

SIGNALS = tuple(number for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if (number := getattr(signal, name, None)) is not None)
PATIENCE = 0.8
_FIRST_STATUS = 128  # as shells count: 129 SIGHUP, 130 SIGINT, 143 SIGTERM


class Stopped(BaseException):
    """A signal asked this program to end; no ``except Exception`` takes it for a failure."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number

    @property
    def status(self) -> int:
        """The exit status."""
        return _FIRST_STATUS + self.number

    def __str__(self) -> str:
        return f"rocmdoctor: {self.how}; its processes and temporary files are gone"

    @property
    def how(self) -> str:
        """What ended it, in words."""
        return "stopped by Ctrl-C" if self.number == signal.SIGINT else f"ended by {signal.Signals(self.number).name}"


def _say(stopped: Stopped, stuck: int, folder: str) -> None:
    left = [f"{stuck} processes cannot be ended"] if stuck else []
    left += [f"{folder} could not be removed"] if folder else []
    words = f"rocmdoctor: {stopped.how}; {', '.join(left)}" if left else str(stopped)
    with contextlib.suppress(OSError, ValueError):  # a terminal that hung up
        # Over the line of what was being done, and the ^C in it; a console of Windows may print the escape.
        line = "" if not os.isatty(2) else "\r\n" if sys.platform == "win32" else "\r\033[K"
        os.write(2, (line + words + "\n").encode("utf-8", "replace"))


@contextlib.contextmanager
def orderly() -> Iterator[None]:
    """While this holds, temporary files lie in one folder and signals raise :class:`Stopped`; after it nothing that was started is left.

    A signal that was ignored when the program started (nohup) stays ignored. Work that does not come to its end within ``PATIENCE``
    seconds of a signal is cut off. In a thread other than the main one signals are left alone.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {}
    former = tempfile.tempdir
    folder = ""
    told = threading.Event()
    ending = threading.Lock()

    def end_here(stopped: Stopped) -> None:
        if not ending.acquire(blocking=False):
            return
        if told.wait(PATIENCE):
            time.sleep(PATIENCE)  # all is said and removed; what is left of the end can still wait for a lock of the work that was cut short
        else:
            stuck = processes.release(0.1, for_good=True)
            _say(stopped, stuck, _remove(folder))
        os._exit(stopped.status)

    def stop(number: int, frame: FrameType | None) -> None:
        for each in before:  # a second one changes nothing: the end is near
            signal.signal(each, _nothing)
        stopped = Stopped(number)
        processes.stop()
        start_new_thread(end_here, (stopped,))  # a Thread waits for its start under locks that the interrupted work may hold
        raise stopped

    def typed(number: int) -> None:
        if before:
            processes.stop()
            start_new_thread(end_here, (Stopped(number),))

    def swallowed(what: Any) -> None:
        # Raised in a callback of the interpreter's own (of an import, say), it goes no further: the end comes after PATIENCE seconds.
        if not isinstance(what.exc_value, Stopped):
            hook(what)

    heard = _console(typed)
    hook = sys.unraisablehook
    sys.unraisablehook = swallowed
    try:
        with _held():
            with contextlib.suppress(OSError):  # no place for temporary files: whoever needs one is told
                folder = tempfile.mkdtemp(prefix="rocmdoctor-")
                tempfile.tempdir = folder
            processes.adopt()
            for number in SIGNALS:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    before[number] = signal.signal(number, stop)
        yield
    except Stopped as stopped:
        stuck, left = _clear(folder, former)
        told.set()
        _say(stopped, stuck, left)
        raise SystemExit(stopped.status) from None
    finally:
        heard()
        sys.unraisablehook = hook
        if not told.is_set():
            for number in before:
                signal.signal(number, _nothing)
            told.set()
            _clear(folder, former)
            for number, handler in before.items():
                signal.signal(number, handler)


def _console(typed: Callable[[int], None]) -> Callable[[], None]:
    """Call ``typed`` with the signal when Ctrl-C, Ctrl-Break or the closing of the window reaches a console of Windows; what is returned ends that.

    There a wait for a lock is not interrupted by a signal: the handler of the main thread runs when the wait is over, which is too late.
    """
    if sys.platform != "win32":
        return lambda: None
    import ctypes

    def hear(event: int) -> bool:
        typed(signal.SIGINT if event == 0 else signal.SIGBREAK)
        return False  # the interpreter hears it, too

    kept = ctypes.WINFUNCTYPE(ctypes.c_int, ctypes.c_uint)(hear)
    ctypes.windll.kernel32.SetConsoleCtrlHandler(kept, 1)
    return lambda: (ctypes.windll.kernel32.SetConsoleCtrlHandler(kept, 0), None)[1]


def _nothing(number: int, frame: FrameType | None) -> None:
    """A signal while all is being ended already."""


def _clear(folder: str, former: str | None) -> tuple[int, str]:
    """How many processes are left, and which folder."""
    stuck = processes.release()
    left = _remove(folder)
    tempfile.tempdir = former
    return stuck, left


def _remove(folder: str) -> str:
    """Remove the folder; what is left of it. It goes by another name first: threads that have not heard of the end may still write into it."""
    if not folder:
        return ""
    gone = f"{folder}.gone"
    try:
        os.rename(folder, gone)
    except OSError:  # somebody has it open (Windows), or it is gone
        gone = folder
    for _ in range(3):  # a file that was just being made can come after the look
        shutil.rmtree(gone, ignore_errors=True)
        if not os.path.lexists(gone):
            return ""
    return gone


@contextlib.contextmanager
def _held() -> Iterator[None]:
    """Signals wait: one that came between making the folder and knowing its name would leave it behind."""
    if sys.platform == "win32":
        yield
        return
    was = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, was)


