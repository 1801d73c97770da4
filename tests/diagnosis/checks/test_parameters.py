"""Kernel command line and modprobe.d: one finding through both doors, silence where nothing is wrong or known."""

from __future__ import annotations

import pathlib
import sys

import pytest
import re2

from rocmdoctor.knowledge import check_words, rules, tables
from rocmdoctor.knowledge.conditions import of_table

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from answers import answers  # noqa: E402
from doors import of_machine, of_text  # noqa: E402

START = "BOOT_IMAGE=/boot/vmlinuz-6.8.0-45-generic root=UUID=a ro quiet"
# What is wrong: finding, parameters of the machine's command line, the same in a text.
BOTH = [
    ("nomodeset-on-command-line", "nomodeset", f"{START} nomodeset"),
    ("nomodeset-on-command-line", "amdgpu.modeset=0", 'GRUB_CMDLINE_LINUX_DEFAULT="quiet amdgpu.modeset=0"'),
    ("vram-limited-by-parameter", "amdgpu.vramlimit=4096", "options amdgpu vramlimit=4096"),
    ("power-feature-mask-overridden", "amdgpu.ppfeaturemask=0xffffffff", 'GRUB_CMDLINE_LINUX="amdgpu.ppfeaturemask=0xffffffff"'),
    ("gtt-parameter-ignored", "amdgpu.gtt_size=98304", "My kernel has amdgpu.gtt_size=98304 in GRUB."),
    ("gtt-parameter-ignored", "ttm.page_limit=25165824", "[    2.1] ttm: unknown parameter 'page_limit' ignored"),
    ("module-parameter-does-not-exist", "amdgpu.gpu_recovry=1", "options amdgpu gpu_recovry=1"),
    ("module-parameter-does-not-exist", "amdgpu.gfxoff=0", "[    2.1] amdgpu: unknown parameter 'gfxoff' ignored"),
    ("kernel-parameter-harms", "amdgpu.gttsize=96", "options amdgpu gttsize=96"),
    ("kernel-parameter-harms", "ttm.pages_limit=98304", f"{START} ttm.pages_limit=98304"),
    ("kernel-parameter-harms", "amdgpu.dpm=0", "The kernel runs with amdgpu.dpm=0 since last week."),
    ("kernel-parameter-harms", "amdgpu.vm_fault_stop=2", "options amdgpu vm_fault_stop=2"),
    ("kernel-parameter-harms", "amdgpu.lockup_timeout=10", f"{START} amdgpu.lockup_timeout=10"),
    ("kernel-parameter-harms", "amdgpu.cg_mask=0", f"{START} amdgpu.cg_mask=0"),
    ("kernel-parameter-harms", "amd_iommu=pt", f"{START} amd_iommu=pt"),
    ("kernel-parameter-harms", "amdgpu.ip_block_mask=0xff", "options amdgpu ip_block_mask=0xff"),
    ("parameter-set-twice", "amdgpu.runpm=0 amdgpu.runpm=1", f"{START} amdgpu.runpm=0 amdgpu.runpm=1"),
]


@pytest.mark.parametrize(("wanted", "cmdline", "text"), BOTH, ids=[f"{row[0]}-{row[1]}" for row in BOTH])
def test_the_same_finding_from_a_machine_and_from_a_text(tmp_path, wanted, cmdline, text):
    machine, read = of_machine(tmp_path, cmdline=f"{START} {cmdline}"), of_text(text)
    assert wanted in machine and wanted in read
    assert cmdline.split("=")[0].partition(".")[2].split(" ")[0] in str(machine[wanted])


@pytest.mark.parametrize("cmdline", [
    "", "amdgpu.runpm=0", "iommu=pt amd_iommu=on", "amdgpu.gttsize=24576", "ttm.pages_limit=6291456 ttm.page_pool_size=6291456", "amdgpu.ppfeaturemask=0xfff7ffff",
    "amdgpu.vramlimit=0", "amdgpu.cwsr_enable=0", "amdgpu.lockup_timeout=10000,60000", "amdgpu.dcdebugmask=0x10", "amdgpu.sg-display=-1", "pcie_aspm=off"])
