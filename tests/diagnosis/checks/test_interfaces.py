"""The interface that a program needs, where it is not there: OpenCL, VA-API, 32-bit drivers, Vulkan under WSL, HIP in a sandbox."""

import pytest
from answers import answers
from doors import of_text

FOUND = [
    ("opencl-driver-not-installed", "Arch Linux, RX 6600, darktable runs on the CPU only.\n"
     "0.0523 [opencl_init] could not get platforms: CL_PLATFORM_NOT_FOUND_KHR"),
    ("opencl-driver-not-installed", "Debian 12, Radeon RX 5500 XT.\n$ hashcat -b\nclGetPlatformIDs(): CL_PLATFORM_NOT_FOUND_KHR"),
    ("opencl-driver-not-installed", "openSUSE, RX 7600, Folding@home shows no GPU. clinfo finds 0 platforms."),
    ("rusticl-not-enabled", "RX 6700 XT, darktable has no GPU.\n$ clinfo\nNumber of platforms      1\nPlatform Name     rusticl\nNumber of devices     0"),
    ("vaapi-driver-of-another-maker", "Jellyfin in Docker, Ryzen 5 5600G, transcoding fails:\nlibva info: User environment variable requested driver 'iHD'\n"
     "libva info: Trying to open /usr/lib/dri/iHD_drv_video.so\nlibva error: /usr/lib/dri/iHD_drv_video.so init failed"),
    ("vaapi-driver-not-installed", "Debian 13, RX 7600, ffmpeg with vaapi does not work.\nlibva info: Trying to open /usr/lib/dri/radeonsi_drv_video.so\n"
     "libva info: va_openDriver() returns -1"),
    ("vaapi-codecs-left-out", "Fedora 42, RX 6800. OBS fails: vainfo lists only JPEG and AV1 with VA-API, no H264."),
    ("sandbox-hides-hip-runtime", "Ubuntu 24.04, Blender snap, RX 7800 XT. In the preferences HIP shows no devices."),
    ("hip-runtime-not-installed-for-program", "Fedora 41, RX 6700 XT, Blender renders on the CPU only.\n"
     "00:01.203  cycles           | WARNING HIPEW initialization failed: Error opening HIP dynamic library"),
    ("wsl-vulkan-driver-not-found", "WSL2 Ubuntu 22.04, RX 6800 XT. llama.cpp with Vulkan uses the CPU only.\n"
     "ggml_vulkan: 0 = llvmpipe (LLVM 15.0.7, 256 bits) (llvmpipe) | uma: 1 | fp16: 0"),
    ("driver-32-bit-not-installed", "Arch Linux, RX 6750 XT, wine. Old 32-bit games do not start, new ones do.\n$ pacman -Qs vulkan\n"
     "local/vulkan-icd-loader 1.3.295-1\nlocal/vulkan-radeon 1:24.2.5-1"),
    ("driver-32-bit-not-installed", "Fedora 41, Radeon RX 7700 XT; some titles (32 bit) crash at start.\n$ rpm -qa\nmesa-dri-drivers-24.2.4-1.fc41.i686\n"
     "mesa-vulkan-drivers-24.2.4-1.fc41.x86_64"),
]


@pytest.mark.parametrize("name, text", FOUND)
def test_the_interface_that_is_not_there_is_named(name, text):
    found = answers(text)
    assert next(iter(found)) == name and found[name].standing == "cause"


@pytest.mark.parametrize("name, text", [
    ("opencl-driver-not-installed", "RX 7900 XTX. After the update rocminfo says that the module is not loaded, clinfo has 0 platforms and nothing works."),
    ("rusticl-not-enabled", "RX 6700 XT, darktable is slow.\nPlatform Name     rusticl\nNumber of devices     1"),
    ("vaapi-driver-not-installed", "RX 9070, ffmpeg fails\nlibva info: Trying to open /usr/lib/dri/radeonsi_drv_video.so\n"
     "amdgpu: unknown (family_id, chip_external_rev): (152, 81)\nlibva info: va_openDriver() returns -1"),
    ("hip-runtime-not-installed-for-program", "Blender from Flathub\nWARNING HIPEW initialization failed: Error opening HIP dynamic library"),
    ("driver-32-bit-not-installed", "RX 7700 XT; 32 bit titles crash at start.\nmesa-vulkan-drivers-24.2.4-1.fc41.x86_64\nmesa-vulkan-drivers-24.2.4-1.fc41.i686"),
    ("wsl-vulkan-driver-not-found", "Ubuntu 22.04, RX 6800 XT, llama.cpp uses the CPU.\nggml_vulkan: 0 = llvmpipe (LLVM 15.0.7, 256 bits) (llvmpipe) | uma: 1"),
])
def test_what_has_another_reason_is_not_accused(name, text):
    assert name not in answers(text)


def test_the_package_is_that_of_the_distribution():
    text = "Fedora 41, Radeon RX 6600. DaVinci Resolve lists no GPU.\n$ clinfo\nNumber of platforms      0"
    commands = [line for fix in of_text(text)["opencl-driver-not-installed"].fixes for line in fix.commands]
    assert "sudo dnf install rocm-opencl clinfo" in commands and not any("apt" in line or "pacman" in line for line in commands)
