"""The part of the protocol's SDK that a server on standard input and output needs, imported without the rest.

The packages ``mcp`` and ``mcp.server`` import a client, HTTP servers and OAuth when they are imported themselves, and every one of some hundred
types of two versions of the protocol is made ready for use: most of the time in which a client waits for the first answer. Here the packages
are made without running that, what only HTTP needs is left out, and a type is made ready when it is first used.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType

_SERVER = "rocmdoctor.mcp.server"
_PACKAGES = ("mcp", "mcp.server")
_ONLY_HTTP = (
    "starlette.applications", "starlette.middleware", "starlette.middleware.authentication", "starlette.routing", "mcp.server.streamable_http",
    "mcp.server.streamable_http_manager", "mcp.server.transport_security", "mcp.server.auth.middleware.auth_context",
    "mcp.server.auth.middleware.bearer_auth", "mcp.server.auth.provider", "mcp.server.auth.routes", "mcp.server.auth.settings")


class _Nothing(ModuleType):
    """A module whose names stand for nothing: they are imported, and never used where there is no HTTP."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return None


def server() -> ModuleType:
    """The module that serves; for a process that serves and does nothing else. With an SDK that does not come apart so, all of it is imported."""
    try:
        with _alone():
            return importlib.import_module(_SERVER)
    except (ImportError, AttributeError, TypeError):
        for name in [name for name in sys.modules if name in (*_PACKAGES, _SERVER) or name.startswith("mcp.")]:
            del sys.modules[name]
        return importlib.import_module(_SERVER)


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """While this holds the modules of the SDK are imported alone, and types made ready at first use."""
    from pydantic import BaseModel

    collecting = gc.isenabled()
    gc.disable()  # nothing of what classes are made of becomes free
    BaseModel.model_config["defer_build"] = True  # what is derived meanwhile takes it over
    try:
        for name in _PACKAGES:
            spec = importlib.util.find_spec(name)
            assert spec is not None
            sys.modules[name] = importlib.util.module_from_spec(spec)
        sys.modules.update((name, _Nothing(name)) for name in _ONLY_HTTP)
        yield
    finally:
        for name in _ONLY_HTTP:
            sys.modules.pop(name, None)
        del BaseModel.model_config["defer_build"]
        if collecting:
            gc.enable()
