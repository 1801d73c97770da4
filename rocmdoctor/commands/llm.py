"""A running language model server."""

from __future__ import annotations

import os
import pathlib
import sys

import click

from rocmdoctor.commands._console import Output, attached, now, output, redacted, redactor, show, tell_problems, write
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.commands._server import say, server_address, server_key
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.diagnosis.outcome import status
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Report, Snapshot
from rocmdoctor.knowledge import rules, tables
from rocmdoctor.llm import check as checks
from rocmdoctor.llm import serverlog
from rocmdoctor.llm.client import Client, Failed, address, is_local
from rocmdoctor.llm.servers import all_servers
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.share.wash import wash
from rocmdoctor.texts import attach, interpret


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
    found, failures = _ask(given or _usual(), bool(given), model, other, loads, root, deadline)
    if not found:
        click.echo("; ".join(failures) if given else f"no server listens on the usual ports of this machine ({_ports()}); give its URL", err=True)
        raise SystemExit(3)
    for line in failures if given else []:
        click.echo(line, err=True)
    snapshot, book = _machine(found, logs, root, out.rule_dirs)
    for check in found:
        checks.ceilings(check, snapshot.facts, os.cpu_count() or 1)
        snapshot.facts.update(check.facts)
        snapshot.notes += check.notes
    _finish(snapshot, book, out, tuple(host for _, host, _ in [*given, *filter(None, [other])] if not is_local(host)))


def _usual() -> list[tuple[str, str, int]]:
    return [address(f"127.0.0.1:{row['port']}") for row in tables.load("llm_ports")["ports"]]


def _ports() -> str:
    return ", ".join(f"{row['port']} {row['server']}" for row in tables.load("llm_ports")["ports"])


def _ask(places: list[tuple[str, str, int]], meant: bool, model: str, other: tuple[str, str, int] | None, loads: int | None, root: str,
         deadline: float) -> tuple[list[checks.Check], list[str]]:
    """Every server that answers, examined; and one line for each that fails. Without a URL silence is no failure."""
    found, failures = [], []
    all_servers()  # imported before any deadline runs
    key = server_key(places[0]) if meant else ""
    for base, host, port in places:
        client = Client(base, is_local(host), key, per_call=min(5.0, deadline), total=deadline)
        label = f"{host}:{port}"
        try:
            module = checks.recognise(client)
            check = checks.Check(client, label, port, pathlib.Path(root), module, checks.choose_model(client, module, model), told=say)
            checks.run(check)
            if other:
                _compare(check, other, deadline)
            if loads:
                checks.leak(check, loads)
            found.append(check)
        except Failed as failed:
            failures.append(wash(f"{label}: {failed}"))
        finally:
            client.close()
    return found, failures


def _compare(check: checks.Check, other: tuple[str, str, int], deadline: float) -> None:
    client = Client(other[0], is_local(other[1]), total=deadline)
    try:
        checks.compare_with_cpu(check, client)
    except Failed as failed:
        check.notes.append(f"{other[1]}:{other[2]}: {failed}")
    finally:
        client.close()


def _machine(found: list[checks.Check], logs: tuple[str, ...], root: str, rule_dirs: tuple[str, ...]) -> tuple[Snapshot, rules.Rulebook]:
    """This machine and the servers' logs; of a server elsewhere only the logs that were given: this machine has no part in it."""
    here = [check for check in found if check.client.local]
    if not here:
        book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
        snapshot = Snapshot(now(), "live")
        read = attached(logs)
        snapshot.notes += read.problems
        interpret.fill(snapshot, read.texts, Scanner(book.patterns()))
        return snapshot, book

    def texts() -> list[attach.Text]:
        if root != "/":
            return []
        return [attach.Text(name, attach.clean(text)) for check in here
                for name, text in serverlog.read(pathlib.Path(root), check.pids, str(getattr(check.module, "LOG_UNIT", "")))]

    snapshot, book, _ = examine(logs, True, root, (), rule_dirs, texts)
    return snapshot, book


def _finish(snapshot: Snapshot, book: rules.Rulebook, out: Output, hosts: tuple[str, ...]) -> None:
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
