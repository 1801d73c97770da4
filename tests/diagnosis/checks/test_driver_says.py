"""The kernel driver's own message says which part of the GPU it is about, and how that part is tested apart."""

from __future__ import annotations

import re

import pytest
from doors import of_files

from rocmdoctor.knowledge.check_words import findings

CARD = "amdgpu 0000:03:00.0: amdgpu: "


def found(folder, *log):
    (folder / "dmesg.txt").write_text("".join(f"[  812.10{number:04d}] {line}\n" for number, line in enumerate(log)))
    return of_files(folder)


@pytest.mark.parametrize(("lines", "name", "said"), [
    ((CARD + "ring vcn_unified_0 timeout, signaled seq=1, emitted seq=2", CARD + "Process information: process firefox pid 21 thread firefox:cs0 pid 22"),
     "video-engine-hangs", ("vcn_unified_0", "firefox")),
    ((CARD + "ring sdma0 timeout, signaled seq=1, emitted seq=2",), "copy-engine-hangs", ("sdma0",)),
    ((CARD + "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2",), "graphics-job-hangs", ("gfx_0.0.0",)),
    ((CARD + "SMU: I'm not done with your previous command: SMN_C2PMSG_66:0x00000012",), "power-controller-does-not-answer", ("SMU",)),
    ((CARD + "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32773)", CARD + " Process gnome-shell pid 2210 thread gnome-shel:cs0 pid 2259",
      CARD + "\t Faulty UTCL2 client ID: TCP (0x8)"), "page-fault-of-program", ("gnome-shell", "TCP")),
    (("amdgpu 0000:03:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x000f address=0x7fd0000000 flags=0x0070]",), "iommu-refuses-gpu", ("0000:03:00.0",)),
    (("pcieport 0000:00:01.1: AER: Uncorrectable (Fatal) error message received from 0000:03:00.0", CARD + "PCI error: detected callback!!"), "pcie-error", ()),
    ((CARD + "[drm] *ERROR* Link Training Error occured",), "display-link-fails", ()),
    (("[drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Not enough memory for command submission!",), "graphics-memory-full", ()),
])
def test_a_message_names_its_part(tmp_path, lines, name, said):
    finding = found(tmp_path, *lines)[name]
    assert all(word in finding.title for word in said) and finding.standing == "symptom" and len(finding.fixes) >= 2
    assert not re.search(r"\{\w+\}", finding.title + finding.summary + "".join(fix.title for fix in finding.fixes))


@pytest.mark.parametrize(("block", "errno", "said"), [("psp", "-22", "security processor"), ("smu", "-62", "power controller"), ("uvd_v4_2", "-2", "video engine"),
                                                       ("gfx_v11_0", "-110", "compute"), ("dm", "-5", "display"), ("new_block", "-71", "a part of the GPU")])
def test_the_block_that_does_not_start_is_named_with_the_meaning_of_the_number(tmp_path, block, errno, said):
    finding = found(tmp_path, CARD + f"hw_init of IP block <{block}> failed {errno}", CARD + "Fatal error during GPU init")["ip-block-fails"]
    assert block in finding.title and errno in finding.title and said in finding.title


def test_what_a_healthy_driver_says_is_nothing(tmp_path):
    healthy = (CARD + "ring vcn_unified_0 uses VM inv eng 0 on hub 8", CARD + "SMU is initialized successfully!", "AMD-Vi: Interrupt remapping enabled")
    assert not found(tmp_path, *healthy).keys() & findings("driver_says").keys()
