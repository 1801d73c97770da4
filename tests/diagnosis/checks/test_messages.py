"""Messages that explain themselves, in texts of the kinds that people send."""

import re

import pytest
from answers import answers, loud

TEXTS = [
    ("ImportError: libroctx64.so.4: cannot open shared object file: No such file or directory", "shared-library-missing", "libroctx64.so.4.*rocTracer"),
    ("$ ldd ./main\n\tlibopenblas.so.0 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x00007f)", "shared-library-missing", "OpenBLAS"),
    ("ImportError: libGL.so.1: cannot open shared object file: No such file or directory", "shared-library-missing", "OpenGL"),
    ("./x: error while loading shared libraries: libamd_smi.so.25: cannot open shared object file: No such file or directory\n"
     "ii  rocm-core  7.1.0.70100-20~24.04  amd64  ROCm core", "shared-library-of-other-release", "ROCm 6.4.*ROCm 7"),
    ("ImportError: libcublas.so.12: cannot open shared object file: No such file or directory", "cuda-build-on-amd", "libcublas"),
    ('OSError: [WinError 127] The specified procedure could not be found. Error loading "D:\\py\\Lib\\site-packages\\torch\\lib\\shm.dll" or one of its '
     "dependencies.", "torch-library-incomplete", "shm.dll"),
    ("The code execution cannot proceed because MIOpen.dll was not found.", "dll-missing", "MIOpen"),
    ("ImportError: DLL load failed while importing onnxruntime_pybind11_state: The specified module could not be found.", "dll-missing", "onnxruntime"),
    ("./llama-cli: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.39' not found (required by ./libllama.so)", "symbol-version-missing", "GLIBC_2.39.*libllama"),
    ("/opt/app: /lib64/libstdc++.so.6: version `GLIBCXX_3.4.33' not found (required by /opt/app)", "symbol-version-missing", "3.4.33"),
    ("ImportError: /usr/lib/python3/amdsmi/libamd_smi.so: undefined symbol: amdgpu_device_initialize2", "symbol-missing", "libdrm"),
    ("/usr/bin/foo: symbol lookup error: /usr/lib/libLLVM.so.20: undefined symbol: _ZN4llvm5ValueD1Ev", "symbol-missing", "LLVM"),
    ("libbar_rocm63.so: undefined symbol: _Z36__device_stub__kOptimizer32bit1StateI12hip_bfloat16Li2EEvPT_S2_PfS3_ffffffiffbi", "library-lacks-own-kernel",
     r"libbar_rocm63.so .*\(kOptimizer32bit1State\)"),
    ("ImportError: /opt/rocm/lib/libMIOpen.so.1: undefined symbol: _ZN2ck16tensor_operation6device8instance3addEv", "symbol-missing", "Composable Kernel"),
    ("Failed to open /v/plugin.so: libsuitesparseconfig.so.4: cannot open shared object file: No such file or directory\nJAX finds no GPU, a Radeon",
     "shared-library-missing", "libsuitesparseconfig"),
    ("Radeon RX 7900 XT, Windows 11\n0 AMD Radeon(TM) Graphics gfx1036\n>>> torch.cuda.get_arch_list()\n['gfx1100', 'gfx1101', 'gfx1102', 'gfx1103']\n"
     "torch.AcceleratorError: HIP error: device kernel image is invalid", "kernels-missing-beside-integrated-gpu", "torch"),
    ("csrc/x.cuh:10:10: fatal error: cuda_fp16.h: No such file or directory", "cuda-sources-on-rocm", "cuda_fp16.h"),
    ("src/memory.c:4:10: fatal error: numaif.h: No such file or directory\nI use a Radeon", "header-missing", "libnuma"),
    ("/usr/bin/ld: cannot find -lroctx64: No such file or directory", "link-library-missing", "roctx64"),
    ('level=ERROR msg="error loading llama server" error="llama runner process has terminated: exit status 132"', "instruction-not-on-this-cpu", "processor"),
    ("LM Studio: the model has crashed. (Exit code: 3221225501)", "instruction-not-on-this-cpu", "processor"),
    ("[  812.101] traps: server[99] trap invalid opcode ip:7f sp:7f error:0 in libfoo.so[7f+1]", "instruction-not-on-this-cpu", "processor"),
    ("subprocess.CalledProcessError: Command died, returncode=-9", "exit-code", "SIGKILL"),
    ("The backend ended with exit code -1073741515", "exit-code", "DLL"),
    ("[ 123.456789] comfy[4411]: segfault at 18 ip 00007f00 sp 00007fff error 4 in libMIOpen.so.1.0[7f00+1000]", "crash-in-module", "MIOpen"),
    ("Faulting application name: blender.exe, version: 4.5, time stamp: 0x1\nFaulting module name: RTSSHooks64.dll, version: 7.3, time stamp: 0x1\n"
     "Exception code: 0xc0000005", "crash-in-module-windows", "overlay"),
    ("AssertionError: mxfp4 kernels require gfx950, but got gfx1201", "target-not-accepted", "gfx1201.*gfx950"),
    ("Traceback (most recent call last):\n  File \"x.py\", line 1\nRuntimeError: deepspeed: gfx906 is not supported", "target-not-accepted", "DeepSpeed.*gfx906"),
    ("csrc/k.cu:612:10: error: no template named 'optional' in namespace 'std'\nninja: build stopped", "std-include-missing", "std::optional.*<optional>"),
    ("[build] CMake Error: rocBLAS\n  Unsupported GPU target: gfx1036\nninja: build stopped", "build-target-not-accepted", "gfx1036"),
    ("E0401 10:22:31.104982 backend.cc:1112] ROCm device bitcode directory not found: /opt/rocm/amdgcn/bitcode\nFatal Python error: Aborted", "path-missing",
     "/opt/rocm/amdgcn/bitcode"),
    ("[WARN] no wheel for ROCm 7.14, falling back to ROCm index rocm7.2\nMy Radeon does not work with it, training fails always.",
     "says-it-falls-back", "falling back to ROCm index"),
    ("xformers 0.0.35 requires torch==2.10.0, but you have torch 2.9.1+rocm6.4 which is incompatible.", "version-not-accepted", "torch"),
]


