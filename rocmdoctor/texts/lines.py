"""What readers share: clean numbered lines, offsets to lines, numbers, PCI addresses, gfx names, JSON in pasted text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from rocmdoctor import later

if TYPE_CHECKING:
    import ahocorasick_rs

MAX_LINE = 20_000
_SHORT = 300  # characters of a line that is kept
lazy = later.pattern  # as readers know it
_MAX_JSON_STARTS = 40
_NOISE = later.pattern(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\x00")
MONTH = r"(?:[A-Z][a-z]{2}|[^\W\d_]{3,5}\.?|[0-9]{1,2}[月월])"  # as a journal writes it, in the language of its reader
_ISO = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:[.,][0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2})"
# docker compose ("name-1  | "), journald and syslog ("Feb 12 12:12:03 host unit[1]: "), docker logs -t ("2026-02-12T..Z ").
# The times of dnf's own log are what it is read for.
_PREFIX = later.pattern(
    rf"^(?:[\w.-]{{1,60}} +\| | ?{MONTH} [ 0-9][0-9] [0-9:]{{8}} \S{{1,60}} [^\s:]{{1,60}}: "
    rf"|{_ISO} (?!SUBDEBUG )(?:\S{{1,60}} (?:kernel|[^\s:]{{1,60}}\[[0-9]{{1,9}}\]): )?)")
_QUOTED = later.pattern(r"^[>|\s]*(?:[\w.-]{1,60}-\d{1,9}\s*\|\s)?")
_PCI = later.pattern(r"(?<![0-9a-fA-F:])([0-9a-fA-F]{4}):([0-9a-fA-F]{2}):([0-9a-fA-F]{2})\.([0-7])(?![0-9a-fA-F])")
_GFX = later.pattern(r"(?<![0-9A-Za-z_])gfx(1[0-3][0-9][0-9a-f]|[6-9][0-9a-f]{2})(?![0-9A-Za-z_*])", re.IGNORECASE)


def clean(text: str) -> str:
    """The text without colours, NULs and carriage returns; line numbers stay.

    >>> clean("\\x1b[37mROCk\\x1b[0m\\r\\n")
    'ROCk\\n'
    """
    return _NOISE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


@lru_cache(maxsize=2)
def lines(text: str) -> tuple[tuple[int, str], ...]:
    """Numbered lines, clean, without log prefixes and blanks at the end; overlong ones are cut. Kept for the next reader.

    >>> lines("a\\r\\n\\x1b[37mROCk module is loaded\\x1b[0m\\n")[:2]
    ((1, 'a'), (2, 'ROCk module is loaded'))
    >>> lines("2026-02-05T19:41:15+0100 box kernel: amdgpu 0000:03:00.0: x")
    ((1, 'amdgpu 0000:03:00.0: x'),)
    """
    return tuple((number, _held(line) if len(line) < _SHORT else _stripped(line)) for number, line in enumerate(clean(text).split("\n"), 1))


def _stripped(line: str) -> str:
    line = line[:MAX_LINE].rstrip()
    return _PREFIX.sub("", line, count=1) if " " in line else line  # each prefix has one


_held = lru_cache(maxsize=8192)(_stripped)  # readers of different kinds see the same lines


@lru_cache(maxsize=2)
def _one_text(text: str) -> tuple[str, list[int]]:
    """Its :func:`lines` as one text, each behind a line's end, and where each begins."""
    plain = [line for _, line in lines(text)]
    return "\n" + "\n".join(plain), list(accumulate((len(line) + 1 for line in plain), initial=0))


class Anchors:
    """Texts of which a reader looks for one in each line: what has none of them it need not see. One that begins with a line's end begins a line.

    >>> list(Anchors("\\n#", "segfault").lines("a #\\n#0 b\\nx: segfault at 0"))
    [(2, '#0 b'), (3, 'x: segfault at 0')]
    """

    def __init__(self, *texts: str) -> None:
        self._texts = texts
        self._finder: ahocorasick_rs.AhoCorasick | None = None

    def lines(self, text: str) -> Iterator[tuple[int, str]]:
        """Those of :func:`lines` that have one."""
        numbered = lines(text)
        whole, starts = _one_text(text)
        if self._finder is None:
            import ahocorasick_rs  # not there where a wheel is built, which needs this module's neighbours

            self._finder = ahocorasick_rs.AhoCorasick(self._texts)
        stop = 0
        for _, _, end in self._finder.find_matches_as_indexes(whole):
            if end > stop:
                row = bisect_right(starts, end - 1) - 1
                stop = starts[row + 1] if row + 1 < len(starts) else len(whole)
                yield numbered[row]


def unquoted(line: str) -> str:
    """A line without quote marks, list bars and compose prefixes in front.

    >>> unquoted("> | name-1  | key = value")
    'key = value'
    """
    return _QUOTED.sub("", line)


class Lines:
    """Line numbers (1-based) of offsets.

    >>> Lines("a\\nb\\n").at(2)
    2
    """

    def __init__(self, text: str) -> None:
        self._starts = [0]
        self._starts.extend(found.end() for found in re.finditer("\n", text))

    def at(self, offset: int) -> int:
        """The line that holds ``offset``."""
        return bisect_right(self._starts, offset)


