"""`rocmdoctor preflight` as a provisioning engineer types it: verdicts, exit statuses, formats, policies good and bad."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import functools
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import jsonschema
import pytest

from rocmdoctor.cli import main
from rocmdoctor.diagnosis import join
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Absent, Fact, Finding, Hit, Known, Snapshot, Unknown, snapshot_to_json
from rocmdoctor.live.collect import collect
from rocmdoctor.preflight import examination, verdict
from rocmdoctor.preflight.expectations import KINDS
from rocmdoctor.preflight.gate import judge
from rocmdoctor.preflight.policy import BadPolicy, load, shipped
from rocmdoctor.preflight.turn import place, turn
from rocmdoctor.preflight.verdict import Outcome

TOP = pathlib.Path(__file__).resolve().parents[2]
MACHINES = TOP / "fixtures/machines"
TODAY = datetime.date(2026, 11, 28)


@dataclasses.dataclass
class Done:
    """What a command left."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments):
    """The program in this process: the rules are loaded once."""
    out, err = io.StringIO(), io.StringIO()
    before = sys.argv
    sys.argv = ["rocmdoctor", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
                code = 0
            except SystemExit as end:
                code = int(end.code or 0)
    finally:
        sys.argv = before
    return Done(code, out.getvalue(), err.getvalue())


def typed(*arguments, env=None, **how):
    """The program in a process of its own."""
    return subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], cwd=how.pop("cwd", TOP), capture_output="stdout" not in how,
                          text=True, timeout=120, env={**os.environ, "PYTHONPATH": str(TOP), **(env or {})}, **how)


@functools.cache
def recorded(machine):
    """The joined facts of a recorded machine, whose device nodes opened."""
    snapshot, _ = collect("2026-11-28T12:00:00+00:00", root=str(MACHINES / machine))
    join.join(snapshot.facts)
    snapshot.facts["dev.kfd_openable"] = snapshot.facts["dev.render_openable"] = Known(True, "device_open")
    return snapshot


@pytest.fixture()
def saved(tmp_path):
    """Write a machine's snapshot, changed as asked, and give its path."""
    def make(machine="rx7900xtx", **changes):
        snapshot = recorded(machine)
        facts = dict(snapshot.facts)
        for name, value in changes.items():
            facts[name] = value if isinstance(value, (Known, Absent, Unknown)) else Known(value, "changed")
        file = tmp_path / "snapshot.json"
        file.write_text(json.dumps(snapshot_to_json(dataclasses.replace(snapshot, facts=facts))))
        return str(file)
    return make


@pytest.fixture()
def policy(tmp_path):
    """Write a policy and give its path."""
    def make(text, name="p.yaml"):
        file = tmp_path / name
        file.write_text(text)
        return str(file)
    return make


@functools.cache
def parsed(text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "p.yaml")
        file.write_text(text)
        return load(str(file), TODAY)[0]


def outcomes_of(text, facts, findings=None, level=2, today=TODAY):
    return judge(parsed(text), Snapshot("2026-11-28T12:00:00+00:00", "live", facts), findings, level, today)


# --- verdicts and exit statuses, through the real command ---

GOOD = "expect:\n  gpus: {count: 1, gfx: gfx1100}\n  pcie: {width: 16}\n"


def test_pass_is_0(policy, saved):
    done = run("preflight", "--policy", policy(GOOD), "--snapshot", saved())
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("PASS")


def test_fail_is_1_and_says_expected_found_source_fix_and_action(policy, saved):
    done = run("preflight", "--policy", policy(GOOD), "--snapshot", saved(**{"gpu.link_width[0]": 4}))
    assert done.returncode == 1
    for words in ("FAIL", "pcie.width, gpu 0 (0000:03:00.0)", "expected 16, found x4", "ISOLATE", "reseat", "LnkSta"):
        assert words in done.stdout, words


def test_a_warning_passes_unless_asked_otherwise(policy, saved):
    file = policy("expect:\n  pcie: {width: {want: 16, on_fail: warn}}\n")
    snapshot = saved(**{"gpu.link_width[0]": 8})
    assert run("preflight", "--policy", file, "--snapshot", snapshot).returncode == 0
    assert run("preflight", "--policy", file, "--snapshot", snapshot, "--fail-on", "warning").returncode == 1


def test_unknown_is_3_and_never_passes_by_itself(policy, saved):
    snapshot = saved(**{"gpu.link_width[0]": Unknown("timed_out", "no answer", "lspci -vv")})
    done = run("preflight", "--policy", policy(GOOD), "--snapshot", snapshot)
    assert done.returncode == 3
    assert "timed out: no answer" in done.stdout and "lspci -vv" in done.stdout
    lax = policy("expect:\n  pcie: {width: {want: 16, unknown: pass}}\n", "lax.yaml")
    assert run("preflight", "--policy", lax, "--snapshot", snapshot).returncode == 0


def test_a_failure_outweighs_what_is_unknown(policy, saved):
    snapshot = saved(**{"gpu.link_width[0]": Unknown(), "pci.amd_gpu_count": 2})
    assert run("preflight", "--policy", policy(GOOD), "--snapshot", snapshot).returncode == 1


def test_nothing_asked_at_this_level_is_unknown(policy, saved):
    done = run("preflight", "--policy", policy("expect: {torch: {available: true}}"), "--snapshot", saved())
    assert done.returncode == 3
    assert "asked from level 2 on" in done.stdout


@pytest.mark.parametrize(("arguments", "words"), [
    ((), "shipped policies: ci-runner"),
    (("--policy", "no-such-policy"), "no shipped policy"),
    (("--policy", "/nonexistent/p.yaml"), "cannot be read"),
    (("--policy", "ci-runner", "--format", "xml"), "there is no format 'xml'"),
    (("--policy", "ci-runner", "--format", "json="), "name a file"),
    (("--policy", "ci-runner", "--format", "json", "--format", "tap"), "would mix"),
    (("--policy", "ci-runner", "--root", "/nonexistent"), "no such folder"),
    (("--policy", "ci-runner", "--snapshot", "/nonexistent"), "no such file"),
    (("--policy", "ci-runner", "--level", "9"), "level"),
])
def test_wrong_usage_is_2_in_one_line(arguments, words):
    done = run("preflight", *arguments)
    assert done.returncode == 2
    assert words in done.stderr and "Traceback" not in done.stderr


