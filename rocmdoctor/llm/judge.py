"""Sane or garbage? A text is garbage when no language model in its right mind writes it; being wrong, dull or in circles is only weak.

The kinds are those that people report of broken GPU backends: tokens without text (padding), one piece over and over, special tokens,
characters that are no UTF-8, scripts of the whole world mixed, words without grammar, and probabilities that are all the same.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter

from rocmdoctor import later
from rocmdoctor.knowledge import tables

# A model that works is surer than this of the tokens it picks at temperature 0; ln(1/262144) = -12.5 is what flat logits give.
FLAT = -6.5
# Marks of a turn (<|im_end|>) are none of these: a base model in a chat learnt them from its prompt.
_SPECIAL = later.pattern(
    r"<\|?/?(?:pad|unk|s|bos|eos|mask|cls|unused_?\d+|extra_(?:id_)?\d+|reserved\w*|special\w*|0x[0-9A-Fa-f]{2}|image\w*)\|?>"
    r"|\[(?:PAD|UNK|MASK|CLS|SEP|multimodal|unused\d+|control_\d+)\]", re.IGNORECASE)
_EAST = ("CJK", "HANGUL", "HIRAGANA", "KATAKANA", "BOPOMOFO", "FULLWIDTH", "HALFWIDTH", "IDEOGRAPHIC")


@functools.cache
def _function_words() -> frozenset[str]:
    return frozenset(str(tables.load("llm_prompts")["function_words"]).split())


@functools.lru_cache(4096)
def _script(letter: str) -> str:
    """LATIN, CYRILLIC, EAST ... of a letter, "" for anything else."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "").split(" ")[0]
    return "EAST" if name.startswith(_EAST) else name.split("-")[0]


def judge(text: str, tokens: int | None = None, logprobs: tuple[float, ...] = (), prompt: str = "") -> str:
    """The kind of garbage, "" for a sane or an empty text. ``tokens`` were generated; ``logprobs`` are of those, at temperature 0.

    >>> judge("GGGGGGGGGGGGGGGG"), judge(" Paris, the capital of France"), judge("", 24)
    ('loop', '', 'tokens without text')
    """
    if len(logprobs) >= 4 and sum(logprobs) / len(logprobs) < FLAT:
        return "flat probabilities"
    bare = text.strip()
    if not bare:
        # A few line feeds are how a small model stops talking; pads and one white space without end are not.
        return "tokens without text" if (tokens or 0) >= 4 and (not text or len(set(text)) == 1) else ""
    special = _SPECIAL.findall(bare)
    size = sum(map(len, special))
    if len(special) >= 3 and size * 2 >= len(bare.replace(" ", "")):
        return "special tokens"
    if special and (tokens or 0) >= 2 * len(special) + 4 and size >= len(bare.replace(" ", "")) and not any("|" in one for one in special):
        return "tokens without text"
    broken = sum(letter == "\N{REPLACEMENT CHARACTER}" or unicodedata.category(letter) in ("Cc", "Co", "Cn", "Cs") and letter not in "\n\r\t"
                 for letter in bare)
    if broken >= 3 and broken * 5 >= len(bare):
        return "broken characters"
    return _loop(bare, prompt) or _mixed(bare) or _random_words(bare)


