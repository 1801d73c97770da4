"""The arithmetic: what a model needs, part by part, as llama.cpp allocates it.

Weights and KV cache are exact for what the header states. The compute buffer is the largest of three stages of the graph
(output, attention, feed-forward), each with the mask of the attention; see docs/memory.md for how far it is off.
"""

from __future__ import annotations

from rocmdoctor.facts.sections import Part
from rocmdoctor.knowledge import tables
from rocmdoctor.memory.shape import Layer, Shape
from rocmdoctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Setting:
    """How a model is started. ``context`` counts tokens of all sequences together, as ``llama-server -c`` does."""

    context: int
    kv_type: str = "f16"
    parallel: int = 1
    micro_batch: int = 512
    flash: bool = True
    mmap: bool = True


def _padded(count: int, multiple: int) -> int:
    return -(-count // multiple) * multiple


def _cells(setting: Setting) -> int:
    """KV cells of one sequence."""
    multiple = tables.load("memory_limits")["kv_cells_multiple"]["value"]
    return _padded(max(setting.context // setting.parallel, 1), multiple)


def _of_layer(layer: Layer, setting: Setting) -> int:
    row = tables.load("memory_limits")["kv_types"][setting.kv_type]
    cells = _cells(setting)
    if layer.window:
        multiple = tables.load("memory_limits")["kv_cells_multiple"]["value"]
        cells = min(cells, _padded(layer.window + setting.micro_batch, multiple))
    elements = layer.kv_heads * (layer.key_length + layer.value_length) * cells * setting.parallel
    return elements * int(row["bytes"]) // int(row["elements"])


def kv_bytes(shape: Shape, setting: Setting) -> int:
    """KV cache of all layers; assumed from the size of the model where its header was not read."""
    if shape.image:
        return 0
    if not shape.layers:
        table = tables.load("memory_limits")
        assumed, row = table["assumed"]["kv_bytes_per_token"], table["kv_types"][setting.kv_type]
        per_token = assumed["value"] * (shape.file_bytes / 1e9 / assumed["at_gb"]) ** assumed["exponent"]
        return int(per_token * _cells(setting) * setting.parallel * row["bytes"] / row["elements"] / 2)
    return sum(_of_layer(layer, setting) for layer in shape.layers)


def state_bytes(shape: Shape, setting: Setting) -> int:
    """What recurrent layers keep, whatever the context."""
    return sum(layer.state_bytes for layer in shape.layers) * setting.parallel


def compute_bytes(shape: Shape, setting: Setting) -> int:
    """The compute buffer of the GPU."""
    if not shape.layers:
        assumed = tables.load("memory_limits")["assumed"]
        if shape.image:
            return max(int(shape.file_bytes * assumed["image_compute"]["fraction"]), int(assumed["image_compute"]["least"]))
        return int(assumed["compute_bytes"]["value"])
    batch = setting.micro_batch
    mask = _cells(setting) * batch
    key_values = max((layer.kv_heads * (layer.key_length + layer.value_length) for layer in shape.layers), default=0)
    heads = shape.query // max(max((layer.key_length for layer in shape.layers), default=1), 1)

    def rows(elements: int) -> int:
        return 4 * batch * elements

    output = rows(shape.vocabulary + 2 * shape.embedding)
    # The mask is copied (f32) and converted (f16); the first attention finds both.
    attention = 6 * mask + rows(2 * shape.embedding + (2 if shape.norms_query else 1) * shape.query + key_values)
    if shape.latent:
        attention = 4 * mask + rows(shape.latent + 3 * shape.embedding)
    feed = rows(3 * shape.feed_forward + (4 if shape.norms_after else 3) * shape.embedding)
    if shape.experts_used:
        mixed = rows(shape.experts_used * (3 * shape.expert_feed + shape.embedding) + 2 * shape.embedding)
        feed = mixed if shape.expert_feed else max(feed, mixed)
    # The copy of the mask is free again after the conversion; what fits there whole takes nothing more (and longer contexts never less).
    reuses = 4 * mask >= feed and not shape.latent and not shape.norms_after
    feed = max(6 * mask, 2 * feed) if reuses else feed + 4 * mask
    if not setting.flash:
        attention += 4 * heads * mask
    if batch > tables.load("memory_limits")["micro_batch"]["value"]:
        return max(output + feed, attention)  # with a large batch the output no longer fits into the gaps of the rest
    return max(output, attention, feed)


def host_compute_bytes(shape: Shape, setting: Setting) -> int:
    """The compute buffer in system RAM: inputs and the mask."""
    return 4 * _cells(setting) * setting.micro_batch + 8 * setting.micro_batch * shape.embedding if shape.layers else 0


def parts(shape: Shape, setting: Setting, backend: str) -> list[Part]:
    """What the model needs with one backend (vulkan or hip)."""
    table = tables.load("memory_limits")
    kv = kv_bytes(shape, setting)
    found = [Part("weights", "gpu", shape.gpu_bytes)]
    if not shape.image:
        found.append(Part("KV cache", "gpu", kv))
    if state := state_bytes(shape, setting):
        found.append(Part("recurrent state", "gpu", state))
    found += [Part("compute buffer", "gpu", compute_bytes(shape, setting)),
              Part("runtime", "gpu", int(table["runtime_bytes"][backend]["value"]))]
    if backend == "hip" and setting.kv_type not in ("f16", "f32", "bf16") and shape.layers:
        # Flash attention of the HIP backend unpacks one layer's quantised keys and values to f16.
        largest = max(layer.kv_heads * (layer.key_length + layer.value_length) for layer in shape.layers)
        found.append(Part("unpacked KV of one layer", "gpu", 2 * largest * _cells(setting)))
    if shape.host_bytes:
        found.append(Part("token embedding", "host", shape.host_bytes))
    if host := host_compute_bytes(shape, setting):
        found.append(Part("inputs and mask", "host", host))
    found.append(Part("file pages while loading" if setting.mmap else "upload buffers", "load",
                      shape.file_bytes if setting.mmap else max(int(table["upload_bytes"]["value"]), shape.largest_tensor)))
    return found


def on_gpu(found: list[Part]) -> int:
    """Bytes of GPU memory."""
    return sum(part.bytes for part in found if part.where == "gpu")