def test_a_failure_of_our_own_is_70(tmp_path, policy, saved):
    for name in ("rocmdoctor", "rules", "probes"):
        shutil.copytree(TOP / name, tmp_path / "copy" / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "copy/rules/data/preflight_advice.yaml").write_text("nothing: of the kind\n")
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "preflight", "--policy", policy(GOOD), "--snapshot", saved(**{"gpu.link_width[0]": 4})],
                          cwd=tmp_path / "copy", env={**os.environ, "PYTHONPATH": str(tmp_path / "copy"), "XDG_CACHE_HOME": str(tmp_path / "cache")},
                          capture_output=True, text=True)
    assert done.returncode == 70, done.stderr
    assert "please report" in done.stderr and "Traceback" not in done.stderr


def test_a_recorded_tree_and_the_shipped_policy_meant_for_it():
    done = run("preflight", "--policy", "radeon-workstation", "--root", MACHINES / "rx7900xtx")
    assert done.returncode == 3  # whether the nodes open is not recorded
    assert "access.kfd" in done.stdout and "not done on a recorded machine" in " ".join(done.stdout.split())  # the path before it may be long


# --- the law: what is hidden never passes ---

EVERYTHING = """
expect:
  gpus: {count: 1, product: 7900, gfx: gfx1100, pci_id: "1002:744c", vbios: "113-*", driver: amdgpu, all_in_kfd: true, power_state: active, compute_units: 96}
  versions: {kernel: ">=6.8,<7", driver: ">=1", rocm: ">=6", mesa: ">=20", bios: ">=0", linux_firmware: ">=1"}
  firmware: {mec: ">=0x10"}
  partitions: {compute: SPX, memory: NPS1}
  memory: {vram: ">=20GiB", vram_free: ">=50%", gtt: ">=1GiB", ram: ">=8GiB", ttm_limit: ">=1GiB"}
  pcie: {width: 16, speed: ">=16", atomics: true, resizable_bar: true}
  xgmi: {links: 0}
  ras: {uncorrectable: 0, correctable: 0, bad_pages: 0}
  system: {iommu: [passthrough, "off", "on"], numa_balancing: false, secure_boot: false, distribution: ubuntu, virtual: kvm,
           parameters: quiet, no_parameters: nomodeset}
  access: {kfd: true, render: true}
  container: {gpus: 1}
  torch: {available: true, version: ">=2", hip: ">=6", devices: 1}
  python: {vllm: ">=0.1"}
  kernels: {verdict: right, backends: [vulkan], copy_rate: ">=1GiB"}
  findings: {severity: error, forbid: gpu-hang}
conditions:
  - {name: cus, that: gpu.cu_count > 90, for_each: gpu}
"""


def test_the_policy_of_these_tests_asks_for_everything():
    asked = {outcome.expectation for outcome in outcomes_of(EVERYTHING, {})}
    assert {"firmware.mec" if path == "firmware.*" else "python.vllm" if path == "python.*" else path for path in KINDS} <= asked


def test_of_a_machine_of_which_nothing_is_known_everything_is_unknown():
    known = [o for o in outcomes_of(EVERYTHING, {}) if o.verdict != "UNKNOWN" and not o.expectation.startswith("conditions.")]
    assert known == []


@pytest.mark.parametrize("machine", ["rx7900xtx", "strix-halo-512m-gtt", "no-amd-gpu"])
def test_hiding_a_fact_turns_an_outcome_only_into_unknown(machine):
    facts = recorded(machine).facts
    items = items_of(facts)
    before = {(o.expectation, o.subject): o.verdict for o in outcomes_of(EVERYTHING, facts)}
    for name in list(facts):
        if name.startswith("gpu.pci_address"):
            continue  # the name of the subject, not what is judged
        less = {k: v for k, v in facts.items() if k != name}
        if items_of(less) != items:
            continue
        for outcome in outcomes_of(EVERYTHING, less):
            was = before.get((outcome.expectation, outcome.subject))
            assert outcome.verdict == "UNKNOWN" or was in (None, outcome.verdict), (name, outcome)


def test_the_node_that_the_shipped_policy_is_meant_for(tmp_path):
    """Eight MI300X with seven links each; one retired page is to be watched and condemns nothing."""
    done = run("preflight", "--policy", "mi300x-node", "--root", MACHINES / "mi300x-node", "--format", "json")
    data = json.loads(done.stdout)
    rest = {o["expectation"]: o["verdict"] for o in data["outcomes"] if o["verdict"] not in ("PASS", "SKIPPED")}
    assert rest == {"access.kfd": "UNKNOWN", "access.render": "UNKNOWN", "ras.bad_pages": "WARN", "versions.rocm": "WARN"}
    assert done.returncode == 3 and data["fault"]["kind"] == "software"
    links = [o for o in data["outcomes"] if o["expectation"] == "xgmi.links"]
    assert [(o["subject"], o["actual"], o["verdict"]) for o in links] == [("8 GPUs", "7", "PASS")]


@pytest.mark.parametrize("odd", ["", "text", -1, 0.5, 1e999, True, [], [None], {}, {"a": []}, [[{}]], 10**40], ids=repr)
def test_facts_of_an_odd_type_are_judged_or_unknown_and_never_a_failure_of_our_own(odd):
    facts = recorded("rx7900xtx").facts
    changed = {name: Known(odd, "odd") if isinstance(fact, Known) and not name.startswith("gpu.pci_address") else fact for name, fact in facts.items()}
    changed |= {f"test.verdict[{odd!r}]": Known(odd, "odd"), "pip.packages": Known(odd, "odd"), "container.kind": Known("docker", "x"),
                "dev.render_nodes": Known(odd, "odd"), "torch.devices[x]": Known(odd, "odd"), "gpu.holders[0]": Known(odd, "odd")}
    outcomes = outcomes_of(EVERYTHING, changed)
    assert {o.verdict for o in outcomes} <= {"PASS", "FAIL", "UNKNOWN"}


# --- waivers ---

WAIVED = GOOD + "waivers:\n  - {expectation: pcie.width, subject: '0000:03', reason: riser ordered, expires: %s}\n"


def test_a_waived_failure_is_a_warning_with_its_reason_until_its_day():
    facts = {**recorded("rx7900xtx").facts, "gpu.link_width[0]": Known(4, "x")}
    [width] = [o for o in outcomes_of(WAIVED % "2026-11-28", facts) if o.expectation == "pcie.width"]
    assert width.verdict == "WARN" and "waived until 2026-11-28: riser ordered" in width.says
    [width] = [o for o in outcomes_of(WAIVED % "2026-11-27", facts) if o.expectation == "pcie.width"]
    assert width.verdict == "FAIL" and "expired on 2026-11-27" in width.says


