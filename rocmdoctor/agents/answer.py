"""What of a model's answer may be shown: numbers that exist, quotes from the files, no dangerous command; whatever the model says."""

from __future__ import annotations

import json
import re
from typing import Any

from rocmdoctor import later
from rocmdoctor.agents.effects import effect, known_program, speaks_of_danger
from rocmdoctor.agents.package import GivenFix, Package
from rocmdoctor.agents.programs import Effect
from rocmdoctor.agents.question import FORM, MOST_DECIDE, MOST_EVIDENCE, MOST_FIXES
from rocmdoctor.agents.terms import Vouched, unfounded
from rocmdoctor.facts.sections import Advised, EffectWords, Opinion, Quoted
from rocmdoctor.share.wash import wash_command, wash_prose

MOST_SAID = 64 << 10  # characters of an answer that are looked at
MOST_CAUSE, MOST_OTHER, MOST_TITLE = 900, 500, 240  # characters
MOST_COMMAND, MOST_LINES = 400, 6
NOTHING = "the model said nothing usable"
_TRIES = 40
_KEYS = ("cause", "fixes", "evidence", "decide", "contradicts")
_THINKS = later.pattern(r"<(think|thinking|reasoning)>.*?(?:</\1>|$)", re.DOTALL)
_CITED = later.pattern(r"\[([0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*)\]")
_QUOTE = later.pattern(r"[\"“„«`]([^\"“”„«»`]{10,})[\"”“»`]")
_SHELLS = ("shell", "powershell", "cmd")
_WORDS: dict[Effect, EffectWords] = {Effect.READS: "only reads", Effect.CHANGES: "changes something"}


def judge(said: str, package: Package, vouched: Vouched, opinion: Opinion) -> None:
    """Fill ``opinion`` with what of the answer holds; its ``problem`` says so where nothing does."""
    data = _object(said)
    if data is None or _of_the_form(_text(data.get("cause"))):  # who repeats the form there chose no fix either
        opinion.problem = NOTHING
        return
    _Judge(package, vouched, opinion).fill(data)
    if not opinion.cause and not opinion.fixes and not opinion.decide:
        opinion.problem, opinion.evidence = NOTHING, []


class _Judge:
    """Checks one answer."""

    def __init__(self, package: Package, vouched: Vouched, opinion: Opinion) -> None:
        self._package = package
        self._vouched = vouched
        self._opinion = opinion
        self._told = " ".join(package.text.split()).lower()
        self._missing: set[str] = set()

    def fill(self, data: dict[str, Any]) -> None:
        opinion = self._opinion
        opinion.cause = self._prose(data.get("cause"), MOST_CAUSE)
        opinion.contradicts = self._prose(data.get("contradicts"), MOST_OTHER)
        cited = [*_numbers(data.get("evidence")), *(number for text in (opinion.cause, opinion.contradicts) for number in _cited(text))]
        opinion.evidence = [self._quote(number) for number in dict.fromkeys(cited) if self._there(number)][:MOST_EVIDENCE]
        opinion.decide = [found for row in _rows(data.get("decide"))[:MOST_DECIDE] if (found := self._own(row))]
        rows = _rows(data.get("fixes"))[:MOST_FIXES]
        fixes = dict.fromkeys(found for row in rows if (found := self._given(row) or self._own(row)))
        opinion.fixes = sorted(fixes, key=lambda fix: not fix.given)
        opinion.unfounded = unfounded(f"{opinion.cause} {opinion.contradicts}", self._vouched)
        opinion.invented = len(self._missing)

    def _there(self, number: int) -> bool:
        """Whether there is evidence of that number."""
        found = number in self._package.evidence
        if not found:
            self._missing.add(str(number)[:20])
        return found

    def _quote(self, number: int) -> Quoted:
        item = self._package.evidence[number]
        return Quoted(number, item.source, item.line, "(not shown: it names a dangerous command)" if speaks_of_danger(item.text) else item.text)

    def _prose(self, said: Any, most: int) -> str:
        """A paragraph without sentences that name something dangerous, numbers that do not exist, and words that are quoted from nowhere."""
        if not isinstance(said, str):
            return ""
        text = wash_prose(said[:MOST_SAID], most)
        if _of_the_form(text) or not re.search(r"\w{2}", text):
            return ""
        text = _QUOTE.sub(self._quoted, text)
        if speaks_of_danger(said[:MOST_SAID]) or _names_danger(text):
            sentences = re.split(r"(?<=[.!?;])\s+", text)
            kept = [sentence for sentence in sentences if not _names_danger(sentence)]
            self._opinion.withheld += max(1, len(sentences) - len(kept))
            text = " ".join(kept) if not _names_danger(" ".join(kept)) else ""
        return _CITED.sub(self._citation, text).strip()

    def _quoted(self, found: re.Match[str]) -> str:
        """What a model puts into quotes must stand in what it was told, or be a command."""
        inner = " ".join(found[1].split())
        if inner.lower().strip(" .,") in self._told or found[0][0] == "`" and known_program(inner):
            return found[0]
        self._missing.add(inner[:20])
        return "(words that stand in no file)"

    def _citation(self, found: re.Match[str]) -> str:
        kept = [number for number in re.findall(r"\d+", found[1]) if self._there(int(number))]
        return f"[{', '.join(kept)}]" if kept else "[no such evidence]"

    def _given(self, row: dict[str, Any]) -> Advised | None:
        """A fix out of what was told: our words, not the model's."""
        use = re.fullmatch(r"\W{0,3}([FK])\s?(\d{1,4})\W{0,3}", _text(row.get("use")).strip(), re.IGNORECASE)
        name = f"{use[1].upper()}{int(use[2])}" if use else ""
        fix = self._package.fixes.get(name)
        candidate = self._package.candidates.get(name)
        if candidate:
            fix = next((each for each in self._package.fixes.values() if each.of == candidate.id), GivenFix(candidate.id, candidate.says))
        if fix is None:
            if name:
                self._missing.add(name)
            return None
        lines = tuple(line for command in fix.commands for line in wash_command(command))
        found = effect("\n".join(lines)) if lines and fix.language in _SHELLS else Effect.READS
        if found is Effect.DANGEROUS:
            self._opinion.withheld += 1
            lines = ()
        return Advised(wash_prose(fix.title, MOST_TITLE), fix.of, lines, _WORDS[found] if lines and fix.language in _SHELLS else "", fix.language)

    def _own(self, row: dict[str, Any]) -> Advised | None:
        """What the model came up with itself."""
        what = self._prose(row.get("what"), MOST_TITLE)
        command = row.get("command")
        command = "\n".join(map(str, command[:MOST_LINES])) if isinstance(command, list) else _text(command)
        command = re.sub(r"\A\s*```\w*\n?|\n?```\s*\Z|\A\s*`|`\s*\Z", "", command[:MOST_SAID]).strip()
        if command.lower() in FORM or not re.search(r"\w", command):
            command = ""
        lines, found = tuple(wash_command(command)), Effect.READS
        if command:
            found = effect(command) if len(command) <= MOST_COMMAND and len(lines) <= MOST_LINES else Effect.DANGEROUS
        if found is Effect.DANGEROUS:
            self._opinion.withheld += 1
            return None
        if not what and not lines:
            return None
        return Advised(what, "", lines, _WORDS[found] if lines else "", _language(command), tuple(unfounded(f"{what} {command}", self._vouched)))


