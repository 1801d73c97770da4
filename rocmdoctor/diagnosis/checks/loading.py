"""What the loader asks for against what is there: another number of a library, a library of a later ROCm, two copies in one process, modules outside of pip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _library_rows, _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Hit
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

Found = Iterator[tuple[str, dict[str, Any], list[Hit], dict[str, Any]]]

_CHECK = "loading"
_NUMBER = later.pattern(r"(?P<stem>lib[\w+-]+?)\.so\.(?P<number>\d{1,3})")
_SONAME = later.pattern(r"(?P<stem>lib[A-Za-z][\w+]*?(?:-(?!\d)[\w+]+)*)(?:-(?P<dashed>\d{1,3}))?\.so\.(?P<number>\d[.\d]{0,15})")
_NAMED = later.pattern(r"(?P<stem>lib[A-Za-z][\w+]*?(?:64)?)(?:-(?P<dashed>\d[\d.]*))?\.so(?:\.(?P<number>[\d.]+))?$")
_HASHED = later.pattern(r"/nix/store/[0-9a-z]{32}-")
_IN_PROCESS = later.pattern(r"\(\+?0x|\[0x[0-9a-f]|^\s*#\d| => |\br[-w]-?xp? |r--p|calling init|needed by|\+0x[0-9a-f]|/proc/\d+/maps")
_ASKER = later.pattern(r"([\w.+-]{2,80}\.so[.\d]*|[\w.+-]{2,60}): (?:error while loading shared libraries: )?$")
_PYTHON_PACKAGES = frozenset("torch torchvision torchaudio triton numpy transformers diffusers vllm onnxruntime tensorflow jax jaxlib bitsandbytes "
                             "xformers accelerate flash_attn sageattention torch_directml ctranslate2 cupy deepspeed aiter safetensors cv2 PIL yaml "
                             "triton_kernels".split())
_OF_CUDA = later.pattern(r"(?i)flash_?attn|cuda|cutlass|flashinfer|nvshmem|marlin|deep_?gemm|nvml|xformers")
_TOGETHER = 400  # lines


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first of each kind."""
    for read in (_numbers, _needed, _copies, _modules, _names, _tools):
        for name, values, hits, fields in read(seen):
            used = fields.pop("used", ())
            rule = _words.rule(_CHECK, name, values, **fields)
            yield Judged(rule, Answer(True, used, ()), explained=seen.explained(rule), hits=hits[:3])


def _hits(seen: Evidence, name: str, capture: str) -> list[Hit]:
    return [hit for hit in seen.hits_of(f"seen.{_CHECK}.{name}") if hit.captures.get(capture)]


def _here(seen: Evidence) -> tuple[str, tuple[str, ...]]:
    """(ROCm that is installed: the one that a module or a folder names, else the fact; the facts that say so)."""
    told = list(dict.fromkeys(hit.captures["version"] for hit in _hits(seen, "release", "version")))
    if len(told) == 1:
        return told[0], ()
    found = re.match(r"\d{1,2}\.\d{1,2}(?:\.\d{1,2})?", seen.text("runtime.rocm_version"))
    return (found[0], ("runtime.rocm_version",)) if found else ("", ())


def _asker(seen: Evidence, hit: Hit, library: str) -> str:
    """What wants the library: what the message names before it, else the package of the traceback."""
    before = hit.text[:hit.text.find(library)] if library in hit.text else ""
    found = _ASKER.search(before)
    name = found[1].rpartition("/")[2] if found else ""
    return name if name and not re.fullmatch(r"(?:\w*Error|ERROR|error|INTERNAL)", name) else seen.text("python.failing_package") or "the program"


