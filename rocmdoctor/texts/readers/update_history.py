"""Package histories with their times, and boots: dpkg, apt, dnf, rpm, pacman, zypper, rpm-ostree, nix, flatpak, snap, pip; wtmp and journal.

A probe gathers the same texts from this machine, so that a person's attached log and the live machine read alike.

>>> for r in read("2026-11-27 10:00:01 upgrade mesa-vulkan-drivers:amd64 25.0.7-2 26.1.0-1\\n2026-11-27 10:00:02 upgrade firefox:amd64 1.0 1.1\\n"):
...     print(r.name, r.value)
updates.history [{'at': '2026-11-27T10:00:01+00:00', 'name': 'mesa-vulkan-drivers', 'old': '25.0.7-2', 'new': '26.1.0-1', 'by': 'dpkg'}]
updates.unrelated {'2026-11-27T10:00': 1}
updates.from 2026-11-27T10:00:01+00:00
>>> for r in read("[2026-01-02T10:00:00+0100] [ALPM] upgraded linux-firmware-amdgpu (20250808-1 -> 20251111-1)\\n"):
...     print(r.name, r.value)
updates.history [{'at': '2026-01-02T09:00:00+00:00', 'name': 'linux-firmware-amdgpu', 'old': '20250808-1', 'new': '20251111-1', 'by': 'pacman'}]
updates.from 2026-01-02T09:00:00+00:00
"""

from __future__ import annotations

import datetime
import functools
import re
from collections.abc import Iterator

from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import components
from rocmdoctor.records import dataclass, field
from rocmdoctor.texts.lines import Anchors, lazy

TRUST = 2
MOST_EVENTS = 2000
MOST_BOOTS = 500

_DPKG_LINE = lazy(r"^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (upgrade|install|remove) (\S+?):[\w-]+ (\S+) (\S+)")
_APT_START = lazy(r"^Start-Date: (\d{4}-\d\d-\d\d)\s+(\d\d:\d\d:\d\d)")
_APT_ACTION = lazy(r"^(Upgrade|Install|Downgrade|Remove|Purge): ")
_APT_ONE = lazy(r"(\S+?):[\w-]+ \(([^\s,)]+)(?:, (?:automatic|([^\s,)]+)))?(?:, automatic)?\)")
_ALPM = lazy(r"^\[(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)([+-]\d\d:?\d\d)?\] \[ALPM\] (upgraded|downgraded|installed|removed) (\S+) \(([^)]+)\)")
_ZYPP = lazy(r"^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\|(install|remove ?)\|([^|]+)\|(?:\d+:)?([^|]+)\|")
_DNF_BEGIN = lazy(r"^[ \t]*Begin time\s*:\s*(.+?)\s*$")
_NEVRA = r"(\S+?)-((?:\d+:)?[^-\s]+-[^-\s]+)\.(?:x86_64|noarch|i686|aarch64)\b"
_DNF_ROW = lazy(r"^[ \t]*\*?\s*(Upgraded?|Downgraded?|Installe?d?|Replaced|Removed?|Reinstall)\s*:?\s+" + _NEVRA)
_DNF_LOG = lazy(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([+-]\d{4}|Z) \w+ (Upgraded?|Downgraded?|Installed|Removed|Erase): " + _NEVRA)
_RPM_LAST = lazy(r"^(\S+?)-([^-\s]+-[^-\s]+)\.(?:x86_64|noarch|i686|aarch64)\s{2,}(\w{3} .{5,60})$")
_OSTREE_HEAD = lazy(r"^[ \t]*(?:Version|Timestamp): (?:.*\()?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?)\)?")
_OSTREE_ROW = lazy(r"^[ \t]*(?:Upgraded: |Downgraded: |Changed: )?\s*(\S+) (\d\S*) -> (\d\S*)\s*$")
_NIX = lazy(r"^[ \t]*\d{1,5}\s+(?:\(?current\)?\s+)?(?:\w{3} )?(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\s+(?:\(current\)\s+)?\d\d\.\d\d\S*\s+(\d+\.\d+\S*)")
_NIX_OLD = lazy(r"^[ \t]*\d{1,5}\s+\d\d\.\d\d\S*\s+(\d+\.\d+\S*)\s+\w{3} (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)")
_CONDA_HEAD = lazy(r"^==> (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) <==")
_CONDA_ROW = lazy(r"^([+-])(?:\S+::)?([A-Za-z_][\w.-]*?)-([^-\s]+)-[^-\s]+$")
_ZONE = lazy(r"^zone\t([+-]\d{4})$")
_OWN = lazy(r"^changed\t(\w+)\t(\S+)\t(\S+)\t(\S*)\t(\S*)$")
_FLATPAK = lazy(r"^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.\d+)?\t(?:deploy )?(update|install|uninstall)\t(\S+)\t(\S+)\t(\S*)")
_BOOT = lazy(r"^boot\t(\S+)\t(\S*)")
_JOURNAL_BOOT = lazy(r"^[ \t]*-?\d+ [0-9a-f]{32} \w{3} (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) (\w+)")
_LAST = lazy(r"^reboot\s+system boot\s+(\S+)\s+\w{3} (\w{3}\s+\d{1,2} \d\d:\d\d:\d\d(?: \d{4})|\d{4}-\d\d-\d\dT\S+)")
MARKS = ("[ALPM] ", " upgrade ", " install ", "Start-Date: ", "|install|", "Begin time", " SUBDEBUG ", ".x86_64  ", ".noarch  ", " -> ",
         "boot\t", "changed\t", "system boot", "Build-date", "Kernel", "deploy update", " <==")
_ANCHORS = Anchors(  # of which each pattern above has one
    *(f"\n{begin}" for begin in (*"0123456789[+-* \t", "Start-Date: ", "Upgrade", "Downgrade", "Install", "Reinstall", "Replaced", "Remove", "Purge: ",
                                 "Begin time", "Version: ", "Timestamp: ", "==> ", "zone\t", "changed\t", "boot\t", "reboot")),
    " -> ", ".x86_64", ".noarch", ".i686", ".aarch64")
_MONTHS = {name: number for number, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(), 1)}