def test_lint_names_an_expired_waiver_and_the_gate_still_runs(policy, saved):
    file = policy(WAIVED % "2020-01-01")
    done = run("preflight", "lint", file)
    assert done.returncode == 1 and f"{file}:5: the waiver of pcie.width expired" in done.stdout
    done = run("preflight", "--policy", file, "--snapshot", saved())
    assert done.returncode == 0 and "expired" in done.stderr


# --- bad policies: one line each, with file and line ---

BAD = [
    ("", 1, "empty"),
    ("- a\n- b\n", 1, "a policy is a mapping"),
    ("name: x\n", 1, "expects nothing"),
    ("expect:\n  gpus: {cuont: 8}\n", 2, "did you mean count?"),
    ("expect:\n  gpu: {count: 8}\n", 2, "did you mean gpus?"),
    ("expct: {}\nexpect: {gpus: {count: 1}}\n", 1, "did you mean expect?"),
    ("expect:\n  gpus:\n    count: many\n", 3, "not a whole number"),
    ("expect:\n  gpus:\n    count: -3\n", 3, "not a whole number"),
    ("expect:\n  gpus:\n    count: 1\n    count: 2\n", 4, "second time"),
    ("expect:\n  versions:\n    kernel: '>>6'\n", 3, "is no bound"),
    ("expect:\n  versions:\n    kernel: new\n", 3, "no version in"),
    ("expect:\n  versions:\n    kernel: ['6', '7']\n", 3, "not a list"),
    ("expect:\n  memory:\n    vram: 12\n", 3, "between 1 MiB"),
    ("expect:\n  memory:\n    vram_free: '>=120%'\n", 3, "more than all"),
    ("expect:\n  firmware:\n    mec: new\n", 3, "not a firmware version"),
    ("expect:\n  access:\n    kfd: maybe\n", 3, "true or false"),
    ("expect:\n  findings:\n    severity: bad\n", 3, "one of critical"),
    ("expect:\n  pcie:\n    width: {wants: 16}\n", 3, "did you mean want?"),
    ("expect:\n  pcie:\n    width: {want: 16, on_fail: explode}\n", 3, "on_fail is one of"),
    ("expect:\n  pcie: 16\n", 2, "pcie is a mapping"),
    ("expect: {gpus: {count: 1}}\nconditions:\n  - {name: a, that: no.such == 1}\n", 3, "not a declared fact"),
    ("expect: {gpus: {count: 1}}\nconditions:\n  - {name: a}\n", 3, "says what holds"),
    ("expect: {gpus: {count: 1}}\nconditions:\n  - {name: a, that: known(kernel.release)}\n", 3, "known()"),
    ("expect: {gpus: {count: 1}}\nwaivers:\n  - {expectation: join.count, reason: x, expires: soon}\n", 3, "not a day"),
    ("expect: {gpus: {count: 1}}\nwaivers:\n  - {expectation: join.count}\n", 3, "needs reason, expires"),
    ("expect: {gpus: {count: 1}}\nwaivers:\n  - {expectation: pcie.width, reason: x, expires: 2030-01-01}\n", 3, "no expectation"),
    ("expect: {gpus: {count: [1\n", 2, "not YAML"),
    ("expect:\n\t gpus: 1\n", 2, "not YAML"),
]


@pytest.mark.parametrize(("text", "line", "words"), BAD, ids=[words for _, _, words in BAD])
def test_lint_says_what_is_wrong_and_where(policy, text, line, words):
    file = policy(text)
    done = run("preflight", "lint", file)
    assert done.returncode == 1
    assert any(said.startswith(f"{file}:{line}: ") and words in said for said in done.stdout.splitlines()), done.stdout
    assert run("preflight", "--policy", file).returncode == 2


def test_a_policy_that_would_grow_without_bound_is_refused(policy):
    rows = ["a: &a {x: 1}"] + [f"{chr(97 + i)}: &{chr(97 + i)} {{{', '.join(f'k{n}: *{chr(96 + i)}' for n in range(9))}}}" for i in range(1, 9)]
    with pytest.raises(BadPolicy):
        load(policy("\n".join(rows) + "\nexpect: *i\n"), TODAY)
    with pytest.raises(BadPolicy, match="larger than 1 MiB"):
        load(policy("#" * (2 << 20)), TODAY)


@pytest.mark.parametrize("text", ["[" * 500_000, "{a: " * 200_000, "- " * 500_000, "expect: " + "[" * 60_000 + "]" * 60_000],
                         ids=["brackets", "braces", "dashes", "closed"])
def test_a_policy_nested_too_deeply_is_refused_before_a_parser_calls_itself(policy, text):
    """In a process of its own: what this is about ends the interpreter."""
    file = policy(text)
    done = typed("preflight", "lint", file)
    assert (done.returncode, done.stdout) == (1, f"{file}:1: nested too deeply, more than 50 levels\n"), done.stderr
    assert run("preflight", "--policy", file).returncode == 2


def test_a_pipe_is_no_policy_and_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    done = typed("preflight", "lint", tmp_path / "pipe.yaml")
    assert done.returncode == 1 and "not a regular file" in done.stdout
    done = typed("preflight", "--policy", tmp_path / "pipe.yaml")
    assert done.returncode == 2 and "not a regular file" in done.stderr


@pytest.mark.parametrize("name", sorted(shipped()))
def test_shipped_policies_are_clean_and_never_pass_an_unread_machine(name):
    made, old = load(name, TODAY)
    assert made.name == name and made.description and not old
    outcomes = judge(made, Snapshot("2026-11-28T12:00:00+00:00", "live"), [], 2, TODAY)
    assert verdict.overall(outcomes) == "UNKNOWN"


@pytest.mark.parametrize("machine", ["rx7900xtx", "mi300x-cpx", "strix-halo-96-32", "rx9070xt-with-igpu", "mi300x-node"])
def test_the_machine_that_a_policy_is_made_from_passes_it(machine, tmp_path):
    file = tmp_path / "made.yaml"
    assert run("preflight", "init", "--root", MACHINES / machine, "-o", file).returncode == 0
    assert run("preflight", "lint", file).returncode == 0
    done = run("preflight", "--policy", file, "--root", MACHINES / machine)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("odd", ["text", "", "\x1b]0;x\x07\n", "\ud800", "🙂", -1, 10**400, 1e308, float("nan"), float("inf"), True, None, [], [None],
                                 {"a": 1}, 1.5], ids=ascii)
