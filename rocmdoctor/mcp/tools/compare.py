"""What changed, as ``rocmdoctor compare`` tells it."""

from __future__ import annotations

from typing import Any

from rocmdoctor.commands._console import redacted, redactor
from rocmdoctor.commands._progress import Progress
from rocmdoctor.compare import finding, sides
from rocmdoctor.facts.sections import Change
from rocmdoctor.mcp import answers
from rocmdoctor.mcp.answers import Answer, Row, full, of_fix
from rocmdoctor.render.report import changes_text
from rocmdoctor.share.wash import wash, wash_prose

_KNOWN = {"bad": "the new version is known to be bad", "possible": "the new version may be bad", "": "nothing is known of it"}


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``old`` and ``new``: a kept state, a moment or a path; ``since``: a moment from which histories count."""
    snapshot, book, before = sides.compared(given["old"] or None, given["new"] or None, given["since"] or None, progress=progress)
    report = redacted(snapshot, book, redactor(False), only=(finding.ID,), before=before)
    changes = report.changes
    if changes is None:
        return Answer({"answer": "Not known: nothing could be compared."}, [])
    head = {"answer": wash_prose(changes_text.heading(changes), 500), "old": wash(changes.old, 120), "new": wash(changes.new, 120), "basis": changes.basis}
    rows: list[Row] = [("changes", _change(change)) for change in changes.changes]
    rows += [("notes", wash_prose(line, 600)) for line in changes_text.footing(changes)]
    rows += [("findings", one) for one in answers.findings(report)]
    return Answer(head, rows, answers.kept(report), f"compare with {head['old']}")


def _change(change: Change) -> dict[str, Any]:
    return full({"component": wash(change.component, 60), "title": wash_prose(change.title, 120), "standing": change.standing, "how": wash(change.how, 60),
                 "old": wash(change.old, 120), "new": wash(change.new, 120), "at": wash(change.at, 40),
                 "known_of_it": _KNOWN[change.verdict],
                 "says": wash_prose(change.says, 300), "way_back": [of_fix(fix) for fix in change.way_back[:1]]})
