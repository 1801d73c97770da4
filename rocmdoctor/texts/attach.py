"""What people attach: files, folders, archives, standard input, as cleaned texts. Everything here is hostile."""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING, Any

from rocmdoctor import __version__, later
from rocmdoctor.records import dataclass, field
from rocmdoctor.texts import door, embedded, files, unpack
from rocmdoctor.texts.budget import Budget, Spent
from rocmdoctor.texts.door import decode
from rocmdoctor.texts.tree import LARGEST, Tree

if TYPE_CHECKING:
    import html
else:
    html = later.module("html")


__all__ = ["Attached", "Text", "blocks", "clean", "decode", "gather"]

BIG = 8 << 20
MOST_LINES = 200_000  # a text of more lines is scanned in blocks as a big one is
MOST_HELD = 64 << 20  # bytes of texts in memory; what comes after that waits in a temporary file
MOST_SAVED = 32 << 20  # bytes of saved reports
MOST_PIPED = 8 << 30
MOST_PROBLEMS = 100
DEEPEST = 3  # archives in archives
_HEAD = 64 << 10
_FIRST = 1 << 20  # of a big text the readers get this much
_SMALL_FILE = 64 << 10  # of a copied /sys in an archive
_SHOWN_LINKS = 5
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
    budget: Budget = field(default_factory=Budget)
    read_before: set[str] = field(default_factory=set)  # texts of a bundle: its snapshot holds what they said when they were whole
    spool: tempfile.TemporaryDirectory[str] | None = field(default=None, repr=False)  # big streams; gone with this object


