"""This machine's state, kept."""

from __future__ import annotations

import json

import click

from rocmdoctor.commands._console import DONE, Output, epilog, output, tell_problems, write
from rocmdoctor.compare import states
from rocmdoctor.diagnosis.examine import examine, keep_state
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import snapshot_to_json


@click.command(epilog=epilog("snapshot --mark-good", "snapshot -o today.json", statuses=DONE))
@click.option("-o", "--output", "path", metavar="FILE", help="Write it there instead of among the kept states.")
@click.option("--mark-good", is_flag=True, help="Mark it as good: what later states are compared with.")
@click.option("--no-kernels", is_flag=True, help="Run nothing on the GPU and import no torch (one to two seconds).")
@output("rule_dirs")
def command(path: str | None, mark_good: bool, no_kernels: bool, out: Output) -> None:
    """Keep the state of this machine, for `compare`. It is written as it is: `redact` takes private words out."""
    snapshot, book, _ = examine((), no_kernels, "/", (), out.rule_dirs)
    tell_problems(book)
    if path:
        write(path, json.dumps(snapshot_to_json(snapshot), default=str))
        click.echo(f"state written to {path}", err=True)
    if not path or mark_good:
        found = states.verdict(make_report(snapshot, book))
        raise SystemExit(0 if keep_state(snapshot, found, mark_good, tell=True) else 2)
