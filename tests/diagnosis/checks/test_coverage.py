"""Each GPU against the lists that were read."""

import pytest
from answers import answers
from doors import of_text

TORCH = {"torch__arch_list___0": ["gfx1030", "gfx1034"], "gpu__gfx_target___0": "gfx1034", "gpu__gfx_target___1": "gfx1010",
         "gpu__name___1": "AMD Radeon RX 5700 XT"}


def test_of_several_gpus_the_one_left_out_is_named():
    found = answers("RuntimeError: HIP error: invalid device function", **TORCH)
    assert "RX 5700 XT (gfx1010)" in found["gpu-not-in-target-list"].title


def test_without_trouble_or_with_a_list_that_has_all_nothing_is_said():
    assert "gpu-not-in-target-list" not in answers(**TORCH)
    whole = {**TORCH, "torch__arch_list___0": ["gfx1010", "gfx1034"]}
    assert "gpu-not-in-target-list" not in answers("RuntimeError: HIP error: invalid device function", **whole)


def test_a_library_with_a_list_of_its_own():
    facts = {"pip__packages": {"sgl-kernel": "0.3.0"}, "gpu__gfx_target___0": "gfx1102"}
    assert "gfx1102" in answers("the server crashes at start", **facts)["library-not-made-for-gpu"].title
    assert "library-not-made-for-gpu" not in answers("the server crashes at start", **{**facts, "gpu__gfx_target___0": "gfx942"})


def test_the_list_of_windows():
    facts = {"os__family": "windows", "runtime__rocm_version": "7.2.0", "gpu__gfx_target___0": "gfx1153"}
    found = answers("the program crashes with an access violation", **facts)["windows-release-does-not-list-gpu"]
    assert "gfx1153" in found.title and any("7.13" in fix.title for fix in found.fixes)
    assert "windows-release-does-not-list-gpu" not in answers("it crashes with an access violation", **{**facts, "runtime__rocm_version": "10.0.0"})
    assert "windows-release-does-not-list-gpu" not in answers("it crashes with an access violation", **{**facts, "os__family": "linux"})


def test_the_list_that_torch_prints_is_read():
    text = "torch.cuda.get_arch_list(): ['gfx1100', 'gfx1101']\nRuntimeError: HIP error: no kernel image is available for execution"
    assert "gfx1201" in answers(text, gpu__gfx_target___0="gfx1201")["gpu-not-in-target-list"].title
    assert "gpu-not-in-target-list" not in answers(text, gpu__gfx_target___0="gfx1101")


@pytest.mark.parametrize("name, text, title", [
    ("library-file-lacks-gpu", "Fedora, BC-250 board, every GEMM aborts.\n$ strings /usr/lib64/librocblas.so.4.4 | grep -oE 'gfx10[0-9]+' | sort -u\n"
     "gfx1010\ngfx1012\ngfx1030\n", "librocblas.so.4.4 has no kernels for AMD Radeon BC-250 (gfx1013)"),
    ("library-file-lacks-gpu", "RX 5700 XT: HIP error: invalid device function\n$ roc-obj-ls torch/lib/libtorch_hip.so | grep -o 'gfx[0-9a-f]*' | sort -u\n"
     "gfx1030\ngfx900\n", "libtorch_hip.so has no kernels for AMD Radeon RX 5700 XT (gfx1010)"),
    ("build-leaves-out-gpu", "Radeon 890M. I built it:\ncmake -B build -DGGML_HIP=ON -DAMDGPU_TARGETS=\"gfx1100;gfx1151\"\nROCm error: invalid device function",
     "The build names gfx1100, gfx1151 (AMDGPU_TARGETS), and AMD Radeon 890M (gfx1150) is not among them"),
    ("build-leaves-out-gpu", "RX 7600 XT, built with PYTORCH_ROCM_ARCH=gfx942 as in the Dockerfile: hipErrorNoBinaryForGpu", "and AMD Radeon RX 7600 XT (gfx1102)"),
    ("wheel-index-lacks-gpu", "RX 9070, the launcher fails:\nuv pip install app --index=https://download.pytorch.org/whl/rocm6.3", "the first with it is rocm6.4"),
    ("wheel-index-lacks-gpu", "Ryzen AI Max+ 395, no GPU is found with\npip install torch --index-url https://download.pytorch.org/whl/rocm6.2", "the first with it is rocm7.0"),
])
def test_a_list_in_any_form(name, text, title):
    found = answers(text)[name]
    assert found.standing == "cause" and title in found.title


