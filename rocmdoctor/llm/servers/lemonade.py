"""Lemonade: OpenAI's API under ``/api/v1``, with the loaded models, their device and the installed backends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rocmdoctor.llm.answer import Answer, Status, dig, text, try_json, whole
from rocmdoctor.llm.client import Client, Failed
from rocmdoctor.llm.servers import openai

TRUST = 70  # it also speaks Ollama's protocol
NAME = "Lemonade"
BASE = "/api/v1"


def recognise(client: Client) -> bool:
    """Whether ``/api/v1/health`` tells what model is loaded."""
    return "model_loaded" in try_json(client, BASE + "/health")


def _loaded(client: Client) -> list[dict[str, Any]]:
    health = try_json(client, BASE + "/health")
    rows = health.get("all_models_loaded")
    if isinstance(rows, list):
        return [row for row in rows if isinstance(row, dict)]
    return [{"model_name": health["model_loaded"]}] if isinstance(health.get("model_loaded"), str) else []


def models(client: Client) -> list[str]:
    """What is loaded first, then what is installed."""
    loaded = [text(row.get("model_name")) for row in _loaded(client) if row.get("type", "llm") == "llm"]
    rows = dig(try_json(client, BASE + "/models"), "data") or []
    return [name for name in dict.fromkeys([*loaded, *(text(row.get("id")) for row in rows if isinstance(row, dict))]) if name]


def status(client: Client, model: str) -> Status:
    """Version, device and backend of the loaded model."""
    found = Status(version=text(try_json(client, BASE + "/health").get("version")))
    mine = next((row for row in _loaded(client) if row.get("model_name") == model), {})
    device = text(mine.get("device")).lower()
    found.device = "gpu" if "gpu" in device and "cpu" not in device else "cpu" if device == "cpu" else "mixed" if "gpu" in device else ""
    options = dig(mine, "recipe_options")
    recipe = text(mine.get("recipe"))
    found.backend = text(dig(options, "llamacpp_backend"))
    installed = dig(try_json(client, BASE + "/system-info"), "recipes", recipe or "llamacpp")
    found.backend = found.backend or text(dig(installed, "default_backend"))
    states = dig(installed, "backends")
    if isinstance(states, dict):
        others = sorted(str(name) for name, row in states.items() if dig(row, "state") == "installed" and name != found.backend)
        if others:
            found.notes.append(f"further backends of {recipe or 'llamacpp'} are installed: {', '.join(others)[:80]}")
    return found


def complete(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The raw continuation; where the recipe has chats only, the answer of a chat."""
    try:
        return openai.ask(client, BASE + "/completions", {"model": model, "prompt": prompt}, tokens, seconds)
    except Failed as failed:
        if not failed.no_such_call:
            raise
        return chat(client, model, prompt, tokens, seconds)


def context(client: Client, model: str) -> int | None:
    """Tokens that the model was loaded with."""
    mine = next((row for row in _loaded(client) if row.get("model_name") == model), {})
    return whole(dig(mine, "recipe_options", "ctx_size"))


def converse(client: Client, model: str, prompt: str, tokens: int, seconds: float, schema: dict[str, Any] | None, window: int,
             heard: Callable[[str], None]) -> Answer:
    """The answer to one long question in a chat."""
    return openai.converse(client, model, prompt, tokens, seconds, schema, window, heard, BASE + "/chat/completions")


def chat(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The answer in a chat."""
    body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
    return openai.ask(client, BASE + "/chat/completions", body, tokens, seconds)


def load(client: Client, model: str, seconds: float) -> None:
    """Load the model and wait for it."""
    client.post(BASE + "/load", {"model_name": model}, seconds)


def unload(client: Client, model: str, seconds: float) -> None:
    """Take the model out of memory."""
    client.post(BASE + "/unload", {"model_name": model}, seconds)
