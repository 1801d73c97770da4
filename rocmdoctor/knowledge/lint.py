"""What ``rocmdoctor rules lint`` and ``rules test`` check: the form of rules and signals, and that every example answers as it says."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis import fill
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import vocabulary
from rocmdoctor.facts.model import LAYERS, SEVERITIES, Absent, Known, Snapshot
from rocmdoctor.knowledge import check_words, known, known_lint, tables, windows_lint
from rocmdoctor.knowledge.rules import Rule, Rulebook
from rocmdoctor.knowledge.signals import Signal
from rocmdoctor.scan.scanner import Scanner, blocks_of
from rocmdoctor.texts import interpret
from rocmdoctor.texts.attach import Text, clean
from rocmdoctor.texts.kinds import GROUPS

MOST_PARSED = 400  # commands of one run that bash is started for
_QUOTED = later.pattern(r"""'[^']*'|"[^"$`\\!]*\"""")
_COMMENT = later.pattern(r"(?<= )#.*")
_WORDS = r"(?:[\w@%+=:,./~*?^-]|\$\w|\\.)+(?: +(?:[\w@%+=:,./~*?^-]|\$\w|\\.)+)*"
_PLAIN = later.pattern(rf"{_WORDS}(?: *(?:\|\|?|&&|;) *{_WORDS})*")
_GRAMMAR = later.pattern(r"\b(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|coproc|time|in)\b")
EXPECTED = {"fires": (True,), "quiet": (False,), "unknown": (None,)}


def _wanted(rule: Rule, book: Rulebook) -> Iterator[str]:
    for kind in ("fires", "quiet"):
        if not rule.examples.get(kind):
            yield f"no example that {kind}"
    for other in rule.explains:
        if other not in book.rules or book.rules[other].kind != "symptom":
            yield f"explains {other!r}, which is no symptom"
    for other in rule.instead_of:
        if other not in book.rules and other not in check_words.every_finding():
            yield f"instead_of {other!r}, which is no rule"
    for other in rule.formerly:
        if other in book.rules or other in check_words.every_finding():
            yield f"formerly {other!r}, which is still there"
    if rule.kind == "cause" and not rule.fixes:
        yield "a cause needs a fix"
    for name in rule.when.names:
        parts = name.split(".")
        if parts[0] != "seen":
            continue
        if len(parts) == 2 and (parts[1] not in book.rules or book.rules[parts[1]].kind != "symptom"):
            yield f"symptom({parts[1]}): there is no such symptom"
        elif len(parts) >= 3 and parts[1] != rule.id and f"{parts[1]}.{parts[2]}" not in book.signals:
            yield f"saw({parts[1]}.{parts[2]}): there is no such signal"
    conditions = [rule.when, *(fix.only_if for fix in rule.fixes if fix.only_if)]
    asked = {name.split(".")[2] for condition in conditions for name in condition.names if name.startswith(f"seen.{rule.id}.")}
    words = " ".join(map(str, (rule.title, rule.says, rule.why, *(fix.data for fix in rule.fixes))))
    for place in sorted(set(fill.open_places(words, rule.scope))):
        yield f"{{{place}}} is no fact and no capture, nothing fills it"
    for name in rule.signals:
        if name not in asked and "" not in asked and f"{{{name}." not in words and f"({name}." not in words:
            yield f"the signal {name} is asked by nothing"


_ALTERNATIVES = later.pattern(r"(?:\\[A-Za-z]|[^A-Za-z0-9])+")  # what stands between the words of a pattern


@functools.cache
def _models() -> frozenset[str]:
    """Model numbers and code names of AMD's GPUs that are nothing else: 8060S, R9700, Navi31 and the like."""
    found: set[str] = set()
    for words, (_, _, kind) in tables.load("products")["products"].items():
        joined = "".join(str(words).split())
        if kind != "cpu" and re.search(r"[a-z]", joined) and re.search(r"\d", joined) and 4 <= len(joined) <= 7:
            found.add(joined)
    return frozenset(found)


def _cards(signals: Iterable[Signal], when: str = "") -> Iterator[str]:
    """A card's name in a pattern or a condition: which cards there are the subjects know (about.gpu)."""
    texts = [(f"the signal {signal.name}", pattern) for signal in signals for pattern in (*signal.patterns, *signal.unless)]
    for where, text in [*texts, *([("the condition", when)] if when else [])]:
        for word in _ALTERNATIVES.split(text):
            if word.lower() in _models():
                yield f"{where} names a card ({word}); about.gpu knows them"


def _commands(rule: Rule) -> Iterator[str]:
    for fix in rule.fixes:
        commands = fix.data.get("commands") or []
        if not isinstance(commands, list):
            yield f"commands of {fix.data['do']!r} are no list"
            continue
        for command in commands:
            if not isinstance(command, str):
                yield f"{command!r} is no command but {type(command).__name__}"
            elif fix.data.get("language", "shell") == "shell" and not rule.platforms == ("windows",) and (problem := shell_problem(command)):
                yield f"the command {command!r} is none: {problem}"


