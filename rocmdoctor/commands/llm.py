"""A running language model server."""

from __future__ import annotations

import pathlib
import sys

import click

from rocmdoctor.commands._console import Output, output, redacted, redactor, show, tell_problems, write
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.commands._server import say, server_address
from rocmdoctor.diagnosis.outcome import status
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Report, Snapshot
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.llm import examination
from rocmdoctor.llm.client import is_local


@click.command(epilog=epilog("llm", "llm http://127.0.0.1:8080", "llm --loads 5 --log server.log"))
@click.argument("url", required=False)
@click.option("--model", default="", metavar="NAME", help="The model to ask.  [default: the one that is loaded]")
@click.option("--cpu", "cpu_url", metavar="URL", help="A second server with the same model on the CPU: decides between backend and model.")
@click.option("--loads", type=click.IntRange(1, 50), metavar="N", help="Also load and unload the model N times and look for memory that stays in use.")
@click.option("--log", "logs", multiple=True, metavar="FILE", help="The server's log, where it is not found by itself.")
@click.option("--root", default="/", metavar="DIR", help="Read the machine's /proc and /sys below this folder.")
@click.option("--deadline", type=click.FloatRange(1, 3600), default=180, show_default=True, metavar="SECONDS", help="When to stop at the latest.")
@output()
def command(url: str | None, model: str, cpu_url: str | None, loads: int | None, logs: tuple[str, ...], root: str, deadline: float,
            out: Output) -> None:
    """Ask a running server: is it right, on the GPU, and as fast as it should be?

    Without URL the usual ports of this machine are tried. Nothing is sent anywhere else. A key is taken from ROCMDOCTOR_API_KEY and sent to
    URL only.
    """
    given = [server_address(url)] if url else []
    other = server_address(cpu_url) if cpu_url else None
    if not pathlib.Path(root).is_dir():
        raise Usage(f"{root}: no such folder; --root takes the folder of a recorded machine")
    found, failures = examination.ask(given or examination.usual(), bool(given), model, say, other, loads, root, deadline)
    if not found:
        click.echo("; ".join(failures) if given else f"no server listens on the usual ports of this machine ({examination.ports()}); give its URL", err=True)
        raise SystemExit(3)
    for line in failures if given else []:
        click.echo(line, err=True)
    snapshot, book = examination.judged(found, logs, root, out.rule_dirs)
    _finish(snapshot, book, out, tuple(host for _, host, _ in [*given, *filter(None, [other])] if not is_local(host)))


def _finish(snapshot: Snapshot, book: Rulebook, out: Output, hosts: tuple[str, ...]) -> None:
    import json

    from rocmdoctor.facts.model import snapshot_to_json

    tell_problems(book)
    if out.save:
        write(out.save, json.dumps(snapshot_to_json(snapshot), default=str))
    report = redacted(snapshot, book, redactor(out.no_redact, hosts)) if out.shared else make_report(snapshot, book)
    if sys.stderr.isatty():
        click.echo(err=True)
    ended = _llm_status(report, out.fail_on)
    show(report, out, ended)
    raise SystemExit(ended)


def _llm_status(report: Report, fail_on: str) -> int:
    """As of `check`, but undecided only where a server could not be judged."""
    found = status(report, fail_on)
    if found == 1:
        return 1
    return 0 if report.llm and all(server.verdict in ("right", "weak", "garbage", "empty") for server in report.llm) else 3