def test_of_a_damaged_snapshot_a_policy_is_made_that_lint_takes(odd, saved, tmp_path):
    names = [name for name, fact in recorded("mi300x-node").facts.items() if isinstance(fact, Known)]
    file = tmp_path / "made.yaml"
    done = run("preflight", "init", "--snapshot", saved("mi300x-node", **dict.fromkeys(names, odd)), "-o", file)
    usable = type(odd) is int and abs(odd) < 1 << 80  # the number of GPUs is one; a value of another type is not known
    assert done.returncode == (0 if usable else 3), done.stderr
    if usable:
        assert run("preflight", "lint", file).returncode == 0, file.read_text()
        made, _ = load(str(file), TODAY)
        assert "expect:" in file.read_text() and made.name == "this-machine"
    alone = saved("mi300x-node", **dict.fromkeys((name for name in names if name != "pci.amd_gpu_count"), odd))
    assert run("preflight", "init", "--snapshot", alone, "-o", file).returncode == 0
    assert "count: 8" in file.read_text() and "inf" not in file.read_text() and "nan" not in file.read_text().replace("findings", "")


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), [float("-inf")]], ids=repr)
def test_json_holds_no_word_that_is_not_json(odd, policy, saved):
    done = run("preflight", "--policy", policy(GOOD), "--snapshot", saved(**{"gpu.link_width[0]": odd, "gpu.vram_bytes[0]": odd}), "--format", "json")

    def refuse(word):
        raise AssertionError(word)
    data = json.loads(done.stdout, parse_constant=refuse)
    assert done.returncode == 3 and data["snapshot"]["facts"]["gpu.vram_bytes[0]"]["state"] == "unknown"


def test_no_policy_is_made_where_there_is_no_gpu():
    done = run("preflight", "init", "--root", MACHINES / "no-amd-gpu")
    assert done.returncode == 3 and "no AMD GPU" in done.stderr and not done.stdout


def test_the_page_explains_every_expectation_and_its_policy_is_clean(policy):
    page = (TOP / "docs/preflight.md").read_text()
    text = page.split("```yaml")[1].split("```")[0]
    assert load(policy(text), TODAY)[0].waivers
    table = page.split("| expectation | wants | asks |")[1].split("\n\n")[0]
    for path in KINDS:
        section, _, name = path.partition(".")
        assert f"`{path}`" in table or (f"`{section}." in table and f".{name}`" in table) or path.endswith("*"), path


# --- single kinds where a wrong answer would cost most ---

def one(path, want, **facts):
    section, _, leaf = path.partition(".")
    held: dict[str, Fact] = {"gpu.pci_address[0]": Known("0000:03:00.0", "x"), "pci.amd_gpu_count": Known(1, "x")}
    held |= {name: value if isinstance(value, (Absent, Unknown)) else Known(value, "x") for name, value in facts.items()}
    return outcomes_of(f"expect: {{{section}: {{{leaf}: {want}}}}}", held)[0]


@pytest.mark.parametrize(("path", "want", "facts", "expected"), [
    ("gpus.count", "8", {"pci.amd_gpu_count": 7}, "FAIL"),
    ("versions.kernel", "'>=6.8,<6.17'", {"kernel.release": "6.17.0-5-generic"}, "FAIL"),
    ("versions.kernel", "'>=6.8'", {"kernel.release": "6.12.1"}, "PASS"),
    ("versions.kernel", "'>=6.8'", {"kernel.release": "v6.8rc1"}, "PASS"),
    ("versions.kernel", "'>=6.8'", {"kernel.release": "git-9f3a1c"}, "UNKNOWN"),
    ("versions.kernel", "'>=6.8'", {"kernel.release": "9f3a1c"}, "UNKNOWN"),
    ("versions.kernel", "'>=6.8'", {"kernel.release": "custom-2024"}, "UNKNOWN"),
    ("versions.kernel", "'<7'", {"kernel.release": "linux-next-1"}, "UNKNOWN"),
    ("versions.rocm", "'>=7'", {"runtime.rocm_version": "7.2.26015-fc0010cf6a"}, "PASS"),
    ("versions.linux_firmware", "'>=20240101'", {"firmware.package_version": "20240318.git3b128b60-0ubuntu2"}, "PASS"),
    ("versions.linux_firmware", "'>=20240101'", {"firmware.package_version": "1:20230318-1"}, "FAIL"),
    ("versions.driver", "'>=6.12'", {"amdgpu.version": Absent("x")}, "FAIL"),
    ("firmware.mec", "'>=0x1f'", {"gpu.fw.mec[0]": "0x0000001e"}, "FAIL"),
    ("firmware.mec", "'>=0x1f'", {"gpu.fw.mec[0]": "garbage"}, "UNKNOWN"),
    ("gpus.driver", "amdgpu", {"gpu.driver[0]": Absent("x")}, "FAIL"),
    ("gpus.driver", "amdgpu", {"gpu.driver[0]": "vfio-pci"}, "FAIL"),
    ("pcie.speed", "16", {"gpu.link_speed_gts[0]": 2.5, "gpu.link_max_speed_gts[0]": 16.0}, "UNKNOWN"),
    ("pcie.speed", "16", {"gpu.link_speed_gts[0]": 8.0, "gpu.link_max_speed_gts[0]": 16.0}, "FAIL"),
    ("pcie.speed", "16", {"gpu.link_speed_gts[0]": 2.5, "gpu.link_max_speed_gts[0]": 8.0}, "FAIL"),
    ("memory.vram_free", "'>=90%'", {"gpu.vram_bytes[0]": 100 << 20, "gpu.vram_used_bytes[0]": 20 << 20}, "FAIL"),
    ("ras.uncorrectable", "0", {"gpu.ras_ue_count[0]": Absent("x")}, "UNKNOWN"),
    ("ras.uncorrectable", "0", {"gpu.ras_ue_count[0]": 1}, "FAIL"),
    ("system.iommu", "[passthrough, off]", {"machine.iommu": "off"}, "PASS"),
    ("system.numa_balancing", "false", {"kernel.numa_balancing": 1}, "FAIL"),
    ("system.parameters", "[iommu=pt]", {"kernel.cmdline": "ro iommu=on"}, "FAIL"),
    ("system.no_parameters", "[nomodeset]", {"kernel.cmdline": "ro nomodeset"}, "FAIL"),
    ("container.gpus", "1", {"container.kind": Absent("x")}, "UNKNOWN"),
    ("container.gpus", "1", {"container.kind": "docker", "dev.kfd_exists": True, "dev.render_nodes": ["/dev/dri/renderD128"]}, "PASS"),
    ("container.gpus", "1", {"container.kind": "docker", "dev.kfd_exists": False, "dev.render_nodes": ["/dev/dri/renderD128"]}, "FAIL"),
    ("python.vllm", "'>=0.9'", {"pip.packages": {"vLLM": "0.8.1"}}, "FAIL"),
    ("python.vllm", "'>=0.9'", {"pip.packages": {"torch": "2.9"}}, "FAIL"),
    ("torch.available", "true", {"torch.available[/v/bin/python]": False}, "FAIL"),
    ("torch.available", "true", {"torch.available[/v/bin/python]": Absent("no torch in this interpreter")}, "FAIL"),
    ("torch.available", "true", {"torch.available[/v/bin/python]": Unknown("crashed"), "torch.error[/v/bin/python]": "OSError: x"}, "FAIL"),
    ("torch.available", "true", {"torch.available[/v/bin/python]": Unknown("timed_out")}, "UNKNOWN"),
    ("torch.hip", "'>=6'", {"torch.hip[/v/bin/python]": Absent("CUDA build")}, "FAIL"),
    ("xgmi.links", "7", {"gpu.xgmi_links[0]": 6}, "FAIL"),
    ("kernels.verdict", "right", {}, "UNKNOWN"),
    ("kernels.verdict", "right", {"test.verdict[vulkan-0]": "wrong"}, "FAIL"),
    ("kernels.verdict", "right", {"test.verdict[vulkan-0]": "right", "test.device_type[vulkan-0]": "cpu"}, "UNKNOWN"),
    ("kernels.verdict", "right", {"test.verdict[vulkan-0]": "right", "test.device_type[vulkan-0]": "discrete"}, "PASS"),
    ("kernels.backends", "vulkan", {"test.backend[vulkan-0]": "vulkan", "test.device_type[vulkan-0]": "cpu"}, "UNKNOWN"),
    ("kernels.copy_rate", "'>=20GiB'", {"test.copy_bytes_per_s[vulkan-0]": 1.2e10}, "FAIL"),
    ("kernels.verdict", "right", {"test.verdict[vulkan-0]": "skipped", "test.reason[vulkan-0]": "busy"}, "UNKNOWN"),
])
def test_one_kind(path, want, facts, expected):
    outcome = one(path, want, **facts)
    assert outcome.verdict == expected, outcome
    assert outcome.action or outcome.verdict == "PASS"


