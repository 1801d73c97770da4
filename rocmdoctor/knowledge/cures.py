"""What a row of the known defects names as its cure, as something to do: rows hold a version, a setting or an option as often as a sentence."""

from __future__ import annotations

from rocmdoctor import later

_SETTING = later.pattern(r"^(?:[A-Z][A-Z0-9_]{3,}=|[a-z]\w*(?:\.\w+)+ ?=(?!=))")
_OPTION = later.pattern(r"^--?[a-z]")
_TYPED = later.pattern(
    r"^(?:sudo|pip3?|apt|dnf|export|docker|rpm-ostree|modprobe|systemctl|kubectl|helm|oc|sysctl|chmod|kill|ln|lemonade|lms|amdgpu-install) [\w-]")
_THING = later.pattern(r"^(?:(?:A|An|The|Another|Newer|Older|Newest|Latest|Later|Current) "
                       r"|[\w./+-]+(?: (?!to |with |in |on |at |is )[\w./+-]+){0,2} v?\d+(?:\.\d+|\b))")
_DONE = later.pattern(r"^(?:Update|Use|Go|Install|Set|Build|Take|Boot|Stay|Start|Test|Try|Pin|Roll|Downgrade|Move|Restart|Run|Remove|Wait|Keep|Rebase"
                      r"|Upgrade|Or|On|In|Until|From|For|With|Before|After|As|If|No|Do|Not)\b")


def doing(text: str) -> str:
    """A cure as something to do.

    >>> doing("Kernel 6.18.32 or later"), doing("RADV_DEBUG=nodcc"), doing("--no-mmap"), doing("Boot kernel 6.8"), doing("A driver newer than 26.3.1")
    ('Take kernel 6.18.32 or later', 'Set RADV_DEBUG=nodcc', 'Pass --no-mmap', 'Boot kernel 6.8', 'Take a driver newer than 26.3.1')
    """
    if _SETTING.match(text):
        return f"Set {text}"
    if _OPTION.match(text):
        return f"Pass {text}"
    if _TYPED.match(text):
        return f"Run {text}"
    if _DONE.match(text) or not _THING.match(text) or ": " in text:
        return text
    head = text.split(" ", 1)[0]
    return f"Take {text[:1].lower() if head[1:].islower() or len(head) == 1 else text[:1]}{text[1:]}"
