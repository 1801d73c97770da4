"""What a pattern cannot see: whether a thing that looks private is, from its letters and from what stands around it.

Each judge is named in :mod:`rocmdoctor.share.formats`, gets the text and the place of a find, and returns the place of what is
private (often the same), or None.
"""

from __future__ import annotations

import functools
import ipaddress
import re
import string
from collections.abc import Callable

from rocmdoctor.knowledge import compiled
from rocmdoctor.share.formats import COMMON_NAMES, PUBLIC_SITES
from rocmdoctor.texts.kinds import LEVELS

Place = tuple[int, int] | None
Judge = Callable[[str, int, int], Place]

# UUIDs that drivers build from a PCI address or spell their own name with ("AMD-"), and classes of devices and partitions that
# Windows and UEFI name: the same on every machine.
_SAME_UUIDS = ("00000000-", "414d442d-", "4d36e9", "c12a7328-f81f", "0fc63daf-8483", "ebd0a0a2-b9e5", "e3c9e316-0b5c", "21686148-6449", "0657fd6d-a4ab", "ffffffff-ffff")
_EMPTY = frozenset((
    "none", "null", "true", "false", "yes", "no", "on", "off", "required", "incorrect", "invalid", "missing", "empty", "wrong", "expired", "unset", "set", "given",
    "redacted", "hidden", "removed", "xxx", "xxxx", "xxxxx", "changeme", "default", "disabled", "enabled", "optional", "string", "str", "not", "is", "was", "bytes", "int",
    "authentication", "prompt", "failed", "failure", "found", "unknown", "n/a", "na", "undefined", "success", "ok", "rejected", "denied", "accepted", "sent", "basic", "bearer"))
_VERSION_WORDS = frozenset((
    "version", "ver", "release", "driver", "build", "rocm", "hip", "mesa", "package", "firmware", "fw", "vbios", "bios", "conformance", "conformanceversion", "wsl", "v", "lib",
    "opt", "sdk", "vulkan", "mec", "mec2", "pfp", "ce", "me", "rlc", "sdma", "sdma2", "vcn", "uvd", "vce", "smc", "smu", "sos", "asd", "ta", "dmcu", "dmcub", "mes", "imu", "psp",
    "toc", "xgmi", "ras", "hdcp", "adrenalin", "edition", "software", "python", "torch", "ucode", "feature", "microcode", "api", "abi", "agesa", "component", "assembly",
    "fileversion", "productversion", "driverversion", "directx", "runtime", "package", "revision", "rev", "patch", "update", "hotfix", "kernel", "agent", "library", "dll", "ip"))
_ADDRESS_WORDS = frozenset((
    "addr", "address", "inet", "from", "to", "host", "client", "peer", "server", "gateway", "listening", "listen", "connect", "connected", "connecting", "via", "dns",
    "nameserver", "src", "dst", "source", "destination", "ssh", "ping", "remote", "local", "tcp", "udp", "at", "on", "by", "broadcast", "brd", "netmask", "route", "default", "dhcp",
    "bound", "lease", "router", "ip", "ipv4", "url", "node", "master", "worker", "endpoint", "proxy", "rhost", "hostname", "for", "with", "user", "against", "target", "answer", "resolver", "ntp", "localhost", "bind"))
_PLAIN_NAMES = frozenset((
    "amd", "radeon", "ryzen", "instinct", "intel", "nvidia", "ubuntu", "fedora", "debian", "arch", "linux", "windows", "microsoft", "canonical", "red", "suse", "valve", "advanced",
    "the", "unknown", "none", "not", "name", "user", "default", "vulkan", "opencl", "mesa", "rocm", "device", "driver", "graphics", "system", "kernel"))
_FORGES_PUBLIC = frozenset((
    "rocm", "radeonopencompute", "pytorch", "ggml-org", "ggerganov", "ollama", "huggingface", "vllm-project", "comfyanonymous", "comfy-org", "amd", "gpuopen-tools", "llvm",
    "torvalds", "mesa", "microsoft", "openai", "google", "nvidia", "intel", "khronosgroup", "triton-lang", "tinygrad", "lemonade-sdk", "likelovewant", "dao-ailab", "lmstudio-ai", "drm", "linux"))
