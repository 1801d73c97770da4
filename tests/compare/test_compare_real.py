"""Mesa from Debian stable, really upgraded by dpkg to that of backports, with what RADV says on an emulated GPU before and after.

The packages are Debian's own, downloaded by apt with lists of the test's own, and installed into a folder with its own package
database; this machine's packages stay as they are.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

from rocmdoctor.compare import changes
from rocmdoctor.diagnosis import join
from rocmdoctor.facts.model import Snapshot
from rocmdoctor.live.runner import run_probe
from rocmdoctor.scan.scanner import Scanner
from rocmdoctor.texts.interpret import fill, gathered

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = "usr/lib/x86_64-linux-gnu"
pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("apt-get"), reason="needs root and apt"),
    pytest.mark.skipif("VERSION_CODENAME=bookworm" not in pathlib.Path("/etc/os-release").read_text(), reason="needs Debian 12 and its backports"),
]


@pytest.fixture(scope="module")
def debs(tmp_path_factory):
    """suite to its packages: Mesa and one of its libraries of stable, the same and the shim of backports."""
    state = tmp_path_factory.mktemp("debs")
    for folder in ("lists/partial", "parts"):
        (state / folder).mkdir(parents=True)
    mirror = subprocess.run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm", "Component: main", "Created-By: Packages"],
                            capture_output=True, text=True).stdout.split()
    if not mirror:
        pytest.skip("apt knows no mirror of bookworm (apt-get update was never run)")
    found = {}
    for suite, names in (("bookworm", ("mesa-vulkan-drivers", "libdrm-common")),
                         ("bookworm-backports", ("mesa-vulkan-drivers", "libdrm-common", "mesa-drm-shim", "libdrm2", "libdrm-amdgpu1"))):
        (state / f"{suite}.list").write_text(f"deb {mirror[0]} {suite} main\n")
        (state / suite).mkdir()
        how = ["-qq", "-o", "APT::Sandbox::User=root", "-o", f"Dir::Etc::sourcelist={state}/{suite}.list", "-o", f"Dir::Etc::sourceparts={state}/parts",
               "-o", f"Dir::State::lists={state}/lists"]
        for command in (["update"], ["download", *names]):
            done = subprocess.run(["apt-get", *how, *command], cwd=state / suite, capture_output=True, text=True, timeout=180)
            if done.returncode:
                pytest.skip(f"Debian's mirror does not answer: {done.stderr.strip()[-200:]}")
        found[suite] = {deb.name.split("_")[0]: deb for deb in (state / suite).glob("*.deb")}
    return found


def install(root, *packages):
    done = subprocess.run(["dpkg", f"--root={root}", f"--log={root}/var/log/dpkg.log", "--force-all", "--force-script-chrootless", "--install", *packages],
                          capture_output=True, text=True, timeout=120, env={**os.environ, "DPKG_MAINTSCRIPT_DEBUG": "0"})
    assert "Setting up mesa-vulkan-drivers" in done.stdout, done.stderr


def seen(root, shim, monkeypatch, tmp_path, taken):
    """A snapshot of the folder's packages and of what its RADV says of an emulated Navi 31."""
    manifest = next((root / "usr/share/vulkan/icd.d").glob("radeon_icd*.json"))
    library = root / LIBRARIES / "libvulkan_radeon.so"
    (tmp_path / "radeon.json").write_text(re.sub(r'"library_path": *"[^"]+"', f'"library_path": "{library}"', manifest.read_text()))
    for name, value in {"XDG_RUNTIME_DIR": str(tmp_path), "AMDGPU_GPU_ID": "navi31", "VK_ICD_FILENAMES": str(tmp_path / "radeon.json"),
                        "LD_PRELOAD": str(shim / LIBRARIES / "libamdgpu_noop_drm_shim.so"), "LD_LIBRARY_PATH": str(shim / LIBRARIES)}.items():
        monkeypatch.setenv(name, value)
    said = run_probe(ROOT / "probes/vulkan_caps.py", deadline=30, interpreter=sys.executable)
    for name in ("LD_PRELOAD", "LD_LIBRARY_PATH", "VK_ICD_FILENAMES"):
        monkeypatch.delenv(name)
    told = run_probe(ROOT / "probes/updates.py", deadline=30, interpreter=sys.executable, root=str(root))
    snapshot = Snapshot(taken, "live", {**said.facts, **told.facts})
    fill(snapshot, [gathered(*text) for text in told.texts], Scanner([]))
    join.join(snapshot.facts)
    return snapshot


def test_mesa_from_stable_to_backports(debs, tmp_path, monkeypatch):
    pytest.importorskip("vulkan", reason="the vulkan module needs a loader", exc_type=Exception)
    root, shim = tmp_path / "root", tmp_path / "shim"
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
        (root / folder).mkdir(parents=True)
    (root / "var/lib/dpkg/status").touch()
    for name in ("mesa-drm-shim", "libdrm2", "libdrm-amdgpu1"):
        subprocess.run(["dpkg", "-x", debs["bookworm-backports"][name], shim], check=True)
    suites = [[str(debs[suite][name]) for name in ("mesa-vulkan-drivers", "libdrm-common")] for suite in ("bookworm", "bookworm-backports")]
    install(root, *suites[0])
    old = seen(root, shim, monkeypatch, tmp_path, "2020-01-01T00:00:00+00:00")  # before the test began, by its log
    assert old.facts["vulkan.mesa_version"].value == "22.3.6" and "RADV" in old.facts["vk.name[0]"].value
    install(root, *suites[1])
    new = seen(root, shim, monkeypatch, tmp_path, "2099-01-01T00:00:00+00:00")
    found = changes.compare(old, new, "stable", "backports")
    first = found.changes[0]
    assert (first.component, first.old, first.new, first.how) == ("mesa", "22.3.6", "25.0.7", "updated")
    parts = {part.name: (part.old, part.new) for part in first.parts}
    assert parts["mesa-vulkan-drivers"][0].startswith("22.3.6") and parts["mesa-vulkan-drivers"][1].startswith("25.0.7")
    assert parts["vk.driver_info (0)"][1].startswith("Mesa 25.0.7")  # what the driver itself says stands with its package
    assert parts["vk.coopmat (0)"] == ("no", "yes")  # and what it can do since
    assert [c.component for c in found.changes if c.standing == "suspect"] == ["mesa"]
    assert first.at and [e.new for e in found.events if e.name == "mesa-vulkan-drivers"][-1].startswith("25.0.7")
    assert any(command.startswith("sudo apt-get install") and "22.3.6" in command for fix in first.way_back for command in fix.commands)
