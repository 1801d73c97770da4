"""What pip, uv, conda, apt, dnf, zypper, pacman, portage and nix refuse, with the names in it.

>>> sample = '''$ python3.12 -m pip install tensorflow-rocm==2.16.1 -f https://repo.radeon.com/rocm/manylinux/rocm-rel-6.2/
... ERROR: Could not find a version that satisfies the requirement tensorflow-rocm==2.16.1 (from versions: none)
... Err:9 https://repo.radeon.com/amdgpu/7.2/ubuntu noble Release
...   404  Not Found [IP: 192.0.2.1 443]
... E: Unable to locate package rocm-hip-sdk
... '''
>>> for reading in read(sample):
...     for row in reading.value:
...         print(row["line"], *(row[key] for key in ("by", "what", "name", "detail", "place", "python") if row[key]))
2 pip no-version tensorflow-rocm ==2.16.1 https://repo.radeon.com/rocm/manylinux/rocm-rel-6.2/ 3.12
3 apt address https://repo.radeon.com/amdgpu/7.2/ubuntu noble
5 apt no-package rocm-hip-sdk
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Anchors, lazy, lines, unquoted

TRUST = 2
KINDS = kinds.QUOTED  # people quote an installer's words in their sentences

_MOST = 40
_NEAR = 60  # lines from a command to what it says at its end
_NAME = r"[A-Za-z0-9][\w.+:-]{0,80}"
_URL = r"https?://[^\s'\"<>|)\]]{3,300}"
_COMMAND = lazy(r"(?<![\w.-])(?:pip|pip3|pipx|uv|conda|mamba|apt|apt-get|dnf|yum|zypper|pacman|yay|paru|amdgpu-install|emerge)\d?(?:\.\d{1,2})? .{0,40}"
                r"\b(?:install|add|sync|create|update|upgrade|--usecase\S*|-S\w*|-y)\b")  # each has one of the verbs
_VERBS = ("install", " add", " sync", " create", "update", "upgrade", " -S", " -y", "emerge")
_PLACE = lazy(rf"(?:-f|--find-links|-i|--index-url|--extra-index-url|--index|--default-index)[ =]['\"]?({_URL})|Looking in (?:links|indexes): (.{{0,300}})")
_PYTHON = lazy(r"(?:python|pip)(3\.\d{1,2})\b|--python[ =]['\"]?(?:cpython)?(3\.\d{1,2})|\bcp(3)(\d{1,2})-"
               r"|`cp(3)(\d{1,2})`|/python(3\.\d{1,2})/|python=(3\.\d{1,2})")
_CODENAME = r"(?:[a-z]{4,12})"

# what stands in every such line, by, what, pattern with the groups name, detail, place
_OF_LINE: tuple[tuple[str, str, str, str], ...] = (
    ("satisfies the requirement", "pip", "no-version",
     rf"satisfies the requirement (?P<name>{_NAME})(?:\[[\w,-]{{1,80}}\])?(?P<detail>[=<>~!]\S{{0,60}})?.{{0,200}}?\(from versions: "
     rf"(?P<offered>[^)]{{0,2000}})\)"),
    ("No matching distribution", "pip", "no-version",
     rf"No matching distribution found for (?P<name>{_NAME})(?:\[[\w,-]{{1,80}}\])?(?P<detail>[=<>~!]\S{{0,60}})?"),
    ("not a supported wheel", "pip", "wheel", r"(?P<detail>(?P<name>[\w.]{1,80}?)-\d[\w.+!%]{0,60}-\S{1,120}\.whl) is not a supported wheel on this platform"),
    ("requires a different Python", "pip", "python",
     rf"(?P<name>{_NAME})['\"]? requires a different Python: (?P<have>3\.\d{{1,2}})\S{{0,12}} not in ['\"](?P<detail>[^'\"]{{1,60}})"),
    ("Requires-Python", "pip", "requires", r"require a different python version: (?P<offered>.{3,2000})"),
    ("does not satisfy Python", "uv", "python",
     rf"The current Python version \((?P<have>3\.\d{{1,2}})\S{{0,12}}\) does not satisfy Python(?P<detail>[=<>~!]{{1,2}}[\d.,<>=*]{{1,30}})(?:.{{0,80}}? "
     rf"(?P<name>{_NAME}) depends)?"),
    ("with a matching", "uv", "tag",
     rf"(?P<name>{_NAME}?)(?:(?P<detail>[=<>]=[\w.+]{{1,60}}))? (?:has|have) no wheels? with a matching (?P<tag>Python ABI|Python"
     r" implementation|Python|platform)"),
    ("wheels for `", "uv", "tags", rf"wheels for `(?P<name>{_NAME})`.{{0,80}}following Python (?:ABI|implementation) tags?: (?P<offered>.{{3,200}})"),
    ("was not found in", "uv", "absent", rf"(?P<name>{_NAME}) was not found in (?:the package registry|the provided package locations|the cache)"),
    ("no version", "uv", "no-version", rf"there (?:is|are) no versions? of (?P<name>{_NAME})(?P<detail>[=<>~!]{{1,2}}[\w.+*]{{1,60}})"),
    ("404", "pip", "address",
     r"(?:HTTP error 404 while getting|404 Client Error: Not Found for url:?(?= ?\(?\S{0,300}(?:whl|simple|pypi|conda|repo|download|package|\.(?:zip|tar)))"
     rf"|404 \(?Not Found\)?.{{0,40}}?for (?:url|URL)) ?\(?(?P<place>{_URL})"),
    ("`http", "uv", "address",
     rf"(?:Failed to (?:fetch|download|query)|HTTP status client error \(404 Not Found\) for url).{{0,40}}?[`(](?P<place>{_URL})[`)].{{0,60}}"),
    ("DO NOT MATCH", "pip", "hashes", r"THESE PACKAGES DO NOT MATCH THE HASHES(?P<name>)"),
    ("externally-managed", "pip", "managed", r"error: externally-managed-environment(?P<name>)"),
    ("conflicting dependencies", "pip", "disagree", r"Cannot install (?P<name>.{2,300}?) because these package versions have conflicting dependencies"),
    ("No space left", "any", "disk", r"(?:\[Errno 28\]|error: |write.{0,40}: )?No space left on device(?P<name>)"),
    ("", "conda", "absent", r"^\s{0,4}- (?P<name>[\w.-]{2,60})(?P<detail>[=<>*]\S{0,40})?\s*$"),
    ("Unable to locate", "apt", "no-package", rf"Unable to locate package (?P<name>{_NAME})"),
    ("installation candidate", "apt", "no-package", rf"Package '?(?P<name>{_NAME}?)'? has no installation candidate"),
    ("Release file", "apt", "address",
     rf"The repository '(?P<place>{_URL}(?: [\w./-]{{2,40}})?)(?: (?:In)?Release)?'? .{{0,10}}(?:does not have|no longer has) a Release file"),
    ("Failed to fetch", "apt", "address", rf"Failed to fetch (?P<place>{_URL}) {{1,4}}404"),
    ("NO_PUBKEY", "apt", "key",
     rf"(?P<place>{_URL})?.{{0,60}}signatures couldn't be verified because the public key is not available: NO_PUBKEY (?P<name>[0-9A-F]{{8,40}})"),
    ("Signed-By", "apt", "signed-by",
     rf"Conflicting values set for option Signed-By regarding source (?P<place>{_URL})(?: [\w.-]{{1,30}})?(?P<detail>: \S{{1,120}} != \S{{0,120}})?"
     r"(?P<name>)"),
    ("prevent configuration of", "dpkg", "half", rf"dependency problems prevent configuration of (?P<name>{_NAME})"),
    ("is also in package", "dpkg", "same-file", rf"trying to overwrite '(?P<detail>/[^']{{1,200}})', which is also in package (?P<name>{_NAME})"),
    ("No match for argument", "dnf", "no-package", r"No match for argument:? '?(?P<name>[A-Za-z][\w.+*-]{1,80})(?P<detail>(?: [\w.+*-]{2,60}){0,8})"),
    ("No package matches", "dnf", "no-package", r"No package matches:? '?(?P<name>[A-Za-z][\w.+*-]{1,80})(?P<detail>(?: [\w.+*-]{2,60}){0,8})"),
    ("Unable to find a match", "dnf", "no-package", r"Unable to find a match:? '?(?P<name>[A-Za-z][\w.+*-]{1,80})(?P<detail>(?: [\w.+*-]{2,60}){0,8})"),
    ("nothing provides", "dnf", "needs", rf"nothing provides (?P<detail>[\w.()/+:-]{{2,80}}(?: [<>=]{{1,2}} [\w.~+^:-]{{1,60}})?) needed by (?P<name>{_NAME})"),
    ("none of the providers", "dnf", "needs", rf"package (?P<name>{_NAME}) (?:from \S{{1,60}} )?requires (?P<detail>[^,]{{2,120}}), but none of the providers"),
    ("Status code: 404", "dnf", "address", rf"Status code: 404 for (?P<place>{_URL})"),
    ("GPG", "dnf", "key", rf"(?P<name>GPG) check FAILED|Public key for (?P<detail>{_NAME}) is not installed"),
    ("file /", "dnf", "same-file",
     rf"file (?P<detail>/\S{{1,200}}) (?:from install of|conflicts between attempted installs of) (?P<owner>{_NAME}) (?:conflicts with file from"
     rf" package|and) (?P<name>{_NAME})"),
    ("No provider of", "zypper", "no-package", rf"No provider of '(?P<name>{_NAME})' found"),
    ("' not found", "zypper", "no-package", rf"Package '(?P<name>{_NAME})' not found"),
    ("not found on medium", "zypper", "address", rf"File '\S{{1,80}}' not found on medium '(?P<place>{_URL})'"),
    ("target not found", "pacman", "no-package", rf"error: target not found: (?P<name>{_NAME})"),
    ("unable to satisfy", "pacman", "needs", rf"unable to satisfy dependency '(?P<detail>[\w.+<>=:-]{{2,80}})' required by (?P<name>{_NAME})"),
    ("breaks dependency", "pacman", "needs", rf"installing (?P<detail>{_NAME} \(\S{{1,40}}\)) breaks dependency '\S{{1,80}}' required by (?P<name>{_NAME})"),
    ("are in conflict", "pacman", "conflict",
     rf"(?:::)? ?(?P<name>{_NAME}?)(?:-[\d.:]{{1,20}}-\d{{1,3}})? and (?P<detail>{_NAME}?)(?:-[\d.:]{{1,20}}-\d{{1,3}})? are in conflict"),
    ("exists in filesystem", "pacman", "same-file", rf"(?P<name>{_NAME}): (?P<detail>/\S{{1,200}}) exists in filesystem"),
    ("failed retrieving", "pacman", "address",
     r"failed retrieving file '(?P<name>[^']{1,120})' from (?P<place>\S{1,120}) : The requested URL returned error: 404"),
    ("no ebuilds", "portage", "no-package", r"no ebuilds to satisfy \"(?P<name>[\w./<>=~:*+-]{2,80})\""),
    ("been masked", "portage", "masked", r"ebuilds that could satisfy \"(?P<name>[\w./<>=~:*+-]{2,80}).{0,20}\" have been masked"),
    ("is marked as", "nix", "broken",
     r"Package ['\u2018\"`]?(?P<name>[\w.+-]{2,80})['\u2019\"`]? .{0,200}is marked as (?P<detail>broken|insecure|unsupported)"),
    ("attribute '", "nix", "no-package", r"error: attribute '(?P<name>[\w.-]{2,80})' missing"),
)
_PATTERNS = [(mark, by, what, lazy(pattern)) for mark, by, what, pattern in _OF_LINE]
_CONDA = "not available from current channels"
MARKS = (*(mark for mark, *_ in _OF_LINE if mark), _CONDA, "Depends", "Conflicts: ", "Breaks: ")
_ANCHORS = Anchors(*MARKS, *_VERBS, "Looking in ", "http", "Not Found", "error processing archive", "epends", "onflicts", "reaks")
_ERR = lazy(rf"^\s{{0,4}}(?:Err|Ign|E):?\d{{0,4}} (?P<place>{_URL}(?: [\w./-]{{2,40}})?)(?: (?:In)?Release| [\w./-]{{1,40}} .{{0,80}})?\s*$")
_NOT_FOUND = lazy(r"^\s{0,12}404 {1,4}Not Found")
_WANTS = lazy(rf"^\s{{0,8}}(?:(?P<name>{_NAME}) : )?\s{{0,40}}(?:Pre)?(?P<how>Depends|Conflicts|Breaks|Recommends)(?: on)?: "
              rf"(?P<detail>{_NAME}(?: \([<>=]{{1,2}} [^)]{{1,60}}\))?)"
              rf"(?: but (?P<got>.{{3,80}}))?\s*$")
_DPKG = lazy(r"error processing archive \S{0,200}/(?:\d{1,4}-)?(?P<name>[A-Za-z0-9][\w.+-]{1,80}?)_\S{1,120}\.deb")


def recognises(text: str) -> bool:
    """The words of a refusal.

    >>> recognises("E: Unable to locate package rocm"), recognises("I installed the package rocm")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and next(_rows(text), None) is not None


