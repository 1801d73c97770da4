"""Where nothing that is known explains the trouble: what the log itself calls an error, whose word it is, and what such a program is about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.model import Hit
from rocmdoctor.knowledge import applications, compiled
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

_CHECK = "reported_error"
_SHOWN = 150
_GENERAL = frozenset({"trouble-told", "crash", "load-failure", "no-device-found", "runs-on-cpu", "program-does-not-compile"})  # that say little
_STEM = later.pattern(r"([^/\\]{1,60}?)(?:\.(?:log|txt|out|err))+$")

# What was asked for is not there, or was asked for wrongly: no word about the GPU.
_OF_USE = later.pattern(r"status code:? 4\d\d\b|\bHTTP/?[\d.]* 4\d\d\b|\btry pulling it\b"
                        r"|\b(?:unrecogni[sz]ed|unknown|invalid) (?:arguments?|options?|parameters?|flags?)\b",
                        re.IGNORECASE)


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first line that a log calls an error, where what was seen says little; it is dropped where anything else says more."""
    hits = seen.hits_of("seen.failing.said")
    if not hits or not seen.symptoms or not seen.symptoms <= _GENERAL:
        return
    hit = hits[0]
    row = _row(hit)
    name = _program(seen, hit, row)
    shown = hit.captures["what"][:_SHOWN].rstrip(" :")
    words = {"program": name[:1].upper() + name[1:] if name.startswith("the ") else name, "what": shown, "role": row["role"], "first": row["first"]}
    asked: dict[str, Any] = {"severity": "info"} if _OF_USE.search(hit.text) else {}
    rule = _words.rule(_CHECK, "program-reports-error", words, observes=True, **asked)
    yield Judged(rule, Answer(True, (), ()), explained=seen.explained(rule), hits=hits[:3], quotes=True)


def _row(hit: Hit) -> dict[str, Any]:
    rows: list[dict[str, Any]] = compiled.part(f"checks/{_CHECK}.yaml")["programs"]
    named = hit.captures.get("program") or _stem(hit)
    by_name = (row for row in rows if named.lower() in row["names"])
    return next(by_name, None) or next(row for row in rows if re.search(row["pattern"], hit.text))


def _stem(hit: Hit) -> str:
    """The program that a log is called by, "" where its name is a common word."""
    found = _STEM.search(hit.source)
    name = found[1].lower() if found else ""
    return "" if name in compiled.part(f"checks/{_CHECK}.yaml")["anonymous"] else re.split(r"[-_. ](?:log|err|out|output)\b", name)[0]


def _program(seen: Evidence, hit: Hit, row: dict[str, Any]) -> str:
    named = hit.captures.get("program") or _stem(hit)
    app = next(iter(seen.texts("about.app")), "")
    return str(named or row["name"] or (applications.title(app) if app else "") or seen.text("report.program") or "the program")