@dataclass(slots=True)
class _Found:
    events: list[dict[str, str]] = field(default_factory=list)
    boots: list[dict[str, str]] = field(default_factory=list)
    unrelated: dict[str, int] = field(default_factory=dict)
    first: int = 0
    earliest: str = ""
    seen: set[tuple[str, str, str]] = field(default_factory=set)
    versions: dict[str, str] = field(default_factory=dict)


def recognises(text: str) -> bool:
    """A history that gives a time for at least one change or boot.

    >>> recognises("[2026-01-02T10:00:00+0000] [ALPM] upgraded mesa (1 -> 2)"), recognises("upgrade mesa please")
    (True, False)
    """
    return any(mark in text for mark in MARKS) and next(read(text), None) is not None


def read(text: str) -> Iterator[Reading]:
    """Changes of packages of the GPU stack, how many others changed a minute, boots, and how far back it goes."""
    found = _Found()
    at = ""
    zone = ""
    gone: dict[str, str] = {}
    before: tuple[str, str] = ("", "")
    for number, line in _ANCHORS.lines(text):
        if len(line) < 8 or len(line) > 200_000:
            continue
        if start := _APT_START.match(line):
            at = _utc(start[1], start[2], zone)
        elif (row := _APT_ACTION.match(line)) and at:
            for name, old, new in _APT_ONE.findall(line):
                lost = row[1] in ("Remove", "Purge")
                _add(found, at, name, old if new or lost else "", "" if lost else new or old, "apt", number)
        elif row := _DNF_BEGIN.match(line):
            at, before = _spoken(row[1]), ("", "")
        elif row := _DNF_LOG.match(line):
            before = _dnf(found, _utc(row[1][:10], row[1][11:], row[2]), row[3], row[4], row[5], before, number)
        elif at and (row := _DNF_ROW.match(line)):
            before = _dnf(found, at, row[1], row[2], row[3], before, number)
        elif row := _OSTREE_HEAD.match(line):
            at = _utc(row[1][:10], row[1][11:19], "Z")
        elif at and (row := _OSTREE_ROW.match(line)):
            _add(found, at, row[1], row[2], row[3], "rpm-ostree", number)
        elif row := _CONDA_HEAD.match(line):
            at, gone = _utc(row[1], row[2], zone), {}
        elif at and (row := _CONDA_ROW.match(line)):
            if row[1] == "-":
                gone[row[2]] = row[3]
            else:
                _add(found, at, row[2], gone.get(row[2], ""), row[3], "conda", number)
        elif row := _ZONE.match(line):
            zone = row[1]
        else:
            _dated(found, line, zone, number)
    yield from _readings(found)


