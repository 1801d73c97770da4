"""What a GPU and a program need at least, against the releases that were read."""

import pytest
from answers import answers

from rocmdoctor.knowledge import tables


@pytest.mark.parametrize("text, wanted", [
    ("Debian 12 with an RX 9060 XT. Steam says there is no Vulkan device, games do not start.\n$ dpkg -l mesa-vulkan-drivers\n"
     "ii  mesa-vulkan-drivers:amd64  22.3.6-1+deb12u1  amd64  Mesa Vulkan graphics drivers", "RX 9060 XT (gfx1200) needs Mesa 25.0 or newer, and Mesa 22.3.6"),
    ("Radeon RX 7800 XT, everything is slow and drawn by the CPU.\n$ glxinfo -B\nOpenGL renderer string: llvmpipe (LLVM 13.0.1, 256 bits)\n"
     "OpenGL core profile version string: 4.5 (Core Profile) Mesa 22.0.5", "needs Mesa 22.3 or newer, and Mesa 22.0.5"),
    ("My RX 9070, gamescope does not start, black screen.\n$ pacman -Q vulkan-radeon mesa\nvulkan-radeon 1:24.2.7-1\nmesa 1:24.2.7-1", "and Mesa 24.2.7"),
    ("After buying a Radeon RX 9070 XT no game starts.\n    Driver:  AMD AMD Radeon Graphics (radeonsi, gfx1201, LLVM 19.1.0, DRM 3.59, 6.12.10)\n"
     "    Driver Version:  4.6 (Compatibility Profile) Mesa 24.3.2", "and Mesa 24.3.2"),
])
def test_a_mesa_that_is_older_than_the_gpu(text, wanted):
    found = answers(text)["gpu-needs-newer-mesa"]
    assert found.standing == "cause" and wanted in found.title


def test_a_function_that_a_library_lacks_is_not_rocms_age():
    told = "Radeon RX 9070 XT (gfx1201), ROCm 6.3 on Linux.\n"
    assert "gpu-needs-newer-rocm" in answers(told + "The program fails to load.")
    assert "gpu-needs-newer-rocm" not in answers(told + "libbar.so: undefined symbol: bar_do_things")


def test_a_gpu_whose_kernels_later_releases_lack():
    told = "Linux with ROCm 7.1.0 from AMD's packages, gfx906.\n"
    dies = "Thread 1 received signal SIGSEGV, Segmentation fault.\n#0  0x00007f in ?? () from /opt/rocm-7.1.0/lib/libamdhip64.so.7\n"
    assert "up to ROCm 6.3, and ROCm 7.1.0" in answers(told + dies)["gpu-dropped-by-rocm"].title
    assert "gpu-dropped-by-rocm" not in answers(told + "The program crashes when the window is closed.")
    assert "gpu-dropped-by-rocm" not in answers((told + dies).replace("7.1.0", "6.3.4"))
    assert "gpu-dropped-by-rocm" not in answers("Linux, gfx906.\n" + dies.replace("/opt/rocm-7.1.0", "/usr"))


def test_wheels_of_an_old_rocm_tell_the_system():
    told = "My Radeon (gfx1152) hangs at the first step.\npytorch version: 2.7.1+rocm6.4.2\n"
    assert "gpu-needs-newer-rocm" in answers(told)
    assert "gpu-needs-newer-rocm" not in answers(told.replace("rocm6.4.2", "rocm7.14.0"))


