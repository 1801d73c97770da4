"""LM Studio: OpenAI's API, and ``/api/v0`` with the state of every model and the speed of every answer."""

from __future__ import annotations

from rocmdoctor.llm.answer import Answer, Status, dig, rate, text, try_json, whole
from rocmdoctor.llm.client import Client, Failed
from rocmdoctor.llm.servers import openai

TRUST = 55
NAME = "LM Studio"


def _rows(client: Client) -> list[dict[str, object]]:
    rows = try_json(client, "/api/v0/models").get("data")
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def recognise(client: Client) -> bool:
    """Whether its own list of models has the state of each."""
    return any("state" in row and "id" in row for row in _rows(client))


def models(client: Client) -> list[str]:
    """Models that make text, the loaded ones first."""
    rows = [row for row in _rows(client) if row.get("type") in ("llm", "vlm") and text(row.get("id"))]
    return [text(row["id"]) for row in sorted(rows, key=lambda row: row.get("state") != "loaded")]


def status(client: Client, model: str) -> Status:
    """The engine is known from an answer only; LM Studio does not say on which device the model is."""
    return Status()


def complete(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The raw continuation, with LM Studio's own figures."""
    body = {"model": model, "prompt": prompt, "max_tokens": tokens, "temperature": 0, "seed": 1, "stream": False}
    data = client.post("/api/v0/completions", body, seconds).json()
    said = dig(data, "choices", 0, "text")
    if not isinstance(said, str):
        raise Failed("answers with JSON of another shape than its protocol has")
    answer = Answer(said, whole(dig(data, "usage", "completion_tokens")), whole(dig(data, "usage", "prompt_tokens")))
    answer.generation_speed = rate(dig(data, "stats", "tokens_per_second"))
    answer.prompt_fresh = answer.prompt_tokens
    first = rate(dig(data, "stats", "time_to_first_token"))
    answer.prompt_speed = rate(answer.prompt_fresh / first) if answer.prompt_fresh and first else None
    return answer


def context(client: Client, model: str) -> int | None:
    """Tokens that the model was loaded with, where it is loaded."""
    mine: dict[str, object] = next((row for row in _rows(client) if row.get("id") == model), {})
    return whole(mine.get("loaded_context_length"))


converse = openai.converse


def chat(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The answer in a chat."""
    return openai.chat(client, model, prompt, tokens, seconds)
