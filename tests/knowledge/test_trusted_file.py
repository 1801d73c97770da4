"""Caches, rules and policies in which others have a hand, or that are no files: not used, said, and the answer is the usual one."""

import json
import marshal
import os
import pathlib
import subprocess
import sys

import pytest

from rocmdoctor.knowledge import cache as kept
from rocmdoctor.knowledge import trusted_file

TOP = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534
LINE = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2\n"
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files to another user: needs root")


@pytest.fixture
def log(tmp_path):
    os.chmod(tmp_path, 0o755)
    file = tmp_path / "a.log"
    file.write_text(LINE)
    return file


def typed(*arguments, **variables):
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(TOP), **{name: str(value) for name, value in variables.items()}})
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache as the program fills it, and the usual answer."""
    top = tmp_path_factory.mktemp("filled")
    (top / "a.log").write_text(LINE)
    done = typed("explain", top / "a.log", XDG_CACHE_HOME=top / "cache")
    return top / "cache", done


def copied(filled, to):
    for file in sorted((filled[0] / "rocmdoctor").iterdir()):
        copy = to / "rocmdoctor" / file.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
        yield copy


def holding(file, value):
    """The file with another value behind its sum and what it was made of, as a sound file of its kind would hold it."""
    raw = file.read_bytes()
    head = raw[:kept._SUM_BYTES + int(raw[:16], 16)]
    assert sys.version.encode() in head and len(raw) > len(head)
    file.write_bytes(head + (marshal.dumps(value) if file.suffix == ".bin" else json.dumps(value).encode()))


def emptied(file):
    holding(file, {})


def another_type(file):
    holding(file, 7)


def instead(make):
    def spoil(file):
        file.unlink()
        make(file)
    return spoil


SPOILT = {
    "emptied": emptied, "of another type": another_type, "cut off": lambda file: os.truncate(file, file.stat().st_size // 2),
    "no data": lambda file: file.write_bytes(b"\xff" * 100), "deep": lambda file: file.write_text("[" * 100_000),
    "a pipe": instead(os.mkfifo), "endless": instead(lambda file: file.symlink_to("/dev/zero")), "a folder": instead(pathlib.Path.mkdir),
    "a link in circles": instead(lambda file: file.symlink_to(file)),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_cache_changes_no_answer(filled, log, how):
    for file in copied(filled, log.parent / "cache"):
        SPOILT[how](file)
    done = typed("explain", log, XDG_CACHE_HOME=log.parent / "cache")
    assert (done.returncode, done.stdout) == (filled[1].returncode, filled[1].stdout) and done.returncode == 1


def owned(path):
    for top, folders, names in os.walk(path):
        for each in (top, *(os.path.join(top, name) for name in (*folders, *names))):
            os.lchown(each, NOBODY, NOBODY)


FOREIGN = {
    "all of it": owned, "its files": lambda cache: [os.chown(file, NOBODY, NOBODY) for file in (cache / "rocmdoctor").iterdir()],
    "its folder": lambda cache: os.chown(cache / "rocmdoctor", NOBODY, NOBODY),
    "written by all": lambda cache: os.chmod(cache / "rocmdoctor", 0o777),
}


@as_root
@pytest.mark.parametrize("how", FOREIGN)
def test_a_cache_of_another_user_is_not_believed_and_said(filled, log, how):
    cache = log.parent / "cache"
    for file in copied(filled, cache):
        emptied(file)
    FOREIGN[how](cache)
    before = {file: file.read_bytes() for file in (cache / "rocmdoctor").iterdir()}
    done = typed("explain", log, XDG_CACHE_HOME=cache)
    assert (done.returncode, done.stdout) == (filled[1].returncode, filled[1].stdout)
    assert done.stderr.count("is not used: ") == 1 and str(cache) in done.stderr
    if how == "all of it":  # nor is anything of root's left in it
        assert {file: file.read_bytes() for file in (cache / "rocmdoctor").iterdir()} == before


def rule(folder):
    folder.mkdir()
    (folder / "own-rule.yaml").write_text("id: own-rule\nkind: cause\ntitle: Own\nseverity: error\nstage: driver\n"
                                          "signals: {seen: {in: [any], patterns: ['ring gfx']}}\nsources: [{url: 'http://x'}]\n"
                                          "explains: []\n")
    return folder


@as_root
@pytest.mark.parametrize("whose", ["the caller's", "another's", "written by all", "of whoever called sudo"])
def test_rules_of_another_user(log, whose):
    folder = rule(log.parent / "rules")
    if whose in ("another's", "of whoever called sudo"):
        owned(folder)
    if whose == "written by all":
        folder.chmod(0o777)
    done = typed("explain", log, "--rules", folder, "--json", **({"SUDO_UID": NOBODY} if "sudo" in whose else {}))
    used = "own-rule" in [finding["id"] for finding in json.loads(done.stdout)["findings"]]
    assert used == (whose in ("the caller's", "of whoever called sudo")) and done.returncode == 1
    assert ("rule left out" in done.stderr) != used


@pytest.mark.parametrize("kind", ["pipe", "endless", "huge"])
def test_a_rule_that_is_no_file_costs_only_itself(log, kind):
    folder = rule(log.parent / "rules")
    bad = folder / "bad.yaml"
    if kind == "pipe":
        os.mkfifo(bad)
    elif kind == "endless":
        bad.symlink_to("/dev/zero")
    else:
        bad.write_bytes(b"#" * (2 << 20))
    done = typed("explain", log, "--rules", folder, "--json")
    assert "own-rule" in [finding["id"] for finding in json.loads(done.stdout)["findings"]] and done.stderr.count("rule left out") == 1


@as_root
@pytest.mark.parametrize("whose", ["the caller's", "another's", "of whoever called sudo"])
def test_a_policy_of_another_user(log, whose):
    policy = log.parent / "policy.yaml"
    policy.write_text("name: own\nexpect:\n  gpus: {count: 1}\n")
    if whose != "the caller's":
        os.chown(policy, NOBODY, NOBODY)
    done = typed("preflight", "--policy", policy, "--level", 1, **({"SUDO_UID": NOBODY} if "sudo" in whose else {}))
    if whose == "another's":
        assert done.returncode == 2 and "belongs to another user" in done.stdout + done.stderr
    else:
        assert done.returncode != 2 and "belongs to another user" not in done.stdout + done.stderr


def test_a_link_of_ones_own_is_followed(tmp_path):
    (tmp_path / "..data").mkdir()
    (tmp_path / "..data/policy.yaml").write_text("x")
    (tmp_path / "policy.yaml").symlink_to("..data/policy.yaml")  # as a mounted ConfigMap has it
    assert trusted_file.read(str(tmp_path / "policy.yaml"), 10, named=True) == b"x"


def test_a_file_above_the_cap_is_not_read_in_part(tmp_path):
    (tmp_path / "a").write_bytes(b"x" * 11)
    with pytest.raises(trusted_file.TooBig):
        trusted_file.read(str(tmp_path / "a"), 10)


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    trusted_file.folder(str(tmp_path / "a/b"))
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o700
    trusted_file.replace(str(tmp_path / "a/b/c"), b"one")
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(OSError, match="No space"):
        trusted_file.replace(str(tmp_path / "a/b/c"), b"two")
    assert (tmp_path / "a/b/c").read_bytes() == b"one" and os.listdir(tmp_path / "a/b") == ["c"]
