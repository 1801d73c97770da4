"""Regular expressions that are compiled when they are first used: a run uses a few of the many there are."""

from __future__ import annotations

import re
from typing import Any, cast

_USED = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "pattern", "groups", "groupindex", "flags")


class _Later:
    def __init__(self, text: str, flags: int) -> None:
        self._how = text, flags

    def __getattr__(self, name: str) -> Any:
        """Called only before the first use: from then on the methods are the compiled pattern's own."""
        if name not in _USED:
            raise AttributeError(name)
        made = re.compile(*self._how)
        self.__dict__.update((each, getattr(made, each)) for each in _USED)
        return self.__dict__[name]


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """As :func:`re.compile`, whose errors come with the first use.

    >>> pattern("a+").sub("b", "caat")
    'cbt'
    """
    return cast("re.Pattern[str]", _Later(text, flags))
