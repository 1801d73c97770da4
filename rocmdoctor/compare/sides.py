"""What is compared with what: this machine, a kept state, or somebody's files, as a person names them."""

from __future__ import annotations

import os
import pathlib

from rocmdoctor.commands._console import now
from rocmdoctor.commands._formats import Usage
from rocmdoctor.commands._progress import Progress
from rocmdoctor.compare import kept, moments, states
from rocmdoctor.compare.changes import Before
from rocmdoctor.diagnosis.examine import examine, read
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import rules
from rocmdoctor.knowledge.rules import Rulebook


def compared(old: str | None, new: str | None, since: str | None, rule_dirs: tuple[str, ...] = (),
             progress: Progress | None = None) -> tuple[Snapshot, Rulebook, Before]:
    """The later side, the rules, and what it is compared with.

    ``old`` (None: the last good state) and ``new`` (None: this machine now) are a kept state (good, last, a date) or a path; with
    ``since``, a moment in words, histories alone are read and ``old`` is the machine. Raises Usage for what cannot be compared.
    """
    if since is None:
        earlier, _, old_name = _side(old or "good", rule_dirs, progress)
        snapshot, book, name = _side(new, rule_dirs, progress)
        return snapshot, book, Before(old_name, earlier, new_name=name)
    moment = moments.parse(since, now())
    if moment is None:
        raise Usage(f"--since {since or '(nothing)'}: not a moment; write 2026-11-20, yesterday, \"last week\" or \"3 days ago\"")
    if moment > now():
        raise Usage(f"--since {since}: that is still to come")
    if new:
        raise Usage("with --since only one FILE can be named")
    snapshot, book, name = _side(old, rule_dirs, progress)
    return snapshot, book, Before(f"{moment[:16].replace('T', ' ')} UTC", None, moment, name)


def _side(named: str | None, rule_dirs: tuple[str, ...], progress: Progress | None) -> tuple[Snapshot, Rulebook, str]:
    """One side: its snapshot, the rules, and how it is called."""
    if named is None:
        snapshot, book, _ = examine((), False, "/", (), rule_dirs, progress=progress)
        return snapshot, book, "now"
    held = _state(named)
    if held is not None:
        return held[1], rules.load(tuple(map(pathlib.Path, rule_dirs))), held[2]
    snapshot, book, _ = read((named,), rule_dirs)
    return snapshot, book, os.path.basename(named.rstrip("/")) or named


def is_state(named: str) -> bool:
    """Whether a word names a kept state, or a moment, and no file."""
    return named in ("good", "last") or moments.parse(named, now(), end=True) is not None and not os.path.lexists(named)


def _state(named: str) -> tuple[states.State, Snapshot, str] | None:
    """The kept state of that name; None when the word names a file."""
    if not is_state(named):
        if named != "-" and not os.path.lexists(named):
            raise Usage(f"{named}: no such file or folder, and no moment; kept states: rocmdoctor compare --list")
        return None
    moment = moments.parse(named, now(), end=True)
    held, _ = states.listed(kept.folder())
    wanted = states.baseline(held) if named == "good" else held if moment is None else states.before(held, moment)
    found = kept.readable(wanted)
    if found is None:
        missing = {"good": "no state without errors is kept yet", "last": "no state is kept yet"}.get(named, "no state of then or before is kept")
        raise Usage(f"{named}: {missing}; rocmdoctor check keeps one each time, --since WHEN needs none")
    return found[0], found[1], called(found[0])


def called(state: states.State) -> str:
    """How a kept state is named to a person."""
    return f"the state of {state.taken[:16].replace('T', ' ')} UTC{', marked good' if state.good else ''}"
