"""A signal ends the command within a second; no process, temporary folder or half a file is left, whatever it was doing."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from rocmdoctor.live import ending, processes
from rocmdoctor.live.runner import run_tool

TOP = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="needs Linux")
STUBBORN = "#!/bin/sh\ntrap '' TERM HUP INT\nsetsid sleep {sleep} &\necho up >> \"$UP\"\nsleep {sleep}\nsleep {sleep}\n"


def processes_with(word):
    """Command lines that hold a word which only the test knows."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        try:
            line = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in line.split(b"\0"):
            found.append(line)
    return found


def cpu_time(child):
    """Seconds of a processor that a process took by itself, also when it has ended and nobody has asked how."""
    user, system = pathlib.Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def program(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def heed_signals():
    """Tests that a shell runs in the background, or under nohup, inherit that signals are ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Place:
    """A command of the program with slow tools, and what it left."""

    def __init__(self, tmp_path):
        self.top, self.up = tmp_path, tmp_path / "up"
        self.sleep = f"{os.getpid() + 10_000}.{time.monotonic_ns() % 1_000_000}"
        (tmp_path / "tmp").mkdir()
        (tmp_path / "work").mkdir()
        site = tmp_path / "venv/lib/python3.12/site-packages/torch"
        site.mkdir(parents=True)
        (site / "version.py").write_text("__version__ = '2.9.0'\n")
        slow = STUBBORN.format(sleep=self.sleep)
        program(tmp_path / "venv/bin/python", slow)
        program(tmp_path / "tools/dmesg", slow)

    def start(self, *arguments, before=(), **variables):
        given = {**os.environ, "PYTHONPATH": str(TOP), "TMPDIR": str(self.top / "tmp"), "UP": str(self.up), "XDG_STATE_HOME": str(self.top / "state"),
                 **{name: str(value) for name, value in variables.items()}}
        return subprocess.Popen([*before, sys.executable, "-m", "rocmdoctor", *arguments], cwd=self.top / "work", env=given, stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_signals)

    def wait_until_busy(self, child, seconds=120):
        """A machine that has other work takes its time to come so far; what counts begins with the signal."""
        until = time.monotonic() + seconds
        while not self.up.exists():
            assert child.poll() is None, child.communicate()
            assert time.monotonic() < until
            time.sleep(0.02)

    def left(self):
        until = time.monotonic() + 0.5
        while processes_with(self.sleep) and time.monotonic() < until:
            time.sleep(0.02)
        return [*processes_with(self.sleep), *(self.top / "tmp").iterdir(), *(self.top / "work").iterdir(), *self.top.glob("state/**/.writing*")]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


WORK = {
    "a probe": (("check", "--no-kernels", "--no-keep"), {"PATH": "tools"}),
    "a bundle": (("bundle", "--no-kernels", "-o", "b.tar.gz"), {"PATH": "tools"}),
    "the user's Python": (("check",), {"VIRTUAL_ENV": "venv"}),
    "a kernel test": (("test", "--backend", "torch", "--level", "2"), {"VIRTUAL_ENV": "venv"}),
    "a gate": (("preflight", "--level", "2", "--policy", "radeon-workstation"), {"PATH": "tools"}),
}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("work", WORK)
def test_a_signal_ends_everything(place, work, number):
    arguments, variables = WORK[work]
    given = {name: f"{place.top / value}{os.pathsep + os.environ['PATH'] if name == 'PATH' else ''}" for name, value in variables.items()}
    child = place.start(*arguments, **given)
    place.wait_until_busy(child)
    began, worked = time.monotonic(), cpu_time(child)
    child.send_signal(number)
    while not os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
        assert time.monotonic() - began < 20
        time.sleep(0.01)
    took, worked = time.monotonic() - began, cpu_time(child) - worked
    _, err = child.communicate(timeout=10)
    # A second, and one more for a machine that has other work; one that has far more gives this process its share only.
    assert took < max(2.0, 2 * os.getloadavg()[0] / os.cpu_count()) and worked < 0.5
    assert child.returncode == 128 + number and re.search(rf"{'stopped by Ctrl-C' if number == signal.SIGINT else f'ended by {number.name}'}; its processes and temporary files are gone\n$", err), err
    assert "Traceback" not in err
    assert place.left() == []


SWALLOWED = """
import os, signal, sys, time, weakref
from rocmdoctor.live.ending import orderly
class Thing: pass
with orderly():
    thing = Thing()
    kept = weakref.ref(thing, lambda gone: os.kill(os.getpid(), signal.SIGTERM) or time.sleep(1))
    del thing
    while True: time.sleep(0.01)
"""


def test_a_signal_in_a_callback_of_the_interpreter_ends_it_all_the_same(tmp_path):
    """What is raised there goes no further, and used to be printed."""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True, timeout=30,
                          env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 128 + signal.SIGTERM and time.monotonic() - began < 10 and list(tmp_path.iterdir()) == []
    assert "Traceback" not in done.stderr and done.stderr.endswith("its processes and temporary files are gone\n")


def test_the_folder_goes_though_threads_still_write_into_it(tmp_path):
    folder = tmp_path / "ours"
    folder.mkdir()

    def write(name):
        for number in range(1_000_000):
            try:
                (folder / f"{name}.{number}").mkdir()
            except FileNotFoundError:
                return
            time.sleep(0.0005)

    threads = [threading.Thread(target=write, args=(name,), daemon=True) for name in "abc"]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    left = ending._remove(str(folder))
    for thread in threads:
        thread.join(20)
    assert left == "" and list(tmp_path.iterdir()) == [] and not any(thread.is_alive() for thread in threads)


def test_work_without_processes_is_ended_too(place):
    child = place.start("explain", "-")
    child.stdin.write("amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2\n" * 200_000)  # it waits for more
    until = time.monotonic() + 20
    while not list((place.top / "tmp").glob("rocmdoctor-*/*")) and time.monotonic() < until:
        time.sleep(0.02)
    child.send_signal(signal.SIGTERM)
    child.wait(10)
    assert child.returncode == 128 + signal.SIGTERM and place.left() == []


def test_an_impatient_user_changes_nothing(place):
    child = place.start("check", "--no-kernels", "--no-keep", PATH=f"{place.top}/tools:{os.environ['PATH']}")
    place.wait_until_busy(child)
    for _ in range(20):
        child.send_signal(signal.SIGINT)
        time.sleep(0.005)
    _, err = child.communicate(timeout=10)
    assert child.returncode in (130, -signal.SIGINT) and "Traceback" not in err and place.left() == []


def test_a_signal_that_was_ignored_stays_so(place):
    child = place.start("check", "--no-kernels", "--no-keep", before=("nohup",), PATH=f"{place.top}/tools:{os.environ['PATH']}")
    place.wait_until_busy(child)
    child.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert child.poll() is None
    child.send_signal(signal.SIGTERM)
    child.communicate(timeout=10)
    assert child.returncode == 143 and place.left() == []


def test_what_leaves_its_group_does_not_outlive_a_run_that_ends_by_itself(place):
    program(place.top / "tools/dmesg", f"#!/bin/sh\nsetsid sleep {place.sleep} &\necho up >> \"$UP\"\n")
    child = place.start("check", "--no-kernels", "--no-keep", PATH=f"{place.top}/tools:{os.environ['PATH']}")
    child.communicate(timeout=90)
    assert child.returncode in (0, 1, 3) and place.up.exists() and place.left() == []


def test_children_of_whoever_started_it_are_not_touched(place):
    script = f"sleep {place.sleep} & exec {sys.executable} -m rocmdoctor check --no-kernels --no-keep"
    child = subprocess.Popen(["sh", "-c", script], env={**os.environ, "PYTHONPATH": str(TOP)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    child.wait(90)
    left = processes_with(place.sleep)
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and (entry / "cmdline").exists() and place.sleep.encode() in (entry / "cmdline").read_bytes():
            os.kill(int(entry.name), signal.SIGKILL)
    assert len(left) == 1


def test_a_tool_that_floods_is_ended_at_the_cap():
    began = time.monotonic()
    run, said = run_tool(["/bin/cat", "/dev/zero"], 20, cap=1 << 20)
    assert run.ended == "failed" and "more than is read" in run.noise and len(said) == 1 << 20
    assert time.monotonic() - began < 5


def test_no_process_is_started_once_the_end_is_near(tmp_path):
    try:
        processes.stop()
        run, _ = run_tool(["/bin/sh", "-c", f"touch {tmp_path}/ran"], 5)
    finally:
        processes.release()
    assert run.ended == "failed" and not (tmp_path / "ran").exists()
    assert run_tool(["/bin/true"], 5)[0].ended == "ok"


def test_a_kernel_test_ends_with_a_program_that_is_killed(place):
    site = place.top / "venv/lib/python3.12/site-packages/torch"
    (site / "__init__.py").write_text("import os, sys, time\nif 'torch_kernels' in sys.argv[0]:\n"
                                      "    open(os.environ['UP'], 'a').write('up')\n    time.sleep(60)\n")
    program(place.top / "venv/bin/python",
            f"#!/bin/sh\ncase \"$*\" in *torch_kernels*) set -- \"$@\" --done {place.sleep};; esac\nPYTHONPATH={site.parent} exec {sys.executable} \"$@\"\n")
    child = place.start("test", "--backend", "torch", "--level", "2", VIRTUAL_ENV=place.top / "venv")
    place.wait_until_busy(child)
    assert len(processes_with(place.sleep)) == 1
    child.kill()
    child.communicate(timeout=10)
    time.sleep(0.5)
    assert processes_with(place.sleep) == []
