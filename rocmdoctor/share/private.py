"""What in a text belongs to a person or a site: where it stands and of which kind. Evidence about the machine is none of it.

A name is private where its place says so (a home folder, a shell prompt, a log prefix); key formats come from the
detect-secrets package. PCI addresses, gfx targets, versions, fault addresses and build ids are left alone.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import ipaddress
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import re2

from rocmdoctor.knowledge import cache

# Accounts and folders that every system has: they tell nothing about anybody.
COMMON_NAMES = frozenset((
    "root", "user", "users", "admin", "administrator", "ubuntu", "debian", "fedora", "arch", "nixos", "runner", "nobody", "daemon",
    "ollama", "video", "render", "docker", "podman", "systemd", "kernel", "localhost", "public", "shared", "default", "all users",
    "linuxbrew", "cdrom", "app", "node", "home", "jovyan", "vscode", "coder", "nonroot", "lost+found", "lemonade", "lmstudio"))
# Sites that logs and rules quote; a host below one of them is no secret.
_PUBLIC_SITES = (
    "github.com", "githubusercontent.com", "github.io", "gitlab.com", "freedesktop.org", "kernel.org", "huggingface.co", "hf.co",
    "amd.com", "radeon.com", "pytorch.org", "pypi.org", "pythonhosted.org", "python.org", "docker.io", "docker.com", "ghcr.io",
    "quay.io", "ubuntu.com", "debian.org", "fedoraproject.org", "redhat.com", "archlinux.org", "nixos.org", "opensuse.org", "suse.com",
    "launchpad.net", "ollama.com", "ollama.ai", "lmstudio.ai", "lemonade-server.ai", "jan.ai", "microsoft.com", "windows.com",
    "google.com", "googleapis.com", "mesa3d.org", "khronos.org", "lunarg.com", "reddit.com", "stackoverflow.com", "k8s.io",
    "kubernetes.io", "kubernetes.default.svc", "host.docker.internal", "cluster.local", "nvidia.com", "intel.com", "anaconda.com",
    "anaconda.org", "conda.io", "vllm.ai", "civitai.com", "example.com", "w3.org", "json-schema.org", "openai.com", "modelscope.cn")
_VERSION_BEFORE = re.compile(r"(?:version|\bver\.?|\brelease|\bdriver|\bbuild|\brocm|\bhip|\bmesa|\bpackage|\bfirmware|\bvbios|\bconformance|\bwsl|==|>=|<=|[-_/@~]|\bv)"
                             r"[\s:='\"(]*$", re.IGNORECASE)
_NAME = r"[A-Za-z0-9_][\w.+-]{0,62}"
_SECRET_WORD = r"(?:API_?KEY|ACCESS_?KEY(?:_ID)?|SECRET(?:_?KEY)?|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PRIVATE_?KEY|CREDENTIALS?)"

# (kind, texts of which a text must contain one, in lower case, to be worth the pattern, pattern): the group `v` (or the
# whole match) is what is private.
_PATTERNS: tuple[tuple[str, str, str], ...] = (
    ("key", "private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)"),
    ("key", "ssh-", r"\bssh-(?:rsa|ed25519|dss)\s+(?P<v>AAAA[\w+/=]{20,})"),
    ("key", "hf_", r"\bhf_[A-Za-z0-9]{16,}"),
    ("key", "sk-", r"\bsk-[A-Za-z0-9_-]{16,}"),
    ("key", "bearer |basic ", r"(?i:\b(?:bearer|basic)\s+)(?P<v>[\w.~+/=-]{12,})"),
    ("key", "key|secret|token|passw|passphrase|credential", rf"\b(?:[A-Z0-9]+_)*{_SECRET_WORD}[\"']?\s*[=:]\s*[\"']?(?P<v>[^\s\"',;<>]{{4,}})"),
    ("key", "--", r"(?i:--(?:[\w-]+-)?(?:api-key|token|password|passwd|secret|auth-key)[= ]+)[\"']?(?P<v>[^\s\"',;<>]{3,})"),
    ("key", "api|passw|client_secret|_token|secret_key|psk", r"(?i:\b(?:api[_-]?key|apikey|password|passwd|client_secret|access_token|auth_token|refresh_token|secret_key|psk)[\"']?\s*[=:]\s*)"
            r"[\"']?(?P<v>[^\s\"',;&<>]{4,})"),
    ("key", "?|&", r"(?i:[?&](?:token|key|api_?key|access_token|sig|signature|auth|password)=)(?P<v>[^&\s\"'<>]+)"),
    ("key", "://", r"://(?P<v>[^\s/@:<>]+:[^\s/@<>]+)@"),
    ("key", "cookie:", r"(?i:\b(?:set-)?cookie:\s*)(?P<v>[^\n]{4,})"),
    ("email", "@", r"\b(?!git@)[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.(?!service\b|socket\b|target\b|scope\b|slice\b|timer\b|mount\b)[A-Za-z]{2,}\b"),
    ("user", "/home/|/users/|/media/", r"(?:/home|/Users|/var/home|/export/home|/run/media)/(?P<v>[^/\s\"'`:;,()\[\]{}<>\\|]+)"),
    ("user", ":\\users|:/users|:\\\\users", r"(?i:\b[a-z]:[\\/]+Users[\\/]+)(?P<v>[^\\/\"'<>|:*?\n]{1,40}?)(?=[\\/])"),
    ("user", ":\\users|:/users|:\\\\users", r"(?i:\b[a-z]:[\\/]+Users[\\/]+)(?P<v>[^\\/\"'<>|:*?\s]{1,40})"),
    ("user", "~", r"(?<![\w/])~(?P<v>[a-z_][\w-]{1,31})/"),
    ("user", "user|logname", rf"\b(?:USER|LOGNAME|USERNAME|SUDO_USER|UserName)[\"']?\s*[=:]\s*[\"']?(?:[\w-]+\\)?(?P<v>{_NAME})"),
    ("user", "user|login", rf"(?i:\b(?:user ?name|login name|user)\s*[=:]\s*)[\"']?(?P<v>[A-Za-z_]{_NAME})"),
    ("user", "id=", r"\b[ug]id=\d+\((?P<v>[^)\s]+)\)"),
    ("user", "session |accepted |failed |password for|logged in as|user", rf"(?i:\b(?:session (?:opened|closed) for user|(?:accepted|failed) \w+ for(?: invalid user)?|password for|logged in as|run as user|for user)\s+)"
             rf"[\"']?(?P<v>{_NAME})"),
    ("user", "sudo", rf"\bsudo(?:\[\d+\])?:\s+(?P<v>{_NAME}) :"),
    ("user", "rw|r-|--x", rf"(?m:^[bcdlps-][rwxsStT-]{{9}}[.+@]?\s+\d+\s+)(?P<v>{_NAME})"),
    ("user", "rw|r-|--x", rf"(?m:^[bcdlps-][rwxsStT-]{{9}}[.+@]?\s+\d+\s+\S+\s+)(?P<v>{_NAME})"),
    ("user", ".", rf"(?m:^)(?P<v>{_NAME})\s+\d+\s+\d+\.\d+\s+\d+\.\d+\s+\d+\s+\d+\s"),
    ("user", ":x:", rf"(?m:^)(?P<v>{_NAME}):x:\d+:\d+:"),
    ("user", "@", rf"(?<![\w@/:.-])(?P<v>[a-z_]{_NAME})@[A-Za-z][\w.-]{{0,62}}(?=[:~$#\]\s])(?=:? ?[~/$#])"),
    ("host", "@", rf"(?<![\w@/:.-])[a-z_]{_NAME}@(?P<v>[A-Za-z][\w.-]{{0,62}})(?=[:~$#\]\s])(?=:? ?[~/$#])"),
    ("host", ": ", r"(?m:^[^\S\n]*(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d(?:\.\d+)?|\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?) )"
             rf"(?P<v>{_NAME})(?= [\w./()@\\-]+(?:\[\d+\])?: )"),
    ("host", "linux ", rf"\bLinux (?P<v>[A-Za-z]{_NAME}) \d+\.\d+\.\d+\S* #"),
    ("host", "name|csname", rf"(?i:\b(?:(?:static |transient |pretty )?host_?name|host name|machine name|computer ?name|nodename|node_name|kubernetes\.io/hostname|"
             rf"_hostname|server name|csname|pscomputername)\b[\"']?\s*[=:]\s*)[\"']?(?P<v>{_NAME})"),
    ("host", "node:", rf"(?m:^\s*Node:\s+)(?P<v>{_NAME})(?=/)"),
    ("host", "desktop-|laptop-|win-", r"\b(?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]{6,}\b"),
    ("host", "assigned |on host|on node", rf"(?i:\b(?:assigned \S+ to|on host) )(?P<v>{_NAME})"),
    ("serial", "serial|tag|unique|fru_id", r"(?i:\b(?:serial(?:[ _-]?(?:number|no|num))?|(?:product|board|chassis|asic|pcb)_serial|asset[ _]tag|service[ _]tag|unique[ _]?id|"
               r"fru_id|device_id_serial)\b[\"']?\s*[:=#]?\s*[\"']?(?:0x)?)(?P<v>(?=[\w-]*\d)[\w-]{5,})"),
    ("serial", "gpu-", r"\bGPU-(?P<v>[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*)\b"),
    ("serial", "ata-|nvme-|usb-|scsi-|wwn-", r"\b(?:ata|nvme|usb|scsi|wwn)-[\w.-]*[_-](?P<v>(?=\w*\d)[A-Za-z0-9]{8,})\b"),
    ("id", "_id|id:|id=|-id| id", r"(?i:\b(?:machine|boot)[ _-]?id[\"']?\s*[:=]\s*[\"']?)(?P<v>[0-9a-f]{32})\b"),
    ("id", "s-1-5-21-", r"\bS-1-5-21-\d+-\d+-\d+(?:-\d+)?\b"),
    ("uuid", "-", r"(?<![\w-])[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}(?![\w-])"),
    ("mac", ":", r"(?<![\w:.-])(?:[0-9a-fA-F]{2}:){5,19}[0-9a-fA-F]{2}(?![\w:]|-[0-9a-fA-F])"),
    ("mac", "-", r"(?<![\w:.-])(?:[0-9a-fA-F]{2}-){5,7}[0-9a-fA-F]{2}(?![\w:-])"),
    ("wifi", "ssid", r"(?i:\bE?SSID\b\s*[:=]?\s*)[\"'](?P<v>[^\"'\n]{1,40})[\"']"),
    ("wifi", "ssid", r"(?i:\bE?SSID\s*[:=]\s*)(?P<v>[^\s\"',;][^\n\"',;]{0,40}?)(?=\s*(?:$|[\n,;]))"),
)
_IPV4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w+~-]|\.\d)")  # with a local or Debian part behind it, it is a version
_IPV6 = re.compile(r"(?<![\w:.])(?=[0-9a-fA-F:]*:[0-9a-fA-F:]*:)[0-9a-fA-F:]{3,39}(?![\w:.])")
_URL_HOST = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s/@\"'<>]*@)?(?P<v>[A-Za-z0-9_][A-Za-z0-9._-]*)")
_LOCAL_DOMAIN = re.compile(r"(?<![\w./-])(?P<v>(?:[A-Za-z0-9][\w-]*\.)+(?:local|lan|internal|intranet|corp|home|localdomain|home\.arpa|private))"
                           r"(?![\w(]|\.\w)")

# Addresses and URLs are looked at here; the others' formats are wide enough to take evidence for keys.
_LEFT_OUT = ("ip_public", "basic_auth", "artifactory", "softlayer", "ibm_cloud_iam", "ibm_cos_hmac", "cloudant", "twilio")

# UUIDs that drivers build from a PCI address or spell their own name with ("AMD-"): the same on every machine.
_DEVICE_UUIDS = ("00000000-", "414d442d-")

Span = tuple[int, int, str]


def spans(text: str) -> Iterator[Span]:
    """(start, end, kind) of everything private in ``text``; spans may overlap."""
    for kind, pattern in _formats().likely(text):
        for found in pattern.finditer(text):
            group: Any = "v" if "v" in pattern.groupindex else 0
            value = found.group(group)
            if value.startswith("<") or not value.strip(".") or (kind == "uuid" and value.lower().startswith(_DEVICE_UUIDS)):
                continue
            if kind in ("user", "host") and (value.lower() in COMMON_NAMES or value.isdigit()):
                continue
            yield found.start(group), found.end(group), kind
    yield from _addresses(text)
    yield from _domains(text)


def _addresses(text: str) -> Iterator[Span]:
    for pattern in _IPV4, _IPV6:
        for found in pattern.finditer(text):
            try:
                address = ipaddress.ip_address(found.group())
            except ValueError:
                continue
            if address.is_loopback or address.is_unspecified or found.group().startswith("255."):
                continue
            before = text[max(0, found.start() - 24):found.start()]
            at_a_host = before.endswith("//") or before.endswith("@") and address.is_private  # ssh user@192.168.7.9
            if address.version == 4 and _VERSION_BEFORE.search(before) and not at_a_host:
                continue
            if address.version == 6 and not re.search(r"\d", found.group()) or found.group().find("::") in (1, 2):
                continue  # a::b and ab::c1 are C++ scopes more often than addresses
            yield found.start(), found.end(), "ip"


def _domains(text: str) -> Iterator[Span]:
    for pattern in _URL_HOST, _LOCAL_DOMAIN:
        for found in pattern.finditer(text):
            host = found.group("v").lower().rstrip(".")
            if host in COMMON_NAMES or re.fullmatch(r"[\d.]+", host):
                continue
            if any(host == site or host.endswith("." + site) for site in _PUBLIC_SITES):
                continue
            yield found.start("v"), found.start("v") + len(host), "domain" if "." in host else "host"


class _Formats:
    """All patterns behind one RE2 set, which says in a single pass which of them are worth trying on a text."""

    def __init__(self) -> None:
        self._set = re2.Set.SearchSet(_quiet())
        self._in_set: list[tuple[str, str, int]] = []
        self._others: list[tuple[str, tuple[str, ...], str, int]] = []
        listed = [(kind, tuple(hints.split("|")), pattern, 0) for kind, hints, pattern in _PATTERNS]
        for pattern, flags in _key_formats():
            start = re.match(r"\(?([A-Za-z]{3,})", pattern)
            listed.append(("key", (start.group(1).lower() if start else "",), pattern, flags))
        for kind, hints, pattern, flags in listed:
            try:
                self._set.Add(("(?i)" if flags & re.IGNORECASE else "") + pattern.replace(r"\Z", r"\z"))
            except re2.error:  # looks ahead or behind, which RE2 does not
                self._others.append((kind, hints, pattern, flags))
            else:
                self._in_set.append((kind, pattern, flags))
        self._set.Compile()

    def likely(self, text: str) -> Iterator[tuple[str, re.Pattern[str]]]:
        for index in self._set.Match(text) or ():
            kind, pattern, flags = self._in_set[index]
            yield kind, _compiled(pattern, flags)
        low = text.lower()
        for kind, hints, pattern, flags in self._others:
            if any(hint in low for hint in hints):
                yield kind, _compiled(pattern, flags)


@functools.cache
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def _quiet() -> Any:
    options = re2.Options()
    options.log_errors = False
    return options


@functools.cache
def _formats() -> _Formats:
    return _Formats()


def _key_formats() -> list[list[Any]]:
    """detect-secrets' formats of keys and tokens as (pattern, flags), kept: importing the package takes longer than a check."""
    spec = importlib.util.find_spec("detect_secrets")
    places = list(spec.submodule_search_locations or ()) if spec else []
    files = sorted(file for place in places for file in pathlib.Path(place, "plugins").glob("*.py"))

    def listed() -> list[list[Any]]:
        return [[p.pattern, p.flags] for file in files if file.stem not in _LEFT_OUT for p in _formats_of(file.stem)]

    found: list[list[Any]] = cache.stamped("key-formats.json", [*files, pathlib.Path(__file__)], listed)
    return found


def _formats_of(plugin: str) -> list[re.Pattern[str]]:
    from detect_secrets.plugins.base import RegexBasedDetector

    module = importlib.import_module(f"detect_secrets.plugins.{plugin}")
    found: list[re.Pattern[str]] = []
    for item in vars(module).values():
        if isinstance(item, type) and issubclass(item, RegexBasedDetector) and item.__module__ == module.__name__:
            formats = getattr(item, "denylist", ())
            found += [f for f in formats if isinstance(f, re.Pattern)] if isinstance(formats, (list, tuple)) else []
    return found
