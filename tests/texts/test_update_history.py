"""Package histories: each format by what it says, this machine's own logs, and a real update made in the test."""

import gzip
import json
import os
import pathlib
import struct
import subprocess
import sys

import pytest

from rocmdoctor.texts.interpret import gathered
from rocmdoctor.texts.readers import update_history

ROOT = pathlib.Path(__file__).resolve().parents[2]
HISTORIES = ROOT / "fixtures/histories"
WANTED = {
    "pacman.log": ("2026-04-20T06:43:43+00:00", "linux-firmware-amdgpu", "20260309-1", "20260410-1"),
    "pacman-2019.log": ("2019-07-08T01:01:00+00:00", "linux-firmware", "20190618.acb56f2-1", "20190628.70e4394-1"),
    "dnf5-history-info.txt": ("2026-02-03T09:10:11+00:00", "mesa-vulkan-drivers", "25.2.7-1.fc44", "25.3.1-1.fc44"),
    "rpm-last.txt": ("2025-11-12T22:01:02+00:00", "amd-gpu-firmware", "", "20251111-1.fc43"),
    "rpm-ostree.txt": ("2024-08-22T01:02:03+00:00", "mesa-vulkan-drivers", "24.1.5-2.fc40", "24.1.6-1.fc40"),
    "zypper.txt": ("2026-05-28T11:53:45+00:00", "kernel-firmware-amdgpu", "20260410-1.1", "20260519-1.1"),
    "nixos-generations.txt": ("2023-08-18T08:17:27+00:00", "linux", "6.4.8", "6.4.10"),
    "apt.log": ("2026-05-20T16:49:10+00:00", "mesa-vulkan-drivers", "25.0.7-2~bpo12+1", "26.1.0-1~bpo12+1"),
}


def said(text):
    return {reading.name: reading.value for reading in update_history.read(text)}


@pytest.mark.parametrize("name", sorted(WANTED))
def test_each_format_is_read(name):
    text = (HISTORIES / name).read_text()
    rows = [(row["at"], row["name"], row["old"], row["new"]) for row in said(text)["updates.history"]]
    assert WANTED[name] in rows and update_history.recognises(text)


def test_every_history_has_a_test():
    assert {f.name for f in HISTORIES.iterdir()} - {"README.md"} == set(WANTED)


def test_two_managers_that_log_one_change_count_once():
    dpkg = "2026-05-20 16:49:12 upgrade mesa-vulkan-drivers:amd64 25.0.7-2~bpo12+1 26.1.0-1~bpo12+1\n"
    rows = said((HISTORIES / "apt.log").read_text() + dpkg)["updates.history"]
    assert [row["name"] for row in rows].count("mesa-vulkan-drivers") == 1


@pytest.mark.parametrize("text", ["", "zone\t+9999", "[2026-99-99T10:00:00+0000] [ALPM] upgraded mesa (1 -> 2)", "Begin time : never\n Upgrade mesa-1-1.x86_64",
                                  "boot\tnot-a-time\t6.1", "2026-13-45 99:99:99 upgrade mesa:amd64 1 2",
                                  "Start-Date: 2026-05-20  16:49:10\nUpgrade: " + "x" * 100_000])
def test_nonsense_says_nothing(text):
    assert "updates.history" not in said(text)


def test_a_text_of_the_probe_is_no_log():
    assert gathered("update_history", "x").reader == "update_history" and gathered("kernel log", "x").reader == ""


def probe(tmp_path, root):
    out = tmp_path / "out.jsonl"
    subprocess.run([sys.executable, "-S", "-E", "-s", "-B", ROOT / "probes/updates.py", "--out", out, "--root", root], check=True, timeout=60)
    return {row["text"]: "\n".join(row["lines"]) for row in map(json.loads, out.read_text().splitlines()) if "text" in row}


