"""Somebody's files."""

from __future__ import annotations

import click

from rocmdoctor.console import Output, finish, output
from rocmdoctor.examine import read


@click.command()
@click.argument("paths", nargs=-1, required=True)
@output()
def command(paths: tuple[str, ...], out: Output) -> None:
    """Read somebody's files: logs, dumps, reports, folders, archives, saved snapshots; - is standard input."""
    snapshot, book = read(paths, out.rule_dirs)
    finish(snapshot, book, out)
