"""Environment variables: each that was read, against its row of the table ``env_vars`` and against the GPUs, the system and the other variables."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from rocmdoctor.diagnosis.checks._masks import masks
from rocmdoctor.diagnosis.checks._words import holds, judged, whole
from rocmdoctor.diagnosis.diagnose import Judged
from rocmdoctor.diagnosis.evidence import Evidence
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Known
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import spelling, tables
from rocmdoctor.knowledge.check_words import findings
from rocmdoctor.knowledge.rules import Rulebook

OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
_CHECK = "environment"
# Only of these families every name is known; elsewhere an unknown name says nothing.
_SPELT = ("HSA_", "HIP_", "ROCR_", "CUDA_VISIBLE_", "OLLAMA_", "GGML_VK_", "GGML_CUDA_", "RADV_", "MESA_VK_")
_OFF = ("", "false", "0")


@functools.cache
def _rows() -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Rows by name, and those of families (``HSA_OVERRIDE_GFX_VERSION_*``) by the beginning of the name."""
    rows = tables.load("env_vars")["vars"]
    return ({row["name"]: row for row in rows if not row["name"].endswith("*")},
            {row["name"][:-1]: row for row in rows if row["name"].endswith("*")})


def _row(name: str) -> dict[str, Any] | None:
    exact, families = _rows()
    return exact.get(name) or next((row for start, row in families.items() if name.startswith(start)), None)


def _values(seen: Evidence) -> dict[str, str]:
    return {name[4:]: str(fact.value) for name, fact in seen.facts.items() if name.startswith("env.") and isinstance(fact, Known)}


def judge(seen: Evidence, book: Rulebook) -> Iterator[Judged]:
    """What is wrong with the variables that are set."""
    values = _values(seen)
    yield from _override(seen, values)
    yield from masks(seen, values)
    yield from _spelt(seen, values)
    idle = {name for name, row in _known(values) if _without_effect(seen, row)}
    yield from _idle(seen, values, idle)
    for name, row in _known(values):
        if name not in idle:
            yield from _form(seen, name, values[name], row)
            yield from _harm(seen, name, values[name], row)
    yield from _left(seen, {name: value for name, value in values.items() if name not in idle})
    yield from _elsewhere(seen)
    yield from _withheld(seen)


def _known(values: Iterable[str]) -> list[tuple[str, dict[str, Any]]]:
    return [(name, row) for name in values if (row := _row(name))]


def _without_effect(seen: Evidence, row: dict[str, Any]) -> bool:
    """Whether nothing here reads the variable: another system, another backend, another program. What is not known says nothing."""
    system = seen.texts("about.os")
    if system and row.get("platforms") and system[0] not in row["platforms"]:
        return True
    backends = seen.texts("about.backend")
    if row.get("backend") and backends and row["backend"] not in backends and "vulkan" in backends and row["backend"] == "hip":
        return True
    apps = seen.texts("about.app")
    return bool(row.get("read_by") and apps and not set(apps) & set(row["read_by"]))


def _idle(seen: Evidence, values: dict[str, str], idle: set[str]) -> Iterator[Judged]:
    """Variables that nothing here reads, in one finding; the override on Windows is one of its own."""
    system = seen.texts("about.os")
    told, advised = seen.hits_of("seen.hsa.override_is_set"), seen.hits_of("seen.hsa.override_advised")
    if system == ["windows"] and (OVERRIDE in idle or "env." + OVERRIDE not in seen.facts and (told or advised)):
        is_set = OVERRIDE in idle or bool(told)
        facing = {"kernel-missing", "runs-on-cpu", "no-device-found", "load-failure"} & seen.symptoms if is_set else set()
        yield judged(_CHECK, "hsa-override-has-no-effect-on-windows", seen, {"value": f"={values[OVERRIDE]}" if OVERRIDE in idle else ""},
                     ["env." + OVERRIDE, "about.os"] if OVERRIDE in idle else ["about.os"], hits=[] if OVERRIDE in idle else (told or advised)[:2],
                     severity="error" if facing else "info", explains=None if facing else [], instead_of=None if facing else [])
        idle = {name for name in idle if not name.startswith(OVERRIDE)}
    names = sorted(name for name in idle if values[name])
    if names:
        where = " and ".join([*(f"with {app}" for app in seen.texts("about.app")[:2]), *(f"on {each}" for each in system[:1])]) or "here"
        yield judged(_CHECK, "variable-without-effect-here", seen, {"names": ", ".join(f"{name}={values[name]}" for name in names), "where": where},
                     [f"env.{name}" for name in names])


