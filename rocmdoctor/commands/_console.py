"""What the commands share of the terminal: the options of every report, files written, exit statuses, redaction.

Of the report nothing is imported before one is made: the probes of `check` start first, and run while its modules are loaded.
"""

from __future__ import annotations

import datetime
import functools
import json
import os
import pathlib
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from rocmdoctor.commands._formats import Usage, pair, unmixed
from rocmdoctor.facts import written
from rocmdoctor.facts.model import SEVERITIES, Report, Snapshot, report_to_json, snapshot_to_json
from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass, replace
from rocmdoctor.share.wash import wash

if TYPE_CHECKING:
    from rocmdoctor.compare.changes import Before
    from rocmdoctor.knowledge import rules
    from rocmdoctor.share.redact import Redactor
    from rocmdoctor.texts import attach


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def write(path: str, text: str) -> None:
    """A file of text, or one line of what is in the way."""
    if path == "-":
        click.echo(text, nl=False)  # a console of Windows takes letters, not bytes
        return
    write_bytes(path, text.encode("utf-8", "replace"))


def write_bytes(path: str, raw: bytes) -> None:
    """A file, or standard output for ``-``, or one line of what is in the way."""
    if path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(raw)
        return
    try:
        pathlib.Path(path).write_bytes(raw)
    except OSError as error:
        raise Usage(f"{path}: cannot be written ({error.strerror})") from None


def write_whole(path: str, text: str) -> None:
    """A file that others read at any time: it is replaced whole, so nobody sees half of it. One line of what is in the way."""
    place = pathlib.Path(path)
    if path == "-" or place.exists() and not place.is_file():  # a device, a pipe or standard output
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
    """Whether to colour (NO_COLOR: never, FORCE_COLOR: always, else on a terminal), and how wide the terminal is."""
    forced = os.environ.get("FORCE_COLOR", "") not in ("", "0")
    return (forced or sys.stdout.isatty()) and not os.environ.get("NO_COLOR"), shutil.get_terminal_size((100, 24)).columns


FORMATS = ("text", "full", "line", "json", "markdown", "html")


@dataclass(frozen=True, slots=True)
class Output:
    """What a caller asked of a report: its forms, what counts as failure, further rules, and what becomes of private words."""

    as_json: bool = False
    markdown: bool = False
    form: str | None = None
    html_file: str | None = None
    formats: tuple[str, ...] = ()
    verbose: bool = False
    quiet: bool = False
    fail_on: str = "error"
    rule_dirs: tuple[str, ...] = ()
    save: str | None = None
    no_redact: bool = False

    @property
    def wanted(self) -> list[tuple[str, str]]:
        """(format, file) of everything that was asked for; file "" is standard output, which takes one. Raises Usage."""
        known = (*FORMATS, *_forms())
        pairs = [pair(each, known) for each in self.formats]
        pairs += [("json", "")] * self.as_json + [("markdown", "")] * self.markdown + ([(self.form, "")] if self.form else [])
        pairs += [("html", "" if self.html_file == "-" else self.html_file)] if self.html_file else []
        pairs += [("full", "")] * self.verbose + [("line", "")] * self.quiet
        return unmixed(pairs) or [("text", "")]

    @staticmethod
    def read_here(form: tuple[str, str]) -> bool:
        """Whether a form is text that is read as it is printed."""
        return form in (("text", ""), ("full", ""))

    @property
    def shared(self) -> bool:
        """Whether what is printed or written may leave the machine."""
        return any(file or name not in ("text", "full", "line") for name, file in self.wanted)


_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "verbose": click.option("-v", "--verbose", is_flag=True, help="Everything: all evidence, every fix with its cost and the way back, sources."),
    "quiet": click.option("-q", "--quiet", is_flag=True, help="One line."),
    "formats": click.option("--format", "formats", multiple=True, metavar="NAME[=FILE]",
                            help=f"{', '.join((*FORMATS, *_forms()))}; may be given again, all but one with a FILE.  [default: text]"),
    "as_json": click.option("--json", "as_json", is_flag=True, help="Print the report as JSON."),
    "markdown": click.option("--markdown", is_flag=True, help="Print the report as Markdown for a ticket."),
    "form": click.option("--for", "form", type=click.Choice(_forms()), help="Print Markdown under the headings of this project's bug report form."),
    "html_file": click.option("--html", "html_file", metavar="FILE", help="Write the report as one HTML file; - prints it."),
    "fail_on": click.option("--fail-on", type=click.Choice(SEVERITIES), default="error", show_default=True,
                            help="Exit with 1 from this severity on."),
    "rule_dirs": click.option("--rules", "rule_dirs", multiple=True, type=click.Path(exists=True, file_okay=False),
                              help="A further folder of rules."),
    "save": click.option("--save", metavar="FILE", help="Keep the snapshot, as it is; `explain FILE` reads it, - prints it."),
    "no_redact": click.option("--no-redact", is_flag=True, help="Leave names, addresses and keys in JSON, HTML and Markdown."),
}


