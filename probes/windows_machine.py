"""The parts of a Windows machine that probes ask: registry, adapters, memory, devices, events, files. Not a probe itself.

Live it asks winreg, ctypes and wevtutil. A recorded machine is a folder with any of: ``registry.reg`` (as regedit exports it),
``dxgi.json``, ``cim.json``, ``events.xml``, ``files.tsv`` (path, size, time, file version), ``C/...`` (what is in files), or
``windows.json``, in which deploy/collect.ps1 puts all of these together.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

from probe_protocol import ask

EXPORTS = ("registry.reg", "dxgi.json", "cim.json", "events.xml", "files.tsv", "windows.json")
DAYS = 14
CAP = 4 << 20
EXPORT_CAP = 64 << 20
MOST_EVENTS = 500
MOST_NAMES = 20_000
DISPLAY_CLASS = r"HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}"
ROOTS = {"HKEY_LOCAL_MACHINE": "HKLM", "HKEY_CURRENT_USER": "HKCU", "HKEY_CLASSES_ROOT": "HKCR", "HKEY_USERS": "HKU"}


class File(NamedTuple):
    """A file or folder: path as Windows writes it, bytes, time (ISO 8601), version of its resource."""

    path: str
    size: int = 0
    at: str = ""
    version: str = ""


class Event(NamedTuple):
    """An event of the Windows logs. ``data`` has the values by name, or by place where they have none."""

    at: str
    provider: str
    number: int
    data: dict


def recorded(tree):
    """Whether the tree is a recorded Windows machine."""
    return not tree.live and any(tree.exists("/" + name) for name in EXPORTS)


def decoded(data):
    """Text of a file of Windows, whose encoding its first bytes tell."""
    for mark, name in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig")):
        if data.startswith(mark):
            return data.decode(name, "replace")
    return data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-8", "replace")


def listing(text):
    """Values of an export of the registry: key (lower case) to its own writing and {name (lower case): (name, value)}.

    >>> sorted(listing('[HKEY_LOCAL_MACHINE\\\\A]\\n"N"=dword:0000000a\\n"S"="C:\\\\\\\\x"\\n')["hklm\\\\a"][1].values())
    [('N', 10), ('S', 'C:\\\\x')]
    """
    found, values = {}, {}
    for line in re.sub(r"\\\r?\n\s*", "", text).splitlines():
        if line.startswith("[") and line.rstrip().endswith("]"):
            path = line.strip()[1:-1]
            root, _, rest = path.partition("\\")
            path = ROOTS.get(root, root) + ("\\" + rest if rest else "")
            values = found.setdefault(path.lower(), (path, {}))[1]
            continue
        row = re.match(r'(?:"((?:[^"\\]|\\.)*)"|(@))=(.*)', line)
        if row:
            name = re.sub(r"\\(.)", r"\1", row[1] or "")
            value = _value(row[3].strip())
            if value is not None:
                values[name.lower()] = (name, value)
    return found


def _value(text):
    if text.startswith('"'):
        return re.sub(r"\\(.)", r"\1", text[1:].rpartition('"')[0])
    kind, _, digits = text.partition(":")
    try:
        if kind == "dword":
            return int(digits, 16)
        if not kind.startswith("hex"):  # "-": a value that the file would delete
            return None
        data = bytes.fromhex(digits.replace(",", " "))
    except ValueError:
        return None
    if kind == "hex(b)":
        return int.from_bytes(data[:8], "little")
    if kind in ("hex(2)", "hex(1)"):
        return data.decode("utf-16-le", "replace").rstrip("\0")
    if kind == "hex(7)":
        return [part for part in data.decode("utf-16-le", "replace").split("\0") if part]
    return data


class Export:
    """A registry that was written down."""

    def __init__(self, found):
        self._keys = found
        self._below = {}
        for low, (path, _) in found.items():
            parts = path.split("\\")
            for depth in range(1, len(parts)):
                above = "\\".join(low.split("\\")[:depth])
                self._below.setdefault(above, {}).setdefault(parts[depth].lower(), parts[depth])

    def values(self, key):
        """{name: value} of a key, {} when it is not there."""
        return dict(self._keys.get(key.lower(), ("", {}))[1].values())

    def keys(self, key):
        """Names of the keys below."""
        return sorted(self._below.get(key.lower(), {}).values(), key=str.lower)


class Live:
    """This machine's registry, in its 64-bit view."""

    def __init__(self):
        import winreg

        self._api = winreg
        self._roots = {"HKLM": winreg.HKEY_LOCAL_MACHINE, "HKCU": winreg.HKEY_CURRENT_USER}

    def _open(self, key):
        root, _, rest = key.partition("\\")
        return self._api.OpenKey(self._roots[root], rest, 0, self._api.KEY_READ | self._api.KEY_WOW64_64KEY)

    def values(self, key):
        """{name: value} of a key, {} when it is not there or may not be read."""
        found = {}
        try:
            with self._open(key) as opened:
                for number in range(self._api.QueryInfoKey(opened)[1]):
                    name, value, _ = self._api.EnumValue(opened, number)
                    found[name] = value
        except OSError:
            pass
        return found

    def keys(self, key):
        """Names of the keys below."""
        try:
            with self._open(key) as opened:
                return [self._api.EnumKey(opened, number) for number in range(self._api.QueryInfoKey(opened)[0])]
        except OSError:
            return []


