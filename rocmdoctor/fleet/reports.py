"""The reports of a fleet, one after the other: files, folders, a stream. A broken one costs only itself."""

from __future__ import annotations

import functools
import json
import math
import pathlib
from collections.abc import Iterable, Iterator
from typing import IO, Any

from rocmdoctor.compare.differences import cmdline_words
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import SEVERITIES
from rocmdoctor.preflight.verdict import ORDER
from rocmdoctor.records import dataclass, field
from rocmdoctor.texts import door, files

LONGEST = 64 << 20
_CHUNK = 1 << 20
_TEXT = 300
_MOST_BAD = 1000
_LARGEST_INT = 1 << 64
_MOST_VALUES = 2_500_000
_OVERALL = tuple(verdict for verdict in ORDER if verdict != "SKIPPED")
# The same few hundred names come in every report.
_volatile = functools.lru_cache(maxsize=4096)(vocabulary.volatile)
Key = tuple[str, str, str]  # fact, item, part of a dictionary


@dataclass(frozen=True, slots=True)
class Unread:
    """A fact that this machine could not tell, and why."""

    reason: str


@dataclass(slots=True)
class Node:
    """What of one report takes part in the comparison. A fact that is known not to be there has the value None."""

    name: str
    taken: str
    product: str
    gpus: tuple[str, ...]
    facts: dict[Key, Any]
    findings: dict[str, tuple[str, str]] = field(default_factory=dict)  # id: severity, title
    verdict: str = ""
    action: str = ""
    failures: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Broken:
    """A report that could not be used, in one line."""

    says: str


def walk(paths: Iterable[str], stdin: IO[bytes]) -> Iterator[Node | Broken]:
    """Every report of the paths; ``-`` is standard input. Raises FileNotFoundError for a path that is not there."""
    for path in paths:
        if path == "-":
            yield from _stream(stdin, "standard input")
            continue
        place = pathlib.Path(path)
        if place.is_dir():
            yield from _folder(place)
        elif place.exists():
            yield from _file(place)
        else:
            raise FileNotFoundError(path)


def _folder(place: pathlib.Path) -> Iterator[Node | Broken]:
    """The reports below a folder. A link is followed where it stays inside."""
    problems: list[str] = []
    for entry in files.entries(place, problems.append):
        yield from (Broken(f"{place}: {door.name(problem)}") for problem in problems)
        problems.clear()
        if not entry.name.endswith((".json", ".jsonl", ".ndjson")):
            continue
        path = pathlib.Path(door.printable(str(entry.path)))
        if entry.link:
            yield from [Broken(f"{path}: a link that leads out of the folder")] if files.leads_out(place, entry) else _file(entry.path)
            continue
        try:
            with entry.open() as file:
                yield from _stream(file, str(path))
        except OSError as error:
            yield Broken(f"{path}: cannot be read ({error.strerror})")
    yield from (Broken(f"{place}: {door.name(problem)}") for problem in problems)


def _file(path: pathlib.Path) -> Iterator[Node | Broken]:
    name = door.printable(str(path))
    try:
        with files.opened(path.resolve(strict=True)) as file:
            yield from _stream(file, name)
    except files.NotAFile as error:
        yield Broken(f"{name}: {error}")
    except (OSError, RuntimeError) as error:
        yield Broken(f"{name}: cannot be read ({getattr(error, 'strerror', '') or error})")


def _stream(file: IO[bytes], name: str) -> Iterator[Node | Broken]:
    """Documents that begin at the start of a line: one JSON a line, or several printed one below the other."""
    held, seen = bytearray(), 1  # what lies before `seen` holds no start of a further document
    number, bad, ended = 0, 0, False
    while not ended:
        chunk = file.read(_CHUNK)
        ended = not chunk
        held += chunk
        while (cut := held.find(b"\n{", seen)) >= 0 or ended:
            piece = bytes(held[:cut + 1] if cut >= 0 else held)
            del held[:len(piece)]
            seen = 1
            if piece.strip():
                for document in _documents(piece, name, number + 1):
                    number += 1
                    yield document
                    bad = bad + 1 if isinstance(document, Broken) else 0
                    if bad == _MOST_BAD:
                        yield Broken(f"{name}: {bad} documents in a row are no reports; the rest of it is left out")
                        return
            if cut < 0:
                break
        seen = max(1, len(held) - 1)
        if len(held) > LONGEST:
            place = f"{name}, document {number + 1}" if number else name
            yield Broken(f"{place}: longer than {LONGEST >> 20} MiB, no report is; the rest of it is left out")
            return
    if not number:
        yield Broken(f"{name}: empty")


def _documents(piece: bytes, name: str, number: int) -> Iterator[Node | Broken]:
    place = _place(name, number)
    try:
        yield _node(door.json_value(piece, most=LONGEST + _CHUNK, values=_MOST_VALUES), place, name)
        return
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            yield Broken(f"{place}: not JSON ({error.msg}, line {error.lineno})")
            return
    except ValueError as error:
        yield Broken(f"{place}: {_unreadable(error)}")
        return
    text, at, decoder = piece.decode("utf-8", "replace").strip(), 0, json.JSONDecoder()
    while at < len(text):
        place = _place(name, number)
        try:
            data, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield Broken(f"{place}: {_unreadable(error)}")
            return
        yield _node(door.plain(data, door.Cut()), place, name)
        number, at = number + 1, end
        while at < len(text) and text[at].isspace():
            at += 1