_MAIL_HOSTS = ("lists.freedesktop.org", "vger.kernel.org", "lists.linux.dev", "lists.infradead.org", "lists.debian.org", "lists.ubuntu.com", "googlegroups.com")
_UNITS = frozenset(("service", "socket", "target", "scope", "slice", "timer", "mount", "device", "path", "swap", "so", "dll", "py", "cpp", "hpp", "json", "gguf", "safetensors", "conf", "txt", "log", "rs", "go", "js", "ts", "plt"))
_BELOW_PUBLIC = tuple("." + site for site in PUBLIC_SITES)
_DIGITS, _UPPER, _LOWER = frozenset(string.digits), frozenset(string.ascii_uppercase), frozenset(string.ascii_lowercase)


@functools.cache
def evidence_words() -> frozenset[str]:
    """Words that some rule looks for: a user called "max" must not cost the log its every "max"."""
    return frozenset((*compiled.part("rules words"), *compiled.part("known words"))) | _VERSION_WORDS | _PLAIN_NAMES


@functools.lru_cache(maxsize=4096)
def _public(host: str) -> bool:
    """Whether a host, in lower case, is a site that logs and rules quote, or below one."""
    return host in PUBLIC_SITES or host.endswith(_BELOW_PUBLIC)


def _before(text: str, start: int) -> str:
    return text[start - 1:start]


def _glued(text: str, start: int, end: int, letters: str = "") -> bool:
    """Whether letters, digits or one of ``letters`` touch the find."""
    before, after = _before(text, start), text[end:end + 1]
    if after == "." and not text[end + 1:end + 2].isalnum():
        after = ""  # of a sentence
    return before.isalnum() or after.isalnum() or bool(before and before in letters) or bool(after and after in letters)


def _has(value: str, *kinds: frozenset[str]) -> bool:
    return all(not kind.isdisjoint(value) for kind in kinds)


def _placeholder(value: str) -> bool:
    bare = value.strip("\"'`.,:;()[]{}\\ ")
    return (not bare or bare.lower() in _EMPTY or value[0] in "<$%{[|" or set(bare) <= set("*xX.-_•") or bare.lower().startswith(("your", "<", "${", "%s", "os.environ", "process.env"))
            or bare[-1:] in "([{")


def secret(text: str, start: int, end: int) -> Place:
    """The value behind a word such as API_KEY: no placeholder, count or working directory."""
    value = text[start:end].rstrip("\\.")
    if len(value) < 3 or _placeholder(value) or value.isdigit() and len(value) < 6 or value[0] in "/~" and "/" in value[1:] or re.match(r"[A-Za-z]:\\", value):
        return None
    return start, start + len(value)


def strong(text: str, start: int, end: int) -> Place:
    """As :func:`secret`, behind a word that also has other meanings ("token"): letters and digits, or long, and no version or path."""
    value = text[start:end]
    if secret(text, start, end) is None or not _has(value.lower(), _LOWER) or re.fullmatch(r"v?\d{1,4}(?:\.\w{1,12}){1,4}", value):
        return None
    mixed = _has(value.lower(), _DIGITS, _LOWER)
    return (start, end) if mixed and len(value) >= 6 or len(value) >= 20 and "." not in value and " " not in value else None


def mixed(text: str, start: int, end: int) -> Place:
    """Letters and digits, as a generated value has."""
    value = text[start:end]
    return (start, end) if _has(value.lower(), _DIGITS, _LOWER) or len(value) > 15 and _has(value, _UPPER, _LOWER) or value.isdigit() and len(value) > 7 else None


def generated(text: str, start: int, end: int) -> Place:
    """Letters of both cases and digits in no order: the end of a key, whoever made it. In a symbol or a name most letters stand beside their like."""
    value = re.split("[_-]", text[start:end])[-1]
    if not _has(value, _DIGITS, _LOWER, _UPPER) or _glued(text, start, end, "_/+=") and _before(text, start) not in ("=", "/"):
        return None
    if len(re.findall(r"[A-Z](?=[A-Z])", value)) < 2 and len(re.findall(r"\d+", value)) < 2:
        return None  # words in capitals: a symbol
    kinds = ["d" if c.isdigit() else "u" if c.isupper() else "l" for c in value]
    changes = sum(one != other for one, other in zip(kinds, kinds[1:], strict=False))
    return (start, end) if changes >= 0.4 * len(value) and len(set(value)) >= 14 else None