def _loop(text: str, prompt: str) -> str:
    """One short piece over and over from the start. A weak model goes in circles too, but with something first, or with a sign that the prompt has."""
    packed = " ".join(text.split())
    for start in range(min(6, len(packed))):
        rest = packed[start:]
        for length in range(1, min(24, len(rest) // 4) + 1):
            unit = rest[:length]
            if len(unit.split()) > 1 or not rest.startswith(unit * 4):
                continue
            whole = (unit * (len(rest) // length + 1))[:len(rest)]
            if len(unit.strip()) > 1 and not unit.strip().isalpha() and unit.strip() in prompt:
                return ""
            if whole == rest and len(rest) // length >= (8 if length == 1 else 5 if length < 4 else 4):
                return "loop"
    few = {letter.lower() for letter in packed if letter.isalnum()}
    return "loop" if len(packed) >= 32 and len(few) <= 1 and len(set(packed)) <= 4 else ""


def _mixed(text: str) -> str:
    """Letters of many scripts in few words, or scripts that change inside a word."""
    counted = Counter(filter(None, map(_script, text)))
    # One letter of Greek is a symbol of mathematics.
    scripts = {name for name, count in counted.items() if count > 1 or name not in ("GREEK", "MICRO", "FEMININE", "MASCULINE", "MODIFIER")}
    inside = 0
    for left, right in zip(text, text[1:], strict=False):
        a, b = _script(left), _script(right)
        if a and b and a != b and not {a, b} & {"MODIFIER", "COMBINING"}:
            # Names in Latin letters stand inside Chinese, Japanese, Korean and Thai without a blank.
            inside += not ({a, b} & {"EAST", "THAI", "LAO", "KHMER"} and "LATIN" in {a, b})
    if len(scripts) >= 4 or inside >= 2:
        return "mixed scripts"
    words = text.split()
    if len(scripts) == 3 and len(words) <= 40:
        return "mixed scripts"
    strange = len(scripts) == 2 and counted["LATIN"] * 10 > 7 * sum(counted.values()) or any(unicodedata.category(letter) == "So" for letter in text)
    return "mixed scripts" if strange and len(words) >= 6 and _known(words) < 0.08 and not _is_code(text) else ""


def _known(words: list[str]) -> float:
    """The share of words that every sentence of some language needs."""
    return sum(word.strip(".,;:!?\"'()").lower() in _function_words() for word in words) / len(words)


def _random_words(text: str) -> str:
    """Words without grammar: no word that every sentence needs, and pieces glued together inside words."""
    text = re.sub(r"<\|\w*\|?>?", " ", text)  # marks of a turn are glued to what follows
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    signs = {letter for letter in text if unicodedata.category(letter)[0] in "PS"}
    if len(lines) >= 8 and sorted(map(len, lines))[len(lines) // 2] <= 3 and len(signs) >= 4 and any(map(str.isalpha, text)):
        return "random words"
    words = [word for word in text.split() if any(letter.isalpha() for letter in word)]
    if len(words) < 5 or _is_code(text):
        return ""
    known = _known(words)
    glued = sum(bool(re.search(r"[a-zà-ÿ][A-Z]|[A-Z]{3}[a-z]{2}|[A-Za-z][(){}\[\]<>$#@%^&|\\=+*~`\"]+[,.;:']*[A-Za-z(]|[A-Za-z]{19}", word))
                for word in words) / len(words)
    if known < 0.08 and glued >= 0.2 or len(words) >= 20 and known < 0.12 and glued >= 0.08:
        return "random words"
    plain = not re.search(r"[,;:\n\d|/•*-]", text)
    return "random words" if len(words) >= 10 and known == 0 and (plain or glued >= 0.1) and text.isascii() else ""


def _is_code(text: str) -> bool:
    """Whether it looks like a program, markup or a path, whose words are glued by nature."""
    return bool(re.search(r"[;{]\s*$|^\s*(?:def|class|import|from|return|if|for|while|print|int|void|public|static|const|let|var|"
                          r"SELECT|INSERT|echo|sudo|#include)\b|</?[a-z]+[^>\n]*>|\w\(\w*\)|\w+\.\w+\(|==|=>|->|https?://|::", text, re.MULTILINE))


def verdict(answers: list[tuple[str, int, str, bool, bool]]) -> tuple[str, str, str]:
    """right, weak, garbage or empty over several answers, the kind of garbage, and the answer that shows it.

    Each answer is (text, tokens, kind of garbage, right, whether something was expected).
    """
    if not answers:
        return "empty", "", ""
    kinds = [(kind, text) for text, _, kind, _, _ in answers if kind]
    right = [text for text, _, _, good, _ in answers if good]
    expected = sum(asked for *_, asked in answers)
    if not kinds and 2 * sum(not text.strip() for text, *_ in answers) > len(answers):
        return "empty", "", next((text for text, *_ in answers if text.strip()), "")
    if not right:
        # Six tokens are little to judge by; all answers together are more.
        whole = judge(" ".join(text.strip() for text, *_ in answers))
        if whole and not kinds:
            kinds = [(whole, max((text for text, *_ in answers), key=len))]
    if kinds and (len(kinds) >= 2 and len(kinds) * 2 >= len(answers) or not right):
        kind = Counter(kind for kind, _ in kinds).most_common(1)[0][0]
        return "garbage", kind, next(text for each, text in kinds if each == kind)
    shown = (right or [text for text, *_ in answers])[0]
    return ("right" if len(right) * 2 > expected else "weak"), "", shown
