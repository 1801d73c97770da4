"""`rocmdoctor fleet` over reports of recorded machines with planted faults, and over streams of every kind of damage."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import importlib.util
import io
import json
import pathlib
import subprocess
import sys

import jsonschema
import pytest

from rocmdoctor.cli import main
from rocmdoctor.fleet.answer import headline
from rocmdoctor.fleet.merge import Merge
from rocmdoctor.fleet.reports import Broken, walk
from rocmdoctor.render.figures import heat
from rocmdoctor.render.fleet import html
from rocmdoctor.render.fleet import text as words_of

TOP = pathlib.Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("fleet_speed", TOP / "benchmarks/fleet_speed.py")
assert _SPEC and _SPEC.loader
fleet_speed = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(fleet_speed)


@dataclasses.dataclass
class Done:
    """What a command left."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments, stdin=b""):
    """The program in this process."""
    out, err = io.StringIO(), io.StringIO()
    before, before_in = sys.argv, sys.stdin
    sys.argv, sys.stdin = ["rocmdoctor", *map(str, arguments)], io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
                code = 0
            except SystemExit as end:
                code = int(end.code or 0)
    finally:
        sys.argv, sys.stdin = before, before_in
    return Done(code, out.getvalue(), err.getvalue())


def report(node, product="X", gpus=("1002:744c",), verdict="PASS", outcomes=(), findings=(), **facts):
    """A small preflight report."""
    held = {"machine.product": product, "pci.amd_gpu_count": len(gpus), "kernel.release": "6.8.0", **facts}
    for number, card in enumerate(gpus):
        held |= {f"gpu.pci_id[{number}]": card, f"gpu.pci_address[{number}]": f"0000:0{number}:00.0", f"gpu.link_width[{number}]": 16}
    held.update(facts)
    states = {name: value if isinstance(value, dict) and "state" in value else {"state": "known", "value": value, "source": "x"}
              for name, value in held.items()}
    return {"schema": "rocmdoctor.preflight/1", "node": node, "verdict": verdict, "action": "", "outcomes": list(outcomes), "findings": list(findings),
            "snapshot": {"schema": "rocmdoctor.snapshot/1", "taken": "2026-11-28", "facts": states}}


def merged(*reports):
    stream = io.BytesIO("\n".join(map(json.dumps, reports)).encode())
    merge = Merge()
    for each in walk(["-"], stream):
        merge.add(each)
    return merge.answer()


def same(count, **how):
    return [report(f"n{number}", **how) for number in range(count)]


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    """100 reports of four recorded machines, 12 of them with one fault each."""
    folder = tmp_path_factory.mktemp("fleet")
    return folder, fleet_speed.write(folder, 100, 12)


def test_every_planted_fault_is_named_and_nothing_else(planted):
    folder, truth = planted
    done = run("fleet", "--json", folder)
    answer = json.loads(done.stdout)
    jsonschema.validate(answer, json.loads((TOP / "docs/fleet.schema.json").read_text()))
    said = {outlier["node"]: json.dumps(outlier) for outlier in answer["outliers"]}
    assert sorted(said) == sorted(truth)
    assert [node for node, fact in truth.items() if fact not in said[node]] == []
    assert done.returncode == 1 and answer["equal"] == 88 and answer["differing"] == 12
    assert [kind["nodes"] for kind in answer["kinds"]] == [40, 30, 20, 10]


def test_the_page_and_the_table_say_the_same(planted, tmp_path):
    folder, truth = planted
    done = run("fleet", folder, "--html", tmp_path / "f.html", "--csv", tmp_path / "f.csv")
    assert done.returncode == 1 and done.stdout == ""
    page = (tmp_path / "f.html").read_text()
    rows = list(csv.DictReader(io.StringIO((tmp_path / "f.csv").read_text())))
    assert {row["node"] for row in rows} == set(truth)
    assert all(node in page for node in truth) and "88 equal, 12 differ" in page
    assert "<script" not in page and "default-src &#39;none&#39;" not in page and "default-src 'none'" in page


