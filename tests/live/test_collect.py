"""The walk over the probes, on this machine, on a made machine, and on one with pipes where files should be."""

import json
import os
import time
from pathlib import Path

import pytest

from rocmdoctor.facts.model import Absent, Known, Snapshot, Unknown, snapshot_from_json, snapshot_to_json
from rocmdoctor.facts.vocabulary import declared, split_key
from rocmdoctor.knowledge.paths import data_dir
from rocmdoctor.live.collect import collect, find_probes, read_head

GPU = "0000:c5:00.0"
DEVICE = f"sys/bus/pci/devices/{GPU}"
NODE = "sys/class/kfd/kfd/topology/nodes/1"
FILES = {
    f"{DEVICE}/class": "0x030000", f"{DEVICE}/vendor": "0x1002", f"{DEVICE}/device": "0x1586",
    f"{DEVICE}/subsystem_vendor": "0xf111", f"{DEVICE}/subsystem_device": "0x000A", f"{DEVICE}/revision": "0xc1",
    f"{DEVICE}/mem_info_vram_total": "536870912", f"{DEVICE}/mem_info_vis_vram_total": "536870912",
    f"{DEVICE}/mem_info_gtt_total": "67456139264", f"{DEVICE}/vbios_version": "113-STRXLGEN-001",
    f"{DEVICE}/numa_node": "-1", f"{DEVICE}/current_link_speed": "16.0 GT/s PCIe", f"{DEVICE}/current_link_width": "16",
    f"{DEVICE}/fw_version/mes_fw_version": "0x00000083", f"{DEVICE}/power/runtime_status": "active",
    f"{DEVICE}/ip_discovery/die/0/GC/0/major": "11", f"{DEVICE}/ip_discovery/die/0/GC/0/minor": "5",
    f"{DEVICE}/ip_discovery/die/0/GC/0/revision": "1", f"{DEVICE}/drm/renderD128/dev": "226:128",
    f"{DEVICE}/ras/umc_err_count": "ue: 1\nce: 20", f"{DEVICE}/ras/gfx_err_count": "ue: 0\nce: 3",
    f"{DEVICE}/resource": "0x0000008000000000 0x000000801fffffff 0x000000000014220c\n"
                          "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                          "0x00000000b4000000 0x00000000b40fffff 0x0000000000040200",
    "sys/bus/pci/devices/0000:01:00.0/class": "0x030000", "sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de",
    "sys/bus/pci/devices/0000:01:00.0/device": "0x2684",
    "sys/class/kfd/kfd/topology/nodes/0/properties": "cpu_cores_count 32\nsimd_count 0\ngfx_target_version 0",
    f"{NODE}/properties": "cpu_cores_count 0\nsimd_count 80\nsimd_per_cu 2\ngfx_target_version 110501\nvendor_id 4098\n"
                          "location_id 50432\ndomain 0\ndrm_render_minor 128\ncwsr_size 21000000",
    f"{NODE}/mem_banks/0/properties": "heap_type 1\nsize_in_bytes 67456139264",
    f"{NODE}/io_links/0/properties": "type 2\nflags 1",
    "sys/module/amdgpu/parameters/gttsize": "110000", "sys/module/amdgpu/parameters/dc": "-1",
    "sys/module/ttm/parameters/pages_limit": "16469033",
    "etc/modprobe.d/gpu.conf": "# mine\noptions  amdgpu gttsize=110000\nblacklist amdgpu",
    "etc/os-release": 'ID=ubuntu\nVERSION_ID="24.04"\nPRETTY_NAME="Ubuntu 24.04.3 LTS"',
    "etc/group": "root:x:0:\nrender:x:992:me",
    "etc/default/grub": "GRUB_DEFAULT=0",
    "proc/meminfo": "MemTotal:       131072000 kB\nMemAvailable:   120000000 kB\nSwapTotal:             0 kB",
    "proc/cmdline": "root=/dev/sda ttm.pages_limit=16469033", "proc/sys/kernel/osrelease": "6.16.9-generic",
    "proc/self/environ": "HSA_OVERRIDE_GFX_VERSION=11.0.0\0PATH=/bin\0",
    "proc/self/status": "Name:\tcat\nUid:\t1000\t1000\t1000\t1000\nGroups:\t992 1000 ",
    "proc/cpuinfo": "model name\t: AMD RYZEN AI MAX+ 395\nflags\t\t: fpu",
    "proc/77/stat": "77 (python3 (x)) D 1 77", "proc/77/wchan": "amdgpu_fence_wait",
    "var/log/dmesg": "[ 0.1] usb 1-1: new\n[ 3.2] amdgpu 0000:c5:00.0: amdgpu: 512M of VRAM memory ready",
}


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + ("" if "environ" in name else "\n"))
    (tmp_path / "drivers/amdgpu").mkdir(parents=True)
    (tmp_path / DEVICE / "driver").symlink_to("../../../../../drivers/amdgpu")
    return tmp_path