def test_the_known_override_stands_with_the_list_that_leaves_the_gpu_out():
    text = "{} with Linux, it crashes: HIP error: invalid device function\n$ strings libtorch_hip.so | grep -o 'gfx[0-9]*'\ngfx1030\ngfx1010\n"
    for name, value in (("RX 6600", "10.3.0"), ("BC-250", "10.1.0")):
        commands = [line for fix in answers(text.format(name))["library-file-lacks-gpu"].fixes for line in fix.commands]
        assert f"HSA_OVERRIDE_GFX_VERSION={value} PROGRAM" in commands
    assert "library-file-lacks-gpu" not in answers(text.format("RX 6600") + "$ echo $HSA_OVERRIDE_GFX_VERSION\n10.3.0\nHSA_OVERRIDE_GFX_VERSION=10.3.0")


@pytest.mark.parametrize("text", [
    "RX 7900 XTX. pip install torch --index-url https://download.pytorch.org/whl/rocm6.4, then the training hangs now and then.",
    "RX 7900 XTX, built with -DAMDGPU_TARGETS=gfx1100. ROCm error: invalid device function",
    "RX 6600: it was built for --offload-arch=gfx1030 and runs well.",
    "RX 7900 XTX, building with GPU_TARGETS=\"gfx1100;gfx1201\" works, 64 GB of memory are enough.",
])
def test_a_list_that_serves_the_gpu_or_without_trouble_accuses_nobody(text):
    assert not {"library-file-lacks-gpu", "build-leaves-out-gpu", "wheel-index-lacks-gpu"} & set(answers(text))


def test_a_torch_from_before_the_gpu_is_named_without_an_error_line():
    report = "Linux, RX 9070 XT. The speech program does not see my card.\n\nPyTorch version: 2.5.1+rocm6.1\nROCm available: False\n"
    first = next(iter(of_text(report).values()))
    assert first.id == "wheel-index-lacks-gpu" and "gfx1201" in first.title and "rocm6.1" in first.title


def test_a_newer_torch_is_not_accused():
    report = "Linux, RX 9070 XT. The speech program does not see my card.\n\nPyTorch version: 2.10.0+rocm7.1\nROCm available: False\n"
    assert "wheel-index-lacks-gpu" not in of_text(report)


@pytest.mark.parametrize(("gpu", "more", "named"), [("Ryzen 7 5700U", "", True), ("RX 5700 XT", "", True), ("RX 7900 XTX", "", False), ("RX 5700 XT", " It is the ZLUDA build.", False)])
def test_a_gpu_that_no_rocm_for_windows_lists_is_named_where_pytorch_finds_none(gpu, more, named):
    report = f"Windows 11, {gpu}, ComfyUI Desktop.{more} The server stops with\n\nRuntimeError: No HIP GPUs are available\n"
    assert ("no-windows-release-lists-gpu" in of_text(report)) is named


def test_a_list_that_a_build_prints_of_itself_explains_any_trouble():
    text = "-- Build GPU targets: gfx906;gfx942;gfx1201\n-- Configuring done\nTransfers with a GPU kernel stop with a HIP error: invalid resource handle on my card."
    assert "gfx950" in answers(text, gpu__gfx_target___0="gfx950")["build-leaves-out-gpu"].title
    assert "build-leaves-out-gpu" not in answers(text, gpu__gfx_target___0="gfx942")