def test_a_kernel_and_a_rocm_that_are_older_than_the_gpu():
    kernel = "Ubuntu 22.04, new RX 7900 XT. /dev/dri is empty and no GPU is found.\n$ uname -r\n5.15.0-91-generic"
    assert "needs Linux 6.0 or newer" in answers(kernel)["gpu-needs-newer-kernel"].title
    assert "gpu-needs-newer-kernel" not in answers(kernel + "\n$ dkms status\namdgpu/6.7.0-1781449.22.04, 5.15.0-91-generic, x86_64: installed")
    assert "gpu-needs-newer-kernel" not in answers("RHEL 9, RX 7900 XT, no GPU is found.\n$ uname -r\n5.14.0-503.el9.x86_64")
    rocm = "Ubuntu 24.04 with ROCm 6.2.4, Radeon RX 9070: No HIP GPUs are available."
    assert "is supported from ROCm 6.4 on, and ROCm 6.2.4" in answers(rocm)["gpu-needs-newer-rocm"].title
    assert "gpu-needs-newer-rocm" not in answers(rocm.replace("6.2.4", "7.0.1"))


@pytest.mark.parametrize("text, program, want", [
    ("Arch, RX 6800, DXVK 2.7.1. The game does not start: no adapters found. Mesa 24.2.8.", "DXVK 2.7.1", "25.0"),
    ("Debian 11, RX 6700, Proton 8.0-2: games crash at start. Mesa 20.3.5.", "Proton 8.0", "22.0"),
    ("RX 5700, GE-Proton8-25, games fail to start. vulkaninfo: Mesa 21.2.6", "GE-Proton 8.25", "22.0"),
    ("Radeon Vega 8, Proton Experimental: every game fails to start. Mesa 21.3.9", "Proton Experimental", "22.0"),
])
def test_a_program_that_wants_a_newer_mesa(text, program, want):
    found = answers(text)["program-needs-newer-mesa"]
    assert found.title.startswith(f"{program} needs Mesa {want} or newer") and any("Or choose" in fix.title for fix in found.fixes)


def test_the_fix_is_that_of_the_system():
    flatpak = answers("RX 6700, Steam from Flathub, Proton 8.0: games do not start. Driver: Mesa 20.3.5")["program-needs-newer-mesa"]
    assert "of the Flatpak runtime" in flatpak.title and "flatpak update" in flatpak.fixes[0].commands
    image = answers("RX 9070 XT, gaming mode does not start.\n$ rpm-ostree status\nostree-image-signed:docker://ghcr.io/ublue-os/bazzite:stable\n"
                    "$ rpm -q mesa-vulkan-drivers\nmesa-vulkan-drivers-24.3.4-1.fc41.x86_64")["gpu-needs-newer-mesa"]
    assert "sudo rpm-ostree upgrade" in image.fixes[0].commands


@pytest.mark.parametrize("text", [
    "RX 9070 XT, Mesa 25.2.3, Proton Experimental crashes in one game only.",
    "RX 9070 XT with Mesa 24.2.8, ROCm 7.0. PyTorch crashes with a HIP error in a training run.",
    "RX 9070 XT runs well here with Mesa 24.3.4.",
    "RX 9070 XT, games crash.\nvulkaninfo --summary\nGPU0:\n    deviceName         = AMD Radeon RX 9070 XT (RADV GFX1201)\n"
    "    driverName         = radv\n    driverInfo         = Mesa 24.3.4",
])
def test_where_it_is_new_enough_or_has_no_part_in_it_nothing_is_said(text):
    assert not {"gpu-needs-newer-mesa", "program-needs-newer-mesa"} & set(answers(text))


def test_every_row_names_known_targets_and_where_it_is_from():
    table = tables.load("needs")
    assert all(tables.generation(gfx) for row in table["gpus"] for gfx in row["gfx"])
    assert all(row["source"] for row in [*table["gpus"], *table["programs"]])


def test_a_bundled_rocm_is_older_than_the_gpu_where_vulkan_is_right():
    text = "Alpaca from Flathub, its add-on brings ROCm {}. On the RX 9060 XT the engine with Vulkan works, the one with ROCm cannot be activated."
    found = answers(text.format("6.3.1"))
    assert next(iter(found)) == "gpu-needs-newer-rocm" and "only-rocm-is-wrong" not in found
    assert "flatpak update" in found["gpu-needs-newer-rocm"].fixes[0].commands
    assert "gpu-needs-newer-rocm" not in answers(text.format("7.0.2"))
