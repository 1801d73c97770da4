"""rocm_agent_enumerator, ``rocm-sdk targets/version/test``, hipconfig and ``.info/version``.

>>> for r in read("$ rocm_agent_enumerator\\ngfx000\\ngfx1100\\ngfx1036\\n$ rocm-sdk targets\\ngfx1100;gfx1101\\n"
...     "$ rocm-sdk version\\n7.10.0a20251120\\n$ hipconfig --full\\nHIP version: 7.1.25424-4179531dcd\\n"):
...     print(r.name, r.value, r.item, r.line)
gpu.gfx_reported gfx1100 enumerator:0 3
gpu.gfx_reported gfx1036 enumerator:1 4
runtime.rocm_targets ['gfx1100', 'gfx1101']  6
runtime.rocm_version 7.10.0a20251120  8
runtime.hip_version 7.1.25424-4179531dcd  10
"""

from __future__ import annotations

from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.texts.lines import gfx, lazy, lines, targets

TRUST = 2

MARKS = ("rocm_agent_enumerator", "rocm-sdk ", "gfx000", "HIP version", "hipconfig", ".info/version", "rocm_sdk")
_ONE = lazy(r"gfx[0-9a-f]{3,4}$")
_LIST = lazy(r"gfx[0-9a-f]{3,4}(?:[;, ]+gfx[0-9a-f]{3,4})+;?$")
_COMMAND = lazy(r"^(?:\([\w.-]{1,40}\) ?)?(?:\S{0,60}[$#>%] ?|PS \S{1,80}> ?)(?:\S{0,80}/)?"
                r"(rocm-sdk \w+|rocm_agent_enumerator|cat \S{0,80}\.info/version\S*|hipconfig)")
_NUMBER = lazy(r"([4-9]|1[0-9])\.\d{1,2}(?:\.\d{1,2})?(?:(?:a|rc|b|\.dev)\w{1,40})?(?:-\d{1,6})?$")
_PATH = lazy(r"^[ \t]*(?:HIP_PATH|ROCM_PATH)\s*: ?(/\S{0,80}?rocm\S*?(?:/core)?-(\d\.\d{1,2}(?:\.\d{1,2})?)\S{0,40}|/\S{1,120})$")
_HIP = lazy(r"^[ \t]*(?:HIP version|hipconfig) ?: ?(\d\.\d{1,2}\.\d{3,6}[\w.-]{0,40})")
_HIP_ALONE = lazy(r"(\d\.\d{1,2}\.\d{3,6}(?:-[\w.-]{0,40})?)$")


def recognises(text: str) -> bool:
    """A command or a first line that only these tools have.

    >>> recognises("gfx000\\ngfx1030"), recognises("gfx1030 hangs")
    (True, False)
    """
    return any(mark in text for mark in MARKS)


def read(text: str) -> Iterator[Reading]:
    """Agents in the order of the list, and what the wheels or the installation say of themselves."""
    command, agents, listing = "", 0, "rocm_agent_enumerator" in text
    for number, line in lines(text):
        body = line.strip()
        found = _COMMAND.match(body[:200])
        if found:
            command = found[1]
            continue
        if body == "gfx000":
            command, listing = "rocm_agent_enumerator", True
        elif _ONE.match(body) and (listing or command == "rocm_agent_enumerator") and not command.startswith("rocm-sdk"):
            yield Reading("gpu.gfx_reported", gfx(body), f"enumerator:{agents}", number)
            agents += 1
        elif command == "rocm-sdk targets" and (_LIST.match(body[:2000]) or _ONE.match(body)):
            yield Reading("runtime.rocm_targets", [name for name, _ in targets(body[:2000])], "", number)
        elif command.endswith(("version", "version-dev")) and _NUMBER.match(body[:80]):
            yield Reading("runtime.rocm_version", body, "", number)
        elif "_PATH" in body and (path := _PATH.match(body[:200])) and path[2]:
            yield Reading("runtime.rocm_version", path[2], "", number)
        elif "HIP version" in body or body.startswith("hipconfig"):
            hip = _HIP.match(body[:120])
            if hip:
                yield Reading("runtime.hip_version", hip[1], "", number)
        elif command == "hipconfig" and (hip := _HIP_ALONE.match(body[:80])):
            yield Reading("runtime.hip_version", hip[1], "", number)
        elif body and body[0] in "$#" and not found:
            command = ""
