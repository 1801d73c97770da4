"""What a writer ties the trouble to: the clause is found in many wordings, and no clause is made of what cannot be undone."""

import pytest

from rocmdoctor.texts.prose import changes_told, trigger


def rows(text):
    return [row for reading in trigger.read(text) if reading.name == "report.triggers" for row in reading.value]


@pytest.mark.parametrize(("told", "how", "kind", "what", "words"), [
    ("Whenever FanControl changes the fan percentage the switches for voltage tuning go off by themselves.", "when", "program", "FanControl", "FanControl changes"),
    ("It began after I had applied the overlay tweak of WinUtil.", "began", "program", "WinUtil", "applied the overlay tweak"),
    ("Since the partition was added the VM's window stays at the boot screen.", "began", "change", "", "partition was added"),
    ("When the LACT service runs and I choose 144 Hz the picture flickers.", "when", "program", "LACT", "LACT service runs"),
    ("At 144 Hz it is clean without LACT.", "without", "program", "LACT", "without LACT"),
    ("After installing the 241 pending package updates all Steam games stop with a window.", "began", "update", "", "241 pending package updates"),
    ("HDR is no longer offered since the last dnf update.", "began", "update", "", "last dnf update"),
    ("As soon as the second monitor is plugged in, the memory clock stays at its maximum.", "when", "hardware", "second monitor", "plugged in"),
    ("The screen goes black only when HDR is on.", "when", "setting", "HDR", "HDR is on"),
    ("With Resizable BAR enabled the game stutters.", "when", "setting", "Resizable BAR", "enabled"),
    ("If I disable the Steam overlay it works.", "without", "program", "the Steam overlay", "disable"),
    ("It trained until the wheel was changed in July.", "began", "change", "", "wheel was changed in July"),
    ("Everything worked until I installed the beta of the compositor.", "began", "change", "", "installed the beta"),
    ("Ever since I moved the card to the other slot it drops to PCIe x4.", "began", "change", "", "moved the card"),
    ("Once I enabled XMP in the BIOS the driver crashes at boot.", "began", "setting", "XMP", "enabled XMP"),
    ("The crashes started when I switched from X11 to Wayland.", "began", "change", "", "switched from X11"),
    ("After flashing the new BIOS the iGPU is gone.", "began", "change", "", "flashing the new BIOS"),
    ("I ran `paru -Syu` yesterday; since then the desktop does not start.", "began", "update", "", "paru -Syu"),
    ("Yesterday I flashed another VBIOS. Since then the fan stays at 100 %.", "began", "change", "", "flashed another VBIOS"),
    ("While OBS is running the game freezes every few seconds.", "when", "program", "OBS", "OBS is running"),
    ("Every time MangoHud is loaded Vulkan programs crash.", "when", "program", "MangoHud", "MangoHud is loaded"),
    ("Removing the eGPU dock makes it stable.", "without", "hardware", "eGPU", "Removing the eGPU"),
    ("With CoreCtrl closed the flicker is gone.", "when", "program", "CoreCtrl", "CoreCtrl"),
    ("Since TLP was installed the card does not wake up.", "began", "program", "TLP", "TLP was installed"),
    ("My monitor loses its signal whenever the dock is connected.", "when", "hardware", "dock", "dock is connected"),
    ("No problems until the Windows upgrade to 25H2.", "began", "update", "", "Windows upgrade"),
    ("This happens only since I added a second graphics card.", "began", "hardware", "second graphics card", "added"),
    ("After `pip install amdsmi` PyTorch no longer finds the card.", "began", "change", "", "pip install amdsmi"),
    ("After switching the compatibility tool to another one every game stays black.", "began", "change", "", "switching the compatibility tool"),
    ("Right after the driver was replaced by Windows the colours are wrong.", "began", "change", "", "driver was replaced by Windows"),
    ("In gamescope with VRR enabled the screen is black for a second.", "when", "setting", "VRR", "VRR enabled"),
    ("As long as Afterburner is open, the clocks jump between two values.", "when", "program", "MSI Afterburner", "Afterburner is open"),
    ("The game crashes since I undervolted the card.", "began", "setting", "undervolted", "undervolted"),
])
def test_the_clause_is_read(told, how, kind, what, words):
    found = rows(f"Radeon RX 7600. {told}\n")
    assert found, told
    assert (found[0]["how"], found[0]["kind"], found[0]["what"]) == (how, kind, what), found
    assert words in found[0]["clause"]


@pytest.mark.parametrize("told", [
    "When I run it it crashes.", "After a while the screen goes black.", "When using the GPU it crashes.", "After boot the screen stays black.",
    "After a reboot models sometimes run on the CPU.", "As soon as any prompt comes in the process dies at once.", "After waking from hibernation everything freezes.",
    "Since the update it works again.", "After updating to 25.5 the GPU no longer crashes.", "It is slow as if the eGPU were not used.",
    "Once I turned the monitor off and on the picture is gone.", "After switching to a TTY and back the screen is black.", "After installing the driver everything works.",
    "With Vulkan the answers are wrong.", "When the game starts the fans are loud.", "After some minutes the node is dead.",
    "Somebody sees the same after a system update.", "The installer finds the card, but it does not start after the install.", "When the model is loaded it hangs.",
    "After 20 minutes it was killed.", "The first start after a host boot sometimes gives a picture.", "If the driver is loaded the machine hangs.",
    "x.py:128: RuntimeWarning: 'torch.utils' found in sys.modules after import of package 'torch', this may fail after the update of it",
    "[   12.000000] amdgpu: after the update of the table it failed", "ROCm was installed after AMD's guide.", "I have a dock and a second monitor connected.",
    "I installed it after the upgrade to Ubuntu 24.04.", "With each layer put on the GPU it gets worse.", "OBS does not start.", "After that it fails.",
])
def test_what_cannot_be_undone_or_is_no_trouble_is_no_trigger(told):
    assert rows(f"Radeon RX 7600. {told}\n") == []


def test_values_beside_the_clause_are_kept():
    text = ('It began after I had applied the overlay tweak of WinUtil.\nIn the registry there is now\n\n[HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers]\n'
            '"DisableOverlays"=dword:00000001\n')
    assert rows(text)[0]["quoted"] == ["HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers", "DisableOverlays"]


def test_a_pair_in_brackets_behind_an_update_is_a_change():
    told = "HDR is no longer shown since the last dnf update (gamescope 3.16.15-1 -> 3.16.17-2 was part of it)."
    assert [(row["name"], row["good"], row["bad"]) for one in changes_told.read(told) for row in one.value] == [("gamescope", "3.16.15-1", "3.16.17-2")]


def test_going_from_one_version_to_another_is_an_update():
    row = rows("After going from testing-44.20260725.1 to testing-44.20260726 several games draw wrong in Game Mode.")[0]
    assert (row["how"], row["kind"]) == ("began", "update")
