"""A recorded machine whose files are hostile: nothing is waited for, and nothing outside of it is read."""

import json
import os
import pathlib
import subprocess
import sys
import time

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "probes"))
from tree import Tree  # noqa: E402

SECRET = "plantedword"


def checked(root, *more):
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "check", "--root", str(root), "--json", "--no-redact", "--save", str(root) + ".saved", *more],
                          capture_output=True, text=True, timeout=90, env={**os.environ, "PYTHONPATH": str(TOP)})
    assert done.returncode in (0, 1, 3) and "Traceback" not in done.stderr, done.stderr
    report = json.loads(done.stdout)
    assert not [run for run in report["probes"] if run["ended"] != "ok"]
    return report, pathlib.Path(str(root) + ".saved").read_text(), time.monotonic() - began


# Every file that some probe reads, and folders of which some probe lists or globs.
FILES = ("etc/os-release", "proc/cmdline", "proc/meminfo", "proc/version", "proc/modules", "proc/sys/kernel/osrelease", "var/log/dmesg", "var/log/dpkg.log",
         "var/log/dpkg.log.1.gz", "var/log/wtmp", "var/lib/dpkg/status", "etc/ld.so.conf.d/a.conf", "usr/share/vulkan/icd.d/a.json", "etc/OpenCL/vendors/a.icd",
         "opt/rocm/.info/version", "opt/rocm/share/hip/version", "home/jane/ComfyUI/main.py", "home/jane/ComfyUI/pyproject.toml", "etc/group",
         "opt/conda/conda-meta/history", "home/jane/venv/lib/python3.12/site-packages/torch/version.py", "proc/self/environ", "proc/1/environ",
         "sys/class/kfd/kfd/topology/nodes/0/properties", "sys/class/drm/card0/device/vendor", "sys/class/drm/card0/device/mem_info_vram_total",
         "sys/module/amdgpu/version", "sys/firmware/dmi/tables/DMI", "etc/modprobe.d/a.conf", "boot/grub/grub.cfg", "etc/default/grub", "dev/kfd")
FOLDERS = ("home", "etc/modprobe.d", "opt", "usr/lib", "sys/class/drm", "proc", "usr/share/vulkan/icd.d", "var/lib/pacman/local", "etc/ld.so.conf.d", "root")


def outside(tmp_path):
    """A machine beside the tree, with a word of its own in every file."""
    place = tmp_path / "outside"
    for name in FILES:
        file = place / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"ID={SECRET}\n{SECRET} {SECRET}\n", "utf-8")
    (place / "etc/os-release").write_text(f'ID=debian\nVERSION_ID="{SECRET}"\nPRETTY_NAME="{SECRET}"\n')
    (place / "proc/sys/kernel/osrelease").write_text(f"6.1.0-{SECRET}\n")
    (place / "opt/rocm/.info/version").write_text(f"7.{SECRET}\n")
    (place / "home/jane/ComfyUI/pyproject.toml").write_text(f'version = "{SECRET}"\n')
    return place


def small(root):
    (root / "etc").mkdir(parents=True)
    (root / "proc").mkdir()
    (root / "sys/class").mkdir(parents=True)
    return root


@pytest.mark.parametrize("kind", ["pipes", "endless", "sockets of a shell"])
def test_files_that_never_end(tmp_path, kind):
    root = small(tmp_path / "tree")
    for name in FILES:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if kind == "pipes":
            os.mkfifo(file)
        else:
            file.symlink_to("/dev/zero" if kind == "endless" else "/proc/kmsg")
    assert checked(root)[2] < 30


@pytest.mark.skipif(not hasattr(os, "mknod") or os.geteuid() != 0, reason="makes devices: needs root")
def test_devices_are_not_opened(tmp_path):
    root = small(tmp_path / "tree")
    for name in FILES:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            os.mknod(file, 0o20666, os.makedev(1, 5))
        except OSError:
            pytest.skip("devices cannot be made here")
    assert checked(root)[2] < 30


@pytest.mark.parametrize("how", ["absolute", "relative"])
@pytest.mark.parametrize("what", ["files", "folders"])
def test_links_do_not_lead_out(tmp_path, how, what):
    place, root = outside(tmp_path), small(tmp_path / "tree")
    for name in FILES if what == "files" else FOLDERS:
        link = root / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.is_dir():
            link.rmdir() if not any(link.iterdir()) else None
        if not link.exists():
            link.symlink_to(place / name if how == "absolute" else "../" * (len(link.parts) + 3) + str(place / name).lstrip("/"))
    report, saved, _ = checked(root)
    assert SECRET not in json.dumps(report) and SECRET not in saved


def test_links_lead_on_within_the_tree(tmp_path):
    root = small(tmp_path / "tree")
    (root / "usr/lib").mkdir(parents=True)
    (root / "usr/lib/os-release").write_text('ID=debian\nVERSION_ID="13"\n')
    (root / "etc/os-release").symlink_to("/usr/lib/os-release")
    (root / "opt/rocm-7.0.2/.info").mkdir(parents=True)
    (root / "opt/rocm-7.0.2/.info/version").write_text("7.0.2-1\n")
    (root / "etc/alternatives").mkdir()
    (root / "etc/alternatives/rocm").symlink_to("/opt/rocm-7.0.2")
    (root / "opt/rocm").symlink_to("/etc/alternatives/rocm")
    facts = json.loads(checked(root)[1])["facts"]
    assert facts["rocm.version[/opt/rocm]"]["value"] == "7.0.2" and facts["os.version"]["value"] == "13"


def test_a_tree_that_changes_while_it_is_read(tmp_path, monkeypatch):
    root = small(tmp_path / "tree")
    (root / "etc/a").mkdir()
    (root / "etc/a/b").write_text("inside")
    (tmp_path / "b").write_text("outside")
    tree = Tree(str(root))
    assert tree.read("/etc/a/b") == "inside"
    (root / "etc/a/b").unlink()
    (root / "etc/a").rmdir()
    (root / "etc/a").symlink_to(tmp_path)  # where it led is known already
    with pytest.raises(OSError, match="not a regular file"):
        tree.raw("/etc/a/b")


@pytest.mark.parametrize(("path", "real"), [("/a/b", "/a/b"), ("/l/b", "/a/b"), ("/up/up/a", "/a"), ("/../a", "/a"), ("/.hidden", "/.hidden"),
                                            ("/loop", "/loop"), ("/a/../l", "/a")])
def test_the_path_without_links(tmp_path, path, real):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "l").symlink_to("/a")
    (tmp_path / "up").symlink_to("../..")
    (tmp_path / "loop").symlink_to("loop")
    assert Tree(str(tmp_path)).real(path) == real
