"""What another user has a hand in is neither run nor loaded: by the command that a user types, as root, with the other user's files for real."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

from rocmdoctor.live import trusted
from rocmdoctor.live.collect import find_pythons

TOP = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files to another user: needs root")


@pytest.fixture
def place(tmp_path):
    """A folder whose parents are root's, and the home of another user in it."""
    os.chmod(tmp_path, 0o755)
    return tmp_path


def program(path, text="#!/bin/sh\necho ran >> \"$RAN\"\nexit 0\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def give_away(folder):
    for top, folders, names in os.walk(folder):
        for each in (top, *(os.path.join(top, name) for name in (*folders, *names))):
            os.lchown(each, NOBODY, NOBODY)


def check(place, *arguments, **variables):
    """A check whose programs write into a file when they are run; the report, and whether one was."""
    ran = place / "ran"
    given = {**os.environ, "PYTHONPATH": str(TOP), "RAN": str(ran), "XDG_STATE_HOME": str(place / "state"), **{k: str(v) for k, v in variables.items()}}
    done = subprocess.run([sys.executable, "-m", "rocmdoctor", "check", "--no-keep", "--json", *(arguments or ("--no-kernels",))], capture_output=True,
                          text=True, timeout=120, env=given, cwd=place)
    assert done.returncode in (0, 1, 3) and "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout), ran.exists()


TORCH = "import os, sys\nopen(os.environ['RAN'], 'a').write('ran')\n"


def made_torch(folder):
    """An environment whose torch writes down that it was imported."""
    site = folder / "lib/python3.11/site-packages/torch"
    site.mkdir(parents=True)
    (site / "version.py").write_text("__version__ = '2.9.0+rocm6.4'\n")
    program(folder / "bin/python", "#!/bin/sh\necho ran >> \"$RAN\"\n")
    return folder


WAYS = {
    "PATH": lambda other: {"PATH": f"{other}/bin:{os.environ['PATH']}"},
    "a relative part of PATH": lambda other: {"PATH": f"other/bin:{os.environ['PATH']}"},
    "a link in a folder of root": lambda other: {"PATH": f"{other.parent}/links:{os.environ['PATH']}"},
    "HOME": lambda other: {"HOME": other},
    "VIRTUAL_ENV": lambda other: {"VIRTUAL_ENV": other / "venv"},
    "CONDA_PREFIX": lambda other: {"CONDA_PREFIX": other / "venv"},
    "a link to an environment": lambda other: {"VIRTUAL_ENV": other.parent / "mine"},
}


@as_root
@pytest.mark.parametrize("way", WAYS)
def test_nothing_of_another_user_is_run(place, way):
    other = place / "other"
    for name in ("ollama", "dmesg", "journalctl", "rpm", "dnf5", "rpm-ostree", "ldconfig"):
        program(other / "bin" / name)
    made_torch(other / "venv")
    give_away(other)
    (place / "links").mkdir()
    for name in ("ollama", "dmesg", "journalctl", "ldconfig"):
        (place / "links" / name).symlink_to(other / "bin" / name)
    (place / "mine").symlink_to(other / "venv")
    report, ran = check(place, "--log", os.devnull, **WAYS[way](other))
    assert not ran
    if way in ("HOME", "VIRTUAL_ENV", "CONDA_PREFIX", "a link to an environment"):
        assert any("was not examined" in note and "--python" in note for note in report["notes"])


@as_root
def test_the_same_files_are_run_when_they_are_the_callers(place):
    for name in ("ollama", "dmesg"):
        program(place / "own/bin" / name)
    made_torch(place / "own/venv")
    assert check(place, PATH=f"{place}/own/bin:{os.environ['PATH']}")[1]
    (place / "ran").unlink()
    assert check(place, "--log", os.devnull, VIRTUAL_ENV=place / "own/venv")[1]


@as_root
@pytest.mark.parametrize("variable", ["LD_LIBRARY_PATH", "ROCM_PATH"])
@pytest.mark.parametrize("whose", ["another's", "the caller's"])
def test_no_library_of_another_user_is_loaded(place, variable, whose):
    library = place / "other/lib/libamdhip64.so"
    library.parent.mkdir(parents=True)
    source = place / "hip.c"
    source.write_text("#include <stdio.h>\n#include <stdlib.h>\n__attribute__((constructor)) static void ran(void)"
                      "{ FILE *f = fopen(getenv(\"RAN\"), \"a\"); if (f) fclose(f); }\nint hipGetDeviceCount(int *n) { *n = 0; return 100; }\n")
    built = subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(library), str(source)], capture_output=True)
    if built.returncode:
        pytest.skip("no gcc")
    if whose == "another's":
        give_away(place / "other")
    report, ran = check(place, "--log", os.devnull, **{variable: place / ("other" if variable == "ROCM_PATH" else "other/lib")})
    assert ran == (whose == "the caller's")
    assert any(f"Nothing was loaded from {variable}=" in note for note in report["notes"]) == (whose == "another's")


@as_root
@pytest.mark.parametrize(("mode", "owner", "good"), [(0o755, 0, True), (0o777, 0, False), (0o775, 0, True), (0o1777, 0, True), (0o755, NOBODY, False)])
def test_a_folder_on_the_way(place, mode, owner, good):
    way = place / "way"
    file = program(way / "own/tool")
    os.chmod(way, mode)
    os.chown(way, owner, -1)
    assert bool(trusted.why_not(str(file))) != good


@as_root
def test_a_group_counts_by_its_members(place):
    file = program(place / "own/tool")
    os.chown(place / "own", 0, NOBODY)
    os.chmod(place / "own", 0o775)
    assert "other users may write" in trusted.why_not(str(file))


@as_root
def test_a_program_may_not_lie_beside_files_of_others(place):
    file = program(place / "all/tool")
    os.chmod(place / "all", 0o1777)
    assert "every user may write" in trusted.why_not(str(file))
    assert trusted.resolve(str(file), beside=True) == str(file)  # a policy or a log may


def test_a_link_above_is_what_the_kernel_takes_it_for(tmp_path):
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "tool").write_text("outside")
    (tmp_path / "a/tool").write_text("inside")
    (tmp_path / "link").symlink_to("a/b")
    assert trusted.resolve(f"{tmp_path}/link/../tool", beside=True) == os.path.realpath(tmp_path / "a/tool")


def test_links_in_circles_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert "too many links" in trusted.why_not(str(tmp_path / "a"))


@as_root
def test_a_torch_that_a_link_brings_in_is_not_the_callers(place):
    made_torch(place / "other")
    give_away(place / "other")
    own = place / "venv"
    program(own / "bin/python")
    (own / "lib/python3.11").mkdir(parents=True)
    (own / "lib/python3.11/site-packages").symlink_to(place / "other/lib/python3.11/site-packages")
    said = []
    assert find_pythons({"VIRTUAL_ENV": str(own)}, place / "none", said.append) == ()
    assert "belongs to another user" in said[0]


@as_root
def test_variables_keep_what_is_trusted(place):
    (place / "own").mkdir()
    (place / "other").mkdir()
    os.chown(place / "other", NOBODY, NOBODY)
    clean, left_out = trusted.environment({"PATH": f"{place}/own::{place}/other:bin", "HOME": str(place / "other"), "LD_LIBRARY_PATH": str(place / "other"),
                                           "LANG": "C"})
    assert clean == {"PATH": str(place / "own"), "LANG": "C"}
    assert [each.partition(":")[0] for each in left_out] == [f"PATH={place}/other", "PATH=bin", f"LD_LIBRARY_PATH={place}/other", f"HOME={place}/other"]
