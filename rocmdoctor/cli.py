"""The commands. The only module that prints, reads the clock and the environment, or exits."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

from rocmdoctor import __version__, attach, interpret, rules, tables
from rocmdoctor.memory.need import Setting
from rocmdoctor.memory.picture import Asked
from rocmdoctor.model import SEVERITIES, Report, Snapshot, report_to_json, snapshot_from_json, snapshot_to_json
from rocmdoctor.report import MEMORY, make_report
from rocmdoctor.scan import Scanner

KV_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


class _Usage(click.ClickException):
    """Something the caller can put right: one line, status 2."""

    exit_code = 2


def _write(path: str, text: str) -> None:
    try:
        pathlib.Path(path).write_text(text, "utf-8", errors="replace")
    except OSError as error:
        raise _Usage(f"{path}: cannot be written ({error.strerror})") from None


def _show(report: Report, as_json: bool, markdown: bool, html_file: str | None) -> None:
    if html_file:
        from rocmdoctor.render import html

        _write(html_file, html.render(report))
        click.echo(f"report written to {html_file}", err=True)
    if as_json:
        click.echo(json.dumps(report_to_json(report), indent=1, ensure_ascii=True, default=str))
    elif markdown:
        from rocmdoctor.render import markdown as comment

        click.echo(comment.render(report))
    elif not html_file:
        from rocmdoctor.render import terminal

        colour, width = _terminal()
        click.echo(terminal.render(report, width, colour), color=colour, nl=False)


def _terminal() -> tuple[bool, int]:
    """Whether to colour, and how wide the terminal is."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR"), shutil.get_terminal_size((100, 24)).columns


def _status(report: Report, fail_on: str) -> int:
    bar = SEVERITIES.index(fail_on)
    if any(SEVERITIES.index(f.severity) <= bar and f.id != "no-amd-gpu" for f in report.findings):
        return 1
    return 3 if report.verdict == "unknown" else 0


