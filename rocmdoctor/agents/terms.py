"""What a text names that nothing vouches for: versions, variables, paths, targets, parameters and addresses that a model made up."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.rules import Rulebook

MOST = 6  # that are named
_LONGEST = 80
_TERMS = later.pattern(
    r"(?P<url>https?://[^\s\"'<>)\]]+)"
    r"|(?P<gfx>\bgfx[0-9a-f]{3,5}\b)"
    r"|(?P<parameter>\b[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*=[^\s\"',;]*)"
    r"|(?P<variable>\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b)"
    r"|(?P<drive>\b[A-Za-z]:\\[^\s\"'<>|*?;,]+)"
    r"|(?P<path>(?<![\w/.:-])~?/[\w.+@-]+(?:/[\w.+@*-]+)*)"
    r"|(?P<option>(?<![\w-])--[a-z][a-z0-9-]{2,})"
    r"|(?P<version>(?<![\w./-])v?\d{1,8}(?:\.\d{1,8}){1,5}(?:[-+~._]?[a-z0-9]{1,12}){0,4}\b)"
    r"|(?P<build>\bb\d{4,5}\b)")


def terms(text: str) -> Iterator[tuple[str, str]]:
    """(kind, term) of what a text names.

    >>> [term for _, term in terms("Boot 6.16.9 with amdgpu.gttsize=1, HSA_X_Y=1 and /etc/default/grub on gfx1151")]
    ['6.16.9', 'amdgpu.gttsize=1', 'HSA_X_Y', '/etc/default/grub', 'gfx1151']
    """
    for found in _TERMS.finditer(text):
        yield str(found.lastgroup), found[0].rstrip(".,:")


class Vouched:
    """What was told to the model, and what the tables and rules know."""

    def __init__(self, told: str, book: Rulebook) -> None:
        self._told = told.lower()
        self._rules = _of_rules(book)

    def has(self, kind: str, term: str) -> bool:
        """Whether the term stands in what was told, or a table or a rule has it."""
        low = term.lower()
        return (_stands(self._told, low) or low in _known() or _many(kind, low) in self._rules
                or kind == "parameter" and low.partition("=")[0] in _known() and _stands(self._told, low.partition("=")[2])
                or kind == "version" and _stands(self._told, low.removeprefix("v")))


def unfounded(text: str, vouched: Vouched) -> list[str]:
    """The terms of a text that stand neither in what was told nor in a table, each once, the first few."""
    found = dict.fromkeys(term[:_LONGEST] for kind, term in terms(text) if not vouched.has(kind, term))
    return list(found)[:MOST]


def _stands(text: str, term: str) -> bool:
    """Whether a text has the term, not as a part of a longer number or name; the beginning of a longer version counts."""
    before = r"(?<![\d.])" if term[:1].isdigit() else r"(?<!\w)" if term[:1].isalpha() else ""
    return bool(term) and re.search(rf"{before}{re.escape(term)}(?!\w)", text) is not None


@functools.cache
def _known() -> frozenset[str]:
    """Names out of the tables: variables, parameters, targets, options, in small letters."""
    variables, kernel = tables.load("env_vars"), tables.load("kernel_parameters")["known"]
    return frozenset(name.lower() for name in (
        *(str(row["name"]) for row in variables["vars"]), *map(str, variables["also_known"]),
        *(f"{module}.{name}" for module, names in kernel.items() for name in names),
        *(str(row["gfx"]) for row in tables.load("gfx_targets")["targets"]),
        *map(str, tables.load("llama_options")["names"])))


def _many(kind: str, term: str) -> str:
    """A path whose numbers stand for any: rules write ``/dri/*/`` where a model writes ``/dri/0/``."""
    return re.sub(r"\d+", "*", term) if kind == "path" else term


def _of_rules(book: Rulebook) -> frozenset[str]:
    """The names in the commands that rules write; a version counts only where it was told."""
    said = (str(command) for rule in book.rules.values() for fix in rule.fixes for command in fix.data.get("commands") or ())
    return frozenset(_many(kind, term.lower()) for text in said for kind, term in terms(text) if kind not in ("version", "build", "parameter"))
