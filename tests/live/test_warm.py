"""Probes that one warm parent forks: each is as apart from the others, and ends as surely, as a program of its own."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from rocmdoctor.facts.model import snapshot_to_json
from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.live import collect, processes, warm
from rocmdoctor.live.runner import run_probe

TOP = Path(__file__).resolve().parents[2]
FLAGS = ("-S", "-E", "-s", "-B")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a warm parent")
SAYS = """
import json, os, sys, time
out = open(sys.argv[sys.argv.index("--out") + 1], "w")
def say(value):
    out.write(json.dumps({"fact": "kernel.cmdline", "value": value, "source": "x"}) + "\\n"); out.flush()
def end():
    out.write('{"end": true}\\n'); out.flush()
"""


@pytest.fixture
def probe(tmp_path):
    """Run the body as a probe, forked by a parent or, without one, as a program."""
    def run(body, forks, deadline=10.0):
        path = tmp_path / "own" / "a_probe.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(SAYS + textwrap.dedent(body))
        return run_probe(path, provides=("kernel.cmdline",), deadline=deadline, flags=FLAGS, warm=forks)
    return run


def said(outcome):
    assert outcome.run.ended == "ok", outcome.run
    return outcome.facts["kernel.cmdline"].value


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def gone(pid, seconds=3.0):
    until = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not alive(pid)


def parent_of(forks, probe):
    return int(said(probe("say(os.getppid()); end()", forks)))


def test_a_forked_probe_finds_what_a_program_finds(probe, monkeypatch):
    """Arguments, import path, variables, open files, standard input, session, folder, signals: nothing of its parent is left in it."""
    monkeypatch.setenv("SOME_VARIABLE", "x")
    body = """
        import signal
        files = {int(n): os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd") if os.path.lexists(f"/proc/self/fd/{n}")}
        files = {n: os.path.basename(name) for n, name in files.items()}
        status = dict(line.split(":", 1) for line in open("/proc/self/status") if line.startswith(("Sig", "Shd", "Umask", "Threads")))
        del status["SigQ"]  # of all processes of this user
        say([sys.argv[0], sys.argv[1], len(sys.argv), sys.path, sorted(os.environ), files, os.getsid(0) == os.getpid(), os.getcwd(), sys.stdin.read(),
             __name__, __file__, str(signal.getsignal(signal.SIGCHLD)), status, sys.flags.no_site, sys.dont_write_bytecode,
             sys.modules["__main__"].__dict__ is globals()])
        end()"""
    alone = said(probe(body, None))
    with warm.parent(FLAGS) as forks:
        forked = said(probe(body, forks))
        assert parent_of(forks, probe) not in (os.getpid(), os.getppid())
    assert forked == alone and alone[8] == "" and alone[6] is True


def test_the_probes_of_the_house_say_the_same(monkeypatch):
    def facts():
        made, texts = collect.collect("now", root=str(TOP / "fixtures/machines/strix-halo-96-32"))
        plain = snapshot_to_json(made)
        for run in plain["runs"]:
            del run["seconds"]
        return plain, texts

    forked = facts()
    monkeypatch.setattr(warm, "parent", lambda flags, environment: warm.contextlib.nullcontext())
    assert facts() == forked and len(forked[0]["runs"]) > 5


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_a_parent_that_fails_costs_no_probe(probe, how):
    began = time.monotonic()
    with warm.parent(FLAGS) as forks:
        parent = parent_of(forks, probe)
        running = processes.begin(lambda: forks._fork([str(slow(probe))], Path(os.devnull)))
        os.kill(parent, how)
        assert parent_of(forks, probe) == os.getpid() and forks.broken  # as a program of ours
        assert parent_of(forks, probe) == os.getpid()
        assert gone(parent)
        assert running.ended() is None and alive(running.pid)  # still looked after
        running.kill()
        assert running.wait(2)
        running.forget()
    assert time.monotonic() - began < warm._PATIENCE + 5


def slow(probe):
    path = Path(probe.__closure__[0].cell_contents) / "slow.py"
    path.write_text("import time\ntime.sleep(60)\n")
    return path


def test_the_deadlines_of_others_hold_while_the_parent_does_not_answer(probe, tmp_path):
    import threading

    with warm.parent(FLAGS) as forks:
        parent, took = parent_of(forks, probe), []
        path = slow(probe)

        def watched():
            began = time.monotonic()
            ended = run_probe(path, deadline=1.0, flags=FLAGS, warm=forks).run.ended
            took.append((ended, time.monotonic() - began))

        thread = threading.Thread(target=watched)
        thread.start()
        time.sleep(0.5)
        os.kill(parent, signal.SIGSTOP)
        # The kill of the child counts, not when all is tidied up behind it.
        assert parent_of(forks, probe) == os.getpid()
        thread.join(10)
    assert [ended for ended, _ in took] == ["timed_out"] and took[0][1] < 1 + warm._PATIENCE + 1


def test_where_nothing_can_be_forked_probes_are_programs(monkeypatch):
    monkeypatch.setattr(warm.sys, "executable", "/nowhere/python")
    with warm.parent(FLAGS) as forks:
        assert forks is None
    monkeypatch.undo()
    monkeypatch.setattr(warm.sys, "platform", "win32")
    with warm.parent(FLAGS) as forks:
        assert forks is None


def test_what_leaves_its_session_is_ended_with_the_probe(probe):
    processes.adopt()
    try:
        with warm.parent(FLAGS) as forks:
            pid = int(said(probe("""
                read, write = os.pipe()
                if not os.fork():
                    os.setsid()
                    if not os.fork():
                        os.write(write, str(os.getpid()).encode())
                        time.sleep(60)
                    os._exit(0)
                os.wait()
                say(int(os.read(read, 99)))
                end()""", forks)))
            assert gone(pid)
            assert parent_of(forks, probe) != os.getpid()  # the next one is forked all the same
    finally:
        processes.release()


def test_nothing_outlives_a_program_that_is_killed(tmp_path):
    script = f"""
        import os, sys, time
        from pathlib import Path
        from rocmdoctor.live import warm
        with warm.parent({FLAGS!r}) as forks:
            child = forks.start([{str(tmp_path / "slow.py")!r}], Path(os.devnull))
            print(child.pid, Path(f"/proc/{{child.pid}}/stat").read_text().rpartition(")")[2].split()[1], flush=True)
            time.sleep(60)"""
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(60)\n")
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(TOP)})
    pids = [int(each) for each in child.stdout.readline().split()]
    assert len(pids) == 2 and all(map(alive, pids))
    child.kill()
    child.communicate()
    assert all(map(gone, pids))


def test_a_parent_is_not_made_for_foreign_probes(tmp_path, monkeypatch):
    """What somebody else wrote shares nothing, not even a start."""
    made = []
    monkeypatch.setattr(warm, "parent", made.append)
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text('PROVIDES = ("kernel.cmdline",)\nLANE = "quiet"\n' + SAYS + "say(os.getppid())\nend()\n")
    snapshot, _ = collect.collect("now", probe_dirs=[tmp_path])
    assert snapshot.facts["kernel.cmdline"].value == os.getpid() and made == []
    assert json.dumps(snapshot_to_json(snapshot)) and data_dir("probes").is_dir()