def clean(text: str) -> str:
    """Without colours, CR, control characters, quote marks and HTML escapes."""
    text = door.printable(text).replace("\r\n", "\n").replace("\r", "\n")
    if "&lt;" in text or "&gt;" in text or "&quot;" in text:
        text = html.unescape(text)
    try:
        text = embedded.plain_log(text)
    except (ValueError, RecursionError):
        pass  # as it stands, then
    lines = [_QUOTES.sub("", line) if line.startswith(">") else line for line in door.printable(text).split("\n")]
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
        self.budget = self.found.budget
        self._made: set[str] = set()  # reports inside a bundle: our own words, not evidence
        self.part = False  # whether the texts met now are files of a copied /sys
        self._held = self._saved = self._spooled = 0
        self._damaged = False  # whether damage was met in the archive at hand
        self._spent: Spent | None = None  # the bound that cut a member of the archive at hand short
        self._untold = 0

    def problem(self, said: str) -> None:
        """One line of what could not be read; of many only their number."""
        if len(self.found.problems) < MOST_PROBLEMS:
            self.found.problems.append(door.printable(said))
        else:
            self._untold += 1

    def told(self) -> Attached:
        """What was found, all problems said."""
        if self._untold:
            self.found.problems.append(f"... and {self._untold} more files or archives that could not be read whole")
        return self.found

    def file(self, path: pathlib.Path, name: str) -> None:
        """A file that the caller named: a link is followed, once."""
        try:
            real = path.resolve(strict=True)
            with files.opened(real) as file:
                self.budget.file()
                self.stream(unpack.Raw(file, self.budget), name, real)
        except Spent as error:
            self.problem(f"{name}: {error}, the rest is left out")
        except files.NotAFile as error:
            self.problem(f"{name}: {error}, left out")
        except (OSError, RuntimeError) as error:  # a loop of links is a RuntimeError up to Python 3.12
            self.problem(f"{name}: {getattr(error, 'strerror', '') or error}")

    def piped(self, file: IO[bytes]) -> None:
        """Standard input."""
        try:
            self.stream(unpack.Raw(file, self.budget), "stdin")
        except Spent as error:
            self.problem(f"stdin: {error}, the rest is left out")
        except (OSError, ValueError) as error:
            self.problem(f"stdin: {getattr(error, 'strerror', '') or error}")

    def stream(self, source: unpack.Source, name: str, path: pathlib.Path | None = None, depth: int = 0) -> None:
        """Place what comes: a text, a saved report, an archive. A big text without a file of its own is spooled, never cut in silence."""
        head, whole = self.take(source, name, _HEAD)
        if name in self._made:
            return
        if not head.strip() and len(head) < _HEAD:
            if whole and not self.part:
                self.problem(f"{name}: empty file")
        elif unpack.stream_kind(head) or unpack.is_tar(head) or head.startswith(b"PK\3\4"):
            self.archive(unpack.Begun(head, source), head, name, path, depth)
        elif _is_binary(head):
            self.problem(f"{name}: binary file, not read as text")
        elif head.removeprefix(_BOM).lstrip()[:1] == b"{" and b"rocmdoctor." in head[:300]:
            more, _ = self.take(source, name, door.MOST_BYTES + 1 - len(head)) if whole else (b"", False)
            self.saved(head + more, name)
        else:
            more, whole = self.take(source, name, BIG - len(head)) if whole else (b"", False)
            raw = head + more
            if len(raw) >= BIG or raw.count(b"\n") > MOST_LINES:
                path = path or self.spooled(raw, source if whole else None, name)
                self.found.texts.append(Text(name, clean(decode(raw[:_FIRST])), path, self.part))
            else:
                self.text(name, clean(decode(raw)), self.part)

    def text(self, name: str, text: str, part: bool) -> None:
        """A text and the texts in it; what is more than may be held in memory waits in a file."""
        texts = [Text(name, text, part=part)]
        if text.count(",") + text.count("{") + text.count("[") <= door.MOST_VALUES:
            texts += [Text(door.name(f"{name}: {key}"), clean(inner), part=True) for key, inner in embedded.parts(text)]
        for each in texts:
            size = sys.getsizeof(each.text)
            if self._held + size > MOST_HELD and size > _HEAD:
                path = self.spooled(each.text.encode("utf-8", "replace"), None, name)
                each = Text(each.name, each.text[:_HEAD], path, each.part)
            self._held += sys.getsizeof(each.text)
            self.found.texts.append(each)

    def take(self, source: unpack.Source, name: str, most: int) -> tuple[bytes, bool]:
        """Up to ``most`` bytes, and whether more may follow; what came before damage, or before a bound was reached, is kept."""
        parts: list[bytes] = []
        left = most
        try:
            while left and (part := source.read(min(left, unpack.PIECE))):
                parts.append(part)
                left -= len(part)
        except Spent as error:
            self._spent = error  # kept until it was said: after the last member nothing is read that would meet it again
            return b"".join(parts), False
        except unpack.damage() as error:
            self._damaged = True
            self.problem(f"{name}: damaged ({_why(error)}); the {most - left} bytes before the damage were read")
            return b"".join(parts), False
        return b"".join(parts), True

    def spooled(self, head: bytes, source: unpack.Source | None, name: str) -> pathlib.Path:
        """The whole stream as a temporary file, as far as the bounds and the disk allow."""
        path = self.place()
        taken = 0
        try:
            with path.open("xb") as out:
                part, whole = head, source is not None
                while part:
                    out.write(part)
                    taken += len(part)
                    self.budget.look()
                    part, whole = self.take(source, name, min(1 << 20, max(0, MOST_PIPED - taken))) if whole and source else (b"", False)
            if taken >= MOST_PIPED:
                self.problem(f"{name}: only its first {taken >> 20} MiB were read")
        except OSError as error:
            self.problem(f"{name}: only its first {taken >> 20} MiB were read: no more can be kept in {path.parent} ({error.strerror})")
        except Spent as error:
            self.problem(f"{name}: {error}; only its first {taken >> 20} MiB were read")
        return path

    def saved(self, raw: bytes, name: str) -> None:
        """A report or snapshot, or the list of what is in a bundle."""
        cut = door.Cut()
        try:
            data = door.json_value(raw.removeprefix(_BOM), cut)
            if str(data.get("schema")).startswith("rocmdoctor.windows/"):
                self.collected(raw.removeprefix(_BOM))
                return
            if str(data.get("schema")).startswith("rocmdoctor.bundle/"):
                top = name.removesuffix("manifest.json")
                self._made |= {top + made for made in ("report.md", "report.html")}
                if data.get("version") == __version__:  # another version may know more: to it the texts say something new
                    self.found.read_before |= {top + str(entry.get("name")) for entry in data.get("files") or () if isinstance(entry, dict)}
                return
            self._saved += len(raw)
            if self._saved > MOST_SAVED:
                self.problem(f"{name}: more than {MOST_SAVED >> 20} MiB of saved reports, left out")
                return
            self.found.snapshots.append(data.get("snapshot", data))
            if cut.said():
                self.problem(f"{name}: {cut.said()}")
        except (ValueError, AttributeError) as error:
            self.problem(f"{name}: a saved report that cannot be read ({_why(error)}); save it again")

    def collected(self, raw: bytes) -> None:
        """What deploy/collect.ps1 wrote becomes a machine's tree: the probes read it as they read Windows itself."""
        tree = Tree(self.place())
        tree.write("windows.json", raw)
        self.found.trees.append(tree.top)

    def archive(self, source: unpack.Begun, head: bytes, name: str, path: pathlib.Path | None, depth: int) -> None:
        """Every member that is a text; a copied /sys becomes a machine's tree."""
        if depth >= DEEPEST:
            self.problem(f"{name}: an archive inside {DEEPEST} others, left out")
            return
        tree: Tree | None = None
        self._damaged = False
        self._spent = None if not depth else self._spent
        try:
            for member in self.members(source, head, name, path):
                said = f"{name}/{door.name(member.name)}"
                if not _SYSFS.search(member.name):
                    if member.regular:
                        self.budget.file()
                        self.stream(member.source, said, depth=depth + 1)
                    continue
                tree = tree or Tree(self.place())
                if member.link:
                    tree.link(member.name, member.link)
                elif member.regular and tree.room():
                    tree.write(member.name, self.take(member.source, said, _SMALL_FILE)[0])
                if self._spent:
                    raise self._spent
            if self._spent:
                raise self._spent
        except Spent as error:
            if depth:
                raise
            self.problem(f"{name}: {error}, the rest is left out")
        except unpack.damage() as error:
            if not self._damaged:
                self.problem(f"{name}: damaged archive ({_why(error)}); what could be read was used")
            self._damaged = True
        finally:
            if tree:
                tree.close()
                self.replayed(tree)

    def members(self, source: unpack.Begun, head: bytes, name: str, path: pathlib.Path | None) -> Iterator[unpack.Member]:
        """The members of a zip or tar, or the one text of a compressed file."""
        if head.startswith(b"PK\3\4"):
            if path is None:
                first, whole = self.take(source, name, _FIRST)
                path = self.spooled(first, source if whole else None, name)
            with files.opened(path) as file:
                yield from unpack.zip_members(file, self.budget)
            return
        kind = unpack.stream_kind(head)
        if not kind:
            yield from unpack.tar_members(source, self.budget)
            return
        inner = unpack.Unpacked(source, kind, self.budget)
        begin, whole = self.take(inner, name, 512)
        if unpack.is_tar(begin):
            yield from unpack.tar_members(unpack.Begun(begin, inner), self.budget)
        elif begin or whole:
            yield unpack.Member(pathlib.PurePath(name).stem, True, "", 0, unpack.Begun(begin, inner))

    def replayed(self, tree: Tree) -> None:
        """A tree for the probes; of one without ``proc`` the texts are read, too."""
        for root, whole in tree.roots():
            self.found.trees.append(root)
            self.part = not whole
        if not self.budget.over():
            self.folder(tree.top, copied=True)
        self.part = False

    def folder(self, top: pathlib.Path, copied: bool = False) -> None:
        """Texts of a folder; a copied /sys in it (by content: class/drm or class/kfd) becomes a machine's tree, unless it is one already."""
        parts: list[pathlib.Path] = []
        out: list[str] = []
        exports: set[pathlib.Path] = set()  # of Windows machines

        def enter(here: pathlib.Path, folders: list[str]) -> list[str]:
            if os.path.isfile(here / "registry.reg") and any(os.path.isfile(here / other) for other in ("dxgi.json", "cim.json", "files.tsv")):
                exports.add(here)
                self.found.trees.append(here)
                return []
            chosen = []
            for name in folders:
                machine = not copied and any(os.path.isdir(here / name / "class" / kind) for kind in ("drm", "kfd"))
                whole = machine and os.path.isdir(here / "proc")
                if machine:
                    self.copied(here, name, whole)
                if machine and not whole:
                    parts.append(here / name)
                if not whole:  # of a machine the probes read it; of a copy that is only /sys the texts are read, too
                    chosen.append(name)
            return chosen

        part = self.part
        try:
            for entry in files.entries(top, self.problem, enter):
                if entry.path.parent in exports:
                    continue
                name = door.name(entry.name)
                if entry.link:
                    if files.leads_out(top, entry):
                        out.append(name)
                    continue
                self.part = part or any(entry.path.is_relative_to(place) for place in parts)
                self.budget.file()
                try:
                    with entry.open() as file:
                        self.stream(unpack.Raw(file, self.budget), name, entry.path)
                except OSError as error:
                    self.problem(f"{name}: {error.strerror or error}")
        except Spent as error:
            self.problem(f"{door.name(top.name)}: {error}, the rest is left out")
        except OSError as error:
            self.problem(f"{door.name(str(top))}: {error.strerror or error}, left out")
        self.part = part
        if out:
            more = f" and {len(out) - _SHOWN_LINKS} more" if len(out) > _SHOWN_LINKS else ""
            self.problem(f"links that lead out of the folder, left out: {', '.join(out[:_SHOWN_LINKS])}{more}")

    def copied(self, above: pathlib.Path, name: str, whole: bool) -> None:
        """A fresh copy for the probes, so that no link of somebody else leads them anywhere; a copy of /sys under another name is called sys."""
        tree = Tree(self.place())
        start, prefix = (above, "") if whole else (above / name, "sys/")
        for entry in files.entries(start, lambda problem: None):
            member = prefix + entry.name
            if whole and name != "sys" and entry.name.startswith(f"{name}/"):
                member = "sys" + entry.name[len(name):]
            if entry.link:
                tree.link(member, entry.link)
                continue
            if not tree.room() or self.budget.over():
                self.problem(f"{door.name(str(start))}: a machine of more files than can be replayed, the rest is left out")
                break
            try:
                with entry.open() as file:
                    tree.write(member, self.take(unpack.Raw(file, self.budget), door.name(entry.name), LARGEST)[0], entry.mode)
            except PermissionError:
                tree.write(member, b"", 0)  # that it could not be read is what a probe is to see
            except OSError:
                continue
        tree.close()
        if tree.files:
            self.found.trees.append(tree.top)

    def place(self) -> pathlib.Path:
        """A new name in a private folder that goes with what was found."""
        if self.found.spool is None:
            self.found.spool = tempfile.TemporaryDirectory(prefix="rocmdoctor-")
        self._spooled += 1
        return pathlib.Path(self.found.spool.name, str(self._spooled))


def _why(error: Exception) -> str:
    said = str(getattr(error, "strerror", "") or error) or type(error).__name__
    return door.name(said)


def gather(paths: list[str], stdin: IO[bytes]) -> Attached:
    """Everything below ``paths`` ("-" is standard input). Raises FileNotFoundError for a path that does not exist."""
    reader = _Reader()
    for given in paths:
        path = pathlib.Path(given)
        if given == "-":
            reader.piped(stdin)
        elif not os.path.lexists(path):
            raise FileNotFoundError(door.name(given))
        elif path.is_dir():
            reader.folder(path)
        else:
            reader.file(path, door.name(path.name))
    return reader.told()


def blocks(path: pathlib.Path, size: int = 2 << 20) -> Iterator[bytes]:
    """A big file in blocks that end at a newline."""
    with files.opened(path) as stream:
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
