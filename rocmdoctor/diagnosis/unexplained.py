"""A symptom that no known cause explains: what is known, the experiments that halve what is left, where to report it and with what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rocmdoctor.diagnosis import tried
from rocmdoctor.facts.items import items_of, text, texts
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.facts.sections import Fix
from rocmdoctor.knowledge import applications, side_programs, tables
from rocmdoctor.knowledge.conditions import Lookup, of_table

MOST_EXPERIMENTS = 6
# What answered, highest layer first: a fact that only a working layer can have given.
_ANSWERED = (
    ("the application put layers on the GPU", "llama.layers_offloaded"), ("PyTorch sees the GPU", "torch.available"),
    ("KFD offers the GPU and its memory", "gpu.kfd_pool_bytes"), ("a Vulkan driver lists a device", "vk.driver"),
    ("the amdgpu module is loaded", "amdgpu.loaded"), ("the GPU is on the PCI bus", "gpu.pci_address"))


def advice(symptom: str, layer: str, facts: dict[str, Fact]) -> tuple[str, list[str], Fix]:
    """(what is known, the commands that would narrow it down, the fix that says where to report)."""
    table = tables.load("next_steps")
    row: dict[str, Any] = table["symptoms"].get(symptom) or {}
    tracker = _tracker(table["trackers"], layer, facts)
    report = Fix(
        f"Report it to {tracker['name']}, with a report of this tool",
        f"At {tracker['url']}. Attach " + (row.get("attach") or "the program's log from its first line") + ".",
        ("rocmdoctor check --markdown --log FILE > report.md",), verify="Search there first: somebody may have found the cause.")
    return _known(facts), list(row.get("decide") or ()), report


def experiments(symptoms: Iterable[str], facts: dict[str, Fact], look: Lookup) -> list[Fix]:
    """What to vary first, best first, as steps with what each outcome means; those the writer has tried are left out."""
    told = frozenset(symptoms)
    if not told:
        return []
    apps = texts(facts, "about.app")
    kinds = applications.kinds(apps) or ({"named"} if apps or program(facts) else set())
    table = tables.load("experiments")
    out = tried.both_ways(facts)
    rows = [row for row in table["experiments"] if row.get("varies") not in out and _fits(row, told, kinds, facts)
            and all(_holds(condition, look) for condition in (row.get("when"), table["sides"].get(row.get("side"))))]
    rows.sort(key=lambda row: -_closeness(row))  # one made for this program goes before one for all
    return [_step(row, facts) for row in rows[:MOST_EXPERIMENTS]]


def _step(row: dict[str, Any], facts: dict[str, Fact]) -> Fix:
    windows = texts(facts, "about.os") == ["windows"]
    commands = dict(row.get("commands") or {})
    language = "powershell" if windows and "powershell" in commands else next(iter(commands), "shell")
    listed = ", ".join(texts(facts, row["lists"])) if row.get("lists") else ""
    does, means = (str(row[name]).replace("{program}", program(facts) or "the program").replace("{listed}", listed) for name in ("do", "means"))
    return Fix(f"Try: {does}", means, tuple(commands.get(language, ())), language=language)


def program(facts: dict[str, Fact]) -> str:
    """What the program is called, "" where that is not known: the application, whose log it is, or the one beside others that a writer is about."""
    app = text(facts, "about.app")
    return applications.title(app) if app else text(facts, "report.program") or side_programs.at_hand(texts(facts, "report.side_programs"))


def _closeness(row: dict[str, Any]) -> int:
    narrowed = sum(bool(row.get(name)) for name in ("symptoms", "apps", "kinds", "gpu", "set", "container", "backends"))
    return narrowed + 2 * ("when" in row) + 4 * ("lists" in row)  # these two speak of this report, the others of a kind of reports


def _holds(condition: str | None, look: Lookup) -> bool:
    return condition is None or of_table(condition).ask(look).value is True


def _fits(row: dict[str, Any], symptoms: frozenset[str], kinds: set[str], facts: dict[str, Fact]) -> bool:
    if row.get("symptoms") and symptoms.isdisjoint(row["symptoms"]):
        return False
    for name, fact in (("apps", "about.app"), ("backends", "about.backend"), ("os", "about.os")):
        here = texts(facts, fact)
        if row.get(name) and not set(row[name]) & {"linux" if value == "wsl" and name == "os" else value for value in here}:
            return False
    if row.get("kinds") and kinds.isdisjoint(row["kinds"]):
        return False
    words = {*texts(facts, "about.gpu"), *(["several"] if len(items_of(facts)) > 1 else [])}
    if row.get("gpu") and not set(row["gpu"]) & words:
        return False
    if row.get("lists") and not texts(facts, row["lists"]):
        return False
    if row.get("container") and texts(facts, "about.container") != ["True"]:
        return False
    if any(not isinstance(facts.get(f"env.{name}"), Known) for name in row.get("set") or ()):
        return False
    done = " ".join([*texts(facts, "report.options"), *_compared(facts)]).lower()
    return not any(str(word).lower() in done for word in row.get("tried") or ())


def _compared(facts: dict[str, Fact]) -> list[str]:
    """What the writer has varied."""
    fact = facts.get("report.contrasts")
    return [str(row["value"]) for row in fact.value] if isinstance(fact, Known) else []


def _tracker(trackers: list[dict[str, str]], layer: str, facts: dict[str, Fact]) -> dict[str, str]:
    apps = [*texts(facts, "report.apps"), *texts(facts, "app.name")]
    apps += ["ollama"] if isinstance(facts.get("ollama.version"), Known) else []
    apps += ["llama.cpp"] if isinstance(facts.get("llama.build"), Known) else []
    upper = layer in ("app", "framework", "runtime")  # a driver's fault is not the application's
    return next((t for t in trackers if (upper and t.get("app") in apps) or t.get("layer") == layer), trackers[-1])


def _known(facts: dict[str, Fact]) -> str:
    for words, name in _ANSWERED:
        keys = [f"{name}[{item}]" for item in items_of(facts, name.split(".")[0])] or [name]
        if any(isinstance(fact := facts.get(key), Known) and fact.value not in (False, 0) for key in keys):
            return f"As far as these facts go, {words}; the fault lies above that or in it."
    return "Nothing that was read shows how far the GPU is reached."