def bare(text: str) -> str:
    """The text without log prefixes, line for line.

    >>> bare("web-1  | {\\nweb-1  | }")
    '{\\n}'
    """
    return "\n".join(_PREFIX.sub("", line, count=1) for line in text.split("\n"))


def integer(word: str) -> int | None:
    """A decimal or 0x number of sane length, None for anything else.

    >>> integer("0x80000000"), integer("1,024"), integer("ten")
    (2147483648, 1024, None)
    """
    word = word.strip().replace(",", "")
    if not re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}|-?[0-9]{1,20}", word):
        return None
    return int(word, 16) if word[:2].lower() == "0x" else int(word)


def pci_address(text: str) -> str:
    """The first full PCI address in the text, lower case; "" when there is none."""
    found = _PCI.search(text)
    return found.group(0).lower() if found else ""


def targets(text: str) -> list[tuple[str, int]]:
    """Every gfx target written in ``text`` with its offset; generic ISA names, families and parts of file names are none.

    >>> targets("gfx1151, GFX90A, gfx120X-all, lazy_gfx1100.dat, gfx11-generic")
    [('gfx1151', 0), ('gfx90a', 9)]
    """
    return [(found[0].lower(), found.start()) for found in _GFX.finditer(text)]


def gfx(text: str) -> str:
    """The first gfx target in the text, lower case, without feature suffixes.

    >>> gfx("amdgcn-amd-amdhsa--gfx906:sramecc+:xnack-"), gfx("gfx11-generic"), gfx("GFX1151")
    ('gfx906', '', 'gfx1151')
    """
    found = _GFX.search(text)
    return found[0].lower() if found else ""


_BUILT_FOR = (
    ("pop", later.pattern(r"-76\d{2,8}-generic\b|Pop_OS-")),
    ("ubuntu", later.pattern(r"#\d[\w~.]*-Ubuntu\b|\(Ubuntu \d|@lcy0|lcy02-")),
    ("cachyos", later.pattern(r"-cachyos\b")),
    ("arch", later.pattern(r"[.-]arch\d+-\d|-zen\d+-\d+-zen|-arch\b")),
    ("fedora", later.pattern(r"\.fc\d\d\b")),
    ("rhel", later.pattern(r"\.el\d+(?:_\d+)?\.")),
    ("proxmox", later.pattern(r"-pve\b")),
    ("manjaro", later.pattern(r"-MANJARO\b")),
    ("debian", later.pattern(r"\+deb\d+-|-\d+-amd64\b.*Debian|\(debian-kernel@")),
    ("nixos", later.pattern(r"nixbld@")),
    ("gentoo", later.pattern(r"-gentoo\b")),
)


def distribution_of_build(banner: str) -> str:
    """The distribution that built a kernel, by its release and banner; "" where they do not tell.

    >>> distribution_of_build("Linux version 5.3.0-29-generic (buildd@lcy01) (gcc version 9.2.1) #31-Ubuntu SMP")
    'ubuntu'
    >>> distribution_of_build("6.17.1-arch1-1"), distribution_of_build("6.8.0-45-generic")
    ('arch', '')
    """
    return next((name for name, mark in _BUILT_FOR if mark.search(banner)), "")


def size(amount: str, unit: str) -> int | None:
    """Bytes of "12.5" "GiB"; MB is read as MiB because the tools mean that."""
    powers = {"b": 0, "k": 1, "m": 2, "g": 3, "t": 4}
    power = powers.get(unit.strip()[:1].lower())
    if power is None or len(amount) > 24:
        return None
    try:
        value = float(amount) * 1024.0**power
    except ValueError:
        return None
    return round(value) if 0 <= value < 2.0**53 else None


def documents(text: str) -> Iterator[tuple[int, Any]]:
    """Every JSON object or list that starts a line, with that line's number."""
    decoder = json.JSONDecoder()
    offset, tries, done = 0, 0, -1
    for number, line in enumerate(text.split("\n"), 1):
        start = offset + len(line) - len(line.lstrip())
        offset += len(line) + 1
        if start <= done or text[start:start + 1] not in ("{", "["):
            continue
        tries += 1
        if tries > _MAX_JSON_STARTS:
            return
        try:
            found, done = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        yield number, found


class KeyLines:
    """The lines of JSON keys, asked for in the order of the text; every character is looked at once.

    >>> at = KeyLines('{"a": 1,\\n"b": {\\n"a": 2}}')
    >>> at("a"), at("b"), at("a"), at("not there")
    (1, 2, 3, 3)
    """

    def __init__(self, text: str) -> None:
        self._text, self._at, self._line, self._misses = text, 0, 1, 0

    def __call__(self, key: str) -> int:
        found = self._text.find(f'"{key}"', self._at) if self._misses < 50 else -1
        if found < 0:
            self._misses += 1
        else:
            self._line += self._text.count("\n", self._at, found)
            self._at = found + 1
        return self._line
