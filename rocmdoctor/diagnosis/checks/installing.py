"""What installers refuse, against the tables of what is where: wheels by folder and Python, packages by release and distribution, addresses of AMD."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks import _words
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions
from rocmdoctor.facts.model import Hit, Known
from rocmdoctor.knowledge import tables
from rocmdoctor.knowledge.conditions import Answer
from rocmdoctor.knowledge.rules import Rulebook

if TYPE_CHECKING:
    import difflib
else:
    difflib = later.module("difflib")

Row = dict[str, Any]
Found = Iterator[tuple[str, dict[str, Any], dict[str, Any]]]  # finding, values, fields of the rule

_CHECK = "installing"
_OF_STACK = later.pattern(r"(?i)rocm|\bhip|hsa|amdgpu|\bamd|radeon|torch|triton|tensorflow|onnx|jax|vllm|migraphx|miopen"
                          r"|roc(blas|fft|solver|sparse|rand|tracer|prof|prim|al)"
                          r"|rccl|mesa|vulkan|opencl|clinfo|llvm|ollama|llama|bitsandbytes|flash.attn|xformers|cupy|directml|libdrm|firmware|kernel|linux-|deepspeed")
_RELEASE = later.pattern(r"rocm(?:-rel-|/apt/|/yum/|/zyp/|/el\d+/|/rhel\d+/)?(?:zyp/)?v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2}){0,2})")
_OF_WHEELS = ("no-version", "tag", "tags", "requires", "wheel", "python", "absent")
_TORCH = later.pattern(r"torch(vision|audio)?$")
_ALIKE = 0.7  # of the letters
_WHOLE = 4  # packages of AMD that are not found: then no list of AMD's is for this system
_OF_AMD = later.pattern(r"(?i)^(rocm|amdrocm|hip|hsa-|roc|miopen|migraphx|rccl|comgr|amdgpu|amd-smi|mivisionx|half$|composablekernel|openmp-extras)")
_AMD_URL = later.pattern(r"https?://(?:stable\.)?repo\.(?:radeon|amd)\.com/(?P<path>[^\s'\"]+)(?: (?P<code>[a-z]{4,12}))?")
_FAMILY = {"apt": "debian", "dpkg": "debian", "dnf": "fedora", "pacman": "arch", "zypper": "fedora"}
_COMMAND = {"apt": "sudo apt install {}", "dnf": "sudo dnf install {}", "zypper": "sudo zypper install {}", "pacman": "sudo pacman -S {}"}
_CALLED = {"debian": "Debian or Ubuntu", "fedora": "Fedora", "arch": "Arch"}
_WHOSE = {"debian": "AMD's, Debian's or Ubuntu's", "fedora": "Fedora's", "arch": "Arch's"}


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """One finding for each kind of refusal, the first that a table explains before the others."""
    told = seen.value("install.refused")
    rows: list[Row] = told if isinstance(told, list) else []
    for read, kinds in ((_wheels, _OF_WHEELS), (_addresses, ("address",)), (_packages, ("no-package",)),
                        (_needs, ("needs", "conflict")), (_files, ("same-file",)), (_keys, ("key", "signed-by")), (_others, ())):
        mine = [row for row in rows if row["what"] in kinds] if kinds else rows
        mine.sort(key=lambda row: not _OF_STACK.search(f"{row['name']} {row['place']} {row['detail']}"))
        for name, values, fields in read(seen, mine) if mine else ():
            used = fields.pop("used", ())
            lines = fields.pop("rows", mine[:1])
            rule = _words.rule(_CHECK, name, values, **fields)
            hits = [Hit(_CHECK, str(row["what"]), str(row.get("in", "")), int(row["line"]), str(row["text"]), {}) for row in lines[:3]]
            yield Judged(rule, Answer(True, ("install.refused", *used), ()), explained=seen.explained(rule), hits=hits)
            break
    yield from _index(seen)


def _plain(name: str) -> str:
    return name.lower().replace("_", "-")


def _here(seen: Evidence, row: Row) -> tuple[str, str]:
    """(Python that the wheels have to fit, whose it is in words): what was typed or printed, then what was told, then the distribution's own."""
    if row["python"]:
        return str(row["python"]), ""
    told = [hit.captures["version"] for hit in seen.hits_of("seen.installing.python") if hit.captures.get("version")]
    known = seen.text("torch.python") or (told[0] if len(set(told)) == 1 else "")
    if known:
        return ".".join(known.split(".")[:2]), ""
    own = tables.load("installers")["pythons"].get(seen.text("os.distribution").lower(), {})
    version = seen.text("os.version")
    found = own.get(version) or own.get(version.split(".")[0]) or ""
    return str(found), f", the one of {seen.text('os.name') or seen.text('os.distribution').capitalize() + ' ' + version}" if found else ""


