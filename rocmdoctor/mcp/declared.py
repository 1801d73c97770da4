"""What each tool takes and answers: the types behind the schemas that a client sees, and the words that tell a model when to call it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mcp_types import Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rocmdoctor.share.wash import wash

Line = Annotated[str, Field(max_length=4096)]
Lines = Annotated[list[Line], Field(max_length=64)]
More = Annotated[str, Field(max_length=64, description="The `more` of an earlier answer of this tool: its next page. Leave out the rest then.")]
Backend = Literal["vulkan", "hip", "torch"]
KvType = Literal["f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"]


class Given(BaseModel):
    """The arguments of a tool. ``PATHS`` are the names of those that are paths."""

    model_config = ConfigDict(extra="forbid")

    more: More = ""


class CheckGiven(Given):
    """Of check."""

    kernels: Annotated[bool, Field(description="Also run the quick test kernels on the GPU and look into the Python environments with torch.")] = True


class ExplainGiven(Given):
    """Of explain."""

    paths: Annotated[Lines, Field(description="Files, folders or archives, absolute or relative to a root.")] = []


class EvidenceGiven(Given):
    """Of evidence."""

    path: Annotated[Line, Field(description="A file, folder or archive, as it was given to explain.")] = ""
    source: Annotated[Line, Field(description="Which text of a folder or archive: the place without its line, as explain names it.")] = ""
    line: Annotated[int, Field(ge=1, le=1_000_000_000, description="The number of a line.")] = 1
    around: Annotated[int, Field(ge=0, le=40, description="Lines before and after it.")] = 5
    facts: Annotated[Lines, Field(description="Names of facts of the latest examination, as `gpu.vram_bytes` or `kernel.*`.")] = []


class KnownGiven(Given):
    """Of known."""

    words: Annotated[Line, Field(description="All of these words.")] = ""
    component: Annotated[Line, Field(description="kernel, mesa, rocm, ollama, llama.cpp, vllm, pytorch ...")] = ""
    version: Annotated[Line, Field(description="A version of the component.")] = ""
    gpu: Annotated[Line, Field(description="gfx1151, rdna3 ...")] = ""


class WhyGiven(Given):
    """Of why."""

    id: Annotated[Line, Field(description="The id of a finding or of a known defect.")] = ""


class TestGiven(Given):
    """Of test."""

    level: Annotated[Literal[1, 2], Field(description="1: under 2 seconds, 2: under 20 seconds.")] = 1
    backends: Annotated[list[Backend], Field(max_length=3, description="All, if none is named.")] = []


class MemoryGiven(Given):
    """Of memory."""

    model: Annotated[Line, Field(description="A GGUF file.")] = ""
    model_size: Annotated[Line, Field(description="The size of a model's file: 26.8GB.")] = ""
    image: Annotated[bool, Field(description="The model of that size makes images or videos.")] = False
    context: Annotated[int, Field(ge=0, le=1 << 27, description="Tokens of all sequences; 0 is the usual number.")] = 0
    kv_type: KvType = "f16"
    parallel: Annotated[int, Field(ge=1, le=256)] = 1
    paths: Annotated[Lines, Field(description="Somebody's files instead of this machine.")] = []


class CompareGiven(Given):
    """Of compare."""

    old: Annotated[Line, Field(description="good, last, yesterday, a date, or a path; the last good state, if left out.")] = ""
    new: Annotated[Line, Field(description="The same; this machine now, if left out.")] = ""
    since: Annotated[Line, Field(description="A date, `last week`, `3 days ago`: what package histories say, without an earlier state.")] = ""


class LlmGiven(Given):
    """Of llm."""

    url: Annotated[Line, Field(description="http://127.0.0.1:PORT; the usual ports of this machine, if left out.")] = ""
    model: Annotated[Line, Field(description="The loaded one, if left out.")] = ""


class Entry(BaseModel):
    """A part of an answer: what is not among its fields is no part of it."""

    model_config = ConfigDict(extra="forbid")


class Fix(Entry):
    """One thing to do; shown, never run."""

    do: str
    commands: list[str] = []
    language: str = ""
    commands_left_out: int | None = None
    needs: list[str] = []
    undo: str = ""


class Quote(Entry):
    """A line of a file, or a fact."""

    place: str = ""
    fact: str = ""
    text: str = ""


class Finding(Entry):
    """One answer, best first. standing: cause (decided), possible (asks), symptom (seen, not explained), risk."""

    id: str
    standing: str
    severity: str
    title: str
    says: str = ""
    rests_on: list[Quote] = []
    to_decide: list[str] = []
    fixes: list[Fix] = []


class Unknown(Entry):
    """What matters and is not known, and the command that shows it."""

    fact: str
    reason: str = ""
    command: str = ""


class Fact(Entry):
    """state: known, absent (looked for, not there) or not known."""

    name: str
    state: str = "known"
    value: str = ""
    source: str = ""
    reason: str = ""
    command: str = ""


class MayFit(Entry):
    """A cause or a known defect that nothing decides yet."""

    id: str
    kind: str
    says: str
    needs: str = ""
    fix: str = ""


class Page(Entry):
    """A page of an answer; ``more`` names the next one."""

    note: str
    answer: str = ""
    notes: list[str] = []
    more: str = ""
    pages_left: int = 0


class Examined(Page):
    """What was found, what is known, and what is not."""

    first: Annotated[str, Field(description="What to do first.")] = ""
    verdict: str = ""
    findings: list[Finding] = []
    not_known: list[Unknown] = []
    facts: list[Fact] = []


class Explained(Examined):
    """The same of files, with their telling lines and what may fit."""

    may_fit: list[MayFit] = []
    lines: list[Quote] = []


class Evidence(Page):
    """Lines and facts."""

    of_file: str = ""
    of_facts: str = ""
    lines_not_known: str = ""
    lines: list[Quote] = []
    facts: list[Fact] = []


class Defect(Entry):
    """One known defect."""

    id: str
    component: str
    bad_versions: str
    good: list[str] = []
    gpus: list[str] = []
    systems: list[str] = []
    backends: list[str] = []
    with_: Annotated[list[str], Field(alias="with")] = []
    shows_as: list[str] = []
    says: str
    needs: str = ""
    fixes: list[str] = []
    no_fix: list[str] = []
    confirmed: str = ""
    read: str = ""
    reported_in: list[str] = []


class Known(Page):
    """Defects that were found in the table."""

    found: int | None = None
    of: int | None = None
    as_of: str = ""
    defects: list[Defect] = []


class Alike(Entry):
    """A finding that shows the same way."""

    id: str
    title: str


class Why(Page):
    """A finding as the knowledge has it, without a machine."""

    id: str = ""
    kind: str = ""
    title: str = ""
    says: str = ""
    why: str = ""
    fixes: list[Fix] = []
    no_fix: list[str] = []
    conditions: list[str] = []
    shows_as: list[str] = []
    seen_in: list[str] = []
    alike: list[Alike] = []
    known_from: list[str] = []


class Device(Entry):
    """What the kernels showed of one device."""

    device: str
    backend: str
    type: str
    verdict: str
    says: str


class Fault(Entry):
    """A test that was not right."""

    where: str
    what: str
    known_as: str = ""


class Tested(Examined):
    """What the test kernels showed."""

    devices: list[Device] = []
    faults: list[Fault] = []


class Pool(Entry):
    """A place where memory is."""

    of: str
    name: str
    kind: str
    total: str
    used: str
    source: str = ""
    note: str = ""


class Fit(Entry):
    """Whether a model fits: yes, only_with, no, not known."""

    model: str
    gpu: str
    backend: str
    verdict: str
    says: str = ""
    fails_at: str = ""
    fits_with: list[str] = []
    settings: str = ""


class Memory(Examined):
    """Where the memory is, what fits, what to set."""

    fits: list[Fit] = []
    pools: list[Pool] = []
    plan: list[Fix] = []


class Change(Entry):
    """One component that changed; standing: suspect, result, other."""

    component: str
    title: str
    standing: str
    how: str = ""
    old: str = ""
    new: str = ""
    at: str = ""
    known_of_it: str
    says: str = ""
    way_back: list[Fix] = []


class Compared(Page):
    """What changed, the suspects first."""

    old: str = ""
    new: str = ""
    basis: str = ""
    changes: list[Change] = []
    findings: list[Finding] = []


class Server(Entry):
    """A server that was asked."""

    place: str
    server: str
    model: str = ""
    verdict: str
    generated_per_s: float | None = None
    answers: str = ""
    device: str = ""
    kernel_saw: str = ""
    speed: str = ""
    speed_judged: str = ""
    ceilings_of: str = ""


class Asked(Examined):
    """What the servers did."""

    servers: list[Server] = []


class Declared(BaseModel):
    """One tool. ``paths`` are the arguments that are paths, ``machine`` whether it examines this machine."""

    title: str
    says: str
    given: type[Given]
    answer: type[Page]
    paths: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    machine: bool = False


TOOLS: dict[str, Declared] = {
    "check": Declared(title="Examine this machine", given=CheckGiven, answer=Examined, machine=True, says=(
        "What is wrong with the AMD GPU setup of this machine, and what to do first. Start here when the trouble is on this machine. Takes seconds up to"
        " a minute.")),
    "explain": Declared(title="Read somebody's files", given=ExplainGiven, answer=Explained, paths=("paths",), needed=("paths",), says=(
        "What logs, dumps, reports, archives or saved snapshots show, and what to do first. Start here when the trouble is somebody else's or in a file.")),
    "evidence": Declared(title="Lines and facts behind an answer", given=EvidenceGiven, answer=Evidence, paths=("path",), says=(
        "Lines around a place of a file, or facts of the latest examination by name. Call it to see what a finding rests on before you repeat it.")),
    "known": Declared(title="Search the known defects", given=KnownGiven, answer=Known, says=(
        "Defects of kernels, drivers, libraries and applications on AMD GPUs by words, component, version and GPU, each with its source and date.")),
    "why": Declared(title="Explain a finding", given=WhyGiven, answer=Why, needed=("id",), says=(
        "What a finding means, how to recognise it, what looks alike, what helps and what does not, by its id.")),
    "test": Declared(title="Run the test kernels", given=TestGiven, answer=Tested, machine=True, says=(
        "Whether each GPU computes right: kernels with known answers through Vulkan, HIP and torch, compared to the bit.")),
    "memory": Declared(title="Memory and fit of a model", given=MemoryGiven, answer=Memory, paths=("model", "paths"), machine=True, says=(
        "Where the GPU's memory is, whether a model fits (by file or by size), and what to set so that it does.")),
    "compare": Declared(title="What changed", given=CompareGiven, answer=Compared, paths=("old", "new"), machine=True, says=(
        "What changed since it worked, the suspects first, with the way back. States are kept by `rocmdoctor check` on the command line.")),
    "llm": Declared(title="Ask a local model server", given=LlmGiven, answer=Asked, machine=True, says=(
        "Whether a language model server of this machine (Ollama, llama-server, LM Studio, Lemonade, vLLM) answers right, on the GPU, fast enough."
        " Takes up to three minutes.")),
}


def listed() -> list[Tool]:
    """The tools as a client sees them."""
    return [Tool(name=name, title=one.title, description=one.says, input_schema=_schema(one.given), output_schema=_schema(one.answer),
                 annotations=ToolAnnotations(title=one.title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False))
            for name, one in TOOLS.items()]


def _schema(model: type[BaseModel]) -> dict[str, Any]:
    made: dict[str, Any] = _short(model.model_json_schema(), told=issubclass(model, Given))
    made.pop("description", None)  # the docstring, which is for readers of this file
    return made


def _short(schema: Any, told: bool, names: bool = False) -> Any:
    """A schema without titles that only repeat a name; that of an answer also without what does not tell its form. ``names``: keys are fields."""
    if isinstance(schema, list):
        return [_short(each, told) for each in schema]
    if not isinstance(schema, dict):
        return schema
    without = () if names else ("title",) if told else ("title", "default", "description")
    return {key: _short(value, told, key in ("properties", "$defs") and not names) for key, value in schema.items() if key not in without}


def taken(name: str, arguments: dict[str, Any]) -> Given:
    """The arguments of a call. Raises ValueError with one line of what is wrong with them."""
    one = TOOLS[name]
    try:
        given = one.given.model_validate(arguments)
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=False, include_input=False)
        raise ValueError("; ".join(wash(f"{'.'.join(map(str, each['loc']))}: {each['msg']}", 160) for each in wrong[:4])) from None
    missing = [each for each in one.needed if not getattr(given, each)]
    if missing and not given.more:
        raise ValueError(f"{missing[0]}: is needed")
    return given
