"""Who can have put a file where it is: the engine's door to ``probes/trusted.py``, which the probes share and which stands alone as they do."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Mapping
from types import ModuleType

from rocmdoctor.knowledge.paths import data_dir


@functools.lru_cache(maxsize=1)
def _module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rocmdoctor_trusted", data_dir("probes") / "trusted.py")
    if spec is None or spec.loader is None:
        raise ImportError("probes/trusted.py is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def owners() -> set[int]:
    """The users that are believed: root and the caller."""
    found: set[int] = _module().owners()
    return found


def resolve(path: str, believed: set[int] | None = None, beside: bool = False) -> str:
    """The path without links, once all of it is trusted, or lies beside files of others in a sticky folder. Raises OSError."""
    real: str = _module().resolve(path, believed, beside)
    return real


def why_not(path: str, believed: set[int] | None = None) -> str:
    """Why a path is not trusted, or not there; "" when it is."""
    reason: str = _module().why_not(path, believed)
    return reason


def program(name: str) -> str | None:
    """The program of that name on PATH, from the first folder that is trusted."""
    found: str | None = _module().program(name)
    return found


def environment(given: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """The variables for a program that is run, and what was left out of them, with the reason."""
    clean: tuple[dict[str, str], list[str]] = _module().environment(given)
    return clean
