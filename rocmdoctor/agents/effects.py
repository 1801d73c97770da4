"""What a command that a model proposes would do: it only reads, it changes something, or it is dangerous.

The table ``command_effects`` says what programs do. A command is dangerous where any part of it is, where any text in it is, and where it
is written so that one cannot see what it does; what is not understood changes something.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator

import re2

from rocmdoctor import later
from rocmdoctor.agents import python_code
from rocmdoctor.agents.programs import PLACES, Effect, Program, anywhere, base, names, programs, wrappers
from rocmdoctor.agents.shell import Step, Unreadable, Word, steps
from rocmdoctor.knowledge import tables
from rocmdoctor.share.wash import wash

LONGEST = 1000  # characters of a command
_DEEP = 4  # programs in programs
_PROMPT = later.pattern(r"^(?:\w+@[\w.-]+:\S* ?)?(?:[$#>%]|PS(?: [A-Z]:\\\S*)?>|C:\\\S*>)[ \t]+(?=\S)", re.IGNORECASE)
_HARMLESS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "$null", "nul")
_FORBIDDEN = later.pattern(r"(?:^|/)dev/|^/proc(?!/sys/)|^/sys/firmware|/boot(?:/|$)|/firmware(?:/|$)"
                        r"|/etc/(?:passwd|group|shadow|sudoers|fstab|crypttab|ld\.so\.preload|pam|ssh|cron|profile)"
                        r"|\.ssh/|^/(?:usr/)?s?bin/|^/(?:etc|usr|lib\w*|bin|sbin)?$|efivars|/pp_(?:od_clk_voltage|table)$|physicaldrive|^\\\\", re.IGNORECASE)
_MANY = later.pattern(r"[*?\[{]")  # one word that stands for several files
_SETTINGS = later.pattern(r"/sys/(?:class|bus|module|devices)/")
_PLAIN_WRAPPERS = ("sudo", "nice", "timeout", "watch", "xargs", "command", "time", "numactl")  # whose other options change nothing
_NO_STRANGERS = frozenset("rm mv cp chmod chown chgrp kill unlink xargs find env sudo".split())
_REMOVES = later.pattern(r"(?:^| )(?:remove|purge|autoremove|erase|uninstall|-R\w*|-e|--remove|--purge)(?: |$)")
_SETS = ("export", "declare", "typeset", "readonly", "local", "set", "setx")
_WRITERS = frozenset("tee sed cp mv ln install rsync scp copy-item move-item".split())
_CODE_OPTION = later.pattern(r"-[A-Za-z]*[ceEr]|--eval|--command|-Command", re.IGNORECASE)
_POWERSHELL = ("powershell", "pwsh")


def speaks_of_danger(text: str) -> bool:
    """Whether a dangerous command stands in a text, however it is spaced, quoted, folded or dressed."""
    plain = unicodedata.normalize("NFKC", wash(text, 100_000))
    bare = re.sub(r"[\"'\\^`]+|\$\{?IFS\}?", lambda found: " " if found[0].startswith("$") else "", plain)
    return any(anywhere().search(each) is not None for each in {plain, bare, re.sub(r"[\"'`*_~\\]+", " ", plain), re.sub(r"[,{}\[\]]+", " ", bare)})


def effect(command: str) -> Effect:
    """What the command would do to the machine that it is typed on.

    >>> effect("rocminfo | grep -i gfx"), effect("sudo modprobe -r amdgpu").name, effect("sudo sh -c 'dd if=a of=/dev/sda'").name
    (<Effect.READS: 0>, 'CHANGES', 'DANGEROUS')
    """
    text = _PROMPT.sub("", command.strip(), count=1)
    lines = text.split("\n")
    if not text:
        return Effect.CHANGES
    hidden = any(wash(line, LONGEST) != line.strip().replace("\t", " ") for line in lines)  # escapes, control and invisible characters
    if hidden or len(text) > LONGEST or not text.isascii() or speaks_of_danger(text):
        return Effect.DANGEROUS
    return _effect(text, 0)


def _effect(text: str, depth: int) -> Effect:
    try:
        found = steps(text, depth)
    except Unreadable:
        return Effect.DANGEROUS
    given = {name for step in found for name, _ in step.settings}
    worst = max((_step(step, given, depth) for step in found), default=Effect.CHANGES)
    return Effect.DANGEROUS if _fetched_and_run(found) else worst


def _fetched_and_run(found: list[Step]) -> bool:
    """Whether the line fetches something and then runs a file that is no program of the system."""
    heads = [[word.text for word in step.words if not word.text.startswith("-") and word.text not in ("sudo", "env", "doas", "nohup")] for step in found]
    fetches = next((at for at, words in enumerate(heads) if words and base(words[0]) in names("downloads")), None)
    later = [words for words in heads[fetches + 1:] if words] if fetches is not None else []
    runs = names("shells") | names("interpreters") | {"source", ".", "msiexec", *_POWERSHELL}
    return any(base(words[0]) in runs or re.search(r"[/\\]", words[0]) and not PLACES.fullmatch(words[0]) for words in later)


def _step(step: Step, given: set[str], depth: int) -> Effect:
    """One program. ``given`` are variables that the same line sets: what is reached through them is hidden."""
    worst = Effect.READS
    for word in [*step.words, *step.writes, *(word for _, word in step.settings)]:
        for inner in word.nested:
            worst = max(worst, _effect(inner, depth + 1))
    for name, word in step.settings:
        worst = max(worst, _setting(name, word))
    for word in step.writes:
        worst = max(worst, _target(word, given))
    if not step.words:
        return max(worst, Effect.CHANGES) if step.writes or any("=" in word.text for _, word in step.settings) else worst
    return max(worst, _program(step.words, step.piped or step.fed, given, depth))


def _setting(name: str, word: Word) -> Effect:
    if name.lower() in names("executed"):
        return Effect.DANGEROUS
    plain = not name or re2.fullmatch(str(tables.load("command_effects")["settings"]), name) is not None
    return Effect.READS if plain or "=" not in word.text else Effect.CHANGES


def _target(word: Word, given: set[str]) -> Effect:
    """What it is to write there."""
    path = word.text.strip()
    if path.lower() in _HARMLESS:
        return Effect.READS
    hidden = word.nested or word.veiled or given.intersection(word.variables) or _MANY.search(path) and not _SETTINGS.match(path)
    straight = posixpath.normpath("/" + path.lstrip("/")) if path.startswith("/") else path
    return Effect.DANGEROUS if hidden or _FORBIDDEN.search(path) or _FORBIDDEN.search(straight) else Effect.CHANGES


def _program(words: list[Word], fed: bool, given: set[str], depth: int) -> Effect:
    """The program with its arguments; ``fed``: something is written into it."""
    head = words[0]
    if head.nested or head.veiled or head.variables or re.search(r"[*?\[\]{}^%!]", head.text):
        return _powershell_setting(head)
    name = base(head.text)
    if not name:
        return Effect.DANGEROUS
    if name in names("shells") and name not in wrappers() or name in _POWERSHELL or name == "cmd":
        return _shell(name, words[1:], fed, depth)
    if name in names("interpreters") or re.fullmatch(r"python\d[\d.]*", name):
        return _interpreter(name, words[1:], fed)
    if name in (".", "source"):
        return Effect.DANGEROUS if any(word.process or word.nested for word in words[1:]) else Effect.CHANGES
    if name in wrappers():
        return _wrapped(name, words, fed, given, depth)
    said = " ".join(word.text for word in words[1:])
    nested = any(word.nested for word in words)
    if nested and (name in names("downloads") or _REMOVES.search(said)):
        return Effect.DANGEROUS  # it tells what it read to others, or removes what nobody has seen
    if name in _SETS and any(word.text.partition("=")[0].lower() in names("executed") for word in words[1:]):
        return Effect.DANGEROUS
    if name in names("runners"):
        texts = (word.text for word in words[1:] if " " in word.text)
        others = (_hidden(words[at:], fed, given, depth) for at in range(1, len(words)))
        return max((Effect.CHANGES, *(_effect(text, depth + 1) for text in texts), *others)) if depth < _DEEP else Effect.DANGEROUS
    known = programs().get(name)
    if known is None:
        return max((_hidden(words[at:], fed, given, depth) for at in range(1, len(words))), default=Effect.CHANGES)
    worst = _written(name, words[1:], said, given)
    if worst is not None:
        return worst
    if name == "find":
        return _find(words, known, said, given, depth)
    return known.effect(said, head.text, bool(given.intersection(name for word in words[1:] for name in word.variables)))


def _written(name: str, words: list[Word], said: str, given: set[str]) -> Effect | None:
    """What a program that writes the files it names is to them, None where that does not decide."""
    if name not in _WRITERS or name == "sed" and not re.search(r"(?:^| )(?:-[A-Za-z]*i|--in-place)", said):
        return None
    files = [word for word in words if not word.text.startswith("-")]
    written = files if name in ("tee", "sed", "mv", "move-item") else files[-1:]
    worst = max((_target(word, given) for word in written), default=Effect.READS)
    return worst if name == "tee" or worst is Effect.DANGEROUS else None


def _powershell_setting(head: Word) -> Effect:
    """``$env:NAME="value"`` sets a variable; any other program whose name is only known when it runs is hidden."""
    found = re.fullmatch(r"\$env:([A-Za-z_]\w*)=.*", head.text)
    return Effect.CHANGES if found and found[1].lower() not in names("executed") and not head.nested else Effect.DANGEROUS


def _hidden(words: list[Word], fed: bool, given: set[str], depth: int) -> Effect:
    """What begins in the middle of the words of a program that nobody knows: only what is dangerous counts."""
    name = base(words[0].text)
    known = name in programs() and programs()[name].reads is None and programs()[name].dangerous is not None
    if not known and name not in names("shells"):
        return Effect.CHANGES
    return max(Effect.CHANGES, _program(words, fed, given, depth + 1)) if depth < _DEEP else Effect.DANGEROUS


def _wrapped(name: str, words: list[Word], fed: bool, given: set[str], depth: int) -> Effect:
    """The program that another one runs."""
    if name == "command" and words[1:] and words[1].text in ("-v", "-V"):
        return Effect.READS
    wrapper, at, least = wrappers()[name], 1, Effect.READS
    skip = wrapper.skip
    while at < len(words):
        text = words[at].text
        if name == "env" and (text.startswith(("-S", "--split-string")) or words[at].nested):
            return Effect.DANGEROUS
        if text.startswith("-") and len(text) > 1:
            at += 2 if text in wrapper.takes else 1
            least = least if text in wrapper.takes or name in _PLAIN_WRAPPERS else max(least, Effect.CHANGES)
        elif name in ("sudo", "env", "doas") and re.match(r"[A-Za-z_]\w*=", text):
            least = max(least, _setting(text.partition("=")[0], words[at]))
            at += 1
        elif skip:
            skip, at = skip - 1, at + 1
        else:
            break
    if at >= len(words):
        return max(least, Effect.READS if name in ("env", "time") else Effect.DANGEROUS if fed and name != "xargs" else Effect.CHANGES)
    inner = words[at:]
    if name == "xargs" and _not_with_unknown(inner[0]):
        return Effect.DANGEROUS  # what comes out of the pipe is not known
    if name == "watch" and len(inner) == 1 and " " in inner[0].text:
        return max(least, _effect(inner[0].text, depth + 1))
    if depth >= _DEEP:
        return Effect.DANGEROUS
    return max(least, _program(inner, fed and name != "xargs", given, depth + 1))


def _shell(name: str, words: list[Word], fed: bool, depth: int) -> Effect:
    """A shell in a shell: what it is told to run."""
    if fed or any(word.process for word in words) or name in ("busybox", "toybox"):
        return Effect.DANGEROUS
    if name == "cmd":
        place = next((at for at, word in enumerate(words) if word.text.lower() in ("/c", "/k")), None)
        return _effect(" ".join(word.text for word in words[place + 1:]), depth + 1) if place is not None else Effect.CHANGES
    for at, word in enumerate(words):
        low = word.text.lower()
        if name in _POWERSHELL:
            if re.fullmatch(r"[-/](?:e|ec|en|enc\w*)", low) or word.nested:
                return Effect.DANGEROUS
            if re.fullmatch(r"[-/](?:c|co\w*)", low):
                return _effect(" ".join(each.text for each in words[at + 1:]), depth + 1)
        elif re.fullmatch(r"-[a-z]*c[a-z]*", low):
            rest = words[at + 1:]
            return Effect.DANGEROUS if not rest or rest[0].nested or rest[0].variables and len(rest) > 1 else _effect(rest[0].text, depth + 1)
        elif re.fullmatch(r"-[a-z]*s[a-z]*", low):
            return Effect.DANGEROUS
    return Effect.CHANGES


def _interpreter(name: str, words: list[Word], fed: bool) -> Effect:
    """Code in another language: Python that only asks for versions and devices reads; anything that could hide something is dangerous."""
    if any(word.nested for word in words):
        return Effect.DANGEROUS
    for at, word in enumerate(words):
        if re.fullmatch(r"-V|--version", word.text) and len(words) == 1:
            return Effect.READS
        if name.startswith("python") and word.text == "-m":
            module = words[at + 1].text if at + 1 < len(words) else ""
            return _program(words[at + 1:], False, set(), 0) if module == "pip" else Effect.READS if module == "torch.utils.collect_env" else Effect.CHANGES
        if _CODE_OPTION.fullmatch(word.text) or name not in ("python", "python3") and word.text.startswith("-"):
            code = " ".join(each.text for each in words[at:])
            if word.text == "-c" and len(words) == at + 2 and name.startswith("python") and python_code.only_asks(words[at + 1].text):
                return Effect.READS
            return Effect.DANGEROUS if python_code.may_hide(code) or not name.startswith("python") else Effect.CHANGES
    return Effect.DANGEROUS if fed else Effect.CHANGES


def _find(words: list[Word], known: Program, said: str, given: set[str], depth: int) -> Effect:
    """``find`` and what it runs."""
    if known.dangerous.search(said):
        return Effect.DANGEROUS
    places = [at for at, word in enumerate(words) if re.fullmatch(r"-(?:exec|execdir|ok|okdir)", word.text)]
    if not places:
        return Effect.CHANGES if known.unless.search(said) else Effect.READS
    worst = Effect.READS
    for at in places:
        inner = list(_until_end(words[at + 1:]))
        if not inner or _not_with_unknown(inner[0]):
            return Effect.DANGEROUS
        worst = max(worst, _program(inner, False, given, depth + 1) if depth < _DEEP else Effect.DANGEROUS)
    return worst


def _not_with_unknown(word: Word) -> bool:
    """Whether the program must not get arguments that nobody has seen."""
    name = base(word.text)
    return name in _NO_STRANGERS or name in names("shells") or name in names("interpreters")


def _until_end(words: list[Word]) -> Iterator[Word]:
    for word in words:
        if word.text in (";", "+"):
            return
        yield word


def known_program(text: str) -> bool:
    """Whether a text begins with the name of a program that the table has, so that it is a command and no quote."""
    name = base(_PROMPT.sub("", text.strip()).split(" ")[0])
    return name in programs() or name in wrappers()
