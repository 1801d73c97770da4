"""Write deploy/shell/: the man page and the completions of bash, zsh and fish, from the parsers themselves.

    python scripts/generate_shell.py [--check]

With --check nothing is written; the exit status is 1 when a file is stale.
"""

from __future__ import annotations

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import click  # noqa: E402
from click import shell_completion  # noqa: E402

from rocmdoctor.cli import cli  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "deploy/shell"
_SHELLS = {"rocmdoctor.bash": shell_completion.BashComplete, "_rocmdoctor": shell_completion.ZshComplete, "rocmdoctor.fish": shell_completion.FishComplete}
_FILES = r""".TP
.I ~/.local/state/rocmdoctor
The states that \fBcheck\fR and \fBsnapshot\fR keep for \fBcompare\fR; \fIXDG_STATE_HOME\fR moves them.
.TP
.I ~/.cache/rocmdoctor
What is laid out at the first run; it may be deleted; \fIXDG_CACHE_HOME\fR moves it."""
_ENVIRONMENT = r""".TP
.BR NO_COLOR ", " FORCE_COLOR
No colour; colour although the output is no terminal.
.TP
.B ROCMDOCTOR_API_KEY
A key for the server that \fBllm\fR and \fB\-\-ask\fR ask."""


def _roff(text: str) -> str:
    """Words as they must stand in a man page."""
    plain = text.replace("\\", r"\e").replace("-", r"\-")
    return "\n".join(rf"\&{line}" if line.startswith((".", "'")) else line for line in plain.splitlines())


def _paragraphs(text: str) -> list[str]:
    lines: list[str] = []
    for block in text.strip().split("\n\n"):
        own = block.startswith("\b")  # as it stands, line by line
        body = block.replace("\b\n", "")
        if own:
            lines += [".PP", ".nf", _roff(body), ".fi"]
        else:
            lines += [".PP", _roff(" ".join(body.split()))]
    return lines


def _command(command: click.Command, path: str, parent: click.Context | None) -> list[str]:
    context = click.Context(command, parent, info_name=path.rsplit(" ", 1)[-1])
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f".SS {path}", rf"\fB{_roff(path)}\fR {_roff(usage)}", *_paragraphs(command.help or "")]
    for option in command.get_params(context):
        if record := option.get_help_record(context):
            lines += [".TP", rf"\fB{_roff(record[0])}\fR", _roff(record[1])]
    lines += _paragraphs(command.epilog or "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner
            lines += _command(inner, f"{path} {name}", context)
    return lines


def manual() -> str:
    """The man page, section 1."""
    top = click.Context(cli, info_name="rocmdoctor")
    lines = [".TH ROCMDOCTOR 1", ".SH NAME", r"rocmdoctor \- what is wrong with this AMD GPU setup, and what to do first", ".SH SYNOPSIS",
             r"\fBrocmdoctor\fR [\fICOMMAND\fR] [\fIOPTIONS\fR]", ".SH DESCRIPTION",
             "Examines this machine, or logs and reports that somebody attached, and says what is wrong, how sure that is, the evidence it rests on, "
             "and what to do first. It changes nothing. Without a command it is \\fBcheck\\fR.", *_paragraphs(cli.epilog or ""), ".SH COMMANDS"]
    for name in cli.list_commands(top):
        command = cli.get_command(top, name)
        assert command
        lines += _command(command, f"rocmdoctor {name}", None)
    return "\n".join([*lines, ".SH ENVIRONMENT", _ENVIRONMENT, ".SH FILES", _FILES, ""])


def files() -> dict[str, str]:
    """Name to text of every generated file."""
    made = {"rocmdoctor.1": manual()}
    for name, shell in _SHELLS.items():
        complete = shell(cli, {}, "rocmdoctor", "_ROCMDOCTOR_COMPLETE")
        made[name] = complete.source_template % complete.source_vars()
    return made


def stale() -> list[str]:
    """Files that are missing or differ."""
    return [name for name, text in files().items() if not (FOLDER / name).is_file() or (FOLDER / name).read_text("utf-8") != text]


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        bad = stale()
        print("\n".join(f"stale: deploy/shell/{name}" for name in bad) or "fresh")
        sys.exit(bool(bad))
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in files().items():
        (FOLDER / name).write_text(text, "utf-8")
