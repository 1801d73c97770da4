"""A seeded fuzzer of what people attach: texts, snapshots, archives, rules and policies, broken in their structure.

    python tests/fuzz.py --runs 1000 --seed 1 [--jobs N] [--only KIND] [--keep FOLDER]

Each run is a forked process that runs a command of the program as a user types it, and is held to the promises of docs/security.md: an
exit status of 0 to 3, no traceback, JSON that is JSON, 5 s of CPU, 400 MB. What breaks one is printed with its seed (run it again with
`--seed SEED --runs 1`), and kept in FOLDER; the last line counts runs and finds and names the slowest and the largest run. Exit status 1 when
there was any find.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import importlib
import io
import json
import os
import pathlib
import pkgutil
import random
import resource
import signal
import sys
import tarfile
import tempfile
import time
import traceback
import warnings
import zipfile
from collections.abc import Iterator
from typing import Any, NamedTuple

TOP = pathlib.Path(__file__).resolve().parents[1]
MOST_CPU, MOST_MB, MOST_WALL = 5.0, 400, 120.0
FINE = (0, 1, 2, 3)
LARGEST = 4 << 20  # of one text; what is doubled and doubled again would cost the fuzzer its own memory, which its children start with
ODD: list[Any] = [None, True, -1, 0, 1 << 70, 1e308, float("nan"), "", "\ud800", "\x1b[31mx\x1b]0;y", "x" * 70_000, "\u202e\u200b", [], {}, [[]], {"a": {}},
                  "../../etc/passwd", "gfx1151", "0000:03:00.0", "{gpu.gfx_target}",
                  "999999999999999999999.1", "[" * 500, "\n" * 50, "%s%n{0}", "-", "2026-13-45T99:99"]
PIECES = ["\x00", "\x1b[", "\ud800".encode("utf-16", "surrogatepass").decode("latin-1"), "{", "[", "}", "&#xd800;", "\\ud800", "> ", "```", "\r", "\n\n",
          " " * 3000,
          "a." * 2000, "gfx", "0x" + "f" * 40, "\u2028", "\t" * 200, '"MESSAGE":', '"msg": ', "amdgpu 0000:03:00.0: ", "=" * 300, "||", "1" * 400]


def corpus() -> list[pathlib.Path]:
    """Real inputs of the fixtures, the small ones."""
    found = [path for folder in ("cases", "formats", "texts", "snapshots", "histories") for path in sorted((TOP / "fixtures" / folder).rglob("*"))]
    return [path for path in found if path.is_file() and not path.is_symlink() and path.stat().st_size < 300_000]


def broken_text(rng: random.Random, raw: bytes) -> bytes:
    """Lines doubled, moved, cut, joined, and bytes between them."""
    lines = raw.split(b"\n")
    for _ in range(rng.randint(1, 12)):
        if sum(map(len, lines)) > LARGEST:
            break
        at = rng.randrange(len(lines))
        what = rng.randrange(8)
        if what == 0:
            lines[at:at] = lines[at:at + rng.randint(1, 20)] * rng.randint(1, 200)
        elif what == 1:
            del lines[at:at + rng.randint(1, 30)]
            lines = lines or [b""]
        elif what == 2:
            lines[at] = lines[at][:rng.randint(0, len(lines[at]))]
        elif what == 3:
            place = rng.randint(0, len(lines[at]))
            lines[at] = lines[at][:place] + rng.choice(PIECES).encode("utf-8", "surrogatepass") * rng.choice((1, 1, 3, 50)) + lines[at][place:]
        elif what == 4:
            lines[at] = bytes(byte ^ (1 << rng.randrange(8)) if rng.random() < 0.05 else byte for byte in lines[at])
        elif what == 5:
            lines[at] = lines[at] * rng.randint(2, 40)
        elif what == 6:
            lines.insert(at, lines[rng.randrange(len(lines))])
        else:
            lines[at] = rng.choice((b" ", b"\xff", b"\t", b"> ")) + lines[at]
        lines = lines[:60_000]
    out = b"\n".join(lines)[:LARGEST]
    return rng.choice((bytes, bytes, bytes, lambda raw: raw.decode("utf-8", "replace").encode("utf-16"), lambda raw: raw.replace(b"\n", b"\r\n")))(out)


def broken_data(rng: random.Random, data: Any, rate: float = 0.04) -> Any:
    """Values of other types, keys gone, doubled and renamed, lists grown, depth added."""
    if rng.random() < rate / 4:
        return rng.choice(ODD)
    if isinstance(data, dict):
        out = {}
        for key, value in data.items():
            if rng.random() < rate / 2:
                continue
            out[rng.choice((f"{key}[0]", f"{key}[\ud800]", key.upper(), key + "x", "")) if rng.random() < rate / 2 else key] = broken_data(rng, value, rate)
            if rng.random() < rate / 4:
                out.update({f"{key}[{number}]": value for number in range(rng.choice((3, 300)))})
        return out
    if isinstance(data, list):
        out_list = [broken_data(rng, value, rate) for value in data if rng.random() > rate / 2]
        return out_list * rng.choice((2, 500)) if rng.random() < rate / 2 and len(out_list) < 50 else out_list
    if rng.random() < rate:
        nested: Any = data
        for _ in range(rng.choice((0, 0, 1, 5, 60))):
            nested = [nested] if rng.random() < 0.5 else {"a": nested}
        return nested if nested is not data else rng.choice(ODD)
    return data


def archive(rng: random.Random, files: list[pathlib.Path]) -> tuple[str, bytes]:
    """A tar or zip of real and broken members, itself often broken."""
    out = io.BytesIO()
    names = ["a.log", "../b.log", "/c.log", "sys/class/drm/card0/device/vendor", "sys/class/kfd/kfd/topology/nodes/0/name", "sys/class/drm",
             "d/" * 90 + "e.log", "", "\udcff.log", "x" * 300, "manifest.json", "snapshot.json", "sys/class/drm/card0"]
    members = [(rng.choice(names), broken_text(rng, rng.choice(files).read_bytes()) if rng.random() < 0.5 else rng.choice((b"", b"\0" * 5000, b"0x1002\n")))
               for _ in range(rng.randint(0, 12))]
    if rng.random() < 0.4:
        with zipfile.ZipFile(out, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))) as zipped:
            for name, data in members:
                info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode() or "x")
                info.external_attr = rng.choice((0, 0o120777 << 16, 0o100644 << 16, 0o010644 << 16, 0o40755 << 16))
                zipped.writestr(info, data, zipped.compression)
        name, raw = "a.zip", out.getvalue()
    else:
        with tarfile.open(fileobj=out, mode=rng.choice(("w", "w:gz", "w:bz2", "w:xz")),
                          format=rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT)), errors="surrogateescape") as tarred:
            for name, data in members:
                info = tarfile.TarInfo(name)
                info.type = rng.choice((*(tarfile.REGTYPE,) * 6, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE,
                                        tarfile.CHRTYPE, b"K", b"x", b"S"))
                if info.type != tarfile.REGTYPE:
                    info.linkname = rng.choice(("", "..", "../../../../etc/passwd", "/etc/passwd", "a.log", "card0", "."))
                info.size = len(data)
                try:
                    tarred.addfile(info, io.BytesIO(data))
                except (ValueError, UnicodeError):  # this format holds no such name
                    continue
        name, raw = "a.tar", out.getvalue()
    for _ in range(rng.choice((0, 0, 1, 2))):  # archives in archives
        raw = gzip.compress(raw, 1)
    if rng.random() < 0.5 and raw:
        cut = bytearray(raw[:rng.randint(1, len(raw))] if rng.random() < 0.5 else raw)
        for _ in range(rng.choice((0, 1, 5, 50))):
            cut[rng.randrange(len(cut))] = rng.randrange(256)
        raw = bytes(cut)
    return name, raw


def yaml_text(rng: random.Random, raw: bytes) -> bytes:
    """A rule or a policy whose values, or whose text, are broken."""
    import yaml

    if rng.random() < 0.4:
        return broken_text(rng, raw)
    data = broken_data(rng, yaml.safe_load(raw), 0.15)
    return yaml.safe_dump(data, allow_unicode=True).encode("utf-8", "surrogatepass")


def made(rng: random.Random, kind: str, folder: pathlib.Path, files: list[pathlib.Path], snapshots: list[bytes]) -> list[str]:
    """Write the input of one run; the command line that reads it."""
    form = rng.choice((["--json"], ["--markdown"], [], ["--html", os.devnull], ["--for", "ollama"], ["--json", "--no-redact"]))
    if kind == "text":
        (folder / "in.log").write_bytes(broken_text(rng, rng.choice(files).read_bytes()))
        return rng.choice((["explain", *form, "in.log"],) * 3 + (["redact", "in.log"], ["memory", "in.log"]))
    if kind == "snapshot":
        data = broken_data(rng, json.loads(rng.choice(snapshots)), rng.choice((0.002, 0.01, 0.05)))
        (folder / "in.json").write_text(json.dumps(data), "utf-8", "surrogatepass")
        return rng.choice((["explain", *form, "in.json"],) * 3 + (["compare", "in.json", "in.json"], ["fleet", "in.json"],
                                                                 ["memory", "in.json"], ["redact", "in.json"],
                                                                 ["preflight", "--policy", "radeon-workstation", "--snapshot", "in.json"]))
    if kind == "archive":
        name, raw = archive(rng, files)
        (folder / name).write_bytes(raw)
        return rng.choice((["explain", *form, name],) * 3 + (["redact", "-o", "out", name],))
    if kind == "rules":
        (folder / "pack").mkdir()
        rules = sorted((TOP / "rules").glob("causes/*/*.yaml")) + sorted((TOP / "rules/symptoms").glob("*.yaml"))
        for number in range(rng.randint(1, 4)):
            raw = rng.choice(rules).read_bytes().replace(b"id: ", b"id: x", 1)
            name = raw.split(b"id: ", 1)[-1].split(b"\n", 1)[0].decode("utf-8", "replace").strip() if rng.random() < 0.8 else str(number)
            (folder / "pack" / f"{name[:80].replace('/', '-')}.yaml").write_bytes(yaml_text(rng, raw))
        (folder / "in.log").write_bytes(rng.choice(files).read_bytes())
        return rng.choice((*[["explain", *form, "--rules", "pack", "in.log"]] * 5, ["rules", "lint", "pack"]))
    (folder / "in.json").write_bytes(rng.choice(snapshots))
    (folder / "p.yaml").write_bytes(yaml_text(rng, rng.choice(sorted((TOP / "rules/policies").glob("*.yaml"))).read_bytes()))
    return ["preflight", "--policy", "p.yaml", "--snapshot", "in.json", *rng.choice(([], ["--format", "json"]))]


KINDS = ("text", "snapshot", "archive", "rules", "policy")


def prepare() -> list[bytes]:
    """What every run needs, made once before the forks: modules, compiled patterns, saved snapshots of the fixtures."""
    import rocmdoctor
    from rocmdoctor.commands import _console
    from rocmdoctor.diagnosis import examine
    from rocmdoctor.diagnosis.report import make_report
    from rocmdoctor.facts.model import Snapshot, snapshot_to_json
    from rocmdoctor.knowledge import lint, rules
    from rocmdoctor.render.report import html, markdown, terminal
    from rocmdoctor.scan.scanner import Scanner
    from rocmdoctor.texts import attach, interpret

    for module in pkgutil.walk_packages(rocmdoctor.__path__, "rocmdoctor."):
        if not module.name.rpartition(".")[2].startswith("__"):
            importlib.import_module(module.name)
    book = rules.load()
    ours = len(list(book.patterns()))
    scanner = Scanner(book.patterns())

    def at_hand(given: Any) -> Scanner:
        chosen = list(given)
        return scanner if len(chosen) == ours else Scanner(chosen)

    examine.Scanner = at_hand  # type: ignore[misc,assignment]
    found = [path.read_bytes() for path in sorted((TOP / "fixtures/snapshots").rglob("*.json"))[:20]]
    for number, case in enumerate(sorted((TOP / "fixtures/cases").iterdir())[:40]):
        snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
        attached = attach.gather([str(case)], io.BytesIO())
        interpret.fill(snapshot, attached.texts, scanner)
        if number < 4:
            report = _console.redacted(snapshot, book, _console.redactor(False))
            html.render(report), markdown.render(make_report(snapshot, book)), terminal.render(report, 100, False)
        found.append(json.dumps(snapshot_to_json(snapshot), default=str).encode())
    lint.form(book)
    gc.collect()
    gc.freeze()  # else each child copies what it only looks at
    return found


class Ran(NamedTuple):
    """One run: what it broke ("" for nothing), seconds of CPU, MB."""

    seed: int
    kind: str
    broke: str
    cpu: float
    mb: int


def run(seed: int, kind: str, files: list[pathlib.Path], snapshots: list[bytes], folder: pathlib.Path) -> Ran:
    """One run in a child."""
    words = made(random.Random(seed), kind, folder, files, snapshots)
    sys.stdout.flush()
    child = os.fork()
    if not child:
        _child(words, folder)
    began = time.monotonic()
    while True:
        pid, status, used = os.wait4(child, os.WNOHANG)
        if pid:
            break
        if time.monotonic() - began > MOST_WALL:
            os.kill(child, signal.SIGKILL)
            used = os.wait4(child, 0)[2]
            return Ran(seed, kind, f"{' '.join(words)}: did not end within {MOST_WALL:.0f} s", used.ru_utime + used.ru_stime, used.ru_maxrss >> 10)
        time.sleep(0.005)
    code = os.waitstatus_to_exitcode(status)
    said = (folder / ".err").read_text("utf-8", "replace")
    cpu, mb = used.ru_utime + used.ru_stime, used.ru_maxrss >> 10
    broke = []
    if code not in FINE or "Traceback" in said:
        broke.append(f"status {code}: {(said.strip().splitlines() or [''])[-1][:300]}")
    if cpu > MOST_CPU:
        broke.append(f"{cpu:.1f} s of CPU")
    if mb > MOST_MB:
        broke.append(f"{mb} MB")
    if code in (0, 1, 3) and "json" in " ".join(words[:3]) and "--json" in words:
        try:
            json.loads((folder / ".out").read_bytes())
        except ValueError as error:
            broke.append(f"the output is no JSON: {error}")
    return Ran(seed, kind, f"{' '.join(words)}: {', '.join(broke)}" if broke else "", cpu, mb)


def _child(words: list[str], folder: pathlib.Path) -> None:
    """Never returns."""
    code: Any = 99
    try:
        os.setsid()
        os.chdir(folder)
        for number, (name, how) in enumerate(((os.devnull, os.O_RDONLY), (".out", os.O_WRONLY | os.O_CREAT), (".err", os.O_WRONLY | os.O_CREAT))):
            os.dup2(os.open(name, how, 0o600), number)
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, 1 << 30))
        os.environ.update(TMPDIR=str(folder), XDG_STATE_HOME=str(folder), HOME=str(folder))
        tempfile.tempdir = None
        sys.argv = ["rocmdoctor", *words]
        sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")
        sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr  # type: ignore[misc]
        from rocmdoctor.cli import main

        main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        sys.stdout.flush()
        os._exit(code if isinstance(code, int) else 98)


def fuzz(runs: int, seed: int, jobs: int = 1, only: str = "", keep: str = "") -> Iterator[Ran]:
    """Each run as it ends; ``jobs`` workers, forked from one that is prepared, share them out."""
    warnings.filterwarnings("ignore", "Duplicate name")
    snapshots, files = prepare(), corpus()
    reads, writes = os.pipe()
    sys.stdout.flush()
    workers = {}
    for first in range(seed, min(seed + jobs, seed + runs)):
        child = os.fork()
        if not child:
            os.close(reads)
            _work(range(first, seed + runs, jobs), only, keep, files, snapshots, writes)
        workers[child] = first
    os.close(writes)
    with open(reads, encoding="ascii") as told:
        for line in told:
            yield Ran(*json.loads(line))
    for child, first in workers.items():
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status:
            yield Ran(first, "worker", f"the worker that began with this seed ended with {status}", 0.0, 0)


def _work(seeds: range, only: str, keep: str, files: list[pathlib.Path], snapshots: list[bytes], told: int) -> None:
    """Runs of one worker, each told as one write that is short enough to stay whole. Never returns."""
    status = 1
    try:
        for number in seeds:
            with tempfile.TemporaryDirectory(prefix="fuzz-") as made_in:
                folder = pathlib.Path(made_in)
                ran = run(number, only or KINDS[number % len(KINDS)], files, snapshots, folder)
                if ran.broke and keep:
                    os.makedirs(keep, exist_ok=True)
                    with tarfile.open(os.path.join(keep, f"{number}.tar.gz"), "w:gz") as tarred:
                        tarred.add(folder, str(number))
            os.write(told, json.dumps(ran._replace(broke=ran.broke[:300])).encode() + b"\n")
        status = 0
    except Exception:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)


def main() -> int:
    """Runs from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="workers side by side")
    parser.add_argument("--only", choices=KINDS, default="")
    parser.add_argument("--keep", metavar="FOLDER", default="")
    given = parser.parse_args()
    sys.path.insert(0, str(TOP))
    began = time.monotonic()
    ended, finds = 0, 0
    slowest = largest = Ran(given.seed, "", "", 0.0, 0)
    for ran in fuzz(given.runs, given.seed, max(1, given.jobs), given.only, given.keep):
        ended += ran.kind != "worker"
        finds += bool(ran.broke)
        slowest, largest = max(slowest, ran, key=lambda each: each.cpu), max(largest, ran, key=lambda each: each.mb)
        if ran.broke:
            print(f"seed {ran.seed} {ran.kind}: {ran.broke}".encode("ascii", "backslashreplace").decode(), flush=True)
    print(f"{ended} runs in {time.monotonic() - began:.0f} s, {finds} finds; slowest {slowest.cpu:.1f} s of CPU (seed {slowest.seed} {slowest.kind}), "
          f"largest {largest.mb} MB (seed {largest.seed} {largest.kind})")
    return 1 if finds or ended < given.runs else 0


if __name__ == "__main__":
    sys.exit(main())