def body(text: str, start: int, end: int) -> Place:
    """A line that is a piece of a key: base64 of a key's width, no hash."""
    return (start, end) if _has(text[start:end], _DIGITS, _LOWER, _UPPER) else None


def phrase(text: str, start: int, end: int) -> Place:
    """A password, which may be several words; words of the trade behind it belong to the log."""
    value = text[start:end]
    if _placeholder(value.split()[0] if value.split() else "") and not (len(value.split()) > 1 and value.split()[0].lower() in ("my", "your")):
        return None
    words = value.split(" ")
    trade = [number for number, word in enumerate(words) if number and (not word or word.lower().strip("!?.-") in evidence_words())]
    words = words[:trade[0]] if trade else words
    value = " ".join(words).rstrip(",;")
    return start, start + len(value)


def flag(text: str, start: int, end: int) -> Place:
    """The value of an option such as --api-key; of --max-token it is a count."""
    value = text[start:end]
    return None if value.isdigit() or value.startswith("-") or "=" == value[:1] else secret(text, start, end)


def query(text: str, start: int, end: int) -> Place:
    """The value of a parameter in a URL."""
    value = text[start:end]
    return None if value.isdigit() or _placeholder(value) or value.isalpha() and len(value) < 8 and value.lower() in evidence_words() else (start, end)


def login(text: str, start: int, end: int) -> Place:
    """What stands alone before the @ of a URL: git@ is nobody."""
    return None if text[start:end].lower() in ("git", "anonymous", "hg", "svn") else (start, end)


def product(text: str, start: int, end: int) -> Place:
    """Five times five letters: a product key, unless glued to more or hexadecimal."""
    value = text[start:end]
    return None if _glued(text, start, end, "-_") or not _has(value, _UPPER, _DIGITS) else (start, end)


def dashed(text: str, start: int, end: int) -> Place:
    """Groups of a product id, unless it is a piece of a longer number."""
    return None if _glued(text, start, end, "-_") else (start, end)


def kubeadm(text: str, start: int, end: int) -> Place:
    """A bootstrap token: six and sixteen letters and digits."""
    first, _, second = text[start:end].partition(".")
    return (start, end) if _has(second, _DIGITS, _LOWER) and ("token" in text[max(0, start - 40):start] or _has(first, _DIGITS)) and not _glued(text, start, end, ".-_/") else None


def mail(text: str, start: int, end: int) -> Place:
    """A mail address: no unit of systemd, no package at a version, no login of a forge, no public list."""
    name, _, host = text[start:end].rpartition("@")
    host = host.lower()
    if name.lower() == "git" or host.rpartition(".")[2] in _UNITS or host.endswith(_MAIL_HOSTS):
        return None
    if text[end:end + 1].isalnum() or host.split(".")[0].isdigit() and name.islower() and host.count(".") < 2:
        return None
    return start, end


def _common(value: str) -> bool:
    return value.lower().strip(".") in COMMON_NAMES or value.isdigit() or not value.strip("._-*<>")


def home(text: str, start: int, end: int) -> Place:
    """The folder of a user."""
    value = text[start:end].rstrip(".,")
    if _common(value) or value[0] in "<$%{.*-" or text[start - 12:start].endswith(("/share/users/", "/doc/home/")):
        return None
    return start, start + len(value)


def spaced(text: str, start: int, end: int) -> Place:
    """A user's folder with a space in its name: not the end of one path and the start of another."""
    first, _, second = text[start:end].partition(" ")
    if _common(second) or second.lower() in ("and", "or", "to", "is", "in", "as", "on", "from", "with", "for", "the", "does", "not", "has", "was", "at", "via", "->") or "." in second \
            or second.lower() in evidence_words():
        return None
    return home(text, start, end)


def account(text: str, start: int, end: int) -> Place:
    """A name of an account that is not on every system."""
    value = text[start:end].rstrip(".")
    if _common(value) or value[0] in "<$%{" or value.lower() in _EMPTY or re.fullmatch(r"v?\d[\d.]{0,20}|gfx\d\w{2,4}", value) or len(value) < 2:
        return None
    return start, start + len(value)


def command(text: str, start: int, end: int) -> Place:
    """The account that a command names: no group, option or variable, no word of a sentence."""
    value = text[start:end]
    return None if value.lower() in evidence_words() or _before(text, start) == "$" else account(text, start, end)


