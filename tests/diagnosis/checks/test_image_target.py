"""The tag of an image names the GPUs that it is made for."""

import pytest
from answers import answers


@pytest.mark.parametrize(("text", "standing", "words"), [
    ("docker run lmsysorg/sglang:v0.5.9-rocm700-mi30x fails on our MI355X: the server does not start.", "cause", ("gfx942", "gfx950", "-mi35x")),
    ("On an RX 6800 I started me/llama-cpp:server-gfx1100-b9000, it crashes at once.", "cause", ("gfx1100", "gfx1030")),
    ("docker run lmsysorg/sglang:v0.5.9-rocm700-mi30x fails on an MI355X, the same steps on an MI300X go through.", "possible", ("gfx950",))])
def test_an_image_for_another_gpu_is_named(text, standing, words):
    finding = answers(text)["image-made-for-other-gpu"]
    assert finding.standing == standing
    assert all(word in finding.title + finding.fixes[0].title for word in words)


@pytest.mark.parametrize("text", ["docker run lmsysorg/sglang:v0.5.9-rocm700-mi35x fails on our MI355X: the server does not start.",
                                  "docker run rocm/vllm:rocm7.0_ubuntu24.04 fails on our MI355X.",
                                  "docker run lmsysorg/sglang:v0.5.9-rocm700-mi30x fails, the server does not start."])
def test_an_image_for_this_gpu_or_for_all_is_not(text):
    assert "image-made-for-other-gpu" not in answers(text)
