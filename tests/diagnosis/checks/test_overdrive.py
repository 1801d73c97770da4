"""Clocks that a tool cannot set: the driver has the interface switched off, the option does not reach it, or this GPU has none."""

from __future__ import annotations

import pytest
from doors import of_files

_ASK = "Arch Linux, RX 9070 XT. LACT says that overclocking is not enabled.\n"
_LACKS = ("$ ls /sys/class/drm/card1/device/pp_od_clk_voltage\n"
          "ls: cannot access '/sys/class/drm/card1/device/pp_od_clk_voltage': No such file or directory\n")


def explained(folder, text):
    (folder / "report.txt").write_text(_ASK)
    (folder / "checks.txt").write_text(text)
    return of_files(folder)


@pytest.mark.parametrize(("mask", "name", "other"), [
    ("0xfff7bfff", "overdrive-switched-off", "overdrive-not-offered"), ("0xffffffff", "overdrive-not-offered", "overdrive-switched-off")])
def test_the_bit_of_the_mask_decides(tmp_path, mask, name, other):
    found = explained(tmp_path, f"$ cat /sys/module/amdgpu/parameters/ppfeaturemask\n{mask}\n{_LACKS}")
    assert name in found and other not in found and "card1" in found[name].title and mask in found[name].title


def test_without_the_mask_nothing_is_said(tmp_path):
    assert not {"overdrive-switched-off", "overdrive-not-offered"} & explained(tmp_path, _LACKS).keys()


def test_without_an_option_the_bit_is_off(tmp_path):
    line = "$ cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz root=UUID=a rw quiet\n"
    assert "0xfff7bfff" in explained(tmp_path, line + _LACKS)["overdrive-switched-off"].title
    option = "$ cat /etc/modprobe.d/99-amdgpu-overdrive.conf\noptions amdgpu ppfeaturemask=0xffffffff\n"
    assert "overdrive-switched-off" not in explained(tmp_path, line + option + _LACKS)


def test_an_option_that_the_driver_does_not_have_is_told(tmp_path):
    text = ("$ cat /etc/modprobe.d/99-amdgpu-overdrive.conf\noptions amdgpu ppfeaturemask=0xfff7ffff\n"
            "$ cat /sys/module/amdgpu/parameters/ppfeaturemask\n0xfff7bfff\n")
    assert "0xfff7bfff" in explained(tmp_path, text)["option-not-in-effect"].title
