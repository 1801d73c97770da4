"""Ask one server everything, and turn what came back into facts."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from rocmdoctor.facts.items import items_of
from rocmdoctor.facts.model import Absent, Fact, Known, Unknown
from rocmdoctor.facts.vocabulary import key
from rocmdoctor.llm import judge, observe, prompts, speed
from rocmdoctor.llm.answer import Answer, Status
from rocmdoctor.llm.client import Client, Failed
from rocmdoctor.llm.prompts import Question
from rocmdoctor.llm.servers import all_servers
from rocmdoctor.memory.machine import Facts
from rocmdoctor.records import dataclass, field

# Seconds that the questions may take once the model answers; what would not fit any more is left out and said. An answer that turns
# out slower than foreseen gets the slack.
BUDGET = 15.0
SLACK = 3.0
# A GPU that is never seen busy accuses the server only after this many looks.
LEAST_SAMPLES = 10
LOAD = 120.0
Told = Callable[[str], None]


@dataclass(slots=True)
class Asked:
    """Question and answer, judged: the kind of garbage ("" for sane text) and whether the answer is right."""

    question: Question
    answer: Answer
    kind: str
    right: bool


@dataclass(slots=True)
class Check:
    """One server under examination."""

    client: Client
    label: str
    port: int
    root: Path
    module: ModuleType
    model: str = ""
    pids: list[int] = field(default_factory=list)
    facts: dict[str, Fact] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    told: Told = lambda line: None

    def know(self, name: str, value: Any, source: str = "") -> None:
        """A fact of this server; None and "" leave it unknown."""
        if value is not None and value != "":
            self.facts[key(f"llm.{name}", self.label)] = Known(value, source or self.module.NAME)

    def unknown(self, name: str, detail: str, command: str = "") -> None:
        """A fact that could not be learnt, and what would show it."""
        self.facts.setdefault(key(f"llm.{name}", self.label), Unknown("not_collected", detail, command))


def recognise(client: Client) -> ModuleType:
    """The protocol that the server speaks. Raises :class:`Failed` with what it does instead."""
    for module in all_servers():
        if module.recognise(client):
            return module
    client.get("/v1/models").json()
    raise Failed("answers, but speaks none of the protocols that are known here")


def choose_model(client: Client, module: ModuleType, wanted: str) -> str:
    """The model to ask. Raises :class:`Failed` where there is none."""
    names = module.models(client)
    if wanted:
        if names and wanted not in names and f"{wanted}:latest" not in names:
            raise Failed(f"has no model {wanted[:80]}; it has {', '.join(names)[:200]}")
        return wanted if wanted in names else f"{wanted}:latest" if f"{wanted}:latest" in names else wanted
    if not names:
        raise Failed("has no model: load or pull one first")
    return str(names[0])


def run(check: Check) -> None:
    """All questions, in the order in which they tell most. Raises :class:`Failed` only where not even the first was answered."""
    check.know("server", check.module.NAME)
    check.know("model", check.model)
    check.know("local", check.client.local, "address")
    check.told(f"{check.module.NAME} with {check.model}: first question (a model that is not loaded yet is loaded now)")
    check.pids = observe.listeners(check.port, check.root) if check.client.local else []
    before = observe.sample(check.root, check.pids)
    with observe.Watch(check.root, check.pids) as seen:
        _short(check)
        # Before the questions that can use up the time: what the server says of itself costs it nothing.
        check.pids[:] = observe.listeners(check.port, check.root) if check.client.local else []  # the watch follows: a runner may be new
        status = _status(check)
        _other(check, "long", prompts.long(), check.module.complete)
        _other(check, "chat", prompts.chat(), check.module.chat)
        _repeat(check)
    _kernel(check, seen, before)
    _speeds(check)
    _on_cpu(check, status)


def _ask(check: Check, question: Question, ask: Callable[..., Answer], seconds: float) -> Asked:
    answer = ask(check.client, check.model, question.prompt, question.tokens, seconds)
    kind = judge.judge(answer.text, answer.tokens, answer.logprobs, question.prompt)
    return Asked(question, answer, "" if question.right(answer.text) else kind, question.right(answer.text))


def _short(check: Check) -> None:
    # The open end comes early: with the first answers it tells most, and it measures the speed.
    first, second, *others = prompts.questions()
    check.asked.append(_ask(check, first, check.module.complete, LOAD))
    check.client.until = min(check.client.until, time.monotonic() + BUDGET + SLACK)
    for question in [second, prompts.open_end(), *others]:
        if _cost(check, question) > check.client.left() - SLACK:
            _left_out(check, question)
            continue
        try:
            check.asked.append(_ask(check, question, check.module.complete, check.client.left()))
        except Failed as failed:
            check.notes.append(f"{check.label}: the question '{question.id}' got no answer: {failed}")
            break
        if len(check.asked) == 3:
            verdict, kind, shown = judge.verdict([(a.answer.text, a.answer.tokens or 0, a.kind, a.right, bool(a.question.expect)) for a in check.asked])
            fast = _best(check, "generation_speed")
            check.told(f"so far: {kind or verdict}" + (f", {fast:.1f} tokens/s" if fast else "") + f"; it said {shown[:60]!r}")
    verdict, kind, shown = judge.verdict([(a.answer.text, a.answer.tokens or 0, a.kind, a.right, bool(a.question.expect)) for a in check.asked])
    check.know("verdict", verdict)
    check.know("garbage_kind", kind)
    if not kind:
        check.facts[key("llm.garbage_kind", check.label)] = Absent(check.module.NAME)
    check.know("shown", shown if len(shown) <= 120 else shown[:120].rpartition(" ")[0] or shown[:120])  # half an address would escape the redaction
    check.know("right", sum(a.right for a in check.asked))
    check.know("asked", sum(bool(a.question.expect) for a in check.asked))


def _left_out(check: Check, question: Question) -> None:
    check.notes.append(f"{check.label}: the question '{question.id}' was left out: it would not have ended in the {BUDGET:.0f} s for all questions")


def _cost(check: Check, question: Question) -> float:
    """Seconds that a question will take, by the speeds seen so far."""
    fast = _best(check, "generation_speed")
    reading = _best(check, "prompt_speed")
    words = len(question.prompt) / 4  # characters per token, on the safe side
    return (question.tokens / fast if fast else 0.0) + (words / reading if reading else 0.0)


def _best(check: Check, name: str) -> float | None:
    return max((value for a in check.asked if (value := getattr(a.answer, name))), default=None)


def _repeat(check: Check) -> None:
    # The longer answer shows more; the shorter one is better than none.
    before = [a for a in check.asked if a.question.id in ("open", "copy") and a.answer.ended]
    first = next((a for a in before if _cost(check, a.question) <= check.client.left() - SLACK), None)
    if first is None:
        return check.unknown("repeat_stable", "no time was left to ask twice")
    try:
        again = _ask(check, first.question, check.module.complete, check.client.left())
    except Failed as failed:
        check.notes.append(f"{check.label}: asked the same again, it gave no answer: {failed}")
        return check.unknown("repeat_stable", str(failed))
    check.know("repeat_stable", again.answer.text == first.answer.text)
    if not again.answer.text.strip() and first.answer.text.strip():
        check.notes.append(f"{check.label}: the second time the same question got an empty answer")
    return None


def _other(check: Check, name: str, question: Question, ask: Callable[..., Answer]) -> None:
    if _cost(check, question) > check.client.left() - SLACK:
        _left_out(check, question)
        return check.unknown(f"{name}_verdict", "no time was left")
    try:
        found = _ask(check, question, ask, check.client.left())
    except Failed as failed:
        check.notes.append(f"{check.label}: the {name} question got no answer: {failed}")
        return check.unknown(f"{name}_verdict", str(failed))
    check.asked.append(found)
    verdict, _, _ = judge.verdict([(found.answer.text, found.answer.tokens or 0, found.kind, found.right, True)])
    check.know(f"{name}_verdict", verdict)
    if name == "long":
        check.know("long_recall", found.right)
    return None


def _status(check: Check) -> Status:
    ends = check.client.until
    check.client.until = max(ends, time.monotonic() + check.client.per_call)
    try:
        status: Status = check.module.status(check.client, check.model)
    except Failed as failed:
        check.notes.append(f"{check.label}: {failed}")
        return Status()
    finally:
        check.client.until = ends
    check.notes += [f"{check.label}: {note}" for note in status.notes]
    words = [word for pid in check.pids[:4] for word in observe.command_line(check.root, pid)]
    if not status.device and _kept_on_cpu(words):
        status.device = "cpu"
    for name, value in (("version", status.version), ("model_bytes", status.model_bytes), ("vram_bytes", status.vram_bytes),
                        ("says_device", status.device)):
        check.know(name, value, "its command line" if name == "says_device" and check.module.NAME == "llama-server" else "")
    if not status.device:
        check.unknown("says_device", f"{check.module.NAME} does not say where its model is")
    if status.model_bytes:
        active, why = speed.active_bytes(status.model_bytes, check.model, status.expert_share)
        check.know("active_bytes", active, why)
    libraries = observe.loaded_libraries(check.root, check.pids)
    if check.pids:
        check.know("libraries", libraries, "/proc")
    usual = libraries[0] if len(libraries) == 1 else ""
    check.know("backend", status.backend or ("cpu" if status.device == "cpu" else usual), check.module.NAME if status.backend else "/proc")
    return status


def _kept_on_cpu(words: list[str]) -> bool:
    """Whether a llama.cpp command line keeps every layer on the CPU."""
    pairs = [*zip(words, words[1:], strict=False), *(tuple(word.split("=", 1)) for word in words if "=" in word)]
    return any(option in ("-ngl", "--gpu-layers", "--n-gpu-layers") and value == "0" or option in ("-dev", "--device") and value == "none"
               for option, value in pairs)


def _kernel(check: Check, seen: observe.Seen, before: observe.Sample) -> None:
    if not check.client.local:
        return
    check.know("holds_gpu", observe.holds_gpu(check.root, check.pids), "/proc")
    busy = seen.busiest()
    if busy == 0 and len(seen.samples) < LEAST_SAMPLES:
        check.unknown("gpu_busy_percent", "the answers came too fast for a look at the GPU meanwhile")
    else:
        check.know("gpu_busy_percent", busy, "sysfs")
    after = seen.samples[-1]
    for name, old, new in (("vram_grew_bytes", before.vram_used, after.vram_used), ("gtt_grew_bytes", before.gtt_used, after.gtt_used)):
        check.know(name, new - old if old is not None and new is not None else None, "sysfs")
    check.know("own_vram_bytes", after.own_vram, "fdinfo")
    check.know("own_gtt_bytes", after.own_gtt, "fdinfo")
    check.know("own_engine_ns", seen.grew("own_engine_ns"), "fdinfo")


def _speeds(check: Check) -> None:
    fast, reading = _best(check, "generation_speed"), None
    long = next((a.answer for a in check.asked if a.question.id == "long"), None)
    reading = (long.prompt_speed if long else None) or _best(check, "prompt_speed")
    check.know("generation_tokens_per_s", round(fast, 2) if fast else None)
    check.know("prompt_tokens_per_s", round(reading, 2) if reading else None)


def ceilings(check: Check, machine: dict[str, Fact], cores: int) -> None:
    """The two ceilings of this machine and what the measured speed looks like; nothing for a server elsewhere."""
    size, fast = Facts(check.facts).size("llm.active_bytes", check.label), check.facts.get(key("llm.generation_tokens_per_s", check.label))
    seen = Facts(machine)
    if not check.client.local or not size or not isinstance(fast, Known):
        return
    found = [(item, seen.text("gpu.is_apu", item) == "True") for item in items_of(machine) if seen.text("gpu.gfx_target", item)]
    best = [(speed.gpu_ceiling(size, seen.text("gpu.gfx_target", item), seen.text("gpu.name", item), apu), item, apu) for item, apu in found]
    known = [(top, item, apu) for top, item, apu in best if top is not None]
    top, item, apu = max(known, key=lambda row: row[0].tokens_per_s) if known else (None, "", False)
    low = speed.cpu_ceiling(size, seen.text("gpu.gfx_target", item) if apu else "", apu, cores)
    check.know("gpu_ceiling_tokens_per_s", round(top.tokens_per_s, 1) if top else None, "table bandwidth")
    check.know("cpu_ceiling_tokens_per_s", round(low.tokens_per_s, 1) if low else None, "table bandwidth")
    check.know("ceilings_of", "; ".join(one.of for one in (top, low) if one), "table bandwidth")
    said, why = speed.verdict(float(fast.value), size, top, low)
    check.know("speed_why", why)
    if said == "unknown":
        check.unknown("speed_verdict", why)
    else:
        check.know("speed_verdict", said)


def _on_cpu(check: Check, status: Status) -> None:
    """The same questions with no layer on the GPU, where the server can do that and the answers give a reason."""
    said = check.facts.get(key("llm.verdict", check.label))
    if not isinstance(said, Known) or said.value not in ("garbage", "empty"):
        return
    if status.device == "cpu":
        check.know("cpu_verdict", said.value, "it is on the CPU already")
        return
    if not hasattr(check.module, "complete_on_cpu"):
        check.unknown("cpu_verdict", f"{check.module.NAME} cannot be told to answer one question on the CPU", cpu_command(check))
        return
    check.told("garbage: asking the same on the CPU")
    check.client.until = time.monotonic() + LOAD
    try:
        again = [_ask(check, question, check.module.complete_on_cpu, check.client.left()) for question in prompts.questions()[:3]]
    except Failed as failed:
        check.unknown("cpu_verdict", str(failed), cpu_command(check))
        return
    verdict, _, _ = judge.verdict([(a.answer.text, a.answer.tokens or 0, a.kind, a.right, True) for a in again])
    check.know("cpu_verdict", verdict)


def cpu_command(check: Check) -> str:
    """What a person runs to have the same model answer on the CPU."""
    return (f"start a second server with the same model and nothing on the GPU (llama-server -m MODEL -ngl 0 --device none --port 8099), then: "
            f"rocmdoctor llm {check.client.base} --cpu http://127.0.0.1:8099")


def compare_with_cpu(check: Check, other: Client) -> None:
    """The same questions to a second server that has the same model on the CPU. Raises :class:`Failed`."""
    module = recognise(other)
    second = Check(other, check.label, 0, check.root, module, choose_model(other, module, ""), told=check.told)
    again = [_ask(second, question, module.complete, other.left()) for question in prompts.questions()]
    verdict, _, _ = judge.verdict([(a.answer.text, a.answer.tokens or 0, a.kind, a.right, True) for a in again])
    check.facts[key("llm.cpu_verdict", check.label)] = Known(verdict, other.base)


def leak(check: Check, loads: int) -> None:
    """GPU memory before the first load and after the last unload."""
    if not hasattr(check.module, "unload"):
        check.notes.append(f"{check.label}: {check.module.NAME} cannot be told to unload a model, so the leak check was left out")
        return
    check.client.until = time.monotonic() + LOAD * (loads + 1)
    try:
        check.module.unload(check.client, check.model, LOAD)
        before = observe.settle(check.root, check.pids, 5)
        for number in range(1, loads + 1):
            check.told(f"load and unload {number} of {loads}")
            check.module.load(check.client, check.model, LOAD)
            check.module.unload(check.client, check.model, LOAD)
        after = observe.settle(check.root, check.pids, 5)
    except Failed as failed:
        check.notes.append(f"{check.label}: the leak check broke off: {failed}")
        return
    check.know("loads", loads)
    if before.vram_used is not None and after.vram_used is not None:
        check.know("leaked_bytes", max(0, after.vram_used + (after.gtt_used or 0) - before.vram_used - (before.gtt_used or 0)), "sysfs")
    else:
        check.unknown("leaked_bytes", "no AMD GPU of this machine tells how much memory is in use")
