"""What a model is, as far as its memory goes: out of a GGUF header, or assumed from a size."""

from __future__ import annotations

from typing import Any

from rocmdoctor.knowledge import tables
from rocmdoctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Layer:
    """What one layer keeps per token and per sequence. ``window`` is 0 for full attention."""

    kv_heads: int
    key_length: int
    value_length: int
    window: int = 0
    state_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes in bytes, counts in elements. ``layers`` is empty where only the size of the file is known."""

    name: str
    file_bytes: int
    gpu_bytes: int
    host_bytes: int
    largest_tensor: int = 0
    layers: tuple[Layer, ...] = ()
    embedding: int = 0
    vocabulary: int = 0
    query: int = 0
    feed_forward: int = 0
    expert_feed: int = 0
    experts_used: int = 0
    latent: int = 0
    norms_query: bool = False
    norms_after: bool = False
    trained_context: int = 0
    image: bool = False
    note: str = ""


def of_size(size: int, image: bool = False) -> Shape:
    """A model that is known by the size of its file only."""
    return Shape(f"a model of {size / 1e9:.1f} GB", size, size, 0, image=image,
                 note="known by its size only: what it keeps per token is assumed; --model FILE reads it")


def _whole(value: Any, least: int = 0, most: int = 1 << 40) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise ValueError(f"a number of the header is {value!r}")
    return int(value)


def _per_layer(value: Any, count: int) -> list[int]:
    """A number for all layers, or a list with one for each."""
    if isinstance(value, list):
        if len(value) < count:
            raise ValueError("a list of the header is shorter than the model has layers")
        return [_whole(int(one)) for one in value[:count]]
    return [_whole(value)] * count


def _windows(arch: str, values: dict[str, Any], count: int) -> tuple[list[int], str]:
    """The sliding window of each layer, 0 for full attention, and a note where the header leaves it open."""
    window = _whole(values.get("attention.sliding_window") or 0)
    if not window:
        return [0] * count, ""
    pattern = values.get("attention.sliding_window_pattern")
    if isinstance(pattern, list):
        return [window if slides else 0 for slides in _per_layer([int(bool(one)) for one in pattern], count)], ""
    every = pattern if isinstance(pattern, int) and pattern > 0 else tables.load("memory_limits")["sliding_window_every"].get(arch)
    if not every:
        return [0] * count, "the sliding window of this architecture is not in the table: counted as full attention"
    return [0 if (layer + 1) % int(every) == 0 else window for layer in range(count)], ""


def _state(values: dict[str, Any]) -> int:
    """Bytes that a recurrent layer keeps for one sequence (convolution and state, both f32)."""
    inner, state = _whole(values.get("ssm.inner_size") or 0), _whole(values.get("ssm.state_size") or 0)
    kernel, groups = _whole(values.get("ssm.conv_kernel") or 0), _whole(values.get("ssm.group_count") or 0)
    return 4 * (max(kernel - 1, 0) * (inner + 2 * groups * state) + state * inner)


def _layers(arch: str, values: dict[str, Any]) -> tuple[tuple[Layer, ...], str]:
    count = _whole(values["block_count"], 1, 4096)
    heads = _per_layer(values.get("attention.head_count") or 1, count)
    kv_heads = _per_layer(values.get("attention.head_count_kv", heads), count)
    embedding = _whole(values["embedding_length"], 1, 1 << 24)
    plain = embedding // max(max(heads), 1)
    key = _whole(values.get("attention.key_length") or plain, 1, 1 << 20)
    value = _whole(values.get("attention.value_length") or plain, 1, 1 << 20)
    if "attention.key_length_mla" in values:
        value = 0  # the latent vector is kept once and serves as key and as value
    windows, note = _windows(arch, values, count)
    state = _state(values)
    interval = _whole(values.get("full_attention_interval") or tables.load("memory_limits")["full_attention_interval"].get(arch) or 0)
    shared = _whole(values.get("attention.shared_kv_layers") or 0)
    layers = []
    for number in range(count):
        recurrent = bool(state) and (number + 1) % interval != 0 if interval else bool(state) and kv_heads[number] == 0
        if recurrent:
            layers.append(Layer(0, 0, 0, 0, state))
            continue
        slides = windows[number] > 0
        layers.append(Layer(0 if number >= count - shared else kv_heads[number],
                            _whole(values.get("attention.key_length_swa") or key) if slides else key,
                            _whole(values.get("attention.value_length_swa") or value) if slides else value,
                            windows[number], state if arch.startswith("falcon-h") else 0))
    return tuple(layers), note


def of_header(name: str, file_bytes: int, fields: dict[str, Any], tensors: dict[str, int]) -> Shape:
    """From the keys of a GGUF header and the bytes of each tensor. Raises ValueError or KeyError on a header that makes no sense."""
    arch = str(fields.get("general.architecture") or "")
    values = {key.removeprefix(arch + "."): value for key, value in fields.items() if key.startswith(arch + ".")}
    if not arch or "block_count" not in values:
        raise ValueError("it is not a language model (no architecture with layers); give its size instead: --model-size SIZE --image")
    layers, note = _layers(arch, values)
    embedded = tensors.get("token_embd.weight", 0)
    # Without a separate output matrix the embedding serves as one, and lies in both places.
    tied = embedded if "output.weight" not in tensors else 0
    heads = max(_per_layer(values.get("attention.head_count") or 1, len(layers)))
    lengths = [layer.key_length for layer in layers if layer.key_length]
    experts, feed = values.get("expert_used_count") or 0, values.get("feed_forward_length") or 0
    expert_feed = _whole(values.get("expert_feed_forward_length") or 0)
    latent = 0
    if "attention.key_length_mla" in values:
        rank = _whole(values.get("attention.kv_lora_rank") or 0)
        key = max(lengths, default=0)
        latent = heads * (_whole(values["attention.key_length_mla"]) + rank + key) + _whole(values.get("attention.q_lora_rank") or 0) + key
    return Shape(
        name, file_bytes, sum(tensors.values()) - embedded + tied, embedded, max(tensors.values(), default=0), layers,
        _whole(values["embedding_length"], 1, 1 << 24), _whole(fields.get("vocabulary") or 0, 0, 1 << 26),
        heads * max(lengths, default=0), max(_per_layer(feed, len(layers))), expert_feed, _whole(experts), latent,
        any(tensor.endswith("attn_q_norm.weight") for tensor in tensors), any(tensor.endswith("post_ffw_norm.weight") for tensor in tensors),
        _whole(values.get("context_length") or 0), note=note)
