"""What people attach, good and bad, through the real command: one clear line, the right status, never a traceback."""

import gzip
import io
import json
import pathlib
import signal
import subprocess
import sys
import tarfile
import time
import zipfile

import pytest

LINE = "llama_model_load: error loading model: hipErrorNoBinaryForGpu: no kernel image is available for execution on the device\n"


def run(*arguments, stdin=b""):
    return subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], input=stdin, capture_output=True, timeout=120)


def ids(done):
    assert b"Traceback" not in done.stderr
    return [finding["id"] for finding in json.loads(done.stdout)["findings"]]


def test_a_missing_path_is_one_line_and_status_2(tmp_path):
    done = run("explain", tmp_path / "nothing.log")
    assert done.returncode == 2 and done.stderr.count(b"\n") == 1 and b"no such file" in done.stderr


@pytest.mark.parametrize("content", [b"", b"\0\1\2\3" * 5000, b"\xff\xfe" + "no kernel".encode("utf-16-le")[:7], b"{\"schema\": \"rocmdoctor.snapshot/1\""])
def test_odd_files_are_no_findings_and_no_traceback(tmp_path, content):
    (tmp_path / "a.log").write_bytes(content)
    done = run("explain", "--json", tmp_path / "a.log")
    assert ids(done) == [] and done.returncode == 3


def archives(tmp_path):
    tar = tmp_path / "a.tar.gz"
    with tarfile.open(tar, "w:gz") as file:
        info = tarfile.TarInfo("../../evil.log")
        info.size = len(LINE)
        file.addfile(info, io.BytesIO(LINE.encode()))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        file.addfile(link)
    zipped = tmp_path / "a.zip"
    with zipfile.ZipFile(zipped, "w") as file:
        file.writestr("logs/a.log", LINE)
    gz = tmp_path / "a.log.gz"
    gz.write_bytes(gzip.compress(LINE.encode()))
    utf16 = tmp_path / "powershell.log"
    utf16.write_bytes(b"\xff\xfe" + LINE.replace("\n", "\r\n").encode("utf-16-le"))
    coloured = tmp_path / "colour.log"
    coloured.write_text("\x1b[31m> " + LINE.replace("no kernel", "no \x1b[0mkernel"))
    return [tar, zipped, gz, utf16, coloured]


def test_the_same_line_is_found_in_every_wrapping(tmp_path):
    plain = tmp_path / "plain.log"
    plain.write_text(LINE)
    expected = ids(run("explain", "--json", plain))
    assert expected
    for path in archives(tmp_path):
        assert ids(run("explain", "--json", path)) == expected, path
    assert ids(run("explain", "--json", "-", stdin=LINE.encode())) == expected
    assert not (tmp_path.parent / "evil.log").exists()


def test_a_saved_snapshot_gives_the_same_findings(tmp_path):
    (tmp_path / "a.log").write_text(LINE)
    saved = tmp_path / "saved.json"
    first = run("explain", "--json", "--save", saved, tmp_path / "a.log")
    assert ids(run("explain", "--json", saved)) == ids(first)


def test_a_broken_rule_costs_only_itself(tmp_path):
    pack = tmp_path / "rules"
    pack.mkdir()
    (pack / "broken.yaml").write_text("id: broken\nkind: cause\n  title: [\n")
    (tmp_path / "a.log").write_text(LINE)
    done = run("explain", "--json", "--rules", pack, tmp_path / "a.log")
    assert ids(done) and b"broken.yaml" in done.stderr
    assert run("rules", "lint", pack).returncode == 1


def test_a_closed_pipe_is_silent(tmp_path):
    (tmp_path / "a.log").write_text(LINE)
    done = subprocess.run(f"{sys.executable} -m rocmdoctor explain --json {tmp_path}/a.log | head -c 1", shell=True, capture_output=True)
    assert b"Traceback" not in done.stderr


def test_no_amd_gpu_is_one_friendly_finding():
    machine = pathlib.Path(__file__).resolve().parents[1] / "fixtures/machines/no-amd-gpu"
    done = run("check", "--json", "--no-kernels", "--root", machine)
    assert ids(done) == ["no-amd-gpu"] and done.returncode == 0


def test_an_interrupt_is_130_and_says_nothing():
    child = subprocess.Popen([sys.executable, "-m", "rocmdoctor", "explain", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    assert child.wait(20) == 130
    assert child.stderr.read().strip() == b""


@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), ([], 2), (["explain"], 2), (["nonsense"], 2), (["--version"], 0)])
def test_usage(arguments, status):
    assert run(*arguments).returncode == status
