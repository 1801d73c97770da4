"""Messages that explain themselves: a library, symbol, header, version, target or exit code is named, and tables say what it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _gpus, _library_rows, _words, failing_part
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Hit
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

Found = tuple[str, dict[str, Any], list[Hit], dict[str, Any]]  # finding, values, evidence, fields of the rule

_SAID = 160
_BUILDING = {"program-does-not-compile", "build-failure"}
_INSTALLERS = {"debian": "sudo apt install {}", "fedora": "sudo dnf install {}", "arch": "sudo pacman -S {}"}
_OF_WHEELS = "pip install 'rocm[libraries,devel]' --index-url https://rocm.nightlies.amd.com/v2/gfx110X-all/   # your family's name in place of gfx110X-all"
_FAMILIES = {"debian": ("debian", "ubuntu", "linuxmint", "pop", "zorin", "raspbian", "devuan", "elementary"),
             "fedora": ("fedora", "rhel", "centos", "rocky", "almalinux", "nobara", "bazzite", "ol"),
             "arch": ("arch", "cachyos", "manjaro", "endeavouros", "garuda")}
# ROCm's own headers that another compiler than hipcc was given.
_ROCM_HEADER = later.pattern(r"\bfrom \S{0,120}(?:/rocm\S{0,20}/include/|/include/(?:thrust|rocprim|hipcub|rocthrust)/)")


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """One finding of each kind of message, the best row first."""
    for read in (_libraries, _dlls, _symbols, _symbol_versions, _headers, _cmake, _links, _codes, _instruction, _modules, _targets, _kernels, _versions,
                 _std_names, _missing_paths, _fallback):
        for name, values, hits, fields in read(seen):
            decided = fields.pop("decided", True)
            used = fields.pop("used", ())
            rule = _words.rule("messages", name, values, **{"general": True, **fields})
            yield Judged(rule, Answer(True if decided else None, used, () if decided else ("crash.library",)), explained=seen.explained(rule),
                         hits=hits[:3])


def _hits(seen: Evidence, name: str, capture: str) -> list[Hit]:
    return [hit for hit in seen.hits_of(f"seen.messages.{name}") if hit.captures.get(capture)]


def _row(rows: list[dict[str, Any]], text: str, key: str = "file") -> dict[str, Any]:
    return next((row for row in rows if re.search(row[key] if row[key].startswith("^") or key != "file" else f"^(?:{row[key]})", text, re.I)), {})


def _install(seen: Evidence, row: dict[str, Any], development: bool = False) -> str:
    """The command of this distribution; the three common ones where it is not known. On Windows the wheels of ROCm, "" for what is not in them."""
    if seen.text("about.os") == "windows":
        return _OF_WHEELS if row.get("rocm") else ""
    here = seen.text("os.distribution").lower()
    families = [family for family, names in _FAMILIES.items() if here.startswith(names)] or list(_INSTALLERS)
    lines = []
    for family in families:
        if not row.get(family):
            continue
        packages = str(row[family])
        if development and family != "arch":
            suffix = "-dev" if family == "debian" else "-devel"
            packages = " ".join(one if one.endswith(suffix) else re.sub(r"(?<=[a-z])\d*$", "", one.removesuffix("-libs")) + suffix for one in packages.split())
        lines.append(_INSTALLERS[family].format(packages))
    return "   # or: ".join(lines)


def _release_here(seen: Evidence) -> tuple[str, tuple[str, ...]]:
    """(ROCm major that is installed, the facts that say so)."""
    found = re.match(r"(\d+)\.\d", seen.text("runtime.rocm_version"))
    return (found[1], ("runtime.rocm_version",)) if found else ("", ())


def _libraries(seen: Evidence) -> Iterator[Found]:
    fatal = _hits(seen, "library_fatal", "library")
    every = [*fatal, *(hit for hit in _hits(seen, "library", "library") if hit.text not in {one.text for one in fatal})]
    known = [(hit, _library_rows.row_of(hit.captures["library"])) for hit in every]
    cuda = [hit for hit, row in known if row.get("cuda") and hit in fatal]
    if cuda:
        yield "cuda-build-on-amd", {"library": cuda[0].captures["library"]}, cuda, {}
    usable = [(hit, row) for hit, row in known if not row.get("cuda") and (row or hit in fatal)]
    first = next(((hit, row) for hit, row in usable if row.get("rocm")), usable[0] if usable else None)
    if first is None:
        return
    hit, row = first
    library = hit.captures["library"]
    hits = [hit, *(one for one, _ in usable if one is not hit)]
    if row.get("ggml"):
        yield "ggml-library-missing", {"library": library}, hits, {}
        return
    if row.get("torch"):
        yield "torch-library-incomplete", {"library": library}, hits, {}
        return
    number = re.search(r"\.so\.(\d+)", library)
    release = _library_rows.release_of(row, number[1]) if number else ""
    major, used = _release_here(seen)
    values = {"library": library, "component": row.get("title", "a library that is not in the table"), "install": _install(seen, row) or
              f"apt-file search {library}   # or: dnf provides '*/{library}'", "wanted": release, "have": f"ROCm {major}",
              "number": f" That number belongs to {release}." if release else "",
              "more": _others([one.captures["library"] for one in hits], library),
              "where": "In a container it belongs into the image (Dockerfile), not on the host." if seen.text("about.container") == "True" else ""}
    if release and major and not re.search(rf"\b{major}\b", release):
        yield "shared-library-of-other-release", values, hits, {"used": used, "general": False}
        return
    yield "shared-library-missing", values, hits, {"severity": "error" if hit in fatal else "warning"}


def _others(names: list[str], first: str) -> str:
    rest = [name for name in dict.fromkeys(names) if name != first][:4]
    return f" Also missing: {', '.join(rest)}." if rest else ""


def _dlls(seen: Evidence) -> Iterator[Found]:
    hits = _hits(seen, "dll", "library")
    for hit in hits:
        library = hit.captures["library"]
        row = _library_rows.row_of(library)
        if row.get("cuda"):
            yield "cuda-build-on-amd", {"library": library}, [hit], {}
            return
        if row.get("torch"):
            yield "torch-library-incomplete", {"library": library}, [hit], {}
            return
        if row.get("ggml"):
            yield "ggml-library-missing", {"library": library}, [hit], {}
            return
        if row or "Error loading" in hit.text or "because" in hit.text:
            release = re.search(r"amdhip64_(\d+)", library, re.I)
            where = f"{library} comes with display drivers and HIP SDKs of ROCm {release[1]}." if release else ""
            component = row.get("title", "a file that is not in the table")
            more = _others([one.captures["library"] for one in hits], library)
            yield "dll-missing", {"library": library, "component": component, "where": where, "more": more,
                                  "windows": row.get("windows") or f"the package or driver that brings it ({component})"}, [hit], {}
            return
    for hit in _hits(seen, "dll_of_module", "module"):
        module = hit.captures["module"]
        values = {"library": module, "component": "a Python module; a DLL that it needs is absent", "where": "Mostly the Visual C++ Redistributable (x64), "
                  "a second package of the same name, or a CUDA build of the package.", "more": "", "windows": "what the module needs, and the module anew"}
        yield "dll-missing", values, [hit], {}
        return


# What hipcc makes of each kernel for the host: mangled (length, name, then I, E, P ... of the types), or with C names.
_OWN_KERNEL = later.pattern(r"__device_stub__([A-Za-z]\w{1,80}?)(?=I[A-Z\dLbfi]|P[A-Zfv]|E|$)")


def _symbols(seen: Evidence) -> Iterator[Found]:
    rows = tables.load("libraries")["symbols"]
    for hit in _hits(seen, "symbol", "symbol"):
        symbol, row = hit.captures["symbol"], _row(rows, hit.captures["symbol"], "name")
        own, library = _OWN_KERNEL.search(symbol), hit.captures.get("library", "")
        if own and library:
            yield "library-lacks-own-kernel", {"what": library, "kernel": own[1]}, [hit], {}
            return
        if row:
            values = {"what": hit.captures.get("library", "The program"), "symbol": symbol[:80], "owner": row["owner"], "mix": row["mix"]}
            yield "symbol-missing", values, [hit], {"layer": "app" if row.get("ggml") else "framework" if row.get("torch") or row.get("cuda") else "runtime"}
            return


def _symbol_versions(seen: Evidence) -> Iterator[Found]:
    hits = _hits(seen, "symbol_version", "version")
    if not hits:
        return
    hit = max(hits, key=lambda one: [int(part) for part in one.captures["version"].split("_")[1].split(".")])
    kind, _, number = hit.captures["version"].partition("_")
    numbers = [int(part) for part in number.split(".")]
    row = next((row for row in tables.load("libraries")["symbol_versions"][kind] if [int(part) for part in str(row["version"]).split(".")] >= numbers), None)
    values = {"version": hit.captures["version"], "which": "C library (glibc)" if kind == "GLIBC" else "C++ library (libstdc++)",
              "by": hit.captures.get("by", "this build"), "has": f" First to have it: {row['has']}." if row else ""}
    yield "symbol-version-missing", values, hits, {}


def _headers(seen: Evidence) -> Iterator[Found]:
    rows = tables.load("libraries")["headers"]
    for hit in _hits(seen, "header", "header"):
        header = hit.captures["header"]
        row = _row(rows, header)
        of_rocm = any(_ROCM_HEADER.search(line) for line in hit.around)
        of_cuda = "host-compiler-reads-rocm-headers" if of_rocm else "cuda-sources-on-rocm"
        name = of_cuda if row.get("cuda") else "standard-headers-missing" if row.get("stl") else "header-missing"
        there = next((found for found in seen.hits_of("seen.messages.header_there") if found.captures.get("header") == header), None)
        if row and name == "header-missing" and there:
            folder = there.captures["path"]
            values = {"header": header, "component": row["title"], "folder": folder, "root": folder.removesuffix("/include")}
            yield "header-not-searched", values, [hit, there], {}
            return
        if row:
            own = header.partition("/")[0].lower()
            packages = {"debian": f"{own}-dev", "fedora": f"{own}-devel", "arch": own} if row.get("own") else row
            values = {"header": header, "component": own if row.get("own") else row["title"], "install": _install(seen, packages),
                      "where": f"With ROCm from pip: pip install \"{row['pip']}\"." if row.get("pip") else str(row.get("windows", ""))}
            yield name, values, [hit], {}
            return


def _cmake(seen: Evidence) -> Iterator[Found]:
    for hit in _hits(seen, "cmake_package", "package"):
        package = hit.captures["package"]
        row = _library_rows.row_of(f"lib{package}.so") or _library_rows.row_of(f"lib{package.lower()}.so")
        yield "build-package-missing", {"package": package, "component": row.get("title", package),
                                        "install": _install(seen, row, development=True) or f"apt-file search {package}-config.cmake"}, [hit], {}
        return


def _links(seen: Evidence) -> Iterator[Found]:
    for hit in _hits(seen, "link", "library"):
        library = hit.captures["library"]
        row = _library_rows.row_of(f"lib{library}.so")
        yield "link-library-missing", {"library": library, "component": row.get("title", "a library that is not in the table"),
                                       "install": _install(seen, row, development=True) or f"apt-file search lib{library}.so"}, [hit], {}
        return


def meaning(text: str) -> dict[str, Any]:
    """The row of the table of exit codes for a code as programs print it: hex, signed, unsigned, or rounded by JavaScript; {} when there is none.

    >>> [meaning(code).get("kind") for code in ("132", "-11", "0xC0000135", "3221225501", "-1073740791", "18446744072635812000", "1")]
    ['instruction', 'crash', 'dll', 'instruction', 'abort', None, None]
    """
    number = int(text, 16) if text.lower().startswith("0x") else int(text)
    for row in tables.load("exit_codes")["codes"]:
        for code in row["codes"]:
            if number == code or (code > 255 and number == code - 2**32) or (number > 2**53 and number == 2**64 + code - 2**32):
                return dict(row)
    return {}


def _codes(seen: Evidence) -> Iterator[Found]:
    found = []
    for hit in seen.hits_of("seen.messages.exit_code"):
        code = hit.captures.get("code") or hit.captures.get("number") or ""
        row = meaning(code) if code else {}
        if row and row["kind"] != "instruction" and (row["os"] != "linux" or seen.text("about.os") != "windows"):
            found.append((not row.get("tells"), code, row, hit))
    if not found:
        return
    tells_not, code, row, hit = min(found, key=lambda one: one[0])
    values = {"code": code, "means": row["means"]}
    question = {"decided": False, "severity": "info", "asks": f"In which library did it end with exit code {code}?"}
    yield "exit-code", values, [hit], {"fixes": row["kind"], **(question if tells_not else {"asks": ""})}


def _instruction(seen: Evidence) -> Iterator[Found]:
    hits = seen.hits_of("seen.messages.instruction")
    coded = [hit for hit in seen.hits_of("seen.messages.exit_code") if (code := hit.captures.get("code") or hit.captures.get("number"))
             and meaning(code).get("kind") == "instruction"]
    hits = [*hits, *(hit for hit in coded if hit not in hits)]
    if not hits:
        return
    place = next((found[1] for hit in hits if (found := re.search(r" in ([\w+.-]{2,60}\.(?:so|dll)[.\d]*)", hit.text))), "")
    cpu = seen.text("machine.cpu")
    virtual = seen.text("machine.virtual")
    used = tuple(name for name, value in (("machine.cpu", cpu), ("machine.virtual", virtual)) if value)
    told = (f" Processor: {cpu}." if cpu else "") + (f" This is a virtual machine ({virtual})." if virtual else "")
    yield "instruction-not-on-this-cpu", {"where": f" in {place}" if place else "", "cpu": told}, hits, {"used": used}


def _modules(seen: Evidence) -> Iterator[Found]:
    rows = tables.load("libraries")["modules"]
    crashed = seen.text("crash.library")
    hits = _hits(seen, "fault", "library")
    named: list[tuple[str, tuple[str, ...]]] = [(crashed, ("crash.library",))] if crashed else [(hit.captures["library"], ()) for hit in hits]
    for library, used in named:
        row = _row(rows, library)
        if row:
            lines = [hit for hit in hits if hit.captures["library"].lower() == library.lower()]
            program = seen.text("crash.program") if used else ""
            name = "crash-in-module-windows" if library.lower().endswith((".dll", ".sys", ".exe")) else "crash-in-module"
            yield name, {"program": program or "The program", "library": library, "component": row["title"], "advice": row["do"]}, lines, {
                "layer": row["layer"], "used": used}
            return


def _kin(seen: Evidence, gfx: str) -> tuple[str, str]:
    """(whose kernels the GPU can run, what else computes on it)."""
    override = tables.override_for(gfx)
    windows = seen.text("about.os") == "windows"
    other = "llama.cpp, Ollama, LM Studio and koboldcpp have a Vulkan backend, which needs no kernels made for one target."
    if not override:
        return "", other
    if windows:
        return f" On Linux {gfx} can run the kernels of a sibling (HSA_OVERRIDE_GFX_VERSION={override}); on Windows that variable has no effect.", other
    return f" {gfx} can run the kernels of a sibling: HSA_OVERRIDE_GFX_VERSION={override}.", other


_WHO = (
    ("aiter", "AITER"), ("triton", "Triton"), ("flash_attn", "flash-attn"), ("flash-attn", "flash-attn"),
    ("vllm", "vLLM"), ("sglang", "SGLang"), ("sgl_kernel", "sgl-kernel"), ("bitsandbytes", "bitsandbytes"),
    ("xformers", "xFormers"), ("composable", "Composable Kernel"), ("ck_tile", "Composable Kernel"), ("hipblaslt", "hipBLASLt"),
    ("rocblas", "rocBLAS"), ("tensile", "rocBLAS (Tensile)"), ("miopen", "MIOpen"), ("rocwmma", "rocWMMA"),
    ("migraphx", "MIGraphX"), ("deepspeed", "DeepSpeed"), ("torch_dsa", "torch"), ("torch", "torch"),
    ("ggml", "this build of llama.cpp (ggml)"), ("llama", "this build of llama.cpp (ggml)"), ("ollama", "Ollama"), ("jax", "JAX"),
    ("tensorflow", "TensorFlow"), ("hipcc", "the compiler (hipcc)"), ("clang", "the compiler (clang)"),
)


def _who(seen: Evidence, hits: list[Hit]) -> str:
    """Whose message it is, by the line itself, then the lines around it, then the package at the end of the traceback."""
    lines, around = " ".join(hit.text for hit in hits[:3]), " ".join(line for hit in hits[:3] for line in hit.around)
    for text in (lines, seen.text("python.failing_package"), around, " ".join(seen.texts("about.app"))):
        found = next((title for word, title in _WHO if word in text.lower()), "")
        if found:
            return found
    return "The program"


def _targets(seen: Evidence) -> Iterator[Found]:
    wanted, refused = _hits(seen, "target_wanted", "gfx"), _hits(seen, "target_refused", "gfx")
    for hit in (*wanted, *refused):
        gfx = hit.captures["gfx"].lower()
        if not tables.generation(gfx):
            continue
        kin, other = _kin(seen, gfx)
        if (hit.kind == "build_log" or _BUILDING & seen.symptoms) and not hit.captures.get("want"):
            yield "build-target-not-accepted", {"who": _who(seen, [hit]), "gfx": gfx, "other": other}, [hit], {}
            return
        want = hit.captures.get("want", "")
        made = f", it is made for {want}" if want else ""
        part = failing_part.of_line(hit.text) or next((row for app in seen.texts("about.app") if (row := failing_part.of_id(app))), {})
        yield "target-not-accepted", {"who": _who(seen, [hit]), "gfx": gfx, "want": made, "kin": kin, "other": other, "around": part.get("around") or "",
                                      "around_commands": part.get("around_commands") or ""}, [hit], {}
        return


_UNREADABLE = later.pattern(r"image is invalid|InvalidImage|InvalidKernelFile|invalid kernel file", re.I)
_MODULE = later.pattern(r"([\w.+-]{2,80}\.(?:so|pyd|dll|hsaco|co))\b")


def _kernels(seen: Evidence) -> Iterator[Found]:
    hits = seen.hits_of("seen.messages.no_kernel") or seen.hits_of("seen.messages.no_kernel_told")
    if not hits:
        return
    named = next((hit.captures["gfx"] for hit in hits if hit.captures.get("gfx")), "")  # the run-time names the GPU that it has nothing for
    fitted = [named] if named else list(_gpus.fitted(seen)) or [word for word in seen.texts("about.gpu") if word.startswith("gfx")]
    gpu = fitted[0] if len(fitted) == 1 else ""
    if {"apu", "dgpu"} <= set(map(tables.kind, fitted)) or not named and _leaves_out_integrated(seen, fitted):
        yield "kernels-missing-beside-integrated-gpu", {"who": _who(seen, hits)}, hits, {"used": ("about.gpu",)}
        return
    who, of = _who(seen, hits), f" ({gpu})" if gpu else ""
    listed = next((name for name, targets in _torch_lists(seen) if tables.covers(targets, gpu)), "") if gpu and who == "torch" else ""
    if all(_UNREADABLE.search(hit.text) for hit in hits):
        yield "kernel-image-unreadable", {"who": who, "gpu": of}, hits, {"used": ("about.gpu",) if gpu else ()}
        return
    if listed:
        yield "kernels-listed-but-not-loaded", {"who": who, "gpu": gpu}, hits, {"used": (listed, "about.gpu")}
        return
    module = _next_module(hits) if named else ""
    kin, other = _kin(seen, gpu) if gpu else ("", "")
    yield "kernels-missing-for-gpu", {"who": f"{who} ({module})" if module else who, "gpu": of, "kin": kin, "other": other, "gfx": gpu or "gfxNNNN"}, hits, {
        "used": ("about.gpu",) if gpu else ()}


def _leaves_out_integrated(seen: Evidence, fitted: list[str]) -> bool:
    """Whether torch's list has the card and not the integrated GPU that is named beside it."""
    words = [word for word in seen.texts("about.gpu") if word.startswith("gfx") and tables.kind(word) == "apu"]
    return bool(fitted) and any(all(tables.covers(targets, gfx) for gfx in fitted) and not all(tables.covers(targets, word) for word in words)
                                for _, targets in _torch_lists(seen))


