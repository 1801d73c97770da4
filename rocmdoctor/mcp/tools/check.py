"""This machine, as ``rocmdoctor check`` examines it; no state of it is kept."""

from __future__ import annotations

from typing import Any

from rocmdoctor.commands._console import redacted, redactor
from rocmdoctor.commands._progress import Progress
from rocmdoctor.compare import kept
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.mcp import answers
from rocmdoctor.mcp.answers import Answer


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``kernels``: whether the quick test kernels run, too."""
    snapshot, book, _ = examine((), not given["kernels"], "/", (), (), progress=progress)
    report = redacted(snapshot, book, redactor(False), before=kept.last_good())
    return Answer(answers.head(report), list(answers.of_report(report)), answers.kept(report), f"check of this machine, {snapshot.taken}")
