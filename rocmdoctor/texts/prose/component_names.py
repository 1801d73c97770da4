"""The name of a component in somebody's words, as it stands before a version, whether a table has it or not."""

from __future__ import annotations

import re

_NO_NAME = frozenset("""
version versions release releases build builds driver from to with the and or on in of at is was were has had not no it that this before after since
until under for using about only then than when while both also still now just even all every any other another newer older new old latest earlier
previous number update updated upgrade upgraded updating upgrading moved went switched changed going moving switching works worked fails failed fine
right wrong same tried booted installed running used use get got back up down over onto into by as my our your their its an a are be been but so if
because between either one two three more less least most stable current first last ubuntu debian fedora windows python mint rhel rocky arch proxmox
macos distribution distro system computer machine board took goes drops dropped rises fell grew speed throughput clock clocks tokens temperature power
time memory context size usage load rate fps performance score latency bandwidth frequency voltage count value accuracy loss resolution scale seed
strength guidance
including included good bad ok okay broken working work does did do never since beyond post pre reaches reached sprint lowered raised cfg weight
degradation perplexity ppl loss gain improvement ratio overhead""".split())

_BETWEEN = {"", *"""itself version release build driver from to at is was v went goes moved came jumped got has had been updated upgraded bumped changed
switched""".split()}


def cleaned(text: str) -> str:
    """The words of a name, without those that name nothing; "" for a variable.

    >>> cleaned("Downgrading the gamescope"), cleaned("HIP SDK"), cleaned("MY_PATH"), cleaned("the version")
    ('gamescope', 'HIP SDK', '', '')
    """
    words = [word.strip("(,") for word in text.split()]
    while words and (words[0].lower() in _NO_NAME or len(words) > 1 and words[0].lower().endswith(("ing", "ed"))):
        words.pop(0)
    while words and words[-1].lower() in _NO_NAME:
        words.pop()
    if len(words) == 1 and "_" in words[0]:  # a variable
        return ""
    return " ".join(words) if words and not any(word.lower() in _NO_NAME for word in words) else ""


def before(sentence: str, at: int) -> str:
    """The name that stands right before a version, "" where none does.

    >>> before("with aquamarine 0.15.0", 16), before("of HIP SDK 6.4", 11), before("since 6.4", 6)
    ('aquamarine', 'HIP SDK', '')
    """
    words = sentence[max(0, at - 80):at].replace("(", " ( ").split()
    while words and words[-1].lower().strip("=:(") in _BETWEEN:
        words.pop()
    if not words:
        return ""
    last = words[-1].strip("(,:;=")
    if words[-1][-1:] in ",;.)" or last.lower() in _NO_NAME or not re.fullmatch(r"[A-Za-z][\w.+/-]{1,40}", last):
        return ""
    first = words[-2] if len(words) > 1 else ""
    two = first[:1].isupper() and last[:1].isupper() and first.isalnum() and first.lower() not in _NO_NAME  # HIP SDK 6.4
    return cleaned(f"{first} {last}" if two else last)