def test_a_machine_with_right_parameters_is_silent(tmp_path, cmdline):
    assert not of_machine(tmp_path, cmdline=f"{START} {cmdline}").keys() & check_words.findings("parameters").keys()


@pytest.mark.parametrize("text", [
    "Should I try amdgpu.dpm=0?", "I removed amdgpu.vramlimit=4096 again.", "# options amdgpu vramlimit=4096", "nomodeset is an option of installers.",
    "[drm] Configuring gttsize via module parameter is deprecated, please use ttm.pages_limit", "amdgpu.dc=0 was an option of Linux 6.12"])
def test_what_is_not_so_is_silent(text):
    assert not of_text(text).keys() & check_words.findings("parameters").keys()


def test_dc_is_needed_from_618_on():
    for release, seen in (("6.18.9-arch1-1", True), ("6.12.9-1-lts", False)):
        facts = {"kernel.release": release, "os.family": "linux"}
        assert ("display-core-switched-off" in of_text("options amdgpu dc=0", facts)) is seen
        assert ("display-core-switched-off" in of_text("", {**facts, "kernel.cmdline": "rw quiet amdgpu.dc=0"})) is seen
    assert "display-core-switched-off" not in of_text("", {"kernel.cmdline": "rw quiet amdgpu.dc=0", "os.family": "linux"})


def test_the_limit_counts_for_the_module_in_charge(tmp_path):
    for used, line, seen in (("amdttm", "ttm.pages_limit=29360128", True), ("ttm", "amdttm.pages_limit=27262976", True), ("ttm", "ttm.pages_limit=29360128", False),
                             ("amdttm", "ttm.pages_limit=9 amdttm.pages_limit=27262976", False)):
        found = of_text(f"{START} {line}", {"memory.ttm_module": used, "os.family": "linux"})
        assert ("ttm-limit-set-for-unused-module" in found) is seen
    assert "ttm-limit-set-for-unused-module" in of_text("", {"memory.ttm_module": "amdttm", "amdgpu.modprobe_options": ["options ttm pages_limit=27262976"]})
    assert "ttm-limit-set-for-unused-module" not in of_text(f"{START} ttm.pages_limit=29360128")
    assert "ttm-limit-set-for-unused-module" in of_machine(tmp_path, "mi300a-dkms", cmdline=f"{START} ttm.pages_limit=29360128")


def test_a_limit_beyond_the_ram():
    facts = {"memory.ram_bytes": 64 << 30, "os.family": "linux"}
    assert "128 GiB" in of_text(f"{START} ttm.pages_limit=33554432", facts)["parameter-exceeds-ram"].title
    assert "parameter-exceeds-ram" in of_text("options amdgpu gttsize=131072", facts)
    assert "parameter-exceeds-ram" not in of_text(f"{START} ttm.pages_limit=12582912", facts)
    assert "parameter-exceeds-ram" not in of_text(f"{START} ttm.pages_limit=33554432")


def test_a_power_feature_mask_counts_where_there_is_trouble():
    told = 'the GPU is stuck in the lowest power state\nGRUB_CMDLINE_LINUX_DEFAULT="amdgpu.ppfeaturemask=0xfff7ffff"'
    assert "power-feature-mask-overridden" in of_text(told)
    assert "power-feature-mask-overridden" not in of_text(told.replace("the GPU is stuck in the lowest power state", "the download is stuck at 99 %"))


def test_scatter_gather_display_is_a_matter_of_apus():
    found = of_text(f"{START} amdgpu.sg_display=0", {"gpu.is_apu[0]": False})
    assert "APUs only" in found["kernel-parameter-harms"].title
    assert "kernel-parameter-harms" not in of_text(f"{START} amdgpu.sg_display=0")


