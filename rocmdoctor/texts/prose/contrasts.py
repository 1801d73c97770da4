"""What a writer compared: with what it is right and with what it is wrong, one clause at a time, against the axes of rules/data/contrasts."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import applications, compiled, products, tables
from rocmdoctor.records import dataclass
from rocmdoctor.texts.lines import Lines, lazy, targets
from rocmdoctor.texts.prose import component_names
from rocmdoctor.texts.prose.verdicts import follows, verdict

Clause = tuple[int, str, str, bool]  # offset, words, the same without what is quoted, right

_I = re.IGNORECASE
_MOST = 40  # clauses that are kept
_LONGEST = 1200  # characters of a sentence
_MOST_CLAUSES = 300
_SHOWN = 300
_TURNS = later.pattern(r"\W*(?:but|yet|however|though|although)\b", _I)
_SLOW = later.pattern(r"\bslow\w*", _I)
_NEAR = 200  # characters between a version with the name of its component and one without
_LOGGED = later.pattern(r"^[ \t]*(?:\[|\d{4}-\d\d|time=|\w+_\w+: |[A-Z]{4,5}[: ]|#\d|\w+[.:]\w+:\d+|[$>%] |\w*(?:Error|Exception|Warning): "
                        r"|HIP kernel errors|For debugging)|.*(?:level=|msg=)")
_SENTENCE = later.pattern(r"[.!?](?=\s|$)|\n")
_QUOTED = later.pattern(r'"[^"\n]{1,300}"|`[^`\n]{1,300}`(?:-[a-z]{1,20})?|~~[^~\n]{1,300}~~')  # or struck through: taken back
_CLAUSE = later.pattern(
    r";|(?<!\w): |,? (?:-|--|\u2013|\u2014) |,? \b(?:but|while|whereas|though|although|however|yet|except)\b"
    r"|,? \band (?=(?:with|on|in|under|as|the|it|a|an|never|not|no)\b)"
    r"|, (?=(?:then|with|on|in|under|as|also|only|same|the same|no|not|without|after|it|everything|all)\b)", _I)
_LISTED = later.pattern(r",? ?and (?:an?|the) ", _I)
_COMMA = later.pattern(r", (?=\S)")
# Another time is another machine: what was right then says nothing of what is compared now.
_THEN = later.pattern(r"\b(?:before(?= *$|[.,]| (?:the |an? |this |that )?(?:\w+ )?(?:update|upgrade|release|change|kernel|version)\b)|until|till|up to"
                      r"|previously|used to|since|earlier|yesterday|last (?:week|month|year)|for (?:weeks|months|years|a long time)|a while|at first"
                      r"|after (?:the |an? )?(?:\w+ )?(?:update|upgrade)\w*|(?<!as it )(?<!as they )should|would|could|expect\w*|supposed)\b", _I)
_OFF_BEFORE = later.pattern(r"\b(?:without|no|not using|disabl\w+|remov\w+|dropp\w+|unset(?:ting)?|(?:turn|switch)(?:ing|ed)? off|leav\w+ out|lacks?|minus)"
                            r"(?: the)?(?: \w+)? ?$", _I)
_OFF_AFTER = later.pattern(r"^ ?(?:is |was |are |were |being |turned |switched )?(?:off|disabled|unset|removed|empty|not set)\b", _I)
# Files that are made for a target: nothing ran on it.
_MADE_FOR = later.pattern(r"\b(?:files?|librar(?:y|ies)|kernels?|packages?|archives?|zips?|wheels?|builds?|built|binar(?:y|ies)|compiled|support|objects?)"
                          r"(?: \w{1,20})? for (?:the )?$", _I)
_ASKS_MACHINE = later.pattern(r"\b(?:rocminfo|clinfo|vulkaninfo|hipinfo|amd-smi|rocm-smi|lspci|rocm_agent_enumerator)\b", _I)
_MOST_VERSIONS = 4
_ON_CPU = later.pattern(r"\bon (?:a |the |an? \w+ )?CPU\b", _I)
_NO_COMPONENT = later.pattern(r"(?:Ubuntu|Debian|Fedora|Mint|Windows|RHEL|Rocky|Python|GFX_VERSION|Node|GCC|Clang|macOS|openSUSE|Proxmox)[ =v]{1,2}$", _I)
MEASURED = r"\d\.\d{4}\b(?!\.)"  # 0.8750 is a voltage, a loss, a ratio, and no version
_NUMBER = (
    rf"v?(?!{MEASURED})"
    r"(?P<version>b\d{4,6}|\d{1,4}(?:\.\d{1,5}){1,3}(?:(?:[-+.~](?:rc|post|dev|git|a)?|rc|post|dev|a)\d[\w.+~]*)?|20\d{6})"
    r"(?![\w%/:]|\.\d| ?(?:x|GB|GiB|MB|MiB|G|TB|tokens|t/s|s|ms|W|V|Hz|MHz|GHz|[TG]FLOPS?|tok|it/s|fps|K|k|C|%|inch)\b)")
_OPTION = later.pattern(
    r"(?<![\w/.-])(?P<flag>--?[a-z][\w-]{1,40}(?:(?:=[\w.]{1,12}| (?:\d[\w.]{0,11}|off|none))\b)?)"
    r"|(?<![\w/.-])(?P<set>[A-Za-z][\w.]{3,50}=[\w.:,/+-]{0,60}\w)"
    r"|\b(?P<env>(?:[A-Z][A-Z0-9]{1,20}_){1,6}[A-Z0-9]{1,20})(?: (?:set )?to (?!the\b|an?\b|my\b|some)(?P<to>[\w.]{1,20}))?")
_NO_OPTION = later.pattern(r"(?:-(?:rc|dkms|generic|amd64|bit|based|only|free|[a-z]$)|-ngl|--version|--help|-tp)\b|^\w+=(?:ok|fine)$"
                            r"|^(?:cuda|hip|rocm|available|gpu|is_available)=|blacklist=|^nomodeset$", _I)
# A library that was exchanged: copied over, renamed, deleted, preloaded.
_LIBRARY = later.pattern(r"(?<![\w./\\])(?:[\w./\\:-]{0,120}[/\\])?(?P<name>[A-Za-z][\w+-]{2,40}(?:\.dll|\.so(?:\.\d{1,4}){0,3}))\b", _I)
_EXCHANGED = later.pattern(r"\b(?:cop(?:y|ied|ying)|replac\w+|swapp?\w*|renam\w+|delet\w+|remov\w+|mov(?:ed|ing)|overwr\w+"
                           r"|preload\w*|LD_PRELOAD|us(?:ed|ing) the"
                           r"|tak(?:en|ing) the|with the|put(?:ting)?|drop(?:ped|ping))\b", _I)
# "with the same SGLang version": what was not varied; not "the same with SGLang".
_UNVARIED = later.pattern(r"\b(?:same|identical) (?:(?!with\b|on\b|in\b|under\b|using\b|for\b|as\b|via\b|when\b|and\b|result|error)[\w.-]{2,20} )?$", _I)
_ONCE = later.pattern(r"\b(?:worked|ran|was|were)\b", _I)
# Amounts of work that are varied: 2k and 16k of context, batches of 1 and 8.
_AMOUNT = later.pattern(r"(?<![\w.-])(?P<n>\d{1,6})(?: ?x ?\d{1,6})?(?P<k> ?k)?(?: tokens?)?(?: of)?[ -]?"
                        r"(?P<what>context|ctx|tokens?|batch(?:es)?|frames|images|users|requests|slots|steps|blocks?|tiles?|threads|rows|columns)?\b", _I)
_AMOUNT_OF = later.pattern(r"\b(?P<what>context|ctx|batch(?: size)?|n_ctx|max[-_]model[-_]len|concurrency|resolution)(?: length| size)?"
                           r"(?: of| at|=|:)? ?(?P<n>\d{1,6})(?P<k> ?k)?\b", _I)
# What stands before a flag that is varied; else it belongs to a command.
_VARIED = later.pattern(r"(?:^|[,;:(]|\b(?:with|set|setting|using|use|add|adding|added|by|only|even|and|or|the|of|pass|passing|via|plus|but|from|to|after"
                        r"|when)) *$", _I)


@dataclass(frozen=True, slots=True)
class Value:
    """One value of an axis and what names it."""

    axis: str
    name: str
    title: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]


@functools.cache
def values() -> tuple[Value, ...]:
    """Every value that a pattern names: those of the axes, and the applications."""
    found = [Value(axis["id"], value["id"], value["title"], tuple(map(str, value["words"])), lazy(value["pattern"], _I))
             for axis in tables.load("contrasts")["axes"] for value in axis.get("values") or ()]
    return (*found, *(Value("app", name, applications.title(name), tuple(row["words"]), lazy(row["pattern"], _I))
                      for name, row in applications.load().items()))


@functools.cache
def _left_out() -> dict[str, str]:
    """Axis to the one that its values belong to when they are named as switched off."""
    return {axis["id"]: axis["left_out"] for axis in tables.load("contrasts")["axes"] if axis.get("left_out")}


def told(line: str) -> bool:
    """Whether a person wrote the line, not a program."""
    words = line.split()
    return len(words) >= 3 and sum(word.strip(".,:;()'\"!?").replace("-", "").isalpha() for word in words) * 2 >= len(words) and not _LOGGED.match(line)


def unquoted(sentence: str) -> str:
    """The sentence with blanks in place of what is quoted."""
    return _QUOTED.sub(lambda found: " " * len(found[0]), sentence)


@functools.lru_cache(maxsize=4)
def sentences(text: str) -> tuple[tuple[int, str], ...]:
    """(offset, words) of each sentence or line; of the overlong ones nothing: nobody says that much at once. Kept, as several readers ask.

    >>> sentences("It works. Then not")
    ((0, 'It works'), (9, ' Then not'))
    """
    ends = [*(found.start() for found in _SENTENCE.finditer(text)), len(text)]
    return tuple((start, text[start:end]) for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False) if end - start <= _LONGEST)


def clauses(text: str) -> list[Clause]:
    """What is judged at once, the first few hundred.

    A piece without a verdict goes with the next one of its sentence, the last with the one before.
    """
    return list(itertools.islice(_clauses(text), _MOST_CLAUSES))


def _clauses(text: str) -> Iterator[Clause]:
    for at, sentence in sentences(text):
        if not told(sentence):
            continue
        plain = unquoted(sentence)
        cuts = [0, *(found.start() for found in _CLAUSE.finditer(plain)), len(plain)]
        cuts = sorted({*cuts, *_turns(plain, cuts)})
        open_, before = 0, None
        pieces: list[tuple[int, int, bool]] = []
        for first, last in itertools.pairwise(cuts):
            right = follows(plain[first:last], before)
            right = verdict(plain[open_:last]) if right is None else right
            if right is None and pieces and _LISTED.match(plain[open_:last]):  # "on this, that and a third card" is one list
                pieces[-1] = (pieces[-1][0], last, pieces[-1][2])
                open_ = last
                continue
            if right is not None:
                pieces.append((open_, last, right))
                open_, before = last, right
        if open_ < len(plain) and pieces:
            first, _, right = pieces.pop()
            pieces.append((first, len(plain), right))
        for first, last, right in pieces:
            yield at + first, sentence[first:last], plain[first:last], right


def _turns(sentence: str, cuts: list[int]) -> Iterator[int]:
    """Commas at which the verdict turns: "2k works, 16k does not"."""
    for first, last in itertools.pairwise(cuts):
        before, at = None, first
        for end in [*(found.start() for found in _COMMA.finditer(sentence, first + 1, last)), last]:
            piece = sentence[at:end]
            right = follows(piece, before)
            right = verdict(piece) if right is None else right
            if right is not None and before is not None and right != before:
                yield at
            before, at = right if right is not None else before, end


@functools.cache
def _version() -> re.Pattern[str]:
    """A version, with the name of its component before it where that is told; the names are those of the check version_story."""
    names = sorted(compiled.part("checks/version_story.yaml")["names"], key=len, reverse=True)
    named = "|".join(re.escape(name).replace(r"\ ", "[- ]?") for name in names)
    return later.pattern(rf"(?:\b(?P<name>{named})(?:[- ](?:version|release|build|image))?[- ]\(?|(?<![\w.+:/=~-])){_NUMBER}", _I)


def _versions(clause: str) -> Iterator[tuple[str, str, str]]:
    """("version", number, component) of the versions in the clause; a number whose component is not named has none."""
    for found in itertools.islice(_version().finditer(clause), _MOST_VERSIONS):
        if not _NO_COMPONENT.search(clause[max(0, found.start() - 16):found.start("version")]):
            other = "" if found["name"] else component_names.before(clause, found.start("version"))
            yield "version", found["version"], (found["name"] or (other if other[:1].isupper() else "")).lower()


def named(clause: str) -> Iterator[tuple[str, str, str]]:
    """(axis, value, title) of what the clause names; what it names as switched off is another value."""
    lowered = clause.lower()
    for value in values():
        found = value.pattern.search(clause) if any(word in lowered for word in value.words) else None
        if found and _UNVARIED.search(clause[max(0, found.start() - 30):found.start()]):
            continue
        if found and not _off(clause, found.start(), found.end()):
            yield value.axis, value.name, value.title
        elif found and value.axis in _left_out():
            yield _left_out()[value.axis], value.title, value.title
    for found in _OPTION.finditer(clause):
        name = f"{found['env']}={found['to']}" if found["to"] else " ".join(found[0].split())
        off = _off(clause, found.start(), found.end())
        told = off or (found["to"] if found["env"] else not found["flag"] or _VARIED.search(clause[:found.start()]))
        if _NO_OPTION.search(name) or not told:
            continue
        yield "left-out" if off else "option", name, name
    if (library := _LIBRARY.search(clause)) and _EXCHANGED.search(clause):
        yield "copy", library["name"], library["name"]
    if _ASKS_MACHINE.search(clause):  # a tool that lists a GPU has not run anything on it
        return
    for product in products.find(clause)[:3]:
        if clause[product.start - 1:product.start] not in ("-", "/", "_") and clause[product.end:product.end + 1] not in ("-", "/", "_"):  # a name of an image
            yield "gpu", product.gfx, product.name
    for gfx, at in targets(clause)[:3]:
        if not _MADE_FOR.search(clause[max(0, at - 40):at]):
            yield "gpu", gfx, gfx


def _amounts(rows: list[tuple[str, bool, dict[str, object]]]) -> Iterator[dict[str, object]]:
    """Rows of the axis "size" where every smaller amount is right and every larger one wrong."""
    told: dict[str, list[tuple[int, bool, dict[str, object]]]] = {}
    for clause, right, place in rows:
        for pattern in (_AMOUNT_OF, _AMOUNT):
            for found in pattern.finditer(clause):
                what = "k" if found["k"] else (found["what"] or "").lower().rstrip("s")
                if what:
                    told.setdefault(what, []).append((int(found["n"]), right, {**place, "title": " ".join(found[0].split())}))
    for amounts in told.values():
        fine, bad = [one for one in amounts if one[1]], [one for one in amounts if not one[1]]
        if fine and bad and max(one[0] for one in fine) < min(one[0] for one in bad):
            yield from ({"axis": "size", "value": "small" if one[1] else "large", **one[2]} for one in (fine[-1], bad[0]))


def _off(clause: str, start: int, end: int) -> bool:
    return bool(_OFF_BEFORE.search(clause[max(0, start - 30):start]) or _OFF_AFTER.match(clause[end:end + 24]))


def contrasts(judged: list[Clause], lines: Lines) -> Iterator[Reading]:
    """``report.contrasts`` of the clauses of one text: [{"axis", "value", "title", "right", "line", "text"}], in the order in which they are told.

    >>> sample = "With Vulkan the answers are right, but with ROCm it is garbage."
    >>> [(row["axis"], row["value"], row["right"]) for reading in contrasts(clauses(sample), Lines(sample)) for row in reading.value]
    [('backend', 'vulkan', True), ('backend', 'rocm', False)]
    """
    found: list[dict[str, object]] = []
    last = ("", "", 0)
    of_now: list[tuple[str, bool, dict[str, object]]] = []
    before = (-1, 0)  # where the right clause before ends, and how many rows there were before it
    for offset, whole, clause, right in judged:
        rows = []
        for axis, value, title in _versions(clause) if any(mark.isdigit() for mark in clause) else ():
            if not title and last[0] and offset - last[2] < _NEAR and value.split(".")[0] == last[1].split(".")[0]:
                title = last[0]  # "kernel 7.2.4 hangs, 7.2.2 too"
            last = (title, value, offset) if title else last
            rows.append((axis, value, title))
        once = right and (_THEN.search(clause) or rows and _ONCE.search(clause))
        rows += [] if once else named(clause)  # with versions another time is the point
        if right and _ON_CPU.search(clause):  # nothing of the GPU's part was asked: what was set there cures nothing
            rows = [row for row in rows if row[0] not in ("option", "left-out")]
        if not right and not rows and offset == before[0] and _TURNS.match(whole) and not _SLOW.search(whole):
            # "It runs with X, but every picture is gray": X is needed, and no cure.
            found[before[1]:] = [{**row, "axis": "needed"} for row in found[before[1]:] if row["axis"] == "option"]
        before = (offset + len(whole), len(found)) if right else (-1, 0)
        said = " ".join(whole.split()).strip(" ,;:")[:_SHOWN]
        place: dict[str, object] = {"right": right, "line": lines.at(offset), "text": said}
        if not once and any(mark.isdigit() for mark in clause):
            of_now.append((clause, right, place))
        found += [{"axis": axis, "value": value, "title": title, **place} for axis, value, title in rows]
        if len(found) >= _MOST:
            break
    found += _amounts(of_now)
    if found:
        yield Reading("report.contrasts", found[:_MOST], line=int(str(found[0]["line"])))
