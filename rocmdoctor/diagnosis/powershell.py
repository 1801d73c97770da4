"""Commands of a shell as Windows PowerShell 5.1 has them: variables, programs that are called alike on both systems, and a few that have a twin."""

from __future__ import annotations

import functools
import re

from rocmdoctor import later
from rocmdoctor.knowledge import tables

_LONGEST = 2000  # characters of a command
_VALUE = r"[^\s;&|$`]*"
_SET = later.pattern(rf"^(?:export|set)((?: [A-Za-z_]\w*={_VALUE})+)$")
_UNSET = later.pattern(r"^unset((?: [A-Za-z_]\w*)+)$")
_WITHOUT = later.pattern(r"^env((?: -u [A-Za-z_]\w*)+) (\S.*)$")
_BEFORE = later.pattern(rf"^((?:[A-Za-z_]\w*={_VALUE}\s+)+)(\S.*)$")
_ALIKE = later.pattern(r"^(?:python|pip|uv|conda|rocm-sdk|git|cmake|ninja|docker|podman|kubectl|helm|ollama|lms|lemonade|llama-[a-z]+|koboldcpp|sd-cli"
                       r"|rocmdoctor|hipcc|hipconfig|vulkaninfo|winget|setx|wsl|where\.exe|taskkill|pnputil|reg|PROGRAM)(?:\s|$)")
# What a shell does by itself, what Windows does not have, and wheels that are made for Linux only, those of ROCm on pytorch.org among them.
_OF_SHELL = later.pattern(r"[|;&`<>*~\\()]|\$|(?:^|[\s=:'\"])/(?:opt|usr|etc|dev|sys|proc|var|lib|home|tmp)\b|download\.pytorch\.org/whl/\S*rocm"
                          r"|manylinux|linux_x86_64")
# Quoted words that both take alike; PowerShell 5.1 loses quotes inside of quotes when it starts a program.
_QUOTED = later.pattern(r"'[^'\"]*'|\"[^\"$`\\]*\"")
# Words that PowerShell would take apart: a comma makes a list, and after one dash a dot begins a word of its own.
_TAKEN_APART = later.pattern(r"(?P<quoted>'[^']*'|\"[^\"]*\")|(?<!\S)(?=\S*,|-[^\s-]\S*\.)[^\s'\"]+(?!\S)")
_FOLDER = later.pattern(r"rm -rf? (?:(?P<home>~/)(?P<kept>\.triton(?:/[\w.-]+)*)|(?P<here>[\w.-]+(?:/[\w.-]+)*))")
_FOUND = later.pattern(r"(?:which(?: -a)?|type -a|command -v)((?: [\w.-]+)+)")
_PICKED = later.pattern(r"(?P<of>.+?) \| grep (?P<kind>-i |-E |-iE |-Ei |)(?P<quote>['\"]?)(?P<what>[\w .|^()?+-]+)(?P=quote)")
_KEPT = later.pattern(r"(.+?) 2>&1 \| tee ([\w.-]+)")
_NAMED = {"python3": "python", "pip3": "pip"}
# AMD's own index has the wheels of ROCm 7 for Windows as well.
_TORCH_INDEX = later.pattern(r"https://download\.pytorch\.org/whl/(?:nightly/)?rocm7[\d.]*/?$")
_AMD_INDEX = "https://rocm.nightlies.amd.com/v2/gfx110X-all/"
_AMD_NOTE = "   # your family's name in place of gfx110X-all"


@functools.cache
def _of_other_systems() -> tuple[frozenset[str], tuple[str, ...]]:
    """Variables that nothing on Windows reads: whole names, and beginnings of names."""
    names = [str(row["name"]) for row in tables.load("env_vars")["vars"] if row.get("platforms") and "windows" not in row["platforms"]]
    return frozenset(name for name in names if not name.endswith("*")), ("LD_", *(name[:-1] for name in names if name.endswith("*")))


def _foreign(name: str) -> bool:
    whole, beginnings = _of_other_systems()
    return name in whole or name.startswith(beginnings)


def _variables(pairs: str) -> str:
    """Assignments of a shell; "" when nothing on Windows reads one of the variables."""
    given = [pair.split("=", 1) for pair in pairs.split()]
    if any(_foreign(name) or "%" in value for name, value in given):
        return ""
    bare = {name: value.strip("'\"").replace("'", "''") for name, value in given}
    return "; ".join(f"$env:{name} = '{value}'" for name, value in bare.items())


