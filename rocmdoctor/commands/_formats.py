"""``--format NAME[=FILE]``: what was asked for, and where it goes. Light, because a gate that runs before every job starts with it."""

from __future__ import annotations

from collections.abc import Sequence

import click


class Usage(click.ClickException):
    """Something the caller can put right: one line, status 2."""

    exit_code = 2


def pair(said: str, known: Sequence[str]) -> tuple[str, str]:
    """(format, file); file "" is standard output, and so is ``-``. Raises Usage."""
    name, joint, file = said.partition("=")
    if name not in known:
        import difflib

        from rocmdoctor.share.wash import wash_prose

        near = difflib.get_close_matches(name, known, 1, 0.5)
        raise Usage(wash_prose(f"--format {said}: there is no format {name!r}; " + (f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}")))
    if joint and not file:
        raise Usage(f"--format {said}: name a file after the =, or leave the = out")
    return name, "" if file == "-" else file


def unmixed(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same pairs, of which one at most is for standard output. Raises Usage."""
    if sum(not file for _, file in pairs) > 1:
        raise Usage(f"{' and '.join(name for name, file in pairs if not file)} would mix on standard output: give all but one a file, "
                    f"as in --format {pairs[0][0]}=FILE")
    return pairs
