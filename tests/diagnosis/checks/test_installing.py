"""Refusals of package managers, explained with the names in them: other packages, releases, distributions and indexes than those that were read first."""

import re

import pytest
from answers import answers, loud

NONE = "ERROR: Could not find a version that satisfies the requirement {0} (from versions: none)\nERROR: No matching distribution found for {0}"
TEXTS = [
    ("Ubuntu 24.04, ROCm 6.1, RX 7800 XT\n$ pip install tensorflow-rocm==2.15.0 -f https://repo.radeon.com/rocm/manylinux/rocm-rel-6.1/\n" + NONE.format("tensorflow-rocm==2.15.0"),
     "wheel-for-other-python", r"rocm-rel-6.1 has no wheel of tensorflow-rocm==2.15.0 for Python 3.12, the one of Ubuntu 24.04.*3\.10 and 3\.11"),
    ("$ python3.11 -m pip install onnxruntime_rocm -f https://repo.radeon.com/rocm/manylinux/rocm-rel-6.4.1/\n" + NONE.format("onnxruntime_rocm"),
     "wheel-for-other-python", r"onnxruntime-rocm for Python 3\.11.*3\.10 and 3\.12"),
    ("$ python3.14 -m pip install torch torchvision --index-url https://download.pytorch.org/whl/rocm6.3\n" + NONE.format("torch"),
     "wheel-for-other-python", r"whl/rocm6.3 has no wheel of torch for Python 3\.14"),
    ("Debian 12, ROCm 6.3.2\n$ pip3 install onnxruntime-rocm -f https://repo.radeon.com/rocm/manylinux/rocm-rel-6.1.3/ --user\nPython 3.10.14\n" + NONE.format("onnxruntime-rocm"),
     "wheel-folder-of-other-release", r"ROCm 6\.1\.3; ROCm 6\.3\.2 is installed"),
    ("$ uv pip install vllm --index-url https://wheels.vllm.ai/rocm/\n  x No solution found when resolving dependencies:\n"
     "  Because vllm==0.14.0+rocm700 has no wheels with a matching Python ABI tag (e.g., `cp314`) and you require vllm\n"
     "  hint: You require CPython 3.14 (`cp314`), but we only found wheels for `vllm` (v0.14.0) with the following Python ABI tag: `cp312`",
     "wheel-for-other-python", r"vllm.* for Python 3\.14.*3\.12"),
    ("ERROR: torchvision-0.24.0+rocm7.2.0-cp312-cp312-linux_x86_64.whl is not a supported wheel on this platform.\nPython 3.13.1", "wheel-file-not-for-this-python",
     r"Python 3\.12 on linux_x86_64, and here is 3\.13"),
    ("ERROR: Package 'sglang' requires a different Python: 3.9.21 not in '>=3.10'", "package-wants-other-python", r"sglang wants Python >=3\.10, and here is 3\.9"),
    ("$ pip install tensorflow-rocm==2.18.1\nPython 3.12.3\nERROR: Could not find a version that satisfies the requirement tensorflow-rocm==2.18.1 (from versions: none)",
     "package-on-another-index", r"tensorflow-rocm is not at the index"),
    ("$ pip install --index-url https://repo.amd.com/rocm/whl/gfx103X-all/ 'rocm[libraries]'\n"
     "      ERROR: Could not find a version that satisfies the requirement setuptools>=70.2.0 (from versions: none)",
     "package-on-another-index", r"setuptools is not at repo\.amd\.com/rocm/whl/gfx103X-all"),
    ("pip install bitsandbytes==0.99\nERROR: Could not find a version that satisfies the requirement bitsandbytes==0.99 (from versions: 0.45.0, 0.46.0, 0.49.1)",
     "version-not-on-index", r"bitsandbytes==0\.99.*0\.45\.0, 0\.46\.0, 0\.49\.1"),
    ("$ pip install rocal-wheel -f https://repo.radeon.com/rocm/manylinux/rocm-rel-7.1/\n" + NONE.format("rocal-wheel"), "no-wheel-fits", r"rocal-wheel at rocm-rel-7\.1"),
    ("ERROR: HTTP error 404 while getting https://download.pytorch.org/whl/rocm6.4.2/torch-2.9.0%2Brocm6.4.2-cp312-cp312-linux_x86_64.whl", "index-address-absent", r"rocm6\.4\.2"),
    ("Err:5 https://repo.radeon.com/amdgpu/7.1.1/ubuntu jammy Release\n  404  Not Found [IP: 192.0.2.7 443]", "amdgpu-repository-does-not-exist", r"amdgpu/7\.1\.1/ubuntu jammy"),
    ("E: The repository 'https://repo.radeon.com/rocm/apt/6.4.1 plucky Release' does not have a Release file.", "amdgpu-repository-does-not-exist", r"rocm/apt/6\.4\.1 plucky"),
    ("E: The repository 'https://repo.radeon.com/rotm/apt/6.0.2 ubuntu Release' does not have a Release file.", "amdgpu-repository-does-not-exist", r"rotm/apt/6\.0\.2"),
    ("  - Status code: 404 for https://repo.radeon.com/rocm/el9/7.9/main/repodata/repomd.xml (IP: 192.0.2.7)", "amdgpu-repository-does-not-exist", r"rocm/el9/7\.9/main"),
    ("Hit:3 https://repo.radeon.com/rocm/apt/7.1 noble InRelease\nReading package lists... Done\nE: Unable to locate package hsa-runtime-rocr4wsl-amdgpu\nWSL2",
     "package-left-out-of-release", r"ROCm 7\.1 does not have hsa-runtime-rocr4wsl-amdgpu"),
    ("E: Unable to locate package rocm-dkms\nRX 580", "package-left-out-of-release", r"rocm-dkms"),
    ("No match for argument: rocm-hip-sdk\nError: Unable to find a match: rocm-hip-sdk\nFedora 43", "package-name-of-other-distribution", r"Fedora calls it rocm-hip-devel"),
    ("error: target not found: vulkan-loader", "package-name-of-other-distribution", r"Fedora's name; Arch calls it vulkan-icd-loader"),
    ("No match for argument: miopen-hip-dev", "package-name-of-other-distribution", r"Fedora calls it miopen-devel"),
    ("E: Unable to locate package mesa-vulkan-drivers:i386", "package-of-foreign-architecture", r"i386"),
    ("E: Unable to locate package rocm-developer-tools\nUbuntu 24.04", "amd-package-not-in-repositories", r"apt has no package rocm-developer-tools"),
    ("E: Unable to locate package ollama", "package-not-found", r"apt knows no package ollama"),
    ("error: attribute 'rocmPackages_5' missing", "package-not-found", r"nix knows no package rocmPackages_5"),
    ("The following packages have unmet dependencies:\n miopen-hip : Depends: libfoo9 (>= 9.1) but it is not going to be installed", "dependency-not-met",
     r"miopen-hip needs libfoo9 \(>= 9\.1\)"),
    ("  - nothing provides libLLVM.so.19.1()(64bit) needed by rocm-comgr-6.4.2-2.fc43.x86_64 from updates", "dependency-not-met", r"rocm-comgr.* needs libLLVM\.so\.19\.1"),
    (":: rocm-llvm-7.1.1-1 and opencl-amd-6.4-1 are in conflict. Remove opencl-amd? [y/N]", "packages-conflict", r"rocm-llvm and opencl-amd"),
    ("dpkg: error processing archive /var/cache/apt/archives/hipcc_1.1.1.70200-1_amd64.deb (--unpack):\n trying to overwrite '/usr/bin/hipcc', which is also in package "
     "libhip-dev 5.7.1-3", "file-of-two-packages", r"hipcc and libhip-dev both have the file /usr/bin/hipcc"),
    ("error: failed to commit transaction (conflicting files)\nhip-runtime-amd: /opt/rocm/lib/libamdhip64.so exists in filesystem", "file-of-two-packages", r"libamdhip64\.so"),
    ("W: GPG error: https://repo.radeon.com/amdgpu/30.30/ubuntu noble InRelease: The following signatures couldn't be verified because the public key is not available: "
     "NO_PUBKEY 9386B48A1A693C5C", "amd-repository-key-missing", r"amdgpu/30\.30"),
    ("E: Conflicting values set for option Signed-By regarding source https://repo.radeon.com/rocm/apt/6.4/ noble: /etc/apt/keyrings/rocm.gpg != ", "repository-listed-twice",
     r"rocm/apt/6\.4"),
    ("error: externally-managed-environment\n\nx This environment is externally managed\nRX 7600", "python-externally-managed", "pip"),
    ("ERROR: Cannot install -r requirements.txt (line 3) and torch==2.9.1+rocm6.4 because these package versions have conflicting dependencies.", "requirements-disagree", "torch"),
    ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device\nROCm torch for my RX 6800", "disk-full-while-installing", "disk is full"),
    ("error: Package 'rocblas-6.3.3' in /nix/store/x/pkgs/rocblas/default.nix:9 is marked as broken, refusing to evaluate.", "package-marked-broken", "rocblas-6.3.3"),
    ("  Problem: package rocm-gdb-15.2.1.70200-1.el9.x86_64 from rocm requires libpython3.9.so.1.0()(64bit), but none of the providers can be installed",
     "dependency-not-met", r"rocm-gdb.* needs libpython3\.9"),
    ("ERROR: Ignored the following versions that require a different python version: 0.7.1 Requires-Python >=3.11\nERROR: Could not find a version that satisfies the "
     "requirement jax-rocm7-plugin==0.7.1 (from versions: 0.6.0)", "package-wants-other-python", r"jax-rocm7-plugin==0\.7\.1 wants Python >=3\.11"),
    ("dpkg: dependency problems prevent configuration of rocm-hip-runtime:\n rocm-hip-runtime depends on hip-runtime-amd; however:\n  Package hip-runtime-amd is not configured "
     "yet.", "package-half-configured", "rocm-hip-runtime"),
    ("!!! All ebuilds that could satisfy \"sci-libs/rocFFT\" have been masked.", "package-masked", "sci-libs/rocFFT"),
]