def output(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the report options (those named; all of them without names) as one :class:`Output` in its argument ``out``."""
    chosen = names or tuple(_OPTIONS)

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def called(**given: Any) -> None:
            out = Output(**{name: given.pop(name) for name in chosen})
            _ = out.wanted  # what cannot be printed is said before anything is examined
            command(out=out, **given)

        made: Callable[..., None] = called
        for name in reversed(chosen):
            made = _OPTIONS[name](made)
        return made
    return decorate


def finish(snapshot: Snapshot, book: rules.Rulebook, out: Output, before: Before | None = None,
           keep: Callable[[Report], None] | None = None) -> None:
    """Report on the snapshot as asked, against an earlier one if there is one, and exit with its status; ``keep`` gets the report first."""
    from rocmdoctor.diagnosis.outcome import status
    from rocmdoctor.diagnosis.report import make_report

    tell_problems(book)
    save_snapshot(snapshot, out.save)
    report = redacted(snapshot, book, redactor(out.no_redact), before=before) if out.shared else make_report(snapshot, book, before=before)
    if keep:
        keep(report)
    show(report, out)
    raise SystemExit(status(report, out.fail_on))


def prepare(out: Output) -> None:
    """Import what makes the report and its forms; for the time that the probes take."""
    from rocmdoctor.diagnosis import report  # noqa: F401

    forms = {name for name, _ in out.wanted}
    if forms & {"text", "full", "line"}:
        from rocmdoctor.render.report import terminal  # noqa: F401
    if out.shared:
        from rocmdoctor.share import redact  # noqa: F401
    if "html" in forms:
        from rocmdoctor.render.report import html  # noqa: F401


def save_snapshot(snapshot: Snapshot, path: str | None) -> None:
    """Keep the snapshot as it is, where a file was named."""
    if path:
        write(path, json.dumps(snapshot_to_json(snapshot), default=str))


def tell_problems(book: rules.Rulebook) -> None:
    """The rules that could not be used, on standard error."""
    for problem in book.problems:
        click.echo(f"rule left out: {problem}", err=True)


def show(report: Report, out: Output, ended: int | None = None, words: Callable[[bool], str] | None = None, only: bool | None = None) -> None:
    """Write and print the report in the forms that were asked for. Where only files were, the answer is one line.

    ``ended`` is the exit status where a command has one of its own, ``words`` its text, short or full; ``only`` True leaves out all but
    the text on standard output, False only that.
    """
    wanted = out.wanted
    for name, file in wanted:
        if only is not None and only is not out.read_here((name, file)):
            continue
        own = words(name == "full") if words and name in ("text", "full") else ""
        text = own or rendered(report, name, out.fail_on, bool(file), ended)
        if file:
            write(file, text)
            click.echo(f"report written to {file}", err=True)
        else:
            click.echo(text, color=terminal()[0], nl=False)
    if only is not True and all(file for _, file in wanted):
        click.echo(rendered(report, "line", out.fail_on), nl=False)


def rendered(report: Report, form: str, fail_on: str, to_file: bool = False, ended: int | None = None) -> str:
    """The report in one form, as it ends on a terminal or in a file."""
    if form == "json":
        from rocmdoctor.diagnosis.outcome import outcome, status

        found = outcome(report)
        answer = {"headline": found.sentence, "first_action": found.action, "exit_status": status(report, fail_on) if ended is None else ended}
        return written.indented({**report_to_json(report), **answer}) + "\n"
    if form == "html":
        from rocmdoctor.render.report import html

        return html.render(report)
    if form in ("text", "full", "line"):
        from rocmdoctor.render.report import terminal as text

        colour, width = terminal()
        if form == "line":
            return text.quiet(report)
        return text.render(report, width, colour and not to_file, verbose=form == "full", last=sys.stdout.isatty() and not to_file)
    from rocmdoctor.render.report import markdown

    return markdown.render(report) + "\n" if form == "markdown" else markdown.render_form(report, form) + "\n"


def redacted(snapshot: Snapshot, book: rules.Rulebook, redactor: Redactor, **how: Any) -> Report:
    """The report as it may be shared: what is private is gone before the rules see it, so no rendering can bring it back."""
    from rocmdoctor.diagnosis.report import make_report
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
    from rocmdoctor.texts import attach

    try:
        found = attach.gather(list(paths), sys.stdin.buffer)
    except FileNotFoundError as error:
        raise Usage(f"{error.args[0]}: no such file or folder") from None
    for problem in found.problems:
        click.echo(wash(problem, 1000), err=True)
    return found
