"""What package managers and boots left on record: histories and lists, as texts for the readers of those formats.

Files are read where there are any; programs are asked only of this machine, briefly, and only to read.
"""

from __future__ import annotations

import datetime
import io
import json
import re
import struct
import time
import zlib

import trusted
from probe_protocol import ask, main

SAYS = "update histories"
PROVIDES = ()
LANE = "quiet"
DEADLINE = 15
NEEDS = ()
PYTHON = "own"

FILE_CAP = 4 << 20
MOST_LINES = 8000
WIDEST = 60_000
LOGS = ("var/log/dpkg.log", "var/log/apt/history.log", "var/log/pacman.log", "var/log/zypp/history", "var/log/dnf.rpm.log")
DPKG = re.compile(r"^[\d-]{10} [\d:]{8} (?:upgrade|install|remove) ")
KEPT = {"var/log/dpkg.log": DPKG, "var/log/apt/history.log": re.compile(r"^(?:Start-Date|Upgrade|Downgrade|Install|Remove|Purge): "),
        "var/log/pacman.log": re.compile(r"\[ALPM\] (?:upgraded|downgraded|installed|removed) "),
        "var/log/zypp/history": re.compile(r"^[\d-]{10} [\d:]{8}\|(?:install|remove) ?\|"),
        "var/log/dnf.rpm.log": re.compile(r" (?:Upgraded?|Downgraded?|Installed|Removed|Erase): ")}
SITES = ("usr/local/lib/python3*/dist-packages", "usr/local/lib/python3*/site-packages", "opt/*/lib/python3*/site-packages",
         "home/*/.local/lib/python3*/site-packages", "root/.local/lib/python3*/site-packages", "home/*/venv/lib/python3*/site-packages",
         "home/*/.venv/lib/python3*/site-packages", "home/*/*/venv/lib/python3*/site-packages", "home/*/*/.venv/lib/python3*/site-packages")
CONDA = ("opt/conda/conda-meta/history", "home/*/miniconda3/conda-meta/history", "home/*/miniforge3/conda-meta/history",
         "home/*/miniconda3/envs/*/conda-meta/history", "home/*/miniforge3/envs/*/conda-meta/history")
FLATPAK = "var/lib/flatpak/runtime/org.freedesktop.Platform.GL.default/*/*/active"
UTMP = struct.Struct("<hxxi32s4s32s256shhiii4i20x")
BOOT_TIME = 2


def iso(seconds):
    """ISO 8601 in UTC."""
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).isoformat(timespec="seconds")


def run(*command, deadline=5.0):
    """What a program prints; "" when it is missing, fails or takes too long."""
    answer = ask(command, deadline, FILE_CAP, LC_ALL="C.UTF-8", TZ="UTC")
    return answer.text if not answer.why or answer.why.startswith("printed") else ""


def rotations(root, name):
    """A log with its older parts, the oldest first: dpkg.log.2.gz, dpkg.log.1, dpkg.log."""
    base = root / name
    older = sorted(base.parent.glob(base.name + ".[0-9]*"), key=lambda path: [int(n) for n in re.findall(r"\d+", path.name)], reverse=True)
    plain = re.sub(r"\.log$", "", base.name)
    older += sorted(base.parent.glob(plain + ".log-*"))
    return [*older, base]


def text_of(path):
    """Text of a log, unpacked, its end where it is too long; "" when it cannot be read."""
    try:
        if path.suffix != ".gz":
            return path.text(FILE_CAP, from_end=True)
        import gzip

        with gzip.open(io.BytesIO(path.raw(FILE_CAP)), "rb") as packed:
            return packed.read(FILE_CAP).decode("utf-8", "replace")
    except (OSError, EOFError, ValueError, zlib.error):
        return ""


def logs(root):
    for name in LOGS:
        lines = [line[:WIDEST] for path in rotations(root, name) for line in text_of(path).splitlines() if KEPT[name].search(line)]
        yield from lines[-MOST_LINES:]


def wheels(root):
    """When each Python package of the usual environments was installed."""
    for pattern in SITES:
        for site in root.glob(pattern)[:20]:
            for folder in site.glob("*.dist-info")[:2000]:
                name, _, version = folder.name[:-len(".dist-info")].rpartition("-")
                try:
                    when = folder.stat().st_mtime
                except OSError:
                    continue
                if name and version:
                    yield f"changed\tpip\t{iso(when)}\t{name}\t\t{version}"
    for pattern in CONDA:
        for path in root.glob(pattern)[:10]:
            yield from text_of(path).splitlines()[-MOST_LINES:]