def _dated(found: _Found, line: str, zone: str, number: int) -> None:
    """A line that has its time in itself."""
    if row := _DPKG_LINE.match(line):
        old, new = (word if word != "<none>" else "" for word in (row[5], row[6]))
        _add(found, _utc(row[1], row[2], zone), row[4], old, new if row[3] != "remove" else "", "dpkg", number)
    elif row := _ALPM.match(line):
        old, _, new = row[6].partition(" -> ")
        lost, fresh = row[4] == "removed", row[4] == "installed"
        _add(found, _utc(row[1], row[2], row[3] or zone), row[5], "" if fresh else old, "" if lost else new or old, "pacman", number)
    elif row := _ZYPP.match(line):
        lost = row[3].startswith("remove")
        _add(found, _utc(row[1], row[2], zone), row[4], row[5] if lost else found.versions.get(row[4], ""), "" if lost else row[5], "zypper", number)
        found.versions[row[4]] = "" if lost else row[5]
    elif row := _RPM_LAST.match(line):
        _add(found, _spoken(row[3]), row[1], "", row[2], "rpm", number)
    elif row := _NIX.match(line):
        _generation(found, _utc(row[1], row[2]), row[3], number)
    elif row := _NIX_OLD.match(line):
        _generation(found, _utc(row[2], row[3]), row[1], number)
    elif row := _FLATPAK.match(line):
        _add(found, _utc(row[1], row[2]), row[4].split("/")[1] if row[4].count("/") > 1 else row[4], "", row[6][:12] or row[5], "flatpak", number)
    elif row := _OWN.match(line):
        if row[1] == "nix":
            _generation(found, _iso(row[2]), row[5], number)
        else:
            _add(found, _iso(row[2]), row[3], row[4], row[5], row[1], number)
    elif row := _BOOT.match(line):
        _boot(found, _iso(row[1]), row[2], number)
    elif row := _JOURNAL_BOOT.match(line):
        _boot(found, _utc(row[1], row[2]), "", number)
    elif row := _LAST.match(line):
        _boot(found, _spoken(row[2]), row[1] if row[1][0].isdigit() else "", number)


def _readings(found: _Found) -> Iterator[Reading]:
    found.events.sort(key=lambda row: row["at"])
    found.boots.sort(key=lambda row: row["at"])
    nix = [row for row in found.events if row["by"] == "nix"]
    for earlier, later in zip(nix, nix[1:], strict=False):
        later["old"] = earlier["new"]
    for row in [row for row in nix if row["old"] == row["new"]]:
        found.events.remove(row)
    if found.events:
        yield Reading("updates.history", found.events[-MOST_EVENTS:], "", found.first)
    if found.unrelated:
        yield Reading("updates.unrelated", dict(sorted(found.unrelated.items())[-MOST_EVENTS:]), "", found.first)
    if found.boots:
        yield Reading("boots.history", found.boots[-MOST_BOOTS:], "", found.first)
    if found.earliest:
        yield Reading("updates.from", found.earliest, "", found.first)


def _add(found: _Found, at: str, name: str, old: str, new: str, by: str, line: int) -> None:
    """One change; two managers that log the same one on a day (dpkg below apt) count once."""
    if not at or not name or old == new:
        return
    found.earliest = min(found.earliest or at, at)
    known = (at[:10], name, new)
    if known in found.seen:
        return
    found.seen.add(known)
    if components.of_wheel(name) if by in ("pip", "conda") else components.of_package(name):
        found.events.append({"at": at, "name": name, "old": old, "new": new, "by": by})
        found.first = found.first or line
    else:
        found.unrelated[at[:16]] = found.unrelated.get(at[:16], 0) + 1
        found.first = found.first or line