@pytest.mark.parametrize(("text", "name", "title"), TEXTS, ids=[f"{name}-{at}" for at, (_, name, _) in enumerate(TEXTS)])
def test_a_refusal_is_explained_with_its_names(text, name, title):
    found = answers(text)
    assert name in found, loud(found)
    assert re.search(title, found[name].title), found[name].title
    assert found[name].fixes and "{" not in "".join([found[name].title, found[name].summary, *(fix.title + fix.detail for fix in found[name].fixes)])
    first = next(iter(found.values()))
    assert first.id == name, first.title


@pytest.mark.parametrize("text", [
    "Hit:7 https://repo.radeon.com/rocm/apt/7.0 noble InRelease\nReading package lists... Done",
    "Successfully installed torch-2.9.1+rocm6.4",
    "E: Unable to locate package figlet",
    " libfoo1 : Depends: libbar2 (= 1.0) but 1.1 is to be installed",
    "The request got a 404, then it worked.",
])
def test_nothing_is_made_up(text):
    ours = {"amdgpu-repository-does-not-exist", "no-wheel-fits", "package-not-found", "dependency-not-met", "index-address-absent", "repository-address-absent",
            "amd-package-not-in-repositories"}
    assert not ours & set(answers(text))


def test_the_right_address_of_the_driver_is_named():
    found = answers("E: The repository 'https://repo.radeon.com/amdgpu/7.0.2/ubuntu noble Release' does not have a Release file.")
    said = found["amdgpu-repository-does-not-exist"]
    assert "amdgpu/30.10" in said.summary and any("amdgpu/30.10" in command for fix in said.fixes for command in fix.commands)


