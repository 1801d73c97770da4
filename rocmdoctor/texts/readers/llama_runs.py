"""How llama.cpp was run and how fast: command lines, context lines of the log, llama-bench tables and JSON lines.

>>> for r in read("./llama-server -m model.gguf -ngl 99 -fa on -c 32768 --no-mmap -ctk q8_0\\n"
...     "| model | size | params | backend | ngl | test | t/s |\\n| --- | ---: | ---: | --- | --: | --: | --: |\\n"
...     "| llama 7B Q4_0 | 3.56 GiB | 6.74 B | Vulkan | 99 | tg128 | 52.10 ± 0.30 |\\n"):
...     print(r.name, r.value, r.line)
llama.gpu_layers_asked 99 1
llama.flash_attention True 1
llama.context_tokens 32768 1
llama.mmap False 1
llama.kv_type q8_0 1
llama.backend vulkan 4
llama.tokens_per_second 52.1 4
llama.options {'n-gpu-layers': '99', 'flash-attn': 'on', 'ctx-size': '32768', 'no-mmap': '', 'cache-type-k': 'q8_0'} 1
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products, tables
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import lazy, lines

TRUST = 1
KINDS = kinds.QUOTED  # people quote their command in their sentences

MARKS = ("llama-", "-ngl", "--n-gpu-layers", "flash_attn", "n_ctx ", "| backend ", "build_commit,", '"build_commit"', "--ctx-size", "--gpu-layers", "main -m",
         "--no-mmap", "num_gpu")
_PROGRAM = lazy(r"(?:^|[\s/\\\"'`])(?:llama-(?:server|cli|bench|completion|run|perplexity|simple)(?:\.exe)?|main(?:\.exe)? -m"
                r"|server(?:\.exe)? -m)\b(.{0,3000})")
_LAYERS = lazy(r"(?:-ngl|--n-gpu-layers|--gpu-layers)[ =](\d{1,4})\b")
_FLASH = lazy(r"(?:^|\s)(?:-fa|--flash-attn)(?:[ =](on|off|auto|0|1))?(?=\s|$)")
_CONTEXT = lazy(r"(?:^|\s)(?:-c|--ctx-size)[ =](\d{2,8})\b")
_MMAP = lazy(r"(?:^|\s)(--no-mmap|-mmp[ =]0|--mmap[ =]0|--mmap)(?=\s|$)")
_KV = lazy(r"(?:-ctk|--cache-type-k)[ =]([a-z]\w{1,8})\b")
_SAID = lazy(r"llama_(?:context|new_context_with_model|init_from_model): (flash_attn|n_ctx|type_k) +=? ?= *(\w{1,12})\s*$")
_NUM_GPU = lazy(r"(?:^|\s)PARAMETER +num_gpu +(\d{1,4})\b|\"num_gpu\" ?: ?(\d{1,4})\b|/set parameter num_gpu (\d{1,4})\b")
_OPTION = lazy(r"(?:^|\s)(--?[a-z][a-z-]{0,24})(?:[ =](?!-[a-zA-Z-])([^\s\"'`\\]{1,80}))?(?=\s|$)")
_DEVICES = lazy(r"\"gpu_info\": ?\"([^\"\n]{3,600})\"")
_TEST = lazy(r"^tg\d+")
_BACKENDS = {"rocm": "rocm", "hip": "rocm", "cuda": "cuda", "vulkan": "vulkan", "cpu": "cpu", "blas": "cpu"}


def recognises(text: str) -> bool:
    """A command line, a context line or a table of llama-bench.

    >>> recognises("llama-server -m x.gguf -ngl 99"), recognises("llama")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def _asked(arguments: str, number: int) -> Iterator[Reading]:
    layers, flash, context, mmap, kv = (found.search(arguments) for found in (_LAYERS, _FLASH, _CONTEXT, _MMAP, _KV))
    if layers:
        yield Reading("llama.gpu_layers_asked", int(layers[1]), "", number)
    if flash and flash[1] != "auto":
        yield Reading("llama.flash_attention", flash[1] not in ("off", "0"), "", number)
    if context:
        yield Reading("llama.context_tokens", int(context[1]), "", number)
    if mmap:
        yield Reading("llama.mmap", mmap[1] == "--mmap", "", number)
    if kv and kv[1] != "f16":
        yield Reading("llama.kv_type", kv[1], "", number)


def _options(arguments: str) -> dict[str, str]:
    """The options of the table that stand in a command line, by their long names.

    >>> _options("-m a.gguf -ngl 0 --no-mmap -fa --device Vulkan0 -x 3")
    {'n-gpu-layers': '0', 'no-mmap': '', 'flash-attn': '', 'device': 'Vulkan0'}
    """
    table = tables.load("llama_options")
    found: dict[str, str] = {}
    for option in _OPTION.finditer(arguments.split(" | ")[0].split(" && ")[0]):
        name = table["names"].get(option[1])
        if name and (option[2] or name not in table["values"]):
            takes = name in table["values"] or name == "flash-attn" and option[2] in ("on", "off", "auto", "0", "1")
            found[name] = option[2] if takes and option[2] else ""
    return found


