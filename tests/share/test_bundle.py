"""One archive for a ticket: redacted, bounded, and it reads back to the same findings."""

import hashlib
import io
import json
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

from rocmdoctor.facts.model import Hit
from rocmdoctor.share import bundle
from rocmdoctor.texts.attach import Text

ROOT = pathlib.Path(__file__).resolve().parents[2]
MACHINES = sorted(p for p in (ROOT / "fixtures/machines").iterdir() if p.is_dir())


def run(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], capture_output=True, timeout=120, **options)


def findings(*arguments):
    report = json.loads(run(*arguments, "--json").stdout)
    return [(f["id"], f["standing"], f["rank"]) for f in report["findings"]]


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "ollama.log"
    path.write_text("\n".join(
        ["annika@gpubox7:~$ ollama serve", *(f"quiet line {n}" for n in range(2000)),
         'msg="amdgpu is not supported (supported types:[gfx1030 gfx1100])" gpu_type=gfx1103 gpu=0 HF_TOKEN=hf_abcdefghijklmnopqrstuvwx',
         *(f"quiet line {n}" for n in range(2000)), "the end at gpubox7 of annika"]))
    return path


@pytest.mark.parametrize("name", ["b.tar.gz", "b.zip"])
def test_a_bundle_reads_back_to_the_same_findings(tmp_path, log, name):
    made = run("bundle", "--no-kernels", "--root", MACHINES[0], "--log", log, "-o", tmp_path / name)
    assert made.returncode == 0, made.stderr
    expected = findings("check", "--no-kernels", "--root", MACHINES[0], "--log", log)
    assert expected and findings("explain", tmp_path / name) == expected
    if name.endswith("gz"):
        with tarfile.open(tmp_path / name) as packed:
            packed.extractall(tmp_path / "out")  # our own; filters are newer than the oldest Python
    else:
        with zipfile.ZipFile(tmp_path / name) as packed:
            packed.extractall(tmp_path / "out")
    assert findings("explain", tmp_path / "out") == expected
    listed = json.loads((tmp_path / "out/manifest.json").read_text())
    for entry in listed["files"]:
        raw = (tmp_path / "out" / entry["name"]).read_bytes()
        assert (len(raw), hashlib.sha256(raw).hexdigest()) == (entry["bytes"], entry["sha256"])
        assert b"annika" not in raw and b"gpubox7" not in raw and b"hf_abc" not in raw, entry["name"]
    assert {entry["kind"] for entry in listed["removed"]} >= {"user", "host", "key"}
    kept = next((tmp_path / "out/logs").glob("*ollama*")).read_text()
    assert "gpu_type=gfx1103" in kept and "lines left out" in kept and len(kept.splitlines()) < 500


def test_a_dry_run_lists_and_writes_nothing(tmp_path):
    done = run("bundle", "--no-kernels", "--dry-run", "--root", MACHINES[0], cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": ""})
    assert done.returncode == 0, done.stderr
    assert b"snapshot.json" in done.stdout and list(tmp_path.iterdir()) == []


def test_an_excerpt_keeps_the_surroundings_of_hits_and_says_what_it_left_out():
    text = Text("a.log", "\n".join(f"line {n}" for n in range(1, 10_001)))
    kept = bundle.excerpt(text, [Hit("r", "line", "a.log", 5000, "line 5000", {}), Hit("r", "line", "other", 7000, "", {})]).split("\n")
    assert "line 4990" in kept and "line 5010" in kept and "line 7000" not in kept and kept[0] == "line 1" and kept[-1] == "line 10000"
    left_out = sum(int(line.split()[1]) for line in kept if line.startswith("[..."))
    assert left_out + sum(not line.startswith("[...") for line in kept) == 10_000


def test_a_bundle_is_bounded():
    big = bundle.Part("a", "x" * bundle.MOST_BYTES, "")
    assert [p.name for p in bundle.fitting([big, bundle.Part("b", "y", "")])] == ["a"]
    huge = bundle.excerpt(Text("a", "\n".join("z" * 9000 for _ in range(1000))), [])
    assert len(huge) < bundle.MOST_OF_ONE_LOG + 200


def test_the_same_parts_make_the_same_bytes():
    parts = [bundle.Part("a", "x", "")]
    assert bundle.pack(parts, False) == bundle.pack(parts, False)
    assert tarfile.open(fileobj=io.BytesIO(bundle.pack(parts, False))).getnames() == ["a"]


def test_redact_cleans_files_and_old_bundles(tmp_path, log):
    done = run("redact", log)
    assert done.returncode == 0 and b"annika" not in done.stdout and b"gpu_type=gfx1103" in done.stdout and b"<user-1>" in done.stderr
    assert run("bundle", "--no-kernels", "--no-redact", "--root", MACHINES[0], "--log", log, "-o", tmp_path / "raw.zip").returncode == 0
    assert run("redact", tmp_path / "raw.zip").returncode == 2  # several files need a folder
    assert run("redact", tmp_path / "raw.zip", "-o", tmp_path / "clean").returncode == 0
    files = [f for f in (tmp_path / "clean").rglob("*") if f.is_file()]
    assert files and not any(b"gpubox7" in f.read_bytes() for f in files)
    assert findings("explain", tmp_path / "clean") == findings("explain", tmp_path / "raw.zip")


def test_redact_never_writes_outside_its_folder(tmp_path):
    with tarfile.open(tmp_path / "evil.tar", "w") as packed:
        for name in ("../../evil.txt", "/abs.txt"):
            info = tarfile.TarInfo(name)
            info.size = 5
            packed.addfile(info, io.BytesIO(b"hello"))
    assert run("redact", tmp_path / "evil.tar", "-o", tmp_path / "in/side").returncode == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["evil.tar", "in"] and len(list((tmp_path / "in/side").rglob("*.txt"))) == 2
