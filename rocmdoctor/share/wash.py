"""Text that came from somebody else's log, made fit to print: no escapes, no control or invisible characters."""

from __future__ import annotations

import unicodedata

from rocmdoctor import later

LINE_CAP = 300

# CSI, OSC/DCS/PM/APC strings (closed by BEL or ST), then any other two-byte escape.
_ANSI = later.pattern(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_TIME = later.pattern(r"\b(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d{1,6})?)?(?:\+00:00|Z)(?!\w)")


def wash(text: object, cap: int = LINE_CAP) -> str:
    """One printable line: no escapes, no control, bidi or invisible characters, at most ``cap`` characters.

    >>> wash("a\\x1b[31mred\\x1b[0m\\u202e\\tb")
    'ared b'
    """
    plain = _ANSI.sub("", str(text))
    kept = []
    for char in plain:
        kind = unicodedata.category(char)
        if char in "\t\r\n\v\f" or kind in ("Zl", "Zp"):
            kept.append(" ")
        elif kind == "Cs":
            kept.append("\ufffd")
        elif kind not in ("Cc", "Cf", "Co", "Cn"):
            kept.append(char)
    line = "".join(kept).strip()
    return line if len(line) <= cap else line[: cap - 1] + "…"


def wash_prose(text: object, cap: int = 2000) -> str:
    """A paragraph: hard line breaks of the rule file become spaces, times are as people write them.

    >>> wash_prose("installed on 2026-03-13T19:30:40+00:00")
    'installed on 2026-03-13 19:30 UTC'
    """
    return _TIME.sub(r"\1 \2 UTC", wash(text, cap))


def wash_command(text: object) -> list[str]:
    """The lines of a command. Never cut short: half a command is a different command."""
    return [wash(raw, 1_000_000) for raw in str(text).splitlines() if raw.strip()]
