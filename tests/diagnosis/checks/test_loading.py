"""What a loader asks for, and what is there."""

import re

import pytest
from answers import answers, loud

GONE = "{0}: cannot open shared object file: No such file or directory"
TEXTS = [
    ("/x/jax_plugins/xla_rocm60/xla_rocm_plugin.so: " + GONE.format("librocm_smi64.so.6") + "\nRuntimeError: INTERNAL: Failed to open\n$ ls /opt/rocm/lib | grep smi64\n"
     "librocm_smi64.so\nlibrocm_smi64.so.7\n", "library-under-other-number", r"xla_rocm_plugin.so asks for librocm_smi64\.so\.6, and here is librocm_smi64\.so\.7"),
    ("ImportError: cannot import name 'NewLayout' from 'triton_kernels.layout'\nvLLM on MI355X does not start", "module-part-missing", "triton_kernels.layout.NewLayout"),
    ("./koboldcpp: error while loading shared libraries: " + GONE.format("librocblas.so.4") + "\n$ ls /usr/lib64/librocblas*\n/usr/lib64/librocblas.so.5", "library-under-other-number",
     r"librocblas\.so\.4, and here is librocblas\.so\.5"),
    ("module load rocm/6.2.1\nImportError: " + GONE.format("librocjpeg.so.0"), "library-of-later-release", r"librocjpeg\.so\.0, which came with ROCm 6\.3; here is ROCm 6\.2\.1"),
    ("Segmentation fault (core dumped)\n#0 0x00007f1 in llvm::foo () from /usr/lib/libLLVM.so.21.1 \n/usr/lib/libLLVM-17.so(+0x123) [0x7f12]\n/opt/rocm/lib/llvm/lib/libLLVM.so.20.0roc(+0x9) "
     "[0x7f99]\n/usr/lib/libLLVM.so.21.1(+0x99) [0x7f00]", "library-twice-in-process", "Two copies of LLVM"),
    ("Segmentation fault (core dumped)\n/opt/rocm/lib/libamdhip64.so.7(+0x123) [0x7f12]\n/venv/lib/python3.12/site-packages/torch/lib/libamdhip64.so.7(+0x44) [0x7f13]",
     "library-twice-in-process", "site-packages/torch/lib/libamdhip64"),
    ("ModuleNotFoundError: No module named 'migraphx'\nRX 7900 XT, Python 3.12\n-rw-r--r-- 1 root root 9 Jan 1 00:00 migraphx.cpython-310-x86_64-linux-gnu.so",
     "module-outside-of-pip", "migraphx.*/opt/rocm/lib"),
    ("ModuleNotFoundError: No module named 'rocpd'\nMI300X", "module-outside-of-pip", "rocpd"),
    ("bash: hipconfig: command not found\nThe build of llama.cpp fails.", "program-not-on-path", "hipconfig"),
    ("Arch, RX 7800 XT: no Vulkan game starts.\n$ ldd /usr/lib/libvulkan_radeon.so\n\tlibLLVM.so.20.1 => not found\n$ ls /usr/lib/libLLVM*\n/usr/lib/libLLVM.so.21.1",
     "library-of-another-state", r"^libvulkan_radeon\.so wants libLLVM\.so\.20\.1, and libLLVM\.so\.21\.1 is there"),
    ("Steam does not start. In /usr/lib32 there is only libLLVM-19.so.1.\n$ objdump -p /usr/lib32/dri/radeonsi_dri.so | grep LLVM\n  NEEDED               libLLVM-18.so.1",
     "library-of-another-state", r"^The 32-bit radeonsi_dri\.so wants libLLVM-18\.so\.1"),
    ("ModuleNotFoundError: No module named 'torchvision'\nRX 6600", "module-not-in-this-interpreter", "torchvision"),
]


@pytest.mark.parametrize(("text", "name", "title"), TEXTS, ids=[f"{name}-{at}" for at, (_, name, _) in enumerate(TEXTS)])
def test_the_loader_is_explained(text, name, title):
    found = answers(text)
    assert name in found, loud(found)
    assert re.search(title, found[name].title), found[name].title
    assert next(iter(found)) == name, loud(found)


def test_a_link_is_proposed_only_where_the_interface_did_not_change():
    said = {library: " ".join(command for fix in answers(GONE.format(f"x: {library}.so.6") + f"\n$ ls /opt/rocm/lib\n{library}.so.7")["library-under-other-number"].fixes
                              for command in fix.commands) for library in ("librocm_smi64", "libamdhip64")}
    assert "ln -s" in said["librocm_smi64"] and "ln -s" not in said["libamdhip64"]


@pytest.mark.parametrize("text", [
    GONE.format("ImportError: libamdhip64.so.7") + "\n$ ls /opt/rocm/lib/libamdhip64*\nlibamdhip64.so.7",
    "$ ls /usr/lib/libLLVM*\n/usr/lib/libLLVM.so.19.1\n/usr/lib/libLLVM.so.20.1\nThe program crashes.",
    "Games crash.\n$ ldd /usr/lib/libvulkan_radeon.so\n\tlibLLVM.so.20.1 => not found\n$ ls /usr/lib\n/usr/lib/libxml2.so.16\n/usr/lib/libLLVM.so.20.1",
    "module load rocm/7.1.0\n" + GONE.format("ImportError: librocprofiler-sdk-attach.so.1"),
])
def test_nothing_is_made_up(text):
    assert not {"library-under-other-number", "library-twice-in-process", "library-of-later-release", "library-of-another-state"} & set(answers(text))


def test_a_library_that_is_there_under_another_number_is_not_of_another_major():
    found = answers("jax fails to load its plugin with ROCm 6.2.4: librocm_smi64.so.6: cannot open shared object file: No such file or directory\n"
                    "$ ls /opt/rocm/lib | grep rocm_smi\nlibrocm_smi64.so\nlibrocm_smi64.so.7\n")
    assert "library-under-other-number" in found and "program-needs-other-rocm-major" not in found


def test_a_library_that_is_younger_than_the_rocm_that_is_told():
    text = "RHEL 8 with ROCm {}. The plugin does not load: librocprofiler-sdk-attach.so.1: cannot open shared object file"
    assert "came with ROCm 7.1; here is ROCm 7.0.1" in answers(text.format("7.0.1"))["library-of-later-release"].title
    assert "library-of-later-release" not in answers(text.format("7.2.0"))


def test_a_part_of_a_package_that_is_there():
    found = answers("Traceback (most recent call last):\n  File \"/x/vllm/a.py\", line 1\nModuleNotFoundError: No module named 'vllm.vllm_flash_attn.layers'\n")
    assert "vllm is installed" in found["module-part-missing"].title and "CUDA only" in found["module-part-missing"].summary
    assert "module-not-in-this-interpreter" not in found
    assert "module-part-missing" not in answers("Traceback (most recent call last):\nModuleNotFoundError: No module named 'vllm'\n")
