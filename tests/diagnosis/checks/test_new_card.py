"""A GPU that is newer than the software around it."""

import pytest
from test_version_story import found


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
