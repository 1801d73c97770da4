"""What the commands share of the terminal: the options of every report, files written, exit statuses, redaction."""

from __future__ import annotations

import datetime
import functools
import json
import os
import pathlib
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rocmdoctor.compare.changes import Before
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import SEVERITIES, Report, Snapshot, report_to_json, snapshot_to_json
from rocmdoctor.knowledge import rules, tables
from rocmdoctor.share.wash import wash
from rocmdoctor.texts import attach

if TYPE_CHECKING:
    from rocmdoctor.share.redact import Redactor


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


class Usage(click.ClickException):
    """Something the caller can put right: one line, status 2."""

    exit_code = 2


def write(path: str, text: str) -> None:
    """A file of text, or one line of what is in the way."""
    write_bytes(path, text.encode("utf-8", "replace"))


def write_bytes(path: str, raw: bytes) -> None:
    """A file, or one line of what is in the way."""
    try:
        pathlib.Path(path).write_bytes(raw)
    except OSError as error:
        raise Usage(f"{path}: cannot be written ({error.strerror})") from None


def write_whole(path: str, text: str) -> None:
    """A file that others read at any time: it is replaced whole, so nobody sees half of it. One line of what is in the way."""
    place = pathlib.Path(path)
    if place.exists() and not place.is_file():  # a device or a pipe
        write(path, text)
        return
    temporary = place.with_name(f".{place.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # nothing that lies there is followed
        try:
            with open(handle, "wb") as file:
                file.write(text.encode("utf-8", "replace"))
            os.replace(temporary, place)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise Usage(f"{path}: cannot be written ({error.strerror})") from None


def _forms() -> list[str]:
    return list(tables.load("ticket_forms")["forms"])


def terminal() -> tuple[bool, int]:
    """Whether to colour, and how wide the terminal is."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR"), shutil.get_terminal_size((100, 24)).columns


def status(report: Report, fail_on: str) -> int:
    """The exit status: 1 from the severity on, 3 where nothing was found but something that matters is unknown."""
    bar = SEVERITIES.index(fail_on)
    if any(SEVERITIES.index(f.severity) <= bar and f.id != "no-amd-gpu" for f in report.findings):
        return 1
    return 3 if report.verdict == "unknown" else 0


@dataclass(frozen=True, slots=True)
class Output:
    """What a caller asked of a report: its form, what counts as failure, further rules, and what becomes of private words."""

    as_json: bool = False
    markdown: bool = False
    form: str | None = None
    html_file: str | None = None
    fail_on: str = "error"
    rule_dirs: tuple[str, ...] = ()
    save: str | None = None
    no_redact: bool = False

    @property
    def shared(self) -> bool:
        """Whether what is printed or written may leave the machine."""
        return bool(self.as_json or self.markdown or self.form or self.html_file)


_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "as_json": click.option("--json", "as_json", is_flag=True, help="Print the report as JSON."),
    "markdown": click.option("--markdown", is_flag=True, help="Print the report as Markdown for a ticket."),
    "form": click.option("--for", "form", type=click.Choice(_forms()), help="Print Markdown under the headings of this project's bug report form."),
    "html_file": click.option("--html", "html_file", metavar="FILE", help="Write the report as one HTML file."),
    "fail_on": click.option("--fail-on", type=click.Choice(SEVERITIES), default="error", show_default=True,
                            help="Exit with 1 from this severity on."),
    "rule_dirs": click.option("--rules", "rule_dirs", multiple=True, type=click.Path(exists=True, file_okay=False),
                              help="A further folder of rules."),
    "save": click.option("--save", metavar="FILE", help="Keep the snapshot, as it is; `explain FILE` reads it."),
    "no_redact": click.option("--no-redact", is_flag=True, help="Leave names, addresses and keys in JSON, HTML and Markdown."),
}


def output(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the report options (those named; all of them without names) as one :class:`Output` in its argument ``out``."""
    chosen = names or tuple(_OPTIONS)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def called(**given: Any) -> None:
            command(out=Output(**{name: given.pop(name) for name in chosen}), **given)

        made: Callable[..., None] = called
        for name in reversed(chosen):
            made = _OPTIONS[name](made)
        return made
    return decorate


def finish(snapshot: Snapshot, book: rules.Rulebook, out: Output, before: Before | None = None,
           keep: Callable[[Report], None] | None = None) -> None:
    """Report on the snapshot as asked, against an earlier one if there is one, and exit with its status; ``keep`` gets the report first."""
    tell_problems(book)
    save_snapshot(snapshot, out.save)
    report = redacted(snapshot, book, redactor(out.no_redact), before=before) if out.shared else make_report(snapshot, book, before=before)
    if keep:
        keep(report)
    show(report, out)
    raise SystemExit(status(report, out.fail_on))


def save_snapshot(snapshot: Snapshot, path: str | None) -> None:
    """Keep the snapshot as it is, where a file was named."""
    if path:
        write(path, json.dumps(snapshot_to_json(snapshot), default=str))


def tell_problems(book: rules.Rulebook) -> None:
    """The rules that could not be used, on standard error."""
    for problem in book.problems:
        click.echo(f"rule left out: {problem}", err=True)


def show(report: Report, out: Output) -> None:
    """Write and print the report in the forms that were asked for; the terminal's without any."""
    if out.html_file:
        from rocmdoctor.render.report import html

        write(out.html_file, html.render(report))
        click.echo(f"report written to {out.html_file}", err=True)
    if out.as_json:
        click.echo(json.dumps(report_to_json(report), indent=1, ensure_ascii=True, default=str))
    elif out.markdown or out.form:
        from rocmdoctor.render.report import markdown

        click.echo(markdown.render_form(report, out.form) if out.form else markdown.render(report))
    elif not out.html_file:
        from rocmdoctor.render.report import terminal as text

        colour, width = terminal()
        click.echo(text.render(report, width, colour), color=colour, nl=False)


def redacted(snapshot: Snapshot, book: rules.Rulebook, redactor: Redactor, **how: Any) -> Report:
    """The report as it may be shared: what is private is gone before the rules see it, so no rendering can bring it back."""
    from rocmdoctor.share.redact import snapshot as redact_snapshot

    clean = redact_snapshot(snapshot, redactor)
    before: Before | None = how.get("before")
    if before:
        old = redact_snapshot(before.snapshot, redactor) if before.snapshot else None
        how["before"] = replace(before, snapshot=old, name=redactor.text(before.name), new_name=redactor.text(before.new_name))
    report = make_report(clean, book, **how)
    report.notes = [redactor.text(note, "notes") for note in report.notes]
    report.removed = redactor.removed
    return report


def redactor(off: bool, hosts: tuple[str, ...] = ()) -> Redactor:
    """A redactor that knows this machine's user and host, and further hosts by name."""
    import platform

    from rocmdoctor.share.redact import Redactor

    names = [("user", os.environ.get(name, "")) for name in ("USER", "LOGNAME", "USERNAME", "SUDO_USER")]
    return Redactor([*names, *(("host", host) for host in hosts), ("user", pathlib.Path(os.path.expanduser("~")).name), ("host", platform.node())], off)


def attached(paths: tuple[str, ...]) -> attach.Attached:
    """What the paths hold; damaged parts are said on standard error."""
    try:
        found = attach.gather(list(paths), sys.stdin.buffer)
    except FileNotFoundError as error:
        raise Usage(f"{error.args[0]}: no such file or folder") from None
    for problem in found.problems:
        click.echo(wash(problem, 1000), err=True)
    return found
