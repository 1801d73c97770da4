"""Builds that stop for a reason that is not in the sources: too little memory, a compiler that crashes, a file that CMake's package only names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.items import texts
from rocmdoctor.facts.model import Hit, Known
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

Found = Iterator[tuple[str, dict[str, Any], list[Hit], dict[str, Any]]]

_CHECK = "building"
_SHOWN = 120
_STACK = later.pattern(r"(?i)rocm|hip|clang|llvm|amdgcn|amdgpu|gfx\d|comgr")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """The first of each kind."""
    for read in (_imported, _memory, _processor, _instruction, _bitcode, _compiler, _cxx, _hip, _cuda):
        for name, values, hits, fields in read(seen):
            used = fields.pop("used", ())
            rule = _words.rule(_CHECK, name, values, **fields)
            yield Judged(rule, Answer(True, used, ()), explained=seen.explained(rule), hits=hits[:3])


def _hits(seen: Evidence, name: str, capture: str = "") -> list[Hit]:
    return [hit for hit in seen.hits_of(f"seen.{_CHECK}.{name}") if not capture or hit.captures.get(capture)]


def _imported(seen: Evidence) -> Found:
    for hit in _hits(seen, "imported", "target"):
        path = next((line.strip(' "') for line in hit.around if re.match(r'\s*"(?:[A-Za-z]:|/|\\)', line)), "")
        name = re.split(r"[/\\]", path)[-1] if path else "a file"
        # a prefix of the machine that built the package, which nobody else has
        foreign = bool(re.search(r"constructicon|/builds?/|/home/|/root/|/tmp/|jenkins|workspace|runner", path, re.I))
        yield "imported-file-missing", {
            "target": hit.captures["target"], "path": path or "a file", "name": name,
            "whose": " That folder is one of the machine that built the package, its prefix was left in the files by mistake." if foreign else ""}, [hit], {
            "fixes": "dll" if name.lower().endswith((".dll", ".lib")) else "file"}
        return


def _memory(seen: Evidence) -> Found:
    hits = _hits(seen, "killed")
    building = {"program-does-not-compile", "build-failure"} & seen.symptoms or _hits(seen, "context")
    if not hits or not building:
        return
    part = next((hit.captures["part"] for hit in hits if hit.captures.get("part")), "the build")
    told = next(iter(_hits(seen, "targets", "targets")), None)
    targets = re.findall(r"gfx[0-9a-f]{3,5}", told.captures["targets"]) if told else []
    own = texts(seen.facts, "gpu.gfx_target") or [word for word in seen.texts("about.gpu") if tables.generation(word) and word not in targets]
    mine = own[0] if len(set(own)) == 1 else ""
    jobs = next((hit.captures["jobs"] for hit in _hits(seen, "jobs", "jobs")), "")
    name = told.captures["name"] if told else "AMDGPU_TARGETS"
    much = f" {name} asks for {len(targets)} targets ({', '.join(targets[:6])}{' ...' if len(targets) > 6 else ''})." if len(targets) > 1 else ""
    much += f" {jobs} jobs run at once." if jobs else ""
    values = {"part": part, "much": much, "targets": name, "mine": mine or "the one of this GPU", "gfx": mine or "gfxNNNN"}
    yield "build-out-of-memory", values, [*hits[:2], *([told] if told else [])], {}


def _release(seen: Evidence) -> tuple[str, str]:
    """(the compiler and its release in words, the ROCm release of it)."""
    hits = _hits(seen, "compiler_version")
    rocm = next((hit.captures["rocm"] for hit in hits if hit.captures.get("rocm")), "")
    clang = next((hit.captures["clang"] for hit in hits if hit.captures.get("clang")), "")
    if rocm:
        return f"the compiler of ROCm {rocm} (LLVM)", rocm
    return (f"clang {clang}", "") if clang else ("", "")


def _processor(seen: Evidence) -> Found:
    """A target that the LLVM of a language or tool does not know yet, by the number of that LLVM."""
    for hit in _hits(seen, "processor", "gfx"):
        gfx = hit.captures["gfx"]
        since = next((int(row["llvm"]) for row in tables.load("needs")["compilers"] if gfx in row["gfx"]), 0)
        have = next((one for one in _hits(seen, "llvm", "llvm") if int(one.captures["llvm"]) < since), None)
        if have:
            yield "llvm-older-than-target", {"gfx": gfx, "have": have.captures["llvm"], "since": str(since)}, [hit, have], {}
            return


def _bitcode(seen: Evidence) -> Found:
    """Bitcode of one LLVM that an older one is to read: the compiler and the libraries are of two installations."""
    for hit in _hits(seen, "bitcode", "reader"):
        made, reads = hit.captures["producer"], hit.captures["reader"]
        if int(made.split(".")[0]) <= int(reads.split(".")[0]):
            continue
        called = next(iter(_hits(seen, "called", "compiler")), None)
        file = hit.captures.get("file") or "the device library"
        yield "device-library-of-newer-llvm", {"file": file, "made": made, "reads": reads,
                                               "compiler": called.captures["compiler"] if called else "the compiler that is called"}, [
            hit, *([called] if called else [])], {}
        return


def _instruction(seen: Evidence) -> Found:
    """Code for an instruction that the target does not have: the program's choice of a type or kernel, no fault of the compiler."""
    hits = _hits(seen, "selected", "op")
    if not hits:
        return
    of = next((hit.captures["type"] for hit in _hits(seen, "selected", "type")), "")
    targets = texts(seen.facts, "gpu.gfx_target")
    names = {"bf16": "bfloat16", "f16": "float16", "fp8": "FP8", "bf8": "FP8", "i8": "int8"}
    other = "float16 (dtype=torch.float16, --half, fp16)" if of in ("bf16", "fp8", "bf8") else "float32 or another type"
    yield "target-lacks-instruction", {"op": hits[0].captures["op"], "type": f" ({names[of]})" if of in names else "", "other": other,
                                       "gpu": targets[0] if len(targets) == 1 else "this GPU"}, hits, {}


