"""The applications that a text can be about, ``rules/data/applications.yaml``: what names them, how they are written, what they are built on."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from rocmdoctor.knowledge import tables


@functools.cache
def load() -> dict[str, dict[str, Any]]:
    """The rows by id."""
    return {str(row["id"]): row for row in tables.load("applications")["applications"]}


def title(name: str) -> str:
    """How an application is written; a name that is in no row stays.

    >>> title("lmstudio"), title("llama.cpp"), title("my-app")
    ('LM Studio', 'llama.cpp', 'my-app')
    """
    return str(load().get(name, {}).get("title", name))


def kinds(names: Iterable[str]) -> set[str]:
    """What these applications are built on: ggml, torch, serving and others."""
    return {kind for name in names for kind in load().get(name, {}).get("kinds", ())}


@functools.cache
def programs() -> dict[str, str]:
    """The programs that are typed for an application, to its id."""
    return {str(program): name for name, row in load().items() for program in row.get("programs", ())}
