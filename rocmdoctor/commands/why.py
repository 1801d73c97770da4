"""One finding explained."""

from __future__ import annotations

import difflib
import pathlib

import click

from rocmdoctor.commands._console import terminal
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.knowledge import rules


@click.command(epilog=epilog("why mes-scheduler-stopped", "why tlb-fence-mes-hang-gfx115x-6-18",
                             statuses="Exit status: 0, or 2 for an id that is not known."))
@click.argument("finding_id", metavar="ID")
@click.option("--rules", "folders", multiple=True, type=click.Path(exists=True, file_okay=False), metavar="DIR", help="A further folder of rules.")
def command(finding_id: str, folders: tuple[str, ...]) -> None:
    """Explain a finding by its id: what it is, how to recognise it, what looks alike, what to do, where it is known from.

    ID is that of a rule, of a check, or of a known defect (`rocmdoctor known`).
    """
    from rocmdoctor.knowledge import explained
    from rocmdoctor.render import why

    book = rules.load(tuple(map(pathlib.Path, folders)))
    found = explained.of(finding_id, book)
    if found is None:
        near = difflib.get_close_matches(finding_id, explained.names(book), 3, 0.6)
        raise Usage(f"{finding_id}: no such finding" + (f"; did you mean {', '.join(near)}?" if near else "; `rocmdoctor rules list --grep WORDS` searches"))
    colour, width = terminal()
    click.echo(why.render(found, min(width, 100), colour), color=colour, nl=False)
