"""Ollama: ``/api/generate`` with options, and ``/api/ps``, which says how much of the model is in GPU memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rocmdoctor.llm.answer import Answer, Status, dig, events, rate, text, try_json, whole
from rocmdoctor.llm.client import Client, Failed

TRUST = 50
NAME = "Ollama"
LOG_UNIT = "ollama"


def recognise(client: Client) -> bool:
    """Whether ``/api/version`` and ``/api/tags`` answer as Ollama's do."""
    return bool(try_json(client, "/api/version").get("version")) and isinstance(try_json(client, "/api/tags").get("models"), list)


def models(client: Client) -> list[str]:
    """What is loaded first, then what is installed."""
    rows = [*(try_json(client, "/api/ps").get("models") or []), *(try_json(client, "/api/tags").get("models") or [])]
    return list(dict.fromkeys(text(row.get("name")) for row in rows if isinstance(row, dict) and text(row.get("name"))))


def status(client: Client, model: str) -> Status:
    """Version, sizes, and the share of the model that Ollama says is on the GPU."""
    found = Status(version=text(try_json(client, "/api/version").get("version")))
    mine = _row(client, "/api/ps", model)
    found.model_bytes, found.vram_bytes = whole(mine.get("size")), whole(mine.get("size_vram"))
    if found.model_bytes and found.vram_bytes is not None:
        share = found.vram_bytes / found.model_bytes
        found.device = "cpu" if share == 0 else "gpu" if share > 0.98 else "mixed"
    try:
        info = client.post("/api/show", {"model": model}, client.per_call).json().get("model_info")
    except Failed:
        info = None
    if isinstance(info, dict):
        found.parameters = whole(info.get("general.parameter_count"))
        experts, used = (whole(next((value for name, value in info.items() if name.endswith(tail)), None)) for tail in
                         (".expert_count", ".expert_used_count"))
        if experts and used and experts > used:
            found.expert_share = used / experts
    return found


def _row(client: Client, path: str, model: str) -> dict[str, Any]:
    rows = try_json(client, path).get("models") or []
    return next((row for row in rows if isinstance(row, dict) and model in (row.get("name"), row.get("model"))), {})


def complete(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The raw continuation at temperature 0."""
    return _generate(client, {"model": model, "prompt": prompt, "raw": True}, {"num_predict": tokens}, seconds)


def complete_on_cpu(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The same with no layer on the GPU: Ollama loads the model a second time for it, and the first goes if there is no room."""
    return _generate(client, {"model": model, "prompt": prompt, "raw": True}, {"num_predict": tokens, "num_gpu": 0}, seconds)


def chat(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The answer with the model's template."""
    return _generate(client, {"model": model, "prompt": prompt}, {"num_predict": tokens}, seconds)


def context(client: Client, model: str) -> int | None:
    """None: it is chosen with the question (``num_ctx``), as Ollama cuts a prompt that is too long without a word."""
    return None


def elsewhere(client: Client, model: str) -> str:
    """The machine that Ollama passes questions to this model on to, "" for a model that runs here."""
    mine = {**_row(client, "/api/tags", model), **_row(client, "/api/ps", model)}
    return text(mine.get("remote_host")) or ("ollama.com" if model.endswith(("-cloud", ":cloud")) else "")


def converse(client: Client, model: str, prompt: str, tokens: int, seconds: float, schema: dict[str, Any] | None, window: int,
             heard: Callable[[str], None]) -> Answer:
    """The answer to one long question in a chat of ``window`` tokens; ``heard`` gets the words as they come."""
    loaded = whole(_row(client, "/api/ps", model).get("context_length")) or 0  # another size would load the model again
    body = {"model": model, "messages": [{"role": "user", "content": prompt}], "stream": True,
            "options": {"temperature": 0, "seed": 1, "num_predict": tokens, "num_ctx": max(loaded, window)}, **({"format": schema} if schema else {})}

    def line(text: str) -> None:
        for _, data in events([(0.0, text)]):
            heard(_said(data))

    found, ended = _streamed(client, "/api/chat", body, seconds, line)
    last = found[-1][1]
    said = "".join(_said(data) for _, data in found)
    return Answer(said, whole(last.get("eval_count")), whole(last.get("prompt_eval_count")), ended=ended, seconds=found[-1][0], content=said)


def _said(data: dict[str, Any]) -> str:
    return text(dig(data, "message", "content"))


def load(client: Client, model: str, seconds: float) -> None:
    """Load the model and wait for it."""
    client.post("/api/generate", {"model": model, "stream": False}, seconds)


def unload(client: Client, model: str, seconds: float) -> None:
    """Take the model out of memory."""
    client.post("/api/generate", {"model": model, "keep_alive": 0, "stream": False}, seconds)


def _streamed(client: Client, path: str, body: dict[str, Any], seconds: float,
              heard: Callable[[str], None] | None = None) -> tuple[list[tuple[float, dict[str, Any]]], bool]:
    """The objects of a streamed answer, one at least, and whether it ended by itself. Raises :class:`Failed` with what the server says."""
    lines, ended = client.stream(path, body, seconds, heard)
    found = events(lines)
    if not found:
        raise Failed("answers with something that is no JSON: this is another service, or a proxy in front of it")
    last = found[-1][1]
    if isinstance(last.get("error"), str):
        raise Failed("says: " + last["error"][:120])
    return found, ended


def _generate(client: Client, body: dict[str, Any], options: dict[str, Any], seconds: float) -> Answer:
    body = {**body, "stream": True, "options": {"temperature": 0, "seed": 1, **options}}
    found, ended = _streamed(client, "/api/generate", body, seconds)
    last = found[-1][1]
    # A model that thinks says its first words in a field of its own.
    said = "".join(text(data.get("thinking")) + text(data.get("response")) for _, data in found)
    answer = Answer(said, whole(last.get("eval_count")), whole(last.get("prompt_eval_count")), ended=ended and last.get("done") is True)
    answer.prompt_fresh, answer.seconds = answer.prompt_tokens, found[-1][0]
    for name, count, spent in (("generation_speed", "eval_count", "eval_duration"), ("prompt_speed", "prompt_eval_count", "prompt_eval_duration")):
        number, nanoseconds = whole(dig(last, count)), whole(dig(last, spent))
        setattr(answer, name, rate(number / nanoseconds * 1e9) if number and nanoseconds else None)
    return answer
