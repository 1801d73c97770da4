"""One run at a time: many gates started at once (a prolog on every job, a test matrix) wait for each other and leave nothing behind."""

from __future__ import annotations

import contextlib
import os
import pathlib
import sys
import time
from collections.abc import Callable, Iterator


def place(runtime_dir: str | None, uid: int) -> pathlib.Path:
    """The lock file: the user's runtime folder, /run for root, else the folder for temporary files, under the user's number."""
    folders = [pathlib.Path(runtime_dir)] if runtime_dir else []
    folders += [pathlib.Path("/run")] if uid == 0 else []
    folder = next((f for f in folders if os.access(f, os.W_OK)), pathlib.Path("/tmp"))
    return folder / f"rocmdoctor-preflight-{uid}.lock"


@contextlib.contextmanager
def turn(path: pathlib.Path, patience: float, clock: Callable[[], float] = time.monotonic) -> Iterator[bool]:
    """Wait for our turn, at most ``patience`` seconds; false when it did not come, or when there is no place for a lock.

    The file is locked with flock, so a killed run lets go of it, and whoever holds it removes it. Where no lock can be made
    (a read-only root, Windows) the run goes on without.
    """
    held = None
    if sys.platform == "win32":
        yield True
        return
    import fcntl

    until = clock() + patience
    while held is None:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:
            yield True
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # The one before us may have removed the file that we opened.
            if os.fstat(handle).st_ino == os.stat(path).st_ino:
                held = handle
                break
        except FileNotFoundError:
            pass
        except OSError:
            if clock() >= until:
                os.close(handle)
                yield False
                return
            time.sleep(0.05)
        os.close(handle)
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)
        os.close(held)
