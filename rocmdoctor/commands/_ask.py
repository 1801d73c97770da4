"""``--ask``: a language model is asked for a second opinion, which stands below the report and changes nothing in it."""

from __future__ import annotations

import contextlib
import functools
import re
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from rocmdoctor.commands._console import Output, redacted, redactor, save_snapshot, show, tell_problems, terminal
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._progress import Progress
from rocmdoctor.commands._server import say, server_address
from rocmdoctor.facts.model import Report, Snapshot
from rocmdoctor.facts.sections import Opinion
from rocmdoctor.records import dataclass
from rocmdoctor.share.wash import wash

if TYPE_CHECKING:
    from rocmdoctor.agents.package import Material
    from rocmdoctor.compare.changes import Before
    from rocmdoctor.knowledge.rules import Rulebook
    from rocmdoctor.texts.attach import Text

SECONDS = 120.0
_HEARD = 4000  # characters that are looked at for what may be shown of the words as they come


@dataclass(frozen=True, slots=True)
class Ask:
    """Whom to ask, and within how many seconds; ``show`` only prints the question."""

    url: str | None = None
    model: str = ""
    remote: bool = False
    show: bool = False
    deadline: float = SECONDS

    @property
    def wanted(self) -> bool:
        """Whether anything is to be asked or shown."""
        return self.url is not None or self.show

    def fits(self, out: Output) -> None:
        """Whether the opinion has a place in what is printed. Raises Usage."""
        if self.url is not None and not self.show and all(name == "line" for name, _ in out.wanted):
            raise Usage("an opinion has no place in one line: leave -q or --ask out")

    def place(self) -> tuple[str, str, int]:
        """The address, checked. Raises Usage: it is none, or another machine that nobody allowed."""
        from rocmdoctor.llm.client import is_local

        base, host, port = server_address(self.url or "")
        if is_local(host):
            return base, host, port
        if not self.remote:
            raise Usage(f"{wash(host, 80)} is another machine: --ask-remote allows sending the redacted text there, --ask-show prints it first")
        # Hosted services have OpenAI's API at /v1 or at /api/v1: where the caller says it is.
        return base + "/api" * bool(re.search(r"/api/v1(?:/|$)", self.url or "")), host, port


_OPTIONS: dict[str, Callable[[Any], Any]] = {
    "url": click.option("--ask", "ask_url", metavar="URL", help="Ask the language model of this server (OpenAI's API, Ollama) for a second opinion."),
    "model": click.option("--ask-model", default="", metavar="NAME", help="The model to ask.  [default: the one that is loaded]"),
    "remote": click.option("--ask-remote", is_flag=True, help="The server may be another machine: the redacted text is sent there."),
    "show": click.option("--ask-show", is_flag=True, help="Print exactly what would be sent, and send nothing."),
    "deadline": click.option("--ask-deadline", type=click.FloatRange(1, 3600), default=SECONDS, show_default=True, metavar="SECONDS",
                             help="When to stop waiting for the model."),
}