def _torch_lists(seen: Evidence) -> list[tuple[str, list[str]]]:
    """(fact, targets) of each installation of torch whose list was read."""
    names = [key("torch.arch_list", item) for item in items_of(seen.facts, "torch")]
    return [(name, targets) for name in names if (targets := seen.texts(name))]


def _next_module(hits: list[Hit]) -> str:
    """The library that a trace names right after the run-time found no code object in it."""
    for hit in hits:
        after = hit.around[hit.around.index(hit.text) + 1:] if hit.text in hit.around else ()
        found = next((found for line in after if (found := _MODULE.search(line))), None)
        if found:
            return found[1]
    return ""


def _versions(seen: Evidence) -> Iterator[Found]:
    for hit in _hits(seen, "version_refused", "want"):
        told = hit.captures
        if told.get("have") and told.get("what", "").lower() not in ("rocm", "driver", "it"):
            yield "version-not-accepted", {"who": told.get("who", "The program"), "what": told["what"], "want": told["want"], "have": told["have"]}, [hit], {}
            return


def _fallback(seen: Evidence) -> Iterator[Found]:
    """What a program says of itself: it took something else than it wanted. Of no use where nothing is wrong, or where the kernel says what is."""
    hits = _hits(seen, "fallback", "what") if seen.symptoms and not seen.hits_of("seen.trouble-told.kernel") else []
    for hit in hits:
        have = seen.text("runtime.hip_version")
        installed = f" Installed is HIP {have}." if have else ""
        yield "says-it-falls-back", {"what": hit.captures["what"].strip(" .[]")[:_SAID], "installed": installed}, [hit], {"observes": True}
        return


def _std_names(seen: Evidence) -> Iterator[Found]:
    """A name of the C++ library whose header the sources do not include; where the table has none the header bears the name."""
    headers = {name: header for header, names in tables.load("libraries")["std_headers"].items() for name in names}
    for hit in _hits(seen, "std_name", "name"):
        name, file = hit.captures["name"], hit.captures["file"]
        yield "std-include-missing", {"name": name, "header": headers.get(name, name), "file": file,
                                      "who": str(failing_part.of_file(file).get("title") or "the program")}, [hit], {}
        return


def _missing_paths(seen: Evidence) -> Iterator[Found]:
    """A file or folder of the stack that a program looks for and does not find."""
    for hit in _hits(seen, "missing_path", "path") if seen.symptoms else []:
        path = hit.captures["path"].rstrip(".")
        yield "path-missing", {"path": path, "name": path.rstrip("/").rpartition("/")[2]}, [hit], {"observes": True}
        return
