"""The known defects: every row with a version is named on a machine composed from it, and not on one with another version."""

from __future__ import annotations

import datetime
import json
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from rocmdoctor.diagnosis.checks import known_defects
from rocmdoctor.diagnosis.diagnose import diagnose
from rocmdoctor.diagnosis.subjects import subjects
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Fact, Hit, Known, Snapshot
from rocmdoctor.knowledge import component_versions, known, known_lint, lint, rules
from rocmdoctor.knowledge.known import Row
from rocmdoctor.knowledge.known_fit import Machine
from rocmdoctor.scan.scanner import Scanner

TABLE = known.load()
MACHINES = pathlib.Path(__file__).resolve().parents[2] / "fixtures/machines"
BOOK = rules.load()
SCANNER = Scanner(BOOK.patterns())
GPUS = {"rdna1": "gfx1010", "rdna2": "gfx1030", "rdna3": "gfx1100", "rdna3.5": "gfx1151", "rdna4": "gfx1201", "gcn4": "gfx803", "gcn5": "gfx900",
        "cdna1": "gfx908", "cdna2": "gfx90a", "cdna3": "gfx942", "cdna4": "gfx950", "apu": "gfx1151", "dgpu": "gfx1100"}
NEW, OLD = ("99.0.0", "2099-01-01", "b9999999"), ("0.0.1", "2001-01-01", "b1")


def fact_of(component: str, value: str) -> dict[str, Fact]:
    """The facts that name a version, as the first way of the table reads it."""
    way = component_versions.places()[component].read[0]
    kind, _, rest = way.partition(":")
    if kind in ("pip", "package"):
        name = "pip.packages" if kind == "pip" else "packages.installed"
        return {name: Known({rest.split("|")[0].replace(".*", "").replace("[-_]", "_"): value}, "x")}
    if kind == "app":
        return {f"app.name[{rest}]": Known(rest, "x"), f"app.version[{rest}]": Known(value, "x")}
    item = {"torch.version": "[env]"}.get(way, "")
    return {way + item: Known(value, "x")}


def composed(row: Row, version: str) -> dict[str, Fact]:
    """A machine on which the row holds, but for the version."""
    gfx = GPUS.get(row.gfx[0], row.gfx[0]) if row.gfx else "gfx1100"
    system = "windows" if row.os and row.os[0] == "windows" else "wsl" if row.os and row.os[0] == "wsl" else "linux"
    facts: dict[str, Fact] = {"gpu.gfx_target[0]": Known(gfx, "x"), "os.family": Known(system, "x"), "container.kind": Known("docker", "x")}
    facts |= {"report.backends": Known(["rocm" if one == "hip" else one for one in row.backend], "x")} if row.backend else {}
    if row.component.startswith("distro-"):
        facts["os.distribution"] = Known(row.component.removeprefix("distro-"), "x")
    for name, bound in row.with_.items():
        if name.startswith("distro-"):
            facts |= {"os.distribution": Known(name.removeprefix("distro-"), "x"), "os.version": Known("44", "x")}
        elif name in component_versions.places() and component_versions.places()[name].read:
            facts |= _merged(facts, fact_of(name, _meeting(name, bound)))
    return {**facts, **_merged(facts, fact_of(row.component, version)), "report.options": Known([row.needs], "x")}


def _merged(facts: dict[str, Fact], more: dict[str, Fact]) -> dict[str, Fact]:
    return {name: Known({**old.value, **fact.value}, "x") if isinstance(old := facts.get(name), Known) and isinstance(fact, Known)
            and isinstance(fact.value, dict) else fact for name, fact in more.items()}


def _meeting(name: str, bound: str) -> str:
    low = re.search(r"(?:>=|^|==)\s*([\w.+-]+)", bound)
    scheme = versions.scheme_of(name)
    if low:
        return "2099.1" if low[1] == "0" else low[1].removesuffix(".x")
    return lower(re.sub(r"[<=>\s]", "", bound), scheme)


def lower(text: str, scheme: str) -> str:
    """A version just before another."""
    parsed = versions.parse(text, scheme)
    assert parsed
    numbers = list(parsed.numbers)
    at = max(index for index, number in enumerate(numbers) if number)
    numbers[at:] = [numbers[at] - 1, *(9 for _ in numbers[at + 1:])]
    return f"{numbers[0]}" if scheme == "firmware" else ".".join(map(str, numbers))


def bad_version(row: Row, scheme: str) -> str:
    """A version that the row calls bad."""
    offered = [text for bounds in row.bad for kind, text in bounds.items() if kind != "before"]
    offered += [lower(bounds["before"], scheme) for bounds in row.bad if "before" in bounds] + ["6.5.0"]
    return next((text for text in offered if any(versions.in_range(text, one, scheme) for one in row.bad)), "")


