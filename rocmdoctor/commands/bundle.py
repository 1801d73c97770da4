"""One archive for a ticket."""

from __future__ import annotations

import json

import click

from rocmdoctor import __version__
from rocmdoctor.commands._console import redacted, redactor, write_bytes
from rocmdoctor.commands._help import DONE, epilog
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.facts.model import snapshot_to_json
from rocmdoctor.render.report import html
from rocmdoctor.render.report import markdown as comment
from rocmdoctor.render.report.wording import verdict_words
from rocmdoctor.share import bundle as archive


@click.command(epilog=epilog("bundle", "bundle --log ollama.log -o ticket.zip", "bundle --dry-run", statuses=DONE))
@click.option("-o", "--out", metavar="FILE", default="rocmdoctor-bundle.tar.gz", show_default=True, help="Where to write it; .zip makes a zip, - prints it.")
@click.option("--log", "logs", multiple=True, metavar="FILE", help="A log to read and to put in (an application's, say).")
@click.option("--no-kernels", is_flag=True, help="Run nothing on the GPU and import no torch.")
@click.option("--root", default="/", metavar="DIR", help="A recorded machine instead of this one.")
@click.option("--dry-run", is_flag=True, help="List what would go in; write nothing.")
@click.option("--no-redact", is_flag=True, help="Leave names, addresses and keys in.")
def command(out: str, logs: tuple[str, ...], no_kernels: bool, root: str, dry_run: bool, no_redact: bool) -> None:
    """Everything for a ticket in one redacted archive; `explain FILE` reads it."""
    snapshot, book, texts = examine(logs, no_kernels, root, (), ())
    said = archive.tool_texts() if root == "/" else []  # for who reads the ticket: the probes have asked the kernel itself
    private = redactor(no_redact)
    for text in [*texts, *said]:
        private.learn(text.text)
    report = redacted(snapshot, book, private)
    pages = [archive.Part("report.md", comment.render(report), "the report as a comment for a ticket"),
             archive.Part("report.html", html.render(report), "the report as a page")]
    state = archive.Part("snapshot.json", json.dumps(snapshot_to_json(report.snapshot), default=str), "every fact; `rocmdoctor explain` reads it")
    parts = list(archive.fitting([*pages, state, *archive.text_parts([*texts, *said], said, snapshot.hits, private)]))
    parts.insert(0, archive.manifest(parts, __version__, snapshot.taken, private.removed))
    click.echo(verdict_words(report), err=True)
    for part in parts:
        click.echo(f"{len(part.raw):>10}  {part.name:32} {part.what}", err=out == "-")
    kinds = sorted({entry.kind for entry in private.removed})
    click.echo(f"taken out: {', '.join(f'{sum(e.kind == k for e in private.removed)} {k}' for k in kinds) or 'nothing'}", err=True)
    if dry_run:
        return
    write_bytes(out, archive.pack(parts, out.endswith(".zip")))
    if out != "-":
        click.echo(f"written to {out}; `rocmdoctor explain {out}` reads it", err=True)
