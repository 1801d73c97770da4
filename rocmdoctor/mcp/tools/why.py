"""One finding explained, as ``rocmdoctor why`` explains it."""

from __future__ import annotations

import difflib
from typing import Any

from rocmdoctor.commands._progress import Progress
from rocmdoctor.knowledge import explained, rules
from rocmdoctor.mcp.answers import Answer, Refused, Row, full, of_fix
from rocmdoctor.share.wash import wash, wash_prose


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``id`` of a rule, a check or a known defect."""
    book = rules.load(())
    found = explained.of(given["id"], book)
    if found is None:
        near = difflib.get_close_matches(given["id"], explained.names(book), 3, 0.6)
        raise Refused(f"id: {wash(given['id'], 80)} is no finding" + (f"; did you mean {', '.join(near)}?" if near else "; `known` searches by words"))
    head = full({"id": found.id, "kind": found.kind, "title": wash_prose(found.title, 400), "says": wash_prose(found.says, 900),
                 "why": wash_prose(found.why, 900)})
    rows: list[Row] = [("fixes", of_fix(fix)) for fix in found.fixes]
    rows += [("no_fix", wash_prose(one, 300)) for one in found.not_a_fix]
    rows += [("conditions", wash_prose(one, 300)) for one in found.conditions]
    rows += [("shows_as", wash_prose(one, 200)) for one in found.shows_as]
    rows += [("seen_in", wash(line, 300)) for line in found.lines]
    rows += [("alike", {"id": name, "title": wash_prose(title, 200)}) for name, title in found.alike]
    return Answer(head, [*rows, *(("known_from", wash(url, 300)) for url in found.sources)])
