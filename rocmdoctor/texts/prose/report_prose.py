"""Free text of a bug report: what the writer says about the machine.

>>> sample = '''Ubuntu 24.04, kernel 6.14.0-24-generic, RX 6700 XT (gfx1031), ROCm 6.4.3.
... Ollama 0.12.6 hangs, 0.12.5 works.'''
>>> for reading in read(sample):
...     print(reading.line, reading.name, reading.item, reading.value)
1 report.gfx_mentioned  ['gfx1031']
1 gpu.name prose:rx-6700-xt AMD Radeon RX 6700 XT
1 gpu.gfx_reported prose:rx-6700-xt gfx1031
1 os.family  linux
1 os.distribution  ubuntu
1 os.version  24.04
1 os.name  Ubuntu 24.04
1 report.os_said  Ubuntu 24.04
1 kernel.release  6.14.0-24-generic
1 runtime.rocm_version  6.4.3
2 ollama.version  0.12.6
2 report.apps  ['ollama']
1 report.backends  ['rocm']
2 report.last_good  0.12.5
2 report.first_bad  0.12.6
2 report.contrasts  [{'axis': 'version', 'value': '0.12.6', 'title': 'ollama', 'right': False, 'line': 2, 'text': 'Ollama 0.12.6 hangs'}, \
{'axis': 'app', 'value': 'ollama', 'title': 'Ollama', 'right': False, 'line': 2, 'text': 'Ollama 0.12.6 hangs'}, \
{'axis': 'version', 'value': '0.12.5', 'title': 'ollama', 'right': True, 'line': 2, 'text': '0.12.5 works'}]
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterator

from rocmdoctor import later
from rocmdoctor.facts.model import Reading
from rocmdoctor.knowledge import products
from rocmdoctor.records import replace
from rocmdoctor.texts import kinds
from rocmdoctor.texts.lines import Lines, clean, integer, lazy, targets
from rocmdoctor.texts.prose import contrasts, named_versions, story
from rocmdoctor.texts.prose.verdicts import verdict

TRUST = 0
KINDS = kinds.GROUPS["told"]
_LIMIT = 120_000

_OS = lazy(
    r"(?<![\w/-])(?P<name>Linux Mint|Mint|Ubuntu|Kubuntu|Xubuntu|Lubuntu|Debian|Fedora|Arch ?Linux|CachyOS|EndeavourOS|Manjaro|Garuda(?: Linux)?|Omarchy"
    r"|openSUSE"
    r"(?: Tumbleweed| Leap)?|Tumbleweed|NixOS|Gentoo|RHEL|Red Hat Enterprise Linux|Rocky(?: Linux)?|AlmaLinux|CentOS"
    r"|Pop!?_OS|Bazzite|SteamOS|Nobara|Void Linux|Proxmox(?: VE)?|Home Assistant OS|Unraid|TrueNAS|SLES|Zorin OS"
    r"|Windows|Win|macOS)\b(?!-)(?P<mid>(?: Linux| Server| release| Workstation)?[ :\-]{0,2})"
    r"(?:v?(?P<version>\d{1,2}(?:\.\d{1,2}){0,2})\b(?!\.?\d|-\d{1,3}ubuntu))?(?P<tail> LTS| Pro| Home)?", re.IGNORECASE)
_IDS = {
    "linux mint": "linuxmint", "mint": "linuxmint", "kubuntu": "ubuntu", "xubuntu": "ubuntu", "lubuntu": "ubuntu",
    "arch linux": "arch", "archlinux": "arch", "tumbleweed": "opensuse-tumbleweed", "red hat enterprise linux": "rhel",
    "opensuse tumbleweed": "opensuse-tumbleweed", "opensuse leap": "opensuse-leap", "opensuse": "opensuse",
    "garuda linux": "garuda", "omarchy": "arch", "rocky linux": "rocky", "pop!_os": "pop", "pop_os": "pop", "void linux": "void", "proxmox ve": "proxmox",
    "home assistant os": "haos", "zorin os": "zorin",
}
WSL = lazy(r"\bWSL ?[12]?\b|microsoft-standard-WSL|librocdxg|/dev/dxg", re.IGNORECASE)
_LINUX = lazy(r"\bLinux\b|\bFlat(?:pak|hub)\b|/dev/kfd|/dev/dri|/opt/rocm|\bsudo |\bapt |\bdmesg\b|\.so\b", re.IGNORECASE)
PLAIN_WINDOWS = lazy(r"\bAdrenalin\b|\bamdvlk64\.dll|\bamdhip64\w*\.dll|[C-H]:\\|\.exe\b", re.IGNORECASE)

_RELEASE = (r"(?P<v>[2-7]\.\d{1,3}(?:\.\d{1,3})?(?:[-.+][A-Za-z0-9_][\w.+~-]{0,60}|\+)?|[5-7]\.\d{1,2}\.x)(?![\w])")
_BUILDING = lazy(r"\bKERNELVER=|^Building (?:initial module|for) ", re.MULTILINE)
_KERNELS = (
    lazy(r"(?i:linux version )" + _RELEASE),
    lazy(r"\b"
               r"(?i:kernels?(?:[ -]version| release)?(?: is| are| on)?)[:= \t|*`]{1,8}(?i:linux )?(?i:version:? )?v?" + _RELEASE),
    lazy(r"\b(?i:kernels?)\b[^\n\d.;]{0,24} (?P<v>[4-7]\.\d{1,2}\.\d{1,3}-[\w.+]+(?:-\w+)*)"),
    lazy(r"(?:^|[\s,(])[Ll]inux (?!Foundation|Mint)(?:[A-Za-z][\w.-]{0,63} )?" + _RELEASE),
    lazy(r"(?<![\w./-])(?P<v>[4-7]\.\d{1,2}\.\d{1,3}(?:-[\w.]+)*-(?:generic|oem|pve|lowlatency|azure|aws|mainline|cachyos|amd64|"
               r"zen\d*(?:-\d+)?|arch\d*(?:-\d+)?"
               r"|microsoft-standard-WSL2|default|MANJARO|liquorix)\b|[4-7]\.\d{1,2}\.\d{1,3}(?:-[\w.]+)?\.(?:fc|el)\d\w*\.x86_64)"),
    lazy(r"\b(?P<v>[4-7]\.\d{1,2}(?:\.\d{1,3})?) kernel\b"),
    lazy(r"\blinux-(?:cachyos|zen|lts|hardened|xanmod|liquorix|tkg|mainline|surface|neptune)(?:-[a-z]+)*[ :=(]{1,2}(?:packages? )?v?" + _RELEASE),
    lazy(r"\buname -[ra]{1,2}\b[^\n\d]{0,24}(?P<v>[4-7]\.\d{1,2}\.\d{1,3}[\w.+-]{0,40})"),
)
_ROCM_NUMBER = r"(?P<v>[4-9]\.\d{1,2}(?:\.\d{1,3})?(?:(?:a|rc|b)\d{1,8})?)(?![\w.]?\d)"
_ROCMS = (
    lazy(r"\b(?:updat|upgrad)\w*[^\n.;,]{0,30}? (?:to|brought) ROCm " + _ROCM_NUMBER, re.IGNORECASE),
    lazy(r"\b(?:ROCm|rocm_version|TheRock)(?:[ -](?:version|release|runtime|SDK|core|userspace|user space|stack))*"
               r"[ :=_`*|v(-]{0,6}" + _ROCM_NUMBER, re.IGNORECASE),
    lazy(r"\b(?:TheRock)[^\n]{0,20}?[ -]" + _ROCM_NUMBER, re.IGNORECASE),
    lazy(r"/opt/rocm-" + _ROCM_NUMBER),
    lazy(r"\+rocm" + _ROCM_NUMBER),
    lazy(r"\bamdgpu-install[_-](?P<v>[5-9]\.\d{1,2}(?:\.\d{1,2})?)\.\d{5,6}\b"),
    lazy(r"\brocm(?:-sdk-core|-core)?(?:==|[ =]+)" + _ROCM_NUMBER),
    lazy(r"\bHIP SDK " + _ROCM_NUMBER, re.IGNORECASE),
)
_OLLAMA = (
    lazy(r"\bollama(?:-rocm)? (?:version (?:is )?|server )?v?(?P<v>0\.\d{1,3}\.\d{1,3}(?:-rc\d+)?)\b", re.IGNORECASE),
    lazy(r"\bollama(?:/ollama)?:(?P<v>0\.\d{1,3}\.\d{1,3}(?:-rc\d+)?)\b"),
    lazy(r"\bollama(?:-linux|-windows|-rocm|[ _-]version)?[ :=`*v-]{1,4}(?P<v>0\.\d{1,3}\.\d{1,3}(?:-rc\d+)?)\b", re.IGNORECASE),
    lazy(r"\bollama\b[^\n.]{0,40}? (?P<v>0\.\d{1,3}\.\d{1,3}(?:-rc\d+)?)\b", re.IGNORECASE),
)
_LLAMA = (
    lazy(r"\bversion: (?P<v>\d{3,6}) \([0-9a-f]{6,}\)"),
    lazy(r"\(build (?P<v>\d{3,6}), commit"),
    lazy(r"^build: (?:[0-9a-f]{6,} \()?(?P<v>\d{3,6})\b", re.MULTILINE),
    lazy(r"\b(?:llama\.?cpp(?!-rocm)|llama-server|llama-cli|llama-bench|ggml)\b[^\n]{0,40}?\b(?:build:? ?)?b(?P<v>\d{4,6})\b", re.IGNORECASE),
    lazy(r"(?<![\w.-])b(?P<v>[4-9]\d{3}|1\d{4})\b"),
)
_TORCHES = (
    lazy(r"\b(?:torch|pytorch)(?: version| nightly)?(?:==|[ :=@-]{1,3}|\s{1,30})"
               r"v?(?P<v>[12]\.\d{1,2}\.\d{1,2}[\w.]*(?:\+[\w.]+)?)", re.IGNORECASE),
    lazy(r"(?<![\w.])(?P<v>2\.\d{1,2}\.\d{1,2}[\w.]*\+(?:rocm|cpu|cu|gfx)[\w.]*)"),
    lazy(r"\btorch-(?P<v>[12]\.\d{1,2}\.\d{1,2}[\w.]*(?:(?:\+|%2B)[\w.]+)?)-cp"),
)
# Versions as these components have them, and what says of one that it is in use.
_OF_KERNEL = lazy(r"(?<![\w./-])(?P<v>[4-7]\.\d{1,2}\.\d{1,3}(?:-[\w.+-]{1,60})?)(?![\w])")
_OF_OLLAMA = lazy(r"(?<![\w./-])v?(?P<v>0\.\d{1,3}\.\d{1,3}(?:-rc\d+)?)(?![\w]|\.\d)")
_OF_MESA = lazy(r"(?<![\w./-])(?P<v>2\d\.\d{1,2}\.\d{1,2})(?![\w]|\.\d)")
_NOW_BEFORE = lazy(r"\b(?:now|currently|at present|today)\b(?: [a-z]\w{0,15}){0,4} v?$", re.IGNORECASE)
_NOW_AFTER = lazy(r"[\"'`)]{0,2} (?:(?:is|are) (?:now |currently )?(?:installed|in use|running|what (?:runs|is installed))|now\b|at present\b)", re.IGNORECASE)
_IMAGE = lazy(r"\.(?:sif|sqsh|simg|img|tar|tgz|whl|zip)\b.*$")
_MESAS = (
    lazy(r"\bMesa(?:-git| version| drivers?| \d?D?)?[*_`]{0,2}(?: (?:is|was|stays))?(?: (?:at|on|now))?[ :=v-]{1,3}[*_`]{0,2} ?"
         r"(?P<v>2\d\.\d{1,2}(?:\.\d{1,2})?(?:-(?:devel|rc\d+))?)", re.IGNORECASE),
    lazy(r"\bmesa-vulkan-(?:drivers|radeon)[ :=@/(]{1,3}(?:\d+:)?(?P<v>2\d\.\d{1,2}\.\d{1,2})", re.IGNORECASE),
    lazy(r"\bRADV (?:version )?v?(?P<v>2\d\.\d{1,2}\.\d{1,2})\b"),
)
_ADRENALIN = lazy(r"\b(?:Adrenalin|AMD Software)\b[^\n.\d]{0,30}?(?P<v>2\d\.\d{1,2}\.\d{1,2})\b", re.IGNORECASE)
_STORE = r"(?P<v>3[0-3]\.0\.\d{4,6}\.\d{1,6})\b"
_BESIDE_RELEASE = (  # the number that Windows shows of the release that is named with it
    lazy(r"(?: WHQL| Edition| Optional){0,2},? ?\(?(?:(?:the |Windows |display |graphics )*drivers?(?: version)?[ :=]{0,2})?v?" + _STORE, re.IGNORECASE),
    lazy(_STORE + r",? ?\(?(?:AMD Software:? ?|Adrenalin(?: Edition)? ?){1,2}$", re.IGNORECASE))
# A list of releases that were tried: the newest of them is in use, unless another is told as the one of now.
_YEARLY = r"2\d\.\d{1,2}\.\d{1,2}"
_TRIED = lazy(rf"\b(?:Adrenalin|drivers?)(?: (?:version|release|edition|software)s?)? "
              rf"(?P<all>{_YEARLY}(?:(?:,| and| or|, and)(?: (?:now|then|also|finally))? {_YEARLY})+)\b", re.IGNORECASE)
_SAYS_WINDOWS = lazy(r"\bWin(?:dows)? ?1[01]\b|\bWindows\b|\bAdrenalin\b")
_WDDM = (
    lazy(r"\bdriverVersion\s{0,20}[:=]\s{0,4}(?P<v>2\.0\.\d{1,4})\b"),
    lazy(r"\b(?i:driver)\b[^\n\d]{0,25}(?P<v>3[0-3]\.0\.\d{4,6}\.\d{1,6})\b"),
    lazy(r"(?<![\w.])v?(?P<v>3[0-3]\.0\.\d{4,6}\.\d{1,6})\b"),
    lazy(r"\b(?i:(?:amd|gpu|graphics|display|radeon)(?: software)?(?: graphics)? drivers?(?: version)?)[ :=v]{1,3}(?P<v>2\d\.\d{1,2}\.\d{1,2})\b"),
)
_BARE_DRIVER = lazy(r"(?<![\w-] )\bdrivers?(?: version)?[ :=v]{1,20}(?P<v>2\d\.\d{1,2}\.\d{1,2})\b(?!\.\d)", re.IGNORECASE)
_INTERNAL = lazy(r"\bdriver version\b[^\n\d]{0,25}(?P<v>2\d\.\d0\.\d{1,2}\.\d{1,2})\b", re.IGNORECASE)  # in AMD's own count
_DKMS = lazy(r"\bamdgpu(?:-dkms)?[ /_:=](?P<v>6\.\d{1,2}\.\d{1,2}(?:[.-][\d.]+)*)")
_COMPARED = lazy(r"\b(?:like|as|similar to|comparable (?:to|with)|compared (?:to|with)|versus|vs\.?|than|class of)"
                 r" (?:an? |the )?(?:AMD )?(?:Radeon |Instinct )?(?:RX )?$", re.IGNORECASE)
# Somebody else's GPU, named for comparison.
_THEIRS = lazy(r"\b(?:(?:the|its|their) (?:author|developer|maintainer|creator)s?|(?:a|my|another|the) (?:colleague|co-?worker|friend)"
               r"|(?:some|any)(?:one|body) else|(?:other|another) (?:users?|person)"
               r"|(?:an? other|the other|another|on a (?:second|different)) (?:machine|computer|PC|host|box))\b"
               r"[^.!?\n]{0,100}$", re.IGNORECASE)
_AUDIO = lazy(r"\bAudio\b[^\n\"',;]{0,40}$")  # the name of a sound device goes on with that of its chip
_ITS_AUDIO = lazy(r"[^\n\"',;]{0,30}\bAudio\b")
_PCI_ID = lazy(r"(?i:vendorID 0x1002, deviceID 0x)(?P<d>[0-9a-fA-F]{4})\b|(?:\b|\[)(?P<v>1002:[0-9a-fA-F]{4})\b(?!:)")
_ALTERNATIVE = lazy(r" ?/ ?[\dA-Z]")
_ALTERNATIVE_BEFORE = lazy(r"[\dA-Z] ?/ ?$")
_ONE_NAME = lazy(r"\s?/?\s?")  # between two names of one chip in its name in a list: "[Radeon 8050S 8060S Graphics]"
_BUILT_FOR = lazy(r"\b\w{0,30}(?:ARCH|ARCHS|ARCHITECTURES|TARGETS?|ARCH_LIST)[\"']?\s?[=:]\s?[\"']?(?:gfx[\w:+-]{3,30}[;, ]{1,2}){0,20}$|[A-Za-z]-$"
                  r"|\b(?:compil\w{1,5}|build\w{0,4}|built|generat\w{1,6}) (?:\w{1,20} )?for (?:GPU )?$|--offload-arch[= ]$")
_CATALOGUE = 4  # targets: who names more lists what there is, not what he has
_REFUSED = lazy(r"\bfor GPU arch ?: ?(gfx[0-9a-f]{3,4})\b|\bgpu_type=\"?(gfx[0-9a-f]{3,4})\b")

_MEMORY = lazy(r"^[\s>*_-]{0,9}(?:VRAM|Video memory|Dedicated memory)(?: size)?[*_ ]{0,4}[:=][*_ ]{0,4}(?P<n>\d{1,5}) ?(?P<unit>GB|GiB|MB|MiB)"
               r"(?: (?:GDDR|HBM)\w{1,3})?[*_ ]{0,4}$", re.IGNORECASE | re.MULTILINE)  # of the card, as a field of its own
# Of the card that is named right before it: "RX 580 8GB", "MI50 (32 GB HBM2)", "RX 7900 XTX, 24 GiB VRAM".
_ITS_SIZE = lazy(r"\**(?: OC)?,? ?\(?(?:gfx\w{3,4},? |Polaris ?\d\d,? )?(?P<n>[1-9]\d{0,2}) ?Gi?B"
                 r"(?=$|[,);\n]| ?[(|]| (?:each|VRAM|GDDR|HBM))", re.IGNORECASE | re.MULTILINE)
_TIMES = lazy(r"(?<![\w.,-])(?:(?P<n>[2-9]|1[0-6]) ?[x\u00d7]|(?-i:dual)|two) (?:AMD |ATI )?(?:Radeon |Instinct )?(?:Pro |RX )?$", re.IGNORECASE)
_OTHERS = lazy(r"\b(?:NVIDIA|GeForce|RTX|GTX|Intel (?:Arc|UHD|Iris))\b", re.IGNORECASE)
# A tool names the processor, whether its graphics are in use or not.
_PROCESSOR = lazy(r"^\W*(?:model[ _]?name|cpu(?: model| name)?|processor(?: name)?|brand(?: string)?|proc)\W{0,6}[:=|\t]|^ *name *= *$", re.IGNORECASE)
_ONE = r"v?b?\d{1,4}[.\d]\d*[\w.+~-]{0,60}"
_MOVE = lazy(rf"(?<=[\w)] )(?:from (?:version )?{_ONE} (?:up |on |over )?to (?:version )?"
             rf"|{_ONE} ?(?:->|=>|\u2192) ?|{_ONE} (?:up to|through) )(?P<new>{_ONE})", re.IGNORECASE)
_BACKWARDS = lazy(r"\b(?:downgrad\w*|back|revert\w*|roll\w*)\b[^.;\n]{0,50}$", re.IGNORECASE)
_STATED = lazy(r"\b(?:architecture|gfx target|target|arch)(?: is| name)?[ :=]{1,3}(gfx[0-9a-f]{3,4})\b", re.IGNORECASE)


def recognises(text: str) -> bool:
    """Any text but a JSON document: prose has no mark of its own.

    >>> recognises("My RX 6700 XT hangs"), recognises("")
    (True, False)
    """
    start = text[:200].lstrip()[:2]
    return bool(text.strip()) and not (start[:1] == "{" or start in ("[{", "[\n"))


def _first(text: str, patterns: tuple[re.Pattern[str], ...]) -> re.Match[str] | None:
    for pattern in patterns:
        found = later.search(pattern, text)
        if found:
            return found
    return None


def _distinct(named: list[products.Product]) -> Iterator[products.Product]:
    """Each GPU by its best name, once: a card before a chip, a chip before a processor that implies one, the longer name before its beginning."""
    strongest: dict[str, str] = {}
    for product in named:
        if product.kind == "card" or (product.kind == "chip" and strongest.get(product.gfx) != "card"):
            strongest[product.gfx] = product.kind
    explicit = bool(strongest)
    longer = {other.name for other in named}
    seen: dict[str, str] = {}
    for product in named:
        if product.kind != strongest.get(product.gfx, "" if explicit else product.kind) or product.name in seen:
            continue
        if any(name.startswith(product.name + " ") for name in longer):  # "RX 7900" of a RX 7900 XTX
            continue
        if product.kind != "card" and product.gfx in seen.values():
            continue
        seen[product.name] = product.gfx
        yield product


_IN_USE = lazy(r"\b[Kk]ernel driver in use:? {0,2}(amdgpu|radeon|vfio-pci)\b")


def gpus(text: str, lines: Lines) -> Iterator[Reading]:
    """Cards and chips that are named, and gfx targets and PCI ids that are written."""
    written = [(gfx, at) for gfx, at in targets(text) if not _BUILT_FOR.search(text[max(0, at - 120):at])]
    mentioned = list(dict.fromkeys(gfx for gfx, _ in written))
    if mentioned:
        yield Reading("report.gfx_mentioned", mentioned, line=lines.at(written[0][1]))
    of_pci = _PCI_ID.finditer(text) if later.may_match(_PCI_ID, text) else ()
    ids = list(dict.fromkeys(("1002:" + found["d"] if found["d"] else found["v"]).lower() for found in of_pci))
    named = [product for product in products.find(text) if not _COMPARED.search(text[max(0, product.start - 40):product.start])
             and not (product.kind == "cpu" and _PROCESSOR.search(text[max(text.rfind("\n", 0, product.start), product.start - 120) + 1:product.start]))
             and not _AUDIO.search(text[max(0, product.start - 60):product.start]) and not _ITS_AUDIO.match(text[product.end:product.end + 50])]
    if len({product.gfx for product in named}) > _CATALOGUE:
        return
    named = [product for product in named if not _elsewhere(text, product.start)] or named
    named = [product for product in named if not _THEIRS.search(text[max(0, product.start - 160):product.start])] or named
    stated = _STATED.search(text) if len(mentioned) == 1 else None  # what is written beats the table of products
    written_as = stated[1].lower() if stated else ""
    either = {product.start for product in named if _is_alternative(text, product)} | {
        product.start for one, other in itertools.pairwise(named)
        if one.gfx == other.gfx and _ONE_NAME.fullmatch(text[one.end:other.start][:4]) for product in (one, other)}
    distinct = list(_distinct(named))
    named_alone = {product.gfx for product in distinct if product.start not in either}
    seen: set[str] = set()
    items: dict[str, set[str]] = {}
    for product in distinct:
        seen.add(product.name)
        one_of = product.start in either
        if one_of and product.gfx in named_alone:
            continue
        item = "prose:" + (product.gfx if one_of else re.sub(r"[^a-z0-9]+", "-", re.sub(r"^(?:amd )?(?:radeon )?", "", product.name.lower())).strip("-"))
        items.setdefault(product.gfx, set()).add(item)
        line = lines.at(product.start)
        of_one: list[Reading] = []
        if not one_of:  # "RX 6700/6700 XT"
            of_one.append(Reading("gpu.name", f"graphics of the {product.name}" if product.kind == "cpu" else product.name, item, line))
        beside = re.match(r"[^\n(]{0,20}\((gfx[0-9a-f]{3,4})\b", text[product.end:product.end + 40])
        own = beside[1] if beside else written_as if written_as and len(named) == 1 else product.gfx
        of_one.append(Reading("gpu.gfx_reported", own, item, line))
        size = None if one_of or not products.has_own_memory(product.name) else _ITS_SIZE.match(text, product.end)
        if size:
            of_one.append(Reading("gpu.vram_bytes", int(size["n"]) << 30, item, line))
        yield from of_one
        times = _TIMES.search(text, max(0, product.start - 30), product.start) if product.kind == "card" and not one_of else None
        for number in range(2, int(times["n"] or 2) + 1 if times else 0):
            yield from (replace(reading, item=f"{item}#{number}") for reading in of_one)
    drivers = {found[1]: found for found in _IN_USE.finditer(text)} if len(items) == 1 else {}
    for driver, found in drivers.items() if len(drivers) == 1 else ():
        yield Reading("gpu.driver", driver, min(next(iter(items.values()))), lines.at(found.start()))
    size = _MEMORY.search(text) if len(items) == 1 and len(seen) == 1 and not later.search(_OTHERS, text) else None
    if size:
        item = next(iter(next(iter(items.values()))))
        yield Reading("gpu.vram_bytes", int(size["n"]) << {"M": 20, "G": 30}[size["unit"][0].upper()], item, lines.at(size.start()))
    refused = None if seen else later.search(_REFUSED, text)
    if refused:
        gfx = refused[1] or refused[2]
        yield Reading("gpu.gfx_reported", gfx, "prose:" + gfx, lines.at(refused.start()))
    elif not seen and len(mentioned) == 1 and not ids:
        yield Reading("gpu.gfx_reported", mentioned[0], "prose:" + mentioned[0], lines.at(written[0][1]))
    for pci_id in ids[:8]:
        at = lines.at(max(text.lower().find(pci_id[5:]), 0))
        own = items.get(products.gfx_of_pci_id(pci_id), set())
        yield Reading("gpu.pci_id", pci_id, next(iter(own)) if len(own) == 1 else "prose:" + pci_id, at)


def _is_alternative(text: str, product: products.Product) -> bool:
    """Whether a name is one of several of one chip: "RX 6700/6700 XT"."""
    return bool(_ALTERNATIVE.match(text[product.end:product.end + 4]) or _ALTERNATIVE_BEFORE.search(text[max(0, product.start - 4):product.start]))


def _elsewhere(text: str, start: int) -> bool:
    """Whether a name is a part of the name of an image or a file, or stands behind the link of a line, as the titles of other people's reports do."""
    return text[max(0, start - 1):start] in ("-", "_") or "http" in text[max(text.rfind("\n", 0, start), start - 600) + 1:start]


