"""The kept states: private, bounded, whole or not at all, readable over schema versions, and never an obstacle to the answer."""

import gzip
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from rocmdoctor.compare import states
from rocmdoctor.facts.model import Known, Snapshot, snapshot_from_json

ROOT = pathlib.Path(__file__).resolve().parents[2]


def taken(minute, value=1):
    return Snapshot(f"2026-11-28T12:{minute:02}:00+00:00", "live", {"kernel.release": Known(f"6.1.{value}", "x")})


def test_what_is_kept_is_private_and_comes_back(tmp_path):
    place = tmp_path / "states"
    state = states.keep(place, taken(1), "clean")
    assert states.load(state) == taken(1)
    assert state.path.stat().st_mode & 0o777 == 0o600 and place.stat().st_mode & 0o777 == 0o700
    assert states.listed(place) == ([state], [])


def test_the_marked_one_is_the_baseline_else_the_newest_without_errors(tmp_path):
    for minute, found, good in ((1, "clean", True), (2, "warnings", False), (3, "errors", False), (4, "no-gpu", False)):
        states.keep(tmp_path, taken(minute), found, good)
    held, _ = states.listed(tmp_path)
    assert [s.taken[14:16] for s in held] == ["04", "03", "02", "01"]
    assert [s.taken[14:16] for s in states.baseline(held)] == ["01", "02"]
    assert [s.taken[14:16] for s in states.before(held, "2026-11-28T12:03:30+00:00")] == ["03", "02", "01"]


def test_the_oldest_unmarked_go_first(tmp_path, monkeypatch):
    monkeypatch.setattr(states, "MOST_STATES", 3)
    for minute in range(6):
        states.keep(tmp_path, taken(minute), "clean", good=minute == 0)
    held, _ = states.listed(tmp_path)
    assert [(s.taken[14:16], s.good) for s in held] == [("05", False), ("04", False), ("00", True)]
    monkeypatch.setattr(states, "MOST_BYTES", 1)
    states.keep(tmp_path, taken(7), "clean")
    held, _ = states.listed(tmp_path)
    assert [s.taken[14:16] for s in held] == ["07", "00"]  # the newest is never dropped, nor a marked one


def test_what_a_killed_run_left_goes_after_a_day(tmp_path):
    for name, age in ((".writing-old", 90_000), (".writing-now", 10)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (0, (tmp_path / name).stat().st_mtime - age))
    states.keep(tmp_path, taken(1), "clean")
    assert not (tmp_path / ".writing-old").exists() and (tmp_path / ".writing-now").exists() and states.listed(tmp_path)[1] == []


def test_two_runs_at_once_lose_nothing(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        for kept in [pool.submit(states.keep, tmp_path, taken(1, n), "clean") for n in range(16)]:
            kept.result()
    held, foreign = states.listed(tmp_path)
    assert foreign == [] and {states.load(s).facts["kernel.release"].value for s in held} == {f"6.1.{n}" for n in range(16)}


@pytest.mark.parametrize("damage", [lambda raw: raw[:40], lambda raw: b"", lambda raw: b"hello", lambda raw: gzip.compress(b"{}"),
                                    lambda raw: gzip.compress(b'{"schema": "rocmdoctor.snapshot/99"}'), lambda raw: gzip.compress(b"[" * 100_000)])
def test_a_damaged_state_is_one_line(tmp_path, damage):
    state = states.keep(tmp_path, taken(1), "clean")
    state.path.write_bytes(damage(state.path.read_bytes()))
    with pytest.raises(states.Unreadable) as told:
        states.load(state)
    assert "\n" not in str(told.value) and state.path.name in str(told.value)


def test_every_schema_version_stays_readable():
    files = sorted((ROOT / "fixtures/snapshots").glob("schema-*.json"))
    assert files
    for file in files:
        assert snapshot_from_json(json.loads(file.read_text())).facts["kernel.release"].value


def test_machines_that_share_a_home_do_not_mix():
    assert states.folder(pathlib.Path("/x"), "11aa") != states.folder(pathlib.Path("/x"), "22bb")
    assert states.folder(pathlib.Path("/x"), "../..").parent == pathlib.Path("/x/states")


def run(*arguments, state):
    return subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "XDG_STATE_HOME": str(state)})


def test_a_check_keeps_its_state_unless_told_not_to(tmp_path):
    assert run("check", "--no-kernels", "--no-keep", state=tmp_path).stderr.count("\n") == 0
    assert not (tmp_path / "rocmdoctor").exists()
    run("check", "--root", ROOT / "fixtures/machines/rx7900xtx", state=tmp_path)
    assert not (tmp_path / "rocmdoctor").exists()  # a recorded machine is not this one
    told = run("check", "--no-kernels", "--mark-good", state=tmp_path)
    assert "kept and marked good" in told.stderr
    listed = run("compare", "--list", state=tmp_path)
    assert listed.stdout.count("\n") == 1 and listed.stdout.rstrip().endswith("good") and listed.returncode == 0
    place = next((tmp_path / "rocmdoctor/states").iterdir())
    (place / "stray.txt").write_text("x")
    next(place.glob("*.gz")).write_bytes(b"cut")
    told = run("compare", "good", state=tmp_path)
    assert told.returncode == 2 and "cannot be read" in told.stderr and "no state without errors" in told.stderr and "Traceback" not in told.stderr
    assert "1 files there are no states" in run("compare", "--list", state=tmp_path).stderr


def test_a_full_disk_costs_one_line_and_not_the_answer(tmp_path):
    told = run("check", "--no-kernels", "--root", "/", state=pathlib.Path("/proc/nowhere"))
    assert told.stdout and told.stderr.count("could not be kept") == 1 and "Traceback" not in told.stderr
    if os.geteuid():
        pytest.skip("a small file system needs root")
    small_disk = tmp_path / "disk"
    small_disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", small_disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("this container may not mount a file system")
    try:
        (small_disk / "filler").write_bytes(b"x" * 4096)
        told = run("check", "--no-kernels", state=small_disk)
        assert told.stdout and told.stderr.count("could not be kept (No space left on device)") == 1
        assert not list(small_disk.rglob(".writing-*"))
    finally:
        subprocess.run(["umount", small_disk], check=True)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "Infinity", "NaN"], ids=["400 digits", "infinity", "NaN"])
@pytest.mark.parametrize("was", ['"value": "6.1.1"', '"texts_read": 0'], ids=["of a fact", "of the whole"])
def test_numbers_that_no_fact_has_cost_no_more_than_they_touch(tmp_path, number, was):
    states.keep(tmp_path, taken(1), "clean")
    file = next(tmp_path.glob("*.json.gz"))
    text = gzip.decompress(file.read_bytes()).decode()
    assert was in text
    file.write_bytes(gzip.compress(text.replace(was, f"{was.partition(':')[0]}: {number}").encode()))
    if "value" in was:  # costs the fact
        assert states.load(states.listed(tmp_path)[0][0]).facts["kernel.release"].reason == "unreadable"
        return
    with pytest.raises(states.Unreadable, match="a number out of range"):
        states.load(states.listed(tmp_path)[0][0])


def test_a_pipe_with_a_states_name_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "20261127T000000Z.clean.00000001.json.gz")
    with pytest.raises(states.Unreadable, match="not a regular file"):
        states.load(states.listed(tmp_path)[0][0])


def test_no_state_is_written_through_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o755)
    (tmp_path / "states").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="a link"):
        states.keep(tmp_path / "states", taken(1), "clean")
    assert list((tmp_path / "elsewhere").iterdir()) == [] and (tmp_path / "elsewhere").stat().st_mode & 0o777 == 0o755