def value(snapshot: Snapshot, name: str):
    fact = snapshot.facts[name]
    assert isinstance(fact, Known), (name, fact)
    return fact.value


def test_a_made_machine(machine):
    snapshot, texts = collect("now", str(machine))
    expected = {
        "pci.amd_gpu_count": 1, "pci.other_gpus": ["NVIDIA 10de:2684"], f"gpu.pci_id[{GPU}]": "1002:1586",
        f"gpu.subsystem_id[{GPU}]": "f111:000a", f"gpu.revision[{GPU}]": "c1", f"gpu.driver[{GPU}]": "amdgpu",
        f"gpu.vram_bytes[{GPU}]": 512 << 20, f"gpu.gtt_bytes[{GPU}]": 67456139264, f"gpu.numa_node[{GPU}]": -1,
        f"gpu.link_speed_gts[{GPU}]": 16.0, f"gpu.fw.mes[{GPU}]": "0x00000083", f"gpu.ip.gc[{GPU}]": "11.5.1",
        f"gpu.render_node[{GPU}]": "/dev/dri/renderD128", f"gpu.ras_ue_count[{GPU}]": 1,
        f"gpu.ras_ce_count[{GPU}]": 23, f"gpu.bar_bytes[{GPU}]": 512 << 20, f"gpu.gfx_target[{GPU}]": "gfx1151",
        f"gpu.cu_count[{GPU}]": 40, f"gpu.cwsr_size[{GPU}]": 21000000, f"gpu.kfd_pool_bytes[{GPU}]": 67456139264,
        f"gpu.kfd_node[{GPU}]": 1, f"gpu.atomics[{GPU}]": True, "kfd.gpu_nodes": 1, "amdgpu.loaded": True,
        "amdgpu.dkms": False, "amdgpu.parameters": {"gttsize": "110000"},
        "amdgpu.modprobe_options": ["options amdgpu gttsize=110000", "ttm.pages_limit=16469033"],
        "amdgpu.blacklisted": "/etc/modprobe.d/gpu.conf", "memory.ttm_limit_bytes": 16469033 * 4096,
        "memory.ttm_module": "ttm", "memory.ram_bytes": 131072000 * 1024, "os.distribution": "ubuntu",
        "os.family": "linux", "boot.loader": "grub", "kernel.release": "6.16.9-generic",
        "env.HSA_OVERRIDE_GFX_VERSION": "11.0.0", "user.root": False, "user.groups": ["render", "1000"],
        "kernel.stuck_processes": ["77 python3 (x) amdgpu_fence_wait"], "machine.cpu": "AMD RYZEN AI MAX+ 395",
    }
    assert {name: value(snapshot, name) for name in expected} == expected
    assert isinstance(snapshot.facts["env.HIP_VISIBLE_DEVICES"], Absent)
    assert isinstance(snapshot.facts["machine.virtual"], Absent)
    assert snapshot.facts["dev.kfd_openable"].reason == "skipped"
    assert ("kernel log", "[ 3.2] amdgpu 0000:c5:00.0: amdgpu: 512M of VRAM memory ready") in texts
    assert snapshot.origin == "live" and snapshot.taken == "now"