def _dnf(found: _Found, at: str, action: str, name: str, version: str, before: tuple[str, str], line: int) -> tuple[str, str]:
    """dnf writes the new version and, a line or many later, the one that it replaced."""
    version = version.removeprefix("0:")
    if action in ("Upgraded", "Downgraded", "Replaced"):
        for row in reversed(found.events):
            if row["name"] == name and row["by"] == "dnf" and row["at"][:10] == at[:10]:
                if row["new"] != version and not row["old"]:
                    row["old"] = version
                return name, version
        if action != "Replaced":
            _add(found, at, name, "", version, "dnf", line)
    elif action in ("Removed", "Remove", "Erase"):
        _add(found, at, name, version, "", "dnf", line)
    elif action != "Reinstall":
        _add(found, at, name, "", version, "dnf", line)
    return name, version


def _generation(found: _Found, at: str, kernel: str, line: int) -> None:
    """A generation of NixOS: its kernel is a package of the GPU stack, its version stands for all the rest."""
    if at:
        found.events.append({"at": at, "name": "linux", "old": "", "new": kernel, "by": "nix"})
        found.unrelated[at[:16]] = found.unrelated.get(at[:16], 0) + 1
        found.earliest = min(found.earliest or at, at)
        found.first = found.first or line


def _boot(found: _Found, at: str, kernel: str, line: int) -> None:
    if not at:
        return
    for row in found.boots:
        if row["at"][:15] == at[:15]:  # wtmp and journal tell of one boot
            row["kernel"] = row["kernel"] or kernel
            return
    found.boots.append({"at": at, "kernel": kernel})
    found.earliest = found.earliest or at
    found.first = found.first or line


@functools.lru_cache(256)
def _utc(day: str, clock: str, zone: str = "") -> str:
    """ISO 8601 in UTC; a log without a zone is taken as it stands. "" for what is no time."""
    try:
        moment = datetime.datetime.fromisoformat(f"{day}T{clock}")
    except ValueError:
        return ""
    if offset := re.fullmatch(r"([+-])(\d\d):?(\d\d)", zone):
        shift = datetime.timedelta(hours=int(offset[2]), minutes=int(offset[3]))
        moment -= shift if offset[1] == "+" else -shift
    return moment.replace(tzinfo=datetime.timezone.utc).isoformat(timespec="seconds")


def _iso(text: str) -> str:
    return _utc(text[:10], text[11:19], text[19:])


def _spoken(text: str) -> str:
    """dnf's, rpm's and last's ways of writing a time: ISO, ``Fri 28 Nov 2025 10:00:01 AM CET``, ``Thu Jul 24 16:46:42 2025``.

    >>> _spoken("Thu Jul 24 16:46:42 2025"), _spoken("Fri 28 Nov 2025 10:00:01 PM CET"), _spoken("2026-02-03 10:11:12")
    ('2025-07-24T16:46:42+00:00', '2025-11-28T22:00:01+00:00', '2026-02-03T10:11:12+00:00')
    """
    if iso := re.search(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)", text):
        return _utc(iso[1], iso[2])
    year, clock = re.search(r"\b(\d{4})\b", text), re.search(r"\b(\d\d?):(\d\d)(?::(\d\d))?(?: (AM|PM))?", text)
    day = re.search(rf"\b(?:({'|'.join(_MONTHS)})\s+(\d{{1,2}})|(\d{{1,2}}) ({'|'.join(_MONTHS)}))\b", text)
    month = _MONTHS.get(day[1] or day[4], 0) if day else 0
    if not (year and clock and day and month):
        return ""
    hour = int(clock[1]) % 12 + (12 if clock[4] == "PM" else 0) if clock[4] else int(clock[1])
    return _utc(f"{year[1]}-{month:02}-{int(day[2] or day[3]):02}", f"{hour:02}:{clock[2]}:{clock[3] or '00'}")