def finding(name, standing="cause", severity="error"):
    return Finding(name, standing, severity, "driver", "", f"title of {name}", "", "")


def test_findings_forbid_by_severity_or_name_and_a_possible_one_is_not_decided():
    text = "expect: {findings: {severity: error, allow: [old-known]}}"
    assert [o.verdict for o in outcomes_of(text, {}, [finding("gpu-hang")])] == ["FAIL"]
    assert [o.verdict for o in outcomes_of(text, {}, [finding("gpu-hang", "possible")])] == ["UNKNOWN"]
    assert [o.verdict for o in outcomes_of(text, {}, [finding("old-known"), finding("mild", severity="warning")])] == ["PASS"]
    assert [o.verdict for o in outcomes_of("expect: {findings: {forbid: [mild]}}", {}, [finding("mild", severity="warning")])] == ["FAIL"]


# --- hardware or software ---

def out(name, kind="", verdict_="FAIL", action="CONFIG"):
    return Outcome(name, "", verdict_, "", "", kind=kind, action=action)


@pytest.mark.parametrize(("outcomes", "kind"), [
    ([out("gpus.count", verdict_="PASS")], "none"),
    ([out("ras.uncorrectable", "hardware")], "hardware_suspected"),
    ([out("versions.kernel", "software")], "software"),
    ([out("ras.uncorrectable", "hardware"), out("versions.rocm", "software")], "undecided"),
    ([out("system.iommu", "configuration")], "configuration"),
    ([out("pcie.width", verdict_="UNKNOWN")], "undecided"),
    ([out("ras.bad_pages", "watch", "WARN")], "none"),
    ([out("gpus.gfx", "configuration"), out("gpus.count", "hardware")], "configuration"),
    ([out("kernels.verdict", "undecided")], "undecided"),
])
def test_where_the_fault_lies(outcomes, kind):
    fault = verdict.fault(outcomes)
    assert fault.kind == kind
    assert "RMA" not in fault.says and "replace it" not in fault.says
    if kind == "hardware_suspected":
        assert "One reading is not enough" in fault.says


def kernels(**verdicts):
    return outcomes_of("expect: {kernels: {verdict: right}}", {f"test.verdict[{item}]": Known(v, "t") for item, v in verdicts.items()})


def test_wrong_through_one_backend_is_software_and_through_all_of_several_the_device():
    wrong = next(o for o in kernels(**{"vulkan-0": "right", "hip-0": "wrong"}) if o.verdict == "FAIL")
    assert (wrong.kind, wrong.action) == ("software", "CONFIG")
    assert {(o.kind, o.action) for o in kernels(**{"vulkan-0": "wrong", "hip-0": "wrong"})} == {("hardware", "ISOLATE")}
    [alone] = kernels(**{"vulkan-0": "wrong"})
    assert alone.kind == "undecided" and alone.action == "RESET"


# --- formats, each read by a parser that others wrote ---

HOSTILE = 'a\x1b[31m"b" | c\n]]> <x> ## \\ % ::error::'


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """All formats of one run that has every verdict and a hostile text in it."""
    folder = tmp_path_factory.mktemp("formats")
    facts = {**recorded("rx7900xtx").facts, "gpu.link_width[0]": Known(4, "x"), "machine.iommu": Known(HOSTILE, HOSTILE)}
    snapshot = folder / "snapshot.json"
    snapshot.write_text(json.dumps(snapshot_to_json(dataclasses.replace(recorded("rx7900xtx"), facts=facts))))
    (folder / "p.yaml").write_text("expect:\n  gpus: {count: 1}\n  pcie: {width: 16}\n  system: {iommu: {want: passthrough, on_fail: warn}}\n"
                                   "  ras: {bad_pages: 0}\n  torch: {available: true}\n")
    names = ("json", "junit", "tap", "nagios", "prometheus", "github", "text")
    done = run("preflight", "--policy", folder / "p.yaml", "--snapshot", snapshot, *(f"--format={name}={folder / name}" for name in names))
    assert done.returncode == 1 and done.stdout == "", done.stderr
    return {name: (folder / name).read_text("utf-8") for name in names}


def test_json_has_its_schema(written):
    data = json.loads(written["json"])
    jsonschema.validate(data, json.loads((TOP / "docs/preflight.schema.json").read_text()))
    assert {o["verdict"] for o in data["outcomes"]} == {"PASS", "FAIL", "WARN", "UNKNOWN", "SKIPPED"}
    assert data["verdict"] == "FAIL" and data["exit_status"] == 1 and data["action"] == "ISOLATE"


