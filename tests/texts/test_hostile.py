"""Attachments that were made to harm, through the real command: nothing outside is read or written, every bound is said."""

import bz2
import gzip
import io
import json
import os
import resource
import subprocess
import sys
import tarfile
import zipfile

import pytest

from rocmdoctor.texts import attach, budget, door, files, unpack

LINE = "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2\n"


def run(*arguments, stdin=b"", **how):
    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))

    done = subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], input=stdin, capture_output=True, timeout=300, preexec_fn=limits, **how)
    assert b"Traceback" not in done.stderr and done.returncode in (0, 1, 2, 3), done.stderr[-500:]
    return done


def found(done):
    return {finding["id"] for finding in json.loads(done.stdout)["findings"]}


def tar(path, members, mode="w"):
    with tarfile.open(path, mode) as tarred:
        for name, data, link in members:
            info = tarfile.TarInfo(name)
            if link:
                info.type, info.linkname = tarfile.SYMTYPE, link
            info.size = len(data)
            tarred.addfile(info, io.BytesIO(data))
    return path


def test_links_of_two_archives_write_and_read_nothing_outside(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.log").write_text(LINE.replace("ring", "OUTSIDE ring"))
    hops = "class/l/" * 30
    up = "../" * 60 + str(outside).lstrip("/")
    links = [("sys/class/drm/card0/device/vendor", b"0x1002\n", ""), ("sys/class/l", b"", ".."), (f"sys/{hops}class/esc", b"", up)]
    first = tar(tmp_path / "1.tar", [*links, ("sys/class/esc/new.log", b"written", "")])
    second = tar(tmp_path / "2.tar", [("sys/class/esc/new.log", b"written", "")])
    done = run("explain", "--json", first, second)
    assert os.listdir(outside) == ["secret.log"] and b"OUTSIDE" not in done.stdout


def test_links_that_stay_inside_still_lead_to_the_device(tmp_path):
    device = "sys/devices/pci0000:00/0000:03:00.0"
    members = [(f"{device}/vendor", b"0x1002\n", ""), (f"{device}/device", b"0x744c\n", ""), (f"{device}/class", b"0x030000\n", ""),
               (f"{device}/drm/card0/x", b"1\n", ""), ("sys/class/drm/card0", b"", "../../devices/pci0000:00/0000:03:00.0/drm/card0"),
               (f"{device}/drm/card0/device", b"", "../../../0000:03:00.0"),
               ("sys/bus/pci/devices/0000:03:00.0", b"", "../../../devices/pci0000:00/0000:03:00.0")]
    report = json.loads(run("explain", "--json", tar(tmp_path / "a.tar.gz", members, "w:gz")).stdout)
    assert "1002:744c" in json.dumps(report["facts"])


def test_a_folder_keeps_to_itself(tmp_path):
    folder = tmp_path / "f"
    folder.mkdir()
    (tmp_path / "secret.log").write_text(LINE.replace("ring", "OUTSIDE ring"))
    (folder / "a.log").symlink_to(tmp_path / "secret.log")
    (folder / "b.log").write_text(LINE)
    (folder / "kmsg").symlink_to("/proc/kmsg")
    os.mkfifo(folder / "pipe")
    done = run("explain", "--json", folder)
    assert b"OUTSIDE" not in done.stdout and "graphics-job-hangs" in found(done)
    assert b"links that lead out of the folder, left out: a.log, kmsg" in done.stderr and b"pipe: not a regular file" in done.stderr


def test_a_machine_in_a_folder_is_replayed_without_its_ways_out(tmp_path):
    (tmp_path / "secret").write_text("OUTSIDEWORD\n")
    machine = tmp_path / "m"
    for name in ("sys/class/drm", "proc", "etc"):
        (machine / name).mkdir(parents=True)
    (machine / "proc/cmdline").symlink_to(tmp_path / "secret")
    assert b"OUTSIDEWORD" not in run("explain", "--json", "--no-redact", machine).stdout


def test_a_deep_folder_and_a_hundred_thousand_files_are_bounded(tmp_path, monkeypatch):
    place = tmp_path / "top"
    place.mkdir()
    (place / "a.log").write_text(LINE)
    here = place
    for _ in range(80):
        here = here / "d"
        here.mkdir()
    done = run("explain", "--json", place)
    assert "graphics-job-hangs" in found(done) and b"deeper than 64 folders" in done.stderr
    monkeypatch.setattr(files, "MOST_ENTRIES", 20)
    said = []
    for number in range(50):
        (place / f"{number}.txt").write_text("x")
    assert len(list(files.entries(place, said.append))) < 50 and "more than 20 entries" in said[0]


def header(name, size, kind):
    info = tarfile.TarInfo(name)
    info.size, info.type = size, kind
    return info.tobuf(tarfile.GNU_FORMAT)


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.REGTYPE])
def test_a_bomb_is_one_line_and_what_came_before_counts(tmp_path, kind):
    zeros = bz2.compress(bytes(64 << 20))
    log = LINE.encode()
    before = header("a.log", len(log), tarfile.REGTYPE) + log.ljust(512, b"\0")
    (tmp_path / "a.tar.bz2").write_bytes(bz2.compress(before + header("x", 1 << 30, kind)) + zeros * 16)
    before_usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run("explain", "--json", tmp_path / "a.tar.bz2")
    assert "graphics-job-hangs" in found(done) and b"a.tar.bz2: unpacks to more than 64 MiB, the rest is left out" in done.stderr
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before_usage.ru_utime < 30


