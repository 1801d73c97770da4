"""A client of `rocmdoctor mcp`: the SDK's own over real pipes, and a bare one for what no good client sends."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time

import anyio
from mcp import Client, StdioServerParameters, types

TOP = pathlib.Path(__file__).resolve().parents[2]
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
MODES = ("legacy", "auto")  # the handshake of 2025, and the protocol of 2026-07-28, which has none


def environment(home, **more):
    return {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(TOP), "HOME": str(home), "XDG_STATE_HOME": str(pathlib.Path(home) / "state"),
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), **{name: str(value) for name, value in more.items()}}


def talk(home, work, roots=(), allow=(), mode="legacy", **more):
    """Run ``await work(client)`` with a connected client; what it returns."""
    named = [types.Root(uri=root if "://" in str(root) else pathlib.Path(root).as_uri()) for root in roots]

    async def say(_):
        return types.ListRootsResult(roots=named)

    async def run():
        arguments = ["-m", "rocmdoctor", "mcp", *(word for folder in allow for word in ("--allow", str(folder)))]
        server = StdioServerParameters(command=sys.executable, args=arguments, env=environment(home, **more), cwd=home)
        with anyio.fail_after(240):
            async with Client(server, mode=mode, list_roots_callback=say if roots else None) as client:
                return await work(client)

    return anyio.run(run)


async def ask(client, tool, progress=None, **given):
    """The answer of a tool as plain data; an error is its one line."""
    found = await client.call_tool(tool, given, progress_callback=progress)
    [content] = found.content
    assert len(content.text.encode()) < 4000
    if found.is_error:
        assert found.structured_content is None and "\n" not in content.text
        return content.text
    assert json.loads(content.text) == found.structured_content
    return found.structured_content


async def every_page(client, tool, **given):
    """All pages of an answer."""
    pages = [await ask(client, tool, **given)]
    assert isinstance(pages[0], dict), pages[0]
    while pages[-1].get("more"):
        assert pages[-1]["pages_left"] > 0
        pages.append(await ask(client, tool, more=pages[-1]["more"]))
    return pages


class Bare:
    """The server as a process, with lines in and lines out."""

    def __init__(self, home, *arguments, before=None, **more):
        self.process = subprocess.Popen([sys.executable, "-m", "rocmdoctor", "mcp", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=environment(home, **more), cwd=home, preexec_fn=before)

    def send(self, line):
        self.process.stdin.write((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n")
        self.process.stdin.flush()

    def answer(self, number):
        """The answer to a question; every line before it is a message, too."""
        while True:
            said = json.loads(self.process.stdout.readline())
            assert said["jsonrpc"] == "2.0"
            if said.get("id") == number and "method" not in said:
                return said

    def question(self, number, method, **params):
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def hello(self):
        self.question(0, "initialize", **HELLO)
        found = self.answer(0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return found["result"]

    def call(self, number, tool, **given):
        self.question(number, "tools/call", name=tool, arguments=given)

    def ended(self, seconds=10):
        """The status, and seconds until it came."""
        began = time.monotonic()
        return self.process.wait(seconds), time.monotonic() - began

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(5)
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()