def _output(command: Any) -> Any:
    options = [
        click.option("--json", "as_json", is_flag=True, help="Print the report as JSON."),
        click.option("--markdown", is_flag=True, help="Print the report as Markdown for a ticket."),
        click.option("--html", "html_file", metavar="FILE", help="Write the report as one HTML file."),
        click.option("--fail-on", type=click.Choice(SEVERITIES), default="error", show_default=True,
                     help="Exit with 1 from this severity on."),
        click.option("--rules", "rule_dirs", multiple=True, type=click.Path(exists=True, file_okay=False),
                     help="A further folder of rules."),
        click.option("--save", metavar="FILE", help="Keep the snapshot; `explain FILE` reads it."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _finish(snapshot: Snapshot, book: rules.Rulebook, as_json: bool, markdown: bool, html_file: str | None,
            fail_on: str, save: str | None) -> None:
    report = make_report(snapshot, book)
    for problem in book.problems:
        click.echo(f"rule left out: {problem}", err=True)
    if save:
        _write(save, json.dumps(snapshot_to_json(snapshot), default=str))
    _show(report, as_json, markdown, html_file)
    raise SystemExit(_status(report, fail_on))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__)
def cli() -> None:
    """What is wrong with this AMD GPU setup, and what to do first."""


@cli.command()
@click.option("--log", "logs", multiple=True, metavar="FILE", help="A log to read along (an application's, say).")
@click.option("--no-kernels", is_flag=True, help="Run nothing on the GPU and import no torch (under a second).")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one.")
@click.option("--python", "pythons", multiple=True, metavar="PATH", help="A further Python whose torch is examined.")
@_output
def check(logs: tuple[str, ...], no_kernels: bool, root: str, pythons: tuple[str, ...], as_json: bool, markdown: bool,
          html_file: str | None, fail_on: str, rule_dirs: tuple[str, ...], save: str | None) -> None:
    """Examine this machine."""
    if not no_kernels and root == "/":
        from rocmdoctor.collect import find_pythons

        pythons = tuple(dict.fromkeys((*pythons, *find_pythons(os.environ, pathlib.Path(os.path.expanduser("~"))))))
    snapshot, book = _examine(root, rule_dirs, logs, pythons)
    _finish(snapshot, book, as_json, markdown, html_file, fail_on, save)


def _examine(root: str, rule_dirs: tuple[str, ...], logs: tuple[str, ...] = (),
             pythons: tuple[str, ...] = ()) -> tuple[Snapshot, rules.Rulebook]:
    """This machine or a recorded one, with logs read along."""
    from rocmdoctor.collect import collect

    if not pathlib.Path(root).is_dir():
        raise _Usage(f"{root}: no such folder; --root takes the folder of a recorded machine")
    progress = (lambda name, state: click.echo(f"\r\033[K  {name} ...", err=True, nl=False)) if sys.stderr.isatty() else None
    with ThreadPoolExecutor(1) as pool:  # the rules are made ready while the probes run
        collecting = pool.submit(collect, _now(), root=str(pathlib.Path(root).resolve()), pythons=pythons, progress=progress)
        book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
        scanner = Scanner(book.rules.values())
        snapshot, lines = collecting.result()
    if progress:
        click.echo("\r\033[K", err=True, nl=False)
    attached = _attached(logs)  # held until the texts are read: big streams lie in its temporary folder
    snapshot.notes += attached.problems
    texts = [attach.Text(name, attach.clean(text)) for name, text in lines]
    interpret.fill(snapshot, texts + attached.texts, scanner)
    return snapshot, book


def _attached(paths: tuple[str, ...]) -> attach.Attached:
    try:
        found = attach.gather(list(paths), sys.stdin.buffer)
    except FileNotFoundError as error:
        raise _Usage(f"{error.args[0]}: no such file or folder") from None
    for problem in found.problems:
        click.echo(problem, err=True)
    return found


@cli.command()
@click.argument("paths", nargs=-1, required=True)
@_output
def explain(paths: tuple[str, ...], as_json: bool, markdown: bool, html_file: str | None, fail_on: str,
            rule_dirs: tuple[str, ...], save: str | None) -> None:
    """Read somebody's files: logs, dumps, reports, folders, archives, saved snapshots; - is standard input."""
    snapshot, book = _read(paths, rule_dirs)
    _finish(snapshot, book, as_json, markdown, html_file, fail_on, save)


def _read(paths: tuple[str, ...], rule_dirs: tuple[str, ...]) -> tuple[Snapshot, rules.Rulebook]:
    """What the files say."""
    book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
    found = _attached(paths)
    snapshot = Snapshot(_now(), "read")
    for data in found.snapshots:
        try:
            saved = snapshot_from_json(data)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            click.echo(f"a saved report that this version cannot read: {error}", err=True)
            continue
        snapshot = saved
    if found.trees and not found.snapshots:
        from rocmdoctor.collect import collect

        snapshot, _ = collect(_now(), root=str(found.trees[0].resolve()))
        snapshot.origin = "read"
    snapshot.notes += found.problems
    interpret.fill(snapshot, found.texts, Scanner(book.rules.values()))
    return snapshot, book


@cli.command()
@click.argument("paths", nargs=-1)
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one.")
@click.option("--snapshot", metavar="FILE", help="A saved snapshot instead of this machine.")
@click.option("--model", "models", multiple=True, metavar="FILE", help="A GGUF model (needs the extra rocmdoctor[gguf]); any part of a split one.")
@click.option("--model-size", "sizes", multiple=True, metavar="SIZE", help="A model by the size of its file: 26.8GB, 25GiB.")
@click.option("--image", is_flag=True, help="The models of --model-size make images or videos: no KV cache.")
@click.option("--context", type=click.IntRange(1, 1 << 27), metavar="N", help="Tokens of all sequences together.  [default: 8192]")
@click.option("--kv-type", type=click.Choice(KV_TYPES), default="f16", show_default=True, help="Type of the KV cache.")
@click.option("--parallel", type=click.IntRange(1, 256), default=1, show_default=True, help="Sequences at a time.")
@click.option("--no-mmap", is_flag=True, help="The model is loaded without memory mapping.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@click.option("--html", "html_file", metavar="FILE", help="Write the report as one HTML file.")
@click.option("--fail-on", type=click.Choice(SEVERITIES), default="error", show_default=True, help="Exit with 1 from this severity on.")
@click.option("--rules", "rule_dirs", multiple=True, type=click.Path(exists=True, file_okay=False), help="A further folder of rules.")
def memory(paths: tuple[str, ...], root: str, snapshot: str | None, models: tuple[str, ...], sizes: tuple[str, ...], image: bool,
           context: int | None, kv_type: str, parallel: int, no_mmap: bool, as_json: bool, html_file: str | None, fail_on: str,
           rule_dirs: tuple[str, ...]) -> None:
    """Where the memory is, which model fits, and what to set.

    Without PATHS this machine is examined; with PATHS somebody's files, as `explain` reads them. Nothing is changed.
    """
    setting = Setting(context or int(tables.load("memory_limits")["default_context"]["value"]), kv_type, parallel, mmap=not no_mmap)
    asked = _asked(models, sizes, image, setting)
    if snapshot or paths:
        seen, book = _read(tuple(path for path in (snapshot, *paths) if path), rule_dirs)
    else:
        seen, book = _examine(root, rule_dirs)
    report = make_report(seen, book, asked, default_setting=setting, only=MEMORY)
    for problem in book.problems:
        click.echo(f"rule left out: {problem}", err=True)
    if html_file or as_json:
        _show(report, as_json, False, html_file)
    else:
        from rocmdoctor.render import memory_text

        colour, width = _terminal()
        click.echo(memory_text.render(report, width, colour), color=colour, nl=False)
    raise SystemExit(_memory_status(report, fail_on))


def _memory_status(report: Report, fail_on: str) -> int:
    """As of `check`, but undecided only where no memory is known, or not enough to judge any model."""
    fits = [fit for gpu in report.memory.gpus for fit in gpu.fits] if report.memory else []
    undecided = (report.memory is None and report.verdict != "no_amd_gpu") or (bool(fits) and all(fit.verdict == "unknown" for fit in fits))
    status = _status(report, fail_on)
    return status if status == 1 else 3 if undecided else 0


def _asked(models: tuple[str, ...], sizes: tuple[str, ...], image: bool, setting: Setting) -> list[Asked]:
    from rocmdoctor.memory import gguf_header, shape
    from rocmdoctor.memory.sizes import parse

    if image and not sizes:
        raise _Usage("--image goes with --model-size SIZE; a GGUF file of an image model is given by its size too")
    try:
        found = [Asked(gguf_header.read(pathlib.Path(file)), setting) for file in models]
        return found + [Asked(shape.of_size(parse(size), image), setting) for size in sizes]
    except (gguf_header.Unreadable, ValueError) as error:
        raise _Usage(str(error)) from None


@cli.group("rules")
def rules_group() -> None:
    """The knowledge, readable and checkable."""


@rules_group.command("list")
def rules_list() -> None:
    """Every rule: id, kind, severity, title."""
    for rule in rules.load().rules.values():
        click.echo(f"{rule.id:56} {rule.kind:8} {rule.severity:8} {rule.title}")


@rules_group.command("show")
@click.argument("rule_id")
def rules_show(rule_id: str) -> None:
    """One rule as it is written."""
    from rocmdoctor.paths import data_dir

    for file in data_dir("rules").glob(f"*/{rule_id}.yaml"):
        click.echo(file.read_text("utf-8"), nl=False)
        return
    raise _Usage(f"{rule_id}: no such rule; `rocmdoctor rules list` names them")


@rules_group.command("lint")
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False))
def rules_lint(folders: tuple[str, ...]) -> None:
    """Check the rules of the house and of further folders."""
    book = rules.load(tuple(map(pathlib.Path, folders)))
    for problem in book.problems:
        click.echo(problem)
    click.echo(f"{len(book.rules)} rules, {len(book.problems)} problems", err=True)
    raise SystemExit(1 if book.problems else 0)


def main() -> None:
    """Entry point: exit statuses as documented; a failure of our own is 70, an interrupt 130, a closed pipe is silent."""
    try:
        raise SystemExit(cli.main(standalone_mode=False))
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from None
    except click.Abort:
        raise SystemExit(130) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(0) from None
    except Exception as error:
        click.echo(f"rocmdoctor failed: {type(error).__name__}: {error}; please report this with the command you ran", err=True)
        raise SystemExit(70) from None