def test_text_has_the_headline_and_the_worst_first(planted):
    done = run("fleet", planted[0])
    assert done.stdout.startswith("88 equal, 12 differ: ")
    assert "In common" in done.stdout and "Worst first" in done.stdout


@pytest.mark.parametrize("separator", ["\n", "", "\r\n\r\n", "  "])
def test_a_stream_in_any_spacing(separator):
    done = run("fleet", "--json", "-", stdin=separator.join(map(json.dumps, same(5))).encode())
    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["nodes"] == 5


def test_documents_printed_one_below_the_other():
    done = run("fleet", "--json", "-", stdin="\n".join(json.dumps(each, indent=1) for each in same(4)).encode())
    assert json.loads(done.stdout)["nodes"] == 4


def test_a_broken_report_costs_only_itself_and_is_counted(tmp_path):
    for each in same(4):
        (tmp_path / f"{each['node']}.json").write_text(json.dumps(each))
    (tmp_path / "half.json").write_text(json.dumps(report("h"))[:200])
    (tmp_path / "empty.json").write_text("")
    (tmp_path / "other.json").write_text('{"schema": "something/1"}')
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00\x01")
    (tmp_path / "damaged.json").write_text('{"schema": "rocmdoctor.report/1", "snapshot": {"facts": {"a.b": 7}}}')
    done = run("fleet", "--json", tmp_path)
    answer = json.loads(done.stdout)
    assert (answer["nodes"], answer["equal"], len(answer["broken"])) == (4, 4, 7)
    assert done.returncode == 3  # nothing differs, and not everything was read
    assert len(done.stderr.splitlines()) == 7 and "Traceback" not in done.stderr


def test_damage_in_the_middle_of_a_stream():
    good = [json.dumps(each) for each in same(3)]
    answer = json.loads(run("fleet", "--json", "-", stdin="\n".join([good[0], good[1][:50], '{"schema": 1', good[2]]).encode()).stdout)
    assert (answer["nodes"], len(answer["broken"])) == (2, 2)


def test_exit_statuses(tmp_path):
    assert run("fleet", tmp_path / "nowhere").returncode == 2
    assert run("fleet").returncode == 2
    assert run("fleet", "--json", "--csv", "-", "-").returncode == 2
    assert run("fleet", tmp_path).returncode == 3  # no report at all
    assert run("fleet", "-", stdin="\n".join(map(json.dumps, same(2))).encode()).returncode == 3  # too few to compare
    assert run("fleet", "-", stdin="\n".join(map(json.dumps, same(3))).encode()).returncode == 0
    assert run("fleet", "-", stdin="\n".join(map(json.dumps, [*same(3), report("odd", **{"kernel.release": "5.15"})])).encode()).returncode == 1


def test_a_lost_gpu_is_one_difference_not_one_per_fact():
    two = ("1002:74a1", "1002:74a1")
    fleet = merged(*same(10, gpus=two), report("lost", gpus=two[:1]))
    [outlier] = fleet.outliers
    assert outlier.node == "lost"
    assert sorted(d.fact for d in outlier.differences) == ["gpu.pci_address[0000:01:00.0]", "pci.amd_gpu_count"]


def test_a_gpu_lost_in_the_middle_does_not_shift_the_others():
    three = ("1002:74a1",) * 3
    lost = report("lost", gpus=three[:2], **{"gpu.pci_address[1]": "0000:02:00.0"})
    [outlier] = merged(*same(10, gpus=three), lost).outliers
    assert {d.fact for d in outlier.differences} == {"gpu.pci_address[0000:01:00.0]", "pci.amd_gpu_count"}


def test_mixed_fleets_do_not_shout():
    fleet = merged(*same(5), *[report(f"m{n}", product="Y", gpus=("1002:1586",), **{"kernel.release": "6.17"}) for n in range(5)])
    assert fleet.outliers == [] and [kind.nodes for kind in fleet.kinds] == [5, 5]


