"""A GPU that is newer than the software around it."""

import pytest
from test_version_story import found


@pytest.mark.parametrize(("told", "title"), [
    ("RX 9060 XT, Fedora 41, Mesa 24.3.4. Every game under Proton crashes at start.", "Mesa 24.3.4 is older than this GPU: gfx1200 needs Mesa 25.0"),
    ("RX 7800 XT, Debian 12, Mesa 22.2.5. The desktop stays black with gamescope.", "Mesa 22.2.5 is older than this GPU: gfx1101 needs Mesa 22.3"),
])
def test_a_mesa_from_before_the_gpu(tmp_path, told, title):
    one = found(tmp_path, told)["mesa-before-gpu"]
    assert one.standing == "cause" and one.title.startswith(title)


@pytest.mark.parametrize("told", [
    "RX 9060 XT, Mesa 25.0.1. Every game under Proton crashes at start.",
    "RX 9060 XT, Mesa 24.3.4, ROCm 6.4. PyTorch crashes at the first kernel.",
    "RX 9060 XT, Mesa 24.3.4. Every game runs well.",
])
def test_a_mesa_that_is_not_the_reason(tmp_path, told):
    assert "mesa-before-gpu" not in found(tmp_path, told)


@pytest.mark.parametrize("told", [
    "Since I bought this card (RX 9070 XT) every game crashes.",
    "Games crash. The RX 9070 XT was installed yesterday, my old card worked without trouble.",
    "The picture stays black with the new card, an RX 9070 XT.",
])
def test_a_card_that_is_new_in_its_machine(tmp_path, told):
    one = found(tmp_path, told)["new-card"]
    assert one.standing == "symptom" and "Mesa 25.0" in one.summary


@pytest.mark.parametrize("told", ["Since I bought this book the RX 9070 XT hangs.", "The RX 9070 XT hangs with the new graphics card driver."])
def test_another_new_thing_is_no_new_card(tmp_path, told):
    assert "new-card" not in found(tmp_path, told)
