"""Commands of a shell as Windows PowerShell has them: variables, and programs that are called alike on both systems."""

from __future__ import annotations

import re

_SET = re.compile(r"^(?:export|set) ([A-Za-z_]\w*)=([^\s;&|$`]*)$")
_BEFORE = re.compile(r"^((?:[A-Za-z_]\w*=[^\s;&|$`]*\s+)+)(\S.*)$")
_ALIKE = re.compile(r"^(?:python|pip|uv|git|cmake|ollama|lms|lemonade|llama-[a-z]+|koboldcpp|sd-cli|rocmdoctor|hipcc|hipconfig|vulkaninfo"
                    r"|winget|setx|wsl|where\.exe|taskkill|pnputil|reg)(?:\s|$)")
# What a shell does by itself, or what Windows does not have.
_OF_SHELL = re.compile(r"[|;&`<>*~\\]|\$|(?:^|[\s=:'\"])/(?:opt|usr|etc|dev|sys|proc|var|lib|home|tmp)\b")


def _variable(name: str, value: str) -> str:
    bare = value.strip("'\"")
    return f"$env:{name} = '{bare}'"


def translated(line: str) -> str:
    """The line for PowerShell; "" when it is one that only a shell understands.

    >>> translated("HIP_VISIBLE_DEVICES=0 llama-server -m model.gguf   # the card")
    "$env:HIP_VISIBLE_DEVICES = '0'; llama-server -m model.gguf   # the card"
    >>> translated("export GGML_VK_DISABLE_COOPMAT=1"), translated("unset HSA_OVERRIDE_GFX_VERSION"), translated("sudo reboot")
    ("$env:GGML_VK_DISABLE_COOPMAT = '1'", 'Remove-Item Env:HSA_OVERRIDE_GFX_VERSION', '')
    """
    found = re.search(r"\s+#\s.*$", line)
    comment, bare = (found.group(), line[:found.start()]) if found else ("", line)
    bare = bare.strip()
    if match := _SET.match(bare):
        return _variable(match[1], match[2]) + comment
    if match := re.fullmatch(r"unset ([A-Za-z_]\w*)", bare):
        return f"Remove-Item Env:{match[1]}{comment}"
    before = _BEFORE.match(bare)
    program = before[2] if before else bare
    if not _ALIKE.match(program) or _OF_SHELL.search(program):
        return ""
    settings = [_variable(*pair.split("=", 1)) for pair in before[1].split()] if before else []
    return "; ".join([*settings, program]) + comment
