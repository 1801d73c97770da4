"""`rocmdoctor mcp`: a call that is cancelled, a client that goes, lines that are none. Nothing is left, and nothing else is printed."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra rocmdoctor[mcp] is not installed")
from mcp_client import HELLO, MODES, TOP, Bare, ask, environment, talk

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs Linux")
STUBBORN = "#!/bin/sh\ntrap '' TERM HUP INT\nsetsid sleep {sleep} &\necho up >> \"$UP\"\nsleep {sleep}\nsleep {sleep}\n"


def command_lines():
    """Of every process: its number and its arguments."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield int(entry.name), (entry / "cmdline").read_bytes().split(b"\0"), (entry / "environ").read_bytes()
            except OSError:
                continue


class Slow:
    """A home with tools and a Python that do not come back, and what is left of a server that ran in it."""

    def __init__(self, home):
        self.home, self.up = home, home / "up"
        self.sleep = f"{os.getpid() + 20_000}.{time.monotonic_ns() % 1_000_000}"
        (home / "tmp").mkdir()
        site = home / "venv/lib/python3.12/site-packages/torch"
        site.mkdir(parents=True)
        (site / "version.py").write_text("__version__ = '2.9.0'\n")
        for path in (home / "venv/bin/python", home / "tools/dmesg"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(STUBBORN.format(sleep=self.sleep))
            path.chmod(0o755)
        self.variables = {"PATH": f"{home}/tools:/usr/bin:/bin", "VIRTUAL_ENV": home / "venv", "UP": self.up, "TMPDIR": home / "tmp"}

    def busy(self):
        until = time.monotonic() + 120
        while not self.up.exists():
            assert time.monotonic() < until
            time.sleep(0.02)

    def left(self, seconds, but=()):
        """Processes that ran here and still do, after a while; temporary files."""
        until = time.monotonic() + seconds
        mark = f"TMPDIR={self.home}/tmp".encode()
        while True:
            found = [(pid, line) for pid, line, given in command_lines() if self.sleep.encode() in line or mark in given and pid not in but]
            if not found or time.monotonic() > until:
                return [*found, *(() if but else (self.home / "tmp").iterdir())]
            time.sleep(0.05)


@pytest.fixture
def slow(tmp_path):
    return Slow(tmp_path)


CALLS = {"a probe": ("check", {"kernels": False}), "the user's Python": ("check", {}), "a kernel test": ("test", {"level": 2, "backends": ["torch"]}),
         "a comparison": ("compare", {"since": "last week"})}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("work", CALLS)
def test_a_cancelled_call_stops_what_it_started_and_the_server_answers_on(slow, work, mode):
    tool, given = CALLS[work]
    meanwhile = []

    async def run(client):
        async with anyio.create_task_group() as group:
            async def call():
                await ask(client, tool, **given)
                raise AssertionError("it was to be cancelled")

            group.start_soon(call)
            await anyio.to_thread.run_sync(slow.busy)
            if tool == "test":  # the others come to their deadline sooner than a busy machine answers
                meanwhile.append(await ask(client, "why", id="mes-scheduler-stopped"))
            group.cancel_scope.cancel()
        with anyio.CancelScope(shield=True):
            await anyio.sleep(2)
            left = [line for _, line, _ in command_lines() if slow.sleep.encode() in line]
            return left, await ask(client, "known", words="hang", component="mesa")

    left, known = talk(slow.home, run, mode=mode, **slow.variables)
    assert known["defects"] and left == [] and all(why["id"] == "mes-scheduler-stopped" for why in meanwhile)
    assert slow.left(3) == []


ENDINGS = {"a closed input": None, "SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT, "SIGHUP": signal.SIGHUP, "SIGKILL": signal.SIGKILL}


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
@pytest.mark.parametrize("how", ENDINGS)
def test_the_server_ends_within_a_second_and_leaves_nothing(slow, how, busy):
    def heed():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    with Bare(slow.home, before=heed, **slow.variables) as server:
        server.hello()
        if busy:
            server.call(1, "check")
            slow.busy()
        began = time.monotonic()
        if ENDINGS[how] is None:
            server.process.stdin.close()
        else:
            server.process.send_signal(ENDINGS[how])
        status, _ = server.ended(20)
        took = time.monotonic() - began
        assert status == (0 if ENDINGS[how] is None else -9 if how == "SIGKILL" else 128 + ENDINGS[how])
        assert took < max(1.5, 2 * os.getloadavg()[0] / os.cpu_count())  # a second, and more for a machine that has other work
        rest = server.process.stdout.read()
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
        assert b"Traceback" not in server.process.stderr.read()
    left = slow.left(4)
    assert left == [] or how == "SIGKILL" and all(isinstance(one, pathlib.Path) for one in left), left  # nobody is there to remove its folder


def test_a_signal_before_the_first_word_ends_it_too(slow):
    for pause in (0.05, 0.2, 0.4):
        with Bare(slow.home, **slow.variables) as server:
            time.sleep(pause)
            server.process.terminate()
            assert server.ended(10)[0] in (143, -15)
    assert [one for one in slow.left(4) if not isinstance(one, pathlib.Path)] == []


def test_lines_that_are_no_messages(tmp_path):
    garbage = [b"", b"   ", b"garbage", b"{", b"[]", b"null", b"{}", b"\xff\xfe\x00bad", b'{"jsonrpc": "2.0"}', b'{"jsonrpc": "1.0", "id": 3, "method": "ping"}',
               b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', b"[" * 100_000, b'{"a":' * 50_000,
               b'{"jsonrpc": "2.0", "id": 9, "method": 7}', b'{"jsonrpc": "2.0", "id": 1e400, "method": "ping"}', b"9" * 10_000]
    with Bare(tmp_path) as server:
        for line in garbage:
            server.send(line)
        server.hello()
        for line in garbage:
            server.send(line)
        for number, (method, params) in enumerate([("tools/call", {}), ("tools/call", {"name": 7}), ("tools/call", {"name": "why", "arguments": []}),
                                                   ("no/such", {}), ("tools/list", {"cursor": 7}), ("resources/list", {})], 100):
            server.question(number, method, **params)
            assert "error" in server.answer(number)
        server.call(1, "why", id="mes-scheduler-stopped")
        assert not server.answer(1)["result"]["isError"]
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}})
        server.send({"jsonrpc": "2.0", "id": 55, "result": {}})
        server.question(2, "ping")
        assert server.answer(2)["result"] == {}
        server.process.stdin.close()
        assert server.ended()[0] == 0 and server.process.stderr.read() == b""