def test_junit_is_read_by_junitparser(written):
    junitparser = pytest.importorskip("junitparser", reason="junitparser is not installed (extra dev)")
    suites = junitparser.JUnitXml.fromstring(written["junit"].encode())
    assert (suites.tests, suites.failures, suites.errors, suites.skipped) == (5, 1, 1, 1)
    kinds = {case.name.split(",")[0]: [type(result).__name__ for result in case.result] for suite in suites for case in suite}
    assert kinds["pcie.width"] == ["Failure"] and kinds["ras.bad_pages"] == ["Error"] and kinds["torch.available"] == ["Skipped"]
    assert kinds["gpus.count"] == kinds["system.iommu"] == []


def test_tap_is_read_by_a_consumer(written):
    parser = pytest.importorskip("tap.parser", reason="tap.py is not installed (extra dev)")
    lines = [line for line in parser.Parser().parse_text(written["tap"]) if line.category == "test"]
    assert [(line.ok, line.skip, line.todo) for line in lines] == [
        (True, False, False), (False, False, False), (False, False, True), (False, False, False), (True, True, False)]
    assert [line.category for line in parser.Parser().parse_text(written["tap"])].count("unknown") <= written["tap"].count("\n  ")


def test_prometheus_text_is_read_by_its_parser(written):
    parser = pytest.importorskip("prometheus_client.parser", reason="prometheus_client is not installed (extra dev)")
    families = {family.name: family for family in parser.text_string_to_metric_families(written["prometheus"])}
    states = {s.labels["verdict"]: s.value for s in families["rocmdoctor_preflight_verdict"].samples}
    assert states == {"fail": 1, "unknown": 0, "warn": 0, "pass": 0}
    held = {s.labels["expectation"]: s.value for s in families["rocmdoctor_preflight_expectation"].samples}
    assert held["gpus.count"] == 1 and held["pcie.width"] == 0


def test_nagios_is_one_line_with_one_bar(written):
    line = written["nagios"]
    assert line.startswith("ROCMDOCTOR CRITICAL - pcie.width") and line.count("\n") == 1 and line.count("|") == 1
    assert "pass=1 warn=1 fail=1 unknown=1" in line and "\x1b" not in line


def test_github_annotations_stand_on_the_line_of_the_policy(written):
    lines = written["github"].splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::error", "::notice"]
    assert ",line=3," in lines[0] and ",line=4," in lines[1]
    assert all("\x1b" not in line for line in lines)


HOSTILE_NAME = "rack\x1b]0;pwned\x07\x1b[31m"


def test_escape_sequences_of_a_policy_reach_no_format_and_no_terminal(policy, saved):
    text = f"name: {json.dumps(HOSTILE_NAME)}\n{GOOD}"
    file = policy(text, f"{HOSTILE_NAME}.yaml")
    bad = saved(**{"gpu.link_width[0]": 4})
    for name in ("text", "github", "junit", "tap", "nagios", "prometheus", "json"):
        done = run("preflight", "--policy", file, "--snapshot", bad, "--format", name)
        assert done.returncode == 1 and "\x1b" not in done.stdout + done.stderr and "\x07" not in done.stdout, name
    for arguments in (("preflight", "lint", policy("expct: 1\n", f"{HOSTILE_NAME}2.yaml")), ("preflight", "lint", file + "/none"),
                      ("preflight", "--policy", file + "/none"), ("preflight", "--policy", file, "--root", file),
                      ("preflight", "--policy", file, "--snapshot", bad, "--format", f"json={file}/none")):
        done = run(*arguments)
        assert done.returncode in (1, 2) and "rack" in done.stdout + done.stderr and "\x1b" not in done.stdout + done.stderr


def test_a_report_of_a_saved_machine_is_named_after_it(policy, saved, tmp_path):
    def node(*arguments):
        return json.loads(run("preflight", "--policy", policy(GOOD), *arguments, "--format", "json").stdout)["node"]
    file = pathlib.Path(saved())
    assert node("--snapshot", file) == "snapshot"
    assert node("--snapshot", file.rename(tmp_path / "node7.rack.json")) == "node7.rack"
    report = tmp_path / "report.json"
    report.write_text(json.dumps({"node": "gpu-17", "snapshot": json.loads((tmp_path / "node7.rack.json").read_text())}))
    assert node("--snapshot", report) == "gpu-17"
    assert node("--root", MACHINES / "rx7900xtx") == "rx7900xtx"
    (tmp_path / "tree/etc").mkdir(parents=True)
    assert node("--root", tmp_path / "tree") == "tree"
    (tmp_path / "tree/etc/hostname").write_text("# name\nnode9\n")
    assert node("--root", tmp_path / "tree") == "node9"


PRIVATE = """name: box of alice at 192.168.7.9
expect:
  gpus: {product: /home/alice/cards}
  pcie: {width: {want: 16, why: ask admin@example.com}}
conditions:
  - {name: c, that: "gpu.vbios == '/home/alice/vbios'", for_each: gpu, fix: "run /home/alice/flash.sh on 192.168.7.9"}
"""


@pytest.mark.parametrize("name", ["text", "json", "junit", "tap", "nagios", "prometheus", "github"])
def test_private_words_leave_in_no_file(name, policy, saved, tmp_path):
    bad = saved(**{"gpu.link_width[0]": Unknown("unreadable", "", "cat /home/alice/width"), "gpu.vbios[0]": "x"})
    out = tmp_path / "out"
    for more, there in (((), False), (("--no-redact",), True)):
        done = run("preflight", "--policy", policy(PRIVATE), "--snapshot", bad, "--format", f"{name}={out}", "--format",
                   "nagios" if name == "text" else "text", *more)
        assert done.returncode == 1, done.stderr
        assert any(word in out.read_text() for word in ("alice", "192.168.7.9", "admin@example.com")) is there, out.read_text()


def test_text_on_the_terminal_says_what_is_meant(policy, saved):
    done = run("preflight", "--policy", policy(PRIVATE), "--snapshot", saved(**{"gpu.vbios[0]": "x"}))
    assert "/home/alice/flash.sh" in done.stdout


def test_several_formats_one_of_them_on_standard_output(policy, saved, tmp_path):
    done = run("preflight", "--policy", policy(GOOD), "--snapshot", saved(), "--format", "tap", "--format", f"junit={tmp_path / 'j.xml'}")
    assert done.stdout.startswith("TAP version 13") and (tmp_path / "j.xml").read_text().startswith("<?xml")


