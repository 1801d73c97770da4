"""Where the memory is, and what fits."""

from __future__ import annotations

import sys
from typing import Any

import click

from rocmdoctor.commands._console import Output, output, redacted, redactor, show, tell_problems, terminal
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog
from rocmdoctor.diagnosis.examine import examine, read
from rocmdoctor.diagnosis.outcome import status
from rocmdoctor.diagnosis.report import MEMORY, make_report
from rocmdoctor.facts.model import Report
from rocmdoctor.knowledge import tables
from rocmdoctor.memory.asked import KV_TYPES, named
from rocmdoctor.memory.need import Setting

_STATUSES = """Exit status: 0 it fits, or no model was named · 1 no model that was named fits, or something was found at or above --fail-on ·
2 wrong usage · 3 not enough is known of the memory · 70 rocmdoctor itself failed."""


@click.command(epilog=epilog("memory", "memory --model model.gguf --context 32768", "memory --model-size 60GB ticket/", statuses=_STATUSES))
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
@output("verbose", "quiet", "formats", "as_json", "markdown", "html_file", "fail_on", "rule_dirs", "no_redact")
def command(paths: tuple[str, ...], root: str, snapshot: str | None, models: tuple[str, ...], sizes: tuple[str, ...], image: bool,
            context: int | None, kv_type: str, parallel: int, no_mmap: bool, out: Output) -> None:
    """Where the memory is, which model fits, and what to set.

    Without PATHS this machine is examined; with PATHS somebody's files, as `explain` reads them. Nothing is changed.
    """
    setting = Setting(context or int(tables.load("memory_limits")["default_context"]["value"]), kv_type, parallel, mmap=not no_mmap)
    if image and not sizes:
        raise Usage("--image goes with --model-size SIZE; a GGUF file of an image model is given by its size too")
    try:
        asked = named(models, sizes, image, setting)
    except ValueError as error:
        raise Usage(str(error)) from None
    if snapshot or paths:
        seen, book, _ = read(tuple(path for path in (snapshot, *paths) if path), out.rule_dirs)
    else:
        seen, book, _ = examine((), True, root, (), out.rule_dirs)
    how: dict[str, Any] = {"asked": asked, "default_setting": setting, "only": MEMORY}
    report = redacted(seen, book, redactor(out.no_redact), **how) if out.shared else make_report(seen, book, **how)
    tell_problems(book)
    from rocmdoctor.render.report import memory_text

    ended, (colour, width) = _memory_status(report, out.fail_on), terminal()
    show(report, out, ended, lambda full: memory_text.render(report, width, colour, full, sys.stdout.isatty()))
    raise SystemExit(ended)


def _memory_status(report: Report, fail_on: str) -> int:
    """As of `check`, but undecided only where no memory is known, or not enough to judge any model."""
    fits = [fit for gpu in report.memory.gpus for fit in gpu.fits] if report.memory else []
    undecided = (report.memory is None and report.verdict != "no_amd_gpu") or (bool(fits) and all(fit.verdict == "unknown" for fit in fits))
    none = any(fit.verdict in ("no", "only_with") for fit in fits) and not any(fit.verdict == "yes" for fit in fits)
    return 1 if none or status(report, fail_on) == 1 else 3 if undecided else 0
