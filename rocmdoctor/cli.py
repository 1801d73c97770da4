"""The commands. The only module that prints, reads the clock and the environment, or exits."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import platform
import shutil
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import click

from rocmdoctor import __version__, attach, interpret, rules, tables
from rocmdoctor.memory.need import Setting
from rocmdoctor.memory.picture import Asked
from rocmdoctor.model import SEVERITIES, Known, Report, Snapshot, report_to_json, snapshot_from_json, snapshot_to_json
from rocmdoctor.redact import Redactor
from rocmdoctor.redact import snapshot as redact_snapshot
from rocmdoctor.report import MEMORY, make_report
from rocmdoctor.scan import Scanner

KV_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


class _Usage(click.ClickException):
    """Something the caller can put right: one line, status 2."""

    exit_code = 2


def _write(path: str, text: str) -> None:
    _write_bytes(path, text.encode("utf-8", "replace"))


def _write_bytes(path: str, raw: bytes) -> None:
    try:
        pathlib.Path(path).write_bytes(raw)
    except OSError as error:
        raise _Usage(f"{path}: cannot be written ({error.strerror})") from None


def _forms() -> list[str]:
    return list(tables.load("ticket_forms")["forms"])


def _show(report: Report, as_json: bool, markdown: bool, form: str | None, html_file: str | None) -> None:
    if html_file:
        from rocmdoctor.render import html

        _write(html_file, html.render(report))
        click.echo(f"report written to {html_file}", err=True)
    if as_json:
        click.echo(json.dumps(report_to_json(report), indent=1, ensure_ascii=True, default=str))
    elif markdown or form:
        from rocmdoctor.render import markdown as comment

        click.echo(comment.render_form(report, form) if form else comment.render(report))
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
        click.option("--for", "form", type=click.Choice(_forms()), help="Print Markdown under the headings of this project's bug report form."),
        click.option("--html", "html_file", metavar="FILE", help="Write the report as one HTML file."),
        click.option("--fail-on", type=click.Choice(SEVERITIES), default="error", show_default=True,
                     help="Exit with 1 from this severity on."),
        click.option("--rules", "rule_dirs", multiple=True, type=click.Path(exists=True, file_okay=False),
                     help="A further folder of rules."),
        click.option("--save", metavar="FILE", help="Keep the snapshot, as it is; `explain FILE` reads it."),
        click.option("--no-redact", is_flag=True, help="Leave names, addresses and keys in JSON, HTML and Markdown."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def _finish(snapshot: Snapshot, book: rules.Rulebook, as_json: bool, markdown: bool, form: str | None, html_file: str | None,
            fail_on: str, save: str | None, no_redact: bool) -> None:
    for problem in book.problems:
        click.echo(f"rule left out: {problem}", err=True)
    if save:
        _write(save, json.dumps(snapshot_to_json(snapshot), default=str))
    shared = as_json or markdown or form or html_file
    report = _redacted(snapshot, book, _redactor(no_redact)) if shared else make_report(snapshot, book)
    _show(report, as_json, markdown, form, html_file)
    raise SystemExit(_status(report, fail_on))


def _redacted(snapshot: Snapshot, book: rules.Rulebook, redactor: Redactor, **how: Any) -> Report:
    """The report as it may be shared: what is private is gone before the rules see it, so no rendering can bring it back."""
    report = make_report(redact_snapshot(snapshot, redactor), book, **how)
    report.notes = [redactor.text(note, "notes") for note in report.notes]
    report.removed = redactor.removed
    return report


def _redactor(off: bool) -> Redactor:
    names = [("user", os.environ.get(name, "")) for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")]
    return Redactor([*names, ("user", pathlib.Path(os.path.expanduser("~")).name), ("host", platform.node())], off)


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
def check(logs: tuple[str, ...], no_kernels: bool, root: str, pythons: tuple[str, ...], as_json: bool, markdown: bool, form: str | None,
          html_file: str | None, fail_on: str, rule_dirs: tuple[str, ...], save: str | None, no_redact: bool) -> None:
    """Examine this machine."""
    snapshot, book, _ = _examine(logs, no_kernels, root, pythons, rule_dirs)
    _finish(snapshot, book, as_json, markdown, form, html_file, fail_on, save, no_redact)


def _examine(logs: tuple[str, ...], no_kernels: bool, root: str, pythons: tuple[str, ...], rule_dirs: tuple[str, ...],
             more: Callable[[], list[attach.Text]] = list) -> tuple[Snapshot, rules.Rulebook, list[attach.Text]]:
    """This machine, or a recorded one: its snapshot, the rules, and the texts that were read (``more`` gives further ones)."""
    from rocmdoctor.collect import collect, find_pythons

    if not pathlib.Path(root).is_dir():
        raise _Usage(f"{root}: no such folder; --root takes the folder of a recorded machine")
    progress = (lambda name, state: click.echo(f"\r\033[K  {name} ...", err=True, nl=False)) if sys.stderr.isatty() else None
    if root == "/" and not no_kernels:
        pythons = tuple(dict.fromkeys((*pythons, *find_pythons(os.environ, pathlib.Path(os.path.expanduser("~"))))))
    with ThreadPoolExecutor(1) as pool:  # the rules are made ready while the probes run
        collecting = pool.submit(collect, _now(), root=str(pathlib.Path(root).resolve()), pythons=pythons, progress=progress)
        book = rules.load(tuple(map(pathlib.Path, rule_dirs)))
        scanner = Scanner(book.rules.values())
        snapshot, lines = collecting.result()
    if progress:
        click.echo("\r\033[K", err=True, nl=False)
    attached = _attached(logs)  # held until the texts are read: big streams lie in its temporary folder
    snapshot.notes += attached.problems
    texts = [attach.Text(name, attach.clean(text)) for name, text in lines] + attached.texts + more()
    interpret.fill(snapshot, texts, scanner)
    return snapshot, book, texts


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
def explain(paths: tuple[str, ...], as_json: bool, markdown: bool, form: str | None, html_file: str | None, fail_on: str,
            rule_dirs: tuple[str, ...], save: str | None, no_redact: bool) -> None:
    """Read somebody's files: logs, dumps, reports, folders, archives, saved snapshots; - is standard input."""
    snapshot, book = _read(paths, rule_dirs)
    _finish(snapshot, book, as_json, markdown, form, html_file, fail_on, save, no_redact)


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

        root = found.trees[0].absolute()
        snapshot, _ = collect(_now(), root=str(root))
        snapshot.origin = "read"
        if not (root / "proc").is_dir():  # only /sys was copied: what is not in it says nothing
            snapshot.facts = {key: fact for key, fact in snapshot.facts.items() if isinstance(fact, Known) and fact.value}
            snapshot.notes.clear()
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
@click.option("--no-redact", is_flag=True, help="Leave names, addresses and keys in JSON and HTML.")
def memory(paths: tuple[str, ...], root: str, snapshot: str | None, models: tuple[str, ...], sizes: tuple[str, ...], image: bool,
           context: int | None, kv_type: str, parallel: int, no_mmap: bool, as_json: bool, html_file: str | None, fail_on: str,
           rule_dirs: tuple[str, ...], no_redact: bool) -> None:
    """Where the memory is, which model fits, and what to set.

    Without PATHS this machine is examined; with PATHS somebody's files, as `explain` reads them. Nothing is changed.
    """
    setting = Setting(context or int(tables.load("memory_limits")["default_context"]["value"]), kv_type, parallel, mmap=not no_mmap)
    asked = _asked(models, sizes, image, setting)
    if snapshot or paths:
        seen, book = _read(tuple(path for path in (snapshot, *paths) if path), rule_dirs)
    else:
        seen, book, _ = _examine((), True, root, (), rule_dirs)
    how: dict[str, Any] = {"asked": asked, "default_setting": setting, "only": MEMORY}
    shared = as_json or html_file
    report = _redacted(seen, book, _redactor(no_redact), **how) if shared else make_report(seen, book, **how)
    for problem in book.problems:
        click.echo(f"rule left out: {problem}", err=True)
    if shared:
        _show(report, as_json, False, None, html_file)
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


