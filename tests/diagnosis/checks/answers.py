"""What a text, or facts as a machine gives them, is answered: (id, standing, title) of each finding."""

import functools

from rocmdoctor.diagnosis import diagnose
from rocmdoctor.facts.model import Known, Snapshot
from rocmdoctor.knowledge import rules
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import interpret
from rocmdoctor.texts.attach import Text, clean


@functools.cache
def scanner():
    return Scanner(rules.load().patterns())


def answers(text="", **facts):
    """``facts`` with __ for the dot; the item of a GPU behind ___: gpu__gfx_target___0."""
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read" if text else "live")
    for name, value in facts.items():
        name, _, item = name.partition("___")
        snapshot.facts[name.replace("__", ".") + (f"[{item}]" if item else "")] = Known(value, "test")
    if text:
        interpret.fill(snapshot, [Text("report.txt", clean(text + "\n"))], scanner())
    return {finding.id: finding for finding in diagnose.diagnose(snapshot, rules.load())}


def loud(found):
    return [one.id for one in found.values() if one.severity != "info"]