def domain_user(text: str, start: int, end: int) -> Place:
    """Either side of DOMAIN\\user; the hives and buses of Windows are neither."""
    value = text[start:end]
    if value.upper() in ("NT AUTHORITY", "AUTHORITY", "BUILTIN", "HKLM", "HKCU", "PCI", "USB", "ACPI", "ROOT", "SWD", "SOFTWARE", "SYSTEM", "WINDOWS", "PROGRAM", "DEVICE", "C", "D", "SERVICE", "NT") or re.search(r"(?i)\.(?:dll|exe|sys|inf|lib|bat|cmd|ps1|py|log|txt|json)$", value):
        return None
    return account(text, start, end)


def passwd(text: str, start: int, end: int) -> Place:
    """Name and full name in a line of /etc/passwd; those of system accounts are known."""
    value = text[start:end].rstrip(",").split(",,")[0]
    number = re.search(r":[x*!]?:(\d{1,10}):", text[max(0, start - 30):end + 30])
    if not value.strip() or _common(value) or number and int(number.group(1)) < 1000 and number.group(1) != "0" and value.islower():
        return None
    return start, start + len(value)


def prompt(text: str, start: int, end: int) -> Place:
    """User or host of a shell's prompt."""
    value = text[start:end].rstrip(".")
    if _before(text, start) == "@" and (_public(value.lower()) or re.fullmatch(r"[\d.]{7,15}", value)):
        return None
    return account(text, start, start + len(value))


def forge(text: str, start: int, end: int) -> Place:
    """The owner of a repository that is reached by SSH: somebody, unless a project that everybody knows."""
    return None if text[start:end].lower() in _FORGES_PUBLIC else (start, end)


def person(text: str, start: int, end: int) -> Place:
    """A person's name: not the vendor or a product."""
    value = text[start:end]
    words = value.split()
    if words[0].lower() in _PLAIN_NAMES or len(words) == 1 and words[0].lower() in evidence_words():
        return None
    return start, end


def full_name(text: str, start: int, end: int) -> Place:
    """A name that only its capitals tell: no word of the trade in it."""
    return None if any(word.lower().strip(".,") in evidence_words() for word in text[start:end].split()) else person(text, start, end)


def phone(text: str, start: int, end: int) -> Place:
    """A telephone number: enough digits, with a country or a word that says it."""
    value = text[start:end]
    digits = sum(c.isdigit() for c in value)
    if not 7 <= digits <= 15 or text[end:end + 1].isalpha() or value[0] == "+" and (digits < 9 or value[1:].isdigit() and digits < 11 or "." in value and value.count(".") == 1):
        return None
    return start, start + len(value.rstrip(" ./-("))


def iban(text: str, start: int, end: int) -> Place:
    """An account at a bank: its check digits are right."""
    value = text[start:end]
    while len(value) >= 15:
        plain = value.replace(" ", "")
        if 15 <= len(plain) <= 34 and int("".join(str(int(c, 36)) for c in plain[4:] + plain[:4])) % 97 == 1:
            return start, start + len(value)
        if " " not in value:
            return None
        value = value.rpartition(" ")[0]
    return None


def card(text: str, start: int, end: int) -> Place:
    """A payment card: its check digit is right, and a card's first digit."""
    value = text[start:end]
    digits = [int(c) for c in value if c.isdigit()]
    total = sum(d if i % 2 == 0 else (2 * d - 9 if d > 4 else 2 * d) for i, d in enumerate(reversed(digits)))
    plain = len(digits) == len(value)
    if not 13 <= len(digits) <= 19 or digits[0] not in (2, 3, 4, 5, 6) or total % 10 or _glued(text, start, end, "-_.x") or len(set(digits)) < 3:
        return None
    return (start, end) if not plain or re.search(r"(?i)card|visa|master|amex|pay|credit", text[max(0, start - 30):start]) else None


def digits(text: str, start: int, end: int) -> Place:
    """A number of a person: it has digits, or capitals with a digit among them."""
    value = text[start:end]
    return (start, end) if sum(c.isdigit() for c in value) >= 4 or len(value) >= 7 and value.isupper() and not _DIGITS.isdisjoint(value) else None


def hostname(text: str, start: int, end: int) -> Place:
    """A machine's name: none that all machines have, no address, no site that logs quote."""
    value = text[start:end].strip(".\\")
    if _common(value) or value.lower() in _EMPTY or re.fullmatch(r"v?[\d.]{1,20}", value) or len(value) < 2 or value.lower() in ("kernel", "kernel:", "workgroup", "localdomain"):
        return None
    return None if value in LEVELS or _public(value.lower()) else (start, start + len(value))


