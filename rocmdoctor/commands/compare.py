"""What changed."""

from __future__ import annotations

import os
import pathlib

import click

from rocmdoctor.commands._console import Output, now, output, redacted, redactor, show, tell_problems, terminal
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.compare import finding, moments, states
from rocmdoctor.compare.changes import Before
from rocmdoctor.diagnosis.examine import examine, read, readable, state_folder
from rocmdoctor.diagnosis.outcome import status
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Report, Snapshot
from rocmdoctor.knowledge import rules
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.share.wash import wash


@click.command(epilog=epilog("compare", "compare --since \"last week\"", "compare good.json bundle.tar.gz"))
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option("--since", metavar="WHEN", help='Package histories since a date, "yesterday", "last week" or "3 days ago", without an earlier state.')
@click.option("--list", "as_list", is_flag=True, help="List the states that are kept.")
@output("formats", "as_json", "markdown", "html_file", "fail_on", "rule_dirs", "no_redact")
def command(old: str | None, new: str | None, since: str | None, as_list: bool, out: Output) -> None:
    """What changed between two states, the suspects first.

    OLD and NEW are a saved snapshot, a bundle, a folder, somebody's files; or a kept state: good (the default of OLD: the newest
    marked good, else the newest without errors), last, yesterday, a date (the newest state up to then). NEW is this machine now
    unless it is named. With --since one FILE may be named instead of this machine.
    """
    if as_list:
        if old or new or since is not None:
            raise Usage("--list goes alone")
        _list()
        return
    if since is not None:
        moment = moments.parse(since, now())
        if moment is None:
            raise Usage(f"--since {since or '(nothing)'}: not a moment; write 2026-11-20, yesterday, \"last week\" or \"3 days ago\"")
        if moment > now():
            raise Usage(f"--since {since}: that is still to come")
        if new:
            raise Usage("with --since only one FILE can be named")
        snapshot, book, name = _side(old, out)
        before = Before(f"{moment[:16].replace('T', ' ')} UTC", None, moment, name)
    else:
        earlier, _, old_name = _side(old or "good", out)
        snapshot, book, name = _side(new, out)
        before = Before(old_name, earlier, new_name=name)
    how = {"only": (finding.ID,), "before": before}
    report = redacted(snapshot, book, redactor(out.no_redact), **how) if out.shared else make_report(snapshot, book, **how)  # type: ignore[arg-type]
    tell_problems(book)
    from rocmdoctor.render.report import changes_text

    ended, (colour, width) = _status(report, snapshot, out.fail_on), terminal()
    show(report, out, ended, lambda full: changes_text.render(report, width, colour))
    raise SystemExit(ended)


def _status(report: Report, snapshot: Snapshot, fail_on: str) -> int:
    """1 from the severity on; 3 where nothing could be compared, or no history says anything."""
    found = status(report, fail_on)
    if found == 1:
        return 1
    changes = report.changes
    silent = changes is not None and not changes.changes and (
        not changes.compared if changes.basis == "states" else "updates.from" not in snapshot.facts and not changes.events)
    return 3 if silent else 0


def _side(named: str | None, out: Output) -> tuple[Snapshot, Rulebook, str]:
    """One side: its snapshot, the rules, and how it is called."""
    if named is None:
        snapshot, book, _ = examine((), False, "/", (), out.rule_dirs)
        return snapshot, book, "now"
    held = _state(named)
    if held is not None:
        return held[1], rules.load(tuple(map(pathlib.Path, out.rule_dirs))), held[2]
    snapshot, book, _ = read((named,), out.rule_dirs)
    return snapshot, book, os.path.basename(named.rstrip("/")) or named


def _state(named: str) -> tuple[states.State, Snapshot, str] | None:
    """The kept state of that name; None when the word names a file."""
    moment = moments.parse(named, now(), end=True)
    if named not in ("good", "last") and (moment is None or os.path.lexists(named)):
        if named != "-" and not os.path.lexists(named):
            raise Usage(f"{named}: no such file or folder, and no moment; kept states: rocmdoctor compare --list")
        return None
    held, _ = states.listed(state_folder())
    wanted = states.baseline(held) if named == "good" else held if moment is None else states.before(held, moment)
    found = readable(wanted)
    if found is None:
        missing = {"good": "no state without errors is kept yet", "last": "no state is kept yet"}.get(named, "no state of then or before is kept")
        raise Usage(f"{named}: {missing}; rocmdoctor check keeps one each time, --since WHEN needs none")
    return found[0], found[1], called(found[0])


def called(state: states.State) -> str:
    """How a kept state is named to a person."""
    return f"the state of {state.taken[:16].replace('T', ' ')} UTC{', marked good' if state.good else ''}"


def _list() -> None:
    held, foreign = states.listed(state_folder())
    if held:
        click.echo("\n".join(f"{s.taken[:19].replace('T', ' ')} UTC  {s.found:<9}{'  good' if s.good else ''}".rstrip() for s in held))
    if foreign:
        click.echo(f"{len(foreign)} files there are no states, left out: {', '.join(map(wash, sorted(foreign)[:3]))}", err=True)
    if not held:
        click.echo("no state is kept yet; rocmdoctor check keeps one each time", err=True)