def _names_danger(text: str) -> bool:
    """Whether a dangerous command stands in prose: as such, between backticks, or as all that is said."""
    spans = [span for span in re.findall(r"`([^`]+)`", text) if known_program(span)]
    if re.match(r"[a-z][\w.-]* +[-/~$.\\]", text) and known_program(text):
        spans.append(text)
    return speaks_of_danger(text) or any(effect(span) is Effect.DANGEROUS for span in spans)


def _language(command: str) -> str:
    """The shell that takes the command, as its prompt shows."""
    return "powershell" if re.match(r"(?:Get|Set|New|Remove|Add|Enable|Disable|Restart|Start|Stop|Test|Select|Where)-[A-Z]|\$env:", command) else "shell"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _rows(value: Any) -> list[dict[str, Any]]:
    """The rows of a list; a plain text is what to do."""
    rows = value if isinstance(value, list) else [value]
    return [row if isinstance(row, dict) else {"what": row, "use": row} for row in rows if isinstance(row, (dict, str))]


def _numbers(value: Any) -> list[int]:
    """Numbers of evidence out of a list of numbers or texts."""
    rows = value[:50] if isinstance(value, list) else [value]
    found: list[int] = []
    for row in rows:
        if isinstance(row, int) and not isinstance(row, bool):
            found.append(row)
        elif isinstance(row, (str, float)):
            found += [int(number) for number in re.findall(r"(?<![\w.])[0-9]{1,9}(?![\w.])", str(row)[:200])[:8]]
    return found


def _of_the_form(text: str) -> bool:
    """Whether these are the words that the question has in its place."""
    return text.strip().rstrip(".").lower() in FORM


def _cited(text: str) -> list[int]:
    return [int(number) for found in _CITED.finditer(text) for number in re.findall(r"\d+", found[1])]


def _whole(digits: str) -> int:
    return int(digits) if len(digits) < 10 else -1


def _object(said: str) -> dict[str, Any] | None:
    """The object in an answer: fenced, with words around it, or cut off; None where there is none of ours."""
    text = _THINKS.sub("", said[:MOST_SAID])
    decoder = json.JSONDecoder(strict=False, parse_int=_whole, parse_constant=lambda name: None)
    at, first = -1, -1
    for _ in range(_TRIES):
        at = text.find("{", at + 1)
        if at < 0:
            break
        first = at if first < 0 else first
        if data := _ours(text, at, decoder):
            return data
    return _cut_off(text[first:], decoder) if first >= 0 else None


def _cut_off(text: str, decoder: json.JSONDecoder) -> dict[str, Any] | None:
    """An object that ends in the middle, up to its last whole value."""
    closes: list[str] = []
    quoted = escaped = False
    ends: list[tuple[int, str]] = []  # places at which it could have ended
    for at, char in enumerate(text):
        if quoted:
            if escaped:
                escaped = False
            elif char == "\\":
                escaped = True
            elif char == '"':
                quoted = False
        elif char == '"':
            quoted = True
        elif char in "{[":
            closes.append("}" if char == "{" else "]")
        elif char in "}]":
            if not closes:
                break
            closes.pop()
            ends.append((at + 1, "".join(reversed(closes))))
        elif char == ",":
            ends.append((at, "".join(reversed(closes))))
    if quoted and not escaped:
        ends.append((len(text), '"' + "".join(reversed(closes))))
    for at, rest in reversed(ends[-_TRIES:]):
        if data := _ours(text[:at] + rest, 0, decoder):
            return data
    return None


def _ours(text: str, at: int, decoder: json.JSONDecoder) -> dict[str, Any] | None:
    """The object that begins there, None when it is none or has no key of ours."""
    try:
        data, _ = decoder.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) and any(key in data for key in _KEYS) else None
