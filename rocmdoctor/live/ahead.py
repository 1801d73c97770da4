"""Programs that are started before it is known whether their work is wanted: they load what they need, and wait to be let go on."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from rocmdoctor.live.runner import Go, Outcome

STAGES = ("list", "open")  # devices are listed; opened, and programs for them compiled
Start = Callable[[Path, Go], Outcome]  # given the file for its progress and its leave to go on, it runs a program to its end


class Begun:
    """One program that was started, and waits."""

    def __init__(self, start: Start) -> None:
        self._folder = tempfile.mkdtemp(prefix="rocmdoctor-")
        self.told = Path(self._folder, "progress")
        self.go = Go(Path(self._folder, "go"))
        self.go.path.mkdir()
        self._made: list[Outcome] = []
        self._thread = threading.Thread(target=lambda: self._made.append(start(self.told, self.go)), daemon=True)
        self._thread.start()

    def outcome(self) -> Outcome:
        """Let it work; what came out."""
        for stage in STAGES:
            self.go.give(stage)
        self.go.give("work", last=True)
        self._thread.join()
        return self._made[0]

    def ended(self) -> bool:
        """Whether it ended without a leave to work: there was nothing to work on."""
        return not self._thread.is_alive()

    def end(self) -> None:
        """It is not wanted, or is through."""
        self.go.off = True
        self._thread.join()
        shutil.rmtree(self._folder, ignore_errors=True)


class Ahead:
    """What was begun ahead, by name."""

    def __init__(self, starts: Mapping[str, Start]) -> None:
        self._held: dict[str, Begun] = {}
        for name, start in starts.items():
            with contextlib.suppress(OSError):  # no place for its files: it is started when its turn comes
                self._held[name] = Begun(start)

    def give(self, stage: str) -> None:
        """Let all go on to a stage of :data:`STAGES`."""
        for begun in list(self._held.values()):
            with contextlib.suppress(OSError):
                begun.go.give(stage)

    def idle(self, name: str) -> bool:
        """Whether one of them has ended, as nothing was there for it."""
        return name in self._held and self._held[name].ended()

    def take(self, name: str) -> Begun | None:
        """One of them, which is the caller's from then on."""
        return self._held.pop(name, None)

    def end(self) -> None:
        """None of those that are left is wanted."""
        for begun in self._held.values():
            begun.go.off = True
        while self._held:
            self._held.popitem()[1].end()
