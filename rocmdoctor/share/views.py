"""A text as it reads once its escapes are undone, with the way back to the places it came from.

Logs travel inside JSON, URLs, mails and pages, and get wrapped on the way: a private word is looked for in each decoded form, and
what is found there is taken out where it stands.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from itertools import chain

from rocmdoctor import later
from rocmdoctor.records import dataclass, field
from rocmdoctor.share import encoded
from rocmdoctor.share.encoded import Piece

# JSON, programming languages (bytes as they write them, several of them one letter), Markdown
_ESCAPE = later.pattern(r'(?:\\x[89a-fA-F][0-9a-fA-F]){2,64}|\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|["\\/bfnrt\'_*`\[\]<>#~|(){}+.!$-])')
_PERCENT = later.pattern(r"(?:%[0-9a-fA-F]{2}){1,64}")
_QUOTED_PRINTABLE = later.pattern(r"(?:=[0-9A-F]{2}){1,64}|=\r?\n")
_BYTES = later.pattern(r"(?<=\[)\s{0,4}\d{1,3}(?:,\s{0,4}\d{1,3}){7,20000}(?=\s{0,4}\])")
_NUMBER = later.pattern(r"(\d{1,3})(?:,\s{0,4})?")
_ENTITY = later.pattern(r"&(?:#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|amp|lt|gt|quot|apos);")
_BREAK = later.pattern(r"\r?\n[ \t>|*#]{0,40}")
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_LOG = later.pattern(r"[\[{<=#]|\d{4}[-/]|\d\d:|[A-Z][a-z]{2} [ \d]?\d |\w{1,20}[=:]|\w{1,20}\[")  # how the lines of a log begin
NARROWEST = 40  # columns; nobody wraps below
FAR = 1200  # characters between two escapes beyond which what lies between is left out


@dataclass(slots=True)
class View:
    """``text`` is decoded; :meth:`source` leads back. ``breaks`` are the places where a line break was taken out."""

    text: str
    at: list[int] = field(default_factory=lambda: [0])
    start: list[int] = field(default_factory=lambda: [0])
    end: list[int | None] = field(default_factory=lambda: [None])  # None: the text itself, letter by letter
    breaks: list[int] = field(default_factory=list)

    def source(self, start: int, end: int) -> tuple[int, int]:
        """Where [start, end) of the decoded text stands in the original."""
        first = bisect_right(self.at, start) - 1
        begin = self.start[first] + (start - self.at[first] if self.end[first] is None else 0)
        last = bisect_right(self.at, end - 1) - 1
        whole = self.end[last]
        return begin, self.start[last] + end - self.at[last] if whole is None else whole

    def crosses(self, start: int, end: int) -> bool:
        """Whether a break lies inside [start, end)."""
        index = bisect_right(self.breaks, start)
        return index < len(self.breaks) and self.breaks[index] < end


def _view(text: str, pieces: Iterator[Piece], broken: bool = False) -> View | None:
    """The text with each piece replaced; None where there is none."""
    first_piece = next(pieces, None)
    if first_piece is None:
        return None
    parts: list[str] = []
    view = View("", [], [], [])
    done = size = 0
    for start, end, instead in chain([first_piece], pieces):
        for first, last in _near(text, done, start):
            view.at.append(size)
            view.start.append(first)
            view.end.append(None)
            parts.append(text[first:last])
            size += last - first
        if instead:
            view.at.append(size)
            view.start.append(start)
            view.end.append(end)
            parts.append(instead)
        if broken:
            view.breaks.append(size)
        size += len(instead)
        done = end
    if not done:
        return None
    if done < len(text):
        view.at.append(size)
        view.start.append(done)
        view.end.append(None)
        parts.append(text[done:])
    view.text = "".join(parts)
    return view if view.text else None


def _near(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """[start, end) lies between two escapes; of a long way only the lines next to these, the rest is read as it stands."""
    if end - start > FAR:
        head = text.find("\n", start + FAR // 4, start + FAR // 2) + 1
        tail = text.rfind("\n", end - FAR // 2, end - FAR // 4) + 1
        if head and tail:
            yield start, head
            yield tail, end
            return
    if end > start:
        yield start, end


def _escapes(text: str) -> Iterator[Piece]:
    high: tuple[int, int] | None = None  # the first half of a character beyond the first 65536
    for found in _ESCAPE.finditer(text):
        code = found.group()[1:]
        if len(code) > 5:
            yield from _letters(found.start(), bytes.fromhex(found.group().replace("\\x", "")), 4)
            continue
        if code[0] not in "ux":
            yield found.start(), found.end(), _SHORT.get(code, code)
            continue
        value = int(code[1:], 16)
        if 0xD800 <= value < 0xDC00:
            high = found.end(), value
        elif 0xDC00 <= value < 0xE000:
            if high and high[0] == found.start():
                yield found.start() - 6, found.end(), chr(0x10000 + ((high[1] - 0xD800) << 10) + value - 0xDC00)
        else:
            yield found.start(), found.end(), chr(value)


def _coded(text: str, pattern: re.Pattern[str]) -> Iterator[Piece]:
    """Runs of %XX or =XX, which are UTF-8 together, letter by letter."""
    for found in pattern.finditer(text):
        run = found.group()
        if run.endswith("\n"):
            yield found.start(), found.end(), ""
            continue
        yield from _letters(found.start(), bytes.fromhex(run.replace("%", "").replace("=", "")), 3)


def _letters(at: int, raw: bytes, width: int) -> Iterator[Piece]:
    """UTF-8 of which each byte is written with ``width`` characters, from ``at`` on, letter by letter."""
    end = at + width * len(raw)
    for letter in raw.decode("utf-8", "replace"):
        stop = min(at + width * (len(letter.encode()) if letter != "\ufffd" else 1), end)
        yield at, stop, letter
        at = stop


def _numbers(text: str) -> Iterator[Piece]:
    """Bytes as numbers, as ``journalctl -o json`` writes what is not all letters; the commas are no part of it."""
    for found in _BYTES.finditer(text):
        numbers = list(_NUMBER.finditer(text, found.start(), found.end()))
        raw = [int(number.group(1)) for number in numbers]
        if max(raw) < 256:
            at = 0
            for letter in bytes(raw).decode("utf-8", "replace"):
                last = min(at + (len(letter.encode()) if letter != "\ufffd" else 1), len(raw)) - 1
                if at <= last:
                    yield numbers[at].start(), numbers[last].end(1), letter
                    yield numbers[last].end(1), numbers[last].end(), ""
                at = last + 1


def _doubled(text: str) -> Iterator[Piece]:
    """Quotes as CSV writes them inside of quotes."""
    for found in re.finditer('""', text):
        yield found.start(), found.end(), '"'


def _entities(text: str) -> Iterator[Piece]:
    for found in _ENTITY.finditer(text):
        yield found.start(), found.end(), html.unescape(found.group())


def decoded(text: str) -> Iterator[View]:
    """The text with the escapes of JSON (to three levels), Markdown, URLs, quoted-printable, HTML, CSV, byte numbers, UTF-16, base64 and hexadecimal numbers
    undone, each where it has any; what base64 and numbers say as it is decoded in turn."""
    yield from _escaped(text)
    for undo in (encoded.base64_pieces, encoded.hex_pieces, encoded.dump_pieces, encoded.dump_letters):
        view = _view(text, undo(text))
        if view is None:
            continue
        yield view
        again = _view(view.text, encoded.base64_pieces(view.text))
        for inner in chain(_escaped(view.text), [again] if again else []):
            yield _joined([view, inner])


def _escaped(text: str) -> Iterator[View]:
    forms: tuple[tuple[str, int, Callable[[str], Iterator[Piece]]], ...] = (
        ("\\", 3, _escapes), ("%", 2, lambda t: _coded(t, _PERCENT)), ("=", 1, lambda t: _coded(t, _QUOTED_PRINTABLE)),
        ("&", 2, _entities), ('""', 1, _doubled), ("[", 1, _numbers), ("\0", 1, lambda t: ((f.start(), f.end(), "") for f in re.finditer("\0", t))))
    for sign, levels, undo in forms:
        if sign not in text or sign == "=" and not re.search(r"=\r?\n|=3D|=C[2-9A-F]=[89AB]|=D[01]=[89AB]|=E[0-9A-F]=[89AB]|=F0=9|\w=40[a-z]", text):
            continue
        done: list[View] = []
        now = text
        for _ in range(levels):
            view = _view(now, undo(now)) if sign in now else None
            if view is None:
                break
            done.append(view)
            now = view.text
            yield _joined(done)
        if done and sign != "%" and "%" in now and (view := _view(now, _coded(now, _PERCENT))):
            yield _joined([*done, view])
        if done and (view := _view(now, encoded.base64_pieces(now))):
            yield _joined([*done, view])


def _joined(chain: list[View]) -> View:
    """Several decodings, one after the other, as one."""
    return chain[0] if len(chain) == 1 else _Chain(chain[-1].text, chain=list(chain))


@dataclass(slots=True)
class _Chain(View):
    chain: list[View] = field(default_factory=list)

    def source(self, start: int, end: int) -> tuple[int, int]:
        for view in reversed(self.chain):
            start, end = view.source(start, end)
        return start, end


def unwrapped(text: str, trade: frozenset[str] | None = None) -> Iterator[View]:
    """The text with the breaks of wrapped lines taken out, once without and once with a space in their place.

    A line was wrapped where it is as wide as its neighbours and, with a ``trade``, the next one begins neither as a log does nor with one of its words.
    """
    for instead in "", " ":
        view = _view(text, _breaks(text, instead, trade), True)
        if view:
            yield view


def _breaks(text: str, instead: str, trade: frozenset[str] | None) -> Iterator[Piece]:
    line_start = 0
    width = 0  # of the widest of the last lines
    for found in _BREAK.finditer(text):
        begin, end = found.span()
        length = begin - line_start
        width = max(length, width - width // 16)
        line_start = end
        if length < NARROWEST or text[end:end + 1] in ("", "\n") or trade is not None and _LOG.match(text, end):
            continue
        word = (text[end:end + 80].split(maxsplit=1) or [""])[0]
        if length < width and (not instead or length + 1 + len(word) < width):
            continue  # the next word had room: a line that ends, not one that was wrapped
        if trade is None or word.lower().strip(".,:;()") not in trade:
            yield begin, end, instead
