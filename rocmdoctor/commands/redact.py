"""Files without what is private."""

from __future__ import annotations

import pathlib

import click

from rocmdoctor.commands._console import DONE, Usage, attached, epilog, redactor, write
from rocmdoctor.share.redact import redacted_files


@click.command(epilog=epilog("redact dmesg.txt > clean.txt", "redact -o clean/ logs/ bundle.tar.gz", statuses=DONE))
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", metavar="DIR", help="Write each file there under its own name; needed for more than one.")
def command(paths: tuple[str, ...], out: str | None) -> None:
    """Take names, addresses and keys out of files: logs, saved snapshots, bundles, folders; - is standard input."""
    found = attached(paths)
    private = redactor(False)
    files = redacted_files(found, private)
    if out is None and len(files) > 1:
        raise Usage(f"{len(files)} files: name a folder for them with -o")
    for name, text in files.items():
        if out is None:
            click.echo(text, nl=False)
            continue
        parts = [part for part in pathlib.PurePosixPath(name).parts if part not in ("/", "..")]
        place = pathlib.Path(out, *parts)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError:  # a text and the texts in it: "a.json", "a.json/part"
            place = pathlib.Path(out, "-".join(parts))
        write(str(place / "text" if place.is_dir() else place), text)
    for entry in private.removed:
        click.echo(f"{entry.token:14} {entry.count:6} times  {', '.join(entry.where)}", err=True)
