"""Who may change a file of Windows: access lists as Windows 11 has them by default, in the bytes of a self-relative security descriptor."""

from __future__ import annotations

import pathlib
import struct
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "probes"))

import windows_rights as rights  # noqa: E402
import windows_runtime  # noqa: E402
from tree import Tree  # noqa: E402
from windows_machine import Machine  # noqa: E402

from rocmdoctor.live import processes  # noqa: E402

SYSTEM, ADMINS, INSTALLER, USERS, SIGNED_IN = *rights.BELIEVED[:3], "S-1-5-32-545", "S-1-5-11"
ME, OTHER = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-1002"
FULL, READ, MODIFY, FOLDERS = 0x1F01FF, 0x1200A9, 0x1301BF, 0x4


def identity(text):
    parts = list(map(int, text.split("-")[1:]))
    return bytes([parts[0], len(parts) - 2]) + parts[1].to_bytes(6, "big") + struct.pack(f"<{len(parts) - 2}I", *parts[2:])


def descriptor(owner, *rows, listed=True):
    """``rows``: (rights, who, flags)."""
    entries = b""
    for held, who, flags in rows:
        body = struct.pack("<I", held) + identity(who)
        entries += struct.pack("<BBH", 0, flags, 4 + len(body)) + body
    access = struct.pack("<BBHHH", 2, 0, 8 + len(entries), len(rows), 0) + entries
    name = identity(owner)
    return struct.pack("<BBHIIII", 1, 0, 0x8004, 20, 0, 0, 20 + len(name) if listed else 0) + name + (access if listed else b"")


DRIVE = descriptor(INSTALLER, (FULL, ADMINS, 3), (FULL, SYSTEM, 3), (READ, USERS, 3), (0xD0010000, SIGNED_IN, 11), (FOLDERS, SIGNED_IN, 0))
GUARDED = descriptor(INSTALLER, (FULL, INSTALLER, 0), (MODIFY, SYSTEM, 0), (MODIFY, ADMINS, 0), (READ, USERS, 0))
OWN = descriptor(ME, (FULL, SYSTEM, 3), (FULL, ADMINS, 3), (FULL, ME, 3))
LOOSE = descriptor(ME, (FULL, ADMINS, 19), (FULL, SYSTEM, 19), (READ, USERS, 19), (MODIFY, SIGNED_IN, 19))


def why(path, beside=False, **places):
    held = {"C:\\": DRIVE, "C:\\Windows": GUARDED, "C:\\Windows\\System32": GUARDED, "C:\\Windows\\System32\\amdhip64_7.dll": GUARDED,
            "C:\\Users": GUARDED, "C:\\Users\\me": OWN, "C:\\Users\\me\\a.dll": OWN, "C:\\comfy": LOOSE, "C:\\comfy\\a.dll": LOOSE, **places}
    return rights.why_not(path, beside, held.__getitem__, ME)


@pytest.mark.parametrize("path", ["C:\\Windows\\System32\\amdhip64_7.dll", "C:\\Users\\me\\a.dll", "C:\\Windows\\System32"])
def test_what_the_system_guards_and_what_is_my_own_is_trusted(path):
    assert why(path) == ""


def test_a_folder_made_in_the_drive_is_open_to_everybody_who_is_signed_in():
    assert why("C:\\comfy\\a.dll") == "every user that is signed in may write to C:\\comfy"


def test_who_may_lay_a_library_beside_it_has_a_hand_in_it():
    adds = descriptor(ME, (FULL, ME, 0), (0x2, OTHER, 0))
    assert "may write to C:\\Users\\me" in why("C:\\Users\\me\\a.dll", **{"C:\\Users\\me": adds})
    assert why("C:\\Users\\me\\a.dll", beside=True, **{"C:\\Users\\me": adds}) == ""


def test_a_file_of_another_user_or_without_a_list_is_not_trusted():
    assert "belongs to another user" in why("C:\\Users\\me\\a.dll", **{"C:\\Users\\me\\a.dll": descriptor(OTHER, (FULL, ME, 0))})
    assert "no access list" in why("C:\\Users\\me\\a.dll", **{"C:\\Users\\me\\a.dll": descriptor(ME, listed=False)})
    assert "another machine" in why("\\\\server\\share\\a.dll")


@pytest.mark.parametrize("raw", [b"", b"\1", GUARDED[:40], b"\xff" * 64])
def test_damaged_descriptors_are_refused(raw):
    with pytest.raises(ValueError):
        rights.parsed(raw)


def test_runtimes_are_tested_system_first_each_with_a_compiler_of_its_major_version():
    root = ROOT / "fixtures/machines/windows-rx9070xt-hip7"
    machine = Machine(Tree(str(root)))
    sdk = "C:\\Program Files\\AMD\\ROCm\\6.4\\bin"
    names = machine.names
    machine.names = lambda folder: [*names(folder), "hiprtc0604.dll", "hiprtc-builtins0604.dll"] if machine.path(folder) == sdk else names(folder)
    found = windows_runtime.to_test(machine)
    assert [path.rpartition("\\")[2] for path, _ in found[:2]] == ["amdhip64_7.dll", "amdhip64_6.dll"]
    assert found[0][1] == []
    assert found[1][1] == [sdk + "\\hiprtc0604.dll"]


@pytest.mark.parametrize("code, words", [(0xC0000005, "0xc0000005 (access violation)"), (0xC0000135, "0xc0000135 (a DLL was not found)"), (1, ""), (255, "")])
def test_how_windows_ended_a_program(code, words):
    assert processes.fault(code) == words
