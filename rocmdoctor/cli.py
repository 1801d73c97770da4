"""The entry point: which command was typed, and how it ends."""

from __future__ import annotations

import contextlib
import importlib
import pathlib
import sys
import traceback

import click

from rocmdoctor import VERSION_LINE, __version__, commands, streams
from rocmdoctor.knowledge import trusted_file
from rocmdoctor.live.ending import orderly
from rocmdoctor.share.wash import wash


class _Walked(click.Group):
    """The commands are the modules of a folder; only the one that was typed is imported."""

    def invoke(self, ctx: click.Context) -> object:
        """Run the command. An end of file that nobody caught is a failure; click would take it for an interrupt."""
        try:
            return super().invoke(ctx)
        except EOFError as error:
            raise RuntimeError(f"end of file: {error}").with_traceback(error.__traceback__) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        folder = pathlib.Path(commands.__file__).parent
        return sorted(file.stem for file in folder.glob("*.py") if not file.stem.startswith("_"))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = importlib.import_module(f"rocmdoctor.commands.{cmd_name}").command
        command.name = cmd_name
        return command


@click.group(cls=_Walked, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message=VERSION_LINE)
def cli() -> None:
    """What is wrong with this AMD GPU setup, and what to do first."""


def main() -> None:
    """Entry point: exit statuses as documented; a failure of our own is 70 with one line of what and where, a signal 128 and its number."""
    streams.ready()
    with orderly():
        try:
            _main()
        finally:
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