# --- safe beside jobs, and beside itself ---

def test_a_gpu_with_work_on_it_is_busy_and_a_desktop_is_not():
    busy = examination.busy
    assert "97 %" in busy({"gpu.busy_percent[0]": Known(97, "x")})
    assert "llama-server" in busy({"gpu.holders[0]": Known([{"pid": 7, "name": "llama-server", "vram_bytes": 1, "gtt_bytes": 0, "kfd_bytes": 9}], "x")})
    assert busy({"gpu.busy_percent[0]": Known(4, "x"), "gpu.busy_percent[1]": Unknown(),
                 "gpu.holders[0]": Known([{"pid": 7, "name": "Xorg", "vram_bytes": 1 << 28, "gtt_bytes": 0, "kfd_bytes": 0}], "x")}) == ""


@pytest.mark.parametrize("load", [97, 3])
def test_the_loud_lane_runs_on_idle_gpus_only(monkeypatch, load):
    """Collecting is replaced: no machine here has a GPU that could be busy."""
    ran: list[str] = []

    def fake(taken, root, progress, only, patience, pythons=()):
        from rocmdoctor.knowledge.paths import data_dir
        ran.extend(probe.path.stem for probe in examination.find_probes([data_dir("probes")]) if only(probe))
        return Snapshot(taken, "live", {"gpu.busy_percent[0]": Known(load, "x"), "gpu.pci_id[0]": Known("1002:744c", "x")}), []

    class Nothing:
        def scan(self, *_):
            return ()
    monkeypatch.setattr(examination, "collect", fake)
    snapshot = examination.examination("now", "/", 2, ("python3",), Nothing)
    assert ("py_torch" in ran) is (load < examination.BUSY_PERCENT)
    if load > examination.BUSY_PERCENT:
        fact = snapshot.facts["torch.available"]
        assert isinstance(fact, Unknown) and fact.reason == "skipped" and "busy (97 %)" in fact.detail
        assert any("no job is disturbed" in note for note in snapshot.notes)


def test_turns_are_taken_and_nothing_is_left(tmp_path):
    lock = tmp_path / "lock"
    ticks = iter(range(100))
    with turn(lock, 10) as first:
        assert first and lock.exists()
        with turn(lock, 0, clock=lambda: next(ticks)) as second:
            assert second is False
    assert not lock.exists()
    with turn(tmp_path / "no/such/folder/lock", 1) as free:
        assert free
    assert place(str(tmp_path), 1000).parent == tmp_path
    assert place("/nonexistent", 1000).parent == pathlib.Path("/tmp")


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "lock").symlink_to(victim)
    with turn(tmp_path / "lock", 1):
        pass
    assert victim.read_text() == "precious"


LIVE = "expect:\n  gpus: {count: '>=0'}\n  system: {distribution: '*'}\n"


def test_many_at_once_are_all_right_and_leave_nothing(policy, tmp_path):
    runtime, temporary = tmp_path / "run", tmp_path / "tmp"
    runtime.mkdir()
    temporary.mkdir()
    env = {**os.environ, "PYTHONPATH": str(TOP), "XDG_RUNTIME_DIR": str(runtime), "TMPDIR": str(temporary)}
    file = policy(LIVE)
    children = [subprocess.Popen([sys.executable, "-m", "rocmdoctor", "preflight", "--policy", file, "--format", "nagios"], cwd=TOP, env=env,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(5)]
    said = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0] * 5, said
    assert list(runtime.iterdir()) == list(temporary.iterdir()) == []


