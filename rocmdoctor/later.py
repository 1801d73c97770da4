"""Regular expressions that are compiled, and modules that are imported, when they are first used: a run uses a few of the many there are.

What the compiler makes of one is kept in the user's cache, since making it takes a fifth of a short run. Where another Python than the one
that wrote them reads these, or the parts of ``re`` that are used here are not as expected, they are compiled as always.
"""

from __future__ import annotations

import array
import importlib
import marshal
import re
import sys
from typing import Any, cast

_USED = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "pattern", "groups", "groupindex", "flags")
_NAME = "patterns.bin"
_Code = tuple[int, bytes, int, dict[str, int], tuple[Any, ...]]  # flags, code, number of groups, their names


class _Later:
    def __init__(self, text: str, flags: int) -> None:
        self._how = text, flags

    def __getattr__(self, name: str) -> Any:
        """Called only before the first use: from then on the methods are the compiled pattern's own."""
        if name not in _USED:
            raise AttributeError(name)
        made = compiled(*self._how)
        self.__dict__.update((each, getattr(made, each)) for each in _USED)
        return self.__dict__[name]


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """As :func:`re.compile`, whose errors come with the first use. For patterns of this program: what it is given does not belong in the cache.

    >>> pattern("a+").sub("b", "caat")
    'cbt'
    """
    return cast("re.Pattern[str]", _Later(text, int(flags)))


class _Module:
    def __init__(self, name: str) -> None:
        self.__dict__["_name"] = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(importlib.import_module(self._name), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(importlib.import_module(self._name), name)


def module(name: str) -> Any:
    """A module of the standard library, imported when something of it is asked for."""
    return sys.modules.get(name) or _Module(name)


class _Kept:
    """The codes that were kept, read when the first is asked for, and those that are new."""

    def __init__(self) -> None:
        self.codes: dict[tuple[str, int], _Code] | None = None
        self.new: dict[tuple[str, int], _Code] = {}

    def read(self) -> dict[tuple[str, int], _Code]:
        if self.codes is None:
            from rocmdoctor.knowledge import cache

            self.codes = {}
            raw = cache.held(_NAME, _python())
            if raw is not None:
                self.codes = marshal.loads(raw)
        return self.codes


_kept = _Kept()


def _python() -> str:
    """What the codes depend on."""
    import _sre  # type: ignore[import-not-found]

    return f"{sys.version} {_sre.MAGIC} {array.array('I').itemsize}"


def compiled(text: str, flags: int) -> re.Pattern[str]:
    """The pattern, from its code where that was kept."""
    try:
        import _sre

        held = _kept.read().get((text, flags)) or _kept.new.get((text, flags))
        if held is None:
            held = _kept.new[text, flags] = _coded(text, flags)
        own, code, groups, names, order = held
        made: re.Pattern[str] = _sre.compile(text, own, array.array("I", code).tolist(), groups, names, order)
        return made
    except (ImportError, AttributeError, TypeError, ValueError, RuntimeError):
        return re.compile(text, flags)


def _coded(text: str, flags: int) -> _Code:
    """What :func:`re.compile` makes and does not give away."""
    if sys.version_info >= (3, 11):
        from re import _compiler, _parser  # type: ignore[attr-defined]
    else:
        import sre_compile as _compiler
        import sre_parse as _parser
    parsed = _parser.parse(text, flags)
    names = dict(parsed.state.groupdict)
    order: list[str | None] = [None] * parsed.state.groups
    for name, number in names.items():
        order[number] = name
    code = array.array("I", _compiler._code(parsed, flags))  # type: ignore[attr-defined]
    return int(flags | parsed.state.flags), code.tobytes(), parsed.state.groups - 1, names, tuple(order)


def keep() -> None:
    """Keep what was compiled in this run for the next one."""
    if _kept.new:
        from rocmdoctor.knowledge import cache

        cache.hold(_NAME, _python(), marshal.dumps({**_kept.read(), **_kept.new}))