def test_two_cards_in_one_product_are_two_kinds():
    fleet = merged(*same(5), *[report(f"m{n}", gpus=("1002:7550",)) for n in range(4)])
    assert fleet.outliers == [] and len(fleet.kinds) == 2


def test_what_always_differs_is_no_difference():
    nodes = [report(f"n{n}", **{"memory.available_bytes": n << 30, "gpu.busy_percent[0]": n, "memory.ram_bytes": (64 << 30) + n * (8 << 20),
                                "kernel.cmdline": f"ro quiet root=UUID={n}", "gpu.link_speed_gts[0]": 2.5 if n == 2 else 16.0}) for n in range(6)]
    assert merged(*nodes).outliers == []


def test_sizes_beyond_their_noise_are_a_difference():
    nodes = [report(f"n{n}", **{"memory.ram_bytes": (64 << 30) + n * (8 << 20)}) for n in range(6)]
    [outlier] = merged(*nodes, report("small", **{"memory.ram_bytes": 56 << 30})).outliers
    assert outlier.node == "small" and outlier.differences[0].value == "56 GiB"


def test_without_a_majority_nobody_is_accused():
    fleet = merged(*same(5), *[report(f"m{n}", **{"kernel.release": "6.17"}) for n in range(5)])
    assert fleet.outliers == []
    assert [(split.fact, split.values) for split in fleet.splits] == [("kernel.release", [("6.17", 5), ("6.8.0", 5)])]


def test_unread_where_the_others_could_read():
    unread = {"state": "unknown", "reason": "timed_out", "detail": "", "command": ""}
    [outlier] = merged(*same(5), report("sick", **{"gpu.link_width[0]": unread})).outliers
    assert "could not be read (timed out)" in outlier.differences[0].value


def test_a_failing_node_is_named_though_all_fail_alike():
    outcome = {"verdict": "FAIL", "expectation": "ras.uncorrectable", "subject": "gpu 0", "expected": "0", "actual": "3"}
    fleet = merged(*same(4, verdict="FAIL", outcomes=[outcome]))
    assert len(fleet.outliers) == 4
    assert [(cause.fact, cause.value, len(cause.nodes)) for cause in fleet.causes] == [("expectation ras.uncorrectable", "FAIL", 4)]


def test_common_causes_come_together_whatever_the_slot():
    two = ("1002:74a1", "1002:74a1")
    fleet = merged(*same(10, gpus=two), report("a", gpus=two, **{"gpu.link_width[0]": 4}), report("b", gpus=two, **{"gpu.link_width[1]": 4}))
    assert [(cause.fact, cause.value, cause.usual, sorted(cause.nodes)) for cause in fleet.causes] == [("gpu.link_width", "4", "16", ["a", "b"])]
    assert headline(fleet).startswith("10 equal, 2 differ: gpu.link_width (2)")


def test_findings_of_few_are_named_and_of_most_are_said_once():
    hang = {"id": "gpu-hang", "severity": "critical", "standing": "cause", "title": "hung"}
    fleet = merged(*same(9), report("sick", findings=[hang]))
    assert [o.node for o in fleet.outliers] == ["sick"] and fleet.outliers[0].severity == "critical"
    fleet = merged(*same(9, findings=[hang]))
    assert fleet.outliers == [] and "gpu-hang on 9 of 9" in fleet.everywhere[0]


def test_true_and_one_are_two_values():
    fleet = merged(*[report(f"n{n}", **{"amdgpu.loaded": True}) for n in range(5)], report("odd", **{"amdgpu.loaded": False}))
    assert fleet.outliers[0].differences[0].value == "no"


def test_a_name_that_comes_twice_is_counted_twice():
    fleet = merged(*same(3), report("n1", **{"kernel.release": "5"}))
    assert [o.node for o in fleet.outliers] == ["n1 (2)"]


