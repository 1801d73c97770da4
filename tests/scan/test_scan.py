"""Hits in big texts: right line numbers, the first and the last of many, nothing lost in a storm."""

import bisect
import functools
import itertools
import pathlib
import random
import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocmdoctor.knowledge import rules, signals
from rocmdoctor.scan import literals, plan, reach, shapes
from rocmdoctor.scan import scanner as scan
from rocmdoctor.texts import kinds as kinds_of_lines

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


@functools.cache
def naive(text):
    """Each pattern by itself over the whole text: of each signal the lines of the first 50 hits and of the last 50."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    book, parts = rules.load(), kinds_of_lines.parts_of(text)
    whole = text.encode()
    lines = whole.split(b"\n")
    starts = list(itertools.accumulate((len(line) + 1 for line in lines), initial=0))
    kinds = [kind for start, end, kind in parts for _ in range(start, end + 1)]
    found = {}
    for signal in book.patterns():
        unless = [re2.compile(f"(?i){p}".encode(), options) for p in signal.unless]
        negation = re2.compile(f"(?i){signals.NEGATION}".encode(), options)
        met = found.setdefault((signal.owner, signal.name), [])
        for pattern in signal.patterns:
            one = re2.compile(f"(?i){pattern}".encode(), options)
            for number in alone_in(re2.compile(f"(?im){pattern}".encode(), options), one, whole, starts):
                line = lines[number - 1]
                at = one.search(line).start()
                if signal.kinds and kinds[number - 1] not in signal.kinds or any(each.search(line) for each in unless):
                    continue
                if not (signal.negatable and negation.search(line[max(0, at - 40):at])):
                    met.append(number)
    return {name: sorted(met)[:50] + sorted(met)[50:][-50:] for name, met in found.items() if met}


def varied(lines):
    """Lines that all differ, of words that the rules know."""
    words = sorted({word for path in (FIXTURES / "cases").glob("*/inputs/*") if path.is_file() for word in path.read_text("utf-8", "replace").split()
                    if len(word) < 40})
    chosen = random.Random(5)
    return "\n".join(" ".join(chosen.choices(words, k=12)) for _ in range(lines))


def alike(lines):
    """Lines of a few hundred shapes with other numbers in each."""
    some = [line for path in sorted((FIXTURES / "texts").rglob("*.txt")) for line in path.read_text("utf-8", "replace").split("\n") if 10 < len(line) < 300]
    chosen = random.Random(5)
    some = chosen.sample(some, 150)
    return "\n".join(re.sub(r"[0-9]", lambda digit: chosen.choice(digit[0] + "0123456789"), line) for line in chosen.choices(some, k=lines))


def long(lines):
    """Lines of some kilobytes, some of them with words that have no end."""
    words = varied(lines * 40).split("\n")
    return "\n".join(("x/" * 35 if at % 120 == 0 else " ").join(words[at:at + 40]) for at in range(0, len(words), 40))


@pytest.mark.parametrize("text", [varied(1500), alike(3000), long(60)], ids=["varied", "alike", "long"])
@pytest.mark.parametrize("sizes", [{}, {"_PIECE": 2 << 10, "_MOST": 32 << 10, "_SHAPED": 8 << 10, "_BACK": 4 << 10}],
                         ids=["as it is", "many pieces"])
def test_the_hits_are_those_of_each_pattern_by_itself(text, sizes, monkeypatch):
    for name, size in sizes.items():
        monkeypatch.setattr(scan, name, size)
    found = {}
    for hit in scan.Scanner(rules.load().patterns()).scan("x", blocks(text.split("\n"), 400), kinds_of_lines.parts_of(text)):
        found.setdefault((hit.rule, hit.group), []).append(hit.line)
    assert found == naive(text)


def test_of_what_is_seen_again_and_again_the_last_is_found_in_the_end_of_a_big_text(monkeypatch):
    monkeypatch.setattr(scan, "END", 4 << 10)
    lines = [f"storm {n}" for n in range(1, 5001)]
    lines[3000] = lines[4990] = "quiet needle"
    found = {}
    for hit in scanner(storm=["storm \\d"], quiet=["needle"]).scan("log", blocks(lines, 100)):
        found.setdefault(hit.group, []).append(hit.line)
    assert found == {"quiet": [3001, 4991], "storm": [*range(1, 51), *(n for n in range(4950, 5001) if n != 4991)]}


def test_hits_in_lines_of_several_shapes_count_in_the_order_of_the_lines(monkeypatch):
    monkeypatch.setattr(scan, "_SHAPED", 1)
    lines = [f"storm {'of rain' if n % 2 else 'of snow'} {n}" for n in range(1, 401)]
    hits = scanner(storm=["storm .*\\d"], rain=["rain \\d+"]).scan("log", [("\n".join(lines) + "\n").encode()])
    assert [hit.line for hit in hits if hit.group == "storm"] == [*range(1, 51), *range(351, 401)]


@pytest.mark.parametrize("pattern", [r"code -?1[0-4]\b", r"[^5]x", r"gfx(9|11)0[0a]", r"^\[ *\d+\.\d+\]", r"a{2}7$", r"(?P<n>[a-f]+)[8-9]?"])
@given(line=st.text(alphabet="ab5 x.[]-019gfAGcode78\n", max_size=12))
def test_a_line_that_matches_has_a_shape_that_matches(pattern, line):
    said = shapes.relaxed(pattern)
    assert said is not None
    if re.search(pattern, line, re.IGNORECASE):
        assert re.search(said, shapes.shape(line.encode()).decode(), re.IGNORECASE)


@pytest.mark.parametrize("pattern", [r"^[-<] ?a", r"^(\()?[ab]{2}", r"^[| ]*b\d", r"^(a|b)x", r"^a*", r"^ax|^by", r"^ax|b", r"^[^a]x", r"^\wx", r"^A?B"])
@given(line=st.text(alphabet="abAB(x|-< 1", max_size=8))
def test_a_line_that_matches_begins_with_a_letter_that_is_said(pattern, line):
    letters = literals.begins(pattern)
    if letters and re.search(pattern, line, re.IGNORECASE):
        assert line[:1].lower() in letters


def test_patterns_that_few_lines_can_begin_are_tried_on_those():
    patterns = [r"^[-<] ?(?P<n>[a-z]\w* \d)", r"^\(x", r"^d[rwx-]{9}", r"^[0-5]\d"]
    lines = [f"{chosen} {n}" for n, chosen in enumerate(["word", "-word", "< word", "(x", "(y", "drwxr-xr-x ", "Drwxr-xr-x", "12", "other", "word -a 1"] * 20)]
    hits = scanner(**{f"p{number}": [pattern] for number, pattern in enumerate(patterns)}).scan("log", blocks(lines, 1000))
    naive = {(f"p{number}", row) for number, pattern in enumerate(patterns) for row, line in enumerate(lines, 1) if re.search(pattern, line, re.IGNORECASE)}
    assert {(hit.group, hit.line) for hit in hits} == naive


@pytest.mark.parametrize("pattern", [r"a\w+ .{0,3}b\b", r"(a+\.)*x\s*5", r"[^\sx]+\[\d+\]|gfx[0-9a-f]{2,3}", r"^a(b|5 +f)?"])
@given(line=st.text(alphabet="ab5 x.[]fg\t", max_size=40))
def test_a_match_reaches_no_farther_than_is_said(pattern, line):
    most = reach.reach(pattern)
    assert most is not None and reach.even(line.encode())
    assert all(len(found[0]) <= most for found in re.finditer(pattern, line, re.IGNORECASE))


def test_a_match_without_bounds_may_reach_anywhere():
    assert [reach.reach(pattern) for pattern in ("a.*b", r"a[^:]+b", r"(\w+ )*x", r"\W+")] == [None] * 4
    assert not reach.even(b"a" * 65) and not reach.even(b"a" + b" " * 65) and reach.even(b"a " * 65)


def test_hits_in_long_lines_take_little_memory():
    seen = scanner(**{f"signal{n}": [f"needle{n} "] for n in range(50)})
    line = " ".join(f"needle{n}" for n in range(50)) + " word" * 1500
    tracemalloc.start()
    try:
        assert len(list(seen.scan("log", blocks([line] * 100, 50)))) == 50 * 100
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("short", [0, 1000])
def test_literals_are_found_in_every_piece_and_over_its_end(short, monkeypatch):
    monkeypatch.setattr(scan, "_FOUND", 7)
    monkeypatch.setattr(scan, "_SHORT", short)
    text = b"gpu amdgpu aagpuu gpu"
    made = plan.planned([(0, ("gpu\namdgpu\nu",))])
    places = scan._Literals(made.texts, made.heads).places(text)
    found = sorted((index, first + at) for first, here in places for index, at, _ in here if at < scan._FOUND)
    assert found == sorted((index, at) for index, one in enumerate((b"gpu", b"amdgpu", b"u")) for at in range(len(text)) if text.startswith(one, at))


def test_a_line_of_one_letter_repeated_takes_little_memory():
    every = scan.Scanner(rules.load().patterns())
    tracemalloc.start()
    try:
        list(every.scan("log", [b"1" * (5 << 18) + b"\n"]))  # one that is big; each place of one literal as a list would be 100 MiB
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()


def test_the_plan_of_the_house_is_what_its_patterns_need(tmp_path):
    book = rules.load()
    every = scan.Scanner(book.patterns())
    assert book.plan() == plan.planned(enumerate(every.choices))
    assert rules.load((tmp_path,)).plan() is None
