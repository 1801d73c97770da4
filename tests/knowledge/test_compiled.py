"""What is laid out once is never older than what it was made of, and a cache that cannot be used costs time only."""

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rocmdoctor.knowledge import cache, compiled
from rocmdoctor.knowledge.paths import data_dir

TOP = Path(__file__).resolve().parents[2]
ASKS = """
import sys
from rocmdoctor.knowledge import rules, tables
book = rules.load()
print(book.rules[sys.argv[1]].title, tables.load("gfx_targets")["targets"][0]["gfx"], *book.problems, sep="|")
print("yaml" in sys.modules)
"""


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A checkout that has been there for a while; a few rules of each folder do."""
    top = tmp_path_factory.mktemp("checkout")
    shutil.copytree(TOP / "rocmdoctor", top / "rocmdoctor", ignore=shutil.ignore_patterns("__pycache__"))
    (top / "probes").mkdir()
    shutil.copy(TOP / "probes/trusted.py", top / "probes")
    for folder, _, names in os.walk(TOP / "rules"):
        (top / os.path.relpath(folder, TOP)).mkdir()
        for name in sorted(names)[:3] + (["gfx_targets.yaml"] if "gfx_targets.yaml" in names else []):
            shutil.copy(Path(folder, name), top / os.path.relpath(folder, TOP) / name)
    ask(top, top / "unused")  # its modules are compiled
    time.sleep(cache._SETTLED_S)
    return top


def a_rule(top):
    return next(file for file in sorted((top / "rules/causes").glob("*/*.yaml")) if re.search(r"\ntitle: [A-Z][a-z][A-Za-z]{2}", file.read_text()))


def run(top, cache_home, *arguments, before=None):
    done = subprocess.run([sys.executable, "-c", *arguments], capture_output=True, text=True, timeout=60, preexec_fn=before, cwd=top,
                          env={**os.environ, "PYTHONPATH": str(top), "XDG_CACHE_HOME": str(cache_home), "PYTHONDONTWRITEBYTECODE": ""})
    assert not done.stderr
    return done.stdout


def ask(top, cache_home, before=None):
    """What the knowledge says, and whether it was read anew."""
    answer, anew, _ = run(top, cache_home, ASKS, a_rule(top).stem, before=before).split("\n")
    return answer, anew == "True"


def replaced(file, old, new):
    """Change a file in place; size, date and number stay."""
    stat, text = file.stat(), file.read_text()
    assert old in text and len(old) == len(new)
    with open(file, "r+") as there:
        there.write(text.replace(old, new, 1))
    os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    now = file.stat()
    assert (now.st_size, now.st_mtime_ns, now.st_ino) == (stat.st_size, stat.st_mtime_ns, stat.st_ino)


def test_an_edit_is_seen_though_size_and_date_stay(copied, tmp_path):
    first, anew = ask(copied, tmp_path)
    assert anew and ask(copied, tmp_path) == (first, False)
    file = a_rule(copied)
    title = first.partition("|")[0]
    replaced(file, f"title: {title[:4]}", f"title: Qx{title[2:4]}")
    try:
        assert ask(copied, tmp_path) == ("Qx" + first[2:], True)
        replaced(copied / "rules/data/gfx_targets.yaml", "gfx", "gfq")  # a file that has just changed can change again within the same tick
        assert ask(copied, tmp_path)[1]
    finally:
        replaced(file, "title: Qx", f"title: {title[:2]}")
        replaced(copied / "rules/data/gfx_targets.yaml", "gfq", "gfx")
    assert ask(copied, tmp_path)[0] == first
    time.sleep(cache._SETTLED_S)
    assert ask(copied, tmp_path) == (first, True) and ask(copied, tmp_path) == (first, False)


def test_a_file_less_or_more_is_seen(copied, tmp_path):
    first, _ = ask(copied, tmp_path)
    extra = a_rule(copied).with_name("zzz-extra.yaml")
    extra.write_text("id: other\n")
    try:
        answer, _ = ask(copied, tmp_path)
        assert answer.startswith(first) and "zzz-extra.yaml" in answer
    finally:
        extra.unlink()
    assert ask(copied, tmp_path)[0] == first


UNUSABLE = {
    "no folder": lambda home: home.write_text(""),
    "full": lambda home: home.mkdir(),
    "a folder in the way": lambda home: (home / "rocmdoctor" / compiled.NAME).mkdir(parents=True),
}


@pytest.mark.parametrize("how", UNUSABLE)
def test_a_cache_that_cannot_be_written_is_done_without(copied, tmp_path, how):
    good, home = ask(copied, tmp_path / "good"), tmp_path / "cache"
    UNUSABLE[how](home)
    full = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))) if how == "full" else None
    for _ in range(2):
        assert ask(copied, home, full) == (good[0], True)
    left = list(home.rglob("*")) if home.is_dir() else []
    assert [file for file in left if file.is_file()] == []


def test_what_a_wheel_carries_is_used_while_it_fits(copied, tmp_path):
    """As installed: rules and the file beside them lie in the package."""
    site = tmp_path / "site"
    shutil.copytree(copied / "rocmdoctor", site / "rocmdoctor")
    shutil.copytree(copied / "rules", site / "rocmdoctor/_rules")
    packed = site / "rocmdoctor/_rules" / compiled.NAME
    run(copied, tmp_path / "made", "import pathlib, sys; from rocmdoctor.knowledge import compiled\n"
        "pathlib.Path(sys.argv[1]).write_bytes(compiled.make())", str(packed))
    shutil.copytree(copied / "probes", site / "rocmdoctor/_probes")
    (site / "rules").symlink_to("rocmdoctor/_rules")
    first, anew = ask(site, tmp_path / "cache")
    assert first == ask(copied, tmp_path / "other")[0] and not anew
    file = a_rule(site)
    file.write_text(file.read_text().replace("title: ", "title: Qx", 1))
    assert ask(site, tmp_path / "cache") == ("Qx" + first, True)
    for spoilt in (b"", b"\xff" * 99, packed.read_bytes()[:1000]):
        packed.write_bytes(spoilt)
        assert ask(site, tmp_path / f"cache-{len(spoilt)}")[0] == "Qx" + first


def test_tables_and_words_of_checks_are_as_their_files_say():
    top = data_dir("rules")
    names = [file.relative_to(top).as_posix() for folder in ("data", "checks") for file in (top / folder).rglob("*.yaml")]
    assert len(names) > 40
    for name in names[::6]:
        assert compiled.part(name) == cache.parse_yaml((top / name).read_text("utf-8")), name
