"""Hits in big texts: right line numbers, the first and the last of many, nothing lost in a storm."""

import bisect
import itertools
import pathlib
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmdoctor.knowledge import rules, signals
from rocmdoctor.scan import scanner as scan
from rocmdoctor.scan import shapes

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"


def scanner(**groups):
    return scan.Scanner([signals.build("rule", name, patterns) for name, patterns in groups.items()])


def blocks(lines, size):
    for start in range(0, len(lines), size):
        yield ("\n".join(lines[start:start + size]) + "\n").encode()


def test_line_numbers_count_over_blocks():
    lines = [f"line {n}" + (" needle" if n % 7 == 0 else "") for n in range(1, 100)]
    hits = list(scanner(line=["needle"]).scan("log", blocks(lines, 10)))
    assert [h.line for h in hits] == list(range(7, 100, 7))


def test_of_many_hits_the_first_and_the_last_are_kept():
    lines = [f"needle {n}" for n in range(1, 301)]
    hits = list(scanner(line=["needle (?P<n>\\d+)"]).scan("log", blocks(lines, 40)))
    assert [h.line for h in hits] == [*range(1, 51), *range(251, 301)]
    assert hits[-1].captures == {"n": "300"}


def test_in_a_storm_the_other_patterns_and_the_end_are_still_seen():
    storm = [f"storm {n}" for n in range(1, 10_001)]
    storm[6_500] = "quiet word in the storm"
    seen = scanner(storm=["storm \\d"], quiet=["quiet word"])
    hits = list(seen.scan("log", blocks(storm, 1000)))
    assert [h.line for h in hits if h.group == "quiet"] == [6_501]
    assert [h.line for h in hits if h.group == "storm"][-1] == 10_000


def test_a_pattern_is_tried_in_any_case_and_at_a_line_start():
    hits = list(scanner(line=["^error"]).scan("log", [b"no error\nERROR here\n"]))
    assert [h.line for h in hits] == [2]


def test_a_pattern_without_a_literal_may_mean_its_case():
    hits = list(scanner(call=[r"(?-i:\b(vk[A-Z]\w+|hs_\w+))"]).scan("log", [b"nothing\nvkCreateDevice\nvkcube\n"]))
    assert [h.line for h in hits] == [2]


def test_a_match_across_a_line_end_is_no_hit():
    assert list(scanner(line=[r"first\s+second"]).scan("log", [b"the first\nsecond line\n"])) == []


def alone_in(all_of, one, text, starts):
    """The lines that a pattern matches by itself: looked for in the text as a whole, where a match may also reach over lines, then each by itself."""
    at = 0
    while at < len(text) and (match := all_of.search(text, at)):
        row = bisect.bisect_right(starts, match.start()) - 1
        if one.search(text[starts[row]:starts[row + 1] - 1]):
            yield row + 1
        at = starts[row + 1]


def test_the_literals_lose_no_hit():
    """Every example line of every rule, scanned with the literals and with each pattern alone."""
    import re2

    from rocmdoctor.knowledge import rules

    book = rules.load()
    lines = [line for rule in book.rules.values() for kind in rule.examples.values() for e in kind for line in (e.get("text") or "").split("\n")]
    text = "\n".join(lines)
    found = {(h.rule, h.group, h.line) for h in scan.Scanner(book.patterns()).scan("x", [text.encode()])}
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    whole = text.encode()
    starts = list(itertools.accumulate((len(line) + 1 for line in whole.split(b"\n")), initial=0))
    for signal in book.patterns():
        if signal.unless or signal.negatable:
            continue
        compiled = [(re2.compile(f"(?im){p}".encode(), options), re2.compile(f"(?i){p}".encode(), options)) for p in signal.patterns]
        alone = sorted({number for all_of, one in compiled for number in alone_in(all_of, one, whole, starts)})
        kept = {line for owner, name, line in found if (owner, name) == (signal.owner, signal.name)}
        # Of very many the first and the last 50 hits are kept, and one line may hold several.
        assert kept == set(alone) if len(alone) < 50 else kept <= set(alone) and alone[0] in kept and alone[-1] in kept, signal.id


def test_the_shapes_of_lines_lose_no_hit_and_add_none(monkeypatch):
    """Example lines of every fifth rule and the recorded texts, read line by line and by the shapes of lines."""
    from rocmdoctor.knowledge import rules

    book = rules.load()
    both = scan.Scanner(book.patterns())
    texts = ["\n".join(e.get("text") or "" for rule in list(book.rules.values())[::5] for kind in rule.examples.values() for e in kind)]
    texts += [path.read_text("utf-8", "replace") for path in sorted((FIXTURES / "texts").rglob("*")) if path.is_file()]
    for text in texts:
        expected = list(both.scan("x", [text.encode()]))
        monkeypatch.setattr(scan, "_BIG", -1)
        assert list(both.scan("x", [text.encode()])) == expected
        monkeypatch.undo()


@pytest.mark.parametrize("pattern", [r"code -?1[0-4]\b", r"[^5]x", r"gfx(9|11)0[0a]", r"^\[ *\d+\.\d+\]", r"a{2}7$", r"(?P<n>[a-f]+)[8-9]?"])
@given(line=st.text(alphabet="ab5 x.[]-019gfAGcode78\n", max_size=12))
def test_a_line_that_matches_has_a_shape_that_matches(pattern, line):
    said = shapes.relaxed(pattern)
    assert said is not None
    if re.search(pattern, line, re.IGNORECASE):
        assert re.search(said, shapes.shape(line.encode()).decode(), re.IGNORECASE)


def test_literals_are_found_in_every_piece_and_over_its_end(monkeypatch):
    monkeypatch.setattr(scan, "_PIECE", 7)
    text = b"gpu amdgpu aagpuu gpu"
    found = sorted(scan._Literals([b"gpu", b"amdgpu", b"u"]).places(text))
    assert found == sorted((index, at) for index, one in enumerate((b"gpu", b"amdgpu", b"u")) for at in range(len(text)) if text.startswith(one, at))


def test_a_line_of_one_letter_repeated_takes_little_memory():
    every = scan.Scanner(rules.load().patterns())
    tracemalloc.start()
    try:
        list(every.scan("log", [b"1" * (5 << 18) + b"\n"]))  # one that is big; each place of one literal as a list would be 100 MiB
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()