def other_version(row: Row, scheme: str) -> str:
    """A version that the row does not call bad, "" where every version is."""
    offered = [*row.good, *NEW, *OLD]
    return next((text for text in offered if all(versions.in_range(text, one, scheme) is False for one in row.bad)), "")


def readable() -> Iterator[Row]:
    """The rows whose bounds are of versions that facts name."""
    for row in TABLE.all():
        place = component_versions.places()[row.component]
        usual = versions.scheme_of(row.component)
        if not all(component_versions.places()[name].read for name in row.with_):
            continue
        if row.bad and place.read and row.scheme not in ("package", "tag", "engine", "date", "driver", "module") and not (row.scheme == "app" and usual != "app"):
            yield row


def judged(row: Row, version: str) -> Any:
    facts = composed(row, version)
    hits = [Hit(known.OWNER, row.signal, "log", 1, "line", {})] if row.signature else []
    return known_defects.candidate(row, Machine({**facts, **subjects(facts)}), hits, set(known.shows_as(row.symptom)))


def test_the_table_keeps_its_laws() -> None:
    assert known_lint.problems(TABLE.all()) == [] and TABLE.problems == ()


def test_every_row_with_a_version_is_named_on_it_and_silent_on_another() -> None:
    wrong, tried, others = [], 0, 0
    for row in readable():
        scheme = row.scheme or versions.scheme_of(row.component)
        bad, other = bad_version(row, scheme), other_version(row, scheme)
        if row.component in ("proxmox", "amdgpu-dkms") or row.component.startswith("distro-"):
            continue  # their versions are read from facts of another name: below
        if not (known.shows_as(row.symptom) or row.signature or row.severe):
            continue  # nothing that could be seen
        machine = Machine({**(facts := composed(row, bad)), **subjects(facts)})
        if not row.signature and machine.needs(row) is None or (not known.shows_as(row.symptom) and not row.signature and not row.sure):
            continue  # what it needs has no name that could be read, or nothing of it could be seen
        tried += 1
        found = judged(row, bad) if bad else None
        if found is None and (row.signature or row.gfx or not machine.demands(row)):
            wrong.append((row.id, bad, "is not named"))
        if other:
            others += 1
            if judged(row, other) is not None:
                wrong.append((row.id, other, "is named"))
    assert wrong == [] and tried > 900 and others > 700, (len(wrong), wrong[:20], tried, others)


LOOKALIKES = yaml.safe_load((pathlib.Path(__file__).resolve().parents[2] / "fixtures/lookalikes.yaml").read_text())
SHOWN = {row["known"]: row["first"] for row in LOOKALIKES if "known" in row}


def _seen(row: Row) -> Snapshot:
    """A snapshot in which the row's signature, or one of its symptoms, was seen."""
    made = Snapshot("2026-11-28T00:00:00+00:00", "live", {}, [Hit(known.OWNER, row.signal, "log", 1, "line", {})] if row.signature else [], texts_read=1)
    for symptom in known.shows_as(row.symptom):
        texts = [example for example in BOOK.rules[symptom].examples["fires"] if "text" in example and not example.get("facts")]
        if texts:
            made.hits += lint.snapshot_of(texts[0], SCANNER).hits
            return made
    return made


@pytest.mark.parametrize("name", [name for name in SHOWN if name in {row.id for row in readable()}])
def test_a_defect_that_was_seen_is_among_the_findings(name: str) -> None:
    """The row itself, or the cause that says the same of the evidence; with another version not the row."""
    row = TABLE.by_id()[name]
    scheme = row.scheme or versions.scheme_of(row.component)
    for version, wanted in ((bad_version(row, scheme), True), (other_version(row, scheme), False)):
        if version:
            snapshot = _seen(row)
            snapshot.facts.update(composed(row, version))
            found = [finding.id for finding in diagnose(snapshot, BOOK)]
            assert (row.id in found) is wanted, (version, found)