@cli.command()
@click.option("-o", "--out", metavar="FILE", default="rocmdoctor-bundle.tar.gz", show_default=True, help="Where to write it; .zip makes a zip.")
@click.option("--log", "logs", multiple=True, metavar="FILE", help="A log to read and to put in (an application's, say).")
@click.option("--no-kernels", is_flag=True, help="Run nothing on the GPU and import no torch.")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one.")
@click.option("--dry-run", is_flag=True, help="List what would go in; write nothing.")
@click.option("--no-redact", is_flag=True, help="Leave names, addresses and keys in.")
def bundle(out: str, logs: tuple[str, ...], no_kernels: bool, root: str, dry_run: bool, no_redact: bool) -> None:
    """Everything for a ticket in one redacted archive; `explain FILE` reads it."""
    from rocmdoctor import bundle as archive
    from rocmdoctor.render import html
    from rocmdoctor.render import markdown as comment

    said: list[attach.Text] = []

    def tools() -> list[attach.Text]:
        said.extend(archive.tool_texts() if root == "/" else [])
        return said

    snapshot, book, texts = _examine(logs, no_kernels, root, (), (), tools)
    redactor = _redactor(no_redact)
    for text in texts:
        redactor.learn(text.text)
    report = _redacted(snapshot, book, redactor)
    pages = [archive.Part("report.md", comment.render(report), "the report as a comment for a ticket"),
             archive.Part("report.html", html.render(report), "the report as a page")]
    state = archive.Part("snapshot.json", json.dumps(snapshot_to_json(report.snapshot), default=str), "every fact; `rocmdoctor explain` reads it")
    parts = list(archive.fitting([*pages, state, *archive.text_parts(texts, said, snapshot.hits, redactor)]))
    parts.insert(0, archive.manifest(parts, __version__, snapshot.taken, redactor.removed))
    for part in parts:
        click.echo(f"{len(part.raw):>10}  {part.name:32} {part.what}")
    kinds = sorted({entry.kind for entry in redactor.removed})
    click.echo(f"taken out: {', '.join(f'{sum(e.kind == k for e in redactor.removed)} {k}' for k in kinds) or 'nothing'}", err=True)
    if dry_run:
        return
    _write_bytes(out, archive.pack(parts, out.endswith(".zip")))
    click.echo(f"written to {out}; `rocmdoctor explain {out}` reads it", err=True)


@cli.command()
@click.argument("paths", nargs=-1, required=True)
@click.option("-o", "--out", metavar="DIR", help="Write each file there under its own name; needed for more than one.")
def redact(paths: tuple[str, ...], out: str | None) -> None:
    """Take names, addresses and keys out of files: logs, saved snapshots, bundles, folders; - is standard input."""
    from rocmdoctor.redact import redacted_files

    found = _attached(paths)
    redactor = _redactor(False)
    files = redacted_files(found, redactor)
    if out is None and len(files) > 1:
        raise _Usage(f"{len(files)} files: name a folder for them with -o")
    for name, text in files.items():
        if out is None:
            click.echo(text, nl=False)
            continue
        place = pathlib.Path(out, *[part for part in pathlib.PurePosixPath(name).parts if part not in ("/", "..")])
        place.parent.mkdir(parents=True, exist_ok=True)
        _write(str(place), text)
    for entry in redactor.removed:
        click.echo(f"{entry.token:14} {entry.count:6} times  {', '.join(entry.where)}", err=True)


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
