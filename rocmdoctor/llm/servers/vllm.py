"""vLLM and SGLang: OpenAI's API with ``/version`` or ``/get_server_info``, and ``/metrics``."""

from __future__ import annotations

from rocmdoctor.llm.answer import Answer, Status, metrics, text, try_json
from rocmdoctor.llm.client import Client
from rocmdoctor.llm.servers import openai

TRUST = 40
NAME = "vLLM or SGLang"


def _version(client: Client) -> str:
    return text(try_json(client, "/version").get("version")) or text(try_json(client, "/get_server_info").get("version"))


def recognise(client: Client) -> bool:
    """Whether it has a version where these two have it, and OpenAI's list of models."""
    return bool(_version(client)) and openai.recognise(client)


models = openai.models
chat = openai.chat
context = openai.context
converse = openai.converse


def complete(client: Client, model: str, prompt: str, tokens: int, seconds: float) -> Answer:
    """The raw continuation with the probability of every chosen token."""
    return openai.complete(client, model, prompt, tokens, seconds)


def status(client: Client, model: str) -> Status:
    """The version, and whether others use the server now."""
    found = Status(version=_version(client))
    counted = metrics(client)
    busy = counted.get("vllm:num_requests_running", counted.get("sglang:num_running_reqs", 0.0))
    if busy:
        found.notes.append(f"{busy:.0f} other requests were running: speeds are shared")
    return found