def run(*arguments: str | pathlib.Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(("version", "named"), [("20251125-1", True), ("20251111-1", False)])
def test_check_names_the_firmware_of_a_machine_on_which_nothing_is_wrong_yet(tmp_path: pathlib.Path, version: str, named: bool) -> None:
    """A recorded Strix Halo whose package database says which linux-firmware is installed."""
    root = tmp_path / "machine"
    shutil.copytree(MACHINES / "strix-halo-96-32", root, ignore=shutil.ignore_patterns("machine.yaml"), symlinks=True)
    for folder in ("var/lib/dpkg", "var/lib/pacman/local", "usr/lib/sysimage/rpm", "var/lib/rpm"):
        shutil.rmtree(root / folder, ignore_errors=True)
    package = root / "var/lib/pacman/local" / f"linux-firmware-amdgpu-{version}"
    package.mkdir(parents=True)
    (package / "desc").write_text(f"%NAME%\nlinux-firmware-amdgpu\n\n%VERSION%\n{version}\n")
    found = json.loads(run("check", "--no-kernels", "--root", root, "--json").stdout)["findings"]
    mine = [finding for finding in found if finding["id"] == "mes-0x83-gfx1151"]
    assert bool(mine) is named
    if named:
        assert mine[0]["standing"] == "risk" and mine[0]["severity"] == "warning" and "20251125" in mine[0]["title"] and mine[0]["fixes"]


def test_a_signature_without_a_version_asks_for_it(tmp_path: pathlib.Path) -> None:
    row = next(row for row in readable() if row.component == "mesa" and row.signature and re.fullmatch(r"[\w :]+", row.signature[0]))
    log = tmp_path / "app.log"
    log.write_text(f"llama_model_load: starting\n{row.signature[0]}\n")
    found = json.loads(run("explain", "--json", log).stdout)["findings"]
    mine = [finding for finding in found if finding["id"] == row.id]
    assert mine and mine[0]["standing"] == "possible" and mine[0]["title"].startswith("Is this Mesa ") and mine[0]["severity"] in ("warning", "info")


@pytest.mark.parametrize(("text", "name"), [
    ("Blender 3.3 on Ubuntu 20.04 with RX 6800 XT and ROCm 5.2.3: switching the viewport to rendered (Cycles, HIP) freezes the whole desktop after some "
     "seconds, F12 works.", "blender-3-2-3-3-hip-viewport-freeze-rx-6800"),
    ("sglang 0.5.11 on MI350X (gfx950), Qwen3-30B-A3B-Instruct-2507 with the aiter attention backend answers pure nonsense.",
     "sglang-0-5-11-qwen3-30b-aiter-nonsense-mi350x"),
])
def test_a_row_whose_version_gpu_and_needs_were_told_stands_before_a_mere_symptom(tmp_path: pathlib.Path, text: str, name: str) -> None:
    report = tmp_path / "report.txt"
    report.write_text(text + "\n")
    found = json.loads(run("explain", "--json", report).stdout)["findings"]
    assert (found[0]["id"], found[0]["standing"]) == (name, "possible")


def test_the_table_is_searched_by_words_component_version_and_gpu() -> None:
    done = run("known", "--component", "linux-firmware", "--version", "1:20251125-1", "--gpu", "gfx1151", "--json")
    found = {row["id"] for row in json.loads(done.stdout)}
    assert "mes-0x83-gfx1151" in found and "mes-0x83-gfx1150" not in found and "days old" in done.stderr
    assert "mes-0x83-gfx1151" in run("known", "0x83", "strix").stdout or "mes-0x83-gfx1151" in run("known", "0x83").stdout
    assert run("known", "--version", "1").returncode == 2 and run("known", "--component", "nothing").returncode == 2


def test_an_old_table_says_so() -> None:
    taken = datetime.date.fromisoformat(TABLE.as_of)
    assert known_defects.notes(f"{taken + datetime.timedelta(days=known.STALE_DAYS)}T00:00:00+00:00") == []
    late = known_defects.notes(f"{taken + datetime.timedelta(days=known.STALE_DAYS + 1)}T00:00:00+00:00")
    assert len(late) == 1 and "121 days old" in late[0]


@pytest.mark.parametrize(("change", "words"), [
    ({"bad": ({"exact": "nonsense"},)}, "no version"), ({"bad": ({"from": "2", "before": "1"},)}, "holds no version"), ({"good": ("26.1.2",)}, "inside bad"),
    ({"signature": ("invalid device function",)}, "other faults"), ({"signature": ("(",)}, "signature"), ({"symptom": ("sad",)}, "symptom"),
    ({"gfx": ("rdna9",)}, "gfx"), ({"os": ("amiga",)}, "os"), ({"source": ()}, "source"), ({"confirmed": "me"}, "confirmed"),
    ({"bad": (), "signature": (), "gfx": ()}, "without bounds"), ({"component": "x"}, "where the version"), ({"id": "X"}, "an id")])
def test_a_row_that_breaks_a_law_is_named(change: dict[str, Any], words: str) -> None:
    row = Row(id="mesa-some-row", component="mesa", bad=({"from": "26.1.1", "through": "26.1.2"},), good=("26.1.3",), gfx=("gfx1100",), os=("linux",),
              symptom=("crash",), signature=("some_function_of_its_own",), says="It crashes.", fix=("Update to 26.1.3",), confirmed="several",
              source=("https://example.org",), read="2026-11-28")
    assert known_lint.problems([row]) == []
    assert any(words in problem for problem in known_lint.problems([row._replace(**change)]))
