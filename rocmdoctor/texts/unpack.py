"""Archives read from front to back: nothing is written, nothing is held but the piece at hand, every byte and member is counted.

The modules of the standard library read what a header announces at once (a name of two gigabytes, a directory of a million files),
so the formats are walked here; they give the decoders and the parsing of a single tar header.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator
from typing import IO, TYPE_CHECKING, Any, Protocol

from rocmdoctor import later
from rocmdoctor.records import dataclass
from rocmdoctor.texts.budget import Budget

if TYPE_CHECKING:
    import bz2
    import lzma
    import struct
    import tarfile
    import zipfile
else:
    bz2, lzma, struct, tarfile, zipfile = map(later.module, ("bz2", "lzma", "struct", "tarfile", "zipfile"))


PIECE = 128 << 10
_BLOCK = 512
_LONGEST_HEADER = 64 << 10  # names and attributes
_MOST_DIRECTORY = 4 << 20  # of a zip: each entry costs a dozen times its bytes
_XZ_MEMORY = 128 << 20  # xz -9 takes 65 MiB; a file may ask for 4 GiB
_NO_DATA = (b"1", b"2", b"3", b"4", b"5", b"6")  # links, devices, folders and pipes


def damage() -> tuple[type[Exception], ...]:
    """What reading an archive that is damaged, or is none, raises."""
    return (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, ValueError, NotImplementedError,
            struct.error, OverflowError)


class Source(Protocol):
    """Bytes from front to back."""

    def read(self, count: int) -> bytes:
        """At least one and at most ``count`` bytes; b"" at the end. Raises what :func:`damage` names, and Spent."""


class Raw:
    """An attached file, or standard input."""

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        # What is there, not all of ``count``: a read that waits for the rest inside would not hear a signal that came between its pieces.
        self._file, self._budget = file, budget
        self._read: Callable[[int], bytes | None] = getattr(file, "read1", file.read)

    def read(self, count: int) -> bytes:
        """As :class:`Source`."""
        piece = self._read(count)
        if piece is None:
            raise OSError("gives nothing at the moment")  # opened without waiting
        self._budget.packed += len(piece)
        return piece

    def skip(self, count: int) -> bool:
        """Pass over bytes without reading them, where the file can."""
        try:
            self._file.seek(count, os.SEEK_CUR)
        except (OSError, ValueError):
            return False
        return True


class Begun:
    """A source of which the first bytes were looked at."""

    def __init__(self, head: bytes, source: Source) -> None:
        self._head, self._source = head, source

    def read(self, count: int) -> bytes:
        """As :class:`Source`."""
        if self._head:
            piece, self._head = self._head[:count], self._head[count:]
            return piece
        return self._source.read(count)

    def skip(self, count: int) -> bool:
        """Pass over bytes of a file."""
        here = min(count, len(self._head))
        self._head = self._head[here:]
        skip = getattr(self._source, "skip", None)
        return count == here or (skip is not None and skip(count - here)) or _read_over(self, count - here)


class Unpacked:
    """What a gzip, bzip2 or xz stream holds, or several behind one another."""

    def __init__(self, source: Source, kind: bytes, budget: Budget) -> None:
        self._source, self._kind, self._budget = source, kind, budget
        self._coming = self._pieces()
        self._held = b""

    def read(self, count: int) -> bytes:
        """As :class:`Source`."""
        while not self._held:
            piece = next(self._coming, None)
            if piece is None:
                return b""
            self._budget.unpack(len(piece))
            self._held = piece
        piece, self._held = self._held[:count], self._held[count:]
        return piece

    def _pieces(self) -> Iterator[bytes]:
        data = self._source.read(PIECE)
        while data.startswith(self._kind):  # what follows the last stream is padding
            self._budget.member()
            decoder: Any = _DECODERS[self._kind]()
            full = False  # a decoder that filled the piece may hold more
            while not decoder.eof:
                if not data and not full:
                    data = self._source.read(PIECE)
                    if not data:
                        raise EOFError("it is cut off")
                piece = decoder.decompress(data, PIECE)
                data = getattr(decoder, "unconsumed_tail", b"")
                full = len(piece) == PIECE
                yield piece
            data = decoder.unused_data or self._source.read(PIECE)
            while len(data) < len(self._kind) and (more := self._source.read(PIECE)):
                data += more


_DECODERS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31), b"BZh": lambda: bz2.BZ2Decompressor(),
    b"\xfd7zXZ\0": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)}
STREAMS = tuple(_DECODERS)


def stream_kind(head: bytes) -> bytes:
    """The magic of a compressed stream, b"" for anything else."""
    return next((kind for kind in STREAMS if head.startswith(kind)), b"")


def is_tar(head: bytes) -> bool:
    """Whether a tar begins so."""
    return head[257:262] == b"ustar"


@dataclass(slots=True)
class Member:
    """One member of an archive; ``link`` is where a symbolic link leads, ``size`` what is said of a file's size."""

    name: str
    regular: bool
    link: str
    size: int
    source: Source


