"""The probes of memory: a HIP runtime that answers, one that does not, and processes that hold memory."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from rocmdoctor.facts.model import Absent, Known, Unknown
from rocmdoctor.live.runner import run_probe

PROBES = pathlib.Path(__file__).resolve().parents[2] / "probes"
HIP = """
#include <stddef.h>
#include <string.h>
int hipGetDeviceCount(int *n) { *n = COUNT; return COUNT ? 0 : 100; }
int hipSetDevice(int n) { return 0; }
int hipDeviceGetPCIBusId(char *out, int len, int n) { strncpy(out, "0000:C5:00.0", len); return 0; }
int hipMemGetInfo(size_t *free, size_t *total) { *free = 96ul << 30; *total = 112ul << 30; return FAILS; }
"""
needs_compiler = pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")


def hip(monkeypatch, tmp_path, count=1, fails=0):
    (tmp_path / "hip.c").write_text(HIP)
    (tmp_path / "lib").mkdir()
    subprocess.run(["cc", "-shared", "-fPIC", f"-DCOUNT={count}", f"-DFAILS={fails}", "-o", tmp_path / "lib/libamdhip64.so.7", tmp_path / "hip.c"], check=True)
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path / "lib"))
    return run_probe(PROBES / "hip_memory.py", provides=("gpu.hip_total_bytes", "gpu.hip_free_bytes"), deadline=20, interpreter=sys.executable).facts


@needs_compiler
def test_what_hip_says_belongs_to_the_gpu_at_its_address(monkeypatch, tmp_path):
    facts = hip(monkeypatch, tmp_path)
    assert facts["gpu.hip_total_bytes[0000:c5:00.0]"] == Known(112 << 30, "hipMemGetInfo")
    assert facts["gpu.hip_free_bytes[0000:c5:00.0]"] == Known(96 << 30, "hipMemGetInfo")


@needs_compiler
def test_a_hip_without_device_or_answer_is_unknown(monkeypatch, tmp_path):
    assert all(isinstance(fact, Unknown) for fact in hip(monkeypatch, tmp_path, count=0).values())


@needs_compiler
def test_a_failing_query_is_unknown_with_its_status(monkeypatch, tmp_path):
    fact = hip(monkeypatch, tmp_path, fails=2)["gpu.hip_total_bytes[0000:c5:00.0]"]
    assert isinstance(fact, Unknown) and "2" in fact.detail


def test_no_hip_is_absent(monkeypatch, tmp_path):
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    facts = run_probe(PROBES / "hip_memory.py", provides=("gpu.hip_total_bytes",), deadline=20, interpreter=sys.executable).facts
    assert isinstance(facts["gpu.hip_total_bytes"], (Absent, Unknown))


FDINFO = "pos:\t0\ndrm-driver:\t{driver}\ndrm-client-id:\t{client}\ndrm-pdev:\t0000:03:00.0\n{sizes}"


def machine(tmp_path, processes):
    device = tmp_path / "sys/bus/pci/devices/0000:03:00.0"
    device.mkdir(parents=True)
    (device / "vendor").write_text("0x1002\n")
    (device / "class").write_text("0x030000\n")
    for pid, (name, texts) in processes.items():
        folder = tmp_path / f"proc/{pid}/fdinfo"
        folder.mkdir(parents=True)
        (folder.parent / "comm").write_text(name + "\n")
        for number, text in enumerate(texts):
            (folder / str(number)).write_text(text)
    return run_probe(PROBES / "memory_holders.py", provides=("gpu.holders", "memory.hidden_processes"), deadline=10, interpreter=sys.executable,
                     root=str(tmp_path)).facts


@pytest.mark.parametrize(("sizes", "vram", "gtt"), [
    ("drm-memory-vram:\t1024 KiB\ndrm-memory-gtt:\t8 MiB\n", 1 << 20, 8 << 20),
    ("drm-total-vram:\t4 MiB\ndrm-resident-vram:\t1 MiB\ndrm-shared-vram:\t9 MiB\ndrm-resident-gtt:\t0\n", 1 << 20, 0),
    ("drm-total-vram:\t3145728\n", 3 << 20, 0),
])
def test_old_and_new_kernels_are_read(tmp_path, sizes, vram, gtt):
    facts = machine(tmp_path, {10: ("app", [FDINFO.format(driver="amdgpu", client=1, sizes=sizes)])})
    assert facts["gpu.holders[0000:03:00.0]"].value == [{"pid": 10, "name": "app", "vram_bytes": vram, "gtt_bytes": gtt, "kfd_bytes": 0}]


def test_other_drivers_twice_open_files_and_broken_lines(tmp_path):
    one = FDINFO.format(driver="amdgpu", client=5, sizes="drm-memory-vram:\t2 MiB\n")
    other = FDINFO.format(driver="i915", client=5, sizes="drm-memory-vram:\t2 MiB\n")
    facts = machine(tmp_path, {10: ("app", [one, one, other, "\x00\xff junk", "drm-driver:\tamdgpu"]),
                               11: ("idle", [FDINFO.format(driver="amdgpu", client=6, sizes="")])})
    assert [(row["pid"], row["vram_bytes"]) for row in facts["gpu.holders[0000:03:00.0]"].value] == [(10, 2 << 20)]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root and setpriv to become nobody")
def test_what_may_not_be_read_is_unknown_with_the_reason(tmp_path):
    device = tmp_path / "sys/bus/pci/devices/0000:03:00.0"
    device.mkdir(parents=True)
    (device / "vendor").write_text("0x1002\n")
    (device / "class").write_text("0x030000\n")
    secret = tmp_path / "proc/10/fdinfo"
    secret.mkdir(parents=True)
    secret.chmod(0o700)
    for folder in (tmp_path, *tmp_path.parents):
        if os.access(folder, os.W_OK) and str(folder).startswith("/tmp/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o777)
    probe = tmp_path / "probe"
    shutil.copytree(PROBES, probe)
    done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", shutil.which("python3", path="/usr/bin") or sys.executable,
                           probe / "memory_holders.py", "--out", out / "f", "--root", tmp_path], capture_output=True, text=True)
    if done.returncode:
        pytest.skip("nobody may not run this Python: " + done.stderr[-120:])
    text = (out / "f").read_text()
    assert '"no_permission"' in text and "sudo rocmdoctor memory" in text and "gpu.holders" in text
