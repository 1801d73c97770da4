"""Styled text in lines of a width, as a terminal shows it: paragraphs that are wrapped and indented, lines that are not, colours.

rich does the same and more; to import it takes longer than everything else a short answer needs. Its table of the widths of letters is used,
where a text has others than those of ASCII, and a test holds what is written here against what it writes.
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor import later

_WORD = later.pattern(r"\s*\S+\s*")
_CODES = {"bold": 1, "dim": 2, "italic": 3, "underline": 4, "black": 30, "red": 31, "green": 32, "yellow": 33, "blue": 34, "magenta": 35, "cyan": 36,
          "white": 37}


class Text:
    """Runs of text, each with a style: words such as ``bold red``."""

    def __init__(self, text: str = "", style: str = "") -> None:
        self.runs: list[tuple[str, str]] = [(text, style)] if text else []

    @classmethod
    def assemble(cls, *parts: str | tuple[str, str] | Text) -> Text:
        """One text out of several."""
        made = cls()
        for part in parts:
            runs = part.runs if isinstance(part, Text) else [(part, "") if isinstance(part, str) else part]
            made.runs += [run for run in runs if run[0]]
        return made

    @property
    def plain(self) -> str:
        """Without styles."""
        return "".join([text for text, _ in self.runs])

    def __len__(self) -> int:
        return sum(len(text) for text, _ in self.runs)

    def __getitem__(self, part: slice) -> Text:
        start, end, _ = part.indices(len(self))
        made, at = Text(), 0
        for text, style in self.runs:
            piece = text[max(0, start - at):max(0, end - at)]
            if piece:
                made.runs.append((piece, style))
            at += len(text)
        return made

    def wrap(self, width: int) -> list[Text]:
        """Its lines, wrapped at words, longer words anywhere."""
        return [piece for line in self.lines() for piece in _wrapped(line, width)]

    def lines(self) -> Iterator[Text]:
        """Its lines; an empty one where it ends with a line feed."""
        plain, at = self.plain, 0
        for line in plain.split("\n"):
            yield self[at:at + len(line)]
            at += len(line) + 1


class Console:
    """What is printed, as a text; ``width`` is in cells of a terminal."""

    def __init__(self, width: int, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self._said: list[str] = []

    def print(self, text: Text | None = None, indent: int = 0) -> None:
        """A paragraph, wrapped at words, longer ones anywhere; without a text an empty line, of an empty text nothing."""
        if text is None:
            self._said.append("")
        for line in text.lines() if text else ():  # without letters it is false
            for piece in _wrapped(line, self.width - indent):
                self._say(piece, indent)

    def print_whole(self, text: Text, indent: int = 0) -> None:
        """Lines as they are, however long: what is to be copied."""
        for line in text.lines():
            self._say(line, indent)

    def _say(self, line: Text, indent: int) -> None:
        self._said.append(" " * indent + "".join([_styled(text, style) if self.colour and style else text for text, style in line.runs]))

    def write(self, text: str) -> None:
        """Lines that somebody else laid out."""
        self._said += text.splitlines()

    def text(self) -> str:
        """What was printed, without blanks at the ends of lines."""
        return "\n".join([line.rstrip() for line in ("\n".join(self._said) + "\n").splitlines()]) + "\n"


def _styled(text: str, style: str) -> str:
    codes = sorted(_CODES[word] for word in style.split())
    return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m"


def _cells(text: str) -> int:
    """How many cells of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _wrapped(line: Text, width: int) -> Iterator[Text]:
    plain = line.plain
    if len(plain) * 2 <= width or _cells(plain) <= width:  # no letter is wider than two cells
        yield line
        return
    start = 0
    for end in (*_breaks(plain, width), len(plain)):
        piece = plain[start:end]
        blanks = len(piece) - len(piece.rstrip())
        yield line[start:end - min(blanks, max(0, len(piece) - width))]
        start = end


def _breaks(plain: str, width: int) -> Iterator[int]:
    """Where a line is broken: before a word that does not fit, and within one that is longer than a line."""
    used = 0
    for found in _WORD.finditer(plain):
        start, word = found.start(), found.group()
        needs = _cells(word.rstrip())
        if needs <= width - used:
            used += _cells(word)
        elif needs > width:
            for piece in _chopped(word, width):
                if start:
                    yield start
                start += len(piece)
                used = _cells(piece)
        else:
            if used and start:
                yield start
            used = _cells(word)


def _chopped(word: str, width: int) -> list[str]:
    if word.isascii():
        return [word[at:at + width] for at in range(0, len(word), width)]
    from rich.cells import chop_cells

    return chop_cells(word, width)
