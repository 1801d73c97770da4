"""The device that a log says it uses: the integrated one beside a card."""

import pytest
from answers import answers

NAME = "integrated-gpu-chosen-beside-card"


@pytest.mark.parametrize("text, wanted, command", [
    ("Ryzen 9 9950X and RX 7900 XTX, llama.cpp with Vulkan is slow.\n"
     "llama_model_load_from_file_impl: using device Vulkan0 (AMD Radeon Graphics (RADV RAPHAEL_MENDOCINO)) - 15871 MiB free", "RX 7900 XTX", "--device VulkanN"),
    ("Windows 11, RX 7800 XT with a Ryzen 7600. ComfyUI crashes when sampling.\nAMD arch: gfx1036\nDevice: cuda:0 AMD Radeon(TM) Graphics : native",
     "RX 7800 XT", "--cuda-device N"),
    ("Ryzen 7 6800H and RX 6700S; the game under Proton is very slow.\nSelected GPU 0: AMD Radeon Graphics (RADV REMBRANDT)", "RX 6700S", "MESA_VK_DEVICE_SELECT"),
    ("Windows 11, RX 9070 XT, stable-diffusion-webui fails.\nROCm: agents=['gfx1036', 'gfx1201']\nROCm: version=6.2, using agent gfx1036", "RX 9070 XT", "--device-id 1"),
])
def test_the_integrated_gpu_in_use_and_how_this_program_is_told_the_card(text, wanted, command):
    found = answers(text)[NAME]
    assert found.standing == "cause" and wanted in found.title
    assert any(command in line for fix in found.fixes for line in fix.commands)


@pytest.mark.parametrize("text", [
    "RX 9070 XT with Ryzen 9700X, garbage.\nusing device ROCm0 (AMD Radeon RX 9070 XT) - 16000 MiB free\nusing device ROCm1 (AMD Radeon Graphics) - 8000 MiB free",
    "Ryzen 8700G, llama.cpp is slow.\nusing device Vulkan0 (AMD Radeon 780M Graphics (RADV PHOENIX)) - 15871 MiB free",
    "RX 7900 XTX beside a Ryzen 9950X, all is well.\nSelected GPU 0: AMD Radeon Graphics (RADV RAPHAEL_MENDOCINO)",
])
def test_both_in_use_or_no_card_or_no_trouble(text):
    assert NAME not in answers(text)
