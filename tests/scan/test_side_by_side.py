"""A file that several processes search has the hits that one finds in it."""

import os
import random

import pytest

from rocmdoctor.facts.model import Snapshot
from rocmdoctor.knowledge import signals
from rocmdoctor.scan import scanner as scan
from rocmdoctor.scan import side_by_side
from rocmdoctor.texts import attach, interpret

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
PARTS = [(1, 10, "kernel_log"), (11, 20, "prose"), (21, 30, "app_log")]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Blocks of a size that a test can fill, and three processes whatever the machine has."""
    monkeypatch.setattr(side_by_side, "BLOCK", 128 << 10)
    monkeypatch.setattr(side_by_side, "LEAST", 1 << 20)
    monkeypatch.setattr(side_by_side, "_processors", lambda: 3)


def scanner():
    return scan.Scanner([signals.build("rule", name, {"patterns": [pattern], **({"in": list(kinds)} if kinds else {})}) for name, pattern, kinds in (
        ("storm", r"storm (?P<n>\d+)", ()), ("late", r"late \d+", ()), ("early", r"early \d+", ()), ("often", r"often", ()), ("seldom", r"seldom \d", ()),
        ("twice", r"twice", ()), ("kernel", r"word \d*7\b", ("kernel_log",)), ("app", r"word \d+77\b", ("app_log",)))])


def made(tmp_path, seed, mib=5):
    """A log in which signals storm in other places, and hardly two lines are alike."""
    chosen = random.Random(seed)
    total = (mib << 20) // 40
    lines = []
    for number in range(total):
        line = f"word {number} {chosen.getrandbits(60):x}"
        if number < total // 3 and chosen.random() < 0.3:
            line += f" early {number}"
        if number > total * 0.95 and chosen.random() < 0.02:
            line += f" late {number}"
        if chosen.random() < (0.2 if chosen.random() < 0.5 else 0.001):
            line += f" storm {number}"
        line += " often" if number % 601 == 0 else " seldom 1" if number % 9999 == 0 else " twice twice" if number % 3000 == 0 else ""
        lines.append(line)
    path = tmp_path / "big.log"
    path.write_text("\n".join(lines) + ("\n" if seed % 2 else ""))
    return path


@pytest.mark.parametrize("seed", range(6))
def test_the_hits_are_those_of_one_process(tmp_path, seed):
    path = made(tmp_path, seed)
    alone = list(scanner().scan("log", attach.blocks(path, side_by_side.BLOCK), PARTS))
    together, lines, read = side_by_side.Search(scanner(), "log", path, lambda: PARTS, lambda: False).hits()
    assert together == alone and read == path.stat().st_size and lines == path.read_bytes().count(b"\n")
    assert {hit.group for hit in alone} == {"storm", "late", "early", "often", "seldom", "twice", "kernel", "app"}


def test_when_the_time_is_up_it_is_known_how_far_it_came(tmp_path, monkeypatch):
    path = made(tmp_path, 1)
    monkeypatch.setattr(side_by_side.Search, "_take", lambda self, *given: None)
    hits, lines, read = side_by_side.Search(scanner(), "log", path, lambda: PARTS, lambda: True).hits()
    text = path.read_bytes()[:read]
    assert 0 < read <= 256 << 10 and lines == text.count(b"\n") and {hit.group for hit in hits} >= {"early", "storm"}
    snapshot = Snapshot("now", "read")
    asked = iter([False])
    interpret.fill(snapshot, [attach.Text("big.log", path.read_text()[:1000], path)], scanner(), lambda: next(asked, True))
    assert "big.log: the time for reading is over, only its first 0 MiB were searched" in snapshot.notes


def test_where_a_process_fails_the_text_is_searched_all_the_same(tmp_path, monkeypatch):
    path = made(tmp_path, 2)
    snapshots = []
    for broken in (False, True):
        if broken:
            monkeypatch.setattr(side_by_side.Search, "_read", lambda *given: 1 / 0)
        snapshots.append(Snapshot("now", "read"))
        interpret.fill(snapshots[-1], [attach.Text("big.log", path.read_text()[:1000], path)], scanner())
    assert snapshots[0] == snapshots[1] and snapshots[0].hits


@pytest.mark.parametrize("text", ["x" * (2 << 20), "short\n" * 1000])
def test_a_file_without_lines_or_of_few_bytes_is_not_divided(tmp_path, text):
    path = tmp_path / "log"
    path.write_text(text)
    with pytest.raises(side_by_side.Unsearched):
        side_by_side.Search(scanner(), "log", path, lambda: PARTS, lambda: False)
