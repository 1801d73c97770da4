"""The environment of a running server decides, not that of the shell that asks."""

import os
import pathlib
import shutil
import subprocess
import sys
import time

from rocmdoctor.live.runner import run_probe

PROBE = pathlib.Path(__file__).resolve().parents[2] / "probes/environment.py"


def test_a_running_servers_variables_are_read(tmp_path, monkeypatch):
    monkeypatch.delenv("HSA_OVERRIDE_GFX_VERSION", raising=False)
    server = shutil.copy(shutil.which("sleep"), tmp_path / "llama-server")
    child = subprocess.Popen([server, "30"], env={**os.environ, "HSA_OVERRIDE_GFX_VERSION": "11.0.2"})
    try:
        time.sleep(0.3)
        outcome = run_probe(PROBE, provides=("env.*",), deadline=10, interpreter=sys.executable)
    finally:
        child.kill()
        child.wait()
    fact = outcome.facts["env.HSA_OVERRIDE_GFX_VERSION"]
    assert fact.value == "11.0.2" and "llama-server" in fact.source
