"""The reports of a fleet, one after the other: files, folders, a stream. A broken one costs only itself."""

from __future__ import annotations

import functools
import json
import os
import pathlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from rocmdoctor import vocabulary
from rocmdoctor.differences import cmdline_words

LONGEST = 64 << 20
_CHUNK = 1 << 20
_TEXT = 300
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


def walk(paths: Iterable[str], stdin: BinaryIO) -> Iterator[Node | Broken]:
    """Every report of the paths; ``-`` is standard input. Raises FileNotFoundError for a path that is not there."""
    for path in paths:
        if path == "-":
            yield from _stream(stdin, "standard input")
            continue
        place = pathlib.Path(path)
        if place.is_dir():
            for folder, folders, files in os.walk(place):
                folders.sort()
                for name in sorted(files):
                    if name.endswith((".json", ".jsonl", ".ndjson")):
                        yield from _file(pathlib.Path(folder, name))
        elif place.exists():
            yield from _file(place)
        else:
            raise FileNotFoundError(path)


def _file(path: pathlib.Path) -> Iterator[Node | Broken]:
    try:
        if not path.is_file():
            yield Broken(f"{path}: not a regular file")
            return
        with open(path, "rb") as file:
            yield from _stream(file, str(path))
    except OSError as error:
        yield Broken(f"{path}: cannot be read ({error.strerror})")


def _stream(file: BinaryIO, name: str) -> Iterator[Node | Broken]:
    """Documents that begin at the start of a line: one JSON a line, or several printed one below the other."""
    held, number = b"", 0
    while True:
        chunk = file.read(_CHUNK)
        held += chunk
        while (cut := held.find(b"\n{", 1)) >= 0 or not chunk or len(held) > LONGEST:
            piece, held = (held[:cut + 1], held[cut + 1:]) if cut >= 0 else (held, b"")
            if piece.strip():
                for document in _documents(piece, name, number + 1):
                    number += 1
                    yield document
            if cut < 0:
                break
        if not chunk:
            if not number:
                yield Broken(f"{name}: empty")
            return


def _documents(piece: bytes, name: str, number: int) -> Iterator[Node | Broken]:
    place = name if number == 1 else f"{name}, document {number}"
    if len(piece) > LONGEST:
        yield Broken(f"{place}: longer than {LONGEST >> 20} MiB")
        return
    try:
        yield _node(json.loads(piece), place, name)
        return
    except json.JSONDecodeError as error:
        if error.msg != "Extra data":
            yield Broken(f"{place}: not JSON ({error.msg}, line {error.lineno})")
            return
    except (RecursionError, UnicodeDecodeError) as error:
        yield Broken(f"{place}: not JSON ({type(error).__name__})")
        return
    text, at, decoder = piece.decode("utf-8", "replace").strip(), 0, json.JSONDecoder()
    while at < len(text):
        try:
            data, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield Broken(f"{place}: not JSON ({type(error).__name__})")
            return
        yield _node(data, f"{name}, document {number}" if number > 1 else name, name)
        number, at = number + 1, end
        while at < len(text) and text[at].isspace():
            at += 1


def _node(data: Any, place: str, source: str) -> Node | Broken:
    schema = str(data.get("schema", "")) if isinstance(data, dict) else ""
    if not schema.startswith(("rocmdoctor.preflight/", "rocmdoctor.report/", "rocmdoctor.snapshot/")):
        return Broken(f"{place}: not a report of check or preflight")
    try:
        return _taken_apart(data, place, source)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return Broken(f"{place}: damaged ({type(error).__name__}: {error})")


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
    findings = {str(f["id"]): (str(f["severity"]), str(f["title"])) for f in data.get("findings", ())
                if f.get("standing") != "possible" and f["id"] != "no-amd-gpu"}
    outcomes = data.get("outcomes", ())
    failures = [f"{o['verdict']} {o['expectation']}" + (f" ({o['subject']})" if o.get("subject") else "") + f": expected {o['expected']}, "
                f"found {o['actual']}" for o in outcomes if o["verdict"] in ("FAIL", "UNKNOWN")]
    name = str(data.get("node") or "") or (pathlib.Path(source).stem if place == source and source != "standard input" else place)
    return Node(name, str(snapshot.get("taken", "")), product if isinstance(product, str) else "", cards, facts, findings,
                str(data["verdict"]) if "outcomes" in data else "", str(data.get("action", "")), failures)


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
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return (" ".join(cmdline_words(value)) if name == "kernel.cmdline" else value)[:_TEXT]
    if isinstance(value, list) and all(isinstance(one, (str, int, float)) for one in value):
        return ", ".join(sorted(map(str, value)))[:_TEXT]
    return json.dumps(value, sort_keys=True)[:_TEXT]