class _Inside:
    """The bytes of one member."""

    def __init__(self, source: Source, size: int) -> None:
        self._source, self.left = source, size

    def read(self, count: int) -> bytes:
        """As :class:`Source`."""
        if not self.left:
            return b""
        piece = self._source.read(min(count, self.left))
        if not piece:
            raise EOFError("it is cut off")
        self.left -= len(piece)
        return piece

    def pass_over(self, padding: int) -> None:
        """The rest, which nobody reads."""
        count, self.left = self.left + padding, 0
        skip = getattr(self._source, "skip", None)
        if count and not (skip is not None and skip(count)) and not _read_over(self._source, count):
            raise EOFError("it is cut off")


def _read_over(source: Source, count: int) -> bool:
    while count:
        piece = source.read(min(count, PIECE))
        if not piece:
            return False
        count -= len(piece)
    return True


def _block(source: Source) -> bytes:
    held = b""
    while len(held) < _BLOCK and (piece := source.read(_BLOCK - len(held))):
        held += piece
    return held


def tar_members(source: Source, budget: Budget) -> Iterator[Member]:
    """The members of a tar. Raises what :func:`damage` names, and Spent; a member is read before the next one is asked for."""
    told: dict[str, str] = {}  # what extended headers say of the next member
    while True:
        block = _block(source)
        if not block.strip(b"\0"):
            return
        if len(block) < _BLOCK:
            raise EOFError("it is cut off")
        budget.member()
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        if info.size < 0:
            raise ValueError("a member of less than no bytes")
        if info.type in (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE):
            inside = _Inside(source, info.size)
            text = _all(inside, _LONGEST_HEADER) if info.size <= _LONGEST_HEADER else b""
            inside.pass_over(-info.size % _BLOCK)
            if info.type == tarfile.GNUTYPE_LONGNAME:
                told["path"] = text.partition(b"\0")[0].decode("utf-8", "replace")
            elif info.type == tarfile.GNUTYPE_LONGLINK:
                told["linkpath"] = text.partition(b"\0")[0].decode("utf-8", "replace")
            elif info.type != tarfile.XGLTYPE:
                told.update(_attributes(text))
            continue
        sparse = info.type == tarfile.GNUTYPE_SPARSE or any(key.startswith("GNU.sparse.") for key in told)
        extended = info.type == tarfile.GNUTYPE_SPARSE and block[482]
        while extended:
            more = _block(source)
            extended = more[504] if len(more) == _BLOCK else 0
        size = 0 if info.type in _NO_DATA else int(told["size"]) if told.get("size", "").isdecimal() else info.size
        inside = _Inside(source, size)
        link = told.get("linkpath", info.linkname) if info.type == tarfile.SYMTYPE else ""
        yield Member(told.get("path") or info.name, info.isreg() and not sparse, link, size, inside)
        inside.pass_over(-size % _BLOCK)
        told = {}


def _all(source: Source, most: int) -> bytes:
    parts = []
    while most and (piece := source.read(most)):
        parts.append(piece)
        most -= len(piece)
    return b"".join(parts)


def _attributes(text: bytes) -> Iterator[tuple[str, str]]:
    """The records of a pax header, "LENGTH key=value\\n"."""
    at = 0
    while at < len(text):
        length, _, _ = text[at:at + 20].partition(b" ")
        if not length.isdigit() or not int(length):
            return
        key, equals, value = text[at + len(length) + 1:at + int(length) - 1].partition(b"=")
        if equals:
            yield key.decode("utf-8", "replace"), value.decode("utf-8", "surrogateescape")
        at += int(length)


class _OfZip:
    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self._file, self._budget = file, budget

    def read(self, count: int) -> bytes:
        """As :class:`Source`."""
        piece = self._file.read(min(count, PIECE))
        self._budget.unpack(len(piece))
        return piece


class _Broken:
    """A member that cannot be opened: the reason comes when it is read, as with any damage."""

    def __init__(self, reason: Exception) -> None:
        self._reason = reason

    def read(self, count: int) -> bytes:
        """Raises."""
        raise self._reason


def zip_members(file: IO[bytes], budget: Budget) -> Iterator[Member]:
    """The members of a zip in a file that can be sought. Raises as :func:`tar_members`."""
    budget.packed += file.seek(0, os.SEEK_END)
    _refuse_directory(file)
    with zipfile.ZipFile(file) as zipped:
        for info in zipped.infolist():
            budget.member()
            regular = not info.is_dir() and (info.external_attr >> 28 in (0, 8))
            if not regular:
                yield Member(info.filename, False, "", 0, _Broken(ValueError("no file")))
                continue
            # The other decoders give all that four kilobytes unpack to at once.
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                yield Member(info.filename, True, "", info.file_size, _Broken(ValueError(f"compression {info.compress_type} is not read")))
                continue
            try:
                opened = zipped.open(info)
            except damage() as error:
                yield Member(info.filename, True, "", info.file_size, _Broken(error))
                continue
            with opened:
                yield Member(info.filename, True, "", info.file_size, _OfZip(opened, budget))


def _refuse_directory(file: IO[bytes]) -> None:
    """Raises ValueError where the directory at the end is too big to be held, BadZipFile where there is none."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 16) - 22))
    tail = file.read((1 << 16) + 22)
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) < at + 22:
        raise zipfile.BadZipFile("its directory is missing: it is cut off")
    length = struct.unpack_from("<I", tail, at + 12)[0]
    if tail[max(0, at - 20):at].startswith(b"PK\6\7") or length > _MOST_DIRECTORY:
        raise ValueError(f"its directory is bigger than {_MOST_DIRECTORY >> 20} MiB")
    file.seek(0)
