"""The commands as tools of an agent."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import PurePath

import click

from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._help import epilog

_STATUSES = """Exit status: 0 the client has gone · 2 wrong usage, or the extra rocmdoctor[mcp] is missing · 70 rocmdoctor itself failed ·
128 and its number for a signal."""


@click.command(epilog=epilog("mcp", "mcp --allow ~/tickets", "mcp --allow /var/log --allow .", statuses=_STATUSES))
@click.option("--allow", "allowed", multiple=True, type=click.Path(exists=True, file_okay=False), metavar="FOLDER",
              help="A folder below which files may be read, beside the roots that the client names; may be given again.")
def command(allowed: tuple[str, ...]) -> None:
    """Serve an agent: a Model Context Protocol server on standard input and output.

    Its tools only read: check, explain, evidence, known, why, test, memory, compare, llm. Answers are redacted and come in pages of less than
    4 kB. A client starts it; docs/agents.md has the entries for the usual ones.
    """
    if any(importlib.util.find_spec(name) is None for name in ("mcp", "mcp_types")):
        raise Usage(f"this needs the extra rocmdoctor[mcp]: {_install()}")
    from rocmdoctor.mcp import sdk
    from rocmdoctor.mcp.worker_process import Worker

    spare = Worker()  # it makes itself ready while the protocol's packages are imported here
    if sys.stdin.isatty():
        click.echo("A client starts this and speaks to it; docs/agents.md has the entries. Ctrl-D ends it.", err=True)
    raise SystemExit(sdk.server().serve([os.path.abspath(folder) for folder in allowed], spare))


def _install() -> str:
    """The command that adds the extra to the environment this program runs in."""
    parts = PurePath(sys.prefix).parts
    if "pipx" in parts and "venvs" in parts:
        return "pipx inject rocmdoctor 'mcp>=2.3,<3'"
    if "uv" in parts and "tools" in parts:
        return "uv tool install --force 'rocmdoctor[mcp]'"
    return f"{sys.executable} -m pip install 'rocmdoctor[mcp]'"