def test_a_line_of_50_megabytes_costs_no_memory(tmp_path):
    def bounded():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    with Bare(tmp_path, before=bounded) as server:
        server.hello()
        before = int(next(row for row in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines() if row.startswith("VmHWM")).split()[1])
        server.send(b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "' + b"x" * (50 << 20) + b'"}}')
        said = json.loads(server.process.stdout.readline())
        assert said["error"]["code"] == -32700 and said["id"] is None and "4 MiB" in said["error"]["message"]
        server.question(2, "ping")
        assert server.answer(2)["result"] == {}
        after = int(next(row for row in pathlib.Path(f"/proc/{server.process.pid}/status").read_text().splitlines() if row.startswith("VmHWM")).split()[1])
        assert after - before < 20 << 10  # KiB


def test_a_client_that_closes_its_ear_is_taken_for_gone(slow):
    with Bare(slow.home, **slow.variables) as server:
        server.hello()
        server.process.stdout.close()
        for number in range(1, 4):
            server.question(number, "tools/list")
        assert server.ended(20)[0] == 0
    assert slow.left(4) == []


def test_a_client_that_does_not_read_keeps_nobody_from_ending(slow):
    with Bare(slow.home, **slow.variables) as server:
        server.hello()
        for number in range(1, 30):
            server.question(number, "tools/list")  # more than a pipe holds
        time.sleep(0.5)
        server.process.terminate()
        status, took = server.ended(20)
        assert status == 143 and took < max(2.0, 2 * os.getloadavg()[0] / os.cpu_count())
    assert slow.left(4) == []


def test_requests_from_a_file_are_answered_to_the_last(tmp_path):
    """Standard input may be a file, which ends at once; what was asked before its end was asked."""
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    (tmp_path / "in").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with open(tmp_path / "in", "rb") as file:
        done = subprocess.run([sys.executable, "-m", "rocmdoctor", "mcp"], stdin=file, capture_output=True, env=environment(tmp_path), cwd=tmp_path, timeout=30)
    assert done.returncode == 0 and json.loads(done.stdout.splitlines()[0])["result"]["serverInfo"]["name"] == "rocmdoctor"


def test_an_sdk_that_does_not_come_apart_is_imported_whole(tmp_path):
    program = ("import importlib.util, types, sys; importlib.util.module_from_spec = lambda spec: types.ModuleType(spec.name)\n"
               "from rocmdoctor.mcp import sdk; served = sdk.server(); print(served.Server.__name__, 'mcp.client.client' in sys.modules)")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment(tmp_path), cwd=tmp_path)
    assert done.stdout == "Server True\n", done.stderr
    alone = "import sys; from rocmdoctor.mcp import sdk; sdk.server(); print(any(name in sys.modules for name in ('mcp.client', 'uvicorn', 'starlette')))"
    done = subprocess.run([sys.executable, "-c", alone], capture_output=True, text=True, env=environment(tmp_path), cwd=tmp_path)
    assert done.stdout == "False\n", done.stderr


def test_nothing_else_is_imported_from_where_it_was_started(tmp_path):
    """A folder somebody works in may hold modules of the names that are imported."""
    for name in ("rocmdoctor", "mcp", "anyio", "click", "json", "socket"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('foreign module')\n")
    program = f"import sys; sys.path[0] = {str(TOP)!r}; sys.argv = ['rocmdoctor', 'mcp']; from rocmdoctor.__main__ import main; main()"
    server = subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path,
                              env={name: value for name, value in environment(tmp_path).items() if name != "PYTHONPATH"})
    asked = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}, {"jsonrpc": "2.0", "method": "notifications/initialized"},
             {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "why", "arguments": {"id": "mes-scheduler-stopped"}}}]
    for line in asked:
        server.stdin.write(json.dumps(line).encode() + b"\n")
    server.stdin.flush()
    answers = [json.loads(server.stdout.readline()) for _ in range(2)]
    _, err = server.communicate(timeout=10)
    assert answers[1]["result"]["structuredContent"]["id"] == "mes-scheduler-stopped" and err == b"" and TOP.is_dir()
