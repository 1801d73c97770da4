"""Running the test kernels when they go wrong. The programs here are stand-ins (named so): a crash, a hang and greed cannot be had from a sound driver."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import pytest

from rocmdoctor.diagnosis import kernel_table
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Known, Report, Snapshot
from rocmdoctor.knowledge.rules import load
from rocmdoctor.live import kernel_tests
from rocmdoctor.render.report import html, markdown, terminal

PROBES = pathlib.Path(__file__).resolve().parents[2] / "probes"

STAND_IN = '''
import argparse, os, signal, sys, time
sys.path[:0] = [{folder!r}, {probes!r}]
from outcome import Item, arguments, done_of
from probe_protocol import Emitter
given = arguments(argparse.ArgumentParser())
emit = Emitter(given.out)
item = Item(emit, "vulkan-0", "vulkan", "stand-in", "discrete", done_of(given.done, "vulkan-0"), given.progress)
def right(): return {{"verdict": "right", "detail": ""}}
def bad():
    {bad}
item.check("first", right)
item.check("bad", bad)
item.check("last", right)
item.finish()
emit.end()
'''


def outcome_of(tmp_path, bad, deadline=2.0, **facts):
    (tmp_path / "vulkan_kernels.py").write_text(STAND_IN.format(folder=str(PROBES / "gpu_sanity"), probes=str(PROBES), bad=bad))
    snapshot = Snapshot("now", "live", facts={name: Known(value, "test") for name, value in facts.items()})
    began = time.monotonic()
    kernel_tests.run(snapshot, [], kernel_tests.Plan(1, ("vulkan",), folder=tmp_path, deadline=deadline))
    snapshot.notes.append(str(time.monotonic() - began))
    return {row["check"]: row for row in snapshot.facts["test.checks[vulkan-0]"].value}, snapshot


@pytest.mark.parametrize(("bad", "verdict", "words"), [
    ("os.kill(os.getpid(), signal.SIGSEGV)", "crashed", "SIGSEGV"),
    ("os.abort()", "crashed", "SIGABRT"),
    ("time.sleep(60)", "hung", "no answer"),
    ("signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)", "hung", "no answer"),
    ("raise ZeroDivisionError('of our own')", "crashed", "of our own"),
    ("[bytearray(1 << 20) for _ in iter(int, 1) if time.sleep(0.01) is None]", "hung", "no answer"),
], ids=["segfault", "abort", "hang", "ignores SIGTERM", "exception", "eats memory"])
def test_a_check_that_kills_its_process_costs_the_others_nothing(tmp_path, bad, verdict, words):
    rows, snapshot = outcome_of(tmp_path, bad)
    assert [rows[name]["verdict"] for name in ("first", "bad", "last")] == ["right", verdict, "right"]
    assert words in rows["bad"]["detail"]
    assert snapshot.facts["test.verdict[vulkan-0]"].value == verdict
    assert snapshot.facts["test.failed_checks[vulkan-0]"].value == ["bad"]
    assert snapshot.facts["kernels.broken"].value == ["vulkan"]
    assert float(snapshot.notes[-1]) < 2.0 + 1.0 + 4.0  # the deadline, a second, and two more starts of Python on a busy machine


def test_what_keeps_crashing_is_given_up_and_said(tmp_path):
    (tmp_path / "vulkan_kernels.py").write_text(
        STAND_IN.format(folder=str(PROBES / "gpu_sanity"), probes=str(PROBES), bad="os.abort()").replace(
            'item.check("last", right)', "\n".join(f'item.check("bad{n}", bad)' for n in range(9))))
    snapshot = Snapshot("now", "live")
    kernel_tests.run(snapshot, [], kernel_tests.Plan(1, ("vulkan",), folder=tmp_path))
    assert len(snapshot.runs) == kernel_tests.MOST_RESTARTS and "were not run" in snapshot.facts["test.reason[vulkan-0]"].value


def test_a_gpu_whose_reset_did_not_end_is_not_touched_again(tmp_path, monkeypatch):
    """The kernel log is a stand-in here."""
    monkeypatch.setattr(kernel_tests, "_new_lines", lambda *_: ["amdgpu 0000:03:00.0: amdgpu: GPU reset begin!", "GPU reset end with ret = -110"])
    rows, snapshot = outcome_of(tmp_path, "os.abort()")
    assert list(rows) == ["first", "bad"] and len(snapshot.runs) == 1
    assert "did not succeed" in snapshot.facts["test.reason[vulkan-0]"].value
    assert snapshot.facts["test.new_kernel_lines[vulkan-0]"].value[0].endswith("GPU reset begin!")


def test_no_python_with_torch_is_said(tmp_path):
    snapshot = Snapshot("now", "live")
    kernel_tests.run(snapshot, [], kernel_tests.Plan(1, ("torch",)))
    assert "--python" in snapshot.facts["test.reason[torch-0]"].value


@pytest.mark.parametrize(("facts", "log", "words"), [
    ({"kernel.stuck_processes": ["77 llama-server amdgpu_fence_wait"]}, "", "stuck"),
    ({"gpu.power_state[0]": "error"}, "", "power state"),
    ({}, "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!", "reset"),
    ({}, "GPU reset begin!\nGPU reset(2) succeeded!\nGPU reset begin!\nGPU reset failed", "reset"),
])
def test_a_gpu_in_trouble_is_not_touched(tmp_path, facts, log, words):
    snapshot = Snapshot("now", "live", facts={name: Known(value, "test") for name, value in facts.items()})
    kernel_tests.run(snapshot, [("kernel log", log)], kernel_tests.Plan(folder=tmp_path))
    for item in ("vulkan-0", "hip-0"):
        assert snapshot.facts[f"test.verdict[{item}]"].value == "skipped" and words in snapshot.facts[f"test.reason[{item}]"].value
    assert snapshot.runs == []


@pytest.mark.parametrize("log", ["", "GPU reset begin!\nGPU reset(2) succeeded!", "amdgpu: ring gfx uses VM inv eng 0"])
def test_a_gpu_that_came_back_may_be_tested(log):
    assert kernel_tests.in_trouble({"kernel.stuck_processes": Known(["3 cp nfs_wait"], "test")}, [("kernel log", log)]) == ""


def report_of(rows, verdict="wrong", **facts):
    found = {"backend": "vulkan", "device": "AMD \x1b[31mRadeon|`x`", "device_type": "discrete", "verdict": verdict, "checks": rows, **facts}
    snapshot = Snapshot("now", "live", facts={f"test.{name}[vulkan-0]": Known(value, "test") for name, value in found.items()})
    return make_report(snapshot, load())


def renderings(report: Report):
    return terminal.render(report, 100, False, verbose=True), markdown.render(report), html.render(report)


def test_the_table_is_in_every_rendering_and_names_the_known_fault():
    rows = [{"check": "gemm-f32-rows", "verdict": "wrong", "detail": "3 of 9 elements", "seconds": 0.1}, {"check": "axpy", "verdict": "right"}]
    report = report_of(rows, copy_bytes_per_s=5e11, expected_bytes_per_s=9.6e11)
    assert report.kernels and "2^19" in report.kernels[0].checks[0].catches and report.kernels[0].checks[0].source.startswith("https://")
    for text in renderings(report):
        shown = " ".join(text.split())
        assert "gemm-f32-rows" in shown and "3 of 9 elements" in shown and "\x1b" not in shown and "500 GB/s of 960" in shown


def test_hostile_rows_do_no_harm():
    for rows in ([1, None, {"check": ["x"], "verdict": {}}], "no list", [{"check": "<script>", "verdict": "right", "seconds": "x"}] * 500):
        texts = renderings(report_of(rows))
        assert texts[2].count("<script>") == 1  # our own
    assert "&lt;script&gt;" in html.render(report_of([{"check": "<script>", "verdict": "wrong"}]))


def test_every_check_names_the_fault_it_catches():
    code = f"""