def _context(line: str, number: int) -> Iterator[Reading]:
    said = _SAID.search(line[:200])
    if said and said[1] == "flash_attn" and said[2] not in ("auto", "2"):
        yield Reading("llama.flash_attention", said[2] in ("1", "enabled", "on"), "", number)
    elif said and said[1] == "n_ctx" and said[2].isdigit():
        yield Reading("llama.context_tokens", int(said[2]), "", number)
        yield Reading("llama.context_given", int(said[2]), "", number)
    elif said and said[1] == "type_k" and said[2] != "f16":
        yield Reading("llama.kv_type", said[2], "", number)


def _bench_line(line: str, number: int) -> Iterator[Reading]:
    try:
        run = json.loads(line)
    except (ValueError, RecursionError):
        return
    if isinstance(run, dict) and run.get("n_gen") and isinstance(run.get("avg_ts"), (int, float)):
        yield Reading("llama.tokens_per_second", round(float(run["avg_ts"]), 2), "", number)
        if isinstance(run.get("model_size"), int):
            yield Reading("llama.model_bytes", run["model_size"], "", number)
        if isinstance(run.get("use_mmap"), bool):
            yield Reading("llama.mmap", run["use_mmap"], "", number)


def _cards(named: str, number: int) -> Iterator[Reading]:
    """The devices that a run could use, as one value: "AMD Radeon RX 7900 XT, AMD Radeon RX 7900 XT"."""
    for index, name in enumerate(named.split(", ")[:16]):
        if products.gfx_of_name(name):
            yield Reading("gpu.name", name.split(" (RADV")[0].strip(), f"bench:{index}", number)
            yield Reading("gpu.gfx_reported", products.gfx_of_name(name), f"bench:{index}", number)


def _bench_row(header: list[str], line: str, number: int) -> Iterator[Reading]:
    """A row of ``llama-bench -o csv``."""
    import csv

    run = dict(zip(header, next(csv.reader([line[:4000]]), []), strict=False))
    if run.get("build_number", "").isdigit():
        yield Reading("llama.build", int(run["build_number"]), "", number)
    backend = _BACKENDS.get(run.get("backends", "").split(",")[0].lower())
    if backend:
        yield Reading("llama.backend", backend, "", number)
    yield from _cards(run.get("gpu_info", ""), number)
    try:
        speed, size = float(run.get("avg_ts", "")), int(run.get("model_size", ""))
    except ValueError:
        return
    yield Reading("llama.model_bytes", size, "", number)
    if run.get("n_gen", "0") != "0":
        yield Reading("llama.tokens_per_second", round(speed, 2), "", number)


def _row(header: list[str], line: str, number: int) -> Iterator[Reading]:
    cells = dict(zip(header, (cell.strip() for cell in line.strip().strip("|").split("|")), strict=False))
    backend = _BACKENDS.get(cells.get("backend", "").split(",")[0].lower())
    if backend:
        yield Reading("llama.backend", backend, "", number)
    speed = cells.get("t/s", "").split(" ")[0]
    if _TEST.match(cells.get("test", "")) and "@" not in cells["test"] and speed.replace(".", "", 1).isdigit():
        yield Reading("llama.tokens_per_second", float(speed), "", number)


def read(text: str) -> Iterator[Reading]:
    """What was asked first; the first generation test of a table."""
    header: list[str] = []
    columns: list[str] = []
    options: dict[str, str] = {}
    at = 0
    for number, line in lines(text):
        if "llama-" in line or " -m " in line:
            program = _PROGRAM.search(line[:4000])
            if program:
                yield from _asked(program[1], number)
                options, at = {**options, **_options(program[1])}, at or number
        elif line.lstrip()[:2] in ("-n", "-f", "-c", "--") and ("-ngl" in line or "--flash-attn" in line or "--ctx-size" in line or "-fa" in line):
            yield from _asked(line.strip(" \\`^"), number)  # a command that goes over several lines
            options, at = {**options, **_options(line.strip(" \\`^"))}, at or number
        if "num_gpu" in line:
            layers = _NUM_GPU.search(line[:2000])
            if layers:
                yield Reading("llama.gpu_layers_asked", int(layers[1] or layers[2] or layers[3]), "", number)
        if "llama_" in line and "=" in line:
            yield from _context(line, number)
        if "|" in line:
            if "backend" in line and "t/s" in line:
                header = [cell.strip() for cell in line.strip().strip("|").split("|")]
            elif header and "---" not in line:
                yield from _row(header, line, number)
        if line.startswith("build_commit,"):
            columns = line.split(",")
        elif columns and "," in line:
            yield from _bench_row(columns, line, number)
        if '"build_commit"' in line and line.lstrip()[:1] == "{":
            yield from _bench_line(line.strip(), number)
        devices = _DEVICES.search(line[:4000]) if "gpu_info" in line else None
        if devices:
            yield from _cards(devices[1], number)
    if options:
        yield Reading("llama.options", options, "", at)
