"""The knowledge, to read and to check."""

from __future__ import annotations

import pathlib

import click

from rocmdoctor.commands._console import Usage
from rocmdoctor.knowledge import rules
from rocmdoctor.knowledge.paths import data_dir


@click.group("rules")
def command() -> None:
    """The knowledge, readable and checkable."""


@command.command("list")
def rules_list() -> None:
    """Every rule: id, kind, severity, title."""
    for rule in rules.load().rules.values():
        click.echo(f"{rule.id:56} {rule.kind:8} {rule.severity:8} {rule.title}")


@command.command("show")
@click.argument("rule_id")
def rules_show(rule_id: str) -> None:
    """One rule as it is written."""
    for file in data_dir("rules").glob(f"**/{rule_id}.yaml"):
        click.echo(file.read_text("utf-8"), nl=False)
        return
    raise Usage(f"{rule_id}: no such rule; `rocmdoctor rules list` names them")


@command.command("lint")
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False))
def rules_lint(folders: tuple[str, ...]) -> None:
    """Check the rules of the house and of further folders."""
    book = rules.load(tuple(map(pathlib.Path, folders)))
    for problem in book.problems:
        click.echo(problem)
    click.echo(f"{len(book.rules)} rules, {len(book.problems)} problems", err=True)
    raise SystemExit(1 if book.problems else 0)
