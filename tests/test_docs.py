"""Generated pages are fresh, and the examples on the others do what they say."""

import doctest
import importlib.util
import json
import pathlib
import pkgutil
import re
import subprocess
import sys
import types

import pytest
import yaml
from click.testing import CliRunner

from rocmdoctor.commands import rules
from rocmdoctor.diagnosis import checks
from rocmdoctor.facts.vocabulary import FACTS, declared
from rocmdoctor.knowledge import known
from rocmdoctor.knowledge.conditions import FUNCTIONS
from rocmdoctor.knowledge.rules import load
from rocmdoctor.texts import readers
from rocmdoctor.texts.kinds import GROUPS, KINDS

ROOT = pathlib.Path(__file__).resolve().parents[1]
_SPEC = importlib.util.spec_from_file_location("readme_blocks", ROOT / "scripts/readme_blocks.py")
assert _SPEC and _SPEC.loader
readme_blocks = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(readme_blocks)


def test_generated_pages_are_fresh():
    done = subprocess.run([sys.executable, ROOT / "scripts/generate_docs.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_man_page_and_the_completions_are_fresh():
    done = subprocess.run([sys.executable, ROOT / "scripts/generate_shell.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a language on a page of docs/."""
    return re.findall(rf"^```{language}\n(.*?)^```", (ROOT / "docs" / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


def test_the_example_of_a_rule_is_one(tmp_path: pathlib.Path) -> None:
    [page] = _blocks("writing-a-rule.md", "yaml")
    name = re.match(r"id: (\S+)", page)
    assert name
    (tmp_path / f"{name[1]}.yaml").write_text(page, "utf-8")
    for command, said in (("lint", " 0 problems"), ("test", "1 rules, 0 problems")):
        done = CliRunner().invoke(rules.command, [command, str(tmp_path)])
        assert (done.exit_code, done.stdout) == (0, ""), done.output
        assert said in done.stderr
    shown = CliRunner().invoke(rules.command, ["show", name[1], "--rules", str(tmp_path)])
    assert shown.output.startswith("The lab's image pretends")


def test_the_example_of_a_row_is_one() -> None:
    [page] = _blocks("writing-a-rule.md", "yml")
    [row] = yaml.safe_load(page)
    made = known.build("aiter", row)
    assert set(row) <= {field.rstrip("_") for field in known.Row._fields}
    assert set(made.symptom) <= yaml.safe_load((ROOT / "rules/checks/known-defects.yaml").read_text("utf-8"))["symptoms"].keys()
    text = (ROOT / "docs/writing-a-rule.md").read_text("utf-8")
    assert not [name for name in re.findall(r"`rules/[\w/.-]+\.yaml`", text) if "<" not in name and not (ROOT / name.strip("`")).is_file()]


def test_every_check_is_named_with_its_table() -> None:
    text = (ROOT / "docs/writing-a-rule.md").read_text("utf-8")
    assert not [name for _, name, _ in pkgutil.iter_modules(checks.__path__) if not name.startswith("_") and f"| `{name}` |" not in text]


def test_an_example_that_lies_is_found(tmp_path: pathlib.Path) -> None:
    [page] = _blocks("writing-a-rule.md", "yaml")
    (tmp_path / "lab-image-pretends-other-target.yaml").write_text(page.replace("env.HSA_OVERRIDE_GFX_VERSION: null", 'env.HSA_OVERRIDE_GFX_VERSION: "1"'), "utf-8")
    done = CliRunner().invoke(rules.command, ["test", str(tmp_path)])
    assert done.exit_code == 1 and "example quiet 1 answers yes" in done.stdout


def test_every_function_of_conditions_is_described() -> None:
    page = (ROOT / "docs/writing-a-rule.md").read_text("utf-8")
    assert not [name for name in (*FUNCTIONS, "known", "unset", "has", "saw", "symptom") if f"`{name}(" not in page]
    assert not [name for name in GROUPS if f"| `{name}` |" not in page]
    assert not [name for name in FACTS if name.startswith("about.") and f"`{name}`" not in page]


def test_the_example_of_a_reader_is_one() -> None:
    [page] = _blocks("writing-a-reader.md", "python")
    reader = types.ModuleType("gpuwatch")
    exec(page, reader.__dict__)
    outcome = doctest.testmod(reader)
    assert (outcome.attempted, outcome.failed) == (1, 0)
    assert reader.recognises("GPU 0 [0000:c3:00.0] gfx1100 vram 24560 MiB\n") and not reader.recognises("GPU 0 has much vram \n")
    assert reader.KINDS <= KINDS.keys() and all(declared(reading.name) for reading in reader.read("GPU 0 [0000:c3:00.0] gfx1100 vram 1 MiB"))


def test_every_reader_is_named_where_it_says_what_can_be_attached() -> None:
    page = (ROOT / "docs/attachments.md").read_text("utf-8")
    assert not [name for _, name, _ in pkgutil.iter_modules(readers.__path__) if f"`{name}`" not in page]


def test_what_the_readme_says_is_printed_is_printed() -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    assert page.count("<!-- run: ") >= 5
    assert readme_blocks.fresh(page) == page, "run python scripts/readme_blocks.py"


def test_no_output_in_the_readme_is_written_by_hand() -> None:
    page = (ROOT / "README.md").read_text("utf-8").split("\n")
    opened = [number for number, line in enumerate(page) if line.startswith("```")][::2]
    assert not [page[number + 1] for number in opened if page[number] != "```sh" and not page[number - 1].startswith("<!-- run: ")]


def test_a_stale_block_is_written_anew_and_cut_where_it_says() -> None:
    page = "<!-- run: rocmdoctor rules show kernel-missing; {} -->\n```\nold\n```\n"
    first = readme_blocks.fresh(page.format("lines 1")).split("\n")
    title = load().rules["kernel-missing"].title
    assert first[1:] == ["```", "$ rocmdoctor rules show kernel-missing", title, "...", "```", ""]
    assert readme_blocks.fresh(page.format("until Known from")).count("\n") > 8
    with pytest.raises(ValueError, match="no line begins with"):
        readme_blocks.fresh(page.format("until nowhere"))


def test_no_link_leads_nowhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    links = [(page, link) for page in pages for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", page.read_text("utf-8"))]
    assert len(links) > 30
    assert not [(page.name, link) for page, link in links if not (page.parent / link).exists()]


def test_the_page_for_agents_names_every_tool_and_its_entries_are_json() -> None:
    declared = pytest.importorskip("rocmdoctor.mcp.declared", reason="the extra rocmdoctor[mcp] is not installed")
    page, skill = (ROOT / "docs/agents.md").read_text("utf-8"), (ROOT / "deploy/skill/rocmdoctor/SKILL.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(declared.TOOLS)
    assert {name for name in declared.TOOLS if f"`{name}`" not in skill} == set()
    entries = [json.loads(block) for block in _blocks("agents.md", "json")]
    started = [server for entry in entries for group in entry.values() for server in group.values()]
    assert len(started) == 2 and all(server["command"] == "rocmdoctor" and server["args"][0] == "mcp" for server in started)


def test_the_skill_has_the_head_that_agents_read() -> None:
    _, head, body = (ROOT / "deploy/skill/rocmdoctor/SKILL.md").read_text("utf-8").split("---\n", 2)
    said = yaml.safe_load(head)
    assert set(said) == {"name", "description"} and said["name"] == "rocmdoctor" and 100 < len(said["description"]) <= 1024
    assert "not known" in body and len(body.splitlines()) < 100
