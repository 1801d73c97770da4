"""Every process that is started: none outlives its time, nor this program, however that ends.

A child leads a group of its own (a job on Windows), which is ended as a whole. What leaves the group is adopted on Linux and ended,
too: it is known by a mark in its environment, so nothing else is ever touched.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from rocmdoctor import later

if TYPE_CHECKING:
    import subprocess
else:
    subprocess = later.module("subprocess")


_MARK = "DIAGNOSIS_RUN"
_TOKEN = os.environ.get(_MARK) or os.urandom(12).hex()  # a worker of this program marks what it starts as its parent does
_lock = threading.RLock()
_running: dict[int, Child] = {}
_stopping = threading.Event()
_owned = False
_adopting = False


class Process(Protocol):
    """What is needed of a process: :class:`subprocess.Popen` has it."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""

    def kill(self) -> None:
        """End it."""


class Child:
    """A process that was started, with all that it starts."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.pid = process.pid
        self.job = _job(process)
        self._end: int | None = None

    def ended(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""
        return self.process.poll()

    def kill(self) -> None:
        """End it and what it left behind in its group."""
        _kill(self)

    def wait(self, seconds: float) -> bool:
        """Whether it ended within the time."""
        ends = time.monotonic() + seconds
        while self.process.poll() is None:
            if time.monotonic() >= ends:
                return state(self.pid).startswith("state Z")  # ended, though its parent has not taken note
            time.sleep(0.005)
        return True

    def pause(self, seconds: float) -> None:
        """Wait this long, or until it ends."""
        if self._end is None:
            self._end = _end_of(self.pid)
        if self._end < 0:
            time.sleep(seconds)
        elif _over(self._end, seconds):
            time.sleep(0.0005)  # it ended; whoever its parent is may not have taken note yet

    def leave(self) -> None:
        """It cannot be ended (it waits in the kernel): left behind on purpose, so the interpreter need not warn of it."""
        self.process.returncode = -9

    def forget(self) -> None:
        """It ended, or was left: what it started and did not end with it is ended now."""
        with _lock:
            _running.pop(self.pid, None)
            sweep()
        if self._end is not None and self._end >= 0:
            os.close(self._end)
            self._end = -1


def surroundings(given: Mapping[str, str] | None) -> dict[str, str]:
    """The variables of a child: those given, or this program's own, and our place for temporary files."""
    return {**(os.environ if given is None else given), "TMPDIR": tempfile.gettempdir()}


def marked(environment: Mapping[str, str]) -> dict[str, str]:
    """These variables, and the one that says whose process it is."""
    return {**environment, _MARK: _TOKEN}


def start(command: Sequence[str], sink: IO[bytes], environment: Mapping[str, str], keep: Sequence[int] = ()) -> Child:
    """Start a program whose outputs both go to ``sink``, and which gets the open files ``keep``. Raises OSError, also while this program ends."""
    return begin(lambda: subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink, close_fds=True, pass_fds=keep, start_new_session=True,
        cwd=os.path.abspath(os.sep), env=marked(environment), creationflags=_FLAGS))


def talk(command: Sequence[str]) -> tuple[Child, subprocess.Popen[bytes]]:
    """Start a program with pipes to its standard input and from its output; its errors go nowhere. Raises as :func:`start`."""
    made: list[subprocess.Popen[bytes]] = []

    def make() -> subprocess.Popen[bytes]:
        made.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, close_fds=True,
                                     start_new_session=True, cwd=os.path.abspath(os.sep), env=marked(surroundings(None)),
                                     creationflags=_FLAGS))
        return made[0]

    return begin(make), made[0]


def begin(make: Callable[[], Process]) -> Child:
    """A child of ours, made where nothing else is started meanwhile. Raises what ``make`` raises, and OSError while this program ends."""
    with _lock:
        admitted()
        process = make()
        child = _running[process.pid] = Child(process)
        return child


