"""A command line as the programs it would start. It is read as bash reads it; what that cannot be read as is refused, never guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.records import dataclass, field

MOST_NESTED = 8
_KEYWORDS = frozenset("if then elif else fi while until do done ! { }".split())
_REFUSED = frozenset("case esac select function coproc".split())
_ASSIGNED = later.pattern(r"([A-Za-z_]\w*)\+?=")
_PLAIN_VARIABLE = later.pattern(r"\$(?:\w+|\{\w+\}|\?)")
_OPERATORS = ("&>>", "<<<", "<<-", "&>", ">>", "<<", ">|", "<>", ">&", "<&", "&&", "||", "|&", ";;", "|", "&", ";", "<", ">", "(", ")")
_WINDOWS_PATH = later.pattern(r"[A-Za-z]:\\|\\\\|[A-Za-z]+:\\|\.{1,2}\\|[^\s\\]*\\[^\s\\]+\.exe\b|HK[A-Z]{1,3}\\", re.IGNORECASE)


class Unreadable(ValueError):
    """No shell reads it, or only with parts that hide what they do."""


@dataclass(slots=True)
class Word:
    """One word after quotes are gone. ``nested`` are commands inside it, ``variables`` what it expands, ``veiled``: it looks like another."""

    text: str = ""
    nested: list[str] = field(default_factory=list)
    variables: list[str] = field(default_factory=list)
    veiled: bool = False
    quoted: bool = False
    process: bool = False  # <(...) or >(...)


@dataclass(slots=True)
class Step:
    """One program with its words. ``writes`` are targets of redirections; ``piped``: it reads what the one before writes; ``fed``: a text in the line."""

    words: list[Word] = field(default_factory=list)
    settings: list[tuple[str, Word]] = field(default_factory=list)
    writes: list[Word] = field(default_factory=list)
    piped: bool = False
    fed: bool = False


def steps(text: str, depth: int = 0) -> list[Step]:
    """The programs that the line starts, in its order; commands inside words are left in them. Raises :class:`Unreadable`."""
    if depth > MOST_NESTED:
        raise Unreadable("nested too deep")
    found: list[Step] = []
    now = Step()
    waits = ""  # the operator whose word comes next
    listing = False  # the words of a `for`

    def end(piped: bool = False) -> None:
        nonlocal now, listing
        if now.words or now.settings or now.writes:
            found.append(now)
        now, listing = Step(piped=piped), False

    for token in _tokens(text):
        if isinstance(token, str):
            if waits:
                raise Unreadable("an operator where a word belongs")
            if token in ("|", "|&"):
                end(piped=True)
            elif token == "(" and (now.words or now.settings):
                raise Unreadable("a function or an array")
            elif token in (";", "&", "&&", "||", "\n", "(", ")"):
                end()
            elif token == ";;":
                raise Unreadable("a case")
            else:
                waits = token
            continue
        if waits:
            if waits in (">", ">>", ">|", "&>", "&>>", "<>") or waits == ">&" and not re.fullmatch(r"\d|-", token.text):
                now.writes.append(token)
            elif waits in ("<<", "<<-", "<<<"):
                now.fed = True
                _into(now, token)
            elif waits == "<":
                now.fed = now.fed or token.process
                _into(now, token)
            waits = ""
            continue
        plain = not token.quoted and not token.veiled
        if not now.words and plain and token.text in _REFUSED:
            raise Unreadable(token.text)
        if not now.words and plain and token.text in _KEYWORDS:
            continue
        if not now.words and plain and token.text == "for":
            listing = True
            continue
        if listing:
            now.settings.append((token.text, token))
            continue
        assigned = _ASSIGNED.match(token.text)
        if not now.words and assigned and not token.veiled:
            now.settings.append((assigned[1], token))
        else:
            now.words.append(token)
    if waits:
        raise Unreadable("it ends where a word belongs")
    end()
    return found


def _into(step: Step, word: Word) -> None:
    """What a word that is only read brings along."""
    if word.nested:
        step.settings.append(("", word))


def _tokens(text: str) -> Iterator[str | Word]:
    """Words and operators. The bodies of here-documents are left out: they are nothing that is started."""
    at, waiting, ends = 0, False, list[str]()
    while at < len(text):
        char = text[at]
        if char in " \t\r":
            at += 1
        elif char == "\n":
            at += 1
            for end in ends:
                close = re.compile(rf"^\t*{re.escape(end)}[ \t]*$", re.MULTILINE).search(text, at)
                if close is None:
                    raise Unreadable("a here-document without an end")
                at = close.end()
            ends = []
            yield "\n"
        elif char == "\\" and text[at + 1:at + 2] == "\n":
            at += 2
        elif char == "#":
            at = text.find("\n", at)
            if at < 0:
                return
        elif text.startswith(("<(", ">("), at):
            word, at = _word(text, at)
            yield word
        elif operator := next((each for each in _OPERATORS if text.startswith(each, at)), ""):
            at += len(operator)
            waiting = operator in ("<<", "<<-")
            yield operator
        else:
            word, at = _word(text, at)
            if re.fullmatch(r"\d", word.text) and not word.quoted and text[at:at + 1] in ("<", ">"):
                continue  # the number of a descriptor
            if waiting:
                ends.append(word.text)
                waiting = False
            yield word


def _word(text: str, at: int) -> tuple[Word, int]:
    """The word that begins at ``at``, and where it ends."""
    word, parts, begin = Word(), list[str](), at
    windows = bool(_WINDOWS_PATH.match(text, at))
    while at < len(text):
        char = text[at]
        if char in " \t\r\n;|&" or char in "()" or char in "<>" and not text.startswith(("<(", ">("), at):
            break
        if text.startswith(("<(", ">("), at):
            inner, at = _closed(text, at + 2, ")")
            word.nested.append(inner)
            word.process = True
        elif char == "'":
            close = text.find("'", at + 1)
            if close < 0:
                raise Unreadable("a quote without its end")
            parts.append(text[at + 1:close])
            word.quoted, word.veiled = True, word.veiled or at > begin and text[at - 1].isalnum()
            at = close + 1
        elif char == '"':
            word.veiled = word.veiled or at > begin and text[at - 1].isalnum()
            at = _double(text, at + 1, word, parts)
            word.quoted = True
        elif text.startswith(("$'", '$"'), at):
            raise Unreadable("a text in escapes")
        elif char in "`$":
            at = _expanded(text, at, word, parts)
        elif char == "\\" and not windows:
            if at + 1 >= len(text):
                raise Unreadable("it ends in the middle")
            if text[at + 1] != "\n":
                parts.append(text[at + 1])
                word.veiled = word.veiled or text[at + 1].isalnum()
            at += 2
        else:
            parts.append(char)
            at += 1
    word.text = "".join(parts)
    return word, at


def _double(text: str, at: int, word: Word, parts: list[str]) -> int:
    """What stands between double quotes; where it ends."""
    while at < len(text):
        char = text[at]
        if char == '"':
            return at + 1
        if char == "\\" and text[at + 1:at + 2] in ('"', "\\", "$", "`", "\n"):
            parts.append(text[at + 1])
            at += 2
        elif char in "`$":
            at = _expanded(text, at, word, parts)
        else:
            parts.append(char)
            at += 1
    raise Unreadable("a quote without its end")


def _expanded(text: str, at: int, word: Word, parts: list[str]) -> int:
    """The command or the variable that is put in at ``at``; where it ends."""
    if text.startswith("$(", at):
        inner, at = _closed(text, at + 2, ")")
        word.nested.append(inner)
        return at
    return _backticks(text, at, word) if text[at] == "`" else _variable(text, at, word, parts)


def _backticks(text: str, at: int, word: Word) -> int:
    """The command between backticks at ``at``; where it ends."""
    close = text.find("`", at + 1)
    if close < 0:
        raise Unreadable("a quote without its end")
    word.nested.append(text[at + 1:close])
    return close + 1


def _variable(text: str, at: int, word: Word, parts: list[str]) -> int:
    found = _PLAIN_VARIABLE.match(text, at)
    if found:
        word.variables.append(found[0].strip("${}"))
        parts.append(found[0])
        return found.end()
    if text.startswith("${", at) or text.startswith("$[", at):
        raise Unreadable("a variable that is changed while it is read")
    parts.append("$")
    return at + 1


def _closed(text: str, at: int, end: str) -> tuple[str, int]:
    """What stands up to the bracket that closes, and what comes after it."""
    if text.startswith("(", at):
        raise Unreadable("arithmetic")
    begin, depth, quote = at, 1, ""
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == "(":
            depth += 1
        elif char == end:
            depth -= 1
            if not depth:
                return text[begin:at], at + 1
        at += 1
    raise Unreadable("a bracket without its end")