def test_the_probe_reads_a_recorded_machine(tmp_path):
    root = tmp_path / "root"
    for folder in ("var/log/apt", "var/lib/dpkg", "var/lib/snapd/snaps", "nix/var/nix/profiles", "nix/store/aaa-nixos", "nix/store/bbb-linux-6.12.3",
                   "home/me/venv/lib/python3.12/site-packages/torch-2.9.1+rocm6.4.dist-info"):
        (root / folder).mkdir(parents=True)
    line = "2026-05-20 16:49:12 upgrade mesa-vulkan-drivers:amd64 {} {}\n"
    (root / "var/log/dpkg.log").write_text(line.format("25.0.7-2", "26.1.0-1") + "2026-05-20 16:49:12 status installed x:amd64 1\n")
    (root / "var/log/dpkg.log.2.gz").write_bytes(gzip.compress(line.format("24.3.4-1", "25.0.7-2").replace("2026-05", "2026-02").encode()))
    (root / "var/lib/dpkg/status").write_text("Package: rocm-core\nStatus: install ok installed\nVersion: 7.0.0.70000-38\n\n"
                                              "Package: gone\nStatus: deinstall ok config-files\nVersion: 1\n")
    (root / "var/lib/snapd/snaps/mesa-2404_495.snap").write_bytes(b"")
    (root / "nix/store/aaa-nixos/kernel").symlink_to("/nix/store/bbb-linux-6.12.3/bzImage")
    (root / "nix/var/nix/profiles/system-7-link").symlink_to("/nix/store/aaa-nixos")
    boot = struct.pack("<hxxi32s4s32s256shhiii4i20x", 2, 0, b"~", b"~~", b"reboot", b"6.12.48+deb13-amd64", 0, 0, 0, 1_779_200_000, 0, 0, 0, 0, 0)
    (root / "var/log/wtmp").write_bytes(boot)
    texts = probe(tmp_path, root)
    assert texts["distro_packages"] == "rocm-core\t7.0.0.70000-38"
    facts = said(texts["update_history"])
    assert [(row["old"], row["new"]) for row in facts["updates.history"] if row["name"] == "mesa-vulkan-drivers"] == [
        ("24.3.4-1", "25.0.7-2"), ("25.0.7-2", "26.1.0-1")]
    by = {row["by"]: (row["name"], row["new"]) for row in facts["updates.history"]}
    assert by["snap"] == ("mesa-2404", "495") and by["nix"] == ("linux", "6.12.3") and by["pip"] == ("torch", "2.9.1+rocm6.4")
    assert [row["kernel"] for row in facts["boots.history"]] == ["6.12.48+deb13-amd64"]


@pytest.mark.skipif(not pathlib.Path("/var/log/dpkg.log").is_file(), reason="this machine has no dpkg.log")
def test_this_machines_own_log():
    text = pathlib.Path("/var/log/dpkg.log").read_text(errors="replace")
    facts = said(text)
    counted = sum(line.split()[2] in ("upgrade", "install", "remove") for line in text.splitlines() if len(line.split()) > 3)
    assert facts["updates.from"][:10] == text[:10]
    assert 0 < len(facts.get("updates.history", ())) + sum(facts["updates.unrelated"].values()) <= counted


@pytest.fixture(scope="module")
def private_dpkg(tmp_path_factory):
    """A package database of the test's own, in which a package is really installed and then really upgraded by dpkg."""
    if os.geteuid() or subprocess.run(["sh", "-c", "command -v dpkg-deb"], capture_output=True).returncode:
        pytest.skip("needs root and dpkg")
    root = tmp_path_factory.mktemp("dpkg")
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    for version in ("25.0.7-2", "26.1.0-1"):
        tree = root / f"build-{version}"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(f"Package: mesa-vulkan-drivers\nVersion: {version}\nArchitecture: all\nMaintainer: t <t@example.org>\n"
                                             "Description: stands for the driver\n")
        subprocess.run(["dpkg-deb", "--build", tree, root / f"{version}.deb"], check=True, capture_output=True)
        done = subprocess.run(["dpkg", f"--root={root}", "--log", root / "var/log/dpkg.log", "--force-all", "--install", root / f"{version}.deb"],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return root


def test_a_real_upgrade_by_dpkg_is_in_the_comparison(private_dpkg):
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "compare", "--since", "yesterday", private_dpkg / "var/log/dpkg.log"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and "1. Mesa added: 26.1.0-1" in done.stdout  # it was installed within that time, too
    last = said((private_dpkg / "var/log/dpkg.log").read_text())["updates.history"][-1]
    assert (last["name"], last["old"], last["new"]) == ("mesa-vulkan-drivers", "25.0.7-2", "26.1.0-1")