def _release(place: str) -> str:
    found = _RELEASE.search(place)
    return found[1] if found else ""


def _within(release: str, row: Row) -> bool:
    if not row.get("from"):
        return True
    series = ".".join(release.split(".")[:2])
    return bool(release) and versions.compare(series, str(row["from"])) != -1 and versions.compare(series, str(row["through"])) != 1


def made_for(name: str, place: str) -> list[str]:
    """The Pythons that the wheels of a package at a place are made for, [] where the table does not know.

    >>> made_for("tensorflow-rocm", "https://repo.radeon.com/rocm/manylinux/rocm-rel-6.2/")
    ['3.9', '3.10', '3.11']
    """
    row: Row = next((row for row in tables.load("installers")["wheels"] if re.fullmatch(row["name"], _plain(name)) and re.search(row["place"], place)
                and _within(_release(place), row)), {})
    return list(map(str, row.get("pythons", [])))


def _folder(place: str) -> str:
    """An address as a title shows it.

    >>> _folder("https://repo.radeon.com/rocm/manylinux/rocm-rel-6.2/"), _folder("https://download.pytorch.org/whl/rocm6.4"), _folder("")
    ('rocm-rel-6.2', 'download.pytorch.org/whl/rocm6.4', 'the index')
    """
    first = place.split(" ")[0].rstrip("/")
    return first.rpartition("/")[2] if "rocm-rel-" in first else re.sub(r"https?://", "", first)[:80] or "the index"


def _installed(seen: Evidence) -> str:
    found = re.match(r"\d+\.\d+(\.\d+)?", seen.text("runtime.rocm_version"))
    return found[0] if found else ""


def _wheels(seen: Evidence, rows: list[Row]) -> Found:
    tags = next((row for row in rows if row["what"] == "tags"), None)
    requires = " ".join(row["offered"] for row in rows if row["what"] == "requires")
    rows = [row for row in rows if row["what"] not in ("tags", "requires")]
    for row in rows:
        name, place = _plain(row["name"]), row["place"]
        python, whose = _here(seen, row)
        values = {"name": name, "asked": row["detail"], "place": _folder(place), "url": place.split(" ")[0], "python": python, "whose": whose,
                  "offered": row["offered"]}
        if row["what"] == "wheel":
            tag = re.search(r"-cp3(\d{1,2})t?-", row["detail"])
            system = re.search(r"-((?:win|macosx|manylinux|linux)[\w.]*)\.whl", row["detail"])
            wants = f"3.{tag[1]}" if tag else ""
            yield "wheel-file-not-for-this-python", {**values, "file": row["detail"], "wants": wants or "another Python",
                                                     "here": f", and here is {python}{whose}" if python and python != wants else "",
                                                     "system": system[1] if system else "its system"}, {"rows": [row]}
            return
        if row["what"] == "python":
            yield "package-wants-other-python", {**values, "wants": row["detail"], "name": name or "A package", "here": f", and here is {python}"}, {
                "rows": [row]}
            return
        asked = re.escape(row["detail"].lstrip("=<>~! ")) or r"[\w.]+"
        wanted = re.search(rf"(?:^|[ ;]){asked} Requires-Python ([^;]{{2,40}})", requires if row["what"] == "no-version" else "")
        if wanted:
            yield "package-wants-other-python", {**values, "name": name + row["detail"], "wants": wanted[1].strip(),
                                                 "here": f", and here is {python}{whose}" if python else ""}, {"rows": [row]}
            return
        fits = sorted(dict.fromkeys(f"3.{one}" for one in re.findall(r"cp3(\d{1,2})", tags["offered"])), key=len) if tags else made_for(name, place)
        if python and fits and python not in fits:
            yield "wheel-for-other-python", {**values, "fits": " and ".join([", ".join(fits[:-1]), fits[-1]] if fits[1:] else fits), "best": fits[-1]}, {
                "rows": [row], "used": ("os.version",) if whose else ()}
            return
        if row["what"] == "tag" and row["offered"] == "platform" and not _TORCH.match(name):
            yield "wheel-for-other-system", values, {"rows": [row]}
            return
        have, folder = _installed(seen), _release(place) if "rocm-rel-" in place else ""
        if folder and have and not versions.compare(have, folder) == 0 and not have.startswith(folder + ".0"):
            row_of = _elsewhere(name, "")
            yield "wheel-folder-of-other-release", {**values, "folder": folder, "have": have, "where": f" {row_of['where']}." if row_of else ""}, {
                "rows": [row], "used": ("runtime.rocm_version",)}
            return
        elsewhere = _elsewhere(name, place)
        if elsewhere:
            command = str(elsewhere["command"]).replace("{release}", have or "X.Y").replace("{name}", name).replace("{url}", values["url"])
            yield "package-on-another-index", {**values, "where": elsewhere["where"], "command": command}, {"rows": [row]}
            return
        if row["offered"] not in ("", "none") and row["detail"] and row["what"] == "no-version" and not (_TORCH.match(name) and "+rocm" in row["offered"]):
            offered = row["offered"].split(", ")
            few = [*offered[:2], "...", *offered[-3:]] if len(offered) > 6 else offered
            yield "version-not-on-index", {**values, "offered": ", ".join(few)}, {"rows": [row]}
            return
    for row in rows:
        name = _plain(row["name"])
        if row["what"] in ("no-version", "absent", "tag") and not _TORCH.match(name) and (_OF_STACK.search(name) or _OF_STACK.search(row["place"])):
            python, whose = _here(seen, row)
            yield "no-wheel-fits", {"name": name, "asked": row["detail"], "place": _folder(row["place"]), "url": row["place"].split(" ")[0] or "INDEX",
                                    "python": f"Python {python}{whose}" if python else "this Python"}, {"rows": [row]}
            return