@pytest.mark.parametrize("wrapped", ["gz", "piped gz", "zip", "tar.gz", "gz in zip", "binary first"])
def test_what_a_bound_cuts_is_said_also_of_the_last_member(tmp_path, wrapped):
    text = LINE.encode() + b"filler line of text to be read\n" * (3 << 20)  # 93 MiB that compress to a thousandth
    path, inner = tmp_path / "big", gzip.compress(text)
    if wrapped in ("gz", "piped gz"):
        path.write_bytes(inner)
    elif wrapped == "tar.gz":
        tar(path, [("a.log", text, "")], "w:gz")
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
            if wrapped == "binary first":
                zipped.writestr("core", bytes(1 << 20))
            zipped.writestr("a.log.gz" if wrapped == "gz in zip" else "a.log", inner if wrapped == "gz in zip" else text)
    done = run("explain", "--json", "-", stdin=path.read_bytes()) if wrapped == "piped gz" else run("explain", "--json", path)
    assert "graphics-job-hangs" in found(done)
    assert sum(b"unpacks to more than" in line for line in done.stderr.splitlines()) == 1, done.stderr
    assert "unpacks to more than" in " ".join(json.loads(done.stdout)["notes"])


def test_a_zip_of_very_many_members_is_not_opened(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as zipped:
        for number in range(70_000):
            zipped.writestr(zipfile.ZipInfo(str(number)), b"")
    assert b"its directory is bigger" in run("explain", tmp_path / "a.zip").stderr


def test_archives_in_archives_are_read_to_a_depth(tmp_path):
    raw = LINE.encode()
    (tmp_path / "twice.log.gz").write_bytes(gzip.compress(gzip.compress(raw)))
    assert "graphics-job-hangs" in found(run("explain", "--json", tmp_path / "twice.log.gz"))
    for _ in range(5):
        raw = gzip.compress(raw)
    (tmp_path / "deep.gz").write_bytes(raw)
    assert b"an archive inside 3 others" in run("explain", tmp_path / "deep.gz").stderr
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as zipped:
        zipped.writestr("inner.zip", _zip_of(LINE))
    assert "graphics-job-hangs" in found(run("explain", "--json", tmp_path / "z.zip"))
    assert "graphics-job-hangs" in found(run("explain", "--json", "-", stdin=(tmp_path / "z.zip").read_bytes()))


def _zip_of(text):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as zipped:
        zipped.writestr("a.log", text)
    return out.getvalue()


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
@pytest.mark.parametrize("part", [0.004, 0.05, 0.5, 0.9])
def test_a_cut_archive_is_one_clear_line(tmp_path, mode, part):
    whole = tar(tmp_path / "whole", [("a.log", os.urandom(50_000).hex().encode() + b"\n" + LINE.encode() * 20, "")], mode).read_bytes()
    (tmp_path / "cut.tar").write_bytes(whole[:int(len(whole) * part)])
    done = run("explain", tmp_path / "cut.tar")
    assert sum(b"cut.tar" in line for line in done.stderr.splitlines()) == 1, done.stderr


def test_the_header_readers_agree_with_the_standard_library(tmp_path):
    members = [("a" * 300 + "/b.log", b"x" * 700, ""), ("ü.log", b"y", ""), ("l", b"", "a" * 200), ("empty", b"", "")]
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        with tarfile.open(tmp_path / "t", "w", format=form) as tarred:
            for name, data, link in members:
                info = tarfile.TarInfo(name)
                info.size = len(data)
                if link:
                    info.type, info.linkname = tarfile.SYMTYPE, link
                tarred.addfile(info, io.BytesIO(data))
        with open(tmp_path / "t", "rb") as file:
            read = [(member.name, member.source.read(1000), member.link) for member in unpack.tar_members(unpack.Raw(file, budget.Budget()), budget.Budget())]
        assert read == members


def test_one_clock_for_everything(tmp_path):
    now = [0.0]
    spent = budget.Budget(clock=lambda: now[0])
    spent.file()
    now[0] = budget.MOST_SECONDS + 1
    for step in (spent.file, spent.member, lambda: spent.unpack(1)):
        with pytest.raises(budget.Spent, match="time"):
            step()


@pytest.mark.parametrize(("raw", "why"), [(b"[" * 100_000, "nested"), (b"[" + b"[]," * 600_000 + b"1]", "values"), (b'"' + b"x" * (17 << 20) + b'"', "bigger"),
                                          (b'{"a": \xff}', "UTF-8"), (b"1" * 5000, "digit"), (b"{", "Expecting")])
def test_json_that_is_no_report(raw, why):
    with pytest.raises(ValueError, match=why):
        door.json_value(raw)


def saved(tmp_path):
    (tmp_path / "a.log").write_text(LINE)
    run("explain", "--save", tmp_path / "s.json", tmp_path / "a.log")
    return json.loads((tmp_path / "s.json").read_text())


@pytest.mark.parametrize("change", [
    lambda data: data["facts"].update({"os.name": {"state": "known", "value": "a\ud800\x07b", "source": "\udcff"}}),
    lambda data: data["facts"].update({"memory.ram_bytes": {"state": "known", "value": ["x"], "source": "x"}}),
    lambda data: data["facts"].update({f"gpu.vram_bytes[{n}]": {"state": "known", "value": n, "source": "x"} for n in range(3000)}),
    lambda data: data["facts"].update({f"nonsense.{n}": {"state": "absent", "source": "x"} for n in range(5000)}),
    lambda data: data["facts"].update({"gpu.holders[0]": {"state": "known", "value": [{"pid": 1}] * 30_000, "source": "x"}}),
    lambda data: data.update(hits=data["hits"] + data["hits"][:1] * 5_000),
    lambda data: data.update(notes=["n" * 5000] * 3000),
    lambda data: data["facts"].update({"report.texts": {"state": "known", "value": [{"text": "a"}, 5, {"kinds": 7}], "source": "x"},
                                       "changed.components": {"state": "known", "value": [{"a": 1}, ["b"]], "source": "x"}}),
], ids=["surrogates", "type", "gpus", "undeclared", "processes", "hits", "notes", "rows"])
def test_a_saved_snapshot_of_another_making_is_bounded_and_said(tmp_path, change):
    data = saved(tmp_path)
    change(data)
    (tmp_path / "s.json").write_text(json.dumps(data))
    done = run("explain", "--json", tmp_path / "s.json")
    report = json.loads(done.stdout)
    assert "graphics-job-hangs" in found(done) and len(done.stdout) < 20 << 20
    assert len(report["snapshot"]["facts"]) < 1000 and len(report["snapshot"]["hits"]) < 1100


def test_outputs_that_are_closed_or_full(tmp_path):
    (tmp_path / "a.log").write_text(LINE)
    program = f"{sys.executable} -m rocmdoctor explain {tmp_path}/a.log"
    full = subprocess.run(f"{program} > /dev/full", shell=True, capture_output=True)
    assert full.returncode == 2 and full.stderr.count(b"\n") == 1 and b"cannot be written" in full.stderr
    closed = subprocess.run(f"{program} >&-", shell=True, capture_output=True)
    assert closed.returncode == 2 and closed.stderr.count(b"\n") == 1
    assert subprocess.run(f"{program} 2>&-", shell=True, capture_output=True).returncode == 1
    assert subprocess.run(f"{program} <&-", shell=True, capture_output=True).returncode == 1
    gone = subprocess.run(["bash", "-c", f"{program} --json | true; echo ${{PIPESTATUS[0]}}"], capture_output=True)
    assert gone.stdout.strip() == b"1" and gone.stderr == b""  # the reader had enough; the verdict stays


@pytest.mark.parametrize(("text", "why"), [
    ("fixes: [{do: x, commands: 5}]", b"commands"), ("explains: {a: 1}", b"explains"), ("sources: [5]", b"sources"), ("a: " + "[" * 5000, b"nest"),
    ("x: [" + "1," * 60_000 + "1]", b"values")], ids=["commands", "explains", "sources", "deep", "many"])
def test_a_hostile_rule_costs_only_itself(tmp_path, text, why):
    pack = tmp_path / "pack"
    pack.mkdir()
    head = "id: bad\nkind: symptom\ntitle: t\nseverity: error\nstage: app\nsignals: {seen: {in: [any], patterns: ['ring gfx']}}\n"
    (pack / "bad.yaml").write_text(head + ("" if text.startswith("sources") else "sources: [{url: https://x.example}]\n") + text + "\n")
    os.mkfifo(pack / "pipe.yaml")
    (pack / "zero.yaml").symlink_to("/dev/zero")
    (tmp_path / "a.log").write_text(LINE)
    done = run("explain", "--json", "--rules", pack, tmp_path / "a.log")
    assert "graphics-job-hangs" in found(done) and why in done.stderr and b"pipe.yaml" in done.stderr and b"zero.yaml" in done.stderr


HEAD = "id: bad\nkind: symptom\ntitle: t\nseverity: error\nstage: app\nsources: [{url: https://x.example}]\nsignals: {seen: {in: [any], patterns: ['ring gfx']}}\nwhen: "


@pytest.mark.parametrize("when", [
    "lower('x' * 9999999999) == 'y'", "'a' + 'b' == 'ab'", "9999999999999999999 * " * 40 + "1 > 2", "not " * 4000 + "saw(seen)", "1" + " + 1" * 900 + " > 2", "a" * 900_000,
    "matches('x', '((')", "saw(seen) and matches(report.texts, os.name)"], ids=["grown", "joined", "big", "deep", "chain", "long", "pattern", "pattern of a fact"])
def test_a_hostile_condition_costs_only_its_rule(tmp_path, when):
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "bad.yaml").write_text(HEAD + json.dumps(when) + "\n")
    (tmp_path / "a.log").write_text(LINE)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = run("explain", "--json", "--rules", pack, tmp_path / "a.log")
    run("rules", "lint", pack)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert "graphics-job-hangs" in found(done) and "bad" not in found(done)
    assert used.ru_utime - before.ru_utime < 15


