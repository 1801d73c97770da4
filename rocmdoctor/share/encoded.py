"""Text that travels as base64 or as hexadecimal numbers, letter by letter: where it stands, and what it says.

What decodes to no text (a picture, a hash, something packed) is left alone.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Sequence

from rocmdoctor import later

Place = tuple[int, int]
Piece = tuple[int, int, str]  # start and end in the text, what stands for it

_BREAK = r"(?:\\n|\r?\n[ \t>|]{0,12})"
_RUN = later.pattern(rf"(?<!\\)[A-Za-z0-9+/_-]{{24,}}(?:{_BREAK}[A-Za-z0-9+/_-]{{20,}})*(?:{_BREAK}[A-Za-z0-9+/_-]{{2,}}(?=[=\s\"']|$))?")
_BETWEEN = later.pattern(_BREAK)
# In base64 the first bit of each byte has its place in the first three of four letters: here it is none of three bytes, six times
_ASCII = later.pattern(r"(?:[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589_-][A-Za-z0-9+/_-]){6}")
_TEXT = later.pattern(r"(?:[\t\n\r -~\xa0-\xff]\0){8,}|(?:[\t\n\r -~]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}){12,}")
_PAIRS = later.pattern(rf"[0-9a-fA-F]{{2}}(?:(?:[ :,]{{1,2}}(?:0x)?|{_BREAK})?[0-9a-fA-F]{{2}}){{11,}}")
_PAIR = later.pattern("[0-9a-fA-F]{2}")
_WIDTH = 16  # bytes of a line; what follows are letters that read as numbers
_DUMP = later.pattern(r"(?m)^[ \t>|]{0,8}[0-9a-fA-F]{6,16}:?[ \t]{1,2}((?:[0-9a-fA-F]{2,4}[ \t]{1,2}){1,20})([^\n]{0,80}?)[|<]?\r?$")


def base64_pieces(text: str) -> Iterator[Piece]:
    """Base64, also that of URLs, in one line or wrapped."""
    for run in _RUN.finditer(text):
        if not _ASCII.search(run.group()):
            continue
        breaks = {at for found in _BETWEEN.finditer(run.group()) for at in range(*found.span())}
        places = [run.start() + at for at in range(run.end() - run.start()) if at not in breaks]
        letters = "".join(map(text.__getitem__, places)).replace("-", "+").replace("_", "/")
        turns = Counter(found.start() % 4 for found in _ASCII.finditer(letters))
        if not turns:
            continue
        skip = turns.most_common(1)[0][0]  # what stands before may be a path
        letters, places = letters[skip:], places[skip:]
        letters = letters[:-1] if len(letters) % 4 == 1 else letters
        raw = base64.b64decode(letters + "=" * (-len(letters) % 4))
        yield from _alone(_said(raw, [(places[at * 8 // 6], places[min(-(-(at + 1) * 8 // 6), len(letters)) - 1] + 1) for at in range(len(raw))]))


def hex_pieces(text: str) -> Iterator[Piece]:
    """Bytes as pairs of digits, also with a sign between them."""
    for run in _PAIRS.finditer(text):
        pairs = [pair.span() for pair in _PAIR.finditer(text, run.start(), run.end())]
        yield from _alone(_said(bytes(int(text[start:end], 16) for start, end in pairs), pairs))


def dump_pieces(text: str) -> Iterator[Piece]:
    """The numbers of hexdump -C, xxd and od, one text over all lines; then :func:`dump_letters` says what stands beside them."""
    pairs = [pair for line, _ in _dumped(text) for pair in line]
    yield from _alone(_said(bytes(int(text[start:end], 16) for start, end in pairs), pairs))


def dump_letters(text: str) -> Iterator[Piece]:
    """The column of letters beside such numbers; the end of a line is a dot among them."""
    def letters() -> Iterator[Piece]:
        for pairs, stop in _dumped(text):
            for at, (start, end) in zip(range(stop - len(pairs), stop), pairs, strict=True):  # each has one letter, and these end the line
                if at >= pairs[-1][1]:
                    yield at, at + 1, "\n" if text[start:end].lower() == "0a" else text[at]

    yield from _alone(letters())


def _dumped(text: str) -> Iterator[tuple[list[Place], int]]:
    """Of each line of a dump the places of its bytes, and where its letters end."""
    for line in _DUMP.finditer(text):
        yield [pair.span() for pair in _PAIR.finditer(text, *line.span(1))][:_WIDTH], line.end(2)


def _said(raw: bytes, places: Sequence[Place]) -> Iterator[Piece]:
    """The letters of each text in the bytes, of which each stands at its place."""
    for found in _TEXT.finditer(raw.decode("latin-1")):
        at = found.start()
        wide = raw[at + 1:at + 2] == b"\0"
        for letter in raw[at:found.end()].decode("utf-16-le" if wide else "utf-8", "replace"):
            size = 2 if wide else len(letter.encode())
            yield places[at][0], places[at + size - 1][1], letter
            at += size


def _alone(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """The pieces, with nothing instead of what stands between them."""
    done = -1
    for start, end, letter in pieces:
        if 0 <= done < start:
            yield done, start, ""
        yield start, end, letter
        done = end