def _places(line: str) -> list[str]:
    found = []
    for one in _PLACE.finditer(line):
        found += re.findall(_URL, one[1] or one[2] or "")
    return [place.rstrip(",.;:`") for place in found]


def _python(line: str) -> str:
    found = _PYTHON.search(line)
    if not found:
        return ""
    groups = [group for group in found.groups() if group]
    return groups[0] if "." in groups[0] else ".".join(groups)


def _row(by: str, what: str, line: int, text: str, **said: str | None) -> dict[str, Any]:
    blank = {"by": by, "what": what, "name": "", "detail": "", "offered": "", "place": "", "python": ""}
    return {**blank, **{key: (value or "").strip(" ,.;:`'\"") for key, value in said.items()}, "line": line, "text": text.strip()[:240]}


def _of_line(line: str, number: int, around: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for mark, by, what, pattern in _PATTERNS:
        if mark not in line or by == "conda" and not around["conda"]:
            continue
        found = pattern.search(line[:4000])
        if not found:
            continue
        said = {key: value or "" for key, value in found.groupdict().items()}
        place = said.get("place") or ("" if what in ("same-file", "needs", "conflict") or by not in ("pip", "uv", "conda") else around["place"])
        row = _row(by, what, number, line, name=said.get("name", ""), detail=said.get("detail", ""), offered=said.get("offered", ""), place=place,
                   python=said.get("have") or (_python(line) or around["python"] if by in ("pip", "uv") and what != "wheel" else ""))
        if said.get("tag"):
            row["offered"] = said["tag"].split()[0].lower()
        if said.get("owner") or by == "dpkg":
            row["offered"] = said.get("owner") or around["archive"]
        yield row
        return


def _rows(text: str) -> Iterator[dict[str, Any]]:
    around: dict[str, Any] = {"place": "", "python": "", "archive": "", "conda": False}
    typed, failed, wanting = -_NEAR, ("", 0, ""), ""
    for number, quoted in lines(text) if _CONDA in text else _ANCHORS.lines(text):  # what conda lacks has no mark of its own
        line = unquoted(quoted) if quoted[:1] in ">|" else quoted
        if number - typed > _NEAR:
            around.update(place="", python="")
        if any(verb in line for verb in _VERBS) and _COMMAND.search(line[:1000]):
            typed = number
            around.update(place=" ".join(_places(line[:4000])), python=_python(line[:1000]), conda=False)
        elif line.startswith("Looking in ") and (listed := _places(line[:2000])):
            typed = number
            around["place"] = " ".join(dict.fromkeys([*around["place"].split(), *listed]))
        if _CONDA in line:
            around["conda"] = True
        archive = _DPKG.search(line[:600]) if "error processing archive" in line else None
        if archive:
            around["archive"] = archive["name"]
        erred = _ERR.match(line[:500])
        if erred:
            failed = (erred["place"], number, line)
        elif failed[0] and _NOT_FOUND.match(line) and number - failed[1] == 1:
            yield _row("apt", "address", failed[1], failed[2], place=failed[0])
            failed = ("", 0, "")
        wants = _WANTS.match(line[:400]) if "epends" in line or "onflicts" in line or "reaks" in line else None
        if wants:
            wanting = wants["name"] or wanting
            yield _row("apt", "conflict" if wants["how"] in ("Conflicts", "Breaks") else "needs", number, line, name=wanting, detail=wants["detail"],
                       offered=wants["got"])
            continue
        yield from _of_line(line, number, around)


def read(text: str) -> Iterator[Reading]:
    """``install.refused``: the first of each, with the command's index and Python."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in _rows(text):
        address = row["place"].split(" ")[0] if row["what"] == "address" else ""
        found.setdefault((row["what"], row["name"], address or row["detail"]), row)
        if len(found) >= _MOST:
            break
    if found:
        rows = list(found.values())
        yield Reading("install.refused", rows, line=rows[0]["line"])
