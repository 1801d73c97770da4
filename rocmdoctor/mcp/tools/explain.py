"""Somebody's files, as ``rocmdoctor explain`` reads them, with the lines that tell most and what may fit."""

from __future__ import annotations

import os
from typing import Any

from rocmdoctor.agents.fitting import Candidate
from rocmdoctor.agents.package import gathered
from rocmdoctor.commands._console import redacted, redactor
from rocmdoctor.commands._progress import Progress
from rocmdoctor.diagnosis.examine import read
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.mcp import answers
from rocmdoctor.mcp.answers import Answer
from rocmdoctor.share.wash import wash, wash_prose

_LINES = 60
_TELLING = 4  # lines from this tier on are only there


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``paths``: files, folders or archives."""
    progress.say("reading the files")
    snapshot, book, texts = read(tuple(given["paths"]), ())
    progress.say("looking for what fits")
    found = make_report(snapshot, book).findings
    cleaner = redactor(False)
    known = gathered(snapshot, found, texts, book, cleaner, lambda each: redacted(snapshot, book, each))
    rows = list(answers.of_report(known.report))
    rows += [("may_fit", _candidate(one)) for one in known.candidates]
    told = [line for line in known.lines if line.tier < _TELLING][:_LINES]
    rows += answers.of_lines(sorted(told, key=lambda line: (line.order[2], line.source, line.line)))
    names = ", ".join(wash(cleaner.text(os.path.basename(path.rstrip("/"))), 60) for path in given["paths"][:3])
    return Answer(answers.head(known.report), rows, answers.kept(known.report), f"explain of {names}")


def _candidate(one: Candidate) -> dict[str, Any]:
    return answers.full({"id": one.id, "kind": one.kind, "says": wash_prose(one.says, 360), "needs": wash_prose(one.needs, 240),
                         "fix": wash_prose(one.fixes[0][0], 240) if one.fixes else ""})