def test_hostile_names_in_page_table_and_terminal(tmp_path):
    bad = report("=cmd|'/c calc'!A1", **{"kernel.release": "<script>alert(1)</script>\x1b[31m"})
    stream = "\n".join(map(json.dumps, [*same(4), bad])).encode()
    done = run("fleet", "-", "--html", tmp_path / "f.html", "--csv", tmp_path / "f.csv", stdin=stream)
    assert done.returncode == 1
    assert "<script" not in (tmp_path / "f.html").read_text()
    assert "\n'=cmd" in (tmp_path / "f.csv").read_text()
    assert "\x1b" not in run("fleet", "-", stdin=stream).stdout


def test_a_pipe_in_a_folder_does_not_hang(tmp_path):
    import os

    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes here")
    os.mkfifo(tmp_path / "a.json")
    [broken] = walk([str(tmp_path)], io.BytesIO())
    assert isinstance(broken, Broken) and "not a regular file" in broken.says


SECRETS = ("alicewonder", "192.168.7.9", "hunter2xyz", "ghp_abcdefghijklmnopqrstuvwxyzABCDEF0123", "B123456789", "hf_ABCDEFGHIJKLMNOPQRST")


def private_node():
    """A raw snapshot's secrets, where a fleet shows them: values, failures, findings."""
    outcome = {"verdict": "FAIL", "expectation": "machine.iommu", "subject": "", "expected": "pt", "actual": "/home/alicewonder/x 192.168.7.9"}
    finding = {"id": "x", "severity": "error", "standing": "cause", "title": "alicewonder cannot write /home/alicewonder/.cache"}
    return report("rack-7.corp.example.org", verdict="FAIL", outcomes=[outcome], findings=[finding], **{
        "kernel.release": "6.8.0-alicewonder 192.168.7.9", "kernel.cmdline": "ro password=hunter2xyz", "machine.serial": "B123456789",
        "rocm.path": "/home/alicewonder/rocm", "machine.iommu": "token=ghp_abcdefghijklmnopqrstuvwxyzABCDEF0123",
        "env.HF_TOKEN": "hf_ABCDEFGHIJKLMNOPQRST"})


def usual_nodes(count):
    there = {"kernel.cmdline": "ro", "machine.serial": "none", "rocm.path": "/opt/rocm", "machine.iommu": "pt", "env.HF_TOKEN": "unset"}
    return same(count, **there)


@pytest.mark.parametrize("form", ["--json", "--csv", "--html"])
def test_what_is_shared_is_redacted_and_names_the_node(form, tmp_path):
    stream = "\n".join(map(json.dumps, [*usual_nodes(4), private_node()])).encode()
    target = [] if form == "--json" else [tmp_path / "f"]
    done = run("fleet", form, *target, "-", stdin=stream)
    shown = (tmp_path / "f").read_text() if target else done.stdout
    assert done.returncode == 1 and "rack-7.corp.example.org" in shown
    assert [secret for secret in SECRETS if secret in shown] == []
    assert shown.replace("&lt;", "<").replace("&gt;", ">").count("<user-1>") >= 3  # the same value the same token
    open_ = run("fleet", form, *target, "--no-redact", "-", stdin=stream)
    shown = (tmp_path / "f").read_text() if target else open_.stdout
    assert [secret for secret in SECRETS if secret not in shown] == []


def test_the_terminal_shows_things_as_they_are():
    shown = run("fleet", "-", stdin="\n".join(map(json.dumps, [*usual_nodes(4), private_node()])).encode()).stdout
    assert [secret for secret in SECRETS if secret not in shown] == []


def test_the_folder_of_a_stream_is_no_part_of_a_name(tmp_path):
    (tmp_path / "all.jsonl").write_text("\n".join(json.dumps(dict(each, node="")) for each in [*same(3), report("", **{"kernel.release": "5"})]))
    assert [o["node"] for o in json.loads(run("fleet", "--json", tmp_path / "all.jsonl").stdout)["outliers"]] == ["all.jsonl, document 4"]


