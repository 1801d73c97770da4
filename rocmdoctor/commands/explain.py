"""Somebody's files."""

from __future__ import annotations

import click

from rocmdoctor.commands._console import Output, finish, output
from rocmdoctor.commands._help import epilog
from rocmdoctor.diagnosis.examine import read


@click.command(epilog=epilog("explain server.log report.txt", "explain ticket.tar.gz -v", "explain - < dmesg.txt", "explain folder --for ollama"))
@click.argument("paths", nargs=-1, required=True)
@output()
def command(paths: tuple[str, ...], out: Output) -> None:
    """Read somebody's files: logs, dumps, reports, folders, archives, saved snapshots; - is standard input."""
    snapshot, book = read(paths, out.rule_dirs)
    finish(snapshot, book, out)
