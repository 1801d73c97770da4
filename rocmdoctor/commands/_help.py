"""Help that ends in examples and exit statuses; groups that show every command whole and know what a wrong name was meant to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rocmdoctor import later
from rocmdoctor.share.wash import wash

if TYPE_CHECKING:
    import difflib
else:
    difflib = later.module("difflib")


STATUSES = """Exit status: 0 nothing found at or above --fail-on (default: error) · 1 something found · 2 wrong usage · 3 nothing found, but
something that matters could not be examined · 70 rocmdoctor itself failed."""

DONE = "Exit status: 0 done · 2 wrong usage or a file that cannot be written · 70 rocmdoctor itself failed."


def epilog(*examples: str, statuses: str = STATUSES) -> str:
    """The end of a command's help: examples, and what its exit statuses mean."""
    return "\b\nExamples:\n" + "\n".join(f"  rocmdoctor {example}" for example in examples) + ("\n\n" + statuses if statuses else "")


class Group(click.Group):
    """A group of commands."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was typed, or what it may have been meant to be."""
        if args and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            ctx.fail(f"There is no command {wash(args[0], 60)!r}; {self.meant(ctx, args[0])}")
        return super().resolve_command(ctx, args)

    def meant(self, ctx: click.Context, name: str) -> str:
        """What to type in place of a name that there is not."""
        near = difflib.get_close_matches(name, self.list_commands(ctx), 1, 0.5)
        return f"did you mean {near[0]}?" if near else f"`{ctx.command_path} --help` lists the commands"

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every command with its whole first sentence."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(200)) for name, command in found if command])
