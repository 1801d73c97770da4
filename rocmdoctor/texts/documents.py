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
from rocmdoctor.texts.lines import clean

if TYPE_CHECKING:
    import csv
else:
    csv = later.module("csv")


_HEAD = 40_000  # characters that tell what a text is
_LONG = 1500  # characters from which on a text is no note
_RARE = 1000  # characters to one word of trouble
_SUBJECTS = 4  # headings of which none says what happened or with what
_MANY_CHAPTERS = 12  # headings that nobody writes of one trouble
_CHAPTERS = 8  # headings of a plan or a guide for each "I" in it
_BADGES = r"(?:---\n(?:.{0,200}\n){1,30}?---\s+)?(?:(?:<|!?\[)[^\n]{0,400}\n\s*){0,20}"
_TITLE = later.pattern(_BADGES + r"#{1,6} (?P<title>\S[^\n]{2,200})$(?!\n#{1,2} )", re.MULTILINE)
_TITLE_ABOVE_LINE = later.pattern(_BADGES + r"(?P<title>[^\W\d_][^\n|]{2,100})\n(?:={4,}|-{4,})\s*$", re.MULTILINE)
_HEADING = later.pattern(r"^(?:#{1,6} (?P<heading>\S[^\n]{0,200})|(?<=\n\n)(?P<above>[^\W_][^\n|:]{2,100})\n(?:={4,}|-{4,})[ \t]*)$", re.MULTILINE)
_FENCED = later.pattern(r"^ {0,3}(?:```|~~~).*?(?:^ {0,3}(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)
# Sections of a text for whoever wants to do the same, and of one who tells what happened to him.
_TEACHES = later.pattern(
    r"\b(?:install(?:ation|ing)?|prerequisites?|quick ?start|getting started|usage|licen[sc]e|table of contents|contributing|changelog|change log"
    r"|release notes|features|build(?:ing)?(?: from source)?|documentation|tutorial|faq|guide|walkthrough|troubleshooting|known (?:issues|problems)"
    r"|next steps|how (?:to|partition)|step \d|repositor(?:y|ies)|roadmap|rationale|overview|credits|acknowledge?ments|see also|cheat ?sheet|playbook"
    r"|runbook|requirements|best practices|reproducib\w+|plan|goals?|non-goals|coverage|matrix|bugwatch|references?|why |what (?:is|to) |added"
    r"|compatib\w+|tested (?:hardware|devices|cards|gpus|models)"
    r"|optimi[sz]ations|resolved issues|project structure|methodology|instructions|design|proposal|rfc|acceptance criteria|out of scope|milestones?"
    r"|instala(?:ção|cao|ción|cion)|installazione|requisit[oi]s?|uso|licen[çc]\w+|cr[ée]ditos|recursos|pr[ée]requis|utilisation|voraussetzungen|anleitung|verwendung|lizenz"
    r"|fehlerbehebung|установка|требования|запуск|использование|сборка|лицензия|руководство|устранение неполадок|диагностика)\b"
    r"|安装|環境|环境|快速|要求|常见问题|常用命令|使用|构建|许可|指南|项目结构|步骤|インストール|使い方|前提|ライセンス|설치|사용법", re.IGNORECASE)
_REPORTS = later.pattern(
    r"\b(?:describe|description of the|bug|steps to|reproduc(?:e|tion|er|ing)|expected|actual|observed|what happen\w*|issue (?:type|description)"
    r"|problem(?! sizes?\b| shapes?\b| statement\b)"
    r"|symptoms?|error(?:s| message| log)?|logs?|stack ?trace|back ?trace|additional (?:context|info\w*)|system info\w*|crash\w*|hang\w*|fails?|failure"
    r"|freez\w+|regression|segfault\w*|not work\w*|doesn.t|does not|can.?t|cannot|slow\w*|wrong|broken|no gpu|missing|my (?:system|setup|machine)"
    r"|operating system)\b", re.IGNORECASE)
_FORM = later.pattern(r"^(?:describe the |description of the |bug (?:description|report)|steps to reproduc|(?:how )?to reproduce\b|reproduc(?:tion|ing) steps"
                      r"|(?:expected|actual|observed|current) (?:behaviou?r|results?|outcome)\W*$|what (?:actually )?happen\w*|issue (?:type|description)"
                      r"|operating system|problem(?: description)?\W*$|relevant log)", re.IGNORECASE | re.MULTILINE)
# What a text that tells of a trouble that is over has beside it.
_SOLVES = later.pattern(r"^(?:\W{0,3}\d{1,2}[.)]? )?(?:the |our |final )?(?:solution|fix|resolution|remedy)\b(?! (?:attempt|tried|request|needed))",
                        re.IGNORECASE | re.MULTILINE)
_CURES = later.pattern(r"\b(?:troubleshooting|known (?:issues|problems)|faq|common (?:issues|problems|errors)|устранение неполадок|fehlerbehebung)\b|常见问题",
                       re.IGNORECASE)
_BOOK = later.pattern(r"\W{0,20}(?:readme\b|change ?log\b|version history\b|release notes\b|what.s new\b|benchmarks$|.{0,60}\brelease notes$)",
                      re.IGNORECASE | re.MULTILINE)
_NAMED = later.pattern(r"(?:(?:[\w-]{1,60}[-_ ])?readme|usage(?=\.)|change ?log|contributing|release[-_ ]?notes|agents|claude|gemini|skill|copilot-instructions"
                       r"|(?:un)?licen[cs]e|copying|notice|authors|credits)(?:[._-][\w-]{1,20}){0,2}|.{1,80}\.(?:tex|bib|sty)", re.IGNORECASE)
# What a file's name says it is: programs, and settings, whose comments explain them and tell of no machine; texts with markup.
_CODE_FILE = later.pattern(
    r".*\.(?:py|pyi|ipynb|t|c|cc|cpp|cxx|h|hh|hpp|hip|cu|cuh|cl|comp|glsl|hlsl|js|mjs|ts|tsx|jsx|go|rs|java|kt|swift|rb|pl|lua|r|jl|zig|cs|vb|php|sql|patch|diff"
    r"|cmake|mk|am|ac|tf|hcl|tfvars|css|scss|svg|vue|j2|tmpl|tpl|ftl|po|pot|xlf|xliff)|.*\bmakefile|cmakelists\.txt|meson\.build|.*\.lock", re.IGNORECASE)
_SETTING_FILE = later.pattern(
    r".*\.(?:ya?ml|toml|ini|cfg|conf|nix|sh|bash|zsh|fish|ps1|psm1|bat|cmd|service|timer|socket|mount|target|container|kube|slice|network|link|desktop|rules|properties|env|spec|ebuild|install"
    r"|bashrc|profile|xinitrc|xprofile|zprofile|zshrc|zshenv|dockerfile|containerfile)"
    r"|(?:docker|container)file(?:[._-].*)?|pkgbuild|profile|environment|\.env(?:\..*)?|(?:.*\.)?\w{2,12}ignore", re.IGNORECASE)
_TEACHING_FILE = later.pattern(r"(?:.*[\W_])?(?:how-?to|tutorials?|cheat-?sheets?|walkthrough|guides?|instructions)(?:[\W_].*)?"
                               r"\.(?:txt|text|org|html?)", re.IGNORECASE)
_PINNED_FILE = later.pattern(r"(?:.*[^a-z])?(?:requirements|constraints)(?:[^a-z].*)?\.(?:txt|in)", re.IGNORECASE)
_MARKED_UP = later.pattern(r".*\.(?:md|mdx|markdown|rst|adoc|qmd)", re.IGNORECASE)
_NAMED_REPORT = later.pattern(r"(?:.*[^a-z])?(?:issues?|bugs?|reports?|tickets?|problems?|questions?|posts?|threads?|messages?|mails?|comments?|descriptions?"
                              r"|body)"
                              r"(?:[^a-z].*)?", re.IGNORECASE)
# What a README is about that tells what happened: a title that says it, a section on how it is made to happen again.
_HAPPENED = later.pattern(r"\b(?:hangs?|crash(?:es|ed)?|freez(?:es|ing)|fro[sz]en?|fails?|failed|failing|broken|not work\w*"
                          r"|(?:do|does|can)(?:n.t| ?not))\b", re.IGNORECASE)
_MENDS = later.pattern(r"\b(?:fix\w*|work-?around|patch\w*|solution|solv\w+|avoid\w*|prevent\w*|recover\w*|detect\w*|monitor\w*|handler|tool\w*)\b",
                       re.IGNORECASE)
# A page of a site or a book by how it begins: what stands before it for whoever renders it, the number of its chapter, a title that says what mends.
_FRONT = later.pattern(r"---\n(?P<keys>(?:[^\n]{0,400}\n){1,40}?)---\s*\n")
_OF_PAGE = later.pattern(r"^(?:date|tags|categor(?:y|ies)|weight|layout|draft|slug|permalink|description|domain|related|sidebar\w{0,20}|nav_order|parent"
                         r"|keywords|lastmod|published|excerpt|toc|cover|subtitle):", re.MULTILINE)
_OF_ISSUE = later.pattern(r"^(?:state|labels|number|assignees?|issue|comments|closed_at|milestone):", re.MULTILINE)
_CHAPTER = later.pattern(r"(?:chapter|part|lesson|module|unit|appendix|week|day|lab)\.? \d{1,3}\b|\d{1,3}(?:\.\d{1,2})?\.? ?[\u2013\u2014:] ?\S",
                         re.IGNORECASE)
_POINTERS = later.pattern(r"(?:resources|links|references|sources|further reading|bibliography)\W*", re.IGNORECASE)  # to what others wrote
_ASKED_TO = later.pattern(r"\b(?:do|choose|follow|use|try) (?:one of )?(?:the following|these steps)\b", re.IGNORECASE)
_OWN_XML = later.pattern(r"<\?xml[^>]{0,200}>\s*<!DOCTYPE (?!html)\w", re.IGNORECASE)  # of a program: settings, a plug-in
_NUMBERED_SECTION = later.pattern(r"\d{1,2}(?:\.\d{1,2}){0,2}[.)]? \S")
_STEP = later.pattern(r"step \d", re.IGNORECASE)
_OF_A_KERNEL = later.pattern(r"^\[ {0,4}\d{1,7}\.\d{6}\] \S", re.MULTILINE)
_MOST_LINES = 10  # of a kernel, that an article shows in its text
_LEAST_NUMBERED, _LEAST_STEPS = 4, 3
_LOG_OF = later.pattern(r"\b(?:\w+ )?logs?\b", re.IGNORECASE)  # a title says what was done in order, not what failed
_LEAST_TAUGHT = 3  # headings of a guide
_MENDED = later.pattern(r"(?<!no )(?<!without a )(?<!need a )\b(?:fix(?:es|ed)?|work-?arounds?|solutions?|solved|resolved|hook)\b", re.IGNORECASE)
_AGAIN = later.pattern(r"\b(?:steps to reproduce|reproduc(?:e|ing) (?:the|this) (?:bug|crash|issue|problem|hang|error|freeze))\b", re.IGNORECASE)
_LEAST_TITLE = 5  # words
_MOST_OF_REPORT = 20  # headings; a list of bugs has more
_MOST_WRITTEN = 25_000  # characters that somebody writes of one trouble, besides what is pasted
_OF_VERSION = later.pattern(r"\W{0,4}(?:[A-Za-z][\w-]{0,30} ){0,3}(?:version |release )?\[?v?\d{1,4}(?:\.\d{1,6}){1,3}[a-z]?\d{0,2}\]?"
                            r"(?: *[-–(].{0,40}\d{4}.{0,20})?", re.IGNORECASE)
_OF_ITSELF = later.pattern(
    r"(?:^|[.>]\s+|\n)[Tt]his (?:[\w'-]+ ){0,3}?(?:document|guide|readme|repo(?:sitory)?|overlay|tutorial|article|manual|wiki|page|how-?to|cheat ?sheet"
    r"|collection) (?:is|contains?|describes?|explains?|documents?|provides?|shows?|covers?|lists?|collects?|walks?|records?|adds)\b"
    r"|(?:^|[.>]\s+|\n)[Tt]his is (?:an? |the )?(?:[\w'-]+ ){0,4}?(?:guide|overlay|repository|tutorial|manual|collection|documentation|cheat ?sheet|how-?to)\b")
_PERSON = later.pattern(r"(?<!\.)\bI(?:'m|’m|'ve|’ve|'d|’d)?\b(?!/)|\b[Mm]y\b|(?<!<)\b(?:mine|me)\b")
_OWN = later.pattern(r"\b(?:environment|system|hardware|set-?up|specs?|specifications|machine|versions?|configuration|details|context|question|update)\b",
                     re.IGNORECASE)
_TRIED = later.pattern(r"\b(?:tried|attempt\w*|happen\w*|noticed|found|results?|test(?:s|ed|ing)?|summary|conclusion|background|tl;?dr)\b", re.IGNORECASE)
_TROUBLE = later.pattern(
    r"\b(?:error\w*|crash\w*|hang|hangs|hung|fail(?:s|ed|ure|ing)?|fr[eo]ez\w*|segfault\w*|broken|not (?:work|detect|find|load|start)\w*|slow\w*|wrong"
    r"|garbage|black screen|regression|unsupported|doesn.t|can.?t|cannot)\b", re.IGNORECASE)
_SCRIPT = later.pattern(r"#!\s?/\S{1,60}(?: \S{1,30})?\s*$", re.MULTILINE)
_PROGRAM = later.pattern(r"#!\s?/[^\n]{1,60}\b(?:python|perl|ruby|node)")
_PATCH = later.pattern(r"diff -(?:-git a/|\w{1,20} \S{1,200} \S{1,200}\n---)|From [0-9a-f]{40} \w|Index: \S{1,200}\n="
                       r"|--- \S{1,200}(?:[ \t][^\n]{0,60})?\n\+\+\+ \S")
_EBUILD = later.pattern(r"^(?:EAPI|pkgname|pkgver)=", re.MULTILINE)
_DOCKERFILE = later.pattern(r"(?:[ \t]*#[^\n]{0,400}\n|[ \t]*\n|ARG [^\n]{1,200}\n){0,60}FROM (?:--platform=\S{1,60} )?\S{2,300}(?: AS \S{1,60})?\s*$",
                            re.IGNORECASE | re.MULTILINE)
_NIX = later.pattern(r"(?:[ \t]*#[^\n]{0,400}\n|[ \t]*\n){0,60}\{[^{}\n]{0,20}\n?(?:[^{}]{0,600})\}\s?:\s*(?:\n|let\b|\{|with\b)")
_CODE = later.pattern(r"\s*#\s?include\s?[<\"]|/\*[\s\S]{0,4000}?\*/\s*(?:#\s?include|#pragma|#ifndef|package |import )|// SPDX-"
                      r"|\s*#(?:ifndef|pragma) \w|\s*(?:from [\w.]{1,60} import |import [\w.]{1,60}$)", re.MULTILINE)
# A line as it stands in a program and not in what programs print, and how a program's text can begin.
_STATEMENT = later.pattern(
    r"\s*(?:#\s?(?:include|define|if|ifdef|ifndef|else|endif|pragma|undef)\b|//|/\*|\*/|\* |import [\w.{]|from [\w.]+ import |(?:async )?def \w+\("
    r"|class \w+.*[:{]$|return\b|(?:}? ?else |el)?if\b.*[:{)]$|for\b.*[:{)]$|while\b.*[:{)]$|else:$|try:$|except\b.*:$|with .*:$|@\w+|}|\)|\]|.*[;{]$|.*\\$"
    r"|(?:resource|variable|locals|provider|module|output|data) .*{$|[\w.\[\]\"']+(?:: [\w.\[\], |]+)? [-+*|]?= \S|\w[\w.]*\(.*[,)]$)")
_BEGINS = later.pattern(r"\s*(?:[rbu]?(?:\"\"\"|''" + r"')|//|/\*|#(?!#)|@\w"
                        r"|(?:def|class|package|module|namespace|using|resource|variable|terraform|provider) )")
# A page of the web, a man page, what a shop of programs shows of one.
_PAGE = later.pattern(r"(?:<\?xml[^>]{0,200}>\s*|<!--[^>]{0,400}-->\s*){0,8}<(?:!DOCTYPE html|html|component)\b", re.IGNORECASE)
_MANUAL = later.pattern(r"(?:[.'][\\]\"[^\n]{0,400}\n|\.(?:ie|el|nh|ad)\b[^\n]{0,80}\n){0,40}\.(?:TH|Dd) ")
_TEMPLATE = later.pattern(r"---\n(?:[a-z]{2,20}: [^\n]{0,200}\n){0,6}about: [^\n]{1,300}\n")  # what a writer is asked for, not what he tells
_PAGE_TITLE = later.pattern(r"<title\b[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
_NUMBERED = later.pattern(r"#\d{1,6}\b")  # of an issue
_DASHBOARD = later.pattern(r"\"panels\"\s*:"), later.pattern(r"\"(?:templating|__inputs|schemaVersion|fieldConfig)\"\s*:")
_QUESTION = later.pattern(r"\"(?:question|instruction|prompt)\"\s*:"), later.pattern(r"\"(?:\w{1,20}_)?(?:answer|output|completion)\"\s*:")
_OF_TARGET = later.pattern(r"\"(gfx[0-9a-f]{3,4})\"\s*:\s*[{\[\"]|\"(?:gfx\w{0,12}|arch\w{0,12}|target)\"\s*:\s*\"(gfx[0-9a-f]{3,4})\"")
_LISTED_TARGETS = 5  # targets that no machine has side by side
_MANIFEST = later.pattern(r"^apiVersion: \S{1,100}\s*$", re.MULTILINE), later.pattern(r"^kind: [A-Z]\w{1,60}\s*$", re.MULTILINE)
_UPPERMOST = later.pattern(r"[a-z]\w{1,60}:(?:\s|$)|- |#|---\s*$|\.\.\.\s*$|\s|$")
_FLAG = later.pattern(r"\s*(?:- )*[\w.-]{1,60}: ?(?:true|false|\[.*\]|\{.*\})$")
_BRANCH = later.pattern(r"\s*(?:- )*[\w.-]{1,60}:(?:\s.*)?$|\s*- \S|\s+[\w\[{].*[\]},]$")
_LOCK = later.pattern(r"^\[\[package\]\]\s*$|^lockfileVersion:", re.MULTILINE)
_WORKFLOW = later.pattern(r"^(?:on|'on'|\"on\"):", re.MULTILINE), later.pattern(r"^jobs:\s*$", re.MULTILINE)
_KCONFIG = later.pattern(r"^# Linux/\S{1,40} [\d.]{3,20}\S* Kernel Configuration|^# Automatically generated file; DO NOT EDIT", re.MULTILINE)
_CONDA = later.pattern(r"^dependencies:\s*$", re.MULTILINE), later.pattern(r"^(?:channels:|name: \S)", re.MULTILINE)
_FILE = later.pattern(r"^(?:\./)?\w[\w.+-]{0,100}(?:/[\w.+@ -]{1,200}){1,30}/?\s*$", re.MULTILINE)
_LISTED_FILES = 10  # names of files below a folder: what a package holds, not what a search found on a machine
_COLUMN = later.pattern(r"[A-Za-z][\w ()%#./:-]{0,60}")
_PINNED = later.pattern(r"\s*(?:-e |--\S+ |[A-Za-z0-9][\w.\[\],-]{0,60} ?(?:[=<>~!]=|@ ).)")
_DIRECTIVE = r"(?:options|blacklist|install|softdep|alias) [\w-]{2,40}\b"  # of modprobe.d
_SETTING = later.pattern(r"\s*(?:(?:export |ARG |ENV )?[A-Za-z_][\w.-]{1,60}\s?=|" + _DIRECTIVE +
                         r"|\[[\w .-]{2,40}\]\s*$)")

_WORDS_ALONE = later.pattern(r"[A-Za-z_][\w.:@/+-]{2,100}\s*$")  # a list of names, with what its comments say of them
_LEAST_WORDS = 8
# A collection of commands: its title between two rules, or most of its lines commands and what is said of them.
_BANNER = later.pattern(r"^[=\-#*~]{10,}\n((?:[^\n]{0,60}\w[^\n]{0,100}\n){1,4})[=\-#*~]{10,}$", re.MULTILINE)
_OF_COMMANDS = later.pattern(r"\b(?:commands|commandes|comandos|befehle|cheat ?sheet|memo|how ?to|guide|tutorial|manual|quick reference)\b", re.IGNORECASE)
_COMMAND = later.pattern(
    r"\s*(?:sudo +)?(?P<name>apt(?:-get|-cache)?|dnf|yum|pacman|yay|zypper|emerge|flatpak|snap|dpkg|rpm|systemctl|service|journalctl|dmesg|modprobe|lsmod"
    r"|ls[a-z]{0,4}|df|du|free|uptime|cat|less|tail|head|grep|echo|export|cd|mkdir|rm|cp|mv|ln|chmod|chown|git|make|cmake|pip3?|python3?|docker|podman|wget|curl|tar|unzip"
    r"|nano|vim?|ssh|scp|rsync|mount|umount|c?fdisk|mkfs\S*|blkid|dd|ip|ifconfig|ping|nmcli|hostnamectl|timedatectl|useradd|usermod|groupadd|passwd|ps|h?top"
    r"|kill(?:all)?|watch|sensors|upower|xrandr|glxinfo|vulkaninfo|clinfo|rocminfo|rocm-smi|amd-smi|nvidia-smi|vainfo|inxi|uname|reboot|shutdown|poweroff|crontab"
    r"|tmux|screen|update-\w+|grub-\w+|mkinitcpio|dracut|setterm|dmidecode|smartctl|mdadm|find|sed|awk|sh|bash|source)(?=\s|$)")
_OPENS = later.pattern(r"\W{0,4}(?:an? |the |my )?(?:[\w-]{1,20} ){0,2}?(?:guide|tutorial|instructions|walkthrough|cheat ?sheet) (?:to|for|on|how)\b"
                       r"[^?\n]{0,300}\n", re.IGNORECASE)
_LEAST_COMMANDS, _KINDS_OF_COMMAND = 15, 6

_MODPROBE = later.pattern(_DIRECTIVE)


def kind_of_whole(text: str, name: str = "") -> str:
    """``document``, ``code``, ``config``, ``package_list`` or ``table`` where a whole text is one; "" where it may be a report, a log or an output.

    ``name``: what its file is called, where it is one.
    """
    own = _file_of(name)
    head = text[:_HEAD].lstrip("\ufeff \t\r\n").replace("\r\n", "\n").replace("\0", "")
    if not head:
        return ""
    if (_NAMED.fullmatch(own) or _TEACHING_FILE.fullmatch(own)) and not _is_incident(head) or _MARKED_UP.fullmatch(own) and not _tells(head, own):
        return "document"
    if _PINNED_FILE.fullmatch(own):
        return "package_list"
    return _kind_by_text(head) or ("code" if _CODE_FILE.fullmatch(own) else "config" if _SETTING_FILE.fullmatch(own) else "")


def _tells(head: str, name: str) -> bool:
    """Whether a text with markup is what somebody reports: by its name, by its first heading or headings of an issue form, or in the first person."""
    open_ = _FENCED.sub("", head)
    headings = _headings(open_)
    if len(open_) > _MOST_WRITTEN:
        return False
    if _is_post(head) or headings and (_CHAPTER.match(headings[0]) or _POINTERS.fullmatch(headings[0].strip())) or _speaks_of_itself(open_):
        return False
    if is_named_report(name) and len(headings) <= _MOST_OF_REPORT and not (headings and _TEACHES.search(headings[0])):
        return True
    if _is_article(headings):
        return False
    title = _LOG_OF.sub("", headings[0]) if headings else ""
    if _REPORTS.search(title):
        if not _TEACHES.search(title) and not _MENDED.search(title):
            return True
    elif _TEACHES.search(title) and len(headings) >= _LEAST_TAUGHT:
        return False
    listed = "\n".join(headings)
    if _FORM.search(listed) and not _SOLVES.search(listed):
        return True
    if _PERSON.search(open_[:_LONG]):
        told = sum(_REPORTS.search(heading) is not None for heading in headings)
        if not told and (len(headings) >= _CHAPTERS or len(headings) >= _SUBJECTS and not any(_OWN.search(one) or _TRIED.search(one) for one in headings)):
            return False  # what he writes of one thing after the other
        seldom = len(_PERSON.findall(open_)) <= len(headings) // _CHAPTERS
        many = len(headings) >= _MANY_CHAPTERS and told * 4 < len(headings) and len(_OF_A_KERNEL.findall(open_)) < _MOST_LINES
        return len(headings) < _CHAPTERS or not seldom or not many and not _explains(head)
    return not headings and len(head) < _LONG


def _is_post(head: str) -> bool:
    """Whether a text begins with what a site is told of its page, and not with what a tracker keeps of an issue."""
    front = _FRONT.match(head)
    return front is not None and "title:" in front["keys"] and _OF_PAGE.search(front["keys"]) is not None and not _OF_ISSUE.search(front["keys"])


def _is_article(headings: list[str]) -> bool:
    """Whether most sections are numbered, or several are steps for a reader; somebody who asks for help numbers none.

    >>> _is_article(["Decoding is slower", "1. What was measured", "2. The cause", "3. The mean", "4. Not known"]), _is_article(["Crash", "1. Steps", "Logs"])
    (True, False)
    """
    numbered = sum(_NUMBERED_SECTION.match(heading) is not None for heading in headings)
    steps = sum(_STEP.match(heading) is not None for heading in headings)
    return numbered >= _LEAST_NUMBERED and numbered * 3 >= 2 * len(headings) or steps >= _LEAST_STEPS


def _speaks_of_itself(open_: str) -> bool:
    """Whether a text says at its beginning that it is a page, and nobody speaks there of what is his."""
    return _OF_ITSELF.search(open_[:_LONG]) is not None and not _PERSON.search(open_[:_LONG])


def _is_incident(head: str) -> bool:
    """Whether a README tells what happened to somebody: its title says what fails and mends nothing, or a section says how to make it happen again.

    >>> _is_incident("# RX 6900 XT hangs while a long prompt is read"), _is_incident("# amdgpu fix for a screen that fails to wake")
    (True, False)
    """
    headings = _headings(_FENCED.sub("", head))
    title = headings[0] if headings else ""
    failed = _HAPPENED.search(title) and len(title.split()) >= _LEAST_TITLE and not _TEACHES.search(title) and not _MENDS.search(title)
    return bool(failed) or any(_AGAIN.search(heading) for heading in headings)


def _is_page(head: str) -> bool:
    """Whether a text is a page of the web, a manual or an empty form, and none on which somebody reports trouble."""
    if _MANUAL.match(head) or _TEMPLATE.match(head):
        return True
    title = _PAGE_TITLE.search(head) if _PAGE.match(head) else None
    return _PAGE.match(head) is not None and not (title and (_NUMBERED.search(title[1]) or _REPORTS.search(title[1]) and not _TEACHES.search(title[1])))


def _kind_by_text(head: str) -> str:
    """The kind of a text by its beginning."""
    if _PATCH.match(head) or _PROGRAM.match(head):
        return "code"
    if _SCRIPT.match(head) or _DOCKERFILE.match(head) or _NIX.match(head) or _KCONFIG.search(head[:400]) or _OWN_XML.match(head):
        return "config"
    if _LOCK.search(head) or all(mark.search(head) for mark in _WORKFLOW):
        return "code"
    if all(mark.search(head) for mark in _CONDA):
        return "package_list"
    if _is_table(head):
        return "table"
    if _BOOK.match(head) or _is_page(head) or _is_post(head):
        return "document"
    if _TITLE.match(head) or _TITLE_ABOVE_LINE.match(head):
        return _settings(head) or ("document" if _explains(head) else "") or _program(head)
    if _CODE.match(head):
        return "code"
    if len(_FILE.findall(head)) > _LISTED_FILES and not _FILE.sub("", head).strip():
        return "document"
    if _lists_commands(head) or _OPENS.match(head) or _ASKED_TO.search(head.partition("\n")[0]) and not _PERSON.search(head[:_LONG]):
        return "document"
    settings = _settings(head) if head[:1] == "#" or _MODPROBE.match(head) else ""
    return settings or _program(head) or _branches(head) or ("document" if _tells_of_itself(head) else "")


def _file_of(name: str) -> str:
    """The last part of a text's name: of a path, or the key of a document."""
    return re.split(r"[/\\]|: ", name)[-1]


def _headings(open_: str) -> list[str]:
    """Of a text without what is fenced."""
    return [found["heading"] or found["above"] for found in _HEADING.finditer("\n\n" + open_)]


def is_named_report(name: str) -> bool:
    """Whether a file is called what somebody reports, or was piped.

    >>> is_named_report("report.txt"), is_named_report("bug-1234.md"), is_named_report("stdin"), is_named_report("server.log")
    (True, True, True, False)
    """
    own = _file_of(name)
    return own == "stdin" or _NAMED_REPORT.fullmatch(own.rpartition(".")[0] or own) is not None


def kind_of_json(text: str) -> str:
    """``document`` where a JSON document is a dashboard, a collection of questions or a list of what there is, else "".

    >>> kind_of_json('{"panels": [], "schemaVersion": 39, "title": "MI300X"}'), kind_of_json('{"gpu": "MI300X", "gfx": "gfx942"}')
    ('document', '')
    """
    head = text[:_HEAD]
    if all(mark.search(head) for mark in _DASHBOARD) or all(len(mark.findall(head)) > 1 for mark in _QUESTION):
        return "document"
    return "document" if len({found[1] or found[2] for found in _OF_TARGET.finditer(head)}) >= _LISTED_TARGETS else ""


def is_manifest(text: str) -> bool:
    """Whether a text is one or more objects of Kubernetes as they are written down, with their comments.

    >>> is_manifest("# for the GPU\\napiVersion: v1\\nkind: Pod\\nmetadata:\\n  name: a\\n"), is_manifest("My pod fails:\\napiVersion: v1\\nkind: Pod\\n")
    (True, False)
    """
    head = text[:_HEAD].lstrip("\ufeff \t\r\n")
    return all(mark.search(head) for mark in _MANIFEST) and all(_UPPERMOST.match(line) for line in head.split("\n"))


def is_somebodys(text: str) -> bool:
    """Whether somebody speaks of himself or of what is his."""
    return _PERSON.search(text) is not None


def _program(head: str) -> str:
    """``code`` or ``config`` where a text begins as a program does and most of its lines are those of one, else ""."""
    if not _BEGINS.match(head):
        return ""
    if head[:1] == "#" and _EBUILD.search(head):
        return "config"
    lines = [line for line in head.split("\n")[:400] if line.strip()]
    own = [line for line in lines if not line.lstrip().startswith("#") or _STATEMENT.match(line[:400])]
    return "code" if len(own) >= 5 and sum(_STATEMENT.match(line[:400]) is not None for line in own) * 2 >= len(own) else ""


def _branches(head: str) -> str:
    """``config`` where a text is one tree of YAML with switches and lists in it; a form has neither."""
    lines = [line for line in head.split("\n")[:400] if line.strip() and not line.lstrip().startswith("#") and line.strip() != "---"]
    if len(lines) < 8 or not lines[0].endswith(":") or lines[0][:1].isspace() or sum(_FLAG.match(line[:400]) is not None for line in lines) < 3:
        return ""
    return "config" if sum(_BRANCH.match(line[:400]) is not None for line in lines) * 10 >= len(lines) * 9 else ""


def _lists_commands(head: str) -> bool:
    """Whether a text is a collection of commands for whoever looks one up.

    >>> _lists_commands("apt update  # first\\n" * 20), _lists_commands("\\n".join(f"{word} -a  # of {word}" for word in "df du ps ls ip free cat".split() * 3))
    (False, True)
    """
    titles = _BANNER.findall(head)
    if len(titles) > 1 and _OF_COMMANDS.search(titles[0]):
        return True
    lines = [line for line in head.split("\n")[:400] if line.strip()]
    named = [found["name"] for line in lines if (found := _COMMAND.match(line[:200]))]
    said = sum(line.lstrip().startswith("#") for line in lines)
    return len(named) >= _LEAST_COMMANDS and len(set(named)) >= _KINDS_OF_COMMAND and 2 * len(named) >= len(lines) - said


def _is_table(head: str) -> bool:
    """Whether rows of values, as many as the first row has names, make up the text."""
    rows = [line for line in clean(head).split("\n")[:200] if line.strip()]  # csv raises at a carriage return or a NUL within a field
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
    marks = (("package_list", _PINNED), ("config", _SETTING), *([("config", _WORDS_ALONE)] if len(own) >= _LEAST_WORDS else ()))
    kinds = (kind for kind, mark in marks if sum(mark.match(line) is not None for line in own) * 10 >= len(own) * 9)
    return next(kinds, "")


def _explains(head: str) -> bool:
    """Whether headings, title and voice are those of a text for many, and none tells of a failure."""
    open_ = _FENCED.sub("", head)
    headings = _headings(open_)
    if not headings:
        return False
    cures = next((at for at, heading in enumerate(headings) if _CURES.search(heading)), len(headings))  # below it stands what may befall its readers
    taught = {found[0].lower() for heading in headings for found in _TEACHES.finditer(heading)}
    told = [heading for heading in headings[:cures] if _REPORTS.search(heading) and not _TEACHES.search(heading)]
    if _REPORTS.search(headings[0]) is not None and not _TEACHES.search(headings[0]):
        return False
    if len(headings) >= 3 and sum(_OF_VERSION.fullmatch(heading) is not None for heading in headings) * 5 >= len(headings) * 4:
        return True  # a history of versions
    if taught and len(told) <= len(headings) // 6:
        return len(headings) >= 3 or _TEACHES.search(headings[0]) is not None and f"# {headings[0]}\n\n" in open_
    return not told and (_tells_of_itself(head) or len(headings) >= 3 and not any(_OWN.search(heading) for heading in headings[1:]) and _of_nobody(open_))


def _of_nobody(open_: str) -> bool:
    """Whether a text of some length hardly speaks of its writer and of trouble, and not at its beginning; a short one never does."""
    if len(open_) < _LONG:
        return not _PERSON.search(open_) and not _TROUBLE.search(open_)
    return all(not mark.search(open_[:600]) and len(mark.findall(open_)) * _RARE <= len(open_) for mark in (_PERSON, _TROUBLE))


def _tells_of_itself(head: str) -> bool:
    """Whether a longer text says at its beginning that it is a guide, a repository, a manual."""
    return len(head) >= _LONG and _OF_ITSELF.search(head[:1500]) is not None and not _TROUBLE.search(head[:200])
