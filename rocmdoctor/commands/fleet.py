"""Many machines."""

from __future__ import annotations

import json
import sys

import click

from rocmdoctor.commands._console import Usage, epilog, redactor, terminal, write_whole
from rocmdoctor.share.wash import wash

_PATH = 1000


@click.command(epilog=epilog("fleet reports/", "fleet reports/ --html fleet.html", "fleet - --csv - < all.json", statuses=""))
@click.argument("paths", nargs=-1, required=True)
@click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
@click.option("--html", "html_file", metavar="FILE", help="Write the answer as one HTML file.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write one line per difference, finding and failed expectation; - prints it.")
@click.option("--no-redact", is_flag=True, help="Leave users, addresses and keys in JSON, HTML and CSV.")
def command(paths: tuple[str, ...], as_json: bool, html_file: str | None, csv_file: str | None, no_redact: bool) -> None:
    """Merge the JSON of many machines into one answer: who differs, and how.

    PATHS are reports (of `preflight --format json` or `check --json`), folders of them, or - for a stream of them.
    What JSON, HTML and CSV say of a node is redacted; the nodes' names stay.

    Exit status: 0 all equal and passed · 1 some differ or fail · 2 wrong usage · 3 nothing differs, but reports could not
    be read or were too few to compare · 70 rocmdoctor itself failed.
    """
    from rocmdoctor.fleet import answer
    from rocmdoctor.fleet.merge import Merge
    from rocmdoctor.fleet.reports import walk
    from rocmdoctor.fleet.shared import redacted

    if as_json and csv_file == "-":
        raise Usage("--json and --csv - would mix on standard output: give the CSV a file")
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
    if as_json or html_file or csv_file:
        fleet = redacted(fleet, redactor(no_redact))
    if html_file:
        from rocmdoctor.render.fleet import html

        write_whole(html_file, html.render(fleet))
        click.echo(f"report written to {html_file}", err=True)
    if csv_file:
        from rocmdoctor.render.fleet import csv_table

        text = csv_table.render(fleet)
        if csv_file == "-":
            click.echo(text, nl=False)
        else:
            write_whole(csv_file, text)
            click.echo(f"table written to {csv_file}", err=True)
    if as_json:
        click.echo(json.dumps(answer.to_json(fleet), indent=1, ensure_ascii=True, allow_nan=False))
    elif not html_file and not csv_file:
        from rocmdoctor.render.fleet import text as plain

        colour, width = terminal()
        click.echo(plain.render(fleet, width, colour), nl=False, color=colour)
    raise SystemExit(answer.exit_status(fleet))
