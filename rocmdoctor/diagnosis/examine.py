"""The doors of the commands: this machine or a recorded one, and somebody's files."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import click

from rocmdoctor import places
from rocmdoctor.commands._console import attached, now
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._progress import Progress
from rocmdoctor.compare import states
from rocmdoctor.compare.changes import Before
from rocmdoctor.facts import limits
from rocmdoctor.facts.model import Known, Snapshot
from rocmdoctor.knowledge import rules
from rocmdoctor.records import replace
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.share.wash import wash
from rocmdoctor.texts import attach, interpret

if TYPE_CHECKING:
    from rocmdoctor.live import kernel_tests

MOST_CHECKS = 200


def examine(logs: tuple[str, ...], no_kernels: bool, root: str, pythons: tuple[str, ...], rule_dirs: tuple[str, ...],
            more: Callable[[], list[attach.Text]] = list, plan: kernel_tests.Plan | None = None,
            progress: Progress | None = None) -> tuple[Snapshot, rules.Rulebook, list[attach.Text]]:
    """This machine, or a recorded one: its snapshot, the rules, and the texts that were read (``more`` gives further ones).

    ``plan`` says which test kernels run on this machine; without one the quick ones of ``check``. ``progress`` hears what is being done; without
    one a terminal shows it.
    """
    progress = progress or Progress()
    progress.say("getting ready")  # at the first run the knowledge is put into a cache, too
    from concurrent.futures import ThreadPoolExecutor

    from rocmdoctor.live.collect import collect, find_pythons, patience

    if not pathlib.Path(root).is_dir():
        progress.clear()
        raise Usage(f"{root}: no such folder; --root takes the folder of a recorded machine")
    refused: list[str] = []
    if root == "/" and not no_kernels and (plan is None or "torch" in plan.backends):  # what has no part in the test is not imported
        pythons = tuple(dict.fromkeys((*pythons, *find_pythons(os.environ, pathlib.Path(os.path.expanduser("~")), refused.append))))
    def collected() -> tuple[Snapshot, list[tuple[str, str]]]:
        found, texts = collect(now(), root=root, pythons=pythons, progress=progress.probe, patience=patience())
        if root == "/" and not no_kernels:
            from rocmdoctor.live import kernel_tests

            chosen = replace(plan, pythons=tuple(pythons)) if plan else kernel_tests.Plan()
            kernel_tests.run(found, texts, chosen, progress.test)
        return found, texts

    with ThreadPoolExecutor(1) as pool:  # the rules are made ready while the probes run
        collecting = pool.submit(collected)
        book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
        scanner = Scanner(book.patterns())
        interpret.modules()  # so are the readers
        snapshot, lines = collecting.result()
    progress.clear()
    if root == "/":
        _kept(snapshot)
    found = attached(logs)  # held until the texts are read: big streams lie in its temporary folder
    snapshot.notes += refused + found.problems
    texts = [interpret.gathered(name, text) for name, text in lines] + found.texts + more()
    interpret.fill(snapshot, texts, scanner, found.budget.over)
    return snapshot, book, texts


def read(paths: tuple[str, ...], rule_dirs: tuple[str, ...]) -> tuple[Snapshot, rules.Rulebook, list[attach.Text]]:
    """What the files say, the rules, and the texts that were read."""
    book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
    found = attached(paths)
    if len(found.snapshots) == 1:  # of a bundle the snapshot stands for the excerpts beside it
        found.texts = [text for text in found.texts if text.name not in found.read_before]
    snapshot = Snapshot(now(), "read")
    texts: list[attach.Text] = []
    for data in found.snapshots:
        try:
            saved = limits.admitted(data)
        except ValueError as error:
            click.echo(f"a saved report that this version cannot read: {error}", err=True)
            continue
        snapshot = saved
    if found.trees and not found.snapshots:
        from rocmdoctor.live.collect import collect, patience, system_of

        root = found.trees[0].absolute()
        whole = system_of(str(root)) == "windows"  # an export holds what the probes read, its logs too
        snapshot, gathered = collect(now(), root=str(root), patience=patience())
        texts = [text for text in (interpret.gathered(*each) for each in gathered) if whole or text.reader]
        snapshot.origin = "read"
        if not whole and not (root / "proc").is_dir():  # only /sys was copied: what is not in it says nothing
            snapshot.facts = {key: fact for key, fact in snapshot.facts.items() if isinstance(fact, Known) and fact.value}
            snapshot.notes.clear()
    snapshot.notes += found.problems
    if found.texts or texts or not found.snapshots:  # a saved snapshot alone has been read; patterns take time to make ready
        known = len(snapshot.notes)
        interpret.fill(snapshot, found.texts + texts, Scanner(book.patterns()), found.budget.over)
        for note in snapshot.notes[known:]:
            if interpret.OVER in note:  # as all that was left out, this is said in the short answer, too
                click.echo(wash(note, 1000), err=True)
    return snapshot, book, found.texts + texts


def state_folder() -> pathlib.Path:
    """Where the states of this machine are kept."""
    import hashlib

    try:
        machine = hashlib.sha256(pathlib.Path("/etc/machine-id").read_bytes()[:64].strip()).hexdigest()
    except OSError:
        machine = ""
    return states.folder(places.states(), machine)


def _kept(snapshot: Snapshot) -> None:
    """The checks of this machine that were kept, as their names tell them."""
    try:
        held, _ = states.listed(state_folder())
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
        held, _ = states.listed(state_folder())
    except states.Unreadable as error:
        click.echo(str(error), err=True)
        return None
    found = readable(states.baseline(held))
    if found is None:
        return None
    state, snapshot = found
    return Before(f"the last good run ({state.taken[:16].replace('T', ' ')} UTC{', marked good' if state.good else ''})", snapshot)


def keep_state(snapshot: Snapshot, found: str, good: bool = False, tell: bool = False) -> bool:
    """Keep this run; a full disk or a folder that cannot be written costs one line, never the answer."""
    place = state_folder()
    try:
        state = states.keep(place, snapshot, found, good)
    except (OSError, states.Unreadable) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        click.echo(f"{place}: this state could not be kept ({reason}); --no-keep turns it off", err=True)
        return False
    if tell:
        click.echo(f"state of {state.taken[:19].replace('T', ' ')} UTC kept{' and marked good' if good else ''}", err=True)
    return True
