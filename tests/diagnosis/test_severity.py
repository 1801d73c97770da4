"""What is harmless stands behind what was told, and what a rule does not know is not printed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "checks"))

from answers import answers  # noqa: E402


def test_a_harmless_warning_stands_behind_the_trouble():
    found = answers("RX 6600, ComfyUI crashes after the second image.\n"
                    "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: gfx1032_14.kdb Performance may degrade.")
    assert list(found).index("crash") < list(found).index("miopen-kernel-database-absent")


def test_advice_under_wsl_names_no_kernel_module():
    found = answers("GPUStack in WSL2 shows no GPU.\nERROR - Failed to initialize AMD SMI\nAMDSMI_STATUS_DRIVER_NOT_LOADED - Driver not loaded")
    finding = found["smi-tool-does-not-work-under-wsl"]
    said = " ".join((finding.title, finding.summary, finding.cause, *(f"{fix.title} {fix.detail} {' '.join(fix.commands)}" for fix in finding.fixes)))
    assert "modprobe" not in said and "amdgpu-dkms" not in said


def test_a_nightly_that_worked_the_day_before_is_no_matter_of_the_driver():
    found = answers("Windows. Our job installs torch-2.11.0a0+rocm7.1.0rc20251103 and import fails: Failed to load amdhip64.dll: not found. "
                    "The same job passed with the packages of the days before.")
    assert found["nightly-packages-broken"].standing == "cause" and "windows-hip-runtime-dll-absent" not in found


def test_what_was_not_read_is_in_no_title_and_stands_in_capitals_in_a_command():
    found = answers("Windows 10, llama-b4000-bin-win-hip-x64.zip.\nCUDA error: invalid device function\n  current device: 0, in function ggml_cuda_compute_forward")
    finding = found["ggml-hip-build-lacks-target"]
    words = [finding.title, finding.summary, *(fix.title for fix in finding.fixes), *(line for fix in finding.fixes for line in fix.commands)]
    assert not any("(unknown)" in text for text in words) and any("-DGPU_TARGETS=GFX" in text for text in words)
    named = answers("Windows 10, RX 6600, llama-b4000-bin-win-hip-x64.zip.\nCUDA error: invalid device function\n  current device: 0, in function ggml_cuda")
    assert "gfx1032" in named["ggml-hip-build-lacks-target"].title