@pytest.mark.parametrize(("text", "name", "title"), TEXTS, ids=[f"{name}-{at}" for at, (_, name, _) in enumerate(TEXTS)])
def test_a_message_is_explained(text, name, title):
    found = answers(text)
    assert name in found, loud(found)
    assert re.search(title, found[name].title), found[name].title
    assert found[name].standing == ("symptom" if name.startswith(("crash-in-module", "shared-library-missing", "link-library", "path-", "says-")) else "cause") and found[name].fixes


def test_a_module_that_is_no_part_of_the_gpu_is_named():
    told = ("RX 6800 XT does not boot\n[    3.102871] BUG: kernel NULL pointer dereference, address: 0000000000000000\n"
            "[    3.102980] RIP: 0010:{0}_probe+0x2a4/0x8c0 [{0}]\n[    3.103420] Kernel panic - not syncing: Fatal exception\n")
    assert "ramoops" in answers(told.format("ramoops"))["other-module-crashes"].title
    assert "other-module-crashes" not in answers(told.format("amdgpu"))


def test_a_header_that_lies_there_is_not_missing():
    told = "Linux, Radeon 780M\n$ make\nx.hip:3:10: fatal error: 'hip/hip_runtime.h' file not found\n"
    there = "$ ls -l /opt/rocm/include/hip/hip_runtime.h\n-rw-r--r-- 1 root root 2874 Aug  9 11:20 /opt/rocm/include/hip/hip_runtime.h\n"
    found = answers(told + there)
    assert "header-missing" not in found and "/opt/rocm/include" in found["header-not-searched"].title
    assert "header-not-searched" not in answers(told)


