"""Kernel command line and modprobe.d: each parameter against the table ``kernel_parameters``, the modules that are loaded and the RAM."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import Any

from rocmdoctor import later
from rocmdoctor.diagnosis.checks._words import holds, judged, whole
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts import versions, vocabulary
from rocmdoctor.facts.items import items_of
from rocmdoctor.knowledge import spelling, tables
from rocmdoctor.knowledge.rules import Rulebook
from rocmdoctor.records import dataclass

_LARGE = 16 << 30  # a carve-out that is worth naming
_CHECK = "parameters"
_LINE, _FILES, _IGNORED = "kernel.cmdline", "amdgpu.modprobe_options", "amdgpu.unknown_parameters"
_LOADED = "amdgpu.parameters"
_UNIT = {"pages_limit": 4096, "gttsize": 1 << 20}
_MEMORY = later.pattern(r"gtt|pages_limit|page_pool_size")


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as it is set: ``module.name`` or the kernel's own name, and the fact that says so."""

    name: str
    value: str
    fact: str


def set_parameters(line: str, options: list[str]) -> list[Parameter]:
    """What a command line and the lines of modprobe.d set, in order, each once.

    >>> [(p.name, p.value) for p in set_parameters("quiet nomodeset amdgpu.dc=0", ["options amdgpu runpm=0 gttsize=8", "amdgpu.dc=0"])]
    [('quiet', ''), ('nomodeset', ''), ('amdgpu.dc', '0'), ('amdgpu.runpm', '0'), ('amdgpu.gttsize', '8')]
    """
    found = [Parameter(*_pair(word), _LINE) for word in line.split()]
    for option in options:
        words = option.split()
        if len(words) > 2 and words[0] == "options":
            found += [Parameter(f"{words[1]}.{name}", value, _FILES) for name, value in map(_pair, words[2:])]
        elif len(words) == 1 and Parameter(*_pair(option), _LINE) not in found:
            found.append(Parameter(*_pair(option), _FILES))
    return list(dict.fromkeys(found))


def _pair(word: str) -> tuple[str, str]:
    name, _, value = word.strip("\"'`,;").partition("=")
    return name.replace("-", "_") if "." in name else name, value.strip("\"'")


@functools.cache
def _rows() -> dict[str, dict[str, Any]]:
    rows = {row["name"]: row for row in tables.load("kernel_parameters")["rows"]}
    return {name: rows.get(row.get("same_as"), row) for name, row in rows.items()}


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """What is wrong with the parameters that are set."""
    parameters = set_parameters(str(seen.value(_LINE) or ""), list(map(str, seen.value(_FILES) or [])))
    yield from _unknown(seen, parameters)
    yield from _harm(seen, parameters)
    yield from _other_module(seen, parameters)
    yield from _sizes(seen, parameters)
    yield from _gtt_alone(seen, parameters)
    yield from _twice(seen, parameters)
    yield from _not_in_effect(seen, parameters)
    yield from _panel(seen, parameters)


def number(value: str) -> int | None:
    """A number as parameters are written, None for anything else.

    >>> number("0xfff7bfff"), number("-1"), number("010"), number("N")
    (4294426623, -1, 10, None)
    """
    text = value.strip().lower()
    if re.fullmatch(r"-?\d{1,20}", text):
        return int(text)
    return int(text, 16) if re.fullmatch(r"0x[0-9a-f]{1,16}", text) else None


def _not_in_effect(seen: Evidence, parameters: list[Parameter]) -> Iterator[Judged]:
    """An option of modprobe.d that the loaded module does not have: amdgpu was loaded from an initramfs made before."""
    line = {each.name for each in parameters if each.fact == _LINE}
    has = {f"amdgpu.{name}": str(value) for name, value in (seen.value(_LOADED) or {}).items()}
    for each in parameters:
        wanted, here = number(each.value), number(has.get(each.name, ""))
        if each.fact == _FILES and each.name not in line and wanted is not None and here is not None and (wanted - here) % (1 << 32):
            words = {"name": each.name, "value": each.value, "have": has[each.name], "bare": each.name.rpartition(".")[2]}
            yield judged(_CHECK, "option-not-in-effect", seen, words, [_FILES, _LOADED], item=each.name, sure=True)


def decoded(name: str, value: str) -> str:
    """What the bits of a mask switch, as far as they differ from what the driver does by itself; "" for what is no mask.

    >>> decoded("amdgpu.ppfeaturemask", "0xfffd7fff"), decoded("amdgpu.dcdebugmask", "0x12")
    ('on: OverDrive (overclocking), GFX DCS; off: GFXOFF, stutter mode', 'stutter mode off, panel self refresh (PSR and PSR-SU) off')
    >>> decoded("amdgpu.ppfeaturemask", "0xfff7bfff"), decoded("amdgpu.dc", "0")
    ('what the driver does by itself', '')
    """
    row, mask = _mask(name, value)
    if row is None:
        return ""
    usual, names = int(row["usual"]), {int(bit): str(text) for bit, text in row["names"].items()}
    on, off = ([text for bit, text in names.items() if bit & mask & ~usual], [text for bit, text in names.items() if bit & usual & ~mask])
    if not usual:
        return ", ".join(on) or "nothing"
    return "; ".join([*([f"on: {', '.join(on)}"] if on else []), *([f"off: {', '.join(off)}"] if off else [])]) or "what the driver does by itself"


