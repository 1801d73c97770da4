"""The states of this machine that are kept: where they lie, the good one that a check is compared with, keeping a further one."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable

import click

from rocmdoctor import places
from rocmdoctor.compare import states
from rocmdoctor.compare.changes import Before
from rocmdoctor.facts.model import Known, Snapshot

MOST_CHECKS = 200


def folder() -> pathlib.Path:
    """Where the states of this machine are kept."""
    import hashlib

    try:
        machine = hashlib.sha256(pathlib.Path("/etc/machine-id").read_bytes()[:64].strip()).hexdigest()
    except OSError:
        machine = ""
    return states.folder(places.states(), machine)


def history(snapshot: Snapshot) -> None:
    """Put the checks of this machine that were kept into the snapshot, as their names tell them."""
    try:
        held, _ = states.listed(folder())
    except states.Unreadable:  # said where a state is asked for
        return
    if held:
        rows = [{"at": f"{state.taken[:19]}+00:00", "found": "clean" if state.good else state.found} for state in reversed(held[:MOST_CHECKS])]
        snapshot.facts["checks.history"] = Known(rows, "states kept")


def readable(wanted: Iterable[states.State]) -> tuple[states.State, Snapshot] | None:
    """The first state that can be read, with its snapshot; each that cannot is one line on standard error."""
    for state in wanted:
        try:
            return state, states.load(state)
        except states.Unreadable as error:
            click.echo(str(error), err=True)
    return None


def last_good() -> Before | None:
    """What a check of this machine is compared with, None when no such state is kept."""
    try:
        held, _ = states.listed(folder())
    except states.Unreadable as error:
        click.echo(str(error), err=True)
        return None
    found = readable(states.baseline(held))
    if found is None:
        return None
    state, snapshot = found
    return Before(f"the last good run ({state.taken[:16].replace('T', ' ')} UTC{', marked good' if state.good else ''})", snapshot)


def keep(snapshot: Snapshot, found: str, good: bool = False, tell: bool = False) -> bool:
    """Keep this run; a full disk or a folder that cannot be written costs one line, never the answer."""
    place = folder()
    try:
        state = states.keep(place, snapshot, found, good)
    except (OSError, states.Unreadable) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        click.echo(f"{place}: this state could not be kept ({reason}); --no-keep turns it off", err=True)
        return False
    if tell:
        click.echo(f"state of {state.taken[:19].replace('T', ' ')} UTC kept{' and marked good' if good else ''}", err=True)
    return True