def admitted() -> None:
    """Make ready for a process that is about to be started. Raises OSError while this program ends."""
    global _adopting
    with _lock:
        if _stopping.is_set():
            raise InterruptedError("this program was told to end")
        if _owned and not _adopting:
            _subreaper(True)
            _adopting = True


def stopping() -> bool:
    """Whether this program was told to end."""
    return _stopping.is_set()


def stop() -> None:
    """End every process, and start none from now on; for a signal handler: nothing here waits."""
    _stopping.set()
    for child in list(_running.values()):
        child.kill()


def adopt() -> None:
    """From now on orphans of what is started here become children of this process, and are ended with it (Linux)."""
    global _owned
    _owned = True
    _stopping.clear()


def release(seconds: float = 0.5, for_good: bool = False) -> int:
    """End all that is left; how many processes could not be ended in that time. ``for_good``: nothing is started any more."""
    global _owned, _adopting
    stop()
    ends = time.monotonic() + seconds
    while True:
        # Another thread may hold the lock while a program lies on a disk that does not answer.
        held = _lock.acquire(timeout=max(0.0, ends - time.monotonic()))
        left = sum(child.ended() is None for child in list(_running.values())) + sweep()
        if held:
            _lock.release()
        if not left or time.monotonic() > ends:
            break
        time.sleep(0.01)
    if not for_good:
        _running.clear()
        _stopping.clear()
        if _adopting:
            _subreaper(False)
        _owned = _adopting = False
    return left


_FAULTS = {0xC0000005: "access violation", 0xC000001D: "illegal instruction", 0xC00000FD: "stack overflow", 0xC0000135: "a DLL was not found",
           0xC0000139: "an entry point was not found in a DLL", 0xC0000142: "a DLL failed to start", 0xC0000374: "heap corruption",
           0xC0000409: "the program ended itself (fail fast)"}


def fault(code: int) -> str:
    """What of Windows ended a program, ``0xc0000005 (access violation)``; "" for an exit status of the program's own.

    >>> fault(3221225477), fault(-1073740791), fault(3)
    ('0xc0000005 (access violation)', '0xc0000409 (the program ended itself (fail fast))', '')
    """
    number = code & 0xFFFFFFFF
    if number >> 28 != 0xC:
        return ""
    return f"0x{number:08x}" + (f" ({_FAULTS[number]})" if number in _FAULTS else "")


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _FLAGS = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
    _KILL_ON_JOB_CLOSE, _EXTENDED_LIMITS = 0x2000, 9

    class _Basic(ctypes.Structure):
        _fields_ = [("PerProcessUserTimeLimit", wintypes.LARGE_INTEGER), ("PerJobUserTimeLimit", wintypes.LARGE_INTEGER),
                    ("LimitFlags", wintypes.DWORD), ("MinimumWorkingSetSize", ctypes.c_size_t), ("MaximumWorkingSetSize", ctypes.c_size_t),
                    ("ActiveProcessLimit", wintypes.DWORD), ("Affinity", ctypes.c_size_t), ("PriorityClass", wintypes.DWORD),
                    ("SchedulingClass", wintypes.DWORD)]

    class _Extended(ctypes.Structure):
        _fields_ = [("BasicLimitInformation", _Basic), ("IoInfo", ctypes.c_ulonglong * 6), ("ProcessMemoryLimit", ctypes.c_size_t),
                    ("JobMemoryLimit", ctypes.c_size_t), ("PeakProcessMemoryUsed", ctypes.c_size_t), ("PeakJobMemoryUsed", ctypes.c_size_t)]

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _kernel.CreateJobObjectW.restype = wintypes.HANDLE
    _kernel.CreateJobObjectW.argtypes = [ctypes.c_void_p, wintypes.LPCWSTR]
    _kernel.SetInformationJobObject.argtypes = [wintypes.HANDLE, ctypes.c_int, ctypes.c_void_p, wintypes.DWORD]
    _kernel.AssignProcessToJobObject.argtypes = [wintypes.HANDLE, wintypes.HANDLE]
    _kernel.TerminateJobObject.argtypes = [wintypes.HANDLE, wintypes.UINT]
    _kernel.CloseHandle.argtypes = [wintypes.HANDLE]

    def _job(process: Process) -> int:
        """A job that ends its processes when the last handle to it is closed, as it is when this program ends in any way; 0 for none."""
        job = _kernel.CreateJobObjectW(None, None)
        limits = _Extended()
        limits.BasicLimitInformation.LimitFlags = _KILL_ON_JOB_CLOSE
        if job and not (_kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
                        and _kernel.AssignProcessToJobObject(job, int(vars(process)["_handle"]))):
            _kernel.CloseHandle(job)
            job = 0
        return int(job or 0)

    def _kill(child: Child) -> None:
        if child.job:
            _kernel.TerminateJobObject(child.job, 1)
            _kernel.CloseHandle(child.job)
            child.job = 0
        with contextlib.suppress(OSError):
            child.process.kill()

    def _end_of(pid: int) -> int:
        """No handle of a process is one that is polled here."""
        return -1

    def _over(handle: int, seconds: float) -> bool:
        raise NotImplementedError

    def _subreaper(on: bool) -> None:
        """Jobs do that here."""

    def sweep() -> int:
        """How many processes are left that a job did not end: none that can be seen."""
        return 0

    def signal_name(code: int) -> str:
        """No exit status names a signal here."""
        return ""

    def state(pid: int) -> str:
        """Windows does not tell what a process waits for."""
        return ""