import sys
sys.path[:0] = [{str(PROBES / 'gpu_sanity')!r}, {str(PROBES)!r}]
import numpy, unittest.mock
from cases import for_level
print(*[make().name for make in for_level(numpy.random.default_rng(), 2, (32, 64), True, True)])
import torch_kernels
print(*[name for name, _ in torch_kernels.work_of(unittest.mock.MagicMock(), 3, None, 2, False)])
"""
    names = set(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split())
    for file in (PROBES / "gpu_sanity").glob("*.py"):
        names.update(re.findall(r'item\.check\("([a-z-]+)"', file.read_text()))
    names.update(["copy-pageable", "copy-pinned"])
    assert len(names) > 100
    assert [name for name in sorted(names) if not kernel_table.catches(name)[1].startswith("https://")] == []


HIP = next((str(p) for p in pathlib.Path(os.environ.get("HIP_ROOT", "/")).glob("usr/lib/x86_64-linux-gnu/libamdhip64.so.5")), "")
needs_hip = pytest.mark.skipif(not HIP, reason="no libamdhip64.so.5 (Debian: libamdhip64-5; HIP_ROOT may name a folder with it)")


# Where the loader looks anyway it must not be told to look first: an interpreter of one's own would then load the system's libraries.
HIP_PATH = {} if HIP.startswith("/usr/") else {"LD_LIBRARY_PATH": str(pathlib.Path(HIP).parent)}


def hip_facts(monkeypatch, environment):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    snapshot = Snapshot("now", "live")
    kernel_tests.run(snapshot, [], kernel_tests.Plan(1, ("hip",)))
    return {stored: fact.value for stored, fact in snapshot.facts.items() if isinstance(fact, Known)}, snapshot


@needs_hip
def test_a_hip_runtime_without_a_gpu_says_so(monkeypatch):
    facts, snapshot = hip_facts(monkeypatch, HIP_PATH)
    assert facts["test.verdict[hip-0]"] == "untestable" and "no device (hipError 100)" in facts["test.reason[hip-0]"]
    assert os.path.samefile(facts["test.runtime[hip-0]"], HIP) and snapshot.runs[0].ended == "ok"


@needs_hip
@pytest.mark.parametrize("target", ["gfx803", "gfx900", "gfx906", "gfx90a", "gfx1010", "gfx1030"])
def test_hiprtc_compiles_every_kernel(target):
    code = (f"import sys; sys.path[:0] = [{str(PROBES / 'gpu_sanity')!r}, {str(PROBES)!r}]; import hip_runtime; "
            f"raw = hip_runtime.Runtime({HIP!r}).compile({target!r}).raw; "
            "import re; print(' '.join(sorted(set(re.findall(r'(?:gemm|gemv)_(?:f32|f16|bf16)|sweep_read|softmax', raw.decode('latin1'))))))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **HIP_PATH})
    assert done.stdout.split() == ["gemm_bf16", "gemm_f16", "gemm_f32", "gemv_bf16", "gemv_f16", "gemv_f32", "softmax", "sweep_read"], done.stderr[-500:]


@pytest.mark.parametrize(("content", "words"), [(b"", "file too short"), (b"\x7fELF\x01\x01\x01" + b"\0" * 200, "wrong ELF class"), (None, "")],
                         ids=["empty", "32 bits", "a folder"])
def test_a_hip_runtime_that_does_not_load_is_a_reason(monkeypatch, tmp_path, content, words):
    library = tmp_path / "libamdhip64.so.6"
    library.mkdir() if content is None else library.write_bytes(content)
    facts, snapshot = hip_facts(monkeypatch, {"LD_LIBRARY_PATH": str(tmp_path)})
    assert facts["test.verdict[hip-0]"] == "untestable" and words in facts["test.reason[hip-0]"]
    assert snapshot.runs[0].ended == "ok" and "Traceback" not in snapshot.runs[0].noise


@pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")
def test_the_library_that_forwards_hip_to_cuda_builds_and_finds_no_gpu(monkeypatch, tmp_path):
    source = pathlib.Path(__file__).parent / "hip_forward/hip_to_cuda.c"
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", "-O1", "-o", str(tmp_path / "libamdhip64.so"), str(source), "-ldl"], check=True)
    facts, _ = hip_facts(monkeypatch, {"LD_LIBRARY_PATH": str(tmp_path)})
    if facts["test.verdict[hip-0]"] != "right":  # with an NVIDIA card the kernels run
        assert facts["test.verdict[hip-0]"] == "untestable" and "no device" in facts["test.reason[hip-0]"]


def torch_facts(python):
    snapshot = Snapshot("now", "live")
    kernel_tests.run(snapshot, [], kernel_tests.Plan(1, ("torch",), (python,)))
    return {stored: fact.value for stored, fact in snapshot.facts.items() if isinstance(fact, Known)}, snapshot


def test_an_interpreter_without_torch_says_so(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')")  # whatever is installed here
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    facts, _ = torch_facts(sys.executable)
    assert facts["test.verdict[torch-0]"] == "untestable" and facts["test.reason[torch-0]"] == "no torch in this interpreter"


def test_a_torch_that_breaks_at_import_is_quoted(monkeypatch, tmp_path):
    (tmp_path / "torch.py").write_text("raise OSError('libamdhip64.so.7: cannot open shared object file')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    facts, _ = torch_facts(sys.executable)
    assert facts["test.reason[torch-0]"] == "import torch: OSError: libamdhip64.so.7: cannot open shared object file"


TORCH = os.environ.get("TORCH_ROOT", "")


@pytest.mark.skipif(not TORCH, reason="no TORCH_ROOT (pip install --target FOLDER torch, the CPU build)")
def test_the_cpu_build_of_torch_is_named_with_the_right_wheel(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", TORCH)
    facts, _ = torch_facts(sys.executable)
    assert facts["test.verdict[torch-0]"] == "untestable"
    assert "built for the CPU only" in facts["test.reason[torch-0]"] and "+rocm" in facts["test.reason[torch-0]"]


@pytest.mark.parametrize(("path", "words"), [("/nonexistent/python", "No such file"), ("/bin/true", "not a Python 3"), ("/etc/passwd", "Permission denied")])
def test_what_is_no_python_is_refused_in_one_line(path, words):
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "test", "--backend", "torch", "--python", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and words in done.stderr and "Traceback" not in done.stderr and len(done.stderr.strip().splitlines()) == 1


def test_no_process_or_folder_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    import tempfile
    monkeypatch.setattr(tempfile, "tempdir", None)
    outcome_of(tmp_path, "os.fork() or time.sleep(60); time.sleep(60)", 1.0)
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert list((tmp_path / "t").iterdir()) == []
    left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout if shutil.which("ps") else ""
    assert str(tmp_path / "vulkan_kernels.py") not in left
