"""Questions at work, each in a process of its own; the next process is made ready while nobody asks."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.to_thread

from rocmdoctor.mcp.worker_process import Worker

MOST_AT_ONCE = 3
MOST_WAITING = 32
DEADLINE = 300.0  # seconds of one question
PATIENCE = 0.8  # seconds that a process has to end itself and what it started
Told = Callable[[float, float | None, str], Awaitable[None]]


class Failed(Exception):
    """A question without an answer; one line."""


class Jobs:
    """The processes of the server; ``close`` ends them all."""

    def __init__(self, spare: Worker) -> None:
        self._spare: Worker | None = spare
        self._at_work: set[Worker] = set()
        self._waiting = 0
        self._room = anyio.CapacityLimiter(MOST_AT_ONCE)
        self._machine = anyio.Lock()

    async def answer(self, tool: str, given: dict[str, Any], told: Told, machine: bool) -> dict[str, Any]:
        """What the process answers. Raises Failed. Of what examines the machine one is at work at a time."""
        async with contextlib.AsyncExitStack() as held:
            if self._waiting >= MOST_WAITING:
                raise Failed(f"{MOST_WAITING} questions wait already")
            self._waiting += 1
            held.callback(self._one_less)
            if machine:
                await held.enter_async_context(self._machine)
            await held.enter_async_context(self._room)
            try:
                worker, self._spare = self._spare or Worker(), None
            except OSError as error:
                raise Failed(f"no process can be started ({error.strerror})") from None
            self._at_work.add(worker)
            try:
                with anyio.fail_after(DEADLINE):
                    return await self._heard(worker, json.dumps({"tool": tool, "given": given}).encode() + b"\n", told)
            except TimeoutError:
                raise Failed(f"no answer within {DEADLINE:.0f} seconds; it was ended") from None
            finally:
                with anyio.CancelScope(shield=True):
                    await anyio.to_thread.run_sync(worker.end, time.monotonic() + PATIENCE)
                self._at_work.discard(worker)
                if self._spare is None:
                    with contextlib.suppress(OSError):  # also while this program ends
                        self._spare = Worker()

    def _one_less(self) -> None:
        self._waiting -= 1

    async def _heard(self, worker: Worker, question: bytes, told: Told) -> dict[str, Any]:
        with contextlib.suppress(OSError):
            await anyio.to_thread.run_sync(worker.ask, question, abandon_on_cancel=True)
        while line := await anyio.to_thread.run_sync(worker.line, abandon_on_cancel=True):
            try:
                said = json.loads(line)
            except ValueError:
                continue
            if "told" in said:
                done, whole, words = said["told"]
                await told(done, whole or None, words)
            elif "answer" in said:
                found: dict[str, Any] = said["answer"]
                return found
            else:
                raise Failed(str(said.get("refused") or said.get("failed")))
        raise Failed("the process that was to answer ended without an answer")

    async def close(self) -> None:
        """End all, within a second."""
        workers = [*self._at_work, *filter(None, [self._spare])]
        self._spare = None
        for worker in workers:
            worker.release()
        until = time.monotonic() + PATIENCE
        for worker in workers:
            await anyio.to_thread.run_sync(worker.end, until)
