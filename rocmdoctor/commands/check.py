"""This machine."""

from __future__ import annotations

import click

from rocmdoctor.console import Output, finish, output
from rocmdoctor.examine import examine


@click.command()
@click.option("--log", "logs", multiple=True, metavar="FILE", help="A log to read along (an application's, say).")
@click.option("--no-kernels", is_flag=True, help="Run nothing on the GPU and import no torch (under a second).")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one.")
@click.option("--python", "pythons", multiple=True, metavar="PATH", help="A further Python whose torch is examined.")
@output()
def command(logs: tuple[str, ...], no_kernels: bool, root: str, pythons: tuple[str, ...], out: Output) -> None:
    """Examine this machine."""
    snapshot, book, _ = examine(logs, no_kernels, root, pythons, out.rule_dirs)
    finish(snapshot, book, out)