def _elsewhere(name: str, place: str) -> Row:
    """The row of a Python package that is not at this place."""
    rows = [row for row in tables.load("installers")["elsewhere"] if re.fullmatch(row["name"], name)]
    return next((dict(row) for row in rows if not (place and re.search(row["place"], place))), {})


def _series(release: str) -> str:
    """The number of the driver that belongs to a ROCm release.

    >>> _series("7.2"), _series("7.0.2"), _series("6.4")
    ('30.30', '30.10', '')
    """
    wanted = ".".join(release.split(".")[:2])
    rows = tables.load("rocm_support")["user_kernel_compat"]["driver_series"]
    return next((str(row["series"]) for row in rows if re.match(rf"{re.escape(wanted)}(?:$|[. ])", str(row["pairs_with"]))), "")


def _wrong_address(path: str, code: str) -> tuple[str, str, str]:
    """(why nothing is there, what to ask for instead, the part that changes) of an address at AMD."""
    names = tables.load("installers")["codenames"]
    first = path.partition("/")[0]
    meant = [] if first in names["folders"] else difflib.get_close_matches(first, names["folders"], 1, _ALIKE)
    if meant:
        return f"The folder is called {meant[0]}, not {first}: a misspelt address", f"{meant[0]}/", f"{first}/"
    numbered = re.match(r"amdgpu/(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?=/|$)", path)
    if numbered and versions.at_least(numbered[1], "7.0") and not versions.at_least(numbered[1], "20"):
        series = _series(numbered[1])
        return (f"Since ROCm 7.0 the kernel driver has version numbers of its own: amdgpu/{numbered[1]} never existed"
                + (f", the driver of ROCm {numbered[1]} is amdgpu/{series}" if series else ""), f"amdgpu/{series or '30.30'}", f"amdgpu/{numbered[1]}")
    instead = str(names["instead"].get(code, ""))
    if code and code not in names["ubuntu"] and instead:
        return f"AMD's repositories are made for LTS releases; there is none for {code}", instead, code
    return "The release number, the release name of the distribution or the folder in it does not exist at AMD (any more)", "", ""


def _addresses(seen: Evidence, rows: list[Row]) -> Found:
    for row in rows:
        amd = _AMD_URL.match(row["place"]) if row["by"] in ("apt", "dnf", "zypper") else None
        if not amd:
            continue
        path = amd["path"].rstrip("/").removesuffix("/repodata/repomd.xml")
        why, instead, part = _wrong_address(path, amd["code"] or "")
        others = dict.fromkeys(hit.captures["path"].rstrip("/") for hit in seen.hits_of("seen.installing.amd_repository") if hit.captures.get("path"))
        beside = [one for one in others if one not in path and path not in one][:4]
        values = {"path": f"{path}{' ' + amd['code'] if amd['code'] else ''}", "why": why,
                  "instead": f"Ask for {instead} in place of {part}" if instead else "",
                  "edit": f"sudo sed -i.bak 's#{part}#{instead}#' /etc/apt/sources.list.d/*.list && sudo apt update" if instead and row["by"] == "apt" else "",
                  "beside": f" Read beside it: {', '.join(beside)}." if beside else ""}
        yield "amdgpu-repository-does-not-exist", values, {"rows": [row]}
        return
    for row in rows:
        place = row["place"].split(" ")[0]
        if row["by"] in ("pip", "uv"):
            yield "index-address-absent", {"place": place, "folder": _folder(place)}, {"rows": [row]}
        else:
            yield "repository-address-absent", {"place": place, "by": row["by"]}, {"rows": [row]}
        return