def system(text: str, lines: Lines) -> Iterator[Reading]:
    """The operating system that is named; words alone tell a family, a product of one system its family, too."""
    best: re.Match[str] | None = None
    windows: re.Match[str] | None = None
    for found in _OS.finditer(text):
        name = found["name"].lower()
        if name in ("win", "windows", "macos"):
            if name != "win" or found["version"]:
                windows = windows if windows and (windows["version"] or not found["version"]) else found
        elif best is None or (found["version"] and not best["version"] and found["name"].lower() == best["name"].lower()):
            best = found
    wsl = later.search(WSL, text)
    if wsl:
        yield Reading("os.family", "wsl", line=lines.at(wsl.start()))
    elif windows and (best is None or windows.start() < best.start()):
        yield Reading("os.family", "macos" if windows["name"].lower() == "macos" else "windows", line=lines.at(windows.start()))
        best = windows
    elif best:
        yield Reading("os.family", "linux", line=lines.at(best.start()))
    else:
        for family, pattern in (("windows", PLAIN_WINDOWS), ("linux", _LINUX)):
            found_family = later.search(pattern, text)
            if found_family:
                yield Reading("os.family", family, line=lines.at(found_family.start()))
                break
    if best is None:
        return
    line = lines.at(best.start())
    said = " ".join(best[0].split()).rstrip(" :-")
    if best is not windows:
        name = " ".join(best["name"].lower().split())
        yield Reading("os.distribution", _IDS.get(name, name.split()[0]), line=line)
    if best["version"]:
        yield Reading("os.version", best["version"], line=line)
        yield Reading("os.name", said, line=line)
    yield Reading("report.os_said", said, line=line)


