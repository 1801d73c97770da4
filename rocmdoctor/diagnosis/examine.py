"""The doors of the commands: this machine or a recorded one, and somebody's files."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from rocmdoctor.commands._console import attached, now
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._progress import Progress
from rocmdoctor.facts.model import Known, Snapshot
from rocmdoctor.records import replace
from rocmdoctor.share.wash import wash

if TYPE_CHECKING:
    from rocmdoctor.knowledge import rules
    from rocmdoctor.live import kernel_tests
    from rocmdoctor.texts import attach


def _nothing() -> None:
    """Nothing is to be made ready."""


def examine(logs: tuple[str, ...], no_kernels: bool, root: str, pythons: tuple[str, ...], rule_dirs: tuple[str, ...],
            more: Callable[[], list[attach.Text]] = list, plan: kernel_tests.Plan | None = None,
            progress: Progress | None = None, meanwhile: Callable[[], None] = _nothing) -> tuple[Snapshot, rules.Rulebook, list[attach.Text]]:
    """This machine, or a recorded one: its snapshot, the rules, and the texts that were read (``more`` gives further ones).

    ``plan`` says which test kernels run on this machine; without one the quick ones of ``check``. ``progress`` hears what is being done; without
    one a terminal shows it. ``meanwhile`` makes ready what the caller needs afterwards, while the probes run.
    """
    progress = progress or Progress()
    progress.say("getting ready")  # at the first run the knowledge is put into a cache, too
    from concurrent.futures import Future, ThreadPoolExecutor

    from rocmdoctor.live.collect import collect, find_pythons, patience

    if not pathlib.Path(root).is_dir():
        progress.clear()
        raise Usage(f"{root}: no such folder; --root takes the folder of a recorded machine")
    refused: list[str] = []
    if root == "/" and not no_kernels and (plan is None or "torch" in plan.backends):  # what has no part in the test is not imported
        pythons = tuple(dict.fromkeys((*pythons, *find_pythons(os.environ, pathlib.Path(os.path.expanduser("~")), refused.append))))

    probed: Future[list[tuple[str, str]]] = Future()  # the texts of the probes, as soon as these are through

    def collected() -> tuple[Snapshot, list[tuple[str, str]]]:  # with the texts of the test kernels
        if root != "/" or no_kernels:
            found, texts = collect(now(), root=root, pythons=pythons, progress=progress.probe, patience=patience())
            probed.set_result(texts)
            return found, []
        from rocmdoctor.live import kernel_tests, trusted, warm

        chosen = replace(plan, pythons=tuple(pythons)) if plan else kernel_tests.Plan()
        with warm.parent(warm.FLAGS, trusted.environment(os.environ)[0]) as forks, kernel_tests.ahead(chosen) as begun:
            found, texts = collect(now(), root=root, pythons=pythons, progress=progress.probe, patience=patience(), forks=forks,
                                   reached=kernel_tests.reaching(begun, chosen))
            probed.set_result(list(texts))
            told = len(texts)
            kernel_tests.run(found, texts, chosen, progress.test, begun, forks)
        return found, texts[told:]

    with ThreadPoolExecutor(1) as pool:  # all that comes after the probes is made ready while they run: it takes as long as they do
        collecting = pool.submit(collected)
        collecting.add_done_callback(lambda _: None if probed.done() else probed.set_result([]))  # it failed, which is told below
        from rocmdoctor.knowledge import rules
        from rocmdoctor.scan.scanner import Scanner
        from rocmdoctor.texts import catalogue, interpret

        book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
        scanner = Scanner(book.patterns(), book.plan())
        _ = [reader.read for reader in catalogue.catalogue() if "kernel_log" in reader.KINDS]  # loaded; the machine tells of itself by that log
        meanwhile()
        _ = scanner.usual
        reading = interpret.Reading(scanner)
        if root == "/":
            from rocmdoctor.compare import kept
        texts = [interpret.gathered(name, text) for name, text in probed.result()]
        reading.read(texts)  # while the test kernels work
        snapshot, lines = collecting.result()
    progress.clear()
    if root == "/":
        kept.history(snapshot)
    found = attached(logs)  # held until the texts are read: big streams lie in its temporary folder
    snapshot.notes += refused + found.problems
    later = [interpret.gathered(name, text) for name, text in lines] + found.texts + more()
    reading.read(later, found.budget.over)
    reading.settle(snapshot)
    return snapshot, book, texts + later


def read(paths: tuple[str, ...], rule_dirs: tuple[str, ...]) -> tuple[Snapshot, rules.Rulebook, list[attach.Text]]:
    """What the files say, the rules, and the texts that were read."""
    from rocmdoctor.facts import limits
    from rocmdoctor.knowledge import rules
    from rocmdoctor.scan.scanner import Scanner
    from rocmdoctor.texts import interpret

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
        interpret.fill(snapshot, found.texts + texts, Scanner(book.patterns(), book.plan()), found.budget.over)
        for note in snapshot.notes[known:]:
            if interpret.OVER in note:  # as all that was left out, this is said in the short answer, too
                click.echo(wash(note, 1000), err=True)
    return snapshot, book, found.texts + texts
