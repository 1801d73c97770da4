"""The probes that look at installed software, run as programs on small made-up trees."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PROBES = Path(__file__).parents[2] / "probes"
Rows = dict[tuple[str, str], dict[str, Any]]


def run(name: str, folder: Path, root: Path | None, env: dict[str, str] | None = None) -> Rows:
    out = folder / f"{name}.jsonl"
    command = [sys.executable, "-B", str(PROBES / f"{name}.py"), "--out", str(out)]
    if root:
        command += ["--root", str(root)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **(env or {})})
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert lines[-1] == {"end": True}
    return {(row["fact"], row["item"]): row for row in lines[:-1]}


def put(root: Path, path: str, text: str = "") -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_rocm_in_opt_is_found_once_with_its_targets(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    put(root, "opt/rocm-7.2.0/.info/version", "7.2.0-43\n")
    put(root, "opt/rocm-7.2.0/share/hip/version", "HIP_VERSION_MAJOR=7\nHIP_VERSION_MINOR=2\nHIP_VERSION_PATCH=26015\n")
    for name in ("TensileLibrary_lazy_gfx1100.dat", "Kernels.so-000-gfx90a-xnack+.hsaco", "TensileLibrary_lazy_gfx942.dat"):
        put(root, f"opt/rocm-7.2.0/lib/rocblas/library/{name}")
    (root / "opt/rocm").symlink_to("/opt/rocm-7.2.0")
    rows = run("rocm", tmp_path, root)
    assert [item for fact, item in rows if fact == "rocm.path"] == ["/opt/rocm"]
    assert rows["rocm.version", "/opt/rocm"]["value"] == "7.2.0"
    assert rows["rocm.hip_version", "/opt/rocm"]["value"] == "7.2.26015"
    assert rows["rocm.tensile_targets", "/opt/rocm"]["value"] == ["gfx90a", "gfx942", "gfx1100"]
    assert rows["runtime.rocm_version", ""]["value"] == "7.2.0"


def test_rocm_of_wheels_and_of_ollama(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    site = "home/user/venv/lib/python3.12/site-packages"
    put(root, f"{site}/_rocm_sdk_core/bin/rocminfo")
    put(root, f"{site}/rocm_sdk_core-7.10.0a20251120.dist-info/METADATA")
    put(root, f"{site}/_rocm_sdk_libraries_gfx1151/lib/rocblas/library/TensileLibrary_lazy_gfx1151.dat")
    put(root, "usr/local/lib/ollama/rocm/libamdhip64.so.6.3.60303")
    put(root, "usr/local/lib/ollama/rocm/rocblas/library/TensileLibrary_lazy_gfx1030.dat")
    rows = run("rocm", tmp_path, root)
    sdk = f"/{site}/_rocm_sdk_core"
    assert rows["rocm.kind", sdk]["value"] == "therock"
    assert rows["rocm.version", sdk]["value"] == "7.10.0a20251120"
    assert rows["rocm.tensile_targets", sdk]["value"] == ["gfx1151"]
    assert rows["rocm.kind", "/usr/local/lib/ollama/rocm"]["value"] == "ollama"
    assert rows["rocm.version", "/usr/local/lib/ollama/rocm"]["value"] == "6.3.3"
    assert rows["runtime.rocm_targets", ""]["value"] == ["gfx1151"]


def test_manifest_without_its_library_is_broken(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    icds = "usr/share/vulkan/icd.d"
    put(root, f"{icds}/radeon_icd.x86_64.json", '{"ICD": {"library_path": "libvulkan_radeon.so"}}')
    put(root, "usr/lib/x86_64-linux-gnu/libvulkan_radeon.so")
    put(root, "usr/lib/x86_64-linux-gnu/libvulkan.so.1")
    put(root, f"{icds}/amd_icd64.json", '{"ICD": {"library_path": "/usr/lib/amdvlk64.so"}}')
    put(root, f"{icds}/torn.json", '{"ICD": ')
    put(root, "var/lib/dpkg/status", "Package: mesa-vulkan-drivers\nStatus: install ok installed\nVersion: 25.2.3-1ubuntu1\n")
    rows = run("vulkan_files", tmp_path, root)
    assert rows["vulkan.loader", ""]["value"] is True
    assert len(rows["vulkan.icds", ""]["value"]) == 3
    assert rows["vulkan.broken_icds", ""]["value"] == [f"/{icds}/amd_icd64.json", f"/{icds}/torn.json"]
    assert rows["vulkan.mesa_version", ""]["value"] == "25.2.3"
    assert rows["vulkan.amdvlk_version", ""]["absent"] is True


def test_opencl_platforms_by_their_icd_files(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    put(root, "etc/OpenCL/vendors/amdocl64_70200.icd", "libamdocl64.so\n")
    put(root, "etc/OpenCL/vendors/rusticl.icd", "libRusticlOpenCL.so.1\n")
    rows = run("opencl", tmp_path, root)
    assert rows["opencl.platforms", ""]["value"] == ["AMD Accelerated Parallel Processing", "rusticl"]


def test_applications_and_versions_from_files(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    put(root, "usr/local/bin/ollama")
    put(root, "home/user/llama-b9190/llama-server")
    put(root, "home/user/ComfyUI/main.py")
    put(root, "home/user/ComfyUI/comfyui_version.py", '__version__ = "0.3.62"\n')
    put(root, "home/user/.venv/lib/python3.12/site-packages/vllm-0.11.0+rocm.dist-info/METADATA")
    put(root, "home/user/Downloads/LM-Studio-0.3.30-2-x64.AppImage")
    rows = run("apps", tmp_path, root)
    versions = {item: row.get("value") for (fact, item), row in rows.items() if fact == "app.version"}
    assert versions == {"ollama": None, "llama.cpp": "b9190", "comfyui": "0.3.62", "vllm": "0.11.0+rocm",
                        "lmstudio": "0.3.30-2"}
    assert rows["llama.build", ""]["value"] == 9190


def test_torch_that_cannot_be_imported_still_tells_its_version(tmp_path: Path) -> None:
    put(tmp_path, "site/torch/version.py", "__version__ = '2.9.0+rocm7.1'\nhip: Optional[str] = '7.1.25424'\ncuda = None\n")
    put(tmp_path, "site/torch/__init__.py", "raise OSError('libroctx64.so.4: cannot open shared object file')\n")
    put(tmp_path, "site/torch/lib/rocblas/library/TensileLibrary_lazy_gfx1201.dat")
    rows = run("py_torch", tmp_path, None, {"PYTHONPATH": str(tmp_path / "site")})
    library = str(tmp_path / "site/torch/lib")
    assert rows["rocm.kind", library]["value"] == "torch"
    assert rows["rocm.version", library]["value"] == "7.1"
    assert rows["rocm.tensile_targets", library]["value"] == ["gfx1201"]
    assert rows["torch.version", sys.executable]["value"] == "2.9.0+rocm7.1"
    assert rows["torch.hip", sys.executable]["value"] == "7.1.25424"
    assert rows["torch.cuda", sys.executable]["absent"] is True
    assert rows["torch.error", sys.executable]["value"].startswith("OSError: libroctx64")


def test_vulkan_binding_without_a_loader_is_no_tool(tmp_path: Path) -> None:
    put(tmp_path, "site/vulkan/__init__.py", "raise OSError('Cannot find Vulkan SDK version')\n")
    rows = run("vulkan_caps", tmp_path, None, {"PYTHONPATH": str(tmp_path / "site")})
    assert rows["vulkan.instance_version", ""]["unknown"] == "no_tool"
    assert "Cannot find" in rows["vulkan.instance_version", ""]["detail"]
