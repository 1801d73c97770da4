"""The part of the protocol's SDK that a server on standard input and output needs, imported without the rest.

The packages ``mcp`` and ``mcp.server`` import a client, HTTP servers and OAuth when they are imported themselves: two fifths of the time in
which a client waits for the first answer. Here they are made without running that, so that only the modules that are asked for run.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import sys
from collections.abc import Iterator

_PACKAGES = ("mcp", "mcp.server")


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """While this holds the modules of the SDK are imported alone. Not where the SDK is imported already, as in a program that tests this one."""
    made = [] if "mcp" in sys.modules else list(_PACKAGES)
    collecting = gc.isenabled()
    gc.disable()  # nothing of what classes are made of becomes free
    try:
        for name in made:
            spec = importlib.util.find_spec(name)
            assert spec is not None
            sys.modules[name] = importlib.util.module_from_spec(spec)
        yield
    finally:
        if collecting:
            gc.enable()