def _longest(text: str, patterns: tuple[re.Pattern[str], ...]) -> re.Match[str] | None:
    """The first match of the best pattern, or a later one that only says it more exactly (7.2, then 7.2.0)."""
    first = _first(text, patterns)
    if first is None:
        return None
    for pattern in patterns[:3]:
        for found in pattern.finditer(text):
            if found["v"].startswith(first["v"] + "."):
                return found
    return first


def _wrong_one(text: str, patterns: tuple[re.Pattern[str], ...], judged: Callable[[], list[contrasts.Clause]],
               alike: re.Pattern[str]) -> re.Match[str] | None:
    """The first match of the best pattern, or where it is told as right, the one told as that of now, else the first that is told as wrong: trouble is
    reported of the one in use. ``alike``: a version as this component has them, where nothing names it."""
    first = _first(text, patterns)
    others = [found for pattern in patterns if later.may_match(pattern, text) for found in pattern.finditer(text) if found["v"] != first["v"]] if first else []
    of_now = [found for found in alike.finditer(text) if found["v"] != first["v"] and _is_of_now(text, found)] if first else []
    others = of_now[:1] + others
    if not first or not others:
        return first

    def told(found: re.Match[str]) -> bool | None:
        return next((right for at, whole, _, right in judged() if at <= found.start("v") < at + len(whole)), None)
    return next((found for found in others if found in of_now or told(found) is False), first) if told(first) else first


