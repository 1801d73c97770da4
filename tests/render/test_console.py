"""What is written for a terminal is what rich writes."""

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console as Rich
from rich.padding import Padding
from rich.text import Text as RichText

from rocmdoctor.render.page import Console, Text

STYLES = ("", "bold", "dim", "bold red", "cyan", "green", "yellow", "bold magenta")
LETTERS = st.sampled_from([*"abcdefghij .,:;/-", " ", "  ", "✗", "é", "漢", "한", "🙂", "│", "a\nb", "ä" * 30, "x" * 45, "e\u0301", "👩\u200d🚀"])
WORDS = st.lists(LETTERS, max_size=60).map("".join)
PARTS = st.lists(st.tuples(WORDS, st.sampled_from(STYLES)), max_size=5)


def bare(text):
    """Without blanks at the ends of lines, coloured or not, which nobody sees."""
    return [re.sub(r"(?:\x1b\[[0-9;]*m|\s)+$", "", line) for line in text.splitlines()]


def rich(parts, width, colour, indent, whole):
    out = io.StringIO()
    console = Rich(file=out, width=width, force_terminal=colour, color_system="standard" if colour else None, no_color=not colour, markup=False,
                   highlight=False, emoji=False, legacy_windows=False, _environ={})
    if whole:
        console.print(RichText.assemble(" " * indent, *parts, no_wrap=True, overflow="ignore"), soft_wrap=True)
    else:
        console.print(Padding(RichText.assemble(*parts), (0, 0, 0, indent), expand=False))
    return bare("\n".join(out.getvalue().splitlines()) + "\n")


def ours(parts, width, colour, indent, whole):
    console = Console(width, colour)
    if whole:
        console.print_whole(Text.assemble(" " * indent, *parts))
    else:
        console.print(Text.assemble(*parts), indent)
    return bare(console.text())


@settings(max_examples=600, deadline=None)
@given(PARTS, st.integers(24, 80), st.booleans(), st.integers(0, 9), st.booleans())
def test_it_is_what_rich_writes(parts, width, colour, indent, whole):
    assert ours(parts, width, colour, indent, whole) == rich(parts, width, colour, indent, whole)


@pytest.mark.parametrize("text", ["", "one", "a word " * 40, "x" * 500, "漢字" * 60 + " end", "line\nline\n", "  lead " * 20])
def test_of_one_style(text):
    for indent in (0, 5):
        assert ours([(text, "bold")], 40, True, indent, False) == rich([(text, "bold")], 40, True, indent, False)


def test_a_part_of_a_text_keeps_its_styles():
    line = Text.assemble("abc", ("def", "bold"), ("ghi", "dim"))
    assert line[2:7].runs == [("c", ""), ("def", "bold"), ("g", "dim")] and len(line) == 9 and line[4:].plain == "efghi"