def test_own_words_are_no_secret():
    absent = {"state": "absent", "source": "environment"}
    stream = "\n".join(map(json.dumps, [*same(4, **{"env.HF_TOKEN": absent}), report("odd", **{"env.HF_TOKEN": "hf_ABCDEFGHIJKLMNOPQRST"})])).encode()
    [outlier] = json.loads(run("fleet", "--json", "-", stdin=stream).stdout)["outliers"]
    assert [(d["value"], d["usual"]) for d in outlier["differences"]] == [("<key-1>", "not there")]


DAMAGED = {
    "severity": report("bad", findings=[{"id": "x", "severity": "bogus", "title": "t"}]),
    "verdict in small letters": report("bad", verdict="fail"),
    "verdict of another program": report("bad", verdict="BOGUS"),
    "verdict of nothing": report("bad", verdict=None),
    "skipped as a whole": report("bad", verdict="SKIPPED"),
    "verdict of an outcome": report("bad", outcomes=[{"verdict": "fail", "expectation": "a", "expected": "b", "actual": "c"}]),
    "no outcomes and no verdict": {k: v for k, v in report("bad").items() if k not in ("verdict", "outcomes")},
}


@pytest.mark.parametrize("bad", DAMAGED.values(), ids=DAMAGED)
def test_a_word_that_decides_and_is_not_known_makes_a_report_unreadable(bad):
    for count in (2, 4):  # alone or as the minority, compared or too few
        done = run("fleet", "--json", "-", stdin="\n".join(map(json.dumps, [*same(count), bad])).encode())
        answer = json.loads(done.stdout)
        assert (answer["nodes"], len(answer["broken"]), done.returncode) == (count, 1, 3)
        assert len(done.stderr.splitlines()) == 1 and f"document {count + 1}: damaged" in done.stderr


def test_numbers_of_too_many_digits():
    whole = json.dumps(report("bad", **{"kernel.release": "HERE"})).replace('"HERE"', "9" * 5000)
    good = "\n".join(map(json.dumps, same(3)))
    for text, broken in ((good + "\n" + whole, 1), (good + "\n{} " + whole, 2)):
        done = run("fleet", "--json", "-", stdin=text.encode())
        assert (json.loads(done.stdout)["nodes"], done.returncode, len(done.stderr.splitlines())) == (3, 3, broken)
        assert "holds a number of too many digits" in done.stderr
    large = report("large", **{"memory.ram_bytes": 10**400, "gpu.vram_bytes[0]": -10**4000})
    assert merged(*same(4, **{"memory.ram_bytes": 1 << 36, "gpu.vram_bytes[0]": 1 << 34}), large).outliers[0].node == "large"


def test_a_huge_file_is_one_line_and_the_others_are_read(tmp_path):
    for each in same(3):
        (tmp_path / f"{each['node']}.json").write_text(json.dumps(each))
    with open(tmp_path / "huge.json", "wb") as file:
        file.truncate(2 << 30)
    read = []
    with open(tmp_path / "huge.json", "rb") as file:
        class Counting:
            def read(self, size):
                read.append(size)
                return file.read(size)

        assert [each.says for each in walk(["-"], Counting())] == ["standard input: longer than 64 MiB, no report is; the rest of it is left out"]
    assert sum(read) < 70 << 20  # the rest is not even read
    done = run("fleet", "--json", tmp_path)
    assert json.loads(done.stdout)["nodes"] == 3 and done.returncode == 3
    assert len(done.stderr.splitlines()) == 1 and "longer than 64 MiB" in done.stderr


def test_reports_before_one_that_is_too_long_are_counted():
    stream = "\n".join(map(json.dumps, same(3))).encode() + b'\n{"a": "' + b"x" * (66 << 20) + b'"}\n'
    answer = json.loads(run("fleet", "--json", "-", stdin=stream).stdout)
    assert answer["nodes"] == 3 and answer["broken"] == ["standard input, document 4: longer than 64 MiB, no report is; the rest of it is left out"]


@pytest.mark.parametrize("separator", ["", "\n"], ids=["one line", "lines"])
def test_a_file_of_a_million_others_is_given_up(separator):
    broken = list(walk(["-"], io.BytesIO(separator.join(["{}"] * 1_000_000).encode())))
    assert len(broken) == 1001 and "1000 documents in a row are no reports" in broken[-1].says