def images(root):
    """Generations of NixOS, revisions of snaps, the GL runtime of Flatpak."""
    for link in sorted(root.glob("nix/var/nix/profiles/system-*-link"), key=lambda path: int((re.findall(r"\d+", path.name) or ["0"])[0])):
        try:
            kernel = (root / link.readlink() / "kernel").readlink()
            when = link.lstat().st_mtime
        except OSError:
            continue
        if found := re.search(r"-linux-([\d.]+[\w.-]*?)/", kernel + "/"):
            yield f"changed\tnix\t{iso(when)}\tlinux\t\t{found[1]}"
    before = {}
    for path in sorted(root.glob("var/lib/snapd/snaps/*_*.snap"), key=lambda path: path.name):
        name, _, revision = path.stem.rpartition("_")
        try:
            yield f"changed\tsnap\t{iso(path.stat().st_mtime)}\t{name}\t{before.get(name, '')}\t{revision}"
        except OSError:
            continue
        before[name] = revision
    for link in root.glob(FLATPAK):
        try:
            yield f"changed\tflatpak\t{iso(link.lstat().st_mtime)}\torg.freedesktop.Platform.GL.default\t\t{link.readlink()[:12]}"
        except OSError:
            continue


def boots(root, live):
    """Boots with their kernels: wtmp, else the journal."""
    found = False
    try:
        raw = (root / "var/log/wtmp").raw(FILE_CAP)
    except OSError:
        raw = b""
    for place in range(0, len(raw) - UTMP.size + 1, UTMP.size):
        row = UTMP.unpack_from(raw, place)
        if row[0] == BOOT_TIME and row[9] > 0:
            found = True
            yield f"boot\t{iso(row[9])}\t{row[5].split(bytes(1))[0].decode('ascii', 'replace')}"
    if live and not found:
        said = run("journalctl", "-q", "--no-pager", "-o", "short-unix", "-t", "kernel", "--grep", "^Linux version", "-n", "200")
        for line in said.splitlines():
            if row := re.match(r"(\d+)\.\d+ .*Linux version (\S+)", line):
                yield f"boot\t{iso(int(row[1]))}\t{row[2]}"


def asked():
    """What only a program knows: rpm's times, dnf's and rpm-ostree's old versions."""
    if trusted.program("rpm-ostree"):
        try:
            state = json.loads(run("rpm-ostree", "status", "--json") or "{}")
        except ValueError:
            state = {}
        deployed = state.get("deployments") or []
        for newer, older in zip(deployed, deployed[1:], strict=False):
            difference = run("rpm-ostree", "db", "diff", str(older.get("checksum")), str(newer.get("checksum")))
            yield f"Timestamp: {iso(int(newer.get('timestamp') or 0))[:19]}Z"
            yield from difference.splitlines()
        return
    yield from run("dnf5", "history", "info", "last-14..last").splitlines()
    for line in run("rpm", "-qa", "--qf", "%{INSTALLTIME}\t%{NAME}\t%{VERSION}-%{RELEASE}\n").splitlines():
        when, _, rest = line.partition("\t")
        if when.isdigit() and "\t" in rest:
            name, _, version = rest.partition("\t")
            yield f"changed\trpm\t{iso(int(when))}\t{name}\t\t{version}"


def field(block, key):
    """The line of one field of a package, "" when it has none."""
    key += ": "
    start = 0 if block.startswith(key) else block.find("\n" + key) + 1
    return block[start + len(key):].partition("\n")[0] if start or block.startswith(key) else ""


def installed(root, live):
    """``name<TAB>version`` of what dpkg, pacman or rpm has installed."""
    for block in text_of_status(root).split("\n\n"):
        name, status, version = (field(block, key) for key in ("Package", "Status", "Version"))
        if name and version and status.endswith(" installed"):
            yield f"{name}\t{version}"
    for folder in (root / "var/lib/pacman/local").glob("*-*-*"):
        name, version, release = folder.name.rsplit("-", 2)
        yield f"{name}\t{version}-{release}"
    if live:
        yield from run("rpm", "-qa", "--qf", "%{NAME}\t%{VERSION}-%{RELEASE}\n").splitlines()


def text_of_status(root):
    """dpkg's whole status file: bigger than a log may be."""
    return (root / "var/lib/dpkg/status").text(32 << 20)


def probe(emit, tree):
    root = tree.place("/")
    packages = sorted(set(installed(root, tree.live)))
    if packages:
        emit.text("distro_packages", packages)
    lines = []
    for part in (logs(root), wheels(root), images(root), boots(root, tree.live), asked() if tree.live else ()):
        lines += part
    if lines:
        zone = time.strftime("%z") if tree.live else "+0000"
        emit.text("update_history", [f"zone\t{zone}", *lines])


if __name__ == "__main__":
    main(probe)
