"""What changed."""

from __future__ import annotations

import sys

import click

from rocmdoctor.commands._console import Output, output, redacted, redactor, show, tell_problems, terminal
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.compare import finding, kept, sides, states
from rocmdoctor.diagnosis.outcome import status
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Report, Snapshot
from rocmdoctor.share.wash import wash


@click.command(epilog=epilog("compare", "compare --since \"last week\"", "compare good.json bundle.tar.gz"))
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option("--since", metavar="WHEN", help='Package histories since a date, "yesterday", "last week" or "3 days ago", without an earlier state.')
@click.option("--list", "as_list", is_flag=True, help="List the states that are kept.")
@output("verbose", "quiet", "formats", "as_json", "markdown", "html_file", "fail_on", "rule_dirs", "no_redact")
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
    snapshot, book, before = sides.compared(old, new, since, out.rule_dirs)
    how = {"only": (finding.ID,), "before": before}
    report = redacted(snapshot, book, redactor(out.no_redact), **how) if out.shared else make_report(snapshot, book, **how)  # type: ignore[arg-type]
    tell_problems(book)
    from rocmdoctor.render.report import changes_text

    ended, (colour, width) = _status(report, snapshot, out.fail_on), terminal()
    show(report, out, ended, lambda full: changes_text.render(report, width, colour, full, sys.stdout.isatty()))
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


def _list() -> None:
    held, foreign = states.listed(kept.folder())
    if held:
        click.echo("\n".join(f"{s.taken[:19].replace('T', ' ')} UTC  {s.found:<9}{'  good' if s.good else ''}".rstrip() for s in held))
    if foreign:
        click.echo(f"{len(foreign)} files there are no states, left out: {', '.join(map(wash, sorted(foreign)[:3]))}", err=True)
    if not held:
        click.echo("no state is kept yet; rocmdoctor check keeps one each time", err=True)
