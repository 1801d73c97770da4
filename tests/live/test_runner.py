"""Hostile probes: none may cost more than its deadline and a second, and what it said before must survive.

Each is run as a program of its own and forked by one warm parent, the same for all of them.
"""

import os
import sys
import textwrap
import time
from pathlib import Path

import pytest

from rocmdoctor.facts.model import Absent, Known, Unknown
from rocmdoctor.live import processes, runner, warm
from rocmdoctor.live.runner import run_probe

HEAD = """
import json, os, signal, sys, time
out = open(sys.argv[sys.argv.index("--out") + 1], "w")
def say(**row):
    out.write(json.dumps(row) + "\\n"); out.flush()
say(fact="kernel.release", item="", value="6.18", source="/proc/sys/kernel/osrelease")
"""
PROVIDES = ("kernel.release", "kernel.cmdline")
FLAGS = ("-S", "-E", "-s", "-B")
WARM = []  # the parent that forks, if any


@pytest.fixture(scope="module", autouse=True, params=[
    "program", pytest.param("forked", marks=pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"))])
def way(request):
    if request.param == "program":
        yield
        return
    with warm.parent(FLAGS) as forks:
        WARM.append(forks)
        yield
        assert not WARM.pop().broken


def run(folder: Path, body: str, deadline: float = 1.0, provides=PROVIDES, root="/"):
    path = folder / "hostile.py"
    path.write_text(HEAD + textwrap.dedent(body))
    began = time.monotonic()
    outcome = run_probe(path, provides=provides, deadline=deadline, flags=FLAGS, root=root, warm=WARM[0] if WARM else None)
    assert time.monotonic() - began < deadline + 1
    return outcome


def test_a_good_probe(tmp_path):
    run_, facts, texts, notes = run(tmp_path, """
        say(fact="kernel.cmdline", absent=True, source="/proc/cmdline")
        say(fact="kernel.lockdown", unknown="no_permission", detail="d", command="c")
        say(text="kernel log", lines=["a", "b"])
        say(note="read with sudo")
        say(end=True)""")
    assert (run_.ended, run_.probe, run_.signal, run_.noise) == ("ok", "hostile", "", "")
    assert facts["kernel.release"] == Known("6.18", "/proc/sys/kernel/osrelease")
    assert facts["kernel.cmdline"] == Absent("/proc/cmdline")
    assert facts["kernel.lockdown"] == Unknown("no_permission", "d", "c")
    assert texts == [("kernel log", "a\nb")]
    assert notes == ["read with sudo"]


@pytest.mark.parametrize("body", [
    "time.sleep(60)",
    "signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True: pass",
    "sys.stdin.read(); time.sleep(60)",
    "os.kill(os.getpid(), signal.SIGSTOP)",
])
def test_a_probe_that_hangs(tmp_path, body):
    outcome = run(tmp_path, body)
    assert outcome.run.ended == "timed_out"
    assert outcome.facts["kernel.release"] == Known("6.18", "/proc/sys/kernel/osrelease")
    missing = outcome.facts["kernel.cmdline"]
    assert isinstance(missing, Unknown) and missing.reason == "timed_out"


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs /proc")
@pytest.mark.parametrize("after", ["time.sleep(60)", "say(end=True); sys.exit(0)"])
def test_a_forked_child_neither_holds_the_runner_nor_outlives_it(tmp_path, after):
    outcome = run(tmp_path, f"""
        pid = os.fork()
        if not pid:
            time.sleep(60)
        say(fact="kernel.cmdline", value=str(pid), source="x")
        {after}""")
    assert outcome.run.ended == ("timed_out" if "sleep" in after else "ok")
    pid = int(outcome.facts["kernel.cmdline"].value)
    until = time.monotonic() + 2
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.02)
    assert not alive(pid)


def test_a_segfault(tmp_path):
    outcome = run(tmp_path, "os.kill(os.getpid(), signal.SIGSEGV)")
    assert (outcome.run.ended, outcome.run.signal) == ("crashed", "SIGSEGV")
    missing = outcome.facts["kernel.cmdline"]
    assert isinstance(missing, Unknown) and missing.reason == "crashed" and "SIGSEGV" in missing.detail


def test_an_exception_is_kept_as_noise(tmp_path):
    outcome = run(tmp_path, "raise RuntimeError('no such ioctl')")
    assert outcome.run.ended == "failed"
    assert outcome.run.noise.endswith("RuntimeError: no such ioctl")


def test_a_flood_of_noise_keeps_the_facts_and_four_kilobytes(tmp_path):
    outcome = run(tmp_path, """
        block = "x" * (1 << 20)
        for _ in range(200):
            os.write(1, block.encode())
        say(end=True)""", deadline=20)
    assert outcome.run.ended == "ok"
    assert 0 < len(outcome.run.noise) <= runner.NOISE_KEPT


def test_a_flood_of_facts_is_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "_OUT_CAP", 8 << 20)
    outcome = run(tmp_path, """
        row = {"fact": "kernel.cmdline", "value": "y" * 100000, "source": "s"}
        while True:
            say(**row)""", deadline=10)
    assert outcome.run.ended == "failed"
    assert outcome.facts["kernel.release"] == Known("6.18", "/proc/sys/kernel/osrelease")


def test_half_a_line_is_dropped_and_the_end_missed(tmp_path):
    outcome = run(tmp_path, """
        out.write('{"fact": "kernel.cmdline", "item": "", "value": "qui'); out.flush()
        os._exit(0)""")
    assert outcome.run.ended == "failed"
    missing = outcome.facts["kernel.cmdline"]
    assert isinstance(missing, Unknown) and missing.reason == "crashed" and "last line" in missing.detail


def test_a_complete_row_without_its_line_feed_is_half_a_line(tmp_path):
    outcome = run(tmp_path, """
        out.write('{"fact": "kernel.cmdline", "value": "quiet", "source": "s"}'); out.flush()
        os._exit(0)""")
    assert isinstance(outcome.facts["kernel.cmdline"], Unknown)


def test_foreign_lines_and_undeclared_facts_are_ignored(tmp_path):
    outcome = run(tmp_path, """
        out.write('[1]\\nnull\\n\\xff\\n' + '[' * 100000 + '\\n{"fact": 3}\\n{"fact": "kernel.cmdline", "item": []}\\n')
        say(fact="advice.reboot", value=True, source="s")
        say(fact="kernel.cmdline", value=None, source="s")
        say(fact="os.name", unknown="because", detail="d")
        say(end=True)""")
    assert outcome.run.ended == "ok"
    assert set(outcome.facts) == {"kernel.release", "kernel.cmdline", "os.name"}
    assert outcome.facts["os.name"] == Unknown("unreadable", "d")
    assert outcome.facts["kernel.cmdline"] == Unknown("not_applicable", "")


def test_missing_facts_of_a_device_are_unknown_for_that_device(tmp_path):
    outcome = run(tmp_path, """
        for item in ("0000:03:00.0", "0000:c5:00.0"):
            say(fact="gpu.pci_id", item=item, value="1002:744c", source="s")
        say(fact="gpu.vbios", item="0000:03:00.0", value="113", source="s")
        time.sleep(60)""", provides=("gpu.pci_id", "gpu.vbios", "gpu.fw.*"), deadline=0.5)
    assert outcome.facts["gpu.vbios[0000:03:00.0]"] == Known("113", "s")
    missing = outcome.facts["gpu.vbios[0000:c5:00.0]"]
    assert isinstance(missing, Unknown) and missing.reason == "timed_out"
    assert "gpu.vbios" not in outcome.facts


def test_a_process_that_does_not_die_is_left_behind_and_recorded(tmp_path, monkeypatch):
    pids = []
    monkeypatch.setattr(processes.Child, "kill", lambda self: pids.append(self.pid))
    try:
        outcome = run(tmp_path, "time.sleep(5)", deadline=0.5)
    finally:
        for pid in set(pids):
            os.killpg(pid, 9)
    assert outcome.run.ended == "stuck"
    missing = outcome.facts["kernel.cmdline"]
    assert isinstance(missing, Unknown) and missing.reason == "stuck"
    assert "state S" in missing.detail and "state S" in outcome.run.noise


def test_an_interpreter_that_is_not_there(tmp_path):
    path = tmp_path / "any.py"
    path.write_text("")
    outcome = run_probe(path, provides=PROVIDES, interpreter=str(tmp_path / "python"))
    assert outcome.run.ended == "failed" and "FileNotFoundError" in outcome.run.noise
    assert all(isinstance(outcome.facts[name], Unknown) for name in PROVIDES)


def test_the_root_is_handed_on(tmp_path):
    outcome = run(tmp_path, """
        say(fact="kernel.cmdline", value=" ".join(sys.argv[3:]), source="s")
        say(end=True)""", root=str(tmp_path))
    assert outcome.facts["kernel.cmdline"].value == f"--root {tmp_path}"


def test_nothing_is_left_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(runner.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "probe").mkdir()
    run(tmp_path / "probe", "say(end=True)")
    assert [entry.name for entry in tmp_path.iterdir()] == ["probe"]
