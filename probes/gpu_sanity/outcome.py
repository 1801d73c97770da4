"""How the programs of this folder say what came out: facts of one tested device, rewritten after each check. Not a probe itself."""

from __future__ import annotations

import os
import sys
import time


class Untestable(Exception):
    """The device lacks what the check needs, or it may not be asked for it."""


class Hung(Exception):
    """The work was not done within the limit."""


class DeviceLost(Exception):
    """The driver gave the device up."""


class Failed(Exception):
    """The driver refused, in its own words."""


class Item:
    """One tested device (``vulkan-0``). ``done`` are names of checks that an earlier process has seen to."""

    def __init__(self, emit, name, backend, device, kind, done=(), progress=""):
        self.emit, self.name, self.backend = emit, name, backend
        self.done, self.progress, self.checks = set(done), progress, []
        self.fact("backend", backend)
        self.fact("device", device)
        if kind:
            self.fact("device_type", kind)

    def fact(self, name, value):
        self.emit.known("test." + name, value, self.backend + " kernels", self.name)

    def cannot(self, reason):
        """Nothing can be tested here, and why."""
        self.fact("verdict", "untestable")
        self.fact("reason", str(reason)[:300])

    def check(self, name, work):
        """Run ``work()``, which gives a row (a dict); a check that fails costs only itself. Raises Hung and DeviceLost once they are on record."""
        if name in self.done:
            return
        self.fact("current", name)
        self.tell(name)
        began = time.monotonic()
        again = None
        try:
            row = work()
        except Untestable as error:
            row = {"verdict": "untestable", "detail": str(error)}
        except (Hung, DeviceLost) as error:
            row, again = {"verdict": "hung" if isinstance(error, Hung) else "device_lost", "detail": str(error)}, error
        except Failed as error:
            row = {"verdict": "failed", "detail": str(error)}
        except MemoryError:
            row = {"verdict": "untestable", "detail": "not enough memory in this computer for the answer to compare with"}
        self.checks.append({"check": name, "seconds": round(time.monotonic() - began, 3), **row})
        self.fact("checks", self.checks)
        if again:
            raise again

    def tell(self, words):
        """Where the work is, for whoever waits."""
        if self.progress:
            with open(self.progress, "w", encoding="utf-8") as file:
                file.write(self.name + ": " + words)

    def finish(self):
        """All checks were seen to."""
        self.emit.absent("test.current", self.backend + " kernels", self.name)


def arguments(parser):
    """What every program of this folder is given."""
    parser.add_argument("--out", required=True, help="file that gets the facts")
    parser.add_argument("--level", type=int, default=1, help="1: quick, 2: thorough, 3: all memory")
    parser.add_argument("--limit", type=float, default=5, help="seconds that one submission may take")
    parser.add_argument("--done", default="", help="item:check,... that are not run again")
    parser.add_argument("--first", type=int, default=0, help="number of the first device of this program")
    parser.add_argument("--progress", default="", help="file that gets the name of the check at work")
    parser.add_argument("--go", default="", help="folder in which a file 'list' lets it list the devices, 'open' open them, and 'work' use them")
    end_with_parent()
    return parser.parse_args()


def wait_for(go, stage):
    """Until whoever started this program ahead of time lets it go on. The folder is gone when nobody wants it any more."""
    while go and not os.path.exists(os.path.join(go, stage)):
        if not os.path.isdir(go):
            leave(4)
        time.sleep(0.002)


def end_with_parent():
    """Work on a GPU does not go on once whoever asked for it was killed; where the kernel knows no such wish it does."""
    try:
        import ctypes

        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)  # PR_SET_PDEATHSIG, SIGKILL
    except (ImportError, OSError, AttributeError, TypeError):
        return


def ram_available():
    """Bytes of RAM that programs may have without swapping."""
    if os.name == "nt":
        import windows_calls

        return windows_calls.memory()["available"]
    with open("/proc/meminfo", encoding="ascii") as file:
        return next(int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable"))


def leave(status):
    """End this process at once: drivers crash in their exit handlers, or wait there for work that never ends."""
    sys.stdout.flush()
    os._exit(status)


def done_of(text, item):
    """The checks of one item in ``--done``."""
    return [entry.partition(":")[2] for entry in text.split(",") if entry.partition(":")[0] == item]
