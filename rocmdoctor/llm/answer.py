"""What the protocols of the servers have in common: an answer, and what a server says about itself."""

from __future__ import annotations

import json
import re
from typing import Any

from rocmdoctor.llm.client import Client, Failed
from rocmdoctor.records import dataclass, field


@dataclass(slots=True)
class Answer:
    """One answer. ``tokens`` counts what was generated, with or without visible text; speeds are tokens per second.

    ``prompt_fresh`` counts the tokens of the prompt that were computed and not taken from a cache. ``logprobs`` are those of the
    chosen tokens, where the server gives them. ``ended`` is false when the answer was cut off at its deadline.
    ``content`` is the text of a chat without what the model thought before.
    """

    text: str
    tokens: int | None = None
    prompt_tokens: int | None = None
    prompt_fresh: int | None = None
    generation_speed: float | None = None
    prompt_speed: float | None = None
    logprobs: tuple[float, ...] = ()
    seconds: float = 0.0
    ended: bool = True
    content: str = ""


@dataclass(slots=True)
class Status:
    """What the server says of itself and of the model that answers. None and "" mean that it does not say."""

    version: str = ""
    model_bytes: int | None = None
    vram_bytes: int | None = None
    device: str = ""
    backend: str = ""
    parameters: int | None = None
    expert_share: float | None = None
    log_path: str = ""
    notes: list[str] = field(default_factory=list)


def whole(value: Any) -> int | None:
    """A count or a size out of foreign JSON; None when it is no number."""
    return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1 << 60 else None


def rate(value: Any) -> float | None:
    """A speed out of foreign JSON; None when it is no usable number."""
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e7 else None


def logprobs(values: Any) -> list[float]:
    """Logarithms of probabilities out of foreign JSON: those of a list that are usable numbers."""
    usable = (value for value in values if isinstance(value, (int, float)) and not isinstance(value, bool)) if isinstance(values, list) else ()
    return [float(value) for value in usable if -1e6 < value < 1]


def dig(data: Any, *keys: Any) -> Any:
    """The value under the keys and indexes, None where there is none."""
    for key in keys:
        if isinstance(data, dict):
            data = data.get(key)
        elif isinstance(data, list) and isinstance(key, int) and key < len(data):
            data = data[key]
        else:
            return None
    return data


def text(value: Any) -> str:
    """A text out of foreign JSON, "" for anything else."""
    return value if isinstance(value, str) else ""


def try_json(client: Client, path: str) -> dict[str, Any]:
    """The object at ``path``, {} where the server has none; a server that cannot be reached at all still raises Failed."""
    try:
        return client.get(path).json()
    except Failed as failed:
        if failed.status in (401, 403) or failed.status == 0 and "JSON" not in str(failed):
            raise
        return {}


def events(lines: list[tuple[float, str]]) -> list[tuple[float, dict[str, Any]]]:
    """The objects of a server-sent or line-wise stream; foreign lines are left out."""
    found = []
    for at, line in lines:
        line = line.removeprefix("data:").strip()
        try:
            data = json.loads(line) if line.startswith("{") else None
        except (ValueError, RecursionError):
            data = None
        if isinstance(data, dict):
            found.append((at, data))
    return found


def metrics(client: Client) -> dict[str, float]:
    """The samples of ``/metrics`` by name, those of one name added up; {} where the server has none."""
    try:
        body = client.get("/metrics").body.decode("utf-8", "replace")
    except Failed:
        return {}
    found: dict[str, float] = {}
    for name, value in re.findall(r"^([a-z_]+:[a-z_]+)(?:\{[^}\n]*\})? ([0-9]{1,18}(?:\.[0-9]+)?(?:e[+-]?[0-9]{1,2})?)$", body, re.M)[:2000]:
        found[name] = found.get(name, 0.0) + float(value)
    return found
