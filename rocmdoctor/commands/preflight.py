"""Declared expectations, one verdict.

A gate is run before every job, so it imports the bulk of the product while the probes run, not before: hence the imports inside.
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import platform
import sys
import time
from typing import TYPE_CHECKING

import click

from rocmdoctor import __version__
from rocmdoctor.commands._formats import Usage, pair, unmixed
from rocmdoctor.commands._help import Group, epilog
from rocmdoctor.commands._progress import Progress

if TYPE_CHECKING:
    from rocmdoctor.facts.model import Finding, Snapshot
    from rocmdoctor.preflight.policy import Policy
    from rocmdoctor.preflight.verdict import Outcome, Preflight
    from rocmdoctor.scan.scanner import Scanner

FORMATS = ("text", "json", "junit", "tap", "nagios", "prometheus", "github")
# A run takes a second; two hundred that were started at once have had their turn by then.
_TURN_SECONDS = 300.0


_STATUSES = "Exit status: 0 PASS (or WARN) · 1 FAIL · 2 wrong usage or a bad policy · 3 UNKNOWN · 70 rocmdoctor itself failed."


@click.group(cls=Group, invoke_without_command=True, epilog=epilog(
    "preflight --policy mi300x-node", "preflight --policy site.yaml --level 2 --format junit=result.xml", "preflight init -o site.yaml",
    statuses=_STATUSES))
@click.option("--policy", "policy_name", metavar="FILE", help="The policy: a file, or the name of a shipped one.")
@click.option("--level", type=click.IntRange(1, 3), default=1, show_default=True,
              help="1 reads files and opens the device nodes; 2 asks drivers and torch and runs test kernels too, on idle GPUs only; "
                   "3 sweeps the memory too, then soaks.")
@click.option("--soak", metavar="TIME", help="How long level 3 watches counters and log: 90, 10m, 2h.  [default: 10m]")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one.")
@click.option("--snapshot", "snapshot_file", metavar="FILE", help="A saved snapshot instead of this machine.")
@click.option("--python", "pythons", multiple=True, metavar="PATH", help="A further Python whose torch is examined (level 2).")
@click.option("--format", "formats", multiple=True, metavar="NAME[=FILE]", help=f"{', '.join(FORMATS)}; may be given again, all but one with a FILE. "
              "Private words are taken out of all but text on standard output.  [default: text]")
@click.option("--fail-on", type=click.Choice(("error", "warning")), default="error", show_default=True, help="Exit with 1 from this on.")
@click.option("--no-redact", is_flag=True, help="Leave names, addresses and keys in what is printed or written.")
@click.pass_context
def command(context: click.Context, policy_name: str | None, level: int, soak: str | None, root: str, snapshot_file: str | None, pythons: tuple[str, ...],
            formats: tuple[str, ...], fail_on: str, no_redact: bool) -> None:
    """Provisioning: declared expectations, one verdict."""
    if context.invoked_subcommand:
        return
    wanted = unmixed([pair(each, FORMATS) for each in formats or ("text",)])
    length = _soak_length(level, soak, root, snapshot_file)
    if policy_name is None:
        from rocmdoctor.preflight.policy import shipped

        raise _usage(f"--policy FILE is needed; shipped policies: {', '.join(shipped())}; `rocmdoctor preflight init` writes one from this machine")
    began = time.monotonic()
    policy, old = _policy(policy_name)
    for line in old:
        click.echo(_printable(line), err=True)
    taken = _now()
    snapshot, findings = _facts(policy, root, snapshot_file, level, pythons, taken)
    more = _soak(policy, snapshot, length) if length else []
    node = _node(root, snapshot_file)
    gate = _gate(policy, snapshot, findings, more, level, taken, time.monotonic() - began, fail_on, node)
    gate.notes += old
    _write(gate, wanted, no_redact)
    raise SystemExit(gate.exit_status)


@command.command("lint", epilog=epilog("preflight lint site.yaml", statuses="Exit status: 0 no problem · 1 there are some · 2 wrong usage."))
@click.argument("files", nargs=-1, required=True)
def lint(files: tuple[str, ...]) -> None:
    """Explain what is wrong with policies, by file and line; 1 when anything is."""
    from rocmdoctor.preflight.policy import BadPolicy, load

    problems: list[str] = []
    for file in files:
        try:
            _, old = load(file, datetime.date.today())
            problems += old
        except BadPolicy as error:
            problems += map(str, error.args)
    for problem in problems:
        click.echo(_printable(problem))
    click.echo(f"{len(files)} {'policy' if len(files) == 1 else 'policies'}, {len(problems)} problem{'' if len(problems) == 1 else 's'}", err=True)
    raise SystemExit(1 if problems else 0)


@command.command("init", epilog=epilog("preflight init -o site.yaml", "preflight init --root recorded/ --name mi300x", statuses=
                                       "Exit status: 0 done · 2 wrong usage or a file that cannot be written · 3 no AMD GPU is here."))
@click.option("-o", "--out", metavar="FILE", help="Where to write it; standard output without.")
@click.option("--name", default="this-machine", show_default=True, help="Name of the policy.")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one.")
@click.option("--snapshot", "snapshot_file", metavar="FILE", help="A saved snapshot instead of this machine.")
def init(out: str | None, name: str, root: str, snapshot_file: str | None) -> None:
    """Write a policy from a good machine: what it has now is what is expected from now on."""
    from rocmdoctor.commands._console import write_whole
    from rocmdoctor.preflight.draft import draft
    from rocmdoctor.preflight.policy import Policy

    snapshot, _ = _facts(Policy(name, ""), root, snapshot_file, 1, (), _now())
    text = draft(snapshot.facts, name, snapshot.taken)
    if text is None:
        click.echo("no AMD GPU was found here, so there is nothing to expect: run this on a good machine", err=True)
        raise SystemExit(3)
    if out:
        write_whole(out, text)
        click.echo(_printable(f"written to {out}; `rocmdoctor preflight --policy {out}` asks it"), err=True)
    else:
        click.echo(text, nl=False)


def _usage(text: str) -> Usage:
    return Usage("\n".join(map(_printable, text.split("\n"))))


def _printable(text: object) -> str:
    """Names of files and words of policies may hold escape sequences."""
    from rocmdoctor.share.wash import wash_prose

    return wash_prose(text)


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def _policy(name: str) -> tuple[Policy, list[str]]:
    from rocmdoctor.preflight.policy import BadPolicy, load

    try:
        return load(name, datetime.date.today())
    except BadPolicy as error:
        raise _usage("\n".join(map(str, error.args)) + "\nthe policy is not used; `rocmdoctor preflight lint FILE` checks it again") from None


def _facts(policy: Policy, root: str, snapshot_file: str | None, level: int, pythons: tuple[str, ...],
           taken: str) -> tuple[Snapshot, list[Finding] | None]:
    """The facts, and the findings where the policy asks for them. Live runs take turns."""
    if snapshot_file:
        from rocmdoctor.diagnosis.examine import read

        snapshot, book, _ = read((snapshot_file,), ())
        return snapshot, _findings(policy, snapshot)
    if not pathlib.Path(root).is_dir():
        raise _usage(f"{root}: no such folder; --root takes the folder of a recorded machine")
    if root != "/":
        return _examine(policy, root, level, pythons, taken)
    from rocmdoctor.preflight.turn import place, turn

    uid = os.getuid() if hasattr(os, "getuid") else 0
    with turn(place(os.environ.get("XDG_RUNTIME_DIR"), uid), _TURN_SECONDS) as ours:
        if ours:
            return _examine(policy, root, level, pythons, taken)
    snapshot, findings = _examine(policy, root, 1, (), taken)
    snapshot.notes.append(f"another run did not end within {_TURN_SECONDS:.0f} s: drivers and torch were not asked")
    return snapshot, findings


def _examine(policy: Policy, root: str, level: int, pythons: tuple[str, ...], taken: str) -> tuple[Snapshot, list[Finding] | None]:
    from concurrent.futures import ThreadPoolExecutor

    from rocmdoctor.live.collect import find_pythons, patience
    from rocmdoctor.preflight.examination import examination
    from rocmdoctor.preflight.expectations import needs_rules

    def ready() -> Scanner:
        """What is needed after the probes, made while they run."""
        from rocmdoctor.diagnosis import report  # noqa: F401
        from rocmdoctor.knowledge import rules
        from rocmdoctor.render.gate import text  # noqa: F401
        from rocmdoctor.scan.scanner import Scanner

        book = rules.load()
        return Scanner(book.patterns(), book.plan()) if asked else Scanner(())

    if level >= 2 and root == "/":
        home = pathlib.Path(os.path.expanduser("~"))
        pythons = tuple(dict.fromkeys((*pythons, *find_pythons(os.environ, home, lambda words: click.echo(words, err=True)))))
    asked = needs_rules(each.path for each in policy.expectations)
    progress = Progress()
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(ready)
        snapshot = examination(taken, root, level, pythons, made.result, patience(), progress.probe)
    progress.clear()
    return snapshot, _findings(policy, snapshot)


def _findings(policy: Policy, snapshot: Snapshot) -> list[Finding] | None:
    from rocmdoctor.preflight.expectations import needs_rules

    if not needs_rules(each.path for each in policy.expectations):
        return None
    from rocmdoctor.commands._console import tell_problems
    from rocmdoctor.diagnosis.report import make_report
    from rocmdoctor.knowledge import rules

    book = rules.load()
    tell_problems(book)
    return make_report(snapshot, book).findings


def _soak_length(level: int, soak: str | None, root: str, snapshot_file: str | None) -> int:
    """Seconds, 0 below level 3."""
    from rocmdoctor.preflight.soak import seconds

    if level < 3:
        if soak:
            raise _usage("--soak goes with --level 3")
        return 0
    if root != "/" or snapshot_file:
        raise _usage("--level 3 watches this machine; a recorded one does not change")
    try:
        return seconds(soak or "10m")
    except ValueError as error:
        raise _usage(f"--soak: {error}") from None


def _soak(policy: Policy, snapshot: Snapshot, length: int) -> list[Outcome]:
    from rocmdoctor.preflight.soak import Clock, soak

    def told(gone: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"\r\033[K  soak: {gone} of {length} s", err=True, nl=False)

    def look() -> Snapshot:
        return _examine(policy, "/", 1, (), _now())[0]
    return soak(snapshot, look, length, Clock(time.monotonic, time.sleep), told)


def _gate(policy: Policy, snapshot: Snapshot, findings: list[Finding] | None, more: list[Outcome], level: int, taken: str, seconds: float,
          fail_on: str, node: str) -> Preflight:
    from rocmdoctor.preflight import verdict
    from rocmdoctor.preflight.gate import judge

    outcomes = [*judge(policy, snapshot, findings, level, datetime.date.today()), *more]
    answer = verdict.overall(outcomes)
    return verdict.Preflight(
        __version__, node, policy.name, _seen_from_here(policy.file), level, answer,
        verdict.exit_status(answer, fail_on == "warning"),
        verdict.gravest(outcomes), verdict.fault(outcomes), outcomes, list(snapshot.notes), round(seconds, 3), taken,
        [verdict.FoundFinding(f.id, f.severity, f.standing, f.title) for f in findings or ()], list(snapshot.runs), snapshot)


def _node(root: str, snapshot_file: str | None) -> str:
    """Whose facts these are: this host, the node that a saved report or the /etc/hostname of a tree names, or what the file or the
    folder is called."""
    if snapshot_file == "-":
        return "standard input"
    if snapshot_file:
        file = pathlib.Path(snapshot_file)
        return _named_inside(file) or file.absolute().name.removesuffix(".gz").removesuffix(".json") or "a snapshot"
    if root != "/":
        place = pathlib.Path(root).resolve()
        return _hostname(place / "etc/hostname") or place.name or "a recorded machine"
    return platform.node() or "this machine"


def _hostname(file: pathlib.Path) -> str:
    """The first word of the file that is no comment; "" where there is none. A link may lead out of the tree, to this host's."""
    try:
        if file.is_symlink() or not file.is_file() or not file.resolve().is_relative_to(file.parents[1].resolve()):
            return ""
        with open(file, encoding="utf-8", errors="replace") as opened:
            lines = opened.read(1024).splitlines()
    except OSError:
        return ""
    return next((words[0] for line in lines if (words := line.split()) and not line.startswith("#")), "")[:200]


