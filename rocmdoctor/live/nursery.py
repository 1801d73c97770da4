"""The warm parent of the probes: a bare interpreter that forks a child for each, so that none pays for a start of its own.

Run as a program by :mod:`rocmdoctor.live.warm`; it knows nothing of this package, and of the probes only what they share. Arguments: the
numbers of two pipes, for questions and for answers, and the folder of the probes. A line asks for a probe (its arguments, the file for what
it prints, its variables where they are not those of this process, folders that it imports from besides); the answers are
``[id, pid, null]`` once the child leads a session of its own, and ``[id, pid, status]`` when it ended. What a child loads is found by the
variables that this process was started with.

The first probe waits for all that is imported here: no more than most of them need.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import sys
from importlib.machinery import SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def _probe(argv: list[str], noise: str, variables: dict[str, str] | None, folders: list[str]) -> int:
    """In the child: be the program ``python argv[0] ...``; its exit status."""
    if variables is not None:
        os.environ.clear()
        os.environ.update(variables)
    sink = os.open(noise, os.O_WRONLY | os.O_APPEND)
    os.dup2(sink, 1)
    os.dup2(sink, 2)
    os.close(sink)
    sys.argv, sys.path[0] = argv, os.path.dirname(argv[0])
    sys.path += folders
    own = type(sys)("__main__")
    own.__file__ = argv[0]
    sys.modules["__main__"] = own
    try:
        with _compiled():
            code = SourceFileLoader("__main__", argv[0]).get_code("__main__")
        exec(code, own.__dict__)  # type: ignore[arg-type]
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0
        print(ended.code, file=sys.stderr)
        return 1
    except BaseException:
        import traceback

        traceback.print_exc()
        return 1
    return 0


@contextlib.contextmanager
def _compiled() -> Iterator[None]:
    """What is compiled meanwhile is kept beside its source, as that of every module is."""
    sys.dont_write_bytecode = False
    try:
        yield
    finally:
        sys.dont_write_bytecode = True


def _fork(asked: list[Any], ours: list[int]) -> tuple[int, int]:
    """The process of a probe, and a file whose end is there once that leads its own session."""
    if sys.platform == "win32":  # processes do not fork there
        raise NotImplementedError
    ready, done = os.pipe()
    pid = os.fork()
    if pid:
        os.close(done)
        return pid, ready
    status = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for handle in (ready, done, *ours):
            os.close(handle)
        status = _probe(*asked)
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status & 0xFF)


def _tell(answers: int, number: int, pid: int, status: int | None) -> None:
    with contextlib.suppress(BrokenPipeError):  # whoever asked is gone, which the next look at the questions tells
        os.write(answers, json.dumps([number, pid, status]).encode() + b"\n")  # short enough to go at once


def _serve(line: int, answers: int) -> None:
    if sys.platform == "win32":
        raise NotImplementedError
    woken, wake = os.pipe()
    for handle in (woken, wake):
        os.set_blocking(handle, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    running: dict[int, int] = {}
    asked = b""
    while True:
        with contextlib.suppress(ChildProcessError):
            while running:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    break
                _tell(answers, running.pop(pid), pid, os.waitstatus_to_exitcode(status))
        if line not in select.select([line, woken], [], [])[0]:
            with contextlib.suppress(BlockingIOError):
                os.read(woken, 512)
            continue
        came = os.read(line, 1 << 16)
        if not came:  # whoever asked is gone, and nobody else watches these
            for pid in running:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)
            return
        *whole, asked = (asked + came).split(b"\n")
        started: list[tuple[int, int, int]] = []
        for each in whole:
            number, *wanted = json.loads(each)
            started.append((number, *_fork(wanted, [line, answers, woken, wake, *(ready for _, _, ready in started)])))
        for number, pid, ready in started:
            os.read(ready, 1)  # ends when the child closes its side, in whatever way
            os.close(ready)
            running[pid] = number
            _tell(answers, number, pid, None)


def main() -> None:
    """Serve until the other side closes."""
    line, answers = int(sys.argv[1]), int(sys.argv[2])
    for handle in (line, answers):
        os.set_inheritable(handle, False)
    sys.path[0] = sys.argv[3]
    with _compiled():
        import probe_protocol  # type: ignore[import-not-found]  # noqa: F401 - what every probe imports is there before it is forked

    gc.disable()
    gc.freeze()
    _serve(line, answers)


if __name__ == "__main__":
    main()
