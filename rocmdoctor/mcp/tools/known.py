"""The known defects, as ``rocmdoctor known`` searches them."""

from __future__ import annotations

from typing import Any

from rocmdoctor.commands._progress import Progress
from rocmdoctor.diagnosis.known_search import search
from rocmdoctor.knowledge import known
from rocmdoctor.knowledge.known import Row
from rocmdoctor.mcp.answers import Answer, Refused, full
from rocmdoctor.share.wash import wash, wash_prose

_MOST = 60  # defects


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``words``, ``component``, ``version``, ``gpu``: each narrows."""
    if given["version"] and not given["component"]:
        raise Refused("version: of what? Name its component, too")
    try:
        found = search([given["words"]], given["component"] or None, given["version"] or None, given["gpu"] or None)
    except ValueError as error:
        raise Refused(wash(error, 1500)) from None
    table = known.load()
    head = {"found": len(found), "of": len(table.all()), "as_of": table.as_of,
            "answer": "" if found else "No known defect of the table fits; that is no proof that there is none."}
    rows: list[tuple[str, Any]] = [("notes", f"the first {_MOST}; narrow the question")] if len(found) > _MOST else []
    return Answer(full(head), rows + [("defects", _defect(row)) for row in found[:_MOST]])


def _defect(row: Row) -> dict[str, Any]:
    return full({"id": row.id, "component": row.component, "bad_versions": row.bounds or wash(row.note, 120) or "not stated", "good": list(row.good),
                 "gpus": list(row.gfx) or ["any"], "systems": list(row.os), "backends": list(row.backend),
                 "with": [f"{name} {bound}" for name, bound in row.with_.items()], "shows_as": list(row.symptom), "says": wash_prose(row.says, 500),
                 "needs": wash_prose(row.needs, 240), "fixes": [wash_prose(fix, 300) for fix in row.fix[:4]],
                 "no_fix": [wash_prose(fix, 160) for fix in row.not_a_fix[:4]], "confirmed": row.confirmed, "read": row.read,
                 "reported_in": [wash(url, 200) for url in row.source[:2]]})
