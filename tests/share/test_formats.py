"""The rows of the formats: what a pattern finds is never missed because none of the row's hints stands in the text."""

import random
import string

import pytest

from rocmdoctor.scan.literals import parser, sre
from rocmdoctor.share import private
from rocmdoctor.share.formats import ROWS, spelt

LETTERS = string.ascii_letters + string.digits
CATEGORIES = {sre.CATEGORY_DIGIT: string.digits, sre.CATEGORY_SPACE: " ", sre.CATEGORY_NOT_SPACE: LETTERS, sre.CATEGORY_WORD: LETTERS, sre.CATEGORY_NOT_WORD: " -"}


def sample(chosen, tokens):
    """A text that the parsed pattern matches, each choice made anew."""
    parts = []
    for operation, argument in tokens:
        if operation is sre.LITERAL:
            parts.append(chr(argument))
        elif operation is sre.NOT_LITERAL or operation is sre.ANY:
            parts.append(chosen.choice(LETTERS.replace(chr(argument or 0), "")))
        elif operation is sre.IN:
            parts.append(one_of(chosen, argument))
        elif operation is sre.BRANCH:
            parts.append(sample(chosen, chosen.choice(argument[1])))
        elif operation in (sre.MAX_REPEAT, sre.MIN_REPEAT):
            least, most, inner = argument
            parts += [sample(chosen, inner) for _ in range(chosen.randint(least, min(most, least + 1)))]
        elif operation is sre.SUBPATTERN:
            parts.append(sample(chosen, argument[-1]))
        else:
            assert operation is sre.AT, operation
    return "".join(parts)


def one_of(chosen, items):
    """A letter of a class."""
    if items[0][0] is sre.NEGATE:
        out = {chr(value) for kind, value in items[1:] if kind is sre.LITERAL} | {chr(n) for kind, value in items[1:] if kind is sre.RANGE for n in range(value[0], value[1] + 1)}
        return chosen.choice(sorted(set(LETTERS) - out) or ["-"])
    kind, value = chosen.choice(items)
    if kind is sre.LITERAL:
        return chr(value)
    return chr(chosen.randint(*value)) if kind is sre.RANGE else chosen.choice(CATEGORIES[value])


def plain(pattern):
    """A pattern of RE2 as Python's parser takes it."""
    for name, instead in ((r"\z", r"\Z"), (r"\pL", "a-zA-Z"), (r"\pN", "0-9"), (r"\p{Lu}", "A-Z"), ("(?i:", "(?:"), ("(?m:", "(?:")):
        pattern = pattern.replace(name, instead)
    return pattern


def samples(row):
    chosen, tokens = random.Random(1), parser.parse(plain(row[2]))
    return {sample(chosen, tokens) for _ in range(300)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1][:20]}")
def test_whatever_a_row_finds_holds_a_hint(row):
    hints = row[1].split("|") if not row[1].startswith("|") else [row[1]]
    assert all(hint == hint.lower() for hint in hints)
    found = samples(row)
    without = [text for text in found if not any(hint in text.lower() for hint in hints)]
    assert not without, without[:5]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row[0]} {row[1][:20]}")
def test_the_pattern_for_ascii_finds_the_same_there(row):
    either = private._Format((row[0],), (), spelt(row[2]))
    texts = [around.replace("{}", text) for text in samples(row) if text.isascii() for around in ("{}", "a {}, b", "x{}1\n{}")]
    by_ascii, by_all = ([[list(map(found.span, either.groups)) for found in either.compiled(ascii_).finditer(text.encode())] for text in texts]
                        for ascii_ in (True, False))
    assert by_ascii == by_all