def _mask(name: str, value: str) -> tuple[dict[str, Any] | None, int]:
    """(the row of a mask, the number that is set); (None, 0) for what is no mask or no number."""
    row = tables.load("kernel_parameters")["bits"].get(name)
    number = re.fullmatch(r"0[xX][0-9a-fA-F]{1,8}|\d{1,10}", value)
    return (row, int(value, 0 if value[:2].lower() == "0x" else 10)) if row and number else (None, 0)


def _panel(seen: Evidence, parameters: list[Parameter]) -> Iterator[Judged]:
    """A panel that still refreshes itself one way, where another was switched off."""
    each = next((each for each in parameters if each.name == "amdgpu.dcdebugmask"), None)
    row, mask = _mask(each.name, each.value) if each else (None, 0)
    if each is None or row is None or versions.at_least(seen.text("kernel.release") or "7.0", "6.7", "kernel") is False:
        return
    wanted, names = [int(bit) for bit in row["panel"]], {int(bit): str(text) for bit, text in row["names"].items()}
    off = [bit for bit in (*wanted, int(row["panel_part"])) if bit & mask]
    left = [bit for bit in wanted if not bit & mask]
    panel = seen.hits_of("seen.devices.internal_panel")
    if left and off and "display-fault" in seen.symptoms and panel:
        words = {"value": each.value, "off": ", ".join(names[bit] for bit in off), "left": " and ".join(
            f"{names[bit].removesuffix(' off')} ({bit:#x})" for bit in left), "next": f"{mask | sum(wanted):#x}"}
        replays = seen.hits_of("seen.devices.panel_replay")
        yield judged(_CHECK, "panel-self-refresh-partly-on", seen, words, [each.fact], hits=[*replays, *panel][:3])


def _unknown(seen: Evidence, parameters: list[Parameter]) -> Iterator[Judged]:
    """Names that the module does not have: by the kernel's own word, or by the list of all it ever had."""
    table = tables.load("kernel_parameters")
    known: dict[str, list[str]] = table["known"]
    older = () if versions.at_least(seen.value("kernel.release"), table["gone"]["since"], "kernel") else table["gone"]["names"]
    missing: dict[str, str] = {}
    for name in seen.value(_IGNORED) or []:
        missing.setdefault(str(name) if "." in str(name) else f"amdgpu.{name}", _IGNORED)
    for each in parameters:
        module, _, name = each.name.partition(".")
        if name and module in known and name not in known[module] and each.name not in older:
            missing.setdefault(each.name, each.fact)
    for finding, names in (("gtt-parameter-ignored", [name for name in missing if _MEMORY.search(name) or name.startswith(("ttm.", "amdttm."))]),
                           ("module-parameter-does-not-exist", [name for name in missing if not _MEMORY.search(name) and name.startswith("amdgpu.")])):
        if names:
            near = [(name, spelling.nearest(name.partition(".")[2], known[name.partition(".")[0]])) for name in names]
            meant = ", ".join(f"{name} for {name.partition('.')[0]}.{right}" for name, right in near if right)
            yield judged(_CHECK, finding, seen, {"names": ", ".join(names), "near": f" ({meant})" if meant else ""},
                         dict.fromkeys(missing[name] for name in names), sure=True)


def _harm(seen: Evidence, parameters: list[Parameter]) -> Iterator[Judged]:
    """Values that are known to harm, as their rows say it."""
    told: set[str] = set()
    for each in parameters:
        for harm in _rows().get(each.name, {}).get("harm") or ():
            finding = str(harm.get("id") or "kernel-parameter-harms")
            if not whole(str(harm.get("value", ".*")), each.value) or holds(str(harm.get("only") or ""), seen) is not True or (
                    "unless" in harm and holds(str(harm["unless"]), seen)):
                continue
            mark = f"{finding} {each.name}"
            if mark not in told:
                bits = decoded(each.name, each.value)
                words = {"name": each.name, "value": each.value, "says": str(harm.get("says") or "").replace("{bits}", bits),
                         "do": str(harm.get("do") or "Remove it"), "bare": each.name.rpartition(".")[2], "bits": bits}
                yield judged(_CHECK, finding, seen, words, [each.fact, *_asked(harm)], item="" if harm.get("id") else each.name,
                             severity=harm.get("severity"), explains=harm.get("explains", []))
            told.add(mark)
            break


