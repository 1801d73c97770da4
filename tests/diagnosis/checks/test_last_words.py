"""Where a log ends early, and what of a backtrace is there twice."""

import pytest
from test_version_story import found

_OPENCL = "start: 2026-05-20\n     0.0411 [dt_init] OpenCL preparation\n     0.0433 [opencl_init] opencl library 'libOpenCL.so.1' found and loaded\n"


@pytest.mark.parametrize(("told", "log", "title"), [
    ("RX 9060 XT, darktable shows its window for a second and is gone.", _OPENCL, "darktable stops while it starts OpenCL"),
    ("MI250, PyTorch with an extension. The tests abort.", "Time to load xentropy_cuda op: 4.25 seconds\nMemory access fault by GPU node-1 on address 0x7.\nAborted (core dumped)\n",
     "PyTorch stops in xentropy_cuda"),
    ("4x RX 7900 XTX, vLLM. The server crashes.", "INFO 03-01 10:00:00 [a.py:1] loading\nINFO 03-01 10:00:01 [pynccl.py:1] vLLM is using nccl==2.27.3\nSegmentation fault (core dumped)\n",
     "vLLM stops while the GPUs are connected"),
    ("RX 6600, hashcat crashes.", "[00:00:01] hashcat (v6.2.6) starting\n[00:00:02] Initializing backend runtime for device #1. Please be patient...\nSegmentation fault\n",
     "hashcat stops while kernels are compiled"),
])
def test_the_stage_in_which_a_program_ends(tmp_path, told, log, title):
    one = found(tmp_path, told, program=log)["stops-after"]
    assert one.standing == "symptom" and one.title.startswith(title)


@pytest.mark.parametrize(("told", "log"), [
    ("RX 9060 XT, darktable is fast.", _OPENCL),
    ("RX 9060 XT. The program crashes.", "[1] frobnicating\n[2] frobnicated\nSegmentation fault\n"),
    ("RX 9060 XT. The program crashes. It uses OpenCL.", ""),
])
def test_nothing_is_said_of_a_log_that_tells_no_stage(tmp_path, told, log):
    assert "stops-after" not in found(tmp_path, told, program=log)


@pytest.mark.parametrize(("frames", "here"), [
    ("/usr/lib/libLLVM.so.19.1(+0x2d) [0x7bfa58556da3]\n/opt/rocm/llvm/lib/libLLVM.so.22.0(_ZN4llvm+0x4c5) [0x7bfb2f6223c5]\n", True),
    ("#1  0x00007f1 in clang::f () from /usr/lib/libclang-cpp.so.18\n#2  0x00007f2 in g () from /opt/rocm/lib/llvm/lib/libclang-cpp.so.20\n", True),
    ("/usr/lib/libLLVM.so.19.1(+0x2d) [0x7bfa58556da3]\n/usr/lib/libLLVM.so.19.1(_ZN4llvm+0x4c5) [0x7bfb2f6223c5]\n", False),
    ("/usr/lib/libLLVM.so.19.1 is installed, /opt/rocm/llvm/lib/libLLVM.so.22.0 as well\n", False),
])
def test_two_versions_of_a_library_in_one_backtrace(tmp_path, frames, here):
    every = found(tmp_path, "RX 7600, Linux. Rendering with HIP crashes.", crash="# backtrace\n/usr/bin/prog(+0x1) [0x581f849af923]\n" + frames)
    assert ("library-twice-in-process" in every) is here


def test_the_assertion_of_a_compiler_names_the_compiler(tmp_path):
    log = "prog: /build/llvm-project-rocm-7.1.0/llvm/lib/CodeGen/RegAlloc.cpp:211: void f(): Assertion `Reg.isVirtual()' failed.\n"
    one = found(tmp_path, "RX 7600, ROCm 7.1.0. hashcat crashes in mode 17200.", prog=log)["part-fails-to-compile"]
    assert one.title.startswith("ROCm's compiler (LLVM)")


@pytest.mark.parametrize(("log", "module"), [
    ("$ python -c 'import torch, torchvision'\n$ python -c 'import torchaudio'\nterminate called after throwing an instance of 'std::bad_alloc'\n", "torchaudio"),
    ("(venv) user@box:~$ python3.12 -c \"import bitsandbytes\"\nSegmentation fault (core dumped)\n", "bitsandbytes"),
    ("$ python -c 'import torchaudio'\n$ python train.py\nSegmentation fault (core dumped)\n", ""),
    ("$ python -c 'import torch; torch.ones(4).cuda()'\nSegmentation fault (core dumped)\n", ""),
])
def test_a_module_whose_import_alone_ends_python_is_named(tmp_path, log, module):
    every = found(tmp_path, "Strix Halo, Linux. The job ends at once.", shell=log)
    assert ("dies-at-import" in every) is bool(module)
    assert not module or module in every["dies-at-import"].title