def _in_family(name: str, family: str) -> tuple[str, str]:
    """(packages that are this one in a family of distributions, whose name it is); ("", "") where the family itself has the name.

    >>> _in_family("hip-runtime-amd", "fedora"), _in_family("rocblas-dev", "fedora"), _in_family("rocm-hip-sdk", "debian")
    (('rocm-hip', "AMD's, Debian's or Ubuntu's"), ('rocblas-devel', "AMD's, Debian's or Ubuntu's"), ('', ''))
    """
    rows = [*tables.load("installers")["meta"], *tables.load("libraries")["libraries"]]
    bare = re.sub(r"-(dev|devel)$", "", name)
    suffixes = {"debian": "-dev", "fedora": "-devel"}
    own = {name, bare} if name.endswith(suffixes.get(family, "-")) else {name}
    if any(own.intersection(str(row.get(family) or "").split()) for row in rows):
        return "", ""
    for wanted in dict.fromkeys((name, bare)):
        for other in _WHOSE:
            row = next((row for row in rows if row.get(family) and wanted in str(row.get(other) or "").split()), None) if other != family else None
            if row:
                suffix = suffixes.get(family, "") if wanted != name else ""
                return " ".join(one + suffix for one in str(row[family]).split()), _WHOSE[other]
    return "", ""


def _since(left_out: Row, seen: Evidence) -> bool:
    """Whether the release that was read is one from which on the package is left out; true where that holds of every release."""
    return "from" not in left_out or versions.at_least(_installed(seen), left_out["from"], "rocm") is True


def _packages(seen: Evidence, rows: list[Row]) -> Found:
    table = tables.load("installers")
    names = [(row, name) for row in rows for name in [row["name"], *row["detail"].split()] if not row["name"].startswith("-")]
    of_amd = list(dict.fromkeys(name for row, name in names if row["by"] == "apt" and _OF_AMD.match(name)))
    if len(of_amd) >= _WHOLE:
        release, system = _installed(seen), seen.text("os.name") or seen.text("report.os_said")
        yield "repository-holds-nothing-for-this-system", {
            "count": str(len(of_amd)), "names": ", ".join(of_amd[:3]), "for": f" for {system}" if system else "",
            "release": f" ROCm {release}" if release else " A release of ROCm"}, {"rows": [row for row, name in names if name in of_amd][:1]}
        return
    for row, name in names:
        gone = next((one for one in table["left_out"] if re.fullmatch(one["name"], name) and _since(one, seen)), None)
        if gone:
            repositories = [hit.captures["path"] for hit in seen.hits_of("seen.installing.amd_repository") if hit.captures.get("path")]
            release = next((found for path in repositories if "rocm" in path and (found := _release(path))), "") or _installed(seen)
            values = {"name": name, "what": gone["title"], "where": f"ROCm {release}" if release else "this release", "has": gone["has"],
                      "why": gone["says"], "do": gone["do"], "commands": list(gone["commands"])}
            yield "package-left-out-of-release", values, {"rows": [row]}
            return
    for row, name in names:
        family = _FAMILY.get(row["by"], "")
        here, whose = _in_family(name, family) if family else ("", "")
        if here:
            install = _COMMAND[row["by"]].format(here) if "(" not in here else ""
            values = {"name": name, "whose": whose, "here": here, "install": install, "by": row["by"], "family": _CALLED[family]}
            yield "package-name-of-other-distribution", values, {"rows": [row]}
            return
    for row, name in names:
        if row["by"] == "apt" and name.endswith(":i386"):
            yield "package-of-foreign-architecture", {"name": name}, {"rows": [row]}
            return
    for row, name in names:
        if row["by"] == "dnf" and _OF_AMD.match(name) and seen.text("os.distribution") in table["without_amd_repository"]:
            yield "package-not-in-fedora", {"name": name, "release": seen.text("os.version")}, {"rows": [row]}
            return
    for row, name in names:
        if row["by"] in ("apt", "dnf", "zypper") and _OF_AMD.match(name):
            known = seen.hits_of("seen.installing.amd_repository")
            yield "amd-package-not-in-repositories", {"name": name, "by": row["by"], "read": "" if known else
                                                      " No line of AMD's repository (repo.radeon.com, repo.amd.com) was read beside it."}, {"rows": [row]}
            return
    for row, name in names:
        if _OF_STACK.search(name):
            own = row["by"] if row["by"] in ("apt", "pacman", "portage", "nix") else "dnf"
            yield "package-not-found", {"name": name, "by": row["by"]}, {"fixes": own, "rows": [row]}
            return


