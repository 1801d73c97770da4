"""What people attach: files, folders, archives, standard input, as cleaned texts. Everything here is hostile."""

from __future__ import annotations

import bz2
import gzip
import html
import json
import lzma
import os
import pathlib
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from rocmdoctor import later
from rocmdoctor.texts import embedded

BIG = 8 << 20
MOST_FILES = 5000
MOST_UNPACKED = 512 << 20
MOST_PIPED = 8 << 30
_SINGLE: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
_DAMAGE = (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError, ValueError)
_ANSI = later.pattern(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?")
_SYSFS = later.pattern(r"(?:^|/)sys(?:fs)?/(?:class|devices|module|bus|firmware|kernel)/")
_BOM = b"\xef\xbb\xbf"  # Windows PowerShell writes it
_QUOTES = later.pattern(r"^(?:(?:> ){1,9}|>> )")


@dataclass(frozen=True, slots=True)
class Text:
    """One attached text. ``path`` is set for a file too big to hold: it is scanned in blocks."""

    name: str
    text: str
    path: pathlib.Path | None = None
    part: bool = False  # taken out of another text, which stands for it where nobody understands it
    reader: str = ""  # what a probe gathered for this reader alone: no log, so that no pattern says anything of it


@dataclass(slots=True)
class Attached:
    """The texts, saved snapshots (plain data) and one line for each thing that could not be read."""

    texts: list[Text]
    snapshots: list[dict[str, Any]]
    trees: list[pathlib.Path]
    problems: list[str]
    spool: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)  # big streams; gone with this object


def decode(raw: bytes) -> str:
    """UTF-8, or UTF-16 as PowerShell writes it; never fails."""
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return raw.decode("utf-16", "replace")
    if len(raw) > 3 and raw[1:2] == b"\0" and raw[3:4] == b"\0":
        return raw.decode("utf-16-le", "replace")
    return raw.decode("utf-8-sig", "replace")


def clean(text: str) -> str:
    """Without colours, CR, NUL, quote marks and HTML escapes."""
    text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if "&lt;" in text or "&gt;" in text or "&quot;" in text:
        text = html.unescape(text)
    text = embedded.plain_log(text)
    lines = [_QUOTES.sub("", line) if line.startswith(">") else line for line in text.split("\n")]
    return "\n".join(lines)


def _is_binary(raw: bytes) -> bool:
    head = raw[:4096]
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or (head[1:2] == b"\0" and head[3:4] == b"\0" and head[:1] != b"\0"):
        return False  # UTF-16
    control = sum(byte < 9 or 13 < byte < 27 or 27 < byte < 32 for byte in head)
    return control * 20 > len(head)


