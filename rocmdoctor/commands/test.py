"""Kernels with known answers."""

from __future__ import annotations

import sys

import click

from rocmdoctor.commands._console import Output, output, prepare, redacted, redactor, save_snapshot, show, tell_problems, terminal
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.live import kernel_tests

_STATUSES = """Exit status: 0 every result of a GPU is right · 1 one is wrong, or something was found at or above --fail-on · 2 wrong usage ·
3 no GPU was tested · 70 rocmdoctor itself failed."""


@click.command(epilog=epilog("test", "test --backend hip --level 3", statuses=_STATUSES))
@click.option("--backend", "backends", multiple=True, type=click.Choice(kernel_tests.BACKENDS), help="Only this one; may be given again.  [default: all]")
@click.option("--level", type=click.IntRange(1, 3), default=2, show_default=True,
              help="1: under 2 seconds. 2: under 20 seconds. 3: minutes, every byte of free memory too.")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one: what would be tested; nothing runs.")
@click.option("--python", "pythons", multiple=True, metavar="PATH", help="A further Python whose torch is tested.")
@output("verbose", "quiet", "formats", "as_json", "html_file", "markdown", "fail_on", "rule_dirs", "save", "no_redact")
def command(backends: tuple[str, ...], level: int, root: str, pythons: tuple[str, ...], out: Output) -> None:
    """Run kernels with known answers on every device, and compare each result with the CPU's.

    Every program runs in a process of its own that may crash or hang. A GPU that is already in trouble is not touched.
    """
    for python in pythons:
        if reason := kernel_tests.not_a_python(python):
            raise Usage(f"{python}: {reason}")
    if level == 3 and root == "/" and sys.stderr.isatty():
        click.echo("Level 3 writes and reads all free memory of each GPU three times: about one minute for 100 GB at 1 TB/s, longer on an APU.", err=True)
    plan = kernel_tests.Plan(level, tuple(backends) or kernel_tests.BACKENDS)
    snapshot, book, _ = examine((), False, root, pythons, out.rule_dirs, plan=plan, meanwhile=lambda: prepare(out))
    from rocmdoctor.diagnosis.outcome import status
    from rocmdoctor.diagnosis.report import make_report

    tell_problems(book)
    save_snapshot(snapshot, out.save)
    report = redacted(snapshot, book, redactor(out.no_redact)) if out.shared else make_report(snapshot, book)
    verdicts = {device.verdict for device in report.kernels or [] if device.device_type != "cpu"}  # a CPU that computes right is no GPU
    from rocmdoctor.render.report import kernels_text
    from rocmdoctor.render.report import terminal as text

    lead = "" if verdicts - set(kernels_text.NOT_TESTED) else "No GPU was tested: nothing runs on a recorded machine." if root != "/" else "No GPU was tested."
    found = status(report, out.fail_on)
    ended = 1 if found == 1 or verdicts & set(kernel_tests.BAD) else 0 if "right" in verdicts else 3
    colour, width = terminal()
    if lead and not any(out.read_here(form) for form in out.wanted):
        click.echo(lead, err=True)
    show(report, out, ended, lambda full: text.render_kernels(report, width, colour, lead, full, sys.stdout.isatty()))
    raise SystemExit(ended)
