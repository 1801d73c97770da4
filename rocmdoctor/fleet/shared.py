"""An answer that may leave the site: what is private goes from everything that is said of the nodes; their names stay."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from rocmdoctor.facts import vocabulary
from rocmdoctor.fleet.answer import Fleet
from rocmdoctor.records import replace
from rocmdoctor.share.redact import Redactor

# What the comparison itself says in place of a value.
_OWN_WORDS = ("missing", "not there", "yes", "no")


def redacted(fleet: Fleet, redactor: Redactor) -> Fleet:
    """A copy with tokens, the same value the same token on every node. Only what is shown is read, and each text once."""
    for fact, value in _texts(fleet):
        redactor.learn(_together(fact, value))
    text = functools.cache(redactor.text)

    @functools.cache
    def said(fact: str, value: str) -> str:
        whole = _together(fact, value)
        start = len(whole) - len(value)
        clean = text(whole)
        return clean[start:] if clean.startswith(whole[:start]) else text(value)

    outliers = [replace(
        outlier, kind=text(outlier.kind), action=text(outlier.action), failures=[text(line) for line in outlier.failures],
        findings=[text(line) for line in outlier.findings],
        differences=[replace(d, fact=text(d.fact), value=said(d.fact, d.value), usual=said(d.fact, d.usual)) for d in outlier.differences],
    ) for outlier in fleet.outliers]
    return replace(
        fleet, outliers=outliers, everywhere=[text(line) for line in fleet.everywhere], broken=[text(line) for line in fleet.broken],
        kinds=[replace(kind, name=text(kind.name)) for kind in fleet.kinds],
        causes=[replace(c, kind=text(c.kind), fact=text(c.fact), value=said(c.fact, c.value), usual=said(c.fact, c.usual)) for c in fleet.causes],
        splits=[replace(split, kind=text(split.kind), fact=text(split.fact),
                        values=[(said(split.fact, value), count) for value, count in split.values]) for split in fleet.splits])


def _together(fact: str, value: str) -> str:
    """``serial=B1234``: a name can tell that its value is private, so they are read as one text, without the item between them."""
    if fact.startswith(("expectation ", "finding ")) or value in _OWN_WORDS or value.startswith("could not be read ("):
        return value
    name, _, part = fact.partition(" ")
    tail = part or vocabulary.split_key(name)[0].partition(".")[2]
    return f"{tail}={value}" if tail and value else value


def _texts(fleet: Fleet) -> Iterator[tuple[str, str]]:
    """Everything that is shown, with the fact that it is a value of."""
    shown: dict[tuple[str, str], None] = {}
    for outlier in fleet.outliers:
        shown.update(dict.fromkeys(("", text) for text in (outlier.kind, outlier.action, *outlier.failures, *outlier.findings)))
        for d in outlier.differences:
            shown.update({("", d.fact): None, (d.fact, d.value): None, (d.fact, d.usual): None})
    for split in fleet.splits:
        shown.update({("", split.fact): None, **dict.fromkeys((split.fact, value) for value, _ in split.values)})
    shown.update(dict.fromkeys(("", text) for text in (*fleet.everywhere, *fleet.broken, *(kind.name for kind in fleet.kinds))))
    yield from shown
