"""The entry point: which command was typed, and how it ends."""

from __future__ import annotations

import contextlib
import importlib
import os
import pathlib

import click

from rocmdoctor import VERSION_LINE, __version__, commands
from rocmdoctor.knowledge import trusted_file
from rocmdoctor.live.ending import orderly


class _Walked(click.Group):
    """The commands are the modules of a folder; only the one that was typed is imported."""

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
    """Entry point: exit statuses as documented; a failure of our own is 70, a signal 128 and its number, a closed pipe is silent."""
    with orderly():
        try:
            _main()
        finally:
            for sentence in trusted_file.left_out():
                with contextlib.suppress(OSError, ValueError):
                    click.echo(sentence, err=True)


def _main() -> None:
    try:
        raise SystemExit(cli.main(standalone_mode=False))
    except click.ClickException as error:
        error.show()
        raise SystemExit(error.exit_code) from None
    except click.Abort:
        raise SystemExit(130) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise SystemExit(0) from None
    except Exception as error:
        click.echo(f"rocmdoctor failed: {type(error).__name__}: {error}; please report this with the command you ran", err=True)
        raise SystemExit(70) from None