def test_a_start_of_a_report_on_the_edge_of_what_is_read_at_once():
    first, second = (json.dumps(each).encode() for each in same(2))
    for edge in range(-2, 3):
        stream = first + b" " * ((1 << 20) + edge - len(first)) + b"\n" + second
        assert [each.name for each in walk(["-"], io.BytesIO(stream))] == ["n0", "n1"]


def test_no_escape_reaches_a_terminal_or_a_page(tmp_path):
    escape = "\x1b]0;pwn\x07\x1b[31m"
    outcome = {"verdict": "FAIL", "expectation": escape + "a", "subject": escape, "expected": escape, "actual": escape}
    bad = report("bad" + escape, verdict="FAIL", outcomes=[outcome], findings=[{"id": escape + "i", "severity": "error", "title": escape}],
                 **{f"gpu.x{escape}[{escape}]": escape, "machine.product": "X"})
    bad["action"] = escape + "ACT"
    for number, each in enumerate([*same(4), bad, report("v", verdict=escape)]):
        (tmp_path / f"{number}.json").write_text(json.dumps(each))
    (tmp_path / f"x{escape}.json").write_text("[" * 9)
    done = run("fleet", tmp_path)
    assert done.returncode == 1 and "bad" in done.stdout and "ACT" in done.stdout and len(done.stderr.splitlines()) == 2
    run("fleet", tmp_path, "--html", tmp_path / "page", "--csv", tmp_path / "table")
    for shown in (done.stdout, done.stderr, (tmp_path / "page").read_text(), (tmp_path / "table").read_text(),
                  run("fleet", tmp_path / f"no{escape}").stderr):
        assert shown and not set("\x1b\x07") & set(shown)


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity", "1e999", "[NaN]", '{"a": NaN}'])
def test_numbers_that_json_has_not_leave_the_answer_json(odd):
    bad = json.dumps(report("odd", **{"gpu.link_width[0]": "HERE", "kernel.release": "HERE"})).replace('"HERE"', odd)
    done = run("fleet", "--json", "-", stdin="\n".join([*map(json.dumps, same(4)), bad]).encode())

    def refuse(word):
        raise AssertionError(word)

    answer = json.loads(done.stdout, parse_constant=refuse)
    jsonschema.validate(answer, json.loads((TOP / "docs/fleet.schema.json").read_text()))
    assert [outlier["node"] for outlier in answer["outliers"]] == ["odd"]


def test_real_reports_of_both_commands(tmp_path):
    """`check --json` and `preflight --format json` of one machine, as a process writes them."""
    tree = TOP / "fixtures/machines/rx7900xtx"
    for number in range(2):
        done = subprocess.run([sys.executable, "-m", "rocmdoctor", "check", "--json", "--no-kernels", "--root", tree], cwd=TOP, capture_output=True)
        (tmp_path / f"check{number}.json").write_bytes(done.stdout)
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "preflight", "--policy", "ci-runner", "--root", tree, "--format", "json"], cwd=TOP,
                          capture_output=True)
    (tmp_path / "preflight.json").write_bytes(done.stdout)
    answer = json.loads(run("fleet", "--json", tmp_path).stdout)
    assert answer["nodes"] == 3 and answer["broken"] == []
    [outlier] = answer["outliers"]
    assert outlier["verdict"] == "UNKNOWN" and outlier["differences"] == []


@pytest.mark.parametrize("odd", ["", -1, 1e999, float("nan"), True, None, [], [None], {}, {"a": []}, [[{}]], 10**40], ids=repr)
def test_values_of_an_odd_type_are_compared_like_any_other(odd):
    names = ("kernel.release", "memory.ram_bytes", "gpu.link_width[0]", "gpu.pci_id[0]", "machine.product", "gpu.vram_bytes[0]")
    for name in names:
        fleet = merged(*same(6), report("odd", **{name: {"state": "known", "value": odd, "source": "x"}}))
        assert fleet.nodes == 7 and fleet.broken == []
        assert [o.node for o in fleet.outliers] in ([], ["odd"]), (name, fleet.outliers)