def asking(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of the question as one :class:`Ask` in its argument ``ask``. What cannot be asked is said before anything is done."""

    @functools.wraps(command)
    def called(**given: Any) -> None:
        ask = Ask(**{name: given.pop(f"ask_{name}") for name in _OPTIONS})
        if not ask.wanted and (ask.model or ask.remote or ask.deadline != SECONDS):
            raise Usage("--ask-model, --ask-remote and --ask-deadline go with --ask URL")
        if ask.url is not None and not ask.show:
            ask.place()
        elif ask.url is not None:
            server_address(ask.url)
        command(ask=ask, **given)

    made: Callable[..., None] = called
    for option in reversed(_OPTIONS.values()):
        made = option(made)
    return made


def finish(snapshot: Snapshot, book: Rulebook, out: Output, ask: Ask, texts: list[Text], before: Before | None = None,
           keep: Callable[[Report], None] | None = None) -> None:
    """Report as asked, with the opinion below, and exit with the status of the report. What is sent is always redacted."""
    from rocmdoctor.agents.package import gathered
    from rocmdoctor.diagnosis.outcome import status
    from rocmdoctor.diagnosis.report import make_report

    tell_problems(book)
    save_snapshot(snapshot, out.save)
    plain = make_report(snapshot, book, before=before)
    told = gathered(snapshot, plain.findings, texts, book, redactor(False), lambda each: redacted(snapshot, book, each, before=before))
    if ask.show:
        _show_question(told, ask)
        raise SystemExit(status(plain, out.fail_on))
    report = plain if not out.shared else redacted(snapshot, book, redactor(True), before=before) if out.no_redact else told.report
    if keep:
        keep(report)
    show(report, out, only=True)  # what the rules found is there while the model thinks
    sys.stdout.flush()
    report.opinion = _opinion(told, book, ask)
    _show_below(report.opinion, out)
    show(report, out, only=False)
    raise SystemExit(status(report, out.fail_on))


def _show_below(opinion: Opinion, out: Output) -> None:
    """The opinion alone, where the report stands above it already."""
    from rocmdoctor.render.report import opinion_text

    if any(map(out.read_here, out.wanted)):
        colour, width = terminal()
        click.echo(opinion_text.render(opinion, width, colour), color=colour, nl=False)


def _show_question(told: Material, ask: Ask) -> None:
    import json

    from rocmdoctor.agents import question
    from rocmdoctor.agents.package import MOST
    from rocmdoctor.agents.tokens import tokens

    package = told.package(min(question.room(question.CONTEXT)[0], MOST))
    words, schema = question.question(package.text), question.schemas(package.evidence, [*package.fixes, *package.candidates])[0]
    click.echo(words, nl=False)
    click.echo(f"nothing was sent; with --ask {wash(ask.url or 'URL', 80)} this goes there as one message of at most {tokens(words)} tokens (less where "
               f"the server's context is smaller), at temperature 0, with this schema of the answer: {json.dumps(schema)}", err=True)


class _Stopped(Exception):
    """Ctrl-C while the model was asked: only the question ends."""


@contextlib.contextmanager
def _stoppable() -> Iterator[None]:
    """The first Ctrl-C raises :class:`_Stopped`; whoever ignored it at the start goes on ignoring it."""
    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        raise _Stopped

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _opinion(told: Material, book: Rulebook, ask: Ask) -> Opinion:
    """What the model says, or why it says nothing."""
    from rocmdoctor.agents import talk
    from rocmdoctor.llm.client import Client, is_local, key_for
    from rocmdoctor.llm.servers import all_servers

    all_servers()  # imported before any deadline runs
    base, host, port = ask.place()
    words = _Words()
    client = Client(base, is_local(host), key_for((base, host, port), say), per_call=min(5.0, ask.deadline), total=ask.deadline)
    place = f"{host}:{port}"
    try:
        with _stoppable():
            return talk.opinion(client, place, told, book, ask.model, ask.remote, say, words.heard)
    except _Stopped:
        return Opinion("", wash(place), wash(ask.model, 80), 0.0, "it was stopped by Ctrl-C")
    finally:
        words.end()
        client.close()


class _Words:
    """The last words that came, in one line of a terminal that is written over; none of a dangerous command."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._progress: Progress | None = Progress()
        self._said = ""

    def heard(self, piece: str) -> None:
        """More words; they come in the thread that reads, also after nobody waits for it any more."""
        from rocmdoctor.agents.effects import speaks_of_danger

        with self._lock:
            if self._progress is None or not self._progress.shown:
                return
            self._said = (self._said + piece[:_HEARD])[-_HEARD:]
            whole = re.sub(r"[{}\[\]\"\\]+", " ", self._said).rpartition(" ")[0]
            room = max(20, shutil.get_terminal_size((80, 24)).columns - 30)
            self._progress.words("the model writes" if speaks_of_danger(whole) else f"the model writes: {wash(whole, _HEARD)[-room:]}")

    def end(self) -> None:
        """Leave the line empty, and hear nothing more."""
        with self._lock:
            if self._progress:
                self._progress.clear()
            self._progress = None