def translated(line: str) -> str:
    """The line for PowerShell; "" when it is one that only a shell understands, or that does nothing on Windows.

    >>> translated("HIP_VISIBLE_DEVICES=0 llama-server -m model.gguf   # the card")
    "$env:HIP_VISIBLE_DEVICES = '0'; llama-server -m model.gguf   # the card"
    >>> translated("export GGML_VK_DISABLE_COOPMAT=1"), translated("unset HSA_OVERRIDE_GFX_VERSION"), translated("sudo reboot")
    ("$env:GGML_VK_DISABLE_COOPMAT = '1'", 'Remove-Item Env:HSA_OVERRIDE_GFX_VERSION', '')
    >>> translated("rm -rf build"), translated("which -a hipcc"), translated("HSA_ENABLE_SDMA=0 python main.py")
    ('Remove-Item -Recurse -Force build', 'where.exe hipcc', '')
    >>> translated("cmake -S . -B build && cmake --build build"), translated("python3 -c 'import torch; print(1)'")
    ('cmake -S . -B build; if ($?) { cmake --build build }', "python -c 'import torch; print(1)'")
    >>> translated("pip list | grep -iE 'torch|triton'"), translated("env -u GGML_VK_DISABLE_F16 PROGRAM")
    ("pip list | Select-String 'torch|triton'", 'Remove-Item Env:GGML_VK_DISABLE_F16; PROGRAM')
    >>> translated("llama-server -ts 3,1 -m a.gguf"), translated("cmake -DLAB_VERSION=1.2 -B build")
    ("llama-server -ts '3,1' -m a.gguf", "cmake '-DLAB_VERSION=1.2' -B build")
    >>> translated("python -c 'import torch; print(torch.__version__, torch.version.hip)'"), translated("unset A && vulkaninfo")
    ("python -c 'import torch; print(torch.__version__, torch.version.hip)'", 'Remove-Item Env:A; vulkaninfo')
    >>> translated("pip install torch --index-url https://download.pytorch.org/whl/rocm7.2")
    "pip install torch --index-url https://rocm.nightlies.amd.com/v2/gfx110X-all/   # your family's name in place of gfx110X-all"
    """
    if len(line) > _LONGEST:
        return ""
    found = re.search(r"\s+#\s.*$", line)
    comment, bare = (found.group(), line[:found.start()]) if found else ("", line)
    if not found and _TORCH_INDEX.search(bare):
        comment, bare = _AMD_NOTE, _TORCH_INDEX.sub(_AMD_INDEX, bare)
    steps = [_step(step.strip()) for step in bare.split(" && ")]
    if len(steps) > 2 or not all(steps):
        return ""
    if len(steps) == 1:
        return steps[0] + comment
    always = steps[0].startswith(("Remove-Item Env:", "$env:"))  # a variable that is not there is no reason to stop
    return f"{steps[0]}; {steps[1]}{comment}" if always else f"{steps[0]}; if ($?) {{ {steps[1]} }}{comment}"


def _removed(names: list[str]) -> str:
    return "Remove-Item " + ", ".join(f"Env:{name}" for name in names)


def _step(bare: str) -> str:
    """One command, "" when it is only a shell's."""
    if match := _SET.match(bare):
        return _variables(match[1])
    if match := _UNSET.match(bare):
        return _removed(match[1].split())
    if match := _FOLDER.fullmatch(bare):
        return "Remove-Item -Recurse -Force " + (match["here"] or '"$HOME\\' + match["kept"].replace("/", "\\") + '"')
    if match := _FOUND.fullmatch(bare):
        return f"where.exe{match[1]}"
    if match := _WITHOUT.match(bare):
        names, inner = match[1].replace("-u ", "").split(), _step(match[2])
        return f"{_removed(names)}; {inner}" if inner and not any(map(_foreign, names)) else ""
    if (match := _PICKED.fullmatch(bare)) and ("E" in match["kind"] or not re.search(r"[|()?+]", match["what"])):
        inner = "Get-ChildItem Env:" if match["of"] == "env" else _step(match["of"])
        picked = f"Where-Object Name -match '{match['what']}'" if match["of"] == "env" else f"Select-String '{match['what']}'"
        return f"{inner} | {picked}" if inner else ""
    if match := _KEPT.fullmatch(bare):
        inner = _step(match[1])
        return f"{inner} 2>&1 | Tee-Object {match[2]}" if inner else ""
    before = _BEFORE.match(bare)
    program = before[2] if before else bare
    first, blank, rest = program.partition(" ")
    program = _NAMED.get(first, first) + blank + rest
    if not _ALIKE.match(program) or _OF_SHELL.search(_QUOTED.sub("X", program)):
        return ""
    program = _TAKEN_APART.sub(lambda found: found[0] if found["quoted"] else f"'{found[0]}'", program)
    settings = _variables(before[1]) if before else ""
    return "" if before and not settings else "; ".join(filter(None, (settings, program)))
