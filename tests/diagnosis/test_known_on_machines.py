"""What `check --root` says of machines composed from rows of the known defects: each is named on its version and silent on another one.

The rows are those of version, hardware and driver that the table began with. The version lies where a machine has it: in the kernel's own files, in the
databases of package managers, in /opt/rocm, in the registry.
"""

from __future__ import annotations

import pathlib
import re
import shutil
import sys
from collections.abc import Iterator

import pytest

from rocmdoctor.diagnosis.diagnose import diagnose
from rocmdoctor.diagnosis.examine import examine
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.knowledge import known, rules, tables
from rocmdoctor.knowledge.known import Row

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from test_known_defects import MACHINES, SHOWN, TABLE, bad_version, composed, other_version  # noqa: E402

BOOK = rules.load()
ROWS = (
    "mes-0x83-gfx1151 mes-0x83-gfx1150 gfx1151-cwsr-size gfx1151-dkms-30-20-cwsr gfx1151-carveout-ignored gfx1151-gttsize-deprecated rdna3-sdma-6-18 "
    "rdna3-rdna4-pagefault-2025 gfx803-6-12 r9700-rocm714-mes 780m-mes-wait-reg mec-atomics-744c mesa-25-0-7-mmproj mesa-26-1-pipeline-loop adrenalin-26-5 "
    "adrenalin-26-3-1-strix-halo adrenalin-26-3-1-igpu-coopmat adrenalin-26-3-1-r9700-ctx oem-32-0-12078 adrenalin-26-1-1-rdna2 adrenalin-24-9-1 dkms-on-apu "
    "ubuntu-libhsa-5-7 rocm-10-0-wsl-idle-cpu rocm-10-0-gfx1150-perf amdvlk-limit rocm-7-12-docker-rocm-smi rocm-7-13-gptoss roctracer-7-2-1 "
    "ollama-old-kernel-driver rccl-7-2-gfx1201-tuning dmcub-rembrandt-20260910 dmcub-rdna4-202506 dmub-strix-halo-dsc-20260519 pageflip-7-1-6 amdgpu-dc-0-6-18 "
    "gfx1100-compute-clocks-7-0 dkms-6-16-13-pci-resize-resource mi300-driver-30-30-1-false-cper therock-nightly-7-14-0a20260526-bitcode "
    "rccl-gfx90a-scratch-reclaim").split()
TOLD = {"crash": "The program crashes.", "hang": "The GPU hangs and is reset.", "gpu-reset": "ring gfx_0.0.0 timeout", "garbage": "It answers with garbage.",
        "cpu-fallback": "The model runs on the CPU.", "not-detected": "RuntimeError: No HIP GPUs are available", "oom": "torch.OutOfMemoryError: HIP out of memory.",
        "slow": "It is very slow.", "load-failure": "The model does not load.", "display": "The screen stays black.", "build": "The build fails with an error.",
        "install": "The installation fails with an error.", "leak": "The memory leaks.", "power": "The fan is loud and the GPU draws 90 W while idle.",
        "other": "It does not work as it should."}


def _package(root: pathlib.Path, name: str, version: str) -> None:
    folder = root / f"var/lib/pacman/local/{name}-{version}-1"
    folder.mkdir(parents=True)
    (folder / "desc").write_text(f"%NAME%\n{name}\n\n%VERSION%\n{version}-1\n")


