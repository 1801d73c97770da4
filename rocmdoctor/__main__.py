"""``python -m rocmdoctor``, and the program ``rocmdoctor``."""

import contextlib
import gc
import os
import sys

from rocmdoctor import VERSION_LINE

_EXAMINING = ("check", "test", "snapshot", "preflight")  # commands whose probes are forked: what forks them starts first of all


def main() -> None:
    """The version needs nothing else; whatever else was typed is for the commands."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        with contextlib.suppress(OSError):  # an output that cannot be written is for the commands, too
            os.write(1, f"{VERSION_LINE}{os.linesep}".encode())
            _leave(0)
    first = sys.argv[1] if sys.argv[1:] else "-"
    if first in _EXAMINING or first.startswith("-") and not {"-h", "--help"} & {*sys.argv}:  # without a command it is `check`
        from rocmdoctor.live import warm

        warm.begin()
    gc.set_threshold(100_000, 50, 100)  # a run makes much that stays and hardly any cycles: looking for these takes a tenth of a short one
    from rocmdoctor.cli import main as commands

    try:
        commands()
    except SystemExit as ended:
        if isinstance(ended.code, str) or sys.gettrace() or sys.getprofile():
            raise
        _leave(ended.code or 0)


def _leave(status: int) -> None:
    """End at once: nothing is left to be done, and to take everything apart again takes a fifth of a short run, and after a signal most of the time."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed, or its reader has gone
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    main()
