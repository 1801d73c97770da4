"""Trouble without a known cause: what the log calls an error is quoted, and only experiments of that side are shown."""

import pytest
from test_version_story import found

_DRIVER = ("previous kernel", "dcdebugmask", "test computations", "linux-firmware")


@pytest.mark.parametrize(("told", "log", "title"), [
    ("Slurm with 4 MI210 in a node, AutoDetect=rsmi. Jobs get no GPU, it does not work.",
     {"slurmd": "[2026-03-02T10:11:12] gpu/rsmi: 4 GPU system device(s) detected\n[2026-03-02T10:11:12] error: GRES count of gpu does not match the node\n"},
     "slurmd reports: GRES count of gpu does not match the node"),
    ("RX 7800 XT with ROCm. The package is missing.", {"install": "Reading package lists... Done\nE: Unable to locate package libfrobnicate1\n"},
     "the package manager reports: Unable to locate package libfrobnicate1"),
    ("RX 7800 XT with ROCm. The program does not work.",
     {"frobd": "2026-01-24 08:28:03,774 - 181 - frob.detector.amd - ERROR - The list of nodes of the GPU is inconsistent\n"},
     "frobd reports: The list of nodes of the GPU is inconsistent"),
])
def test_what_the_log_calls_an_error_is_quoted(tmp_path, told, log, title):
    every = found(tmp_path, told, **log)
    one = next(iter(every.values()))
    assert one.id == "program-reports-error" and one.standing == "symptom" and one.title.lower().startswith(title.lower())
    assert "trouble-told" not in every


@pytest.mark.parametrize(("told", "log"), [
    ("Slurm with 4 MI210 in a node. Jobs get no GPU, it does not work.", {"slurmd": "[2026-03-02T10:11:12] error: GRES count of gpu does not match\n"}),
    ("Ubuntu 24.04, RX 7800 XT. pip install torch fails.", {"pip": "ERROR: No matching distribution found for torch==1.2+rocm9\n"}),
    ("MI300X, Kubernetes. The device plugin does not work, kubectl shows no resource of it.", {}),
    ("MI300X. rocprofv3 --attach says success, but no trace file is written at all.", {}),
])
def test_no_driver_experiments_for_what_has_no_driver_in_it(tmp_path, told, log):
    fixes = " ".join(fix.title for finding in found(tmp_path, told, **log).values() for fix in finding.fixes)
    assert fixes and not any(word in fixes for word in _DRIVER)


@pytest.mark.parametrize(("told", "word"), [
    ("MI325X, vLLM. 60 tok/s with one user; the card should do far more.", "VLLM_ROCM_USE_AITER=1"),
    ("RX 5700 XT, InvokeAI. Every image is uniformly gray.", "full precision"),
    ("RX 7600, Sunshine with VAAPI. The streams stutter and show blocks.", "rate control"),
    ("RX 9070 XT, Windows, darktable shows its window for a second and is gone.", "without OpenCL"),
    ("RX 7900 XTX, Windows. The game crashes after the logo. It uses Direct3D 12.", "Vulkan in place of Direct3D 12"),
    ("MI300X. rocprofv3 --attach prints success, the output folder stays empty.", "ROCP_TOOL_ATTACH=1"),
    ("RX 7900 XTX, Linux. The screen flickers after boot.", "previous kernel"),
])
def test_the_experiments_fit_program_and_symptom(tmp_path, told, word):
    assert word in " ".join(fix.title for fix in next(iter(found(tmp_path, told).values())).fixes)


def test_a_component_that_was_tried_both_ways_is_no_experiment(tmp_path):
    told = "RX 7900 XTX, Linux. The screen flickers after boot."
    more = " With kernel 7.2.4 it is wrong, with kernel 7.2.2 it is wrong, too."
    assert "previous kernel" in str(found(tmp_path, told)) and "previous kernel" not in str(found(tmp_path, told + more))


def test_no_line_that_counts_errors_is_one(tmp_path):
    log = {"frob": "2026-01-24 08:28:03 errors: 0\n2026-01-24 08:28:03 no error\nfrob: error count 0 errors\n"}
    assert "program-reports-error" not in found(tmp_path, "RX 7800 XT with ROCm. The program does not work.", **log)


@pytest.mark.parametrize(("said", "severity"), [("model \"a\" not found, try pulling it first (status code: 404)", "info"), ("the list of nodes is inconsistent", "warning")])
def test_what_was_asked_for_wrongly_is_no_trouble_of_the_gpu(tmp_path, said, severity):
    one = found(tmp_path, "", client=f"2026-01-24 08:28:03,774 - RX 7800 XT with ROCm\n2026-01-24 08:28:04,774 - ERROR - {said}\n")
    assert one["program-reports-error"].severity == severity
