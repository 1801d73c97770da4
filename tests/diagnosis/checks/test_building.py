"""Builds that stop for another reason than their sources."""

import re

import pytest
from answers import answers, loud

TEXTS = [
    ("CMake Error at /opt/rocm/lib/cmake/rocblas/rocblas-targets.cmake:88 (message):\n  The imported target \"roc::rocblas\" references the file\n\n"
     "     \"/opt/rocm-6.3.1/lib/librocblas.so.4.3\"\n\n  but this file does not exist.", "imported-file-missing", r"roc::rocblas names /opt/rocm-6\.3\.1/lib/librocblas\.so"),
    ("[12/90] Building CXX object x.cu.o\nc++: fatal error: Killed signal terminated program cc1plus\nninja: build stopped: subcommand failed.\nMAX_JOBS=64", "build-out-of-memory", "cc1plus"),
    ("clang++: error: unable to execute command: Killed\nclang++: error: clang frontend command failed due to signal (use -v to see invocation)\n"
     "-DAMDGPU_TARGETS=gfx906;gfx90a;gfx942;gfx1100", "build-out-of-memory", "memory"),
    ("emerge sci-libs/hipBLASLt\nMemoryError\nOSError: [Errno 12] Cannot allocate memory\nRX 9070", "build-out-of-memory", "memory"),
    ("LLVM ERROR: Cannot select: 0x7f3: v2f16 = fmaxnum\nPLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/\n"
     "Program arguments: /opt/rocm-7.1.0/lib/llvm/bin/clang-20 -target-cpu gfx1103", "compiler-crashes", r"for gfx1103 \(the compiler of ROCm 7\.1\.0 .*Cannot select"),
    ("darktable: /builds/llvm/lib/Target/AMDGPU/SIFoldOperands.cpp:77: void foo(): Assertion `isReg() && \"not a register\"' failed.\nROCm 6.2.4, RX 6600", "compiler-crashes",
     r"isReg\(\)"),
    ("kernel.hip:44:1: internal compiler error: in foo_bar, at tree.cc:99", "compiler-crashes", "GCC.*foo_bar"),
    ("CMake Error at CMakeLists.txt:3 (project):\n  No CMAKE_HIP_COMPILER could be found.", "hip-compiler-not-found", "no HIP compiler"),
    ("CMake Error: CMAKE_HIP_ARCHITECTURES must be non-empty if set.\nRX 7700 XT", "hip-target-not-named", "for which GPU"),
    ("OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.\nERROR: Failed building wheel for mamba-ssm\nRX 7900 XTX", "build-wants-cuda",
     "CUDA_HOME"),
    ("/opt/rocm/llvm/bin/ld.lld: error: unable to find library -lstdc++\nclang++: error: linker command failed\n/usr/lib/gcc/x86_64-linux-gnu/13 and "
     "/usr/lib/gcc/x86_64-linux-gnu/14", "newest-gcc-lacks-cxx", r"GCC folder"),
]


@pytest.mark.parametrize(("text", "name", "title"), TEXTS, ids=[f"{name}-{at}" for at, (_, name, _) in enumerate(TEXTS)])
def test_a_build_is_explained(text, name, title):
    found = answers(text)
    assert name in found, loud(found)
    assert re.search(title, found[name].title), found[name].title
    assert next(iter(found)) == name, loud(found)


def test_targets_and_jobs_are_named_and_the_own_one_proposed():
    found = answers("c++: fatal error: Killed signal terminated program cc1plus\nexport PYTORCH_ROCM_ARCH=\"gfx90a;gfx942;gfx1100\"\nMAX_JOBS=48\nninja: build stopped",
                    gpu__gfx_target___0="gfx1101")["build-out-of-memory"]
    assert "3 targets (gfx90a, gfx942, gfx1100)" in found.summary and "48 jobs" in found.summary
    assert "gfx1101" in found.fixes[0].title and "PYTORCH_ROCM_ARCH" in found.fixes[0].title


def test_a_linker_of_gcc_is_not_clangs_choice():
    assert "newest-gcc-lacks-cxx" not in answers("/usr/bin/ld: cannot find -lstdc++: No such file or directory\ncollect2: error: ld returned 1 exit status")


@pytest.mark.parametrize("text", ["OSError: [Errno 12] Cannot allocate memory\nDataLoader worker of my RX 7900 XTX", "AMD clang version 19.0.0", "ninja: no work to do."])
def test_nothing_is_made_up(text):
    assert not {"build-out-of-memory", "compiler-crashes", "imported-file-missing"} & set(answers(text))


@pytest.mark.parametrize("llvm, gfx, known", [("16.0.6", "gfx942", False), ("18.1.7", "gfx942", True), ("19.1.7", "gfx950", False), ("14.0.6", "gfx1030", True)])
def test_the_llvm_of_a_language_is_older_than_the_target(llvm, gfx, known):
    found = answers(f"  LLVM: libLLVM-{llvm} (ORCJIT, znver4)\n'{gfx}' is not a recognized processor for this target (ignoring processor)\n"
                    "LLVM ERROR: Cannot select: intrinsic %llvm.amdgcn.workitem.id.x\n")
    assert ("llvm-older-than-target" in found) is not known
    assert ("target-lacks-instruction" in found) is known


def test_bitcode_of_a_newer_llvm():
    line = "fatal error: cannot open file '/x/bitcode/ocml.bc': Invalid attribute group entry (Producer: 'LLVM{}' Reader: 'LLVM {}')\n"
    called = "Failed command: /opt/rocm/bin/amdclang++ --offload-arch=gfx942 -x hip -c Kernels.cpp\n"
    assert "/opt/rocm/bin/amdclang++" in answers(line.format("20.0.0git", "18.0.0git") + called)["device-library-of-newer-llvm"].title
    assert "device-library-of-newer-llvm" not in answers(line.format("18.0.0git", "20.0.0git") + called)
