"""The program under a real CPython for Windows, which runs under Wine: what a recording cannot show.

``scripts/windows_python .windows`` makes it; WINDOWS_PYTHON names one that lies elsewhere.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import textwrap
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PYTHON = pathlib.Path(os.environ.get("WINDOWS_PYTHON") or ROOT / ".windows/python").absolute()
DRIVE = PYTHON.parent / "drive_c"
# The checkout is drive R: of the folder, so another checkout's Windows Python would test that one.
THERE = PYTHON.is_file() and os.path.realpath(PYTHON.parent / "dosdevices/r:") == str(ROOT)
pytestmark = pytest.mark.skipif(not THERE, reason="needs a Windows Python of this checkout under Wine (scripts/windows_python .windows)")
WAIT = 240
WIDE = {"COLUMNS": "100"}


@pytest.fixture(scope="module")
def place():
    """A folder of drive C:, as this machine and as Windows name it."""
    folder = DRIVE / "rocmdoctor-tests"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    yield folder, r"C:\rocmdoctor-tests"
    shutil.rmtree(folder, ignore_errors=True)


def windows(*words, stdin=b"", **more):
    """Python for Windows with these arguments; bytes of what it said."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "PYTHON"))}
    return subprocess.run([str(PYTHON), *words], input=stdin, capture_output=True, timeout=WAIT, check=False, cwd=ROOT, env={**environment, **WIDE, **more})


def linux(*words, stdin=b""):
    return subprocess.run([sys.executable, "-m", "rocmdoctor", *words], input=stdin, capture_output=True, timeout=WAIT, check=False, cwd=ROOT,
                          env={**os.environ, **WIDE})


def doctor(*words, stdin=b"", **more):
    return windows("-m", "rocmdoctor", *words, stdin=stdin, **more)