KEY = ["-----BEGIN RSA PRIVATE KEY-----", *("MIIEowIBAAKCAQEAq7" + "QhX0jf9Lr2VwZk8T"[at:] + "QhX0jf9Lr2VwZk8TbN5cYd3G" for at in range(8)), "-----END RSA PRIVATE KEY-----"]


@pytest.mark.parametrize("prefix", ["", "> ", "web-1  | ", "Nov 28 10:00:00 box app[12]: ", "2026-11-28T10:00:00.123Z ", "+", " 12\t"])
def test_no_line_of_a_key_stands_around_a_hit(tmp_path, prefix):
    lines = [prefix + line for line in KEY]
    (tmp_path / "whole.log").write_text(LINE + "\n".join(lines) + "\n" + LINE)
    (tmp_path / "begun.log").write_text(LINE + "\n".join(lines[:4]) + "\n" + LINE)
    (tmp_path / "ended.log").write_text(LINE + "\n".join(lines[-4:]) + "\n" + LINE)
    for form in ("--json", "--markdown"):
        shown = run("explain", form, *(tmp_path / f"{name}.log" for name in ("whole", "begun", "ended"))).stdout.decode()
        assert "ring gfx_0.0.0 timeout" in shown and not [line for line in KEY[1:-1] if line in shown]