def _written(root: pathlib.Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def _with_version(root: pathlib.Path, component: str, version: str) -> None:
    """Put the version where a machine has it."""
    if component == "kernel":
        _written(root, "proc/sys/kernel/osrelease", f"{version}{'.0' * (2 - version.count('.'))}-arch1-1\n")
    elif component in ("linux-firmware", "amdvlk", "rccl"):
        _package(root, "linux-firmware-amdgpu" if component == "linux-firmware" else component, version)
    elif component == "mesa":
        _package(root, "vulkan-radeon", version)
    elif component in ("rocm", "therock"):
        _written(root, "opt/rocm/.info/version", version + "\n")
    elif component == "amdgpu-dkms":
        releases = tables.load("dkms_releases")["releases"]
        module = next((module for module, release in releases.items() if release == version), version)
        _written(root, "sys/module/amdgpu/version", f"{module}\n")
    elif component == "distro-ubuntu":
        _written(root, "etc/os-release", f'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="{version}"\n')
    else:
        assert component == "adrenalin", component
        text = (root / "registry.reg").read_text()
        text = re.sub(r'("RadeonSoftwareVersion"=)"[^"]*"', rf'\1"{version}"', text)
        number = version if version.startswith("32.0.") else next((each for each, release in _numbers() if release == version), "32.0.1.1")
        (root / "registry.reg").write_text(re.sub(r'("DriverVersion"=)"[^"]*"', rf'\1"{number}"', text))
        (root / "cim.json").write_text(re.sub(r'("DriverVersion": )"[^"]*"', rf'\1"{number}"', (root / "cim.json").read_text()))


def _numbers() -> Iterator[tuple[str, str]]:
    for row in tables.load("windows_drivers")["releases"]:
        yield str(row["store"]), str(row["adrenalin"])


BESIDE: dict[str, dict[str, Fact]] = {
    "gfx1151-gttsize-deprecated": {"gpu.gtt_bytes[0]": Known(120 << 30, "x"), "memory.ttm_limit_bytes": Known(62 << 30, "x")}}
FROM_FILES = ("kernel", "linux-firmware", "amdvlk", "rccl", "mesa", "rocm", "therock", "amdgpu-dkms", "distro-ubuntu", "adrenalin")


def _base(row: Row) -> str:
    if row.component == "adrenalin":
        return "windows-strix-halo-26.3.1"
    return "wsl" if row.os and row.os[0] == "wsl" else "rx7900xtx"


def _found(row: Row, version: str, place: pathlib.Path, foreign: bool = False) -> set[str]:
    """The ids that ``check --root`` gives for the composed machine, with a log beside it that tells of what the row shows."""
    root = shutil.copytree(MACHINES / ("mi300x-node" if foreign else _base(row)), place, symlinks=True, ignore=shutil.ignore_patterns("machine.yaml", "pacman", "dpkg"))
    if version and row.component in FROM_FILES:
        _with_version(root, row.component, version)
    log = place.parent / f"{place.name}.txt"
    told = [*([] if foreign else [row.first_sentence + "."]), *(TOLD[symptom] for symptom in row.symptom)]
    log.write_text("\n\n".join([*told, *(_line(pattern) for pattern in row.signature[:1] if not foreign)]) + "\n")
    snapshot, book, _ = examine((str(log),), True, str(root), (), ())
    facts: dict[str, Fact] = composed(row, version)  # the GPU, the backend, and what is beside it
    if foreign:
        facts["gpu.gfx_target[0]"] = Known("gfx942", "x")
    if version and row.component in FROM_FILES:
        plain = {name for name in composed(row._replace(with_={}, backend=(), gfx=(), os=()), version) if name not in composed(row, "")}
        for name in plain:
            facts.pop(name)
    for item in {name for name in snapshot.facts if name.startswith("gpu.") and not name.startswith("gpu.gfx_target")} & facts.keys():
        facts.pop(item)
    snapshot.facts.update({**facts, **BESIDE.get(row.id, {})})
    return {finding.id for finding in diagnose(snapshot, book)}


def _line(pattern: str) -> str:
    """A line that the pattern matches, for patterns of plain words."""
    return re.sub(r"\\([.()\[\]/])", r"\1", re.sub(r"\.\*|\.\{\d+,\d+\}", " ", pattern))


@pytest.mark.parametrize("name", ROWS)
def test_a_composed_machine_is_named_and_silent_with_another_version(name: str, tmp_path: pathlib.Path) -> None:
    row = TABLE.by_id()[name]
    scheme = row.scheme or versions.scheme_of(row.component)
    bad = bad_version(row, scheme) if row.bad else ""
    assert {name, SHOWN.get(name, name)} & _found(row, bad, tmp_path / "bad")
    other = (other_version(row, scheme) or "32.0.31041.3013") if row.bad else ""
    if other:
        assert name not in _found(row, other, tmp_path / "other"), other
    elif row.gfx:
        assert name not in _found(row, bad, tmp_path / "other", foreign=True)


def test_these_are_the_rows_that_it_began_with() -> None:
    assert len(ROWS) == len(set(ROWS)) == 41 and set(ROWS) <= TABLE.by_id().keys()
    assert all(known.shows_as(TABLE.by_id()[name].symptom) or TABLE.by_id()[name].symptom for name in ROWS)