@pytest.mark.parametrize("text", [
    "libamdhip64.so.7 => /opt/rocm/lib/libamdhip64.so.7 (0x00007f12)",
    "Process finished with exit code 0",
    "warning: hipBLASLt on an unsupported architecture gfx1031! falling back to hipblas",
    "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: The agent attempted to execute an illegal shader instruction",
    "torch 2.9.1 requires numpy, which is installed",
    "loading libvulkan_radeon.so from /usr/lib",
])
def test_no_message_is_made_up(text):
    ours = {"shared-library-missing", "exit-code", "target-not-accepted", "instruction-not-on-this-cpu", "version-not-accepted", "crash-in-module"}
    assert not ours & set(answers(text))


def test_a_code_that_says_only_crash_is_a_question_in_the_background():
    found = answers("llama-server ended with exit code 139")
    assert found["exit-code"].standing == "possible" and found["exit-code"].severity == "info"


def test_a_machine_that_recorded_the_module_is_told_the_same():
    found = answers(crash__library="amdvlk64.dll", crash__program="game.exe", os__family="windows")
    assert "AMD's Vulkan driver" in found["crash-in-module-windows"].title and "game.exe" in found["crash-in-module-windows"].title


def test_the_command_is_that_of_the_distribution():
    found = answers("ImportError: libnuma.so.1: cannot open shared object file\nPRETTY_NAME=\"Fedora Linux 43\"\nID=fedora\nVERSION_ID=43")
    commands = " ".join(command for one in found.values() for fix in one.fixes for command in fix.commands)
    assert "dnf install" in commands


def test_kernels_for_the_gpu_at_hand_and_not_for_those_that_a_list_names():
    text = "Fedora 42, Radeon 860M, Blender crashes.\n:1:hip_fatbin.cpp:780 : Cannot find CO in the bundle /usr/lib64/librocblas.so.4.4 for ISA: amdgcn-amd-amdhsa--gfx1152"
    assert "rocBLAS has no kernels for this GPU (gfx1152)" in answers(text)["kernels-missing-for-gpu"].title


def test_an_option_that_gcc_does_not_know_is_no_target_that_is_refused():
    text = "MI250X (gfx90a), pip install of TransformerEngine fails.\ng++: error: unrecognized command-line option '--offload-arch=gfx90a'\nninja: build stopped"
    found = answers(text)
    assert "host-compiler-given-hip-options" in found and "build-target-not-accepted" not in found


def test_a_list_that_has_the_target_is_no_missing_kernel():
    text = ">>> torch.cuda.get_arch_list()\n['gfx906', 'gfx1030']\nRuntimeError: HIP error: no kernel image is available for execution on the device\n"
    found = answers(text + "torch 2.5.1", gpu__gfx_target___0="gfx1030")
    assert "gfx1030" in found["kernels-listed-but-not-loaded"].title and found["kernels-listed-but-not-loaded"].standing == "symptom"
    assert not {"torch-wheel-lacks-target", "kernels-missing-for-gpu"} & set(found)
    assert "kernels-listed-but-not-loaded" not in answers(text, gpu__gfx_target___0="gfx1201")


def test_an_invalid_image_is_another_error_than_none():
    found = answers(">>> torch.ones(2).cuda() + 1\ntorch.AcceleratorError: CUDA error: device kernel image is invalid\n", gpu__gfx_target___0="gfx90a")
    assert "kernel-image-unreadable" in found and "kernels-missing-for-gpu" not in found


def test_a_trace_names_the_gpu_and_the_module_that_lacks_it():
    text = (":1:hip_fatbin.cpp :694 : 1 us:  No compatible code objects found for: gfx942:sramecc+:xnack-, value of HIP_FORCE_SPIRV_CODEOBJECT: 0\n"
            "[aiter] import [module_rmsnorm] under /x/aiter/jit/module_rmsnorm.so\n")
    found = answers(text, gpu__gfx_target___0="gfx942", gpu__gfx_target___1="gfx950")
    assert "module_rmsnorm.so" in found["kernels-missing-for-gpu"].title and "gfx942" in found["kernels-missing-for-gpu"].title
