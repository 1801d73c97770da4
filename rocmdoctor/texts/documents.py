"""Texts that speak of no machine: guides and READMEs, program code, lock files, settings as they are kept in a repository.

>>> kind_of_whole("#!/bin/bash\\nexport ROCM_ARCH=gfx942\\n./configure\\n")
'config'
>>> kind_of_whole("# Install ROCm on an MI50\\n\\n## Prerequisites\\n\\nUbuntu\\n\\n## Installation\\n\\nRun it.\\n\\n## Troubleshooting\\n\\nSee below.\\n")
'document'
>>> kind_of_whole("# Crash on an MI50\\n\\n## Environment\\n\\nUbuntu\\n\\n## Steps to reproduce\\n\\nRun it.\\n")
''
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rocmdoctor import later

if TYPE_CHECKING:
    import csv
else:
    csv = later.module("csv")


_HEAD = 40_000  # characters that tell what a text is
_TITLE = later.pattern(r"(?:---\n(?:.{0,200}\n){1,30}?---\s+)?(?:(?:<|!?\[)[^\n]{0,400}\n\s*){0,20}#{1,2} (?P<title>\S[^\n]{2,200})$",
                       re.MULTILINE)
_HEADING = later.pattern(r"^#{1,6} (?P<heading>\S[^\n]{0,200})$", re.MULTILINE)
_FENCED = later.pattern(r"^ {0,3}(?:```|~~~).*?(?:^ {0,3}(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)
# Sections of a text for whoever wants to do the same, and of one who tells what happened to him.
_TEACHES = later.pattern(
    r"\b(?:install(?:ation|ing)?|prerequisites?|quick ?start|getting started|usage|licen[sc]e|table of contents|contributing|changelog|change log"
    r"|release notes|features|build(?:ing)?(?: from source)?|documentation|tutorial|faq|guide|walkthrough|troubleshooting|known (?:issues|problems)"
    r"|next steps|how (?:to|partition)|step \d|repositor(?:y|ies)|roadmap|rationale|overview|credits|acknowledge?ments|see also|cheat ?sheet|playbook"
    r"|runbook|requirements|best practices|reproducib\w+|plan|goals?|non-goals|coverage|matrix|bugwatch|references?|why |what (?:is|to) |added"
    r"|optimi[sz]ations|resolved issues|project structure)\b", re.IGNORECASE)
_REPORTS = later.pattern(
    r"\b(?:describe|description of the|bug|steps to|reproduc(?:e|tion|er|ing)|expected|actual|observed|what happen\w*|issue (?:type|description)|problem"
    r"|symptoms?|error(?:s| message| log)?|logs?|stack ?trace|back ?trace|additional (?:context|info\w*)|system info\w*|crash\w*|hang\w*|fails?|failure"
    r"|freez\w+|regression|segfault\w*|not work\w*|doesn.t|does not|can.?t|cannot|slow\w*|wrong|broken|no gpu|missing|my (?:system|setup|machine)"
    r"|operating system)\b", re.IGNORECASE)
_CURES = later.pattern(r"\b(?:troubleshooting|known (?:issues|problems)|faq|common (?:issues|problems|errors))\b", re.IGNORECASE)
_BOOK = later.pattern(r"\W{0,20}(?:readme\b|change ?log\b|version history\b|release notes\b|what.s new\b|.{0,60}\brelease notes$)",
                      re.IGNORECASE | re.MULTILINE)
_SCRIPT = later.pattern(r"#!\s?/\S{1,60}(?: \S{1,30})?\s*$", re.MULTILINE)
_DOCKERFILE = later.pattern(r"(?:[ \t]*#[^\n]{0,400}\n|[ \t]*\n|ARG [^\n]{1,200}\n){0,60}FROM (?:--platform=\S{1,60} )?\S{2,300}(?: AS \S{1,60})?\s*$",
                            re.IGNORECASE | re.MULTILINE)
_NIX = later.pattern(r"(?:[ \t]*#[^\n]{0,400}\n|[ \t]*\n){0,60}\{[^{}\n]{0,20}\n?(?:[^{}]{0,600})\}\s?:\s*(?:\n|let\b|\{|with\b)")
_CODE = later.pattern(r"\s*#\s?include\s?[<\"]|/\*[\s\S]{0,4000}?\*/\s*(?:#\s?include|#pragma|#ifndef|package |import )|// SPDX-"
                      r"|\s*(?:from [\w.]{1,60} import |import [\w.]{1,60}$)", re.MULTILINE)
_LOCK = later.pattern(r"^\[\[package\]\]\s*$|^lockfileVersion:", re.MULTILINE)
_WORKFLOW = later.pattern(r"^(?:on|'on'|\"on\"):", re.MULTILINE), later.pattern(r"^jobs:\s*$", re.MULTILINE)
_KCONFIG = later.pattern(r"^# Linux/\S{1,40} [\d.]{3,20}\S* Kernel Configuration|^# Automatically generated file; DO NOT EDIT", re.MULTILINE)
_CONDA = later.pattern(r"^dependencies:\s*$", re.MULTILINE), later.pattern(r"^(?:channels:|name: \S)", re.MULTILINE)
_COLUMN = later.pattern(r"[A-Za-z][\w ()%#./:-]{0,60}")
_PINNED = later.pattern(r"\s*(?:-e |--\S+ |[A-Za-z0-9][\w.\[\],-]{0,60} ?(?:[=<>~!]=|@ ).)")
_SETTING = later.pattern(r"\s*(?:(?:export |ARG |ENV )?[A-Za-z_][\w.-]{1,60}\s?=|(?:options|blacklist|install|softdep|alias) [\w-]{2,40}\b"
                         r"|\[[\w .-]{2,40}\]\s*$)")


def kind_of_whole(text: str) -> str:
    """``document``, ``code``, ``config``, ``package_list`` or ``table`` where a whole text is one; "" where it may be a report, a log or an output."""
    head = text[:_HEAD].lstrip("\ufeff \t\r\n").replace("\r\n", "\n").replace("\0", "")
    if not head:
        return ""
    if _SCRIPT.match(head) or _DOCKERFILE.match(head) or _NIX.match(head) or _KCONFIG.search(head[:400]):
        return "config"
    if _LOCK.search(head) or all(mark.search(head) for mark in _WORKFLOW):
        return "code"
    if all(mark.search(head) for mark in _CONDA):
        return "package_list"
    if _is_table(head):
        return "table"
    if _BOOK.match(head):
        return "document"
    if _TITLE.match(head):
        return _settings(head) or ("document" if _teaches(head) else "")
    if _CODE.match(head):
        return "code"
    return _settings(head) if head[:1] == "#" else ""


def _is_table(head: str) -> bool:
    """Whether rows of values, as many as the first row has names, make up the text."""
    rows = [line for line in head.split("\n")[:200] if line.strip()]
    names = next(csv.reader(rows[:1]), [])
    if len(rows) < 2 or len(names) < 3 or ", " in rows[0] or not all(_COLUMN.fullmatch(name) for name in names):
        return False
    return all(2 <= len(row) <= len(names) for row in csv.reader(rows[1:20]))


def _settings(head: str) -> str:
    """The kind of a file of settings or pinned packages with its comments; "" for anything else, Markdown with its headings too."""
    lines = [line for line in head.split("\n")[:400] if line.strip()]
    own = [line for line in lines if not line.lstrip().startswith("#")]
    if not own:
        return ""
    kinds = (kind for kind, mark in (("package_list", _PINNED), ("config", _SETTING)) if sum(mark.match(line) is not None for line in own) * 10 >= len(own) * 9)
    return next(kinds, "")


def _teaches(head: str) -> bool:
    """Whether headings and title are those of a text that explains, and none tells of a failure."""
    open_ = _FENCED.sub("", head)
    headings = [found["heading"] for found in _HEADING.finditer(open_)]
    if not headings:
        return False
    cures = next((at for at, heading in enumerate(headings) if _CURES.search(heading)), len(headings))  # below it stands what may befall its readers
    taught = {found[0].lower() for heading in headings for found in _TEACHES.finditer(heading)}
    told = [heading for heading in headings[:cures] if _REPORTS.search(heading) and not _TEACHES.search(heading)]
    title_told = _REPORTS.search(headings[0]) is not None and not _TEACHES.search(headings[0])
    return bool(taught) and not title_told and len(told) <= len(headings) // 6 and (
        len(headings) >= 3 or _TEACHES.search(headings[0]) is not None and f"# {headings[0]}\n\n" in open_)
