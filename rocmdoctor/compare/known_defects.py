"""What the known defects say of one change: the new version is known to be bad here, may be, or nothing."""

from __future__ import annotations

from rocmdoctor.diagnosis.subjects import subjects
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Fact
from rocmdoctor.facts.sections import Change
from rocmdoctor.knowledge import component_versions, known
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.known_fit import Machine, both, is_in


def judge(change: Change, facts: dict[str, Fact]) -> None:
    """Set verdict, words and sources of a change from the row that fits best; in place."""
    if not change.new:
        return
    machine = Machine({**facts, **subjects(facts)})
    fitting = []
    for place in component_versions.places().values():
        if place.component == change.component:
            fitting += [(sure, row) for row in known.load().rows.get(place.name, ()) if (sure := _sure(row, change, machine)) is not None]
    if not fitting:
        return
    sure, row = min(fitting, key=lambda pair: (not pair[0], not pair[1].severe, bool(pair[1].needs), not pair[1].gfx, len(pair[1].gfx), pair[1].id))
    change.verdict = "bad" if sure else "possible"
    change.says = _words(row, sure, machine)
    change.references = list(row.source)


def _sure(row: Row, change: Change, machine: Machine) -> bool | None:
    """Whether the change brought this defect: true, false where something is not known, None where it did not or would be idle talk.

    Nearly every version of Mesa or ROCm has a defect of some program on some GPU: only a row that speaks of a GPU of this machine counts,
    and one whose needs were not read only where it is severe.
    """
    if not row.bad or machine.gpu(row) is False or not _covers(row, change.new) or (change.old and _covers(row, change.old)):
        return None
    if change.new not in component_versions.raw(machine.facts, row.component):  # the version of another program of this component
        return None
    fit = machine.fit(row)
    if False in (fit.gpu, fit.os, fit.backend, fit.others):
        return None
    known_here = both((fit.gpu, fit.others, fit.needs)) is True
    if known_here:
        return row.sure and bool(row.gfx or row.severe) if row.gfx or row.severe or row.sure else None
    return False if row.severe and row.sure and set(row.gfx) & set(machine.targets) else None


def _covers(row: Row, version: str) -> bool:
    """Whether a version is one of the bad ones."""
    scheme = row.scheme or versions.scheme_of(row.component)
    return is_in({version, component_versions.as_release(row.component, version)}, row.bad, scheme) is True


def _words(row: Row, sure: bool, machine: Machine) -> str:
    title = component_versions.places()[row.component].title
    text = f"{'Known to be bad' if sure else 'Possibly bad'}: {title} {row.bounds}. {row.first_sentence}"
    if row.symptom:
        text += f"; seen as {', '.join(row.symptom[:3])}"
    if machine.needs(row) is not True:
        text += f"; only with {row.needs.rstrip('.')}"
    if machine.gpu(row) is None:
        text += f"; only on {', '.join(row.gfx)}"
    if not row.sure:
        text += "; one user reports it"
    return f"{text}. Good: {' or '.join(row.good) or 'none is known'}."