def site(text: str, start: int, end: int) -> Place:
    """The host of a URL, unless a site that logs and rules quote."""
    value = text[start:end].rstrip(".-")
    if not value or value[0] in "<$%{" or text[end:end + 1] == "{":
        return None
    return hostname(text, start, start + len(value))


def local(text: str, start: int, end: int) -> Place:
    """A name below a domain of a house or a company; no file, attribute or call."""
    after = text[end:end + 2]
    before = _before(text, start)
    if before == "." and text[start - 2:start - 1] in (",", "=", " ", ";"):
        before = ""  # all names below a domain
    if before and before in "/.-_${" or after[:1] in ("(", "=") or re.match(r"[\w-]|\.\w", after) or text[start:end].lower() in ("self.local", "ipv4.local"):
        return None
    return hostname(text, start, end)


def unc(text: str, start: int, end: int) -> Place:
    """Server or share of a Windows path; not the folders of a path that was escaped."""
    value = text[start:end]
    return None if value.lower() in ("?", ".", "wsl$", "wsl.localhost", "users", "windows", "program files", "share", "c$", "ipc$") else account(text, start, end)


def serial(text: str, start: int, end: int) -> Place:
    """The number of a part: it has digits, and it is no address or placeholder of the board's maker."""
    value = text[start:end].rstrip(".,/-")
    low = value.lower()
    if len(value) < 5 or _DIGITS.isdisjoint(value) or set(value) <= set("0xX-") or "filled" in low or low.startswith(("0000:", "gfx")) or low in ("number", "default") \
            or re.fullmatch(r"ttys?\d{1,3}|\d{1,3}(?:\.\d{1,5}){1,3}|8250\w{0,20}|uart\w{0,20}", low):
        return None
    return start, start + len(value)


def disk(text: str, start: int, end: int) -> Place:
    """The serial at the end of a disk's name: the last group that looks like one, the model before it stays."""
    value = text[start:end].rstrip(".,:")
    value = re.sub(r"(?:-part\d{1,3}|_\d|-\d{1,2}|:\d{1,2}|-lun-\d)$", "", re.sub(r"-part\d{1,3}$", "", value))
    last = max(value.rfind("_"), value.rfind("-"))
    number = value[last + 1:]
    return (start + last + 1, start + len(value)) if len(number) >= 8 and not _DIGITS.isdisjoint(number) else None


def uuid(text: str, start: int, end: int) -> Place:
    """A UUID of a disk, a machine or a person; not those that are the same on every machine."""
    value = text[start:end].lower()
    return None if value.startswith(_SAME_UUIDS) or value.endswith(("-11ce-bfc1-08002be10318", "-11d2-ba4b-00a0c93ec93b")) or _glued(text, start, end) or text[end:end + 1] == "-" else (start, end)


def label(text: str, start: int, end: int) -> Place:
    """The name that somebody gave to a disk."""
    value = text[start:end]
    low = value.lower()
    return None if low in ("efi", "boot", "root", "swap", "home", "esp", "system", "recovery", "none", "data", "windows", "basic") or _placeholder(value) or low in evidence_words() else (start, end)


def mac(text: str, start: int, end: int) -> Place:
    """An address of a network card: six pairs, or the twenty of InfiniBand; more or fewer are a hash or a dump."""
    value = text[start:end]
    pairs = (len(value) + 1) // 3
    sign = value[2]
    around = text[max(0, start - 2):start], text[end:end + 2]
    if pairs not in (6, 20) or _glued(text, start, end, ":-.") or len(set(value.lower())) < 4 and value.lower() != "de:ad:be:ef" or pairs == 6 and around[0][-1:] == sign:
        return None
    return start, end


def mac_dots(text: str, start: int, end: int) -> Place:
    """An address of a network card as switches write it; digits alone are a version."""
    value = text[start:end]
    return None if _glued(text, start, end, ".-:_") or value.replace(".", "").isdigit() and not re.search(r"(?i)mac|hwaddr|ether|addr", text[max(0, start - 16):start]) else (start, end)


