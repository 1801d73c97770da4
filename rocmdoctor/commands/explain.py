"""Somebody's files."""

from __future__ import annotations

import click

from rocmdoctor.commands import _ask
from rocmdoctor.commands._console import Output, finish, output, redacted, redactor, tell_problems
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.diagnosis.examine import read
from rocmdoctor.diagnosis.outcome import status
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.texts.attach import Text


@click.command(epilog=epilog("explain server.log report.txt", "explain ticket.tar.gz -v", "explain - < dmesg.txt", "explain folder --for ollama",
                              "explain folder --brief", "explain folder --ask http://127.0.0.1:8080"))
@click.argument("paths", nargs=-1, required=True)
@click.option("--brief", is_flag=True,
              help="One text for pasting into a chat with a model: facts, numbered lines, findings, known defects; redacted, under 8k tokens.")
@_ask.asking
@output()
def command(paths: tuple[str, ...], brief: bool, ask: _ask.Ask, out: Output) -> None:
    """Read somebody's files: logs, dumps, reports, folders, archives, saved snapshots; - is standard input."""
    if brief and ask.wanted:
        raise Usage("--brief is for pasting, --ask sends: give one of them")
    ask.fits(out)
    snapshot, book, texts = read(paths, out.rule_dirs)
    if brief:
        _brief(snapshot, book, texts, out)
    if ask.wanted:
        _ask.finish(snapshot, book, out, ask, texts)
    finish(snapshot, book, out)


def _brief(snapshot: Snapshot, book: Rulebook, texts: list[Text], out: Output) -> None:
    """Print the package and end with the status of the report."""
    from rocmdoctor.agents.package import gathered

    if out.wanted != [("text", "")]:
        raise Usage("--brief is a form of its own: leave the other forms out")
    tell_problems(book)
    report = make_report(snapshot, book)
    told = gathered(snapshot, report.findings, texts, book, redactor(out.no_redact), lambda each: redacted(snapshot, book, each))
    click.echo(told.package().text, nl=False)
    raise SystemExit(status(report, out.fail_on))