else:
    _FLAGS = 0

    def _job(process: Process) -> int:
        """The group of a process has the number of the process."""
        return process.pid

    def _kill(child: Child) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child.job, signal.SIGKILL)

    def _end_of(pid: int) -> int:
        """A file that can be read once the process ended; -1 where the kernel has none (before Linux 5.3, macOS) or gives none."""
        try:
            return os.pidfd_open(pid)
        except (AttributeError, OSError):
            return -1

    def _over(handle: int, seconds: float) -> bool:
        look = select.poll()
        look.register(handle, select.POLLIN)
        return bool(look.poll(seconds * 1000))

    def _subreaper(on: bool) -> None:
        with contextlib.suppress(ImportError, OSError, AttributeError, TypeError):
            import ctypes

            ctypes.CDLL(None).prctl(36, int(on), 0, 0, 0)  # PR_SET_CHILD_SUBREAPER

    def _children() -> list[int]:
        """The processes whose parent is this one."""
        found: list[int] = []
        try:
            for thread in os.listdir("/proc/self/task"):
                with contextlib.suppress(OSError):
                    found += map(int, Path(f"/proc/self/task/{thread}/children").read_text("ascii").split())
        except (OSError, ValueError):
            return []
        return found

    def sweep() -> int:
        """End and collect adopted processes with our mark; how many are still there."""
        left = 0
        for pid in _children() if _owned else ():
            if pid in _running:
                continue
            try:
                state_now = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[0]
                if state_now == "Z":
                    os.waitpid(pid, os.WNOHANG)
                elif f"{_MARK}={_TOKEN}".encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    os.kill(pid, signal.SIGKILL)
                    left += state_now != "D"
            except (OSError, IndexError):
                continue
        return left

    def signal_name(code: int) -> str:
        """The name of the signal that a negative exit status stands for."""
        try:
            return signal.Signals(-code).name
        except ValueError:
            return str(-code)

    def state(pid: int) -> str:
        """``state D, waiting in amdgpu_device_ip_suspend``; "" when /proc does not tell."""
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
        except OSError:
            return ""
        letter = stat.rpartition(")")[2].split()[:1]
        try:
            wchan = Path(f"/proc/{pid}/wchan").read_text(errors="replace").strip("\0\n ")
        except OSError:
            wchan = ""
        return "state " + "".join(letter) + (f", waiting in {wchan}" if wchan not in ("", "0") else "")
