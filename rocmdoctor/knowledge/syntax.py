"""Python's grammar for texts that are not run: conditions of rules, heads of probes."""

from __future__ import annotations

import ast
import threading

# Up to Python 3.12 the parser counts its depth per interpreter: when a finalizer lets another thread parse meanwhile, both fail
# with "AST constructor recursion depth mismatch". Rules are loaded while the heads of probes are read, so one waits for the other.
_ONE = threading.Lock()


def program(text: bytes) -> ast.Module:
    """The tree of a program; raises what :func:`ast.parse` raises."""
    with _ONE:
        return ast.parse(text)


def expression(text: str) -> ast.Expression:
    """The tree of one expression; raises what :func:`ast.parse` raises."""
    with _ONE:
        return ast.parse(text, mode="eval")