def hears_interrupts():
    """Tests that a shell runs in the background inherit that SIGINT is ignored."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_an_interrupted_run_is_130_and_leaves_nothing(policy, tmp_path):
    runtime, temporary = tmp_path / "run", tmp_path / "tmp"
    runtime.mkdir()
    temporary.mkdir()
    child = subprocess.Popen([sys.executable, "-m", "rocmdoctor", "preflight", "--policy", policy(LIVE)], cwd=TOP, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, preexec_fn=hears_interrupts,
                             env={**os.environ, "PYTHONPATH": str(TOP), "XDG_RUNTIME_DIR": str(runtime), "TMPDIR": str(temporary)})
    while child.poll() is None and not list(temporary.iterdir()):
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "Traceback" not in err
    assert list(runtime.iterdir()) == list(temporary.iterdir()) == []


# --- soak ---

def soaked(*later, length=10):
    """A soak over composed readings, with a clock of its own: nothing here has counters that grow."""
    from rocmdoctor.preflight import soak

    time_ = [0.0]

    def sleep(seconds):
        time_[0] += seconds
    readings = iter(later)
    held = [later[0]]

    def look():
        held[0] = next(readings, held[0])
        return held[0]
    first = reading()
    return soak.soak(first, look, length, soak.Clock(lambda: time_[0], sleep), lambda gone: None)


def reading(address="0000:03:00.0", item="0", hits=(), **counters):
    counters = {"ras_ue_count": 0, "ras_ce_count": 0, "bad_pages": 0, **counters}
    facts: dict[str, Fact] = {f"gpu.{name}[{item}]": Known(value, "sysfs") for name, value in counters.items()}
    return Snapshot("now", "live", {f"gpu.pci_address[{item}]": Known(address, "x"), **facts}, list(hits))


def test_a_quiet_soak_passes_and_says_how_often_it_looked():
    [outcome] = soaked(reading())
    assert (outcome.verdict, outcome.actual) == ("PASS", "5 readings, nothing grew")


@pytest.mark.parametrize(("counter", "verdict_", "action"), [
    ("ras_ue_count", "FAIL", "ISOLATE"), ("bad_pages", "FAIL", "ISOLATE"), ("ras_ce_count", "WARN", "MONITOR")])
def test_a_counter_that_grows_during_a_soak(counter, verdict_, action):
    [outcome] = soaked(reading(), reading(item="7", **{counter: 2}))
    assert (outcome.verdict, outcome.action, outcome.subject) == (verdict_, action, "0000:03:00.0")
    assert "0, then 2" in outcome.actual


def test_a_gpu_that_leaves_the_bus_and_a_new_line_in_the_log():
    hit = Hit("gpu-hang", "ring", "kernel log", 9, "ring gfx timeout", {})
    outcomes = soaked(reading(), Snapshot("now", "live", {}, [hit]), reading())
    assert [(o.expectation, o.verdict) for o in outcomes] == [("soak.gpus", "FAIL"), ("soak.log", "FAIL")]
    assert "gone after 4 s" in outcomes[0].actual


def test_a_soak_of_this_machine(policy):
    """Live: two seconds, and no GPU to watch."""
    began = time.monotonic()
    done = typed("preflight", "--policy", policy(LIVE), "--level", "3", "--soak", "2")
    assert time.monotonic() - began >= 2
    assert done.returncode in (0, 3) and "soak.counters" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [("--soak", "5"), ("--level", "3", "--soak", "soon"), ("--level", "3", "--soak", "0"),
                                       ("--level", "3", "--root", str(MACHINES / "rx7900xtx"))])
def test_a_soak_that_cannot_be(arguments):
    assert run("preflight", "--policy", "ci-runner", *arguments).returncode == 2


# --- odd surroundings: a verdict, or a clear unknown ---

def test_no_home_c_locale_and_hardly_any_environment(policy):
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(TOP), "LC_ALL": "C"}
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "preflight", "--policy", policy(LIVE)], cwd="/", env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("PASS")


def test_a_full_disk_does_not_hide_the_verdict(policy, saved):
    file, bad = policy(GOOD), saved(**{"gpu.link_width[0]": 4})
    done = typed("preflight", "--policy", file, "--snapshot", bad, "--format", "text", "--format", "json=/dev/full")
    assert done.returncode == 1 and "No space left" in done.stderr and done.stdout.startswith("FAIL")
    with open("/dev/full", "w") as full:
        done = typed("preflight", "--policy", file, "--snapshot", bad, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 1 and "the verdict was FAIL" in done.stderr and "Traceback" not in done.stderr
        done = typed("preflight", "--policy", file, "--snapshot", saved(), stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 3 and "the verdict was PASS" in done.stderr


def root_with(*programs):
    if os.getuid() != 0:
        pytest.skip("needs root for a mount or another user")
    for program in programs:
        if not shutil.which(program):
            pytest.skip(f"{program} is not installed")


def test_where_nothing_can_be_written_everything_is_unknown_with_the_reason(policy):
    root_with("unshare", "mount")
    script = ("for d in / /tmp /dev/shm /run /var/tmp; do mount --bind $d $d && mount -o remount,bind,ro $d; done 2>/dev/null; cd /; "
              'touch /tmp/x 2>/dev/null && exit 99; exec "$@"')
    done = subprocess.run(["unshare", "-m", "sh", "-c", script, "sh", sys.executable, "-B", "-m", "rocmdoctor", "preflight", "--policy", policy(LIVE)],
                          env={**os.environ, "PYTHONPATH": str(TOP)}, capture_output=True, text=True)
    if done.returncode == 99 or "unshare:" in done.stderr:
        pytest.skip(f"no read-only root can be made here: {done.stderr.strip()}")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "temporary" in done.stdout and "Traceback" not in done.stderr


def test_without_a_network(policy):
    root_with("unshare")
    done = subprocess.run(["unshare", "-n", sys.executable, "-m", "rocmdoctor", "preflight", "--policy", policy(LIVE)], cwd=TOP,
                          env={**os.environ, "PYTHONPATH": str(TOP)}, capture_output=True, text=True)
    if "unshare:" in done.stderr:
        pytest.skip(f"no network namespace can be made here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_the_rights_of_root(policy, tmp_path):
    """A user namespace without a mapping: user 65534, no capability."""
    root_with("unshare")
    file = policy(LIVE + "  access: {kfd: true}\n")
    done = subprocess.run(["unshare", "-U", sys.executable, "-m", "rocmdoctor", "preflight", "--policy", file], cwd="/",
                          env={"PATH": os.environ["PATH"], "PYTHONPATH": str(TOP), "XDG_CACHE_HOME": str(tmp_path)}, capture_output=True, text=True)
    if "unshare:" in done.stderr:
        pytest.skip(f"no user namespace can be made here: {done.stderr.strip()}")
    assert done.returncode in (1, 3), done.stdout + done.stderr
    assert "access.kfd" in done.stdout and "Traceback" not in done.stderr


@pytest.mark.parametrize("name", ["preflight", "fleet"])
def test_published_schemas_are_fresh(name):
    from rocmdoctor.facts import schema

    made = {"preflight": schema.of_preflight, "fleet": schema.of_fleet}[name]()
    assert (TOP / f"docs/{name}.schema.json").read_text("utf-8") == schema.as_text(made)


ONE_BACKEND = "name: t\nexpect:\n  kernels: {verdict: right, backends: [vulkan]}\n"


def kernel_facts(item, **facts):
    return {f"test.{name}[{item}]": Known(value, "test kernels") for name, value in {"backend": item.partition("-")[0], **facts}.items()}


def test_a_backend_that_is_not_installed_says_nothing_where_another_ran():
    hip = kernel_facts("hip-0", verdict="untestable", device="")
    vulkan = kernel_facts("vulkan-0", verdict="right", device="Radeon", device_type="discrete")
    verdicts = {(o.expectation, o.subject): o.verdict for o in outcomes_of(ONE_BACKEND, {**hip, **vulkan})}
    assert verdicts == {("kernels.verdict", "vulkan-0"): "PASS", ("kernels.backends", "vulkan"): "PASS"}
    alone = {(o.expectation, o.subject): o.verdict for o in outcomes_of(ONE_BACKEND, hip)}
    assert set(alone.values()) == {"UNKNOWN"}


@pytest.mark.parametrize("verdict", ["skipped", "untestable"])
def test_a_device_that_was_not_tested_is_unknown(verdict):
    facts = kernel_facts("vulkan-0", verdict=verdict, device="Radeon", device_type="discrete")
    assert {o.verdict for o in outcomes_of(ONE_BACKEND, facts)} == {"UNKNOWN"}


def test_the_first_sentence_contradicts_no_line_below_it():
    def one(name, what, kind):
        return Outcome(name, "", what, "x", "y", kind=kind)

    soft, watch, open_ = one("versions.rocm", "WARN", "software"), one("ras.bad_pages", "WARN", "watch"), one("access.kfd", "UNKNOWN", "undecided")
    said = verdict.fault([soft, watch, open_, one("gpus.count", "PASS", "")]).says
    assert "ras.bad_pages is to be watched" in said and "speaks for hardware" not in said and said.endswith("because access.kfd could not be examined.")
    assert "nothing that was examined speaks for hardware" in verdict.fault([soft]).says and "could not be examined" not in verdict.fault([soft]).says
    many = verdict.fault([soft, *(one(f"e.{n}", "UNKNOWN", "") for n in range(9))]).says
    assert "e.0, e.1, e.2, e.3 and 5 more could not be examined" in many
