"""The doors of the commands: this machine or a recorded one, and somebody's files."""

from __future__ import annotations

import os
import pathlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import click

from rocmdoctor import attach, interpret, rules, sanity
from rocmdoctor.console import Usage, attached, now
from rocmdoctor.model import Known, Snapshot, snapshot_from_json
from rocmdoctor.scan import Scanner


def examine(logs: tuple[str, ...], no_kernels: bool, root: str, pythons: tuple[str, ...], rule_dirs: tuple[str, ...],
             more: Callable[[], list[attach.Text]] = list, plan: sanity.Plan | None = None) -> tuple[Snapshot, rules.Rulebook, list[attach.Text]]:
    """This machine, or a recorded one: its snapshot, the rules, and the texts that were read (``more`` gives further ones).

    ``plan`` says which test kernels run on this machine; without one the quick ones of ``check``.
    """
    from rocmdoctor.collect import collect, find_pythons

    if not pathlib.Path(root).is_dir():
        raise Usage(f"{root}: no such folder; --root takes the folder of a recorded machine")
    progress = (lambda name, state: click.echo(f"\r\033[K  {name} ...", err=True, nl=False)) if sys.stderr.isatty() else None
    if root == "/" and not no_kernels and (plan is None or "torch" in plan.backends):  # what has no part in the test is not imported
        pythons = tuple(dict.fromkeys((*pythons, *find_pythons(os.environ, pathlib.Path(os.path.expanduser("~"))))))
    def collected() -> tuple[Snapshot, list[tuple[str, str]]]:
        found, texts = collect(now(), root=str(pathlib.Path(root).resolve()), pythons=pythons, progress=progress)
        if root == "/" and not no_kernels:
            chosen = replace(plan, pythons=tuple(pythons)) if plan else sanity.Plan()
            sanity.run(found, texts, chosen, (lambda words: progress(words, "")) if progress else None)
        return found, texts

    with ThreadPoolExecutor(1) as pool:  # the rules are made ready while the probes run
        collecting = pool.submit(collected)
        book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
        scanner = Scanner(book.rules.values())
        snapshot, lines = collecting.result()
    if progress:
        click.echo("\r\033[K", err=True, nl=False)
    found = attached(logs)  # held until the texts are read: big streams lie in its temporary folder
    snapshot.notes += found.problems
    texts = [attach.Text(name, attach.clean(text)) for name, text in lines] + found.texts + more()
    interpret.fill(snapshot, texts, scanner)
    return snapshot, book, texts


def read(paths: tuple[str, ...], rule_dirs: tuple[str, ...]) -> tuple[Snapshot, rules.Rulebook]:
    """What the files say, and the rules."""
    book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
    found = attached(paths)
    snapshot = Snapshot(now(), "read")
    for data in found.snapshots:
        try:
            saved = snapshot_from_json(data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            click.echo(f"a saved report that this version cannot read: {error}", err=True)
            continue
        snapshot = saved
    if found.trees and not found.snapshots:
        from rocmdoctor.collect import collect

        root = found.trees[0].absolute()
        snapshot, _ = collect(now(), root=str(root))
        snapshot.origin = "read"
        if not (root / "proc").is_dir():  # only /sys was copied: what is not in it says nothing
            snapshot.facts = {key: fact for key, fact in snapshot.facts.items() if isinstance(fact, Known) and fact.value}
            snapshot.notes.clear()
    snapshot.notes += found.problems
    interpret.fill(snapshot, found.texts, Scanner(book.rules.values()))
    return snapshot, book