def test_pipes_instead_of_files_cost_only_their_own_facts(machine):
    for name in (f"{DEVICE}/vbios_version", f"{NODE}/mem_banks/0/properties", "proc/meminfo", "proc/cmdline",
                 "sys/module/ttm/parameters/pages_limit", "etc/modprobe.d/gpu.conf"):
        (machine / name).unlink()
        os.mkfifo(machine / name)
    snapshot, _ = collect("now", str(machine))
    assert all(run.ended == "ok" for run in snapshot.runs), snapshot.runs
    for name in (f"gpu.vbios[{GPU}]", "memory.ram_bytes", "kernel.cmdline", "memory.ttm_limit_bytes"):
        assert snapshot.facts[name].reason == "unreadable"
    assert value(snapshot, f"gpu.gfx_target[{GPU}]") == "gfx1151"
    assert value(snapshot, f"gpu.vram_bytes[{GPU}]") == 512 << 20


def test_this_machine():
    seen = []
    snapshot, _ = collect("now", progress=lambda probe, state: seen.append((probe, state)))
    assert value(snapshot, "kernel.release") == os.uname().release
    assert value(snapshot, "user.root") == (os.geteuid() == 0)
    states = [state for name, state in seen if name == "kernel log"]
    assert states == ["waiting", "started", "ok"] and seen.index(("kernel log", "started")) > max(n for n, (_, state) in enumerate(seen) if state == "waiting")
    assert snapshot_from_json(snapshot_to_json(snapshot)) == snapshot


def test_every_probe_keeps_the_rules():
    for probe in find_probes([data_dir("probes")]):
        for name in probe.provides:
            assert declared(name), (probe.path.name, name)
        assert probe.lane in ("quiet", "loud") and 0 < probe.deadline <= 120, probe.path.name
        assert probe.python in ("own", "user"), probe.path.name
        assert "_" not in probe.says and probe.says, probe.path.name
        assert not probe.path.stem.startswith("torch"), "shadows a module of the user"


def test_no_probe_says_what_it_does_not_promise(machine):
    promised = {name for probe in find_probes([data_dir("probes")]) for name in probe.provides}
    families = tuple(name[:-1] for name in promised if name.endswith(".*"))
    snapshot, _ = collect("now", str(machine))
    told = {split_key(stored)[0] for stored in snapshot.facts}
    assert {name for name in told if name not in promised and not name.startswith(families)} == set()


WRITES = """
PROVIDES = ("{fact}",)
LANE = "{lane}"
DEADLINE = 1
import json, sys, time
{body}
"""


def write(folder: Path, name: str, fact: str, body: str = "", lane: str = "quiet", head: str = "") -> None:
    (folder / f"{name}.py").write_text(head + WRITES.format(fact=fact, lane=lane, body=body))


def test_one_bad_probe_does_not_cost_the_others(tmp_path):
    good = ("out = open(sys.argv[2], 'w'); out.write(json.dumps({'fact': 'kernel.release', 'value': '6', 'source': 's'})"
            " + '\\n{\"end\": true}\\n')")
    write(tmp_path, "good", "kernel.release", good)
    write(tmp_path, "hangs", "kernel.cmdline", "time.sleep(60)")
    write(tmp_path, "fails", "os.name", "1/0", "loud")
    (tmp_path / "broken.py").write_text("LANE = (")
    (tmp_path / "shared.py").write_text("X = 1")
    write(tmp_path, "needy", "gpu.fw.*", head='NEEDS = ("no-such-program-here",)\n')
    write(tmp_path, "torches", "torch.version", head='PYTHON = "user"\n')
    snapshot, _ = collect("now", probe_dirs=[tmp_path])
    assert value(snapshot, "kernel.release") == "6"
    reasons = {name: fact.reason for name, fact in snapshot.facts.items() if isinstance(fact, Unknown)}
    assert reasons == {"kernel.cmdline": "timed_out", "os.name": "crashed", "gpu.fw.*": "no_tool",
                       "torch.version": "not_collected"}
    assert {run.probe for run in snapshot.runs} == {"good", "hangs", "fails"}


