"""A big file searched by several processes while this one goes on: its hits are those that :meth:`Scanner.scan` gives.

A first process reads the beginning, until it is known what storms in the text, and forks others. Each takes the next part that nobody has taken;
what it has seen often enough it leaves out of its later parts, which lie behind those, so that no hit is missed that is among the first of the
whole. The end of the file is one part: there the last hits of each signal are.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from rocmdoctor.facts.model import Hit
from rocmdoctor.live import ending, processes
from rocmdoctor.scan.scanner import END, ENOUGH, KEEP_FIRST, KEEP_LAST, Name, Run, Scanner, pieces
from rocmdoctor.texts import files
from rocmdoctor.texts.kinds import Part

BLOCK = 2 << 20  # bytes of a block, up to the last end of a line in them
LEAST = 8 << 20  # bytes of a file below which one process is through before others have begun
MOST = 8  # processes
_FIRST = 2  # blocks that the first process reads alone
_PARTS = 4096  # as many as fit into the pipe from which they are taken
_LINE = 64 << 10  # bytes in which the last end of a line is looked for
_NUMBER = 8  # bytes
_TURN = 0.05


class Unsearched(Exception):
    """The file is to be searched by this process alone."""


class _Forked:
    """A child, as :class:`processes.Child` needs it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit status; None while it runs."""
        if sys.platform != "win32" and self.returncode is None:
            with contextlib.suppress(ChildProcessError):
                found, status = os.waitpid(self.pid, os.WNOHANG)
                self.returncode = os.waitstatus_to_exitcode(status) if found else None
        return self.returncode

    def kill(self) -> None:
        """End it."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)


def _fork(work: Callable[[], None]) -> int:
    """A process that does this and nothing else, least of all what this one does at its end."""
    if sys.platform == "win32":
        raise NotImplementedError
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        for number in ending.SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        work()
        status = 0
    finally:
        os._exit(status)


def _group(pid: int) -> None:
    """Let a process lead a group, with which it is ended."""
    if sys.platform == "win32":
        raise NotImplementedError
    with contextlib.suppress(OSError):
        os.setpgid(pid, pid)


def _processors() -> int:
    """How many processes search at once."""
    if sys.platform != "linux" or threading.active_count() > 1:  # a thread of ours may hold a lock that a child would wait for
        return 1
    return min(MOST, len(os.sched_getaffinity(0)))


def _blocks(file: IO[bytes], size: int) -> list[tuple[int, int]]:
    """Where the blocks of a file begin and end. Raises Unsearched where lines are that long that these are not at hand."""
    ends = []
    for stop in range(BLOCK, size, BLOCK):
        file.seek(stop - _LINE)
        ends.append(stop - _LINE + file.read(_LINE).rfind(b"\n") + 1)
        if ends[-1] == stop - _LINE:
            raise Unsearched
    return list(zip([0, *ends], [*ends, size], strict=True))