def wifi(text: str, start: int, end: int) -> Place:
    """The name of a network."""
    value = text[start:end]
    low = value.lower()
    return None if low in evidence_words() or low in _EMPTY or low in ("on", "is", "wlan0", "scan", "hidden", "any", "docker0", "lo", "with", "to", "and") or re.fullmatch(r"(?:wlan|wlp|eth|enp|br|veth)\w{0,20}", low) \
        or _placeholder(value) else (start, end)


def ip4(text: str, start: int, end: int) -> Place:
    """An IPv4 address, told from a version with four parts by what stands around it, then by its numbers."""
    value = text[start:end]
    parts = value.split(".")
    if any(len(p) > 1 and p[0] == "0" or int(p) > 255 for p in parts):
        return None
    before, after = text[max(0, start - 32):start], text[end:end + 16]
    sign = before[-1:]
    if after[:1].isalnum() or after[:1] in ("_", "+", "~") and after or re.match(r"[.-][\w]", after) or sign.isalnum() or sign in (".", "_", "~") and sign:
        return None
    if parts[0] in ("0", "127", "255") or value.endswith("255.255.255") or value == "255.255.255.0" or value.startswith("255."):
        return None
    private = _private(int(parts[0]), int(parts[1]))
    # of a server's access log; an IPv4 address as IPv6 writes it; a hop of traceroute; as people say it
    if after.startswith(" - - [") or before.endswith("::ffff:") or re.match(r"\)? {1,2}\d{1,4}\.\d{1,3} ms\b", after) or re.search(r"(?i)\bip(?:v4)?(?: address)? is $", before):
        return start, end
    if before.endswith("//") or sign == "@" and private or re.match(r":\d{2,5}\b|/\d{1,2}\b|<\d{1,5}>", after) and not before.endswith(("==", ">=")):
        return start, end
    if sign in ("-", "@", "/") or before.endswith(("==", ">=", "<=", "~=")) or re.match(r"(?i):(?:pci|usb|hdaudio|acpi|hid|root|swd|display)\\", after):
        return None  # a requirement; the driver's version in front of the hardware it was chosen for, as Windows names it
    named = _as_named(before)
    return (start, end) if named or named is None and (private or max(map(int, parts)) >= 100) else None


def _private(first: int, second: int) -> bool:
    """Whether the first two numbers are those of a network that nobody reaches from outside."""
    return first == 10 or (first, second) in ((192, 168), (169, 254)) or first == 172 and 16 <= second < 32 or first == 100 and 64 <= second < 128


def _as_named(before: str) -> bool | None:
    """Whether the word before four numbers calls them an address (True) or a version (False)."""
    word = re.search(r"([A-Za-z][A-Za-z0-9_]{0,24})[\s:='\"(\[,]{0,6}$", before)
    said = word.group(1).lower() if word else ""
    tail = said.rpartition("_")[2]
    if said in _ADDRESS_WORDS or tail in _ADDRESS_WORDS or said.endswith(("addr", "ip", "host")) and said not in ("hip", "chip"):
        return True
    if said in _VERSION_WORDS or tail in _VERSION_WORDS or said.endswith(("version", "driver", "sdk")) or said.startswith(("lib", "torch", "rocm", "hip")):
        return False
    return False if re.search(r"(?i)(?:version|driver|driverver|firmware|release|build|adrenalin)\b[\w\s:=.,()/-]{0,16}$", before) else None


def ip6(text: str, start: int, end: int) -> Place:
    """An IPv6 address: no time, PCI address, scope of C++ or dump."""
    value = text[start:end]
    if _glued(text, start, end, ":._") or text[end:end + 1] == "(":
        return None
    groups = [g for g in value.split(":") if g]
    if not groups or _DIGITS.isdisjoint(value) or all(len(g) == 2 for g in groups) or value.find("::") in (1, 2) and value[0] != ":":
        return None
    try:
        address = ipaddress.IPv6Address(value)
    except ValueError:
        return None
    if address.is_loopback or address.is_unspecified or not any(len(g) >= 3 for g in groups):
        return None
    return start, end


JUDGES: dict[str, Judge] = {
    each.__name__: each for each in (
        secret, strong, mixed, generated, body, phrase, flag, query, login, product, dashed, kubeadm, mail, home, spaced, account, command, domain_user, passwd, prompt, forge, person, full_name, phone, iban,
        card, digits, hostname, site, local, unc, serial, disk, uuid, label, mac, mac_dots, wifi, ip4, ip6)}
