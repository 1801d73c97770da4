"""llama.cpp's own server: ``/props``, ``/slots``, ``/metrics`` and ``/completion`` with timings and token probabilities."""

from __future__ import annotations

import json

from rocmdoctor.llm.answer import Answer, Status, dig, logprobs, metrics, rate, text, try_json, whole
from rocmdoctor.llm.client import Client, Failed
from rocmdoctor.llm.servers import openai

TRUST = 60
NAME = "llama-server"


def recognise(client: Client) -> bool:
    """Whether ``/props`` holds llama.cpp's settings. A server that is still loading says so in one line."""
    try:
        return "default_generation_settings" in client.get("/props").json()
    except Failed as failed:
        if failed.status == 503:
            raise Failed("is still loading its model; ask again when it is ready", 503) from None
        if failed.status or "JSON" in str(failed):
            return False
        raise


def models(client: Client) -> list[str]:
    """The model or, of a router, the models."""
    return openai.models(client)


def status(client: Client, model: str) -> Status:
    """Build and model size. llama-server does not say on which device the model is."""
    props = try_json(client, "/props")
    found = Status(version=text(props.get("build_info")))
    rows = dig(try_json(client, "/v1/models"), "data") or []
    mine = next((row for row in rows if isinstance(row, dict) and row.get("id") == model), rows[0] if rows else {})
    found.model_bytes, found.parameters = whole(dig(mine, "meta", "size")), whole(dig(mine, "meta", "n_params"))
    busy = metrics(client).get("llamacpp:requests_processing")
    if busy is None:
        busy = _busy_slots(client)
    if busy:
        found.notes.append(f"{busy:.0f} of {whole(props.get('total_slots')) or 1} slots were busy with other requests: speeds are shared")
    return found


def _busy_slots(client: Client) -> float:
    try:
        rows = json.loads(client.get("/slots").body)
    except (Failed, ValueError, RecursionError):
        return 0.0  # a server can be started without it
    return float(sum(1 for row in rows if dig(row, "is_processing") is True)) if isinstance(rows, list) else 0.0


def complete(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The raw continuation, greedy, computed afresh, with the probability of every chosen token."""
    body = {"model": model, "prompt": prompt, "n_predict": tokens, "temperature": 0, "seed": 1, "n_probs": 1, "cache_prompt": False}
    data = client.post("/completion", body, seconds).json()
    timings = data.get("timings")
    rows = data.get("completion_probabilities")
    probable = logprobs([dig(row, "logprob") for row in rows] if isinstance(rows, list) else None)
    if not isinstance(data.get("content"), str):
        raise Failed("answers with JSON of another shape than its protocol has")
    return Answer(data["content"], whole(data.get("tokens_predicted")), whole(data.get("tokens_evaluated")), whole(dig(timings, "prompt_n")),
                  rate(dig(timings, "predicted_per_second")), rate(dig(timings, "prompt_per_second")), tuple(probable[:256]))


def context(client: Client, model: str) -> int | None:
    """Tokens of one slot."""
    return whole(dig(try_json(client, "/props"), "default_generation_settings", "n_ctx"))


converse = openai.converse


def chat(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The answer in a chat."""
    return openai.chat(client, model, prompt, tokens, seconds)

