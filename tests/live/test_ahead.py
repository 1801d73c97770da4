"""Programs of test kernels that are started while the probes run: they load, wait, and work only when they are let. The programs are stand-ins."""

import pathlib
import time

import pytest

from rocmdoctor.facts.model import Known, Snapshot
from rocmdoctor.live import kernel_tests

PROBES = pathlib.Path(__file__).resolve().parents[2] / "probes"
STAND_IN = '''
import argparse, os, sys, time
sys.path[:0] = [{folder!r}, {probes!r}]
from outcome import Item, arguments, done_of, wait_for
from probe_protocol import Emitter
def note(words):
    with open({notes!r}, "a") as file: file.write("{backend} " + words + "\\n")
parser = argparse.ArgumentParser()
parser.add_argument("--number"); parser.add_argument("--pythons")
given = arguments(parser)
emit = Emitter(given.out)
note("loaded")
{early}
wait_for(given.go, "open")
note("opened")
item = Item(emit, "{backend}-0", "{backend}", "stand-in", "discrete", done_of(given.done, "{backend}-0"), given.progress)
item.fact("runtimes", 1)
def work():
    {work}
    return {{"verdict": "right", "detail": ""}}
wait_for(given.go, "work")
note("worked")
item.check("one", work)
item.finish()
emit.end()
'''


@pytest.fixture
def programs(tmp_path):
    """A folder of stand-ins for the named backends, and what they have noted so far."""
    notes = tmp_path / "notes"

    def make(**work):
        for backend, (early, late) in work.items():
            (tmp_path / f"{backend}_kernels.py").write_text(STAND_IN.format(
                folder=str(PROBES / "gpu_sanity"), probes=str(PROBES), notes=str(notes), backend=backend, early=early, work=late))
        return kernel_tests.Plan(1, tuple(work), folder=tmp_path, deadline=5.0)

    def noted(wanted=()):
        until = time.monotonic() + 20
        while True:
            found = notes.read_text().splitlines() if notes.exists() else []
            if set(wanted) <= set(found) or time.monotonic() > until:
                return found
            time.sleep(0.01)
    make.noted = noted
    return make


def verdict(snapshot, item):
    return snapshot.facts[f"test.verdict[{item}]"].value


def test_they_load_before_they_may_and_work_in_turn(programs, tmp_path):
    plan = programs(vulkan=("", "time.sleep(0.3)"), hip=("", "pass"))
    snapshot = Snapshot("now", "live")
    with kernel_tests.ahead(plan) as begun:
        programs.noted(["vulkan loaded", "hip loaded"])
        time.sleep(0.2)
        assert sorted(programs.noted()) == ["hip loaded", "vulkan loaded"]  # and nothing else
        kernel_tests.run(snapshot, [], plan, begun=begun)
    told = programs.noted()
    assert [verdict(snapshot, item) for item in ("vulkan-0", "hip-0")] == ["right", "right"] and len(told) == 6
    assert told.index("hip opened") < told.index("hip worked") and told.index("vulkan worked") < told.index("hip worked")
    assert [run.ended for run in snapshot.runs] == ["ok", "ok"] and all(run.seconds < 5 for run in snapshot.runs)


def test_they_go_on_as_the_probes_do(programs):
    """What is listed changes no reading; what is opened does, and waits for the last probe that opens a driver."""
    plan = programs(vulkan=("wait_for(given.go, 'list'); note('listed')", "pass"))
    with kernel_tests.ahead(plan) as begun:
        reached = kernel_tests.reaching(begun, plan)
        reached("first", {"gpu.power_state[0]": Known("error", "test")}, [])
        programs.noted(["vulkan loaded"])
        time.sleep(0.2)
        assert programs.noted() == [] or programs.noted() == ["vulkan loaded"]
        reached("first", {}, [])
        programs.noted(["vulkan listed"])
        time.sleep(0.2)
        assert "vulkan opened" not in programs.noted()
        reached("alone", {}, [])
        assert "vulkan opened" in programs.noted(["vulkan opened"])


def test_the_kernel_log_is_read_again_only_after_work(programs, monkeypatch):
    """Of a backend that has nothing to work on it would say nothing."""
    read = []
    monkeypatch.setattr(kernel_tests, "_new_lines", lambda *_: read.append(1) or ["amdgpu: a line"])
    plan = programs(vulkan=("", "pass"), hip=("item = Item(emit, 'hip-0', 'hip', '', '', (), ''); item.cannot('none'); emit.end(); os._exit(0)", "pass"))
    snapshot, texts = Snapshot("now", "live"), []
    with kernel_tests.ahead(plan) as begun:
        ends = time.monotonic() + 20
        while not begun.idle("hip") and time.monotonic() < ends:
            time.sleep(0.01)
        kernel_tests.run(snapshot, texts, plan, begun=begun)
    assert read == [1] and texts == [("kernel log while vulkan was tested", "amdgpu: a line")]
    lines = [snapshot.facts[f"test.new_kernel_lines[{item}]"].value for item in ("vulkan-0", "hip-0")]
    assert lines == [["amdgpu: a line"], []]


def test_the_long_tests_have_the_device_alone(programs):
    """They ask for all memory that is free."""
    plan = programs(vulkan=("", "time.sleep(0.3)"), hip=("", "pass"))
    plan = kernel_tests.Plan(2, plan.backends, folder=plan.folder, deadline=5.0)
    with kernel_tests.ahead(plan) as begun:
        kernel_tests.run(Snapshot("now", "live"), [], plan, begun=begun)
    told = programs.noted()
    assert told.index("vulkan worked") < told.index("hip opened") and len(told) == 6


def test_on_a_gpu_in_trouble_they_never_go_on(programs):
    plan = programs(vulkan=("", "pass"))
    snapshot = Snapshot("now", "live", facts={"gpu.power_state[0]": Known("error", "test")})
    began = time.monotonic()
    with kernel_tests.ahead(plan) as begun:
        programs.noted(["vulkan loaded"])
        kernel_tests.run(snapshot, [], plan, begun=begun)
    assert verdict(snapshot, "vulkan-0") == "skipped" and time.monotonic() - began < 20 + 2
    time.sleep(0.2)
    assert programs.noted() == ["vulkan loaded"]


@pytest.mark.parametrize(("early", "how", "words"), [("os.abort()", "crashed", "SIGABRT"), ("time.sleep(60)", "hung", "no answer")])
def test_one_that_fails_while_it_loads_costs_itself(programs, early, how, words):
    plan = programs(vulkan=(early, "pass"), hip=("", "pass"))
    plan = kernel_tests.Plan(1, plan.backends, folder=plan.folder, deadline=2.0)
    snapshot = Snapshot("now", "live")
    with kernel_tests.ahead(plan) as begun:
        kernel_tests.run(snapshot, [], plan, begun=begun)
    row, = snapshot.facts["test.checks[vulkan-0]"].value
    assert (row["check"], row["verdict"]) == ("start", how) and words in row["detail"] and verdict(snapshot, "hip-0") == "right"


def test_what_was_open_while_another_lost_the_device_is_begun_anew(programs):
    plan = programs(vulkan=("", "os.abort()"), hip=("", "pass"))
    snapshot = Snapshot("now", "live")
    with kernel_tests.ahead(plan) as begun:
        programs.noted(["hip loaded"])
        kernel_tests.run(snapshot, [], plan, begun=begun)
    assert verdict(snapshot, "vulkan-0") == "crashed" and verdict(snapshot, "hip-0") == "right"
    assert programs.noted().count("hip loaded") == 2 and programs.noted().count("hip worked") == 1
