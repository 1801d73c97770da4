"""What a person lists as switched on beside the program: variables, launch options of games, features of AMD's control panel, virtual displays.

>>> text = "Launch options: PROTON_ENABLE_WAYLAND=1 mangohud %command%\\nRadeon Anti-Lag: Enabled, Radeon Chill: Disabled\\n"
>>> [(one.name, one.value, one.line) for one in read(text)]
[('report.launch_options', ['PROTON_ENABLE_WAYLAND=1', 'mangohud'], 1), ('report.features_on', ['Anti-Lag'], 2)]
>>> [(one.name, one.value) for one in read("Display adapters: Radeon RX 6600, Virtual Display Driver")]
[('report.virtual_display', 'Virtual Display Driver')]
>>> [(one.name, one.value) for one in read("We export:\\n    SHMEM_HEAP_MODE=VMM\\n    API_TOKEN=abc\\n")]
[('report.variables', ['SHMEM_HEAP_MODE=VMM'])]
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean

TRUST = 0
KINDS = kinds.GROUPS["told"] | kinds.GROUPS["tool"] | {"output", "env"}
_LIMIT = 60_000
_MOST = 8
_LINE = later.pattern(r"^[^\n]{0,400}%command%[^\n]{0,40}$", re.MULTILINE)
_ASSIGNED = later.pattern(r"\b[A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,30}){0,6}=(?:\"[^\"\n]{0,80}\"|'[^'\n]{0,80}'|[^\s\"'`]{0,80})")
# Standing as one does to set it; of values only what can be no path, address or secret.
_VARIABLE = later.pattern(
    r"(?:^[ \t]*(?:[-*$>#] {0,3})?(?:export +|ENV +|set +|setx +)?|(?:\bexport|\benv|-e|--env)[ =]|Environment=)[\"'`]?"
    r"(?P<set>[A-Z][A-Z0-9]{1,20}(?:_[A-Z0-9]{1,30}){1,6}=[\"']?[\w.,:+-]{1,24})(?=[\"'`]?(?:\s|$))", re.MULTILINE)
_PRIVATE = later.pattern(r"KEY|TOKEN|SECRET|PASS|AUTH|USER|HOST|HOME|NAME|MAIL|ADDR|PORT|_ID\b|CONFIG_")
_DUMP = 12  # so many are no choice but a listing of all there are
_WRAPPER = later.pattern(r"(?<![\w./=-])(?:mangohud|gamescope|gamemoderun|vkbasalt|obs-gamecapture|game-performance|prime-run|lsfg-vk|umu-run)\b")
_FEATURES = (r"Anti-?Lag(?: ?(?:\+|2|Plus))?|Chill|Radeon Boost|Boost|Enhanced Sync|HYPR-?(?:RX|Tune)|Fluid Motion Frames(?: \d(?:\.\d)?)?"
             r"|AFMF(?: ?\d(?:\.\d)?)?|Radeon Super Resolution|RSR|Image Sharpening|Frame Rate Target Control|Instant Replay"
             r"|Morphological Anti-?Aliasing|Surface Format Optimi[sz]ation|OpenGL Triple Buffering|Vari-?Bright|Noise Suppression")
_FEATURE = later.pattern(
    rf"\b(?:(?:AMD|Radeon)(?:\(TM\)|\u2122)? )?(?P<name>{_FEATURES})\b(?: \([^()\n]{{1,30}}\))?(?: (?:is|was|are))?[ \t]?[:=\t|]?[ \t]{{0,4}}"
    r"(?:set to |switched |turned )?(?:Enabled|On|Active|Always on)\b", re.IGNORECASE)
_VIRTUAL = later.pattern(
    r"\b(?:Virtual Display (?:Driver|Adapter)|VDD by MTT|MttVDD|IddSampleDriver\w*|IDD HDR|Indirect Display(?: Driver)?|Parsec Virtual Display Adapter"
    r"|usbmmidd\w*|SudoVDA|SudoMaker Virtual Display\w*|Virtual Desktop Monitor|spacedesk(?: Graphics Adapter)?|Meta Virtual Monitor|Splashtop Virtual\w*"
    r"|Amyuni USB Mobile Monitor\w*|Generic Monitor \((?:VDD|IDD|SudoVDA)[^()\n]{0,30}\))", re.IGNORECASE)


def recognises(text: str) -> bool:
    """Any text: a list of settings has no mark of its own."""
    return bool(text.strip())


def read(text: str) -> Iterator[Reading]:
    """``report.variables``, ``report.launch_options``, ``report.features_on`` and ``report.virtual_display``."""
    text = clean(text[:_LIMIT])
    lines = Lines(text)
    variables = [(one.start("set"), one["set"]) for one in _VARIABLE.finditer(text) if not _PRIVATE.search(one["set"].partition("=")[0])]
    if 0 < len(variables) <= _DUMP:
        yield Reading("report.variables", list(dict.fromkeys(name.replace('"', "").replace("'", "") for _, name in variables))[:_MOST],
                      line=lines.at(variables[0][0]))
    typed = next(iter(_LINE.finditer(text)), None)
    if typed:
        before = typed[0].partition("%command%")[0]
        options = [one[0] for pattern in (_ASSIGNED, _WRAPPER) for one in pattern.finditer(before)]
        if options:
            yield Reading("report.launch_options", list(dict.fromkeys(options))[:_MOST], line=lines.at(typed.start()))
    features = [(one.start(), one["name"]) for one in _FEATURE.finditer(text)]
    if features:
        yield Reading("report.features_on", list(dict.fromkeys(name for _, name in features))[:_MOST], line=lines.at(features[0][0]))
    if virtual := _VIRTUAL.search(text):
        yield Reading("report.virtual_display", virtual[0], line=lines.at(virtual.start()))