def _place(name: str, number: int) -> str:
    return name if number == 1 else f"{name}, document {number}"


def _unreadable(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON ({error.msg})"
    if isinstance(error, RecursionError) or "nested" in str(error):
        return "nested too deep to be a report"
    return "holds a number of too many digits" if "integer string" in str(error) else str(error)


def _node(data: Any, place: str, source: str) -> Node | Broken:
    schema = str(data.get("schema", "")) if isinstance(data, dict) else ""
    if not schema.startswith(("rocmdoctor.preflight/", "rocmdoctor.report/", "rocmdoctor.snapshot/")):
        return Broken(f"{place}: not a report of check or preflight")
    try:
        return _taken_apart(data, place, source)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        return Broken(f"{place}: damaged ({error if type(error) is ValueError else f'{type(error).__name__}: {error}'})")


def _taken_apart(data: dict[str, Any], place: str, source: str) -> Node:
    snapshot = data if data["schema"].startswith("rocmdoctor.snapshot/") else data["snapshot"]
    stored: dict[str, Any] = snapshot["facts"]
    addresses = {vocabulary.split_key(key)[1]: str(fact["value"]) for key, fact in stored.items()
                 if key.startswith("gpu.pci_address[") and fact["state"] == "known"}
    facts: dict[Key, Any] = {}
    for key, fact in stored.items():
        name, item = vocabulary.split_key(key)
        if _volatile(name):
            continue
        _put(facts, name, addresses.get(item, item) if vocabulary.entity(name) == "gpu" else item, fact)
    product = facts.get(("machine.product", "", "")) or facts.get(("machine.board", "", ""))
    cards = tuple(sorted(str(value) for (name, _, _), value in facts.items() if name == "gpu.pci_id" and isinstance(value, str)))
    findings = {str(f["id"])[:_TEXT]: (_one_of(SEVERITIES, f["severity"], "severity"), str(f["title"])[:_TEXT])
                for f in data.get("findings", ()) if f.get("standing") != "possible" and f["id"] != "no-amd-gpu"}
    # The verdict of `check` is another word: its findings are compared instead.
    verdict = _one_of(_OVERALL, data["verdict"], "verdict") if "outcomes" in data or data["schema"].startswith("rocmdoctor.preflight/") else ""
    failures = [_failure(o) for o in data.get("outcomes", ()) if _one_of(ORDER, o["verdict"], "verdict") in ("FAIL", "UNKNOWN")]
    return Node(str(data.get("node") or "")[:_TEXT] or _called(place, source), str(snapshot.get("taken", "")),
                product if isinstance(product, str) else "", cards, facts, findings, verdict, str(data.get("action", ""))[:_TEXT], failures)


def _one_of(words: tuple[str, ...], value: Any, what: str) -> str:
    """A word that decides: one that is not known must not pass for harmless. Raises ValueError."""
    if value not in words:
        raise ValueError(f"{what} {str(value)[:40]!r} is none of {', '.join(words)}")
    return str(value)


def _failure(outcome: dict[str, Any]) -> str:
    subject = f" ({outcome['subject']})" if outcome.get("subject") else ""
    return (f"{outcome['verdict']} {outcome['expectation']}{subject}"[:_TEXT]
            + f": expected {str(outcome['expected'])[:_TEXT]}, found {str(outcome['actual'])[:_TEXT]}")


def _called(place: str, source: str) -> str:
    """A nameless report is called like its file, without the folders: their names are nobody's business."""
    if source == "standard input":
        return place
    return pathlib.Path(source).stem if place == source else pathlib.Path(source).name + place.removeprefix(source)


def _put(facts: dict[Key, Any], name: str, item: str, fact: dict[str, Any]) -> None:
    state = fact["state"]
    if state == "absent":
        facts[name, item, ""] = None
    elif state == "unknown":
        if fact["reason"] not in ("not_applicable", "not_collected", "skipped"):
            facts[name, item, ""] = Unread(str(fact["reason"]))
    elif isinstance(fact["value"], dict):
        for part, value in fact["value"].items():
            facts[name, item, str(part)] = _plain(name, value)
    else:
        facts[name, item, ""] = _plain(name, fact["value"])


def _plain(name: str, value: Any) -> Any:
    """Something that can be counted."""
    if isinstance(value, float) and not math.isfinite(value):
        return Unread("not_a_number")  # JSON has no such number, and it equals not even itself
    if isinstance(value, int) and abs(value) > _LARGEST_INT:
        return str(value)[:_TEXT]
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return (" ".join(cmdline_words(value)) if name == "kernel.cmdline" else value)[:_TEXT]
    if isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value):
        return ", ".join(sorted(map(str, value)))[:_TEXT]
    return json.dumps(value, sort_keys=True)[:_TEXT]