def _shared(blocks: list[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The parts: the beginning, what lies between, the end."""
    size = blocks[-1][1]
    tail = next(number for number in range(len(blocks) - 1, 0, -1) if size - blocks[number][0] >= END)
    step = -(-len(blocks) // _PARTS)
    return [blocks[:_FIRST], *(blocks[at:min(at + step, tail)] for at in range(_FIRST, tail, step)), blocks[tail:]]


class Search:
    """The search of one file, which begins now. ``kinds`` tells of which its lines are, ``over`` whether the time is up. Raises OSError, Unsearched."""

    def __init__(self, scanner: Scanner, source: str, path: Path, kinds: Callable[[], Sequence[Part]], over: Callable[[], bool]) -> None:
        self._scanner, self._source, self._path, self._kinds, self._over = scanner, source, path, kinds, over
        self._count = _processors()
        with files.opened(path) as file:
            self.size = os.fstat(file.fileno()).st_size
            if self._count < 2 or self.size < LEAST:
                raise Unsearched
            self._parts = _shared(_blocks(file, self.size))
        self._folder = tempfile.TemporaryDirectory(prefix="rocmdoctor-")
        parent = os.getpid()
        self._child = processes.begin(lambda: self._begun(parent))

    def _begun(self, parent: int) -> _Forked:
        def lead() -> None:
            _group(0)
            self._lead(parent)

        pid = _fork(lead)
        _group(pid)  # whoever comes first
        return _Forked(pid)

    def _lead(self, parent: int) -> None:
        """In the first process."""
        run = Run(self._scanner, self._source, self._kinds())
        with self._at_work("0") as (file, out):
            self._say(out, 0, run, pieces(self._read(file, 0, parent)))
            taken, given = os.pipe()
            last = len(self._parts) - 1
            for part in (last, *range(1, last)):  # the end takes longest
                os.write(given, part.to_bytes(_NUMBER, "little"))
            os.close(given)
            me = os.getpid()
            others = [_fork(lambda name=str(number): self._join(run, taken, me, name)) for number in range(1, self._count)]  # type: ignore[misc]
            self._take(run, taken, parent, file, out)
        if any(os.waitpid(pid, 0)[1] for pid in others):
            raise Unsearched

    def _join(self, run: Run, taken: int, parent: int, name: str) -> None:
        """In the others."""
        with self._at_work(name) as (file, out):
            self._take(run, taken, parent, file, out)

    @contextlib.contextmanager
    def _at_work(self, name: str) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
        with files.opened(self._path) as file, Path(self._folder.name, name).open("wb") as out:
            yield file, out

    def _take(self, run: Run, taken: int, parent: int, file: IO[bytes], out: IO[bytes]) -> None:
        """Search what nobody has taken, until nothing is left or the time is up."""
        while not self._over() and (number := os.read(taken, _NUMBER)):
            part = int.from_bytes(number, "little")
            if part == len(self._parts) - 1:
                end = run.apart()
                self._say(out, part, end, self._read(file, part, parent), end.late)
            else:
                run.go_on()
                self._say(out, part, run, self._read(file, part, parent))

    def _read(self, file: IO[bytes], part: int, parent: int) -> Iterator[bytes]:
        for begin, end in self._parts[part]:
            if os.getppid() != parent:
                raise Unsearched  # nobody waits for it any more
            file.seek(begin)
            held = b""
            while len(held) < end - begin:
                if not (more := file.read(end - begin - len(held))):
                    raise Unsearched  # it was cut meanwhile
                held += more
            yield held

    @staticmethod
    def _say(out: IO[bytes], part: int, run: Run, blocks: Iterator[bytes], late: Callable[[], Mapping[Name, list[Hit]]] = dict) -> None:
        """What was found in a part: how many lines it has, its hits, the last hits of what is seen often."""
        hits = [hit for block in blocks for hit in run.found(block)]
        marshal.dump([part, run.lines, list(map(_plain, hits)), [_plain(hit) for those in late().values() for hit in those]], out)

    def hits(self) -> tuple[list[Hit], int, int]:
        """All hits, and up to which line and which byte the file was searched. Raises Unsearched."""
        try:
            while self._child.ended() is None:
                self._child.pause(_TURN)
            if self._child.ended() != 0:
                raise Unsearched
            return self._joined()
        finally:
            self._child.kill()
            self._child.forget()
            self._folder.cleanup()

    def _joined(self) -> tuple[list[Hit], int, int]:
        said: dict[int, list[Any]] = {}
        for file in Path(self._folder.name).iterdir():
            with file.open("rb") as read:
                while read.peek(1):
                    part, *rest = marshal.load(read)
                    said[part] = rest
        first: list[Hit] = []
        of: dict[Name, list[Hit]] = {}
        late: dict[Name, list[Hit]] = {}
        lines = part = 0
        while part in said:
            count, hits, last = said.pop(part)
            if part == len(self._parts) - 1:  # before those of the whole that are enough are no more wanted
                for told in (*hits, *last):
                    late.setdefault(told[:2], []).append(self._whole(told, lines))
            for told in hits:
                own = of.setdefault(told[:2], [])
                if len(own) < ENOUGH:
                    own.append(self._whole(told, lines))
                    if len(own) <= KEEP_FIRST:
                        first.append(own[-1])
            lines += count
            part += 1
        for name, own in of.items():
            behind = [hit for hit in late.get(name, ()) if hit.line > own[-1].line] if len(own) == ENOUGH else []
            first += [*own[KEEP_FIRST:], *behind][-KEEP_LAST:]
        return first, lines, self._parts[part - 1][-1][1] if part else 0

    def _whole(self, told: tuple[Any, ...], lines: int) -> Hit:
        """A hit of a part that stands behind so many lines."""
        rule, group, line, text, captures, kind = told
        return Hit(sys.intern(rule), sys.intern(group), self._source, lines + line, text, captures, kind=kind)


def _plain(hit: Hit) -> tuple[Any, ...]:
    return hit.rule, hit.group, hit.line, hit.text, hit.captures, hit.kind
