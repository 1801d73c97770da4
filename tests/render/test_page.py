"""The HTML report in a real browser: no request, no console error, no serious accessibility violation, usable by keyboard."""

import json
import pathlib
import shutil
import subprocess
import sys

import pytest

from rocmdoctor.facts.model import Known, Snapshot, snapshot_to_json

ROOT = pathlib.Path(__file__).resolve().parents[2]
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium on PATH")
MACHINES = sorted((p for p in (ROOT / "fixtures/machines").iterdir() if p.is_dir()), key=lambda p: -sum(1 for _ in p.rglob("*")))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The report of the largest recorded machine, and one of a log with hostile lines."""
    folder = tmp_path_factory.mktemp("pages")
    log = folder / "evil.log"
    log.write_text('ring gfx_0.0.0 timeout <script>document.title="owned"</script><img src=http://127.0.0.1:1/x onerror="document.title=1">\n'
                   "\x1b]0;owned\x07 ring comp_1.0.0 timeout \u202e </pre></details> " + "A" * 9000 + "\nhome of /home/annika/x\n")
    story = folder / "story"
    story.mkdir()
    (story / "dmesg.txt").write_text("2026-11-27T14:31:00+00:00 box kernel: amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n")
    (story / "dnf.rpm.log").write_text("2026-11-27T14:02:10+0000 SUBDEBUG Upgrade: linux-firmware-20251125-1.fc43.noarch\n"
                                       "2026-11-27T14:02:11+0000 SUBDEBUG Upgraded: linux-firmware-20251111-1.fc43.noarch\n")
    fleet = folder / "fleet"
    fleet.mkdir()
    for number in range(8):
        facts = {"kernel.release": f"6.{number == 6}", "os.version": str(number // 7), "machine.product": "X", "pci.amd_gpu_count": 1}
        held = {name: {"state": "known", "value": value, "source": "x"} for name, value in facts.items()}
        (fleet / f"{number}.json").write_text(json.dumps({"schema": "rocmdoctor.report/1", "node": f"node-{number}", "verdict": "healthy", "findings": [],
                                                          "snapshot": {"schema": "rocmdoctor.snapshot/1", "taken": "2026-11-28", "facts": held}}))
    logs = folder / "logs.txt"
    logs.write_text("[    1.0] usb 1-1: new device\n" * 900 + "[ 1560.12] amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n")
    checks = [{"check": name, "verdict": verdict} for name, verdict in (("pattern", "right"), ("axpy", "wrong"), ("coopmat-f16", "untestable"))]
    tested = {"test.backend[vulkan-0]": "vulkan", "test.device[vulkan-0]": "AMD Radeon RX 7900 XTX (RADV NAVI31)", "test.device_type[vulkan-0]": "discrete",
              "test.verdict[vulkan-0]": "wrong", "test.checks[vulkan-0]": checks, "test.wrong_checks[vulkan-0]": ["axpy"]}
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "live", {name: Known(value, "x") for name, value in tested.items()})
    (folder / "kernels.json").write_text(json.dumps(snapshot_to_json(snapshot)))
    halo = ROOT / "fixtures/machines/strix-halo-96-32"
    for name, arguments in (("machine", ["check", "--no-kernels", "--root", MACHINES[0]]), ("evil", ["explain", log]), ("story", ["explain", story]),
                            ("fleet", ["fleet", fleet]), ("links", ["check", "--no-kernels", "--root", ROOT / "fixtures/machines/mi300x-node"]),
                            ("memory", ["memory", "--root", halo, "--model-size", "60GB"]), ("logs", ["explain", logs]),
                            ("kernels", ["explain", folder / "kernels.json"])):
        subprocess.run([sys.executable, "-m", "rocmdoctor", *map(str, arguments), "--html", folder / f"{name}.html"], capture_output=True, timeout=120)
    return folder


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as play:
        running = play.chromium.launch(executable_path=BROWSER, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"])
        yield running
        running.close()


@pytest.fixture
def opened(browser, pages):
    def open_(name, width=1280, scheme="light"):
        page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        page.trouble = []
        page.on("console", lambda message: page.trouble.append(message.text))
        page.on("pageerror", lambda error: page.trouble.append(str(error)))
        page.on("request", lambda request: None if request.url.endswith(f"{name}.html") else page.trouble.append(request.url))
        page.goto(f"file://{pages / name}.html")
        return page
    return open_


FIGURES = {"story": "ol.line li.suspect", "fleet": "table.heat td.differs", "links": "ul.cpus li", "memory": "ul.bars .kv",
           "logs": ".strip .mark", "kernels": "svg.squares .cross"}


@pytest.mark.parametrize("name", ["machine", "evil", *FIGURES])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_reads_at_every_width_in_both_schemes(opened, name, width, scheme):
    page = opened(name, width, scheme)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert [(v["id"], v["nodes"][0]["target"]) for v in axe.Axe().run(page).response["violations"]] == []
    assert page.trouble == [] and page.title().startswith("rocmdoctor")
    assert name not in FIGURES or page.locator(FIGURES[name]).count()
    small = """() => [...document.querySelectorAll("main *")].filter((e) => e.childNodes.length && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())
      && e.getClientRects().length && parseFloat(getComputedStyle(e).fontSize) * (e.ownerSVGElement ? e.getScreenCTM().a : 1) < 12).length"""
    assert page.evaluate(small) == 0


def test_hostile_lines_are_text(opened):
    page = opened("evil")
    assert page.locator("img").count() == 0 and page.locator("script").count() == 1
    assert "owned" not in page.title() and "annika" not in page.content()


def test_it_is_small(pages):
    assert (pages / "machine.html").stat().st_size < 1_000_000


def test_search_ticks_and_copying_by_keyboard(opened):
    page = opened("machine")
    page.locator("summary", has_text="facts").focus()
    page.keyboard.press("Enter")
    page.locator("#search").fill("kernel release")
    assert 0 < page.locator("#facts tbody tr:visible").count() < 5 and "of" in page.locator("#found").inner_text()
    page.locator("#search").fill("no such fact at all")
    assert page.locator("#facts tbody tr:visible").count() == 0
    page = opened("evil")
    button = page.locator("button[data-copy=comment]")
    button.focus()
    page.evaluate("document.addEventListener('copy', () => { window.copied = document.getSelection().toString() || document.activeElement.value })")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (t) => { window.copied = t }}, configurable: true})")
    page.keyboard.press("Enter")
    page.wait_for_function("window.copied")
    assert page.evaluate("window.copied").startswith("### ")
    box = page.locator("ol.fixes input").first
    box.focus()
    page.keyboard.press("Space")
    assert box.is_checked()


def test_it_prints(opened):
    page = opened("evil")
    assert page.pdf()[:4] == b"%PDF"
