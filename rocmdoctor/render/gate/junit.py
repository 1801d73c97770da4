"""A preflight as JUnit XML: FAIL is a failure, UNKNOWN an error (it was not decided), what the level left out is skipped."""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from rocmdoctor.preflight.verdict import Preflight
from rocmdoctor.render.gate.text import named, sentence
from rocmdoctor.share.wash import wash, wash_command, wash_prose


def render(gate: Preflight) -> str:
    """One suite named after the policy, one case per outcome."""
    verdicts = [outcome.verdict for outcome in gate.outcomes]
    numbers = {"tests": str(len(verdicts)), "failures": str(verdicts.count("FAIL")), "errors": str(verdicts.count("UNKNOWN")),
               "skipped": str(verdicts.count("SKIPPED"))}
    root = Element("testsuites", {"name": "rocmdoctor preflight", "time": f"{gate.seconds:.3f}", **numbers})
    suite = SubElement(root, "testsuite", {"name": wash(gate.policy), "hostname": wash(gate.node), "timestamp": gate.taken.partition("+")[0],
                                           "time": f"{gate.seconds:.3f}", **numbers})
    for outcome in gate.outcomes:
        case = SubElement(suite, "testcase", classname=f"{wash(gate.policy)}.{wash(outcome.expectation).partition('.')[0]}",
                          name=named(outcome), time="0")
        if outcome.verdict == "SKIPPED":
            SubElement(case, "skipped", message=sentence(outcome))
            continue
        lines = [sentence(outcome), *([f"source: {wash(outcome.source)}"] if outcome.source else []),
                 *([f"{outcome.action}: {wash_prose(outcome.fix)}"] if outcome.fix else []),
                 *(line for command in [*outcome.fix_commands, outcome.command] for line in wash_command(command))]
        if outcome.verdict in ("FAIL", "UNKNOWN"):
            tag = "failure" if outcome.verdict == "FAIL" else "error"
            SubElement(case, tag, message=sentence(outcome), type=outcome.action or outcome.verdict).text = "\n".join(lines)
        elif outcome.verdict == "WARN":
            SubElement(case, "system-out").text = "\n".join(["WARN", *lines])
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"