def _form(seen: Evidence, name: str, value: str, row: dict[str, Any]) -> Iterator[Judged]:
    """A value that whoever reads the variable does not understand."""
    if not row.get("wrong") or not row.get("form") or whole(row["form"], value) or name == OVERRIDE and (not value or value.strip("\"' ") != value):
        return  # the override's empty and quoted values are findings of their own
    yield judged(_CHECK, "variable-value-not-understood", seen, {"name": name, "value": value, "form": str(row.get("form_words") or row["form"]),
                                                                   "means": str(row["means"]), "right": _right(seen, name)},
                 ["env." + name], item=name, severity=row["wrong"], explains=row.get("wrong_explains"), sure=row["wrong"] == "error")


def _right(seen: Evidence, name: str) -> str:
    """What the override has to be for the one GPU, "" where there is none, or several."""
    gpus = [gfx for gfx in seen.texts("about.gpu") if gfx.startswith("gfx")]
    value = (tables.override_for(gpus[0]) or tables.sibling_for(gpus[0])) if name == OVERRIDE and len(gpus) == 1 else ""
    return f"Give {gpus[0]} the kernels of its sibling: {name}={value}" if value else ""


def _harm(seen: Evidence, name: str, value: str, row: dict[str, Any]) -> Iterator[Judged]:
    """What this value does here, as the row says it."""
    for harm in row.get("harm") or ():
        needed = set(harm.get("needs") or ())
        if not whole(str(harm.get("value", ".*")), value) or holds(str(harm.get("only") or ""), seen) is not True or (needed and not needed & seen.symptoms):
            continue
        yield judged(_CHECK, str(harm.get("id") or "variable-harms"), seen, {
            "name": name, "value": value, "says": str(harm.get("says") or row["means"]), "do": str(harm.get("do") or f"Remove {name}")}, ["env." + name],
            item=name, severity=harm.get("severity"), explains=harm.get("explains"))
        return


def _left(seen: Evidence, values: dict[str, str]) -> Iterator[Judged]:
    """Switches for debugging and workarounds that are still set, in one finding."""
    found = [(name, row) for name, row in _known(values) if row.get("left") and whole(str(row["left"]), values[name])]
    if found:
        costs = [f"{name}: {row.get('left_says') or row.get('seen_as') or row['means']}" for name, row in found]
        yield judged(_CHECK, "debug-switch-left-set", seen, {
            "names": ", ".join(f"{name}={values[name]}" for name, _ in found), "costs": "; ".join(costs), "bare": " ".join(name for name, _ in found)},
            [f"env.{name}" for name, _ in found])


def _spelt(seen: Evidence, values: dict[str, str]) -> Iterator[Judged]:
    """Names that nobody reads, near to one that is read."""
    table = tables.load("env_vars")
    gone = {row["name"]: row for row in table["instead"]}
    names = [*_rows()[0], *table["also_known"]]
    for name in values:
        row = gone.get(name)
        if _row(name) or name in table["also_known"] or not name.startswith(_SPELT) or re.search(r"_\d+$", name):
            continue
        near = spelling.nearest(name, names)
        if row or near in _rows()[0]:
            yield judged(_CHECK, "device-variable-misspelt", seen, {
                "name": name, "value": values[name], "use": str(row["use"]) if row else near,
                "does": str(row["does"]) if row else "is no variable that anything reads"}, ["env." + name], item=name, sure=bool(row is None))