def run_there(place, code, *words):
    """A program of ours that Windows runs; the JSON of its last line."""
    folder, named = place
    (folder / "program.py").write_text(textwrap.dedent(code), encoding="utf-8")
    done = windows(named + r"\program.py", *words)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_check_reads_this_machine_with_the_probes_of_windows_and_keeps_its_state():
    kept = DRIVE / "users"
    for each in kept.glob("*/AppData/Local/rocmdoctor/state"):
        shutil.rmtree(each)
    done = doctor("check", "--no-kernels", "--json")
    report = json.loads(done.stdout)  # UTF-8, whatever the code page
    facts = report["snapshot"]["facts"]
    assert facts["os.family"]["value"] == "windows"
    assert facts["memory.ram_bytes"]["source"] == "GlobalMemoryStatusEx"
    assert facts["memory.ram_bytes"]["value"] == pytest.approx(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"), rel=0.01)
    assert facts["vulkan.loader"] == {"state": "known", "value": True, "source": r"C:\windows\System32\vulkan-1.dll"}
    assert {run["probe"] for run in report["snapshot"]["runs"] if run["probe"].startswith("windows_")} >= {
        "windows_apps", "windows_display", "windows_environment", "windows_events", "windows_runtime", "windows_system", "windows_vulkan"}
    assert not any("recorded" in str(fact) for fact in facts.values())
    assert [finding["id"] for finding in report["findings"]] == ["no-amd-gpu"]
    assert len(list(kept.glob("*/AppData/Local/rocmdoctor/state/states/*/*.json.gz"))) == 1


@pytest.mark.parametrize("machine", ["windows-strix-halo-26.3.1", "wsl-both-sides"])
def test_recorded_machine_gives_what_it_gives_on_linux(machine):
    words = ("check", "--root", f"fixtures/machines/{machine}", "--no-keep", "-v")
    here, there = linux(*words), doctor(*words)
    assert there.stdout.replace(b"\r\n", b"\n") == here.stdout
    assert there.returncode == here.returncode


def test_text_from_standard_input_in_utf_8():
    told = "Radeon RX 6600 · Windows 11 · Ollama 0.12.0 → „library=cpu“, gfx1032\nerror: no compatible GPUs were discovered\n".encode()
    words = ("explain", "-", "--format", "full")
    here, there = linux(*words, stdin=told), doctor(*words, stdin=told)
    assert there.stdout.replace(b"\r\n", b"\n") == here.stdout
    assert "·" in here.stdout.decode()


def test_archive_by_a_path_of_windows(place):
    folder, named = place
    shutil.make_archive(str(folder / "machine"), "gztar", ROOT / "fixtures/machines", "windows-rx6800xt-lmstudio")
    here = linux("explain", str(folder / "machine.tar.gz"), "--json")
    there = doctor("explain", named + r"\machine.tar.gz", "--json", "--format", rf"html={named}\page.html")
    assert [finding["id"] for finding in json.loads(there.stdout)["findings"]] == [finding["id"] for finding in json.loads(here.stdout)["findings"]]
    assert (folder / "page.html").read_bytes().startswith(b"<!")


CHILDREN = r"""
    import ctypes, json, pathlib, sys, time
    from rocmdoctor.live import runner
    folder = pathlib.Path(__file__).parent
    head = 'import ctypes, json, subprocess, sys, time\nout = open(sys.argv[sys.argv.index("--out") + 1], "w")\n'
    child = "import os, pathlib, sys, time; pathlib.Path(sys.argv[1]).write_text(str(os.getpid())); time.sleep(90)"
    noted = folder / "child"
    bodies = {
        "good": 'out.write(json.dumps({"end": True}) + chr(10))',
        "crash": 'ctypes.windll.kernel32.TerminateProcess(ctypes.c_void_p(-1), 0xC0000005)',
        "failed": 'sys.exit(3)',
        "hang": f'subprocess.Popen([sys.executable, "-c", {child!r}, {str(noted)!r}])\ntime.sleep(90)',
    }
    said = {}
    for name, body in bodies.items():
        file = folder / (name + ".py")
        file.write_text(head + body)
        began = time.monotonic()
        run = runner.run_probe(file, deadline=15.0).run
        said[name] = [run.ended, run.signal, time.monotonic() - began]
    pid = int(noted.read_text())
    kernel, status = ctypes.windll.kernel32, ctypes.c_ulong()
    handle = kernel.OpenProcess(0x1000, 0, pid)
    said["alive"] = bool(handle and kernel.GetExitCodeProcess(handle, ctypes.byref(status)) and status.value == 259)
    print(json.dumps(said))
"""


def test_child_that_hangs_costs_its_deadline_and_its_own_children_end_with_it(place):
    said = run_there(place, CHILDREN)
    assert said["good"][0] == "ok"
    assert said["crash"][:2] == ["crashed", "0xc0000005 (access violation)"]
    assert said["failed"][0] == "failed"
    assert said["hang"][0] == "timed_out" and 15 <= said["hang"][2] < 16
    assert said["alive"] is False


def test_recorded_tree_has_no_way_out_by_names_of_windows(place):
    said = run_there(place, r"""
        import json, os, pathlib, sys
        sys.path.insert(0, "R:\\probes")
        from tree import Tree
        top = pathlib.Path(__file__).parent / "top"
        (top / "sys/class").mkdir(parents=True, exist_ok=True)
        (top / "sys/class/name").write_text("inside")
        tree = Tree(str(top))
        outside = [tree.try_read(path) for path in ("/..\\program.py", "/C:\\rocmdoctor-tests\\program.py", "/C:/rocmdoctor-tests/program.py", "/sys/..\\..\\program.py")]
        print(json.dumps([Tree("/").live, tree.live, tree.read("/sys/class/name"), str(tree.place("/sys") / "class"), tree.real("/sys/class"), outside]))
    """)
    assert said == [True, False, "inside", "/sys/class", "/sys/class", [None] * 4]


def console(words, until="", then=b"", limit=WAIT):
    """Run in a console: its screen as text without escapes, the status, and the seconds from what was typed to the end."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execve(PYTHON, [str(PYTHON), *words], {**os.environ, "TERM": "xterm", "NO_COLOR": "1"})
    said, began, typed = b"", time.monotonic(), 0.0
    while time.monotonic() - began < limit:
        if select.select([terminal], [], [], 0.1)[0]:
            try:
                part = os.read(terminal, 1 << 16)
            except OSError:  # the last of it has gone
                break
            if not part:
                break
            said += part
        if then and not typed and until in said.decode("utf-8", "replace"):
            os.write(terminal, then)
            typed = time.monotonic()
    ended = time.monotonic()
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", said.decode("utf-8", "replace")), os.waitstatus_to_exitcode(status), ended - (typed or began)


def test_a_console_gets_letters_and_no_code_page():
    said, _, _ = console(["-m", "rocmdoctor", "check", "--root", "fixtures/machines/windows-strix-halo-26.3.1", "--no-keep"])
    assert "Windows 11 Pro · Adrenalin 26.3.1" in said
    assert "┬" not in said  # what code page 437 has for the first byte of the dot


def test_ctrl_c_ends_a_check_and_leaves_nothing():
    said, status, seconds = console(["-m", "rocmdoctor", "check", "--no-keep"], until="(1 of", then=b"\x03")
    assert "stopped by Ctrl-C; its processes and temporary files are gone" in said
    assert status == 130
    assert seconds < 10  # under a second of ours; Wine and a busy machine take the rest
    assert not [path for path in DRIVE.glob("users/*/Temp/rocmdoctor-*/**/*") if path.is_file()]  # Wine may keep the empty folder


def test_server_for_agents_answers_and_ends_with_its_client():
    calls = [{"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
             {"method": "notifications/initialized"},
             {"id": 2, "method": "tools/call", "params": {"name": "why", "arguments": {"id": "gtt-limit-leaves-no-ram"}}}]
    server = subprocess.Popen([str(PYTHON), "-m", "rocmdoctor", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)
    assert server.stdin and server.stdout
    try:
        server.stdin.write(b"".join(json.dumps({"jsonrpc": "2.0", **call}).encode() + b"\n" for call in calls))
        server.stdin.flush()
        answers = [json.loads(server.stdout.readline()) for _ in range(2)]
        server.stdin.close()
        assert server.wait(60) == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            server.kill()
    assert [answer["id"] for answer in answers] == [1, 2]
    assert not answers[1]["result"].get("isError"), answers[1]