def _asked(harm: dict[str, Any]) -> list[str]:
    return re.findall(r"\b(?:kernel|memory)\.\w+", str(harm.get("only") or "").replace("power.state_trouble", ""))


def _other_module(seen: Evidence, parameters: list[Parameter]) -> Iterator[Judged]:
    """A limit that is given to the memory manager that is not in charge."""
    limits = [each for each in parameters if re.fullmatch(r"(?:amd)?ttm\.(?:pages_limit|page_pool_size)", each.name)]
    modules = {each.name.partition(".")[0] for each in limits}
    if len(modules) != 1:
        return
    (module,) = modules
    used = seen.value("memory.ttm_module")
    words = {"set": module, "options": ", ".join(f"{each.name}={each.value}" for each in limits), "used": str(used or "amdttm")}
    facts = dict.fromkeys(each.fact for each in limits)
    if used in ("ttm", "amdttm") and used != module:
        yield judged(_CHECK, "ttm-limit-set-for-unused-module", seen, words, [*facts, "memory.ttm_module"], sure=True)
    elif used is None and module == "ttm" and seen.value("amdgpu.dkms") is True:
        yield judged(_CHECK, "ttm-limit-set-for-unused-module", seen, words, [*facts, "amdgpu.dkms"], value=None, missing=["memory.ttm_module"])


def _sizes(seen: Evidence, parameters: list[Parameter]) -> Iterator[Judged]:
    """Limits beyond the RAM of the machine."""
    ram = seen.value("memory.ram_bytes")
    for each in parameters:
        unit = _UNIT.get(each.name.rpartition(".")[2])
        if ram and unit and each.value.isdigit() and int(each.value) * unit > int(ram) and int(each.value) * unit < 1 << 46:
            words = {"name": each.name, "value": each.value, "asked": _gib(int(each.value) * unit), "ram": _gib(int(ram))}
            carve, item = _carve_out(seen)
            if carve >= _LARGE:  # the BIOS, not a copied number
                yield judged(_CHECK, "carve-out-takes-ram-of-limit", seen, {**words, "carve": _gib(carve), "all": _gib(carve + int(ram))},
                             [each.fact, "memory.ram_bytes", f"gpu.vram_bytes[{item}]"], item=each.name)
            else:
                yield judged(_CHECK, "parameter-exceeds-ram", seen, words, [each.fact, "memory.ram_bytes"], item=each.name)


def _gtt_alone(seen: Evidence, parameters: list[Parameter]) -> Iterator[Judged]:
    """GTT that was enlarged without the limit of TTM, where ROCm still sees less. A pool of whole GiB is a carve-out, not the share of the RAM."""
    if any(each.name.endswith(".pages_limit") for each in parameters) or "apu" not in seen.texts("about.gpu"):
        return
    each = next((each for each in parameters if each.name == "amdgpu.gttsize" and re.fullmatch(r"\d{4,7}", each.value)), None)
    if not each:
        return
    for item in items_of(seen.facts, "gpu"):
        pool, vram = (int(seen.value(vocabulary.key(name, item)) or 0) for name in ("gpu.kfd_pool_bytes", "gpu.vram_bytes"))
        if 0 < pool < int(each.value) * _UNIT["gttsize"] * 0.95 and pool % (1 << 30) and vram < pool * 0.9:
            words = {"value": each.value, "asked": _gib(int(each.value) << 20), "pool": f"{pool / 2**30:.1f} GiB", "pages": str(int(each.value) * 256)}
            yield judged(_CHECK, "gttsize-without-ttm-limit", seen, words, [each.fact, vocabulary.key("gpu.kfd_pool_bytes", item)], item=item)
            return


def _gib(size: int) -> str:
    return f"{size / 2**30:.0f} GiB"


def _carve_out(seen: Evidence) -> tuple[int, str]:
    """(bytes, item) of the largest carve-out of an APU, (0, "") where there is none."""
    if "apu" not in seen.texts("about.gpu"):
        return 0, ""
    sizes = [(int(size), item) for item in items_of(seen.facts, "gpu") if (size := seen.value(vocabulary.key("gpu.vram_bytes", item)))
             and seen.value(vocabulary.key("gpu.is_apu", item)) is not False]
    return max(sizes, default=(0, ""))


def _twice(seen: Evidence, parameters: list[Parameter]) -> Iterator[Judged]:
    """One parameter with several values."""
    values: dict[str, dict[str, str]] = {}
    for each in parameters:
        if each.name.startswith(("amdgpu.", "ttm.", "amdttm.")):
            values.setdefault(each.name, {})[each.value] = each.fact
    for name, found in values.items():
        if len(found) > 1:
            yield judged(_CHECK, "parameter-set-twice", seen, {"name": name, "values": ", ".join(found), "bare": name.rpartition(".")[2]},
                         dict.fromkeys(found.values()), item=name)