def test_redacted_members_with_long_and_equal_names_are_all_written(tmp_path):
    names = ["x" * 300 + "1.log", "../a.log", "a.log", "/a.log", "d/" * 90 + "b.log"]
    tar(tmp_path / "a.tar", [(name, LINE.replace("ring", f"number{at} ring").encode(), "") for at, name in enumerate(names)])
    run("redact", "-o", tmp_path / "out", tmp_path / "a.tar")
    shown = "".join(path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert [at for at in range(len(names)) if f"number{at} ring" not in shown] == []


def test_of_a_big_text_so_much_is_redacted_as_can_be_held(tmp_path):
    from rocmdoctor.share import redact
    from rocmdoctor.texts.attach import Attached, Text

    (tmp_path / "big.log").write_text(LINE * 1000)
    given = Attached([Text("big.log", "", tmp_path / "big.log"), Text("big.log", "other", None)], [], [], [])
    redact.MOST_OF_FILE, before = 1000, redact.MOST_OF_FILE
    try:
        files = redact.redacted_files(given, redact.Redactor())
    finally:
        redact.MOST_OF_FILE = before
    assert files["big.log"] == LINE * (1000 // len(LINE)) and files["big.log-2"] == "other" and "the rest is left out" in given.problems[0]


def test_the_short_answer_says_what_there_was_no_time_for(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from rocmdoctor.cli import cli
    from rocmdoctor.texts import budget

    path = tmp_path / "big.log"
    path.write_text(LINE * 120_000)
    monkeypatch.setattr(budget.Budget, "over", lambda self: False)
    assert "the time for reading" not in CliRunner().invoke(cli, ["explain", str(path)]).output
    looked = iter([False] * 2)
    monkeypatch.setattr(budget.Budget, "over", lambda self: next(looked, True))
    monkeypatch.setattr(budget.Budget, "look", lambda self: None)
    assert "the time for reading is over" in CliRunner().invoke(cli, ["explain", str(path)]).output


@pytest.mark.parametrize("between", ["\u200b", "\u00ad", "\x1b[0m"])
def test_what_stands_between_the_letters_of_a_secret_does_not_hide_it(tmp_path, between):
    secret = "ghp_q7" + "Ab3xK9" * 5
    path = tmp_path / "big.log"  # of so many lines that it is scanned in blocks
    with path.open("w") as file:
        file.write(f"{LINE.strip()} login {between.join(secret)}\n" + "nothing to see here\n" * (attach.MOST_LINES + 100))
    small = tmp_path / "small.log"
    small.write_text(path.read_text()[:2000])
    for given in (path, small):
        for words in (["explain", "--json"], ["explain", "--markdown"], ["redact"]):
            shown = run(*words, given).stdout
            shown = shown if isinstance(shown, str) else shown.decode()
            assert "ring gfx" in shown and secret not in shown and secret not in shown.replace(between, ""), words


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_nothing_is_made_behind_a_link_of_another_user(tmp_path):
    outside, home = tmp_path / "outside", tmp_path / "home"
    outside.mkdir()
    home.mkdir()
    (home / "rocmdoctor").symlink_to(outside)
    for path in (home / "rocmdoctor", home):
        os.chown(path, 65534, 65534, follow_symlinks=False)
    run("snapshot", "--no-kernels", env={**os.environ, "XDG_STATE_HOME": str(home), "XDG_CACHE_HOME": str(home)})
    assert os.listdir(outside) == []