def _finding(name: str, row: dict[str, Any], book: Rulebook) -> Iterator[str]:
    """What is wrong with the words of a check's finding."""
    if name in book.rules:
        yield "a rule has this id, too"
    if row.get("severity") not in SEVERITIES or row.get("layer") not in LAYERS or not row.get("title") or "id" in row and not row.get("sources"):
        yield "a finding has title, severity, layer and sources"
    yield from (f"explains {other!r}, which is no symptom" for other in row.get("explains") or () if other not in book.rules)
    known = book.rules.keys() | check_words.every_finding().keys()
    yield from (f"instead_of {other!r}, which is no rule" for other in row.get("instead_of") or () if other not in known)
    yield from (f"formerly {other!r}, which is still there" for other in row.get("formerly") or () if other in known)
    fixes = row.get("fixes") or []
    for fix in fixes if isinstance(fixes, list) else [fix for each in fixes.values() for fix in each]:
        listed = fix.get("commands") or ()
        for command in [listed] if isinstance(listed, str) else listed:  # one place stands for the commands of the table behind the check
            if not isinstance(command, str):
                yield f"{command!r} is no command but {type(command).__name__}"
            elif fix.get("language", "shell") == "shell" and (problem := shell_problem(re.sub(r"\{\w+\}", "X", command))):
                yield f"the command {command!r} is none: {problem}"


def form(book: Rulebook) -> list[str]:
    """One line for each thing that is wrong with the form of rules and signals."""
    found = [*book.problems, *known.load().problems, *known_lint.problems(known.load().all()), *windows_lint.of_defects(known.load().all())]
    for rule in book.rules.values():
        found += [f"{rule.id}: {problem}" for problem in (*_wanted(rule, book), *_commands(rule), *_cards(rule.signals.values(), rule.when.text),
                                                                *windows_lint.of_rule(rule))]
    found += [f"{signal.id}: {problem}" for signal in book.signals.values() for problem in _cards([signal])]
    found += [f"{signal.id}: a signal names the kinds of text it may be read in; only a topic is read in any"
              for signal in (*book.signals.values(), *(own for rule in book.rules.values() for own in rule.signals.values()))
              if not signal.topic and (not signal.kinds or signal.kinds >= GROUPS["any"])]
    for name, row in check_words.every_finding().items():
        found += [f"{name}: {problem}" for problem in (*_finding(name, row, book), *windows_lint.of_finding(row))]
    if _parsed.cache_info().misses >= MOST_PARSED:
        found.append(f"only {MOST_PARSED} commands were given to bash, the rest is not checked")
    return found


def snapshot_of(example: dict[str, Any], scanner: Scanner) -> Snapshot:
    """A Snapshot with what the example states: its text read as an attached file, its facts as they stand."""
    snapshot = Snapshot("2026-11-28T00:00:00+00:00", "read")
    if example.get("text"):
        interpret.fill(snapshot, [Text("example", clean(str(example["text"])))], scanner)
        snapshot.texts_read = 1
    for name, value in (example.get("facts") or {}).items():
        item = "0" if vocabulary.entity(name) else ""
        snapshot.facts[vocabulary.key(name, item)] = Absent("example") if value is None else Known(value, "example")
    return snapshot


def examples(rule: Rule, book: Rulebook, scanner: Scanner) -> Iterator[str]:
    """One line for each example of a rule that does not answer as it says, or whose answer a hidden fact turns round."""
    for kind, rows in rule.examples.items():
        for number, example in enumerate(rows, 1):
            seen = Evidence(snapshot_of(example, scanner), book)
            got = seen.ask(rule, "0")[0][1].value
            if got not in ((*EXPECTED[kind], None) if example.get("undecided") else EXPECTED[kind]):
                yield f"example {kind} {number} answers {_word(got)}"
            for name in rule.when.names:
                hidden = seen.ask(rule, "0", name)[0][1].value
                if hidden is not None and hidden != got:
                    yield f"example {kind} {number}: hiding {name} turns {_word(got)} into {_word(hidden)}"


def _word(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "not known"}[value]


def signal_examples(signal: Signal) -> Iterator[str]:
    """One line for each example of a signal that does not answer as it says."""
    scanner = Scanner([signal])
    for text in signal.hits:
        if not any(scanner.scan("example", blocks_of(clean(text)))):
            yield f"does not hit {text!r}"
    for text in signal.misses:
        if any(scanner.scan("example", blocks_of(clean(text)), interpret.parts_of(Text("example", clean(text))))):
            yield f"hits {text!r}"


def tests(book: Rulebook, only: set[str] | None = None) -> Iterator[str]:
    """Every example of every rule and shared signal that does not answer as it says; ``only`` names the rules that are looked at."""
    scanner = Scanner(book.patterns())
    for signal in book.signals.values():
        yield from (f"{signal.id}: {problem}" for problem in signal_examples(signal))
    for rule in book.rules.values():
        if only is None or rule.id in only:
            yield from (f"{rule.id}: {problem}" for problem in examples(rule, book, scanner))


def _is_plain(command: str) -> bool:
    """Whether a command is words, whole quotes, pipes and lists only, which nothing can be wrong with.

    >>> _is_plain("sudo dmesg | grep 'a b'; id"), _is_plain("echo 'a"), _is_plain("for x in 1"), _is_plain("a ||| b"), _is_plain("a | ")
    (True, False, False, False, False)
    """
    bare = _COMMENT.sub("", _QUOTED.sub("X", command)).rstrip(" ")
    return bool(_PLAIN.fullmatch(bare)) and not _GRAMMAR.search(bare)


def shell_problem(command: str) -> str:
    """What bash says of a command that it cannot parse, "" when it can or where there is no bash."""
    plain = re.sub(r"\{[a-z_]+\([^{}]*\)\}|\{[A-Za-z_]+\.[\w.|-]+\}|<[A-Za-z][^<>]*>", "X", command)  # places that the report fills
    if _is_plain(plain) or _parsed.cache_info().misses >= MOST_PARSED:
        return ""
    return _parsed(plain)


@functools.cache
def _parsed(command: str) -> str:
    bash = shutil.which("bash")
    if not bash:
        return ""
    try:
        done = subprocess.run([bash, "-n"], input=command.encode("utf-8", "replace"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=10)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)[:200]
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[0][:200] if done.returncode and said else ""
