"""The finding "since the last good run", and its place among the others."""

from __future__ import annotations

from rocmdoctor.compare.changes import results, suspects
from rocmdoctor.facts.model import GRAVE, Evidence, Finding
from rocmdoctor.facts.sections import Change, Comparison, Fix

ID = "changed-since-last-good"
NAMED = 3
MOST_EVIDENCE = 8


def in_words(change: Change) -> str:
    """``Mesa 25.0.7 -> 26.1.0``, ``Permissions changed``."""
    if change.old and change.new:
        return f"{change.title} {change.old} -> {change.new}"
    if change.old or change.new:
        return f"{change.title} {change.old or change.new} {change.how}"
    return f"{change.title} {change.how}"


def worse(comparison: Comparison) -> list[Change]:
    """Results that are not as good as before."""
    return [change for change in results(comparison) if change.how in ("slower", "worse")]


def finding(comparison: Comparison, findings: list[Finding]) -> Finding | None:
    """What changed as one finding, None when nothing did that could be at fault."""
    suspected, lost = suspects(comparison), worse(comparison)
    if not (suspected or lost):
        return None
    trouble = bool(lost) or any(f.severity in GRAVE and f.standing != "risk" and f.id != "no-amd-gpu" for f in findings)
    bad = [change for change in suspected if change.verdict]
    first = (suspected or lost)[0]
    count = len(suspected)
    start = f"{comparison.new} differs from {comparison.old}" if comparison.two_machines else f"Since {comparison.old}"
    title = f"{start}: {'; '.join(in_words(c) for c in (suspected or lost)[:NAMED])}"
    if count > NAMED:
        title += f"; and {count - NAMED} more"
    says = [f"{count} component{'s' if count != 1 else ''} of the GPU stack changed." if count else "No component that is known here changed."]
    says += [f"{in_words(change)}." for change in lost]
    says += [change.says for change in bad[:2]]
    if not bad and trouble and count:
        says.append("None of the new versions is known to be bad here; the order is that of suspicion, from the reports behind the rules.")
    if comparison.unrelated:
        says.append(f"{comparison.unrelated} packages of other software changed as well.")
    fixes: list[Fix] = [change.way_back[0] for change in suspected if change.way_back][:NAMED]
    evidence = [Evidence(fact=f"changed.{c.component}", value=f"{c.old or 'nothing'} -> {c.new or 'nothing'}", source=c.at or comparison.old)
                for c in suspected[:MOST_EVIDENCE]]
    return Finding(ID, "possible" if trouble else "risk", "warning" if lost or (bad and bad[0].verdict == "bad") else "info", first.layer, "",
                   title, " ".join(says), "What worked before and does not now was broken by something that changed in between.", evidence, [],
                   ["rocmdoctor compare good   # every change; take the first suspect back, run rocmdoctor check, then the next"] if trouble else [],
                   fixes, [url for change in bad for url in change.references][:6])


def placed(comparison: Comparison, findings: list[Finding]) -> list[Finding]:
    """The findings with this one behind the causes that are decided and before what is only possible or a risk."""
    made = finding(comparison, findings)
    if made is None:
        return findings
    place = next((n for n, f in enumerate(findings) if f.standing != "cause"), len(findings))
    if made.standing == "risk":
        place = next((n for n, f in enumerate(findings) if f.standing == "risk" and f.severity == "info"), len(findings))
    return [*findings[:place], made, *findings[place:]]