def _needs(seen: Evidence, rows: list[Row]) -> Found:
    row = next((row for row in rows if row["name"] and _OF_STACK.search(f"{row['name']} {row['detail']}")), None)
    if row:
        got = f", but {row['offered']}" if row["offered"] else ""
        name = "packages-conflict" if row["what"] == "conflict" else "dependency-not-met"
        yield name, {"name": row["name"], "needs": row["detail"], "got": got, "by": row["by"]}, {"fixes": _FAMILY.get(row["by"], "debian"), "rows": [row]}


def _files(seen: Evidence, rows: list[Row]) -> Found:
    row = rows[0]
    if _OF_STACK.search(f"{row['name']} {row['offered']} {row['detail']}"):
        yield "file-of-two-packages", {"path": row["detail"], "owner": row["name"], "new": row["offered"] or "the new package"}, {
            "fixes": _FAMILY.get(row["by"], "debian"), "rows": [row]}


def _keys(seen: Evidence, rows: list[Row]) -> Found:
    row = rows[0]
    amd = "radeon" in row["text"] or "amd.com" in row["text"] or row["name"].endswith("1A693C5C")
    place = row["place"] or "the repository"
    if row["what"] == "signed-by":
        yield "repository-listed-twice", {"place": place, "detail": row["detail"].strip(": ")}, {"rows": [row]}
    elif amd:
        yield "amd-repository-key-missing", {"place": row["place"] or "AMD's repository", "key": row["name"]}, {
            "fixes": _FAMILY.get(row["by"], "debian"), "rows": [row]}


def _others(seen: Evidence, rows: list[Row]) -> Found:
    for row in rows:
        name = {"disk": "disk-full-while-installing", "managed": "python-externally-managed", "disagree": "requirements-disagree", "hashes": "download-damaged",
                "half": "package-half-configured", "masked": "package-masked", "broken": "package-marked-broken"}.get(row["what"], "")
        if row["what"] == "disk" and not (isinstance(seen.facts.get("about.amd"), Known) or len(rows) > 1):
            continue
        if name:
            boot = row["what"] == "disk" and bool(seen.hits_of("seen.installing.boot_full"))
            do = "Make room on /boot: remove kernels that are not used, with their initramfs (the running one stays)" if boot else ""
            yield name, {"name": row["name"], "detail": row["detail"], "by": row["by"], "mount": " (/boot)" if boot else "", "boot": do}, {"rows": [row]}
            return


def _supported_from(gfx: str) -> str:
    """The ROCm release whose list of supported GPUs first has the target, "" where none has.

    >>> _supported_from("gfx1201"), _supported_from("gfx1151"), _supported_from("gfx803")
    ('6.4.1', '7.2', '')
    """
    rows = [row for row in tables.load("rocm_support")["official_gfx"] if gfx in (row.get("linux") or ())]
    found = re.match(r"\d{1,2}\.\d{1,2}(?:\.\d)?", str(rows[0]["release"])) if rows else None
    return found[0] if found else ""


def _index(seen: Evidence) -> Iterator[Judged]:
    """torch from an index that is older than the support of the GPU: a question, since wheels may have a target before ROCm supports it."""
    hits = [hit for hit in seen.hits_of("seen.installing.index") if hit.captures.get("release")]
    gpus = [word for word in seen.texts("about.gpu") if tables.generation(word)]
    releases = {hit.captures["release"] for hit in hits}
    first = _supported_from(gpus[0]) if len(gpus) == 1 and len(releases) == 1 else ""
    release = next(iter(releases), "")
    if first and versions.compare(release, first, "rocm") == -1:
        rule = _words.rule(_CHECK, "torch-index-older-than-gpu", {"release": release, "gfx": gpus[0], "first": first, "index": hits[0].captures["index"]})
        yield Judged(rule, Answer(None, ("about.gpu",), ("torch.version",)), explained=seen.explained(rule), hits=hits[:1])

