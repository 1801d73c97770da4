"""Any server with OpenAI's API; what the others fall back to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rocmdoctor.llm.answer import Answer, Status, dig, events, logprobs, rate, text, try_json, whole
from rocmdoctor.llm.client import Client, Failed

TRUST = 0
NAME = "OpenAI-compatible server"


def recognise(client: Client) -> bool:
    """Whether it lists models as OpenAI's API does."""
    return isinstance(try_json(client, "/v1/models").get("data"), list)


def models(client: Client) -> list[str]:
    """The models, in the server's order."""
    rows = try_json(client, "/v1/models").get("data")
    return [row["id"] for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str)] if isinstance(rows, list) else []


def status(client: Client, model: str) -> Status:
    """Nothing: the API has no word for it."""
    return Status()


def complete(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The continuation of ``prompt`` at temperature 0; where the server has chats only, the answer of a chat."""
    try:
        return ask(client, "/v1/completions", {"model": model, "prompt": prompt, "logprobs": 1}, tokens, seconds)
    except Failed as failed:
        if not failed.no_such_call:
            raise
        return chat(client, model, prompt, tokens, seconds)


def chat(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The answer in a chat, with the model's template."""
    return ask(client, "/v1/chat/completions", {"model": model, "messages": [{"role": "user", "content": prompt}]}, tokens, seconds)


def context(client: Client, model: str) -> int | None:
    """Not known: the API has no word for it, but some servers put one into the list of models."""
    rows = dig(try_json(client, "/v1/models"), "data")
    mine = next((row for row in rows if dig(row, "id") == model), None) if isinstance(rows, list) else None
    return whole(dig(mine, "max_model_len")) or whole(dig(mine, "context_length"))


def converse(client: Client, model: str, prompt: str, tokens: int, seconds: float, schema: dict[str, Any] | None, window: int,
             heard: Callable[[str], None], path: str = "/v1/chat/completions") -> Answer:
    """The answer to one long question in a chat; ``heard`` gets the words as they come. With ``schema`` the server is told to keep to it."""
    body: dict[str, Any] = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    if schema:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "opinion", "strict": True, "schema": schema}}
    try:
        return ask(client, path, body, tokens, seconds, heard)
    except Failed as failed:
        if failed.status != 400 or "max_completion_tokens" not in failed.detail:
            raise
        return ask(client, path, body, tokens, client.left(), heard, thinks=True)  # hosted models that think take neither name nor temperature


def _words(data: dict[str, Any]) -> str:
    """What one event says, thoughts left out."""
    choice = dig(data, "choices", 0)
    return text(dig(choice, "delta", "content")) + text(dig(choice, "message", "content")) + text(dig(choice, "text"))


def ask(client: Client, path: str, body: dict[str, Any], tokens: int, seconds: float, heard: Callable[[str], None] | None = None,
        thinks: bool = False) -> Answer:
    """One streamed answer of OpenAI's API; a server that does not stream is read as a whole. ``thinks``: a model that takes no temperature."""
    usual = {"max_completion_tokens": tokens} if thinks else {"max_tokens": tokens, "temperature": 0, "seed": 1}
    body = {**body, **usual, "stream": True, "stream_options": {"include_usage": True}}

    def line(text: str) -> None:
        for _, data in events([(0.0, text)]):
            if heard and (said := _words(data)):
                heard(said)

    lines, ended = client.stream(path, body, seconds, line if heard else None)
    answer = Answer("", ended=ended, seconds=lines[-1][0] if lines else 0.0)
    parts, times, chosen = [], [], []
    found = events(lines)
    if not found and lines:
        raise Failed("answers with something that is no JSON: this is another service, or a proxy in front of it")
    for at, data in found:
        if isinstance(data.get("error"), (dict, str)):
            raise Failed("says: " + str(dig(data, "error", "message") or data["error"])[:120])
        choice = dig(data, "choices", 0) or {}
        for place in ("delta", "message"):
            # A model that thinks says its first words in a field of its own.
            for name in ("reasoning_content", "reasoning", "content"):
                parts.append(text(dig(choice, place, name)))
        parts.append(text(choice.get("text") if isinstance(choice, dict) else None))
        answer.content += _words(data)
        if any(parts[-7:]) or dig(choice, "finish_reason") is None and choice:
            times.append(at)
        rows = dig(choice, "logprobs", "content")
        chosen += logprobs(dig(choice, "logprobs", "token_logprobs"))
        chosen += logprobs([dig(row, "logprob") for row in rows] if isinstance(rows, list) else None)
        _numbers(answer, data)
    answer.text, answer.logprobs = "".join(parts), tuple(chosen[:256])
    if answer.tokens is None and len(times) > 1:
        answer.tokens = len(times)
    if answer.generation_speed is None and answer.tokens and answer.tokens > 1:
        span = times[-1] - times[0] if len(times) > 2 else answer.seconds
        answer.generation_speed = rate((answer.tokens - (len(times) > 2)) / span) if span > 0.001 else None
    if answer.prompt_speed is None and answer.prompt_fresh and len(times) > 2 and times[0] > 0.001:
        answer.prompt_speed = rate(answer.prompt_fresh / times[0])
    return answer


def _numbers(answer: Answer, data: dict[str, Any]) -> None:
    """Counts of the usage block, and llama.cpp's timings where they come along."""
    usage, timings = data.get("usage"), data.get("timings")
    if isinstance(usage, dict):
        answer.tokens = whole(usage.get("completion_tokens"))
        answer.prompt_tokens = whole(usage.get("prompt_tokens"))
        cached = whole(dig(usage, "prompt_tokens_details", "cached_tokens")) or 0
        answer.prompt_fresh = answer.prompt_tokens - cached if answer.prompt_tokens else None
    if isinstance(timings, dict):
        answer.generation_speed, answer.prompt_speed = rate(timings.get("predicted_per_second")), rate(timings.get("prompt_per_second"))
        answer.tokens, answer.prompt_fresh = whole(timings.get("predicted_n")), whole(timings.get("prompt_n"))
