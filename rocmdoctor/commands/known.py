"""The known defects, to search."""

from __future__ import annotations

import datetime
import json
import textwrap
from typing import Any

import click

from rocmdoctor.commands._console import now
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.diagnosis.known_search import search
from rocmdoctor.knowledge import component_versions, known
from rocmdoctor.knowledge.known import Row

_WIDTH = 100


@click.command(epilog=epilog("known strix halo hang", "known --component mesa --version 26.1.2", "known --gpu gfx1151 0x83",
                             statuses="Exit status: 0, or 2 for wrong usage."))
@click.argument("words", nargs=-1)
@click.option("--component", metavar="NAME", help="Only of this component: kernel, mesa, rocm, ollama ...")
@click.option("--version", "version", metavar="VERSION", help="Only defects of this version, and those without a stated version.")
@click.option("--gpu", metavar="TARGET", help="Only of this GPU: gfx1151, rdna3 ..., and those of any GPU.")
@click.option("--json", "as_json", is_flag=True, help="The rows as JSON.")
def command(words: tuple[str, ...], component: str | None, version: str | None, gpu: str | None, as_json: bool) -> None:
    """Search the known defects: rows that hold all of WORDS.

    A version needs its component, as in `rocmdoctor known --component mesa --version 26.1.2`.
    """
    try:
        found = search(words, component, version, gpu)
    except ValueError as error:
        raise Usage(str(error)) from None
    if as_json:
        click.echo(json.dumps([_plain(row) for row in found], indent=1))
    else:
        for row in found:
            click.echo("\n".join(_shown(row)) + "\n")
    table = known.load()
    age = known.age_days(datetime.date.fromisoformat(now()[:10]))
    click.echo(f"{len(found)} of {len(table.all())} known defects; the table is of {table.as_of}, {age} days old", err=True)


def _shown(row: Row) -> list[str]:
    place = component_versions.places()[row.component]
    where = ", ".join(filter(None, (" ".join(row.gfx) or "any GPU", " ".join(row.os), " ".join(row.backend),
                                    " ".join(f"{name} {bound}" for name, bound in row.with_.items()))))
    lines = [f"{row.id}", f"  {place.title} {row.bounds or row.note or 'of no stated version'}  |  {where}  |  {', '.join(row.symptom)}"]
    lines += textwrap.wrap(row.says, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    lines += [f"  With: {row.needs}"] if row.needs else []
    lines += [f"  Good: {' or '.join(row.good)}"] if row.good else []
    lines += [f"  Fix: {fix}" for fix in row.fix]
    lines += [f"  No fix: {fix}" for fix in row.not_a_fix]
    return [*lines, f"  {row.confirmed}, read {row.read}: {row.source[0] if row.source else ''}"]


def _plain(row: Row) -> dict[str, Any]:
    return {name.rstrip("_"): getattr(row, name) for name in Row._fields}
