"""Regular expressions that are compiled, and modules that are imported, when they are first used: a run uses a few of the many there are.

What the compiler makes of one is kept in the user's cache, since making it takes a fifth of a short run. Where another Python than the one
that wrote them reads these, or the parts of ``re`` that are used here are not as expected, they are compiled as always.
"""

from __future__ import annotations

import array
import functools
import importlib
import marshal
import os
import re
import sys
from typing import Any, cast

_USED = ("search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn", "pattern", "groups", "groupindex", "flags")
_NAME = "patterns.bin"
_LITERALS = "scan/literals.py"
# Flags, code, number of groups, their names, texts in small letters of which each match holds one
_Code = tuple[int, bytes, int, dict[str, int], tuple[Any, ...], tuple[str, ...]]


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

    @functools.cached_property
    def needs(self) -> tuple[str, ...]:
        """Of these texts, in small letters, each match holds one; none where that is not known."""
        try:
            return _held(*self._how)[-1]
        except (ImportError, AttributeError, TypeError, ValueError, RuntimeError):
            return ()


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """As :func:`re.compile`, whose errors come with the first use. For patterns of this program: what it is given does not belong in the cache.

    >>> pattern("a+").sub("b", "caat")
    'cbt'
    """
    return cast("re.Pattern[str]", _Later(text, int(flags)))


def search(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """As ``pattern.search(text)``, for a pattern of :func:`pattern` and a text of many lines: most have not what each match of it contains, which is found
    out in a hundredth of the time.

    >>> search(pattern(r"(?i)\\bring \\w+ (timeout|reset)"), "a ring gfx_0.0.0\\nRing comp TIMEOUT")[0]
    'Ring comp TIMEOUT'
    """
    return pattern.search(text) if may_match(pattern, text) else None


def may_match(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the text holds what each match of a pattern contains."""
    needs: tuple[str, ...] = getattr(pattern, "needs", ())
    if not needs:
        return True
    low = _lowered.of(text)
    return any(need in low for need in needs)


class _Lowered:
    """The text that was asked last, in small letters: it is asked for one pattern after the other."""

    def __init__(self) -> None:
        self._text = self._low = ""

    def of(self, text: str) -> str:
        """Small letters; those that a pattern takes for one of ASCII, whatever the case, are that one."""
        if text is not self._text:
            self._text, self._low = text, text.lower()
            if not text.isascii():
                for letter, plain in (("\u017f", "s"), ("\u0131", "i"), ("i\u0307", "i")):
                    self._low = self._low.replace(letter, plain)
        return self._low


_lowered = _Lowered()


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

    needs = os.stat(os.path.join(os.path.dirname(__file__), _LITERALS))
    return f"{sys.version} {_sre.MAGIC} {array.array('I').itemsize} {needs.st_mtime_ns} {needs.st_size}"


def _held(text: str, flags: int) -> _Code:
    held = _kept.read().get((text, flags)) or _kept.new.get((text, flags))
    if held is None:
        held = _kept.new[text, flags] = _coded(text, flags)
    return held


def compiled(text: str, flags: int) -> re.Pattern[str]:
    """The pattern, from its code where that was kept."""
    try:
        import _sre

        own, code, groups, names, order, _ = _held(text, flags)
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
    return int(flags | parsed.state.flags), code.tobytes(), parsed.state.groups - 1, names, tuple(order), () if flags & re.VERBOSE else _needs(text)


def _needs(text: str) -> tuple[str, ...]:
    """What is sure of matches in any case, as small letters of ASCII alone have one form each."""
    from rocmdoctor.scan import literals

    return next((tuple(choice) for choice in literals.required(text) if all(map(str.isascii, choice))), ())


def keep() -> None:
    """Keep what was compiled in this run for the next one."""
    if _kept.new:
        from rocmdoctor.knowledge import cache

        cache.hold(_NAME, _python(), marshal.dumps({**_kept.read(), **_kept.new}))
