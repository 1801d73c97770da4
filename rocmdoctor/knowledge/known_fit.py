"""Whether a row of the known defects fits the facts: versions, GPU, system, backend, and what else it needs; three-valued."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping

from rocmdoctor import later
from rocmdoctor.facts import versions
from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Fact, Known
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.knowledge import component_versions
from rocmdoctor.knowledge.component_versions import Here
from rocmdoctor.knowledge.known import Row
from rocmdoctor.records import dataclass, field

# Schemes whose versions no fact names; a bound of such a row leaves the version open.
_UNREAD = ("package", "tag", "engine")
_AS_READ = ("driver", "module")
# Layers below the applications are those of Windows under WSL, not of its Linux.
_HOST = ("kernel", "proxmox", "linux-firmware", "amdgpu-dkms", "bios", "mesa", "amdvlk")
# No program or library that must be named: it is on every machine of its kind, or its version says that it is there.
_EVERYWHERE = ("kernel", "proxmox", "linux-firmware", "amdgpu-dkms", "bios", "windows", "adrenalin", "rocm", "therock", "hip-windows", "hip-sdk", "mesa",
               "amdvlk")
_WORD = later.pattern(r"[A-Za-z0-9_][\w.+=-]{2,}")
_NAME = later.pattern(r"[A-Z\d_=-]")  # a name, an option, a variable or a version, not a common word
_NAME_WORDS = 4  # of which the name of a program can have so many
_PLAIN = frozenset("""and the with without that this than from for not any all one two more into after before while when via only card cards gpu gpus apu
driver drivers kernel model models version versions build builds new old newer older large small several many linux windows amd radeon rocm hip radv
vulkan memory program programs set used use user users using installed install ubuntu option options mode system compute load work under""".split())


def both(answers: Iterable[bool | None]) -> bool | None:
    """Whether all hold: false when one is false, else unknown when one is unknown."""
    found = list(answers)
    return False if False in found else None if None in found else True


def is_in(values: Iterable[str], bounds: Iterable[Mapping[str, str]], scheme: str) -> bool | None:
    """Whether one of the versions lies in one of the ranges."""
    answers = [versions.in_range(value, one, scheme) for value in values for one in bounds]
    return True if True in answers else None if None in answers or not answers else False


def meets(here: Here, bound: str, scheme: str) -> bool | None:
    """Whether a component is of a version such as ``>=6.4 <7.0`` or ``7.1.1``; ``>=0`` asks only whether it is there.

    >>> meets(Here(("7.1.1",)), ">=6.4 <7.2", "rocm"), meets(Here(("7.1.1",)), "7.1", "rocm"), meets(Here(absent=True), ">=0", "")
    (True, True, False)
    """
    if here.absent:
        return False
    if not here.values:
        return None
    if bound.strip() == ">=0":
        return True
    kinds = {">=": "from", "<": "before", "<=": "through", "": "exact", "==": "exact"}
    parts = re.findall(r"(>=|<=|<|==|)\s*([^\s<>=,]+)", bound)
    ranges = [{kinds[sign]: version.removesuffix(".x")} for sign, version in parts]
    answers = [both(versions.in_range(value, one, scheme) for one in ranges) for value in here.values]
    return True if True in answers else None if None in answers or not ranges else False


@functools.cache
def _demands(needs: str) -> frozenset[str]:
    words = {word.strip(".") for word in _WORD.findall(needs)}
    return frozenset(low for word in words if (low := word.lower()) not in _PLAIN and not low.isdigit() and (_NAME.search(word) or low in _APPS))


def _stands(word: str, text: str) -> bool:
    """Whether the word stands in the text, not as a part of a longer one. A pattern for each of the many words would take longer to make.

    >>> _stands("rpc", "llama.cpp: rpc-server, (rpc)"), _stands("rpc", "llama-rpc rpcs rpc-server")
    (True, False)
    """
    at = text.find(word)
    while at >= 0:
        if not any(char.isalnum() or char in "_-" for char in (text[at - 1:at], text[at + len(word):at + len(word) + 1]) if char):
            return True
        at = text.find(word, at + 1)
    return False


@dataclass(slots=True)
class Fit:
    """How a row fits; ``used`` and ``missing`` are the facts that were asked."""

    version: bool | None
    gpu: bool | None
    os: bool | None
    backend: bool | None
    others: bool | None
    needs: bool | None
    values: tuple[str, ...] = ()
    used: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def excluded(self) -> bool:
        """Whether something speaks against it."""
        return False in (self.version, self.gpu, self.os, self.backend, self.others)


class Machine:
    """The facts (with ``about.*``) as the rows ask for them; ``said`` is further text that may name what a row needs."""

    def __init__(self, facts: Mapping[str, Fact], said: str = "") -> None:
        self.facts = facts
        self._here: dict[str, Here] = {}
        self._said = said
        self._words: str | None = None
        self._named: dict[str, bool] = {}
        self._spoken: dict[str, bool] = {}
        self.gpus = self._list("about.gpu")
        self.systems = self._systems()
        self.backends = self._list("about.backend")
        sure = (facts.get(key("gpu.gfx_target", item)) for item in items_of(facts))
        self.targets = tuple(str(fact.value).split(":")[0] for fact in sure if isinstance(fact, Known))

    def _list(self, name: str) -> tuple[str, ...]:
        fact = self.facts.get(name)
        return tuple(map(str, fact.value)) if isinstance(fact, Known) and isinstance(fact.value, (list, tuple)) else ()

    def _systems(self) -> tuple[str, ...]:
        system, inside = self.facts.get("about.os"), self.facts.get("about.container")
        names = [str(system.value)] if isinstance(system, Known) and system.value else []
        return (*names, "container") if isinstance(inside, Known) and inside.value is True else tuple(names)

    def here(self, component: str) -> Here:
        """The versions of a component."""
        if component not in self._here:
            self._here[component] = component_versions.here(self.facts, component)
        return self._here[component]

    def said(self) -> str:
        """Everything the facts and the lines that were seen name, in small letters."""
        if self._words is None:
            known = {name: str(fact.value) for name, fact in self.facts.items() if isinstance(fact, Known)}
            told = [value for name, value in known.items() if not name.startswith(("packages.", "updates.", "boots.", "report.words"))]
            told += [name for name in known if name.startswith("env.")]
            self._words = "\n".join([*told, self._said]).lower()
        return self._words

    def lines(self) -> str:
        """The lines that were seen."""
        return self._said

    def gpu(self, row: Row) -> bool | None:
        """Whether a GPU is one of the row's."""
        if not row.gfx:
            return True
        if set(row.gfx) & set(self.gpus):
            return True
        if any(word.startswith("gfx") for word in self.gpus):
            return False
        families = [word for word in self.gpus if word not in ("amd", "apu", "dgpu")]
        return False if families and not any(one.startswith("gfx") for one in row.gfx) else None

    def system(self, row: Row) -> bool | None:
        """Whether the row speaks of this system."""
        if not row.os:
            return True
        names = set(self.systems)
        if "wsl" in names and row.component not in _HOST:
            names.add("linux")
        if names & set(row.os):
            return True
        if not names:
            return None
        return None if set(row.os) == {"container"} and not isinstance(self.facts.get("about.container"), Known) else False

    def spoken(self, row: Row) -> bool | None:
        """Whether the program or library of the row is spoken of at all; unknown where nothing names it, true of what every machine has."""
        component = row.component
        place = component_versions.places().get(component)
        if place is None or component in _EVERYWHERE or component.startswith("distro-") or self.here(component).values:
            return True
        if component not in self._spoken:
            said = (self.said(), *self._list("about.app"))
            held = [name for name in (component, *place.named) if any(name in text for text in said)]  # a pattern only for what stands there
            names = "|".join(map(re.escape, held))
            self._spoken[component] = bool(held) and any(later.pattern(rf"(?<![a-z\d])(?:{names})").search(text) for text in said)
        return True if self._spoken[component] else None

    @staticmethod
    def everywhere(row: Row) -> bool:
        """Whether its component is on every machine, so that a version of it says nothing of what is spoken of."""
        return row.component in _EVERYWHERE or row.component.startswith("distro-")

    def backend(self, row: Row) -> bool | None:
        """Whether a backend of the row is in use."""
        place = component_versions.places().get(row.component)
        wanted = row.backend or (place.backends if place else ())
        if not wanted or set(wanted) & set(self.backends):
            return True
        return False if self.backends else None

    def version(self, row: Row) -> tuple[bool | None, tuple[str, ...]]:
        """Whether a version here is bad, and the versions; true without bounds."""
        here = self.here(row.component)
        if here.absent:
            return False, ()
        if not row.bad:
            return True, here.values
        usual = versions.scheme_of(row.component)
        if row.scheme in _UNREAD or (row.scheme == "app" and usual != "app"):
            return None, ()
        values = component_versions.raw(self.facts, row.component) if row.scheme in _AS_READ else here.values
        scheme = row.scheme or usual
        if row.component == "adrenalin" and row.scheme == "driver":
            values = tuple(value for value in values if value.count(".") == 3)
        inside = is_in(values, row.bad, scheme)
        if inside is not False and any(self._repaired(value, row, scheme) for value in values):
            return False, values
        return inside, values

    @staticmethod
    def _repaired(value: str, row: Row, scheme: str) -> bool:
        """Whether a package of a series is one that the row calls good: a kernel 6.17.0-22-generic among the bad 6.17.x."""
        fixed = (good for good in row.good if (parsed := versions.parse(good, scheme)) and parsed.loose
                 and all(versions.at_least(good, bounds["from"], scheme) is not False for bounds in row.bad if "from" in bounds))
        return any(versions.same_series(value, good, scheme) and versions.at_least(value, good, scheme) is True for good in fixed)

    @staticmethod
    def demands(row: Row) -> frozenset[str]:
        """The names in what a row needs (programs, options, models, products); none where it needs nothing in particular, as "any ROCm compute"."""
        return _demands(row.needs)

    def needs(self, row: Row) -> bool | None:
        """Whether a word of what the row needs (a program, an option, a model) was read; unknown where none was, true without needs.

        A situation in plain words ("suspend and resume") cannot be read, so that it stays unknown.
        """
        if not row.needs:
            return True
        words = self.demands(row)
        if not words:
            return None
        return True if any(self.names(word) for word in words) else None

    def names_all(self, row: Row) -> bool:
        """Whether what the row needs is one name, such as that of a game, and stands in what was said as the row has it."""
        return 0 < len(row.needs.split()) <= _NAME_WORDS and bool(self.demands(row)) and _stands(row.needs.lower(), self.said())

    def names(self, word: str) -> bool:
        """Whether a word, in small letters, was said as a whole."""
        if word not in self._named:
            self._named[word] = _stands(word, self.said())
        return self._named[word]

    def fit(self, row: Row) -> Fit:
        """How the row fits, with the facts behind it."""
        version, values = self.version(row)
        others = both(meets(self.here(name), bound, versions.scheme_of(name)) for name, bound in row.with_.items())
        found = Fit(version, self.gpu(row), self.system(row), self.backend(row), others, self.needs(row), values)
        asked: list[tuple[str, bool | None]] = []
        for name in (row.component, *row.with_):
            place = component_versions.places().get(name)
            if place and place.facts and (name in row.with_ or row.bad):
                asked.append((self.here(name).fact or place.facts[0], version if name == row.component else others))
        asked += [(fact, answer) for fact, wanted, answer in (("about.gpu", row.gfx, found.gpu), ("about.os", row.os, found.os),
                                                              ("about.backend", row.backend, found.backend)) if wanted]
        for fact, answer in asked:
            (found.missing if answer is None else found.used).append(fact)
        return found


_APPS = frozenset("""ollama comfyui koboldcpp lemonade vllm sglang llama.cpp llama-server llama-bench pytorch torch jax tensorflow unsloth whisper.cpp localai
jan gpt4all lmstudio zluda directml miopen hipblaslt rocblas roctracer dsc rccl triton aiter flash-attention bitsandbytes xformers blender docker podman toolbox
gemma qwen gpt-oss llama deepseek mistral mixtral flux sdxl wan whisper rpc mmap mmproj""".split())
