"""What the commands that talk to a model server share: its address, its key, and lines while it works."""

from __future__ import annotations

import os

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


def server_key(place: tuple[str, str, int]) -> str:
    """The key out of the environment, "" without one; that it would be read on the way is said."""
    from rocmdoctor.llm.client import KEY, is_local

    key = os.environ.get(KEY, "")
    if key and place[0].startswith("http://") and not is_local(place[1]):
        say(f"the key of {KEY} goes over the network in the clear: the address is not https")
    return key
