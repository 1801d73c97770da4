"""Variables that a shell holds and the program does not get."""

import pytest
from answers import answers

FAILS = "\nRuntimeError: HIP error: invalid device function\nRX 6650 XT, Linux"


@pytest.mark.parametrize(("typed", "how"), [
    ("> set -g ROCR_VISIBLE_DEVICES 1\n> python main.py", "fish"),
    ("~> set --universal HSA_OVERRIDE_GFX_VERSION 10.3.0", "fish"),
    ("I typed `set -U HSA_OVERRIDE_GFX_VERSION 10.3.0` in fish.", "fish"),
    ("$ HSA_OVERRIDE_GFX_VERSION=10.3.0\n$ python main.py", "without export"),
    ("user@box:~$ set HSA_OVERRIDE_GFX_VERSION=10.3.0\nuser@box:~$ python main.py", "set NAME"),
    ("$ export HSA_OVERRIDE_GFX_VERSION=10.3.0\n$ sudo ./run_comfy.sh", "sudo"),
    ("$ export HSA_OVERRIDE_GFX_VERSION=10.3.0\n$ docker run -it --device /dev/kfd rocm/pytorch python main.py", "container"),
])
def test_what_does_not_reach_the_program_is_named(typed, how):
    found = answers(typed + FAILS)
    first = next(iter(found.values()))
    assert first.id == "variable-stays-in-shell" and how in first.title and "VISIBLE" in first.title + "HSA_OVERRIDE_GFX_VERSION=10.3.0 VISIBLE", first.title
    assert first.fixes[0].commands and "{" not in " ".join(first.fixes[0].commands)


@pytest.mark.parametrize("typed", [
    "> set -gx HSA_OVERRIDE_GFX_VERSION 10.3.0\n> python main.py",
    "> set -Ux HSA_OVERRIDE_GFX_VERSION 10.3.0",
    "$ HSA_OVERRIDE_GFX_VERSION=10.3.0 python main.py",
    "$ HSA_OVERRIDE_GFX_VERSION=10.3.0\n$ export HSA_OVERRIDE_GFX_VERSION\n$ python main.py",
    "$ export HSA_OVERRIDE_GFX_VERSION=10.3.0\n$ sudo -E python main.py",
    "$ export HSA_OVERRIDE_GFX_VERSION=10.3.0\n$ sudo apt install rocminfo\n$ python main.py",
    "$ export HSA_OVERRIDE_GFX_VERSION=10.3.0\n$ docker run -e HSA_OVERRIDE_GFX_VERSION rocm/pytorch",
    "$ echo $HSA_OVERRIDE_GFX_VERSION\n10.3.0",
])
def test_what_is_exported_blames_nothing(typed):
    assert "variable-stays-in-shell" not in answers(typed + FAILS)


def test_setx_is_a_question():
    found = answers("C:\\> setx HSA_OVERRIDE_GFX_VERSION 10.3.0\nC:\\> python main.py\nRuntimeError: HIP error: invalid device function\nWindows 11, RX 6600")
    assert found.get("variable-stays-in-shell") is None or found["variable-stays-in-shell"].standing == "possible"


@pytest.mark.parametrize(("told", "how"), [
    ("I put export HSA_OVERRIDE_GFX_VERSION=10.3.0 into ~/.zshrc. In a terminal the program finds the GPU; launched from the application menu it finds no GPU.", "menu"),
    ("ROCR_VISIBLE_DEVICES=1 is exported in ~/.bashrc. By hand it works, as a systemd service the server crashes. RX 7600.\nexport ROCR_VISIBLE_DEVICES=1", "service"),
])
def test_the_session_and_services_do_not_read_the_files_of_the_shell(told, how):
    found = answers(told + "\nRX 6700 XT")["variable-stays-in-shell"]
    assert found.standing == "possible" and how in found.title
