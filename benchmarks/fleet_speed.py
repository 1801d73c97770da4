"""Time, memory and rightness of `fleet` over synthetic reports: recorded machines with ordinary drift and planted outliers.

    python benchmarks/fleet_speed.py [--nodes 100 1000 10000]

Each fleet is a mix of four recorded machines. 37 nodes of it get one of 12 faults (a fleet of 100 gets 12). Right is: every
planted node named, no other, and the planted fact among what is said of it.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
MIX = (("mi300x-cpx", 0.4), ("rx7900xtx", 0.3), ("strix-halo-96-32", 0.2), ("phoenix-780m", 0.1))
Report = dict[str, Any]


def recorded(machine: str) -> Report:
    """`check --json` of a recorded machine."""
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "check", "--json", "--no-kernels", "--root", str(ROOT / "fixtures/machines" / machine)],
                          capture_output=True, text=True, check=False, cwd=ROOT)
    report: Report = json.loads(done.stdout)
    report["snapshot"]["facts"]["machine.product"] = {"state": "known", "value": f"product of {machine}", "source": "synthetic"}
    return report


def known(report: Report, key: str, value: Any) -> None:
    report["snapshot"]["facts"][key] = {"state": "known", "value": value, "source": "synthetic"}


def drift(report: Report, chance: random.Random) -> None:
    """What differs between equal machines: memory in use, load, the RAM that a kernel reserves, the root device, links at idle."""
    facts = report["snapshot"]["facts"]
    for key, fact in facts.items():
        if fact["state"] != "known":
            continue
        if key.startswith(("gpu.vram_used_bytes", "gpu.gtt_used_bytes", "memory.available_bytes")):
            fact["value"] = int(fact["value"] * chance.uniform(0.8, 1.3))
        elif key == "memory.ram_bytes":
            fact["value"] = int(fact["value"] * chance.uniform(0.996, 1.004))
        elif key == "kernel.cmdline":
            fact["value"] += f" root=UUID={chance.getrandbits(64):x}"
    for item in ("0", "1"):
        known(report, f"gpu.busy_percent[{item}]", chance.randrange(100))


def _lose_gpu(report: Report) -> str:
    facts = report["snapshot"]["facts"]
    for key in [key for key in facts if key.startswith("gpu.") and key.endswith("[0]")]:
        del facts[key]
    known(report, "pci.amd_gpu_count", facts["pci.amd_gpu_count"]["value"] - 1)
    return "pci.amd_gpu_count"


def _set(key: str, value: Any) -> Callable[[Report], str]:
    def plant(report: Report) -> str:
        known(report, key, value)
        return key.split("[")[0]
    return plant


def _unread(report: Report) -> str:
    report["snapshot"]["facts"]["dev.render_nodes"] = {"state": "unknown", "reason": "timed_out", "detail": "", "command": ""}
    return "dev.render_nodes"


def _finding(report: Report) -> str:
    report["findings"].append({"id": "gpu-hang", "standing": "symptom", "severity": "critical", "title": "A GPU ring hung", "layer": "driver"})
    return "gpu-hang"


FAULTS: tuple[Callable[[Report], str], ...] = (
    _lose_gpu, _set("kernel.release", "6.8.0-31-generic"), _set("gpu.link_width[0]", 4), _set("gpu.vbios[0]", "113-OLD-001"),
    _set("amdgpu.loaded", False), _set("gpu.vram_bytes[0]", 8 << 30), _set("kernel.numa_balancing", 1), _set("machine.iommu", "on"),
    _set("memory.ram_bytes", 17 << 30), _set("env.HSA_OVERRIDE_GFX_VERSION", "10.3.0"), _unread, _finding,
)


def common(report: Report) -> None:
    """Facts that the recordings lack and the faults change."""
    facts = report["snapshot"]["facts"]
    for key, value in (("gpu.link_width[0]", 16), ("gpu.vbios[0]", "113-NEW-002"), ("kernel.numa_balancing", 0), ("machine.iommu", "passthrough")):
        facts[key] = {"state": "known", "value": value, "source": "synthetic"}
    facts["env.HSA_OVERRIDE_GFX_VERSION"] = {"state": "absent", "source": "environment"}
    known(report, "dev.render_nodes", ["/dev/dri/renderD128"])
    report["findings"] = []


def write(folder: pathlib.Path, count: int, planted: int) -> dict[str, str]:
    """``count`` reports; returns the planted nodes with the fact that must be named."""
    chance = random.Random(count)
    bases = []
    for machine, share in MIX:
        report = recorded(machine)
        common(report)
        bases.append((json.dumps(report), round(share * count)))
    texts = [text for text, share in bases for _ in range(share)]
    names = [f"node{number:05}" for number in range(len(texts))]
    wrong = dict(zip(chance.sample(range(len(texts)), planted), (FAULTS[i % len(FAULTS)] for i in range(planted)), strict=True))
    truth = {}
    for number, (name, text) in enumerate(zip(names, texts, strict=True)):
        report = json.loads(text)
        drift(report, chance)
        if number in wrong:
            truth[name] = wrong[number](report)
        (folder / f"{name}.json").write_text(json.dumps(report))
    return truth


def measure(folder: pathlib.Path) -> tuple[float, float, float, Report]:
    """Wall and CPU seconds, peak MiB, the answer."""
    out = folder.parent / "fleet.json"
    start = time.perf_counter()
    with open(out, "wb") as file:
        child = subprocess.Popen([sys.executable, "-m", "rocmdoctor", "fleet", "--json", str(folder)], stdout=file, cwd=ROOT)
        _, _, usage = os.wait4(child.pid, 0)
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, json.loads(out.read_bytes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs="+", default=[100, 1000, 10000])
    for count in parser.parse_args().nodes:
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary, "reports")
            folder.mkdir()
            truth = write(folder, count, min(37, max(12, count // 27)))
            size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
            wall, cpu, peak, answer = measure(folder)
        said = {outlier["node"]: json.dumps(outlier) for outlier in answer["outliers"]}
        named = [node for node, fact in truth.items() if fact in said.get(node, "")]
        print(f"{count:>6} reports ({size:.0f} MB): {wall:6.2f} s wall, {cpu:6.2f} s CPU, peak {peak:5.0f} MiB; planted {len(truth)}, "
              f"named {len(named)}, wrong {len(set(said) - set(truth))}; load {os.getloadavg()[0]:.1f}", flush=True)
        for node in sorted(set(truth) - set(named)):
            print("  missed", node, truth[node], said.get(node, "")[:300])
        for node in sorted(set(said) - set(truth))[:5]:
            print("  wrong ", node, said[node][:400])


if __name__ == "__main__":
    main()
