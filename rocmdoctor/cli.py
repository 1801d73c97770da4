"""The entry point: which command was typed, and how it ends."""

from __future__ import annotations

import contextlib
import importlib
import pathlib
import sys
import traceback

import click

from rocmdoctor import VERSION_LINE, __version__, commands, later, streams
from rocmdoctor.commands._help import Group
from rocmdoctor.knowledge import trusted_file
from rocmdoctor.live.ending import orderly
from rocmdoctor.share.wash import wash

_FIRST = ("check", "explain", "why", "test", "memory", "compare", "llm", "bundle")  # as they are needed; the rest by name
_OWN = ("-h", "--help", "-V", "--version")


class _Walked(Group):
    """The commands are the modules of a folder; only the one that was typed is imported."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. An end of file that nobody caught is a failure; click would take it for an interrupt."""
        try:
            return super().invoke(ctx)
        except EOFError as error:
            raise RuntimeError(f"end of file: {error}").with_traceback(error.__traceback__) from None

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without a command it is ``check``; ``help NAME`` is ``NAME --help``."""
        if not ctx.resilient_parsing:  # completion asks for the names of commands
            if args[:1] == ["help"]:
                args = [*args[1:2], "--help"]
            elif not args or (args[0].startswith("-") and args[0] not in _OWN):
                args = ["check", *args]
        return super().parse_args(ctx, args)

    def meant(self, ctx: click.Context, name: str) -> str:
        """A path is for ``explain``."""
        return f"`rocmdoctor explain {name}` reads files" if pathlib.Path(name).exists() else super().meant(ctx, name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        folder = pathlib.Path(commands.__file__).parent
        found = sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_"))
        return sorted(found, key=lambda name: _FIRST.index(name) if name in _FIRST else len(_FIRST))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"rocmdoctor.commands.{cmd_name}").command
        command.name = cmd_name
        return command


_EPILOG = """\b
Examples:
  rocmdoctor                                 examine this machine, as `check` does
  rocmdoctor explain ticket/                 read somebody's logs and reports
  rocmdoctor why runtime-pm-resume-fails     explain a finding
  rocmdoctor memory --model-size 60GB        whether a model fits

Exit status: 0 nothing found · 1 something found · 2 wrong usage · 3 not decided · 70 rocmdoctor itself failed.
`rocmdoctor COMMAND --help` has the options, examples and exit statuses of a command."""


@click.group(cls=_Walked, context_settings={"help_option_names": ["-h", "--help"]}, epilog=_EPILOG)
@click.version_option(__version__, "-V", "--version", message=VERSION_LINE)
def cli() -> None:
    """What is wrong with this AMD GPU setup, and what to do first. Without a command: `check`."""


def main() -> None:
    """Entry point: exit statuses as documented; a failure of our own is 70 with one line of what and where, a signal 128 and its number."""
    streams.ready()
    with orderly():
        try:
            _main()
        finally:
            later.keep()
            for sentence in trusted_file.left_out():
                with contextlib.suppress(OSError, ValueError):
                    click.echo(sentence, err=True)


def _main() -> None:
    try:
        try:
            found = cli.main(standalone_mode=False)
        finally:
            sys.stdout.flush()
        raise SystemExit(found)
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from None
    except click.Abort:
        raise SystemExit(130) from None
    except streams.Unwritable as error:
        click.echo(f"standard output: cannot be written ({error.strerror})", err=True)
        raise SystemExit(2) from None
    except Exception as error:
        click.echo(f"rocmdoctor failed: {wash(f'{type(error).__name__}: {error}')} ({_where(error)}); please report this with the command you ran", err=True)
        raise SystemExit(70) from None


def _where(error: BaseException) -> str:
    """File and line of ours that failed last."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "rocmdoctor" in frame.filename]
    return f"{pathlib.PurePath(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "unknown place"
