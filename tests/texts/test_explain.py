"""What people attach, good and bad, through the real command: one clear line, the right status, never a traceback."""

import gzip
import importlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from collections import Counter

import pytest

from rocmdoctor.facts.model import Hit
from rocmdoctor.texts import interpret
from rocmdoctor.texts.attach import Text

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
    machine = pathlib.Path(__file__).resolve().parents[2] / "fixtures/machines/no-amd-gpu"
    done = run("check", "--json", "--no-kernels", "--root", machine)
    assert ids(done) == ["no-amd-gpu"] and done.returncode == 0


def test_an_interrupt_is_130_and_one_line():
    child = subprocess.Popen([sys.executable, "-m", "rocmdoctor", "explain", "-"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                             # Tests that a shell runs in the background inherit that SIGINT is ignored.
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    assert child.wait(20) == 130
    said = child.stderr.read().strip()
    assert said.startswith(b"rocmdoctor: ") and b"\n" not in said


@pytest.mark.parametrize(("arguments", "status"), [(["--help"], 0), (["explain"], 2), (["nonsense"], 2), (["--version"], 0)])
def test_usage(arguments, status):
    assert run(*arguments).returncode == status


def test_nothing_of_a_big_stream_is_lost(tmp_path):
    big = tmp_path / "big.log"
    big.write_bytes(b"filler line of text to be read\n" * 400_000 + LINE.encode())
    expected = ids(run("explain", "--json", big))
    assert expected
    assert ids(run("explain", "--json", "-", stdin=big.read_bytes())) == expected
    zipped = tmp_path / "big.zip"
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as file:
        file.write(big, "logs/big.log")
    assert ids(run("explain", "--json", zipped)) == expected
    packed = tmp_path / "big.log.gz"
    packed.write_bytes(gzip.compress(big.read_bytes(), 1))
    # A machine has versions of its own, some of them known for such symptoms: hints that the log alone does not give.
    assert [name for name in ids(run("check", "--json", "--no-kernels", "--log", packed)) if name in expected] == expected


@pytest.mark.parametrize("module", ["gzip", "bz2", "lzma"])
def test_single_compressed_files_whole_and_damaged(tmp_path, module):
    packed = importlib.import_module(module).compress(LINE.encode() * 50 + os.urandom(50_000).hex().encode())
    whole, damaged = tmp_path / "whole", tmp_path / "damaged"
    whole.write_bytes(packed)
    damaged.write_bytes(packed[:len(packed) // 2] + bytes(80) + packed[len(packed) // 2 + 80:])
    assert ids(run("explain", "--json", whole))
    done = run("explain", "--json", damaged)
    ids(done)
    assert done.returncode in (1, 3) and b"damaged" in done.stderr


def test_a_damaged_member_of_a_zip_is_said(tmp_path):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a.log", LINE * 3000 + os.urandom(9000).hex())
    raw = bytearray(path.read_bytes())
    raw[100:160] = bytes(range(60))
    path.write_bytes(raw)
    done = run("explain", "--json", path)
    ids(done)
    assert done.returncode in (1, 3) and b"damaged" in done.stderr


@pytest.mark.parametrize("text", [
    '{"schema": "rocmdoctor.snapshot/1", "facts": ' + "[" * 200_000,
    '{"schema": "rocmdoctor.snapshot/1", "taken": 1, "origin": 7, "facts": {}, "hits": [], "runs": [], "notes": [], "texts_read": 0}',
    '{"schema": "rocmdoctor.snapshot/1", "taken": 1, "origin": "live", "facts": {}, "hits": [{"rule": 1, "group": 2, "source": 3,'
    ' "line": "x", "text": 4, "captures": {}}], "runs": [], "notes": [], "texts_read": 0}',
], ids=["nested", "odd-origin", "odd-hit"])
def test_a_foreign_snapshot_is_one_line(tmp_path, text):
    (tmp_path / "s.json").write_text(text)
    done = run("explain", "--json", tmp_path / "s.json")
    assert ids(done) == [] and done.returncode == 3 and b"saved report" in done.stderr


def test_aliases_of_aliases_cost_only_their_rule(tmp_path):
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    (tmp_path / "bomb.yaml").write_text("\n".join(rows))
    done = run("rules", "lint", tmp_path)
    assert done.returncode == 1 and b"aliases" in done.stdout


def test_an_endless_name_is_a_missing_file():
    done = run("explain", "a" * 5000)
    assert done.returncode == 2 and b"no such file" in done.stderr


def test_a_pattern_that_does_not_compile_is_one_line(tmp_path):
    (tmp_path / "bad.yaml").write_text("id: bad\nkind: cause\ntitle: T\nsignals: {a: {in: [any], patterns: ['(unclosed']}}\nwhen: saw(a)\n")
    done = run("rules", "lint", tmp_path)
    assert done.returncode == 1 and done.stdout.count(b"\n") == 1 and b"(unclosed" in done.stdout
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(("signals", "kept"), [(20, 10), (100, 8), (700, 2)])
def test_of_a_text_in_which_much_matches_fewer_that_say_the_same_are_kept(signals, kept):
    hits = [Hit("rule", f"signal{n % signals}", "log", n, "words", {}) for n in range(30 * signals)]
    counts = Counter(hit.group for hit in interpret._Kept().of(hits, Text("log", "\n" * len(hits))))
    assert set(counts.values()) == {kept} and len(counts) == signals
