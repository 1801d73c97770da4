"""The one door for what comes from outside: characters that no output can carry, sizes that no honest file has.

Text is decoded by :func:`decode` and made plain by :func:`printable`, names by :func:`name`, JSON is read by :func:`json_value` only.
"""

from __future__ import annotations

import json
from typing import Any

from rocmdoctor import later
from rocmdoctor.records import dataclass

MOST_BYTES = 16 << 20  # of one saved report; a node with eight GPUs and a week of history takes 1 MiB
MOST_VALUES = 500_000
DEEPEST = 40
LONGEST_TEXT = 64 << 10  # characters of one text inside JSON
LONGEST_NAME = 300
_ANSI = later.pattern(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
# All but tab, newline and carriage return; a half of a pair of surrogates is no character and no encoder takes it.
_CONTROLS = later.pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# No eye sees them and no output carries them, so a word they stand in is to be read without them: Unicode's formats (Cf) and private areas (Co).
_INVISIBLE = later.pattern("[\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f"
                        "\ue000-\uf8ff\ufdd0-\ufdef\ufeff\ufff0-\ufffb"
                        "\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U0010ffff]")
_HALVES = later.pattern("[\ud800-\udfff]")


def decode(raw: bytes) -> str:
    """UTF-8, or UTF-16 as PowerShell writes it; never fails."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace")
    if len(raw) > 3 and raw[1:2] == b"\0" and raw[3:4] == b"\0":
        return raw.decode("utf-16-le", "replace")
    return raw.decode("utf-8-sig", "replace")


def printable(text: str) -> str:
    """Without colours, control and invisible characters, and with U+FFFD for half a character; tabs and line ends stay.

    >>> printable("a\\x07b\\x1b[31mc\\ud800\\n") == "abc\\ufffd\\n"
    True
    """
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    text = _CONTROLS.sub("", text)
    return text if text.isascii() else _HALVES.sub("\ufffd", _INVISIBLE.sub("", text))


def name(text: str) -> str:
    """The name of a file as it can be said: one line, its end where it is too long.

    >>> name("a\\nb\\udcff.log") == "a b\\ufffd.log"
    True
    """
    said = printable(text.replace("\n", " ").replace("\r", " ").replace("\t", " "))
    return said if len(said) <= LONGEST_NAME else "..." + said[3 - LONGEST_NAME:]


@dataclass(slots=True)
class Cut:
    """What did not come through the door whole."""

    deep: int = 0
    long: int = 0

    def said(self) -> str:
        """One line; "" where everything came through."""
        said = [f"{self.long} texts cut at {LONGEST_TEXT} characters"] if self.long else []
        said += [f"{self.deep} values nested deeper than {DEEPEST} left out"] if self.deep else []
        return ", ".join(said)


def json_value(raw: bytes, cut: Cut | None = None, most: int = MOST_BYTES, values: int = MOST_VALUES) -> Any:
    """Plain data whose texts are printable.

    Raises ValueError for what is no JSON (JSONDecodeError), too big, nested too deep, or of too many values.

    >>> json_value(b'{"a": ["\\\\ud800", 1]}') == {"a": ["\\ufffd", 1]}
    True
    """
    if len(raw) > most:
        raise ValueError(f"bigger than {most >> 20} MiB")
    # Each value costs a hundred times its bytes: they are counted before they are made.
    if sum(map(raw.count, (b",", b"{", b"["))) > values:
        raise ValueError(f"more than {values} values")
    try:
        data = json.loads(raw)
    except UnicodeDecodeError:
        raise ValueError("not UTF-8") from None
    except RecursionError:
        raise ValueError("nested too deep") from None
    return plain(data, cut or Cut())


def plain(value: Any, cut: Cut, depth: int = 0) -> Any:
    """Data as JSON has it, its texts printable and bounded; what is nested deeper than :data:`DEEPEST` is None."""
    if isinstance(value, str):
        cut.long += len(value) > LONGEST_TEXT
        return printable(value[:LONGEST_TEXT])
    if not isinstance(value, (dict, list)):
        return value
    if depth >= DEEPEST:
        cut.deep += 1
        return None
    if isinstance(value, list):
        return [plain(inner, cut, depth + 1) for inner in value]
    return {printable(str(key)[:LONGEST_TEXT]): plain(inner, cut, depth + 1) for key, inner in value.items()}
