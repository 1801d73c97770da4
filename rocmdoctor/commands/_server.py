"""What the commands that talk to a model server share: its address, and lines while it works."""

from __future__ import annotations

import click

from rocmdoctor.commands._formats import Usage
from rocmdoctor.share.wash import wash


def say(line: str) -> None:
    """One line of what is being done, on standard error."""
    click.echo(f"  {wash(line)}", err=True)


def server_address(text: str) -> tuple[str, str, int]:
    """``http://host:port``, the host, the port. Raises Usage with what is wrong."""
    from rocmdoctor.llm.client import BadAddress, address

    try:
        return address(text)
    except BadAddress as error:
        raise Usage(wash(error)) from None