def test_a_feature_mask_is_judged_by_its_bits():
    text = f"The screen flickers with my card.\n\n$ cat /proc/cmdline\n{START} amdgpu.dcfeaturemask={{}}\n"
    assert "frame buffer compression" in of_text(text.format("0x3"))["kernel-parameter-harms"].title
    assert not any("kernel-parameter-harms" in of_text(text.format(value)) for value in ("0x402", "0x2", "1026", "0x8"))


def test_a_mask_for_overclocking_is_no_suspect_of_a_missing_control():
    text = f"Undervolting in LACT does not work{{}}.\n\n$ cat /proc/cmdline\n{START} amdgpu.ppfeaturemask=0xffffffff\n"
    assert "power-feature-mask-overridden" not in of_text(text.format(""))
    assert of_text(text.format(", and the GPU hung twice"))["power-feature-mask-overridden"].standing == "possible"


def test_a_misspelt_parameter_names_the_right_one():
    assert "amdgpu.gpu_recovery" in of_text("options amdgpu gpu_recovry=1")["module-parameter-does-not-exist"].summary


def test_the_table_is_of_its_form():
    table = tables.load("kernel_parameters")
    symptoms = {rule.id for rule in rules.load().rules.values() if rule.kind == "symptom"}
    names = [row["name"] for row in table["rows"]]
    assert len(names) == len(set(names)) and all(len(set(each)) == len(each) for each in table["known"].values())
    for row in table["rows"]:
        module, _, name = row["name"].partition(".")
        assert not name or name in table["known"][module]
        for harm in row.get("harm") or ():
            assert re2.compile(str(harm.get("value", ".*")))
            of_table(str(harm.get("only") or "1 == 1"))
            of_table(str(harm.get("unless") or "1 == 1"))
            assert set(harm.get("explains") or ()) <= symptoms
            assert harm.get("id") in check_words.findings("parameters") or harm.get("says") and harm.get("do")


def test_a_mask_that_leaves_one_way_of_self_refresh_on():
    text = "Framework laptop, Radeon 780M: the internal display flickers, an external one is clean.\n$ cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz-6.17.9 root=UUID=1 ro amdgpu.dcdebugmask={}\n"
    found = of_text(text.format("0x12"))["panel-self-refresh-partly-on"]
    assert "Panel Replay (0x400)" in found.title and "0x412" in found.title
    assert "panel-self-refresh-partly-on" not in of_text(text.format("0x410"))
    assert "0x610" in of_text(text.format("0x200"))["panel-self-refresh-partly-on"].title
    assert "panel-self-refresh-partly-on" not in of_text(text.format("0x10").replace("the internal display flickers, an external one is clean", "no sound"))


def test_the_bits_of_the_power_mask_are_named():
    text = "RX 7900 XTX stuck at the lowest clock, it is slow.\n$ cat /proc/cmdline\nBOOT_IMAGE=/vmlinuz-6.17.9 root=UUID=1 ro amdgpu.ppfeaturemask=0xffffffff\n"
    assert "OverDrive (overclocking)" in of_text(text)["power-feature-mask-overridden"].summary


@pytest.mark.parametrize("kib, line, fires", [
    (65572012, "amdgpu.gttsize=122880", True), (65572012, "amdgpu.gttsize=122880 ttm.pages_limit=31457280", False),
    (67108864, "amdgpu.gttsize=122880", False),  # whole GiB: a carve-out
    (122880000, "amdgpu.gttsize=122880", False)])
def test_gttsize_alone_does_not_reach_rocm(kib, line, fires):
    found = answers("llama.cpp with ROCm ends with: ROCm error: out of memory\n", kernel__cmdline=f"{START} {line}", gpu__kfd_pool_bytes___0=kib * 1024,
                    gpu__gfx_target___0="gfx1151", gpu__is_apu___0=True, os__family="linux")
    assert ("gttsize-without-ttm-limit" in found) is fires
    assert not fires or "31457280" in found["gttsize-without-ttm-limit"].fixes[0].commands[0]