def _numbers(seen: Evidence) -> Found:
    asked = [hit for name in ("library_fatal", "library") for hit in seen.hits_of(f"seen.messages.{name}") if hit.captures.get("library")]
    there = _hits(seen, "present", "library")
    have, used = _here(seen)
    for hit in asked:
        library = hit.captures["library"]
        wanted = _NUMBER.match(library)
        if not wanted:
            continue
        row = _library_rows.row_of(library)
        if not row.get("rocm"):
            continue
        named = [(one, found) for one in there for found in _NUMBER.finditer(one.text) if found["stem"] == wanted["stem"]]
        other = next(((one, found) for one, found in named if found["number"] != wanted["number"]), None)
        values = {"library": library, "component": row["title"], "who": _asker(seen, hit, library), "have": f"ROCm {have}" if have else "the installed ROCm"}
        if other and all(found["number"] != wanted["number"] for _, found in named):
            present = other[1][0]
            release, own = _library_rows.release_of(row, wanted["number"]), _library_rows.release_of(row, other[1]["number"])
            link = f"Or, since the functions of {row['title']} hardly changed with the number: a symbolic link under the name that is asked for"
            yield "library-under-other-number", {
                **values, "present": present, "wanted": f" {library} is that of {release}." if release else "",
                "is": f" {present} is that of {own}." if own else "",
                "release": release or "the release that it was built for", "link": link if row.get("linkable") else "",
                "make": f"mkdir -p ~/lib && ln -s /opt/rocm/lib/{present} ~/lib/{library}", "start": "LD_LIBRARY_PATH=~/lib:$LD_LIBRARY_PATH PROGRAM",
            }, [hit, other[0]], {}
            return
        if row.get("since") and have and versions.at_least(have, str(row["since"]), "rocm") is False:
            yield "library-of-later-release", {**values, "since": str(row["since"])}, [hit], {"used": used}
            return


def _needed(seen: Evidence) -> Found:
    """A library of the distribution that is wanted under a number, where it was seen under another: packages of two points of time."""
    there = [(found, hit) for hit in _hits(seen, "there", "library") if (found := _SONAME.fullmatch(hit.captures["library"].rstrip(".")))]
    for hit in _hits(seen, "needed", "library"):
        wanted = _SONAME.fullmatch(hit.captures["library"].rstrip("."))
        if not wanted or _library_rows.row_of(wanted[0]).get("rocm"):
            continue
        same = [(found, one) for found, one in there if found["stem"] == wanted["stem"]]
        if same and all(_release(found) != _release(wanted) for found, _ in same):
            looked = [each for each in _hits(seen, "inspected", "path") if each.source == hit.source and 0 <= hit.line - each.line < _TOGETHER]
            path = looked[-1].captures["path"].rstrip(".,:") if looked else ""
            who = f"{'The 32-bit ' if '32' in path.rpartition('/')[0] or 'i386' in path else ''}{path.rpartition('/')[2]}" if path else "The program"
            yield "library-of-another-state", {"library": wanted[0], "present": same[0][0][0], "who": who, "stem": wanted["stem"]}, [hit, same[0][1]], {}
            return


def _release(name: re.Match[str]) -> str:
    return name["dashed"] or name["number"]


def _copies(seen: Evidence) -> Found:
    """Two copies by the table, else what one backtrace goes through in two versions (``crash.copies``)."""
    listed = list(_listed_copies(seen))
    copies = seen.texts("crash.copies")
    if copies and not listed:
        paths = [_HASHED.sub("", path) for path in copies[1:3]]
        compiler = re.search(r"LLVM|clang", copies[0]) is not None
        yield "library-twice-in-process", {"title": copies[0], "copies": " and ".join(paths), "who": "The backtrace goes through both"}, (
            _words.hits_of(seen.facts, ["crash.copies"], "library-twice-in-process")), {"fixes": "llvm" if compiler else "other", "used": ("crash.copies",)}
    yield from listed


def _listed_copies(seen: Evidence) -> Found:
    hits = [hit for hit in _hits(seen, "copy", "path") if _IN_PROCESS.search(hit.text)]
    if len(hits) < 2 or not ({"crash", "load-failure", "init-failure"} & seen.symptoms or all(hit.kind == "crash" for hit in hits)):
        return
    for row in tables.load("libraries")["once"]:
        found: dict[str, Hit] = {}
        for hit in hits:
            name = _NAMED.match(hit.captures["library"])
            if name and re.fullmatch(row["file"], name["stem"]):
                number = name["dashed"] or name["number"] or ""
                found.setdefault(number if row["title"] in ("LLVM", "clang") else hit.captures["path"], hit)
        copies = list(found.items())[:4]
        if len(copies) > 1 and copies[0][1].source == copies[1][1].source and abs(copies[0][1].line - copies[1][1].line) < _TOGETHER:
            named = [copy if copy[:1] == "/" else f"{hit.captures['library']}" for copy, hit in copies]
            yield "library-twice-in-process", {"title": row["title"], "copies": " and ".join(named), "who": row["who"]}, [hit for _, hit in copies], {
                "fixes": "llvm" if row["title"] in ("LLVM", "clang") else "other"}
            return


