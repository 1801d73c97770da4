"""The known defects, to search."""

from __future__ import annotations

import datetime
import json
from typing import Any

import click

from rocmdoctor.commands._console import now, terminal, write
from rocmdoctor.commands._formats import Usage, pair, unmixed
from rocmdoctor.commands._help import epilog
from rocmdoctor.diagnosis.known_search import search
from rocmdoctor.knowledge import known
from rocmdoctor.knowledge.known import Row

FORMATS = ("text", "full", "json")


@click.command(epilog=epilog("known strix halo hang", "known --component mesa --version 26.1.2", "known --gpu gfx1151 0x83",
                             "known hang --format json=rows.json",
                             statuses="Exit status: 0, or 2 for wrong usage."))
@click.argument("words", nargs=-1)
@click.option("--component", metavar="NAME", help="Only of this component: kernel, mesa, rocm, ollama ...")
@click.option("--version", "version", metavar="VERSION", help="Only defects of this version, and those without a stated version.")
@click.option("--gpu", metavar="TARGET", help="Only of this GPU: gfx1151, rdna3 ..., and those of any GPU.")
@click.option("-v", "--verbose", is_flag=True, help="Every row, with all that is on record of it.")
@click.option("--format", "formats", multiple=True, metavar="NAME[=FILE]",
              help=f"{', '.join(FORMATS)}; may be given again, all but one with a FILE.  [default: text]")
@click.option("--json", "as_json", is_flag=True, help="The rows as JSON.")
def command(words: tuple[str, ...], component: str | None, version: str | None, gpu: str | None, verbose: bool, formats: tuple[str, ...],
            as_json: bool) -> None:
    """Search the known defects: rows that hold all of WORDS.

    A version needs its component, as in `rocmdoctor known --component mesa --version 26.1.2`.
    """
    wanted = unmixed([pair(each, FORMATS) for each in formats] + [("json", "")] * as_json + [("full", "")] * verbose) or [("text", "")]
    try:
        found = search(words, component, version, gpu)
    except ValueError as error:
        raise Usage(str(error)) from None
    for name, file in wanted:
        text = _rendered(found, name, bool(file))
        if file:
            write(file, text)
            click.echo(f"rows written to {file}", err=True)
        else:
            click.echo(text, nl=False, color=terminal()[0])
    table = known.load()
    age = known.age_days(datetime.date.fromisoformat(now()[:10]))
    click.echo(f"{len(found)} of {len(table.all())} known defects; the table is of {table.as_of}, {age} days old", err=True)


def _rendered(found: list[Row], name: str, to_file: bool) -> str:
    if name == "json":
        return json.dumps([_plain(row) for row in found], indent=1) + "\n"
    from rocmdoctor.render import known as words

    colour, width = terminal()
    return words.render(found, width, colour and not to_file, full=name == "full")


def _plain(row: Row) -> dict[str, Any]:
    return {name.rstrip("_"): getattr(row, name) for name in Row._fields}
