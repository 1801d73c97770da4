"""The protocol's two streams: standard input by lines that are bounded, standard output for messages alone.

The SDK's own transport reads a line of any length whole, and waits in a thread that nothing ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter

MOST_LINE = 4 << 20  # bytes of a message that is read
_PIECE = 1 << 16
Said = SessionMessage | Exception
Streams = tuple[MemoryObjectReceiveStream[Said], MemoryObjectSendStream[SessionMessage]]


def claimed() -> tuple[int, int]:
    """Standard input and output for the protocol: what else reads finds nothing, and what else prints goes to standard error."""
    reads, writes = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return reads, writes


class Lines:
    """Bytes to lines. One that is longer than may be is None, once, and costs no memory."""

    def __init__(self, most: int = MOST_LINE) -> None:
        self._most = most
        self._held = bytearray()
        self._skipping = False

    def add(self, piece: bytes) -> list[bytes | None]:
        """The lines that end in this piece.

        >>> lines = Lines(4)
        >>> lines.add(b"ab"), lines.add(b"c\\nde"), lines.add(b"fgh"), lines.add(b"ijk\\nx\\n")
        ([], [b'abc'], [None], [b'x'])
        """
        found: list[bytes | None] = []
        *whole, rest = piece.split(b"\n")
        for end in whole:
            if self._skipping:
                self._skipping = False
            elif len(self._held) + len(end) > self._most:
                found.append(None)
            else:
                found.append(bytes(self._held) + end)
            self._held.clear()
        if not self._skipping:
            if len(self._held) + len(rest) > self._most:
                self._held.clear()
                self._skipping = True
                found.append(None)
            else:
                self._held += rest
        return found


def message(line: bytes | None) -> SessionMessage | str:
    """The message of a line, or what is wrong with it."""
    if line is None:
        return f"a message of more than {MOST_LINE >> 20} MiB is not read"
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return "this line is no JSON-RPC message"


@contextlib.asynccontextmanager
async def streams(reads: int, writes: int) -> AsyncIterator[Streams]:
    """What the SDK reads messages from and writes messages to, over two open files; the first ends when the client's side does."""
    said, heard = anyio.create_memory_object_stream[Said](0)
    told, tells = anyio.create_memory_object_stream[SessionMessage](0)
    wrong = told.clone()
    loop = asyncio.get_running_loop()

    async def take(lines: list[bytes | None]) -> None:
        for line in lines:
            if line is not None and not line.strip():
                continue
            found = message(line)
            if isinstance(found, str):
                with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await wrong.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=PARSE_ERROR, message=found))))
            else:
                await said.send(found)

    def read() -> None:
        """In a thread of its own, which waits for a client as long as there is a server."""
        lines = Lines()
        with contextlib.suppress(RuntimeError, OSError, anyio.BrokenResourceError, anyio.ClosedResourceError, asyncio.CancelledError):
            while piece := os.read(reads, _PIECE):
                if whole := lines.add(piece):
                    asyncio.run_coroutine_threadsafe(take(whole), loop).result()
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(said.close)

    async def write() -> None:
        async with tells:
            async for each in tells:
                line = each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                try:
                    await anyio.to_thread.run_sync(_write, writes, line, abandon_on_cancel=True)
                except OSError:  # nobody reads any more
                    said.close()
                    return

    async with anyio.create_task_group() as group:
        threading.Thread(target=read, daemon=True).start()
        group.start_soon(write)
        with wrong:
            yield heard, told
        group.cancel_scope.deadline = anyio.current_time() + 0.2  # what is still to be written
    said.close()


def _write(file: int, line: bytes) -> None:
    left = memoryview(line)
    while left:
        left = left[os.write(file, left):]
