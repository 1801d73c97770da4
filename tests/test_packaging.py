"""A wheel carries the rules and the probes."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """File names in a freshly built wheel."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--quiet", "--wheel-dir", str(out)]
    done = subprocess.run(command, cwd=TOP, capture_output=True, text=True, timeout=300)
    if done.returncode and "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("no network: the build backend could not be fetched, so no wheel was built")
    assert done.returncode == 0, done.stderr
    [wheel] = out.glob("rocmdoctor-*.whl")
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


def test_wheel_has_the_template_and_the_script(wheel_names: list[str]) -> None:
    assert "rocmdoctor/render/report.html.j2" in wheel_names
    assert any(name.endswith(".dist-info/entry_points.txt") for name in wheel_names)
    assert not any(name.startswith(("tests/", "fixtures/")) for name in wheel_names)