class _Reader:
    def __init__(self) -> None:
        self.found = Attached([], [], [], [])
        self._made: set[str] = set()  # reports inside a bundle: our own words, not evidence
        self.part = False  # whether the texts met now are files of a copied /sys

    def file(self, path: pathlib.Path, name: str) -> None:
        try:
            if not path.is_file():
                self.found.problems.append(f"{name}: not a regular file, left out")
                return
            size = path.stat().st_size
            with path.open("rb") as stream:
                self.stream(stream, name, size, path)
        except OSError as error:
            self.found.problems.append(f"{name}: {error.strerror or error}")

    def stream(self, stream: BinaryIO, name: str, size: int, path: pathlib.Path | None = None, limit: int = MOST_UNPACKED) -> int:
        """Place one text; returns the bytes taken. A big one without a file of its own is spooled, never cut in silence."""
        raw, whole = self.take(stream, name, BIG)
        taken = len(raw)
        if name in self._made:
            return taken
        if not raw.strip():
            if whole and not self.part:
                self.found.problems.append(f"{name}: empty file")
        elif raw.startswith((*_SINGLE, b"PK\x03\x04")) or raw[257:262] == b"ustar":
            self.archive(path, name)
        elif _is_binary(raw):
            self.found.problems.append(f"{name}: binary file, not read as text")
        elif raw.removeprefix(_BOM).lstrip()[:1] == b"{" and b"rocmdoctor." in raw[:300]:
            self.saved(raw + (stream.read(8 * BIG) if path and size > BIG else b""), name)
        elif size > BIG if path else whole and taken == BIG:
            if path is None:
                path, taken = self.spooled(raw, stream, name, limit)
            self.found.texts.append(Text(name, clean(decode(raw[:1 << 20])), path))
        else:
            text = clean(decode(raw))
            self.found.texts.append(Text(name, text, part=self.part))
            self.found.texts += [Text(f"{name}: {key}", clean(part), part=True) for key, part in embedded.parts(text)]
        return taken

    def take(self, stream: BinaryIO, name: str, most: int) -> tuple[bytes, bool]:
        """Up to ``most`` bytes, and whether no damage was met; what came before the damage is kept."""
        parts: list[bytes] = []
        left = most
        try:
            while left and (part := stream.read(min(left, 1 << 16))):
                parts.append(part)
                left -= len(part)
        except _DAMAGE as error:
            self.found.problems.append(f"{name}: damaged ({error}); the {most - left} bytes before the damage were read")
            return b"".join(parts), False
        return b"".join(parts), True

    def spooled(self, head: bytes, stream: BinaryIO, name: str, limit: int) -> tuple[pathlib.Path, int]:
        """The whole stream as a temporary file, up to ``limit`` bytes."""
        path = pathlib.Path(self.spool(), str(len(self.found.texts)))
        taken = 0
        with path.open("wb") as out:
            part, whole = head, True
            while part:
                out.write(part)
                taken += len(part)
                part, whole = self.take(stream, name, min(1 << 20, max(0, limit - taken))) if whole else (b"", False)
        if whole and taken >= limit:
            self.found.problems.append(f"{name}: only its first {taken >> 20} MiB were read")
        return path, taken

    def saved(self, raw: bytes, name: str) -> None:
        try:
            data = json.loads(raw.removeprefix(_BOM))
            if str(data.get("schema")).startswith("rocmdoctor.windows/"):
                self.collected(raw.removeprefix(_BOM))
                return
            if str(data.get("schema")).startswith("rocmdoctor.bundle/"):
                self._made |= {name.removesuffix("manifest.json") + made for made in ("report.md", "report.html")}
                return
            self.found.snapshots.append(data.get("snapshot", data))
        except (ValueError, AttributeError, RecursionError) as error:
            self.found.problems.append(f"{name}: a saved report that cannot be read ({error}); save it again")

    def collected(self, raw: bytes) -> None:
        """What deploy/collect.ps1 wrote becomes a machine tree: the probes read it as they read Windows itself."""
        root = pathlib.Path(self.spool(), f"root{len(self.found.trees)}")
        root.mkdir()
        (root / "windows.json").write_bytes(raw)
        self.found.trees.append(root)

    def archive(self, path: pathlib.Path | None, name: str) -> None:
        if path is None:
            self.found.problems.append(f"{name}: an archive inside an archive, left out")
            return
        budget = MOST_UNPACKED
        unpacked = 0
        try:
            for member, stream, size in _members(path):
                if _SYSFS.search(member) and unpacked < MOST_FILES:
                    unpacked += self.unpack(member, stream, name)
                    continue
                if budget <= 0 or len(self.found.texts) >= MOST_FILES:
                    self.found.problems.append(
                        f"{name}: more than {MOST_UNPACKED >> 20} MiB or {MOST_FILES} files inside, the rest is left out")
                    return
                budget -= self.stream(stream, f"{name}/{member}", size, limit=budget)
        except _DAMAGE as error:
            self.found.problems.append(f"{name}: damaged archive ({error}); what could be read was used")
        if unpacked:
            self.links(path)
            self.folder(pathlib.Path(self.spool(), "tree"))

    def unpack(self, member: str, stream: BinaryIO, name: str) -> bool:
        """One file of a copied /sys below the spool; whether it was written."""
        target = _inside(pathlib.Path(self.spool(), "tree"), member)
        if target is None:
            return False
        raw, _ = self.take(stream, f"{name}/{member}", 1 << 16)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(raw)
        except OSError:  # a name too long, a file where a folder is wanted
            return False
        return True

    def links(self, path: pathlib.Path) -> None:
        """The symbolic links of a copied /sys in a tar, those that stay inside."""
        if not tarfile.is_tarfile(path):
            return
        top = pathlib.Path(self.spool(), "tree")
        with tarfile.open(path) as tarred:
            for member in tarred:
                place = _inside(top, member.name) if member.issym() and _SYSFS.search(member.name) else None
                if place is None or os.path.lexists(place):
                    continue
                leads_to = os.path.normpath(place.parent / member.linkname)
                if not os.path.isabs(member.linkname) and leads_to.startswith(f"{top}/"):
                    try:
                        place.parent.mkdir(parents=True, exist_ok=True)
                        place.symlink_to(member.linkname)
                    except OSError:
                        continue

    def folder(self, path: pathlib.Path) -> None:
        """Texts of a folder; a copied /sys in it (by content: class/drm or class/kfd) becomes a machine tree."""
        count = 0
        copied: list[pathlib.Path] = []
        for place, folders, files in os.walk(path, onerror=self.unlisted):
            folders.sort()
            here = pathlib.Path(place)
            for name in list(folders):
                if any((here / name / "class" / kind).is_dir() for kind in ("drm", "kfd")):
                    self.tree(here, name)
                    if (here / "proc").is_dir():
                        folders.remove(name)  # a machine: the probes read it; of a copy that is only /sys the texts are read, too
                    else:
                        copied.append(here / name)
            if "registry.reg" in files and not {"dxgi.json", "cim.json", "files.tsv"}.isdisjoint(files):  # an export of a Windows machine
                self.found.trees.append(here)
                folders.clear()
                continue
            self.part = any(here.is_relative_to(top) for top in copied)
            for file in sorted(files):
                count += 1
                if count > MOST_FILES:
                    self.found.problems.append(f"{path.name}: more than {MOST_FILES} files, the rest is left out")
                    return
                full = pathlib.Path(place, file)
                self.file(full, str(full.relative_to(path)))
        self.part = False

    def tree(self, above: pathlib.Path, name: str) -> None:
        """A root for the probes; a copy of /sys under another name gets a root of its own."""
        if name != "sys":
            root = pathlib.Path(self.spool(), f"root{len(self.found.trees)}")
            root.mkdir()
            (root / "sys").symlink_to((above / name).resolve(), target_is_directory=True)
            above = root
        self.found.trees.append(above)

    def spool(self) -> str:
        if self.found.spool is None:
            self.found.spool = tempfile.TemporaryDirectory(prefix="rocmdoctor-")
        return self.found.spool.name

    def unlisted(self, error: OSError) -> None:
        self.found.problems.append(f"{error.filename}: {error.strerror}, left out")