def _override(seen: Evidence, values: dict[str, str]) -> Iterator[Judged]:
    """HSA_OVERRIDE_GFX_VERSION: empty, quoted, and what it makes of each GPU."""
    names = [name for name in values if name == OVERRIDE or re.fullmatch(OVERRIDE + r"_\d+", name)]
    if seen.texts("about.os") == ["windows"]:
        return
    told = seen.hits_of("seen.hsa.override_empty")
    if values.get(OVERRIDE) == "" or told:
        yield judged(_CHECK, "hsa-override-empty", seen, {}, ["env." + OVERRIDE], sure=True, hits=told)
    for name in names:
        value = values[name]
        if value.strip("\"'") != value and tables.gfx_of_override(value.strip("\"'\\ ")):
            yield judged(_CHECK, "hsa-override-value-has-quotes", seen, {"name": name, "value": value}, ["env." + name], item=name, sure=True)
    yield from _foreign(seen, {name: tables.gfx_of_override(values[name].strip("\"'\\ ")) for name in names})
    invalid = seen.hits_of("seen.hsa.invalid_isa")
    if invalid and any(values[name] for name in names):
        yield judged(_CHECK, "override-runs-foreign-instruction-set", seen, {"gpus": "the GPU", "target": ", ".join(sorted(
            {tables.gfx_of_override(values[name]) for name in names} - {""})) or "another target", **_own("")}, ["env." + name for name in names], hits=invalid)
    elif invalid and "env." + OVERRIDE not in seen.facts:
        yield judged(_CHECK, "override-runs-foreign-instruction-set", seen, {"gpus": "the GPU", "target": "another target", **_own("")}, (), value=None,
                     missing=["env." + OVERRIDE], hits=invalid)


def _foreign(seen: Evidence, targets: dict[str, str]) -> Iterator[Judged]:
    """GPUs that the override turns into something else without need, or into another instruction set."""
    libraries = seen.facts.get("runtime.rocm_targets")
    foreign: list[tuple[str, str]] = []
    kin: list[tuple[str, str]] = []  # those that it fits, by the override without a number, and their nodes
    for item in items_of(seen.facts):
        fact, node = seen.facts.get(key("gpu.gfx_target", item)), seen.facts.get(key("gpu.kfd_node", item))
        if not isinstance(fact, Known):
            continue
        gfx = str(fact.value).split(":")[0]
        own = f"{OVERRIDE}_{node.value}" if isinstance(node, Known) else ""
        name = own if own in targets else OVERRIDE
        target = targets.get(name, "")
        if not target or target == gfx:
            continue
        if tables.family(target) and tables.family(gfx) and tables.family(target) != tables.family(gfx):
            foreign.append((gfx, target))
            continue
        if name == OVERRIDE:
            kin.append((gfx, str(node.value) if isinstance(node, Known) else "N"))
        if isinstance(libraries, Known) and tables.covers(list(libraries.value), gfx):
            yield judged(_CHECK, "hsa-override-not-needed", seen, {"gfx": gfx, "target": target},
                         ["env." + name, "runtime.rocm_targets", "gpu.gfx_target"], item=item, for_each="gpu")
    if foreign and kin and OVERRIDE in targets:
        yield judged(_CHECK, "override-is-for-all-gpus", seen, {
            "value": _values(seen)[OVERRIDE].strip("\"'\\ "), "target": targets[OVERRIDE], "fits": kin[0][0], "node": kin[0][1],
            "gpus": ", ".join(dict.fromkeys(gfx for gfx, _ in foreign))}, ["env." + OVERRIDE, "gpu.gfx_target"],
            severity=None if _explained("override-is-for-all-gpus", seen) else "warning")
    elif foreign and not seen.hits_of("seen.hsa.invalid_isa"):
        whose = ", ".join(dict.fromkeys(gfx for gfx, _ in foreign))
        yield judged(_CHECK, "override-runs-foreign-instruction-set", seen, {"gpus": whose, "target": foreign[0][1], **_own(foreign[0][0])},
                     [*("env." + name for name in targets), "gpu.gfx_target"],
                     severity=None if _explained("override-runs-foreign-instruction-set", seen) else "warning")