def test_a_fleet_of_two_halves_fits_its_schema():
    halves = [report(f"n{number}", **{"kernel.release": "6.17" if number % 2 else "6.8.0"}) for number in range(10)]
    answer = json.loads(run("fleet", "--json", "-", stdin="\n".join(map(json.dumps, halves)).encode()).stdout)
    assert answer["splits"]
    jsonschema.validate(answer, json.loads((TOP / "docs/fleet.schema.json").read_text()))


# ---- the map

def outcome(expectation, verdict, subject=""):
    return {"expectation": expectation, "verdict": verdict, "subject": subject, "expected": "x", "actual": "y"}


def test_the_map_has_a_row_a_machine_and_a_column_a_thing():
    unknown = [outcome("access.kfd", "UNKNOWN"), outcome("pcie.width", "UNKNOWN", "gpu 0"), outcome("pcie.width", "FAIL", "gpu 1")]
    reports = [*same(5), report("bad", verdict="FAIL", outcomes=unknown, **{"kernel.release": "6.8.1"}),
               report("worse", verdict="UNKNOWN", outcomes=unknown[:1], findings=[{"id": "x-y", "severity": "error", "title": "T", "standing": "cause"}])]
    drawn = heat.heat(merged(*reports))
    assert drawn.columns[0] == "access.kfd" and dict(drawn.rows)["bad"][drawn.columns.index("pcie.width")] == "F"  # the worst of its GPUs
    assert {name: dict(zip(drawn.columns, letters, strict=True)) for name, letters in drawn.rows} == {
        "bad": {"access.kfd": "U", "pcie.width": "F", "kernel.release": "D", "x-y": ""},
        "worse": {"access.kfd": "U", "pcie.width": "", "kernel.release": "", "x-y": "!"}}
    page, words = html.render(merged(*reports)), words_of.render(merged(*reports), 80, False)
    assert page.count('<td class="fail">F</td>') == 1 and '<th scope="row">5 equal</th>' in page and heat.key(drawn) in words.replace("\n  ", " ")
    assert "  bad               UF" in words and "  5 equal           ····" in words and max(map(len, words.splitlines())) <= 80


def test_one_machine_or_one_thing_needs_no_map():
    assert heat.heat(merged(*same(5), report("a", **{"kernel.release": "9"}), report("b", **{"kernel.release": "9"}))) is None
    assert heat.heat(merged(*same(5), report("a", **{"kernel.release": "9", "os.version": "1"}))) is None


def test_forty_expectations_of_the_same_machines_are_one_thing():
    many = [outcome(f"e.{number}", "UNKNOWN") for number in range(40)]
    found = words_of.merged(merged(*same(5), *(report(f"u{number}", verdict="UNKNOWN", outcomes=many) for number in range(3))).causes)
    assert [(cause.fact[:15], cause.value, len(cause.nodes)) for cause in found] == [("40 expectations", "UNKNOWN", 3)] and "36 more" in found[0].fact


def test_machines_without_a_product_are_filed_by_their_gpus():
    kinds = merged(*[report(f"m{n}", product="", gpus=("1002:74a1",) * 2) for n in range(4)], report("r", product="", gpus=("1002:744c",)),
                   report("half", product="", gpus=("1002:74a1",))).kinds
    assert [(kind.name, kind.nodes) for kind in kinds] == [("2 x AMD Instinct MI300X", 5), ("1 x Navi 31", 1)]


def test_names_in_the_map_are_text():
    evil = '<img src=x onerror=1>\x1b[31m'
    page = html.render(merged(*same(5), *(report(evil + str(n), verdict="FAIL", outcomes=[outcome(evil, "FAIL"), outcome("b", "FAIL")]) for n in range(2))))
    assert "<img" not in page and "\x1b" not in page and "&lt;img" in page
