"""`compare` and `check` as they are typed: names of states, two machines, known-bad verdicts, the way back, the finding, hostile values."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
import test_compare_pairs as pairs

from rocmdoctor.compare import changes, finding, way_back
from rocmdoctor.diagnosis.diagnose import diagnose
from rocmdoctor.diagnosis.report import make_report
from rocmdoctor.facts.model import Hit, Known, Snapshot, snapshot_from_json, snapshot_to_json
from rocmdoctor.knowledge import component_versions, rules, tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
HALO = pairs.HALO


def run(*arguments, **environment):
    return subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


@pytest.fixture(scope="module")
def sides(tmp_path_factory):
    """A machine before and after an update that brought firmware known to be bad, another kernel and slower tokens."""
    folder = tmp_path_factory.mktemp("sides")
    old = snapshot_from_json(pairs.recorded(HALO))
    new = pairs.drifted(snapshot_from_json(pairs.recorded(HALO)))
    pairs.package("linux-firmware", "20251125-1", firmware__package_version="20251125-1", gpu__fw__mes__0="0x00000083")(new.facts)
    pairs.of("kernel.release", "6.17.9-200.fc43.x86_64")(new.facts)
    pairs.of("llama.tokens_per_second", 21.0)(new.facts)
    pairs.of("env.LD_PRELOAD", "/home/annika/<script>alert(1)</script>\x1b[31m.so")(new.facts)
    new.facts["updates.history"] = Known([{"at": "2026-11-25T10:00:00+00:00", "name": "linux-firmware", "old": "20251111-1", "new": "20251125-1", "by": "dnf"}],
                                         "x")
    new.facts["boots.history"] = Known([{"at": "2026-11-27T07:30:00+00:00", "kernel": "6.17.9-200.fc43.x86_64"}], "x")
    for name, side in (("old", old), ("new", new)):
        (folder / f"{name}.json").write_text(json.dumps(snapshot_to_json(side)))
    return folder


def test_what_is_printed(sides):
    done = run("compare", "-v", sides / "old.json", sides / "new.json")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0] == "3 things that may be at fault changed between old.json and new.json."
    assert "1. linux-firmware updated: 20251111-1 -> 20251125-1" in lines and "driver · 2026-11-25 10:00 UTC" in lines
    assert "$ sudo dnf downgrade linux-firmware-20251111-1" in lines and "Known to be bad: linux-firmware 20251125" in done.stdout
    assert "2. Linux kernel updated: 6.17.7-200.fc43.x86_64 -> 6.17.9-200.fc43.x86_64" in lines and "driver · 2026-11-27 07:30 UTC" in lines
    assert "4. Speed slower: 50 t/s -> 21 t/s" in lines and "\x1b" not in done.stdout
    assert done.returncode == 0 and run("compare", sides / "old.json", sides / "new.json", "--fail-on", "warning").returncode == 1


def test_in_short_it_is_the_time_line_and_one_way_back_each(sides):
    done = run("compare", sides / "old.json", sides / "new.json", COLUMNS="80")
    lines = done.stdout.splitlines()
    at = lines.index("When it changed (times are UTC)")
    assert [line.strip()[0] for line in lines[at + 1:at + 5]] == ["○", "■", "│", "○"] and "2026-11-25 10:00  updated linux-firmware" in lines[at + 2]
    assert "     Known to be bad: linux-firmware 20251125." in lines and "           $ sudo dnf downgrade linux-firmware-20251111-1" in lines
    assert "     back  Boot the former kernel, 6.17.7-200.fc43.x86_64" in lines and "Side effects" not in done.stdout and len(lines) <= 32
    assert len(run("compare", "-q", sides / "old.json", sides / "new.json").stdout.splitlines()) == 1


def test_another_device_at_the_same_number_is_no_worse_result(tmp_path):
    for name, device, verdict, taken in (("old", "llvmpipe (LLVM 15)", "right", "20"), ("new", "AMD Radeon 8060S (RADV GFX1151)", "unwritten", "24")):
        side = snapshot_from_json(pairs.recorded(HALO))
        side.taken = f"2026-11-{taken}T00:00:00+00:00"
        side.facts |= {"test.verdict[vulkan-0]": Known(verdict, "x"), "test.device[vulkan-0]": Known(device, "x"), "test.backend[vulkan-0]": Known("vulkan", "x")}
        (tmp_path / f"{name}.json").write_text(json.dumps(snapshot_to_json(side)))
    done = run("compare", tmp_path / "old.json", tmp_path / "new.json")
    assert "Kernel test" not in done.stdout and done.stdout.startswith("Nothing that could be at fault changed"), done.stdout
    older = snapshot_from_json(json.loads((tmp_path / "new.json").read_text()))
    older.facts["test.verdict[vulkan-0]"] = Known("right", "x")
    (tmp_path / "old.json").write_text(json.dumps(snapshot_to_json(older)))
    assert "Kernel test (vulkan-0) worse: right -> unwritten" in run("compare", tmp_path / "old.json", tmp_path / "new.json").stdout


def test_the_same_twice_is_nothing(sides):
    done = run("compare", sides / "old.json", sides / "old.json", "--fail-on", "info")
    assert done.stdout.startswith("Nothing that could be at fault changed") and done.returncode == 0


def test_what_is_shared_is_redacted(sides):
    for form in ("--json", "--markdown"):
        done = run("compare", sides / "old.json", sides / "new.json", form)
        assert "annika" not in done.stdout and "linux-firmware" in done.stdout, form
    told = json.loads(run("compare", sides / "old.json", sides / "new.json", "--json").stdout)
    assert [c["component"] for c in told["changes"]["changes"]][:2] == ["linux_firmware", "kernel"]
    assert told["findings"][0]["id"] == finding.ID and told["findings"][0]["severity"] == "warning"
    assert told["snapshot"]["facts"]["changed.mesa"]["value"] is False and told["snapshot"]["facts"]["changed.kernel"]["value"] is True


@pytest.mark.parametrize(("arguments", "words"), [
    (["nowhere.json"], "nowhere.json: no such file or folder"), (["--since", "soon"], "not a moment"), (["--list", "good"], "--list goes alone"),
    (["good"], "rocmdoctor check keeps one each time"), (["2001-01-01"], "no state of then"), (["--since", "yesterday", "a", "b"], "only one FILE"),
    (["--since", ""], "(nothing): not a moment"), (["--since", "2999-01-01"], "still to come")])
def test_wrong_use_is_one_line(tmp_path, arguments, words):
    done = run("compare", *arguments, XDG_STATE_HOME=str(tmp_path))
    assert done.returncode == 2 and words in done.stderr and done.stdout == "" and "Traceback" not in done.stderr


def test_a_file_that_is_no_state_is_undecided(tmp_path):
    (tmp_path / "a.txt").write_text("nothing of use\n")
    done = run("compare", tmp_path / "a.txt", tmp_path / "a.txt")
    assert done.returncode == 3 and done.stdout.startswith("Nothing could be compared")
    assert run("compare", "--since", "yesterday", tmp_path / "a.txt").returncode == 3


def test_two_machines_are_told_apart():
    done = run("compare", ROOT / "fixtures/machines/strix-halo-96-32", ROOT / "fixtures/machines/rx7900xtx")
    assert done.stdout.startswith("How rx7900xtx differs from strix-halo-96-32") and "Way back" not in done.stdout


def test_a_snapshot_of_this_machine(tmp_path):
    done = run("snapshot", "--no-kernels", "-o", tmp_path / "s.json", XDG_STATE_HOME=str(tmp_path))
    assert done.returncode == 0 and snapshot_from_json(json.loads((tmp_path / "s.json").read_text())).facts["kernel.release"]
    assert not (tmp_path / "rocmdoctor").exists()
    assert "kept" in run("snapshot", "--no-kernels", XDG_STATE_HOME=str(tmp_path)).stderr
    assert run("compare", "last", tmp_path / "s.json", XDG_STATE_HOME=str(tmp_path)).returncode == 0


@pytest.fixture(scope="module")
def book():
    return rules.load()


def before(snapshot):
    return changes.Before("the last good run", snapshot)


def test_the_finding_stands_behind_decided_causes_and_before_risks(book):
    old = snapshot_from_json(pairs.recorded(HALO))
    new = pairs.drifted(snapshot_from_json(pairs.recorded(HALO)))
    pairs.of("kernel.release", "6.17.8-200.fc43.x86_64")(new.facts)
    quiet = make_report(new, book, before=before(old)).findings
    made = next(f for f in quiet if f.id == finding.ID)
    assert made.standing == "risk" and made.severity == "info" and made.title.startswith("Since the last good run: Linux kernel 6.17.7")
    pairs.of("llama.tokens_per_second", 20.0)(new.facts)
    made = next(f for f in make_report(new, book, before=before(old)).findings if f.id == finding.ID)
    assert made.standing == "possible" and made.severity == "warning" and "50 t/s -> 20 t/s" in made.summary and made.fixes
    assert finding.ID not in [f.id for f in make_report(new, book).findings]
    assert finding.ID not in [f.id for f in make_report(old, book, before=before(old)).findings]


def test_a_cause_that_rests_on_what_changed_goes_first(book):
    """Two causes of one level: the one whose fact belongs to a changed component goes before the one with more facts."""
    def order(components):
        facts = {"kernel.release": Known("6.1", "x"), "vulkan.mesa_version": Known("25.0.7", "x"), "os.family": Known("linux", "x")}
        if components:
            facts["changed.components"] = Known(components, "x")
        hits = [Hit("s", "a", "log", 1, "line", {})]
        common = {"title": "t", "severity": "error", "status": "stable", "stage": "driver", "says": "x", "sources": [{"url": "https://example.org"}]}
        made = {name: rules.build({"id": name, "kind": "cause", "when": when, "explains": ["s"], **common}, name) for name, when in (
            ("of-kernel", "kernel.release == '6.1' and os.family == 'linux'"), ("of-mesa", "vulkan.mesa_version == '25.0.7'"))}
        made["s"] = rules.build({"id": "s", "kind": "symptom", "signals": {"a": {"patterns": ["line"]}}, **common}, "s")
        snapshot = Snapshot("2026-11-28T00:00:00+00:00", "live", facts, hits, texts_read=1)
        return [f.id for f in diagnose(snapshot, rules.Rulebook(made, ()))]
    assert order([])[:2] == ["of-kernel", "of-mesa"] and order(["mesa"])[:2] == ["of-mesa", "of-kernel"]


def test_every_component_with_known_defects_is_one_that_can_change():
    known = {row["id"] for row in tables.load("components")["components"]}
    assert {place.component for place in component_versions.places().values()} - known == {""}


@pytest.mark.parametrize(("distribution", "start"), [("debian", "sudo apt-get install --allow-downgrades"), ("fedora", "sudo dnf downgrade"),
                                                     ("cachyos", "sudo pacman -U /var/cache"), ("opensuse-tumbleweed", "sudo zypper install --oldpackage"),
                                                     ("nixos", "nixos-rebuild list-generations"), ("gentoo", "")])
def test_the_way_back_is_that_of_the_distribution(distribution, start):
    found = pairs.pair(pairs.NAVI, lambda f: (pairs.package("mesa-vulkan-drivers", "25.2.1-1", vulkan__mesa_version="25.2.1")(f),
                                              pairs.of("os.distribution", distribution)(f)))
    fixes = found.changes[0].way_back
    assert (fixes[0].commands[0].startswith(start) if start else fixes == []), fixes
    assert all("{" not in command for fix in fixes for command in (*fix.commands, fix.undo, fix.detail))


def test_a_hostile_version_never_reaches_a_command():
    found = pairs.pair(pairs.NAVI, lambda f: pairs.package("mesa-vulkan-drivers", "1; rm -rf ~", vulkan__mesa_version="x")(f))
    old, new = found.changes[0].old, found.changes[0].new
    found.changes[0].parts[:] = [changes.ChangedPart("mesa;reboot", "1 && x", "2"), changes.ChangedPart("mesa", "$(x)", "2")]
    assert old and new and way_back.steps(found.changes[0], {"os.distribution": Known("debian", "x")}) == []


def test_the_page_has_the_picture(sides, tmp_path):
    assert run("compare", sides / "old.json", sides / "new.json", "--html", tmp_path / "c.html").returncode == 0
    page = (tmp_path / "c.html").read_text()
    assert re.search(r'<li class="update">.*linux-firmware 20251111-1 → 20251125-1', page) and '<li class="boot">' in page and '<li class="then">' in page
    assert "<script>alert" not in page and "annika" not in page and len(re.findall("<script", page)) == 1


def test_the_page_reads_at_every_width(sides, tmp_path):
    """In a real browser: nothing wider than the screen, no request, no serious accessibility violation."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    if not browser:
        pytest.skip("no chromium on PATH")
    run("compare", sides / "old.json", sides / "new.json", "--html", tmp_path / "c.html")
    with sync_api.sync_playwright() as play:
        running = play.chromium.launch(executable_path=browser, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"])
        for width, scheme in ((360, "dark"), (1280, "light")):
            page = running.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
            trouble = []
            page.on("console", lambda message, trouble=trouble: trouble.append(message.text))
            page.goto(f"file://{tmp_path}/c.html")
            page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth") and trouble == []
            assert page.locator("ol.line li").count() >= 4
            assert [v["id"] for v in axe.Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")] == []
        running.close()
