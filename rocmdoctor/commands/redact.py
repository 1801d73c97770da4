"""Files without what is private."""

from __future__ import annotations

import os
import pathlib

import click

from rocmdoctor.commands._console import attached, redactor, write
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import DONE, epilog
from rocmdoctor.share.redact import redacted_files
from rocmdoctor.share.wash import wash

LONGEST = 200  # bytes of a name; most file systems take 255


def _short(name: str) -> str:
    """A name that a file system takes: the end of a long one."""
    raw = name.encode("utf-8", "replace")
    return name if len(raw) <= LONGEST else raw[-LONGEST:].decode("utf-8", "ignore")


def _place(out: str, name: str, taken: set[pathlib.Path]) -> pathlib.Path:
    """Where a file of this name is written below ``out``; no two at one place."""
    parts = [_short(part) for part in pathlib.PurePosixPath(name).parts if part not in ("/", "..")]
    place = pathlib.Path(out, *parts)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError:  # a text and the texts in it: "a.json", "a.json/part"; or a path longer than any may be
        place = pathlib.Path(out, _short("-".join(parts)))
    place = place / "text" if os.path.isdir(place) else place
    number = 1
    while place in taken:  # "../a.log" beside "a.log"
        number += 1
        place = place.with_name(f"{number}-{_short(place.name)}" if number == 2 else f"{number}-{place.name.partition('-')[2]}")
    taken.add(place)
    return place


@click.command(epilog=epilog("redact dmesg.txt > clean.txt", "redact -o clean/ logs/ bundle.tar.gz", statuses=DONE))
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", metavar="DIR", help="Write each file there under its own name; needed for more than one.")
def command(paths: tuple[str, ...], out: str | None) -> None:
    """Take names, addresses and keys out of files: logs, saved snapshots, bundles, folders; - is standard input."""
    found = attached(paths)
    private = redactor(False)
    told = len(found.problems)
    files = redacted_files(found, private)
    for problem in found.problems[told:]:
        click.echo(wash(problem, 1000), err=True)
    taken: set[pathlib.Path] = set()
    if out is None and len(files) > 1:
        raise Usage(f"{len(files)} files: name a folder for them with -o")
    for name, text in files.items():
        if out is None:
            click.echo(text, nl=False)
            continue
        write(str(_place(out, name, taken)), text)
    for entry in private.removed:
        click.echo(f"{entry.token:14} {entry.count:6} times  {', '.join(entry.where)}", err=True)
