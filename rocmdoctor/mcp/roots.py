"""Which paths may be read: those below a folder that was named, wherever their links lead."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterable
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname


class Outside(ValueError):
    """A path that may not be read; one line for the client."""


def folders(uris: Iterable[str]) -> list[str]:
    """The folders that ``file:`` addresses name; others, and those of other machines, name none.

    >>> folders(["file:///work/some%20logs", "https://example.org/", "file://elsewhere/x", "file:///a/../b"])
    ['/work/some logs', '/b']
    """
    found = []
    for uri in uris:
        try:
            parts = urlsplit(uri)
        except ValueError:
            continue
        if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
            continue
        path = url2pathname(parts.path) if os.name == "nt" else unquote(parts.path)
        if os.path.isabs(path) and "\0" not in path:
            found.append(os.path.normpath(path))
    return found


def admitted(path: str, within: Iterable[str]) -> str:
    """The real place of a path, which may be relative to one of the folders. Raises Outside where it is in none of them, or is not there.

    That something lies outside is not told apart from that it is missing, so nobody learns what there is.
    """
    named = list(within)
    if not named:
        raise Outside("no folder may be read: the client names none as a root, and the server was started without `--allow FOLDER`")
    said = f"{path!r} is not in a folder that may be read (the client's roots, those of --allow), or is not there"
    if "\0" in path:
        raise Outside(said)
    for place in [path] if os.path.isabs(path) else [os.path.join(folder, path) for folder in named]:
        try:
            real = pathlib.Path(place).resolve(strict=True)
        except (OSError, RuntimeError):
            continue
        for folder in named:
            if real.is_relative_to(os.path.realpath(folder)):
                return str(real)
    raise Outside(said)
