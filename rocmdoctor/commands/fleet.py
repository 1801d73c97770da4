"""Many machines."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from rocmdoctor.commands._console import redactor, terminal, write_whole
from rocmdoctor.commands._formats import Usage, pair, unmixed
from rocmdoctor.commands._help import epilog
from rocmdoctor.share.wash import wash

if TYPE_CHECKING:
    from rocmdoctor.fleet.answer import Fleet

_PATH = 1000
FORMATS = ("text", "json", "html", "csv")
_STATUSES = """Exit status: 0 all equal and passed · 1 some differ or fail · 2 wrong usage · 3 nothing differs, but reports could not be read or were
too few to compare · 70 rocmdoctor itself failed."""


@click.command(epilog=epilog("fleet reports/", "fleet reports/ --html fleet.html", "fleet - --format csv < all.json", statuses=_STATUSES))
@click.argument("paths", nargs=-1, required=True)
@click.option("--format", "formats", multiple=True, metavar="NAME[=FILE]",
              help=f"{', '.join(FORMATS)}; may be given again, all but one with a FILE.  [default: text]")
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--html", "html_file", metavar="FILE", help="Write the answer as one HTML file; - prints it.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write one line per difference, finding and failed expectation; - prints it.")
@click.option("--no-redact", is_flag=True, help="Leave users, addresses and keys in JSON, HTML and CSV.")
def command(paths: tuple[str, ...], formats: tuple[str, ...], as_json: bool, html_file: str | None, csv_file: str | None, no_redact: bool) -> None:
    """Merge the JSON of many machines into one answer: who differs, and how.

    PATHS are reports (of `preflight --format json` or `check --json`), folders of them, or - for a stream of them.
    What JSON, HTML and CSV say of a node is redacted; the nodes' names stay.
    """
    from rocmdoctor.fleet import answer
    from rocmdoctor.fleet.merge import Merge
    from rocmdoctor.fleet.reports import walk
    from rocmdoctor.fleet.shared import redacted

    files = [("html", html_file), ("csv", csv_file)]
    wanted = [pair(each, FORMATS) for each in formats] + [("json", "")] * as_json + [(name, "" if file == "-" else file) for name, file in files if file]
    wanted = unmixed(wanted) or [("text", "")]
    merge = Merge()
    try:
        for report in walk(paths, sys.stdin.buffer):
            merge.add(report)
    except FileNotFoundError as error:
        raise Usage(f"{wash(error.args[0], _PATH)}: no such file or folder") from None
    fleet = merge.answer()
    for line in fleet.broken[:20]:
        click.echo(wash(line, _PATH), err=True)
    if len(fleet.broken) > 20:
        click.echo(f"... and {len(fleet.broken) - 20} more reports that could not be read", err=True)
    shared = redacted(fleet, redactor(no_redact)) if wanted != [("text", "")] else fleet
    for name, file in wanted:
        if file:
            write_whole(file, _rendered(shared, name, True))
            click.echo(f"{'table' if name == 'csv' else 'report'} written to {file}", err=True)
        else:
            click.echo(_rendered(fleet if name == "text" else shared, name), nl=False, color=terminal()[0])
    raise SystemExit(answer.exit_status(fleet))


def _rendered(fleet: Fleet, name: str, to_file: bool = False) -> str:
    """The answer in one form, as it ends on a terminal or in a file."""
    if name == "json":
        from rocmdoctor.fleet.answer import to_json

        return json.dumps(to_json(fleet), indent=1, ensure_ascii=True, allow_nan=False) + "\n"
    if name == "html":
        from rocmdoctor.render.fleet import html

        return html.render(fleet)
    if name == "csv":
        from rocmdoctor.render.fleet import csv_table

        return csv_table.render(fleet)
    from rocmdoctor.render.fleet import text

    colour, width = terminal()
    return text.render(fleet, width, colour and not to_file)
