"""The HTML report in a real browser: no request, no console error, no serious accessibility violation, usable by keyboard."""

import pathlib
import shutil
import subprocess
import sys

import pytest

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
    for name, arguments in (("machine", ["check", "--no-kernels", "--root", MACHINES[0]]), ("evil", ["explain", log])):
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


@pytest.mark.parametrize("name", ["machine", "evil"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_it_reads_at_every_width_in_both_schemes(opened, name, width, scheme):
    page = opened(name, width, scheme)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    serious = [v["id"] for v in axe.Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
    assert serious == [] and page.trouble == [] and page.title().startswith("rocmdoctor")


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
