"""One module per protocol: TRUST (the more telling is asked first), NAME, recognise, models, status, complete, chat; and for one long question
context (tokens, None where the server does not say) and converse."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType


@functools.cache
def all_servers() -> tuple[ModuleType, ...]:
    """The protocols, most telling first."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    found = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(sorted(found, key=lambda module: -module.TRUST))
