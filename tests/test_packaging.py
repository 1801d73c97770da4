"""A wheel carries the rules and the probes."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A freshly built wheel."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--quiet", "--wheel-dir", str(out)]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=300)
    if done.returncode and "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("no network: the build backend could not be fetched, so no wheel was built")
    assert done.returncode == 0, done.stderr
    [made] = out.glob("rocmdoctor-*.whl")
    return made


@pytest.fixture(scope="module")
def wheel_names(wheel: Path) -> list[str]:
    """File names in the wheel."""
    return zipfile.ZipFile(wheel).namelist()


def test_wheel_has_every_rule_and_probe(wheel_names: list[str]) -> None:
    for source, target in (("rules", "rocmdoctor/_rules"), ("probes", "rocmdoctor/_probes")):
        ours = {
            f"{target}/{path.relative_to(TOP / source).as_posix()}"
            for path in (TOP / source).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
        }
        assert ours, f"{source}/ is empty"
        assert ours <= set(wheel_names)


def test_wheel_carries_its_knowledge_laid_out(wheel: Path, tmp_path: Path) -> None:
    """A run from it reads no YAML."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    script = ("import sys; from rocmdoctor.knowledge import rules, tables; book = rules.load(); tables.load('products')\n"
              "print('yaml' in sys.modules, len(book.rules) > 100, book.problems)")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, cwd=tmp_path, env=environment)
    assert done.stdout.strip() == "False True ()", done.stderr


def test_wheel_has_the_template_and_the_script(wheel_names: list[str]) -> None:
    assert {"rocmdoctor/render/report/report.html.j2", "rocmdoctor/py.typed"} <= set(wheel_names)
    shared = {name.partition(".data/data/")[2] for name in wheel_names}
    assert {"share/man/man1/rocmdoctor.1", "share/bash-completion/completions/rocmdoctor", "share/zsh/site-functions/_rocmdoctor"} <= shared
    assert "share/rocmdoctor/skill/rocmdoctor/SKILL.md" in shared
    assert any(name.endswith(".dist-info/entry_points.txt") for name in wheel_names)
    assert not any(name.startswith(("tests/", "fixtures/")) or name.endswith(".pyc") for name in wheel_names)


def test_unpacked_wheel_finds_its_own_rules(wheel: Path, tmp_path: Path) -> None:
    """The dependencies come from this environment; the code, rules and probes must come from the wheel."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    script = (
        "from rocmdoctor.knowledge import paths, rules; from rocmdoctor.live import collect\n"
        "folders = [paths.data_dir('rules'), paths.data_dir('probes')]\n"
        "print(*folders, len(rules.load().rules), len(collect.find_probes(folders[1:])), sep='\\n')"
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "site"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    rules, probes, rule_count, probe_count = done.stdout.split()
    assert Path(rules) == tmp_path / "site" / "rocmdoctor" / "_rules"
    assert Path(probes) == tmp_path / "site" / "rocmdoctor" / "_probes"
    assert int(rule_count) > 0
    assert int(probe_count) > 0