def _modules(seen: Evidence) -> Found:
    hits = _hits(seen, "module", "module")
    rows = tables.load("libraries")["python_modules"]
    for hit in hits:
        module = hit.captures["module"].rstrip(".")
        row = next((row for row in rows if re.fullmatch(row["module"], module)), None)
        if not row or module == "amdsmi" and "vllm" in seen.texts("about.app"):
            continue
        built = next((hit.captures["minor"] for hit in _hits(seen, "extension", "minor") if hit.captures.get("module") == module), "")
        yield "module-outside-of-pip", {
            "module": module, "title": row["title"], "note": row["note"], "built": f" The file that is there is for Python 3.{built}." if built else "",
            "where": f" in {row['path']}" if row["path"] else "", "package": _library_rows.installs(row), "install": row.get("install", ""),
            "do_install": "Install it" if row.get("install") else "",
            "path": f"export PYTHONPATH={row['path']}:$PYTHONPATH" if row["path"] else "",
            "find": f"find /opt/rocm* /usr/lib/python3* -name '{module.split('.')[0]}*' 2>/dev/null | head"}, [hit], {}
        return
    for hit in hits:
        whole = hit.captures["module"].rstrip(".")
        module, _, part = whole.partition(".")
        # Python names the first part that it does not find: with a point in the name the package itself was found.
        if part and module in _PYTHON_PACKAGES:
            outer, _, last = whole.rpartition(".")
            cuda = " Its name tells that it is one of the parts that are compiled for CUDA only." if _OF_CUDA.search(part) else ""
            yield "module-part-missing", {"module": whole, "package": module, "part": last, "outer": outer, "cuda": cuda}, [hit], {}
            return
        if module in _PYTHON_PACKAGES:
            package = {"cv2": "opencv-python", "PIL": "pillow", "flash_attn": "flash-attn"}.get(module, module)
            yield "module-not-in-this-interpreter", {"module": module, "package": package}, [hit], {
                "fixes": "torch" if module in ("torch", "torchvision", "torchaudio", "triton") else "other"}
            return


def _names(seen: Evidence) -> Found:
    """A name that a package is asked for and does not have; where the loader names what it did not find, that is why."""
    if any(seen.hits_of(f"seen.{name}") for name in ("messages.symbol_version", "messages.symbol", "messages.library", "loading.module")):
        return
    for hit in _hits(seen, "name", "name"):
        outer, part = hit.captures["module"], hit.captures["name"]
        package = outer.partition(".")[0]
        if package in _PYTHON_PACKAGES:
            yield "module-part-missing", {"module": f"{outer}.{part}", "package": package, "part": part, "outer": outer, "cuda": ""}, [hit], {"general": True}
            return


def _tools(seen: Evidence) -> Found:
    """A program of ROCm, or one that a build needs, that the shell does not find."""
    for hit in _hits(seen, "tool", "tool"):
        tool = hit.captures["tool"]
        row = next((row for row in tables.load("libraries")["tools"] if re.fullmatch(row["tool"], tool)), None)
        if row:
            values = {"tool": tool, "package": _library_rows.installs(row), "where": "", "path": "",
                      "look": f"ls /opt/rocm*/bin/{tool} /usr/bin/{tool} 2>/dev/null"}
            if row.get("rocm"):
                values["where"] = " ROCm's programs lie in /opt/rocm/bin, which no shell searches by itself; sudo searches yet other folders."
                values["path"] = "export PATH=/opt/rocm/bin:$PATH"
            yield "program-not-on-path", values, [hit], {"severity": "warning" if seen.symptoms else "info"}
            return
