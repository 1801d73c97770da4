"""Package lists: ``pip list``, ``pip freeze``, ``conda list``, ``uv sync``.

>>> sample = '''Package    Version
... ---------- -------
... numpy      2.4.1
... torch      2.9.1+rocm7.2.0.lw.git7e1940d4
... '''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.item, reading.value)
4 torch.version 0 2.9.1+rocm7.2.0.lw.git7e1940d4
4 runtime.rocm_version  7.2.0
3 pip.packages  {'numpy': '2.4.1', 'torch': '2.9.1+rocm7.2.0.lw.git7e1940d4'}
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import MAX_LINE, lazy, lines

TRUST = 1
KINDS = kinds.QUOTED  # people quote its words in their sentences

_NAME = r"[A-Za-z][\w.-]{0,60}(?:\[[\w,-]{1,60}\])?"
_VERSION = r"\d{1,4}(?:[.!]\d[\w.]*|\.?(?:a|b|rc|dev)\d+)[\w.]*(?:\+[\w.-]+)?(?<![.-])"  # a dot behind it ends a sentence
_PINNED = lazy(rf"(?<![\w.-])[\"']?({_NAME})[\"']?\s?==\s?[\"']?({_VERSION})")
_TABLE = lazy(rf"^[ \t]*({_NAME})\s+({_VERSION})(?:\s+\S.{{0,200}})?\s*$")
_HEAD = lazy(r"^[ \t]*(?:Package\s+Version\b|# Name\s+Version\b|Name\s+Version\s+Build\b)")
_LINE_OF_ONE = lazy(rf"^[ \t]*(torch|torchvision|torchaudio|triton|pytorch-triton-rocm|rocm|rocm-sdk[\w-]*"
                          rf"|amd-torch[\w-]*)\s+({_VERSION})\s*$")
# Rows of a list that went through grep: no head, but several, and one of a package that tells what the others are.
_ROW = lazy(rf"^[ \t]*({_NAME})(?:\s{{2,60}}|\t)({_VERSION})(?:\s{{2,60}}\S.{{0,200}})?\s*$")
_TELLING = frozenset({"torch", "torchvision", "torchaudio", "triton", "pytorch-triton-rocm", "rocm", "bitsandbytes", "transformers", "vllm", "xformers",
                      "flash-attn", "numpy", "onnxruntime", "onnxruntime-rocm", "diffusers", "accelerate", "sglang", "jax", "amdsmi"})
# What a line asks for is not what is installed.
_ASKED = lazy(r"\binstall['\"]?,? |^[ \t]*Collecting |\brequires |\bdepends on |No matching distribution|Could not find a version|conflict is caused by")
_THERE = lazy(rf"Requirement already satisfied: ({_NAME}) ?.{{0,400}} \(({_VERSION})\)$")
_WHEEL = lazy(r"(?<![\w.-])(torch|torchvision|torchaudio|triton|rocm_sdk_core|rocm)-(\d[\w.]*(?:(?:\+|%2B)[\w.]+)?)-(?:cp|py)\d")
_SHOWN = lazy(rf"^Name: ({_NAME})\s*$")
_INSTALLED = lazy(r"Successfully installed (.{0,18000})")
_ONE_INSTALLED = lazy(rf"({_NAME}?)-({_VERSION})(?=\s|$)")
_CHANGED = lazy(rf"^[ \t]*([-+~]) ({_NAME})==({_VERSION})(?: \(.{{0,200}}\))?$")  # what uv takes out and puts in
_LOCAL = lazy(r"\+rocm(\d+\.\d+(?:\.\d+)?(?:(?:a|rc|b)\d+)?)")
_SDK = ("rocm", "rocm-sdk-core", "rocm-sdk")
_PIN = lazy(r"[\w.\]-] ?== ?\d")
_BEFORE_PIN = lazy(rf"\b{_NAME}$")
_MARK = lazy(r"^[ \t]*Package[ \t]+Version|^# Name\s+Version|Successfully installed |^Name: \S+\nVersion: |-cp3\d+-|"
             r"^[ \t]*(?:torch\w*|triton|numpy|transformers|vllm|xformers|flash.attn|bitsandbytes)[ \t]+\d+\.\d"
             r"|Requirement already satisfied: ", re.MULTILINE)


def recognises(text: str) -> bool:
    """A pin, a table head, an installer's summary, rows of a list or a wheel name.

    >>> recognises("torch==2.9.1"), recognises("torch is slow")
    (True, False)
    """
    # The sign is looked for before the name: a name may begin at every letter of a text.
    return later.search(_MARK, text) is not None or any(_BEFORE_PIN.search(text[max(0, pin.start() - 130):pin.start() + 1]) for pin in _PIN.finditer(text))


def packages(text: str) -> dict[str, tuple[str, int]]:
    """Name to version and line; a later line does not change an earlier one."""
    found: dict[str, tuple[str, int]] = {}
    asked: dict[str, tuple[str, int]] = {}
    installed: set[str] = set()
    rows: list[tuple[str, str, int]] = []
    table, name_of = False, ""
    for number, raw in lines(text):
        if not raw:
            continue
        line = raw.removeprefix("[pip3]").removeprefix("[conda]")
        if "Version" in line and _HEAD.match(line):
            table = True
            continue
        shown = _SHOWN.match(line[:100]) if line.startswith("Name: ") else None
        if shown:
            name_of = shown[1]
            continue
        if name_of and line.startswith("Version: "):
            found.setdefault(name_of.lower().replace("_", "-"), (line[9:109].strip(), number))
        name_of = ""
        bare = _ROW.match(line[:400]) if not table and ("  " in line or "\t" in line) else None
        if bare:
            rows.append((_plain(bare[1]), bare[2], number))
        elif rows and line.strip():
            found.update({name: (version, at) for name, version, at in _told(rows) if name not in found})
            rows = []
        if "==" in line and _ASKED.search(line[:2000]):
            for name, version in _PINNED.findall(line):
                asked.setdefault(_plain(name), (version, number))
            continue
        there = _THERE.search(line[:800]) if line.startswith("Requirement already") or "Requirement already" in line[:60] else None
        if there:
            found.setdefault(_plain(there[1]), (there[2], number))
            continue
        changed = _CHANGED.match(line[:400]) if "==" in line else None
        if changed:
            if changed[1] != "-":
                found[_plain(changed[2])] = (changed[3], number)
            continue
        pairs: list[tuple[str, str]] = _PINNED.findall(line) if "==" in line else []
        if not pairs:
            row = (_TABLE if table else _LINE_OF_ONE).match(line[:400])
            if row:
                pairs = [(row[1], row[2])]
            elif table and not re.match(r"^[\s-]*$|^WARNING|^[ \t]*[\w.-]+\s+\S+", line[:200]):
                table = False
        pairs += [(name, version.replace("%2B", "+")) for name, version in (_WHEEL.findall(line) if "-cp" in line or "-py" in line else ())]
        summary = _INSTALLED.search(line[:MAX_LINE]) if "Successfully installed" in line else None
        for name, version in [pair for word in summary[1].split() for pair in _ONE_INSTALLED.findall(word[:200])] if summary else []:
            if _plain(name) not in installed:  # the installer's word is the last one, its own first
                found[_plain(name)] = (version, number)
                installed.add(_plain(name))
        for name, version in pairs:
            found.setdefault(_plain(name), (version, number))
    found.update({name: (version, at) for name, version, at in _told(rows) if name not in found})
    for name, told in asked.items():  # better than nothing
        found.setdefault(name, told)
    return found


def replaced(text: str) -> Iterator[tuple[str, str, str, int]]:
    """(name, version that was taken out, version that was put in its place, line) of what an installer says it changed.

    >>> list(replaced(" - torch==2.11.0+rocm7.13.0\\n + torch==2.10.0\\n"))
    [('torch', '2.11.0+rocm7.13.0', '2.10.0', 2)]
    """
    out: dict[str, str] = {}
    for number, line in lines(text):
        changed = _CHANGED.match(line[:400]) if "==" in line else None
        if changed and changed[1] == "-":
            out[_plain(changed[2])] = changed[3]
        elif changed and (old := out.pop(_plain(changed[2]), "")):
            yield _plain(changed[2]), old, changed[3], number


def _plain(name: str) -> str:
    return name.partition("[")[0].lower().replace("_", "-")


def _told(rows: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    """The rows where they are a list of packages."""
    return rows if len(rows) > 1 and any(name in _TELLING for name, _, _ in rows) else []


def rocm_of(version: str) -> str:
    """The ROCm release in a local version tag.

    >>> rocm_of("2.12.0a0+rocm7.13.0a20260313"), rocm_of("2.9.1+rocm7.2.0.lw.git7e1940d4"), rocm_of("2.9.1+cu128")
    ('7.13.0a20260313', '7.2.0', '')
    """
    tag = _LOCAL.search(version)
    return tag[1] if tag else ""


def read(text: str) -> Iterator[Reading]:
    """``pip.packages``, and what torch and the ROCm wheels say."""
    found = packages(text)
    if not found:
        return
    torch = found.get("torch") or found.get("pytorch")
    if torch:
        yield Reading("torch.version", torch[0], "0", torch[1])
    sdk = next((found[name] for name in _SDK if name in found), None)
    if re.search(r"ROCM used to build PyTorch: ?\d", text):
        pass  # collect_env says it itself
    elif sdk:
        yield Reading("runtime.rocm_version", sdk[0], line=sdk[1])
    elif torch and rocm_of(torch[0]):
        yield Reading("runtime.rocm_version", rocm_of(torch[0]), line=torch[1])
    elif tagged := next(((rocm_of(version), line) for version, line in found.values() if rocm_of(version)), None):
        yield Reading("runtime.rocm_version", tagged[0], line=tagged[1])
    if swapped := list(replaced(text)):
        yield Reading("pip.replaced", [{"name": name, "old": old, "new": new} for name, old, new, _ in swapped], line=swapped[0][3])
    first = min(line for _, line in found.values())
    yield Reading("pip.packages", {name: version for name, (version, _) in found.items()}, line=first)
