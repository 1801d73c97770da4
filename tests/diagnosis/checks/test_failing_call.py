"""A function that is named as failed is answered with what it is for and how a program does without it."""

from __future__ import annotations

import io
import re

import pytest

from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import rules, tables
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts import attach, interpret

SCANNER = Scanner(rules.load().patterns())


def found(folder, log, told="RX 7900 XTX, Linux, ROCm 7.2. My program crashes."):
    (folder / "report.txt").write_text(told)
    (folder / "run.log").write_text(log)
    snapshot = Snapshot("2026-11-29T00:00:00+00:00", "read")
    interpret.fill(snapshot, attach.gather([str(folder)], io.BytesIO()).texts, SCANNER)
    return {finding.id: finding for finding in make_report(snapshot, rules.load()).findings}


@pytest.mark.parametrize(("log", "call", "what"), [
    ("Thread 1 received signal SIGSEGV, Segmentation fault.\n#0  0x00007f1 in ?? () from /opt/rocm/lib/libamdhip64.so.6\n"
     "#1  0x00007f2 in hipGraphDestroy () from /opt/rocm/lib/libamdhip64.so.6\n", "hipGraphDestroy", "graphs"),
    ("ERROR: HIPError(code hipErrorOutOfMemory, out of memory)\nStacktrace:\n [1] check\n [2] hipMallocFromPoolAsync\n", "hipMallocFromPoolAsync", "pool"),
    ("[ERROR] vkCreateComputePipelines failed with VK_ERROR_UNKNOWN\n", "vkCreateComputePipelines", "shaders"),
    ("NCCL INFO AllReduce: opCount 0\nunhandled cuda error (run with NCCL_DEBUG=INFO for details)\nAborted (core dumped)\n", "RCCL", "collective"),
])
def test_the_call_names_its_feature_and_a_way_around(tmp_path, log, call, what):
    finding = found(tmp_path, log)["call-fails"]
    assert call in finding.title and what in finding.title and finding.standing == "symptom"
    assert len(finding.fixes) >= 2 and not re.search(r"\{\w+\}", finding.title + "".join(fix.title for fix in finding.fixes))


def test_what_only_waits_is_named_where_nothing_else_is(tmp_path):
    log = "#0  0x1 in hipStreamSynchronize ()\n#1  0x2 in hipGraphLaunch ()\nSegmentation fault (core dumped)\n"
    assert "hipGraphLaunch" in found(tmp_path, log)["call-fails"].title


def test_nothing_is_said_where_nothing_failed(tmp_path):
    assert "call-fails" not in found(tmp_path, "hipGetDeviceCount returned 2\nhipGraphLaunch took 3 ms\n", "RX 7900 XTX, Linux, ROCm 7.2. All works.")


def test_every_row_says_what_to_do():
    for row in tables.load("calls")["calls"]:
        assert row["what"] and row["around"] and row["then"] and row["layer"], row["id"]
