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
        self.all = self.done = 0  # probes

    def probe(self, name: str, state: str) -> None:
        """A probe waits, is started, or has ended in some way."""
        with self._lock:
            self.all += state == "waiting"
            self.done += state not in ("waiting", "started")
            if state == "started":
                self.say(f"{name} ({min(self.done + 1, self.all)} of {self.all})")

    def test(self, words: str) -> None:
        """A test computation is at work."""
        with self._lock:
            self.say(f"test computation: {words}")

    def words(self, words: str) -> None:
        """What somebody says, as far as it has come."""
        with self._lock:
            self.say(words)

    def clear(self) -> None:
        """Leave the line empty."""
        if self.shown:
            click.echo("\r\033[K", err=True, nl=False)

    def say(self, words: str) -> None:
        """Show what is being done."""
        if self.shown:
            click.echo(f"\r\033[K  {words} ...", err=True, nl=False)
