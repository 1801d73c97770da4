"""A language model server of this machine, as ``rocmdoctor llm`` asks it."""

from __future__ import annotations

from typing import Any

from rocmdoctor.commands._console import redacted, redactor
from rocmdoctor.commands._progress import Progress
from rocmdoctor.facts.sections import LlmServer
from rocmdoctor.llm import examination
from rocmdoctor.llm.client import BadAddress, address, is_local
from rocmdoctor.mcp import answers
from rocmdoctor.mcp.answers import Answer, Refused, Row, full
from rocmdoctor.render.report import llm_text
from rocmdoctor.share.wash import wash, wash_prose

_NAMES = {"Answers": "answers", "Device": "device", "Kernel saw": "kernel_saw", "Speed": "speed", "Judged": "speed_judged", "Ceilings": "ceilings_of"}


def run(given: dict[str, Any], progress: Progress) -> Answer:
    """``url`` on this machine, else the usual ports; ``model``."""
    places = examination.usual()
    if given["url"]:
        try:
            places = [address(given["url"])]
        except BadAddress as error:
            raise Refused(wash(error, 300)) from None
        if not is_local(places[0][1]):
            raise Refused("url: only servers of this machine (127.0.0.1, localhost, ::1) are asked from here; `rocmdoctor llm URL` asks others")
    found, failures = examination.ask(places, bool(given["url"]), given["model"], lambda line: progress.say(wash(line, 160)))
    if not found:
        said = "; ".join(failures) if given["url"] else f"no server listens on the usual ports of this machine ({examination.ports()})"
        return Answer({"answer": wash_prose(f"Not known: {said}", 600)}, [])
    snapshot, book = examination.judged(found, (), progress=progress)
    report = redacted(snapshot, book, redactor(False))
    rows: list[Row] = [("servers", _server(server)) for server in report.llm or []]
    rows += [("notes", wash_prose(line, 300)) for line in (failures if given["url"] else [])]
    return Answer(answers.head(report), [*rows, *answers.of_report(report)], answers.kept(report), f"llm, {snapshot.taken}")


def _server(server: LlmServer) -> dict[str, Any]:
    told = {_NAMES[label]: words[:300] for label, words in llm_text.lines(server) if label in _NAMES}
    return full({"place": wash(server.place, 120), "server": wash(server.server, 60), "model": wash(server.model, 120),
                 "verdict": server.verdict or "not known", "generated_per_s": server.generation, **told})