def _own(gfx: str) -> dict[str, str]:
    """The override that fits a target, where one is known."""
    value = tables.override_for(gfx)
    if not value:
        return {"fits": "", "fits_do": "", "fits_command": ""}
    return {"fits": f" The value for {gfx} is {value} ({tables.gfx_of_override(value)}, the same instruction set).",
            "fits_do": f"Give {gfx} the value of its own instruction set, {value}, where no build with {gfx} itself is at hand",
            "fits_command": f"export {OVERRIDE}={value}   # in the place where the other value is set"}


def _explained(finding: str, seen: Evidence) -> bool:
    """Whether a symptom was seen that the finding explains."""
    return bool(set(findings(_CHECK)[finding]["explains"]) & seen.symptoms)


def _elsewhere(seen: Evidence) -> Iterator[Judged]:
    """Variables that were set where the running server does not see them: a shell, a unit that was not reloaded."""
    set_, server = seen.facts.get("environment.set"), seen.facts.get("environment.server")
    if not isinstance(set_, Known) or not isinstance(server, Known):
        return
    lacking = [name for name, value in set_.value.items()
               if name != "OLLAMA_HOST"  # the client reads it, too
               and (not name.startswith("OLLAMA_") or set_.source != "environment" or "ollama" in server.source)
               and value.lower() not in _OFF and name in server.value and str(server.value[name]).lower() in _OFF]
    if lacking:
        yield judged(_CHECK, "service-environment-not-in-running-server", seen, {
            "names": ", ".join(lacking), "line": " ".join(f"{name}={set_.value[name]}" for name in lacking),
            "units": " ".join(f'Environment="{name}={set_.value[name]}"' for name in lacking)}, ["environment.set", "environment.server"],
            severity=None if _explained("service-environment-not-in-running-server", seen) else "warning", sure=True)


def _withheld(seen: Evidence) -> Iterator[Judged]:
    """Variables that stay in the shell they were typed in: not exported, taken away by sudo, not handed into the container."""
    told = [*(seen.value("environment.withheld") or []), *_of_session(seen)]
    listed = tables.load("env_vars")["withheld"]
    rows = [row for row in told if row["how"] in listed and not (row["how"] in ("plain", "set") and seen.text("about.os") == "windows")]
    for row in sorted(rows, key=lambda row: list(listed).index(row["how"])):
        way = {key: text.format(**row) if isinstance(text, str) else [one.format(**row) for one in text] for key, text in listed[row["how"]].items()}
        words: dict[str, Any] = {**way, "name": row["name"], "value": row["value"], "how": way["title"]}
        typed = bool(row["line"])
        fields: dict[str, Any] = {"value": None, "missing": ["environment.set"], "asks": way["asks"]} if "asks" in way else {}
        yield judged(_CHECK, "variable-stays-in-shell", seen, words, ["environment.withheld" if typed else "env." + row["name"]],
                     hits=[] if typed else seen.hits_of(f"seen.environment.{row['how']}"), **fields)
        return


def _of_session(seen: Evidence) -> list[dict[str, Any]]:
    """Variables in a file of the shell, where the writer tells that the program is right in a terminal and is started otherwise."""
    said = {name: seen.hits_of(f"seen.environment.{name}") for name in ("shell_file", "desktop", "service", "terminal")}
    how = "desktop" if said["desktop"] else "service" if said["service"] else ""
    if not how or not said["shell_file"] or not said["terminal"]:
        return []
    names = [name for name in _values(seen) if _row(name) and name != "OLLAMA_HOST"]
    return [{"name": name, "value": _values(seen)[name], "how": how, "line": 0} for name in names[:1]]