def _compiler(seen: Evidence) -> Found:
    hits = _hits(seen, "compiler")
    told = [hit for hit in hits if hit.captures.get("what") or hit.captures.get("file")] or hits
    if not hits:
        return
    lines = " ".join(line for hit in hits[:3] for line in (hit.text, *hit.around))
    ice = all("internal compiler error" in hit.text for hit in hits)
    if not _STACK.search(lines) and not ice:
        return
    compiler, rocm = _release(seen)
    installed = seen.text("runtime.rocm_version")
    rocm = rocm or installed
    compiler = compiler or ("GCC" if ice and not re.search("clang", lines) else f"the compiler (LLVM) of ROCm {rocm}" if rocm else "the compiler (LLVM)")
    what = (told[0].captures.get("what") or "").strip(" .`'")[:_SHOWN]
    said = f": {what}" if what else ""
    gfx = next((word for word in re.findall(r"gfx[0-9a-f]{3,5}", lines) if tables.generation(word)), "")
    yield "compiler-crashes", {"compiler": compiler, "what": said, "gfx": f" for {gfx}" if gfx else "", "now": f" (not {rocm})" if rocm else "",
                               "which": compiler}, told, {}


def _cxx(seen: Evidence) -> Found:
    hits = [hit for hit in seen.hits_of("seen.messages.link") if hit.captures.get("library") in ("stdc++", "stdc++fs", "supc++")]
    lines = " ".join(line for hit in hits for line in (hit.text, *hit.around))
    if not hits or not re.search(r"clang|hipcc|lld", lines):
        return
    numbers = [hit.captures.get(capture) for hit in _hits(seen, "gcc_folder") for capture in ("gcc", "second")]
    folders = sorted({int(one) for one in numbers if one and 4 < int(one) < 30})
    newest = str(folders[-1]) if folders else ""
    yield "newest-gcc-lacks-cxx", {"newest": f" ({newest})" if newest else "", "number": newest or "$(ls /usr/lib/gcc/x86_64-linux-gnu | sort -n | tail -1)",
                                   "other": str(folders[-2]) if len(folders) > 1 else "NUMBER"}, hits, {}


def _hip(seen: Evidence) -> Found:
    """CMake has no HIP compiler, or no target to compile for."""
    missing, nowhere = _hits(seen, "hip_compiler"), _hits(seen, "no_target")
    if missing:
        yield "hip-compiler-not-found", {}, missing, {}
    elif nowhere:
        known = [word for word in seen.texts("about.gpu") if tables.generation(word)]
        gfx = known[0] if len(known) == 1 else "gfxNNNN"
        yield "hip-target-not-named", {"gfx": gfx}, nowhere, {}


def _cuda(seen: Evidence) -> Found:
    hits = _hits(seen, "wants_cuda", "what")
    if hits and isinstance(seen.facts.get("about.amd"), Known):
        yield "build-wants-cuda", {"what": hits[0].captures["what"]}, hits, {"used": ("about.amd",)}
