"""Kernel parameters as each boot loader wants them."""

import pytest

from rocmdoctor.diagnosis.boot_commands import for_machine
from rocmdoctor.facts.model import Known

ADD = "sudo grubby --update-kernel=ALL --args='ttm.pages_limit=1 iommu=pt'"


@pytest.mark.parametrize(("loader", "distribution", "words"), [
    ("grub", "fedora", ["grubby", "ttm.pages_limit=1 iommu=pt"]),
    ("grub", "ubuntu", ["/etc/default/grub", "update-grub"]),
    ("grub", "arch", ["grub-mkconfig"]),
    ("systemd-boot", "arch", ["/etc/kernel/cmdline", "kernel-install"]),
    ("kernelstub", "pop", ["kernelstub --add-options"]),
    ("rpm-ostree", "fedora", ["--append-if-missing=ttm.pages_limit=1", "--append-if-missing=iommu=pt"]),
    ("refind", "arch", ["refind_linux.conf"]),
    ("nixos", "nixos", ['boot.kernelParams = [ "ttm.pages_limit=1" "iommu=pt" ]', "nixos-rebuild"]),
])
def test_the_boot_loader_at_hand(loader, distribution, words):
    facts = {"boot.loader": Known(loader, "t"), "os.distribution": Known(distribution, "t")}
    text = "\n".join(for_machine(ADD, facts))
    assert all(word in text for word in words), text
    assert "{" not in text.replace("{ ", "")


def test_an_unknown_loader_gets_both_common_ways_and_other_commands_stay():
    text = "\n".join(for_machine("sudo grubby --update-kernel=ALL --remove-args='amdgpu.gttsize' --args=a=1", {}))
    assert "grubby" in text and "update-grub" in text and "amdgpu.gttsize" in text
    assert for_machine("rocminfo", {}) == ["rocminfo"]