def test_a_wheel_for_this_python_is_no_matter_of_python():
    found = answers("Ubuntu 22.04\n$ pip install tensorflow-rocm -f https://repo.radeon.com/rocm/manylinux/rocm-rel-6.2/\n" + NONE.format("tensorflow-rocm"))
    assert "wheel-for-other-python" not in found


@pytest.mark.parametrize("mess", [lambda line: f"> {line}", lambda line: f"\x1b[31m{line}\x1b[0m", lambda line: f"web-1  | {line}", lambda line: f"{line}\r"])
def test_a_quoted_or_coloured_refusal_is_the_same(mess):
    for text, name, title in (TEXTS[1], TEXTS[11], TEXTS[14]):
        found = answers("\n".join(mess(line) for line in text.splitlines()))
        assert name in found and re.search(title, found[name].title), loud(found)


def test_an_index_that_is_older_than_the_gpu_is_a_question():
    found = answers("My RX 9070 XT is not used, the launcher fails to find a GPU.\n$ uv pip install torch --index=https://download.pytorch.org/whl/rocm6.3")
    assert "rocm6.3" in found["torch-index-older-than-gpu"].title and "6.4.1" in found["torch-index-older-than-gpu"].title
    assert found["torch-index-older-than-gpu"].standing == "possible"
    assert "torch-index-older-than-gpu" not in answers("My RX 9070 XT fails.\n$ uv pip install torch --index=https://download.pytorch.org/whl/rocm7.1")


def test_a_misspelt_folder_of_a_repository_is_named_with_the_one_that_is_meant():
    told = answers("E: The repository 'https://repo.radeon.com/rocn/apt/7.2 noble Release' does not have a Release file.")["amdgpu-repository-does-not-exist"]
    assert "called rocm, not rocn" in told.summary and any("Ask for rocm/" in fix.title for fix in told.fixes)


def test_a_python_that_fits_is_not_accused():
    text = "Python 3.12, Ubuntu 24.04\n$ pip install torch==2.9.1 --index-url https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2/\n" + NONE.format("torch==2.9.1")
    told = answers(text)
    assert "wheel-folder-given-as-index" in told and "rocm-torch-wheel-not-for-this-python" not in told
