"""This machine's state, kept."""

from __future__ import annotations

import json

import click

from rocmdoctor.commands._console import Output, output, tell_problems, write
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import DONE, epilog
from rocmdoctor.compare import kept, states
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import snapshot_to_json


@click.command(epilog=epilog("snapshot --mark-good", "snapshot -o today.json", "snapshot -o - | gzip > today.json.gz", statuses=DONE))
@click.option("-o", "--out", "--output", "path", metavar="FILE", help="Write it there instead of among the kept states; - prints it.")
@click.option("--mark-good", is_flag=True, help="Mark it as good: what later states are compared with.")
@click.option("--no-kernels", is_flag=True, help="Run nothing on the GPU and import no torch (one to two seconds).")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one; goes with -o.")
@output("rule_dirs")
def command(path: str | None, mark_good: bool, no_kernels: bool, root: str, out: Output) -> None:
    """Keep the state of this machine, for `compare`. It is written as it is: `redact` takes private words out."""
    if root != "/" and (mark_good or not path):
        raise Usage("states of a recorded machine are not kept among those of this one: name a file with -o")
    snapshot, book, _ = examine((), no_kernels, root, (), out.rule_dirs)
    tell_problems(book)
    if path:
        write(path, json.dumps(snapshot_to_json(snapshot), default=str))
        click.echo(f"state written to {path}", err=True)
    if not path or mark_good:
        found = states.verdict(make_report(snapshot, book))
        raise SystemExit(0 if kept.keep(snapshot, found, mark_good, tell=True) else 2)