def _inside(top: pathlib.Path, member: str) -> pathlib.Path | None:
    """The place of an archive's member below ``top``, None for a name that leads elsewhere."""
    parts = [part for part in member.split("/") if part not in ("", ".")]
    return top.joinpath(*parts) if parts and ".." not in parts and "\0" not in member and len(member) < 1000 else None


def _members(path: pathlib.Path) -> Iterator[tuple[str, BinaryIO, int]]:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as zipped:
            for info in zipped.infolist():
                if not info.is_dir():
                    with zipped.open(info) as stream:
                        yield info.filename, stream, info.file_size  # type: ignore[misc]
    elif tarfile.is_tarfile(path):
        with tarfile.open(path) as tarred:
            for member in tarred:
                inner = tarred.extractfile(member) if member.isreg() else None
                if inner:
                    yield member.name, inner, member.size  # type: ignore[misc]
    else:
        with path.open("rb") as packed:
            magic = packed.read(6)
        unpack = next(opener for start, opener in _SINGLE.items() if magic.startswith(start))
        with unpack(path) as unzipped:
            yield path.stem, unzipped, BIG


def gather(paths: list[str], stdin: BinaryIO) -> Attached:
    """Everything below ``paths`` ("-" is standard input). Raises FileNotFoundError for a path that does not exist."""
    reader = _Reader()
    for given in paths:
        path = pathlib.Path(given)
        if given == "-":
            reader.stream(stdin, "stdin", 0, limit=MOST_PIPED)
        elif not os.path.lexists(path):
            raise FileNotFoundError(given if len(given) < 300 else given[:300] + "...")
        elif path.is_dir():
            reader.folder(path)
        else:
            reader.file(path, path.name)
    return reader.found


def blocks(path: pathlib.Path, size: int = 2 << 20) -> Iterator[bytes]:
    """A big file in blocks that end at a newline."""
    with path.open("rb") as stream:
        rest = b""
        while part := stream.read(size):
            cut = part.rfind(b"\n") + 1
            if cut or len(rest) > 4 * size:
                yield rest + part[:cut]
                rest = part[cut:]
            else:
                rest += part
        if rest:
            yield rest
