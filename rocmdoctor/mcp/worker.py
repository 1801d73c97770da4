"""One question, answered in a process of its own: so that it can be ended with all that it started, and that nothing it does stops the server.

The server writes one line of JSON, ``{"tool": ..., "given": ...}``, and keeps its side open: when that closes, for whatever reason, this
process ends within a second, with its probes and kernels. Lines go back: ``{"told": [done, all, words]}`` while at work, then one of
``{"answer": ...}``, ``{"refused": line}`` and ``{"failed": line}``.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import threading
import time
from typing import IO, Any

import click

from rocmdoctor import streams
from rocmdoctor.commands._progress import Progress
from rocmdoctor.diagnosis import examine as _ready  # noqa: F401  while nobody asks yet, what most questions need is imported
from rocmdoctor.live import processes
from rocmdoctor.live.ending import orderly
from rocmdoctor.mcp.answers import Refused
from rocmdoctor.records import asdict
from rocmdoctor.share.wash import wash

_PATIENCE = 0.9  # seconds for the end that a signal brings
_MOST_ASKED = 32 << 20  # bytes


class Told(Progress):
    """What is being done now, for whoever asked: a number that grows with each line, and how many there will be, 0 where nobody knows."""

    def __init__(self, out: IO[bytes]) -> None:
        super().__init__()
        self._out = out
        self._shown = False
        self._last = 0.0

    def say(self, words: str) -> None:
        """One line."""
        whole = self.all if self.done < self.all else 0
        self._last = max(float(self.done), self._last + (0.05 if whole else 1.0))
        tell(self._out, {"told": [round(self._last, 2), whole, wash(words, 160)]})


def tell(out: IO[bytes], what: dict[str, Any]) -> None:
    """One line."""
    out.write(json.dumps(what, default=str).encode() + b"\n")
    out.flush()


def main() -> None:
    """Wait for a question, answer it, end."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything here prints is no part of the answer
    streams.ready()
    with orderly():
        asked = sys.stdin.buffer.readline(_MOST_ASKED)
        if asked.endswith(b"\n"):
            threading.Thread(target=_watch, daemon=True).start()
            _answer(json.loads(asked), out)
    with contextlib.suppress(OSError):
        out.flush()
    os._exit(0)


def _watch() -> None:
    """End when nobody waits for the answer any more."""
    while os.read(0, 4096):
        pass
    processes.stop()
    if sys.platform == "win32":
        import _thread

        _thread.interrupt_main(signal.SIGTERM)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    time.sleep(_PATIENCE)
    processes.release(0.1, for_good=True)
    os._exit(1)


def _shared(line: str) -> str:
    """A line of a command's, without what is private in it."""
    from rocmdoctor.commands._console import redactor

    cleaner = redactor(False)
    cleaner.learn(line)
    return cleaner.text(line)


def _answer(asked: dict[str, Any], out: IO[bytes]) -> None:
    try:
        tool = importlib.import_module(f"rocmdoctor.mcp.tools.{asked['tool']}")
        found = asdict(tool.run(asked["given"], Told(out)))
    except Refused as error:
        tell(out, {"refused": str(error)})
    except click.ClickException as error:
        tell(out, {"refused": wash(_shared(error.message), 1500)})
    except Exception as error:
        where = error.__traceback__
        while where and where.tb_next:
            where = where.tb_next
        place = f"{os.path.basename(where.tb_frame.f_code.co_filename)}:{where.tb_lineno}" if where else "unknown place"
        tell(out, {"failed": f"rocmdoctor failed: {type(error).__name__} ({place}); please report this"})
    else:
        tell(out, {"answer": found})