def _is_of_now(text: str, found: re.Match[str]) -> bool:
    """Whether the words around a version say that it is the one in use."""
    return _NOW_BEFORE.search(text, max(0, found.start() - 60), found.start()) is not None or _NOW_AFTER.match(text, found.end()) is not None


def _of_release(text: str, release: re.Match[str]) -> re.Match[str] | None:
    """The number of the driver store that is written with an Adrenalin release: "24.9.1 (32.0.11038.4001)"."""
    behind, before = _BESIDE_RELEASE
    return behind.match(text, release.end()) or before.search(text[:release.start("v")], max(0, release.start("v") - 60))


def _windows_driver(text: str, lines: Lines, words: Callable[..., bool]) -> Iterator[Reading]:
    """The display driver of Windows by any of its numbers; of a list of releases the last or the newest."""
    windows = words("driver", "adrenalin", "amd software") and later.search(_SAYS_WINDOWS, text)
    listed = later.search(_TRIED, text) if windows else None
    if listed and verdict(re.split(r"[.;\n]", text[listed.end():listed.end() + 120])[0]) is not True:
        told = re.findall(_YEARLY, listed["all"])
        now = told[-1] if re.search(r"\bnow ", listed["all"], re.IGNORECASE) else max(told, key=lambda one: [int(part) for part in one.split(".")])
        yield Reading("windows.adrenalin", now, line=lines.at(listed.start()))
        yield Reading("windows.driver_version", now, line=lines.at(listed.start()))
        return
    adrenalin = _ADRENALIN.search(text) if words("adrenalin", "amd software") else None
    driver = adrenalin or (_first(text, _WDDM) if words("driver", "30.0", "31.0", "32.0", "33.0") else None)
    if not driver and windows:
        adrenalin = driver = _BARE_DRIVER.search(text)
    if adrenalin:
        yield Reading("windows.adrenalin", adrenalin["v"], line=lines.at(adrenalin.start("v")))
    internal = later.search(_INTERNAL, text) if words("driver") else None
    if internal:
        yield Reading("windows.driver_internal", internal["v"], line=lines.at(internal.start("v")))
    found = adrenalin and _of_release(text, adrenalin) or driver or internal
    if found:
        yield Reading("windows.driver_version", found["v"], line=lines.at(found.start("v")))


