"""What a policy wants of one value, as it is written: a range, texts, yes or no; and whether a value is that."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Callable
from typing import Any

from rocmdoctor import later
from rocmdoctor.facts import sizes, versions
from rocmdoctor.facts.model import SEVERITIES
from rocmdoctor.facts.versions import Version
from rocmdoctor.records import dataclass

_BOUND = later.pattern(r"(>=|<=|==|!=|>|<)?\s*([^<>=!\s].*)")
_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": lambda a, b: a >= b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, "<": lambda a, b: a < b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """``text`` is what the policy wrote; ``holds`` judges a value and raises ValueError where it is of no use."""

    text: str
    holds: Callable[[Any], bool]
    value: Any = None  # the names or the severity, where a kind needs more than one comparison


def _range(texts: list[str], number: Callable[[Any], Any]) -> Wanted:
    if len(texts) != 1:
        raise ValueError("takes one range, such as '>=6.8,<7', not a list")
    bounds = []
    for part in texts[0].split(","):
        found = _BOUND.fullmatch(part.strip())
        if not found:
            raise ValueError(f"{part!r} is no bound; write >=6.8 or >=6.8,<7")
        bounds.append((_TESTS[found[1] or "=="], number(found[2])))
    return Wanted(texts[0], lambda value: all(test(number(value), bound) for test, bound in bounds))


def _integer(value: Any) -> int:
    if not re.fullmatch(r"\d{1,15}", str(value).strip()):
        raise ValueError(f"{str(value)!r} is not a whole number")
    return int(value)


def _decimal(value: Any) -> float:
    if not re.fullmatch(r"\d{1,9}(\.\d{1,6})?", str(value).strip()):
        raise ValueError(f"{str(value)!r} is not a number")
    return float(value)


def plain_version(value: Any) -> str:
    """The dotted number that the text begins with; raises ValueError where it begins with something else, as a build from a commit.

    >>> plain_version("6.17.7-200.fc43.x86_64"), plain_version("v2.9.0+rocm6.4"), plain_version("1:20251111-1")
    ('6.17.7', '2.9.0', '20251111')
    """
    return ".".join(map(str, _parsed(value).numbers))


def _version(value: Any) -> tuple[int, ...]:
    return _parsed(value).release


def _parsed(value: Any) -> Version:
    found = versions.parse(value)
    if found is None:
        raise ValueError(f"no version in {str(value)!r}: it does not begin with a dotted number")
    return found


def _firmware(value: Any) -> int:
    """sysfs prints hexadecimal numbers with 0x; some tools leave it out or print decimals.

    >>> _firmware("0x0000001f"), _firmware("31")
    (31, 31)
    """
    text = str(value).strip().lower()
    if not re.fullmatch(r"0x[0-9a-f]{1,16}|\d{1,16}", text):
        raise ValueError(f"{str(value)!r} is not a firmware version; write it as sysfs prints it, 0x0000001f")
    return int(text, 16) if text.startswith("0x") else int(text)


def _size(value: Any) -> int:
    return int(value) if isinstance(value, int) else sizes.parse(str(value))


def _share(value: Any) -> Any:
    """``90%`` is a share of the whole, anything else a size; a value comes as (free, total)."""
    if isinstance(value, tuple):
        return value
    text = str(value).strip()
    if text.endswith("%"):
        percent = _decimal(text[:-1])
        if percent > 100:
            raise ValueError(f"{text} is more than all of it")
        return percent / 100
    return _size(text)


def whole(texts: list[str]) -> Wanted:
    """``8`` or ``>=1``."""
    return _range(texts, _integer)


def number(texts: list[str]) -> Wanted:
    """``16`` or ``>=8.0``."""
    return _range(texts, _decimal)


def version(texts: list[str]) -> Wanted:
    """``>=6.8,<7``: the dotted number at the start of a version decides.

    >>> [version([">=6.8,<7"]).holds(v) for v in ("6.8.0-60-generic", "6.7.12", "7.0")]
    [True, False, False]
    """
    return _range(texts, _version)


def firmware(texts: list[str]) -> Wanted:
    """``>=0x1f``."""
    return _range(texts, _firmware)


def size(texts: list[str]) -> Wanted:
    """``>=190GiB``."""
    return _range(texts, _size)


def free(texts: list[str]) -> Wanted:
    """``>=90%`` or ``>=170GiB`` of a (free, total) pair.

    >>> free([">=90%"]).holds((95, 100)), free([">=90%"]).holds((80, 100))
    (True, False)
    """
    bounds = [part.strip() for part in texts[0].split(",")] if len(texts) == 1 else []
    if not bounds:
        raise ValueError("takes one range, such as '>=90%', not a list")
    parsed = []
    for part in bounds:
        found = _BOUND.fullmatch(part)
        if not found:
            raise ValueError(f"{part!r} is no bound; write >=90%")
        parsed.append((_TESTS[found[1] or "=="], _share(found[2])))

    def holds(value: Any) -> bool:
        left, total = value
        return all(test(left, bound * total if isinstance(bound, float) else bound) for test, bound in parsed)
    return Wanted(texts[0], holds)


def yes_no(texts: list[str]) -> Wanted:
    """``true`` or ``false``."""
    named = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
    if len(texts) != 1 or texts[0].lower() not in named:
        raise ValueError("takes true or false")
    wish = named[texts[0].lower()]
    return Wanted("yes" if wish else "no", lambda value: bool(value) is wish, wish)


def names(texts: list[str]) -> Wanted:
    """One text or several, any of which will do; ``*`` stands for any characters, case does not matter.

    >>> names(["113-M300*"]).holds("113-M3000100-102"), names(["SPX", "CPX"]).holds("cpx")
    (True, True)
    """
    if not texts or not all(text.strip() for text in texts):
        raise ValueError("takes a text or a list of texts")
    wishes = [text.strip().lower() for text in texts]
    return Wanted(" or ".join(texts), lambda value: any(fnmatch.fnmatchcase(str(value).strip().lower(), wish) for wish in wishes), tuple(texts))


def parts(texts: list[str]) -> Wanted:
    """Texts of which any is contained in the value: product names.

    >>> parts(["7900 XTX"]).holds("Radeon RX 7900 XTX"), parts(["MI300X"]).holds("Radeon RX 7900 XTX")
    (True, False)
    """
    made = names([f"*{text.strip()}*" for text in texts])
    return Wanted(" or ".join(texts), made.holds, tuple(texts))


def severity(texts: list[str]) -> Wanted:
    """The mildest severity that a finding may not have."""
    if len(texts) != 1 or texts[0] not in SEVERITIES:
        raise ValueError(f"takes one of {', '.join(SEVERITIES)}")
    bar = SEVERITIES.index(texts[0])
    return Wanted(f"none of severity {texts[0]} or worse", lambda value: SEVERITIES.index(value) > bar, texts[0])
