"""This machine."""

from __future__ import annotations

import click

from rocmdoctor.commands import _ask
from rocmdoctor.commands._console import Output, finish, output, prepare
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.facts.model import Report


@click.command(epilog=epilog("check", "check -v", "check --log ollama.log --html report.html", "check --no-kernels --fail-on warning",
                              "check --ask http://127.0.0.1:11434"))
@click.option("--log", "logs", multiple=True, metavar="FILE", help="A log to read along (an application's, say).")
@click.option("--no-kernels", is_flag=True, help="Run nothing on the GPU and import no torch (one to two seconds).")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one.")
@click.option("--python", "pythons", multiple=True, metavar="PATH", help="A further Python whose torch is examined.")
@click.option("--no-keep", is_flag=True, help="Keep no state of this run.")
@click.option("--mark-good", is_flag=True, help="Mark the state of this run as good: what later runs are compared with.")
@_ask.asking
@output()
def command(logs: tuple[str, ...], no_kernels: bool, root: str, pythons: tuple[str, ...], no_keep: bool, mark_good: bool, ask: _ask.Ask,
            out: Output) -> None:
    """Examine this machine.

    Its state is kept, and compared with the last good one: what changed since then is among the findings.
    """
    live = root == "/"
    ask.fits(out)
    if mark_good and (no_keep or not live):
        raise Usage("--mark-good marks a state that is kept; " + ("--no-keep keeps none" if no_keep else "of a recorded machine none is"))

    def meanwhile() -> None:
        import hashlib  # noqa: F401 - big, and what names the kept states

        from rocmdoctor.compare import kept, states  # noqa: F401

        prepare(out)

    snapshot, book, texts = examine(logs, no_kernels, root, pythons, out.rule_dirs, meanwhile=meanwhile)
    from rocmdoctor.compare import kept, states

    def keep(report: Report) -> None:
        kept.keep(snapshot, states.verdict(report), mark_good, tell=mark_good)

    before, to_keep = kept.last_good() if live else None, keep if live and not no_keep else None
    if ask.wanted:
        _ask.finish(snapshot, book, out, ask, texts, before, to_keep)
    finish(snapshot, book, out, before, to_keep)
