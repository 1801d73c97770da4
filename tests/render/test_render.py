"""Golden texts of one made-up report, and what hostile logs must not get through a renderer."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import random
import re
import unicodedata
from collections.abc import Callable
from dataclasses import fields, replace
from html import unescape
from pathlib import Path

import jsonschema
import pytest
from markdown_it import MarkdownIt

from rocmdoctor.diagnosis.outcome import outcome
from rocmdoctor.facts import schema
from rocmdoctor.facts.model import (
    LAYERS,
    Absent,
    Evidence,
    Finding,
    Hit,
    Known,
    LayerState,
    Missing,
    ProbeRun,
    Report,
    Snapshot,
    Unknown,
    report_to_json,
    snapshot_to_json,
)
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import tables
from rocmdoctor.render.report import html, markdown, terminal

TOP = Path(__file__).resolve().parents[2]
GOLDEN = TOP / "fixtures" / "rendered"

RENDERERS: dict[str, Callable[[Report], str]] = {
    "report.txt": lambda report: terminal.render(report, 80, False),
    "report.full.txt": lambda report: terminal.render(report, 80, False, verbose=True),
    "report.narrow.txt": lambda report: terminal.render(report, 40, False),
    "report.ansi": lambda report: terminal.render(report, 80, True, last=True),
    "report.html": html.render,
    "report.md": markdown.render,
}


def example() -> Report:
    """A machine where /dev/kfd may not be opened, one undecided answer and one risk."""
    facts = {
        "kernel.release": Known("6.14.0", "kernel"),
        "env.HSA_OVERRIDE_GFX_VERSION": Absent("env"),
        "kernel.log": Unknown("no_permission", "", "sudo dmesg"),
    }
    snapshot = Snapshot(
        taken="2026-01-02T03:04:05Z",
        origin="live",
        facts=facts,
        hits=[Hit("kfd-open-failed", "main", "ollama.log", 12, "Unable to open /dev/kfd", {"path": "/dev/kfd"})],
        runs=[ProbeRun("kernel", "python3", 0.03, "ok")],
    )
    denied = Finding(
        id="kfd-permission-denied",
        standing="cause",
        severity="error",
        layer="driver",
        subject="gpu 0 (gfx1100)",
        title="This user may not open /dev/kfd",
        summary="ROCm opens /dev/kfd, which belongs to the group render; the user is not in it.",
        cause="The user is not a member of the group that owns the device node.",
        evidence=[
            Evidence(source="ollama.log", line=12, text="Unable to open /dev/kfd read-write: Permission denied"),
            Evidence(fact="user.groups", value=["users", "video"], source="permissions"),
        ],
        explains=["kfd-open-failed"],
        fixes=[
            Fix(
                title="Add the user to the group render",
                commands=("sudo usermod -aG render,video $USER",),
                needs=("root", "new login"),
                side_effects="Every program of this user may use the GPU.",
                verify="rocminfo lists a GPU agent",
                undo="sudo gpasswd -d $USER render",
            ),
            Fix(title="Start the program as a service user that is in the group", risk="reboot", detail="More work."),
        ],
        references=["https://rocm.docs.amd.com/projects/install-on-linux/en/latest/install/prerequisites.html"],
        rank=1,
    )
    override = Finding(
        id="override-wrong-family",
        standing="possible",
        severity="warning",
        layer="runtime",
        subject="",
        title="HSA_OVERRIDE_GFX_VERSION may name a foreign family",
        summary="The service's environment was not examined.",
        cause="",
        to_decide=["systemctl show ollama --property=Environment"],
        rank=2,
    )
    kernel = Finding(
        id="kernel-old",
        standing="risk",
        severity="info",
        layer="platform",
        subject="",
        title="The kernel is older than this GPU's support",
        summary="Nothing has failed yet.",
        cause="",
        evidence=[Evidence(fact="kernel.release", value="6.14.0", source="kernel")],
        rank=3,
    )
    states = ("warning", "error", "unknown", "unknown", "ok")
    because = ("kernel-old", "kfd-permission-denied", "", "", "")
    return Report(
        version="0.1.0",
        origin="live",
        verdict="problems",
        layers=[LayerState(n, s, b) for n, s, b in zip(LAYERS, states, because, strict=True)],  # type: ignore[arg-type]
        findings=[denied, override, kernel],
        facts={"gfx_target": ["gfx1100"], "kernel": "6.14.0"},
        snapshot=snapshot,
        unknown=[Missing("kernel.log", "no_permission", "sudo dmesg")],
        notes=["One probe was skipped."],
    )


HOSTILE = (
    "<script>alert(1)</script><img src=x onerror=y> \x1b[2J\x1b]0;owned\x07\x9b31m\x00\x08"
    "\u202eevil\u2066\u200b\U000e0041 [bold]x[/bold] :skull: {{ 7*7 }} @root #1 ```\n| a | [l](javascript:x)\n"
    + "A" * 9000
)


def hostile() -> Report:
    """Every free text of every part says HOSTILE."""
    report = example()

    def poison_fix(fix: Fix) -> Fix:
        changed = {f.name: HOSTILE for f in fields(Fix) if f.name not in ("commands", "needs")}
        return replace(fix, commands=(HOSTILE,), needs=(HOSTILE,), **changed)  # type: ignore[arg-type]

    report.findings = [
        replace(
            finding,
            id=HOSTILE,
            subject=HOSTILE,
            title=HOSTILE,
            summary=HOSTILE,
            cause=HOSTILE + " ",
            explains=[HOSTILE],
            to_decide=[HOSTILE],
            references=[HOSTILE, "javascript:alert(1)", "https://a.example/\"onclick=x"],
            evidence=[Evidence(HOSTILE, 3, HOSTILE), Evidence(fact=HOSTILE, value={"k": HOSTILE}, source=HOSTILE)],
            fixes=[poison_fix(fix) for fix in finding.fixes],
        )
        for finding in report.findings
    ]
    report.layers = [replace(rung, because=HOSTILE) for rung in report.layers]
    report.unknown = [Missing(HOSTILE, HOSTILE, HOSTILE)]
    report.notes = [HOSTILE]
    report.facts = {HOSTILE: HOSTILE}
    report.version = HOSTILE
    report.snapshot.taken = HOSTILE
    return report


@pytest.mark.parametrize("name", RENDERERS)
def test_golden(name: str) -> None:
    """ROCMDOCTOR_GOLDEN=1 writes the files anew; read the difference before you commit it."""
    made = RENDERERS[name](example())
    path = GOLDEN / name
    if os.environ.get("ROCMDOCTOR_GOLDEN"):
        path.write_text(made, encoding="utf-8", newline="\n")
    assert made == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", RENDERERS)
def test_hostile_text_is_washed(name: str) -> None:
    made = RENDERERS[name](hostile())
    if name == "report.ansi":
        made = re.sub(r"\x1b\[[0-9;]*m", "", made)
    allowed = "\n\u2060" if name in ("report.md", "report.html") else "\n"  # the page carries the Markdown
    assert not {char for char in made if char not in allowed and unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co")}
    assert "owned" not in made


@pytest.mark.parametrize("verbose", [False, True])
def test_terminal_lines_fit(verbose: bool) -> None:
    for width in (40, 80, 200):
        for line in terminal.render(example(), width, False, verbose).splitlines():
            whole = line.strip().startswith(("$ ", "https://", "systemctl "))
            assert whole or len(line) <= width, line


def test_the_short_answer_names_cause_line_and_fix_and_is_short() -> None:
    lines = terminal.render(example(), 80, False, last=True).splitlines()
    assert len(lines) <= 24
    assert "This user may not open /dev/kfd" in lines[0] and "add the user to the group render" in " ".join(line.strip() for line in lines[:2])
    assert any("ollama.log:12" in line and "Unable to open /dev/kfd" in line for line in lines)
    assert any(line.strip() == "$ sudo usermod -aG render,video $USER" for line in lines)
    assert "add the user to the group render" in lines[-1] and "1 error" in lines[-1]
    assert terminal.quiet(example()).count("\n") == 1


def test_possible_causes_below_a_decided_one_are_a_number() -> None:
    report = example()
    hint = replace(report.findings[1], title="Is it this? Possible cause: something else")
    report.findings = [report.findings[0], *(replace(hint, id=f"hint-{n}") for n in range(6))]
    made = terminal.render(report, 80, False)
    assert "6 more possibilities: -v" in made and "something else" not in made
    assert terminal.render(report, 80, False, verbose=True).count("something else") == 6


def test_terminal_caps_evidence() -> None:
    report = example()
    report.findings[0].evidence = [Evidence("a.log", 1, "B" * 5000)]
    made = terminal.render(report, 100_000, False, verbose=True)
    assert "B" * 299 + "…" in made
    assert "B" * 300 not in made


def test_terminal_keeps_brackets_and_says_possible() -> None:
    report = example()
    report.findings[0].title = "amdgpu: [gfxhub] page fault [/red]"
    made = terminal.render(report, 80, False, verbose=True)
    assert "[gfxhub] page fault [/red]" in made
    assert "possible, not yet decided" in made
    assert "\x1b" not in made
    assert "\x1b[" in terminal.render(report, 80, True)


def test_long_command_stays_whole() -> None:
    report = example()
    command = "echo " + "word " * 200 + "end"
    report.findings[0].fixes = [Fix("x", commands=(command,))]
    for made in (terminal.render(report, 60, False), html.render(report), markdown.render(report)):
        assert command in made


def test_html_escapes_and_allows_nothing() -> None:
    made = html.render(hostile())
    assert made.count("<script") == 1 and made.count("</script") == 1
    assert "<img" not in made
    assert "{{ 7*7 }}" in made
    assert 'href="javascript' not in made
    assert "onclick=x\"" not in made
    assert made.count("<style>") == 1
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', made)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    style = re.search(r"(?s)<style>(.*)</style>", made)
    assert style is not None
    assert base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode() in policy[1]
    script = re.search(r"(?s)<script>(.*)</script>", made)
    assert script is not None
    assert f"script-src 'sha256-{base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()}'" in policy[1]
    assert "http" not in re.sub(r"(?s)<body>.*", "", made).replace("http-equiv", "")


PIECES = ["<script>owned()</script>", "<img src=x onerror=owned()>", "</pre>", "</script>", "-->", "<!--", "]]>", "&#x3c;script>", "\x1b[31m",
          "\x1b]8;;http://evil\x07", "\u202e", "\u200b", "\x00", "`" * 5, "\n# h", "\n> q", "@everyone", "#1", "[a](javascript:owned())",
          "{{7*7}}", "{% raw %}", "${7*7}", "\ud800", "A" * 400, "' onclick='owned()", "\" onfocus=owned() x=\"", "<details open>", "| a | b |"]


def test_a_hundred_thousand_hostile_lines_break_no_rendering() -> None:
    chosen = random.Random(20261128)
    for _ in range(50):
        lines = ["".join(chosen.choices(PIECES, k=3)) for _ in range(2000)]
        report = example()
        report.findings = [replace(f, evidence=[Evidence(x, 1, x, around=(x, x)) for x in lines[:50]], fixes=[], summary=lines[51], title=lines[52])
                           for f in report.findings]
        report.notes = lines[100:300]
        report.snapshot.facts = {x: Known(x, x) for x in lines}
        page = html.render(report)
        body = page[page.index("<body>"):page.index("<script>")]
        tags = set(re.findall(r"<(/?[a-z0-9]+)", body)) - {"/" + t for t in BODY_TAGS} - BODY_TAGS
        assert not tags and "<!--" not in body and len(page) < 4_000_000
        assert not re.findall(r"\son\w+=[^&]", re.sub(r">[^<]*<", "><", body))
        comment = markdown.render(report)
        assert len(comment) < 65_000 and "\x1b" not in comment and "\u202e" not in comment
        assert "\x1b" not in terminal.render(report, 80, False)


BODY_TAGS = set("body header h1 h2 h3 h4 p button main section ol ul li span b div table tbody thead tr th td article code details summary "
                "pre mark label input dl dt dd a".split())


@pytest.mark.parametrize("start", ["# head", "- item", "+ item", "> quote", "1. item", "1) item", "=== x"])
def test_markdown_prose_starts_no_block(start: str) -> None:
    report = example()
    report.findings[0].summary = start
    assert f"\n{start}\n" not in markdown.render(report)


def test_markdown_is_inert_and_fits() -> None:
    made = markdown.render(hostile())
    outside = re.sub(r"(?ms)^(`{3,})\w*\n.*?^\1$", "", made)
    assert "<script" not in outside.replace("\\<script", "")
    assert not re.search(r"(?<!\\)\]\(", outside)
    assert not re.search(r"[@#]\w", outside)
    assert len(made) < 65_000
    report = example()
    report.findings = report.findings * 200
    big = markdown.render(report)
    assert len(big) < 65_000
    assert "left out" in big


def test_a_real_renderer_makes_of_it_what_is_meant() -> None:
    page = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown.render(hostile()))
    raw = set(re.findall(r"<(/?[a-z0-9]+)", page))
    allowed = "h3 h4 p strong em ul li table thead tbody tr th td pre code details summary sub a hr br".split()
    assert not {tag.lstrip("/") for tag in raw} - set(allowed)
    assert "javascript:" not in re.sub(r"<code.*?</code>", "", page, flags=re.S).replace("&quot;", "") or "href=\"javascript" not in page
    plain = MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown.render(example()))
    assert plain.count("<h4>") == len(example().findings) and "<table>" in plain and "<details>" in plain


@pytest.mark.parametrize("form", tables.load("ticket_forms")["forms"])
def test_a_bug_form_has_its_headings_in_order(form: str) -> None:
    made = markdown.render_form(example(), form)
    wanted = [h["title"] for h in tables.load("ticket_forms")["forms"][form]["headings"]]
    shown = re.findall(r"(?m)^### (.*)$", made)
    assert shown[:len(wanted)] == wanted and len(made) < 65_000
    assert "This user may not open" in made and len(markdown.render_form(hostile(), form)) < 65_000


@pytest.mark.parametrize("verdict", ["healthy", "unknown", "no_amd_gpu", "problems"])
@pytest.mark.parametrize("origin", ["live", "read"])
def test_every_verdict_without_findings(verdict: str, origin: str) -> None:
    report = replace(example(), verdict=verdict, origin=origin, findings=[])  # type: ignore[arg-type]
    first = terminal.quiet(report).strip()
    assert first.endswith(".") and terminal.render(report, 400, False).startswith(first)
    page = " ".join(unescape(re.sub("<[^>]*>", " ", re.sub("</?code>", "`", html.render(report)))).split())
    assert outcome(report).sentence in page and outcome(report).first in page
    assert markdown.render(report).startswith("### ")


def test_published_schema_is_fresh() -> None:
    """python -m rocmdoctor.facts.schema > docs/report.schema.json"""
    assert (TOP / "docs" / "report.schema.json").read_text(encoding="utf-8") == schema.as_text()


def test_report_and_snapshot_match_the_schema() -> None:
    made = schema.generate()
    jsonschema.Draft202012Validator.check_schema(made)
    check = jsonschema.Draft202012Validator(made)
    report = json.loads(json.dumps(report_to_json(example())))
    check.validate(report)
    snapshot = {"$ref": "#/$defs/Snapshot", "$defs": made["$defs"]}
    jsonschema.validate(json.loads(json.dumps(snapshot_to_json(example().snapshot))), snapshot)
    report["verdict"] = "fine"
    assert not check.is_valid(report)
    del report["verdict"]
    assert not check.is_valid(report)