class Interop:
    """The registry of the Windows around a WSL, asked through its reg.exe."""

    def __init__(self, program):
        self._program = program
        self._asked = {}

    def _query(self, key):
        """What reg.exe prints. Not through ``ask``: on drive C every file looks as if all users might write to it; Windows guards them."""
        try:
            done = subprocess.run([self._program, "query", key, "/s"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                  timeout=4, check=False, cwd="/")
        except (OSError, subprocess.SubprocessError):
            return ""
        return decoded(done.stdout[:CAP]) if done.returncode == 0 else ""

    def _table(self, key):
        top = next((above for above in self._asked if key.lower() == above.lower() or key.lower().startswith(above.lower() + "\\")), None)
        if top is None:
            top = key
            self._asked[key] = Export(queried(self._query(key)))
        return self._asked[top]

    def values(self, key):
        return self._table(key).values(key)

    def keys(self, key):
        return self._table(key).keys(key)


def queried(text):
    """What ``reg query KEY /s`` prints, like :func:`listing`."""
    found, values = {}, {}
    for line in text.splitlines():
        if line.startswith("HKEY_"):
            root, _, rest = line.strip().partition("\\")
            path = ROOTS.get(root, root) + "\\" + rest
            values = found.setdefault(path.lower(), (path, {}))[1]
            continue
        row = re.match(r"\s{4}(.*?)\s{4}REG_(\w+)(?:\s{4}(.*))?$", line)
        if row:
            name, kind, value = row[1], row[2], row[3] or ""
            if kind in ("DWORD", "QWORD"):
                value = int(value, 16)
            elif kind == "MULTI_SZ":
                value = [part for part in value.split("\\0") if part]
            elif kind == "BINARY":
                value = bytes.fromhex(value) if re.fullmatch(r"(?:[0-9A-Fa-f]{2})*", value) else b""
            values[name.lower()] = (name, value)
    return found


def number(value):
    """A number that Windows stored as DWORD, QWORD or bytes; None for anything else."""
    if isinstance(value, bytes) and 0 < len(value) <= 8:
        return int.from_bytes(value, "little")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class Machine:
    """A Windows machine, live or recorded."""

    def __init__(self, tree):
        self._tree = tree
        self.live = tree.live
        self._parts = {} if tree.live else self._json("windows.json")
        self._names = None
        if tree.live:
            self.registry = Live()
        else:
            text = self._parts.get("registry")
            self.registry = Export(listing(text if isinstance(text, str) else self._export("registry.reg")))
        self.variables = self._variables()

    def _export(self, name):
        try:
            return decoded(self._tree.raw("/" + name, EXPORT_CAP))
        except OSError:
            return ""

    def _json(self, name):
        try:
            data = json.loads(self._export(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}

    def _part(self, name):
        """Rows of an export."""
        data = self._parts.get(name, self._json(name + ".json"))
        return data if isinstance(data, dict) else {"adapters": data} if isinstance(data, list) else {}

    def _variables(self):
        if self.live:
            return {name.upper(): value for name, value in os.environ.items()}
        user = self.registry.values(r"HKCU\Volatile Environment")
        home = str(user.get("USERPROFILE") or r"C:\Users\user")
        made = {"SYSTEMROOT": r"C:\Windows", "PROGRAMFILES": r"C:\Program Files", "PROGRAMDATA": r"C:\ProgramData", "USERPROFILE": home,
                "PROGRAMFILES(X86)": r"C:\Program Files (x86)", "LOCALAPPDATA": home + r"\AppData\Local", "APPDATA": home + r"\AppData\Roaming"}
        return {**made, **{name.upper(): str(value) for name, value in user.items()}}

    def path(self, text):
        """A path with its %VARIABLES% filled in."""
        return re.sub(r"%([^%]+)%", lambda found: self.variables.get(found[1].upper(), found[0]), text)

    def adapters(self):
        """Rows of DXGI (see windows_calls.adapters), None when they are not known."""
        if self.live:
            import windows_calls

            return windows_calls.adapters()
        rows = self._part("dxgi").get("adapters")
        return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else None

    def usage(self):
        """(use of each adapter by its LUID, use by each process): see windows_calls.usage; a recording names the PCI address instead."""
        if self.live:
            import windows_calls

            return windows_calls.usage()
        rows = self._part("dxgi").get("processes")
        used = {row["luid"]: row for row in self.adapters() or () if row.get("luid")}
        return used, [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else None

    def memory(self):
        """Sizes in bytes (see windows_calls.memory); {} when they are not known."""
        if self.live:
            import windows_calls

            return windows_calls.memory()
        held = self._part("dxgi").get("memory")
        return {name: size for name, size in held.items() if isinstance(size, int)} if isinstance(held, dict) else {}

    def device(self, instance):
        """{"problem", "bars"} of a device, None when it is not present; a problem of None where nobody recorded which ones are."""
        if self.live:
            import windows_calls

            return windows_calls.device(instance)
        held = self._part("cim")
        rows = held.get("Win32_VideoController")
        if rows is None:
            return {"problem": None, "bars": []}
        for row in rows if isinstance(rows, list) else [rows]:
            if isinstance(row, dict) and str(row.get("PNPDeviceID", "")).lower() == instance.lower():
                bars = [size for size in row.get("MemoryWindows") or [] if isinstance(size, int)]
                return {"problem": row.get("ConfigManagerErrorCode") or 0, "bars": bars}
        return None

    def events(self, log, wanted):
        """Events of a log from the last 14 days, oldest first. ``wanted``: numbers to names of providers ("" for any)."""
        if self.live:
            numbers = " or ".join("EventID=%d" % one for one in wanted)
            query = "*[System[(%s) and TimeCreated[timediff(@SystemTime) <= %d]]]" % (numbers, DAYS * 86_400_000)
            program = os.path.join(self.variables.get("SYSTEMROOT", r"C:\Windows"), "System32", "wevtutil.exe")
            said = ask([program, "qe", log, "/q:" + query, "/f:xml", "/rd:true", "/c:%d" % MOST_EVENTS], 4, cap=CAP)
            return [event for event in reversed(parsed(said.text)) if _fits(event, wanted)]
        text = self._parts.get("events")
        text = text if isinstance(text, str) else self._export("events.xml")
        until = self.now()
        found = sorted(event for event in parsed(text) if _fits(event, wanted))
        return [event for event in found if not until or event.at >= _before(until, DAYS)]

    def now(self):
        """When the machine was asked (ISO 8601, UTC): now, or as it was recorded; "" where that is not known."""
        if self.live:
            return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
        taken = self._part("cim").get("taken") or self._parts.get("taken") or ""
        return str(taken)

    def _index(self):
        """Recorded files by their path in lower case: what the list says, or where the content lies."""
        if self._names is None:
            self._names, self._folders = {}, {}
            rows = self._parts.get("files")
            for row in rows if isinstance(rows, list) else [line.split("\t") for line in self._export("files.tsv").splitlines()]:
                row = [str(part or "") for part in row] if isinstance(row, list) else []
                if row and re.match(r"[A-Za-z]:\\", row[0]):
                    row += [""] * (4 - len(row))
                    self._add(File(row[0], int(row[1]) if row[1].isdigit() else 0, row[2], row[3]))
            contents = self._parts.get("contents")
            for path in contents if isinstance(contents, dict) else ():
                self._add(self._names.get(str(path).lower()) or File(str(path), len(str(contents[path]))))
            left = MOST_NAMES * 5
            for drive in (name for name in self._tree.names("/") if len(name) == 1):
                for folder, _, files in os.walk(self._tree.at("/" + drive)):
                    below = os.path.relpath(folder, self._tree.at("/" + drive)).replace(os.sep, "\\")
                    left -= len(files)
                    for name in files if left > 0 else ():
                        path = "%s:\\%s" % (drive.upper(), name if below == "." else below + "\\" + name)
                        self._add(self._names.get(path.lower()) or File(path))
        return self._names

    def _add(self, file):
        self._names[file.path.lower()] = file
        path = file.path
        while "\\" in path:
            above, _, name = path.rpartition("\\")
            self._folders.setdefault(above.lower(), {})[name.lower()] = name
            path = above

    def file(self, path):
        """The file or folder, None when it is not there."""
        path = self.path(path)
        if not self.live:
            found = self._index().get(path.lower())
            return found or (File(path) if path.rstrip("\\").lower() in self._folders else None)
        try:
            info = os.stat(path)
        except (OSError, ValueError):
            return None
        at = datetime.datetime.fromtimestamp(info.st_mtime, datetime.timezone.utc).isoformat(timespec="seconds")
        return File(path, info.st_size, at)

    def version(self, path):
        """Version of a program or library by its resource, "" when it has none."""
        path = self.path(path)
        if self.live:
            import windows_calls

            return windows_calls.file_version(path) or ""
        found = self._index().get(path.lower())
        return found.version if found else ""

    def names(self, folder):
        """Names in a folder, in order; [] when it cannot be listed."""
        folder = self.path(folder).rstrip("\\")
        if not self.live:
            self._index()
            return sorted(self._folders.get(folder.lower(), {}).values(), key=str.lower)
        try:
            with os.scandir(folder + "\\") as entries:
                return sorted((entry.name for _, entry in zip(range(MOST_NAMES), entries)), key=str.lower)
        except OSError:
            return []

    def glob(self, pattern):
        """Paths of files and folders whose names fit, a name for each ``*``."""
        found = [""]
        for part in self.path(pattern).split("\\"):
            if "*" not in part:
                found = [above + part if not above else above + "\\" + part for above in found]
                continue
            fits = re.compile(re.escape(part).replace(r"\*", ".*") + r"\Z", re.IGNORECASE)
            found = [above + "\\" + name for above in found for name in self.names(above) if fits.match(name)]
        return [path for path in found if self.file(path)]

    def text(self, path, cap=CAP):
        """Text of a small file, the end of a long one; "" when it cannot be read."""
        path = self.path(path)
        if not self.live:
            contents = self._parts.get("contents")
            for name, held in contents.items() if isinstance(contents, dict) else ():
                if str(name).lower() == path.lower():
                    return str(held)[-cap:]
            found = self._index().get(path.lower())
            try:
                return decoded(self._tree.raw("/" + (found.path if found else path).replace(":", "", 1).replace("\\", "/"), cap))
            except OSError:
                return ""
        try:
            with open(path, "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - cap))
                return decoded(file.read(cap))
        except (OSError, ValueError):
            return ""


def _fits(event, wanted):
    return event.number in wanted and wanted[event.number].lower() in event.provider.lower()


def _before(moment, days):
    at = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    return (at - datetime.timedelta(days=days)).isoformat(timespec="seconds")


def parsed(text):
    """Events of what wevtutil or Get-WinEvent wrote, in their order.

    >>> parsed('<Event><System><Provider Name="Display"/><EventID>4101</EventID><TimeCreated SystemTime="2026-03-14T20:11:02.123Z"/></System>'
    ...        '<EventData><Data>amduw23g</Data></EventData></Event>')
    [Event(at='2026-03-14T20:11:02+00:00', provider='Display', number=4101, data={'1': 'amduw23g'})]
    """
    found = []
    for block in re.findall(r"<Event[ >].*?</Event>", text, re.DOTALL)[:MOST_EVENTS * 4]:
        if len(block) > 1 << 16 or "<!" in block:
            continue
        try:
            top = ElementTree.fromstring(re.sub(r"\sxmlns(:\w+)?=(\"[^\"]*\"|'[^']*')", "", block))
        except ElementTree.ParseError:
            continue
        system = top.find("System")
        if system is None:
            continue
        identity, when, source = system.findtext("EventID") or "", system.find("TimeCreated"), system.find("Provider")
        if not identity.strip().isdigit() or when is None or source is None:
            continue
        data = {}
        for part in ("EventData", "UserData"):
            for place, node in enumerate(node for above in top.findall(part) for node in above.iter() if len(node) == 0):
                if (node.text or "").strip():
                    data[node.get("Name") or (node.tag if node.tag != "Data" else str(place + 1))] = node.text.strip()
        at = re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", when.get("SystemTime") or "")
        if at:
            found.append(Event(at[0] + "+00:00", source.get("Name") or "", int(identity), data))
    return found


def is_windows(tree):
    """Whether what is asked is a Windows machine."""
    return sys.platform == "win32" if tree.live else recorded(tree)
