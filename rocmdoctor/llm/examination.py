"""The servers of an address, or of the usual ports, asked and judged together with the machine they run on."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Callable

from rocmdoctor.commands._console import attached, now
from rocmdoctor.commands._progress import Progress
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import rules, tables
from rocmdoctor.llm import check as checks
from rocmdoctor.llm import serverlog
from rocmdoctor.llm.client import Client, Failed, address, is_local, key_for
from rocmdoctor.llm.servers import all_servers
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.share.wash import wash
from rocmdoctor.texts import attach, interpret


def usual() -> list[tuple[str, str, int]]:
    """The addresses on this machine at which servers usually listen."""
    return [address(f"127.0.0.1:{row['port']}") for row in tables.load("llm_ports")["ports"]]


def ports() -> str:
    """The same in words."""
    return ", ".join(f"{row['port']} {row['server']}" for row in tables.load("llm_ports")["ports"])


def ask(places: list[tuple[str, str, int]], meant: bool, model: str, told: Callable[[str], None], other: tuple[str, str, int] | None = None,
        loads: int | None = None, root: str = "/", deadline: float = 180.0) -> tuple[list[checks.Check], list[str]]:
    """Every server that answers, examined; and one line for each that fails. ``told`` hears what is being done.

    ``meant``: somebody named the place, so that its key is sent there. ``other`` has the same model on the CPU, ``loads`` is how often to load it.
    """
    found, failures = [], []
    all_servers()  # imported before any deadline runs
    key = key_for(places[0], told) if meant else ""
    for base, host, port in places:
        client = Client(base, is_local(host), key, per_call=min(5.0, deadline), total=deadline)
        label = f"{host}:{port}"
        try:
            module = checks.recognise(client)
            check = checks.Check(client, label, port, pathlib.Path(root), module, checks.choose_model(client, module, model), told=told)
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


def judged(found: list[checks.Check], logs: tuple[str, ...], root: str = "/", rule_dirs: tuple[str, ...] = (),
           progress: Progress | None = None) -> tuple[Snapshot, rules.Rulebook]:
    """The machine with what its servers did, and how fast they could be; and the rules."""
    snapshot, book = _machine(found, logs, root, rule_dirs, progress)
    for check in found:
        checks.ceilings(check, snapshot.facts, os.cpu_count() or 1)
        snapshot.facts.update(check.facts)
        snapshot.notes += check.notes
    return snapshot, book


def _machine(found: list[checks.Check], logs: tuple[str, ...], root: str, rule_dirs: tuple[str, ...],
             progress: Progress | None) -> tuple[Snapshot, rules.Rulebook]:
    """This machine and the servers' logs; of a server elsewhere only the logs that were given: this machine has no part in it."""
    here = [check for check in found if check.client.local]
    if not here:
        book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
        snapshot = Snapshot(now(), "live")
        read = attached(logs)
        snapshot.notes += read.problems
        interpret.fill(snapshot, read.texts, Scanner(book.patterns(), book.plan()))
        return snapshot, book

    def texts() -> list[attach.Text]:
        if root != "/":
            return []
        return [attach.Text(name, attach.clean(text)) for check in here
                for name, text in serverlog.read(pathlib.Path(root), check.pids, str(getattr(check.module, "LOG_UNIT", "")))]

    snapshot, book, _ = examine(logs, True, root, (), rule_dirs, texts, progress=progress)
    return snapshot, book
