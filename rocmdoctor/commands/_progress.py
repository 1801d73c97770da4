"""What is being done now, in one line of a terminal that is written over."""

from __future__ import annotations

import sys
import threading

import click


class Progress:
    """Says nothing where standard error is no terminal."""

    def __init__(self) -> None:
        self.shown = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._all = self._done = 0

    def probe(self, name: str, state: str) -> None:
        """A probe waits, is started, or has ended in some way."""
        with self._lock:
            self._all += state == "waiting"
            self._done += state not in ("waiting", "started")
            if state == "started":
                self._say(f"{name} ({min(self._done + 1, self._all)} of {self._all})")

    def test(self, words: str) -> None:
        """A test computation is at work."""
        with self._lock:
            self._say(f"test computation: {words}")

    def words(self, words: str) -> None:
        """What somebody says, as far as it has come."""
        with self._lock:
            self._say(words)

    def clear(self) -> None:
        """Leave the line empty."""
        if self.shown:
            click.echo("\r\033[K", err=True, nl=False)

    def _say(self, words: str) -> None:
        if self.shown:
            click.echo(f"\r\033[K  {words} ...", err=True, nl=False)