def versions(text: str, lines: Lines) -> Iterator[Reading]:
    """Versions of the parts of the stack, each as the best pattern finds it."""
    lowered = text.lower()
    judged = functools.cache(lambda: contrasts.clauses(text))  # a search of its own, which few texts need

    def words(*any_of: str) -> bool:  # no pattern is compiled for a text that lacks its words
        return any(word in lowered for word in any_of)

    for name, item, found in (
        ("kernel.release", "", None if later.search(_BUILDING, text) else _wrong_one(text, _KERNELS, judged, _OF_KERNEL)),
        ("runtime.rocm_version", "", _longest(text, _ROCMS)),
        ("ollama.version", "", _wrong_one(text, _OLLAMA, judged, _OF_OLLAMA) if words("ollama") else None),
        ("torch.version", "0", _first(text, _TORCHES) if words("torch", "+rocm", "+cpu", "+cu", "+gfx") else None),
        ("vulkan.mesa_version", "", _wrong_one(text, _MESAS, judged, _OF_MESA) if words("mesa", "radv") else None),
    ):
        if found:
            yield Reading(name, _IMAGE.sub("", found["v"]).rstrip(".-_~"), item, lines.at(found.start("v")))
    build = _first(text, _LLAMA)
    number = integer(build["v"]) if build else None
    if build and number is not None:
        yield Reading("llama.build", number, line=lines.at(build.start("v")))
        if text[build.start("v") - 1:build.start("v")] in ("b", "B"):
            yield Reading("llama.tag", f"b{number}", line=lines.at(build.start("v")))
    yield from _windows_driver(text, lines, words)
    dkms = _DKMS.search(text) if words("amdgpu") else None
    if dkms:
        yield Reading("amdgpu.version", dkms["v"].rstrip(".-"), line=lines.at(dkms.start("v")))
    yield from named_versions.versions(text, lines)


def moved_on(text: str) -> str:
    """The text with the newer version alone where a move is told, as long as before: that is the one which is installed.

    >>> moved_on("Mesa went from 25.1.4 to 25.2.0. It").split(), moved_on("I went back from 7.2 to 7.1")
    (['Mesa', 'went', '25.2.0.', 'It'], 'I went back from 7.2 to 7.1')
    """
    def newer(found: re.Match[str]) -> str:
        kept = found[0] if _BACKWARDS.search(text[max(0, found.start() - 60):found.start()]) else found["new"]
        return kept + " " * (len(found[0]) - len(kept))
    return _MOVE.sub(newer, text)


def read(text: str) -> Iterator[Reading]:
    """Every fact that the prose states; the first statement of each wins."""
    text = clean(text[:_LIMIT])
    lines = Lines(text)
    yield from gpus(text, lines)
    yield from system(text, lines)
    yield from versions(moved_on(text), lines)
    yield from story.story(text, lines)