def test_a_failed_probe_leaves_its_reason_on_every_gpu(tmp_path):
    write(tmp_path, "a_bus", "gpu.pci_id", "out = open(sys.argv[2], 'w'); out.write(json.dumps({'fact': 'gpu.pci_id', "
          "'item': '0000:03:00.0', 'value': '1002:744c', 'source': 's'}) + '\\n{\"end\": true}\\n')")
    write(tmp_path, "b_kfd", "gpu.gfx_target", "time.sleep(60)")
    snapshot, _ = collect("now", probe_dirs=[tmp_path])
    assert snapshot.facts["gpu.gfx_target[0000:03:00.0]"].reason == "timed_out"
    assert "gpu.gfx_target" not in snapshot.facts


def test_the_head_is_read_and_never_run(tmp_path):
    path = tmp_path / "probe.py"
    path.write_text("raise SystemExit\nPROVIDES = ('os.name',)\nLANE = 'loud'\nDEADLINE = 2.5\nPYTHON = 'user'\n")
    probe = read_head(path)
    assert probe is not None
    assert (probe.provides, probe.lane, probe.deadline, probe.python) == (("os.name",), "loud", 2.5, "user")
    path.write_text("LANE = input()")
    assert read_head(path) is None
    assert read_head(tmp_path / "none.py") is None


def test_what_was_not_recorded_is_not_said_to_be_missing(tmp_path):
    (tmp_path / "etc").mkdir()
    snapshot, _ = collect("now", str(tmp_path))
    for name in ("dev.kfd_exists", "dev.render_nodes", "kfd.available", "amdgpu.loaded", "pci.amd_gpu_count",
                 "memory.ttm_limit_bytes", "user.groups", "kernel.release", "machine.iommu", "wsl.dxg",
                 "machine.board", "machine.bios_version", "machine.secure_boot", "machine.virtual", "container.kind",
                 "memory.ram_bytes", "kernel.stuck_processes"):
        assert isinstance(snapshot.facts[name], Unknown), name


def test_what_work_on_a_gpu_changes_is_read_first(tmp_path):
    """Whoever waits for it is told, and once more when nothing opens a driver any more; a slow reading of files keeps nobody waiting."""
    for name, lane, first, seconds in (("a_slow", "quiet", False, 1.5), ("b_first", "quiet", True, 0), ("c_loud", "loud", False, 0.5)):
        rows = [{"fact": "kernel.release", "value": "6.1"}, {"end": True}] if first else [{"end": True}]
        (tmp_path / f"{name}.py").write_text(f"import sys, time\nPROVIDES = ()\nLANE = {lane!r}\nFIRST = {first}\ntime.sleep({seconds})\n"
                                             f"open(sys.argv[2], 'w').write({''.join(json.dumps(row) + chr(10) for row in rows)!r})\n")
    told = []
    snapshot, _ = collect("now", probe_dirs=[tmp_path], reached=lambda stage, facts, texts: told.append((stage, sorted(facts), time.monotonic())))
    assert [(stage, facts) for stage, facts, _ in told] == [("first", ["kernel.release"]), ("alone", ["kernel.release"])]
    assert told[1][2] < time.monotonic() - 0.3 and [run.probe for run in snapshot.runs] == ["a_slow", "b_first", "c_loud"]