def _named_inside(file: pathlib.Path) -> str:
    """The node of a saved report, "" where the file holds none: a bare snapshot does not know its host."""
    from rocmdoctor.texts import door, files

    try:
        node = door.json_value(files.whole(file, door.MOST_BYTES)).get("node")
    except (OSError, RuntimeError, ValueError, AttributeError):
        return ""
    return node[:200] if isinstance(node, str) else ""


def _seen_from_here(file: str) -> str:
    """Relative where it lies below the working folder: annotations name files of the checkout like that."""
    try:
        return str(pathlib.Path(file).absolute().relative_to(pathlib.Path.cwd()))
    except (ValueError, OSError):
        return file


def _rendered(gate: Preflight, name: str, no_redact: bool, to_file: bool) -> str:
    import importlib

    from rocmdoctor.commands._console import redactor, terminal
    from rocmdoctor.preflight.verdict import redacted, to_json

    if name == "text" and not to_file:  # whoever typed the command is to see what is meant
        from rocmdoctor.render.gate import text as plain

        colour, width = terminal()
        return plain.render(gate, width, colour)
    shared = redacted(gate, redactor(no_redact), name == "json")
    if name == "text":
        from rocmdoctor.render.gate import text as plain

        return plain.render(shared, 100, False)
    if name == "json":
        return json.dumps(to_json(shared), indent=1, ensure_ascii=True, default=str, allow_nan=False) + "\n"
    text: str = importlib.import_module(f"rocmdoctor.render.gate.{name}").render(shared)
    return text


def _write(gate: Preflight, formats: list[tuple[str, str]], no_redact: bool) -> None:
    """Everything asked for. What cannot be written is said, and then a pass is not certain any more: status 3."""
    from rocmdoctor.commands._console import terminal, write_whole

    for name, file in sorted(formats, key=lambda pair: not pair[1]):
        text = _rendered(gate, name, no_redact, bool(file))
        try:
            if file:
                write_whole(file, text)
            else:
                click.echo(text, nl=False, color=name == "text" and terminal()[0])
                sys.stdout.flush()
        except BrokenPipeError:
            raise
        except (Usage, OSError) as error:
            reason = error.message if isinstance(error, Usage) else f"standard output: cannot be written ({error.strerror})"
            click.echo(_printable(f"{reason}; the verdict was {gate.verdict}"), err=True)
            gate.exit_status = gate.exit_status or 3
            if not file:  # the interpreter would try again to write what is left in the buffer, and fail as it ends
                os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
