"""Where this user's own things lie: what is kept, and what can be made again."""

from __future__ import annotations

import os
import pathlib
import sys


def states() -> pathlib.Path:
    """What is kept: ``$XDG_STATE_HOME``, else ``%LOCALAPPDATA%`` on Windows and ``~/.local/state`` elsewhere."""
    return _own("XDG_STATE_HOME", "state", ".local", "state")


def caches() -> pathlib.Path:
    """What is made again when it is gone: ``$XDG_CACHE_HOME``, else ``%LOCALAPPDATA%`` on Windows and ``~/.cache`` elsewhere."""
    return _own("XDG_CACHE_HOME", "cache", ".cache")


def _own(variable: str, name: str, *usual: str) -> pathlib.Path:
    chosen = os.environ.get(variable, "")
    if os.path.isabs(chosen):
        return pathlib.Path(chosen, "rocmdoctor")
    local = os.environ.get("LOCALAPPDATA", "")
    if sys.platform == "win32" and os.path.isabs(local):
        return pathlib.Path(local, "rocmdoctor", name)
    return pathlib.Path(os.path.expanduser("~"), *usual, "rocmdoctor")
